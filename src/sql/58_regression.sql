-- Regressions: noisy moments of coded rows, one charged release, then free use of the coefficients.

CREATE FUNCTION dpmix_internal.regression_row(x float8[], design float8[]) RETURNS float8[]
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_regression_row';
COMMENT ON FUNCTION dpmix_internal.regression_row(float8[], float8[]) IS
    E'a row as dpmix.release_regression sums its moments: the terms'' numbers (of a category its number from 0), then '
    'the target, coded to [-1, 1]; NULL when one of them is NULL or NaN, or a category is none of its column''s.\n'
    'design: the target''s bounds; 1 where a missing target counts as their middle, else 0; then of each term: kind (0 '
    'number, 1 categories, 2 power), bounds, number of categories, which term it is a power of, power\n'
    'Errors: PV005 not such a design, or as many numbers as it has.';

CREATE TYPE dpmix.regression_summary AS (
    name           text,
    relation       regclass,
    kind           text,
    coefficients   integer,
    epsilon        float8,
    delta          float8,
    count_stddev   float8,
    rows_estimated float8,
    quality        text
);
COMMENT ON TYPE dpmix.regression_summary IS
    'what dpmix.release_regression() made.';
COMMENT ON COLUMN dpmix.regression_summary.name IS 'of the regression';
COMMENT ON COLUMN dpmix.regression_summary.relation IS 'the table that it is of';
COMMENT ON COLUMN dpmix.regression_summary.kind IS 'linear or logistic';
COMMENT ON COLUMN dpmix.regression_summary.coefficients IS 'their number, in each class: dpmix.regression()';
COMMENT ON COLUMN dpmix.regression_summary.epsilon IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.regression_summary.delta IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.regression_summary.count_stddev IS
    'standard deviation of the noise in the number of rows of a class; 0: it is public';
COMMENT ON COLUMN dpmix.regression_summary.rows_estimated IS 'noisy number of rows in which nothing is missing';
COMMENT ON COLUMN dpmix.regression_summary.quality IS
    'whether coefficients have intervals, how many of these have no ends, and why';

CREATE FUNCTION dpmix.release_regression(name text, relation regclass = NULL, target text = NULL,
                                         terms text[] = NULL, epsilon float8 = NULL, delta float8 = NULL,
                                         kind text = 'linear', label name = NULL, method text = NULL,
                                         mechanism text = NULL, l1 float8 = NULL, l2 float8 = NULL,
                                         passes integer = NULL, source text = NULL, blocks text = NULL)
    RETURNS dpmix.regression_summary
    AS 'MODULE_PATHNAME', 'dpmix_release_regression' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.release_regression(text, regclass, text, text[], float8, float8, text, name, text, text,
    float8, float8, integer, text, text) IS
    E'stores a private regression of a protected table under a new name: least squares of the target by the terms, '
    'from one scan, or a logistic regression, from four. Charges (epsilon, delta) once, before a row is read. A ROLLBACK, an error or a cancel undoes the '
    'regression, not the charge. Needs access; what one does with it is free: dpmix.regression(), dpmix.predict().\n'
    'name: as in dpmix.release_gmm()\n'
    'target: a number with bounds, a boolean, or an expression: ''ln(wage)''\n'
    'terms: 1 to 99: columns and expressions, ''{education,experience,experience^2,ethnicity}''. Expressions are those '
    'of dpmix.query, over columns with declared bounds, or conditions: 0 or 1. A column with categories is one '
    'coefficient for each but the first, which it is compared with. An intercept is always there. Values beyond '
    'bounds count as the bounds. A row in which something is missing counts for nothing; under adjacency label one '
    'whose target alone is missing counts as the middle of its bounds\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'kind: linear, or logistic: of the log-odds that the target is true. Then it is a boolean, a condition, or a number '
    'with bounds 0 and 1\n'
    'label: a column with declared categories: one regression of the rows of each, for the same charge\n'
    'method: of a logistic regression. newton (the default): few passes, with intervals. coordinate: one coefficient '
    'after the other, with penalties and without intervals; then there is no label. Rows that fit in a third of '
    'work_mem, by PostgreSQL''s estimate of their number, are read once, others once for each update: passes times '
    'coefficients\n'
    'mechanism: of coordinate: gaussian (the default), multi_gaussian or quasi_gaussian\n'
    'l1, l2: of coordinate: what is added to the mean loss, l1 |b| + l2 b^2 / 2 of each coefficient but the '
    'intercept''s, where columns are coded to [-1, 1]; 0 by default, at most 1e6\n'
    'passes: of coordinate: over all coefficients, 1 to 100, 6 by default\n'
    'source: in place of relation: one SELECT over protected tables of one population, or of one table, that says what '
    'each person did, as sub-selects of dpmix.query do: $$SELECT p.patient_id, p.age, count(v.*) AS visits FROM '
    'patients p LEFT JOIN visits v USING (patient_id) GROUP BY p.patient_id, p.age$$. Its columns are those of the '
    'release; bounds and categories are declared below or follow of what it computes, and least(greatest()) states '
    'others. Needs access to each table; one charge for all of them. A view of such a SELECT may be the relation. '
    'docs/guide/people.md\n'
    'blocks: as in dpmix.release_gmm()\n'
    'Where a privacy unit may have several rows, as many of each as max_rows_per_unit says are drawn for each scan, and '
    'the noise covers them all.\n'
    'Under adjacency label the target, a term or the label must look at the protected column. If the target alone '
    'does, there is far less noise.\n'
    'Errors: PV001 budget; PV002 units of several rows in a table with blocks or over shards, an expression that is not '
    'allowed, or a label or family that coordinate descent does not take; PV003 no '
    'bounds or categories, or no blocks; PV004 ledger; PV005 parameter, or a name that is taken; PV006 not protected, '
    'or no access.\n'
    'See also: dpmix.preview, dpmix.releases, docs/guide/regressions.md, docs/proofs/regression.md.';

