-- What a scan of a model makes of rows: class numbers and vectors; and that the exact moments made
-- of them do not depend on the plan, on the order of rows or on partitions.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA rows_test;
SET search_path = rows_test, public;

-- The number of a value among categories, as array_position counts, for every type that labels have
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN short AS varchar(5);
SELECT dpmix_internal.class_number(ARRAY['b', 'a', '', 'b'], v) FROM (VALUES ('a'), ('b'), (''), ('c'), ('a '), (NULL)) t(v);
SELECT dpmix_internal.class_number('{b,a}'::bpchar[], 'a   '::char(4)), dpmix_internal.class_number('{b,a}'::varchar[], 'a'::short::varchar),
       dpmix_internal.class_number('{b,a}'::name[], 'a'::name), dpmix_internal.class_number('{b,a}'::"char"[], 'a'::"char"),
       dpmix_internal.class_number('{sad,happy}'::mood[], 'happy'::mood), dpmix_internal.class_number('{sad,happy}'::mood[], 'ok'::mood),
       dpmix_internal.class_number('{f,t}'::bool[], true), dpmix_internal.class_number('{2020-01-01,infinity}'::date[], 'infinity'::date),
       dpmix_internal.class_number('{00000000-0000-0000-0000-000000000000,00000000-0000-0000-0000-000000000001}'::uuid[],
                          '00000000-0000-0000-0000-000000000001'::uuid);
SELECT dpmix_internal.class_number('{7,-3}'::int2[], -3::int2), dpmix_internal.class_number('{7,-3}'::int4[], -3),
       dpmix_internal.class_number('{7,-3}'::int8[], -3::int8), dpmix_internal.class_number('{7,1.50}'::numeric[], 1.5),
       dpmix_internal.class_number('{7,NaN}'::numeric[], 'NaN'), dpmix_internal.class_number('{}'::int[], 1),
       dpmix_internal.class_number('{1,NULL,2}'::int[], 2), dpmix_internal.class_number(NULL::int[], 2);
-- Integers close to each other, and not; equal ones, NULL, and the ends of each type
SELECT count(*) AS values, bool_and(
    dpmix_internal.class_number(a, v) IS NOT DISTINCT FROM array_position(a, v) - 1
    AND dpmix_internal.class_number(a::bigint[], v::bigint) IS NOT DISTINCT FROM array_position(a, v) - 1
    AND dpmix_internal.class_number(a::smallint[], v::smallint) IS NOT DISTINCT FROM array_position(a, v) - 1)
    AS as_array_position, count(array_position(a, v)) AS found
  FROM (SELECT array_agg(CASE WHEN j % 7 > 0 THEN i % 5 * 60 + i * j * j % (i % 3 * 40 + 3) END ORDER BY j) AS a
        FROM generate_series(1, 60) i, generate_series(1, 9) j GROUP BY i) c, generate_series(-3, 400) v;
SELECT v, dpmix_internal.class_number(ARRAY[9223372036854775807, 9223372036854775805], v) AS high,
    dpmix_internal.class_number('{-9223372036854775808,-9223372036854775806}'::bigint[], v) AS low,
    dpmix_internal.class_number('{-9223372036854775808,9223372036854775807}'::bigint[], v) AS ends
  FROM (SELECT 9223372036854775807 - i FROM generate_series(0, 3) i
        UNION ALL SELECT -9223372036854775807 - 1 + i FROM generate_series(0, 3) i) t(v);
SELECT v, dpmix_internal.class_number('{2020-02-29,2020-03-01}'::date[], v)
  FROM unnest('{2020-02-28,2020-02-29,2020-03-01,-infinity}'::date[]) v;
SELECT v, dpmix_internal.class_number('{t}'::bool[], v) FROM unnest('{t,f}'::bool[]) v;
-- A thousand categories, long ones that are stored compressed, and arrays that change from row to row
SELECT count(*) AS values, bool_and(dpmix_internal.class_number(a, v) IS NOT DISTINCT FROM array_position(a, v) - 1) AS as_array_position
  FROM (SELECT array_agg('class ' || i % 700) AS a FROM generate_series(1, 1000) i) c,
       LATERAL (SELECT 'class ' || i AS v FROM generate_series(-5, 705) i) t;
CREATE TABLE long AS SELECT repeat(i::text, 5000) AS v, array_agg(repeat(i::text, 5000)) OVER (ORDER BY i DESC) AS a
  FROM generate_series(1, 5) i;
SELECT dpmix_internal.class_number(a, v) FROM long ORDER BY v;
DO $$  -- a variable is no constant, though its expression's state is kept
DECLARE a text[] := '{x,y}'; n int; m int;
BEGIN
    FOR i IN 1..2 LOOP
        n := dpmix_internal.class_number(a, 'y'::text);
        IF i = 1 THEN m := n; a := '{y,x}'; END IF;
    END LOOP;
    ASSERT m = 1 AND n = 0, format('%s %s', m, n);
