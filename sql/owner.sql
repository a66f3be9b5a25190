-- The owner's functions: what they accept, what they refuse and how, what they record.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;
LOAD 'dpmix';
\set SHOW_CONTEXT never
CREATE ROLE owner_anna; CREATE ROLE owner_bob; CREATE ROLE owner_team;
CREATE SCHEMA owner_test AUTHORIZATION owner_anna;
SET search_path = owner_test;
SET TimeZone = 'Europe/Berlin';
SET ROLE owner_anna;

-- SQLSTATE, and that DETAIL and HINT are there, of what a statement raises.
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

CREATE DOMAIN kilogram AS numeric CHECK (VALUE > 0);
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE people (
    id int PRIMARY KEY, nick text UNIQUE, age int, wage float8, weight kilogram, born date, seen timestamp,
    called timestamptz, sex char(1), feels mood, tags text[], doc json, place point
);
CREATE UNIQUE INDEX ON people (age) WHERE age > 0;

-- Ranges and choices.
SELECT refused(format('SELECT dpmix.protect(''people'', %s)', terms)) FROM unnest(ARRAY[
    '0, 1e-6', '-1, 1e-6', '1e-7, 1e-6', '1.1e7, 1e-6', '''NaN'', 1e-6', '1, -1e-6', '1, .5', '1, 1', '1, ''NaN''',
    '1, 0', 'NULL, 0', '1, 1e-6, adjacency => ''bounded''', '1, 1e-6, accountant => ''pld''',
    '1, 1e-6, label => ''sex''', '1, 1e-6, adjacency => ''label''',
    '1, 1e-6, adjacency => ''label'', label => ''colour''', '1, 1e-6, max_rows_per_unit => 2',
    '1, 1e-6, ''id'', 0', '1, 1e-6, ''id'', 1000001', '1, 1e-6, ''colour''', '1, 1e-6, ''tags''', '1, 1e-6, ''doc''',
    '1, 1e-6, ''weight''', '1, 1e-6, ''place''', '1, 1e-6, ''ctid''', '1, 1e-6, ''nick'', 1, ''label'', ''sex''',
    '1, 1e-6, ''id'', 2, ''label'', ''sex''', '1, 1e-6, ''age'', 1, ''label'', ''sex''']) AS terms;

-- What can be protected.
CREATE VIEW elders AS SELECT * FROM people;
CREATE TEMP TABLE fleeting (x int);
SELECT refused('SELECT dpmix.protect(''elders'', 1, 1e-6)');
SELECT regexp_replace(refused('SELECT dpmix.protect(''fleeting'', 1, 1e-6)'), 'pg_temp_\d+', 'pg_temp');
SELECT refused('SELECT dpmix.protect(1, 1, 1e-6)');
RESET ROLE;
SELECT refused('SELECT dpmix.protect(''pg_class'', 1, 1e-6)');
SELECT refused('SELECT dpmix.protect(''dpmix.charge'', 1, 1e-6)');
SET ROLE owner_bob;
SET search_path = public;
SELECT dpmix.protect('owner_test.people', 1, 1e-6);
RESET ROLE;
GRANT USAGE ON SCHEMA owner_test TO owner_bob;
GRANT SELECT ON owner_test.people TO owner_team;
GRANT SELECT (age) ON owner_test.people TO PUBLIC;
SET search_path = owner_test;
SET ROLE owner_bob;
SELECT dpmix.protect('people', 1, 1e-6);
SELECT dpmix.set_bounds('people', 'age', 0, 100);
SELECT dpmix.grant_access('people', 'owner_bob');
SET ROLE owner_anna;
SELECT refused('SELECT dpmix.set_bounds(''people'', ''age'', 0, 100)');
SELECT refused('SELECT dpmix.unprotect(''people'')');
SELECT dpmix.protect('people', 1, 1e-6, privacy_unit => 'id');
SELECT refused('SELECT dpmix.protect(''people'', 2, 1e-6)');

