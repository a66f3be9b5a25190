-- Bounds by category: sums and averages use those of the category that GROUP BY, WHERE, FILTER or CASE says.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
LOAD 'dpmix';
\set SHOW_CONTEXT never
CREATE SCHEMA category_bounds;
SET search_path = category_bounds;
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; detail text; hint text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN format('%s %s%s%s', state, message, CASE WHEN detail = '' THEN ' (no detail)' END, CASE WHEN hint = '' THEN ' (no hint)' END);
END $$;

-- Values of each test go beyond its bounds on both sides; some tests are not declared, one row in nine has none.
CREATE TABLE lab (id int PRIMARY KEY, test text, code int NOT NULL, site text NOT NULL, value float8, whole int);
INSERT INTO lab SELECT i, (ARRAY['sbp', 'fib4', 'bmi', 'zzz', NULL, 'sbp', 'fib4', 'hb', 'sbp'])[i % 9 + 1], i % 3, 's' || i % 2,
    CASE WHEN i % 50 = 0 THEN NULL WHEN i % 77 = 0 THEN float8 'NaN' WHEN i % 78 = 0 THEN 'Infinity' ELSE i % 400 - 20 END, i % 400 - 20
FROM generate_series(1, 9000) AS i;
ANALYZE lab;
SELECT dpmix.protect('lab', epsilon => 1e7, delta => .4);
SELECT column_name, lower, upper, source FROM dpmix.declare('lab', '{"value": {"by": "test", "bounds": {"sbp": [60, 260], "fib4": [0, 30], "bmi": [-5, 5]}},
    "whole": {"by": "code", "bounds": {"0": [0, 10], "2": [100, 300]}}, "test": {"categories": ["sbp", "fib4", "bmi"], "other": true}, "code": {"categories": [0, 1, 2]}, "site": ["s0", "s1"]}');
SELECT column_name, lower, upper, by_column, bounds_by FROM dpmix.columns WHERE relation = 'lab'::regclass AND by_column IS NOT NULL;
SELECT value FROM dpmix.describe('lab') WHERE item = 'value';

SELECT column_name, finding, exact_number, warning FROM dpmix.check('lab') WHERE column_name IN ('value', 'whole');

