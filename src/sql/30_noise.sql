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
    'noise for one statistic, in the units of the statistic.';
COMMENT ON COLUMN dpmix.calibration.mechanism IS 'family of the noise';
COMMENT ON COLUMN dpmix.calibration.scale IS
    'standard deviation of gaussian, of one component of multi_gaussian and of one of the three pieces of '
    'quasi_gaussian; mean absolute value of laplace; distance over which the density of staircase, truncated_laplace, '
    'tulap and optimal falls by e';
COMMENT ON COLUMN dpmix.calibration.components IS
    'K of multi_gaussian, whose centres are -K..K times the sensitivity; else NULL';
COMMENT ON COLUMN dpmix.calibration.expected_abs IS 'mean absolute value of the noise';
COMMENT ON COLUMN dpmix.calibration.variance IS 'of the noise';
COMMENT ON COLUMN dpmix.calibration.delta_certified IS 'a proved bound on delta over all shifts up to the sensitivity';
COMMENT ON COLUMN dpmix.calibration.support IS 'the largest |noise|; NULL: unbounded';

CREATE FUNCTION dpmix.calibrate(mechanism text, epsilon float8, delta float8,
                                sensitivity float8 DEFAULT 1, components int DEFAULT NULL)
    RETURNS dpmix.calibration
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_calibrate';
COMMENT ON FUNCTION dpmix.calibrate(text, float8, float8, float8, int) IS
    E'the least noise of a mechanism that is (epsilon, delta)-differentially private when one privacy unit moves the '
    'statistic by at most sensitivity. All sessions of the server share the calibrations made last.\n'
    'mechanism: gaussian, multi_gaussian, quasi_gaussian, laplace, staircase, truncated_laplace, tulap, optimal; '
    'auto: the least expected_abs, without the mixtures quasi_gaussian and multi_gaussian, which optimal undercuts, '
    'but multi_gaussian where components are given. staircase, truncated_laplace, tulap and optimal are those of the '
    'lattice of sensitivity / 2^20\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: 0 to 0.5; ignored by laplace and staircase, at least 1e-300 for the others; auto with 0 takes one of the '
    'former\n'
    'sensitivity: above 0, in the units of the statistic\n'
    'components: of multi_gaussian, 1 to 1000; NULL: the number of least expected_abs\n'
    'Errors: PV005 a value out of range.\n'
    'See also: dpmix.calibration, dpmix.delta_of, docs/guide/noise.md.';

CREATE FUNCTION dpmix.delta_of(mechanism text, epsilon float8, scale float8,
                               sensitivity float8 DEFAULT 1, components int DEFAULT NULL,
                               shift float8 DEFAULT NULL, weight_epsilon float8 DEFAULT NULL,
                               cutoff float8 DEFAULT NULL)
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_delta_of';
COMMENT ON FUNCTION dpmix.delta_of(text, float8, float8, float8, int, float8, float8, float8) IS
    E'the least delta for which noise of this mechanism and scale is (epsilon, delta)-differentially private.\n'
    'mechanism: as for dpmix.calibrate(), but auto and optimal, which has more parameters. staircase, '
    'truncated_laplace and tulap are laws on the lattice of sensitivity / 2^20 and fall by e over a distance of '
    'scale, 1e-7 to 1e6 sensitivities; staircase with its landing of least expected_abs; laplace is the continuous '
    'law\n'
    'epsilon: 1e-6 to 1e7\n'
    'scale: above 0, as in dpmix.calibration; of multi_gaussian and quasi_gaussian 1e-5 to 1e9 sensitivities\n'
    'components: of multi_gaussian, required there, 1 to 1000\n'
    'shift: NULL: a proved bound on the supremum over all shifts of the statistic from 0 to sensitivity; else the '
    'value at that shift\n'
    'weight_epsilon: 0 to 1e7, NULL: epsilon. Component k of multi_gaussian has a weight proportional to '
    'exp(-weight_epsilon |k|), the centre of quasi_gaussian the weight exp(weight_epsilon)\n'
    'cutoff: the largest |noise| of truncated_laplace and tulap, required there; dpmix.calibrate() calls it support\n'
    'Errors: PV005 a value out of range, or one that is missing.\n'
    'See also: docs/guide/noise.md.';

