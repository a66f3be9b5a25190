-- Facades: what expose makes and refuses, what follows the table, who sees it, and what its guard says.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;
LOAD 'dpmix';
\set SHOW_CONTEXT never
CREATE ROLE facade_olga; CREATE ROLE facade_bob; CREATE ROLE facade_ana; CREATE ROLE facade_eve;
CREATE SCHEMA facade_test AUTHORIZATION facade_olga;
GRANT USAGE ON SCHEMA facade_test TO PUBLIC;
CREATE SCHEMA facade_bobs AUTHORIZATION facade_bob;
SET search_path = facade_test;

-- Also what a refused statement did: nothing.
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; detail text; hint text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
                            detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN format('%s %s%s', state, message, CASE WHEN hint = '' THEN ' (no hint)' END);
END $$;
CREATE VIEW columns AS
    SELECT c.oid::regclass AS view, a.attnum, a.attname, format_type(atttypid, atttypmod) AS type, l.collname,
           col_description(c.oid, a.attnum) AS comment
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    LEFT JOIN pg_collation l ON l.oid = attcollation AND l.collname <> 'default'
    WHERE c.relkind = 'v' AND c.oid IN (SELECT view FROM dpmix.facade);
GRANT SELECT ON columns TO PUBLIC;
CREATE FUNCTION grantees(view regclass) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(a.grantee::regrole || ' ' || privilege_type || ' by ' || a.grantor::regrole, ', ' ORDER BY a.grantee::regrole::text)
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = view AND a.grantee <> c.relowner $$;

SET ROLE facade_olga;
CREATE DOMAIN kilogram AS numeric CHECK (VALUE > 0);
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE COLLATION "Loud" FROM "C";
CREATE TABLE people (
    id int PRIMARY KEY, gone int, "Odd ""name""" numeric(8, 2), region varchar(10) COLLATE "C", shout text COLLATE "Loud",
    weight kilogram, feels mood, tags text[], born date, seen timestamptz(3), span interval day to second(2));
ALTER TABLE people DROP gone;
INSERT INTO people (id, region) VALUES (1, 'west'), (2, 'east');
CREATE TABLE plain (x int);
CREATE TABLE marked (x int, sex text);
CREATE TABLE bare ();
SET client_min_messages = warning;
SELECT dpmix.protect('people', 8, 1e-6), dpmix.protect('bare', 8, 1e-6),
       dpmix.protect('marked', 8, 1e-6, adjacency => 'label', label => 'sex');
RESET client_min_messages;
SELECT dpmix.set_categories('people', 'region', '{west,east}'),
       dpmix.set_bounds('people', 'born', '1900-01-01'::date, '2030-01-01'::date),
       dpmix.set_bounds('people', 'seen', '2020-01-01 00:00+00'::timestamptz, '2030-01-01 12:30+00'::timestamptz),
       dpmix.set_bounds('people', 'weight', 0, 150.5);
SELECT dpmix.grant_access('people', 'facade_ana');

