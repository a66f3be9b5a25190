SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;

-- Certified calibration. The published code's scale .2368 for this setting has delta .150.
SELECT mechanism, abs(scale / 0.28693 - 1) < 0.005 AS scale, components,
       abs(expected_abs / 0.4501 - 1) < 0.001 AS expected_abs,
       abs(variance / 0.4444 - 1) < 0.001 AS variance,
       delta_certified BETWEEN 0.0099 AND 0.01 AS delta_certified
FROM dpmix.calibrate('multi_gaussian', 2, 0.01, components => 10);
SELECT dpmix.delta_of('multi_gaussian', 2, 0.2368, components => 10) BETWEEN 0.15 AND 0.1505 AS invalid;

-- The worst shift lies inside.
SELECT abs(dpmix.delta_of('multi_gaussian', 2, 0.28693, components => 10, shift => 0.776) / 9.9955e-3 - 1) < 1e-4 AS inside,
       abs(dpmix.delta_of('multi_gaussian', 2, 0.28693, components => 10, shift => 1) / 1.56976e-9 - 1) < 1e-4 AS at_the_end;

-- Gaussian and laplace, any sensitivity.
SELECT mechanism, abs(scale / (10 * 1.1162544) - 1) < 1e-6 AS scale, components,
       delta_certified <= 0.01 AS certified
FROM dpmix.calibrate('gaussian', 2, 0.01, 10);
SELECT mechanism, scale, components, expected_abs, variance, delta_certified
FROM dpmix.calibrate('laplace', 0.5, 0, 3);
SELECT dpmix.delta_of('gaussian', 2, 1 / 0.895853194437223) BETWEEN 0.00999999 AND 0.01000001 AS gaussian,
       dpmix.delta_of('laplace', 0.5, 2) AS laplace,
       abs(dpmix.delta_of('laplace', 0.5, 1) - (1 - exp(-0.25))) < 1e-15 AS laplace_short,
       dpmix.delta_of('laplace', 0.5, 1, shift => 0.5) AS laplace_at;
SELECT dpmix.delta_of('multi_gaussian', 2, 0.3, components => 3, weight_epsilon => 1)
     > dpmix.delta_of('multi_gaussian', 2, 0.3, components => 3) AS weights_matter;

-- auto: the least expected error.
SELECT bool_and(a.expected_abs <= f.expected_abs) AS least, bool_or(a = f) AS one_of_them
FROM dpmix.calibrate('auto', 1, 1e-5) a,
     (VALUES ('gaussian'), ('multi_gaussian'), ('laplace')) m(name),
     dpmix.calibrate(m.name, 1, 1e-5) f;
SELECT (dpmix.calibrate('auto', 1, 0)).mechanism;
SELECT (dpmix.calibrate('auto', 1, 1e-6, components => 2)).components;
SELECT (dpmix.calibrate('multi_gaussian', 0.5, 1e-6)).components BETWEEN 25 AND 30 AS components;

-- Noise: as calibrated, on the lattice of sensitivity / 2^20.
SELECT m.name, count(*), bool_and(z * 1048576 / 3 = round(z * 1048576 / 3)) AS on_lattice,
       abs(avg(abs(z)) / min(c.expected_abs) - 1) < 0.15 AS expected_abs
FROM (VALUES ('gaussian'), ('multi_gaussian'), ('laplace'), ('auto')) m(name),
     dpmix.calibrate(m.name, 1, 1e-3, 3) c,
     dpmix.noise(m.name, 1, 1e-3, 3, 10000) z
GROUP BY m.name ORDER BY m.name;
SELECT count(DISTINCT z) > 90 AS fresh FROM (SELECT dpmix.noise('gaussian', 1, 1e-3, 1, 50) z
                                             UNION ALL SELECT dpmix.noise('gaussian', 1, 1e-3, 1, 50)) t;

-- Everyone may plan.
SELECT has_function_privilege('public', 'dpmix.calibrate(text, float8, float8, float8, int)', 'execute') AS calibrate,
       has_function_privilege('public', 'dpmix.noise(text, float8, float8, float8, int, int)', 'execute') AS noise;

-- Refusals.
CREATE FUNCTION pg_temp.refused(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; detail text; hint text;
BEGIN
    EXECUTE call;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
        detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN format('%s %s | %s | %s', state, message, detail, hint);
END $$;
\pset format unaligned
SELECT pg_temp.refused('SELECT dpmix.calibrate(' || arguments || ')') FROM (VALUES
    ('''gaussian'', -1, 1e-6'), ('''gaussian'', 1e8, 1e-6'), ('''gaussian'', ''NaN'', 1e-6'),
    ('''gaussian'', 1, 1'), ('''multi_gaussian'', 1, -0.1'), ('''gaussian'', 1, 0'),
    ('''multi_gaussian'', 1, 1e-301'), ('''cauchy'', 1, 1e-6'), ('NULL, 1, 1e-6'),
    ('''gaussian'', NULL, 1e-6'), ('''laplace'', 1, NULL'), ('''laplace'', 1, 0, NULL'),
    ('''laplace'', 1, 0, 0'), ('''laplace'', 1, 0, ''Infinity'''),
    ('''multi_gaussian'', 1, 1e-6, components => 0'),
    ('''multi_gaussian'', 1, 1e-6, components => 1001'),
    ('''laplace'', 1, 1e-6, components => 3')) t(arguments);
SELECT pg_temp.refused('SELECT dpmix.delta_of(' || arguments || ')') FROM (VALUES
    ('''gaussian'', -1, 1'), ('''gaussian'', 1, 0'), ('''gaussian'', 1, NULL'),
    ('''auto'', 1, 1'), ('''multi_gaussian'', 1, 1'), ('''gaussian'', 1, 1, components => 2'),
    ('''multi_gaussian'', 1, 1, components => 1001'),
    ('''multi_gaussian'', 1, 1e-9, components => 2'),
    ('''multi_gaussian'', 1, 1, components => 2, weight_epsilon => -1'),
    ('''gaussian'', 1, 1, shift => 1.5'), ('''gaussian'', 1, 1, shift => -0.5')) t(arguments);
SELECT pg_temp.refused('SELECT dpmix.noise(' || arguments || ')') FROM (VALUES
    ('''gaussian'', 1, 1e-6, 1, 0'), ('''gaussian'', 1, 1e-6, 1, 10000001'),
    ('''gaussian'', 1, 1e-6, 1, NULL'), ('''gaussian'', 1, 1e-6, -1, 5'),
    ('NULL, 1, 1e-6, 1, 5')) t(arguments);

-- A cancel stops a long computation.
SET statement_timeout = '200ms';
\set VERBOSITY terse
SELECT count(*) FROM dpmix.noise('gaussian', 1, 1e-6, 1, 10000000);
RESET statement_timeout;
