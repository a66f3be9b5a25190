-- Planning tools: what noise costs and looks like. Pure functions of public numbers, free, for
-- everyone.
CREATE TYPE dpmix.calibration AS (
    mechanism text,
    scale float8,
    components int,
    expected_abs float8,
    variance float8,
    delta_certified float8,
    support float8
);
COMMENT ON TYPE dpmix.calibration IS
'Noise for one statistic, in the units of the statistic. scale: the standard deviation of gaussian, of one component of multi_gaussian and quasi_gaussian; the mean absolute value of laplace; the distance over which the density of staircase, truncated_laplace, tulap and optimal falls by e; components: K of multi_gaussian (centres -K..K times the sensitivity), else NULL; expected_abs, variance: of the noise; delta_certified: a proved bound on delta over all shifts up to the sensitivity; support: the largest |noise|, NULL: unbounded.';

CREATE FUNCTION dpmix.calibrate(mechanism text, epsilon float8, delta float8,
                                sensitivity float8 DEFAULT 1, components int DEFAULT NULL)
    RETURNS dpmix.calibration
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_calibrate';
COMMENT ON FUNCTION dpmix.calibrate(text, float8, float8, float8, int) IS
'The least noise of a mechanism (gaussian, multi_gaussian, quasi_gaussian, laplace, staircase, truncated_laplace, tulap, optimal) that is (epsilon, delta)-differentially private when one privacy unit moves the statistic by at most sensitivity. auto: the least expected_abs; of the mixtures, which optimal undercuts, multi_gaussian only when components are given. epsilon 1e-6..1e7; delta 0..0.5, ignored by laplace and staircase, at least 1e-300 for the others; sensitivity > 0; components: of multi_gaussian, 1..1000, NULL: the number of least expected_abs. staircase, truncated_laplace, tulap and optimal are those of the lattice of sensitivity / 2^20. Else PV005.';

CREATE FUNCTION dpmix.delta_of(mechanism text, epsilon float8, scale float8,
                               sensitivity float8 DEFAULT 1, components int DEFAULT NULL,
                               shift float8 DEFAULT NULL, weight_epsilon float8 DEFAULT NULL,
                               cutoff float8 DEFAULT NULL)
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_delta_of';
COMMENT ON FUNCTION dpmix.delta_of(text, float8, float8, float8, int, float8, float8, float8) IS
'The least delta for which noise of this mechanism (any but optimal, which has more parameters) and scale is (epsilon, delta)-differentially private. shift NULL: a proved bound on the supremum over all shifts of the statistic from 0 to sensitivity; else the value at that shift. components: of multi_gaussian, required there (1..1000). weight_epsilon: of multi_gaussian, component k has a weight proportional to exp(-weight_epsilon |k|), of quasi_gaussian, the centre has the weight exp(weight_epsilon); 0..1e7; NULL: epsilon. Scale of both: 1e-5..1e9 sensitivities. cutoff: the largest |noise| of truncated_laplace and tulap, required there. staircase, truncated_laplace and tulap are laws on the lattice of sensitivity / 2^20 and fall by e over a distance of scale, 1e-7..1e6 sensitivities; staircase with its landing of least expected_abs; laplace is the continuous law. epsilon 1e-6..1e7. Else PV005.';

CREATE FUNCTION dpmix.noise(mechanism text, epsilon float8, delta float8, sensitivity float8,
                            draws int, components int DEFAULT NULL)
    RETURNS SETOF float8
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000
    AS 'MODULE_PATHNAME', 'dpmix_noise';
COMMENT ON FUNCTION dpmix.noise(text, float8, float8, float8, int, int) IS
'Samples of the noise that releases add, calibrated as by dpmix.calibrate and rounded to multiples of sensitivity / 2^20 by the same exact sampler. draws 1..10000000. Else PV005.';

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

CREATE FUNCTION dpmix.charges_admitted(epsilon_total float8, delta_total float8, accountant text,
                                       mechanism text, epsilon float8, delta float8,
                                       statistics int DEFAULT 1, lattice_steps bigint DEFAULT 1)
    RETURNS bigint
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_charges_admitted';
COMMENT ON FUNCTION dpmix.charges_admitted(float8, float8, text, text, float8, float8, int, bigint) IS
'How many queries (epsilon, delta) of a mechanism, or auto, a table with the budget (epsilon_total, delta_total) and this accountant admits, one after the other and nothing else; at most 2^63 - 1. statistics: 1..1000 noisy statistics in each query, alike and without GROUP BY (an average has two). lattice_steps: how many steps of its lattice a row moves a statistic, 1 for a count; under renyi, laplace costs a little less for sums, of many steps. Budget: 1e-6..1e7, delta 0 (basic) to below 0.5; epsilon and delta as dpmix.query. Else PV005.';
