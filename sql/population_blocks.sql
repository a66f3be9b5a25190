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
SELECT tables, charges, width, blocks_from, now_from = to_char(now() AT TIME ZONE 'UTC', 'YYYY-01-01') AS begins,
       now_to = to_char(now() AT TIME ZONE 'UTC' + interval '1 year', 'YYYY-01-01') AS ends, share_spent_now = share_spent_now AS now, share_spent_always > 0 AS always,
       share_spent >= greatest(share_spent_now, share_spent_always) AS fullest FROM dpmix.populations WHERE name = 'pb' \gx
SELECT first_block, last_block, from_value, to_value, epsilon_declared, charges FROM dpmix.blocks('pb_visits') WHERE first_block < 4;
SELECT first_block, last_block, from_value, to_value, epsilon_declared, charges FROM dpmix.blocks('pb_people');
SELECT from_value, to_value, epsilon_declared FROM dpmix.blocks('pb_items') WHERE first_block < 4;
-- Rows without a block, before the first and later than now are read by no layer, whatever the text says.
SELECT dpmix.create_population('pb_wide', 5000, 1e-6, accountant => 'basic', weak_budget => true, width => '1 year', blocks_from => '2022-01-01');
CREATE TABLE pb_odd (person integer, day date);
INSERT INTO pb_odd VALUES (1, '2022-05-05'), (2, '2021-12-31'), (3, '2950-01-01'), (4, NULL), (5, 'infinity'), (6, '2022-01-01'), (6, '2023-01-01');
SELECT dpmix.protect('pb_odd', population => 'pb_wide', privacy_unit => 'person', max_rows_per_unit => 4, blocks => 'day');
SELECT n FROM charged('SELECT dp_count(*) FROM (SELECT person FROM pb_odd GROUP BY person) l', 500, true);
SELECT n FROM charged('SELECT dp_count(*) FROM pb_odd', 500, true);
SELECT n, lower(blocks), upper(blocks) > 4 AS now FROM charged('SELECT dp_count(*) FROM (SELECT person FROM pb_odd WHERE day < ''2022-06-01'' OR day IS NULL GROUP BY person) l', 500, true);
-- Of two references each has its own, and the table is read in both.
SELECT n, blocks FROM charged($q$SELECT dp_count(*) FROM (SELECT person FROM pb_odd o WHERE day < '2023-01-01'
    AND EXISTS (SELECT FROM pb_odd p WHERE p.person = o.person AND p.day >= '2023-01-01' AND p.day < '2024-01-01')) l$q$, 500);
-- A model's rows pay for what their text narrows to.
SELECT dpmix.set_bounds('pb_odd', 'day', '2022-01-01', '2024-01-01');
SELECT count(*) FROM dpmix.release_tree('pb_tree', source => $q$SELECT CASE WHEN count(*) > 1 THEN 1 ELSE 0 END AS often FROM pb_odd
    WHERE day >= '2022-01-01' AND day < '2023-01-01' GROUP BY person$q$, columns => '{often}', epsilon => 1, delta => 1e-9);
