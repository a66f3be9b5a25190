-- Exact squares and numbers seen: equal for any plan and any order of rows; corrupt states are refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA squares_test;
SET search_path = squares_test, public;

-- numeric to float8: what the cast gives, bit for bit, on either side of its short way, from packed columns as from
-- values
CREATE TABLE numbers AS
    SELECT (CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END * m * 10::numeric ^ (i % 61 - 30))::numeric AS n
    FROM generate_series(1, 3000) i, LATERAL (SELECT abs(hash_numeric_extended(i, 5))::numeric % 10::numeric ^ (i % 19) AS m) t
    UNION ALL SELECT unnest('{0,0.00,-0.0,NaN,Infinity,-Infinity,9007199254740991,9007199254740992,9007199254740993,-9007199254740993.5,
        1e20,1e24,12e23,1e-20,1e-24,.0001,.00001,9999.9999,1e307,1e-320,123456789012345678,0.1,0.3,4503599627370497.5}'::numeric[]);
SELECT count(*) > 3000 AS numbers, bool_and(float8send(dpmix_internal.to_float8(n)) = float8send(n::float8)) AS stored,
       bool_and(float8send(dpmix_internal.to_float8(n + 0)) = float8send(n::float8)) AS computed FROM numbers;
SELECT dpmix_internal.to_float8(n) FROM unnest('{1e400,-1e400,1e-400}'::numeric[]) n;

-- By hand: places -4..4 and 2 k^2 - 16; NULL and NaN are missing, infinities and strays are clamped, ties go to even
CREATE TABLE strays AS
    SELECT * FROM (VALUES (1::float8), (.25), (.75), (NULL), ('NaN'), ('Infinity'), ('-Infinity'), (99)) t(x);
SELECT s, (dpmix.numbers(s))[1], (dpmix.numbers(s))[2], (dpmix.numbers(s))[3]
FROM (SELECT dpmix_internal.lattice_squares(x, 0, .5, -4, 4) s FROM strays) t;
SELECT s, (dpmix.numbers(s))[1], (dpmix.numbers(s))[2], (dpmix.numbers(s))[3] FROM (SELECT dpmix_internal.lattice_squares(NULL, 0, .5, -4, 4) s) t;
SELECT dpmix_internal.lattice_squares(1, 0, NULL, -4, 4) FROM generate_series(1, 3);
-- The squares' lattice has at most 2^30 steps either side, and no sum overflows
SELECT (dpmix.numbers(dpmix_internal.lattice_squares(x, 0, 1, -2 ^ 53, 2 ^ 53)))[3] / 2 ^ 30::numeric AS shares
FROM (VALUES (1e300), (0), (-1e300), (2 ^ 52)) t(x) GROUP BY x ORDER BY x;
-- Count and sum are those of lattice_sum
SELECT (dpmix.numbers(q))[1] = (dpmix.numbers(s))[1], (dpmix.numbers(q))[2] = (dpmix.numbers(s))[2]
FROM (SELECT dpmix_internal.lattice_squares(x, .3, .01, -77, 77) q, dpmix_internal.lattice_sum(x, .3, .01, -77, 77) s FROM strays) t;

-- Serial, parallel, any order: the same state
CREATE TABLE data AS
    SELECT i, CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN 'NaN' WHEN i % 83 = 0 THEN 'Infinity'
                   WHEN i % 79 = 0 THEN '-Infinity' ELSE hash_numeric_extended(i, 1) / 1e17 END::float8 AS x,
           nullif(hash_numeric_extended(i, 2) % 3000, 7)::int AS number
      FROM generate_series(1, 30000) i;
ANALYZE data;
\set lattice '-1.5, 50 / 2.0 ^ 30, -1073741824, 1073741824'
CREATE TABLE states (plan text, q dpmix.exact_state, n dpmix.exact_state);
SET max_parallel_workers_per_gather = 0;
INSERT INTO states SELECT 'serial', dpmix_internal.lattice_squares(x, :lattice), dpmix_internal.numbers_seen(number, 1500) FROM data;
INSERT INTO states SELECT 'shuffled', dpmix_internal.lattice_squares(x, :lattice), dpmix_internal.numbers_seen(number, 1500)
    FROM (SELECT * FROM data ORDER BY hash_numeric_extended(i, 9)) t;
SET max_parallel_workers_per_gather = 4;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
EXPLAIN (COSTS OFF) SELECT dpmix_internal.lattice_squares(x, :lattice), dpmix_internal.numbers_seen(number, 1500) FROM data;
INSERT INTO states SELECT 'parallel', q, n
    FROM (SELECT dpmix_internal.lattice_squares(x, :lattice) AS q, dpmix_internal.numbers_seen(number, 1500) AS n FROM data) t;
