-- Layers over two tables of a population, of which a person may lose the rows of one alone (a table that was charged
-- before it joined keeps a promise for itself): each statistic is moved by that no farther than its noise is made for.
-- Where a person without rows in the table has other rows in the layer, that is farther than by all rows.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA people_tables;
SET search_path = people_tables, public;
CREATE TABLE people (person int PRIMARY KEY, age int);
CREATE TABLE visits (visit int PRIMARY KEY, person int, cost int);
CREATE TABLE labs (visit int, value int);
INSERT INTO people SELECT p, CASE WHEN p % 2 = 0 THEN 100 ELSE -50 END FROM generate_series(1, 8) p;
INSERT INTO visits SELECT 10 * p + k, p, CASE WHEN (p + k) % 3 = 0 THEN -50 ELSE 100 END
                   FROM generate_series(2, 9) p, generate_series(1, 2) k;
INSERT INTO labs SELECT visit, CASE WHEN visit % 3 = 0 THEN 100 ELSE -50 END FROM visits WHERE visit % 5 > 0;
SELECT dpmix.create_population('people_tables', 1e7, .1, accountant => 'basic');
SELECT dpmix.protect('people', population => 'people_tables', privacy_unit => 'person'),
       dpmix.protect('visits', population => 'people_tables', privacy_unit => 'person', max_rows_per_unit => 2),
       dpmix.protect('labs', population => 'people_tables', unit_through => 'visits', link => '{visit}', max_rows_per_unit => 2);
SELECT dpmix.set_bounds('people', 'age', -50, 100), dpmix.set_bounds('visits', 'cost', -50, 100),
       dpmix.set_bounds('labs', 'value', -50, 100);
-- {sum}(x) of each, which has one row of a person.
CREATE TABLE asked (n serial, layer text, moved float8 DEFAULT 0);
INSERT INTO asked (layer) VALUES
    ('SELECT person, max(x) AS x FROM (SELECT person, age AS x FROM people UNION ALL SELECT person, cost FROM visits) u GROUP BY person'),
    ('SELECT person, max(x) AS x FROM (SELECT person, age AS x FROM people UNION SELECT person, cost FROM visits) u GROUP BY person'),
    ('SELECT person, min(x) AS x FROM (SELECT person, age AS x FROM people INTERSECT SELECT person, cost FROM visits) u GROUP BY person'),
    ('SELECT person, min(x) AS x FROM (SELECT person, cost AS x FROM visits EXCEPT SELECT person, age FROM people) u GROUP BY person'),
    ('SELECT p.person, coalesce(max(v.cost), p.age) AS x FROM people p LEFT JOIN visits v ON v.person = p.person GROUP BY p.person, p.age'),
    ('SELECT p.person, max(v.cost) AS x FROM people p JOIN visits v ON v.person = p.person GROUP BY p.person'),
    ('SELECT p.person, greatest(v.n, p.age) AS x FROM people p, LATERAL (SELECT max(cost) AS n FROM visits v WHERE v.person = p.person) v'),
    ('SELECT p.person, v.cost AS x FROM people p, LATERAL (SELECT cost FROM visits v WHERE v.person = p.person ORDER BY visit LIMIT 1) v'),
    ('SELECT person, CASE WHEN EXISTS (SELECT FROM visits v WHERE v.person = p.person) THEN 1 ELSE -1 END AS x FROM people p'),
    ('SELECT person, CASE WHEN person NOT IN (SELECT person FROM visits) THEN 1 ELSE -1 END AS x FROM people p'),
    ('SELECT person, coalesce((SELECT min(cost) FROM visits v WHERE v.person = p.person), 100) AS x FROM people p'),
    ('SELECT v.person, coalesce(max(l.value), -50) AS x FROM visits v LEFT JOIN labs l ON l.visit = v.visit GROUP BY v.person');
CREATE FUNCTION exact(layer text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    answer float8;
BEGIN
    -- Rows that name no visit are nobody's.
    EXECUTE format('WITH labs AS (SELECT l.* FROM people_tables.labs l JOIN people_tables.visits USING (visit)) SELECT sum(x) FROM (%s) AS l',
                   layer) INTO answer;
    RETURN coalesce(answer, 0);
END $$;
CREATE FUNCTION move() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one record;
    before float8[] := ARRAY(SELECT exact(layer) FROM asked ORDER BY n);
BEGIN
    FOR one IN SELECT person, lost FROM generate_series(1, 9) person, unnest('{people,visits,labs,all}'::text[]) lost LOOP
        BEGIN
            IF one.lost IN ('labs', 'all') THEN DELETE FROM labs WHERE visit / 10 = one.person; END IF;
            IF one.lost IN ('visits', 'all') THEN DELETE FROM visits WHERE person = one.person; END IF;
            IF one.lost IN ('people', 'all') THEN DELETE FROM people WHERE person = one.person; END IF;
            RAISE EXCEPTION 'moved %', ARRAY(SELECT abs(exact(layer) - before[n]) FROM asked ORDER BY n);
        EXCEPTION WHEN raise_exception THEN
            UPDATE asked SET moved = greatest(moved, (substr(SQLERRM, 7)::float8[])[n]);
        END;
    END LOOP;
END $$;
SELECT move();
SELECT n, moved, sensitivity AS planned, moved <= sensitivity AS enough FROM asked,
    dpmix.preview(format('SELECT dp_sum(x) AS a FROM (%s) AS l', layer), 1, mechanism => 'laplace', details => true) p
WHERE output_column = 'a' ORDER BY n;
DROP SCHEMA people_tables CASCADE;
