-- Tree models where a privacy unit may have several rows: so many of each count, drawn anew for each pass.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE SCHEMA tree_units;
SET search_path = tree_units;
-- 5 000 patients of 12 visits; one has 100 000 more, and nobody has 500.
CREATE TABLE visits AS SELECT ('p' || i % 5000)::text AS patient, ((i % 5000) % 3)::text AS kind, i % 60 AS age, i % 2 = 0 AS flag, (i % 2 * (i % 977))::float8 AS gain
FROM generate_series(1, 60000) i;
INSERT INTO visits SELECT 'p1', '1', 59, true, 0 FROM generate_series(1, 100000);
INSERT INTO visits SELECT NULL, '1', 59, true, 0 FROM generate_series(1, 500);
SELECT dpmix.protect('visits', 1e7, 0.1, accountant => 'basic', privacy_unit => 'patient', max_rows_per_unit => 4);
SELECT dpmix.set_bounds('visits', 'age', 0, 60), dpmix.set_bounds('visits', 'gain', 0, 1000), dpmix.set_categories('visits', 'kind', '{0,1,2}');
-- Noise is four times that of a table whose rows are units.
CREATE TABLE plain AS SELECT * FROM visits LIMIT 0;
SELECT dpmix.protect('plain', 1e7, 0.1, accountant => 'basic');
SELECT dpmix.set_bounds('plain', 'age', 0, 60), dpmix.set_bounds('plain', 'gain', 0, 1000), dpmix.set_categories('plain', 'kind', '{0,1,2}');
SELECT abs(u.noise_stddev / p.noise_stddev - 4) < 1e-9 AS four_times, u.charge_cost = p.charge_cost AS same_price
FROM dpmix.preview($$
    SELECT dpmix.release_tree('u', 'visits', '{age,flag,gain}', 1, 1e-6, label => 'kind')$$, details => true) AS u,
     dpmix.preview($$
         SELECT dpmix.release_tree('p', 'plain', '{age,flag,gain}', 1, 1e-6, label => 'kind')$$, details => true) AS p;
-- With next to no noise: four rows of each patient, in one share of the units and in several.
SELECT round(rows_estimated) AS rows, edges FROM dpmix.release_tree('one share', 'visits', '{age,flag,gain}', 1e5, 1e-6, label => 'kind');
SET dpmix.scan_memory = '1MB';  -- 17 shares
SELECT round(rows_estimated) AS rows, edges FROM dpmix.release_tree('shares', 'visits', '{age,flag,gain}', 1e5, 1e-6, label => 'kind');
RESET dpmix.scan_memory;
SELECT name, (SELECT array_agg(round(n)) FROM unnest(rows_estimated) AS n) AS rows FROM dpmix.releases WHERE relation = 'visits'::regclass ORDER BY name;
-- The many rows of one patient are not there, nor those of nobody.
SELECT count(*) FILTER (WHERE kind = '1' AND age = 59 AND flag) < 600 AS not_there FROM dpmix.sample('one share', NULL::visits, 20000);
SELECT parameters->'statistics'->0->'sensitivity' AS moved FROM dpmix.ledger WHERE relation = 'tree_units.visits' ORDER BY id LIMIT 1;
-- One call.
SELECT count(*), count(patient) AS patients FROM dpmix.synthesize(NULL::visits, 1000, 1e4, 1e-6, label => 'kind');
-- Refused before a charge: other models, units of a type without hashes, blocks.
CREATE TABLE sets (unit bit(4), x int, day date);
SELECT dpmix.protect('sets', 1e7, 0.1, privacy_unit => 'unit', max_rows_per_unit => 2), dpmix.set_bounds('sets', 'x', 0, 1);
SELECT name FROM dpmix.release_tree('sets', 'sets', '{x}', 1, 1e-6);
CREATE TABLE days (patient text, x int, day date);
SELECT dpmix.protect('days', 1, 1e-6, accountant => 'gdp', privacy_unit => 'patient', max_rows_per_unit => 2, blocks => 'day', blocks_from => '2026-01-01');
SELECT dpmix.set_bounds('days', 'x', 0, 1);
SELECT name FROM dpmix.release_tree('days', 'days', '{x}', .1, 1e-8, blocks => '[2026-01-01,2026-01-02)');
SELECT name FROM dpmix.release_gmm('g', 'visits', '{age}', 1, 1e-6);
SELECT count(*) FROM dpmix.synthesize(NULL::visits, 10, 1, 1e-6, method => 'mixture');
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation LIKE 'tree\_units.%';
SELECT count(dpmix.unprotect(relation)) AS unprotected FROM dpmix.budget WHERE relation IN ('visits'::regclass, 'plain'::regclass, 'sets'::regclass, 'days'::regclass);
DROP SCHEMA tree_units CASCADE;
