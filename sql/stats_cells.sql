-- Exact counts by cell of one number: equal for any plan and any order of rows; bad rows never raise.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA cell_counts_test;
SET search_path = cell_counts_test, public;

-- What a statement is refused with
CREATE FUNCTION refusal(statement text, OUT code text, OUT message text, OUT detail text, OUT hint text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
        detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END $$;

CREATE TABLE odd AS SELECT unnest('{NULL,NaN,-Infinity,Infinity,-1,0,2.4,2.5,9.99,10,1e308,-1e308}'::float8[]) AS x;
SELECT dpmix.numbers(dpmix_internal.cell_counts(x, '{0,10,4}')) AS cells, dpmix.numbers(dpmix_internal.edge_counts(x, '{0,2.5,10}')) AS edges,
       dpmix.numbers(dpmix_internal.edge_counts(x, '{-Infinity,0,Infinity}')) AS outer_edges FROM odd;
SELECT dpmix.numbers(dpmix_internal.cell_counts(x, '{-1.7e308,1.7e308,2}')) AS wide FROM odd;
SELECT dpmix.numbers(dpmix_internal.cell_counts(x, '{0,10,4}')) AS cells, dpmix.numbers(dpmix_internal.edge_counts(x, '{0,2.5,10}')) AS edges FROM odd WHERE false;

CREATE TABLE data AS
    SELECT i, CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN 'NaN' ELSE hash_numeric_extended(i, 2) / 1e17 END::float8 AS x
      FROM generate_series(1, 60000) i;
ANALYZE data;
SELECT array_agg(e ORDER BY e) AS edges FROM (SELECT DISTINCT hash_numeric_extended(i, 5) / 1.1e17::float8 AS e FROM generate_series(1, 300) i) t \gset
CREATE TABLE states (plan text, c dpmix.exact_state, e dpmix.exact_state);
SET max_parallel_workers_per_gather = 0;
INSERT INTO states SELECT 'serial', dpmix_internal.cell_counts(x, '{-90,90,4096}'), dpmix_internal.edge_counts(x, :'edges') FROM data;
INSERT INTO states
    SELECT 'shuffled', dpmix_internal.cell_counts(x, '{-90,90,4096}'), dpmix_internal.edge_counts(x, :'edges') FROM (SELECT * FROM data ORDER BY hash_numeric_extended(i, 9)) t;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT dpmix_internal.cell_counts(x, '{}'), dpmix_internal.edge_counts(x, '{}') FROM data;  -- the arrays are not read
CREATE TABLE parallel AS SELECT dpmix_internal.cell_counts(x, '{-90,90,4096}') AS c, dpmix_internal.edge_counts(x, :'edges') AS e FROM data;
INSERT INTO states SELECT 'parallel', * FROM parallel;
SELECT count(*) AS plans, count(DISTINCT c::text) AS cells, count(DISTINCT e::text) AS edges FROM states;
-- Against plain SQL
SELECT (SELECT sum(n) FROM unnest(dpmix.numbers(c)) n) = (SELECT count(*) FROM data WHERE x <> 'NaN') AS all_rows,
       dpmix.numbers(e)::bigint[] = ARRAY[(SELECT array_agg((SELECT count(*) FROM data WHERE x <> 'NaN' AND width_bucket(x, :'edges') = cell) ORDER BY cell) FROM generate_series(1, 299) cell)] AS edges
  FROM states WHERE plan = 'serial';
SELECT bool_and(n = expected) AS as_counted FROM states,
    LATERAL (SELECT ordinality - 1 AS cell, n FROM unnest(dpmix.numbers(c)) WITH ORDINALITY u(n, ordinality)) u
    LEFT JOIN (SELECT greatest(least(floor((x + 90) * (4096 / 180.)), 4095), 0) AS at, count(*) AS k FROM data WHERE x <> 'NaN' GROUP BY 1) s ON s.at = cell,
    LATERAL (SELECT coalesce(k, 0) AS expected) z WHERE plan = 'serial';

SELECT what, (refusal(statement)).* FROM (VALUES
    ('cut too short', 'SELECT dpmix_internal.cell_counts(1, ''{0,1}'')'), ('no cells', 'SELECT dpmix_internal.cell_counts(1, ''{0,1,0}'')'),
    ('part of a cell', 'SELECT dpmix_internal.cell_counts(1, ''{0,1,1.5}'')'), ('too many cells', 'SELECT dpmix_internal.cell_counts(1, ''{0,1,1048577}'')'),
    ('empty range', 'SELECT dpmix_internal.cell_counts(1, ''{1,1,4}'')'), ('infinite range', 'SELECT dpmix_internal.cell_counts(1, ''{0,Infinity,4}'')'),
    ('NULL in the cut', 'SELECT dpmix_internal.cell_counts(1, ''{0,NULL,4}'')'), ('cut varies', 'SELECT dpmix_internal.cell_counts(1, ARRAY[0,1,i]) FROM generate_series(1, 2) i'),
    ('one edge', 'SELECT dpmix_internal.edge_counts(1, ''{1}'')'), ('edges not ascending', 'SELECT dpmix_internal.edge_counts(1, ''{1,1}'')'),
    ('NaN edge', 'SELECT dpmix_internal.edge_counts(1, ''{1,NaN}'')'),
    ('too many edges', 'SELECT dpmix_internal.edge_counts(1, e) FROM (SELECT array_agg(i::float8) AS e FROM generate_series(1, 1001) i) t')) t(what, statement);

-- Called directly, with a frame that changes from row to row: only the last one is kept.
CREATE FUNCTION bytes() RETURNS numeric LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts); END $$;
SELECT count(state) AS calls, max(bytes) - min(bytes) < 1000000 AS kept FROM (
    SELECT dpmix_internal.edge_counts_add('counts()', 1, array_fill(i::float8, ARRAY[1]) || edges) AS state, CASE WHEN i % 2000 = 0 THEN bytes() END AS bytes
    FROM generate_series(-4000, -1) i, (SELECT array_agg(e::float8 ORDER BY e) AS edges FROM generate_series(0, 200) e) e OFFSET 0) calls;

