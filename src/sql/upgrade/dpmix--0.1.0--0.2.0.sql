-- 0.1.0 to 0.2.0. After it a database has the very objects that CREATE EXTENSION makes
-- (test/server/upgrade.test.sh).

-- Queries: all families of noise; preview explains auto.
COMMENT ON FUNCTION dpmix.query(text, float8, float8, text, text[], text, integer) IS
    'Private answers to one SELECT of group keys and dp_count(*), dp_count(x), dp_sum(x), dp_avg(x) over one protected table, '
    'with WHERE and GROUP BY. Charges epsilon (1e-6 to 1e7) and delta (0 to 0.5), the totals over all columns and groups, before '
    'it reads a row. Every declared group comes back, in the order of the declarations; counts may be negative. '
    'mechanism: auto, gaussian, multi_gaussian, quasi_gaussian, laplace, staircase, truncated_laplace, tulap, optimal. '
    'params: one text for each $n. '
    'PV001 budget exhausted, PV002 query not allowed, PV003 bounds or categories missing, PV004 ledger unavailable, '
    'PV005 invalid parameter or column list, PV006 not protected or no access';

DROP FUNCTION dpmix.preview(text, float8, float8, text, text[], text, integer);
CREATE FUNCTION dpmix.preview(
    query text, epsilon float8, delta float8 = 0, mechanism text = 'auto',
    params text[] = '{}', keys text = 'declared', max_groups integer = NULL)
    RETURNS TABLE (output_column text, statistic text, mechanism text, sensitivity float8,
                   epsilon float8, delta float8, noise_stddev float8, expected_error float8,
                   interval_95 float8, candidates jsonb)
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_preview';
COMMENT ON FUNCTION dpmix.preview(text, float8, float8, text, text[], text, integer) IS
    'The noise that dpmix.query would add, one row for each noisy statistic, in the units of the column; free, reads no row, '
    'needs access. epsilon, delta: what that statistic alone guarantees. expected_error: mean absolute error; interval_95: half '
    'width of the 95% interval of the noise, exact; what clamping to the bounds does to an answer is not in it; both NULL where '
    'the output is a ratio. candidates: the mechanisms that could answer, each with the expected_error of this statistic, the '
    'epsilon and delta charged, the share of the budget (budget_share), and why it was chosen or not (verdict). Errors as dpmix.query';