-- What each row counts as. Of one of fib4: within [0, 30].
CREATE FUNCTION kept(test text, value float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN value IS NULL OR value = 'NaN' THEN NULL ELSE CASE test WHEN 'sbp' THEN least(greatest(value, 60), 260) WHEN 'fib4' THEN least(greatest(value, 0), 30)
        WHEN 'bmi' THEN least(greatest(value, -5), 5) ELSE least(greatest(value, -5), 260) END END $$;
CREATE VIEW groups AS SELECT CASE WHEN test IN ('sbp', 'fib4', 'bmi') THEN test WHEN test IS NULL THEN NULL ELSE 'other' END AS test, sum(kept(test, value)), avg(kept(test, value)),
    sum(kept(test, value)) FILTER (WHERE site = 's1') AS filtered FROM lab GROUP BY 1;
SELECT n.test, abs(n.sum - g.sum) < 1 AS sum, abs(n.avg - g.avg) < 1e-3 AS avg, abs(n.filtered - g.filtered) < 1 AS filtered
FROM dpmix.query('SELECT test, dp_sum(value), dp_avg(value), dp_sum(value) FILTER (WHERE site = ''s1'') FROM lab GROUP BY test', epsilon => 1e5)
    AS n(test text, sum float8, avg float8, filtered float8) JOIN groups g ON g.test IS NOT DISTINCT FROM n.test ORDER BY 1;
-- Beside another key, and where groups are found. All values that are not declared are others.
SELECT bool_and(abs(n.sum - g.sum) < 1), count(*) FROM dpmix.query('SELECT site, test, dp_sum(value) FROM lab GROUP BY site, test', epsilon => 1e5) AS n(site text, test text, sum float8)
    JOIN (SELECT site, CASE WHEN test IN ('zzz', 'hb') THEN 'other' ELSE test END AS test, sum(kept(test, value)) FROM lab GROUP BY 1, 2) g ON g.site = n.site AND g.test IS NOT DISTINCT FROM n.test;
SELECT bool_and(abs(n.avg - g.avg) < .05), count(*) FROM dpmix.query('SELECT test, dp_avg(value) FROM lab GROUP BY test', epsilon => 1e5, delta => .1, keys => 'discover') AS n(test text, avg float8)
    JOIN (SELECT test, avg(kept(test, value)) FROM lab GROUP BY 1) g ON g.test IS NOT DISTINCT FROM n.test;
SELECT bool_and(abs(n.sum - g.sum) < 1), count(*) FROM dpmix.query('SELECT code, dp_sum(whole) FROM lab GROUP BY code', epsilon => 1e5) AS n(code int, sum float8)
    JOIN (SELECT code, sum(CASE code WHEN 0 THEN least(greatest(whole, 0), 10) WHEN 2 THEN least(greatest(whole, 100), 300) ELSE least(greatest(whole, 0), 300) END) FROM lab GROUP BY 1) g USING (code);

-- The noise of each group is that of its own bounds: as wide as where these are declared for all rows. Intervals of
-- sums depend on the noise alone.
CREATE TABLE plain (id int PRIMARY KEY, sbp float8, fib4 float8, bmi float8, widest float8, two float8, below float8, twice float8);
SELECT dpmix.protect('plain', epsilon => 1e7, delta => .4);
SELECT FROM dpmix.declare('plain', '{"sbp": [60, 260], "fib4": [0, 30], "bmi": [-5, 5], "widest": [-5, 260], "two": [-5, 30], "below": [0, 20], "twice": [-5, 60]}');
CREATE FUNCTION width(bounds text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE made float8;
BEGIN
    EXECUTE format('SELECT high - low FROM dpmix.query(%L, epsilon => 1) AS t(low float8, high float8)', format('SELECT dp_low(dp_sum(%1$I)), dp_high(dp_sum(%1$I)) FROM plain', bounds)) INTO made;
    RETURN made;
END $$;
SELECT n.test, abs((high - low) / width(bounds) - 1) < 1e-6 AS same
FROM dpmix.query('SELECT test, dp_low(dp_sum(value)), dp_high(dp_sum(value)) FROM lab GROUP BY test', epsilon => 1) AS n(test text, low float8, high float8)
    JOIN (VALUES ('sbp', 'sbp'), ('fib4', 'fib4'), ('bmi', 'bmi'), ('other', 'widest'), (NULL, 'widest')) AS b(test, bounds) ON b.test IS NOT DISTINCT FROM n.test ORDER BY 1;
CREATE FUNCTION width_here(what text, rest text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE made float8;
BEGIN
    EXECUTE format('SELECT high - low FROM dpmix.query(%L, epsilon => 1) AS t(low float8, high float8)', format('SELECT dp_low(%1$s), dp_high(%1$s) FROM lab %2$s', what, rest)) INTO made;
    RETURN made;
END $$;
SELECT what, rest, abs(width_here(what, rest) / width(bounds) - 1) < 1e-6 AS same FROM (VALUES
    ('dp_sum(value)', 'WHERE test = ''fib4''', 'fib4'), ('dp_sum(value)', 'WHERE ''sbp'' = test', 'sbp'), ('dp_sum(value)', 'WHERE test IN (''fib4'', ''bmi'')', 'two'),
    ('dp_sum(value)', 'WHERE test IN (''fib4'', ''zzz'')', 'widest'), ('dp_sum(value)', 'WHERE test = ''zzz''', 'widest'), ('dp_sum(value)', 'WHERE test <> ''sbp''', 'widest'),
    ('dp_sum(value)', 'WHERE test = ''fib4'' AND value < 20', 'below'), ('dp_sum(value)', '', 'widest'), ('dp_sum(value) FILTER (WHERE test = ''fib4'')', '', 'fib4'),
    ('dp_sum(CASE WHEN test = ''fib4'' THEN value END)', '', 'fib4'), ('dp_sum(CASE test WHEN ''bmi'' THEN value WHEN ''fib4'' THEN value * 2 ELSE 0 END)', '', 'twice'),
    ('dp_sum(CASE WHEN test <> ''fib4'' THEN value END)', '', 'widest')) AS c(what, rest, bounds);
SELECT bool_and(abs(noisy - exact) < 1) FROM dpmix.query($$SELECT dp_sum(value) FILTER (WHERE test = 'fib4'), dp_sum(CASE WHEN test = 'bmi' THEN value END), dp_sum(value) FROM lab$$, epsilon => 1e5) AS n(a float8, b float8, c float8),
    (SELECT sum(kept(test, value)) FILTER (WHERE test = 'fib4') AS a, sum(kept(test, value)) FILTER (WHERE test = 'bmi') AS b, sum(kept(NULL, value)) AS c FROM lab) g, LATERAL (VALUES (n.a, g.a), (n.b, g.b), (n.c, g.c)) AS v(noisy, exact);

-- Drawn noise: of each category in 500 groups without rows, within a quarter of what its bounds make of preview's,
-- which is that of the widest. That is eight standard errors of a deviation of 500 draws.
CREATE TABLE cells (id int PRIMARY KEY, test text NOT NULL, k int NOT NULL, value float8 NOT NULL);
SELECT dpmix.protect('cells', epsilon => 1e7, delta => .4);
SELECT FROM dpmix.declare('cells', jsonb_build_object('value', '{"by": "test", "bounds": {"sbp": [60, 260], "fib4": [0, 30], "bmi": [-5, 5]}}'::jsonb, 'test', '["sbp", "fib4", "bmi"]'::jsonb,
    'k', jsonb_build_object('categories', (SELECT jsonb_agg(i) FROM generate_series(1, 500) AS i))));
SELECT test, abs(sqrt(avg(sum * sum)) / (noise_stddev * CASE test WHEN 'sbp' THEN 260 WHEN 'fib4' THEN 30 ELSE 5 END / 260) - 1) < .25 AS as_declared, count(*)
FROM dpmix.query('SELECT test, k, dp_sum(value) FROM cells GROUP BY test, k', 1, 1e-6, 'gaussian') AS n(test text, k int, sum float8),
    dpmix.preview('SELECT test, k, dp_sum(value) FROM cells GROUP BY test, k', 1, 1e-6, 'gaussian') GROUP BY test, noise_stddev ORDER BY 1;
-- A row moves the sum of its own group, by no more than the bounds of its category, whatever it is; and no other.
INSERT INTO cells SELECT row_number() OVER (), test, row_number() OVER (), worst
FROM unnest('{sbp,fib4,bmi}'::text[]) AS test, unnest('{-Infinity,-1e300,0,7,1e300,Infinity}'::float8[]) AS worst;
SELECT n.test, bool_and(CASE WHEN c.test = n.test THEN abs(n.sum) <= CASE n.test WHEN 'sbp' THEN 260 WHEN 'fib4' THEN 30 ELSE 5 END + .1 ELSE abs(n.sum) < .1 END) AS within, round(max(n.sum)) AS most, count(*)
FROM dpmix.query('SELECT test, k, dp_sum(value) FROM cells GROUP BY test, k', epsilon => 1e5) AS n(test text, k int, sum float8) JOIN cells c USING (k) GROUP BY 1 ORDER BY 1;
SELECT n.test, bool_and(CASE WHEN c.test = n.test THEN abs(n.centred) <= CASE n.test WHEN 'sbp' THEN 100 WHEN 'fib4' THEN 15 ELSE 5 END + .1 ELSE abs(n.centred) < .1 END) AS within
FROM dpmix.query('SELECT test, k, dp_avg(value), dp_count(*) FROM cells GROUP BY test, k', epsilon => 1e5) AS t(test text, k int, avg float8, n bigint) JOIN cells c USING (k),
    LATERAL (SELECT t.test, t.n * (t.avg - CASE t.test WHEN 'sbp' THEN 160 WHEN 'fib4' THEN 15 ELSE 0 END)) AS n(test, centred) GROUP BY 1 ORDER BY 1;

-- Totals over several categories, and cubes, have one scale: the widest.
SELECT n.test, abs((high - low) / max(high - low) OVER () - 1) < 1e-6 AS as_wide FROM dpmix.query('SELECT test, dp_low(dp_sum(value)), dp_high(dp_sum(value)) FROM lab GROUP BY ROLLUP (test)', epsilon => 1, delta => 1e-6)
    AS n(test text, low float8, high float8) WHERE n.test IN ('sbp', 'fib4');
SELECT FROM dpmix.release_cube('by_test', 'lab', keys => '{test}', measures => '{count, sum(value)}', epsilon => 1e5, delta => 1e-2);
SELECT bool_and(abs(n.sum - g.sum) < 5), count(*) FROM dpmix.query('SELECT test, dp_sum(value) FROM lab GROUP BY test', epsilon => 1e5) AS n(test text, sum float8) JOIN groups g ON g.test IS NOT DISTINCT FROM n.test;

-- Where a row lies within its bounds, whatever it is: what sensitivity rests on.
SELECT bool_and(abs(p) <= 1), count(p) FROM unnest('{-Infinity,-1e300,-5,0,1e-9,7,30,260,1e300,Infinity,NULL}'::float8[]) AS x, generate_series(-1, 4) AS c,
    dpmix_internal.placed_number(x, c, '{60,0,-5}', '{260,30,5}', '{160,15,0}', '{100,15,5}') AS p;
SELECT dpmix_internal.placed_number('NaN', 0, '{0}', '{1}', '{0}', '{1}') AS nan, dpmix_internal.placed_number(7, NULL, '{60,0}', '{260,10}', '{160,5}', '{100,5}') AS others,
    dpmix_internal.placed_number(7, 0, '{}', '{}', '{}', '{}') AS none, dpmix_internal.placed_number(7, 0, '{0}', '{1,2}', '{0}', '{1}') AS unlike;

-- Memory goes by the bounds: others, and it is another question.
SELECT dpmix.set_memory('lab', keep => '7 days');
CREATE FUNCTION charges(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE before bigint = (SELECT count(*) FROM dpmix.ledger WHERE relation = 'category_bounds.lab');
BEGIN
    EXECUTE format('SELECT FROM dpmix.query(%L, epsilon => 1, delta => 1e-9) AS t(test text, sum float8)', query);
    RETURN (SELECT count(*) FROM dpmix.ledger WHERE relation = 'category_bounds.lab') - before;
END $$;
SELECT charges('SELECT test, dp_sum(value) FROM lab GROUP BY test');
SELECT charges('SELECT test, dp_sum(value) FROM lab GROUP BY test');
SELECT FROM dpmix.declare('lab', '{"value": {"by": "test", "bounds": {"sbp": [60, 260], "fib4": [0, 31], "bmi": [-5, 5]}}}');
SELECT charges('SELECT test, dp_sum(value) FROM lab GROUP BY test');

-- As policy; it follows the column that it goes by; plain bounds take its place.
SELECT jsonb_path_query(dpmix.policy('category_bounds'), '$.tables.lab.declare.value');
SELECT count(*) FROM dpmix.apply(dpmix.policy('category_bounds'));
ALTER TABLE lab RENAME test TO analyte;
SELECT by_column, bounds_by FROM dpmix.columns WHERE relation = 'lab'::regclass AND column_name = 'value';
SELECT abs(width_here('dp_sum(value)', 'WHERE analyte = ''bmi''') / width('bmi') - 1) < 1e-6 AS same;
ALTER TABLE lab ALTER code TYPE bigint;
SELECT lower, upper, by_column, bounds_by FROM dpmix.columns WHERE relation = 'lab'::regclass AND column_name = 'whole';
SELECT dpmix.set_bounds('lab', 'value', 0, 300);
SELECT lower, upper, by_column FROM dpmix.columns WHERE relation = 'lab'::regclass AND column_name = 'value';
SELECT FROM dpmix.declare('lab', '{"value": {"by": "analyte", "bounds": {"sbp": [60, 260], "fib4": [0, 30]}}}');
DROP VIEW groups;
ALTER TABLE lab DROP analyte;
SELECT lower, upper, by_column FROM dpmix.columns WHERE relation = 'lab'::regclass AND column_name = 'value';

-- People with several rows, whose rows are weighed; a view with a column for each test.
CREATE TABLE tested (person int NOT NULL, test text NOT NULL, value float8);
INSERT INTO tested SELECT i % 500, (ARRAY['sbp', 'fib4'])[1 + i / 500 % 2], CASE WHEN i / 500 % 2 = 0 THEN 50 + i % 300 ELSE i % 45 END FROM generate_series(0, 3999) AS i;
SELECT dpmix.protect('tested', 1e7, .4, privacy_unit => 'person', max_rows_per_unit => 8);
SELECT FROM dpmix.declare('tested', '{"test": ["sbp", "fib4"], "value": {"by": "test", "bounds": {"sbp": [60, 260], "fib4": [0, 30]}}}');
SELECT test, abs(n.sum - g.sum) < 100 AS sum, abs(n.avg - g.avg) < .1 AS avg FROM dpmix.query('SELECT test, dp_sum(value), dp_avg(value) FROM tested GROUP BY test', 1e5, .1) AS n(test text, sum float8, avg float8)
    JOIN (SELECT test, sum(kept(test, value)), avg(kept(test, value)) FROM tested GROUP BY 1) AS g USING (test) ORDER BY 1;
CREATE VIEW wide AS SELECT person, max(CASE WHEN test = 'sbp' THEN value END) AS sbp, avg(CASE WHEN test = 'fib4' THEN value END) AS fib4 FROM tested GROUP BY person;
SELECT item, value FROM dpmix.describe('wide') WHERE section = 'column';
SELECT abs(n.sbp - g.sbp) < .1 AS sbp, abs(n.fib4 - g.fib4) < .1 AS fib4 FROM dpmix.query('SELECT dp_avg(sbp), dp_avg(fib4) FROM wide', 1e5, .1) AS n(sbp float8, fib4 float8),
    (SELECT avg(sbp) AS sbp, avg(fib4) AS fib4 FROM (SELECT max(kept(test, value)) FILTER (WHERE test = 'sbp') AS sbp, avg(kept(test, value)) FILTER (WHERE test = 'fib4') AS fib4 FROM tested GROUP BY person) AS s) AS g;
-- The same by FILTER, also of windows, and in plain SQL. CASE around an aggregate is about its group, and around a
-- window about its row: neither bounds what it is computed of.
CREATE VIEW filtered AS SELECT person, max(value) FILTER (WHERE test = 'sbp') AS sbp, avg(value) FILTER (WHERE test = 'fib4') AS fib4, sum(value) FILTER (WHERE test IN ('fib4', 'sbp')) AS both,
    CASE WHEN count(*) > 7 THEN sum(value) FILTER (WHERE test = 'fib4') END AS part, CASE WHEN max(value) > 1 THEN count(*) ELSE 0 END AS n,
    CASE WHEN count(*) > 7 THEN (SELECT count(*) FROM tested t WHERE t.person = o.person) END AS sub FROM tested o GROUP BY person;
SELECT item, value FROM dpmix.describe('filtered') WHERE section = 'column';
SELECT dpmix.expose('filtered', 'category_bounds.filtered_facade', default_epsilon => 1e5);
SELECT abs(n.sbp - g.sbp) < .1 AS sbp, abs(n.fib4 - g.fib4) < .1 AS fib4, abs(part - 4 * n.fib4) < 1 AS part, abs(n - 8) < .1 AS n, abs(sub - 8) < .1 AS sub
FROM (SELECT avg(sbp) AS sbp, avg(fib4) AS fib4, avg(part) AS part, avg(n) AS n, avg(sub) AS sub FROM filtered_facade) AS n,
    (SELECT avg(sbp) AS sbp, avg(fib4) AS fib4 FROM (SELECT max(kept(test, value)) FILTER (WHERE test = 'sbp') AS sbp, avg(kept(test, value)) FILTER (WHERE test = 'fib4') AS fib4 FROM tested GROUP BY person) AS s) AS g;
CREATE VIEW by_row AS SELECT person, test, max(value) FILTER (WHERE test = 'sbp') OVER (PARTITION BY person) AS sbp, CASE WHEN test = 'fib4' THEN max(value) OVER (PARTITION BY person) END AS most FROM tested;
SELECT item, value FROM dpmix.describe('by_row') WHERE section = 'column';
SELECT abs(n.sbp - g.sbp) < 1 AS sbp, abs(n.most - g.sbp) < 1 AS most FROM dpmix.query('SELECT dp_avg(sbp), dp_avg(most) FROM by_row', 1e5, .1) AS n(sbp float8, most float8),
    (SELECT avg(sbp) AS sbp FROM (SELECT max(kept(test, value)) FILTER (WHERE test = 'sbp') AS sbp FROM tested GROUP BY person) AS s) AS g;

-- An enum, and char(n); plain SQL.
CREATE TYPE kind AS ENUM ('low', 'high');
CREATE TABLE typed (id int PRIMARY KEY, kind kind, short char(5), a float8 NOT NULL, b numeric NOT NULL, at date);
INSERT INTO typed SELECT i, (ARRAY['low', 'high'])[i % 2 + 1]::kind, (ARRAY['x', 'y z'])[i % 2 + 1], i % 100, i % 100 FROM generate_series(1, 1000) AS i;
SELECT dpmix.protect('typed', epsilon => 1e7, delta => .4);
SELECT column_name, categories FROM dpmix.declare('typed', '{"a": {"by": "kind", "bounds": {"low": [0, 10], "high": [50, 60]}}, "b": {"by": "short", "bounds": {"x": [0, 5], "y z ": [0, 1]}}, "short": ["x", "y z"]}') WHERE categories IS NOT NULL;
SELECT dpmix.expose('typed', 'category_bounds.typed_facade');
SET dpmix.epsilon = 1e5;
SELECT n.kind, abs(n.avg - g.avg) < 1e-3 FROM (SELECT kind, avg(a) FROM typed_facade GROUP BY kind) n JOIN (SELECT kind, avg(CASE kind WHEN 'low' THEN least(greatest(a, 0), 10) ELSE least(greatest(a, 50), 60) END) FROM typed GROUP BY 1) g USING (kind) ORDER BY 1;
SELECT n.short, abs(n.sum - g.sum) < .1 FROM (SELECT short, sum(b) FROM typed_facade GROUP BY short) n JOIN (SELECT short, sum(CASE short WHEN 'x' THEN least(b, 5) ELSE least(b, 1) END) FROM typed GROUP BY 1) g USING (short) ORDER BY 1;
SELECT abs(sum(b) FILTER (WHERE short = 'x') - 2410) < 1 FROM typed_facade;
SELECT jsonb_path_query(dpmix.policy('category_bounds'), '$.tables.typed.declare.b');

SELECT refused(format('SELECT * FROM dpmix.declare(''typed'', %L)', domains)) FROM unnest(ARRAY[
    '{"a": {"by": "kind"}}', '{"a": {"by": "kind", "bounds": [0, 1]}}', '{"a": {"by": "kind", "bounds": {}}}', '{"a": {"by": 7, "bounds": {"low": [0, 1]}}}', '{"a": {"by": "kind", "bounds": {"low": [0]}}}',
    '{"a": {"by": "kind", "bounds": {"low": [0, null]}}}', '{"a": {"by": "kind", "bounds": {"low": [5, 5]}}}', '{"a": {"by": "kind", "bounds": {"lowest": [0, 5]}}}', '{"a": {"by": "none", "bounds": {"low": [0, 5]}}}',
    '{"a": {"by": "a", "bounds": {"1": [0, 5]}}}', '{"a": {"by": "at", "bounds": {"2020-01-01": [0, 5]}}}', '{"a": {"by": "kind", "nan_is_middle": true, "bounds": {"low": [0, 5]}}}',
    '{"at": {"by": "kind", "bounds": {"low": ["2020-01-01", "2021-01-01"]}}}', '{"b": {"by": "short", "bounds": {"x": [0, 5], "x ": [0, 6]}}}', '{"a": {"bounds": {"low": [0, 5]}}}']) AS domains;
SET client_min_messages = error;
SELECT dpmix.drop_release('by_test');
DROP SCHEMA category_bounds CASCADE;
