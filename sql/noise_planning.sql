SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;

-- Certified calibration. The published code's scale .2368 for this setting has delta .150.
SELECT mechanism, abs(scale / 0.28693 - 1) < 0.005 AS scale, components,
       abs(expected_abs / 0.4501 - 1) < 0.001 AS expected_abs,
       abs(variance / 0.4444 - 1) < 0.001 AS variance,
       delta_certified BETWEEN 0.0098 AND 0.01 AS delta_certified
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

-- Every family: certified; bounded where it is cut off; delta_of knows it again.
CREATE TEMP TABLE family(name text, pure boolean, components int);
INSERT INTO family VALUES ('gaussian', false, NULL), ('multi_gaussian', false, 4), ('quasi_gaussian', false, NULL),
    ('laplace', true, NULL), ('staircase', true, NULL), ('truncated_laplace', false, NULL), ('tulap', false, NULL),
    ('optimal', false, NULL);
SELECT mechanism, bool_and(delta_certified <= CASE WHEN pure THEN 0 ELSE delta END) AS certified,
       bool_and(expected_abs > 0 AND variance >= expected_abs ^ 2 AND scale > 0) AS moments,
       bool_and(support > expected_abs) AS bounded
FROM (VALUES (0.3, 1e-6), (1, 1e-3), (2, 0.01), (5, 0.1)) cell(epsilon, delta), family f,
     dpmix.calibrate(f.name, epsilon, delta, 3, f.components) c
WHERE f.name <> 'optimal'
GROUP BY mechanism ORDER BY mechanism;
SELECT bool_and(delta_certified <= delta) AS optimal_certified, bool_or(support IS NULL OR support > expected_abs) AS support
FROM (VALUES (0.3, 1e-6), (1, 1e-3), (2, 0.01), (5, 0.1)) cell(epsilon, delta), dpmix.calibrate('optimal', epsilon, delta, 3) c;
SELECT f.name, dpmix.delta_of(f.name, 2, c.scale, 3, c.components, cutoff => c.support) BETWEEN 0.98 * c.delta_certified AND 1.001 * c.delta_certified + 1e-14 AS known_again
FROM family f, dpmix.calibrate(f.name, 2, 0.01, 3, f.components) c
WHERE f.name <> 'optimal' ORDER BY f.name;
SELECT f.name, max(d) <= 1.001 * c.delta_certified + 1e-14 AS no_shift_is_worse, max(d) >= 0.99 * c.delta_certified AS worst_is_near
FROM family f, dpmix.calibrate(f.name, 2, 0.01, 3, f.components) c, generate_series(0, 100) i,
     dpmix.delta_of(f.name, 2, c.scale, 3, c.components, shift => 3 * i / 100.0, cutoff => c.support) d
WHERE f.name <> 'optimal' GROUP BY f.name, c.delta_certified ORDER BY f.name;
-- Less room than the cutoff was made for costs delta; more makes none.
SELECT m, dpmix.delta_of(m, 1, c.scale, 1, cutoff => 0.9 * c.support) > 1.05e-3 AS tighter,
       dpmix.delta_of(m, 1, c.scale, 1, cutoff => 'Infinity') < 1e-12 AS unbounded
FROM unnest('{truncated_laplace,tulap}'::text[]) m, dpmix.calibrate(m, 1, 1e-3) c;
-- Truncated Laplace: scale and support of Geng et al. 2020.
SELECT abs(scale - 0.5) < 1e-6 AS scale, abs(support / (0.5 * ln(1 + (exp(2) - 1) / 0.02)) - 1) < 1e-5 AS support
FROM dpmix.calibrate('truncated_laplace', 2, 0.01);
-- Staircase: E|Z| of Geng and Viswanath 2014.
SELECT abs(expected_abs / (exp(1) / (exp(2) - 1)) - 1) < 1e-5 AS expected_abs, support FROM dpmix.calibrate('staircase', 2, 0);
-- Weights of the quasi-Gaussian's centre.
SELECT dpmix.delta_of('quasi_gaussian', 2, 0.8, weight_epsilon => 1) <> dpmix.delta_of('quasi_gaussian', 2, 0.8) AS weights_matter;