CREATE FUNCTION dpmix.regression(release text, level float8 = 0.95)
    RETURNS TABLE (label text, term text, estimate float8, noise_low float8, noise_high float8, low float8,
                   high float8, p_value float8, note text)
    AS 'MODULE_PATHNAME', 'dpmix_regression' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.regression(text, float8) IS
    E'the coefficients of a stored regression, in the units of its columns. Free, for its maker, the table''s owner '
    'and roles with access to the table.\n'
    'level: of the intervals, between 0 and 1\n'
    'label: of the class; NULL without a label\n'
    'term: as it was written; (intercept); of categories: column = ''value'', compared with the first\n'
    'estimate: by noisy sums; of a linear regression drawn towards no effect as far as the noise leaves it open; of a '
    'logistic regression, of the log-odds\n'
    'noise_low, noise_high: the coefficient of these very rows, without noise, lies there at this level, about. '
    'Infinite where every value is possible. The middle is not drawn to anything, so it is not the estimate\n'
    'low, high: the coefficient of the population that the rows were drawn from\n'
    'p_value: of the hypothesis that the population''s is 0, two-sided\n'
    'note: why there are no intervals. ridge: terms are collinear, and the target alone is protected. hidden: the '
    'noise hides how much the rows tell of some coefficient of a logistic regression, which moves all. coordinate: '
    'coordinate descent gives none. collinear says that there are, though terms are nearly collinear for this noise: '
    'sets of all values that the noisy sums do not contradict, which may have no ends\n'
    'Dates count in days, timestamps in seconds, both since 2000-01-01.\n'
    'Errors: PV005 a level out of range; PV006 no such release, or no access.\n'
    'See also: docs/guide/regressions.md.';

CREATE FUNCTION dpmix.predict(release text, "row" record, log_odds boolean = false) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_predict' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dpmix.predict(text, record, boolean) IS
    E'what a stored regression expects the target of a row to be: SELECT dpmix.predict(''wages'', c) FROM candidates '
    'c. NULL where a column is NULL or has an undeclared category. Values beyond the bounds count as the bounds. The '
    'regression is loaded once per query. Free.\n'
    'row: any row that has the columns of the terms, and of the label\n'
    'log_odds: of a logistic regression: log-odds, not the probability that the target is true\n'
    'Errors: PV005 a column is missing or of another kind; PV006 no such release, or no access.\n'
    'See also: docs/guide/regressions.md.';

-- Judging predictions ----------------------------------------------------------------------------
-- These functions read arrays that the caller made of rows that he may read: none of them reads a table.

CREATE FUNCTION dpmix_internal.judged(scores float8[], outcomes boolean[], bins integer = 1)
    RETURNS TABLE (score float8, outcome boolean) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (bins >= 1) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'PV005', MESSAGE = 'the number of bins is out of range',
            DETAIL = format('bins is %s.', coalesce(bins::text, 'NULL')), HINT = '10 is usual, 1 the least.';
    END IF;
    IF cardinality(scores) IS DISTINCT FROM cardinality(outcomes) THEN
        RAISE EXCEPTION USING ERRCODE = 'PV005', MESSAGE = 'scores and outcomes are not of the same rows',
            DETAIL = format('There are %s scores and %s outcomes.',
                                       coalesce(cardinality(scores)::text, 'no'),
                                       coalesce(cardinality(outcomes)::text, 'no')),
            HINT = 'Make both with array_agg in one query, without a FILTER.';
    END IF;
    RETURN QUERY SELECT j.s, j.o FROM ROWS FROM (unnest(scores), unnest(outcomes)) AS j(s, o)
                 WHERE j.s <> 'NaN' AND j.o IS NOT NULL;
