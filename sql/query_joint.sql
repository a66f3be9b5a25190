-- What statistics of one query cost together: those that no row moves at once share less.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE joint_pay (id int PRIMARY KEY, region text, sex text, wage float8, age int NOT NULL, bonus float8);
INSERT INTO joint_pay SELECT i, CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' END, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END,
    CASE WHEN i % 9 = 0 THEN NULL ELSE i % 100 END, i % 90, CASE WHEN i % 5 = 0 THEN 'NaN'::float8 ELSE i % 100 END FROM generate_series(1, 3000) AS i;
CREATE TABLE joint_swap AS SELECT * FROM joint_pay;
ALTER TABLE joint_swap ALTER age SET NOT NULL;
SELECT dpmix.protect('joint_pay', epsilon => 1e6, delta => 0.1), dpmix.protect('joint_swap', epsilon => 1e6, delta => 0.1, adjacency => 'replace');
SELECT dpmix.set_bounds(t, c, 0, 100) FROM unnest('{joint_pay,joint_swap}'::regclass[]) AS t, unnest('{wage,age,bonus}'::name[]) AS c;
SELECT dpmix.set_categories(t, 'sex', '{f,m}') FROM unnest('{joint_pay,joint_swap}'::regclass[]) AS t;
-- The noise as a part of what it would be alone: 1 for one statistic, sqrt(n) for n that a row moves at once.
CREATE FUNCTION shares(query text) RETURNS numeric LANGUAGE sql AS $$
    SELECT round((max(p.noise_stddev / p.sensitivity) / (SELECT noise_stddev FROM dpmix.preview('SELECT dp_count(*) FROM joint_pay', 1, 1e-6, 'gaussian')))::numeric, 3)
    FROM dpmix.preview(query, 1, 1e-6, 'gaussian') AS p $$;
\set QUIET on
SELECT query, shares(query) AS add_remove, shares(replace(query, 'joint_pay', 'joint_swap')) AS replace
FROM unnest(ARRAY[
    'SELECT dp_count(*), dp_count(wage) FROM joint_pay',
    'SELECT dp_avg(wage) FROM joint_pay',
    'SELECT dp_avg(age) FROM joint_pay',
    'SELECT dp_var(wage) FROM joint_pay',
    'SELECT dp_avg(wage), dp_avg(age) FROM joint_pay',
    'SELECT sex, dp_avg(wage) FROM joint_pay GROUP BY sex',
    -- FILTERs that exclude each other, by their text
    'SELECT dp_count(*) FILTER (WHERE region = ''a''), dp_count(*) FILTER (WHERE region = ''b''), dp_count(*) FILTER (WHERE region = ''c'') FROM joint_pay',
    'SELECT dp_count(*) FILTER (WHERE age < 20), dp_count(*) FILTER (WHERE age >= 20 AND age < 40), dp_count(*) FILTER (WHERE age >= 40) FROM joint_pay',
    'SELECT dp_count(*) FILTER (WHERE wage > age), dp_count(*) FILTER (WHERE NOT wage > age) FROM joint_pay',
    'SELECT dp_count(*) FILTER (WHERE wage IS NULL), dp_count(*) FILTER (WHERE wage IS NOT NULL) FROM joint_pay',
    'SELECT dp_count(*) FILTER (WHERE region IN (''a'', ''b'')), dp_count(*) FILTER (WHERE region = ''c'') FROM joint_pay',
    'SELECT dp_avg(wage) FILTER (WHERE sex = ''f''), dp_avg(wage) FILTER (WHERE sex = ''m'') FROM joint_pay',
    'SELECT dp_count(*), dp_count(*) FILTER (WHERE sex = ''f''), dp_count(*) FILTER (WHERE sex = ''m'') FROM joint_pay',
    -- and those that don't, or whose text does not say so
    'SELECT dp_count(*) FILTER (WHERE age < 20), dp_count(*) FILTER (WHERE age <= 20) FROM joint_pay',
    'SELECT dp_count(*) FILTER (WHERE age <= 20), dp_count(*) FILTER (WHERE age >= 20) FROM joint_pay',
    'SELECT dp_count(*) FILTER (WHERE region = ''a''), dp_count(*) FILTER (WHERE sex = ''f'') FROM joint_pay',
    'SELECT dp_count(*) FILTER (WHERE region = ''a''), dp_count(*) FILTER (WHERE region <> ''b'') FROM joint_pay',
    'SELECT dp_count(*) FILTER (WHERE wage = age), dp_count(*) FILTER (WHERE wage = age + 1) FROM joint_pay',
    'SELECT dp_count(*) FILTER (WHERE wage < 20), dp_count(*) FILTER (WHERE wage = ''NaN'') FROM joint_pay']) AS query;
-- It is what is drawn, too, and charged once.
WITH drawn AS (
    SELECT n.* FROM generate_series(1, 400) AS i, LATERAL dpmix.query(
        'SELECT dp_count(*) FILTER (WHERE region = ''a''), dp_count(*) FILTER (WHERE region = ''b''), dp_count(*) FILTER (WHERE region = ''c'' OR region = $1) FROM joint_pay',
        epsilon => 1, delta => 1e-6, mechanism => 'gaussian', params => ARRAY['c' || i]) AS n(a bigint, b bigint, c bigint))
