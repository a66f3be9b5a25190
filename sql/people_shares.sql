-- Layers over tables that take more memory than a release has: people come in shares, and rows of shares whose turn
-- is still to come are kept, packed, by one reading of the table, or each share reads it. Each answer beside
-- PostgreSQL's: values of each length, short texts and compressed ones, NULLs, nobody's rows, somebody with more
-- rows than are held of anybody.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA people_shares;
SET search_path = people_shares;
-- 60 000 rows of 6 000 people; texts that name them; compressed texts; 600 000 rows, which take 64 MB and more.
CREATE TABLE visits AS
    SELECT nullif(i % 6000, 5999) AS person, i * 37 % 100 AS day, CASE WHEN i % 7 > 0 THEN (i % 50)::int2 END AS small,
           i % 5 > 0 AS ill, (i % 4 + 1)::float8 AS cost, md5((i % 9)::text)::uuid AS room, i % 80 + .25 AS price,
           nullif(i % 3, 2) = 1 AS ward
    FROM generate_series(1, 60000) i;
INSERT INTO visits (person, day, small) SELECT 9000, 1, 7 FROM generate_series(1, 20000);
CREATE TABLE people AS SELECT i AS person, i % 3 AS kind FROM generate_series(0, 5999) i;
CREATE TABLE names AS
    SELECT 'p' || i % 5000 AS name, CASE WHEN i % 4 > 0 THEN repeat('t', i % 6) END AS note, i % 10 AS n
    FROM generate_series(1, 60000) i;
CREATE TABLE letters AS
    SELECT i % 3000 AS person, repeat(chr(97 + i % 3000 % 26), CASE WHEN i % 5 = 0 THEN 2100 ELSE i % 4 END) AS letter
    FROM generate_series(1, 60000) i;
CREATE TABLE trips AS SELECT i % 60000 AS person, i * 37 % 100 AS day FROM generate_series(1, 600000) i;
CREATE TABLE days AS SELECT i AS day, i % 7 AS weekday FROM generate_series(0, 99) i;
ALTER TABLE days ADD PRIMARY KEY (day);
ANALYZE;
SELECT dpmix.create_population('shares', 1e7, .1, accountant => 'basic');
SELECT dpmix.protect('visits', population => 'shares', privacy_unit => 'person', max_rows_per_unit => 12),
       dpmix.protect('people', population => 'shares', privacy_unit => 'person');
SELECT dpmix.protect('names', 1e7, .1, privacy_unit => 'name', max_rows_per_unit => 12, accountant => 'basic'),
       dpmix.protect('letters', 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 12, accountant => 'basic'),
       dpmix.protect('trips', 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 12, accountant => 'basic'),
       dpmix.declare_public('days');
SELECT dpmix.set_bounds('visits', 'day', 0, 100), dpmix.set_bounds('visits', 'small', 0, 50),
       dpmix.set_bounds('visits', 'cost', 0, 4), dpmix.set_bounds('visits', 'price', 0, 100),
       dpmix.set_bounds('names', 'n', 0, 10), dpmix.set_bounds('trips', 'day', 0, 100);
CREATE TABLE asked (n serial, rows text);
INSERT INTO asked (rows) VALUES
    ('{count}(*) FROM people p WHERE NOT EXISTS (SELECT FROM visits v WHERE v.person = p.person AND v.day > 60)'),
    ('{count}(*) FROM people p WHERE kind = 1 AND EXISTS (SELECT FROM visits v WHERE v.person = p.person AND ill
        AND small > 40)'),
    ('{sum}(x) FROM (SELECT DISTINCT ON (person) person, day AS x FROM visits WHERE person < 9000
        ORDER BY person, small DESC NULLS FIRST, price, day) v'),
    ('{count}(*) FROM (SELECT person, day - lag(day) OVER (PARTITION BY person ORDER BY cost, day) AS gap FROM visits
        WHERE person < 9000) v WHERE gap < 3'),
    ('{sum}(s) FROM (SELECT person, sum(small) AS s, count(small) AS n FROM visits WHERE person < 9000
        GROUP BY person) v'),
    ('{sum}(s) FROM (SELECT person, count(DISTINCT price) + count(DISTINCT room) AS s FROM visits WHERE person < 9000
        GROUP BY person) v'),
    ('{count}(*) FROM (SELECT person, max(price) AS p, min(cost) AS c FROM visits GROUP BY person
        HAVING count(*) FILTER (WHERE ward IS NULL) > 2) v WHERE p > 70 AND c < 3'),
    ('{count}(*) FROM (SELECT v.person, count(*) AS n FROM visits v JOIN days d ON d.day = v.day WHERE weekday = 3
        AND v.person < 9000 GROUP BY v.person) v WHERE n > 1'),
    ('{count}(*) FROM (SELECT person FROM visits WHERE room IS NULL GROUP BY person HAVING count(*) = 20000) v'),
    ('{count}(*) FROM (SELECT name, max(note) AS t, count(DISTINCT note) AS n, sum(n) AS s FROM names GROUP BY name) v
        WHERE (t >= ''tt'' AND n > 1) OR s > 30'),
    ('{count}(*) FROM (SELECT name FROM names WHERE note IS NULL AND name > ''p2'' GROUP BY name) v'),
    ('{count}(*) FROM (SELECT DISTINCT person, letter FROM letters WHERE length(letter) > 30) v'),
    ('{count}(*) FROM (SELECT DISTINCT ON (person) person, day FROM trips ORDER BY person, day) v WHERE day < 5'),
    ('{sum}(s) FROM (SELECT person, sum(day) AS s FROM trips GROUP BY person HAVING max(day) > 50) v');
CREATE FUNCTION exact(rows text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    answer float8;
BEGIN
    EXECUTE 'WITH visits AS (SELECT * FROM people_shares.visits WHERE person IS NOT NULL) SELECT ' ||
        translate(rows, '{}', '')
        INTO answer;
    RETURN answer;
END $$;
CREATE FUNCTION private(rows text) RETURNS float8 LANGUAGE sql AS $$
    SELECT (answered ->> 'a')::float8 FROM dpmix.query_json(
        'SELECT ' || regexp_replace(rows, '\{(\w+)\}(\([^)]*\))', 'dp_\1\2 AS a'), 1e5, 1e-6) AS q(answered) $$;
-- Read once, and for each share; all of them have answers that are not 0.
SELECT n, exact(rows) > 10 OR n = 9, abs(exact(rows) - private(rows)) < .1 FROM asked ORDER BY n;
SET dpmix.scan_memory = '8MB';
SELECT n, abs(exact(rows) - private(rows)) < .1 FROM asked WHERE n IN (1, 3, 10, 12) ORDER BY n;
SET dpmix.scan_memory = '1MB';
SELECT n, abs(exact(rows) - private(rows)) < .1 FROM asked WHERE n < 13 ORDER BY n;
