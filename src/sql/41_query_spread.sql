-- Spread and distinct categories in private queries: names for parse analysis, as in 40_query.sql.

CREATE AGGREGATE dpmix.dp_var(float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_var(bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_var(numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_var(float8) IS
    E'noisy population variance (var_pop) of x, each clamped to its bounds, without NULL and NaN, from a noisy count, centred sum and '
    'sum of centred squares. Between 0 and a quarter of the squared range of the bounds, half of that for an empty group; never NULL. '
    'x as for dpmix.dp_sum. dpmix.dp_avg of the same x beside it costs nothing more.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_var(bigint) IS
    E'noisy population variance (var_pop) of x, each clamped to its bounds, without NULL and NaN, from a noisy count, centred sum and '
    'sum of centred squares. Between 0 and a quarter of the squared range of the bounds, half of that for an empty group; never NULL. '
    'x as for dpmix.dp_sum. dpmix.dp_avg of the same x beside it costs nothing more.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_var(numeric) IS
    E'noisy population variance (var_pop) of x, each clamped to its bounds, without NULL and NaN, from a noisy count, centred sum and '
    'sum of centred squares. Between 0 and a quarter of the squared range of the bounds, half of that for an empty group; never NULL. '
    'x as for dpmix.dp_sum. dpmix.dp_avg of the same x beside it costs nothing more.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';

CREATE AGGREGATE dpmix.dp_stddev(float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_stddev(bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_stddev(numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_stddev(float8) IS
    E'noisy population standard deviation (stddev_pop) of x, in its units: the root of dpmix.dp_var.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_stddev(bigint) IS
    E'noisy population standard deviation (stddev_pop) of x, in its units: the root of dpmix.dp_var.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_stddev(numeric) IS
    E'noisy population standard deviation (stddev_pop) of x, in its units: the root of dpmix.dp_var.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';

CREATE AGGREGATE dpmix.dp_count_distinct("any") (
    SFUNC = dpmix.outside_query, STYPE = bigint, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_count_distinct("any") IS
    E'noisy number of declared categories of x that occur; other values and NULL are none of them. Where x is the privacy unit, the '
    'number of units that have a row. May be negative.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no categories.';