END $$;
-- Equality is the collation's
CREATE COLLATION ignoring_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT dpmix_internal.class_number(ARRAY['a', 'b'], 'B' COLLATE ignoring_case), dpmix_internal.class_number(ARRAY['a', 'b'], 'B' COLLATE "C");
SELECT dpmix_internal.class_number(ARRAY[point(1, 2)], point(1, 2));

-- Vectors
SELECT dpmix_internal.row_vector(1::float8), dpmix_internal.row_vector(1::float8, 'NaN'::float8, '-Infinity'::float8), dpmix_internal.row_vector(1::float8, NULL::float8) IS NULL AS missing,
       dpmix_internal.row_vector(1::float8, 2::float8) = ARRAY[1, 2]::float8[] AS same;
SELECT dpmix_internal.row_vector(1, 2);
SELECT dpmix_internal.row_vector(VARIADIC ARRAY[1, 2]::float8[]);
SELECT dpmix_internal.row_vector();

-- One state from any plan: serial, two workers, workers alone, partitions, any order, in SQL's own words
CREATE TABLE data (i int, label text, a float8, b int, c numeric);
INSERT INTO data
SELECT i, CASE WHEN i % 41 = 0 THEN NULL ELSE 'class ' || hash_numeric_extended(i, 0) % 4 END,
       CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN 'NaN' WHEN i % 83 = 0 THEN 'Infinity'
            ELSE hash_numeric_extended(i, 1) / 1e17 END::float8,
       hash_numeric_extended(i, 2) / 1e17, CASE WHEN i % 79 = 0 THEN 1e400 ELSE hash_numeric_extended(i, 3) / 1e17 END
  FROM generate_series(1, 40000) i;
CREATE TABLE divided (LIKE data) PARTITION BY HASH (i);
SELECT format('CREATE TABLE divided_%s PARTITION OF divided FOR VALUES WITH (MODULUS 5, REMAINDER %s)', r, r)
  FROM generate_series(0, 4) r \gexec
INSERT INTO divided SELECT * FROM data;
CREATE TABLE shuffled AS SELECT * FROM data ORDER BY hash_numeric_extended(i, 9);
CREATE TABLE plain AS  -- without what the functions are there for
    SELECT i, CASE label WHEN 'class 0' THEN 0 WHEN 'class 1' THEN 1 WHEN 'class -2' THEN 2 WHEN 'class 3' THEN 3 END AS class,
           ARRAY[a, b, CASE WHEN abs(c) < 1e300 THEN c ELSE 1e300 END]::float8[] AS x FROM data;
ANALYZE data, divided, shuffled;
SELECT '{1,4,3,0,1048576}'::float8[] || '{-90,-90,-90}'::float8[] || '{90,90,80}'::float8[] ||
       array_agg(n::float8 ORDER BY k, at) AS frame
  FROM generate_series(0, 3) k,
       unnest(ARRAY[40, k, -k, 1, .5, .1, -.3, 0, .7, .2, 1.0 / 3, 0, k / 10.0]) WITH ORDINALITY t(n, at) \gset
\set moments 'dpmix_internal.class_moments(dpmix_internal.class_number(ARRAY[\'class 0\', \'class 1\', \'class -2\', \'class 3\'], label), dpmix_internal.row_vector(a, b::float8, dpmix_internal.to_float8(c)), ' :'frame' ')'
CREATE TABLE states (plan text, m dpmix.exact_state);
SET max_parallel_workers_per_gather = 0;
INSERT INTO states SELECT 'serial', :moments FROM data;
INSERT INTO states SELECT 'plain', dpmix_internal.class_moments(class, x, :'frame') FROM plain;
INSERT INTO states SELECT 'shuffled', :moments FROM shuffled;
INSERT INTO states SELECT 'partitions', :moments FROM divided;
SET enable_partitionwise_aggregate = on;
INSERT INTO states SELECT 'partitionwise', :moments FROM divided;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT dpmix_internal.class_moments(dpmix_internal.class_number('{a}', label), dpmix_internal.row_vector(a, a, a), '{}') FROM data;
CREATE TABLE parallel AS SELECT :moments AS m FROM data;  -- INSERT itself is never parallel
CREATE TABLE parallel_divided AS SELECT :moments AS m FROM divided;
CREATE TABLE parallel_shuffled AS SELECT :moments AS m FROM shuffled;
SET parallel_leader_participation = off;
CREATE TABLE workers AS SELECT :moments AS m FROM data;
INSERT INTO states SELECT 'parallel', m FROM parallel;
INSERT INTO states SELECT 'parallel partitions', m FROM parallel_divided;
INSERT INTO states SELECT 'parallel shuffled', m FROM parallel_shuffled;
INSERT INTO states SELECT 'workers alone', m FROM workers;
SELECT count(*) AS plans, count(DISTINCT m::text) AS states, bool_and(dpmix.numbers(m)::bigint[] = (
           SELECT array_agg((SELECT count(*) FROM plain WHERE class = k AND NOT x::text ~ 'N') ORDER BY k) FROM generate_series(0, 3) k)) AS rows
  FROM states;

DROP SCHEMA rows_test CASCADE;
