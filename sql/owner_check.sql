-- check: exact findings about declarations, for the owner alone.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
LOAD 'dpmix';
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE ROLE check_anna; CREATE ROLE check_bob;
CREATE SCHEMA check_test AUTHORIZATION check_anna;
SET search_path = check_test;
SET ROLE check_anna;
CREATE TYPE mood AS ENUM ('low', 'high', 'odd');
CREATE DOMAIN letter AS char(2);
CREATE TABLE visits (
    person int, age int, decade int, income float8, cost numeric, day date, seen timestamptz, region text, shift letter,
    mood mood, kind smallint, ok boolean, empty int, "Odd name" float8);
INSERT INTO visits SELECT CASE WHEN i % 100 <> 0 THEN i % 40 END, i % 90, i % 9, CASE i % 10 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN 'Infinity' WHEN 2 THEN -5 ELSE i END,
    i % 50, date '2025-01-01' + i % 365, timestamptz '2025-01-01' + i % 30 * interval '1 day', CASE WHEN i % 4 = 0 THEN 'north' WHEN i % 4 = 1 THEN 'south ' ELSE 'east' END,
    CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' END, CASE WHEN i % 2 = 0 THEN 'low' ELSE 'odd' END::mood, i % 5, true, NULL, i FROM generate_series(1, 1000) AS i;
SELECT dpmix.protect('visits', 4, 1e-6, privacy_unit => 'person', max_rows_per_unit => 20);
SET client_min_messages = notice;
SELECT * FROM dpmix.check('visits');
SET client_min_messages = warning;
SELECT count(*) FROM dpmix.declare('visits', '{"age": [0, 9], "decade": [0, 120], "income": [0, 1000], "cost": [10, 49], "day": ["2025-01-01", "2025-12-31"],
    "seen": ["2020-01-01", "2029-12-31"], "region": ["nroth", "South", "west", "east"], "shift": ["a", "b", "c"], "mood": ["low", "high"],
    "kind": {"bounds": [0, 4], "categories": [0, 1, 2, 3, 9]}, "empty": [0, 1], "Odd name": [1, 1000]}');
SELECT column_name, finding, exact_number AS number, round(exact_share::numeric, 4) AS share, examples, warning FROM dpmix.check('visits');

-- Units that have fewer rows than they might; a table without a unit, and without rows.
CREATE TABLE alone (x int, region text);
SELECT dpmix.protect('alone', 1, 1e-6);
SELECT count(*) FROM dpmix.declare('alone', '{"x": [0, 10], "region": ["n", "s"]}');
SELECT * FROM dpmix.check('alone');
CREATE TABLE few (u int, x int);
INSERT INTO few SELECT i / 2, i % 11 FROM generate_series(0, 99) AS i;
SELECT dpmix.protect('few', 1, 1e-6, privacy_unit => 'u', max_rows_per_unit => 10);
SELECT count(*) FROM dpmix.declare('few', '{"x": [0, 10]}');
SELECT * FROM dpmix.check('few');

-- It charges nothing, and is for nobody else: not for roles with access either.
SELECT count(*) FROM dpmix.ledger;
SELECT dpmix.grant_access('few', 'check_bob');
GRANT USAGE ON SCHEMA check_test TO check_bob;
GRANT SELECT ON visits TO check_bob;
SET ROLE check_bob;
SELECT * FROM dpmix.check('few');
SELECT * FROM dpmix.check('visits');
RESET ROLE;
SELECT * FROM dpmix.check('pg_class');
SELECT * FROM dpmix.check(NULL);
SELECT count(*) > 0 AS superusers FROM dpmix.check('check_test.few');
DROP SCHEMA check_test CASCADE;
DROP ROLE check_anna, check_bob;
