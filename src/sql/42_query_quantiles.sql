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
    E'noisy quantile of x, each clamped to its bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096, fewer for many groups; of whole numbers each has its own, if '
    'there are no more). Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does.\n'
    'x: as for dpmix.dp_sum\n'
    'p: a constant from 0 to 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds; PV005 p out of range.\n'
    'See also: docs/guide/query_quantiles.md.';
CREATE AGGREGATE dpmix.dp_quantile(x bigint, p float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_quantile(bigint, float8) IS
    E'noisy quantile of x, each clamped to its bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096, fewer for many groups; of whole numbers each has its own, if '
    'there are no more). Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does.\n'
    'x: as for dpmix.dp_sum\n'
    'p: a constant from 0 to 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds; PV005 p out of range.\n'
    'See also: docs/guide/query_quantiles.md.';
CREATE AGGREGATE dpmix.dp_quantile(x numeric, p float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_quantile(numeric, float8) IS
    E'noisy quantile of x, each clamped to its bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096, fewer for many groups; of whole numbers each has its own, if '
    'there are no more). Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does.\n'
    'x: as for dpmix.dp_sum\n'
    'p: a constant from 0 to 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds; PV005 p out of range.\n'
    'See also: docs/guide/query_quantiles.md.';
CREATE AGGREGATE dpmix.dp_median(x float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_median(float8) IS
    E'noisy median of x: dpmix.dp_quantile of 0.5.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
CREATE AGGREGATE dpmix.dp_median(x bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_median(bigint) IS
    E'noisy median of x: dpmix.dp_quantile of 0.5.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
CREATE AGGREGATE dpmix.dp_median(x numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_median(numeric) IS
    E'noisy median of x: dpmix.dp_quantile of 0.5.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
CREATE AGGREGATE dpmix.dp_histogram(x float8, edges float8[]) (
    SFUNC = dpmix.outside_query, STYPE = bigint[], FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_histogram(float8, float8[]) IS
    E'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. What lies beyond them, '
    'NULL and NaN are in no cell. Numbers may be negative.\n'
    'x: a number; it needs no bounds\n'
    'edges: a constant, 2 to 1000 in strictly ascending order; the first may be -Infinity, the last Infinity\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 edges.\n'
    'See also: docs/guide/query_quantiles.md.';
CREATE AGGREGATE dpmix.dp_histogram(x bigint, edges float8[]) (
    SFUNC = dpmix.outside_query, STYPE = bigint[], FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_histogram(bigint, float8[]) IS
    E'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. What lies beyond them, '
    'NULL and NaN are in no cell. Numbers may be negative.\n'
    'x: a number; it needs no bounds\n'
    'edges: a constant, 2 to 1000 in strictly ascending order; the first may be -Infinity, the last Infinity\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 edges.\n'
    'See also: docs/guide/query_quantiles.md.';
CREATE AGGREGATE dpmix.dp_histogram(x numeric, edges float8[]) (
    SFUNC = dpmix.outside_query, STYPE = bigint[], FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_histogram(numeric, float8[]) IS
    E'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. What lies beyond them, '
    'NULL and NaN are in no cell. Numbers may be negative.\n'
    'x: a number; it needs no bounds\n'
    'edges: a constant, 2 to 1000 in strictly ascending order; the first may be -Infinity, the last Infinity\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 edges.\n'
    'See also: docs/guide/query_quantiles.md.';

CREATE FUNCTION dpmix.dp_low(answer bigint[], level float8 = 0.95) RETURNS float8[]
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_high(answer bigint[], level float8 = 0.95) RETURNS float8[]
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.dp_low(bigint[], float8) IS
    E'lower ends of the noise intervals of the numbers of dpmix.dp_histogram, each by itself at the level.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
COMMENT ON FUNCTION dpmix.dp_high(bigint[], float8) IS
    E'upper ends of the noise intervals of the numbers of dpmix.dp_histogram, each by itself at the level.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