-- auto: the least expected error of all families, the two mixtures too, though they are not tried.
SELECT epsilon, delta, bool_and(a.expected_abs <= f.expected_abs * 1.000001) AS least, bool_or(a = f) AS one_of_them
FROM (VALUES (0.02, 1e-8), (0.3, 0.1), (1, 1e-5), (2, 0.01), (5, 0.1), (9, 1e-9)) cell(epsilon, delta),
     dpmix.calibrate('auto', epsilon, delta) a, family m, dpmix.calibrate(m.name, epsilon, delta) f
GROUP BY epsilon, delta ORDER BY epsilon;
SELECT (dpmix.calibrate('auto', 1, 0)).mechanism;
SELECT (dpmix.calibrate('auto', 1, 1e-6, components => 2)).components;
SELECT (dpmix.calibrate('multi_gaussian', 0.5, 1e-6)).components BETWEEN 25 AND 30 AS components;

-- Noise: as calibrated, on the lattice of sensitivity / 2^20, and as often within its interval as
-- the level says: within seven deviations.
CREATE TEMP TABLE noise AS
    SELECT m.name, z, expected_abs, half_width, quartile
    FROM (SELECT name FROM family UNION SELECT 'auto') m,
         LATERAL (SELECT expected_abs, dpmix.noise_interval(m.name, 1, 1e-3, 3) AS half_width,
                         dpmix.noise_interval(m.name, 1, 1e-3, 3, level => 0.5) AS quartile
                  FROM dpmix.calibrate(m.name, 1, 1e-3, 3) OFFSET 0) known,
         LATERAL (SELECT dpmix.noise(m.name, 1, 1e-3, 3, 10000) z) draws;
SELECT name, count(*), bool_and(z * 1048576 / 3 = round(z * 1048576 / 3)) AS on_lattice,
       abs(avg(abs(z)) / min(expected_abs) - 1) < 0.15 AS expected_abs,
       abs(avg((abs(z) <= half_width)::int) - 0.95) < 0.016 AS within_95,
       abs(avg((abs(z) <= quartile)::int) - 0.5) < 0.036 AS within_50
FROM noise GROUP BY name ORDER BY name;
SELECT abs(dpmix.noise_interval('gaussian', 1, 1e-3, 3) / (1.959963984540054 * (dpmix.calibrate('gaussian', 1, 1e-3, 3)).scale) - 1) < 1e-6 AS gaussian,
       abs(dpmix.noise_interval('laplace', 0.5, 0, 2, 0.99) / (4 * -ln(0.01)) - 1) < 1e-6 AS laplace,
       dpmix.noise_interval('truncated_laplace', 1, 1e-3, 1, 0.999999999) <= (dpmix.calibrate('truncated_laplace', 1, 1e-3)).support AS within_support;
SELECT count(DISTINCT z) > 90 AS fresh FROM (SELECT dpmix.noise('gaussian', 1, 1e-3, 1, 50) z
                                             UNION ALL SELECT dpmix.noise('gaussian', 1, 1e-3, 1, 50)) t;

-- How many queries a budget is good for.
SELECT a AS accountant, m AS mechanism, dpmix.charges_admitted(4, 1e-6, a, m, 0.1, 1e-9) AS counts,
       dpmix.charges_admitted(4, 1e-6, a, m, 0.1, 1e-9, statistics => 3) AS of_three,
       dpmix.charges_admitted(4, 1e-6, a, m, 0.1, 1e-9, lattice_steps => 1048576) AS sums
