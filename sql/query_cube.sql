-- GROUPING SETS, ROLLUP and CUBE: one workload for one charge, whose answers agree with each other.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE cubed (region text, sex boolean, age int, wage float8, hours int);
INSERT INTO cubed
SELECT CASE WHEN i % 11 = 0 THEN NULL ELSE (ARRAY['north', 'south', 'east', 'west'])[i % 4 + 1] END,
       CASE WHEN i % 13 = 0 THEN NULL ELSE i % 3 = 0 END,
       i % 40, CASE WHEN i % 17 = 0 THEN NULL ELSE i % 100 END, CASE WHEN i % 19 = 0 THEN NULL ELSE i % 60 END
FROM generate_series(1, 5000) i;
SELECT dpmix.protect('cubed', epsilon => 1e7, delta => 1e-3);
SELECT dpmix.set_categories('cubed', 'region', '{south,north,east}');
SELECT dpmix.set_bounds('cubed', 'age', 0, 39);
SELECT dpmix.set_bounds('cubed', 'wage', 0, 100);
SELECT dpmix.set_bounds('cubed', 'hours', 0, 60);

-- At this epsilon noise is 0. NULL is a group; totals count everybody, also who is of no declared region.
CREATE FUNCTION pg_temp.agrees_with_plain(clause text) RETURNS TABLE (groups bigint, agree boolean) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($f$
    WITH noisy AS (SELECT *, row_number() OVER (PARTITION BY bits, region, sex, decade) AS copy FROM dpmix.query($q$
           SELECT region, sex, age / 10 AS decade, GROUPING(region, sex, age / 10), dp_count(*), dp_count(wage), dp_sum(hours), dp_avg(wage), dp_stddev(wage)
           FROM cubed WHERE age < 35 GROUP BY %1$s $q$, epsilon => 1e5, delta => 1e-6)
           AS t(region text, sex boolean, decade int, bits int, n bigint, m bigint, s float8, a float8, d float8)),
         plain AS (SELECT region, sex, age / 10 AS decade, GROUPING(region, sex, age / 10) AS bits, count(*) AS n, count(wage) AS m, sum(hours)::float8 AS s,
                          avg(wage) AS a, stddev_pop(wage) AS d
           FROM cubed WHERE age < 35 GROUP BY %1$s HAVING GROUPING(region) = 1 OR region IS NULL OR region IN ('south', 'north', 'east')),
         counted AS (SELECT *, row_number() OVER (PARTITION BY bits, region, sex, decade) AS copy FROM plain)
    SELECT count(*), bool_and((n.n, n.m) = (coalesce(p.n, 0), coalesce(p.m, 0)) AND coalesce(abs(n.s - p.s) < 30, true) AND (n.m < 50 OR (abs(n.a - p.a) < .5 AND abs(n.d - p.d) < .5))) AND count(p.n) = (SELECT count(*) FROM plain)
    FROM noisy n LEFT JOIN counted p ON (n.bits, n.copy) = (p.bits, p.copy) AND (n.region, n.sex, n.decade) IS NOT DISTINCT FROM (p.region, p.sex, p.decade)$f$, clause);
END $$;
SELECT * FROM pg_temp.agrees_with_plain('CUBE (region, sex, age / 10)');
SELECT * FROM pg_temp.agrees_with_plain('ROLLUP (region, sex, age / 10)');
SELECT * FROM pg_temp.agrees_with_plain('GROUPING SETS ((region, sex), (age / 10), ())');
SELECT * FROM pg_temp.agrees_with_plain('GROUPING SETS ((region, sex), (sex, age / 10), (region, age / 10), (region), (region))');
SELECT * FROM pg_temp.agrees_with_plain('region, ROLLUP (sex, age / 10)');
SELECT * FROM pg_temp.agrees_with_plain('CUBE (region, sex), ROLLUP (age / 10, region)');
SELECT * FROM pg_temp.agrees_with_plain('DISTINCT CUBE (region, sex), ROLLUP (age / 10, region)');
SELECT * FROM pg_temp.agrees_with_plain('ROLLUP ((region, sex), (age / 10))');
SELECT * FROM pg_temp.agrees_with_plain('GROUPING SETS ((region, sex, age / 10))');

