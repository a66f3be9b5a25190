-- Layers over a table with blocks: a person who loses the rows of one block keeps others, so that the layer's rows
-- change and do not go. Each statistic is moved by one person's rows of one block no farther than its noise is made
-- for, and as far.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA people_blocks;
SET search_path = people_blocks, public;
CREATE TABLE stays (person int, day date NOT NULL, cost int NOT NULL);
INSERT INTO stays SELECT p, date '2026-01-01' + k, CASE WHEN k = p % 3 THEN 100 ELSE -50 END
                  FROM generate_series(1, 20) p, generate_series(0, 2) k WHERE k <= p % 4;
SELECT dpmix.protect('stays', 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 3, accountant => 'basic', blocks => 'day',
                     blocks_from => '2026-01-01'), dpmix.set_bounds('stays', 'cost', -50, 100);
CREATE TABLE asked (n serial, statistic text, layer text);
INSERT INTO asked (statistic, layer) VALUES
    ('{sum}(x)', 'SELECT person, max(cost) AS x FROM stays GROUP BY person'),
    ('{sum}(x)', 'SELECT person, min(cost) AS x FROM stays GROUP BY person'),
    ('{sum}(CASE WHEN n = 1 THEN 1 ELSE -1 END)', 'SELECT person, count(*) AS n FROM stays GROUP BY person'),
    ('{sum}(x)', 'SELECT DISTINCT ON (person) person, cost AS x FROM stays ORDER BY person, day'),
    ('{sum}(CASE WHEN again THEN 1 ELSE -1 END)',
     'SELECT DISTINCT s.person, EXISTS (SELECT FROM stays t WHERE t.person = s.person AND t.day > ''2026-01-01'') AS again FROM stays s'),
    ('{count}(*)', 'SELECT person FROM stays GROUP BY person HAVING count(*) = 2');
CREATE FUNCTION exact(statistic text, layer text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    answer float8;
BEGIN
    EXECUTE format('SELECT %s FROM (%s) AS l', regexp_replace(statistic, '[{}]', '', 'g'), layer) INTO answer;
    RETURN coalesce(answer, 0);
END $$;
-- Over all persons and blocks, of which the rows are taken out.
CREATE FUNCTION farthest(statistic text, layer text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    before float8 := exact(statistic, layer);
    moved float8 := 0;
    one record;
BEGIN
    CREATE TEMP TABLE kept AS TABLE stays;
    FOR one IN SELECT DISTINCT person, day FROM kept LOOP
        DELETE FROM stays s WHERE s.person = one.person AND s.day = one.day;
        moved := greatest(moved, abs(exact(statistic, layer) - before));
        INSERT INTO stays SELECT * FROM kept k WHERE k.person = one.person AND k.day = one.day;
    END LOOP;
    DROP TABLE kept;
    RETURN moved;
END $$;
CREATE TABLE planned AS SELECT n, sensitivity FROM asked,
    dpmix.preview(format('SELECT %s AS a FROM (%s) AS l', regexp_replace(statistic, '\{(\w+)\}', 'dp_\1', 'g'), layer), 1,
                  mechanism => 'laplace', all_blocks => true, details => true) p
WHERE output_column = 'a';
SELECT n, moved, sensitivity AS planned, moved <= sensitivity AS enough
FROM asked JOIN planned USING (n), farthest(statistic, layer) AS moved ORDER BY n;
-- A release over a layer is paid by the blocks that it reads: those of the second and the third day.
SELECT tables FROM dpmix.release_cube('stays of two days', keys => '{n}', measures => '{count}', epsilon => 1, delta => 1e-6,
    source => 'SELECT person, count(*) AS n FROM stays WHERE day >= ''2026-01-02'' AND day < ''2026-01-04'' GROUP BY person');
SELECT relation, blocks FROM dpmix.ledger ORDER BY id DESC LIMIT 1;
DROP SCHEMA people_blocks CASCADE;
