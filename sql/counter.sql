-- Running totals: each block pays once, when it enters; totals and windows are free.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA counting;
SET search_path = counting, public;
CREATE TABLE cases (id integer, day date, region text, seconds integer);
-- Days 0 to 29 from 2026-01-01: on each day 1000 rows, of which every fifth is in the north.
INSERT INTO cases SELECT i, date '2026-01-01' + i / 1000, CASE WHEN i % 5 = 0 THEN 'north' ELSE 'south' END, i % 60
    FROM generate_series(0, 29999) i;
SELECT dpmix.protect('cases', 2, 1e-6, blocks => 'day', blocks_from => '2026-01-01');
SELECT dpmix.set_categories('cases', 'region', '{north,south}');
SELECT dpmix.set_bounds('cases', 'seconds', 0, 60);
SET client_min_messages = notice;
SELECT name, steps, epsilon, delta, charge_share BETWEEN .1 AND .2 AS share, error BETWEEN 20 AND 40 AS error
    FROM dpmix.create_counter('cases', 'SELECT region, dp_count(*) AS n, dp_sum(seconds) AS s FROM cases GROUP BY region',
                              '1 day', '30 days', .8, 1e-7);
SELECT * FROM dpmix.counter('cases');
SELECT dpmix.run_counter('cases', '2026-01-11');
SELECT dpmix.run_counter('cases', '2026-01-11');
SELECT dpmix.run_counter('cases', '2026-01-12');
SELECT dpmix.run_counter('cases', '2026-01-15');
-- Each block once: those that enter.
SELECT blocks, kind, mechanism, epsilon, delta, parameters - 'counter_id' AS parameters FROM dpmix.charge
    WHERE kind = 'counter' ORDER BY id;
SELECT step, until, keys, value, abs(total / CASE keys ->> 'region' WHEN 'north' THEN .2 ELSE .8 END
                              / CASE value WHEN 'n' THEN 1 ELSE 29.5 END / (until::date - '2026-01-01') / 1000 - 1) < .2 AS near,
       low < total AND total < high AS between
    FROM dpmix.counter('cases');
-- A window.
SELECT step, until, abs(total - 3200) < 200 AS near FROM dpmix.counter('cases', 1, 3)
    WHERE value = 'n' AND keys = '{"region": "south"}' AND step = 3;
SELECT count(*) FROM dpmix.counter('cases', 1, 2);
SELECT count(*) FROM dpmix.counter('cases', 3);
SELECT count(*) FROM dpmix.counter('cases', 2, 1);
SELECT count(*) FROM dpmix.counter('cases', 0, 4);
SELECT name, relation, query, steps, made, until FROM dpmix.counters WHERE name = 'cases';
-- What is measured is stored whatever becomes of the transaction.
BEGIN;
SELECT dpmix.run_counter('cases', '2026-01-16');
ROLLBACK;
SELECT max(step) FROM dpmix.counter('cases');
BEGIN;
SELECT name FROM dpmix.create_counter('uncommitted', 'SELECT dp_count(*) AS n FROM cases', '1 day', '30 days', .1, 1e-7);
SELECT dpmix.run_counter('uncommitted', '2026-01-16');
ROLLBACK;
-- The query means what it meant.
SELECT dpmix.set_bounds('cases', 'seconds', 0, 600);
SELECT dpmix.run_counter('cases', '2026-01-17');
SELECT dpmix.set_bounds('cases', 'seconds', 0, 60);
SELECT dpmix.set_categories('cases', 'region', '{north,south,west}');
SELECT dpmix.run_counter('cases', '2026-01-17');
SELECT dpmix.set_categories('cases', 'region', '{north,south}');
SELECT dpmix.run_counter('cases', '2026-01-17');
SELECT count(*) FROM dpmix.charge WHERE relation = 'counting.cases';
-- When steps end.
SELECT dpmix.run_counter('cases', 'infinity');
SELECT dpmix.run_counter('cases', '2999-01-01');
SELECT dpmix.run_counter('cases', '1999-01-01');
-- Keys of one column, and of the block column: the same groups at each step, whatever was read by then.
SELECT dpmix.set_bounds('cases', 'day', date '2026-01-01', date '2026-12-31');
SELECT name FROM dpmix.create_counter('months', 'SELECT extract(month FROM day) AS month, extract(quarter FROM day) AS quarter, dp_count(*) AS n FROM cases GROUP BY 1, 2',
    '7 days', '21 days', .2, 1e-8);
