-- 0.3.0 to 0.4.0. After it a database has the very objects that CREATE EXTENSION makes
-- (test/server/install/upgrade.test.sh).

COMMENT ON AGGREGATE dpmix.class_moments(integer, float8[], float8[]) IS
    'exact count, sum and products, for each class 0..K-1, of the rows seen from a public frame: clamped to its box, whitened, '
    'clipped to its radius, rounded toward zero to 1/resolution of it. frame = version 1, K, d, diagonal 0|1, resolution (to 2^20), '
    'lower[d], upper[d], then per class radius, centre[d], map (d*d row by row, or d when diagonal). Version 2 looks at rows of '
    'm >= d elements through a projection: after resolution come m, lower[m], upper[m], centre[m], map[d*m], and the rest sees '
    'map (x - centre), x clamped to that box. A row with a NULL, a NaN or another class contributes nothing. PV005: invalid or '
    'varying frame, or an x that has not d (version 2: m) elements';

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
    'exact number of rows, for each class 0..K-1, by distance from the class''s centre, as seen from a public frame. frame = that of '
    'dpmix.class_moments, then 1 to 1000 ascending edges: squared distances in steps of 1/resolution of the radius, whole numbers. Bin i of '
    'edges + 1 holds the rows above edge i-1, up to edge i. A row with a NULL, a NaN or another class is not counted. PV005: invalid or '
    'varying frame, or an x that has not d elements';

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
    'a sample of the distinct rows, as placed by the first class of a public frame: those of the least hash, each with its exact number of '
    'rows; the same for any order of rows. frame = that of dpmix.class_moments, then limit (1 to 65536, at most 2^20 / d) and salt (an '
    'integer to 2^53). A row with a NULL or a NaN is not counted. PV005: invalid or varying frame, or an x that has not d elements';

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
    'exact number of rows, for each class 0..K-1, by the component of a public mixture to which they most likely belong. frame = that of '
    'dpmix.class_moments with a class for each component, then 0 | 1 (ignored), a log weight and a tightness for each component (log density = '
    'log weight - tightness |map (x - centre)|^2 / 2), then K (1 to 1000). A row with a NULL, a NaN or another class is not counted. PV005: '
    'invalid or varying frame, or an x that has not d elements';

-- Exact, noise-free statistics of unlabelled rows, as seen from a mixture. As in 10_stats.sql: plain
-- sums over rows that the caller may read anyway.

-- By component ------------------------------------------------------------------------------------

CREATE FUNCTION dpmix.soft_moments_add(state dpmix.moment_state, x float8[], frame float8[])
    RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_soft_moments_add';
COMMENT ON FUNCTION dpmix.soft_moments_add(dpmix.moment_state, float8[], float8[]) IS
    'transition function of dpmix.soft_moments';

