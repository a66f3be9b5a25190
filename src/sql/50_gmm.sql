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
    'which components to distrust, and why: too few rows for a mean, or to carry a covariance (at epsilon 1 under about a hundred)';

CREATE FUNCTION dpmix.release_gmm(name text, relation regclass, features name[], epsilon float8, delta float8,
                                  label name = NULL, components integer = NULL, covariance text = 'full',
                                  objective text = 'balanced', method text = NULL, dimensions integer = NULL)
    RETURNS dpmix.release_summary
    AS 'MODULE_PATHNAME', 'dpmix_release_gmm' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.release_gmm(text, regclass, name[], float8, float8, name, integer, text, text, text, integer) IS
    E'stores a private Gaussian mixture of a protected table under a new name. Charges (epsilon, delta) once, before a row is read; '
    'all passes over the rows see one snapshot. A ROLLBACK, an error or a cancel undoes the model, not the charge. Needs access; what '
    'one does with the model is free.\n'
    'name: 1 to 200 characters. One that ends as a schedule''s releases do ( 2026-12-01 02:00:00+01) is for the owner of the schedule that '
    'it begins with\n'
    'features: 1 to 100 columns with declared bounds. A row in which one of them is missing, or the label none of its categories, is '
    'in no component\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'label: a column with declared categories: one component for each of them. NULL: as many as components says. Under adjacency '
    'label the declared one\n'
    'components: 1 to 100, without a label; NULL: chosen privately\n'
    'covariance: full or diagonal\n'
    'objective: balanced, or forward_kl, narrower components where noise dominates\n'
    'method: staged or one_shot with a label, em or kmeans without, label_only under adjacency label; NULL: the best there is\n'
    'dimensions: below the number of features: components are looked for along so many private principal components, for half of the '
    'budget (under adjacency label for nothing). NULL: of all features\n'
    'Errors: PV001 budget; PV002 units that may have several rows; PV003 no bounds or categories; PV004 ledger; PV005 parameter, or a '
    'name that is taken; PV006 not protected, or no access.\n'
    'See also: dpmix.preview_gmm, dpmix.releases, docs/guide/mixtures.md, docs/proofs/mixture_projected.md.';

CREATE FUNCTION dpmix.preview_gmm(name text, relation regclass, features name[], epsilon float8, delta float8,
                                  label name = NULL, components integer = NULL, covariance text = 'full',
                                  objective text = 'balanced', method text = NULL, dimensions integer = NULL)
    RETURNS TABLE (mechanism text, epsilon float8, delta float8, mu float8, count_stddev float8,
                   charge_cost float8, charge_delta float8, charge_share float8, calls_left bigint)
    AS 'MODULE_PATHNAME', 'dpmix_preview_gmm' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.preview_gmm(text, regclass, name[], float8, float8, name, integer, text, text, text, integer) IS
    E'what dpmix.release_gmm() would charge and add as noise, for the same arguments. One row; free; reads no row of the table, stores '
    'nothing, needs access.\n'
    'mechanism: family of the noise\n'
    'epsilon, delta: what would be charged\n'
    'mu: all its passes together are mu-GDP\n'
    'count_stddev: of the noise in each component''s number of rows, at most\n'
    'charge_cost, charge_delta, charge_share, calls_left: as in dpmix.preview()\n'
    'Errors: as dpmix.release_gmm().';

CREATE FUNCTION dpmix.gmm(release text)
    RETURNS TABLE (component integer, label text, weight float8, mean float8[], covariance float8[])
    AS 'MODULE_PATHNAME', 'dpmix_gmm' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.gmm(text) IS
    E'the components of a stored mixture. Free, for its maker, the table''s owner and roles with access to the table.\n'
    'component, label: from 1, in the order of the label''s categories; label is NULL without one\n'
    'weight: weights sum to 1\n'
    'mean, covariance: d numbers, and d x d, in the order and units of the features (dates: days, timestamps: seconds, both since '
    '2000-01-01)\n'
    'Errors: PV005 no such release; PV006 no access.\n'
    'See also: docs/guide/mixtures.md.';

CREATE FUNCTION dpmix.gmm_sample(row_type anyelement, release text, rows bigint) RETURNS SETOF anyelement
    AS 'MODULE_PATHNAME', 'dpmix_gmm_sample' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION dpmix.gmm_sample(anyelement, text, bigint) IS
    E'rows drawn from a stored mixture, as rows of the table in row_type: SELECT * FROM dpmix.gmm_sample(NULL::patients, ''model'', '
    '20000). Features are clamped to their bounds and rounded to the column''s type. Free.\n'
    'row_type: NULL of any row type that has the features'' columns. A feature goes into a column of its kind: numbers into numbers, '
    'dates and timestamps (in UTC) into either, booleans into booleans. The label is left out where the row type has no column for '
    'it; other columns are NULL\n'
    'rows: 1 to 10^9\n'
    'Errors: PV005 no such release, or a feature''s column is missing or cannot hold the values; PV006 no access.\n'
    'See also: docs/guide/mixtures.md.';

CREATE FUNCTION dpmix.gmm_kl(a text, b text) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_gmm_kl' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.gmm_kl(text, text) IS
    E'Kullback-Leibler divergence of two stored mixtures, in nats, of a from b. With the same labels: of the laws of label and '
    'features together, in closed form. Else of the laws of the features alone, estimated: dpmix.gmm_kl_estimate(), which tells the '
    'error too. Free.\n'
    'Errors: PV005 no such release, or features differ; PV006 no access.';

CREATE FUNCTION dpmix.drop_release(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'dpmix_drop_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.drop_release(text) IS
    E'forgets a stored model; what it cost stays charged. For its maker, the table''s owner and superusers.\n'
    'Errors: PV005 no such release; PV006 somebody else''s.';
