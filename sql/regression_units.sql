-- Regressions where a privacy unit may have several rows: so many of each count, drawn anew for each scan.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE SCHEMA regression_units;
SET search_path = regression_units;
-- 5 000 patients of 4 visits, cost 10 + age / 2 and a little more; one has 100 000 others, and nobody has 500.
CREATE TABLE visits AS
SELECT 'p' || i % 5000 AS patient, i * 31 % 600 / 10.0::float8 AS age, (i % 3)::text AS kind, i % 7 AS day FROM generate_series(1, 20000) AS i;
ALTER TABLE visits ADD cost float8, ADD dear boolean;
UPDATE visits SET cost = 10 + age / 2 + day - 3;
UPDATE visits SET dear = cost > 25;
INSERT INTO visits SELECT 'p1', 30, '1', 9, 25, false FROM generate_series(1, 100000);
INSERT INTO visits SELECT NULL, 30, '1', 9, 25, false FROM generate_series(1, 500);
-- The same without them, whose rows are units.
CREATE TABLE plain AS SELECT * FROM visits WHERE day < 9;
SELECT dpmix.protect('visits', 1e7, 0.1, accountant => 'basic', privacy_unit => 'patient', max_rows_per_unit => 4), dpmix.protect('plain', 1e7, 0.1, accountant => 'basic');
SELECT count(dpmix.set_bounds(t, 'age', 0, 60)) + count(dpmix.set_bounds(t, 'cost', 0, 100)) + count(dpmix.set_categories(t, 'kind', '{0,1,2}')) AS declared FROM unnest('{visits,plain}'::regclass[]) AS t;
-- Four times the noise for the same price.
SELECT kind, method, abs(u.count_stddev / p.count_stddev - 4) < 1e-9 AS four_times, u.charge_cost = p.charge_cost AS same_price
FROM (VALUES ('linear', NULL), ('logistic', NULL), ('logistic', 'coordinate')) AS m (kind, method),
     dpmix.preview_regression('u', 'visits', CASE kind WHEN 'linear' THEN 'cost' ELSE 'dear' END, '{age,kind}', 1, 1e-6, kind => kind, method => method) AS u,
     dpmix.preview_regression('p', 'plain', CASE kind WHEN 'linear' THEN 'cost' ELSE 'dear' END, '{age,kind}', 1, 1e-6, kind => kind, method => method) AS p;
-- With next to no noise: four rows of each patient, in one share of the units and in several, as the table of rows.
SELECT abs(rows_estimated - 20000) < 2 AS rows, quality FROM dpmix.release_regression('units: one share', 'visits', 'cost', '{age}', 1e6, 1e-6);
SET dpmix.scan_memory = '1MB';
SELECT abs(rows_estimated - 20000) < 2 AS rows FROM dpmix.release_regression('units: shares', 'visits', 'cost', '{age}', 1e6, 1e-6);
SELECT abs(rows_estimated - 20000) < 30 AS rows FROM dpmix.release_regression('units: logistic', 'visits', 'dear', '{age}', 1e5, 1e-6, kind => 'logistic');
SELECT abs(rows_estimated - 20000) < 2 AS rows FROM dpmix.release_regression('units: held', 'visits', 'dear', '{age}', 1e6, 1e-6, kind => 'logistic', method => 'coordinate', passes => 20);
SET work_mem = '64kB';  -- too little to hold rows
SELECT abs(rows_estimated - 20000) < 2 AS rows FROM dpmix.release_regression('units: scanned', 'visits', 'dear', '{age}', 1e6, 1e-6, kind => 'logistic', method => 'coordinate', passes => 20);
RESET work_mem;
RESET dpmix.scan_memory;
SELECT abs(rows_estimated - 20000) < 2 AS rows FROM dpmix.release_regression('units: rows', 'plain', 'cost', '{age}', 1e6, 1e-6);
SELECT abs(rows_estimated - 20000) < 30 AS rows FROM dpmix.release_regression('units: logistic rows', 'plain', 'dear', '{age}', 1e5, 1e-6, kind => 'logistic');
SELECT abs(rows_estimated - 20000) < 2 AS rows FROM dpmix.release_regression('units: descent rows', 'plain', 'dear', '{age}', 1e6, 1e-6, kind => 'logistic', method => 'coordinate', passes => 20);
SELECT release, u.term, abs(u.estimate / p.estimate - 1) < .01 AS same FROM (VALUES ('units: one share', 'units: rows'), ('units: shares', 'units: rows'), ('units: logistic', 'units: logistic rows'), ('units: held', 'units: descent rows'), ('units: scanned', 'units: descent rows')) AS r (release, other), dpmix.regression(release) AS u JOIN LATERAL dpmix.regression(other) AS p USING (term);
-- Rows of a patient may tell as little as one: intervals for the population are twice as wide.
SELECT release, u.term, (u.high - u.low) / (p.high - p.low) BETWEEN 1.4 AND 2.8 AS twice FROM (VALUES ('units: one share', 'units: rows'), ('units: logistic', 'units: logistic rows')) AS r (release, other), dpmix.regression(release) AS u JOIN LATERAL dpmix.regression(other) AS p USING (term);
SELECT parameters->'statistics'->0->'sensitivity' AS moved FROM dpmix.ledger WHERE relation = 'regression_units.visits' ORDER BY id LIMIT 1;
-- A regression for each kind.
SELECT coefficients, abs(rows_estimated - 20000) < 5 AS rows FROM dpmix.release_regression('units: kinds', 'visits', 'cost', '{age}', 1e6, 1e-6, label => 'kind');
-- Refused before a charge: blocks.
CREATE TABLE days (patient text, x int, y int, day date);
SELECT dpmix.protect('days', 1, 1e-6, accountant => 'gdp', privacy_unit => 'patient', max_rows_per_unit => 2, blocks => 'day', blocks_from => '2026-01-01');
SELECT dpmix.set_bounds('days', 'x', 0, 1), dpmix.set_bounds('days', 'y', 0, 1);
SELECT name FROM dpmix.release_regression('days', 'days', 'y', '{x}', .1, 1e-8, blocks => '[2026-01-01,2026-01-02)');
SELECT relation, count(*) AS charges FROM dpmix.ledger WHERE relation LIKE 'regression\_units.%' GROUP BY 1 ORDER BY 1;
SELECT count(dpmix.unprotect(relation)) AS unprotected FROM dpmix.budget WHERE relation IN ('visits'::regclass, 'plain'::regclass, 'days'::regclass);
DROP SCHEMA regression_units CASCADE;