-- What expose refuses.
SELECT call, refused(format('SELECT dpmix.expose(%s)', call)) FROM unnest(ARRAY[
    '''plain''', '''marked'', ''facade_test.m''', '''bare'', ''facade_test.b''', '1', 'NULL', '''people'', ''a.b.c''', '''people'', ''''',
    '''people'', ''nowhere.people''', '''people'', ''facade_bobs.people''', '''people'', ''facade_test.plain''',
    '''people'', ''facade_test.p'', default_epsilon => 0', '''people'', ''facade_test.p'', default_epsilon => ''NaN''',
    '''people'', ''facade_test.p'', default_delta => -1', '''people'', ''facade_test.p'', max_epsilon_per_query => 1e8',
    '''people'', ''facade_test.p'', default_epsilon => 2, max_epsilon_per_query => 1',
    '''people'', ''facade_test.p'', replace => NULL', '''people'', ''facade_test.p'', rows => ''all''']) call;
RESET ROLE; SET ROLE facade_bob;
SELECT refused('SELECT dpmix.expose(''people'', ''facade_bobs.people'')');
SELECT refused('SELECT dpmix.expose(''pg_class'')');
RESET ROLE;
SELECT count(*) FROM dpmix.facade;

-- The view: names, types and collations of the table, and a body without it.
SET ROLE facade_olga;
SET client_min_messages = warning;
SELECT dpmix.expose('people', 'facade_test.shown', default_epsilon => .1, default_delta => 1e-9, max_epsilon_per_query => 1);
RESET client_min_messages;
RESET ROLE;
SELECT attname, type, collname, comment FROM columns ORDER BY attnum;
SELECT regexp_replace(regexp_replace(pg_get_viewdef('shown'), '.* FROM', 'FROM'), '''\d+''', 'id');
SELECT relowner::regrole FROM pg_class WHERE oid = 'shown'::regclass;
SELECT grantees('shown');
SELECT default_epsilon, default_delta, max_epsilon_per_query, comments FROM dpmix.facade;
SELECT count(*) FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid WHERE r.ev_class = 'shown'::regclass AND d.refobjid = 'people'::regclass;

-- Who sees it, and what it gives: no row, ever; nothing is needed for no rows.
SET ROLE facade_ana;
SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_name IN ('people', 'shown');
SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'shown';
SELECT has_table_privilege('shown', 'SELECT'), has_table_privilege('people', 'SELECT');
SELECT * FROM shown LIMIT 0;
SELECT id FROM shown WHERE 1 <> 1;
SELECT true AS probe FROM shown WHERE 1 <> 1 LIMIT 0;
SELECT statement, refused(statement) FROM unnest(ARRAY[
    'SELECT * FROM shown', 'SELECT s FROM shown s', 'TABLE shown', 'SELECT ctid FROM shown', 'SELECT 1 FROM shown LIMIT 1',
    'SELECT * FROM shown WHERE region IS NULL', 'SELECT * FROM shown WHERE NOT region = ''x''', 'SELECT * FROM shown FOR UPDATE',
    'SELECT * FROM shown TABLESAMPLE system (10)', 'SELECT (SELECT id FROM shown)', 'SELECT 1 WHERE EXISTS (SELECT FROM shown)',
    'SELECT 1 WHERE 1 NOT IN (SELECT id FROM shown)', 'SELECT * FROM (VALUES (1)) v(x) LEFT JOIN shown ON x = id',
    'WITH s AS MATERIALIZED (SELECT * FROM shown) SELECT * FROM s',
    'INSERT INTO shown (id) VALUES (1)', 'UPDATE shown SET id = 1', 'DELETE FROM shown', 'TRUNCATE shown',
    'CREATE TEMP TABLE stolen AS SELECT * FROM shown', 'SELECT * FROM people', 'SELECT query_to_xml(''SELECT * FROM shown'', true, true, '''')',
    'SELECT * FROM dpmix_internal.facade_guard(NULL) AS t(a int)', 'SELECT * FROM dpmix_internal.facade_guard(-1) AS t(a int)',
    'SELECT dpmix_internal.facade_guard(1)', 'SELECT dpmix.hide(''shown'')', 'SELECT dpmix.expose(''people'', ''facade_test.shown'')',
    'SELECT * FROM dpmix.facade']) statement;
SET ROLE facade_eve;
SELECT refused('SELECT * FROM shown LIMIT 0'), has_table_privilege('shown', 'SELECT');
-- A body like the guard's makes no facade.
CREATE TEMP VIEW own AS SELECT g.x FROM dpmix_internal.facade_guard(1) AS g(x int);
SELECT refused('SELECT * FROM own');

-- Access and its facades.
RESET ROLE; SET ROLE facade_olga;
SELECT dpmix.grant_access('people', 'facade_eve');
SELECT dpmix.revoke_access('people', 'facade_ana');
SELECT grantees('shown');
SELECT dpmix.grant_access('people', 'facade_ana');
SELECT dpmix.unprotect('people');
SELECT grantees('shown');
SELECT refused('SELECT * FROM shown');
SET client_min_messages = warning;
SELECT dpmix.protect('people', 8, 1e-6);
RESET client_min_messages;
SELECT dpmix.grant_access('people', 'facade_ana');
SELECT refused('SELECT * FROM shown'), has_table_privilege('facade_ana', 'shown', 'SELECT'), has_table_privilege('facade_eve', 'shown', 'SELECT');

-- Again, on the same view: its settings are stated anew, and its columns' comments where that is wanted.
SELECT dpmix.expose('people', 'facade_test.shown', comments => true, rows => 'refuse');
SELECT id FROM shown;
RESET ROLE;
SELECT default_epsilon, default_delta, max_epsilon_per_query, comments FROM dpmix.facade;
SELECT attname, comment FROM columns ORDER BY attnum;
SET ROLE facade_olga;
SELECT dpmix.set_bounds('people', 'weight', 1, 2);
SELECT comment FROM columns WHERE attname = 'weight';
-- A second facade of the table; one view is never two tables' facade.
SET client_min_messages = warning;
SELECT dpmix.expose('people', 'facade_test."Second"');
SELECT dpmix.protect('plain', 8, 1e-6);
RESET client_min_messages;
SELECT refused('SELECT dpmix.expose(''plain'', ''facade_test.shown'')');
SELECT dpmix.hide('facade_test."Second"');

-- DDL.
ALTER TABLE people RENAME region TO "Area";
ALTER TABLE people ADD fresh bigint, ADD also text[];
SELECT attname, type, comment FROM columns WHERE attname IN ('Area', 'region', 'fresh', 'also') ORDER BY attnum;
CREATE VIEW hangs AS SELECT "Area", fresh, born FROM shown;
ALTER TABLE people DROP fresh;
ALTER TABLE people ALTER born TYPE timestamp;
ALTER TABLE people ADD fresh text;
SELECT attname, type, comment FROM columns WHERE attname IN ('fresh', 'born') ORDER BY attnum;
SELECT refused('SELECT dpmix.expose(''people'', ''facade_test.shown'', replace => true)');
SELECT refused('SELECT dpmix.hide(''shown'')');
DROP VIEW hangs;
GRANT SELECT ON shown TO PUBLIC;
SELECT dpmix.expose('people', 'facade_test.shown', replace => true, comments => true);
SELECT attname, type, comment FROM columns ORDER BY attnum;
SELECT grantees('shown');
-- An owner's own comment stays.
COMMENT ON COLUMN shown.id IS 'mine';
SELECT dpmix.expose('people', 'facade_test.shown');
SELECT attname, comment FROM columns WHERE attname = 'id';
RESET ROLE;

-- Names, and owners.
ALTER VIEW shown RENAME TO seen_people;
ALTER SCHEMA facade_test RENAME TO facade_moved;
SELECT dpmix.move_record(record, departed) FROM dpmix.records(), unnest(left_by) AS departed;
SET search_path = facade_moved;
SELECT schema_name, view_name, view::regclass FROM dpmix.facade;
CREATE SCHEMA facade_other AUTHORIZATION facade_olga;
ALTER VIEW seen_people SET SCHEMA facade_other;
SELECT schema_name, view_name FROM dpmix.facade;
ALTER TABLE people OWNER TO facade_bob;
SELECT relowner::regrole FROM pg_class WHERE oid = 'facade_other.seen_people'::regclass;
SELECT refused('SELECT * FROM facade_other.seen_people');
-- A view of another's, or with another body, is no facade any more.
ALTER VIEW facade_other.seen_people OWNER TO facade_olga;
SELECT refused('SELECT * FROM facade_other.seen_people');
ALTER TABLE people ADD late int;
SELECT relowner::regrole, attname FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid WHERE c.oid = 'facade_other.seen_people'::regclass AND attname = 'late';
SELECT id FROM dpmix.facade \gset
CREATE OR REPLACE VIEW facade_other.seen_people AS
    SELECT g.* FROM dpmix_internal.facade_guard(:id + 0) AS g(id int, "Odd ""name""" numeric(8, 2), "Area" varchar(10) COLLATE "C",
        shout text COLLATE "Loud", weight kilogram, feels mood, tags text[], born timestamp, seen timestamptz(3), span interval day to second(2),
        also text[], fresh text, late int);
SELECT refused('SELECT * FROM facade_other.seen_people');
SELECT dpmix.expose('people', 'facade_other.seen_people');
ALTER SCHEMA facade_other OWNER TO facade_bob;
SELECT dpmix.expose('people', 'facade_other.seen_people');
SELECT refused('SELECT * FROM facade_other.seen_people');

-- The table goes without its facade, which then says so; a facade that is dropped is forgotten.
DROP TABLE people;
SELECT refused('SELECT * FROM facade_other.seen_people');
SELECT * FROM facade_other.seen_people LIMIT 0;
SELECT dpmix.hide('facade_other.seen_people');
SELECT refused('SELECT dpmix.hide(''pg_views'')'), refused('SELECT dpmix.hide(NULL)'), refused('SELECT dpmix.hide(1)');
SET client_min_messages = warning;
SELECT dpmix.expose('plain', 'facade_moved.plain_view');
RESET client_min_messages;
DROP VIEW plain_view;
SELECT count(*) FROM dpmix.facade;

-- Partitions: the parent's facade, followed through it; the default schema is made by who may.
CREATE TABLE parts (x int, y text) PARTITION BY LIST (x);
CREATE TABLE part1 PARTITION OF parts FOR VALUES IN (1);
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS private CASCADE;
SELECT dpmix.protect('parts', 8, 1e-6);
SELECT dpmix.expose('parts');
RESET client_min_messages;
ALTER TABLE parts ADD z int;
ALTER TABLE parts RENAME y TO w;
SELECT attname, type FROM columns ORDER BY attnum;
SELECT refused('SELECT * FROM private.parts WHERE w = ''x''');
BEGIN;
DROP SCHEMA private CASCADE;
SELECT count(*) FROM dpmix.facade;
ROLLBACK;
SELECT dpmix.hide('private.parts');

SET client_min_messages = warning;
SELECT dpmix.unprotect('parts'), dpmix.unprotect('plain'), dpmix.unprotect('bare'), dpmix.unprotect('marked');
DROP SCHEMA private, facade_moved, facade_bobs, facade_other CASCADE;
DROP OWNED BY facade_olga, facade_bob, facade_ana, facade_eve;
DROP ROLE facade_olga, facade_bob, facade_ana, facade_eve;
