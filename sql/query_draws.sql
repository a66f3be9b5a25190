-- Quantiles that are drawn from exact counts of cells. At a large epsilon the draw is percentile_disc itself, within a
-- cell of 65536.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE draw_visits AS
SELECT i AS id, 'd' || i % 3 AS ward, CASE WHEN i % 97 = 0 THEN NULL ELSE (i * 7919 % 60013) / 600.13 END AS cost, (i * 31 % 400)::int AS days,
       i % 5 = 0 AS urgent, i / 2 AS person
  FROM generate_series(1, 6000) i;
ANALYZE draw_visits;
SELECT dpmix.protect('draw_visits', epsilon => 1e7, delta => 1e-3);
SELECT dpmix.set_bounds('draw_visits', 'cost', 0, 1000);
SELECT dpmix.set_bounds('draw_visits', 'days', 0, 365);
SELECT dpmix.set_categories('draw_visits', 'ward', '{d0,d1,d2}');

-- Alone, with a filter, by groups, of two columns; whole numbers have cells of their own
SELECT abs(t.m - e.m) <= 1000 / 65536. AS half, abs(t.t - e.t) <= 1000 / 65536. AS tenth, abs(t.u - e.u) <= 1000 / 65536. AS filtered, t.d = e.d AS days, t.l = 0 AS least
  FROM dpmix.query($$ SELECT dp_median(cost), dp_quantile(cost, .1), dp_median(cost) FILTER (WHERE urgent), dp_quantile(days, .75), dp_quantile(days, 0) FROM draw_visits $$, 1e5)
         AS t(m float8, t float8, u float8, d float8, l float8),
       (SELECT percentile_disc(.5) WITHIN GROUP (ORDER BY cost) AS m, percentile_disc(.1) WITHIN GROUP (ORDER BY cost) AS t,
               percentile_disc(.5) WITHIN GROUP (ORDER BY cost) FILTER (WHERE urgent) AS u, least(percentile_disc(.75) WITHIN GROUP (ORDER BY days), 365) AS d FROM draw_visits) e;
SELECT ward, abs(m - e) <= 1000 / 65536. AS near
  FROM dpmix.query('SELECT ward, dp_median(cost) FROM draw_visits WHERE days < 300 GROUP BY ward ORDER BY ward', 1e5) AS t(ward text, m float8)
       JOIN (SELECT ward, percentile_disc(.5) WITHIN GROUP (ORDER BY cost) AS e FROM draw_visits WHERE days < 300 GROUP BY ward) e USING (ward);
SELECT count(*) AS above FROM dpmix.query('SELECT ward, dp_median(cost) AS m FROM draw_visits WHERE ward IS NOT NULL GROUP BY ward HAVING dp_median(cost) > 10 ORDER BY m DESC', 1e5) AS t(ward text, m float8);

-- Which are drawn: intervals of quantiles, a family of noise, groups that are found and many quantiles take a tree
SELECT query, min(mechanism) = 'exponential' AS drawn, count(*) AS statistics
  FROM unnest('{dp_median(cost),"dp_quantile(cost, .2), dp_quantile(cost, .8)","dp_median(cost), dp_median(days)","dp_median(cost), dp_low(dp_median(cost))","dp_median(cost), dp_count(*)","dp_median(cost), dp_low(dp_count(*))","dp_median(cost), dp_low(dp_median(cost) - dp_count(*))"}'::text[]) query,
       LATERAL dpmix.preview('SELECT ' || query || ' FROM draw_visits', .5) GROUP BY query ORDER BY query;
SELECT min(mechanism) FROM dpmix.preview('SELECT dp_median(cost) FROM draw_visits', .5, mechanism => 'laplace');
SELECT count(*) FILTER (WHERE mechanism = 'exponential') FROM dpmix.preview('SELECT ward, dp_median(cost) FROM draw_visits GROUP BY ward', .5, 1e-6, keys => 'discover');
SELECT count(*) FILTER (WHERE mechanism = 'exponential') AS drawn, count(*) AS levels
  FROM dpmix.preview((SELECT 'SELECT ' || string_agg('dp_quantile(cost, ' || i / 40.0 || ')', ', ') || ' FROM draw_visits' FROM generate_series(1, 39) i), 1);

