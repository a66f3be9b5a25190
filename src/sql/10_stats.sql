-- Exact, noise-free, mergeable statistics. Plain sums over rows that the caller may read anyway, so
-- EXECUTE stays with PUBLIC; dpmix.query refuses them on a protected table.

CREATE FUNCTION dpmix.to_float8(numeric) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_to_float8';
COMMENT ON FUNCTION dpmix.to_float8(numeric) IS
    'nearest float8; beyond its range: infinity (the cast raises an error). Never raises';

-- Count and sum on a lattice ----------------------------------------------------------------------

CREATE TYPE dpmix.sum_state;
CREATE FUNCTION dpmix.sum_state_in(cstring) RETURNS dpmix.sum_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_in';
CREATE FUNCTION dpmix.sum_state_out(dpmix.sum_state) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_out';
CREATE FUNCTION dpmix.sum_state_recv(internal) RETURNS dpmix.sum_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_recv';
CREATE FUNCTION dpmix.sum_state_send(dpmix.sum_state) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_send';
CREATE TYPE dpmix.sum_state (
    INPUT = dpmix.sum_state_in, OUTPUT = dpmix.sum_state_out,
    RECEIVE = dpmix.sum_state_recv, SEND = dpmix.sum_state_send,
    INTERNALLENGTH = 64, ALIGNMENT = double, STORAGE = plain
);
COMMENT ON TYPE dpmix.sum_state IS
    'exact count and sum: (count,total,origin,step,low,high); total in steps. Invalid states are refused on input';
COMMENT ON FUNCTION dpmix.sum_state_in(cstring) IS 'text input of dpmix.sum_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.sum_state_out(dpmix.sum_state) IS 'text output, exact of dpmix.sum_state';
COMMENT ON FUNCTION dpmix.sum_state_recv(internal) IS 'binary input of dpmix.sum_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.sum_state_send(dpmix.sum_state) IS 'binary output, exact of dpmix.sum_state';

CREATE FUNCTION dpmix.sum_state_add(state dpmix.sum_state, x float8, origin float8, step float8, low float8, high float8)
    RETURNS dpmix.sum_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_add';  -- skips NULLs itself
COMMENT ON FUNCTION dpmix.sum_state_add(dpmix.sum_state, float8, float8, float8, float8, float8) IS
    'transition function of dpmix.lattice_sum';
CREATE FUNCTION dpmix.sum_state_combine(dpmix.sum_state, dpmix.sum_state) RETURNS dpmix.sum_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_combine';
COMMENT ON FUNCTION dpmix.sum_state_combine(dpmix.sum_state, dpmix.sum_state) IS
    'adds two states of the same lattice. PV005 when lattices differ; an error when a state is corrupt';

CREATE AGGREGATE dpmix.lattice_sum(x float8, origin float8, step float8, low float8, high float8) (
    SFUNC = dpmix.sum_state_add, STYPE = dpmix.sum_state, INITCOND = '(0,0,0,0,0,0)',
    COMBINEFUNC = dpmix.sum_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.lattice_sum(float8, float8, float8, float8, float8) IS
    E'exact count and sum of round((x - origin) / step), clamped to [low, high], equal for any order of rows. NULL and NaN are '
    'missing, infinities are clamped. dpmix.rows and dpmix.total read the state.\n'
    'origin, step, low, high: the lattice, one constant: step > 0, low <= high integers up to 2^53\n'
    'Errors: PV005 an invalid or varying lattice.';

CREATE FUNCTION dpmix.rows(dpmix.sum_state) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_rows';
COMMENT ON FUNCTION dpmix.rows(dpmix.sum_state) IS 'number of values that were not missing';
CREATE FUNCTION dpmix.total(dpmix.sum_state) RETURNS numeric
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_total';
COMMENT ON FUNCTION dpmix.total(dpmix.sum_state) IS 'exact sum, in lattice steps from the origin';

-- Counts, sums and products by class --------------------------------------------------------------

CREATE TYPE dpmix.moment_state;
CREATE FUNCTION dpmix.moment_state_in(cstring) RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_moment_state_in';
CREATE FUNCTION dpmix.moment_state_out(dpmix.moment_state) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_moment_state_out';
CREATE FUNCTION dpmix.moment_state_recv(internal) RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_moment_state_recv';
CREATE FUNCTION dpmix.moment_state_send(dpmix.moment_state) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_moment_state_send';
CREATE TYPE dpmix.moment_state (
    INPUT = dpmix.moment_state_in, OUTPUT = dpmix.moment_state_out,
    RECEIVE = dpmix.moment_state_recv, SEND = dpmix.moment_state_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = extended
);
COMMENT ON TYPE dpmix.moment_state IS
    'exact moments by class: (classes,features,resolution,frame){count|sums|products}..., products as upper triangle row by row. '
    'Invalid states are refused on input';
COMMENT ON FUNCTION dpmix.moment_state_in(cstring) IS 'text input of dpmix.moment_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.moment_state_out(dpmix.moment_state) IS 'text output, exact of dpmix.moment_state';
COMMENT ON FUNCTION dpmix.moment_state_recv(internal) IS 'binary input of dpmix.moment_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.moment_state_send(dpmix.moment_state) IS 'binary output, exact of dpmix.moment_state';

CREATE FUNCTION dpmix.moment_state_add(state dpmix.moment_state, class integer, x float8[], frame float8[])
    RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_moment_state_add';
COMMENT ON FUNCTION dpmix.moment_state_add(dpmix.moment_state, integer, float8[], float8[]) IS
    'transition function of dpmix.class_moments';
CREATE FUNCTION dpmix.moment_state_combine(dpmix.moment_state, dpmix.moment_state) RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_moment_state_combine';
COMMENT ON FUNCTION dpmix.moment_state_combine(dpmix.moment_state, dpmix.moment_state) IS
    'adds two states of the same frame. PV005 when frames differ; an error when a state is corrupt';

CREATE AGGREGATE dpmix.class_moments(class integer, x float8[], frame float8[]) (
    SFUNC = dpmix.moment_state_add, STYPE = dpmix.moment_state, INITCOND = '()',
    COMBINEFUNC = dpmix.moment_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.class_moments(integer, float8[], float8[]) IS
    E'exact count, sum and products, for each class 0..K-1, of the rows seen from a public frame: clamped to its box, whitened, '
    'clipped to its radius, rounded toward zero to 1/resolution of it. A row with a NULL, a NaN or another class contributes nothing. '
    'dpmix.rows reads the counts.\n'
    'x: d numbers, under version 2 m\n'
    'frame: version 1, K, d, diagonal 0|1, resolution (to 2^20), lower[d], upper[d], then per class radius, centre[d], map (d*d row '
    'by row, or d when diagonal). Version 2 looks at rows of m >= d elements through a projection: after resolution come m, lower[m], '
    'upper[m], centre[m], map[d*m], and the rest sees map (x - centre), x clamped to that box\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';

CREATE FUNCTION dpmix.rows(dpmix.moment_state) RETURNS bigint[]
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_moment_state_rows';
COMMENT ON FUNCTION dpmix.rows(dpmix.moment_state) IS 'rows counted in each class; empty when there was no row at all';
