-- Exact, noise-free, mergeable counts of rows by class and bin. As in 10_stats.sql: plain sums over
-- rows that the caller may read anyway.

CREATE TYPE dpmix.count_state;
CREATE FUNCTION dpmix.count_state_in(cstring) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_count_state_in';
CREATE FUNCTION dpmix.count_state_out(dpmix.count_state) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_count_state_out';
CREATE FUNCTION dpmix.count_state_recv(internal) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_count_state_recv';
CREATE FUNCTION dpmix.count_state_send(dpmix.count_state) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_count_state_send';
CREATE TYPE dpmix.count_state (
    INPUT = dpmix.count_state_in, OUTPUT = dpmix.count_state_out,
    RECEIVE = dpmix.count_state_recv, SEND = dpmix.count_state_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = extended
);
COMMENT ON TYPE dpmix.count_state IS
    'exact counts of rows by class and bin: (classes,bins,frame){counts}, class by class; at most 2^20 of them. Invalid states are '
    'refused on input';
COMMENT ON FUNCTION dpmix.count_state_in(cstring) IS 'text input of dpmix.count_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.count_state_out(dpmix.count_state) IS 'text output, exact of dpmix.count_state';
COMMENT ON FUNCTION dpmix.count_state_recv(internal) IS 'binary input of dpmix.count_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.count_state_send(dpmix.count_state) IS 'binary output, exact of dpmix.count_state';

CREATE FUNCTION dpmix.count_state_combine(dpmix.count_state, dpmix.count_state) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_count_state_combine';
COMMENT ON FUNCTION dpmix.count_state_combine(dpmix.count_state, dpmix.count_state) IS
    'adds two states of the same frame. PV005 when frames differ; an error when a state is corrupt';
CREATE FUNCTION dpmix.rows(dpmix.count_state) RETURNS bigint[]
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_count_state_rows';
COMMENT ON FUNCTION dpmix.rows(dpmix.count_state) IS
    'rows counted in each bin of each class (classes x bins); empty when there was no row at all';

-- By distance -------------------------------------------------------------------------------------

CREATE FUNCTION dpmix.class_distances_add(state dpmix.count_state, class integer, x float8[], frame float8[])
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_distances_add';
COMMENT ON FUNCTION dpmix.class_distances_add(dpmix.count_state, integer, float8[], float8[]) IS
    'transition function of dpmix.class_distances';

CREATE AGGREGATE dpmix.class_distances(class integer, x float8[], frame float8[]) (
    SFUNC = dpmix.class_distances_add, STYPE = dpmix.count_state, INITCOND = '()',
    COMBINEFUNC = dpmix.count_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.class_distances(integer, float8[], float8[]) IS
    E'exact number of rows, for each class 0..K-1, by distance from the class''s centre, as seen from a public frame. Bin i of edges + '
    '1 holds the rows above edge i-1, up to edge i. A row with a NULL, a NaN or another class is not counted.\n'
    'frame: that of dpmix.class_moments, then 1 to 1000 ascending edges: squared distances in steps of 1/resolution of the radius, '
    'whole numbers\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';
