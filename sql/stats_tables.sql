-- Exact contingency tables by class, one by one and in pairs: equal to GROUP BY, for any plan and any order of rows;
-- invalid tables are refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA table_stats_test;
SET search_path = table_stats_test, public;
CREATE FUNCTION refusal(statement text, OUT code text, OUT message text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
END $$;

-- Two classes; a number cut at 0, 1 and 2.5 into codes 0 0 1 2, missing 3; three categories, of which the last shares a
-- code with what is none.
\set tables '{2,2, 0,3,0,1,2.5,0,0,1,2,3, 3,0,0,1,2,2, 3, 0,-1,1, 1,-1,0, 0,1,1}'
CREATE TABLE few AS
    SELECT * FROM (VALUES (0, '{0,0}'::float8[]), (0, '{-0,1}'), (0, '{1,2}'), (0, '{2.4999999999999996,3}'), (0, '{2.5,-1}'), (0, '{Infinity,NaN}'), (1, '{-Infinity,0}'), (1, '{NaN,Infinity}'), (1, '{0.99,1e300}'), (1, '{1,0.5}'),
        (2, '{1,1}'), (-1, '{1,1}'), (NULL, '{1,1}'), (0, NULL), (0, '{1,NULL}')) t(class, x);
SELECT c, dpmix.numbers(c) FROM (SELECT dpmix_internal.marginal_counts(class, x, :'tables') c FROM few) t;
SELECT class, x, (SELECT string_agg(at::text, ' ') FROM regexp_split_to_table(translate(substring(dpmix_internal.marginal_counts(class, x, :'tables')::text FROM '[{].*'), '{}', ''), ',') WITH ORDINALITY t(n, at) WHERE n <> '0') AS cells FROM few GROUP BY class, x ORDER BY class, x;
SELECT c, dpmix.numbers(c) FROM (SELECT dpmix_internal.marginal_counts(0, NULL, :'tables') c) t;

-- Serial, parallel, any order: the same state, bit for bit.
CREATE TABLE data AS
    SELECT i, (hash_numeric_extended(i, 0) % 3)::int + 1 AS class, (hash_numeric_extended(i, 1) % 50 / 7.0)::float8 AS a, CASE WHEN i % 11 = 0 THEN 'NaN' ELSE abs(hash_numeric_extended(i, 2) % 5)::float8 END AS b,
           CASE i % 97 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE (hash_numeric_extended(i, 3) % 100)::float8 END AS c
      FROM generate_series(1, 20000) i;
ANALYZE data;
-- Three classes; ten edges, four categories, one code for all of c but 50 and more; all single columns and pairs, a and
-- c over all classes.
\set many '{4,3, 0,10,-5,-4,-3,-2,-1,0,1,2,3,4,0,1,2,3,4,5,6,7,8,9,10,11, 4,0,0,1,2,3,4, 0,1,50,0,1,0, 6, 0,-1,1, 1,-1,1, 2,-1,1, 0,1,1, 2,1,1, 0,2,0}'
CREATE TABLE states (plan text, s dpmix.exact_state);
SET max_parallel_workers_per_gather = 0;
INSERT INTO states SELECT 'serial', dpmix_internal.marginal_counts(class, ARRAY[a, b, c], :'many') FROM data;
INSERT INTO states SELECT 'shuffled', dpmix_internal.marginal_counts(class, ARRAY[a, b, c], :'many') FROM (SELECT * FROM data ORDER BY hash_numeric_extended(i, 9)) t;
INSERT INTO states SELECT 'in columns', dpmix_internal.marginal_counts(class, ARRAY[a, b, c], tables) FROM data, (VALUES (:'many'::float8[]) OFFSET 0) f(tables);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT dpmix_internal.marginal_counts(class, ARRAY[a, b, c], '{}') FROM data;
CREATE TABLE parallel AS SELECT dpmix_internal.marginal_counts(class, ARRAY[a, b, c], :'many') AS s FROM data;
INSERT INTO states SELECT 'parallel', s FROM parallel;
SET parallel_leader_participation = off;
CREATE TABLE workers AS SELECT dpmix_internal.marginal_counts(class, ARRAY[a, b, c], :'many') AS s FROM data;
INSERT INTO states SELECT 'parallel, workers only', s FROM workers;
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 0;
CREATE AGGREGATE combine(dpmix.exact_state) (SFUNC = dpmix_internal.state_combine, STYPE = dpmix.exact_state, INITCOND = '()');
CREATE TABLE parts AS SELECT dpmix_internal.marginal_counts(class, ARRAY[a, b, c], :'many') AS s FROM data GROUP BY i / 7001;
INSERT INTO states SELECT 'combined', combine(s) FROM parts;
SELECT count(*) AS plans, count(DISTINCT s::text) AS states FROM states;

-- Against plain SQL: every cell of every table, empty ones too.
CREATE VIEW coded AS
    SELECT class AS k, width_bucket(a, '{-5,-4,-3,-2,-1,0,1,2,3,4}'::float8[]) AS a, CASE WHEN b < 4 THEN b::int ELSE 4 END AS b, (c >= 50 AND c <> 'NaN')::int AS c FROM data WHERE class BETWEEN 0 AND 3;
CREATE TABLE expected AS
    SELECT row_number() OVER (ORDER BY v.t, cell.k, x, y) AS at, (SELECT count(*) FROM coded d WHERE (d.k = cell.k OR cell.t = 6) AND CASE cell.t WHEN 1 THEN d.a = x WHEN 2 THEN d.b = x WHEN 3 THEN d.c = x WHEN 4 THEN (d.a, d.b) = (x, y) WHEN 5 THEN (d.c, d.b) = (x, y) ELSE (d.a, d.c) = (x, y) END) AS n
    FROM (VALUES (1, 12, 1), (2, 5, 1), (3, 2, 1), (4, 12, 5), (5, 2, 5), (6, 12, 2)) AS v(t, xs, ys), generate_series(0, CASE WHEN v.t = 6 THEN 0 ELSE 3 END) AS k, generate_series(0, xs - 1) AS x, generate_series(0, ys - 1) AS y, LATERAL (SELECT v.t, k) AS cell;
SELECT count(*) AS cells, sum(e.n) AS counted, bool_and(e.n = s.n::bigint) AS exact, (SELECT sum(n) / 6 FROM expected) = (SELECT count(*) FROM coded) AS every_row_in_every_table
FROM expected e FULL JOIN (SELECT n, at FROM states, regexp_split_to_table(translate(substring(s::text FROM '[{].*'), '{}', ''), ',') WITH ORDINALITY AS r(n, at) WHERE plan = 'serial') AS s USING (at);

-- For the shards of a distributed table
SELECT a[1] = s::text AS in_an_array, cardinality(a) FROM states, (SELECT dpmix_internal.array_agg(class, ARRAY[a, b, c]::float8[], :'many'::float8[], 'marginal_counts'::text)::text::text[] AS a FROM data) AS t WHERE plan = 'serial';

-- Refusals
SELECT what, (refusal(statement)).* FROM (VALUES
    ('no tables', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{}'')'),
    ('no class', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{0,1,0,0,0,0,1,0,-1,1}'')'),
    ('no column', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,0,1,0,-1,1}'')'),
    ('no table', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,0,0,0,0}'')'),
    ('too many columns', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,101,0,0,0,0,1,0,-1,1}'')'),
    ('too many classes', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1e9,1,0,0,0,0,1,0,-1,1}'')'),
    ('not whole', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1.5,1,0,0,0,0,1,0,-1,1}'')'),
    ('NaN', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{NaN,1,0,0,0,0,1,0,-1,1}'')'),
    ('infinite', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,Infinity,0,0,1,0,-1,1}'')'),
    ('cut off', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,5,1,2'  || '}'')'),
    ('too long', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,0,0,0,1,0,-1,1,1}'')'),
    ('edges fall', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,2,2,1,0,1,2,3,1,0,-1,1}'')'),
    ('edges equal', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,2,1,1,0,1,2,3,1,0,-1,1}'')'),
    ('an edge is NaN', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,1,NaN,0,1,2,1,0,-1,1}'')'),
    ('edges of categories', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,2,1,0,0,1,2,1,0,-1,1}'')'),
    ('a code is too large', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,0,0,2,1,0,-1,1}'')'),
    ('a code is negative', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,0,0,-1,1,0,-1,1}'')'),
    ('a column there is not', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,0,0,0,1,1,-1,1}'')'),
    ('a pair with itself', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,0,0,0,1,0,0,1}'')'),
    ('too many cells', 'SELECT dpmix_internal.marginal_counts(0, ''{1,1}'', ARRAY[1,2]::float8[] || (SELECT array_agg(x) FROM generate_series(1, 2) c, LATERAL (SELECT 1025 UNION ALL SELECT 0 UNION ALL SELECT i FROM generate_series(0, 1025) i) v(x)) || ''{1,0,1,1}''::float8[])'),
    ('tables vary', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ARRAY[1,1,0,1,i,0,1,1,1,0,-1,1]) FROM generate_series(1, 2) i'),
    ('tables differ', 'SELECT dpmix_internal.state_combine(a, b) FROM (SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,1,1,0,1,1,1,0,-1,1}'') a, dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,1,2,0,1,1,1,0,-1,1}'') b) t'),
    ('a NULL among them', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,0,0,0,1,0,NULL,1}'')'),
    ('two dimensions', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{{1,1,0,0,0},{0,1,0,-1,1}}'')'),
    ('too few numbers', 'SELECT dpmix_internal.marginal_counts(0, ''{}'', ''{1,1,0,0,0,0,1,0,-1,1}'')'),
    ('too many numbers', 'SELECT dpmix_internal.marginal_counts(0, ''{1,2}'', ''{1,1,0,0,0,0,1,0,-1,1}'')'),
    ('accepted', 'SELECT dpmix_internal.marginal_counts(0, ''{1}'', ''{1,1,0,0,0,0,1,0,-1,1}'')')) bad(what, statement);
SELECT bool_and(has_function_privilege('public', oid, 'EXECUTE')) AS public, bool_and(proparallel = 's') AS parallel_safe, bool_and(provolatile = 'i') AS immutable
  FROM pg_proc WHERE pronamespace = 'dpmix_internal'::regnamespace AND proname LIKE 'marginal_counts%';
DROP SCHEMA table_stats_test CASCADE;
