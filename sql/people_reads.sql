-- What is said about one table alone, where it is read, keeps rows from being held: not where a row may have no
-- partner, not where the table is read elsewhere without it, and not where other tables find their person through its
-- rows. Each question beside PostgreSQL's answer, rounded: noise is far below 1e-1.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA people_reads;
SET search_path = people_reads;
CREATE TABLE people (person int PRIMARY KEY, age int);
CREATE TABLE visits (visit int PRIMARY KEY, person int, day int, kind text);
CREATE TABLE labs (visit int, value int);
INSERT INTO people SELECT i, 20 + i % 60 FROM generate_series(1, 400) i;
INSERT INTO visits SELECT i, i % 350 + 1, i * 37 % 100, CASE WHEN i % 3 = 0 THEN 'long' ELSE 'short' END
                   FROM generate_series(1, 1500) i;
INSERT INTO labs SELECT i * 7 % 1500 + 1, i % 50 FROM generate_series(1, 2500) i;
ANALYZE people, visits, labs;
SELECT dpmix.create_population('people_reads', 1e7, .1, accountant => 'basic');
SELECT dpmix.protect('people', population => 'people_reads', privacy_unit => 'person'),
       dpmix.protect('visits', population => 'people_reads', privacy_unit => 'person', max_rows_per_unit => 10),
       dpmix.protect('labs', population => 'people_reads', unit_through => 'visits', link => '{visit}',
        max_rows_per_unit => 30);
SELECT dpmix.set_bounds('people', 'age', 0, 100), dpmix.set_bounds('visits', 'day', 0, 100),
       dpmix.set_bounds('labs', 'value', 0, 100);
CREATE TABLE asked (n serial, asked text, rows text);
INSERT INTO asked (asked, rows) VALUES
    ('read once',
     '{count}(*) FROM people p WHERE NOT EXISTS (SELECT FROM visits v WHERE v.person = p.person AND day > 60)'),
    ('both tables', '{count}(*) FROM people p WHERE age > 40 AND person IN (SELECT person FROM visits WHERE day < 20)'),
    ('a join',
     '{sum}(day) FROM (SELECT day FROM people p JOIN visits v ON v.person = p.person AND v.day > 30 AND p.age < 50
        WHERE kind = ''long'') s'),
    ('ON about the left',
     '{count}(*) FROM (SELECT p.person FROM people p LEFT JOIN visits v ON v.person = p.person AND p.age > 50) s'),
    ('ON about the right',
     '{count}(*) FROM (SELECT p.person FROM people p LEFT JOIN visits v ON v.person = p.person AND v.day > 50) s'),
    ('the same, turned', '{count}(*) FROM (SELECT p.person FROM visits v RIGHT JOIN people p
        ON v.person = p.person AND v.day > 50 AND p.age > 50) s'),
    ('WHERE beside no partner',
     '{count}(*) FROM (SELECT p.person FROM people p LEFT JOIN visits v ON v.person = p.person
        WHERE v.day IS NULL) s'),
    ('WHERE that takes both', '{count}(*) FROM (SELECT p.person FROM people p LEFT JOIN visits v ON v.person = p.person
        WHERE coalesce(v.day, 0) < 10) s'),
    ('ON of nothing', '{count}(*) FROM (SELECT p.person FROM people p LEFT JOIN (visits v JOIN people q
        ON q.person = v.person AND 1 = 2) ON v.person = p.person) s'),
    ('ON of nothing, elsewhere', '{count}(*) FROM (SELECT p.person FROM people p LEFT JOIN (visits v JOIN labs l
        ON l.visit = v.visit AND 1 = 2) ON v.person = p.person) s'),
    ('an inner ON beside no partner', '{count}(*) FROM (SELECT p.person FROM people p LEFT JOIN (visits v JOIN people q
        ON q.person = v.person AND v.day > 80) ON v.person = p.person) s'),
    ('read twice', '{count}(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.person AND day > 60)
        AND NOT EXISTS (SELECT FROM visits v WHERE v.person = p.person AND day < 30)'),
    ('twice in the same way',
     '{count}(*) FROM (SELECT person, count(*) AS n FROM visits WHERE day > 60 GROUP BY person) a
        JOIN (SELECT person, max(day) AS d FROM visits WHERE day > 60 GROUP BY person) b USING (person) WHERE n > 1
        AND d < 95'),
    ('with itself',
     '{count}(*) FROM (SELECT a.person, count(*) AS n FROM visits a JOIN visits b ON a.person = b.person AND a.day > 70
        GROUP BY a.person) v WHERE n > 3'),
    ('one of OR',
     '{count}(*) FROM people p WHERE age > 70 OR EXISTS (SELECT FROM visits v WHERE v.person = p.person AND day > 90)'),
    ('under NOT',
     '{count}(*) FROM people p WHERE NOT (age > 40 AND EXISTS (SELECT FROM visits v WHERE v.person = p.person AND day
        > 50))'),
    ('of no visit',
     '{count}(*) FROM people p WHERE person NOT IN (SELECT person FROM visits WHERE day > 50 AND kind = ''long'')'),
    ('a table through which others belong',
     '{sum}(value) FROM (SELECT person, (SELECT sum(value) FROM labs l WHERE l.visit = v.visit)
        AS value FROM visits v WHERE day > 50) s'),
    ('through it alone',
     '{count}(*) FROM labs l WHERE value > 25 AND EXISTS (SELECT FROM visits v WHERE v.visit = l.visit AND day > 50)'),
    ('a column around',
     '{count}(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.person AND v.day > p.age)'),
    ('below an aggregate', '{sum}(n) FROM (SELECT p.person, count(v.day) AS n FROM people p LEFT JOIN visits v
        ON v.person = p.person AND v.kind = ''short'' GROUP BY p.person) s'),
    ('a side of UNION ALL',
     '{count}(*) FROM (SELECT person FROM people WHERE age > 60 UNION ALL SELECT person FROM visits WHERE day > 60) u');
CREATE FUNCTION exact(rows text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    answer float8;
BEGIN
    EXECUTE 'SELECT ' || translate(rows, '{}', '') INTO answer;
    RETURN round(answer::numeric);
END $$;
CREATE FUNCTION private(rows text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    answer float8;
BEGIN
    SELECT (answered ->> 'a')::float8 INTO answer FROM dpmix.query_json(
        'SELECT ' || regexp_replace(rows, '\{(\w+)\}(\([^)]*\))', 'dp_\1\2 AS a'), 1e5, 1e-6) AS q(answered);
    RETURN round(answer::numeric);
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING '%: %', rows, SQLERRM;
    RETURN NULL;
END $$;
SELECT asked, exact(rows), exact(rows) = private(rows) FROM asked ORDER BY n;
DROP SCHEMA people_reads CASCADE;
