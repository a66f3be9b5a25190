-- Where a call takes a table, it takes a facade of it. min and max alone, as declared bounds. Budgets that protect
-- nobody.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;
LOAD 'dpmix';
\set SHOW_CONTEXT never
CREATE ROLE names_owner; CREATE ROLE names_ana; CREATE ROLE names_eve;
CREATE SCHEMA names_hidden AUTHORIZATION names_owner;
CREATE SCHEMA names_seen AUTHORIZATION names_owner;
GRANT USAGE ON SCHEMA names_seen TO PUBLIC;
SET ROLE names_owner;
SET client_min_messages = warning;
CREATE TABLE names_hidden.people (gone int, id int PRIMARY KEY, region text, wage numeric, age smallint, day date, at timestamptz, note text, odd int);
ALTER TABLE names_hidden.people DROP COLUMN gone;
INSERT INTO names_hidden.people SELECT i, (ARRAY['n', 's'])[1 + i % 2], i % 100, i % 90, date '2026-01-01' + i % 28, '2026-01-01', 'x', 1 FROM generate_series(1, 1000) i;
SELECT dpmix.protect('names_hidden.people', 1000, 1e-5, accountant => 'gdp', privacy_unit => 'id');
SELECT dpmix.set_bounds('names_hidden.people', 'wage', 0.5, 99.25), dpmix.set_bounds('names_hidden.people', 'age', -0.5, 120.5),
       dpmix.set_bounds('names_hidden.people', 'day', date '2026-01-01', date '2026-12-31'),
       dpmix.set_bounds('names_hidden.people', 'at', timestamptz '2026-01-01 00:00+00', timestamptz '2027-01-01 00:00+00'),
       dpmix.set_bounds('names_hidden.people', 'note', 0, 10), dpmix.set_categories('names_hidden.people', 'region', '{n,s}');
SELECT dpmix.expose('names_hidden.people', 'names_seen.people', default_epsilon => 1);
SELECT dpmix.grant_access('names_hidden.people', 'names_ana', NULL, 0, NULL);
RESET client_min_messages;

-- ana has no right to the table's schema: the facade is what she knows.
SET ROLE names_ana;
SET client_min_messages = warning;
SELECT abs(n - 1000) < 40 AS n, abs(a - 49.6) < 8 AS a FROM dpmix.query('SELECT dp_count(*), dp_avg(wage) FROM names_seen.people', 5) AS t(n bigint, a float8);
SELECT r, abs(n - 500) < 40 AS n FROM dpmix.query('SELECT r, dp_count(*) FROM names_seen.people AS p(k, r, w) GROUP BY r', 5) AS t(r text, n bigint);
SELECT r, abs(n - 250) < 60 AS n FROM dpmix.query('SELECT region, dp_count(*) FROM (SELECT id, region FROM names_seen.people WHERE wage < 50) p GROUP BY 1', 5) AS t(r text, n bigint);
SELECT abs(n - 100) < 40 AS n FROM dpmix.query('SELECT dp_count(*) FROM names_seen.people WHERE age >= $1 AND wage < $2', 5, params => '{0,10}') AS t(n bigint);
SELECT statistic, epsilon FROM dpmix.preview('SELECT dp_sum(wage) FROM names_seen.people', 1);
SELECT answer ->> 'region' AS region FROM dpmix.query_json('SELECT region, dp_count(*) FROM names_seen.people GROUP BY region', 1) AS answer;
SELECT count(*) > 0 AS advice FROM dpmix.advise('SELECT dp_count(*) FROM names_seen.people', 20);
SELECT item, value FROM dpmix.describe('names_seen.people') WHERE section = 'protection';
SELECT lower < upper AS some, statement ~ '^SELECT dpmix.set_bounds\(''names_hidden.people'', ''wage'', ' AS named FROM dpmix.suggest_bounds('names_seen.people', 'wage', 20);
SELECT categories <> '{}' AS some, statement ~ 'set_categories\(''names_hidden.people''' AS named FROM dpmix.suggest_categories('names_seen.people', 'note', 20, 1e-6);
SELECT dpmix.suggest_unit_bounds('names_seen.people', 20);
RESET client_min_messages;
SELECT * FROM dpmix.query('SELECT dp_count(p) FROM names_seen.people p', 1) AS t(n bigint);
-- The record names what was charged.
SELECT DISTINCT relation FROM dpmix.ledger;

-- Who has no access learns as much of a facade as of anything else.
SET ROLE names_eve;
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM names_seen.people', 1) AS t(n bigint);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM pg_catalog.pg_tables', 1) AS t(n bigint);
SELECT dpmix.suggest_bounds('names_seen.people', 'wage', 20);
SELECT dpmix.describe('names_seen.people');

