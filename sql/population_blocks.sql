-- Populations with blocks: the budget is for each person and block, for ever, and one more for what is in no block.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
SET dpmix.warn_of_weak_budgets = off;
CREATE TABLE pb_people (id integer PRIMARY KEY, sex text NOT NULL);
CREATE TABLE pb_visits (visit integer PRIMARY KEY, person integer NOT NULL, day date, cost integer);
CREATE TABLE pb_tests (person integer NOT NULL, taken timestamptz, value integer);
CREATE TABLE pb_items (visit integer NOT NULL, price integer);
INSERT INTO pb_people SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 1000) i;
-- Four visits each, one in each of 2021 to 2024, and as many tests; two items a visit.
INSERT INTO pb_visits SELECT 4 * i + y, i, make_date(2021 + y, 1 + i % 12, 1 + i % 28), 10 * y FROM generate_series(1, 1000) i, generate_series(0, 3) y;
INSERT INTO pb_tests SELECT person, day + interval '10 hours', cost FROM pb_visits;
INSERT INTO pb_items SELECT visit, 5 FROM pb_visits, generate_series(1, 2);
SELECT dpmix.create_population('pb', 20, 1e-6, accountant => 'gdp', width => '1 year', blocks_from => '2021-01-01');
SELECT dpmix.protect('pb_people', population => 'pb', privacy_unit => 'id');
SELECT dpmix.protect('pb_visits', population => 'pb', privacy_unit => 'person', max_rows_per_unit => 4, blocks => 'day');
SELECT dpmix.protect('pb_tests', population => 'pb', privacy_unit => 'person', max_rows_per_unit => 4, blocks => 'taken');
SELECT dpmix.protect('pb_items', population => 'pb', unit_through => 'pb_visits', link => '{visit}', max_rows_per_unit => 8);
SELECT dpmix.declare('pb_people', '{"sex": ["f", "m"]}');
SELECT dpmix.set_bounds('pb_visits', 'cost', 0, 30), dpmix.set_bounds('pb_tests', 'value', 0, 30), dpmix.set_bounds('pb_items', 'price', 0, 10);
CREATE FUNCTION charged(query text, epsilon float8, all_blocks boolean DEFAULT false) RETURNS TABLE (n bigint, blocks int8multirange)
    LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT n FROM dpmix.query(%L, %s, 1e-9, all_blocks => %L) AS t(n bigint)', query, epsilon, all_blocks) INTO n;
    SELECT c.blocks INTO blocks FROM dpmix.charge c ORDER BY c.id DESC LIMIT 1;
    RETURN NEXT;
END $$;
-- A table with a time pays for the blocks that it reads, one without for the one that is always read; a join for both.
SELECT abs(n - 1000) < 700, blocks FROM charged($q$SELECT dp_count(*) FROM pb_visits WHERE day >= '2022-01-01' AND day < '2023-01-01'$q$, .4);
SELECT abs(n - 1000) < 700, blocks FROM charged('SELECT dp_count(*) FROM pb_people', .4);
SELECT abs(n - 500) < 700, blocks FROM charged($q$SELECT dp_count(*) FROM pb_visits v JOIN pb_people p ON p.id = v.person
    WHERE v.day BETWEEN '2022-01-01' AND '2022-12-31' AND p.sex = 'f'$q$, .4);
-- Of two tables with times the blocks of either.
SELECT blocks FROM charged($q$SELECT dp_count(*) FROM pb_visits v JOIN pb_tests t ON t.person = v.person
    WHERE v.day BETWEEN '2022-01-01' AND '2022-12-31' AND t.taken >= '2024-01-01Z' AND t.taken < '2025-01-01Z'$q$, .4);
SELECT blocks FROM charged($q$SELECT dp_count(*) FROM pb_visits v JOIN pb_tests t ON t.person = v.person WHERE v.day >= '2024-01-01' AND v.day < '2025-01-01'$q$, .4);
-- What each person did: the conditions that stand beside each reference.
SELECT abs(n - 1000) < 700, blocks FROM charged($q$SELECT dp_count(*) FROM (SELECT person, count(*) AS c FROM pb_visits
    WHERE day >= '2021-01-01' AND day < '2023-01-01' GROUP BY person HAVING count(*) = 2) l$q$, .4);
SELECT abs(n - 1000) < 700, blocks FROM charged($q$SELECT dp_count(*) FROM pb_people p
    WHERE EXISTS (SELECT FROM pb_visits v WHERE v.person = p.id AND v.day < '2022-01-01')
      AND NOT EXISTS (SELECT FROM pb_visits v WHERE v.person = p.id AND v.day >= '2024-01-01' AND v.day < '2025-01-01' AND v.cost = 7)$q$, .4);
SELECT blocks FROM charged($q$SELECT dp_count(*) FROM pb_people p WHERE EXISTS (SELECT FROM pb_visits v WHERE v.person = p.id)$q$, .4);
SELECT blocks FROM charged($q$SELECT dp_count(*) FROM (SELECT person FROM pb_visits v WHERE day >= '2023-01-01' AND day < '2024-01-01'
    AND EXISTS (SELECT FROM pb_visits w WHERE w.person = v.person AND v.day < '2022-01-01')) l$q$, .4);
-- Rows that are linked lie where those lie that they name.
SELECT abs(n - 2000) < 1500, blocks FROM charged($q$SELECT dp_count(*) FROM pb_items i JOIN pb_visits v USING (visit)
    WHERE v.day >= '2023-01-01' AND v.day < '2024-01-01'$q$, .4);
SELECT blocks FROM charged($q$SELECT dp_count(*) FROM pb_items$q$, .4);
SELECT upper(blocks) - 1 = extract(year FROM now())::int - 2021 AS now FROM charged($q$SELECT dp_count(*) FROM pb_items$q$, .4, true);
-- What is left, of each block and of what is in none.
SELECT relation, charges, epsilon_declared, block_column, share_spent > 0 AS spent FROM dpmix.budget WHERE population = 'pb' ORDER BY relation::text;
SELECT tables, charges, width, blocks_from, now_from, now_to, share_spent_now = share_spent_now AS now, share_spent_always > 0 AS always,
       share_spent >= greatest(share_spent_now, share_spent_always) AS fullest FROM dpmix.populations WHERE name = 'pb' \gx
SELECT first_block, last_block, from_value, to_value, epsilon_declared, charges FROM dpmix.blocks('pb_visits') WHERE first_block < 4;
SELECT first_block, last_block, from_value, to_value, epsilon_declared, charges FROM dpmix.blocks('pb_people');
SELECT from_value, to_value, epsilon_declared FROM dpmix.blocks('pb_items') WHERE first_block < 4;
