-- Exact statistics: equal for any plan and any order of rows; corrupt states are refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA stats_test;
SET search_path = stats_test, public;

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

-- A conversion that never raises
SELECT dpmix_internal.to_float8(x) FROM (VALUES (1.5), (1e400), (-1e400), (1e-400), ('NaN'), ('Infinity'), (0.1)) t(x);

-- By hand: NULL and NaN are missing, infinities and strays are clamped, ties go to even
CREATE TABLE strays AS
    SELECT * FROM (VALUES (1::float8), (.25), (.75), (NULL), ('NaN'), ('Infinity'), ('-Infinity'), (99)) t(x);
SELECT s, (dpmix.numbers(s))[1], (dpmix.numbers(s))[2] FROM (SELECT dpmix_internal.lattice_sum(x, 0, .5, -4, 4) s FROM strays) t;
SELECT s, (dpmix.numbers(s))[1], (dpmix.numbers(s))[2] FROM (SELECT dpmix_internal.lattice_sum(NULL, 0, .5, -4, 4) s) t;
SELECT dpmix_internal.lattice_sum(1, 0, NULL, -4, 4) FROM generate_series(1, 3);
SELECT (dpmix.numbers(dpmix_internal.lattice_sum(1e300, 0, 1, 0, 2 ^ 53)))[2] FROM generate_series(1, 3000);

-- Two classes of radius 5 in steps of 1, around (0, 0): inside, on the surface, beyond it, missing
\set circle '{1,2,2,1,5, -100,-100, 100,100, 5,0,0,1,1, 5,0,0,1,1}'
CREATE TABLE points AS
    SELECT * FROM (VALUES (0, '{3,4}'::float8[]), (0, '{-1.9,.9}'), (1, '{0,Infinity}'), (1, '{-100,-100}'),
        (2, '{1,1}'), (-1, '{1,1}'), (NULL, '{1,1}'), (0, NULL), (0, '{1,NULL}'), (0, '{NaN,1}')) t(class, x);
SELECT m, dpmix.numbers(m) FROM (SELECT dpmix_internal.class_moments(class, x, :'circle') m FROM points) t;
SELECT m, dpmix.numbers(m) FROM (SELECT dpmix_internal.class_moments(0, NULL, :'circle') m) t;

-- Serial, parallel, any order: the same state, bit for bit. Integer hashes make it repeatable.
CREATE TABLE data AS
    SELECT i, (hash_numeric_extended(i, 0) % 6)::int + 5 AS class,  -- 0..10: the last is no class
           CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN 'NaN' WHEN i % 83 = 0 THEN 'Infinity'
                WHEN i % 79 = 0 THEN '-Infinity' ELSE hash_numeric_extended(i, 1) / 1e17 END::float8 AS x,
           CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN '{1,NULL,3}'
                WHEN i % 83 = 0 THEN '{NaN,1,2}' WHEN i % 79 = 0 THEN '{-Infinity,1,Infinity}'
                ELSE ARRAY[hash_numeric_extended(i, 2) / 1e17, hash_numeric_extended(i, 3) / 1e17,
                           hash_numeric_extended(i, 4) / 1e17]::float8[] END AS v
      FROM generate_series(1, 60000) i;
ANALYZE data;
-- Ten classes, three features, full maps
SELECT '{1,10,3,0,1048576}'::float8[] || '{-90,-90,-90}'::float8[] || '{90,90,80}'::float8[] ||
       array_agg(n::float8 ORDER BY k, at) AS frame
  FROM generate_series(0, 9) k,
       unnest(ARRAY[40, k, -k, 1, .5, .1, -.3, 0, .7, .2, 1.0 / 3, 0, k / 10.0]) WITH ORDINALITY t(n, at) \gset
\set lattice '-1.5, 50 / 2.0 ^ 30, -1073741824, 1073741824'
CREATE TABLE states (plan text, s dpmix.exact_state, m dpmix.exact_state);

SET max_parallel_workers_per_gather = 0;
INSERT INTO states
    SELECT 'serial', dpmix_internal.lattice_sum(x, :lattice), dpmix_internal.class_moments(class, v, :'frame') FROM data;
INSERT INTO states
    SELECT 'shuffled', dpmix_internal.lattice_sum(x, :lattice), dpmix_internal.class_moments(class, v, :'frame')
      FROM (SELECT * FROM data ORDER BY hash_numeric_extended(i, 9)) t;
