-- What dpmix.query does not answer. Each attempt ends in its error, and costs nothing.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA query_traps;
CREATE TYPE query_traps.mood AS ENUM ('low', 'high');
CREATE DOMAIN query_traps.age AS int;
CREATE TYPE query_traps.pair AS (a int, b int);
CREATE COLLATION query_traps.nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE query_people (
    id int PRIMARY KEY, age int, sex text, income numeric, height float8, born date, mood query_traps.mood,
    years query_traps.age, pairs query_traps.pair, nick text COLLATE query_traps.nocase, tags text[], doc jsonb, flag boolean);
INSERT INTO query_people SELECT i, i % 90, CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END, i, i, date '2000-01-01' + i, 'low', 7, ROW(1, 2)::query_traps.pair,
                                'n', '{a}', '{}', true FROM generate_series(1, 200) AS i;
CREATE TABLE query_open (LIKE query_people);
CREATE VIEW query_people_view AS SELECT * FROM query_people;
SELECT dpmix.protect('query_people', epsilon => 10, delta => 1e-6);
SELECT dpmix.set_bounds('query_people', 'age', 0, 100);
SELECT dpmix.set_categories('query_people', 'sex', '{F,M}');
CREATE TABLE query_labels (x float8, y text);
SELECT dpmix.protect('query_labels', epsilon => 10, delta => 1e-6, adjacency => 'label', label => 'y');
CREATE ROLE regress_query_reader;
CREATE ROLE regress_query_stranger;
SELECT dpmix.grant_access('query_people', 'regress_query_reader');
SELECT dpmix.grant_access('query_labels', 'regress_query_reader');
GRANT USAGE, CREATE ON SCHEMA query_traps TO regress_query_reader;

-- What came of a query: its error, and that it names what to do
CREATE FUNCTION outcome(query text, epsilon float8 = 1, delta float8 = 0, mechanism text = 'auto', params text[] = '{}',
                        keys text = 'declared', max_groups int = NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    PERFORM FROM dpmix.preview(query, epsilon, delta, mechanism, params, keys, max_groups);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ' ' || regexp_replace(SQLERRM, 'pg_temp_\d+', 'pg_temp')
        || CASE WHEN SQLSTATE LIKE 'PV%' AND (detail = '' OR hint = '') THEN ' (NO DETAIL OR HINT)' ELSE '' END;
END $$;
CREATE FUNCTION paid_outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM dpmix.query(query, 1) AS t(n bigint);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION interval_outcome(query text, params text[] = '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    free text := outcome(query, params => params);
BEGIN
    PERFORM FROM dpmix.query(query, 1, params => params) AS t(low float8);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN free = SQLSTATE || ' ' || SQLERRM THEN free ELSE 'preview: ' || free || ', query: ' || SQLERRM END;
END $$;
SET SESSION AUTHORIZATION regress_query_reader;
SET search_path = public, query_traps;
\pset format unaligned
\pset tuples_only on

-- The control: this one is fine
SELECT outcome('SELECT sex, dp_count(*), dp_avg(age) FROM query_people WHERE age > 30 GROUP BY sex');

\echo -- Clauses
SELECT query || E'\n    ' || outcome(query) FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM query_people; SELECT 1',
    'DELETE FROM query_people',
    'TABLE query_people',
    'VALUES (1)',
    '',
    'SELECT dp_count(*) INTO stolen FROM query_people',
    'WITH p AS (SELECT * FROM query_people) SELECT dp_count(*) FROM p',
    'WITH p AS (SELECT 1) SELECT dp_count(*) FROM query_people',
    'WITH p AS (DELETE FROM query_people RETURNING *) SELECT dp_count(*) FROM p',
    'SELECT dp_count(*) FROM query_people UNION SELECT dp_count(*) FROM query_people',
    'SELECT dp_count(*) FROM query_people WHERE id IN (SELECT id FROM query_people)',
    'SELECT (SELECT count(*) FROM query_people)',
    'SELECT dp_count(*), (SELECT max(age) FROM query_people) FROM query_people',
    'SELECT dp_count(*) FROM (SELECT * FROM query_people) AS p',
    'SELECT dp_count(*) FROM query_people AS a, query_people AS b',
    'SELECT dp_count(*) FROM query_people JOIN query_open USING (id)',
    'SELECT dp_count(*) FROM query_people, LATERAL (SELECT age) AS l',
    'SELECT dp_count(*) FROM ONLY query_people',
    'SELECT dp_count(*) FROM query_people TABLESAMPLE SYSTEM (50)',
    'SELECT dp_count(*) FROM query_people FOR UPDATE',
    'SELECT id FROM query_people FOR SHARE',
    'SELECT DISTINCT dp_count(*) FROM query_people',
    'SELECT DISTINCT ON (sex) sex, dp_count(*) FROM query_people GROUP BY sex',
    'SELECT sex, dp_count(*) FROM query_people GROUP BY sex HAVING count(*) > 5',
    'SELECT sex, dp_median(age) FROM query_people GROUP BY ROLLUP (sex)',
    'SELECT dp_count_distinct(sex) FROM query_people GROUP BY GROUPING SETS ((), ())',
    'SELECT dp_count(*), sum(age) OVER () FROM query_people GROUP BY age',
    'SELECT dp_count(*), generate_series(1, 3) FROM query_people',
    'SELECT dp_count(*) FROM generate_series(1, 3)',
    'SELECT 1']) AS query;