-- Tables of columns and of pairs of columns: one cell each for every row, missing values too.
CREATE TABLE pairs AS SELECT i, CASE WHEN i % 7 > 0 THEN i % 10 END::float8 AS x, CASE i % 11 WHEN 0 THEN 'NaN' ELSE (i % 3)::float8 END AS k FROM generate_series(1, 20000) i;
SELECT '{2,1,1,0,10,2,-0.5,2.5,3}'::float8[] AS shape, '{2,0,0,0,10,2,-0.5,2.5,3,0,0,0,5,0,-9,-9,0,5,-9,0,-9}'::float8[] AS hits \gset
CREATE TABLE pair_states (plan text, c dpmix.exact_state, h dpmix.exact_state);
EXPLAIN (COSTS OFF) SELECT dpmix_internal.pair_counts(ARRAY[x, k], '{}') FROM pairs;
CREATE TABLE in_parallel AS SELECT dpmix_internal.pair_counts(ARRAY[x, k], :'shape') AS c, dpmix_internal.pair_counts(ARRAY[x, k], :'hits') AS h FROM pairs;
INSERT INTO pair_states SELECT 'parallel', * FROM in_parallel;
SET max_parallel_workers_per_gather = 0;
INSERT INTO pair_states SELECT 'serial', dpmix_internal.pair_counts(ARRAY[x, k], :'shape'), dpmix_internal.pair_counts(ARRAY[x, k], :'hits') FROM pairs;
INSERT INTO pair_states SELECT 'in shards', dpmix_internal.joined_states(dpmix_internal.array_agg(ARRAY[x, k], :'shape'::float8[], 'pair_counts'::text)),
    dpmix_internal.joined_states(dpmix_internal.array_agg(ARRAY[x, k], :'hits'::float8[], 'pair_counts'::text)) FROM pairs;
SELECT count(*) AS plans, count(DISTINCT c::text) AS counts, count(DISTINCT h::text) AS hits FROM pair_states;
CREATE VIEW cut AS SELECT CASE WHEN x IS NULL THEN 2 ELSE (x >= 5)::int END AS i, CASE WHEN k = 'NaN' THEN 3 ELSE k::int END AS j FROM pairs;
SELECT dpmix.numbers(c)::bigint[] = ARRAY[(SELECT array_agg(n ORDER BY t, a, b) FROM (
    SELECT 0 AS t, a, 0 AS b, (SELECT count(*) FROM cut WHERE i = a) AS n FROM generate_series(0, 2) a
    UNION ALL SELECT 1, 0, b, (SELECT count(*) FROM cut WHERE j = b) FROM generate_series(0, 3) b
    UNION ALL SELECT 2, a, b, (SELECT count(*) FROM cut WHERE i = a AND j = b) FROM generate_series(0, 2) a, generate_series(0, 3) b) t)] AS as_counted,
    dpmix.numbers(h)::bigint[] = ARRAY[(SELECT ARRAY[count(*) FILTER (WHERE taken = j), count(*) FILTER (WHERE taken <> j)]
                           FROM (SELECT j, CASE i WHEN 0 THEN 0 WHEN 1 THEN 2 ELSE 1 END AS taken FROM cut WHERE j < 3) t)] AS hits
FROM pair_states WHERE plan = 'serial';
SELECT what, (refusal(statement)).* FROM (VALUES
    ('no shape', 'SELECT dpmix_internal.pair_counts(ARRAY[1, 2]::float8[], ''{}'')'), ('a column less', 'SELECT dpmix_internal.pair_counts(ARRAY[1]::float8[], ''{2,1,1,0,10,2,0,1,2}'')'),
    ('two dimensions', 'SELECT dpmix_internal.pair_counts(ARRAY[ARRAY[1, 2]]::float8[], ''{2,1,1,0,10,2,0,1,2}'')'),
    ('shape varies', 'SELECT dpmix_internal.pair_counts(ARRAY[1]::float8[], ARRAY[1,1,1,0,1,i]) FROM generate_series(1, 2) i'),
    ('a score too few', 'SELECT dpmix_internal.pair_counts(ARRAY[1, 2]::float8[], ''{2,1,1,0,10,2,0,1,2,0}'')'),
    ('too many counts', 'SELECT dpmix_internal.pair_counts(ARRAY[1, 2]::float8[], ''{2,1,1,0,10,1023,0,1,1023}'')')) t(what, statement);
DROP SCHEMA cell_counts_test CASCADE;
