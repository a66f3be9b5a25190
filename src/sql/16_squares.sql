-- Exact statistics behind variances and counts of distinct categories. Noise-free, over rows that the
-- caller may read anyway: EXECUTE stays with PUBLIC.

CREATE TYPE dpmix.squares_state;
CREATE FUNCTION dpmix.squares_state_in(cstring) RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_in';
CREATE FUNCTION dpmix.squares_state_out(dpmix.squares_state) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_out';
CREATE FUNCTION dpmix.squares_state_recv(internal) RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_recv';
CREATE FUNCTION dpmix.squares_state_send(dpmix.squares_state) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_send';
CREATE TYPE dpmix.squares_state (
    INPUT = dpmix.squares_state_in, OUTPUT = dpmix.squares_state_out,
    RECEIVE = dpmix.squares_state_recv, SEND = dpmix.squares_state_send,
    INTERNALLENGTH = 88, ALIGNMENT = double, STORAGE = plain
);
COMMENT ON TYPE dpmix.squares_state IS
    'exact count, sum and sum of squares: (squares,count,total,origin,step,low,high), low = -high; total in steps, squares in steps of '
    'their own lattice. Invalid states are refused on input';
COMMENT ON FUNCTION dpmix.squares_state_in(cstring) IS 'text input of dpmix.squares_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.squares_state_out(dpmix.squares_state) IS 'text output, exact of dpmix.squares_state';
COMMENT ON FUNCTION dpmix.squares_state_recv(internal) IS 'binary input of dpmix.squares_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.squares_state_send(dpmix.squares_state) IS 'binary output, exact of dpmix.squares_state';

CREATE FUNCTION dpmix.squares_state_add(state dpmix.squares_state, x float8, origin float8, step float8, low float8, high float8)
    RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_add';  -- skips NULLs itself
COMMENT ON FUNCTION dpmix.squares_state_add(dpmix.squares_state, float8, float8, float8, float8, float8) IS
    'transition function of dpmix.lattice_squares';
CREATE FUNCTION dpmix.squares_state_combine(dpmix.squares_state, dpmix.squares_state) RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_combine';
COMMENT ON FUNCTION dpmix.squares_state_combine(dpmix.squares_state, dpmix.squares_state) IS
    'adds two states of the same lattice. PV005 when lattices differ; an error when a state is corrupt';

CREATE AGGREGATE dpmix.lattice_squares(x float8, origin float8, step float8, low float8, high float8) (
    SFUNC = dpmix.squares_state_add, STYPE = dpmix.squares_state, INITCOND = '(0,0,0,0,0,0,0)',
    COMBINEFUNC = dpmix.squares_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.lattice_squares(float8, float8, float8, float8, float8) IS
    E'exact count and sum of k = round((x - origin) / step), clamped to [low, high], and sum of 2 k^2 - high^2, divided by the least '
    'power of two that leaves at most 2^30, each rounded to an integer; equal for any order of rows. NULL and NaN are missing, '
    'infinities are clamped. dpmix.rows, dpmix.total and dpmix.squares read the state.\n'
    'origin, step, low, high: the lattice, one constant: step > 0, low = -high, integers up to 2^53\n'
    'Errors: PV005 an invalid or varying lattice.';

CREATE FUNCTION dpmix.rows(dpmix.squares_state) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_rows';
COMMENT ON FUNCTION dpmix.rows(dpmix.squares_state) IS 'number of values that were not missing';
CREATE FUNCTION dpmix.total(dpmix.squares_state) RETURNS numeric
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_total';
COMMENT ON FUNCTION dpmix.total(dpmix.squares_state) IS 'exact sum, in lattice steps from the origin';
CREATE FUNCTION dpmix.squares(dpmix.squares_state) RETURNS numeric
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_squares';
COMMENT ON FUNCTION dpmix.squares(dpmix.squares_state) IS
    'exact sum of squares, in steps of their lattice above the half of the largest square';

-- Which categories occur --------------------------------------------------------------------------

CREATE FUNCTION dpmix.numbers_seen_add(seen bytea, number integer, size integer) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_numbers_seen_add';
COMMENT ON FUNCTION dpmix.numbers_seen_add(bytea, integer, integer) IS 'transition function of dpmix.numbers_seen';
CREATE FUNCTION dpmix.numbers_seen_combine(bytea, bytea) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_numbers_seen_combine';
COMMENT ON FUNCTION dpmix.numbers_seen_combine(bytea, bytea) IS 'union of two sets of dpmix.numbers_seen';

CREATE AGGREGATE dpmix.numbers_seen(number integer, size integer) (
    SFUNC = dpmix.numbers_seen_add, STYPE = bytea, INITCOND = '',
    COMBINEFUNC = dpmix.numbers_seen_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.numbers_seen(integer, integer) IS
    E'which of the numbers 0 .. size - 1 occur, one bit for each; bit_count() of it is how many. NULL and other numbers are missing. '
    'Equal for any order of rows, but for zero bytes at the end.\n'
    'size: 1 to 2^24\n'
    'Errors: PV005 size out of range.';
