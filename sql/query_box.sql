-- Pure noise of several statistics of a group is drawn together, and pays epsilon once.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE box_pay (id int PRIMARY KEY, sex text, wage float8, age int NOT NULL);
INSERT INTO box_pay SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END, i % 100, i % 90 FROM generate_series(1, 3000) AS i;
CREATE TABLE box_swap AS SELECT * FROM box_pay;
CREATE TABLE box_costs AS SELECT * FROM box_pay;
SELECT dpmix.protect('box_pay', epsilon => 1e6, delta => 0.1, accountant => 'basic'),
    dpmix.protect('box_swap', epsilon => 1e6, delta => 0.1, accountant => 'basic', adjacency => 'replace'),
    dpmix.protect('box_costs', epsilon => 1e6, delta => 0.1);
SELECT dpmix.set_bounds(t, c, 0, 100) FROM unnest('{box_pay,box_swap,box_costs}'::regclass[]) AS t, unnest('{wage,age}'::name[]) AS c;
SELECT dpmix.set_categories(t, 'sex', '{f,m}') FROM unnest('{box_pay,box_swap,box_costs}'::regclass[]) AS t;
\set QUIET on
-- The deviation of each statistic, in parts of that of a lone one: k for k that have a part of epsilon each, in a box
-- sqrt((k + 1) (k + 2) / 6), twice that where a row may leave one group for another.
CREATE FUNCTION deviations(query text, mechanism text DEFAULT 'laplace', epsilon float8 DEFAULT .01) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(round((p.noise_stddev * $3 / p.sensitivity / sqrt(2))::numeric, 2)::text, ', ')
    FROM dpmix.preview($1, $3, 0, $2, details => true) AS p $$;
SELECT query, deviations(query) AS add_remove, deviations(replace(query, 'box_pay', 'box_swap')) AS replace,
    deviations(replace(query, 'box_pay', 'box_costs')) AS by_costs, deviations(replace(query, 'box_pay', 'box_costs'), 'accurate', 3) AS accurate
FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM box_pay',
    'SELECT dp_avg(wage) FROM box_pay',
    'SELECT dp_var(wage) FROM box_pay',
    'SELECT sex, dp_count(*), dp_avg(wage) FROM box_pay GROUP BY sex',
    'SELECT dp_count(*), dp_avg(wage), dp_avg(age) FROM box_pay WHERE wage > 3',
    'SELECT dp_count_distinct(age), dp_count(*) FILTER (WHERE age > 3) FROM box_pay',
    -- rows move one of many cells of a histogram: it has a part of epsilon
    'SELECT dp_count(*), dp_sum(wage), dp_histogram(wage, ''{0,50,100}'') FROM box_pay']) AS query;
-- A person of several rows may be in several groups: each statistic has a part of its own.
CREATE TABLE box_visits AS SELECT id, id % 300 AS who, sex, wage FROM box_pay;
SELECT dpmix.protect('box_visits', epsilon => 1e6, delta => 0.1, accountant => 'basic', privacy_unit => 'who', max_rows_per_unit => 3),
    dpmix.set_bounds('box_visits', 'wage', 0, 100);
SELECT deviations('SELECT dp_count(*), dp_sum(wage) FROM box_visits') AS of_several_rows;
-- At a large epsilon parts are less noise, and are taken.
SELECT epsilon, deviations('SELECT dp_count(*), dp_avg(wage) FROM box_pay', 'laplace', epsilon) AS box_or_parts
FROM unnest('{1,4,30}'::float8[]) AS epsilon;
-- What is drawn is as far off as was said, in each group by itself; one charge for all, which is what its record says.
WITH drawn AS (
    SELECT n.* FROM generate_series(1, 300) AS i, LATERAL dpmix.query(
        'SELECT sex, dp_count(*), dp_sum(wage), dp_low(dp_sum(wage)), dp_high(dp_sum(wage)) FROM box_pay WHERE id <> $1::int GROUP BY sex ORDER BY sex',
        .5, mechanism => 'laplace', params => ARRAY[(-i)::text]) AS n(sex text, n bigint, s float8, low float8, high float8)),
said AS (
    SELECT max(noise_stddev) FILTER (WHERE statistic ~ 'count') AS n, max(noise_stddev) FILTER (WHERE statistic ~ 'sum') AS s
    FROM dpmix.preview('SELECT sex, dp_count(*), dp_sum(wage) FROM box_pay GROUP BY sex', .5, 0, 'laplace', details => true))
SELECT sex, stddev(d.n - 1500) / said.n BETWEEN .7 AND 1.4 AS counts, stddev(d.s) / said.s BETWEEN .7 AND 1.4 AS sums,
    avg((exact.s BETWEEN low AND high)::int) > .85 AS covered, abs(corr(abs(d.n - 1500), abs(d.s - exact.s))) > .1 AS together
FROM drawn AS d JOIN (SELECT sex, sum(wage) AS s FROM box_pay GROUP BY sex) AS exact USING (sex), said GROUP BY sex, said.n, said.s;
SELECT count(*), min(epsilon), max(epsilon), max(delta), bool_and(c.parameters -> 'statistics' -> 0 ->> 'together' = '2') AS on_record
FROM dpmix.charges('box_pay') AS c;
SELECT e.item, e.meaning FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.charges('box_pay'))) AS e WHERE e.meaning ~* 'the record';
SELECT count(*) FROM dpmix.query('SELECT dp_count(*), dp_avg(wage) FROM box_costs', .5, 0, 'accurate') AS t(n bigint, a float8);
SELECT count(*) FROM dpmix.query('SELECT sex, dp_count(*), dp_avg(wage) FROM box_swap GROUP BY sex', .5, 0, 'laplace') AS t(s text, n bigint, a float8);
SELECT t, e.item, e.meaning FROM unnest('{box_swap,box_costs}'::regclass[]) AS t, dpmix.charges(t) AS c, dpmix.explain_charge(c.id) AS e
WHERE e.meaning ~* 'the record' OR e.meaning ~ 'geometric' ORDER BY 1, 2;
DROP TABLE box_pay, box_swap, box_costs, box_visits;