CREATE AGGREGATE dpmix.soft_moments(x float8[], frame float8[]) (
    SFUNC = dpmix.soft_moments_add, STYPE = dpmix.moment_state, INITCOND = '()',
    COMBINEFUNC = dpmix.moment_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.soft_moments(float8[], float8[]) IS
    'exact count, sum and products, for each component 0..K-1 of a public mixture, of rows as dpmix.class_moments places them, each '
    'counted by its share in the component: a whole number from 0 to 2^20, all of a row''s together at most 2^20. frame = that of '
    'dpmix.class_moments with a class for each component, then: hard 0|1, log weight[K], tightness[K], and nothing more or a second frame '
    'of as many classes and features, which densities are seen from instead of the first. Shares are proportional to exp(log weight - '
    'tightness / 2 * |map (x - centre)|^2), rounded down; hard: all to the largest, the first of equals. A row with a NULL or a NaN '
    'contributes nothing. PV005: invalid or varying frame, or an x that has not d elements';

-- By cell -----------------------------------------------------------------------------------------

CREATE FUNCTION dpmix.cells_add(state dpmix.count_state, x float8[], frame float8[]) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_cells_add';
COMMENT ON FUNCTION dpmix.cells_add(dpmix.count_state, float8[], float8[]) IS
    'transition function of dpmix.cells';

CREATE AGGREGATE dpmix.cells(x float8[], frame float8[]) (
    SFUNC = dpmix.cells_add, STYPE = dpmix.count_state, INITCOND = '()',
    COMBINEFUNC = dpmix.count_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.cells(float8[], float8[]) IS
    'exact number of rows by cell of a grid, for each of V views. frame = that of dpmix.class_moments with a class for each view, then: '
    'axes (1..d), side (at least 1; V * side^axes at most 2^20). The first `axes` coordinates of a placed row, from -radius to radius, are '
    'cut into `side` parts each; the first coordinate counts slowest. A row is in one cell of every view; one with a NULL or a NaN is '
    'not counted. PV005: invalid or varying frame, or an x that has not d elements';

-- What a scan makes of each row of a model: a class number and one array. Nothing here can raise on
-- a value.

CREATE FUNCTION dpmix.class_number(categories anyarray, value anyelement) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_number';
COMMENT ON FUNCTION dpmix.class_number(anyarray, anyelement) IS
    'position of value in the array, counted from 0, the first of equal ones; NULL when it is not there or NULL. Takes as long for a '
    'thousand categories as for ten. PV005: a type without a hash function';

CREATE FUNCTION dpmix.row_vector(VARIADIC features "any") RETURNS float8[]
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_row_vector';
COMMENT ON FUNCTION dpmix.row_vector("any") IS
    '1 to 100 float8 values as an array, several times faster than ARRAY[...]; NULL when one of them is NULL. PV005: an argument of another type';

-- What is known of a release besides its numbers; NULL of older ones.
ALTER TABLE dpmix.release
    ADD COLUMN feature_types regtype[],
    ADD COLUMN adjacency     text,
    ADD COLUMN covariance    text,
    ADD COLUMN objective     text,
    ADD COLUMN dimensions    integer,
    ADD COLUMN count_stddev  float8,
    ADD COLUMN quality       text;

COMMENT ON FUNCTION dpmix.release_gmm(text, regclass, name[], float8, float8, name, integer, text, text, text, integer) IS
    'stores a private Gaussian mixture under a new name (1 to 200 characters), over 1 to 100 features with declared bounds: one component '
    'for each declared category of label, or, label NULL, as many as components says (1 to 100; NULL: chosen privately). Charges (epsilon, '
    'delta), 1e-6 <= epsilon <= 1e7, 0 < delta <= .5; a ROLLBACK undoes the model, not the charge. covariance: full or diagonal; objective: '
    'balanced or forward_kl (narrower components where noise dominates). method: NULL is the best there is; with a label staged (several '
    'passes, each looks where the ones before found the classes) or one_shot (one pass); without em or kmeans; under adjacency label '
    'label_only, and label must be the declared one. dimensions: of the space in which components are looked for; NULL: all. PV001 budget, '
    'PV003 no bounds or categories, PV004 ledger, PV005 parameter, PV006 no access';
COMMENT ON FUNCTION dpmix.preview_gmm(text, regclass, name[], float8, float8, name, integer, text, text, text, integer) IS
    'what dpmix.release_gmm would charge and add as noise, for the same arguments; free, reads no row, stores nothing, needs access. '
    'mu: all its passes together are mu-GDP; count_stddev: of the noise in each component''s number of rows, at most; the rest as in '
    'dpmix.preview. Errors as dpmix.release_gmm';
COMMENT ON FUNCTION dpmix.gmm(text) IS
    'the components of a stored mixture, in the order of the label''s categories (label: NULL without one): weights sum to 1, means and '
    'covariances (d x d) are in the features'' units (dates: days, timestamps: seconds, both since 2000-01-01). Free. PV005 no such '
    'release, PV006 no access';
COMMENT ON FUNCTION dpmix.gmm_sample(anyelement, text, bigint) IS
    'rows (1 to 10^9) drawn from a stored mixture, as rows of the table in NULL::table: features clamped to their bounds and rounded to '
    'the column''s type, the label where the row type has its column, NULL elsewhere. A feature goes into any column of its kind: numbers '
    'into numbers, dates and timestamps (in UTC) into either, booleans into booleans. Free. PV005 when a feature''s column is missing or '
    'cannot hold the values, PV006 no access';
COMMENT ON FUNCTION dpmix.gmm_kl(text, text) IS
    'Kullback-Leibler divergence of two stored mixtures, in nats, of a from b. With the same labels: of the laws of (label, features), in '
    'closed form. Else of the laws of the features alone, estimated: dpmix.gmm_kl_estimate, which tells the error too. Free. PV005 when '
    'features differ, PV006 no access';

-- What one does with stored mixtures: list them, evaluate and compare their densities, draw them.
-- All of it is free: post-processing.

CREATE VIEW dpmix.releases WITH (security_barrier) AS
    SELECT r.name, t.relation, r.kind, r.method, r.maker, r.at, r.epsilon, r.delta, r.adjacency,
           r.features, r.feature_types, r.label, r.labels, pg_catalog.cardinality(r.weights) AS components,
           r.covariance, r.objective, r.dimensions, r.row_counts AS rows_estimated, r.count_stddev, r.quality
    FROM dpmix.release r
    LEFT JOIN dpmix.known_table t ON t.id = r.table_id
    LEFT JOIN pg_catalog.pg_roles m ON m.oid = r.maker_oid AND m.rolname = r.maker
    WHERE t.owned
       OR pg_catalog.pg_has_role(m.oid, 'USAGE')
       OR (t.active AND EXISTS (SELECT FROM dpmix.known_grant g WHERE g.table_id = t.id AND g.held))
       OR (SELECT u.rolsuper FROM pg_catalog.pg_roles u WHERE u.rolname = current_user);
COMMENT ON VIEW dpmix.releases IS
    'stored models that the current user may use: its own, and those of tables that it owns or has access to. What is NULL was not '
    'recorded before 0.4.0';
COMMENT ON COLUMN dpmix.releases.name IS 'what dpmix.gmm() and the other functions take';
COMMENT ON COLUMN dpmix.releases.relation IS 'the modelled table today; NULL: dropped';
COMMENT ON COLUMN dpmix.releases.kind IS 'gmm';
COMMENT ON COLUMN dpmix.releases.method IS 'mechanism that made it, as in dpmix.release_gmm';
COMMENT ON COLUMN dpmix.releases.maker IS 'role that made it';
COMMENT ON COLUMN dpmix.releases.at IS 'server''s clock when its name was taken';
COMMENT ON COLUMN dpmix.releases.epsilon IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.releases.delta IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.releases.adjacency IS 'neighbours that the guarantee is about: add_remove, replace or label';
COMMENT ON COLUMN dpmix.releases.features IS 'modelled columns, in the order of means, covariances and points';
COMMENT ON COLUMN dpmix.releases.feature_types IS
    'types of the features'' columns. In the model dates are days, timestamps seconds, both since 2000-01-01, booleans 0 and 1';
COMMENT ON COLUMN dpmix.releases.label IS 'column whose categories are the components; NULL: the mixture has no label';
COMMENT ON COLUMN dpmix.releases.labels IS 'category of each component; NULL without a label';
COMMENT ON COLUMN dpmix.releases.components IS 'number of components';
COMMENT ON COLUMN dpmix.releases.covariance IS 'full or diagonal';
COMMENT ON COLUMN dpmix.releases.objective IS 'balanced or forward_kl';
COMMENT ON COLUMN dpmix.releases.dimensions IS 'of the space in which components were looked for';
COMMENT ON COLUMN dpmix.releases.rows_estimated IS 'noisy number of rows of each component, at least 0';
COMMENT ON COLUMN dpmix.releases.count_stddev IS 'standard deviation of the noise in rows_estimated';
COMMENT ON COLUMN dpmix.releases.quality IS
    'which components to distrust: too few rows for a mean, or to carry a covariance';
GRANT SELECT ON dpmix.releases TO PUBLIC;

CREATE FUNCTION dpmix.gmm_log_density(release text, x float8[]) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_gmm_log_density' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dpmix.gmm_log_density(text, float8[]) IS
    'natural logarithm of a stored mixture''s density of the features at x, one number for each feature in their order and units (dates: '
    'days, timestamps: seconds, since 2000-01-01; dpmix.to_float8 converts). NULL when x holds a NULL or NaN, -Infinity at an infinite x. '
    'Loaded once per query. Free. PV005 no such release or another length of x, PV006 no access';

CREATE FUNCTION dpmix.gmm_posterior(release text, x float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'dpmix_gmm_posterior' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dpmix.gmm_posterior(text, float8[]) IS
    'probability of each component of a stored mixture given the features x, in the order of dpmix.gmm: sums to 1. NULL when x holds a NULL '
    'or NaN, or is infinitely far from all components. x, cost and errors as dpmix.gmm_log_density';

CREATE FUNCTION dpmix.gmm_classify(release text, x float8[]) RETURNS text
    AS 'MODULE_PATHNAME', 'dpmix_gmm_classify' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dpmix.gmm_classify(text, float8[]) IS
    'label of the component of a stored mixture that is most likely given the features x, or its number where there are no labels. NULL '
    'where dpmix.gmm_posterior is. x, cost and errors as dpmix.gmm_log_density';

CREATE FUNCTION dpmix.gmm_kl_estimate(a text, b text, draws integer = 100000, OUT kl float8, OUT error_bound_95 float8)
    RETURNS record
    AS 'MODULE_PATHNAME', 'dpmix_gmm_kl_estimate' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION dpmix.gmm_kl_estimate(text, text, integer) IS
    'Kullback-Leibler divergence of two stored mixtures as laws of the features alone, in nats, of a from b, whatever their labels and '
    'components: by Monte Carlo from draws (1000 to 10^8) points, half of them from each. error_bound_95: half the width of a 95% interval by the '
    'central limit theorem (not proved). The same draws every time. Free. PV005 when features differ, PV006 no access';

CREATE FUNCTION dpmix.gmm_marginal(release text, feature name, points integer = 200, at float8[] = NULL)
    RETURNS TABLE (label text, component integer, x float8, density float8)
    AS 'MODULE_PATHNAME', 'dpmix_gmm_marginal' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpmix.gmm_marginal(text, name, integer, float8[]) IS
    'density of one feature under each component of a stored mixture, times its weight, for plotting: at so many points (2 to 100000), '
    'equally far apart where the components are, within the bounds, or at the numbers in `at`. Units of the feature (dates: days, '
    'timestamps: seconds, since 2000-01-01). label is NULL without one. Free. PV005 parameter, PV006 no access';

CREATE FUNCTION dpmix.gmm_svg(release text, feature name) RETURNS text
    AS 'MODULE_PATHNAME', 'dpmix_gmm_svg' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpmix.gmm_svg(text, name) IS
    'picture of what dpmix.gmm_marginal tells: a curve for each component (the 20 heaviest), all together in grey, dates as dates. A '
    'standalone SVG document in ASCII. A component too narrow for the scale of the others is cut off at the top, and a note says so. Free. '
    'PV005 no such release or feature, PV006 no access';

-- The published mixture mechanism and its baselines: for comparison, not for release.

CREATE FUNCTION dpmix.gmm_published(relation regclass, features name[], epsilon float8, delta float8, label name,
                                    method text = 'published', clip float8 = NULL)
    RETURNS TABLE (component integer, label text, weight float8, mean float8[], covariance float8[], private boolean, note text)
    AS 'MODULE_PATHNAME', 'dpmix_gmm_published' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.gmm_published(regclass, name[], float8, float8, name, text, float8) IS
    'for comparison only, NOT PRIVATE unless private says so, never charged, never stored: one draw of the published mixture mechanism '
    '(Liu, Scaglione, Peisert, Algorithm 1) or of what it is compared with. method: published; record (its variant for one row''s '
    'features, of norm at most clip, in the features'' units); iid_laplace, iid_gaussian (private for one row more or less); '
    'coloured_gaussian, r1smg. The table''s owner or a superuser, a protected table with bounds and categories, at most 100000 complete '
    'rows; rows with a missing feature or label are skipped. 1e-6 <= epsilon <= 1e7, 0 < delta <= .5. PV003 no bounds or categories, '
    'PV005 parameter, too many rows, or a class with too few or constant ones, PV006 not protected, 42501 not the owner';
