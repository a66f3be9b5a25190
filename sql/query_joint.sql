-- What statistics of one query cost together: those that no row moves at once share less.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE joint_pay (id int PRIMARY KEY, region text, sex text, wage float8, age int NOT NULL);
INSERT INTO joint_pay SELECT i, CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' END, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END,
    CASE WHEN i % 9 = 0 THEN NULL ELSE i % 100 END, i % 90 FROM generate_series(1, 3000) AS i;
CREATE TABLE joint_swap AS SELECT * FROM joint_pay;
ALTER TABLE joint_swap ALTER age SET NOT NULL;
SELECT dpmix.protect('joint_pay', epsilon => 1e6, delta => 0.1), dpmix.protect('joint_swap', epsilon => 1e6, delta => 0.1, adjacency => 'replace');
SELECT dpmix.set_bounds(t, c, 0, 100) FROM unnest('{joint_pay,joint_swap}'::regclass[]) AS t, unnest('{wage,age}'::name[]) AS c;
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
DROP FUNCTION shares;
DROP TABLE joint_pay, joint_swap;