INSERT INTO states
    SELECT 'backwards', dpmix_internal.lattice_sum(x, :lattice), dpmix_internal.class_moments(class, v, :'frame')
      FROM (SELECT * FROM data ORDER BY i DESC) t;
INSERT INTO states  -- a lattice and a frame that the planner does not know to be constant
    SELECT 'in columns', dpmix_internal.lattice_sum(x, origin, step, low, high), dpmix_internal.class_moments(class, v, frame)
      FROM data, (VALUES (:lattice, :'frame'::float8[]) OFFSET 0) f(origin, step, low, high, frame);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT dpmix_internal.lattice_sum(x, :lattice) FROM data;
EXPLAIN (COSTS OFF) SELECT dpmix_internal.class_moments(class, v, '{}') FROM data;  -- the frame is not read
CREATE TABLE parallel AS
    SELECT dpmix_internal.lattice_sum(x, :lattice) AS s, dpmix_internal.class_moments(class, v, :'frame') AS m FROM data;
INSERT INTO states SELECT 'parallel', s, m FROM parallel;
SET parallel_leader_participation = off;
CREATE TABLE workers AS
    SELECT dpmix_internal.lattice_sum(x, :lattice) AS s, dpmix_internal.class_moments(class, v, :'frame') AS m FROM data;
INSERT INTO states SELECT 'parallel, workers only', s, m FROM workers;
RESET parallel_leader_participation;
SET plan_cache_mode = force_generic_plan;
PREPARE by_parameter(float8[]) AS SELECT dpmix_internal.class_moments(class, v, $1)::text FROM data;
EXECUTE by_parameter(:'frame') \gset parameter_
INSERT INTO states SELECT 'parameter', s, :'parameter_class_moments' FROM states WHERE plan = 'serial';
RESET plan_cache_mode;
SET max_parallel_workers_per_gather = 0;

-- States of parts, stored (toasted) and combined
CREATE AGGREGATE combine(dpmix.exact_state) (SFUNC = dpmix_internal.state_combine, STYPE = dpmix.exact_state, INITCOND = '()');
CREATE TABLE parts AS
    SELECT dpmix_internal.lattice_sum(x, :lattice) AS s, dpmix_internal.class_moments(class, v, :'frame') AS m
      FROM data GROUP BY i / 17001;
INSERT INTO states SELECT 'combined', combine(s), combine(m) FROM parts;

SELECT count(*) AS plans, count(DISTINCT s::text) AS sums, count(DISTINCT m::text) AS moments FROM states;
SELECT s, dpmix.numbers(m) FROM states WHERE plan = 'serial';
-- Against plain SQL
SELECT (dpmix.numbers(s))[1] = (SELECT count(*) FROM data WHERE x <> 'NaN') AS rows,
       (dpmix.numbers(s))[2] = (SELECT sum(greatest(least(round((x + 1.5) / (50 / 2.0 ^ 30)), 1073741824), -1073741824)::numeric)
                            FROM data WHERE x <> 'NaN') AS total
  FROM states WHERE plan = 'serial';
SELECT dpmix.numbers(m)::bigint[] = (SELECT array_agg((SELECT count(*) FROM data WHERE class = k AND NOT v::text ~ 'N') ORDER BY k)
                          FROM generate_series(0, 9) k) AS rows
  FROM states WHERE plan = 'serial';

-- As a window function, whose results must not share one state
SELECT bool_and((dpmix.numbers(s))[1] = i) AS sums, bool_and(dpmix.numbers(m)::text = format('{%s,0}', i)) AS moments
  FROM (SELECT i, dpmix_internal.lattice_sum(i, 0, 1, 0, 100) OVER w AS s,
               dpmix_internal.class_moments(0, ARRAY[i, 0], :'circle') OVER w AS m
          FROM generate_series(1, 100) i WINDOW w AS (ORDER BY i)) t;

-- Transition functions called directly leave their argument alone
SELECT (dpmix.numbers(s))[1], (dpmix.numbers(dpmix_internal.lattice_sum_add(s, 1, :lattice)))[1], (dpmix.numbers(s))[1], (dpmix.numbers(dpmix_internal.state_combine(s, s)))[1]
  FROM states WHERE plan = 'serial';
