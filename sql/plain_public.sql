-- Plain SQL over a facade together with public tables: joins, keys, bounds, and sub-selects that are constants of a
-- question.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE ROLE joins_owner;
CREATE ROLE joins_analyst;
CREATE SCHEMA joins_private AUTHORIZATION joins_owner;
GRANT USAGE, CREATE ON SCHEMA joins_private TO joins_analyst;
GRANT CREATE ON SCHEMA public TO joins_owner;
SET ROLE joins_owner;
CREATE TABLE joins_persons (person int PRIMARY KEY, city text NOT NULL, code int, income float8, day date);
INSERT INTO joins_persons SELECT i, 'city' || i % 6, i % 6, i % 100, date '2026-01-01' + i % 50 FROM generate_series(1, 600) AS i;
CREATE TABLE joins_cities (city text PRIMARY KEY, code bigint UNIQUE, small int UNIQUE, country text NOT NULL, tax float8, fee numeric, opened date);
INSERT INTO joins_cities SELECT 'city' || i, i, i, 'C' || i % 2, i * 10, i + .5, date '2026-01-01' + i FROM generate_series(0, 4) AS i;
SELECT dpmix.declare_public('joins_cities');
GRANT SELECT ON joins_cities TO joins_analyst;
SELECT dpmix.protect('joins_persons', 1e7, .01, accountant => 'basic', privacy_unit => 'person');
SELECT dpmix.set_bounds('joins_persons', 'income', 0, 100), dpmix.set_bounds('joins_persons', 'day', date '2026-01-01', date '2026-12-31');
SELECT dpmix.grant_access('joins_persons', 'joins_analyst');
SELECT dpmix.expose('joins_persons', 'joins_private.persons', default_epsilon => 1e4);
RESET ROLE;
CREATE FUNCTION joins_charges() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$ SELECT count(*) FROM dpmix.charge WHERE relation = 'public.joins_persons' $$;
SET ROLE joins_analyst;
SET search_path = joins_private, public;
-- Sub-selects, WITH and views of a public table, and rows of constants.
SELECT count(*) FROM persons AS p JOIN (SELECT * FROM joins_cities) AS c USING (city);
WITH c AS (SELECT * FROM joins_cities) SELECT count(*) FROM persons AS p JOIN c USING (city);
WITH c AS MATERIALIZED (SELECT city AS name, country AS land FROM joins_cities), d AS (SELECT name FROM c WHERE land = 'C1') SELECT count(*) FROM persons AS p JOIN d ON d.name = p.city;
WITH p AS (SELECT * FROM persons), c AS (SELECT * FROM joins_cities) SELECT country, count(*), (SELECT count(*) FROM c) AS cities FROM p JOIN c USING (city) GROUP BY country ORDER BY country;
WITH limits AS (SELECT 50 AS least, 'city1' AS name) SELECT count(*) FROM persons, limits WHERE income >= least AND city = name;
WITH limits AS (SELECT 50 AS least) SELECT count(*) FROM persons JOIN limits ON income >= least JOIN joins_cities USING (city);
SELECT count(*) FROM persons CROSS JOIN (SELECT 50 AS least) AS l WHERE income < least;
-- A key that an inner join equates with a public column has the values of that one.
SELECT city, count(*) FROM persons JOIN joins_cities USING (city) GROUP BY city ORDER BY city;
SELECT p.city, count(*) FROM persons AS p JOIN joins_cities AS c ON c.city = p.city GROUP BY p.city ORDER BY p.city LIMIT 2;
SELECT upper(p.city) AS upper, count(*) FROM persons AS p, joins_cities AS c WHERE p.city = c.city AND p.city <> 'city0' GROUP BY 1 ORDER BY 1 LIMIT 2;
SELECT p.code, count(*) FROM persons AS p JOIN joins_cities AS c ON c.small = p.code GROUP BY p.code ORDER BY 1;
SELECT t.city, t.n FROM dpmix.query('SELECT city, dp_count(*) FROM joins_persons JOIN joins_cities USING (city) GROUP BY city', 1e4) AS t(city text, n bigint) ORDER BY 1 LIMIT 2;
-- Expressions of public columns are bounded by what these have.
SELECT round(sum(income * (1 - tax / 100))) AS sum, round(avg(income + fee)) AS avg, count(*) FILTER (WHERE income * fee > 100) AS many FROM persons JOIN joins_cities USING (city);
SELECT round(sum(p.income * (1 - c.tax / 100))) AS sum FROM persons AS p LEFT JOIN joins_cities AS c USING (city);
SELECT round(sum(CASE WHEN country = 'C1' THEN income * fee ELSE tax END)) AS sum, sum(day - opened) AS days FROM persons JOIN joins_cities USING (city) WHERE tax < 30;
-- Infinite public values have no bounds, but where the query has some.
RESET ROLE;
SET ROLE joins_owner;
CREATE TABLE joins_fees (city text PRIMARY KEY, fee float8, until date);
INSERT INTO joins_fees VALUES ('city0', 'infinity', 'infinity'), ('city1', 2, '2026-01-01'), ('city2', '-infinity', '2026-02-01'), ('city3', 'NaN', NULL);
SELECT dpmix.declare_public('joins_fees');
GRANT SELECT ON joins_fees TO joins_analyst;
SELECT sum(CASE WHEN income > 3 THEN least(greatest(fee, -10), 10) ELSE 0 END) FROM joins_persons JOIN joins_fees USING (city) WHERE city <> 'city3';
RESET ROLE;
SET ROLE joins_analyst;
SELECT round(sum(CASE WHEN income > 3 THEN least(greatest(fee, -10), 10) ELSE 0 END)) AS sum FROM persons JOIN joins_fees USING (city) WHERE city <> 'city3';
SELECT round(sum(fee)) AS sum, round(sum(day - until) FILTER (WHERE until < '2026-01-15')) AS days FROM persons JOIN joins_fees USING (city) WHERE fee > 0 AND fee < 1e6;
SELECT sum(CASE WHEN income > 3 THEN fee ELSE 0 END) FROM persons JOIN joins_fees USING (city);
SELECT sum(fee) FROM persons JOIN joins_fees USING (city);
SELECT avg(day - until) FROM persons JOIN joins_fees USING (city);
SELECT w AS condition, sensitivity FROM (VALUES ('true'), ('tax <= 20'), ('tax < 0')) AS v(w), dpmix.preview('SELECT dp_sum(income * tax) FROM joins_persons JOIN joins_cities USING (city) WHERE ' || w, 1) ORDER BY sensitivity DESC;
RESET ROLE;
SET ROLE joins_owner;
SELECT round(sum(income * (1 - tax / 100))) AS sum, round(avg(income + fee)) AS avg, count(*) FILTER (WHERE income * fee > 100) AS many FROM joins_persons JOIN joins_cities USING (city);
SELECT round(sum(CASE WHEN country = 'C1' THEN income * fee ELSE tax END)) AS sum, sum(day - opened) AS days FROM joins_persons JOIN joins_cities USING (city) WHERE tax < 30;
SELECT v.name, v.weight, count(*), round(sum(weight * income)) AS sum FROM joins_persons AS p JOIN (VALUES ('city1', 'one', 1.5), ('city4', 'four', 2), (NULL, 'none', 3)) AS v(city, name, weight) ON v.city = p.city GROUP BY 1, 2 ORDER BY 1;
WITH poor AS (SELECT * FROM joins_cities WHERE tax > 10), odd AS (SELECT nullif(small, 3) AS code FROM poor)
    SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM odd WHERE odd.code = nullif(p.code, 4))) AS found, count(*) FILTER (WHERE NOT EXISTS (SELECT FROM odd WHERE odd.code = nullif(p.code, 4))) AS others,
        round(sum(CASE WHEN EXISTS (SELECT FROM poor WHERE tax < p.income) THEN 1 ELSE 0 END)) AS above FROM joins_persons AS p;
