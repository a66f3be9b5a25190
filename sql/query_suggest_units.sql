-- How many rows of a unit releases should use, from a private look; and changing it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
LOAD 'dpmix';
\set SHOW_CONTEXT never
\set VERBOSITY terse
-- 4000 units of one to five rows, and one of 3000
CREATE TABLE unit_rows AS SELECT u, r % 3 AS x FROM generate_series(1, 4000) u, LATERAL generate_series(1, 1 + u % 5) r;
INSERT INTO unit_rows SELECT 0, i % 3 FROM generate_series(1, 3000) i;
INSERT INTO unit_rows SELECT NULL, 1 FROM generate_series(1, 5000);
SELECT dpmix.protect('unit_rows', 1e6, 1e-3, privacy_unit => 'u', max_rows_per_unit => 1, accountant => 'basic');
-- At little noise: five rows, whatever is declared, of which the one unit of 3000 is not worth more
SELECT max_rows_per_unit, share_of_units < .01 AS few, share_of_rows < .05 AS few_rows, round(noise_stddev::numeric, 3) AS noise, round(noise_stddev_now::numeric, 3) AS now, statement
    FROM dpmix.suggest_unit_bounds('unit_rows', 100, planned_epsilon => .01);
-- With next to no noise planned all rows are worth it
SELECT max_rows_per_unit >= 3000 AS whole FROM dpmix.suggest_unit_bounds('unit_rows', 1000, planned_epsilon => 1000);
-- The bound changes after charges; answers and noise follow
SELECT n AS one_each FROM dpmix.query('SELECT dpmix.dp_count(*) FROM unit_rows', 1e4) AS t(n bigint);
DO $$ BEGIN EXECUTE (SELECT statement FROM dpmix.suggest_unit_bounds('unit_rows', 100, planned_epsilon => .01)); END $$;
SELECT n AS five_each FROM dpmix.query('SELECT dpmix.dp_count(*) FROM unit_rows', 1e5) AS t(n bigint);
SELECT round(noise_stddev::numeric, 2) AS noise FROM dpmix.preview('SELECT dpmix.dp_count(*) FROM unit_rows', .1);
-- A histogram of units, whatever the bound is
SELECT array_agg(n ORDER BY place) AS units, round(max(deviation)::numeric, 3) AS deviation, max(max_rows_per_unit) AS declared
    FROM dpmix_internal.unit_histogram('unit_rows', 1000, 0, NULL) h, unnest(h.counts) WITH ORDINALITY AS c(n, place) WHERE n <> 0;