SELECT dpmix_internal.lattice_sum_add(dpmix_internal.lattice_sum_add('sum(0,0,0,0,0,0)', 1, 0, 1, 0, 9), -3, -0.0, 1, 0, 9);
SELECT dpmix_internal.lattice_sum_add(NULL, 1, 0, 1, 0, 9) AS no_state, dpmix_internal.lattice_sum_add('sum(1,1,0,1,0,9)', NULL, 0, 1, 0, 9) AS no_value,
       dpmix_internal.lattice_sum_add('sum(1,1,0,1,0,9)', 1, 0, NULL, 0, 9) AS no_lattice;
SELECT m, dpmix_internal.class_moments_add(m, 1, '{-5,0}', :'circle') AS added, m, dpmix_internal.state_combine(m, m) AS doubled
  FROM dpmix_internal.class_moments_add('moments()', 0, '{3,4}', :'circle') m;

-- Bytes: what send made, recv takes; what no rows can make, it refuses
SELECT current_setting('data_directory') || '/dpmix_stats_test' AS file \gset
CREATE FUNCTION receive(bytes bytea, type regtype) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    file text := current_setting('data_directory') || '/dpmix_stats_test';
    stream bytea := '\x5047434f50590aff0d0a00'::bytea || int4send(0) || int4send(0) || int2send(1::int2) ||
        int4send(length(bytes)) || bytes || int2send((-1)::int2);
    large oid := lo_from_bytea(0, stream);
    result text;
BEGIN
    PERFORM lo_export(large, file);
    PERFORM lo_unlink(large);
    EXECUTE format('CREATE TEMP TABLE received (state %s) ON COMMIT DROP', type);
    EXECUTE format('COPY received FROM %L (FORMAT binary)', file);
    EXECUTE 'SELECT state FROM received' INTO result;
    DROP TABLE received;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT receive(dpmix_internal.state_send(s), 'dpmix.exact_state') = s::text AS sum,
       receive(dpmix_internal.state_send(m), 'dpmix.exact_state') = m::text AS moments
  FROM states WHERE plan = 'parallel';
SELECT receive(dpmix_internal.state_send('sum(0,0,0,0,0,0)'), 'dpmix.exact_state') AS sum,
       receive(dpmix_internal.state_send('moments()'), 'dpmix.exact_state') AS moments;
SELECT what, receive(bytes, type) FROM (
    SELECT dpmix_internal.state_send('sum(2,3,0,1,-9,9)') AS s,
           dpmix_internal.state_send(dpmix_internal.class_moments_add('moments()', 0, '{3,4}', :'circle')) AS m) good,
    LATERAL (VALUES
        ('sum beyond the bounds', set_byte(s, 24, 19), 'dpmix.exact_state'::regtype),
        ('negative count', set_byte(s, 1, 255), 'dpmix.exact_state'),
        ('step not a number', overlay(s PLACING '\x7ff8000000000000' FROM 34 FOR 8), 'dpmix.exact_state'),
        ('sum cut short', substr(s, 1, 56), 'dpmix.exact_state'),
        ('sum too long', s || '\x00', 'dpmix.exact_state'),
        ('too many classes', set_byte(m, 1, 1), 'dpmix.exact_state'),
        ('no features', set_byte(m, 8, 0), 'dpmix.exact_state'),
        ('resolution beyond 2^20', set_byte(m, 13, 1), 'dpmix.exact_state'),
        ('negative class count', set_byte(m, 25, 255), 'dpmix.exact_state'),
        ('coordinate beyond the radius', set_byte(m, 48, 6), 'dpmix.exact_state'),
        ('moments cut short', substr(m, 1, length(m) - 1), 'dpmix.exact_state'),
        ('moments too long', m || '\x00', 'dpmix.exact_state'),
        ('of no kind', set_byte(s, 0, 99), 'dpmix.exact_state'),
        ('of another kind', set_byte(s, 0, 3), 'dpmix.exact_state')) bad(what, bytes, type);
