-- Exact counts by class and bin: equal for any plan and any order of rows; corrupt states are refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA count_stats_test;
SET search_path = count_stats_test, public;

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

-- Two classes of radius 5 in steps of 1, around (0, 0); bins: the centre, up to 4 from it, beyond
\set rings '{1,2,2,1,5, -100,-100, 100,100, 5,0,0,1,1, 5,0,0,1,1, 0,16}'
CREATE TABLE points AS
    SELECT * FROM (VALUES (0, '{0,0}'::float8[]), (0, '{-.9,.9}'), (0, '{0,4}'), (0, '{1,4}'), (1, '{0,Infinity}'), (1, '{-100,-100}'),
        (2, '{1,1}'), (-1, '{1,1}'), (NULL, '{1,1}'), (0, NULL), (0, '{1,NULL}'), (0, '{NaN,1}')) t(class, x);
SELECT c, dpmix.numbers(c) FROM (SELECT dpmix_internal.class_distances(class, x, :'rings') c FROM points) t;
SELECT c, dpmix.numbers(c) FROM (SELECT dpmix_internal.class_distances(0, NULL, :'rings') c) t;

-- Serial, parallel, any order: the same state, bit for bit. Integer hashes make it repeatable.
CREATE TABLE data AS
    SELECT i, (hash_numeric_extended(i, 0) % 6)::int + 5 AS class,  -- 0..10: the last is no class
           CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN '{1,NULL,3}'
                WHEN i % 83 = 0 THEN '{NaN,1,2}' WHEN i % 79 = 0 THEN '{-Infinity,1,Infinity}'
                ELSE ARRAY[hash_numeric_extended(i, 2) / 1e17, hash_numeric_extended(i, 3) / 1e17,
                           hash_numeric_extended(i, 4) / 1e17]::float8[] END AS v
      FROM generate_series(1, 60000) i;
ANALYZE data;
-- Ten classes, three features, radius 100 in 100 steps; nine edges
SELECT '{1,10,3,1,100}'::float8[] || '{-90,-90,-90}'::float8[] || '{90,90,80}'::float8[] ||
       array_agg(n::float8 ORDER BY k, at) ||
       (SELECT array_agg((15.0 * e) ^ 2 ORDER BY e) FROM generate_series(1, 9) e)::float8[] AS frame
  FROM generate_series(0, 9) k, unnest(ARRAY[200, k, -k, 1, 1, 1, 1]) WITH ORDINALITY t(n, at) \gset
CREATE TABLE states (plan text, c dpmix.exact_state);

SET max_parallel_workers_per_gather = 0;
INSERT INTO states SELECT 'serial', dpmix_internal.class_distances(class, v, :'frame') FROM data;
INSERT INTO states
    SELECT 'shuffled', dpmix_internal.class_distances(class, v, :'frame') FROM (SELECT * FROM data ORDER BY hash_numeric_extended(i, 9)) t;
INSERT INTO states  -- a frame that the planner does not know to be constant
    SELECT 'in columns', dpmix_internal.class_distances(class, v, frame) FROM data, (VALUES (:'frame'::float8[]) OFFSET 0) f(frame);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT dpmix_internal.class_distances(class, v, '{}') FROM data;  -- the frame is not read
CREATE TABLE parallel AS SELECT dpmix_internal.class_distances(class, v, :'frame') AS c FROM data;
INSERT INTO states SELECT 'parallel', c FROM parallel;
SET parallel_leader_participation = off;
CREATE TABLE workers AS SELECT dpmix_internal.class_distances(class, v, :'frame') AS c FROM data;
INSERT INTO states SELECT 'parallel, workers only', c FROM workers;
RESET parallel_leader_participation;
SET plan_cache_mode = force_generic_plan;
PREPARE by_parameter(float8[]) AS SELECT dpmix_internal.class_distances(class, v, $1)::text AS c FROM data;
EXPLAIN (COSTS OFF) EXECUTE by_parameter('{}');
EXECUTE by_parameter(:'frame') \gset parameter_
INSERT INTO states SELECT 'parameter', :'parameter_c';
EXECUTE by_parameter('{1,1,3,1,5,-9,-9,-9,9,9,9,1,0,0,0,1,1,1,4}');  -- another value, another frame
RESET plan_cache_mode;
SET max_parallel_workers_per_gather = 0;

