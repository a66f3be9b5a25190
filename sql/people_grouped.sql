-- Rows of one table that are aggregated by person are added up as they are read, in place of being held. Each
-- question beside PostgreSQL's answer: NULLs, FILTER, NaN, two zeros, ends of types, nobody's rows, shares of the
-- units, somebody with more rows than are held of anybody, and questions that memory must tell apart.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA people_grouped;
SET search_path = people_grouped;
CREATE TABLE visits (person int, day int, cost float8, small int2, large int8, seen date, at timestamp, ill boolean,
                     price numeric(8, 2), ward text);
INSERT INTO visits
    SELECT nullif(i % 400, 399), i * 37 % 100, CASE WHEN i % 11 = 0 THEN NULL ELSE i * 31 % 1000 / 10.0 - 20 END,
           CASE WHEN i % 7 > 0 THEN i % 50 END, i % 90, date '2020-01-01' + i % 300,
           timestamp '2020-01-01' + i % 5000 * interval '1 hour', CASE WHEN i % 13 > 0 THEN i % 5 > 0 END, i % 80 + .25,
           CASE WHEN i % 3 > 0 THEN 'a' ELSE 'b' END
    FROM generate_series(1, 3000) i;
INSERT INTO visits (person, day, cost) SELECT 1000, 1, 2 FROM generate_series(1, 20000);
INSERT INTO visits (person, day, cost) VALUES (1001, 1, 'NaN'), (1001, 2, 5), (1002, 1, 'NaN'), (1003, 1, -0.0),
        (1003, 2, 0),
    (1004, 1, 'Infinity'), (1004, 2, '-Infinity'), (1005, NULL, NULL);
ANALYZE visits;
SELECT dpmix.protect('visits', 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 12, accountant => 'basic');
CREATE FUNCTION at(moment timestamp) RETURNS float8 LANGUAGE sql AS $$ SELECT dpmix_internal.to_float8(moment) $$;
CREATE FUNCTION at(day date) RETURNS float8 LANGUAGE sql AS $$ SELECT dpmix_internal.to_float8(day) $$;
SELECT dpmix.set_bounds('visits', 'day', 0, 100), dpmix.set_bounds('visits', 'cost', -20, 80),
       dpmix.set_bounds('visits', 'small', 0, 50), dpmix.set_bounds('visits', 'large', 0, 90),
       dpmix.set_bounds('visits', 'price', 0, 100),
       dpmix.set_bounds('visits', 'seen', at(date '2020-01-01'), at(date '2021-01-01')),
       dpmix.set_bounds('visits', 'at', at(timestamp '2020-01-01'), at(timestamp '2021-01-01'));
