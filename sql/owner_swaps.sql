-- Protection belongs to a name: what becomes of it when tables leave names and take them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
LOAD 'dpmix';
\set SHOW_CONTEXT never
CREATE ROLE swap_olga; CREATE ROLE swap_mallory; CREATE ROLE swap_ana; CREATE ROLE swap_audit;
CREATE SCHEMA swaps AUTHORIZATION swap_olga;
GRANT USAGE, CREATE ON SCHEMA swaps TO swap_mallory;
SET search_path = swaps;
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; detail text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    RETURN format('%s %s. %s', state, message, detail);
END $$;
SET ROLE swap_olga;

-- Everything that can be declared.
CREATE TABLE visit (person int NOT NULL, day date, kind text, cost numeric(8, 2), note text);
SELECT dpmix.protect('visit', 100, 0, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 3,
                     blocks => 'day', width => '7 days', guard_unit => true);
SELECT dpmix.declare('visit', '{"kind": ["a", "b"], "cost": [0, 100]}');
SELECT dpmix.set_time_quantum('visit', 'day', '1 day');
SELECT dpmix.set_memory('visit', keep => '2 days');
SELECT dpmix.grant_access('visit', 'swap_ana', 50), dpmix.grant_audit('visit', 'swap_audit');
SELECT dpmix.expose('visit', 'swaps.seen', default_epsilon => 1, rows => 'refuse', comments => true);
CREATE TABLE before_swap AS SELECT dpmix.policy('swaps') AS policy;
CREATE VIEW record AS SELECT record, protected, relation IS NOT NULL AS attached FROM dpmix.records() WHERE record ~ '^swaps';

-- A table leaves: everything stays, and nothing is answered.
RESET client_min_messages;
ALTER TABLE visit RENAME TO visit_old;
SET client_min_messages = warning;
SELECT * FROM record;
SELECT policy = dpmix.policy('swaps') AS same_policy FROM before_swap;
SELECT count(*) AS changes FROM before_swap, dpmix.apply(policy, dry_run => true);
SELECT name, labels, value FROM dpmix.metrics() WHERE name = 'dpmix_table_vacant';
SELECT refused('SELECT count(*) FROM seen');
SELECT refused('SELECT dpmix.set_budget(''visit_old'', 1, 0, ''mine'')');

-- Tables that do not suit: a WARNING, and the command goes on.
CREATE TABLE visit (person int NOT NULL, day date, kind text);
SELECT refused('SELECT * FROM dpmix.query(''SELECT dp_count(*) FROM visit'', 1) AS t(n bigint)');
SELECT finding, warning FROM dpmix.check('visit');
SELECT refused('SELECT dpmix.replace_table(''visit'', ''visit'')');
ALTER TABLE visit ADD cost numeric;
SELECT * FROM record;
DROP TABLE visit;
CREATE TABLE visit AS SELECT 1::bigint AS person, date '2020-01-01' AS day, 'a' AS kind, 1::numeric AS cost;
DROP TABLE visit;
SELECT 1 AS person, timestamp '2020-01-01' AS day, 'a'::text AS kind, 1::numeric AS cost INTO visit;
DROP TABLE visit;
CREATE VIEW visit AS SELECT * FROM visit_old;
DROP VIEW visit;
CREATE TABLE visit (person int, day date GENERATED ALWAYS AS ('2020-01-01') STORED, kind text, cost numeric);
DROP TABLE visit;
SELECT * FROM record;

-- Tables of others, of which nobody is told.
RESET ROLE; SET ROLE swap_mallory;
CREATE TABLE swaps.visit (person int, day date, kind text, cost numeric);
SELECT count(*) FROM dpmix.check('swaps.visit');
SELECT count(*) FROM dpmix.metrics() WHERE name = 'dpmix_table_vacant';
RESET ROLE; SET ROLE swap_olga;
SELECT * FROM record;
RESET ROLE; SET ROLE swap_ana;
SELECT refused('SELECT * FROM dpmix.query(''SELECT dp_count(*) FROM swaps.visit'', 1) AS t(n bigint)');
RESET ROLE; SET ROLE swap_audit;
SELECT name, labels, value FROM dpmix.metrics() WHERE name = 'dpmix_table_vacant';
RESET ROLE; DROP TABLE visit; SET ROLE swap_olga;

