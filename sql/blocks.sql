-- Blocks: each piece of a growing table has a budget of its own, and pays for the queries that read it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE block_visits (person integer, day date, page text, seconds integer);
-- Days 0 to 29 from 2026-01-01, with 100 rows each.
INSERT INTO block_visits SELECT i % 100, date '2026-01-01' + i / 100, CASE WHEN i % 4 = 0 THEN 'home' ELSE 'help' END, i % 60
    FROM generate_series(0, 2999) i;
SELECT dpmix.protect('block_visits', 1, 1e-6, blocks => 'day', blocks_from => '2026-01-01');
SELECT dpmix.set_categories('block_visits', 'page', '{home,help}');
SELECT dpmix.set_bounds('block_visits', 'seconds', 0, 60);
-- What a query pays for is told by its WHERE.
SELECT * FROM dpmix.query('SELECT dp_count(*) AS n FROM block_visits', .5) AS t(n bigint);
SELECT abs(n - 300) < 200 AS near FROM dpmix.query('SELECT dp_count(*) AS n FROM block_visits WHERE day >= ''2026-01-03'' AND day < ''2026-01-06''', .5) AS t(n bigint);
SELECT blocks FROM dpmix.charge WHERE relation = 'public.block_visits' ORDER BY id;
-- The same days again, and once more: they are spent, others are not.
SELECT abs(n - 300) < 200 AS near FROM dpmix.query('SELECT dp_count(*) AS n FROM block_visits WHERE day BETWEEN ''2026-01-02'' AND ''2026-01-04''', .5) AS t(n bigint);
SELECT abs(n - 300) < 200 AS near FROM dpmix.query('SELECT dp_count(*) AS n FROM block_visits WHERE day BETWEEN ''2026-01-02'' AND ''2026-01-04''', .25) AS t(n bigint);
SELECT abs(n - 100) < 200 AS near FROM dpmix.query('SELECT dp_count(*) AS n FROM block_visits WHERE day = ''2026-01-20''', .9) AS t(n bigint);
SELECT count(*), every(abs(n - 100) < 300) FROM dpmix.query('SELECT day, dp_count(*) AS n FROM block_visits WHERE day IN (''2026-01-22'', ''2026-01-24'') GROUP BY day', .9, keys => 'discover', delta => 1e-7) AS t(day date, n bigint);
SELECT abs(n - 3000) < 300 AS near FROM dpmix.query('SELECT dp_count(*) AS n FROM block_visits', .05, all_blocks => true) AS t(n bigint);
SELECT blocks FROM dpmix.charge WHERE relation = 'public.block_visits' ORDER BY id;
CREATE TABLE block_a (person integer, day date);
CREATE TABLE block_b (person integer, day date);
SELECT dpmix.protect('block_a', 1, 1e-6, privacy_unit => 'person', max_rows_per_unit => 3, blocks => 'day'),
       dpmix.protect('block_b', 1, 1e-6, privacy_unit => 'person', max_rows_per_unit => 3, blocks => 'day');
SELECT * FROM dpmix.query('SELECT dp_count(*) AS n FROM block_a a LEFT JOIN block_b b ON a.person = b.person', .1, all_blocks => true) AS t(n bigint);
-- Rows stay in their blocks.
UPDATE block_visits SET day = day + 1 WHERE person = 1;
UPDATE block_visits SET day = NULL WHERE person = 1;
UPDATE block_visits SET seconds = 0 WHERE person = 1;
-- The column keeps its type, and what inherits has no guard.
ALTER TABLE block_visits ALTER COLUMN day TYPE timestamp;
SELECT * FROM dpmix.query('SELECT dp_count(*) AS n FROM block_visits WHERE day = ''2026-01-21''', .1) AS t(n bigint);
ALTER TABLE block_visits ALTER COLUMN day TYPE date;
CREATE TABLE block_child () INHERITS (block_visits);
SELECT * FROM dpmix.query('SELECT dp_count(*) AS n FROM block_visits WHERE day = ''2026-01-21''', .1) AS t(n bigint);
DROP TABLE block_child;
SELECT n < 500 AS few FROM dpmix.query('SELECT dp_count(*) AS n FROM block_visits WHERE day = ''2026-01-21''', .1) AS t(n bigint);
-- The declaration.
SELECT dpmix.unprotect('block_visits');
SELECT dpmix.protect('block_visits', 1, 1e-6, blocks => 'day', width => '7 days', blocks_from => '2026-01-01');
SELECT dpmix.protect('block_visits', 1, 1e-6);
SELECT dpmix.protect('block_visits', 1, 1e-6, blocks => 'page');
SELECT dpmix.protect('block_visits', 1, 1e-6, blocks => 'nothing');
SELECT dpmix.protect('block_visits', 1, 1e-6, width => '7 days');
SELECT dpmix.protect('block_visits', 1, 1e-6, blocks => 'day', width => '1 month', blocks_from => '2026-01-15');
SELECT dpmix.protect('block_visits', 1, 1e-6, blocks => 'day', width => '36 hours');
SELECT dpmix.protect('block_visits', 1, 1e-6, blocks => 'day', blocks_from => 'infinity');
CREATE TABLE block_old (day date, n bigint, place integer);
INSERT INTO block_old SELECT date '1995-01-01' + i, i - 5, i FROM generate_series(0, 99) i;
SELECT dpmix.protect('block_old', 100, 1e-6, blocks => 'n', blocks_from => '-9223372036854775808');
SELECT dpmix.protect('block_old', 100, 1e-6, blocks => 'n', blocks_from => '-5');
SELECT dpmix.protect('block_old', 100, 1e-6, blocks => 'day', blocks_from => '1990-01-01', width => '365 days');
SELECT abs(n - 60) < 20 AS near FROM dpmix.query('SELECT dp_count(*) AS n FROM block_old WHERE day BETWEEN ''1995-01-01'' AND ''1995-03-01''', 10) AS t(n bigint);
SELECT blocks FROM dpmix.charge WHERE relation = 'public.block_old';
SELECT dpmix.protect('block_visits', 1, 1e-6, blocks => 'day', blocks_from => '2026-01-01');