-- What is charged, how far ranks are off, what a draw alone takes
SELECT output_column, statistic, mechanism, sensitivity, epsilon, delta, round(noise_stddev::numeric, 2) AS noise_stddev, expected_error, charge_share > 0 AS priced
  FROM dpmix.preview('SELECT dp_median(cost) AS half, dp_quantile(cost, .9) AS top FROM draw_visits', .5);
SELECT (candidates -> 0 ->> 'mechanism') AS mechanism, candidates -> 0 ->> 'verdict' AS verdict FROM dpmix.preview('SELECT dp_median(cost) FROM draw_visits', .5, details => true);
SELECT mechanism, epsilon, delta FROM dpmix.ledger WHERE relation = 'public.draw_visits' ORDER BY id LIMIT 1;

-- Memory: what was paid for once is free again, and at less epsilon; a quantile alone that was drawn with another
SELECT dpmix.set_memory('draw_visits', keep => '1 hour');
SET client_min_messages = notice;
\set VERBOSITY terse
SELECT count(*) FROM dpmix.query('SELECT dp_median(cost), dp_quantile(cost, .9) FROM draw_visits', 2) AS t(a float8, b float8);
SELECT count(*) FROM dpmix.query('SELECT dp_quantile(cost, .9) FROM draw_visits', .7) AS t(b float8);
SELECT count(*) FROM dpmix.query('SELECT dp_quantile(cost, .9), dp_median(cost) FROM draw_visits', 2) AS t(b float8, a float8);
SET client_min_messages = warning;
SELECT a.a = b.a AND a.b = b.b AS same FROM dpmix.query('SELECT dp_median(cost), dp_quantile(cost, .9) FROM draw_visits', 2) AS a(a float8, b float8),
       dpmix.query('SELECT dp_quantile(cost, .9), dp_median(cost) FROM draw_visits', 1) AS b(b float8, a float8);
SELECT statistic, mechanism, count(*) FROM dpmix.memory WHERE relation = 'draw_visits'::regclass GROUP BY statistic, mechanism ORDER BY statistic;
SELECT dpmix.set_memory('draw_visits', keep => '0');

-- Noise: draws differ, within the bounds, in the order of their shares
SELECT count(DISTINCT a) > 1 AS noisy, bool_and(0 <= a AND a <= b AND b <= c AND c <= 1000) AS ordered
  FROM generate_series(1, 20) i, dpmix.query('SELECT dp_quantile(cost, .45), dp_median(cost), dp_quantile(cost, .55) FROM draw_visits WHERE days < 20', .01 + i / 1e6) AS t(a float8, b float8, c float8);

-- Of no rows any cell is as likely as another; units of several rows; a row that is replaced
SELECT m BETWEEN 0 AND 1000 AS held FROM dpmix.query('SELECT dp_median(cost) FROM draw_visits WHERE days > 1000 AND id < 0', 1) AS t(m float8);
CREATE TABLE draw_stays AS SELECT i / 2 AS person, i AS x, i % 2 AS ward FROM generate_series(2, 2001) i;
SELECT dpmix.protect('draw_stays', 1e6, 1e-3, privacy_unit => 'person', max_rows_per_unit => 2);
SELECT dpmix.set_bounds('draw_stays', 'x', 0, 4095);
SELECT abs(m - 1001) <= 1 AS near FROM dpmix.query('SELECT dp_median(x) FROM draw_stays', 1e5) AS t(m float8);
SELECT sensitivity, epsilon FROM dpmix.preview('SELECT dp_median(x) FROM draw_stays', 1);
CREATE TABLE draw_replaced AS SELECT i AS x, i % 2 AS ward FROM generate_series(1, 2000) i;
SELECT dpmix.protect('draw_replaced', 1e6, 1e-3, adjacency => 'replace');
SELECT dpmix.set_bounds('draw_replaced', 'x', 0, 4095);
SELECT dpmix.set_bounds('draw_replaced', 'ward', 0, 1);
SELECT by, share, sensitivity, round(noise_stddev::numeric, 3) AS noise_stddev, epsilon
  FROM (VALUES ('', .5), ('GROUP BY ward', .5), ('GROUP BY ward', .9)) v (by, share), LATERAL dpmix.preview(format('SELECT dp_quantile(x, %s) FROM draw_replaced %s', share, by), 1) ORDER BY by, share;
