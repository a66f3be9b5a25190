-- What mixtures are fitted with where labels alone are private: a sample of the features, and rows
-- by class and cluster. As in 10_stats.sql: exact, noise-free, mergeable, of rows that the caller
-- may read anyway.

CREATE TYPE dpmix.sample_state;
CREATE FUNCTION dpmix.sample_state_in(cstring) RETURNS dpmix.sample_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sample_state_in';
CREATE FUNCTION dpmix.sample_state_out(dpmix.sample_state) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sample_state_out';
CREATE FUNCTION dpmix.sample_state_recv(internal) RETURNS dpmix.sample_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sample_state_recv';
CREATE FUNCTION dpmix.sample_state_send(dpmix.sample_state) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sample_state_send';
CREATE TYPE dpmix.sample_state (
    INPUT = dpmix.sample_state_in, OUTPUT = dpmix.sample_state_out,
    RECEIVE = dpmix.sample_state_recv, SEND = dpmix.sample_state_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = extended
);
COMMENT ON TYPE dpmix.sample_state IS
    'distinct placed rows of the least hash: (features,limit,resolution,frame,salt,threshold){count|q...}..., by hash. Invalid states '
    'are refused on input';
COMMENT ON FUNCTION dpmix.sample_state_in(cstring) IS 'text input of dpmix.sample_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.sample_state_out(dpmix.sample_state) IS 'text output, exact of dpmix.sample_state';
COMMENT ON FUNCTION dpmix.sample_state_recv(internal) IS 'binary input of dpmix.sample_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.sample_state_send(dpmix.sample_state) IS 'binary output, exact of dpmix.sample_state';

CREATE FUNCTION dpmix.sample_state_combine(dpmix.sample_state, dpmix.sample_state) RETURNS dpmix.sample_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sample_state_combine';
COMMENT ON FUNCTION dpmix.sample_state_combine(dpmix.sample_state, dpmix.sample_state) IS
    'joins two states of the same frame. PV005 when frames differ; an error when a state is corrupt';
CREATE FUNCTION dpmix.feature_sample_add(state dpmix.sample_state, x float8[], frame float8[])
    RETURNS dpmix.sample_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_feature_sample_add';
COMMENT ON FUNCTION dpmix.feature_sample_add(dpmix.sample_state, float8[], float8[]) IS
    'transition function of dpmix.feature_sample';

CREATE AGGREGATE dpmix.feature_sample(x float8[], frame float8[]) (
    SFUNC = dpmix.feature_sample_add, STYPE = dpmix.sample_state, INITCOND = '()',
    COMBINEFUNC = dpmix.sample_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.feature_sample(float8[], float8[]) IS
    E'a sample of the distinct rows, as placed by the first class of a public frame: those of the least hash, each with its exact '
    'number of rows; the same for any order of rows. A row with a NULL or a NaN is not counted.\n'
    'frame: that of dpmix.class_moments, then limit (1 to 65536, at most 2^20 / d) and salt (an integer to 2^53)\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';

-- By cluster --------------------------------------------------------------------------------------

CREATE FUNCTION dpmix.class_clusters_add(state dpmix.count_state, class integer, x float8[], frame float8[])
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_clusters_add';
COMMENT ON FUNCTION dpmix.class_clusters_add(dpmix.count_state, integer, float8[], float8[]) IS
    'transition function of dpmix.class_clusters';

CREATE AGGREGATE dpmix.class_clusters(class integer, x float8[], frame float8[]) (
    SFUNC = dpmix.class_clusters_add, STYPE = dpmix.count_state, INITCOND = '()',
    COMBINEFUNC = dpmix.count_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.class_clusters(integer, float8[], float8[]) IS
    E'exact number of rows, for each class 0..K-1, by the component of a public mixture to which they most likely belong. A row with a '
    'NULL, a NaN or another class is not counted.\n'
    'frame: that of dpmix.class_moments with a class for each component, then 0 | 1 (ignored), a log weight and a tightness for each '
    'component (log density = log weight - tightness |map (x - centre)|^2 / 2), then K (1 to 1000)\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';
