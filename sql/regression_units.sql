-- Regressions where a privacy unit may have several rows: so many of each count, drawn anew for each scan.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE SCHEMA regression_units;
SET search_path = regression_units;
-- 3 000 patients of 8 visits; one has 50 000 more that say the opposite, and nobody has 500.
CREATE TABLE visits AS
SELECT ('p' || i % 3000)::text AS patient, x, k, 2 + 3 * x + CASE k WHEN 'b' THEN 1 ELSE 0 END + (hashint4(i) % 100) / 50.0 AS y,
       (hashint4(i * 3) / 2147483648.0 + 1) / 2 < 1 / (1 + exp(1 - x)) AS yes
FROM generate_series(1, 24000) AS i, LATERAL (SELECT (i * 31 % 401) / 100.0::float8 AS x, (ARRAY['a', 'b'])[1 + i % 97 % 2] AS k) AS r;
INSERT INTO visits SELECT 'p1', 4, 'a', 0, false FROM generate_series(1, 50000);
INSERT INTO visits SELECT NULL, 4, 'a', 0, false FROM generate_series(1, 500);
CREATE TABLE replaced AS TABLE visits;
CREATE TABLE plain AS SELECT * FROM visits LIMIT 0;
SELECT dpmix.protect('visits', 1e7, 0.1, accountant => 'basic', privacy_unit => 'patient', max_rows_per_unit => 4),
       dpmix.protect('replaced', 1e7, 0.1, adjacency => 'replace', accountant => 'basic', privacy_unit => 'patient', max_rows_per_unit => 3),
       dpmix.protect('plain', 1e7, 0.1, accountant => 'basic');
SELECT count(dpmix.set_bounds(t, 'x', 0, 4)) + count(dpmix.set_bounds(t, 'y', 0, 16)) + count(dpmix.set_categories(t, 'k', '{a,b}')) AS declared
FROM unnest('{visits,replaced,plain}'::regclass[]) AS t;

-- Four times the noise of a table whose rows are units, for the same price.
SELECT kind, method, abs(u.noise_stddev / p.noise_stddev - 4) < 1e-9 AS four_times, u.charge_cost = p.charge_cost AS same_price, u.mu = p.mu AS same_mu
FROM (VALUES ('linear', NULL), ('logistic', NULL), ('logistic', 'coordinate')) AS a (kind, method),
     dpmix.preview(format('SELECT dpmix.release_regression(%L, %L, %L, %L, 1, 1e-6, %L, method => %L)', 'u', 'visits', 'yes', '{x,k}', kind, method), details => true) AS u,
     dpmix.preview(format('SELECT dpmix.release_regression(%L, %L, %L, %L, 1, 1e-6, %L, method => %L)', 'p', 'plain', 'yes', '{x,k}', kind, method), details => true) AS p;