-- States of parts, stored (toasted) and combined
CREATE AGGREGATE combine(dpmix.exact_state) (SFUNC = dpmix_internal.state_combine, STYPE = dpmix.exact_state, INITCOND = '()');
CREATE TABLE parts AS SELECT dpmix_internal.class_distances(class, v, :'frame') AS c FROM data GROUP BY i / 17001;
INSERT INTO states SELECT 'combined', combine(c) FROM parts;

SELECT count(*) AS plans, count(DISTINCT c::text) AS states FROM states;
-- Against plain SQL: steps of 2, rounded toward the centre
CREATE TABLE placed AS
    SELECT class, (trunc((greatest(least(v[1], 90), -90) - class) / 2) ^ 2 + trunc((greatest(least(v[2], 90), -90) + class) / 2) ^ 2
                 + trunc((greatest(least(v[3], 80), -90) - 1) / 2) ^ 2) AS square
      FROM data WHERE class < 10 AND NOT v::text ~ 'N';
SELECT dpmix.numbers(c)::bigint[] = (SELECT array_agg(bins ORDER BY k) FROM (
           SELECT k, array_agg((SELECT count(*) FROM placed WHERE class = k AND width_bucket(square, edges) = bin) ORDER BY bin) AS bins
             FROM (SELECT array_agg((15.0 * e) ^ 2 + .5 ORDER BY e)::float8[] AS edges FROM generate_series(1, 9) e) e,
                  generate_series(0, 9) k, generate_series(0, 9) bin GROUP BY k) b) AS as_counted,
       (SELECT count(*) > 5 FROM (SELECT DISTINCT unnest(dpmix.numbers(c))) d) AS many_counts
  FROM states WHERE plan = 'serial';
SELECT (SELECT sum(n) FROM unnest(dpmix.numbers(c)) n) = (SELECT count(*) FROM placed) AS all_rows FROM states WHERE plan = 'serial';

-- As a window function, whose results must not share one state
SELECT bool_and((dpmix.numbers(c))[1][2] = i) AS counts
  FROM (SELECT i, dpmix_internal.class_distances(0, ARRAY[0, 1], :'rings') OVER (ORDER BY i) AS c FROM generate_series(1, 100) i) t;

-- Transition functions called directly leave their argument alone
SELECT c, dpmix_internal.class_distances_add(c, 1, '{-5,0}', :'rings') AS added, c, dpmix_internal.state_combine(c, c) AS doubled
  FROM dpmix_internal.class_distances_add('counts()', 0, '{3,4}', :'rings') c;