-- The least and the greatest value.
SET ROLE names_ana;
SELECT min(wage), max(wage) FROM names_seen.people;
SET dpmix.bounds_for_min_max = on;
SET timezone = 'UTC';
SELECT min(wage), max(wage) FROM names_seen.people;
SET client_min_messages = warning;
SELECT min(age) AS low, max(age) AS high, pg_typeof(max(age)) FROM names_seen.people;
SELECT min(age) AS low, max(age) AS high FROM names_seen.people AS p LIMIT 1;
SELECT min(day), max(day) FROM names_seen.people;
-- A virtual dataset that only picks columns is the facade.
SELECT min(a), max(b) FROM (SELECT day AS b, wage AS a FROM (SELECT * FROM names_seen.people LIMIT 10) i) v;
SELECT max(at), min(at) FROM names_seen.people;
SELECT round(max(wage)) FROM names_seen.people;
PREPARE extremes AS SELECT min(day) FROM names_seen.people;
EXECUTE extremes;
-- Nothing else is answered with them.
SELECT min(wage), count(*) FROM names_seen.people;
SELECT min(wage) FROM names_seen.people WHERE age > 1;
SELECT region, min(wage) FROM names_seen.people GROUP BY region;
SELECT min(wage) FROM names_seen.people HAVING count(*) > 0;
SELECT min(wage) FILTER (WHERE age > 1) FROM names_seen.people;
SELECT min(wage + 1) FROM names_seen.people;
SELECT min(w) FROM (SELECT wage + 1 AS w FROM names_seen.people) v;
SELECT min(wage) FROM (SELECT wage FROM names_seen.people WHERE age > 1) v;
SELECT min(p.wage) FROM names_seen.people p, names_seen.people q;
SELECT min(m) FROM (SELECT min(wage) AS m FROM names_seen.people) s;
CREATE TEMP TABLE kept AS SELECT min(wage) FROM names_seen.people;
SELECT min(note) FROM names_seen.people;
SELECT min(odd) FROM names_seen.people;
SELECT count(*) AS charged_for_it FROM dpmix.ledger WHERE parameters ->> 'query' ~ 'min';
SET ROLE names_eve;
SET dpmix.bounds_for_min_max = on;
SELECT min(wage) FROM names_seen.people;
SET ROLE names_owner;
GRANT SELECT ON names_seen.people TO names_eve;
SET ROLE names_eve;
SELECT min(wage) FROM names_seen.people;
RESET client_min_messages;

-- Budgets that protect nobody are named.
SET ROLE names_owner;
SELECT boot_val FROM pg_settings WHERE name = 'dpmix.warn_of_weak_budgets';
SET dpmix.warn_of_weak_budgets = on;
CREATE TABLE names_hidden.few AS SELECT i AS x FROM generate_series(1, 100) i;
ANALYZE names_hidden.few;
SELECT dpmix.protect('names_hidden.few', 1000, .1);
SELECT dpmix.set_budget('names_hidden.few', 20, .01, 'weak, and within the limits');
SELECT dpmix.set_budget('names_hidden.few', 20.5, .0101, 'known', weak_budget => true);
SELECT dpmix.create_population('names_all', 21, 1e-6);
SELECT dpmix.create_population('names_known', 21, .3, unit_type => 'int', weak_budget => true);
SELECT dpmix.set_budget(population => 'names_all', epsilon => 22, delta => 1e-6, reason => 'more');
SELECT dpmix.policy('names_hidden') #> '{tables,few,protect,weak_budget}' AS few, dpmix.policy('names_hidden') #> '{tables,people,protect,weak_budget}' AS people,
       dpmix.policy() #> '{create_population,names_known,weak_budget}' AS known;
SELECT * FROM dpmix.apply(dpmix.policy());
SELECT what, from_value, to_value, needs FROM dpmix.apply(dpmix.policy('names_hidden') #- '{tables,few,protect,weak_budget}');
SELECT dpmix.policy('names_hidden') #> '{tables,few,protect}' ? 'weak_budget' AS still;
-- One that is known is said to nobody again; what it allows still needs a word.
CREATE TABLE names_hidden.next AS SELECT * FROM names_hidden.few;
SELECT action, what, needs FROM dpmix.apply('{"schema": "names_hidden", "tables": {"next": {"protect": {"epsilon": 100, "delta": 1e-6, "weak_budget": true}}}}', dry_run => true);
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA names_hidden, names_seen CASCADE;
DROP OWNED BY names_owner, names_ana, names_eve;
DROP ROLE names_owner, names_ana, names_eve;