FROM unnest('{basic,renyi}'::text[]) a, unnest('{gaussian,multi_gaussian,quasi_gaussian,laplace,staircase,truncated_laplace,tulap,optimal,auto}'::text[]) m;
SELECT dpmix.charges_admitted(4, 0, 'basic', 'laplace', 0.1, 0) AS decimals, dpmix.charges_admitted(4, 0, 'basic', 'gaussian', 0.1, 1e-9) AS no_delta,
       dpmix.charges_admitted(4, 2e-9, 'basic', 'gaussian', 0.1, 1e-9) AS delta_for_two, dpmix.charges_admitted(4, 1e-6, 'renyi', 'laplace', 5, 0) AS too_large,
       dpmix.charges_admitted(1e7, 0.1, 'basic', 'laplace', 1e-6, 0) AS many;

-- Everyone may plan.
SELECT p.proname, has_function_privilege('public', p.oid, 'execute') AS everyone, p.provolatile, p.proparallel
FROM pg_proc p WHERE p.pronamespace = 'dpmix'::regnamespace
    AND p.proname IN ('calibrate', 'delta_of', 'noise', 'noise_interval', 'charges_admitted') ORDER BY 1;

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
-- Whatever the family: PV005 with the valid range, or the argument that is NULL.
SELECT bad, count(*) AS families, count(*) FILTER (WHERE refused !~ '^PV005 [^|]+ \| ([^|]*(must be|needs at least) [^|]+|It is argument \d of dpmix\.\w+\.) \| [^|]+$') AS otherwise,
       min(refused) AS example
