#!/usr/bin/env bash
# Every public object says what it is: a COMMENT in the catalog, a place in docs/reference.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/cluster.sh
cluster_start
psql -q -c 'CREATE EXTENSION dpmix'

members="SELECT classid, objid FROM pg_depend
         WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
           AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpmix')"

bare=$(psql -AtXq -c "
    SELECT p.oid::regprocedure FROM pg_proc p JOIN ($members) m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
    WHERE obj_description(p.oid, 'pg_proc') IS NULL")
if [ -z "$bare" ]; then echo "ok - every function has a comment"; else
  echo "not ok - functions without a comment:"; echo "$bare"; fi

bare=$(psql -AtXq -c "
    SELECT c.oid::regclass FROM pg_class c JOIN ($members) m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
    WHERE c.relkind IN ('r', 'v') AND obj_description(c.oid, 'pg_class') IS NULL")
if [ -z "$bare" ]; then echo "ok - every table and view has a comment"; else
  echo "not ok - relations without a comment:"; echo "$bare"; fi

bare=$(psql -AtXq -c "
    SELECT c.oid::regclass || '.' || a.attname FROM pg_class c JOIN ($members) m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE c.relkind = 'v' AND has_table_privilege('public', c.oid, 'SELECT') AND col_description(c.oid, a.attnum) IS NULL
      AND NOT (c.relname = 'audit' AND a.attname IN (
          SELECT l.attname FROM pg_attribute l WHERE l.attrelid = 'dpmix.ledger'::regclass))")
if [ -z "$bare" ]; then echo "ok - every column of a public view has a comment"; else
  echo "not ok - columns without a comment:"; echo "$bare"; fi

missing=""
for name in $(psql -AtXq -c "
    SELECT DISTINCT p.proname FROM pg_proc p
    JOIN ($members) m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
    WHERE has_function_privilege('public', p.oid, 'EXECUTE')
      AND NOT EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend))
      AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
      AND NOT EXISTS (SELECT FROM pg_aggregate a WHERE p.oid IN (a.aggtransfn, a.aggcombinefn, a.aggfinalfn))"); do
  grep -q "\b$name\b" docs/reference.md || missing="$missing $name"
done
if [ -z "$missing" ]; then echo "ok - every public function stands in docs/reference.md"; else
  echo "not ok - not in docs/reference.md:$missing"; fi