SELECT dpmix.run_counter('months', '2026-01-09');
SELECT dpmix.run_counter('months', '2026-01-16');
SELECT keys, abs(total / 14000 - 1) < .2 AS near FROM dpmix.counter('months') WHERE step = 2 AND keys ->> 'month' = '1';
SELECT count(*) FROM dpmix.counter('months') WHERE step = 2;
-- Two steps of a week each: whole periods alone.
SELECT name, steps FROM dpmix.create_counter('weeks', 'SELECT dp_count(*) AS n FROM cases WHERE region = $1', '7 days', '14 days', .2, 1e-8, params => '{north}', grace => '3 days');
SELECT dpmix.run_counter('weeks', '2026-01-07');
SELECT dpmix.run_counter('weeks', '2026-01-08 12:00');
SELECT dpmix.run_counter('weeks', '2026-01-25');
SELECT dpmix.run_counter('weeks');
SELECT step, until, keys, value, abs(total - 200 * (until::date - '2026-01-01')) < 500 AS near FROM dpmix.counter('weeks');
SELECT blocks FROM dpmix.charge ORDER BY id DESC LIMIT 2;
SELECT dpmix.drop_counter('weeks');
SELECT dpmix.drop_counter('weeks');
-- What no counter can be.
CREATE FUNCTION pg_temp.try(query text, period text = '1 day', horizon text = '30 days', epsilon float8 = .1, delta float8 = 1e-8, name text = 'no')
    RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpmix.create_counter(name, query, period, horizon, epsilon, delta);
    RETURN 'made';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
SELECT pg_temp.try(q) FROM unnest(ARRAY[
    'SELECT region, dp_count(*) AS n FROM cases GROUP BY region HAVING dp_count(*) > 10',
    'SELECT dp_count(*) AS n FROM cases ORDER BY n',
    'SELECT dp_count(*) AS n FROM cases LIMIT 1',
    'SELECT dp_count(*) + 1 AS n FROM cases',
    'SELECT dp_low(dp_count(*), .95) AS n FROM cases',
    'SELECT dp_avg(seconds) AS n FROM cases',
    'SELECT dp_count(DISTINCT region) AS n FROM cases',
    'SELECT dp_median(seconds) AS n FROM cases',
    'SELECT dp_count(*) AS n FROM cases WHERE day > ''2026-01-02''',
    'SELECT dp_count(*) AS n FROM cases WHERE extract(dow FROM day) = 1',
    'SELECT dp_count(*) AS n FROM cases WHERE false',
    'SELECT dp_count(*) AS n FROM cases a JOIN cases b USING (id)',
    'SELECT dp_count(*) AS n FROM pg_class',
    'SELECT id, dp_count(*) AS n FROM cases GROUP BY id',
    'SELECT 1; SELECT 2']) q;
SELECT pg_temp.try('SELECT dp_count(*) AS n FROM cases', p, h) FROM (VALUES ('36 hours', '30 days'), ('1 month', '1 year'),
    ('0 days', '1 day'), ('1 day', '23 hours'), ('1 day', '10001 days'), ('2 days', '1 day')) v(p, h);
