-- Answers that warn, and what preview says of groups of so many rows.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TYPE warned_mood AS ENUM ('low', 'high', 'odd');
CREATE TABLE warned (region text, kind int, mood warned_mood, wage float8, bonus numeric, score int);
INSERT INTO warned SELECT CASE WHEN i <= 2000 THEN 'north' ELSE 'south' END, i % 3, 'low', i % 101, i % 11, i % 7 FROM generate_series(1, 2003) AS i;
SELECT dpmix.protect('warned', 1e7, 1e-6, accountant => 'basic');
SELECT dpmix.set_bounds('warned', 'wage', 0, 100);
SELECT dpmix.set_bounds('warned', 'bonus', 0, 10);
SELECT dpmix.set_bounds('warned', 'score', 0, 6);
SELECT dpmix.set_categories('warned', 'region', '{north,south,west}');
SELECT dpmix.set_categories('warned', 'kind', '{0,1,2}');
SELECT dpmix.set_categories('warned', 'mood', '{low,high}');
SET client_min_messages = notice;
\set VERBOSITY default
-- Of 2000, 3 and 0 rows, at no noise to speak of
SELECT count(*) FROM dpmix.query('SELECT region, dp_avg(wage) FROM warned GROUP BY region', 1e5) AS t(region text, a float8);
SELECT count(*) FROM dpmix.query('SELECT region, dp_avg(wage), dp_stddev(bonus), dp_var(wage + 1), dp_count(*), dp_sum(wage) FROM warned WHERE score >= 0 GROUP BY region', 1e5)
    AS t(region text, a float8, s float8, v float8, n bigint, m float8);
