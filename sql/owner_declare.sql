-- declare: bounds and categories in one call, and what the catalog says of the other columns.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
LOAD 'dpmix';
\set SHOW_CONTEXT never
CREATE ROLE declare_anna; CREATE ROLE declare_bob;
CREATE SCHEMA declare_test AUTHORIZATION declare_anna;
SET search_path = declare_test;
SET TimeZone = 'Europe/Berlin';
SET DateStyle = 'ISO';
SET ROLE declare_anna;
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; detail text; hint text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
                            detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN format('%s %s%s%s', state, message, CASE WHEN detail = '' THEN ' (no detail)' END,
                  CASE WHEN hint = '' THEN ' (no hint)' END);
END $$;

-- A table of 20 columns, protected and declared in two statements.
CREATE TYPE health AS ENUM ('poor', 'average', 'excellent');
CREATE TABLE patients (
    id int PRIMARY KEY, visits smallint CHECK (visits >= 0 AND visits <= 100), nvisits int CHECK (nvisits BETWEEN 0 AND 150),
    ovisits int, hospital int, health health, chronic int CHECK (chronic >= 0), adl text CHECK (adl IN ('normal', 'limited')),
    region varchar(10) CHECK (region = ANY (ARRAY['north', 'south'])), age numeric, afam boolean NOT NULL, gender char(1),
    married boolean, school real, income float8, employed boolean, insurance text, medicaid text, born date, note text);
SELECT dpmix.protect('patients', 4, 1e-6, privacy_unit => 'id');
SELECT * FROM dpmix.declare('patients', '{"ovisits": [0, 200], "hospital": [0, 10], "age": ["65", 110.5], "school": [0, 20],
    "income": [-1e4, 6e5], "gender": ["f", "m"], "insurance": ["no", "yes"], "medicaid": ["no", "yes"],
    "chronic": {"bounds": [0, 8], "categories": [0, 1, 2, "3"]}, "born": ["1880-01-01", "1930-12-31"]}');

-- Again: the same is on record. What is stated later replaces what is on record, other columns keep theirs.
CREATE TEMP TABLE before AS SELECT column_name, lower, upper, categories FROM dpmix.columns WHERE relation = 'patients'::regclass;
SELECT count(*) FILTER (WHERE source = 'declared before') AS before, count(*) FILTER (WHERE source IS NULL) AS none, count(*)
    FROM dpmix.declare('patients');
SELECT * FROM before EXCEPT SELECT column_name, lower, upper, categories FROM dpmix.columns WHERE relation = 'patients'::regclass;
SELECT column_name, lower, upper, categories, source FROM dpmix.declare('patients', '{"visits": [0, 50], "note": ["a"]}')
    WHERE column_name IN ('visits', 'nvisits', 'note');
SELECT column_name, lower, upper FROM dpmix.columns WHERE relation = 'patients'::regclass AND column_name IN ('visits', 'nvisits') ORDER BY 1;

-- Whole or nothing, and how it is refused.
SELECT refused(format('SELECT * FROM dpmix.declare(''patients'', %L)', domains)) FROM unnest(ARRAY[
    '{"visits": [0, 60], "agee": [0, 1]}', '{"visits": [0, 60], "nvisits": [5, 5]}', '{"visits": [0, 60], "nvisits": [1, 2, 3]}',
    '{"visits": [0, 60], "gender": ["f", "f"]}', '{"gender": ["ff"]}', '{"gender": []}', '{"gender": [null]}', '{"gender": "f"}',
    '{"gender": null}', '{"gender": [["f"]]}', '{"gender": {"bounds": [-1, 1]}}', '{"age": {"bound": [0, 1]}}', '{"age": {}}',
    '{"age": {"bounds": [0, 1], "unit": "year"}}', '{"age": {"bounds": 7}}', '{"age": ["x", 1]}', '{"age": [null, 1]}',
    '{"age": [0, 1e310]}', '{"born": ["1900-01-01", "infinity"]}', '{"born": ["1900-02-31", "1901-01-01"]}', '{"born": [0, 1]}', '{"health": ["bad"]}',
    '{"married": [0, 1, 2]}', '{"ID": [0, 1]}', '[]', '7', '{"": [1, 2]}']) AS domains;
SELECT refused('SELECT * FROM dpmix.declare(''patients'', NULL)');
SELECT refused('SELECT * FROM dpmix.declare(NULL)');
SELECT lower, upper FROM dpmix.columns WHERE relation = 'patients'::regclass AND column_name = 'visits';

-- What is read of constraints.
CREATE DOMAIN share AS float8 CHECK (VALUE >= 0 AND VALUE <= 1);
CREATE DOMAIN small_share AS share CHECK (VALUE < .5);
CREATE DOMAIN shirt AS text CHECK (VALUE IN ('S', 'M', 'L'));
CREATE DOMAIN mostly AS health CHECK (VALUE <> 'poor');
CREATE FUNCTION ten() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'was called'; END $$;
CREATE TABLE forms (
    a int CHECK (a > 0 AND 10 > a), b numeric CHECK (b > 0 AND b < 10), c date CHECK (c >= '2020-01-01' AND c < '2021-01-01'),
    d timestamptz CHECK (d BETWEEN '2020-01-01 00:00+00' AND '2020-06-01 00:00+00'), e int CHECK (e IS NULL OR e BETWEEN 1 AND 5),
    f text CHECK (f = 'x' OR 'y' = f OR f IS NULL), g share, h small_share CHECK (h >= .1), i shirt, j mostly, k smallint CHECK (k IN (1, 2, 5)),
    l int CHECK (l <> 3), m int CHECK (m >= 0 OR m <= -10), n int CHECK (n > 5 AND n < 5), o int CHECK (o BETWEEN 0 AND 10 * 10),
    p int CHECK (p BETWEEN 0 AND ten()), q float8 CHECK (q BETWEEN 0 AND 'Infinity'), r text CHECK (r ~ '^a'), s text CHECK (s IN ('u', 'u', NULL)),
    t int[] CHECK (t = '{1}'), u text CHECK (NOT u IN ('a')), v int, w int, x int, y bigint CHECK (y >= -3), "Z z" int CHECK ("Z z" IN (7, 8)),
    CHECK (v >= 0 AND v <= w AND w <= 9), CONSTRAINT upper_y CHECK (y <= 3 AND y < 3.5), CHECK (f = 'q' OR r = 'q'));
ALTER TABLE forms ADD CONSTRAINT late CHECK (w > -1 AND x < 4) NOT VALID;
SELECT refused('SELECT * FROM dpmix.declare(''forms'')');
SELECT dpmix.protect('forms', 4, 1e-6, accountant => 'gdp');
SELECT column_name, lower, upper, categories, source, missing FROM dpmix.declare('forms', '{}');
SELECT count(*) FROM dpmix.declare('forms') WHERE source IS DISTINCT FROM 'declared before' AND missing IS NULL;

-- Facades say what is declared; other roles may not declare.
RESET ROLE;
GRANT USAGE ON SCHEMA declare_test TO declare_bob;
SET ROLE declare_bob;
SELECT refused('SELECT * FROM dpmix.declare(''declare_test.patients'')');
RESET ROLE;
SET client_min_messages = warning;
DROP TABLE pg_temp.before;
DROP SCHEMA declare_test CASCADE;
DROP ROLE declare_anna, declare_bob;
