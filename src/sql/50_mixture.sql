-- Gaussian mixtures: one charged release, then free use of the stored model.

CREATE TYPE dpmix.release_summary AS (
    name         text,
    relation     regclass,
    method       text,
    components   integer,
    dimensions   integer,
    epsilon      float8,
    delta        float8,
    count_stddev float8,
    row_counts   float8[],
    quality      text
);
COMMENT ON TYPE dpmix.release_summary IS
    'what dpmix.release_gmm() made.';
COMMENT ON COLUMN dpmix.release_summary.name IS 'of the model';
COMMENT ON COLUMN dpmix.release_summary.relation IS 'the modelled table';
COMMENT ON COLUMN dpmix.release_summary.method IS 'mechanism that made it, as in dpmix.release_gmm()';
COMMENT ON COLUMN dpmix.release_summary.components IS 'number of components';
COMMENT ON COLUMN dpmix.release_summary.dimensions IS
    'in which components were looked for: those of the features, unless fewer were asked for';
COMMENT ON COLUMN dpmix.release_summary.epsilon IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.release_summary.delta IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.release_summary.count_stddev IS
    'standard deviation of the noise in each component''s number of rows, at most';
COMMENT ON COLUMN dpmix.release_summary.row_counts IS 'noisy rows of each component';
COMMENT ON COLUMN dpmix.release_summary.quality IS
    'which components to distrust, and why: too few rows for a mean, or a covariance that is mostly noise, which moves '
    'its eigenvalues by more than their mean';

