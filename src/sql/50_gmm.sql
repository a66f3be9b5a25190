-- Gaussian mixtures: one charged release, then free use of the stored model.

CREATE TYPE dpmix.release_summary AS (
    name         text,
    relation     regclass,
    method       text,
    components   integer,
    dimensions   integer,     -- in which components were looked for: those of the features, unless fewer were asked for
    epsilon      float8,
    delta        float8,
    count_stddev float8,      -- of the noise in each component's number of rows, at most
    row_counts   float8[],    -- noisy rows of each component
    quality      text         -- which components to distrust, and why
);
COMMENT ON TYPE dpmix.release_summary IS
    'what a release made: method, size, guarantee, standard deviation of the noise in a row count, noisy row counts, quality note';

CREATE FUNCTION dpmix.release_gmm(name text, relation regclass, features name[], epsilon float8, delta float8,
                                  label name = NULL, components integer = NULL, covariance text = 'full',
                                  objective text = 'balanced', method text = NULL, dimensions integer = NULL)
    RETURNS dpmix.release_summary
    AS 'MODULE_PATHNAME', 'dpmix_release_gmm' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.release_gmm(text, regclass, name[], float8, float8, name, integer, text, text, text, integer) IS
    'stores a private Gaussian mixture under a new name (1 to 200 characters), over 1 to 100 features with declared bounds: one component '
    'for each declared category of label, or, label NULL, as many as components says (1 to 100; NULL: chosen privately). Charges (epsilon, '
    'delta), 1e-6 <= epsilon <= 1e7, 0 < delta <= .5; a ROLLBACK undoes the model, not the charge. covariance: full or diagonal; objective: '
    'balanced or forward_kl (narrower components where noise dominates). method: NULL is the best there is; with a label staged (several '
    'passes, each looks where the ones before found the classes) or one_shot (one pass); without em or kmeans; under adjacency label '
    'label_only, and label must be the declared one. dimensions: of the space in which components are looked for; NULL: all. PV001 budget, '
    'PV003 no bounds or categories, PV004 ledger, PV005 parameter, PV006 no access';

CREATE FUNCTION dpmix.preview_gmm(name text, relation regclass, features name[], epsilon float8, delta float8,
                                  label name = NULL, components integer = NULL, covariance text = 'full',
                                  objective text = 'balanced', method text = NULL, dimensions integer = NULL)
    RETURNS TABLE (mechanism text, epsilon float8, delta float8, mu float8, count_stddev float8,
                   charge_cost float8, charge_delta float8, charge_share float8, calls_left bigint)
    AS 'MODULE_PATHNAME', 'dpmix_preview_gmm' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.preview_gmm(text, regclass, name[], float8, float8, name, integer, text, text, text, integer) IS
    'what dpmix.release_gmm would charge and add as noise, for the same arguments; free, reads no row, stores nothing, needs access. '
    'mu: all its passes together are mu-GDP; count_stddev: of the noise in each component''s number of rows, at most; the rest as in '
    'dpmix.preview. Errors as dpmix.release_gmm';

CREATE FUNCTION dpmix.gmm(release text)
    RETURNS TABLE (component integer, label text, weight float8, mean float8[], covariance float8[])
    AS 'MODULE_PATHNAME', 'dpmix_gmm' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.gmm(text) IS
    'the components of a stored mixture, in the order of the label''s categories: weights sum to 1, means and covariances (d x d) are in '
    'the features'' units (dates: days, timestamps: seconds, both since 2000-01-01). Free. PV005 no such release, PV006 no access';

CREATE FUNCTION dpmix.gmm_sample(row_type anyelement, release text, rows bigint) RETURNS SETOF anyelement
    AS 'MODULE_PATHNAME', 'dpmix_gmm_sample' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION dpmix.gmm_sample(anyelement, text, bigint) IS
    'rows (1 to 10^9) drawn from a stored mixture, as rows of the table in NULL::table: features rounded to their column''s type and '
    'clamped to the declared bounds, the label, NULL elsewhere. A feature stays the number it is in dpmix.gmm (dates: days, timestamps: '
    'seconds), so give it a column of its own kind. Free. PV005 when a column is missing or cannot hold the values, PV006 no access';

CREATE FUNCTION dpmix.gmm_kl(a text, b text) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_gmm_kl' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.gmm_kl(text, text) IS
    'Kullback-Leibler divergence of two stored mixtures as laws of (label, features), in nats, of a from b; components matched by label. '
    'Free. PV005 when features or labels differ, PV006 no access';

CREATE FUNCTION dpmix.drop_release(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'dpmix_drop_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.drop_release(text) IS
    'forgets a stored model; what it cost stays charged. PV005 no such release, PV006 unless its maker, the table''s owner or a superuser';