CREATE FUNCTION dpmix.noise(mechanism text, epsilon float8, delta float8, sensitivity float8,
                            draws int, components int DEFAULT NULL)
    RETURNS SETOF float8
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000
    AS 'MODULE_PATHNAME', 'dpmix_noise';
COMMENT ON FUNCTION dpmix.noise(text, float8, float8, float8, int, int) IS
    E'samples of the noise that releases add, calibrated as by dpmix.calibrate() and rounded to multiples of '
    'sensitivity / 2^20 by the same exact sampler.\n'
    'draws: 1 to 10000000\n'
    'Errors: PV005 a value out of range.\n'
    'See also: docs/guide/noise.md.';

CREATE FUNCTION dpmix.noise_interval(mechanism text, epsilon float8, delta float8,
                                     sensitivity float8, level float8 DEFAULT 0.95,
                                     components int DEFAULT NULL)
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_noise_interval';
COMMENT ON FUNCTION dpmix.noise_interval(text, float8, float8, float8, float8, int) IS
    E'half the width of the interval around a noisy answer that covers the exact one with probability level: the '
    'least width of that probability under the exact distribution of the noise of dpmix.noise(). Only the noise is in '
    'it, not the bias of clamping values to their bounds. Other arguments as for dpmix.calibrate().\n'
    'level: above 0, below 1\n'
    'Errors: PV005 a value out of range.\n'
    'See also: dpmix.dp_low, dpmix.preview.';

CREATE FUNCTION dpmix.charges_admitted(epsilon_total float8, delta_total float8, accountant text,
                                       mechanism text, epsilon float8, delta float8,
                                       statistics int DEFAULT 1, lattice_steps bigint DEFAULT 1)
    RETURNS bigint
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_charges_admitted';
COMMENT ON FUNCTION dpmix.charges_admitted(float8, float8, text, text, float8, float8, int, bigint) IS
    E'how many queries of (epsilon, delta) a fresh table with the budget (epsilon_total, delta_total) admits, one '
    'after the other and nothing else, at most 2^63 - 1: what to know before dpmix.protect(), and to compare '
    'accountants.\n'
    'epsilon_total, delta_total: as for dpmix.protect()\n'
    'accountant: basic, renyi, gdp or gaussian\n'
    'mechanism: as for dpmix.query()\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: 0 to 0.5\n'
    'statistics: noisy statistics in each query, 1 to 1000, alike and without GROUP BY; an average has two\n'
    'lattice_steps: by how many steps of its lattice a row moves a statistic; 1 for a count. Under renyi, laplace '
    'costs a little less for sums, of many steps\n'
    'Errors: PV005 a value out of range.\n'
    'See also: docs/guide/ledger.md.';

CREATE FUNCTION dpmix.plan_epsilon(mechanisms text[], epsilons float8[], deltas float8[], times bigint[], delta float8)
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_plan_epsilon';
COMMENT ON FUNCTION dpmix.plan_epsilon(text[], float8[], float8[], bigint[], float8) IS
    E'the epsilon that a whole plan of releases keeps at delta, if all of it is fixed before its first answer: from the '
    'privacy-loss distributions of its noise, a bound (within .5% of the truth for Gaussian noise). A number to plan '
    'with: tables are charged by their accountant, which must also hold for questions that depend on answers.\n'
    'mechanisms: of each part: as for dpmix.query(), but not auto; or any, for whatever release of that guarantee\n'
    'epsilons, deltas: of one release of each part; 1e-6 to 1e7, 0 to 0.5\n'
    'times: how many releases each part has, 1 to 2^30\n'
    'delta: above 0 to 0.5\n'
    'returns: never above the sums of epsilon and delta; Infinity where nothing is proved\n'
    'Errors: PV005 lists of different lengths or above 100 parts, or a value out of range.\n'
    'See also: dpmix.charges_admitted, docs/proofs/loss_distribution.md.';
