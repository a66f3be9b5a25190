-- What users list of schema dpmix (\df dpmix.*) is what they may call, as docs/reference.md has it. What that is made
-- of is in schema dpmix_internal.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TEMP VIEW routine AS
SELECT p.oid, n.nspname AS schema, p.proname AS name, p.oid::regprocedure AS signature, p.prorettype
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
 WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpmix');

-- All names, and how many forms each has.
SELECT name, count(*) AS forms FROM routine WHERE schema = 'dpmix' GROUP BY name ORDER BY name COLLATE "C";
SELECT count(*) AS listed FROM pg_proc WHERE pronamespace = 'dpmix'::regnamespace;

-- Each is described, and everyone may call it.
SELECT signature FROM routine WHERE schema = 'dpmix'
   AND (obj_description(oid, 'pg_proc') IS NULL OR NOT has_function_privilege('public', oid, 'EXECUTE'));

-- What makes a release takes its arguments in one order: its name, its table, of what, epsilon and delta, then options,
-- of which blocks come last.
SELECT signature FROM routine JOIN pg_proc p USING (oid)
 WHERE schema = 'dpmix' AND (name LIKE 'release\_%' OR name IN ('cda', 'synthesize', 'compare_private', 'create_counter'))
   AND array_to_string(p.proargnames[1:p.pronargs], ' ')
       !~ '^(name )?(relation|row_type|query)( (?!label)[a-z_]+)* epsilon delta( (?!blocks )[a-z_0-9]+)*( blocks)?$';

-- None is a part of something else.
SELECT signature, 'a trigger''s' AS part FROM routine
 WHERE schema = 'dpmix' AND prorettype IN ('trigger'::regtype, 'event_trigger'::regtype)
UNION ALL SELECT signature, 'a type''s' FROM routine r WHERE schema = 'dpmix'
   AND EXISTS (SELECT FROM pg_type t WHERE r.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend))
UNION ALL SELECT signature, 'an aggregate''s' FROM routine r WHERE schema = 'dpmix'
   AND EXISTS (SELECT FROM pg_aggregate a WHERE r.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn))
UNION ALL SELECT signature, 'a view''s' FROM routine r
 WHERE schema = 'dpmix'
   AND EXISTS (SELECT FROM pg_depend d JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
                 JOIN pg_class c ON c.oid = w.ev_class
                WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = r.oid
                  AND c.relnamespace = 'dpmix'::regnamespace);

-- Every routine is in one of the two schemas, and no table is hidden in the second. Everyone may use its names, nobody
-- may add to it.
SELECT signature FROM routine WHERE schema NOT IN ('dpmix', 'dpmix_internal');
SELECT relname FROM pg_class WHERE relnamespace = 'dpmix_internal'::regnamespace AND relkind <> 'v';
SELECT has_schema_privilege('public', s, 'USAGE') AS usage, has_schema_privilege('public', s, 'CREATE') AS create
  FROM unnest('{dpmix,dpmix_internal}'::text[]) s;

-- Views and tables that users list: those that everyone may read, and the catalog's.
SELECT relname, relkind, has_table_privilege('public', oid, 'SELECT') AS read FROM pg_class
 WHERE relnamespace = 'dpmix'::regnamespace AND relkind IN ('r', 'v') ORDER BY 3, 1;

-- A role without rights may use internals where it may use what they are made for, and reads no table by them.
CREATE ROLE dpmix_schema_nobody;
SET ROLE dpmix_schema_nobody;
SELECT count(*) FROM dpmix.schedules;
SELECT dpmix_internal.total_divide(1, 0) IS NULL AS undefined, (dpmix.numbers(dpmix_internal.lattice_sum(i, 0, 1, -9, 9)))[2]
  FROM generate_series(1, 3) i GROUP BY 1;
SELECT count(*) FROM dpmix_internal.charge_total;
CREATE FUNCTION dpmix_internal.mine() RETURNS int LANGUAGE sql AS 'SELECT 1';
RESET ROLE;
DROP ROLE dpmix_schema_nobody;