SELECT kind, blocks FROM dpmix.charge ORDER BY id DESC LIMIT 1;
-- No block, once it was charged.
SELECT dpmix.unprotect('pb_odd');
SELECT dpmix.protect('pb_odd', population => 'pb_wide', privacy_unit => 'person', max_rows_per_unit => 4);
SELECT dpmix.protect('pb_odd', population => 'pb_wide', privacy_unit => 'person', max_rows_per_unit => 4, blocks => 'day');
UPDATE pb_odd SET day = '2023-05-05' WHERE person = 1;
-- Blocks of months of a table of its own, leap years among them.
CREATE TABLE pb_months (day date);
SELECT dpmix.protect('pb_months', 10, 1e-6, blocks => 'day', width => '1 month', blocks_from => '2024-01-01');
SELECT count(*) FROM dpmix.query($q$SELECT dp_count(*) FROM pb_months WHERE day >= '2024-02-01' AND day < '2024-03-01'$q$, .1) AS t(n bigint);
SELECT count(*) FROM dpmix.query($q$SELECT dp_count(*) FROM pb_months WHERE day >= '2024-02-01' AND day <= '2024-03-01'$q$, .1) AS t(n bigint);
SELECT from_value, to_value, charges FROM dpmix.blocks('pb_months');
SELECT periods_left FROM dpmix.create_schedule('pb_monthly', $$SELECT dpmix.query('SELECT dp_count(*) AS n FROM pb_months
    WHERE day >= $due::date - interval ''1 month'' AND day < $due::date', .1, 1e-9)$$, '1 month', '2040-02-01 00:00Z', 'pb_monthly');
-- In a population: for ever with blocks alone, not where what is in no block pays each time.
SELECT periods_left FROM dpmix.create_schedule('pb_yearly', $$SELECT dpmix.query('SELECT dp_count(*) AS n FROM pb_visits
    WHERE day >= $due::date - interval ''1 year'' AND day < $due::date', .1, 1e-9)$$, '1 year', '2040-01-01 00:00Z', 'pb_yearly');
SELECT periods_left < 'Infinity' AS ends FROM dpmix.create_schedule('pb_joined', $$SELECT dpmix.query('SELECT dp_count(*) AS n FROM pb_visits v
    JOIN pb_people p ON p.id = v.person WHERE v.day >= $due::date - interval ''1 year'' AND v.day < $due::date', .1, 1e-9)$$, '1 year', '2040-01-01 00:00Z', 'pb_joined');
SELECT periods_left < 'Infinity' AS ends FROM dpmix.create_schedule('pb_both', $$SELECT dpmix.query('SELECT dp_count(*) AS n FROM pb_visits v
    JOIN pb_tests t ON t.person = v.person WHERE v.day >= $due::date - interval ''1 year'' AND v.day < $due::date AND t.taken < ''2022-01-01Z''',
    .1, 1e-9)$$, '1 year', '2040-01-01 00:00Z', 'pb_both');
-- Rows of one block come and go beside those of others: shifts are those of replace, but where no table has a time.
SELECT DISTINCT round(sensitivity::numeric, 4) AS joined FROM dpmix.preview($q$SELECT p.sex, dp_count(*) FROM pb_visits v JOIN pb_people p ON p.id = v.person
    WHERE v.day >= '2022-01-01' AND v.day < '2023-01-01' GROUP BY p.sex$q$, .1, 1e-9, 'gaussian');
SELECT DISTINCT round(sensitivity::numeric, 4) AS layer FROM dpmix.preview($q$SELECT c, dp_count(*) FROM (SELECT person, count(*) AS c FROM pb_visits
    WHERE day >= '2022-01-01' AND day < '2023-01-01' GROUP BY person) l GROUP BY c$q$, .1, 1e-9, 'gaussian');
SELECT DISTINCT round(sensitivity::numeric, 4) AS linked FROM dpmix.preview($q$SELECT dp_sum(price) FROM pb_items i JOIN pb_visits v USING (visit)
    WHERE v.day >= '2022-01-01' AND v.day < '2023-01-01'$q$, .1, 1e-9, 'gaussian');
SELECT DISTINCT round(sensitivity::numeric, 4) AS always FROM dpmix.preview('SELECT sex, dp_count(*) FROM pb_people GROUP BY sex', .1, 1e-9, 'gaussian');
-- A view that only chooses, joins and computes rows: conditions on its column of time stand beside the table, too.
SELECT dpmix.create_population('pb_views', 1e7, 0, accountant => 'basic', weak_budget => true, width => '1 year', blocks_from => '2021-01-01');
CREATE TABLE pb_who AS SELECT * FROM pb_people; ALTER TABLE pb_who ADD PRIMARY KEY (id), ALTER sex SET NOT NULL;
CREATE TABLE pb_stays AS SELECT * FROM pb_visits; ALTER TABLE pb_stays ALTER person SET NOT NULL;
SELECT dpmix.protect('pb_who', population => 'pb_views', privacy_unit => 'id'),
       dpmix.protect('pb_stays', population => 'pb_views', privacy_unit => 'person', max_rows_per_unit => 4, blocks => 'day');
CREATE VIEW pb_view AS SELECT s.person, s.day, s.cost * 2 AS twice, w.sex FROM pb_stays s JOIN pb_who w ON w.id = s.person WHERE s.cost < 1000;
CREATE VIEW pb_over AS SELECT person, day AS at, sex FROM pb_view;
CREATE VIEW pb_grouped AS SELECT person, day, count(*) AS n FROM pb_stays GROUP BY person, day;
SELECT FROM dpmix.declare('pb_view', '{"twice": [0, 60]}');
SELECT dpmix.expose('pb_view', 'public.pb_facade', default_epsilon => 1000);
SELECT n = 1000 AS year, blocks FROM charged($q$SELECT dp_count(*) FROM pb_view WHERE day >= '2022-01-01' AND day < '2023-01-01'$q$, 1000);
SELECT n = 2000 AS years, blocks FROM charged($q$SELECT dp_count(*) FROM pb_over WHERE at BETWEEN '2022-01-01' AND '2023-12-31' AND sex IN ('f', 'm')$q$, 1000);
SELECT n = 1000 AS people, blocks FROM charged($q$SELECT dp_count(*) FROM (SELECT person, sum(twice) AS t FROM pb_view WHERE date_trunc('year', day) = '2023-01-01' GROUP BY person) l WHERE t >= 0$q$, 1000);
SELECT n = 500 AS joined, blocks FROM charged($q$SELECT dp_count(*) FROM pb_view v JOIN pb_who w ON w.id = v.person WHERE v.day < '2022-01-01' AND w.sex = 'f'$q$, 1000);
SELECT n = 500 AS joined, blocks FROM charged($q$SELECT dp_count(*) FROM pb_who w LEFT JOIN pb_view v ON w.id = v.person WHERE v.day < '2022-01-01' AND w.sex = 'f'$q$, 1000);
SELECT round(count(*), -1) AS facade, round(avg(twice)) AS cost FROM pb_facade WHERE day >= '2022-01-01' AND day < '2023-01-01';
SELECT blocks FROM dpmix.charge ORDER BY id DESC LIMIT 1;
SELECT n, blocks FROM charged($q$SELECT dp_count(*) FROM pb_view WHERE day < '2022-01-01' OR sex = 'f'$q$, 1000);
SELECT n, blocks FROM charged($q$SELECT dp_count(*) FROM pb_grouped WHERE day < '2022-01-01'$q$, 1000);
SELECT dpmix.hide('pb_facade');
SELECT dpmix.drop_schedule(name) FROM unnest('{pb_monthly,pb_yearly,pb_joined,pb_both}'::text[]) AS name;
DROP FUNCTION charged;