-- With next to no noise: four rows of each patient, in one share of the units and in several; held or scanned.
CREATE FUNCTION made(name text, target text, VARIADIC more text[]) RETURNS TABLE (rows float8, quality text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT round(rows_estimated::numeric)::float8, quality FROM dpmix.release_regression(%L, ''visits'', %L, ''{x,k}'', 1e5, 1e-6, %s)', name, target, array_to_string(more, ', '));
END $$;
SELECT 'linear', * FROM made('linear', 'y', $$'linear'$$)
UNION ALL SELECT 'logistic', * FROM made('logistic', 'yes', $$'logistic'$$)
UNION ALL SELECT 'coordinate', * FROM made('coordinate', 'yes', $$'logistic', method => 'coordinate', passes => 20$$);
SET dpmix.scan_memory = '1MB';
SELECT 'linear', rows FROM made('linear, shares', 'y', $$'linear'$$)
UNION ALL SELECT 'logistic', rows FROM made('logistic, shares', 'yes', $$'logistic'$$)
UNION ALL SELECT 'coordinate', rows FROM made('coordinate, shares', 'yes', $$'logistic', method => 'coordinate', passes => 20$$);
SET work_mem = '64kB';
SELECT 'scanned', rows FROM made('coordinate, scanned', 'yes', $$'logistic', method => 'coordinate', passes => 10$$);
RESET work_mem;
RESET dpmix.scan_memory;
-- As the plain rows say, without the many of one patient and of nobody.
SELECT name, array_agg(round(estimate::numeric, 0) ORDER BY term) AS estimates, count(noise_low) = count(low) AS both
FROM dpmix.releases, LATERAL dpmix.regression(name) WHERE relation = 'visits'::regclass GROUP BY name ORDER BY name;
-- Intervals for the population take the rows of a unit to be as alike as they can be: twice as wide as of single rows.
SELECT abs((high - low) / 2 / 1.96 / (SELECT 2 * sqrt(regr_syy(y - 3 * x - (k = 'b')::int, x) / count(*) / (regr_sxx(x, x) / 2)) FROM visits WHERE x < 4) - 1) < .05 AS twice_as_wide
FROM dpmix.regression('linear') WHERE term = 'x';
-- By class, and of neighbours that are replaced.
SELECT round(rows_estimated) AS rows FROM dpmix.release_regression('classes', 'visits', 'y', '{x}', 1e5, 1e-6, label => 'k');
SELECT label, abs(estimate - 3) < .1 AS slope FROM dpmix.regression('classes') WHERE term = 'x' ORDER BY label;
SELECT round(rows_estimated) AS rows FROM dpmix.release_regression('replaced', 'replaced', 'y', '{x,k}', 1e5, 1e-6);
SELECT release, s->>'statistic' AS statistic, s->'sensitivity' AS moved
FROM dpmix.ledger, jsonb_array_elements(parameters->'statistics') AS s WHERE relation LIKE 'regression\_units.%' AND release IN ('linear', 'logistic', 'coordinate', 'replaced') ORDER BY release, statistic;

-- A label whose units had an index: without it, all of a row is taken to be protected.
CREATE TABLE labelled AS SELECT i AS person, i % 5 AS x, i % 2 = 0 AS yes FROM generate_series(1, 1000) AS i;
ALTER TABLE labelled ALTER person SET NOT NULL;
CREATE UNIQUE INDEX one_row ON labelled (person);
SELECT dpmix.protect('labelled', 1e6, .1, adjacency => 'label', label => 'yes', privacy_unit => 'person'), dpmix.set_bounds('labelled', 'x', 0, 4);
SELECT noise_stddev AS noise FROM dpmix.preview($$
    SELECT dpmix.release_regression('n', 'labelled', 'yes', '{x}', 1, 1e-6)$$);
DROP INDEX one_row;
SELECT noise_stddev > 0 AS noise FROM dpmix.preview($$
    SELECT dpmix.release_regression('n', 'labelled', 'yes', '{x}', 1, 1e-6)$$);

-- Refused before a charge: blocks, units of a type without hashes. The widest noise there is can be drawn.
CREATE TABLE days (patient text, x int, day date);
CREATE TABLE sets (unit bit(4), x int, y int);
CREATE TABLE much (unit int, x int, y int);
SELECT dpmix.protect('days', 1, 1e-6, accountant => 'gdp', privacy_unit => 'patient', max_rows_per_unit => 2, blocks => 'day', blocks_from => '2026-01-01'),
       dpmix.protect('sets', 1, 1e-3, privacy_unit => 'unit', max_rows_per_unit => 2), dpmix.protect('much', 1, 1e-3, privacy_unit => 'unit', max_rows_per_unit => 1000000);
SELECT count(dpmix.set_bounds(t, c, 0, 1)) AS declared FROM unnest('{days,sets,sets,much,much}'::regclass[], '{x,x,y,x,y}'::name[]) AS u (t, c);
SELECT count(*) AS before FROM dpmix.ledger \gset
SELECT FROM dpmix.release_regression('days', 'days', 'x', '{x}', .1, 1e-8, blocks => '[2026-01-01,2026-01-02)');
SELECT FROM dpmix.release_regression('sets', 'sets', 'y', '{x}', .1, 1e-8);
SELECT count(*) - :before AS charges FROM dpmix.ledger;
SELECT a.kind, method, made.coefficients
FROM (VALUES ('linear', NULL), ('logistic', NULL), ('logistic', 'coordinate')) AS a (kind, method), dpmix.release_regression('much ' || a.kind || coalesce(method, ''), 'much', 'y > 0', '{x}', 1e-6, 1e-300, a.kind, method => method, passes => CASE WHEN method = 'coordinate' THEN 100 END) AS made;
SELECT count(dpmix.drop_release(name)) FROM dpmix.releases WHERE relation IN ('visits'::regclass, 'replaced'::regclass, 'much'::regclass);
SELECT count(dpmix.unprotect(relation)) FROM dpmix.budget WHERE relation = ANY ('{visits,replaced,plain,labelled,days,sets,much}'::regclass[]);
DROP SCHEMA regression_units CASCADE;
