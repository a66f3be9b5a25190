-- Rows that tie in an order: which comes first follows from all columns that the query uses of them, in their own
-- order, and not from how rows are held. Ranks are of peers, and stay so.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA people_ties;
SET search_path = people_ties, public;
CREATE TABLE people (person int PRIMARY KEY);
INSERT INTO people SELECT generate_series(1, 20);
-- As bytes are held, 256 comes before 1.
CREATE TABLE ties (person int, day int, n int);
INSERT INTO ties SELECT person, 1, n FROM people, unnest('{3,256,1}'::int[]) n ORDER BY (person * n) % 7;
SELECT dpmix.create_population('people_ties', 1e7, .1, accountant => 'basic');
SELECT dpmix.protect('people', population => 'people_ties', privacy_unit => 'person'),
       dpmix.protect('ties', population => 'people_ties', privacy_unit => 'person', max_rows_per_unit => 3),
       dpmix.set_bounds('ties', 'n', 0, 300);
-- Each is 20 times what is said.
SELECT said, round(answer / 20) AS answer FROM (VALUES
    (1, 'SELECT DISTINCT ON (person) person, n AS x FROM ties ORDER BY person, day'),
    (256, 'SELECT DISTINCT ON (person) person, n AS x FROM ties ORDER BY person, day, n DESC'),
    (1, 'SELECT x FROM (SELECT n AS x, row_number() OVER (PARTITION BY person ORDER BY day) AS k FROM ties) t WHERE k = 1'),
    (3, 'SELECT x FROM (SELECT n AS x, ntile(3) OVER (PARTITION BY person ORDER BY day) AS k FROM ties) t WHERE k = 2'),
    (3, 'SELECT first_value(n) OVER (PARTITION BY person ORDER BY day) AS x FROM ties'),
    (4, 'SELECT lag(n) OVER (PARTITION BY person ORDER BY day) AS x FROM ties'),
    (265, 'SELECT least(sum(n) OVER (PARTITION BY person ORDER BY day ROWS UNBOUNDED PRECEDING), 300) AS x FROM ties'),
    (780, 'SELECT least(sum(n) OVER (PARTITION BY person ORDER BY day), 300) AS x FROM ties'),
    (3, 'SELECT rank() OVER (PARTITION BY person ORDER BY day) AS x, n FROM ties'),
    (3, 'SELECT dense_rank() OVER (PARTITION BY person ORDER BY day) AS x, n FROM ties'),
    (1, 'SELECT (SELECT n FROM ties t WHERE t.person = p.person ORDER BY day LIMIT 1) AS x FROM people p'),
    (4, 'SELECT n AS x FROM people p, LATERAL (SELECT n FROM ties t WHERE t.person = p.person ORDER BY day LIMIT 2) l')
    ) AS v(said, text),
    dpmix.query(format('SELECT dp_sum(x) FROM (%s) AS q', text), 1e5, mechanism => 'laplace') AS t(answer float8);
DROP SCHEMA people_ties CASCADE;