-- The finest first; GROUPING tells a total.
SELECT * FROM dpmix.query('SELECT region, sex, GROUPING(region), GROUPING(sex, region), dp_count(*) FROM cubed GROUP BY CUBE (region, sex)',
                          epsilon => 1e5, delta => 1e-6) AS t(region text, sex boolean, g int, gg int, n bigint);
SELECT * FROM dpmix.query($$SELECT CASE WHEN GROUPING(region) = 1 THEN 'all' ELSE region END, dp_count(*) FROM cubed
                             GROUP BY ROLLUP (region) HAVING GROUPING(region) = 1 OR dp_count(*) > 0 ORDER BY GROUPING(region) DESC, 1 LIMIT 3$$,
                          epsilon => 1e5, delta => 1e-6) AS t(region text, n bigint);
SELECT * FROM dpmix.query('SELECT GROUPING(region), dp_count(*) FROM cubed GROUP BY region', epsilon => 1e5, delta => 1e-6) AS t(g int, n bigint);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM cubed GROUP BY ()', epsilon => 1e5, delta => 1e-6) AS t(n bigint);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM cubed GROUP BY GROUPING SETS ((), ())', epsilon => 1e5, delta => 1e-6) AS t(n bigint);
SELECT json FROM dpmix.query_json('SELECT sex, dp_count(*) AS n FROM cubed GROUP BY ROLLUP (sex)', epsilon => 1e5, delta => 1e-6) AS t(json);

SELECT * FROM dpmix.query('SELECT sex, GROUPING(sex, 1 + 1), dp_count(*) > 0 FROM cubed GROUP BY ROLLUP (sex, 1 + 1)', epsilon => 1e5, delta => 1e-6)
  AS t(sex boolean, bits int, filled boolean);

-- Where conditions leave no public value of a key, its other rows are in the totals, for a charge; no row at all is
-- free.
CREATE FUNCTION pg_temp.totals(condition text, clause text, OUT answer text, OUT charged boolean) LANGUAGE plpgsql AS $$
DECLARE before bigint := (SELECT count(*) FROM dpmix.charge);
BEGIN
  SELECT string_agg(json::text, ' ' ORDER BY i) INTO answer
  FROM dpmix.query_json(format('SELECT GROUPING(%1$s) AS g, dp_count(*) AS n FROM cubed WHERE %2$s GROUP BY %3$s', regexp_replace(clause, '.*?\((.*)\)', '\1'), condition, clause),
                        epsilon => 1e5, delta => 1e-6) WITH ORDINALITY AS t(json, i);
  charged := (SELECT count(*) FROM dpmix.charge) > before;
END $$;
SELECT count(*) FROM cubed WHERE region = 'west';
SELECT * FROM pg_temp.totals('region = ''west''', 'ROLLUP (region)');
SELECT * FROM pg_temp.totals('region = ''west''', 'CUBE (region)');
SELECT * FROM pg_temp.totals('region IN (''west'', ''elsewhere'')', 'ROLLUP (upper(region))');
SELECT * FROM pg_temp.totals('region = ''west''', 'ROLLUP (region, sex)');
SELECT * FROM pg_temp.totals('age > 50', 'ROLLUP (age)');
SELECT * FROM pg_temp.totals('region = ''west'' AND region = ''east''', 'ROLLUP (region)');

-- Noise: every sum over a key is the answer without that key, exactly, and every answer is within its interval.
CREATE TEMP TABLE noisy_cube AS
SELECT * FROM dpmix.query($$SELECT region, sex, age / 10, GROUPING(region, sex, age / 10), dp_count(*), dp_sum(hours), dp_low(dp_count(*)),
                                   dp_high(dp_count(*)), dp_low(dp_sum(hours), .5), dp_high(dp_sum(hours), .5), dp_avg(wage), dp_low(dp_avg(wage)),
                                   dp_high(dp_avg(wage)), dp_var(wage), dp_low(dp_var(wage)), dp_high(dp_var(wage))
                            FROM cubed WHERE region IN ('south', 'north', 'east') AND age BETWEEN 0 AND 39
                            GROUP BY CUBE (region, sex, age / 10)$$, epsilon => .1, delta => 1e-6)
  AS t(region text, sex boolean, decade int, bits int, n bigint, s float8, nl float8, nh float8, sl float8, sh float8, a float8, al float8, ah float8,
       v float8, vl float8, vh float8);