SELECT stddev(a - 1000) / p.s BETWEEN .75 AND 1.25 AS a, stddev(b) / p.s BETWEEN .75 AND 1.25 AS b, stddev(c) / p.s BETWEEN .75 AND 1.25 AS c
FROM drawn, (SELECT noise_stddev AS s FROM dpmix.preview('SELECT dp_count(*) FROM joint_pay', 1, 1e-6, 'gaussian')) AS p GROUP BY p.s;
-- Beside counts of values a count of rows costs nothing: less noise of these, and no more of any. Of each statistic.
CREATE FUNCTION each_share(query text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(round((p.noise_stddev / p.sensitivity / a.noise_stddev)::numeric, 3)::text, ', ' ORDER BY p.n)
    FROM dpmix.preview('SELECT dp_count(*) FROM joint_pay', .01, 1e-6, 'gaussian', details => true) AS a,
        LATERAL (SELECT noise_stddev, sensitivity, n FROM dpmix.preview(query, .01, 1e-6, 'gaussian', details => true) WITH ORDINALITY AS t(a, b, c, sensitivity, d, e, noise_stddev, g, h, i, j, k, l, m, o, q, n)) AS p $$;
SELECT query, each_share(query) AS add_remove, each_share(replace(query, 'joint_pay', 'joint_swap')) AS replace
FROM unnest(ARRAY[
    'SELECT dp_count(*), dp_count(wage) FROM joint_pay',
    'SELECT dp_count(*), dp_avg(wage) FROM joint_pay',
    'SELECT dp_avg(wage), dp_sum(wage), dp_count(*) FROM joint_pay',
    'SELECT dp_count(*), dp_var(wage) FROM joint_pay',
    'SELECT sex, dp_count(*), dp_avg(wage) FROM joint_pay GROUP BY sex',
    'SELECT dp_count(*), dp_avg(wage), dp_avg(bonus) FROM joint_pay',
    'SELECT dp_count(*), dp_avg(bonus), dp_sum(age) FROM joint_pay',
    'SELECT dp_count(*) FILTER (WHERE sex = ''f''), dp_avg(wage) FILTER (WHERE sex = ''f''), dp_count(*) FILTER (WHERE sex = ''m''), dp_var(wage) FILTER (WHERE sex = ''m'') FROM joint_pay',
    -- not where the count is of other rows, where no value is missing, or where there is no count of values
    'SELECT dp_count(*) FILTER (WHERE age > 20), dp_avg(wage) FROM joint_pay',
    'SELECT dp_count(*), dp_avg(age) FROM joint_pay',
    'SELECT dp_count(*), dp_sum(wage) FROM joint_pay',
    'SELECT dp_count(*), dp_avg(wage) FROM joint_pay GROUP BY CUBE (sex)']) AS query;
-- Other mechanisms know nothing of it; found groups have a count of their own.
SELECT count(DISTINCT round((noise_stddev / sensitivity)::numeric, 3)) FROM dpmix.preview('SELECT dp_count(*), dp_count(wage) FROM joint_pay', 1, 1e-6, 'laplace');
SELECT count(DISTINCT round((noise_stddev / sensitivity)::numeric, 1)) FROM dpmix.preview('SELECT region, dp_count(*), dp_avg(wage) FROM joint_pay GROUP BY region', 1, 1e-6, 'gaussian', keys => 'discover') WHERE noise_stddev > 0;
-- That is what is drawn: the count of values within that of rows, so that of missing ones has the noise of one
-- statistic.
WITH drawn AS (
    SELECT n.* FROM generate_series(1, 400) AS i, LATERAL dpmix.query('SELECT dp_count(*), dp_avg(wage), dp_count(wage), dp_low(dp_count(*)), dp_high(dp_count(*)) FROM joint_pay WHERE id <> $1',
        epsilon => .1, delta => 1e-6, mechanism => 'gaussian', params => ARRAY[(5000 + i)::text]) AS n(rows bigint, mean float8, "values" bigint, low float8, high float8))
SELECT stddev(rows - 3000) / p.s / sqrt(3) BETWEEN .8 AND 1.2 AS rows, stddev("values" - 2667) / p.s / sqrt(2) BETWEEN .8 AND 1.2 AS "values",
    stddev(rows - "values" - 333) / p.s BETWEEN .8 AND 1.2 AS missing, count(*) FILTER (WHERE 3000 BETWEEN low AND high) BETWEEN 350 AND 398 AS covered,
    count(DISTINCT high - low) AS widths, bool_and(abs(mean - 49.5) < 10) AS mean
FROM drawn, (SELECT noise_stddev AS s FROM dpmix.preview('SELECT dp_count(*) FROM joint_pay', .1, 1e-6, 'gaussian')) AS p GROUP BY p.s;
DROP FUNCTION shares, each_share;
DROP TABLE joint_pay, joint_swap;