\set remove 'cat >/dev/null; rm -f ' :file
COPY (SELECT 1) TO PROGRAM :'remove';
SELECT what, (refusal(format('SELECT %L::%s', text, type))).* FROM (VALUES
    ('sum beyond the bounds', 'sum(2,19,0,1,-9,9)', 'dpmix.exact_state'),
    ('empty', '', 'dpmix.exact_state'),
    ('coordinate beyond the radius', 'moments(1,1,5,ab){1|6|25}', 'dpmix.exact_state'),
    ('of another kind', 'squares(2,3,0,1,-9,9)', 'dpmix.exact_state'),
    ('of no kind', 'total(2,3,0,1,-9,9)', 'dpmix.exact_state'),
    ('count beyond 2^62', 'moments(1,1,5,ab){4611686018427387905|6|25}', 'dpmix.exact_state')) bad(what, text, type);

-- Wrong parameters
SELECT what, (refusal(statement)).* FROM (VALUES
    ('step 0', 'SELECT dpmix_internal.lattice_sum(1, 0, 0, 0, 9)'),
    ('step 0, no range', 'SELECT dpmix_internal.lattice_sum(1, 0, 0, 0, 0)'),
    ('step NaN', 'SELECT dpmix_internal.lattice_sum(1, 0, ''NaN'', 0, 9)'),
    ('origin infinite', 'SELECT dpmix_internal.lattice_sum(1, ''-Infinity'', 1, 0, 9)'),
    ('low above high', 'SELECT dpmix_internal.lattice_sum(1, 0, 1, 9, 0)'),
    ('low no integer', 'SELECT dpmix_internal.lattice_sum(1, 0, 1, .5, 9)'),
    ('high beyond 2^53', 'SELECT dpmix_internal.lattice_sum(1, 0, 1, 0, 2 ^ 53 + 2)'),
    ('lattice varies', 'SELECT dpmix_internal.lattice_sum(1, 0, i, 0, 9) FROM generate_series(1, 2) i'),
    ('lattices differ', 'SELECT dpmix_internal.state_combine(''sum(1,1,0,1,0,9)'', ''sum(1,1,0,1,0,8)'')'),
    ('counts overflow', 'SELECT dpmix_internal.state_combine(s, s) FROM CAST(''sum(4611686018427387904,0,0,1,0,9)'' AS dpmix.exact_state) s'),
    ('no frame', 'SELECT dpmix_internal.class_moments(0, ''{1}'', ''{}'')'),
    ('frame with NULL', 'SELECT dpmix_internal.class_moments(0, ''{1}'', ''{1,NULL}'')'),
    ('frame of two dimensions', 'SELECT dpmix_internal.class_moments(0, ''{1}'', ''{{1},{1}}'')'),
    ('frame with no classes', 'SELECT dpmix_internal.class_moments(0, ''{1}'', ''{1,0,1,0,5,-9,9}'')'),
    ('frame with an empty box', 'SELECT dpmix_internal.class_moments(0, ''{1}'', ''{1,1,1,0,5,9,9,1,0,1}'')'),
    ('frame varies', 'SELECT dpmix_internal.class_moments(0, ''{1}'', ARRAY[1,1,1,0,5,-9,9,i,0,1]) FROM generate_series(1, 2) i'),
    ('frames differ', 'SELECT dpmix_internal.state_combine(''moments(1,1,5,ab){1|3|9}'', ''moments(1,1,5,cd){1|3|9}'')'),
    ('counts overflow', 'SELECT dpmix_internal.state_combine(m, m) FROM CAST(''moments(1,1,5,ab){4611686018427387904|0|0}'' AS dpmix.exact_state) m'),
    ('too few features', 'SELECT dpmix_internal.class_moments(0, ''{}'', ''{1,1,1,0,5,-9,9,1,0,1}'')'),
    ('too many features', 'SELECT dpmix_internal.class_moments(0, ''{1,2}'', ''{1,1,1,0,5,-9,9,1,0,1}'')'),
    ('features of two dimensions', 'SELECT dpmix_internal.class_moments(0, ''{{1}}'', ''{1,1,1,0,5,-9,9,1,0,1}'')')) bad(what, statement)
\gx

-- Plain sums over rows that one may read anyway: for everyone, and in every plan
SELECT count(*) AS functions, bool_and(has_function_privilege('public', oid, 'EXECUTE')) AS public,
       bool_and(proparallel = 's') AS parallel_safe, bool_and(provolatile = 'i') AS immutable
  FROM pg_proc WHERE pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace)
   AND proname ~ '^state_|^(lattice_sum|class_moments)(_add)?$|^(numbers|to_float8)$';

DROP SCHEMA stats_test CASCADE;