-- A swap that is undone leaves no trace; one that is made is protected as the table before it.
BEGIN;
CREATE TABLE visit AS SELECT 1 AS person, date '2020-01-01' AS day, 'a'::text AS kind, 1::numeric AS cost;
SELECT * FROM record;
ROLLBACK;
SELECT * FROM record;
BEGIN; SAVEPOINT s;
CREATE TABLE visit AS SELECT 1 AS person, date '2020-01-01' AS day, 'a'::text AS kind, 1::numeric AS cost;
ROLLBACK TO s;
SELECT * FROM record;
SELECT 'a'::text AS kind, 1::numeric(8, 2) AS cost, 'x' AS further, date '2020-01-01' AS day, 1 AS person INTO visit;
COMMIT;
SELECT * FROM record;
SELECT policy -> 'tables' = dpmix.policy('swaps') -> 'tables' AS same_tables FROM before_swap;
SELECT count(*) AS changes FROM before_swap, dpmix.apply(policy, dry_run => true);
SELECT refused('UPDATE visit SET day = ''2020-03-01''');
SELECT refused('UPDATE visit SET person = 2');
SELECT relation, active FROM dpmix.role_budget WHERE role = 'swap_ana';
SELECT count(*) FROM dpmix.metrics() WHERE name = 'dpmix_table_vacant';
RESET ROLE;
SELECT c.relacl, f.rows, f.default_epsilon FROM dpmix.facade f JOIN pg_class c ON c.oid = f.view WHERE f.schema_name = 'swaps';
SELECT d.column_name, d.attnum = a.attnum AS found FROM dpmix.column_domain d JOIN dpmix.protected_table p ON p.id = d.table_id
    JOIN pg_attribute a ON a.attrelid = p.relation AND a.attname = d.column_name WHERE p.schema_name = 'swaps' ORDER BY 1;
SELECT edition > 0 AS new_edition FROM dpmix.memory_terms m JOIN dpmix.protected_table p ON p.id = m.table_id WHERE p.schema_name = 'swaps';
SET ROLE swap_olga;
SELECT attname FROM pg_attribute WHERE attrelid = 'seen'::regclass AND attnum > 0 ORDER BY attnum;

-- By hand; by SET SCHEMA; by the schema's name; by DROP and CREATE.
CREATE TABLE visit_new (LIKE visit);
SELECT dpmix.replace_table('visit', 'visit_new', keep_as => 'visit_gone');
SELECT * FROM record;
CREATE TABLE unlike (person text);
SELECT refused('SELECT dpmix.replace_table(''visit'', ''unlike'', ''visit_late'')');
SELECT * FROM record;
RESET ROLE; CREATE SCHEMA swaps_load AUTHORIZATION swap_olga; SET ROLE swap_olga;
CREATE TABLE swaps_load.visit (LIKE visit);
DROP TABLE visit;
ALTER TABLE swaps_load.visit SET SCHEMA swaps;
SELECT * FROM record;
CREATE TABLE swaps_load.person (id int PRIMARY KEY);
SELECT dpmix.protect('swaps_load.person', 1, 0, accountant => 'basic', privacy_unit => 'id');
RESET ROLE;
ALTER SCHEMA swaps_load RENAME TO swaps_away;
CREATE SCHEMA swaps_next AUTHORIZATION swap_olga;
CREATE TABLE swaps_next.person (id int); ALTER TABLE swaps_next.person OWNER TO swap_olga;
ALTER SCHEMA swaps_next RENAME TO swaps_load;
SET ROLE swap_olga;
SELECT * FROM record;

-- A record that was not protected when its table left waits for nobody.
SELECT dpmix.unprotect('swaps_load.person');
DROP TABLE swaps_load.person; CREATE TABLE swaps_load.person (id int);
SELECT * FROM record;

SELECT refused('SELECT dpmix.unprotect_name(''swaps_load.person'')');
SELECT refused('SELECT dpmix.unprotect_name(''visit'')');
-- Nor does a name whose owner says so.
CREATE TABLE ended (x int);
SELECT dpmix.protect('ended', 1, 0, accountant => 'basic'), dpmix.grant_access('ended', 'swap_ana');
DROP TABLE ended;
RESET ROLE; SET ROLE swap_mallory;
SELECT refused('SELECT dpmix.unprotect_name(''swaps.ended'')');
RESET ROLE; SET ROLE swap_olga;
SELECT dpmix.unprotect_name('ended');
CREATE TABLE ended (x int);
SELECT * FROM record WHERE record ~ 'ended';

-- A hand-over: the new owner says whether, and who may ask.
CREATE TABLE handed (x int);
SELECT dpmix.protect('handed', 1, 0, accountant => 'basic'), dpmix.grant_access('handed', 'swap_olga');
DROP TABLE handed;
RESET ROLE; SET ROLE swap_mallory; CREATE TABLE swaps.handed (x int); RESET ROLE; SET ROLE swap_olga;
SELECT dpmix.hand_over('handed', 'swap_mallory');
RESET ROLE;
SELECT p.active, p.waiting, (SELECT count(*) FROM dpmix.access a WHERE a.table_id = p.id) AS grants
    FROM dpmix.protected_table p WHERE p.table_name = 'handed';