RESET ROLE;
SET ROLE joins_analyst;
-- Sub-selects that read no private rows are constants.
SELECT count(*) FROM persons WHERE day >= (SELECT date '2026-02-01');
SELECT count(*) FROM persons WHERE income > (SELECT max(tax) FROM joins_cities) AND day < (SELECT max(opened) FROM joins_cities) + 7;
SELECT city, count(*) FROM persons WHERE city IN (SELECT city FROM joins_cities WHERE country = 'C1') GROUP BY city ORDER BY city;
SELECT count(*) FROM persons WHERE city NOT IN (SELECT city FROM joins_cities) AND code = ANY (SELECT small FROM joins_cities UNION ALL SELECT 5) AND income >= ALL (SELECT tax - 50 FROM joins_cities);
SELECT count(*) FROM persons WHERE (SELECT random()) < 2 AND income < 50;
SELECT count(*) FROM persons WHERE EXISTS (SELECT FROM joins_cities WHERE tax > 1000);
SELECT count(*) FILTER (WHERE city IN (SELECT city FROM joins_cities WHERE tax = 10)) AS one, round(sum(income + (SELECT 1))) AS sum, (SELECT count(*) FROM joins_cities) AS above FROM persons;
WITH chosen AS (SELECT 50 AS least), twice AS (SELECT least * 2 AS most FROM chosen) SELECT count(*) FROM persons WHERE income BETWEEN (SELECT least FROM chosen) AND (SELECT most - 10 FROM twice);
WITH a AS (SELECT 50 AS x), b AS (SELECT x FROM a) SELECT (WITH c AS (SELECT x FROM b) SELECT count(*) FROM persons WHERE income > (SELECT x FROM c)) AS n, (SELECT x FROM b) AS x;
SELECT n FROM (WITH chosen AS (SELECT city FROM joins_cities WHERE tax > 10) SELECT count(*) AS n FROM (SELECT * FROM persons WHERE city IN (SELECT city FROM chosen)) AS p) AS s;
SELECT outside, count(*) FROM (SELECT city NOT IN (SELECT city FROM joins_cities) AS outside FROM persons) AS p GROUP BY outside ORDER BY outside;
PREPARE dearer(float8) AS SELECT count(*) FROM persons WHERE income > (SELECT max(tax) * $1 FROM joins_cities);
EXECUTE dearer(1);
EXECUTE dearer(2);
EXPLAIN (COSTS OFF) SELECT count(*) FROM persons WHERE day >= (SELECT date '2026-02-01');
-- EXISTS that compares the row once is such a list, also where a side is NULL.
SELECT city, count(*) FROM persons AS p WHERE EXISTS (SELECT 1 FROM joins_cities AS c WHERE c.city = p.city AND country = 'C1' ORDER BY fee LIMIT 1) GROUP BY city ORDER BY city;
SELECT count(*) FROM (SELECT * FROM persons AS p WHERE NOT EXISTS (SELECT FROM joins_cities AS c WHERE p.city = c.city)) AS s WHERE income < 50;
WITH poor AS (SELECT * FROM joins_cities WHERE tax > 10), odd AS (SELECT nullif(small, 3) AS code FROM poor)
    SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM odd WHERE odd.code = nullif(p.code, 4))) AS found, count(*) FILTER (WHERE NOT EXISTS (SELECT FROM odd WHERE odd.code = nullif(p.code, 4))) AS others,
        round(sum(CASE WHEN EXISTS (SELECT FROM poor WHERE tax < p.income) THEN 1 ELSE 0 END)) AS above FROM persons AS p;