SELECT count(*), count(DISTINCT n) > 20 AS noisy, bool_and(n BETWEEN nl AND nh), bool_and(s BETWEEN sl AND sh), bool_and(a BETWEEN al AND ah),
       bool_and(v BETWEEN vl AND vh) FROM noisy_cube;
SELECT coarse.bits, count(*) AS groups, bool_and(coarse.n = fine.n) AS counts, bool_and(coarse.s = fine.s) AS sums
FROM noisy_cube coarse,
     LATERAL (SELECT sum(n) AS n, sum(s) AS s FROM noisy_cube f
              WHERE f.bits = 0 AND (coarse.bits & 4 > 0 OR coarse.region = f.region) AND (coarse.bits & 2 > 0 OR coarse.sex IS NOT DISTINCT FROM f.sex)
                AND (coarse.bits & 1 > 0 OR coarse.decade = f.decade)) fine
GROUP BY 1 ORDER BY 1;
-- Tables that no other one holds agree in what they share.
SELECT count(DISTINCT total) FROM (
  SELECT sum(n) AS total FROM dpmix.query('SELECT GROUPING(region, sex, age / 10), dp_count(*) FROM cubed WHERE region IN (''south'', ''north'', ''east'')
    AND age BETWEEN 0 AND 39 GROUP BY GROUPING SETS ((region, sex), (sex, age / 10), (region, age / 10))', epsilon => .01, delta => 1e-6) AS t(bits int, n bigint) GROUP BY bits) x;

-- One charge, as that of a plain query; preview says the noise of each grouping set, and the ledger keeps it.
SELECT statistic, mechanism, round(sensitivity::numeric, 4) AS sensitivity, round(noise_stddev::numeric, 2) AS stddev, round(interval_95::numeric, 2) AS interval_95,
       charge_cost = (SELECT charge_cost FROM dpmix.preview('SELECT dp_count(*) FROM cubed', 1, 1e-6, 'gaussian')) AS as_plain
FROM dpmix.preview('SELECT region, sex, dp_count(*) FROM cubed GROUP BY CUBE (region, sex)', 1, 1e-6);
SELECT statistic, interval_95 > 0 AS known FROM dpmix.preview('SELECT region, dp_avg(wage) FROM cubed GROUP BY ROLLUP (region)', 1, 1e-6, group_rows => 500) ORDER BY 1;
SELECT count(*) FROM dpmix.ledger WHERE relation = 'public.cubed';
SELECT * FROM dpmix.query('SELECT sex, dp_count(*), dp_sum(hours) FROM cubed GROUP BY ROLLUP (sex) LIMIT 0', epsilon => 1, delta => 1e-6) AS t(sex boolean, n bigint, s float8);
SELECT count(*) FROM dpmix.ledger WHERE relation = 'public.cubed';
SELECT item, round(value::numeric, 2), meaning FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.ledger WHERE relation = 'public.cubed')) WHERE item = 'noise';

-- Asked again it is free, and the same; other sets are another question.
SET dpmix.memory_keep = '1d';
SELECT dpmix.set_memory('cubed', keep => '1 day');
CREATE TEMP TABLE asked AS SELECT 1 AS call, * FROM dpmix.query('SELECT region, sex, dp_count(*) FROM cubed GROUP BY CUBE (region, sex)', epsilon => 50, delta => 1e-6) AS t(region text, sex boolean, n bigint);
\set VERBOSITY terse
SET client_min_messages = notice;
INSERT INTO asked SELECT 2, * FROM dpmix.query('SELECT region, sex, dp_count(*) FROM cubed GROUP BY CUBE (region, sex)', epsilon => 50, delta => 1e-6) AS t(region text, sex boolean, n bigint);
SET client_min_messages = warning;
\set VERBOSITY default
SELECT count(*) FROM ((SELECT region, sex, n FROM asked WHERE call = 1) EXCEPT ALL (SELECT region, sex, n FROM asked WHERE call = 2)) x;
SELECT memory FROM dpmix.preview('SELECT region, sex, dp_count(*) FROM cubed GROUP BY CUBE (region, sex)', 50, 1e-6) LIMIT 1;
SELECT memory FROM dpmix.preview('SELECT region, sex, dp_count(*) FROM cubed GROUP BY CUBE (region, sex)', 60, 1e-6) LIMIT 1;
SELECT memory FROM dpmix.preview('SELECT region, sex, dp_count(*) FROM cubed GROUP BY ROLLUP (region, sex)', 50, 1e-6) LIMIT 1;
SELECT memory FROM dpmix.preview('SELECT region, sex, dp_count(*) FROM cubed GROUP BY region, sex', 50, 1e-6) LIMIT 1;
RESET dpmix.memory_keep;