\echo -- The select list
SELECT query || E'\n    ' || outcome(query) FROM unnest(ARRAY[
    'SELECT count(*) FROM query_people',
    'SELECT max(age), dp_count(*) FROM query_people',
    'SELECT dpmix_internal.lattice_sum(age, 0, 1, 0, 1) FROM query_people',
    'SELECT age FROM query_people',
    'SELECT sex FROM query_people GROUP BY sex',
    'SELECT dp_sum(ascii(sex)) FROM query_people',
    'SELECT dp_sum(1.0 / age * 1e308 * 1e308) FROM query_people', 'SELECT dp_sum(100 / (height + 1)) FROM query_people',
    'SELECT dp_count(repeat(sex, age)) FROM query_people',
    'SELECT dp_avg(CASE WHEN sex ~ ''F'' THEN age END) FROM query_people', 'SELECT dp_avg(exp(age * 10)) FROM query_people', 'SELECT dp_avg(ln(age)) FROM query_people',
    'SELECT dp_sum(income::numeric(5, 2)) FROM query_people', 'SELECT dp_sum(income::int) FROM query_people', 'SELECT dp_sum((born - 3) - born) FROM query_people', 'SELECT dp_sum(length(sex)) FROM query_people',
    'SELECT dp_sum(income::float8) FROM query_people',
    'SELECT dp_count(query_people) FROM query_people',
    'SELECT dp_count(query_people.*) FROM query_people',
    'SELECT dp_count(ctid) FROM query_people',
    'SELECT dp_count(xmin) FROM query_people',
    'SELECT dp_count(pairs) FROM query_people',
    'SELECT dp_sum(years) FROM query_people',
    'SELECT dp_count(DISTINCT age) FROM query_people',
    'SELECT dp_sum(age ORDER BY id) FROM query_people',
    'SELECT dp_sum(age) FILTER (WHERE random() < .5) FROM query_people',
    'SELECT dp_sum(age) OVER () FROM query_people',
    'SELECT dp_variance(age) FROM query_people',
    'SELECT dp_mode(age) FROM query_people',
    'SELECT dp_steal(age) FROM query_people',
    'SELECT dp_sum(sex) FROM query_people',
    'SELECT dp_sum(nothing) FROM query_people',
    'SELECT dp_count(*), age FROM query_people GROUP BY id, age',
    'SELECT dp_count(*) FROM query_people GROUP BY age % 2',
    'SELECT dp_count(*) FROM query_people GROUP BY lower(sex)',
    'SELECT dp_count(*) FROM query_people GROUP BY ctid',
    'SELECT dp_count(*) FROM query_people GROUP BY years',
    'SELECT dp_count(*) FROM query_people GROUP BY nick',
    'SELECT dp_count(*) FROM query_people GROUP BY tags']) AS query;

