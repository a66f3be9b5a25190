-- Bounds and categories from a private look: charged once each, whatever is made of the noisy numbers.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
LOAD 'dpmix';
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE DOMAIN suggested_hours AS smallint;
CREATE TABLE suggested (person int, age int, hours suggested_hours, wage float8, debt numeric, region text, "A b" real, day date, never int);
INSERT INTO suggested SELECT i % 5000, i % 90, i % 40, exp(5 + 3 * ((i * 7919) % 10000) / 10000.0), -(i % 1000), (ARRAY['north', 'south', 'it''s'])[1 + i % 3], i % 7, date '2025-01-01' + i % 300, NULL
    FROM generate_series(1, 20000) AS i;
INSERT INTO suggested (region) VALUES ('rare'), (NULL);
SELECT dpmix.protect('suggested', 1e6, 1e-3, accountant => 'basic');
-- At little noise the bounds are known: the least of two digits that hold the bins of the values.
SELECT lower, upper, share_below, share_above, statement FROM dpmix.suggest_bounds('suggested', 'age', 100);
SELECT lower, upper FROM dpmix.suggest_bounds('suggested', 'wage', 100);
SELECT lower, upper FROM dpmix.suggest_bounds('suggested', 'debt', 100, 1e-6);
SELECT lower, upper, statement FROM dpmix.suggest_bounds('suggested', 'A b', 100, planned_epsilon => 10);
-- The planned sum's noise is what preview says of it
CREATE TABLE planned AS SELECT upper, noise_stddev FROM dpmix.suggest_bounds('suggested', 'wage', 10, planned_epsilon => .3);
SELECT dpmix.set_bounds('suggested', 'wage', 0, upper) FROM planned;
SELECT abs(p.noise_stddev / planned.noise_stddev - 1) < .02 AS same FROM planned, dpmix.preview('SELECT dp_sum(wage) FROM suggested', .3) AS p;
-- Where noise hides the values nothing comes back; it is charged
SET client_min_messages = notice;
SELECT * FROM dpmix.suggest_bounds('suggested', 'never', 1);
SELECT * FROM dpmix.suggest_bounds('suggested', 'age', 1e-3);
SET client_min_messages = warning;
SELECT categories @> '{north,south,it''s}' AS common, 'rare' = ANY (categories) AS rare, cardinality(categories) = cardinality(noisy_rows) AS rows, statement LIKE 'SELECT dpmix.set_categories(''public.suggested'', ''region'', ''{%}'')' AS statement
    FROM dpmix.suggest_categories('suggested', 'region', 10, 1e-9);
-- Rows that no value was found for are a group of others, where PostgreSQL's estimate of the rows shows them: not a
-- rare one, nor NULL.
CREATE TABLE suggested_rare AS SELECT CASE WHEN i % 10 < 3 THEN 'rare ' || i WHEN i % 10 < 5 THEN NULL ELSE 'often' END AS value, i % 2 AS number FROM generate_series(1, 20000) AS i;
SELECT dpmix.protect('suggested_rare', 1e6, 1e-3, accountant => 'basic');
SELECT statement FROM dpmix.suggest_categories('suggested_rare', 'value', 10, 1e-9);
ANALYZE suggested, suggested_rare;
SELECT statement FROM dpmix.suggest_categories('suggested_rare', 'value', 10, 1e-9);
SELECT statement FROM dpmix.suggest_categories('suggested_rare', 'number', 10, 1e-9);
SELECT statement LIKE '%other%' AS others FROM dpmix.suggest_categories('suggested', 'region', 10, 1e-9);
SELECT dpmix.unprotect('suggested_rare');
DROP TABLE suggested_rare;
SELECT * FROM dpmix.suggest_categories('suggested', 'wage', .01, 1e-9);
DO $$ BEGIN EXECUTE (SELECT statement FROM dpmix.suggest_categories('suggested', 'region', 10, 1e-9)); END $$;
SELECT c FROM dpmix.columns, unnest(categories) AS c WHERE relation = 'suggested'::regclass ORDER BY c;
-- One charge each, of what was asked
SELECT kind, epsilon, delta, count(*) FROM dpmix.ledger WHERE relation = 'public.suggested' GROUP BY 1, 2, 3 ORDER BY 2, 3, 1;
-- Refused before any charge
SELECT * FROM dpmix.suggest_bounds('suggested', 'hours', 1);
SELECT * FROM dpmix.suggest_bounds('suggested', 'region', 1);
SELECT * FROM dpmix.suggest_bounds('suggested', 'day', 1);
SELECT * FROM dpmix.suggest_bounds('suggested', 'nothing', 1);
SELECT * FROM dpmix.suggest_bounds('suggested', NULL, 1);
SELECT * FROM dpmix.suggest_bounds('suggested', 'age', NULL);
SELECT * FROM dpmix.suggest_bounds('suggested', 'age', 0);
SELECT * FROM dpmix.suggest_bounds('suggested', 'age', 1, planned_epsilon => -1);
SELECT * FROM dpmix.suggest_bounds('planned', 'upper', 1);
SELECT * FROM dpmix.suggest_bounds(NULL, 'upper', 1);
SELECT * FROM dpmix.suggest_categories('suggested', 'region', 1, 0);
SELECT * FROM dpmix.suggest_categories('suggested', 'nothing', 1, 1e-9);
SELECT * FROM dpmix.suggest_categories('suggested', NULL, 1, 1e-9);
SELECT dpmix_internal.chosen_bounds('{1,2}', '{1}', 1, 1, true);
SELECT dpmix_internal.chosen_bounds(array_fill(1::float8, '{1002}'), array_fill(1::float8, '{1001}'), 1, 1, true);
SELECT dpmix_internal.chosen_bounds('{1,2,3,4,5,6}', '{1,2,3,4,NULL}', 1, 1, true);
SELECT count(*) FROM dpmix.ledger WHERE relation = 'public.suggested';
-- Units of several rows, in whose histogram each has several; blocks
CREATE TABLE suggested_units AS SELECT i % 4000 AS u, i % 50 AS x, date '2025-01-01' + i % 4 AS day FROM generate_series(1, 12000) AS i;
SELECT dpmix.protect('suggested_units', 1e6, 1e-3, privacy_unit => 'u', max_rows_per_unit => 3, accountant => 'basic', blocks => 'day');
SELECT lower, upper FROM dpmix.suggest_bounds('suggested_units', 'x', 1000, all_blocks => true);
-- Counts of weighed rows are rounded: here to 0, but in 1 of 130 bins, which are no rows
SELECT lower > -500 AS near, upper < 5000 AS so FROM dpmix.suggest_bounds('suggested_units', 'x', 50, all_blocks => true);
SELECT lower, upper FROM dpmix.suggest_bounds('suggested_units', 'x', 100);
-- Access is what a query needs
CREATE ROLE suggested_ana;
SET ROLE suggested_ana;
SELECT * FROM dpmix.suggest_bounds('suggested', 'age', 1);
SELECT * FROM dpmix.suggest_categories('suggested', 'region', 1, 1e-9);
RESET ROLE;
SELECT dpmix.grant_access('suggested', 'suggested_ana', epsilon => 150);
SET ROLE suggested_ana;
SELECT lower, upper FROM dpmix.suggest_bounds('suggested', 'age', 100);
SELECT lower, upper FROM dpmix.suggest_bounds('suggested', 'age', 100);
RESET ROLE;
DROP TABLE suggested, suggested_units, planned;
DROP DOMAIN suggested_hours;
DROP ROLE suggested_ana;