-- replace: two groups change, a total of all does not, but WHERE may let the row in afterwards.
CREATE TABLE cubed_replace (LIKE cubed);
INSERT INTO cubed_replace TABLE cubed;
SELECT dpmix.protect('cubed_replace', epsilon => 1e7, delta => 1e-3, adjacency => 'replace');
SELECT dpmix.set_categories('cubed_replace', 'region', '{south,north,east}');
SELECT dpmix.set_bounds('cubed_replace', 'hours', -30, 60);
SELECT statistic, round(sensitivity::numeric, 4) AS sensitivity FROM dpmix.preview('SELECT dp_count(*) FROM cubed_replace GROUP BY GROUPING SETS ((), ())', 1, 1e-6);
SELECT statistic, sensitivity BETWEEN 1 AND sqrt(2::float8) * 1.0001 AS ok FROM dpmix.preview('SELECT dp_count(*) FROM cubed_replace GROUP BY ROLLUP (region)', 1, 1e-6);
SELECT statistic, round(sensitivity::numeric, 4) AS sensitivity FROM dpmix.preview('SELECT dp_sum(hours) FROM cubed_replace GROUP BY CUBE (region, sex)', 1, 1e-6);

-- Units of several rows are sampled once, by all keys.
CREATE TABLE cubed_units (person int, region text, sex boolean);
INSERT INTO cubed_units SELECT i % 500, (ARRAY['north', 'south', 'east'])[i % 3 + 1], i % 2 = 0 FROM generate_series(1, 3000) i;
SELECT dpmix.protect('cubed_units', epsilon => 1e7, delta => 1e-3, privacy_unit => 'person', max_rows_per_unit => 4);
SELECT dpmix.set_categories('cubed_units', 'region', '{south,north,east}');
SELECT bits, sum(n) FROM dpmix.query('SELECT GROUPING(region, sex), dp_count(*) FROM cubed_units GROUP BY CUBE (region, sex)', epsilon => 1e5, delta => 1e-6)
  AS t(bits int, n bigint) GROUP BY 1 ORDER BY 1;
SELECT count(DISTINCT s), max(s) <= 1000 FROM (SELECT sum(n) AS s FROM dpmix.query('SELECT GROUPING(region, sex), dp_count(*) FROM cubed_units GROUP BY CUBE (region, sex)',
  epsilon => 1e5, delta => 1e-6, max_groups => 1) AS t(bits int, n bigint) GROUP BY bits) x;
SELECT statistic, round(sensitivity::numeric, 3) AS sensitivity FROM dpmix.preview('SELECT dp_count(*) FROM cubed_units GROUP BY CUBE (region, sex)', 1, 1e-6, max_groups => 4);
SELECT statistic, round(sensitivity::numeric, 3) AS sensitivity FROM dpmix.preview('SELECT dp_count(*) FROM cubed_units GROUP BY CUBE (region, sex)', 1, 1e-6);

