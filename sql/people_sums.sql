-- Sums and averages of float8 over one person's rows: as exact as float8 itself, whatever the bounds; no value makes
-- them fail, and NaN counts for nothing.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA people_sums;
SET search_path = people_sums, public;
CREATE TABLE parts (person int, n int, x float8);
INSERT INTO parts SELECT p, n, sin(p * n) * power(10, (p * n) % 9 - 3) FROM generate_series(1, 200) p, generate_series(1, 7) n;
CREATE TABLE wide AS TABLE parts;
CREATE TABLE odd (person int, x float8);
INSERT INTO odd SELECT p, unnest('{1e100,-1e100,1e-320,-1e-320,NaN,Infinity,-Infinity,1e300,0,-0,NULL}'::float8[])
                FROM generate_series(1, 50) p;
CREATE TABLE small (person int, x float8);
INSERT INTO small SELECT p, 1e-300 * n FROM generate_series(1, 50) p, generate_series(1, 4) n;
SELECT dpmix.protect(t, 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 12, accountant => 'basic')
FROM unnest('{parts,wide,odd,small}'::regclass[]) t;
SELECT dpmix.set_bounds('parts', 'x', -1e6, 1e6), dpmix.set_bounds('wide', 'x', -1e12, 1e12), dpmix.set_bounds('odd', 'x', -1e100, 1e100),
       dpmix.set_bounds('small', 'x', 0, 1e-299);
CREATE FUNCTION people_with(condition text, name text) RETURNS bigint LANGUAGE sql AS $$
    SELECT n FROM dpmix.query(format('SELECT dp_count(*) FROM (SELECT person FROM %I GROUP BY person HAVING %s) AS s', name, condition),
                              1e5, mechanism => 'laplace') AS t(n bigint)
$$;
-- How many of all persons are as exact as that.
CREATE TABLE exact AS SELECT person, sum(x::numeric) AS s, avg(x::numeric) AS a FROM parts GROUP BY person;
SELECT name, people_with(format('sum(x) BETWEEN %s - 1e-9 AND %1$s + 1e-9 AND avg(x) BETWEEN %s - 1e-9 AND %2$s + 1e-9 AND person = %s', s, a, person), name)
FROM (SELECT * FROM exact WHERE person % 40 = 1) e, unnest('{parts,wide}'::text[]) name ORDER BY name, person;
-- Of frames, too: the sum of the rows so far and the sum of those that follow are the whole sum.
SELECT n AS rows FROM dpmix.query($$ SELECT dp_count(*) FROM (
    SELECT x, sum(x) OVER (PARTITION BY person ORDER BY n ROWS UNBOUNDED PRECEDING) AS before,
           sum(x) OVER (PARTITION BY person ORDER BY n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS after,
           sum(x) OVER (PARTITION BY person) AS whole FROM parts) AS s
    WHERE abs(before + after - x - whole) < 1e-8 $$, 1e5, mechanism => 'laplace') AS t(n bigint);
-- Out of bounds are the bounds; nothing fails.
SELECT people_with('sum(x) BETWEEN .99e100 AND 1.01e100', 'odd') AS sums, people_with('avg(x) BETWEEN 1.11e99 AND 1.12e99', 'odd') AS averages,
       people_with('sum(x) BETWEEN 9.99e-300 AND 10.01e-300', 'small') AS small;
DROP SCHEMA people_sums CASCADE;
