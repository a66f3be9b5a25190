-- NULL among groups that are found: a group like others, which comes back where enough units have it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TYPE null_mood AS ENUM ('low', 'high');
CREATE TABLE nulls (person int NOT NULL, i2 int2, i8 int8, f8 float8, n numeric, v varchar(5), c char(4), b boolean, d date, t timestamp, id uuid, m null_mood, long text,
  city text NOT NULL, grade int, wage float8);
-- Values that stand for NULL in the scan are among them: 0, '', the first label.
INSERT INTO nulls
SELECT i % 300, nullif(i % 3, 2), nullif(i % 3, 2), CASE i % 4 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN -0.0 WHEN 2 THEN 0 END, nullif(i % 3, 2), (ARRAY['', 'v'])[1 + i % 3], (ARRAY['', 'c'])[1 + i % 3],
  (ARRAY[true, false])[1 + i % 3], (ARRAY[date '2000-01-01', '2020-01-01'])[1 + i % 3], (ARRAY[timestamp '2000-01-01', 'infinity'])[1 + i % 3],
  (ARRAY['00000000-0000-0000-0000-000000000000', md5('1')])[1 + i % 3]::uuid, (ARRAY['low', 'high'])[1 + i % 3]::null_mood, (ARRAY['', repeat(md5('1'), 100)])[1 + i % 3],
  'city ' || i % 5, (ARRAY[1, 2, 7])[1 + i % 4], i % 100
FROM generate_series(1, 1200) AS i;
SELECT dpmix.protect('nulls', epsilon => 1e7, delta => .4);
SELECT dpmix.set_categories('nulls', 'grade', '{1,2}'), dpmix.set_bounds('nulls', 'wage', 0, 100);
CREATE TABLE null_units (LIKE nulls);
INSERT INTO null_units TABLE nulls;
SELECT dpmix.protect('null_units', epsilon => 1e7, delta => .4, privacy_unit => 'person', max_rows_per_unit => 8);
SELECT dpmix.set_categories('null_units', 'grade', '{1,2}'), dpmix.set_bounds('null_units', 'wage', 0, 100);

-- As plain SQL has them, of every type, of expressions, of several keys; rows, and units with several rows.
CREATE FUNCTION found_with_null(key text, type text, source text, OUT groups bigint, OUT same boolean, OUT nulls bigint) LANGUAGE plpgsql AS $body$
BEGIN
  EXECUTE format('WITH r AS MATERIALIZED (SELECT * FROM dpmix.query(%L, 1e5, 1e-9, keys => ''discover'', max_groups => %s) AS r(k %s, n bigint)), p AS MATERIALIZED (SELECT %s AS k, count(*) AS n FROM %s GROUP BY 1)
                  SELECT (SELECT count(*) FROM r), (SELECT count(*) FROM r) = (SELECT count(*) FROM p) AND count(*) = (SELECT count(*) FROM p) AND bool_and(abs(p.n - r.n) < 3),
                    count(*) FILTER (WHERE r.k IS NULL) FROM r, p WHERE r.k IS NOT DISTINCT FROM p.k',
                 format('SELECT %s, dp_count(*) FROM %s GROUP BY 1', key, source), CASE source WHEN 'nulls' THEN 'NULL' ELSE '1' END, type, key, source) INTO groups, same, nulls;
END $body$;
SELECT source, k, (found_with_null(k, t, source)).* FROM (VALUES
  ('i2', 'int2'), ('i8', 'int8'), ('f8', 'float8'), ('n', 'numeric'), ('v', 'varchar'), ('c', 'char(4)'), ('b', 'boolean'), ('d', 'date'), ('t', 'timestamp'), ('id', 'uuid'),
  ('m', 'null_mood'), ('long', 'text'), ('city', 'text'), ('left(long, 2)', 'text'), ('i2 + i8', 'int8'), ('n / 2', 'numeric'), ('nullif(city, ''city 1'')', 'text'),
  ('coalesce(v, ''none'')', 'varchar'), ('i2 > 0', 'boolean')) keys(k, t), unnest('{nulls,null_units}'::text[]) source;