-- Rows of constants that one value matches.
SELECT v.name, v.weight, count(*), round(sum(weight * income)) AS sum FROM persons JOIN (VALUES ('city1', 'one', 1.5), ('city4', 'four', 2), (NULL, 'none', 3)) AS v(city, name, weight) ON v.city = persons.city WHERE v.city IN ('city1', 'city4') GROUP BY 1, 2 ORDER BY 1;
WITH v(code, name) AS (VALUES (1::bigint, 'one'), (2, 'two')) SELECT count(*) FILTER (WHERE name IS NULL) AS others, count(*) FILTER (WHERE name = 'two') AS two FROM persons LEFT JOIN v ON v.code = persons.code;
SELECT v.city, country, count(*) FROM persons JOIN joins_cities AS c USING (city), (VALUES ('city0'::varchar), ('city3')) AS v(city) WHERE v.city = c.city AND income < 50 GROUP BY 1, 2 ORDER BY 1;
-- EXPLAIN looks at public tables as the statement would, for its price.
CREATE FUNCTION pg_temp.explained(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
        RETURN NEXT regexp_replace(line, ' [(]returns .*[)]', '');  -- up to PostgreSQL 16
    END LOOP;
END $$;
SELECT pg_temp.explained('SELECT city, count(*) FROM persons AS p WHERE income > (SELECT max(tax) FROM joins_cities) AND EXISTS (SELECT FROM joins_cities AS c WHERE c.city = p.city) GROUP BY city');
-- They are computed once, and equal questions are one.
SELECT joins_charges() AS before \gset
SELECT (SELECT count(*) FROM persons WHERE income > (SELECT max(tax) FROM joins_cities)) - (SELECT count(*) FROM persons WHERE income > (SELECT max(tax) FROM joins_cities)) AS zero;
SELECT joins_charges() - :before AS one;
-- Refused, and free.
SELECT joins_charges() AS before \gset
SELECT p.city, count(*) FROM persons AS p LEFT JOIN joins_cities AS c USING (city) GROUP BY p.city;
SELECT income, count(*) FROM persons AS p JOIN joins_cities AS c ON c.tax = p.income GROUP BY income;
SELECT count(*) FROM persons WHERE income > (SELECT tax FROM joins_cities);
SELECT count(*) FROM persons AS p WHERE EXISTS (SELECT FROM joins_cities AS c WHERE c.city = p.city AND c.tax > p.income);
SELECT count(*) FROM persons AS p WHERE EXISTS (SELECT max(tax) FROM joins_cities AS c WHERE c.city = p.city HAVING max(tax) > 10);
SELECT count(*) FROM persons AS p WHERE EXISTS (SELECT FROM persons AS q WHERE q.city = p.city);
SELECT count(*) FROM persons AS p WHERE income > (SELECT tax FROM joins_cities AS c WHERE c.city = p.city);
SELECT count(*) FROM persons WHERE income > (SELECT avg(income) FROM persons);
SELECT count(*) FROM persons WHERE city IN (SELECT city FROM persons);
SELECT count(*) FROM persons WHERE (city, code) IN (SELECT city, code FROM joins_cities);
WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 3) SELECT count(*) FROM persons WHERE code IN (SELECT i FROM r);
WITH c AS (SELECT country, count(*) AS n FROM joins_cities GROUP BY country) SELECT count(*) FROM persons JOIN c ON n > 1;
SELECT count(*) FROM persons LEFT JOIN (SELECT 50 AS least) AS l ON income > least;
SELECT count(income) FROM (SELECT 50 AS least) AS l LEFT JOIN persons ON income > least;
SELECT count(*) FROM persons JOIN (VALUES (1, 10), (20, 30)) AS v(least, most) ON income BETWEEN least AND most;
SELECT count(*) FROM persons JOIN (VALUES (1, 'a'), (1, 'b')) AS v(code, name) USING (code);
SELECT count(*) FROM persons RIGHT JOIN (VALUES (1, 'a')) AS v(code, name) USING (code);
SELECT count(*) FROM persons LEFT JOIN (VALUES (1, 'a')) AS v(code, name) ON v.code = persons.code AND income > 50;
SELECT count(*) FROM persons JOIN (VALUES ((SELECT 1), 'a')) AS v(code, name) USING (code);
CREATE TABLE joins_mine AS SELECT city FROM joins_cities;
SELECT count(*) FROM persons JOIN joins_mine USING (city);
WITH changed AS (INSERT INTO joins_mine VALUES ('city1') RETURNING city) SELECT count(*) FROM persons WHERE city IN (SELECT city FROM changed);
RESET ROLE;
CREATE TABLE public.joins_closed (city text PRIMARY KEY);
SET ROLE joins_analyst;
SELECT count(*) FROM persons WHERE city IN (SELECT city FROM joins_closed);
SELECT joins_charges() - :before AS none;
RESET ROLE;
DROP TABLE joins_closed;
DROP OWNED BY joins_analyst;
RESET search_path;
SET ROLE joins_owner;
SELECT dpmix.unprotect('joins_persons');
RESET ROLE;
DROP OWNED BY joins_owner CASCADE;
DROP FUNCTION joins_charges;
DROP ROLE joins_owner, joins_analyst;
