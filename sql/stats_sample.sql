-- A sample of the features and rows by class and cluster: equal for any plan and any order of rows;
-- corrupt states and frames are refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA feature_sample_test;
SET search_path = feature_sample_test, public;

CREATE FUNCTION refusal(statement text, OUT code text, OUT message text, OUT detail text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
END $$;

-- One feature, radius 8 in 8 steps around 0: distinct places with their numbers; room for four
\set line '1,1,1,1,8, -10,10, 8,0,1'
CREATE FUNCTION places(dpmix.exact_state) RETURNS text[] LANGUAGE sql  -- {count|place}..., by place
    RETURN (SELECT array_agg(p[1] || ' at ' || p[2] ORDER BY p[2]::int) FROM regexp_matches($1::text, '\{([0-9]+)\|(-?[0-9]+)\}', 'g') p);
SELECT places(dpmix_internal.feature_sample(ARRAY[x], ARRAY[:line,4,7]::float8[]))
  FROM unnest('{1,1.9,-3,-3,Infinity,9,NULL,NaN,0}'::float8[]) x;
-- One place more than there is room for: those of least hash, with all of their rows
SELECT cardinality(places(s)) AS kept, places(s) <@ '{"2 at 1","2 at 2","2 at 3","2 at 4","2 at 5"}' AS counted
  FROM (SELECT dpmix_internal.feature_sample(ARRAY[x], ARRAY[:line,4,7]::float8[]) AS s
          FROM generate_series(1, 2), unnest('{1,2,3,4,5}'::float8[]) x) t;
SELECT dpmix_internal.feature_sample(NULL, ARRAY[:line,4,7]::float8[]) AS no_row;

-- Two components at -4 and 4, three classes: the nearer one, of equals the first
\set two '1,2,1,1,8, -10,10, 8,-4,1, 8,4,1'
SELECT c, dpmix.numbers(c) FROM (SELECT dpmix_internal.class_clusters(class, x, ARRAY[:two,0,0,0,1,1,3]::float8[]) AS c
  FROM (VALUES (0, '{-4}'::float8[]), (0, '{0}'), (1, '{Infinity}'), (2, '{1}'), (2, '{1}'), (3, '{1}'), (-1, '{1}'), (NULL, '{1}'),
        (0, NULL), (0, '{NULL}'), (0, '{NaN}')) t(class, x)) t;
-- A weight e^9 times as large: the middle belongs to the second
SELECT dpmix.numbers(dpmix_internal.class_clusters(0, '{0}', ARRAY[:two,0,0,9,1,1,1]::float8[]));

-- Serial, parallel, any order: the same state, bit for bit
CREATE TABLE data AS
    SELECT i, (hash_numeric_extended(i, 0) % 4)::int + 2 AS class,
           CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN '{1,NULL}' WHEN i % 83 = 0 THEN '{NaN,1}' WHEN i % 79 = 0 THEN '{-Infinity,1}'
                ELSE ARRAY[hash_numeric_extended(i, 2) / 1e17, hash_numeric_extended(i, 3) / 1e17]::float8[] END AS v
      FROM generate_series(1, 60000) i;
ANALYZE data;
\set square '1,1,2,1,100, -90,-90, 90,90, 130,0,0,1,1'
SELECT '{1,10,2,1,1048576}'::float8[] || '{-90,-90}'::float8[] || '{90,90}'::float8[] || array_agg(n::float8 ORDER BY k, at) ||
       array_fill(0::float8, ARRAY[11]) || array_fill(1::float8, ARRAY[10]) || 6::float8 AS mixture,
       ARRAY[:square,500,99]::float8[] AS sample
  FROM generate_series(0, 9) k, unnest(ARRAY[200, k * 9 - 40, 30 - k * 5, .02, .03]) WITH ORDINALITY t(n, at) \gset
CREATE TABLE states (plan text, s dpmix.exact_state, c dpmix.exact_state);
SET max_parallel_workers_per_gather = 0;
INSERT INTO states SELECT 'serial', dpmix_internal.feature_sample(v, :'sample'), dpmix_internal.class_clusters(class, v, :'mixture') FROM data;
INSERT INTO states SELECT 'shuffled', dpmix_internal.feature_sample(v, :'sample'), dpmix_internal.class_clusters(class, v, :'mixture')
    FROM (SELECT * FROM data ORDER BY hash_numeric_extended(i, 9)) t;
INSERT INTO states  -- frames that the planner does not know to be constant
    SELECT 'in columns', dpmix_internal.feature_sample(v, sample), dpmix_internal.class_clusters(class, v, mixture)
      FROM data, (VALUES (:'sample'::float8[], :'mixture'::float8[]) OFFSET 0) f(sample, mixture);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT dpmix_internal.feature_sample(v, '{}'), dpmix_internal.class_clusters(class, v, '{}') FROM data;  -- frames are not read
CREATE TABLE parallel AS SELECT dpmix_internal.feature_sample(v, :'sample') AS s, dpmix_internal.class_clusters(class, v, :'mixture') AS c FROM data;
INSERT INTO states SELECT 'parallel', s, c FROM parallel;
SET max_parallel_workers_per_gather = 0;
CREATE AGGREGATE combine(dpmix.exact_state) (SFUNC = dpmix_internal.state_combine, STYPE = dpmix.exact_state, INITCOND = '()');
INSERT INTO states SELECT 'combined', combine(s), combine(c)
    FROM (SELECT dpmix_internal.feature_sample(v, :'sample') AS s, dpmix_internal.class_clusters(class, v, :'mixture') AS c FROM data GROUP BY i / 17001) p;
SELECT count(*) AS plans, count(DISTINCT s::text) AS samples, count(DISTINCT c::text) AS clusters FROM states;

-- Against plain SQL: places in steps of 1.3, toward the centre; each that was kept has all of its rows
CREATE TABLE placed AS
    SELECT trunc(greatest(least(v[1], 90), -90) / 1.3)::int AS a, trunc(greatest(least(v[2], 90), -90) / 1.3)::int AS b, count(*) AS n
      FROM data WHERE NOT v::text ~ 'N' GROUP BY 1, 2;
SELECT count(*) AS kept, count(*) FILTER (WHERE p.n = k.p[1]::int) AS right_counts, (SELECT count(*) > 500 FROM placed) AS more_there
  FROM states, regexp_matches(s::text, '\{([0-9]+)\|(-?[0-9]+)\|(-?[0-9]+)\}', 'g') k(p)
  LEFT JOIN placed p ON a = p[2]::int AND b = p[3]::int WHERE plan = 'serial';
SELECT (SELECT sum(n) FROM unnest(dpmix.numbers(c)) n) = (SELECT count(*) FROM data WHERE NOT v::text ~ 'N' AND class BETWEEN 0 AND 5) AS all_rows,
       (SELECT array_agg((SELECT sum(n) FROM unnest((dpmix.numbers(c))[k:k]) n) ORDER BY k) FROM generate_series(1, 6) k) =
       (SELECT array_agg(n ORDER BY class) FROM (SELECT class, count(*)::numeric AS n FROM data WHERE NOT v::text ~ 'N' AND class >= 0 GROUP BY class) t)
       AS by_class
  FROM (SELECT c FROM states WHERE plan = 'serial') t;

-- Transition functions called directly leave their argument alone
SELECT places(s) AS s, places(dpmix_internal.feature_sample_add(s, '{2}', ARRAY[:line,4,7]::float8[])) AS added, places(dpmix_internal.state_combine(s, s)) AS doubled
  FROM dpmix_internal.feature_sample_add('sample()', '{1}', ARRAY[:line,4,7]::float8[]) s;
-- and as a window function, whose results must not share one state
SELECT bool_and(places(s) = ARRAY[i || ' at 1']) AS counts
  FROM (SELECT i, dpmix_internal.feature_sample('{1}', ARRAY[:line,4,7]::float8[]) OVER (ORDER BY i) AS s FROM generate_series(1, 50) i) t;

-- Text and bytes: what is written is read; what no rows can make is refused
SELECT s::text::dpmix.exact_state::text = s::text AS text FROM states WHERE plan = 'serial';
CREATE FUNCTION receive(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    file text := current_setting('data_directory') || '/dpmix_feature_sample_test';
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
SELECT receive(dpmix_internal.state_send(s)) = s::text AS bytes, receive(dpmix_internal.state_send('sample()')) AS blank FROM states WHERE plan = 'parallel';
-- The kind: 1 byte; features, limit: 4 each; resolution, frame, salt, threshold: 8; how many: 4; count: 8; place: 4
SELECT what, receive(bytes) FROM (SELECT dpmix_internal.state_send(dpmix_internal.feature_sample('{5}', ARRAY[:line,4,7]::float8[])) AS s) good, LATERAL (VALUES
    ('no features', set_byte(s, 4, 0)), ('too many features', set_byte(s, 3, 1)), ('no limit', set_byte(s, 8, 0)),
    ('limit too large', set_byte(s, 5, 1)), ('negative limit', set_byte(s, 5, 255)), ('no resolution', set_byte(s, 16, 0)),
    ('more than the limit', set_byte(s, 44, 5)), ('fewer than it says', set_byte(s, 44, 2)), ('a negative number', set_byte(s, 41, 255)),
    ('no rows', set_byte(s, 52, 0)), ('negative rows', set_byte(s, 45, 255)), ('rows beyond 2^62', set_byte(s, 45, 64)),
    ('outside of the radius', set_byte(s, 56, 9)), ('beyond the threshold', overlay(s PLACING '\x0000000000000001'::bytea FROM 34 FOR 8)),
    ('cut short', substr(s, 1, length(s) - 1)), ('too long', s || '\x00'), ('half a header', substr(s, 1, 11))) bad(what, bytes);
SELECT pg_read_binary_file('dpmix_feature_sample_test') IS NOT NULL AS written;
\set remove 'cat >/dev/null; rm -f dpmix_feature_sample_test'
COPY (SELECT 1) TO PROGRAM :'remove';
-- A state's text, with something else in it
SELECT what, (refusal(format('SELECT %L::dpmix.exact_state', bad))).*
  FROM (SELECT dpmix_internal.feature_sample('{5}', ARRAY[:line,4,7]::float8[])::text AS s) good, LATERAL (VALUES
    ('empty', ''), ('no entry''s end', left(s, -1)), ('something after', s || ' '), ('twice', s || regexp_replace(s, '^[^{]*', '')),
    ('no rows', replace(s, '{1|', '{0|')), ('negative rows', replace(s, '{1|', '{-1|')), ('outside', replace(s, '|5}', '|9}')),
    ('too long', replace(s, '|5}', '|5|0}')), ('no features', replace(s, '(1,', '(0,'))) t(what, bad);

-- Wrong parameters
SELECT what, (refusal('SELECT dpmix_internal.feature_sample(' || arguments || ')')).* FROM (VALUES
    ('no frame', $$'{1}', '{}'$$), ('NULL', $$'{1}', '{1,NULL}'$$), ('no limit', $$'{1}', '{1,1,1,1,8, -10,10, 8,0,1}'$$),
    ('no salt', $$'{1}', '{1,1,1,1,8, -10,10, 8,0,1, 4}'$$), ('limit 0', $$'{1}', '{1,1,1,1,8, -10,10, 8,0,1, 0,7}'$$),
    ('limit too large', $$'{1}', '{1,1,1,1,8, -10,10, 8,0,1, 65537,7}'$$), ('half a limit', $$'{1}', '{1,1,1,1,8, -10,10, 8,0,1, 1.5,7}'$$),
    ('salt not whole', $$'{1}', '{1,1,1,1,8, -10,10, 8,0,1, 4,.5}'$$), ('salt below 0', $$'{1}', '{1,1,1,1,8, -10,10, 8,0,1, 4,-1}'$$),
    ('something after', $$'{1}', '{1,1,1,1,8, -10,10, 8,0,1, 4,7,7}'$$), ('too few', $$'{}', '{1,1,1,1,8, -10,10, 8,0,1, 4,7}'$$),
    ('too many', $$'{1,2}', '{1,1,1,1,8, -10,10, 8,0,1, 4,7}'$$)) bad(what, arguments);
SELECT what, (refusal('SELECT dpmix_internal.class_clusters(' || arguments || ')')).* FROM (VALUES
    ('no frame', $$0, '{1}', '{}'$$), ('no mixture', $$0, '{1}', '{1,1,1,1,8, -10,10, 8,0,1}'$$),
    ('no classes', $$0, '{1}', '{1,1,1,1,8, -10,10, 8,0,1, 0,0,1}'$$), ('classes 0', $$0, '{1}', '{1,1,1,1,8, -10,10, 8,0,1, 0,0,1,0}'$$),
    ('too many classes', $$0, '{1}', '{1,1,1,1,8, -10,10, 8,0,1, 0,0,1,1001}'$$), ('half a class', $$0, '{1}', '{1,1,1,1,8, -10,10, 8,0,1, 0,0,1,1.5}'$$),
    ('tightness below 0', $$0, '{1}', '{1,1,1,1,8, -10,10, 8,0,1, 0,0,-1,1}'$$), ('too few', $$0, '{}', '{1,1,1,1,8, -10,10, 8,0,1, 0,0,1,1}'$$),
    ('too many', $$0, '{1,2}', '{1,1,1,1,8, -10,10, 8,0,1, 0,0,1,1}'$$)) bad(what, arguments);
SELECT what, (refusal(statement)).* FROM (VALUES
    ('frame varies', $$SELECT dpmix_internal.feature_sample('{1}', ARRAY[1,1,1,1,8, -10,10, 8,0,1, 4,salt]) FROM generate_series(1, 2) salt$$),
    ('frames differ', $$SELECT dpmix_internal.state_combine(dpmix_internal.feature_sample_add('sample()', '{1}', '{1,1,1,1,8,-10,10,8,0,1,4,7}'),
                                                         dpmix_internal.feature_sample_add('sample()', '{1}', '{1,1,1,1,8,-10,10,8,0,1,4,8}'))$$),
    ('cluster frame varies', $$SELECT dpmix_internal.class_clusters(0, '{1}', ARRAY[1,1,1,1,8, -10,10, 8,0,1, 0,0,1,k]) FROM generate_series(1, 2) k$$))
    bad(what, statement);

-- For everyone, and in every plan
SELECT count(*) AS functions, bool_and(has_function_privilege('public', oid, 'EXECUTE')) AS public,
       bool_and(proparallel = 's') AS parallel_safe, bool_and(provolatile = 'i') AS immutable
  FROM pg_proc WHERE pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND proname ~ '^(feature_sample|class_clusters)';

DROP SCHEMA feature_sample_test CASCADE;
