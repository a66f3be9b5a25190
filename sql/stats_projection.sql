-- Frames that look at rows through a projection (version 2): the same as without it on projected rows.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA frame_projection_test;
SET search_path = frame_projection_test, public;

CREATE FUNCTION refusal(statement text, OUT code text, OUT message text, OUT detail text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
END $$;

-- Three numbers within 8 of 0 to two: the first less 1, and the mean of the others; those within 4 of 0
\set projection '3, -8,-8,-8, 8,8,8, 1,0,0, 1,0,0, 0,.5,.5'
\set frame '-4,-4, 4,4, 4,0,0,1,1'
CREATE TABLE data AS
    SELECT CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN '{1,NULL,3}' WHEN i % 83 = 0 THEN '{1,2,NaN}'
                WHEN i % 79 = 0 THEN '{-Infinity,1,Infinity}'
                ELSE ARRAY[hash_numeric_extended(i, 2) / 1e18, hash_numeric_extended(i, 3) / 1e18,
                           hash_numeric_extended(i, 4) / 1e18]::float8[] END AS v
      FROM generate_series(1, 2000) i;
CREATE TABLE projected AS
    SELECT ARRAY[greatest(least(v[1], 8), -8) - 1, .5 * greatest(least(v[2], 8), -8) + .5 * greatest(least(v[3], 8), -8)] AS v FROM data
     WHERE v IS NOT NULL AND NOT v::text ~ 'N';
CREATE FUNCTION sums(text) RETURNS text LANGUAGE sql  -- without the fingerprint of the frame, which differs
    RETURN regexp_replace($1, '^[^{]*', '');
SELECT sums(a::text) = sums(b::text) AS the_same, dpmix.numbers(a), dpmix.numbers(b)::bigint[] FROM
    (SELECT dpmix_internal.class_moments(0, v, ARRAY[2,1,2,1,100, :projection, :frame]::float8[]) AS a FROM data) a,
    (SELECT dpmix_internal.class_moments(0, v, ARRAY[1,1,2,1,100, :frame]::float8[]) AS b FROM projected) b;
SELECT dpmix.numbers(a) = dpmix.numbers(b) AS distances, dpmix.numbers(a) FROM
    (SELECT dpmix_internal.class_distances(0, v, ARRAY[2,1,2,1,100, :projection, :frame, 100,2500]::float8[]) AS a FROM data) a,
    (SELECT dpmix_internal.class_distances(0, v, ARRAY[1,1,2,1,100, :frame, 100,2500]::float8[]) AS b FROM projected) b;
SELECT sums(a::text) = sums(b::text) AS soft_moments FROM
    (SELECT dpmix_internal.soft_moments(v, ARRAY[2,1,2,1,100, :projection, :frame, 0,0,1]::float8[]) AS a FROM data) a,
    (SELECT dpmix_internal.soft_moments(v, ARRAY[1,1,2,1,100, :frame, 0,0,1]::float8[]) AS b FROM projected) b;
SELECT dpmix.numbers(a) = dpmix.numbers(b) AS cells, dpmix.numbers(a) FROM
    (SELECT dpmix_internal.cells(v, ARRAY[2,1,2,1,100, :projection, :frame, 2,2]::float8[]) AS a FROM data) a,
    (SELECT dpmix_internal.cells(v, ARRAY[1,1,2,1,100, :frame, 2,2]::float8[]) AS b FROM projected) b;

-- Rows are as long as the projection reads, not as what it leaves
SELECT r.* FROM (VALUES ('{1,2,3}'), ('{1,2}'), ('{1,2,3,4}'), ('{}'), ('{{1,2,3}}')) x(v),
    refusal(format('SELECT dpmix.numbers(dpmix_internal.class_moments(0, %L, ''{2,1,2,1,4, 3, -8,-8,-8, 8,8,8, 1,0,0, 1,0,0, 0,.5,.5, -4,-4, 4,4, 4,0,0,1,1}''))', v)) r;
-- Frames that are none
SELECT what, (refusal(format('SELECT dpmix_internal.class_moments(0, ''{1,2,3}'', %L)', frame))).* FROM (VALUES
    ('nothing to project', '{2,1,2,1,4}'),
    ('fewer inputs than features', '{2,1,2,1,4, 1, -8,8, 1, 1,0, -4,-4, 4,4, 4,0,0,1,1}'),
    ('half an input', '{2,1,2,1,4, 2.5, -8,-8, 8,8, 0,0, 1,0, 0,1, -4,-4, 4,4, 4,0,0,1,1}'),
    ('too many inputs', '{2,1,2,1,4, 101, -8,-8, 8,8, 0,0, 1,0, 0,1, -4,-4, 4,4, 4,0,0,1,1}'),
    ('cut short', '{2,1,2,1,4, 3, -8,-8,-8, 8,8,8, 1,0,0, 1,0,0, 0,.5,.5, -4,-4, 4,4, 4,0,0,1}'),
    ('too long', '{2,1,2,1,4, 3, -8,-8,-8, 8,8,8, 1,0,0, 1,0,0, 0,.5,.5, -4,-4, 4,4, 4,0,0,1,1,1}'),
    ('box upside down', '{2,1,2,1,4, 3, 8,-8,-8, -8,8,8, 1,0,0, 1,0,0, 0,.5,.5, -4,-4, 4,4, 4,0,0,1,1}'),
    ('centre outside', '{2,1,2,1,4, 3, -8,-8,-8, 8,8,8, 9,0,0, 1,0,0, 0,.5,.5, -4,-4, 4,4, 4,0,0,1,1}'),
    ('map infinite', '{2,1,2,1,4, 3, -8,-8,-8, 8,8,8, 1,0,0, Infinity,0,0, 0,.5,.5, -4,-4, 4,4, 4,0,0,1,1}'),
    ('map overflows', '{2,1,2,1,4, 3, -8,-8,-8, 8,8,8, 1,0,0, 1e308,1e308,0, 0,.5,.5, -4,-4, 4,4, 4,0,0,1,1}'),
    ('version 3', '{3,1,2,1,4, 3, -8,-8,-8, 8,8,8, 1,0,0, 1,0,0, 0,.5,.5, -4,-4, 4,4, 4,0,0,1,1}')) bad(what, frame);

DROP SCHEMA frame_projection_test CASCADE;
