-- 0.1.0 to 0.2.0. After it a database has the very objects that CREATE EXTENSION makes
-- (test/server/install/upgrade.test.sh).

-- Intervals around the answers of dpmix.query.
COMMENT ON FUNCTION dpmix.query(text, float8, float8, text, text[], text, integer) IS
    'Private answers to one SELECT of group keys and dp_count(*), dp_count(x), dp_sum(x), dp_avg(x) over one protected table, '
    'with WHERE and GROUP BY; dp_low and dp_high of these are the ends of their noise intervals. Charges epsilon (1e-6 to 1e7) '
    'and delta (0 to 0.5), the totals over all columns and groups, before it reads a row. Every declared group comes back, in the '
    'order of the declarations; counts may be negative. mechanism: auto, gaussian, multi_gaussian, quasi_gaussian, laplace, '
    'staircase, truncated_laplace, tulap, optimal. params: one text for each $n. '
    'PV001 budget exhausted, PV002 query not allowed, PV003 bounds or categories missing, PV004 ledger unavailable, '
    'PV005 invalid parameter or column list, PV006 not protected or no access';

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

-- preview explains auto.
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

-- Planning (30_planning.sql) ----------------------------------------------------------------------

ALTER TYPE dpmix.calibration ADD ATTRIBUTE support float8;
COMMENT ON TYPE dpmix.calibration IS
'Noise for one statistic, in the units of the statistic. scale: the standard deviation of gaussian, of one component of multi_gaussian and quasi_gaussian; the mean absolute value of laplace; the distance over which the density of staircase, truncated_laplace, tulap and optimal falls by e; components: K of multi_gaussian (centres -K..K times the sensitivity), else NULL; expected_abs, variance: of the noise; delta_certified: a proved bound on delta over all shifts up to the sensitivity; support: the largest |noise|, NULL: unbounded.';

COMMENT ON FUNCTION dpmix.calibrate(text, float8, float8, float8, int) IS
'The least noise of a mechanism (gaussian, multi_gaussian, quasi_gaussian, laplace, staircase, truncated_laplace, tulap, optimal) that is (epsilon, delta)-differentially private when one privacy unit moves the statistic by at most sensitivity. auto: the least expected_abs; of the mixtures, which optimal undercuts, multi_gaussian only when components are given. epsilon 1e-6..1e7; delta 0..0.5, ignored by laplace and staircase, at least 1e-300 for the others; sensitivity > 0; components: of multi_gaussian, 1..1000, NULL: the number of least expected_abs. staircase, truncated_laplace, tulap and optimal are those of the lattice of sensitivity / 2^20. Else PV005.';

DROP FUNCTION dpmix.delta_of(text, float8, float8, float8, int, float8, float8);
CREATE FUNCTION dpmix.delta_of(mechanism text, epsilon float8, scale float8,
                               sensitivity float8 DEFAULT 1, components int DEFAULT NULL,
                               shift float8 DEFAULT NULL, weight_epsilon float8 DEFAULT NULL,
                               cutoff float8 DEFAULT NULL)
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_delta_of';
COMMENT ON FUNCTION dpmix.delta_of(text, float8, float8, float8, int, float8, float8, float8) IS
'The least delta for which noise of this mechanism (any but optimal, which has more parameters) and scale is (epsilon, delta)-differentially private. shift NULL: a proved bound on the supremum over all shifts of the statistic from 0 to sensitivity; else the value at that shift. components: of multi_gaussian, required there (1..1000). weight_epsilon: of multi_gaussian, component k has a weight proportional to exp(-weight_epsilon |k|), of quasi_gaussian, the centre has the weight exp(weight_epsilon); 0..1e7; NULL: epsilon. Scale of both: 1e-5..1e9 sensitivities. cutoff: the largest |noise| of truncated_laplace and tulap, required there. staircase, truncated_laplace and tulap are laws on the lattice of sensitivity / 2^20 and fall by e over a distance of scale, 1e-7..1e6 sensitivities; staircase with its landing of least expected_abs; laplace is the continuous law. epsilon 1e-6..1e7. Else PV005.';

CREATE FUNCTION dpmix.noise_interval(mechanism text, epsilon float8, delta float8,
                                     sensitivity float8, level float8 DEFAULT 0.95,
                                     components int DEFAULT NULL)
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_noise_interval';
COMMENT ON FUNCTION dpmix.noise_interval(text, float8, float8, float8, float8, int) IS
'Half the width of the interval around a noisy answer that covers the exact one with probability level (0..1, both excluded): the least width of that probability under the exact distribution of the noise of dpmix.noise. Only the noise is in it: not the bias of clamping values to their bounds. Arguments as dpmix.calibrate. Else PV005.';

CREATE FUNCTION dpmix.published_scale(mechanism text, epsilon float8, delta float8,
                                      sensitivity float8 DEFAULT 1)
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_published_scale';
COMMENT ON FUNCTION dpmix.published_scale(text, float8, float8, float8) IS
'For comparison only, NOT for use: the scale that the paper on quasi_gaussian gives (its sigma_1 and sigma_2), where dpmix.calibrate gives the least certified one. No release uses it. mechanism: quasi_gaussian. epsilon 1e-6..1e7; delta 1e-300..0.5. Else PV005.';
