-- The table that queries.test.sh attacks, filled in three ways, the attacker's traps, and the judge.
-- What no bound or category declares is a canary: nobody may ever see one.
CREATE EXTENSION dpmix;
CREATE ROLE olga LOGIN;
CREATE ROLE ana LOGIN;
GRANT CREATE ON SCHEMA public TO olga;
CREATE SCHEMA traps AUTHORIZATION ana;
GRANT USAGE ON SCHEMA traps TO PUBLIC;

SET SESSION AUTHORIZATION olga;
CREATE TYPE mood AS ENUM ('low', 'high', 'CANARY');
CREATE DOMAIN years AS int CHECK (VALUE IS NULL OR VALUE < 1000000);
CREATE TYPE pair AS (a int, b text);
CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE people (
    id int PRIMARY KEY, age int, sex text, region text, wage numeric, height float8, born date, seen timestamptz, noon time,
    mood mood, flag boolean, code char(4), secret text, tags text[], doc jsonb, years years, pair pair,
    nick text COLLATE nocase, uid uuid, span interval, big bigint, small smallint, bits bytea, net inet, sure text NOT NULL);
CREATE FUNCTION fill(how text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE people;
    INSERT INTO people
    SELECT i, 30, CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END, 'north', 500, 170, '2000-01-01', '2000-01-01 00:00+00', '12:00', 'low', true, 'c1',
           '7', '{a}', '{"a": 1}', 40, ROW(1, '1')::pair, 'n', '00000000-0000-0000-0000-000000000001', '1 day', 5, 5, '\x31', '10.0.0.1', '1'
    FROM generate_series(1, 300) AS i WHERE how <> 'empty';
    IF how <> 'wild' THEN RETURN; END IF;
    UPDATE people SET age = (ARRAY[100, 0, -1, 2147483647, -2147483648, NULL])[1 + id % 6] WHERE id <= 60;
    UPDATE people SET height = (ARRAY[100, 0, -1, 'NaN', 'Infinity', '-Infinity', 1e308, NULL])[1 + id % 8]::float8,
           wage = (ARRAY['7777777.25', 'NaN', '0', '-1', '1e400', NULL])[1 + id % 6]::numeric WHERE id % 3 = 0;
    UPDATE people SET secret = (ARRAY['CANARY-person', '%s%', '\', '[', '', 'people', 'NaN', '0x41'])[1 + id % 8], sure = 'CANARY-sure',
           region = (ARRAY['CANARY-region', NULL, 'south'])[1 + id % 3], code = 'CANA', nick = 'CANARY', mood = 'CANARY', flag = NULL WHERE id % 5 = 0;
    UPDATE people SET born = (ARRAY['7777-07-07', '-infinity', 'infinity', NULL])[1 + id % 4]::date, seen = '7777-07-07 00:00+00', noon = '24:00',
           span = '7777777 days', big = 9223372036854775807, small = -32768, bits = '\x', net = '::1', tags = '{CANARY,NULL}', years = 777777,
           doc = '"CANARY-doc"', pair = ROW(NULL, 'CANARY')::pair, uid = 'ffffffff-ffff-ffff-ffff-777777777777' WHERE id % 7 = 0;
END $$;
SELECT fill('plain') \g /dev/null
SELECT dpmix.protect('people', 1e7, .01, accountant => 'basic') \g /dev/null
SELECT dpmix.set_bounds('people', 'age', 0, 100), dpmix.set_bounds('people', 'height', 0, 250), dpmix.set_bounds('people', 'wage', 0, 1000),
       dpmix.set_bounds('people', 'born', '1950-01-01'::date, '2010-01-01'::date), dpmix.set_bounds('people', 'seen', '2020-01-01'::date, '2023-01-01'::date),
       dpmix.set_bounds('people', 'big', 0, 10), dpmix.set_bounds('people', 'small', 0, 10),
       dpmix.set_categories('people', 'sex', '{F,M}'), dpmix.set_categories('people', 'region', '{north,south}'),
       dpmix.set_categories('people', 'flag', '{true,false}'), dpmix.set_categories('people', 'mood', '{low,high}'),
       dpmix.grant_access('people', 'ana', NULL, 0, NULL) \g /dev/null
-- Others of olga's, of units with several rows.
CREATE TABLE visits (who int, age int, secret text, nick text COLLATE nocase, span interval);
CREATE TABLE calls (who int, age int, secret text);
CREATE TABLE posts (who int, age int, secret text);
SELECT dpmix.protect('visits', 1e7, .01, 'who', 3, accountant => 'basic'), dpmix.protect('calls', 1e7, .01, 'who', 3, 'replace', accountant => 'basic'),
       dpmix.protect('posts', 1e7, .01, 'who', 3, 'replace', accountant => 'basic'), dpmix.grant_access('visits', 'ana', NULL, 0, NULL), dpmix.grant_access('calls', 'ana', NULL, 0, NULL), dpmix.grant_access('posts', 'ana', NULL, 0, NULL) \g /dev/null
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
\i test/server/query/ask.sql

-- Traps: whatever runs them leaves a mark that no error takes back, and tells what it saw.
SET SESSION AUTHORIZATION ana;
SET search_path = traps;
CREATE SEQUENCE sprung;
CREATE FUNCTION peek(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS
    $$BEGIN PERFORM nextval('traps.sprung'); RAISE NOTICE 'sprung: CANARY %', $1; RETURN true; END$$;
CREATE FUNCTION peek_equal(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS
    $$BEGIN PERFORM nextval('traps.sprung'); RAISE NOTICE 'sprung: CANARY %', $1; RETURN $1 OPERATOR(pg_catalog.=) $2; END$$;
CREATE FUNCTION peek_text(text, text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS
    $$BEGIN PERFORM nextval('traps.sprung'); RAISE NOTICE 'sprung: CANARY %', $1; RETURN true; END$$;
CREATE FUNCTION echo(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
    $$BEGIN PERFORM nextval('traps.sprung'); RAISE NOTICE 'sprung: CANARY %', $1; RETURN $1; END$$;
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = peek_equal, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR ~~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = peek_text, RESTRICT = scalarltsel);
CREATE OPERATOR = (LEFTARG = int, RIGHTARG = int, FUNCTION = peek_equal);
CREATE OPERATOR @# (RIGHTARG = int, FUNCTION = echo);
-- Constants are checked as the caller, before any row: they are not what is looked for.
CREATE FUNCTION judge(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
    $$BEGIN RETURN $1 IN ('3', 'a', '1') OR traps.peek($1); END$$;
CREATE DOMAIN small AS int CHECK (traps.judge(VALUE::text));
CREATE DOMAIN word AS text CHECK (traps.judge(VALUE));
CREATE TYPE feeling AS ENUM ('7', 'low');
CREATE TYPE shape AS (a int);
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE FUNCTION keep(bigint, int) RETURNS bigint LANGUAGE plpgsql AS
    $$BEGIN PERFORM nextval('traps.sprung'); RAISE NOTICE 'sprung: CANARY %', $2; RETURN 0; END$$;
CREATE AGGREGATE dp_count(int) (SFUNC = keep, STYPE = bigint);
CREATE AGGREGATE grab(int) (SFUNC = keep, STYPE = bigint);
CREATE FUNCTION lower(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
    $$BEGIN PERFORM nextval('traps.sprung'); RAISE NOTICE 'sprung: CANARY %', $1; RETURN $1; END$$;
CREATE TABLE notes (id int, secret text);
CREATE VIEW window_on AS SELECT * FROM public.people;
CREATE MATERIALIZED VIEW stored AS SELECT 1 AS id;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM public.people;
CREATE VIEW mine WITH (security_invoker) AS SELECT * FROM public.people;
CREATE FUNCTION people_of(int) RETURNS SETOF public.people LANGUAGE sql AS 'SELECT * FROM public.people WHERE id = $1';
CREATE FUNCTION rowpeek(public.people) RETURNS int LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS
    $$BEGIN PERFORM nextval('traps.sprung'); RAISE NOTICE 'sprung: CANARY %', $1; RETURN 1; END$$;
CREATE FUNCTION stamp() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM nextval('traps.sprung'); RETURN 1; END$$;
-- The attacker's own tables, stated to be public: joined with the protected one, where that is allowed.
CREATE TABLE towns (code text PRIMARY KEY, n int UNIQUE, size float8, kind small, note word, mood public.mood);
INSERT INTO towns SELECT 't' || i, i, i, 1, 'a', 'low' FROM generate_series(1, 50) AS i;
CREATE TABLE many (code text, n int);
INSERT INTO many SELECT 't1', 30 FROM generate_series(1, 10);
CREATE TABLE loosely (n int, UNIQUE (n) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE partly (n int);
CREATE UNIQUE INDEX ON partly (n) WHERE n > 3;
CREATE TABLE shifted (n int);
CREATE UNIQUE INDEX ON shifted (echo(n));
CREATE TABLE hidden (n int PRIMARY KEY);
SELECT dpmix.declare_public(t) FROM unnest('{towns,many,loosely,partly,shifted,hidden}'::regclass[]) AS t \g /dev/null
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON hidden USING (peek(n));
RESET SESSION AUTHORIZATION;
RESET search_path;

-- The cases: a line of the file is "expected query"; "@ template" says where the lines after it stand for %.
CREATE TABLE line (n int GENERATED ALWAYS AS IDENTITY, text text);
CREATE TABLE hostile (n int GENERATED ALWAYS AS IDENTITY, expected text, query text, keys text DEFAULT 'declared');
CREATE TABLE outcome (filling text, n int, came asked);
GRANT SELECT ON hostile TO ana;
GRANT INSERT ON outcome TO ana;

-- Where a poison is put: every place of a query that takes an expression.
CREATE FUNCTION places() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$ SELECT ARRAY[
    'SELECT dp_count(*) FROM people WHERE (%) IS NOT NULL',
    'SELECT dp_count(*) FROM people WHERE age > 3 OR CASE WHEN flag THEN (%) IS NULL ELSE coalesce((%) IS NULL, true) END',
    'SELECT dp_count(*) FILTER (WHERE (%) IS NOT NULL) FROM people',
    'SELECT dp_count(%) FROM people',
    'SELECT dp_sum(%) FROM people',
    'SELECT dp_sum(CASE WHEN (%) IS NULL THEN age ELSE 1 END) FROM people',
    'SELECT dp_count(*) FROM people GROUP BY %',
    'SELECT dp_count(*) FROM people WHERE ARRAY[(%) IS NULL] = ''{t}''',
    'SELECT sex, dp_count(*) FROM people GROUP BY sex HAVING (%) IS NOT NULL',
    'SELECT sex, dp_count(*) FROM people GROUP BY sex ORDER BY %, 1',
    'SELECT sex, dp_count(*), (%) IS NULL AS p FROM people GROUP BY sex',
    'SELECT dp_low(dp_count(*), CASE WHEN (%) IS NULL THEN .5 ELSE .6 END) FROM people'] $$;

CREATE FUNCTION read_cases() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    template text := '%';
    here text;
BEGIN
    FOR here IN SELECT text FROM line WHERE text !~ '^(#|\s*$)' ORDER BY n LOOP
        IF here LIKE '@%' THEN
            template := regexp_replace(here, '^@ *', '');
        ELSE
            INSERT INTO hostile (expected, query)
            SELECT split_part(here, ' ', 1), replace(place, '%', regexp_replace(here, '^\S+ *', ''))
            FROM unnest(CASE template WHEN 'poison' THEN places() ELSE ARRAY[template] END) AS p(place);
        END IF;
    END LOOP;
    -- Groups that are searched for: at so small an epsilon none is ever found.
    INSERT INTO hostile (expected, query, keys)
    SELECT CASE WHEN expected IN ('yes', 'PV003') THEN 'any' ELSE expected END, query, 'discover' FROM hostile WHERE query LIKE '%GROUP BY%';
END $$;

CREATE FUNCTION attack(filling text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO outcome SELECT filling, n, ask(query, 1e-4, 1e-12, 'laplace', keys => keys) FROM hostile ORDER BY n $$;

-- What is left of an answer without its noise: its shape, and whatever is not a number.
CREATE FUNCTION without_noise(answers jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(answers::text, '-?\d[\d.e+-]*', '#', 'g') $$;

-- How each case ended, and whether as it should. What a text, a parameter or PostgreSQL's grammar is at fault for has
-- its codes. What has no group that can be is answered free.
CREATE FUNCTION leaves_no_group(query text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT bool_and(memory = 'nothing') FROM dpmix.preview(query, 1));
EXCEPTION WHEN OTHERS THEN RETURN false;
END $$;

CREATE VIEW verdict AS SELECT filling, h.n, expected, query, (came).*,
    CASE expected WHEN 'yes' THEN (came).state = 'answered'
        WHEN 'any' THEN (came).state IN ('answered', 'PV002', 'PV003', 'PV005') OR (came).state ~ '^(42|0A|22)'
        WHEN 'no' THEN (came).state IN ('PV002', 'PV003', 'PV005', 'PV006') OR (came).state ~ '^(42|0A|22)'
        ELSE (came).state = expected END AS good
FROM outcome JOIN hostile h USING (n);