SELECT * FROM dpmix.query('SELECT dp_avg(wage), dp_stddev(bonus), dp_var(wage + 1), dp_count(*), dp_sum(wage) > 1 FROM warned WHERE region = ''west''', 1e5) AS t(a float8, s float8, v float8, n bigint, m boolean);
SELECT count(*) FROM dpmix.query('SELECT dp_avg(wage), dp_count(*) FROM warned', 1) AS t(a float8, n bigint);
-- No notices are wanted
SET client_min_messages = warning;
SELECT count(*) FROM dpmix.query('SELECT region, dp_avg(wage) FROM warned GROUP BY region', 1e5) AS t(region text, a float8);
SET client_min_messages = notice;
-- Rows at a bound, and alike: noise takes every other average beyond the bound, and every other variance below 0. That
-- it does so in none of 60 groups has a chance of 2^-60. In larger groups, or with less noise, they are right: no
-- notice.
SET client_min_messages = warning;
CREATE TABLE warned_ends AS SELECT g, i % 10 < 9 AS many, 0::float8 AS low, 50::float8 AS middle FROM generate_series(1, 60) AS g, generate_series(1, 1000) AS i;
SELECT dpmix.protect('warned_ends', 1e7, 1e-6, accountant => 'basic');
SELECT count(*) FROM dpmix.declare('warned_ends', (SELECT jsonb_build_object('low', '[0, 100]'::jsonb, 'middle', '[0, 100]'::jsonb, 'g', jsonb_build_object('categories', jsonb_agg(g))) FROM generate_series(1, 60) AS g));
SET client_min_messages = notice;
\set VERBOSITY sqlstate
SELECT count(*) FROM dpmix.query('SELECT g, dp_avg(low) FROM warned_ends WHERE NOT many GROUP BY g', .5, mechanism => 'laplace') AS t(g int, a float8);
SELECT count(*) FROM dpmix.query('SELECT g, dp_var(middle) FROM warned_ends WHERE NOT many GROUP BY g', .75, mechanism => 'laplace') AS t(g int, v float8);
-- Why the group of NULLs means little is for its noise to say.
\set VERBOSITY terse
SELECT count(*) FROM dpmix.query('SELECT g, dp_avg(low), dp_var(middle) FROM warned_ends WHERE many GROUP BY g', 3, mechanism => 'laplace') AS t(g int, a float8, v float8);
SELECT count(*) FROM dpmix.query('SELECT g, dp_avg(low), dp_var(middle) FROM warned_ends WHERE NOT many GROUP BY g', 50, mechanism => 'laplace') AS t(g int, a float8, v float8);
\set VERBOSITY default
-- Constants that are no category, before any charge
SELECT count(*) > 0 AS rows FROM dpmix.preview('SELECT dp_count(*) FROM warned WHERE region = ''nroth''', 1);
SELECT count(*) > 0 AS rows FROM dpmix.preview('SELECT dp_count(*) FILTER (WHERE ''Nord'' = region OR kind IN (1, 2, 7)), dp_count(*) FILTER (WHERE mood <> ''odd'') FROM warned WHERE region IN (''north'', ''east'') AND kind = 5::bigint', 1);
SELECT count(*) > 0 AS rows FROM dpmix.preview('SELECT dp_count(*) FROM warned WHERE region = $1', 1, params => '{nowhere}');
SELECT count(*) > 0 AS rows FROM dpmix.preview('SELECT dp_count(*) FROM warned WHERE region = ''north'' AND kind = ANY (''{0,1}'') AND region > ''a'' AND region = NULL AND score = 99 AND mood = ''high''', 1);
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM warned WHERE region = ''nroth''', 1e5) AS t(n bigint);
-- Constants beyond the bounds, where no value within them would do
SELECT count(*) > 0 AS rows FROM dpmix.preview('SELECT dp_avg(wage) FROM warned WHERE wage > 100 AND 0 >= wage AND wage < 0 AND score >= 65', 1);
SELECT count(*) > 0 AS rows FROM dpmix.preview('SELECT dp_count(*) FILTER (WHERE bonus = 11.5 OR score IN (1, 7, -1)), dp_count(*) FILTER (WHERE score BETWEEN 10 AND 20) FROM warned', 1);
SELECT count(*) > 0 AS rows FROM dpmix.preview('SELECT dp_count(*) FROM warned WHERE wage >= 100 AND wage <= 0 AND wage < 1e9 AND wage < ''NaN'' AND bonus = ''NaN'' AND score > -5 AND score <> 70 AND bonus = NULL AND score NOT IN (9, 10) AND wage > score + 1000', 1);
SELECT calls_left > 0 AS calls FROM dpmix.advise('SELECT dp_count(*) FROM warned WHERE score = 7', 100);
-- Groups of so many rows: averages and ratios
SET client_min_messages = warning;
CREATE TEMP TABLE shown AS SELECT g, p.* FROM unnest('{20,500,50000}'::int[]) AS g, LATERAL dpmix.preview('SELECT dp_avg(wage) AS a, dp_stddev(bonus) AS s, dp_sum(wage) / dp_count(*) AS ratio,
    round((100.0 * dp_count(score) / dp_count(*))::numeric, 6) AS percent, dp_count(*) AS n, dp_avg(bonus) * 2 + 1 AS twice, dp_median(score) AS m, dp_low(dp_avg(wage)) AS low FROM warned', 1, group_rows => g) AS p;
SELECT g, output_column, statistic, interval_95 > 0 AS known FROM shown WHERE statistic LIKE 'groups of%' ORDER BY g, output_column;
SELECT count(*) FILTER (WHERE g = 500 AND statistic NOT LIKE 'groups of%') AS others FROM shown;
-- Larger groups have less noise; the interval of an average is that of dp_low and dp_high, where the average is in
-- the middle
SELECT bool_and(a.interval_95 > b.interval_95) FROM shown AS a JOIN shown AS b ON a.output_column = b.output_column AND a.g < b.g AND a.statistic LIKE 'groups of%' AND b.statistic LIKE 'groups of%';
CREATE TABLE warned_even (wage float8);
INSERT INTO warned_even SELECT 50 FROM generate_series(1, 500);
SELECT dpmix.protect('warned_even', 1e7, 1e-6, accountant => 'basic');
SELECT dpmix.set_bounds('warned_even', 'wage', 0, 100);
SELECT abs((high - low) / 2 / p.interval_95 - 1) < .2 AS same FROM dpmix.query('SELECT dp_low(dp_avg(wage)), dp_high(dp_avg(wage)) FROM warned_even', 1, mechanism => 'laplace') AS t(low float8, high float8),
    dpmix.preview('SELECT dp_avg(wage) FROM warned_even', 1, mechanism => 'laplace', group_rows => 500) AS p WHERE p.statistic LIKE 'groups of%';
SELECT count(*) FROM dpmix.preview('SELECT dp_avg(wage) FROM warned', 1, group_rows => 0);
DROP TABLE warned, warned_even, warned_ends;
DROP TYPE warned_mood;
