-- Error bars of plain SQL: what NOTICEs say of each column, dpmix.low and high, and cells that are not shown.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE ROLE bars_owner;
CREATE ROLE bars_analyst;
GRANT CREATE ON SCHEMA public TO bars_owner, bars_analyst;
CREATE SCHEMA bars_private AUTHORIZATION bars_owner;
GRANT USAGE ON SCHEMA bars_private TO bars_analyst;
SET ROLE bars_owner;
CREATE TABLE bars (id int PRIMARY KEY, region text NOT NULL, ill boolean, cost float8, weight int);
INSERT INTO bars SELECT i, CASE WHEN i <= 3000 THEN 'north' ELSE 'south' END, i % 5 = 0, i % 100, 1 + i % 9 FROM generate_series(1, 4000) AS i;
SELECT dpmix.protect('bars', 1e6, .01, accountant => 'basic');
SELECT FROM dpmix.declare('bars', '{"cost": [0, 100], "weight": [0, 10], "region": ["north", "south", "west"]}');
SELECT dpmix.set_memory('bars', keep => '0');
SELECT dpmix.grant_access('bars', 'bars_analyst');
SELECT dpmix.expose('bars', 'bars_private.bars', default_epsilon => 0.5);
GRANT SELECT ON bars_private.bars TO bars_analyst;
RESET ROLE;
CREATE FUNCTION bars_charges() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM dpmix.charge WHERE relation = ''public.bars''';
SET ROLE bars_analyst;
SET search_path = bars_private, public;
-- Each column, with the noise of that column; counts and sums of nobody mean little, and say so.
SET client_min_messages = notice;
SELECT sum(n) BETWEEN 3900 AND 4100 AS right FROM (SELECT region, count(*) AS n, sum(weight), dpmix.dp_histogram(cost, '{0,50,100}'), GROUPING(region) FROM bars WHERE region <> 'west' GROUP BY region) AS s;
SET dpmix.epsilon = 1e4;
SELECT region, count(*), round(sum(weight), -2) AS weight FROM bars GROUP BY region ORDER BY region;
RESET dpmix.epsilon;
SET client_min_messages = warning;
-- Ends of intervals: of aggregates, of what is computed from several, of sample deviations, beside keys, in HAVING and
-- ORDER BY.
SELECT dpmix.low(count(*)) <= count(*) AS low, dpmix.high(avg(cost), 0.9) >= avg(cost) AS high, dpmix.low(count(*)) = dpmix.dp_low(count(*)) AS same, pg_typeof(dpmix.low(avg(weight))) AS type FROM bars;
SET dpmix.epsilon = 50;
SELECT region, dpmix.low(100.0 * count(*) FILTER (WHERE ill) / count(*)) BETWEEN 10 AND 21 AS low, dpmix.high(sum(cost * weight) / nullif(sum(weight), 0), level => 0.99) BETWEEN 48 AND 60 AS high,
    dpmix.low(stddev(cost)) BETWEEN 20 AND 30 AS deviation, dpmix.high(sum(weight) - count(*)) > 1000 AS difference
    FROM bars WHERE region <> 'west' GROUP BY region HAVING dpmix.low(count(*)) > 10 ORDER BY dpmix.high(sum(cost) / count(*)) IS NULL, region;
RESET dpmix.epsilon;
-- Cells of nobody are not shown. HAVING, ORDER BY, and what is computed from cells see them.
SET dpmix.suppress = 0.1;
SELECT region, count(*) IS NULL AS computed, count(*) - count(*) AS zero FROM bars GROUP BY region ORDER BY region;
SET dpmix.epsilon = 1.5;
CREATE TEMP TABLE kept AS SELECT region, count(*) AS n, avg(cost) AS a, sum(weight) AS w FROM bars GROUP BY region;
RESET dpmix.epsilon;
SELECT region, n > 900 AS n, a > 40 AS a, w > 900 AS w FROM kept ORDER BY region;
SELECT region, n > 900 AS shown FROM (SELECT region, n FROM (SELECT region, count(*) AS n FROM bars GROUP BY region) AS s ORDER BY n) AS t;
CREATE TEMP TABLE sorted AS SELECT region, count(*) FROM bars GROUP BY region HAVING count(*) < 2000 ORDER BY 2;
SELECT region, count > 900 AS shown FROM sorted;
CREATE TEMP TABLE handed AS WITH s AS (SELECT region, count(*) AS n FROM bars GROUP BY region), t AS (SELECT * FROM s) SELECT t.*, t.n * 2 AS twice FROM t ORDER BY n DESC LIMIT 3;
SELECT region, n > 900 AS shown, twice IS NULL AS computed FROM handed;
CREATE VIEW public.bars_groups AS SELECT region, count(*) AS n FROM bars GROUP BY region;
CREATE TEMP TABLE viewed AS SELECT * FROM bars_groups;
SELECT region, n > 900 AS shown FROM viewed ORDER BY region;
-- DISTINCT, UNION and ORDER BY go by the numbers; a row that is returned as a whole hides its cells, too.
CREATE TEMP TABLE others AS SELECT DISTINCT region, count(*) AS n FROM bars GROUP BY region;
SELECT count(*), count(n) FROM others;
SET enable_hashagg = off;
CREATE TEMP TABLE counts AS SELECT DISTINCT count(*) AS n, count(*) AS m FROM bars GROUP BY region ORDER BY m LIMIT 2;
RESET enable_hashagg;
CREATE TEMP TABLE inner_distinct AS SELECT n, region FROM (SELECT DISTINCT region, count(*) AS n FROM bars GROUP BY region) AS s WHERE region <> 'north';
CREATE TEMP TABLE united AS SELECT region, count(*) AS n FROM bars GROUP BY region UNION ALL TABLE bars_groups UNION ALL VALUES ('me', 500) ORDER BY n DESC;
CREATE TEMP TABLE once AS WITH s AS (SELECT region, count(*) AS n FROM bars GROUP BY region) TABLE s UNION (SELECT 'all', count(*) FROM bars) UNION TABLE s ORDER BY n DESC LIMIT 4;
CREATE TEMP TABLE inner_union AS SELECT x, s.* FROM (TABLE bars_groups UNION TABLE bars_groups) AS s, generate_series(1, 2) AS x;
CREATE TEMP TABLE whole AS SELECT s, (s).n, ROW(s.n, 1)::text AS computed FROM bars_groups AS s ORDER BY s DESC;
SELECT n > 900 AS n, m > 900 AS m FROM counts UNION ALL SELECT count(*) = 2, count(n) = 1 FROM inner_distinct;
SELECT region, n > 900 AS shown FROM united;
SELECT region, n > 900 AS shown FROM once;
SELECT region, count(*), count(n) FROM inner_union GROUP BY region ORDER BY region;
SELECT (s).region, (s).n > 900 AS shown, n > 900 AS field, computed ~ '^[(]-?[0-9]+,1[)]$' AS computed FROM whole;
-- Where it cannot be, a NOTICE says so, and EXPLAIN.
SET client_min_messages = notice;
SET dpmix.epsilon = 100;  -- next to no noise: west has 0
INSERT INTO others SELECT region, count(*) FROM bars WHERE region <> 'north' GROUP BY region;
RESET dpmix.epsilon;
SET client_min_messages = warning;
SELECT count(*), count(n) FROM others;
SELECT count(n) FROM (TABLE bars_groups EXCEPT SELECT 'none', 3) AS s;
SELECT count(DISTINCT x.i) AS x, count(s) AS rows FROM (VALUES (1), (2)) AS x(i) LEFT JOIN bars_groups AS s ON x.i = 1;
EXPLAIN (COSTS OFF) SELECT x.i, s FROM (VALUES (1), (2)) AS x(i) LEFT JOIN bars_groups AS s ON x.i = 1;
-- The setting holds when a statement runs, and counts for the role that made it.
PREPARE asked AS SELECT count(*) FROM bars WHERE region = 'west';
CREATE TEMP TABLE executed AS EXECUTE asked;
RESET dpmix.suppress;
CREATE TEMP TABLE executed_again AS EXECUTE asked;
SELECT e.count IS NULL AS hidden, a.count IS NOT NULL AS shown FROM executed AS e, executed_again AS a;
CREATE FUNCTION public.bars_west() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$ DECLARE n bigint; BEGIN SELECT count(*) INTO n FROM bars_private.bars WHERE region = 'west'; RETURN n; END $$;
RESET ROLE;
SET dpmix.suppress = 0.1;
SELECT bars_west() IS NOT NULL AS shown;
RESET dpmix.suppress;
SET ROLE bars_analyst;
-- A text, only where it is asked for.
SELECT region, dpmix.shown(count(*), 'too few') ~ '^[0-9]+$' AS number, dpmix.shown(avg(weight), 'few of ' || region, share => 1e6) ~ '^[0-9.]+$' AS average FROM bars WHERE region <> 'west' GROUP BY region ORDER BY 1;
SELECT dpmix.shown(count(*), 'too few', 0.1), dpmix.shown(otherwise => 'nobody', answer => sum(cost), share => 0.1) FROM bars WHERE region = 'west';
SELECT dpmix.shown(count(*), 'too few', 0.0000001), dpmix.shown(count(*), 'too few', 10) ~ '^[0-9]+$' AS number FROM bars;
-- EXPLAIN says so.
SET dpmix.suppress = 0.1;
EXPLAIN (COSTS OFF) SELECT region, count(*) FROM bars GROUP BY region;
SET dpmix.suppress = 'much';
SET dpmix.suppress = -1;
RESET dpmix.suppress;
-- The error of averages and ratios is that of a group of so many rows; of several columns, of the first interval that
-- the statement asks for.
SET dpmix.error = 2;
SELECT avg(cost) FROM bars WHERE region = 'north';
SELECT avg(cost) FILTER (WHERE ill) FROM bars;
SET dpmix.group_rows = 3000;
SELECT dpmix.high(avg(cost)) - dpmix.low(avg(cost)) BETWEEN 2.5 AND 8 AS kept, avg(cost) BETWEEN 40 AND 60 AS right FROM bars WHERE region = 'north';
SELECT count(*) > 0 AS first, dpmix.high(sum(cost) / count(*)) - dpmix.low(sum(cost) / count(*)) BETWEEN 2.5 AND 8 AS kept FROM bars WHERE region = 'north';
SELECT dpmix.high(100.0 * count(*) FILTER (WHERE ill) / count(*)) - dpmix.low(100.0 * count(*) FILTER (WHERE ill) / count(*)) BETWEEN 1 AND 4 AS kept FROM bars WHERE region = 'north';
SELECT dpmix.high(stddev_pop(cost)) - dpmix.low(stddev_pop(cost)) BETWEEN 2 AND 15 AS kept, stddev_pop(cost) > 5 AS right FROM bars WHERE region = 'north';
SELECT dpmix.low(avg(cost)) > 30 AS alone FROM bars;
SELECT count(*), dpmix.low(percentile_disc(0.5) WITHIN GROUP (ORDER BY cost) - avg(cost)) FROM bars;
SET dpmix.group_rows = 0;
EXPLAIN (COSTS OFF) SELECT avg(cost), count(*) FROM bars WHERE ill;
RESET dpmix.group_rows;
SELECT avg(cost) BETWEEN 30 AND 70 AS by_the_size_of_the_table FROM bars;
RESET dpmix.error;
-- Equal parts are one charge, whether or not their cells are shown.
SELECT bars_charges() AS before \gset
SELECT n - (SELECT count(*) FROM bars) AS zero, t.shown IS NULL AS null FROM (SELECT count(*) AS n FROM bars) AS s, (SELECT dpmix.shown(count(*), 'x') FROM bars) AS t;
SELECT bars_charges() - :before AS charges;
-- Refused before a charge.
SELECT bars_charges() AS before \gset
SELECT dpmix.low(5);
SELECT dpmix.low(n), dpmix.shown(n, 'x') FROM (SELECT count(*) AS n FROM bars) AS s;
SELECT dpmix.shown(max(n), 'x') FROM (SELECT count(*) AS n FROM bars) AS s;
SELECT dpmix.low(region) FROM bars GROUP BY region;
SELECT dpmix.low(count(*) + weight) FROM bars GROUP BY weight;
SELECT dpmix.low(abs(sum(cost))) FROM bars;
SELECT dpmix.shown(count(*) + 1, 'x') FROM bars;
SELECT dpmix.shown(5::bigint, 'x');
SELECT dpmix.low(count(*), 2) FROM bars;
SELECT bars_charges() - :before AS charges;
RESET ROLE;
DROP FUNCTION bars_charges, bars_west;
DROP VIEW bars_groups CASCADE;
DROP TABLE public.bars CASCADE;
DROP OWNED BY bars_analyst, bars_owner CASCADE;
DROP ROLE bars_analyst, bars_owner;
