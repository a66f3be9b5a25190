-- dpmix.preview takes the call of a release itself, as EXPLAIN takes a statement: read under the caller's path, priced,
-- and made by nobody.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA previewed;
SET search_path = previewed;
CREATE ROLE preview_analyst;
GRANT USAGE ON SCHEMA previewed TO preview_analyst;
CREATE TABLE visits (age float8, paid float8, sex text);
INSERT INTO visits SELECT i % 90, i % 10, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 1000) i;
CREATE TABLE likeness AS TABLE visits;
GRANT SELECT ON likeness TO preview_analyst;
SELECT dpmix.protect('visits', 1000, 0.1);
SELECT dpmix.set_bounds('visits', 'age', 0, 100), dpmix.set_bounds('visits', 'paid', 0, 10),
       dpmix.set_categories('visits', 'sex', '{f,m}'), dpmix.grant_access('visits', 'preview_analyst');
SET ROLE preview_analyst;

-- Each kind, in one shape.
CREATE TEMP TABLE kinds (n serial, call text);
INSERT INTO kinds (call) VALUES
    ($$SELECT * FROM dpmix.query('SELECT sex, dp_count(*) FROM visits GROUP BY sex', 1) AS t(sex text, n bigint)$$),
    ($$SELECT dpmix.release_gmm('m', 'visits', '{age,paid}', 1, 1e-6, 'sex')$$),
    ($$SELECT dpmix.release_tree('m', 'visits', '{age,sex}', 1, 1e-6)$$),
    ($$SELECT dpmix.release_regression('m', 'visits', 'paid', '{age}', 1, 1e-6)$$),
    ($$SELECT dpmix.release_cube('m', 'visits', '{sex}', '{count}', 1, 1e-6)$$),
    ($$SELECT * FROM dpmix.cda(NULL::visits, '{age}', 10, 1, 1e-6, label => 'sex')$$),
    ($$SELECT * FROM dpmix.synthesize(NULL::visits, 10, 1, 1e-6, method => 'copula')$$),
    ($$SELECT * FROM dpmix.compare_private('visits', 'likeness', 1, 1e-6)$$);
SELECT n, output_column, statistic, mechanism, p.epsilon, p.delta, noise_stddev > 0 AS noise, interval_95 > 0 AS interval,
       charge_share > 0 AS share, calls_left > 0 AS left, memory, limited_by, mu BETWEEN .1 AND .3 AS mu
FROM kinds, dpmix.preview(call) AS p ORDER BY n, statistic;
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'previewed.visits';
SELECT count(*) AS stored FROM dpmix.releases;

-- A preview says what the release is charged.
SELECT dpmix.release_tree('m', 'visits', '{age,sex}', 1, 1e-6) IS NOT NULL AS made;
SELECT abs(l.cost / p.charge_cost::numeric - 1) < 1e-11 AS cost, r.count_stddev = p.noise_stddev AS noise
FROM dpmix.ledger AS l, dpmix.releases AS r, kinds, dpmix.preview(call, details => true) AS p
WHERE call LIKE '%release_tree%' AND l.release = 'm' AND r.name = 'm';

-- What stands in the call means what it means there: names under the caller's path, casts, named arguments, defaults,
-- what PostgreSQL's own functions make of constants, one part of the result, what is made of the rows.
SELECT count(*) AS calls, count(DISTINCT p) AS prices FROM unnest(ARRAY[
    $$SELECT dpmix.release_tree('m', 'visits', '{age,sex}', 1, 1e-6)$$,
    $$SELECT dpmix.release_tree(delta => 1e-6, epsilon => 1.0, columns => '{age,sex}', relation => 'visits', name => 'm');$$,
    $$SELECT * FROM dpmix.release_tree('any', 'previewed.visits'::regclass, ARRAY['age', 'sex'], 3 - 2, 1 / 1e6) -- all of it$$,
    $$SELECT (dpmix.release_tree(upper('m') || '1', 'visits', '{age,sex}', 1, '1e-6', bins => NULL)).edges$$,
    $$SELECT max(length(name)) AS n FROM dpmix.release_tree(repeat('m', 5), 'visits', '{age,sex}', 1, 1e-6) WHERE edges > 0$$
    ]) AS call, dpmix.preview(call) AS p;
SET search_path = dpmix, previewed;
SELECT count(*) AS previewed FROM preview($$ SELECT release_tree('m', 'visits', '{age,sex}', 1, 1e-6) $$);
SET search_path = previewed;
SELECT p = q AS as_the_query FROM dpmix.preview('SELECT dp_count(*), dp_avg(age) FROM visits', 1, group_rows => 100) AS p,
    dpmix.preview($$ SELECT * FROM dpmix.query('SELECT dp_count(*), dp_avg(age) FROM visits', 1) AS t(n bigint, a float8) $$,
                  group_rows => 100) AS q
WHERE p.statistic = q.statistic;