-- In the order of the keys, NULL last; a declared key beside has its NULL, too, and no undeclared value.
SELECT * FROM dpmix.query('SELECT v, grade, dp_count(*) > 0, dp_count(*) FROM nulls GROUP BY 1, 2', epsilon => 1e5, delta => 2e-12, keys => 'discover') AS t(v varchar, grade int, many boolean, n bigint);
SELECT v, grade, count(*) FROM nulls WHERE grade IS NULL OR grade < 7 GROUP BY 1, 2 ORDER BY 1, 2;
-- Conditions on NULL.
SELECT * FROM dpmix.query('SELECT v, dp_count(*) FROM nulls WHERE v IS NULL GROUP BY 1', epsilon => 1e5, delta => 2e-12, keys => 'discover') AS t(v varchar, n bigint);
SELECT * FROM dpmix.query('SELECT v, dp_count(*) FROM nulls WHERE v IS NOT NULL GROUP BY 1', epsilon => 1e5, delta => 2e-12, keys => 'discover') AS t(v varchar, n bigint);
SELECT * FROM dpmix.query('SELECT v, dp_count(*) FROM nulls WHERE v <> ''v'' GROUP BY 1', epsilon => 1e5, delta => 2e-12, keys => 'discover') AS t(v varchar, n bigint);
-- Other statistics of the group: sums, people, different values.
SELECT p.v IS NULL AS null, abs(r.wage - p.wage) < 30 AS wage, r.people = p.people AS people, r.cities = p.cities AS cities
FROM dpmix.query('SELECT v, dp_sum(wage), dp_count_distinct(person), dp_count_distinct(long || city) FROM nulls GROUP BY 1', epsilon => 1e5, delta => 2e-12, keys => 'discover') AS r(v varchar, wage float8, people bigint, cities bigint)
JOIN (SELECT v, sum(wage) AS wage, count(DISTINCT person) AS people, count(DISTINCT long || city) AS cities FROM nulls GROUP BY 1) p ON p.v = r.v OR (p.v IS NULL AND r.v IS NULL) ORDER BY p.v;
SELECT p.v IS NULL AS null, r.people BETWEEN p.people - 3 AND p.people + 3 AS people
FROM dpmix.query('SELECT v, dp_count_distinct(person) FROM null_units GROUP BY 1', epsilon => 1e5, delta => 2e-12, keys => 'discover', max_groups => 3) AS r(v varchar, people bigint)
JOIN (SELECT v, count(DISTINCT person) AS people FROM null_units GROUP BY 1) p ON p.v = r.v OR (p.v IS NULL AND r.v IS NULL) ORDER BY p.v;

-- Of few units it does not come back: of one with the delta of the search, 1e-12.
UPDATE nulls SET v = 'v' WHERE v IS NULL AND ctid <> (SELECT min(ctid) FROM nulls WHERE v IS NULL);
SELECT count(*) FROM nulls WHERE v IS NULL;
SELECT v FROM dpmix.query('SELECT v, dp_count(*) FROM nulls GROUP BY 1', epsilon => 1e5, delta => 2e-12, keys => 'discover') AS t(v varchar, n bigint);

-- Plain SQL, found by itself; and from memory, free.
SELECT dpmix.set_memory('null_units', keep => '1 day');
CREATE SCHEMA null_private;
SELECT dpmix.expose('null_units', 'null_private.null_units', default_epsilon => 1000, default_delta => 1e-9, max_epsilon_per_query => 1000);
CREATE TEMP TABLE first_time AS SELECT long IS NULL AS missing, left(long, 3) AS long, count(*) AS n, sum(wage) AS wage FROM null_private.null_units GROUP BY null_units.long;
\set VERBOSITY terse
SET client_min_messages = notice;
CREATE TEMP TABLE again AS SELECT long IS NULL AS missing, left(long, 3) AS long, count(*) AS n, sum(wage) AS wage FROM null_private.null_units GROUP BY null_units.long;
SET client_min_messages = warning;
SELECT missing, long, n > 300 AS many FROM first_time;
SELECT count(*) FROM (TABLE first_time EXCEPT TABLE again) AS other;
SELECT dpmix.hide('null_private.null_units'), dpmix.unprotect('nulls'), dpmix.unprotect('null_units');
DROP TABLE nulls, null_units;
DROP FUNCTION found_with_null;
DROP SCHEMA null_private;
DROP TYPE null_mood;
