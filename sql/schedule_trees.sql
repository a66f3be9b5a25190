-- Schedules of dpmix.release_tree: priced and refused as it is, a model for each period; and what the ledger and the
-- report say of its charges. No noise value is printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
SET TimeZone = 'Europe/Berlin';
CREATE TABLE treed (age integer, wage float8, town text, sex text, at date);
INSERT INTO treed SELECT 20 + i % 50, i, (ARRAY['a', 'b', 'c'])[1 + i % 3], (ARRAY['f', 'm'])[1 + i % 2], date '2040-01-01' + i % 60
FROM generate_series(1, 600) i;
SELECT dpmix.protect('treed', 10, 1e-4, accountant => 'gdp');
SELECT dpmix.set_bounds('treed', 'age', 0, 100), dpmix.set_bounds('treed', 'wage', 0, 600),
       dpmix.set_categories('treed', 'town', '{a,b,c}'), dpmix.set_categories('treed', 'sex', '{f,m}');

-- Priced as its preview is.
SELECT s.first_due, s.epsilon, s.delta, s.charge_share = p.charge_share AS share, s.periods_left = p.calls_left AS left
FROM dpmix.create_schedule('towns', $$SELECT dpmix.release_tree('towns', 'treed', '{age,wage,town}', 1, 1e-6, label => 'sex', bins => 'equal')$$, '1 month', '2040-01-31') s,
     dpmix.preview($$
         SELECT dpmix.release_tree('any', 'treed', '{age,wage,town}', 1, 1e-6, label => 'sex', bins => 'equal')$$, details => true) p;
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_tree('bad', 'treed', epsilon => 1, delta => 1e-6, features => '{age}')$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_tree('bad', 'treed', epsilon => 1, delta => 1e-6)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_tree('bad', 'treed', '{age}', 1, 1e-6, bins => 'wide')$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_tree('bad', 'treed', '{at}', 1, 1e-6)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_tree('bad', 'treed', '{age}', 1, 1e-6)$$, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_tree('bad', 'treed', '{age}', 100, 1e-6)$$, '1 day', periods => 1);
SELECT name, kind, result_table, next_due, epsilon, last_state FROM dpmix.schedules;
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'public.treed';

-- Each period a model; rows of it are free.
CALL dpmix.run_schedule('towns', at => '2040-01-31');
CALL dpmix.run_schedule('towns', at => '2040-02-29');
CALL dpmix.run_schedule('towns', at => '2040-02-29');
SELECT name, kind, features, label FROM dpmix.releases WHERE name LIKE 'towns %' ORDER BY at;
SELECT count(*), count(age) > 80 AS age, count(wage) > 80 AS wage, count(town) > 80 AS town, count(sex) AS sex, count(at) AS at FROM dpmix.sample('towns 2040-02-29 00:00:00+01', NULL::treed, 100);
SELECT kind, mechanism, release, epsilon, delta, parameters - '{mu,statistics,schedule_run}'::text[] AS parameters FROM dpmix.ledger WHERE relation = 'public.treed' ORDER BY id;
SELECT name, state, cardinality(charge_ids) AS charges FROM dpmix.schedule_runs WHERE name = 'towns' ORDER BY id;

-- Of blocks: what lies between two due times.
CREATE TABLE treed_days (day date, town text);
SELECT dpmix.protect('treed_days', 1, 1e-6, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01'),
       dpmix.set_categories('treed_days', 'town', '{a,b,c}');
SELECT periods_left, runs_out_at FROM dpmix.create_schedule('town days', $$SELECT dpmix.release_tree('town days', 'treed_days', '{town}', 1, 1e-7, blocks => 'period')$$, '1 week', '2040-01-01 02:00');

-- Of what each person did.
CREATE TABLE treed_visits AS SELECT i % 100 AS person, i % 3 = 0 AS ill FROM generate_series(1, 550) i;
SELECT dpmix.protect('treed_visits', 10, 1e-4, accountant => 'gdp', privacy_unit => 'person', max_rows_per_unit => 9);
SELECT s.epsilon, s.charge_share = p.charge_share AS share
FROM dpmix.create_schedule('treed visits', $$SELECT dpmix.release_tree('treed visits', columns => '{n,ill}', epsilon => 1, delta => 1e-6, source => 'SELECT person, count(*) AS n, bool_or(ill) AS ill FROM treed_visits GROUP BY person')$$, '1 month', '2040-01-31') s,
     dpmix.preview($$
         SELECT dpmix.release_tree('any', 'treed', '{age,sex}', 1, 1e-6)$$, details => true) p;
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_tree('bad', 'treed', '{age}', 1, 1e-6, source => 'SELECT age FROM treed')$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_tree('bad', columns => '{n}', epsilon => 1, delta => 1e-6, source => 'SELECT person FROM treed_visits')$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_tree('bad', columns => '{ill}', epsilon => 1, delta => 1e-6, source => 'SELECT ill FROM treed_visits', blocks => 'period')$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_tree('bad', columns => '{n}', epsilon => 1, delta => 1e-6)$$, '1 day');
CALL dpmix.run_schedule('treed visits', at => '2040-01-31');
SELECT name, kind, relation, features, source FROM dpmix.releases WHERE name LIKE 'treed visits %';
SELECT relation, parameters->>'source' AS source FROM dpmix.ledger WHERE relation = 'public.treed_visits';

-- Charges are computed again from the record, under every accountant.
CREATE TABLE treed_renyi AS TABLE treed;
SELECT dpmix.protect('treed_renyi', 10, 1e-4, accountant => 'renyi', adjacency => 'replace'), dpmix.set_bounds('treed_renyi', 'age', 0, 100), dpmix.set_bounds('treed_renyi', 'wage', 0, 600),
       dpmix.set_categories('treed_renyi', 'town', '{a,b,c}');
SELECT columns FROM dpmix.release_tree('treed a', 'treed_renyi', '{age,wage,town}', 1, 1e-6);
SELECT columns FROM dpmix.release_tree('treed b', 'treed_renyi', '{town}', 1, 1e-6);
SELECT columns FROM dpmix.release_tree('treed c', 'treed', '{wage,town}', .5, 1e-6, label => 'sex');
SELECT l.relation, l.release, e.item, e.meaning FROM dpmix.ledger l, LATERAL dpmix.explain_charge(l.id) e
WHERE l.kind = 'tree' AND l.relation LIKE 'public.treed%' AND e.item IN ('own profile', 'cost', 'mu') AND l.release NOT LIKE 'towns%' ORDER BY l.id, e.item, e.meaning;
SELECT bool_and(e.meaning LIKE '%: within the declared delta') AS within, count(*) FROM dpmix.ledger l, LATERAL dpmix.explain_charge(l.id) e
WHERE l.kind = 'tree' AND e.item = 'delta of that mu' AND l.relation LIKE 'public.treed%';
SELECT dpmix.report('treed') ~ '>model<' AS listed, dpmix.report('treed_visits') ~ 'source SELECT person, count' AS source;
SELECT charges, charges_left > 0 AS left, limited_by FROM dpmix.forecast('treed_renyi');

SELECT dpmix.drop_schedule('towns'), dpmix.drop_schedule('town days'), dpmix.drop_schedule('treed visits');
SELECT dpmix.drop_release(name) FROM dpmix.releases WHERE name ~ '^(towns|town days|treed) ';
SELECT dpmix.unprotect('treed'), dpmix.unprotect('treed_days'), dpmix.unprotect('treed_renyi'), dpmix.unprotect('treed_visits');
DROP TABLE treed, treed_days, treed_renyi, treed_visits;
