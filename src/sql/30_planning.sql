-- Planning tools: what noise costs and looks like. Pure functions of public numbers, free, for
-- everyone.
CREATE TYPE dpmix.calibration AS (
    mechanism text,
    scale float8,
    components int,
    expected_abs float8,
    variance float8,
    delta_certified float8
);
COMMENT ON TYPE dpmix.calibration IS
'Noise for one statistic, in the units of the statistic. scale: the standard deviation of gaussian, of one component of multi_gaussian, the mean absolute value of laplace; components: K of multi_gaussian (centres -K..K times the sensitivity), else NULL; expected_abs, variance: of the noise; delta_certified: a proved bound on delta over all shifts up to the sensitivity.';

CREATE FUNCTION dpmix.calibrate(mechanism text, epsilon float8, delta float8,
                                sensitivity float8 DEFAULT 1, components int DEFAULT NULL)
    RETURNS dpmix.calibration
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_calibrate';
COMMENT ON FUNCTION dpmix.calibrate(text, float8, float8, float8, int) IS
'The least noise of a mechanism (gaussian, multi_gaussian, laplace, or auto: the least expected_abs of them) that is (epsilon, delta)-differentially private when one privacy unit moves the statistic by at most sensitivity. epsilon 1e-6..1e7; delta 0..0.5, at least 1e-300 for gaussian and multi_gaussian, ignored by laplace; sensitivity > 0; components 1..1000, NULL: the number of least expected_abs. Else PV005.';

CREATE FUNCTION dpmix.delta_of(mechanism text, epsilon float8, scale float8,
                               sensitivity float8 DEFAULT 1, components int DEFAULT NULL,
                               shift float8 DEFAULT NULL, weight_epsilon float8 DEFAULT NULL)
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_delta_of';
COMMENT ON FUNCTION dpmix.delta_of(text, float8, float8, float8, int, float8, float8) IS
'The least delta for which noise of this mechanism (gaussian, multi_gaussian, laplace) and scale is (epsilon, delta)-differentially private. shift NULL: a proved bound on the supremum over all shifts of the statistic from 0 to sensitivity; else the value at that shift. components: of multi_gaussian, required there (1..1000; scale between 1e-5 and 1e9 sensitivities). weight_epsilon: component k has a weight proportional to exp(-weight_epsilon |k|), 0..1e7; NULL: epsilon. laplace is the continuous law. epsilon 1e-6..1e7. Else PV005.';

CREATE FUNCTION dpmix.noise(mechanism text, epsilon float8, delta float8, sensitivity float8,
                            draws int, components int DEFAULT NULL)
    RETURNS SETOF float8
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000
    AS 'MODULE_PATHNAME', 'dpmix_noise';
COMMENT ON FUNCTION dpmix.noise(text, float8, float8, float8, int, int) IS
'Samples of the noise that releases add, calibrated as by dpmix.calibrate and rounded to multiples of sensitivity / 2^20 by the same exact sampler. draws 1..10000000. Else PV005.';