-- Refused, before the charge.
CREATE FUNCTION pg_temp.refused(body text, arguments text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  hint text;
BEGIN
  EXECUTE format('SELECT FROM dpmix.preview(%L, 1, 1e-6 %s)', body, arguments);
  RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  RETURN format('%s %s. %s', SQLSTATE, SQLERRM, hint);
END $$;
SELECT pg_temp.refused('SELECT dp_median(wage) FROM cubed GROUP BY ROLLUP (region)');
SELECT pg_temp.refused('SELECT dp_histogram(wage, ''{0,50,100}'') FROM cubed GROUP BY ROLLUP (region)');
SELECT pg_temp.refused('SELECT dp_count_distinct(region) FROM cubed GROUP BY CUBE (sex, region)');
SELECT pg_temp.refused('SELECT dp_count(*) FROM cubed GROUP BY ROLLUP (region)', ', ''laplace''');
SELECT pg_temp.refused('SELECT dp_count(*) FROM cubed GROUP BY ROLLUP (wage)');
SELECT pg_temp.refused('SELECT dp_count(*) FROM cubed GROUP BY ROLLUP (region)', ', keys => ''discover''');
SELECT pg_temp.refused('SELECT dp_count(*) FROM cubed GROUP BY CUBE (age, hours, wage::int)');
SELECT pg_temp.refused('SELECT dp_count(*) FROM cubed GROUP BY GROUPING SETS ((age, hours), (age, hours), (age, hours), (age, hours), (age, wage::int, hours))');
SELECT pg_temp.refused('SELECT dp_count(*) FROM cubed GROUP BY ROLLUP (region, sex, age>1, age>2, age>3, age>4, age>5, age>6, age>7, age>8, age>9, age>10, age>11)');
SELECT pg_temp.refused('SELECT GROUPING(wage), dp_count(*) FROM cubed GROUP BY ROLLUP (region)');
SELECT pg_temp.refused('SELECT region FROM cubed GROUP BY ROLLUP (region)');
SELECT pg_temp.refused('SELECT wage, dp_count(*) FROM cubed GROUP BY ROLLUP (region)');
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM cubed GROUP BY ROLLUP (region)', epsilon => 1, delta => 0) AS t(n bigint);
SELECT dpmix.partial_sql('SELECT dp_count(*) FROM cubed GROUP BY ROLLUP (region)');

-- Plain SQL over a facade.
SELECT dpmix.expose('cubed', default_epsilon => 1e5, default_delta => 1e-6);
CREATE TEMP TABLE plain_cube AS SELECT region, sex, GROUPING(region, sex) AS bits, count(*) AS n, sum(hours) > 1000 AS s, variance(wage) > 0 AS v
FROM private.cubed GROUP BY CUBE (region, sex);
WITH exact AS (SELECT region, sex, GROUPING(region, sex) AS bits, count(*) AS n, sum(hours) > 1000 AS s, true
  FROM cubed GROUP BY CUBE (region, sex))
SELECT (SELECT count(*) FROM plain_cube), (SELECT count(*) FROM (TABLE plain_cube EXCEPT ALL TABLE exact) x);
SELECT region, sex, count(*) > 100 AS many, rank() OVER (PARTITION BY GROUPING(region) ORDER BY sex DESC NULLS LAST) AS place
FROM private.cubed GROUP BY GROUPING SETS ((region, sex), (sex)) HAVING GROUPING(region) = 1 ORDER BY 2;
SELECT coalesce(region, 'all') AS region, dpmix.dp_low(count(*)) <= count(*) AS held FROM private.cubed GROUP BY ROLLUP (region) ORDER BY GROUPING(region), 1;
SELECT count(*) FROM private.cubed GROUP BY ();
SELECT region FROM private.cubed GROUP BY CUBE (region);
SELECT region, count(*) FROM private.cubed GROUP BY CUBE (region, 1 + 1);
SELECT region, region AS again, count(*) FROM private.cubed GROUP BY ROLLUP (1, 2);
SELECT region, count(DISTINCT age) FROM private.cubed GROUP BY CUBE (region);
SET dpmix.epsilon = 1;
EXPLAIN (COSTS OFF) SELECT region, sex, count(*) FROM private.cubed GROUP BY CUBE (region, sex);
SET dpmix.error = 100;
SELECT region, count(*) FROM private.cubed GROUP BY ROLLUP (region);
RESET dpmix.error;
RESET dpmix.epsilon;
SELECT dpmix.hide('private.cubed');
SELECT dpmix.unprotect(t) FROM unnest('{cubed,cubed_replace,cubed_units}'::regclass[]) t;
DROP TABLE cubed, cubed_replace, cubed_units;