-- replace: a unit changes its bin
CREATE TABLE unit_rows_replaced AS SELECT * FROM unit_rows WHERE u > 0;
SELECT dpmix.protect('unit_rows_replaced', 1e6, 1e-3, privacy_unit => 'u', max_rows_per_unit => 2, adjacency => 'replace', accountant => 'renyi');
SELECT max_rows_per_unit, share_of_units, share_of_rows FROM dpmix.suggest_unit_bounds('unit_rows_replaced', 500, planned_epsilon => .1);
SELECT dpmix.suggest_unit_bounds('unit_rows_replaced', 10, 1e-6) IS NOT NULL AS with_delta;
SELECT mechanism, epsilon, delta, parameters ->> 'query' AS query, e ->> 'statistic' AS statistic, e ->> 'cells' AS cells FROM dpmix.ledger, jsonb_array_elements(parameters -> 'statistics') e WHERE relation = 'public.unit_rows_replaced' ORDER BY id;
-- Its charges are computed again like those of a query
SELECT e.meaning ~ 'matches the record' AS same, count(*) FROM dpmix.ledger l, dpmix.explain_charge(l.id) e WHERE l.relation = 'public.unit_rows_replaced' AND e.item = 'cost' GROUP BY 1;
-- Blocks
CREATE TABLE unit_rows_blocks AS SELECT u, date '2025-01-01' + r AS day FROM generate_series(1, 2000) u, generate_series(1, 8) r;
SELECT dpmix.protect('unit_rows_blocks', 1e6, 1e-3, privacy_unit => 'u', max_rows_per_unit => 4, accountant => 'basic', blocks => 'day');
SELECT max_rows_per_unit FROM dpmix.suggest_unit_bounds('unit_rows_blocks', 100, planned_epsilon => .1, blocks => '[2025-01-02,2025-01-05)');
SELECT max_rows_per_unit FROM dpmix.suggest_unit_bounds('unit_rows_blocks', 100, planned_epsilon => .1, blocks => '[2025-01-02,2025-01-12)');
SELECT * FROM dpmix.suggest_unit_bounds('unit_rows_blocks', 100);
-- Noise hides the units: charged
SET client_min_messages = notice;
SELECT * FROM dpmix.suggest_unit_bounds('unit_rows', .001);
SET client_min_messages = warning;
SELECT relation, kind, epsilon, delta, count(*) FROM dpmix.ledger WHERE relation LIKE 'public.unit_rows%' AND parameters ->> 'query' = 'dpmix.suggest_unit_bounds' GROUP BY 1, 2, 3, 4 ORDER BY 1, 3, 4;
-- Refused before any charge
SELECT * FROM dpmix.suggest_unit_bounds('unit_rows', NULL);
SELECT * FROM dpmix.suggest_unit_bounds('unit_rows', 0);
SELECT * FROM dpmix.suggest_unit_bounds('unit_rows', 1, planned_epsilon => -1);
SELECT * FROM dpmix.suggest_unit_bounds('unit_rows', 1, blocks => '[2025-01-02,2025-01-05)');
SELECT * FROM dpmix.suggest_unit_bounds(NULL, 1);
SELECT * FROM dpmix.suggest_unit_bounds('pg_class', 1);
CREATE TABLE unit_rows_alone (u int PRIMARY KEY, colour text);
SELECT dpmix.protect('unit_rows_alone', 1, 1e-6, privacy_unit => 'u');
SELECT * FROM dpmix.suggest_unit_bounds('unit_rows_alone', 1);
CREATE TABLE unit_rows_each (x int);
SELECT dpmix.protect('unit_rows_each', 1, 1e-6);
SELECT * FROM dpmix.suggest_unit_bounds('unit_rows_each', 1);
SELECT dpmix_internal.chosen_unit_rows('{1,2}', 1, 1);
SELECT dpmix_internal.chosen_unit_rows(NULL, 1, 1);
SELECT count(*) FROM dpmix.ledger WHERE relation IN ('public.unit_rows_alone', 'public.unit_rows_each');
-- Setting it
SELECT dpmix.set_max_rows_per_unit('unit_rows', 0);
SELECT dpmix.set_max_rows_per_unit('unit_rows', 1000001);
SELECT dpmix.set_max_rows_per_unit('unit_rows', NULL);
SELECT dpmix.set_max_rows_per_unit('unit_rows_each', 2);
SELECT dpmix.set_max_rows_per_unit('pg_class', 2);
CREATE TABLE unit_rows_label (u int PRIMARY KEY, colour text);
SELECT dpmix.protect('unit_rows_label', 1, 1e-6, privacy_unit => 'u', adjacency => 'label', label => 'colour');
SELECT dpmix.set_max_rows_per_unit('unit_rows_label', 2);
SELECT * FROM dpmix.suggest_unit_bounds('unit_rows_label', 1);
-- Protected again, with another number: charges resume
SELECT dpmix.unprotect('unit_rows_replaced');
SELECT dpmix.protect('unit_rows_replaced', 1e6, 1e-3, privacy_unit => 'u', max_rows_per_unit => 7, adjacency => 'replace', accountant => 'renyi');
SELECT count(*) > 1 AS resumed FROM dpmix.ledger WHERE relation = 'public.unit_rows_replaced';
-- Who may
CREATE ROLE unit_rows_ana;
SET ROLE unit_rows_ana;
SELECT * FROM dpmix.suggest_unit_bounds('unit_rows', 1);
SELECT dpmix.set_max_rows_per_unit('unit_rows', 2);
RESET ROLE;
SELECT dpmix.grant_access('unit_rows', 'unit_rows_ana', epsilon => 150);
SET ROLE unit_rows_ana;
SELECT max_rows_per_unit FROM dpmix.suggest_unit_bounds('unit_rows', 100, planned_epsilon => .01);
SELECT max_rows_per_unit FROM dpmix.suggest_unit_bounds('unit_rows', 100, planned_epsilon => .01);
SELECT dpmix.set_max_rows_per_unit('unit_rows', 2);
RESET ROLE;
DROP TABLE unit_rows, unit_rows_replaced, unit_rows_blocks, unit_rows_alone, unit_rows_each, unit_rows_label;
DROP ROLE unit_rows_ana;