SET parallel_leader_participation = off;
INSERT INTO states SELECT 'workers', q, n
    FROM (SELECT dpmix_internal.lattice_squares(x, :lattice) AS q, dpmix_internal.numbers_seen(number, 1500) AS n FROM data) t;
SELECT count(*), count(DISTINCT q::text) AS squares, count(DISTINCT n::text) AS numbers FROM states;
SELECT (dpmix.numbers(n))[1] = (SELECT count(DISTINCT number) FROM data WHERE number BETWEEN 0 AND 1499) AS seen,
       length(n::text) FROM states WHERE plan = 'serial';
SELECT (dpmix.numbers(q))[1] = (SELECT count(x) FROM data WHERE x <> 'NaN') AS rows,
       abs((.5 + (dpmix.numbers(q))[3]::float8 / 2 ^ 31 / (dpmix.numbers(q))[1] - ((dpmix.numbers(q))[2]::float8 / 2 ^ 30 / (dpmix.numbers(q))[1]) ^ 2) * 2500 -
           (SELECT var_pop(greatest(least(x, 48.5), -51.5)) FROM data WHERE x <> 'NaN')) < 1e-4 AS variance
FROM states WHERE plan = 'serial';

-- Parts merge to the whole; text and binary forms are exact
SELECT dpmix_internal.state_combine(a, b)::text = s.q::text AS merged
FROM (SELECT dpmix_internal.lattice_squares(x, :lattice) FILTER (WHERE i % 3 = 0) AS a,
             dpmix_internal.lattice_squares(x, :lattice) FILTER (WHERE i % 3 > 0) AS b FROM data) t, states s WHERE plan = 'serial';
SELECT bool_and(q::text::dpmix.exact_state::text = q::text) AS text FROM states;
CREATE TABLE copied (LIKE states);
COPY states TO PROGRAM 'cat >/tmp/dpmix_squares.$PPID' (FORMAT binary);
COPY copied FROM PROGRAM 'cat /tmp/dpmix_squares.$PPID; rm /tmp/dpmix_squares.$PPID' (FORMAT binary);
SELECT count(*) FROM copied JOIN states USING (plan) WHERE copied.q::text = states.q::text AND copied.n::text = states.n::text;
SELECT dpmix.numbers(dpmix_internal.state_combine('set(01)', 'set(0180)')) AS wider, dpmix.numbers(dpmix_internal.state_combine('set(0180)', 'set(01)')) AS narrower,
       dpmix_internal.numbers_seen_add('set(01)', 9, 16), dpmix_internal.numbers_seen_add('set(01)', 16, 16), dpmix_internal.numbers_seen_add('set(01)', -1, 16);

-- Refused
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', SQLSTATE, SQLERRM, detail, hint);
END $$;
SELECT statement, refusal('SELECT ' || statement) FROM unnest(ARRAY[
    '''squares(26,1,5,5,1,-5,5)''::dpmix.exact_state', '''squares(25,1,5,5,1,-4,5)''::dpmix.exact_state', '''squares(25,1,5,5,1,-5)''::dpmix.exact_state',
    'dpmix_internal.lattice_squares(1, 0, 1, -4, 5)', 'dpmix_internal.lattice_squares(1, 0, 0, -4, 4)', 'dpmix_internal.lattice_squares(1, 0, 1, -4.5, 4.5)',
    'dpmix_internal.lattice_squares(1, 0, i, -4, 4) FROM generate_series(1, 2) i',
    'dpmix_internal.state_combine(''squares(25,1,5,5,1,-5,5)'', ''squares(16,1,4,5,1,-4,4)'')', 'dpmix_internal.numbers_seen(1, 0)',
    'dpmix_internal.numbers_seen(1, 1 << 25)', '''set(0)''::dpmix.exact_state', '''set(0g)''::dpmix.exact_state', '''set''::dpmix.exact_state', 'format(''set(%s)'', repeat(''00'', 2097153))::dpmix.exact_state']) AS statement \gx

-- Plain sums over rows that one may read anyway: for everyone, and in every plan
SELECT count(*) AS functions, bool_and(has_function_privilege('public', oid, 'EXECUTE')) AS public,
       bool_and(proparallel = 's') AS parallel_safe, bool_and(provolatile = 'i') AS immutable
FROM pg_proc WHERE pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND proname ~ '^(lattice_squares|numbers_seen)';
DROP SCHEMA squares_test CASCADE;