-- Bounds.
SELECT refused(format('SELECT dpmix.set_bounds(''people'', %s)', bounds)) FROM unnest(ARRAY[
    '''age'', 0, 100', '''wage'', 0, 1e5', '''weight'', 1, 300', '''age'', 1, 1', '''age'', 2, 1', '''age'', ''-Infinity''::float8, 1',
    '''age'', 0, ''NaN''::float8', '''wage'', -1.7e308, 1.7e308', '''colour'', 0, 1', '''tableoid'', 0, 1', '''sex'', -1, 1', '''feels'', 0, 1',
    '''tags'', 0, 1', 'NULL, 0, 1', '''born'', date ''1900-01-01'', date ''infinity''',
    '''age'', date ''1900-01-01'', date ''2000-01-01''']) AS bounds;
SELECT dpmix.set_bounds('people', 'born', date '1900-01-01', date '2020-01-01');
SELECT dpmix.set_bounds('people', 'seen', timestamptz '2000-01-02', timestamptz '2000-01-03 12:00');
SELECT dpmix.set_bounds('people', 'called', date '2000-01-02', date '2000-01-03');

-- Categories.
SELECT refused(format('SELECT dpmix.set_categories(''people'', %s)', categories)) FROM unnest(ARRAY[
    '''sex'', ''{F,M}''', '''sex'', ''{}''', '''sex'', ''{F,NULL}''', '''sex'', ''{F,F}''', '''sex'', ''{F,"F "}''', '''sex'', ''{FF}''',
    '''age'', ''{1,01}''', '''age'', ''{1,one}''', '''age'', ''{30,040}''', '''feels'', ''{happy,sad}''', '''feels'', ''{bored}''',
    '''weight'', ''{1,1.0}''', '''tags'', ''{a}''', '''doc'', ''{1}''', '''place'', ''{"(1,2)"}''', '''colour'', ''{a}''', '''sex'', NULL']) AS categories;
SELECT refused($$SELECT dpmix.set_categories('people', 'age', ARRAY(SELECT i::text FROM generate_series(1, 10001) i))$$);
SET DateStyle = 'SQL, DMY';
SELECT dpmix.set_categories('people', 'born', '{01/02/1990}');
RESET DateStyle;

-- Access and budget.
SELECT dpmix.grant_access('people', 'owner_bob', .5);
SELECT dpmix.grant_access('people', 'owner_team');
SELECT dpmix.grant_access('people', 'owner_bob', .7);
SELECT refused('SELECT dpmix.grant_access(''people'', ''owner_bob'', -1)');
SELECT refused('SELECT dpmix.grant_access(''people'', 0)');
SELECT dpmix.revoke_access('people', 'owner_team');
SELECT dpmix.revoke_access('people', 'owner_team');
SELECT dpmix.set_budget('people', 2, 1e-5, 'second survey');
SELECT refused('SELECT dpmix.set_budget(''people'', 2, 1e-5, '''')');
SELECT refused('SELECT dpmix.set_budget(''people'', 2, 0, ''pure'')');
SELECT refused('SELECT dpmix.set_budget(''people'', 2, 1e-5, NULL)');
SELECT replace(refused('SELECT dpmix.adopt_ledger(''mine'')'), current_database(), 'this one');
RESET ROLE;
SELECT refused('SELECT dpmix.adopt_ledger('' '')');
SELECT table_name, active, adjacency, accountant, renyi_order > 1 AS has_order, privacy_unit FROM dpmix.protected_table WHERE schema_name = 'owner_test';
SELECT column_name, lower, upper, categories FROM dpmix.column_domain d JOIN dpmix.protected_table p ON p.id = d.table_id
    WHERE schema_name = 'owner_test' ORDER BY 1;
SELECT rolname, epsilon FROM dpmix_internal.known_grant WHERE rolname LIKE 'owner%';
SELECT b.epsilon, b.delta, reason, role FROM dpmix.budget_change b JOIN dpmix.protected_table p ON p.id = table_id
    WHERE schema_name = 'owner_test' ORDER BY b.id;

-- Nobody touches the catalog but the functions, and its records not even a superuser.
SET ROLE owner_anna;
SELECT count(*) FROM dpmix.charge;
SELECT count(*) FROM dpmix.access;
RESET ROLE;
SELECT refused('DELETE FROM dpmix.budget_change');
SELECT refused('UPDATE dpmix.charge SET epsilon = 0');
SELECT refused('TRUNCATE dpmix.charge');

-- Balances are seen by those with access.
SET ROLE owner_anna;
SELECT * FROM dpmix.budget;
SET ROLE owner_bob;
SELECT relation, epsilon FROM dpmix.budget;
SET ROLE owner_team;
SELECT relation, epsilon FROM dpmix.budget;
RESET ROLE;

-- A role made anew under an old name has no access.
DROP OWNED BY owner_bob; DROP ROLE owner_bob; CREATE ROLE owner_bob;
SET ROLE owner_bob;
SELECT relation, epsilon FROM dpmix.budget;
RESET ROLE;

-- The catalog follows DDL.
DROP VIEW elders;
ALTER TABLE people RENAME COLUMN age TO years;
ALTER TABLE people RENAME COLUMN id TO ident;
ALTER TABLE people ALTER COLUMN wage TYPE numeric;
ALTER TABLE people DROP COLUMN sex;
-- The record stays with the name, vacant, until it is moved.
ALTER TABLE people RENAME TO persons;
ALTER SCHEMA owner_test RENAME TO owner_renamed;
SET search_path = owner_renamed;
CREATE SCHEMA owner_other AUTHORIZATION owner_anna;
ALTER TABLE persons SET SCHEMA owner_other;
SELECT record, owner, relation, protected, charges, left_by FROM dpmix.records() WHERE record LIKE 'owner%';
SELECT refused('SELECT dpmix.protect(''owner_other.persons'', 3, 0, accountant => ''basic'')');
SELECT dpmix.move_record('owner_test.people', 'owner_other.persons');
SELECT relation::regclass, schema_name, table_name, privacy_unit FROM dpmix.protected_table WHERE schema_name LIKE 'owner%' ORDER BY id;
SELECT column_name FROM dpmix.column_domain JOIN dpmix.protected_table p ON p.id = table_id
    WHERE schema_name LIKE 'owner%' ORDER BY 1;
DROP TABLE owner_other.persons;
SELECT relation, schema_name, table_name, active FROM dpmix.protected_table WHERE schema_name LIKE 'owner%' ORDER BY id;
SELECT count(*) FROM dpmix.column_domain JOIN dpmix.protected_table p ON p.id = table_id WHERE schema_name LIKE 'owner%';
SELECT count(*) FROM dpmix_internal.known_grant WHERE rolname LIKE 'owner%';
SELECT count(*) FROM dpmix.budget WHERE relation::text LIKE 'owner%';
-- Under its old name it is the old record, of its owner, with terms that other names of it share.
CREATE TABLE owner_other.persons (x int);
SELECT refused('SELECT dpmix.protect(''owner_other.persons'', 3, 0, accountant => ''basic'')');
ALTER TABLE owner_other.persons OWNER TO owner_anna;
SELECT refused('SELECT dpmix.protect(''owner_other.persons'', 3, 0, accountant => ''basic'')');
DROP TABLE owner_other.persons;
-- Nothing was charged, and no other name shares the budget, so other terms may be chosen.
CREATE TABLE owner_other.persons2 (x int);
SELECT dpmix.protect('owner_other.persons2', 3, 1e-6);
DROP TABLE owner_other.persons2;
-- The next table under the name is protected as it was, until somebody says otherwise.
CREATE TABLE owner_other.persons2 (x int);
SELECT dpmix.unprotect('owner_other.persons2');
SELECT dpmix.protect('owner_other.persons2', 3, 0, accountant => 'basic', adjacency => 'replace');
SELECT relation::regclass, active, accountant, adjacency, renyi_order FROM dpmix.protected_table WHERE table_name = 'persons2';
-- Access does not come back with the protection.
SELECT dpmix.grant_access('owner_other.persons2', 'owner_team');
SELECT dpmix.unprotect('owner_other.persons2');
SELECT dpmix.protect('owner_other.persons2', 3, 0, accountant => 'basic', adjacency => 'replace');
SELECT count(*) FROM dpmix.access a JOIN dpmix.protected_table p ON p.id = a.table_id WHERE table_name = 'persons2';
SELECT role FROM dpmix.role_budget WHERE relation = 'owner_other.persons2'::regclass;
SELECT dpmix.unprotect('owner_other.persons2');

-- One budget for a partition tree.
CREATE TABLE region (r int, x int) PARTITION BY LIST (r);
CREATE TABLE region_1 PARTITION OF region FOR VALUES IN (1) PARTITION BY LIST (x);
CREATE TABLE region_1_1 (r int, x int);
SELECT dpmix.protect('region', 1, 1e-6);
SELECT refused('SELECT dpmix.protect(''region_1'', 1, 1e-6)');
SELECT dpmix.protect('region_1_1', 1, 1e-6);
SELECT refused('ALTER TABLE region_1 ATTACH PARTITION region_1_1 FOR VALUES IN (1)');
SELECT dpmix.unprotect('region_1_1');
SELECT refused('ALTER TABLE region_1 ATTACH PARTITION region_1_1 FOR VALUES IN (1)');
SELECT dpmix.unprotect('region');
SELECT dpmix.protect('region_1_1', 1, 1e-6);
SELECT refused('SELECT dpmix.protect(''region'', 1, 1e-6)');
CREATE TABLE base (x int UNIQUE NOT NULL);
CREATE TABLE heir () INHERITS (base);
SELECT refused('SELECT dpmix.protect(''base'', 1, 1e-6, ''x'', 1, ''label'', ''x'')');
SELECT dpmix.protect('base', 1, 1e-6, adjacency => 'label', label => 'x');
SELECT dpmix.unprotect('base');

DROP SCHEMA owner_renamed, owner_other CASCADE;
SELECT count(*) FROM dpmix.protected_table WHERE schema_name LIKE 'owner%' AND (active OR relation <> 0);
DROP OWNED BY owner_anna, owner_bob, owner_team;
DROP ROLE owner_anna, owner_bob, owner_team;