FROM (SELECT name FROM family UNION SELECT 'auto') f(name),
     (VALUES (1, '0, 1e-6, 1'), (2, '1e9, 1e-6, 1'), (3, '-1, 1e-6, 1'), (4, '''Infinity'', 1e-6, 1'),
             (5, '''NaN'', 1e-6, 1'), (6, 'NULL, 1e-6, 1'), (7, '1, -0.1, 1'), (8, '1, 0.6, 1'),
             (9, '1, ''NaN'', 1'), (10, '1, NULL, 1'), (11, '1, ''-Infinity'', 1'), (12, '1, 1e-6, 0'),
             (13, '1, 1e-6, -2'), (14, '1, 1e-6, ''NaN'''), (15, '1, 1e-6, NULL'), (16, '1, 1e-6, ''Infinity''')) b(n, bad),
     (VALUES ('SELECT dpmix.calibrate(%L, %s)'), ('SELECT dpmix.noise(%L, %s, 5)'), ('SELECT dpmix.noise_interval(%L, %s)')) call(text),
     LATERAL (SELECT pg_temp.refused(format(call.text, f.name, bad))) r(refused)
GROUP BY n, bad ORDER BY n;
SELECT name, pg_temp.refused(format('SELECT dpmix.calibrate(%L, 1, 0)', name)) FROM family WHERE NOT pure;
SELECT name, pg_temp.refused(format('SELECT dpmix.calibrate(%L, 1, 1e-301)', name)) ~ '^(PV005 .*at least 1e-300|accepted)' AS tiny,
       pg_temp.refused(format('SELECT dpmix.calibrate(%L, 1, 0.01, components => 0)', name)) AS zero_components
FROM family;
SELECT bad, pg_temp.refused(format('SELECT dpmix.calibrate(%s)', bad)) FROM (VALUES
    ('''cauchy'', 1, 1e-6'), ('NULL, 1, 1e-6'), ('''multi_gaussian'', 1, 1e-6, components => 1001'),
    ('''laplace'', 1, 1e-6, components => 3'), ('''auto'', 1, 1e-6, components => 0'), ('''auto'', 1, 0, components => 2'),
    ('''gaussian'', 1e-6, 1e-6, 1e305')) b(bad);

-- delta_of: scale and shift of every family.
SELECT bad, count(*) AS families, count(*) FILTER (WHERE refused !~ '^PV005 [^|]+ \| ([^|]*must be [^|]+|It is argument \d of dpmix\.\w+\.) \| [^|]+$') AS otherwise, min(refused) AS example
FROM family f, (VALUES (1, '0, 1'), (2, '1e9, 1'), (3, '''NaN'', 1'), (4, 'NULL, 1'), (5, '1, 0'), (6, '1, -1'), (7, '1, ''NaN'''),
                       (8, '1, NULL'), (9, '1, ''Infinity'''), (10, '1, 1, 0'), (11, '1, 1, -1'), (12, '1, 1, NULL'),
                       (13, '1, 1, ''Infinity'''), (14, '1, 1, shift => 1.5'), (15, '1, 1, shift => -0.5'),
                       (16, '1, 1, shift => ''NaN''')) b(n, bad),
     LATERAL (SELECT CASE f.name WHEN 'multi_gaussian' THEN ', components => 2' WHEN 'tulap' THEN ', cutoff => 9'
                                 WHEN 'truncated_laplace' THEN ', cutoff => 9' ELSE '' END) a(rest),
     LATERAL (SELECT pg_temp.refused(format('SELECT dpmix.delta_of(%L, %s%s)', f.name, bad, rest))) r(refused)
WHERE f.name <> 'optimal' GROUP BY n, bad ORDER BY n;
SELECT bad, pg_temp.refused(format('SELECT dpmix.delta_of(%s)', bad)) FROM (VALUES
    ('''auto'', 1, 1'), ('''optimal'', 1, 1'), ('''multi_gaussian'', 1, 1'), ('''gaussian'', 1, 1, components => 2'),
    ('''staircase'', 1, 1, components => 2'), ('''multi_gaussian'', 1, 1, components => 0'),
    ('''multi_gaussian'', 1, 1, components => 1001'), ('''multi_gaussian'', 1, 1e-9, components => 2'),
    ('''multi_gaussian'', 1, 1, components => 2, weight_epsilon => -1'), ('''quasi_gaussian'', 1, 1, weight_epsilon => -1'),
    ('''quasi_gaussian'', 1, 1e-9'), ('''staircase'', 1, 1e-8'), ('''staircase'', 1, 1, cutoff => 5'),
    ('''gaussian'', 1, 1, cutoff => 5'), ('''tulap'', 1, 1'), ('''truncated_laplace'', 1, 1'),
    ('''truncated_laplace'', 1, 1, cutoff => -1'), ('''tulap'', 1, 1, cutoff => 1e12'),
    ('''tulap'', 1, 1, cutoff => ''NaN''')) b(bad);
SELECT bad, pg_temp.refused(format('SELECT dpmix.noise(%s)', bad)) FROM (VALUES
    ('''gaussian'', 1, 1e-6, 1, 0'), ('''gaussian'', 1, 1e-6, 1, 10000001'), ('''gaussian'', 1, 1e-6, 1, NULL'),
    ('''gaussian'', 1, 1e-6, 1e-307, 5'), ('''gaussian'', 1e-6, 1e-6, 1e305, 5'), ('NULL, 1, 1e-6, 1, 5')) b(bad);
SELECT bad, pg_temp.refused(format('SELECT dpmix.noise_interval(%s)', bad)) FROM (VALUES
    ('''gaussian'', 1, 1e-6, 1, 0'), ('''laplace'', 1, 1e-6, 1, 1'), ('''laplace'', 1, 1e-6, 1, ''NaN'''),
    ('''tulap'', 1, 1e-6, 1, NULL'), ('''optimal'', 1, 1e-6, 1, -0.5'), ('''gaussian'', 1, 1e-6, 1, 0.9, 3')) b(bad);
SELECT bad, pg_temp.refused(format('SELECT dpmix.charges_admitted(%s)', bad)) FROM (VALUES
    ('4, 0, ''renyi'', ''laplace'', 1, 0'), ('0, 0, ''basic'', ''laplace'', 1, 0'), ('NULL, 0, ''basic'', ''laplace'', 1, 0'), ('''NaN'', 0, ''basic'', ''laplace'', 1, 0'),
    ('4, 0.5, ''basic'', ''laplace'', 1, 0'), ('4, NULL, ''basic'', ''laplace'', 1, 0'), ('4, 0, ''exact'', ''laplace'', 1, 0'), ('4, 0, NULL, ''laplace'', 1, 0'),
    ('4, 0, ''basic'', ''cauchy'', 1, 0'), ('4, 0, ''basic'', NULL, 1, 0'), ('4, 0, ''basic'', ''laplace'', 0, 0'), ('4, 0, ''basic'', ''laplace'', NULL, 0'),
    ('4, 0, ''basic'', ''laplace'', 1, NULL'), ('4, 0, ''basic'', ''gaussian'', 1, 0'), ('4, 0, ''basic'', ''laplace'', 1, 0, 0'), ('4, 0, ''basic'', ''laplace'', 1, 0, 1001'),
    ('4, 0, ''basic'', ''laplace'', 1, 0, NULL'), ('4, 0, ''basic'', ''laplace'', 1, 0, 1, 0'), ('4, 0, ''basic'', ''laplace'', 1, 0, 1, NULL'),
    ('4, 0, ''basic'', ''laplace'', 1, 0, 1, 9007199254740993'), ('4, 0, ''basic'', ''staircase'', 1e-6, 0, 2')) b(bad);

-- A plan: one release is what it was calibrated for; many cost less than their sum, and less than any accountant says.
SELECT round(dpmix.plan_epsilon('{gaussian}', '{1}', '{1e-6}', '{1}', 1e-6)::numeric, 2) AS one,
       dpmix.plan_epsilon('{laplace,any}', '{0.1,0.2}', '{0,1e-8}', '{50,5}', 1e-6) BETWEEN 2 AND 4 AS of_6,
       dpmix.plan_epsilon('{any}', '{1}', '{1e-3}', '{10}', 1e-6) AS nothing_proved;
SELECT dpmix.plan_epsilon(ARRAY[m], '{0.1}', ARRAY[d], '{100}', 1e-6) < 7 AS below_the_sum_of_10, m
FROM (VALUES ('laplace', 0), ('staircase', 0), ('gaussian', 1e-9), ('truncated_laplace', 1e-9), ('tulap', 1e-9), ('optimal', 1e-9)) v(m, d);
SELECT bad, pg_temp.refused(format('SELECT dpmix.plan_epsilon(%s)', bad)) FROM (VALUES
    ('''{laplace}'', ''{1,2}'', ''{0}'', ''{1}'', 1e-6'), ('''{}'', ''{}'', ''{}'', ''{}'', 1e-6'), ('''{laplace}'', ''{NULL}'', ''{0}'', ''{1}'', 1e-6'),
    ('''{auto}'', ''{1}'', ''{0}'', ''{1}'', 1e-6'), ('''{cauchy}'', ''{1}'', ''{0}'', ''{1}'', 1e-6'), ('''{any}'', ''{0}'', ''{0}'', ''{1}'', 1e-6'),
    ('''{any}'', ''{1}'', ''{0.6}'', ''{1}'', 1e-6'), ('''{any}'', ''{1}'', ''{0}'', ''{0}'', 1e-6'), ('''{any}'', ''{1}'', ''{0}'', ''{1}'', 0'),
    ('''{gaussian}'', ''{1}'', ''{0}'', ''{1}'', 1e-6'), ('NULL, ''{1}'', ''{0}'', ''{1}'', 1e-6')) b(bad);

-- A cancel stops a long computation.
SET statement_timeout = '200ms';
\set VERBOSITY terse
SELECT count(*) FROM dpmix.noise('gaussian', 1, 1e-6, 1, 10000000);
RESET statement_timeout;
