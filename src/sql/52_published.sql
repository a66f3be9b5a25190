-- Published mechanisms and their baselines, for comparison: not private as published, or not certified.
-- No release uses them.

CREATE FUNCTION dpmix.gmm_published(relation regclass, columns name[], epsilon float8, delta float8, label name,
                                    method text = 'published', clip float8 = NULL)
    RETURNS TABLE (component integer, label text, weight float8, mean float8[], covariance float8[], private boolean,
    note text)
    AS 'MODULE_PATHNAME', 'dpmix_gmm_published' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.gmm_published(regclass, name[], float8, float8, name, text, float8) IS
    E'for comparison only, NOT PRIVATE unless its column private says so, never charged, never stored: one draw of '
    'the published mixture mechanism (Liu, Scaglione, Peisert, Algorithm 1) or of what it is compared with. For the '
    'table''s owner and superusers; a protected table with bounds and categories and at most 100000 complete rows; '
    'rows with a missing feature or label are skipped.\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'method: published; record, its variant for one row''s features; iid_laplace, iid_gaussian, private for one row '
    'more or less; coloured_gaussian, r1smg\n'
    'clip: of method record: the largest norm of a row''s features, in their units\n'
    'Errors: PV003 no bounds or categories; PV005 parameter, too many rows, or a class with too few or constant ones; '
    'PV006 not protected; 42501 not the owner.\n'
    'See also: docs/proofs/published_gmm.md.';

CREATE FUNCTION dpmix.published_scale(mechanism text, epsilon float8, delta float8,
                                      sensitivity float8 DEFAULT 1)
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_published_scale';
COMMENT ON FUNCTION dpmix.published_scale(text, float8, float8, float8) IS
    E'for comparison only, NOT for use: the scale that the paper on quasi_gaussian gives (its sigma_1 and sigma_2), '
    'where dpmix.calibrate() gives the least certified one. No release uses it.\n'
    'mechanism: quasi_gaussian\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: 1e-300 to 0.5\n'
    'Errors: PV005 a value out of range.\n'
    'See also: docs/guide/noise.md.';