END $$;
COMMENT ON FUNCTION dpmix_internal.judged(float8[], boolean[], integer) IS
    'pairs of scores and outcomes in which neither is missing. Errors: PV005 not as many of each, or no bins.';

CREATE FUNCTION dpmix.roc(scores float8[], outcomes boolean[])
    RETURNS TABLE (threshold float8, true_positive_rate float8, false_positive_rate float8)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
        SELECT 'Infinity'::float8, 0::float8, 0::float8
        UNION ALL
        (SELECT g.score, sum(g.yes) OVER (ORDER BY g.score DESC) / nullif(sum(g.yes) OVER (), 0),
                sum(g.no) OVER (ORDER BY g.score DESC) / nullif(sum(g.no) OVER (), 0)
         FROM (SELECT j.score, (count(*) FILTER (WHERE j.outcome))::float8 AS yes,
                      (count(*) FILTER (WHERE NOT j.outcome))::float8 AS no
               FROM dpmix_internal.judged(scores, outcomes) AS j GROUP BY j.score) AS g
         ORDER BY g.score DESC);
    END;
COMMENT ON FUNCTION dpmix.roc(float8[], boolean[]) IS
    E'ROC curve of predictions beside what came true: a row for each score, from the highest. Exact, of arrays that the '
    'caller makes of rows that he may read: it reads no table, and charges nothing.\n'
    'scores: probabilities or log-odds, as of dpmix.predict(); pairs with a NULL or NaN are left out\n'
    'outcomes: what came true, in the order of the scores\n'
    'threshold: rows with at least this score are taken for true\n'
    'true_positive_rate: share of the true rows that are; NULL: there is none\n'
    'false_positive_rate: share of the others that are; NULL: there is none\n'
    'Errors: PV005 not as many outcomes as scores.\n'
    'See also: dpmix.auc, dpmix.calibration_curve, docs/guide/regressions.md.';

CREATE FUNCTION dpmix.auc(scores float8[], outcomes boolean[]) RETURNS float8
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
        SELECT sum(g.yes * (g.below + g.no / 2)) / nullif(sum(g.yes) * sum(g.no), 0)
        FROM (SELECT c.yes, c.no, sum(c.no) OVER (ORDER BY c.score) - c.no AS below
              FROM (SELECT j.score, (count(*) FILTER (WHERE j.outcome))::float8 AS yes,
                           (count(*) FILTER (WHERE NOT j.outcome))::float8 AS no
                    FROM dpmix_internal.judged(scores, outcomes) AS j GROUP BY j.score) AS c) AS g;
    END;
COMMENT ON FUNCTION dpmix.auc(float8[], boolean[]) IS
    E'area under dpmix.roc(): how often a row that came true has a higher score than one that did not; equal scores '
    'count half. NULL where rows of either kind are missing.\n'
    'scores, outcomes: as of dpmix.roc()\n'
    'Errors: PV005 not as many outcomes as scores.\n'
    'See also: dpmix.roc.';

CREATE FUNCTION dpmix.calibration_curve(probabilities float8[], outcomes boolean[], bins integer = 10)
    RETURNS TABLE (bin integer, count bigint, predicted float8, observed float8, low float8, high float8)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
        SELECT b.bin, b.n, b.predicted, b.observed, b.middle - b.reach, b.middle + b.reach
        FROM (SELECT g.bin, g.n, g.predicted, g.observed,
                     (g.observed + 1.92073 / g.n) / (1 + 3.84146 / g.n) AS middle,
                     1.959964 * sqrt(g.observed * (1 - g.observed) / g.n + 0.960365 / g.n / g.n) / (1 + 3.84146 / g.n)
                         AS reach
              FROM (SELECT least(greatest(floor(j.score * bins), 0), bins - 1)::integer + 1 AS bin, count(*) AS n, avg(j.score) AS predicted,
                           avg(j.outcome::integer)::float8 AS observed
                    FROM dpmix_internal.judged(probabilities, outcomes, bins) AS j GROUP BY 1) AS g) AS b
        ORDER BY b.bin;
    END;
COMMENT ON FUNCTION dpmix.calibration_curve(float8[], boolean[], integer) IS
    E'whether probabilities are right: rows in bins of equal width of the predicted probability, and the share of them '
    'that came true. Exact, as dpmix.roc(); it reads no table.\n'
    'probabilities, outcomes: as the scores of dpmix.roc(), from 0 to 1\n'
    'bins: how many, 1 or more; those without a row are left out\n'
    'bin: its number from 1\n'
    'count: rows in it\n'
    'predicted: their mean probability\n'
    'observed: share of them that came true\n'
    'low, high: interval of that share at 95%, for rows drawn from a population (Wilson)\n'
    'Errors: PV005 not as many outcomes as probabilities, or bins below 1.\n'
    'See also: dpmix.roc, docs/guide/regressions.md.';
