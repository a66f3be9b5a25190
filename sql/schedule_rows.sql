-- Schedules of dpmix.synthesize and dpmix.compare_private: priced and refused as their functions are, rows for each
-- period. No noise value is printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
SET TimeZone = 'Europe/Berlin';
CREATE TABLE rowed (age integer, town text);
INSERT INTO rowed SELECT 20 + i % 50, (ARRAY['a', 'b', 'c'])[1 + i % 3] FROM generate_series(1, 600) i;
SELECT dpmix.protect('rowed', 10, 1e-4, accountant => 'gdp');
SELECT dpmix.set_bounds('rowed', 'age', 0, 100), dpmix.set_categories('rowed', 'town', '{a,b,c}');
CREATE TABLE rowed_like AS TABLE rowed;

-- Priced as their previews are.
SELECT s.first_due, s.epsilon, s.delta, s.charge_share = p.charge_share AS share, s.periods_left = p.calls_left AS left
FROM dpmix.create_schedule('made', $$SELECT * FROM dpmix.synthesize(NULL::rowed, 40, 1, 1e-6, method => 'tree')$$, '1 month', '2040-01-31', 'rowed_made') s,
     dpmix.preview($$SELECT * FROM dpmix.synthesize(NULL::rowed, 40, 1, 1e-6, method => 'tree')$$, details => true) p;
SELECT s.first_due, s.epsilon, s.delta, s.charge_share = p.charge_share AS share, s.periods_left = p.calls_left AS left
FROM dpmix.create_schedule('alike', $$SELECT * FROM dpmix.compare_private('rowed', 'rowed_like', 1, 1e-6, bins => 5)$$, '1 month', '2040-01-31', 'rowed_alike') s,
     dpmix.preview($$
         SELECT * FROM dpmix.compare_private('rowed', 'rowed_like', 1, 1e-6, bins => 5)$$, details => true) p;
SELECT dpmix.create_schedule('bad', $$SELECT * FROM dpmix.synthesize(NULL::rowed, 40, 1, 1e-6, method => 'tree')$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT * FROM dpmix.synthesize(NULL::rowed, 0, 1, 1e-6)$$, '1 day', result_table => 'no');
SELECT dpmix.create_schedule('bad', $$SELECT * FROM dpmix.compare_private('rowed', epsilon => 1, delta => 1e-6)$$, '1 day', result_table => 'no');
SELECT dpmix.create_schedule('bad', $$SELECT * FROM dpmix.compare_private('rowed', 'nowhere', 1, 1e-6)$$, '1 day', result_table => 'no');
SELECT dpmix.create_schedule('bad', $$SELECT * FROM dpmix.compare_private('rowed', 'rowed_like', 1, 1e-6, name => 'x')$$, '1 day', result_table => 'no');
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'public.rowed';

-- Each period its rows.
CALL dpmix.run_schedule('made', at => '2040-01-31');
CALL dpmix.run_schedule('made', at => '2040-02-29');
CALL dpmix.run_schedule('alike', at => '2040-02-29');
CALL dpmix.run_schedule('alike', at => '2040-02-29');
SELECT due, count(*), count(age) > 20 AS age, count(town) > 20 AS town FROM rowed_made GROUP BY due ORDER BY due;
SELECT due, count(*) > 5 AS measures, bool_and(error_bound_95 > 0) AS bounds FROM rowed_alike GROUP BY due ORDER BY due;
SELECT kind, mechanism, release, epsilon, delta FROM dpmix.ledger WHERE relation = 'public.rowed' ORDER BY id;
SELECT name, state, cardinality(charge_ids) AS charges FROM dpmix.schedule_runs WHERE name IN ('made', 'alike') ORDER BY id;

-- In the months of the report what is stored is a model, a cube too; drawn rows are synthetic tables.
SELECT name FROM dpmix.release_cube('rowed cube', 'rowed', '{town}', '{count}', 1, 1e-6);
SELECT regexp_replace(html, '(<[^>]*>|\s)+', ' ', 'g') ~ 'Models Synthetic tables Other Sum of &#949; Sum of &#948; \d+-\d+ 4 0 1 2 1 ' AS months
FROM dpmix.report('rowed', newest => 0) html;

-- A call of a query may list its columns; they have these names.
SELECT name, epsilon FROM dpmix.create_schedule('listed', $$SELECT * FROM dpmix.query('SELECT town, dp_count(*) FROM rowed GROUP BY town', 1)
    AS t(place text, people bigint)$$, '1 day', '2040-01-31', 'rowed_listed');
CALL dpmix.run_schedule('listed', at => '2040-01-31');
SELECT due, place, people IS NOT NULL AS people FROM rowed_listed ORDER BY place;
SELECT kind, call FROM dpmix.schedules WHERE name IN ('made', 'alike', 'listed') ORDER BY name;
SELECT dpmix.drop_schedule('listed');

SELECT dpmix.drop_release('rowed cube');
SELECT dpmix.drop_schedule('made'), dpmix.drop_schedule('alike');
SELECT dpmix.unprotect('rowed');
DROP TABLE rowed, rowed_like, rowed_made, rowed_alike, rowed_listed;