-- Text and bytes: what is written is read; what no rows can make is refused
SELECT c::text::dpmix.exact_state::text = c::text AS text FROM states WHERE plan = 'serial';
CREATE FUNCTION receive(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    file text := current_setting('data_directory') || '/dpmix_count_stats_test';
    stream bytea := '\x5047434f50590aff0d0a00'::bytea || int4send(0) || int4send(0) || int2send(1::int2) ||
        int4send(length(bytes)) || bytes || int2send((-1)::int2);
    large oid := lo_from_bytea(0, stream);
    result text;
BEGIN
    PERFORM lo_export(large, file);
    PERFORM lo_unlink(large);
    CREATE TEMP TABLE received (state dpmix.exact_state) ON COMMIT DROP;
    EXECUTE format('COPY received FROM %L (FORMAT binary)', file);
    EXECUTE 'SELECT state FROM received' INTO result;
    DROP TABLE received;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT receive(dpmix_internal.state_send(c)) = c::text AS bytes, receive(dpmix_internal.state_send('counts()')) AS blank FROM states WHERE plan = 'parallel';
SELECT what, receive(bytes) FROM (SELECT dpmix_internal.state_send('counts(2,2,ab){1,2,3,4}') AS c) good, LATERAL (VALUES
    ('no classes', set_byte(c, 4, 0)), ('too many classes', set_byte(c, 3, 4)), ('negative classes', set_byte(c, 1, 255)),
    ('too many bins', set_byte(c, 6, 16)), ('negative count', set_byte(c, 17, 255)), ('count beyond 2^62', set_byte(c, 17, 64)),
    ('counts cut short', substr(c, 1, length(c) - 1)), ('counts too long', c || '\x00'), ('half a header', substr(c, 1, 11))) bad(what, bytes);
SELECT pg_read_binary_file('dpmix_count_stats_test') IS NOT NULL AS written;
\set remove 'cat >/dev/null; rm -f dpmix_count_stats_test'
COPY (SELECT 1) TO PROGRAM :'remove';
SELECT text, (refusal(format('SELECT %L::dpmix.exact_state', text))).* FROM (VALUES (''), ('counts'), ('counts(1,2,ab){1}'), ('counts(1,2,ab){1,-2}'),
    ('counts(1,1,ab){4611686018427387905}'), ('counts(1001,1,ab){1}'), ('counts(1,1048577,ab){1}')) bad(text);

-- Wrong parameters
SELECT what, (refusal(statement)).* FROM (VALUES
    ('no frame', 'SELECT dpmix_internal.class_distances(0, ''{1}'', ''{}'')'),
    ('frame with NULL', 'SELECT dpmix_internal.class_distances(0, ''{1}'', ''{1,NULL}'')'),
    ('no edges', 'SELECT dpmix_internal.class_distances(0, ''{1}'', ''{1,1,1,0,5,-9,9,1,0,1}'')'),
    ('too many edges', 'SELECT dpmix_internal.class_distances(0, ''{1}'', f) FROM (SELECT ''{1,1,1,0,5,-9,9,1,0,1}'' || array_agg(i::float8) AS f FROM generate_series(1, 1001) i) t'),
    ('edges not ascending', 'SELECT dpmix_internal.class_distances(0, ''{1}'', ''{1,1,1,0,5,-9,9,1,0,1, 4,4}'')'),
    ('edge below 0', 'SELECT dpmix_internal.class_distances(0, ''{1}'', ''{1,1,1,0,5,-9,9,1,0,1, -1}'')'),
    ('edge not whole', 'SELECT dpmix_internal.class_distances(0, ''{1}'', ''{1,1,1,0,5,-9,9,1,0,1, 1.5}'')'),
    ('edge infinite', 'SELECT dpmix_internal.class_distances(0, ''{1}'', ''{1,1,1,0,5,-9,9,1,0,1, Infinity}'')'),
    ('edge NaN', 'SELECT dpmix_internal.class_distances(0, ''{1}'', ''{1,1,1,0,5,-9,9,1,0,1, NaN}'')'),
    ('frame varies', 'SELECT dpmix_internal.class_distances(0, ''{1}'', ARRAY[1,1,1,0,5,-9,9,1,0,1,i]) FROM generate_series(1, 2) i'),
    ('frames differ', 'SELECT dpmix_internal.state_combine(''counts(1,2,ab){1,3}'', ''counts(1,2,cd){1,3}'')'),
    ('counts overflow', 'SELECT dpmix_internal.state_combine(c, c) FROM CAST(''counts(1,1,ab){4611686018427387904}'' AS dpmix.exact_state) c'),
    ('too few features', 'SELECT dpmix_internal.class_distances(0, ''{}'', ''{1,1,1,0,5,-9,9,1,0,1,1}'')'),
    ('too many features', 'SELECT dpmix_internal.class_distances(0, ''{1,2}'', ''{1,1,1,0,5,-9,9,1,0,1,1}'')')) bad(what, statement)
\gx

-- Plain counts of rows that one may read anyway: for everyone, and in every plan
SELECT count(*) AS functions, bool_and(has_function_privilege('public', oid, 'EXECUTE')) AS public,
       bool_and(proparallel = 's') AS parallel_safe, bool_and(provolatile = 'i') AS immutable
  FROM pg_proc WHERE pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND proname ~ '^class_distances';

DROP SCHEMA count_stats_test CASCADE;
