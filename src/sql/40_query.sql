-- Private queries. dpmix.query reads the names of the dp_* aggregates; they never run.

CREATE FUNCTION dpmix.query(
    query text, epsilon float8, delta float8 = 0, mechanism text = 'auto',
    params text[] = '{}', keys text = 'declared', max_groups integer = NULL)
    RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_query';
COMMENT ON FUNCTION dpmix.query(text, float8, float8, text, text[], text, integer) IS
    'Private answers to one SELECT of group keys and dp_count, dp_count_distinct, dp_sum, dp_avg, dp_var, dp_stddev, dp_quantile, '
    'dp_median, dp_histogram over a protected table, joined or not, with WHERE, FILTER, GROUP BY, HAVING, ORDER BY and LIMIT; dp_low and '
    'dp_high of these are the ends of their noise intervals. Expressions over keys and answers are free, and NULL where they have no '
    'value. Charges epsilon (1e-6 to 1e7) and delta (0 to 0.5), the totals over all columns and groups, before it reads a row, to each '
    'protected table that it reads. Without HAVING and LIMIT every group of public values comes back, in the order of their declarations '
    '(keys declared), or those with enough units in the order of their keys (discover: needs a delta); counts may be negative. mechanism: '
    'auto, gaussian, multi_gaussian, quasi_gaussian, laplace, staircase, truncated_laplace, tulap, optimal. params: one text for each $n. '
    'max_groups: where a privacy unit may have several rows, in how many groups they count at most, 1 to 1000000. '
    'PV001 budget exhausted, PV002 query not allowed, PV003 bounds or categories missing, PV004 ledger unavailable, '
    'PV005 invalid parameter or column list, PV006 not protected or no access';

CREATE FUNCTION dpmix.preview(
    query text, epsilon float8, delta float8 = 0, mechanism text = 'auto',
    params text[] = '{}', keys text = 'declared', max_groups integer = NULL)
    RETURNS TABLE (output_column text, statistic text, mechanism text, sensitivity float8,
                   epsilon float8, delta float8, noise_stddev float8, expected_error float8,
                   interval_95 float8, candidates jsonb, charge_cost float8, charge_delta float8,
                   charge_share float8, calls_left bigint)
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_preview';
COMMENT ON FUNCTION dpmix.preview(text, float8, float8, text, text[], text, integer) IS
    'The noise that dpmix.query would add, one row for each noisy statistic, in the units of the column; free, reads no row, '
    'needs access. epsilon, delta: what that statistic alone guarantees; a call of its own for it, at these, adds the same noise. '
    'expected_error: mean absolute error; interval_95: half '
    'width of the 95% interval of the noise, exact; what clamping to the bounds does to an answer is not in it; both NULL where '
    'the output is a ratio. candidates: the mechanisms that could answer, each with the expected_error of this statistic, the '
    'epsilon and delta charged, the share of the budget (budget_share), and why it was chosen or not (verdict). Of the whole call, '
    'the same in each row: charge_cost and charge_delta, what the accountant adds up (basic: epsilon and delta); charge_share, the '
    'part of the whole budget that this is; calls_left, how many such calls and nothing else would still be admitted to the '
    'caller now, by the budget and the cap of its grant. Errors as dpmix.query';

-- The dp_* aggregates exist so that parse analysis gives a query's columns their types. Outside of
-- dpmix.query they raise PV002, also over no rows at all.

CREATE FUNCTION dpmix.outside_query(bigint) RETURNS bigint
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.outside_query(float8) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.outside_query(bigint, "any") RETURNS bigint
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.outside_query(float8, float8) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.outside_query(float8, bigint) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.outside_query(float8, numeric) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(bigint) IS 'raises PV002';
COMMENT ON FUNCTION dpmix.outside_query(float8) IS 'raises PV002';
COMMENT ON FUNCTION dpmix.outside_query(bigint, "any") IS 'raises PV002';
COMMENT ON FUNCTION dpmix.outside_query(float8, float8) IS 'raises PV002';
COMMENT ON FUNCTION dpmix.outside_query(float8, bigint) IS 'raises PV002';
COMMENT ON FUNCTION dpmix.outside_query(float8, numeric) IS 'raises PV002';

CREATE AGGREGATE dpmix.dp_count(*) (
    SFUNC = dpmix.outside_query, STYPE = bigint, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_count(*) IS 'noisy number of rows; only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_count("any") (
    SFUNC = dpmix.outside_query, STYPE = bigint, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_count("any") IS
    'noisy number of rows where x is neither NULL nor NaN; only in the text of dpmix.query, else PV002';

CREATE AGGREGATE dpmix.dp_sum(float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_sum(float8) IS
    'noisy sum of x, each clamped to the declared bounds; NULL and NaN add nothing; only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_sum(bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_sum(bigint) IS
    'noisy sum of x, each clamped to the declared bounds; NULL and NaN add nothing; only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_sum(numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_sum(numeric) IS
    'noisy sum of x, each clamped to the declared bounds; NULL and NaN add nothing; only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_avg(float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_avg(float8) IS
    'noisy average of x, each clamped to the declared bounds, without NULL and NaN; always within the bounds, their middle for an empty group; '
    'only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_avg(bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_avg(bigint) IS
    'noisy average of x, each clamped to the declared bounds, without NULL and NaN; always within the bounds, their middle for an empty group; '
    'only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_avg(numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_avg(numeric) IS
    'noisy average of x, each clamped to the declared bounds, without NULL and NaN; always within the bounds, their middle for an empty group; '
    'only in the text of dpmix.query, else PV002';

-- Ends of the interval around an answer. Volatile, so that nothing evaluates them early; called
-- on NULL, so that nothing skips them: outside of dpmix.query they raise PV002.

CREATE FUNCTION dpmix.dp_low(answer bigint, level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_low(answer float8, level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_high(answer bigint, level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_high(answer float8, level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.dp_low(bigint, float8) IS
    'lower end of the noise interval of a dp_* aggregate, in its units: the answer without noise lies in dp_low .. dp_high with '
    'probability at least level (a constant between 0 and 1), for each answer by itself. What clamping to the bounds moved is '
    'not in it. Costs nothing beyond the aggregate; only in the text of dpmix.query, else PV002; PV005 level out of range';
COMMENT ON FUNCTION dpmix.dp_low(float8, float8) IS
    'lower end of the noise interval of a dp_* aggregate, in its units: the answer without noise lies in dp_low .. dp_high with '
    'probability at least level (a constant between 0 and 1), for each answer by itself. What clamping to the bounds moved is '
    'not in it. Costs nothing beyond the aggregate; only in the text of dpmix.query, else PV002; PV005 level out of range';
COMMENT ON FUNCTION dpmix.dp_high(bigint, float8) IS
    'upper end of the noise interval of a dp_* aggregate, in its units: the answer without noise lies in dp_low .. dp_high with '
    'probability at least level (a constant between 0 and 1), for each answer by itself. What clamping to the bounds moved is '
    'not in it. Costs nothing beyond the aggregate; only in the text of dpmix.query, else PV002; PV005 level out of range';
COMMENT ON FUNCTION dpmix.dp_high(float8, float8) IS
    'upper end of the noise interval of a dp_* aggregate, in its units: the answer without noise lies in dp_low .. dp_high with '
    'probability at least level (a constant between 0 and 1), for each answer by itself. What clamping to the bounds moved is '
    'not in it. Costs nothing beyond the aggregate; only in the text of dpmix.query, else PV002; PV005 level out of range';
