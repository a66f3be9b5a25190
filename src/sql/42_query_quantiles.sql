-- Quantiles and histograms of private queries: names that dpmix.query reads, as in 40_query.sql. Outside of it they raise PV002, also
-- over no rows at all.

CREATE FUNCTION dpmix.outside_query(float8, float8, float8) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(float8, float8, float8) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(float8, bigint, float8) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(float8, bigint, float8) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(float8, numeric, float8) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(float8, numeric, float8) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(bigint[]) RETURNS bigint[]
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(bigint[]) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(bigint[], float8, float8[]) RETURNS bigint[]
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(bigint[], float8, float8[]) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(bigint[], bigint, float8[]) RETURNS bigint[]
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(bigint[], bigint, float8[]) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(bigint[], numeric, float8[]) RETURNS bigint[]
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(bigint[], numeric, float8[]) IS 'raises PV002';

CREATE AGGREGATE dpmix.dp_quantile(x float8, p float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_quantile(float8, float8) IS
    'noisy quantile of x, each clamped to the declared bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096; of whole numbers each has its own, if there are no more). p: a '
    'constant from 0 to 1. Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does; only in '
    'the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_quantile(x bigint, p float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_quantile(bigint, float8) IS
    'noisy quantile of x, each clamped to the declared bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096; of whole numbers each has its own, if there are no more). p: a '
    'constant from 0 to 1. Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does; only in '
    'the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_quantile(x numeric, p float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_quantile(numeric, float8) IS
    'noisy quantile of x, each clamped to the declared bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096; of whole numbers each has its own, if there are no more). p: a '
    'constant from 0 to 1. Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does; only in '
    'the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_median(x float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_median(float8) IS 'noisy median of x: dp_quantile(x, 0.5); only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_median(x bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_median(bigint) IS 'noisy median of x: dp_quantile(x, 0.5); only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_median(x numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_median(numeric) IS 'noisy median of x: dp_quantile(x, 0.5); only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_histogram(x float8, edges float8[]) (
    SFUNC = dpmix.outside_query, STYPE = bigint[], FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_histogram(float8, float8[]) IS
    'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. edges: a constant, 2 to 1000 in '
    'strictly ascending order; the first may be -Infinity, the last Infinity. What lies beyond them, NULL and NaN are in no cell. x needs no '
    'bounds. Numbers may be negative; only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_histogram(x bigint, edges float8[]) (
    SFUNC = dpmix.outside_query, STYPE = bigint[], FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_histogram(bigint, float8[]) IS
    'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. edges: a constant, 2 to 1000 in '
    'strictly ascending order; the first may be -Infinity, the last Infinity. What lies beyond them, NULL and NaN are in no cell. x needs no '
    'bounds. Numbers may be negative; only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_histogram(x numeric, edges float8[]) (
    SFUNC = dpmix.outside_query, STYPE = bigint[], FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_histogram(numeric, float8[]) IS
    'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. edges: a constant, 2 to 1000 in '
    'strictly ascending order; the first may be -Infinity, the last Infinity. What lies beyond them, NULL and NaN are in no cell. x needs no '
    'bounds. Numbers may be negative; only in the text of dpmix.query, else PV002';

CREATE FUNCTION dpmix.dp_low(answer bigint[], level float8 = 0.95) RETURNS float8[]
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_high(answer bigint[], level float8 = 0.95) RETURNS float8[]
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.dp_low(bigint[], float8) IS
    'lower ends of the noise intervals of the numbers of dp_histogram, each by itself at the level; only in the text of dpmix.query, else PV002';
COMMENT ON FUNCTION dpmix.dp_high(bigint[], float8) IS
    'upper ends of the noise intervals of the numbers of dp_histogram, each by itself at the level; only in the text of dpmix.query, else PV002';