SELECT m = 1000 AS exact FROM dpmix.query('SELECT dp_median(x) FROM draw_replaced', 1e5) AS t(m float8);

-- In plain SQL: columns without an interval say so; shares of widths need a tree
CREATE SCHEMA draw_plain;
SELECT dpmix.expose('draw_visits', 'draw_plain.visits', default_epsilon => 1e4);
SET client_min_messages = notice;
\set VERBOSITY default
SELECT abs(percentile_cont(.5) WITHIN GROUP (ORDER BY cost) - 50) < 5 AS near FROM draw_plain.visits;
EXPLAIN (COSTS off) SELECT percentile_cont(.5) WITHIN GROUP (ORDER BY cost) FROM draw_plain.visits;
SET dpmix.suppress = 0.5;
SELECT abs(percentile_cont(.5) WITHIN GROUP (ORDER BY cost) - 50) < 5 AS near FROM draw_plain.visits;
RESET dpmix.suppress;
RESET client_min_messages;

-- Beside other aggregates, whose noise gets the rest of epsilon, or of mu^2
SELECT ward, abs(t.m - e.m) <= 1000 / 65536. AS half, t.n = e.n AS rows, abs(t.a - e.a) < .01 AS average, l <= t.n AND t.n <= h AS held
  FROM dpmix.query('SELECT ward, dp_median(cost), dp_count(*), dp_avg(days), dp_low(dp_count(*)), dp_high(dp_count(*)) FROM draw_visits WHERE ward IS NOT NULL GROUP BY ward', 1e5)
         AS t(ward text, m float8, n bigint, a float8, l float8, h float8)
       JOIN (SELECT ward, percentile_disc(.5) WITHIN GROUP (ORDER BY cost) AS m, count(*) AS n, avg(least(days, 365)) AS a FROM draw_visits GROUP BY ward) e USING (ward) ORDER BY ward;
SELECT statistic, mechanism, epsilon FROM dpmix.preview('SELECT dp_median(cost), dp_count(*), dp_sum(days) FROM draw_visits', .6);
CREATE TABLE draw_beside AS SELECT i AS x FROM generate_series(1, 1000) i;
SELECT dpmix.protect('draw_beside', 4, 1e-6, accountant => 'gdp');
SELECT dpmix.set_bounds('draw_beside', 'x', 0, 2000);
SELECT statistic, mechanism, charge_share < (SELECT 1.000001 * max(charge_share) FROM dpmix.preview('SELECT dp_count(*) FROM draw_beside', .5, 1e-9)) AS no_dearer
  FROM dpmix.preview('SELECT dp_median(x), dp_count(*) FROM draw_beside', .5, 1e-9);
SELECT count(*) FROM generate_series(1, 10) i, dpmix.query('SELECT dp_median(x), dp_count(*) FROM draw_beside', .5 + i / 1e6, 1e-9) AS t(m float8, n bigint);
SELECT mechanism, count(*), bool_or(e.meaning LIKE '%DOES NOT MATCH%') AS differs FROM dpmix.ledger l, dpmix.explain_charge(l.id) e WHERE l.relation = 'public.draw_beside' AND e.item = 'cost' GROUP BY mechanism;

-- An accountant that counts costs: the price of the draws' own curve
CREATE TABLE draw_few AS SELECT i AS x FROM generate_series(1, 100) i;
SELECT dpmix.protect('draw_few', 1, 1e-6, accountant => 'gdp');
SELECT dpmix.set_bounds('draw_few', 'x', 0, 100);
\set VERBOSITY default
SELECT count(*) FROM generate_series(1, 20) i, dpmix.query('SELECT dp_median(x) FROM draw_few', .1 + i / 1e6, 1e-9) AS t(m float8);
SELECT e.value, e.meaning FROM dpmix.ledger l, dpmix.explain_charge(l.id) e WHERE l.relation = 'public.draw_few' AND e.item IN ('declared guarantee', 'cost') ORDER BY l.id, e.item LIMIT 2;
SELECT count(*) FROM dpmix.ledger l, dpmix.explain_charge(l.id) e WHERE l.relation = 'public.draw_few' AND e.meaning LIKE '%DOES NOT MATCH%';