\echo -- Intervals: a dp_* aggregate and a constant level, nothing else; each attempt is refused by dpmix.query too, before a charge
CREATE FUNCTION query_traps.level() RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RAISE EXCEPTION 'was called'; END$$;
CREATE FUNCTION query_traps.dp_low(bigint, float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RAISE EXCEPTION 'was called'; END$$;
CREATE DOMAIN query_traps.share AS float8 CHECK (VALUE < 0.5);
SELECT outcome('SELECT dp_low(dp_count(*)), dp_low(dp_count(id), .9), dp_high(dp_sum(age), level => .9), dp_high(level => .5, answer => dp_avg(age)),
                       dpmix.dp_low(dpmix.dp_count(*), .1 + .2), dp_high(dp_count(*), ''0.9''::text::float8), dp_high(dp_count(*), $1) FROM query_people',
               params => '{.9}');
SELECT query || E'\n    ' || interval_outcome(query) FROM unnest(ARRAY[
    'SELECT dp_low(dp_count(*), age) FROM query_people',
    'SELECT dp_low(dp_count(*), age) FROM query_people GROUP BY age',
    'SELECT dp_low(dp_count(*), age / 100.0) FROM query_people GROUP BY age',
    'SELECT dp_low(dp_count(*), dp_avg(age)) FROM query_people',
    'SELECT dp_low(dp_count(*), random()) FROM query_people',
    'SELECT dp_low(dp_count(*), query_traps.level()) FROM query_people',
    'SELECT dp_low(dp_count(*), .4::query_traps.share) FROM query_people',
    'SELECT dp_low(dp_count(*), (SELECT .9)) FROM query_people',
    'SELECT dp_low(dp_count(*), (SELECT max(age) FROM query_people)) FROM query_people',
    'SELECT dp_low(dp_count(*), current_setting(''work_mem'')::float8) FROM query_people',
    'SELECT dp_low(dp_count(*), NULL) FROM query_people',
    'SELECT dp_low(dp_count(*), level => NULL) FROM query_people',
    'SELECT dp_low(dp_count(*), 0) FROM query_people',
    'SELECT dp_low(dp_count(*), 1) FROM query_people',
    'SELECT dp_low(dp_avg(age), -.5) FROM query_people',
    'SELECT dp_low(dp_avg(age), 95) FROM query_people',
    'SELECT dp_low(dp_count(*), ''NaN'') FROM query_people',
    'SELECT dp_low(dp_count(*), ''-Infinity'') FROM query_people',
    'SELECT dp_low(dp_low(dp_count(*))) FROM query_people',
    'SELECT dp_low(dp_high(dp_count(*), .9), .9) FROM query_people',
    'SELECT dp_low(abs(dp_count(*))) FROM query_people',
    'SELECT dp_low(exp(dp_count(*)::float8)) FROM query_people',
    'SELECT dp_low(CASE WHEN dp_count(*) > 3 THEN dp_sum(age) ELSE 0 END) FROM query_people',
    'SELECT dp_low(power(dp_sum(age), 2)) FROM query_people',
    'SELECT dp_low(age) FROM query_people GROUP BY age',
    'SELECT dp_low(1) FROM query_people',
    'SELECT dp_low(NULL::bigint), dp_count(*) FROM query_people',
    'SELECT dp_low(count(*)) FROM query_people',
    'SELECT dp_low(max(age)) FROM query_people',
    'SELECT dp_low((SELECT count(*) FROM query_people)) FROM query_people',
    'SELECT dp_low(dp_sum(ascii(sex))) FROM query_people',
    'SELECT dp_low(dp_count(DISTINCT age)) FROM query_people',
    'SELECT dp_low(dp_sum(age ORDER BY id)) FROM query_people',
    'SELECT dp_low(dp_sum(age) FILTER (WHERE random() < .5)) FROM query_people',
    'SELECT dp_low(dp_sum(age) OVER ()) FROM query_people',
    'SELECT dp_low(DISTINCT dp_count(*)) FROM query_people',
    'SELECT dp_low(dp_count(*), .9 ORDER BY id) FROM query_people',
    'SELECT dp_low(dp_count(*), .9) WITHIN GROUP (ORDER BY age) FROM query_people',
    'SELECT dp_low(dp_count(*), .9) FILTER (WHERE age = 7) FROM query_people',
    'SELECT dp_low(dp_count(*), .9) OVER () FROM query_people',
    'SELECT dp_low(dp_count(*), .9) OVER w FROM query_people WINDOW w AS (ORDER BY age)',
    'SELECT dp_low(VARIADIC ARRAY[1, .9]) FROM query_people',
    'SELECT dp_low(dp_count(*), VARIADIC ARRAY[.9]) FROM query_people',
    'SELECT dpmix.dp_low(dp_count(*), .9) FILTER (WHERE age = 7) FROM query_people',
    'SELECT dp_low(*) FROM query_people',
    'SELECT dp_low() FROM query_people',
    'SELECT dp_low(dp_count(*), .9, .9) FROM query_people',
    'SELECT dp_low(level => .9) FROM query_people',
    'SELECT dp_low(dp_count(*), width => .9) FROM query_people',
    'SELECT query_traps.dp_low(dp_count(*), .9) FROM query_people',
    'SELECT dp_sum(dp_low(dp_count(*))) FROM query_people',
    'SELECT dp_sum(dp_low(age)) FROM query_people',
    'SELECT dp_low(dp_sum(dp_low(age))) FROM query_people',
    'SELECT dp_count(*)::float8 FROM query_people WHERE dp_low(age) > 1',
    'SELECT dp_low(dp_count(*)) FROM query_people WHERE dp_low(1) > 1',
    'SELECT dp_low(dp_count(*)) FROM query_people WHERE dp_low(dp_count(*)) > 1',
    'SELECT dp_low(dp_count(*)) FROM query_people GROUP BY dp_low(age)',
    'SELECT dp_low(dp_count(*)) FROM query_people LIMIT dp_low(1)',
    'SELECT DISTINCT ON (dp_low(dp_count(*))) dp_low(dp_count(*)) FROM query_people',
    'SELECT dp_low(dp_avg(income)) FROM query_people',
    'SELECT dp_middle(dp_count(*)) FROM query_people']) AS query;
SELECT params, interval_outcome('SELECT dp_low(dp_count(*), $1) FROM query_people', params)
FROM (VALUES ('{NULL}'::text[]), ('{1}'), ('{0}'), ('{NaN}'), ('{x}'), ('{}'), ('{.9,.9}')) AS given(params);

\echo -- WHERE: nothing that could fail on a row, or hand it to code of others
CREATE FUNCTION query_traps.peek(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS
    $$BEGIN RAISE EXCEPTION 'saw %', $1; END$$;
CREATE FUNCTION query_traps.peek_equal(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
    $$BEGIN RAISE EXCEPTION 'saw %', $1; END$$;
CREATE OPERATOR query_traps.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = query_traps.peek_equal);
CREATE OPERATOR query_traps.==== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
CREATE FUNCTION query_traps.just(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
SELECT condition || E'\n    ' || outcome('SELECT dp_count(*) FROM query_people WHERE ' || condition) FROM unnest(ARRAY[
    'age & 1 = 1', 'age << 3 > 8', 'income::numeric(3, 1) > 2', 'income::text::int = 3', 'factorial(age) > 5', 'gcd(age, 3) = 3', 'to_char(age, ''9'') = ''7''', 'sin(height) > 0',
    'width_bucket(height, 0, 9, 3) = 1', 'round(income, age) > 1', 'round(income, 100) > 1', 'mod(age, 3) = just(1)', 'sex::int = 1', 'age::text = ''7''', 'flag::text = ''t''',
    'extract(timezone FROM born::timestamptz) = 0', 'extract(hour FROM born) = 0', 'born + age * interval ''1 day'' > ''2001-01-01''', 'date_trunc(sex, born) > ''2001-01-01''', 'born::timestamp AT TIME ZONE sex > now()',
    'age(born) * 2 > ''1 day''', 'to_char(born, ''TMMonth'') = ''May''', 'to_char(born, sex) = ''2001''', 'born::timestamptz::timetz > ''12:00''', 'make_interval(0, 0, 0, age) > ''1 day''', 'born::timestamp::text > ''2001''',
    'born > clock_timestamp()', 'born > timeofday()::date', 'sex || age = ''F7''', 'concat(sex, sex) = ''FF''', 'format(''%s'', sex) = ''F''', 'lpad(sex, 9) = ''F''', 'repeat(sex, age) = ''F''',
    'replace(sex, ''F'', sex) = ''F''', 'left(sex, age) = ''F''', 'left(sex, 2000000000) = ''F''', 'substring(sex from 1 for -1) = ''F''', 'substring(sex from age) = ''F''',
    'sex LIKE sex', 'sex LIKE ''F\''', 'sex LIKE ''F%\''', 'sex NOT ILIKE ''\\\''', 'sex LIKE repeat(''%F'', 101)', 'nick LIKE ''n%''', 'lower(nick) = ''n''', 'strpos(nick, ''n'') = 1',
    'starts_with(nick, ''n'')', 'substring(sex from ''F'') = ''F''', 'substring(sex similar ''F'' escape ''#'') = ''F''', 'regexp_replace(sex, ''F'', '''') = ''''', 'sex ~ ''F''', 'sex ~* ''F''',
    'sex SIMILAR TO ''F''', 'split_part(sex, ''F'', age) = ''F''', 'chr(age) = ''F''', 'sex COLLATE query_traps.nocase = ''f''', 'greatest(nick, ''n'') = ''n''', 'convert_from(sex::bytea, ''UTF8'') = ''F''',
    'coalesce(pairs, pairs) IS NULL', 'coalesce(years, 3) = 3', 'CASE WHEN peek(age) THEN true END', 'CASE age WHEN just(7) THEN true END', 'nullif(age, just(7)) = 1', 'greatest(age, just(7)) = 1',
    'left(repeat(sex || sex, 9) || sex, 3) = ''F''', 'lower(lower(lower(lower(sex)))) = ''f''', 'age::oid = 7', 'sum(age) > 3', 'age + NULL::query_traps.age > 3',
    'peek(age)', 'age === 7', 'age ==== 7', 'just(age) = 7', 'age OPERATOR(query_traps.===) 7', 'nick < ''m''', 'nick = ''m''',
    'sex < ''m'' COLLATE query_traps.nocase', 'sex = ''m'' COLLATE query_traps.nocase', 'years = 7', 'years IS NULL', 'age::query_traps.age = 7',
    'pairs IS NULL', 'pairs = (1, 2)', '(pairs).a = 1', 'ROW(age, id) < ROW(3, 4)', 'ROW(age, id) IS NULL', 'query_people IS NOT NULL',
    'query_people.* = query_people.*', 'ctid = ''(0,1)''', 'xmin IS NOT NULL', 'tableoid = 1', 'tags[1] = ''a''', 'tags = ''{a}''',
    '''a'' = ANY (tags)', 'age = ANY (ARRAY[id, 3])', 'doc ? ''a''', 'doc = ''{}''', 'EXISTS (SELECT 1)', 'age = (SELECT 7)',
    'random() < .5', 'pg_sleep(0) IS NULL', 'current_user = sex', 'age = 1 / 0', 'age = ''x''', 'age = 3000000000 + ''1''::int4', 'nothing = 1',
    'age', 'mood = ''angry''', 'age = just(7)', 'count(*) > 1', 'dp_count(*) > 1']) AS condition;

\echo -- Names that look like others
CREATE FUNCTION query_traps.int4gt(int, int) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'saw %', $1; END$$;
CREATE OPERATOR query_traps.> (LEFTARG = int, RIGHTARG = int, FUNCTION = query_traps.int4gt);
CREATE AGGREGATE query_traps.dp_count(*) (SFUNC = int8inc, STYPE = int8, INITCOND = '0');
SET search_path = query_traps, pg_catalog, public;
SELECT public.outcome('SELECT dp_count(*) FROM query_people WHERE age > 30');
SELECT public.outcome('SELECT query_traps.dp_count(*) FROM query_people');
SELECT public.outcome('SELECT dp_count(*) FROM query_people WHERE age OPERATOR(pg_catalog.>) 30');
SET search_path = public, query_traps;
CREATE TEMP TABLE query_people (age int);
SELECT outcome('SELECT dp_count(*) FROM query_people');
SELECT outcome('SELECT dp_count(*) FROM public.query_people');
DROP TABLE pg_temp.query_people;

\echo -- Parameters
SELECT outcome('SELECT dp_count(*) FROM query_people WHERE age = $1');
SELECT outcome('SELECT dp_count(*) FROM query_people WHERE age = $1', params => '{1,2}');
SELECT outcome('SELECT dp_count(*) FROM query_people WHERE age = $1', params => '{x}');
SELECT outcome('SELECT dp_count(*) FROM query_people WHERE $1', params => '{1=1 OR age>3}');
SELECT outcome('SELECT dp_count(*) FROM query_people WHERE age = 1 / $1', params => '{0}');
SELECT outcome('SELECT dp_count(*) FROM query_people', epsilon) FROM unnest('{0,-1,1e-7,2e7,NaN,Infinity,NULL}'::float8[]) AS epsilon;
SELECT outcome('SELECT dp_count(*) FROM query_people', 1, delta) FROM unnest('{-1e-9,0.6,1,NaN,NULL}'::float8[]) AS delta;
SELECT outcome('SELECT dp_count(*) FROM query_people', 1, 1e-6, mechanism) FROM unnest('{exponential,NULL}'::text[]) AS mechanism;
SELECT outcome('SELECT dp_count(*) FROM query_people', 1, 0, mechanism) FROM unnest('{gaussian,multi_gaussian}'::text[]) AS mechanism;
SELECT outcome('SELECT dp_count(*), dp_count(age) FROM query_people', 1e-6, 0, 'laplace');
SELECT outcome('SELECT dp_count(*), dp_count(age) FROM query_people', 1e-6, 1e-6, 'auto');
SELECT outcome('SELECT dp_count(*) FROM query_people', keys => 'private');
SELECT outcome('SELECT dp_count(*) FROM query_people', max_groups => 10);
SELECT outcome(NULL);
SELECT outcome('SELECT dp_count(*) FROM query_people', params => NULL);

\echo -- Domains, rights
SELECT outcome('SELECT dp_sum(income) FROM query_people');
SELECT outcome('SELECT dp_avg(age), dp_avg(height) FROM query_people');
SELECT outcome('SELECT born, dp_count(*) FROM query_people GROUP BY born');
SELECT outcome('SELECT sex, born, dp_count(*) FROM query_people GROUP BY sex, born');
SELECT outcome('SELECT dp_count(*) FROM query_labels');
SELECT outcome('SELECT dp_count(*) FROM query_open');
SELECT outcome('SELECT dp_count(*) FROM query_people_view');
SELECT outcome('SELECT dp_count(*) FROM pg_class');
SELECT outcome('SELECT dp_count(*) FROM dpmix.charge');
SELECT outcome('SELECT dp_count(*) FROM nowhere');
SELECT outcome('SELECT dp_count(* FROM query_people');
SELECT paid_outcome(query) FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM query_people WHERE chr(age) = ''F''', 'SELECT dp_avg(age) FROM query_people', 'SELECT dp_sum(income) FROM query_people',
    'SELECT dp_count(*) FROM query_open', 'SELECT count(*) FROM query_people', 'SELECT dp_count(*) FROM query_people; SELECT 1']) AS query;
SET SESSION AUTHORIZATION regress_query_stranger;
SELECT outcome(query) FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM query_people', 'SELECT dp_sum(income) FROM query_people', 'SELECT count(*) FROM query_people',
    'SELECT dp_count(*) FROM query_people WHERE age + 1 = 3', 'SELECT dp_count(*) FROM query_people LIMIT 1']) AS query;
RESET SESSION AUTHORIZATION;
SELECT 'too many groups: ' || outcome('SELECT dp_count(*) FROM query_people GROUP BY sex, age, id')
FROM dpmix.set_categories('query_people', 'age', (SELECT array_agg(i::text) FROM generate_series(1, 300) AS i)) AS a,
     dpmix.set_categories('query_people', 'id', (SELECT array_agg(i::text) FROM generate_series(1, 200) AS i)) AS b;

-- The syntax error points into the query, not into the statement that carries it
\set VERBOSITY terse
SELECT * FROM dpmix.preview('SELECT dp_count(* FROM query_people', 1);
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT * FROM dpmix.preview('SELECT dp_sum(wages) FROM query_people', 1);

SELECT count(*) AS charges FROM dpmix.charge JOIN dpmix.protected_table p ON p.id = table_id WHERE p.table_name = 'query_people';
DROP FUNCTION outcome, paid_outcome, interval_outcome;
DROP VIEW query_people_view;
DROP TABLE query_people, query_labels, query_open;
DROP SCHEMA query_traps CASCADE;
DROP ROLE regress_query_reader, regress_query_stranger;
