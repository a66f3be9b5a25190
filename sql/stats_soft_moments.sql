-- Exact moments of shares and counts by cell: equal for any plan and any order of rows.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA mixture_stats_test;
SET search_path = mixture_stats_test, public;

CREATE FUNCTION refusal(statement text, OUT code text, OUT message text, OUT detail text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
END $$;

-- Two components at -4 and 4 of one feature, radius 8 in 8 steps: log weights 0, tightness 1 and 1
\set two '1,2,1,0,8, -10,10, 8,-4,1, 8,4,1'
-- Hard: all to the nearer, the first of equals; counts in 2^20 of a row
SELECT dpmix_internal.soft_moments(ARRAY[x], ARRAY[:two,1,0,0,1,1]::float8[]) FROM unnest('{-4,-5,0,3,NULL,NaN,-Infinity}'::float8[]) x;
-- Soft: halves in the middle; a weight twice as large makes it two thirds
SELECT dpmix.numbers(dpmix_internal.soft_moments('{0}'::float8[], ARRAY[:two,0,0,0,1,1]::float8[])) AS halves,
       dpmix.numbers(dpmix_internal.soft_moments('{0}'::float8[], ARRAY[:two,0,0.69314718055994531,0,1,1]::float8[])) AS thirds,
       dpmix.numbers(dpmix_internal.soft_moments('{4}'::float8[], ARRAY[:two,0,0,0,1,1]::float8[])) AS far,
       dpmix.numbers(dpmix_internal.soft_moments('{4}'::float8[], ARRAY[:two,0,0,0,0,0]::float8[])) AS alike;
-- Densities of their own: seen from 4 and -4 instead, the same rows are placed as before
SELECT dpmix_internal.soft_moments('{-5}'::float8[], ARRAY[:two,1,0,0,1,1, 1,2,1,0,8, -10,10, 8,4,1, 8,-4,1]::float8[]);
SELECT dpmix.numbers(dpmix_internal.soft_moments(NULL::float8[], ARRAY[:two,1,0,0,1,1]::float8[])) AS no_row;

-- Cells: two features, two views, the second's map turns the axes; 2 x 2 cells each
\set grid '{1,2,2,0,4, -2,-2, 2,2, 4,0,0,1,0,0,1, 4,0,0,0,1,1,0, 2,2}'
SELECT c, dpmix.numbers(c) FROM (SELECT dpmix_internal.cells(x, :'grid') AS c
  FROM (VALUES ('{-1,-1}'::float8[]), ('{-1,2}'), ('{-1,1}'), ('{2,-2}'), (NULL), ('{1,NULL}'), ('{NaN,1}'), ('{Infinity,-Infinity}')) t(x)) t;

-- Serial, parallel, any order: the same state, bit for bit
CREATE TABLE data AS
    SELECT i, CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN '{1,NULL,3}'
                   WHEN i % 83 = 0 THEN '{NaN,1,2}' WHEN i % 79 = 0 THEN '{-Infinity,1,Infinity}'
                   ELSE ARRAY[hash_numeric_extended(i, 2) / 1e17, hash_numeric_extended(i, 3) / 1e17,
                              hash_numeric_extended(i, 4) / 1e17]::float8[] END AS v
      FROM generate_series(1, 60000) i;
ANALYZE data;
SELECT '{1,10,3,1,1048576}'::float8[] || '{-90,-90,-90}'::float8[] || '{90,90,80}'::float8[] ||
       array_agg(n::float8 ORDER BY k, at) AS frame
  FROM generate_series(0, 9) k, unnest(ARRAY[200, k * 9 - 40, 30 - k * 5, 1, .02, .03, .025]) WITH ORDINALITY t(n, at) \gset
SELECT :'frame'::float8[] || '{0}'::float8[] || array_fill(0::float8, ARRAY[10]) || array_fill(1::float8, ARRAY[10]) AS mixture,
       :'frame'::float8[] || '{3,4}'::float8[] AS grid \gset
CREATE TABLE states (plan text, m dpmix.exact_state, c dpmix.exact_state);
SET max_parallel_workers_per_gather = 0;
INSERT INTO states SELECT 'serial', dpmix_internal.soft_moments(v, :'mixture'), dpmix_internal.cells(v, :'grid') FROM data;
INSERT INTO states SELECT 'shuffled', dpmix_internal.soft_moments(v, :'mixture'), dpmix_internal.cells(v, :'grid')
    FROM (SELECT * FROM data ORDER BY hash_numeric_extended(i, 9)) t;
INSERT INTO states  -- frames that the planner does not know to be constant
    SELECT 'in columns', dpmix_internal.soft_moments(v, mixture), dpmix_internal.cells(v, grid)
      FROM data, (VALUES (:'mixture'::float8[], :'grid'::float8[]) OFFSET 0) f(mixture, grid);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT dpmix_internal.soft_moments(v, '{}'), dpmix_internal.cells(v, '{}') FROM data;  -- frames are not read
CREATE TABLE parallel AS SELECT dpmix_internal.soft_moments(v, :'mixture') AS m, dpmix_internal.cells(v, :'grid') AS c FROM data;
INSERT INTO states SELECT 'parallel', m, c FROM parallel;
SET max_parallel_workers_per_gather = 0;
CREATE AGGREGATE combine(dpmix.exact_state) (SFUNC = dpmix_internal.state_combine, STYPE = dpmix.exact_state, INITCOND = '()');
INSERT INTO states SELECT 'combined', combine(m), combine(c)
    FROM (SELECT dpmix_internal.soft_moments(v, :'mixture') AS m, dpmix_internal.cells(v, :'grid') AS c FROM data GROUP BY i / 17001) p;
SELECT count(*) AS plans, count(DISTINCT m::text) AS moments, count(DISTINCT c::text) AS cells FROM states;
SELECT m::text::dpmix.exact_state::text = m::text AS read_back FROM states LIMIT 1;
-- All of a row's shares are at most a whole, and little is lost; a row is in one cell of each view
SELECT (SELECT sum(n) FROM unnest(dpmix.numbers(m)) n) / (rows * 2 ^ 20) BETWEEN 1 - 1e-5 AND 1 AS shares,
       (SELECT sum(n) FROM unnest(dpmix.numbers(c)) n) = 10 * rows AS cells
  FROM states, (SELECT count(*) AS rows FROM data WHERE NOT v::text ~ 'N') r WHERE plan = 'serial';

-- Refused: whatever is no frame, and rows of another length
SELECT r.* FROM (VALUES ($$'{1}', '{1,2,1,0,8, -10,10, 8,-4,1, 8,4,1}'$$), ($$'{1}', '{1,2,1,0,8, -10,10, 8,-4,1, 8,4,1, 2,0,0,1,1}'$$),
    ($$'{1}', '{1,2,1,0,8, -10,10, 8,-4,1, 8,4,1, 0,0,Infinity,1,1}'$$), ($$'{1}', '{1,2,1,0,8, -10,10, 8,-4,1, 8,4,1, 0,0,0,1,-1}'$$),
    ($$'{1}', '{1,2,1,0,8, -10,10, 8,-4,1, 8,4,1, 0,0,0,1,1, 1,1,1,0,8, -10,10, 8,4,1}'$$),
    ($$'{1,2}', '{1,2,1,0,8, -10,10, 8,-4,1, 8,4,1, 0,0,0,1,1}'$$), ($$'{1}', '{NULL}'$$)) f(a),
    refusal(format('SELECT dpmix_internal.soft_moments(%s)', a)) r;
SELECT r.* FROM (VALUES ($$'{1}', '{1,1,1,0,8, -10,10, 8,-4,1}'$$), ($$'{1}', '{1,1,1,0,8, -10,10, 8,-4,1, 2,4}'$$),
    ($$'{1}', '{1,1,1,0,8, -10,10, 8,-4,1, 1,0}'$$), ($$'{1}', '{1,1,1,0,8, -10,10, 8,-4,1, 1,1.5}'$$), ($$'{1}', '{1,1,1,0,8, -10,10, 8,-4,1, 1,1048577}'$$),
    ($$'{1,2}', '{1,1,1,0,8, -10,10, 8,-4,1, 1,4}'$$)) f(a),
    refusal(format('SELECT dpmix_internal.cells(%s)', a)) r;
SELECT r.* FROM refusal($$SELECT dpmix_internal.cells('{1}', ARRAY[1,1,1,0,8, -10,10, 8,-4,1, 1,side]) FROM generate_series(1, 2) side$$) r;

DROP SCHEMA mixture_stats_test CASCADE;
