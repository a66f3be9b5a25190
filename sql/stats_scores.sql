-- Scores of codes, by class, in place of a row's values; aggregates skip what stands before their frame; invalid scores
-- are refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA score_stats_test;
SET search_path = score_stats_test, public;
CREATE FUNCTION refusal(statement text, OUT code text, OUT message text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
END $$;

-- Two classes; a number cut at 0 and 1 into codes 0 1 0, missing 2; two categories, of which the last shares a code
-- with what is none.
\set scores '{-1,27, 2,2, 0,2,0,1,0,1,0,2,-1,0.5,3,-2,0.25,2, 2,0,0,1,1,0,1,-3,2.5}'
\set frame '{1,2,2,1,1024, -3,-3,3,3, 4,0,0,1,1, 4,0,0,1,1}'

CREATE TABLE few AS
    SELECT * FROM (VALUES (0, '{-Infinity,0}'::float8[]), (0, '{0,1}'), (0, '{Infinity,NaN}'), (1, '{0.999,0}'), (1, '{NaN,-7}'), (1, '{1,1e300}'),
        (2, '{1,1}'), (-1, '{1,1}'), (NULL, '{1,1}'), (0, NULL), (0, '{1,NULL}')) t(class, x);
SELECT class, x, dpmix_internal.code_scores(class, x, :'scores') AS scores FROM few;
SELECT class, x, dpmix_internal.code_scores(class, x, :'scores'::float8[] || :'frame'::float8[]) = dpmix_internal.code_scores(class, x, :'scores') AS same FROM few WHERE class BETWEEN 0 AND 1 AND array_position(x, NULL) IS NULL AND x IS NOT NULL;
-- The same moments and distances as of scores computed beforehand.
SELECT substring(a::text FROM '[{].*') = substring(b::text FROM '[{].*') AS same, dpmix.numbers(a)
FROM (SELECT dpmix_internal.class_distances(class, dpmix_internal.code_scores(class, x, :'scores'::float8[] || :'frame'::float8[] || '{1e5,3e5}'), :'scores'::float8[] || :'frame'::float8[] || '{1e5,3e5}') a FROM few) s,
     (SELECT dpmix_internal.class_distances(class, dpmix_internal.code_scores(class, x, :'scores'), :'frame'::float8[] || '{1e5,3e5}') b FROM few) t;
SELECT substring(a::text FROM '[{].*') = substring(b::text FROM '[{].*') AS same, dpmix.numbers(a)
FROM (SELECT dpmix_internal.class_moments(class, dpmix_internal.code_scores(class, x, :'scores'::float8[] || :'frame'::float8[]), :'scores'::float8[] || :'frame'::float8[]) a FROM few) s,
     (SELECT dpmix_internal.class_moments(class, dpmix_internal.code_scores(class, x, :'scores'), :'frame') b FROM few) t;

-- Refusals
SELECT what, (refusal(statement)).* FROM (VALUES
    ('none', 'SELECT dpmix_internal.code_scores(0, ''{1}'', ''{}'')'),
    ('no marker', 'SELECT dpmix_internal.code_scores(0, ''{1}'', ''{9,9,1,1,1,0,0,0,1}'')'),
    ('shorter than it says', 'SELECT dpmix_internal.code_scores(0, ''{1}'', ''{-1,10,1,1,1,0,0,0,1}'')'),
    ('longer than it is', 'SELECT dpmix_internal.code_scores(0, ''{1}'', ''{-1,8,1,1,1,0,0,0,1}'')'),
    ('a score beyond 3', 'SELECT dpmix_internal.code_scores(0, ''{1}'', ''{-1,9,1,1,1,0,0,0,3.1}'')'),
    ('a score is NaN', 'SELECT dpmix_internal.code_scores(0, ''{1}'', ''{-1,9,1,1,1,0,0,0,NaN}'')'),
    ('a code is too large', 'SELECT dpmix_internal.code_scores(0, ''{1}'', ''{-1,9,1,1,1,0,0,7,1}'')'),
    ('no class', 'SELECT dpmix_internal.code_scores(0, ''{1}'', ''{-1,9,0,1,1,0,0,0,1}'')'),
    ('too many numbers', 'SELECT dpmix_internal.code_scores(0, ''{1,2}'', ''{-1,9,1,1,1,0,0,0,1}'')'),
    ('two dimensions', 'SELECT dpmix_internal.code_scores(0, ''{1}'', ''{{-1,9,1},{1,1,0},{0,0,1}}'')'),
    ('a frame after half of them', 'SELECT dpmix_internal.class_moments(0, ''{1}'', ''{-1,1.5,1,1,1,0,0,0,1}'')'),
    ('accepted', 'SELECT dpmix_internal.code_scores(0, ''{1}'', ''{-1,9,1,1,1,0,0,0,1}'')')) bad(what, statement);
SELECT bool_and(has_function_privilege('public', oid, 'EXECUTE')) AS public, bool_and(proparallel = 's') AS parallel_safe, bool_and(provolatile = 'i') AS immutable
  FROM pg_proc WHERE pronamespace = 'dpmix_internal'::regnamespace AND proname = 'code_scores';
DROP SCHEMA score_stats_test CASCADE;