SELECT pg_temp.try('SELECT dp_count(*) AS n FROM cases', epsilon => e, delta => d) FROM (VALUES (0, 1e-8), (1, 0), (1e9, .1)) v(e, d);
SELECT pg_temp.try('SELECT dp_count(*) AS n FROM cases', name => n) FROM unnest('{"",cases}'::text[]) n;
SELECT dpmix.create_counter('no', 'SELECT dp_count(*) AS n FROM cases', '1 day', '30 days', .1, 1e-8, reserve => false);
SELECT dpmix.create_counter('no', 'SELECT dp_count(*) AS n FROM cases', '1 day', '30 days', .1, 1e-8, grace => '1 month');
SELECT dpmix.run_counter('no');
SELECT dpmix.counter('no');
-- A block that cannot pay: a step that has it pays nothing at all.
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) AS n FROM cases WHERE day = ''2026-01-22''', 1.9) AS t(n bigint);
SELECT dpmix.run_counter('cases', '2026-01-23');
SELECT dpmix.run_counter('cases', '2026-01-22');
SELECT dpmix.run_counter('cases', '2026-01-23');
SELECT blocks FROM dpmix.charge ORDER BY id DESC LIMIT 2;
-- Blocks of whole numbers have no clock; and the last of all steps.
SET client_min_messages = warning;
CREATE TABLE batches (batch integer, x float8);
INSERT INTO batches SELECT i / 100, 1 FROM generate_series(0, 999) i;
SELECT dpmix.protect('batches', 2, 1e-6, blocks => 'batch', accountant => 'renyi');
SELECT dpmix.set_bounds('batches', 'x', 0, 10);
SET client_min_messages = notice;
SELECT name, steps FROM dpmix.create_counter('batches', 'SELECT dp_sum(x) AS x FROM batches', '2', '4', 1.5, 1e-7);
SELECT dpmix.run_counter('batches');
SELECT dpmix.run_counter('batches', '3');
SELECT dpmix.run_counter('batches', '8');
SELECT dpmix.run_counter('batches', '10');
SELECT step, until, abs(total - until::int * 100) < 400 AS near FROM dpmix.counter('batches');
-- Units of several rows: each counts once in each block, whatever it has in others.
SET client_min_messages = warning;
CREATE TABLE stays (person integer, day date);
INSERT INTO stays SELECT i % 500, date '2026-01-01' + i / 1500 FROM generate_series(0, 14999) i;
SELECT dpmix.protect('stays', 4, 1e-6, privacy_unit => 'person', blocks => 'day', blocks_from => '2026-01-01');
SET client_min_messages = notice;
SELECT name, error < 30 AS error FROM dpmix.create_counter('stays', 'SELECT dp_count(*) AS n FROM stays', '1 day', '30 days', 2, 1e-7);
SELECT dpmix.run_counter('stays', '2026-01-06');
SELECT dpmix.run_counter('stays', '2026-01-11');
SELECT step, abs(total - 2500 * step) < 100 AS near FROM dpmix.counter('stays');
-- Too much for the noise that can be made, once sums are in 64ths: a query may ask it.
SET client_min_messages = warning;
CREATE TABLE heavy (day date, x bigint);
SELECT dpmix.protect('heavy', 4, 1e-6, blocks => 'day');
SELECT dpmix.set_bounds('heavy', 'x', 0, 4503599627370496);
SELECT pg_temp.try('SELECT dp_sum(x) AS x FROM heavy');
SELECT mechanism FROM dpmix.preview('SELECT dp_sum(x) AS x FROM heavy', .1, 1e-7, 'gaussian', all_blocks => true);
-- Accountants that cannot add it up, and tables without blocks.
SET client_min_messages = warning;
CREATE TABLE plain (day date);
SELECT dpmix.protect('plain', 1, 1e-6, blocks => 'day', accountant => 'basic');
SELECT pg_temp.try('SELECT dp_count(*) AS n FROM plain');
CREATE TABLE unblocked (day date);
SELECT dpmix.protect('unblocked', 1, 1e-6);
SELECT pg_temp.try('SELECT dp_count(*) AS n FROM unblocked');
RESET search_path;
