-- Published mechanisms and their baselines, for comparison: not private as published, or not certified. No release of
-- dpmix uses them, and none of them charges or stores anything. They read what their caller may read anyway.

-- The complete rows of a protected table, with what is declared of them: label is the number of the row's category.
CREATE FUNCTION dpmix_papers.complete_rows(relation regclass, columns name[], label name, OUT labels integer[],
                                           OUT features float8[], OUT lower float8[], OUT upper float8[],
                                           OUT categories text[])
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    missing text;
    clamped text;
    complete text;
BEGIN
    IF num_nulls($1, $2, $3) > 0 THEN
        RAISE EXCEPTION 'relation, columns and label must not be NULL' USING ERRCODE = 'PV005';
    END IF;
    IF NOT EXISTS (SELECT FROM dpmix.columns c WHERE c.relation = $1) THEN
        RAISE EXCEPTION '% is not protected, or you have no access', $1
            USING ERRCODE = 'PV006', HINT = 'The published mechanism takes the bounds of a protected table.';
    END IF;
    SELECT c.categories INTO categories FROM dpmix.columns c WHERE c.relation = $1 AND c.column_name = $3;
    IF categories IS NULL THEN
        RAISE EXCEPTION 'column "%" has no categories', $3
            USING ERRCODE = 'PV003', HINT = 'Its owner declares them with dpmix.declare().';
    END IF;
    SELECT array_agg(c.lower::float8 ORDER BY n.place), array_agg(c.upper::float8 ORDER BY n.place),
           string_agg(format('least(greatest(t.%I::float8, %L), %L)', n.name, c.lower, c.upper), ', ' ORDER BY n.place),
           string_agg(format('t.%I::float8 <> ''NaN''', n.name), ' AND ' ORDER BY n.place),
           min(n.name) FILTER (WHERE c.lower IS NULL)
    INTO lower, upper, clamped, complete, missing
    FROM unnest($2) WITH ORDINALITY AS n(name, place)
    LEFT JOIN dpmix.columns c ON c.relation = $1 AND c.column_name = n.name
                             AND c.type ~ '^(smallint|integer|bigint|real|double precision|numeric)';
    IF clamped IS NULL OR missing IS NOT NULL THEN
        RAISE EXCEPTION 'column "%" is no number with bounds', missing
            USING ERRCODE = 'PV003', HINT = 'Its owner declares them with dpmix.declare().';
    END IF;
    EXECUTE format('SELECT coalesce(array_agg(r.label), ''{}''), coalesce(array_agg(r.features), ''{}'')
                    FROM (SELECT k.label, ARRAY[%s] AS features FROM %s AS t,
                              LATERAL (SELECT array_position($1, t.%I::text) AS label) AS k
                          WHERE k.label IS NOT NULL AND %s LIMIT 100001) AS r', clamped, $1, $3, complete)
    INTO labels, features USING categories;
END $$;
COMMENT ON FUNCTION dpmix_papers.complete_rows(regclass, name[], name) IS
    E'what dpmix_papers.gmm reads, with the rights of the caller: exact rows, without those of which a feature or the '
    'label is missing or undeclared, clamped to the bounds.\n'
    'Errors: PV003 no bounds or categories; PV006 not protected; 42501 no SELECT.';

CREATE FUNCTION dpmix_papers.fit(labels integer[], features float8[], lower float8[], upper float8[], classes integer,
                                 epsilon float8, delta float8, method text DEFAULT 'published',
                                 clip float8 DEFAULT NULL)
    RETURNS TABLE (component integer, weight float8, mean float8[], covariance float8[], private boolean, note text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_papers_fit';
COMMENT ON FUNCTION dpmix_papers.fit(integer[], float8[], float8[], float8[], integer, float8, float8, text, float8) IS
    E'dpmix_papers.gmm of rows in arrays: NOT PRIVATE unless its column private says so.\n'
    'labels: of each row, from 1 to classes\n'
    'features: a row for each label\n'
    'lower, upper: bounds of the features\n'
    'Errors: PV005.';

CREATE FUNCTION dpmix_papers.gmm(relation regclass, columns name[], epsilon float8, delta float8, label name,
                                 method text DEFAULT 'published', clip float8 DEFAULT NULL)
    RETURNS TABLE (component integer, label text, weight float8, mean float8[], covariance float8[], private boolean,
                   note text)
    LANGUAGE sql VOLATILE PARALLEL UNSAFE
    BEGIN ATOMIC
    SELECT f.component, r.categories[f.component], f.weight, f.mean, f.covariance, f.private, f.note
    FROM dpmix_papers.complete_rows($1, $2, $5) AS r,
         LATERAL dpmix_papers.fit(r.labels, r.features, r.lower, r.upper, cardinality(r.categories), $3, $4, $6, $7) AS f;
    END;
COMMENT ON FUNCTION dpmix_papers.gmm(regclass, name[], float8, float8, name, text, float8) IS
    E'for comparison only, NOT PRIVATE unless its column private says so, never charged, never stored: one draw of '
    'the published mixture mechanism (Liu, Scaglione, Peisert, Algorithm 1) or of what it is compared with. Of a '
    'protected table with bounds and categories that the caller may read, of at most 100000 complete rows.\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5; of iid_laplace also 0\n'
    'method: published; record, its variant for one row''s features; iid_laplace, iid_gaussian, private for one row '
    'more or less; coloured_gaussian, r1smg\n'
    'clip: of method record: the largest norm of a row''s features, in their units\n'
    'Errors: PV003 no bounds or categories; PV005 parameter, too many rows, or a class with too few or constant ones; '
    'PV006 not protected; 42501 no SELECT.';

CREATE FUNCTION dpmix_papers.quasi_gaussian_scale(epsilon float8, delta float8, sensitivity float8 DEFAULT 1)
    RETURNS float8 LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'dpmix_papers_quasi_gaussian_scale';
COMMENT ON FUNCTION dpmix_papers.quasi_gaussian_scale(float8, float8, float8) IS
    E'for comparison only: the scale that the paper on quasi_gaussian gives (its sigma_1 and sigma_2), where '
    'dpmix.calibrate() gives the least certified one.\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: 1e-300 to 0.5\n'
    'Errors: PV005 a value out of range.';