-- EXPLAIN of the statement itself says the same, after the plan; nothing is charged.
CREATE FUNCTION pg_temp.explained(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
        RETURN NEXT regexp_replace(line, '\m[0-9.]+(e-\d+)?%?(?= of| such|$)', 'N', 'g');
    END LOOP;
END $$;
SELECT n, line FROM kinds, pg_temp.explained(call) WITH ORDINALITY AS e(line, place) ORDER BY n, place;
SELECT * FROM pg_temp.explained($$ CREATE TABLE made AS SELECT * FROM dpmix.synthesize(NULL::visits, 10, 1, 1e-6, method => 'tree') $$);
SELECT * FROM pg_temp.explained($$ SELECT * FROM dpmix.release_tree(current_user, 'visits', '{age,sex}', 1, 1e-6) $$);
SELECT * FROM pg_temp.explained($$ SELECT * FROM dpmix.release_tree('m', 'likeness', '{age,sex}', 1, 1e-6) $$);
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'previewed.visits';

-- Refused before anything is read or run: what is no call of one release, arguments that are no constants.
RESET ROLE;
CREATE FUNCTION loud(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'loud was called'; RETURN $1; END $$;
CREATE FUNCTION release_tree(text) RETURNS text LANGUAGE sql AS $$ SELECT 'not dpmix''s'::text $$;
CREATE FUNCTION refusal(call text, more text = '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    detail text;
    hint text;
BEGIN
    EXECUTE format('SELECT * FROM dpmix.preview(%L%s)', call, more);
    RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' / ', SQLSTATE, message, nullif(detail, ''), left(hint, 80));
END $$;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA previewed TO preview_analyst;
SET ROLE preview_analyst;
\x on
SELECT refusal(call) FROM unnest(ARRAY[
    'SELECT dpmix.releases()', 'SELECT dpmix.calibrate(''gaussian'', 1, 1e-6)', 'SELECT release_tree(''m'')',
    'SELECT * FROM generate_series(1, 2)', 'SELECT dpmix.preview(''SELECT 1'')', 'SELECT 1', '',
    'SELECT dpmix.release_tree(''m'', ''visits'', ''{age}'', 1)', 'SELECT dpmix.release_tree(',
    $q$SELECT dpmix.release_tree('a', 'visits', '{age}', 1, 1e-6); SELECT 1$q$,
    $q$SELECT dpmix.release_tree('a', 'visits', '{age}', 1, 1e-6), 1$q$,
    $q$SELECT count(dpmix.release_tree('a', 'visits', '{age}', 1, 1e-6))$q$,
    $q$SELECT dpmix.release_tree('a', 'visits', '{age}', 1, 1e-6) FROM dpmix.synthesize(NULL::visits, 10, 1, 1e-6)$q$,
    $q$SELECT (dpmix.release_tree('a', 'visits', '{age}', 1, 1e-6)).*$q$,
    $q$SELECT * INTO made FROM dpmix.synthesize(NULL::visits, 10, 1, 1e-6)$q$,
    $q$SELECT dpmix.release_tree(loud('a'), 'visits', '{age}', 1, 1e-6)$q$,
    $q$SELECT dpmix.release_tree('a', 'visits', '{age}', random(), 1e-6)$q$,
    $q$SELECT dpmix.release_tree('a', 'visits', '{age}', (SELECT 1), 1e-6)$q$,
    $q$SELECT dpmix.release_tree($1, 'visits', '{age}', 1, 1e-6)$q$,
    $q$SELECT dpmix.release_tree('a', 'nowhere', '{age}', 1, 1e-6)$q$,
    $q$SELECT dpmix.release_tree('a', 'likeness', '{age}', 1, 1e-6)$q$,
    $q$SELECT dpmix.release_tree(NULL, 'visits', '{age}', 1, 1e-6)$q$,
    $q$SELECT dpmix.release_tree('a', 'visits', '{age}', 0, 1e-6)$q$,
    $q$SELECT * FROM dpmix.cda('visits', '{age}', 10, 1, 1e-6, label => 'sex')$q$]) AS call;
SELECT refusal(call, more) FROM kinds,
    unnest(ARRAY[', 1', ', delta => 1e-6', ', mechanism => ''laplace''', ', params => ''{1}''', ', keys => ''discover''',
                 ', max_groups => 1', ', all_blocks => true', ', max_rows => 1', ', group_rows => 1', ', details => NULL']) AS more
WHERE call LIKE '%release_tree%';
\x off

-- The right to execute is that of the release.
RESET ROLE;
BEGIN;
REVOKE EXECUTE ON FUNCTION dpmix.release_tree FROM PUBLIC;
SET LOCAL ROLE preview_analyst;
SELECT refusal(call) FROM kinds WHERE call LIKE '%release_tree%';
ROLLBACK;
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'previewed.visits';
SELECT dpmix.drop_release('m'), dpmix.unprotect('visits');
SET client_min_messages = error;
DROP SCHEMA previewed CASCADE;
DROP OWNED BY preview_analyst;
DROP ROLE preview_analyst;