SELECT dpmix.hand_over('swaps.handed', 'swap_olga');
ALTER TABLE handed OWNER TO swap_olga;
SELECT p.active, p.waiting FROM dpmix.protected_table p WHERE p.table_name = 'handed';
SET ROLE swap_olga;
SELECT dpmix.protect('handed', 1, 0, accountant => 'basic');
SELECT dpmix.protect('handed', 1, 0, accountant => 'basic');
SELECT refused('SELECT dpmix.protect(''handed'', 2, 0, accountant => ''basic'')');
DROP TABLE handed;
RESET ROLE;
CREATE TABLE handed (x int);
SELECT p.active, p.waiting FROM dpmix.protected_table p WHERE p.table_name = 'handed';
SELECT dpmix.hand_over('swaps.handed', current_user::regrole);
SELECT p.active, p.waiting FROM dpmix.protected_table p WHERE p.table_name = 'handed';
ALTER TABLE handed OWNER TO swap_olga;
SET ROLE swap_olga;

-- Privileges of others, on this table and on the next.
CREATE TABLE shown (x int, y int);
GRANT SELECT (x), REFERENCES ON shown TO swap_mallory;
GRANT TRIGGER ON shown TO swap_audit;
SELECT refused('SELECT dpmix.protect(''shown'', 1, 0, accountant => ''basic'', strict => true)');
SELECT dpmix.protect('shown', 1, 0, accountant => 'basic');
SELECT dpmix.unprotect('shown');
REVOKE REFERENCES, SELECT ON shown FROM swap_mallory; REVOKE TRIGGER ON shown FROM swap_audit;
SELECT refused('SELECT dpmix.protect(''shown'', 1, 0, accountant => ''basic'', strict => true)');
ALTER DEFAULT PRIVILEGES IN SCHEMA swaps GRANT SELECT ON TABLES TO swap_mallory;
SELECT dpmix.unprotect('shown');
SELECT refused('SELECT dpmix.protect(''shown'', 1, 0, accountant => ''basic'', strict => true)');
SELECT dpmix.protect('shown', 1, 0, accountant => 'basic');
SELECT dpmix.unprotect('shown');
ALTER DEFAULT PRIVILEGES IN SCHEMA swaps REVOKE SELECT ON TABLES FROM swap_mallory;
SELECT dpmix.protect('shown', 1, 0, accountant => 'basic', strict => true);
SELECT dpmix.policy('swaps') #> '{tables,shown,protect}';
CREATE TABLE shown_new (LIKE shown); GRANT SELECT ON shown_new TO PUBLIC;
ALTER TABLE shown RENAME TO shown_old; ALTER TABLE shown_new RENAME TO shown;
SELECT * FROM record WHERE record ~ 'shown';
REVOKE SELECT ON shown FROM PUBLIC;
SELECT dpmix.replace_table('shown', 'shown');
SELECT * FROM record WHERE record ~ 'shown';

-- A partitioned table takes the place of an ordinary one, and parts of a protected table take none.
CREATE TABLE parts (x int, y int) PARTITION BY RANGE (x);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
SELECT dpmix.replace_table('shown', 'parts', 'shown_before');
SELECT * FROM record WHERE record ~ 'shown';
ALTER TABLE visit RENAME TO visit_before;
ALTER TABLE shown ADD person int, ADD day date, ADD kind text, ADD cost numeric;
ALTER TABLE parts_1 RENAME TO visit;
SELECT * FROM record WHERE record ~ 'shown|visit';
ALTER TABLE visit RENAME TO parts_1;
-- Nor does a table with a record of its own.
CREATE TABLE own (LIKE visit_before);
SELECT dpmix.protect('own', 1, 0, accountant => 'basic');
ALTER TABLE own RENAME TO visit;
SELECT * FROM record WHERE record ~ 'own|visit';
ALTER TABLE visit RENAME TO own;
ALTER TABLE visit_before RENAME TO visit;
SELECT * FROM record WHERE record ~ 'own|visit';

RESET ROLE;
DROP SCHEMA swaps, swaps_load, swaps_away CASCADE;
DROP OWNED BY swap_olga, swap_mallory, swap_ana, swap_audit;
DROP ROLE swap_olga, swap_mallory, swap_ana, swap_audit;
