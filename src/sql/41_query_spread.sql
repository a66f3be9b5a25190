-- Spread and distinct categories in private queries: names for parse analysis, as in 40_query.sql.

CREATE AGGREGATE dpmix.dp_var(float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_var(bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_var(numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_var(float8) IS
    'noisy population variance (var_pop) of x, each clamped to the declared bounds, without NULL and NaN; between 0 and a quarter of the '
    'squared range of the bounds, half of that for an empty group; only in the text of dpmix.query, else PV002';
COMMENT ON AGGREGATE dpmix.dp_var(bigint) IS
    'noisy population variance (var_pop) of x, each clamped to the declared bounds, without NULL and NaN; between 0 and a quarter of the '
    'squared range of the bounds, half of that for an empty group; only in the text of dpmix.query, else PV002';
COMMENT ON AGGREGATE dpmix.dp_var(numeric) IS
    'noisy population variance (var_pop) of x, each clamped to the declared bounds, without NULL and NaN; between 0 and a quarter of the '
    'squared range of the bounds, half of that for an empty group; only in the text of dpmix.query, else PV002';

CREATE AGGREGATE dpmix.dp_stddev(float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_stddev(bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_stddev(numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_stddev(float8) IS
    'noisy population standard deviation (stddev_pop) of x, the root of dp_var(x), in the units of x; only in the text of dpmix.query, else PV002';
COMMENT ON AGGREGATE dpmix.dp_stddev(bigint) IS
    'noisy population standard deviation (stddev_pop) of x, the root of dp_var(x), in the units of x; only in the text of dpmix.query, else PV002';
COMMENT ON AGGREGATE dpmix.dp_stddev(numeric) IS
    'noisy population standard deviation (stddev_pop) of x, the root of dp_var(x), in the units of x; only in the text of dpmix.query, else PV002';

CREATE AGGREGATE dpmix.dp_count_distinct("any") (
    SFUNC = dpmix.outside_query, STYPE = bigint, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_count_distinct("any") IS
    'noisy number of declared categories of x that occur; other values and NULL are none of them; where x is the privacy unit, the number of '
    'units that have a row; may be negative; only in the text of dpmix.query, else PV002';
