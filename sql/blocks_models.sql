-- Models, synthetic tables and comparisons of tables with blocks: each block that they read pays, and no other is read.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
-- Days 0 to 89 from 2026-01-01, with 50 rows each. The value is 10 in January, 80 in February, 30 in March.
CREATE TABLE stays (day date, value float8, ward text);
INSERT INTO stays SELECT d, CASE WHEN d < '2026-02-01' THEN 10 WHEN d < '2026-03-01' THEN 80 ELSE 30 END, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END
    FROM generate_series(0, 4499) i, LATERAL (SELECT date '2026-01-01' + i / 50 AS d) x;
INSERT INTO stays VALUES (NULL, 100, 'a'), ('-infinity', 100, 'a'), ('infinity', 100, 'a'), ('2025-12-31', 100, 'a');
INSERT INTO stays SELECT (now() AT TIME ZONE 'UTC')::date + 10, 100, 'b' FROM generate_series(1, 5000);
SELECT dpmix.protect('stays', 400, 1e-3, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01'),
       dpmix.set_bounds('stays', 'value', 0, 100), dpmix.set_categories('stays', 'ward', '{a,b}');
CREATE TABLE synthetic AS SELECT 40::float8 AS value, w AS ward FROM unnest('{a,b}'::text[]) w, generate_series(1, 50);
CREATE TABLE plain (value float8);
SELECT dpmix.protect('plain', 400, 1e-3), dpmix.set_bounds('plain', 'value', 0, 100);
CREATE FUNCTION last_blocks() RETURNS int8multirange LANGUAGE sql AS 'SELECT blocks FROM dpmix.charge ORDER BY id DESC LIMIT 1';

-- What is not said, or says nothing, is refused, and nothing is charged.
SELECT dpmix.release_gmm('none', 'stays', '{value}', 100, 1e-6, label => 'ward');
SELECT dpmix.cda(NULL::stays, '{value}', 10, 100, 1e-6, label => 'ward');
SELECT dpmix.compare_private('stays', 'synthetic', 100, 1e-6);
SELECT dpmix.preview($$SELECT dpmix.release_gmm('none', 'stays', '{value}', 100, 1e-6, label => 'ward')$$);
SELECT dpmix.release_gmm('none', 'plain', '{value}', 100, 1e-6, blocks => '[2026-01-01,)');
SELECT dpmix.cda(NULL::plain, '{value}', 10, 100, 1e-6, blocks => '[2026-01-01,)');
SELECT dpmix.compare_private('plain', 'synthetic', 100, 1e-6, columns => '{value}', blocks => '[2026-01-01,)');
SELECT dpmix.release_gmm('none', 'stays', '{value}', 100, 1e-6, label => 'ward', blocks => 'January');
SELECT dpmix.release_gmm('none', 'stays', '{value}', 100, 1e-6, label => 'ward', blocks => '[2026-02-01,2026-01-01)');
SELECT dpmix.release_gmm('none', 'stays', '{value}', 100, 1e-6, label => 'ward', blocks => 'empty');
SELECT dpmix.release_gmm('none', 'stays', '{value}', 100, 1e-6, label => 'ward', blocks => '[2026-01-01,2026-01-01)');
SELECT dpmix.release_gmm('none', 'stays', '{value}', 100, 1e-6, label => 'ward', blocks => '(,2025-12-31]');
SELECT dpmix.release_gmm('none', 'stays', '{value}', 100, 1e-6, label => 'ward', blocks => '[9999-01-01,)');
SELECT dpmix.cda(NULL::stays, '{value}', 10, 100, 1e-6, label => 'ward', blocks => '[infinity,)');
SELECT dpmix.compare_private('stays', 'synthetic', 100, 1e-6, blocks => '(,-infinity]');
SELECT count(*) FROM dpmix.charge WHERE relation IN ('public.stays', 'public.plain', 'public.hits', 'public.steps', 'public.cases', 'public.people');

-- The rows of the range alone are what a release is about, and its blocks alone are charged.
SELECT charge_cost, calls_left FROM dpmix.preview($$
    SELECT dpmix.release_gmm('none', 'stays', '{value}', 100, 1e-6, label => 'ward', blocks => '[2026-02-01,2026-03-01)')$$);
SELECT every(abs(mean[1] - 80) < 5 AND abs(r.row_counts[component] - 700) < 50) AS near, last_blocks()
    FROM dpmix.release_gmm('february', 'stays', '{value}', 100, 1e-6, label => 'ward', blocks => '[2026-02-01,2026-03-01)') r, LATERAL dpmix.gmm(r.name);
SELECT abs(avg(value) - 10) < 15 AS near, last_blocks() FROM dpmix.cda(NULL::stays, '{value}', 200, 100, 1e-6, label => 'ward', blocks => '(,2026-01-31]');
SELECT abs(real_value - 30) < 5 AS near, last_blocks() FROM dpmix.compare_private('stays', 'synthetic', 100, 1e-6, label => 'ward', blocks => '[2026-03-01,2026-03-31)') WHERE measure = 'mean';
SELECT every(abs(mean[1] - 30) < 8) AS near, last_blocks()
    FROM dpmix.release_gmm('march', 'stays', '{value}', 100, 1e-6, components => 1, method => 'em', blocks => '[2026-03-01,2026-03-31)') r, LATERAL dpmix.gmm(r.name);
SELECT every(abs(mean[1] - 30) < 8) AS near
    FROM dpmix.release_gmm('march means', 'stays', '{value}', 100, 1e-6, components => 1, method => 'kmeans', blocks => '[2026-03-01,2026-03-31)') r, LATERAL dpmix.gmm(r.name);
-- Up to now: later rows and those in no block are not read. Blocks of March have no room for more, others do.
SELECT dpmix.release_gmm('blocks_all', 'stays', '{value}', 200, 1e-6, label => 'ward', blocks => '(,)');
SELECT abs(row_counts[1] + row_counts[2] - 4500) < 100 AS near FROM dpmix.release_gmm('blocks_all', 'stays', '{value}', 50, 1e-6, label => 'ward', blocks => '(,)');
SELECT lower(b) = 0 AND upper(b) = (now() AT TIME ZONE 'UTC')::date - date '2026-01-01' + 1 AS to_now FROM unnest(last_blocks()) b;
SELECT calls_left FROM dpmix.preview($$
    SELECT * FROM dpmix.compare_private('stays', 'synthetic', 100, 1e-6, blocks => '[2026-03-01,2026-03-31)')$$);
SELECT calls_left FROM dpmix.preview($$
    SELECT * FROM dpmix.cda(NULL::stays, '{value}', 10, 100, 1e-6, blocks => '[2026-01-01,2026-02-01)')$$);
SELECT kind, blocks * int8multirange(int8range(0, 90)) AS blocks FROM dpmix.charge WHERE relation = 'public.stays' ORDER BY id;

-- A range that cuts a block is of the whole block: times are UTC's, whatever the session's zone.
CREATE TABLE hits (at timestamptz, value float8);
INSERT INTO hits SELECT timestamptz '2026-01-01 00:00+00' + i * interval '1 hour', CASE WHEN i / 168 = 1 THEN 60 ELSE 20 END
    FROM generate_series(0, 24 * 28 - 1) i, generate_series(1, 4);
SELECT dpmix.protect('hits', 400, 1e-3, accountant => 'basic', blocks => 'at', width => '7 days', blocks_from => '2026-01-01'),
       dpmix.set_bounds('hits', 'value', 0, 100);
SET TimeZone = 'Europe/Berlin';
SELECT abs(r.row_counts[1] - 672) < 50 AND abs(mean[1] - 60) < 5 AS near, last_blocks()
    FROM dpmix.release_gmm('week', 'hits', '{value}', 100, 1e-6, components => 1, blocks => '[2026-01-08 00:00,2026-01-09 12:00)') r, LATERAL dpmix.gmm(r.name);
SELECT abs(avg(value) - 60) < 5 AS near, last_blocks() FROM dpmix.cda(NULL::hits, '{value}', 200, 100, 1e-6, blocks => '[2026-01-08 01:00+01,2026-01-15 01:00+01)');
RESET TimeZone;
CREATE TABLE steps (number smallint, value float8);
INSERT INTO steps SELECT i % 100, CASE WHEN i % 100 < 10 THEN 90 ELSE 20 END FROM generate_series(0, 19999) i;
SELECT dpmix.protect('steps', 400, 1e-3, accountant => 'basic', blocks => 'number', width => '10', blocks_from => '0'),
       dpmix.set_bounds('steps', 'value', 0, 100);
SELECT abs(avg(value) - 90) < 15 AS near, last_blocks() FROM dpmix.cda(NULL::steps, '{value}', 200, 100, 1e-6, blocks => '[3,4]');
SELECT count(*), last_blocks() FROM dpmix.cda(NULL::steps, '{value}', 20, 100, 1e-6, blocks => '[9,12)');
-- Labels alone are protected, block by block; units of several rows take queries only.
CREATE TABLE cases (day date, age float8, ill boolean);
INSERT INTO cases SELECT date '2026-01-01' + i % 30, CASE WHEN i % 30 < 15 THEN 20 ELSE 70 END, i % 4 = 0 FROM generate_series(0, 2999) i;
SELECT dpmix.protect('cases', 400, 1e-3, adjacency => 'label', label => 'ill', accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01'),
       dpmix.set_bounds('cases', 'age', 0, 100), dpmix.set_categories('cases', 'ill', '{true,false}');
SELECT every(abs(mean[1] - 70) < 5) AS near, last_blocks()
    FROM dpmix.release_gmm('cases', 'cases', '{age}', 100, 1e-6, label => 'ill', blocks => '[2026-01-16,2026-01-31)') r, LATERAL dpmix.gmm(r.name);
CREATE TABLE people (person integer NOT NULL, day date, value float8);
SELECT dpmix.protect('people', 400, 1e-3, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 3, blocks => 'day', blocks_from => '2026-01-01'),
       dpmix.set_bounds('people', 'value', 0, 100);
SELECT dpmix.release_gmm('people', 'people', '{value}', 100, 1e-6, components => 1, blocks => '[2026-01-16,2026-01-31)');
-- For the owner's eyes, all rows are compared.
SELECT measure, real_value FROM dpmix.compare('stays', 'synthetic', columns => '{value}') WHERE measure = 'rows';
SELECT count(*) FROM dpmix.charge WHERE relation IN ('public.stays', 'public.plain', 'public.hits', 'public.steps', 'public.cases', 'public.people');