CREATE TABLE asked (n serial, asked text, rows text);
INSERT INTO asked (asked, rows) VALUES
    ('sum of whole numbers',
     '{sum}(s) FROM (SELECT person, sum(day) AS s FROM visits WHERE person < 1000 GROUP BY person) v'),
    ('sum of floats',
     '{sum}(s) FROM (SELECT person, sum(cost) AS s FROM visits WHERE person < 1000 GROUP BY person) v'),
    ('of int2', '{sum}(s) FROM (SELECT person, sum(small) AS s FROM visits WHERE person < 1000 GROUP BY person) v'),
    ('of decimals', '{sum}(s) FROM (SELECT person, sum(price) AS s FROM visits WHERE person < 1000 GROUP BY person) v'),
    ('average', '{sum}(s) FROM (SELECT person, avg(cost) AS s FROM visits WHERE person < 1000 GROUP BY person) v'),
    ('least', '{sum}(s) FROM (SELECT person, min(cost) AS s FROM visits WHERE person < 1000 GROUP BY person) v'),
    ('most', '{sum}(s) FROM (SELECT person, max(large) AS s FROM visits WHERE person < 1000 GROUP BY person) v'),
    ('dates',
     '{count}(*) FROM (SELECT person, max(seen) AS s FROM visits GROUP BY person) v WHERE s > date ''2020-10-15'''),
    ('time stamps',
     '{count}(*) FROM (SELECT person, min(at) AS s FROM visits GROUP BY person) v WHERE s < ''2020-01-20'''),
    ('all', '{count}(*) FROM (SELECT person, bool_and(ill) AS s FROM visits GROUP BY person) v WHERE s'),
    ('not all', '{count}(*) FROM (SELECT person, every(ill) AS s FROM visits GROUP BY person) v WHERE NOT s'),
    ('any', '{count}(*) FROM (SELECT person, bool_or(NOT ill) AS s FROM visits GROUP BY person) v WHERE s'),
    ('none is known',
     '{count}(*) FROM (SELECT person, bool_or(ill) AS s FROM visits GROUP BY person) v WHERE s IS NULL'),
    ('rows', '{sum}(n) FROM (SELECT person, count(*) AS n FROM visits WHERE person < 1000 GROUP BY person) v'),
    ('values', '{sum}(n) FROM (SELECT person, count(small) AS n FROM visits WHERE person < 1000 GROUP BY person) v'),
    ('texts', '{sum}(n) FROM (SELECT person, count(ward) AS n FROM visits WHERE person < 1000 GROUP BY person) v'),
    ('FILTER',
     '{sum}(n) FROM (SELECT person, count(*) FILTER (WHERE ward = ''a'' AND day > 20) AS n FROM visits WHERE person <
        1000
        GROUP BY person) v'),
    ('FILTER of a sum',
     '{sum}(n) FROM (SELECT person, sum(cost) FILTER (WHERE ward = ''b'') AS n FROM visits WHERE person < 1000
        GROUP BY person) v'),
    ('nothing is summed',
     '{count}(*) FROM (SELECT person, sum(cost) FILTER (WHERE day > 98) AS n FROM visits GROUP BY person) v
        WHERE n IS NULL'),
    ('HAVING', '{count}(*) FROM (SELECT person FROM visits GROUP BY person HAVING count(*) > 7 AND max(day) < 95) v'),
    ('nothing else', '{count}(*) FROM (SELECT person FROM visits GROUP BY person) v'),
    ('by the person itself',
     '{count}(*) FROM (SELECT person, person % 2 AS odd, count(*) AS n FROM visits GROUP BY person) v
        WHERE odd = 1 AND n > 3'),
    ('of what is computed',
     '{count}(*) FROM (SELECT person, max(day) - min(day) AS d, sum(day) / count(*) AS a FROM visits
        GROUP BY person) v WHERE d < 60 AND a < 50'),
    ('deeper',
     '{count}(*) FROM (SELECT person, 2 * s AS t FROM (SELECT person, sum(day) AS s FROM visits GROUP BY person) a
        WHERE s > 300) b WHERE t < 900'),
    ('a person with many rows',
     '{count}(*) FROM (SELECT person, count(*) AS n, sum(cost) AS s FROM visits GROUP BY person
        HAVING count(*) = 20000 AND sum(cost) = 40000) v'),
    ('two zeros',
     '{count}(*) FROM (SELECT person, min(cost) AS a, max(cost) AS b FROM visits GROUP BY person) v WHERE a = 0 AND b
        = 0'),
    ('infinite ones',
     '{count}(*) FROM (SELECT person, max(cost) AS a FROM visits GROUP BY person) v WHERE a > 1000 AND a < ''NaN'''),
    ('no row passes', '{count}(*) FROM (SELECT person FROM visits WHERE day > 1000 GROUP BY person) v');
CREATE FUNCTION exact(rows text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    answer float8;
BEGIN
    EXECUTE 'WITH visits AS (SELECT * FROM people_grouped.visits WHERE person IS NOT NULL) SELECT ' ||
        translate(rows, '{}', '')
        INTO answer;
    RETURN answer;
END $$;
CREATE FUNCTION private(rows text) RETURNS float8 LANGUAGE sql AS $$
    SELECT (answered ->> 'a')::float8 FROM dpmix.query_json(
        'SELECT ' || regexp_replace(rows, '\{(\w+)\}(\([^)]*\))', 'dp_\1\2 AS a'), 1e5, 1e-6) AS q(answered) $$;
SELECT asked, round(exact(rows)::numeric, 1), abs(exact(rows) - private(rows)) < .1 FROM asked ORDER BY n;
-- In shares of the units.
SET dpmix.scan_memory = '1MB';
SELECT asked, abs(exact(rows) - private(rows)) < .1 FROM asked WHERE asked ~ '^(sum of floats|least|nothing else|a
        person)' ORDER BY n;
RESET dpmix.scan_memory;
-- Two questions that differ in what is asked as rows are read are not the same one: of these four, three are charged.
SELECT dpmix.set_memory('visits', keep => '1 hour');
CREATE TABLE charged AS SELECT max(id) AS before FROM dpmix.ledger;
SELECT private(
    '{count}(*) FROM (SELECT person, sum(day) AS s FROM visits WHERE day > 10 GROUP BY person) v WHERE s > 300') IS NULL;
SELECT private(
    '{count}(*) FROM (SELECT person, sum(day) AS s FROM visits WHERE day > 90 GROUP BY person) v WHERE s > 300') IS NULL;
SELECT private(
    '{count}(*) FROM (SELECT person, sum(large) AS s FROM visits WHERE day > 90 GROUP BY person) v WHERE s > 300') IS NULL;
SELECT private(
    '{count}(*) FROM (SELECT person, sum(large) AS s FROM visits WHERE day > 90 GROUP BY person) v WHERE s > 300') IS NULL;
SELECT count(*) FROM dpmix.ledger, charged WHERE relation = 'people_grouped.visits' AND id > before;
DROP SCHEMA people_grouped CASCADE;