CREATE FUNCTION dpmix.release_gmm(name text, relation regclass = NULL, columns name[] = NULL, epsilon float8 = NULL,
                                  delta float8 = NULL, label name = NULL, components integer = NULL,
                                  covariance text = 'auto', objective text = 'balanced', method text = NULL,
                                  dimensions integer = NULL, source text = NULL, blocks text = NULL)
    RETURNS dpmix.release_summary
    AS 'MODULE_PATHNAME', 'dpmix_release_gmm' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.release_gmm(text, regclass, name[], float8, float8, name, integer, text, text, text,
    integer, text, text) IS
    E'stores a private Gaussian mixture of a protected table under a new name. Charges (epsilon, delta) once, before '
    'a row is read; all passes over the rows see one snapshot. A ROLLBACK, an error or a cancel undoes the model, not '
    'the charge. Needs access; what one does with the model is free.\n'
    'name: 1 to 200 characters, not that of another release of the caller''s\n'
    'columns: 1 to 100 with declared bounds, the features. A row in which one of them is missing, or the label none of '
    'its categories, is in no component\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'label: a column with declared categories: one component for each of them. NULL: as many as components says. '
    'Under adjacency label the declared one\n'
    'components: 1 to 100, without a label; NULL: chosen privately\n'
    'covariance: full; diagonal, features independent within a component; shared, one full covariance for all '
    'components; auto or NULL: staged picks one by noisy numbers, for the same charge; other methods take full\n'
    'objective: balanced, or forward_kl, narrower components where noise dominates\n'
    'method: staged or one_shot with a label, em or kmeans without, label_only under adjacency label; NULL: the best '
    'there is\n'
    'dimensions: below the number of features: components are looked for along so many private principal components, '
    'for half of the budget (under adjacency label for nothing). NULL: of all features\n'
    'source: in place of relation, as in dpmix.release_regression(), where each person has one row\n'
    'blocks: of a table with blocks, and only there: a range of the block column''s values as text, such as '
    '''[2026-01-01,2026-02-01)''; a time without a zone is UTC''s. The blocks that it touches are read whole, and '
    'each is charged once. Without a lower end from the first block, without an upper one up to now\n'
    'Errors: PV001 budget; PV002 units that may have several rows; PV003 no bounds or categories, or no blocks; PV004 '
    'ledger; PV005 parameter, or a name that is taken; PV006 not protected, or no access.\n'
    'See also: dpmix.preview, dpmix.releases, docs/guide/mixtures.md, docs/proofs/mixture_projected.md.';

CREATE FUNCTION dpmix.gmm(release text)
    RETURNS TABLE (component integer, label text, weight float8, mean float8[], covariance float8[])
    AS 'MODULE_PATHNAME', 'dpmix_gmm' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.gmm(text) IS
    E'the components of a stored mixture. Free, for its maker, the table''s owner and roles with access to the table.\n'
    'component, label: from 1, in the order of the label''s categories; label is NULL without one\n'
    'weight: weights sum to 1\n'
    'mean, covariance: d numbers, and d x d, in the order and units of the features (dates: days, timestamps: '
    'seconds, both since 2000-01-01)\n'
    'Errors: PV006 no such release, or no access.\n'
    'See also: docs/guide/mixtures.md.';

CREATE FUNCTION dpmix.gmm_kl(a text, b text) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_gmm_kl' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.gmm_kl(text, text) IS
    E'Kullback-Leibler divergence of two stored mixtures, in nats, of a from b. With the same labels: of the laws of '
    'label and features together, in closed form. Else of the laws of the features alone, estimated: '
    'dpmix.gmm_kl_estimate(), which tells the error too. Free.\n'
    'Errors: PV005 features differ; PV006 no such release, or no access.';

CREATE FUNCTION dpmix.drop_release(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'dpmix_drop_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.drop_release(text) IS
    E'forgets a stored model; what it cost stays charged. For its maker, the table''s owner and superusers.\n'
    'Errors: PV006 no such release, or somebody else''s.';

-- Use ---------------------------------------------------------------------------------------------

-- List stored mixtures, evaluate and compare their densities, draw them. All of it is free:
-- post-processing.

CREATE VIEW dpmix_internal.visible_release AS
    SELECT r.*, o.name AS maker_name FROM dpmix.release r
    JOIN dpmix_internal.named_role o ON o.number = r.maker
    WHERE r.id = ANY (ARRAY(
        SELECT m.id FROM dpmix.release m
        WHERE m.maker = ANY (ARRAY(SELECT x.number FROM dpmix_internal.own_number x))
        UNION ALL
        SELECT m.id FROM dpmix.release m
        WHERE m.table_id = ANY (ARRAY(SELECT s.id FROM dpmix_internal.seen_table s
                                      WHERE s.owned OR s.active AND s.held))
        UNION ALL
        SELECT m.id FROM dpmix.release m WHERE dpmix_internal.viewer_is_superuser()));
COMMENT ON VIEW dpmix_internal.visible_release IS 'models that the viewer may use';
CREATE VIEW dpmix_internal.seen_release AS
    SELECT r.name, t.relation, r.kind, r.method, r.maker_name AS maker, r.at, r.epsilon, r.delta, r.adjacency,
           r.features, r.feature_types, r.label, r.labels,
           nullif(pg_catalog.cardinality(r.weights), 0) AS components,
           r.covariance, r.objective, r.dimensions, r.row_counts AS rows_estimated, r.count_stddev, r.quality, r.source
    FROM dpmix_internal.visible_release r
    LEFT JOIN LATERAL (SELECT k.relation FROM dpmix_internal.known_table k WHERE k.id = r.table_id OFFSET 0) t ON true;
COMMENT ON VIEW dpmix_internal.seen_release IS 'dpmix.releases, of the viewer';
CREATE FUNCTION dpmix_internal.releases() RETURNS SETOF dpmix_internal.seen_release
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 100 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.releases() IS 'rows of dpmix.releases';
CREATE VIEW dpmix.releases AS SELECT * FROM dpmix_internal.releases();
COMMENT ON VIEW dpmix.releases IS
    'stored models that the current user may use: its own, and those of tables that it owns or has access to';
COMMENT ON COLUMN dpmix.releases.name IS 'what functions that use the model take; maker.name where several roles have one';
COMMENT ON COLUMN dpmix.releases.relation IS 'the modelled table today; NULL: dropped';
COMMENT ON COLUMN dpmix.releases.kind IS
    'gmm or tree: dpmix.sample(), dpmix.classify(), dpmix.draw() and functions that begin with that; regression: '
    'dpmix.regression(), dpmix.predict(), dpmix.draw(); cube: dpmix.cube(), dpmix.cube_table()';
COMMENT ON COLUMN dpmix.releases.method IS 'mechanism that made it, as in dpmix.release_gmm(); marginals: dpmix.release_tree(); linear, logistic: dpmix.release_regression(); least squares: dpmix.release_cube()';
COMMENT ON COLUMN dpmix.releases.maker IS 'role that made it';
COMMENT ON COLUMN dpmix.releases.at IS 'server''s clock when its name was taken';
COMMENT ON COLUMN dpmix.releases.epsilon IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.releases.delta IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.releases.adjacency IS 'neighbours that the guarantee is about: add_remove, replace or label';
COMMENT ON COLUMN dpmix.releases.features IS 'modelled columns, in the order of means, covariances and points';
COMMENT ON COLUMN dpmix.releases.feature_types IS
    'types of the features'' columns. In the model dates are days, timestamps seconds, both since 2000-01-01, '
    'booleans 0 and 1';
COMMENT ON COLUMN dpmix.releases.label IS 'column whose categories are the components or classes; NULL: none';
COMMENT ON COLUMN dpmix.releases.labels IS 'category of each component or class; NULL without a label';
COMMENT ON COLUMN dpmix.releases.components IS 'number of components; NULL: no mixture';
COMMENT ON COLUMN dpmix.releases.covariance IS
    'shape of the covariances: full, diagonal or shared. What was picked, where auto was asked for';
COMMENT ON COLUMN dpmix.releases.objective IS 'balanced or forward_kl';
COMMENT ON COLUMN dpmix.releases.dimensions IS 'of the space in which components were looked for';
COMMENT ON COLUMN dpmix.releases.rows_estimated IS 'noisy number of rows of each component or class, at least 0';
COMMENT ON COLUMN dpmix.releases.count_stddev IS
    'standard deviation of the noise in rows_estimated; of a tree, in the count of one value of a column';
COMMENT ON COLUMN dpmix.releases.quality IS
    'which components to distrust: too few rows for a mean, or a covariance that is mostly noise';
COMMENT ON COLUMN dpmix.releases.source IS
    'SELECT that made the rows, of which relation is the first table; NULL: they are those of relation';
GRANT SELECT ON dpmix.releases TO PUBLIC;

CREATE FUNCTION dpmix.gmm_log_density(release text, "row" record) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_gmm_log_density' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dpmix.gmm_log_density(text, record) IS
    E'natural logarithm of a stored mixture''s density of the features of a row: SELECT '
    'dpmix.gmm_log_density(''model'', p) FROM patients p. NULL where a feature is NULL or NaN, -Infinity where one is '
    'infinite. The model is loaded once per query. Free.\n'
    'row: any row that has the features\n'
    'Errors: PV005 a release of another kind, a feature that is missing or of another kind; PV006 no such release, or '
    'no access.\n'
    'See also: docs/guide/mixtures.md.';

CREATE FUNCTION dpmix.gmm_posterior(release text, "row" record) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'dpmix_gmm_posterior' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dpmix.gmm_posterior(text, record) IS
    'probability of each component of a stored mixture given the features of a row, in the order of dpmix.gmm(): sums '
    'to 1. NULL where a feature is NULL or NaN, or infinitely far from all components. row and errors as '
    'dpmix.gmm_log_density(). Free.';

CREATE FUNCTION dpmix.gmm_kl_estimate(a text, b text, draws integer = 100000, OUT kl float8, OUT error_bound_95 float8)
    RETURNS record
    AS 'MODULE_PATHNAME', 'dpmix_gmm_kl_estimate' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION dpmix.gmm_kl_estimate(text, text, integer) IS
    E'Kullback-Leibler divergence of two stored mixtures as laws of the features alone, of a from b, whatever their '
    'labels and components: by Monte Carlo, half of the points drawn from each, the same draws every time. Free.\n'
    'draws: 1000 to 10^8\n'
    'kl: in nats\n'
    'error_bound_95: half the width of a 95% interval by the central limit theorem, not proved\n'
    'Errors: PV005 draws out of range, or features differ; PV006 no such release, or no access.';

CREATE FUNCTION dpmix.gmm_marginal(release text, feature name, points integer = 200, at float8[] = NULL)
    RETURNS TABLE (label text, component integer, x float8, density float8)
    AS 'MODULE_PATHNAME', 'dpmix_gmm_marginal' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpmix.gmm_marginal(text, name, integer, float8[]) IS
    E'density of one feature under each component of a stored mixture, times its weight, for plotting. Free.\n'
    'points: 2 to 100000, equally far apart where the components are, within the bounds\n'
    'at: the points themselves instead\n'
    'label, component: as in dpmix.gmm()\n'
    'x: in the units of the feature (dates: days, timestamps: seconds, since 2000-01-01)\n'
    'density: per unit of x\n'
    'Errors: PV005 a value out of range, no such feature; PV006 no such release, or no access.\n'
    'See also: dpmix.draw.';

CREATE FUNCTION dpmix.gmm_correlation(release text)
    RETURNS TABLE (label text, feature name, other name, correlation float8)
    AS 'MODULE_PATHNAME', 'dpmix_gmm_correlation' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpmix.gmm_correlation(text) IS
    E'correlations of the features of a stored mixture, each pair once. Free. They are the model''s: noise in it bends '
    'them, and dpmix.query tells dp_corr() of two columns with an interval.\n'
    'label: of the class; NULL: of all rows together\n'
    'correlation: -1 to 1\n'
    'Errors: PV006 no such release, or no access.\n'
    'See also: dpmix.gmm_regression.';

CREATE FUNCTION dpmix.gmm_regression(release text, target name)
    RETURNS TABLE (label text, term text, estimate float8)
    AS 'MODULE_PATHNAME', 'dpmix_gmm_regression' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpmix.gmm_regression(text, name) IS
    E'the best linear prediction of one feature of a stored mixture by all the others. Free. It has no intervals: '
    'dpmix.release_regression() has.\n'
    'label: of the class; NULL: of all rows together\n'
    'term: (intercept), then the other features in their order\n'
    'estimate: coefficient, in the units of the features (dates: days, timestamps: seconds, since 2000-01-01)\n'
    'Errors: PV005 no such feature; PV006 no such release, or no access.\n'
    'See also: dpmix.gmm_correlation, docs/guide/regressions.md.';
