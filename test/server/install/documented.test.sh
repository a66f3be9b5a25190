#!/usr/bin/env bash
# Every public object says what it is: a COMMENT in the catalog, from which docs/reference.md is made.
# What the guides link to and name is there.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
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
    UNION ALL
    SELECT t.oid::regtype || '.' || a.attname FROM pg_type t JOIN ($members) m ON m.classid = 'pg_type'::regclass AND m.objid = t.oid
    JOIN pg_class c ON c.oid = t.typrelid AND c.relkind = 'c'
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE col_description(c.oid, a.attnum) IS NULL")
if [ -z "$bare" ]; then echo "ok - every column of a public view and of a composite type has a comment"; else
  echo "not ok - columns without a comment:"; echo "$bare"; fi

bare=$(psql -AtXq -c "
    SELECT t.oid::regtype FROM pg_type t JOIN ($members) m ON m.classid = 'pg_type'::regclass AND m.objid = t.oid
    WHERE t.typcategory <> 'A' AND (t.typrelid = 0 OR EXISTS (SELECT FROM pg_class c WHERE c.oid = t.typrelid AND c.relkind = 'c'))
      AND obj_description(t.oid, 'pg_type') IS NULL")
if [ -z "$bare" ]; then echo "ok - every type has a comment"; else
  echo "not ok - types without a comment:"; echo "$bare"; fi

# Not the generator's own list: what psql lists of the schema, whoever may call it.
unlike=$(diff <(sed -n 's/^### dpmix\.//p' docs/reference.md | sort) <(psql -AtXq -c "
    SELECT proname FROM pg_proc WHERE pronamespace = 'dpmix'::regnamespace
    UNION SELECT relname FROM pg_class WHERE relnamespace = 'dpmix'::regnamespace AND relkind IN ('v', 'c')
    UNION SELECT typname FROM pg_type WHERE typnamespace = 'dpmix'::regnamespace AND typtype = 'b' AND typcategory <> 'A'" | sort) || true)
if [ -z "$unlike" ]; then echo "ok - docs/reference.md has an entry for what schema dpmix lists, and no other"; else
  echo "not ok - entries of docs/reference.md (<), what schema dpmix lists (>):"; echo "$unlike"; fi

as_committed() {  # name, what the server and psql are set to
  if PGOPTIONS=$2 docs/reference/page.sh >"$CLUSTER/reference.md" && cmp -s docs/reference.md "$CLUSTER/reference.md"; then
    echo "ok - docs/reference.md is what the COMMENTs make, $1"
  else
    echo "not ok - docs/reference.md is not what the COMMENTs make, $1: make reference"
    diff docs/reference.md "$CLUSTER/reference.md" | head -n 20 || true
  fi
}
as_committed "plainly" ""
as_committed "under other settings" "-c search_path=dpmix,public -c quote_all_identifiers=on -c TimeZone=Asia/Tokyo -c DateStyle=German \
  -c extra_float_digits=-3 -c IntervalStyle=sql_standard -c bytea_output=escape -c standard_conforming_strings=on"
{ psql -q -c "CREATE DATABASE elsewhere TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'tr'" 2>/dev/null ||
  psql -q -c "CREATE DATABASE elsewhere TEMPLATE template0 LOCALE 'C.UTF-8'"; } && psql -q -d elsewhere -c 'CREATE EXTENSION dpmix'
PGDATABASE=elsewhere as_committed "in another locale" ""

if links=$(test/checks/links.sh); then echo "ok - every link of the documentation leads somewhere"; else
  echo "not ok - links that lead nowhere:"; echo "$links"; fi

psql -AtXq -c "LOAD 'dpmix'" -c "
    SELECT proname FROM pg_proc WHERE pronamespace = 'dpmix'::regnamespace AND proname LIKE 'dp\_%'
    UNION SELECT name FROM pg_settings WHERE name LIKE 'dpmix.%'
    UNION SELECT nspname || '.' || name FROM pg_namespace s, LATERAL (
        SELECT proname FROM pg_proc WHERE pronamespace = s.oid
        UNION SELECT relname FROM pg_class WHERE relnamespace = s.oid
        UNION SELECT typname FROM pg_type WHERE typnamespace = s.oid) n(name)
    WHERE nspname IN ('dpmix', 'dpmix_internal')" >"$CLUSTER/names"
# dpmix.so and dpmix.control are files, some names are CONTRIBUTING.md's examples; dpmix::... is C++.
unknown=$({ grep -ohE '\bdpmix(_internal)?\.[a-z_0-9]*[a-z0-9]\b' README.md CONTRIBUTING.md docs/*.md docs/{guide,decisions,proofs}/*.md
            grep -ohE '\bdp_[a-z_]*[a-z]\(' README.md CONTRIBUTING.md docs/*.md docs/{guide,decisions,proofs}/*.md | tr -d '('; } |
          sort -u | grep -vxE 'dpmix\.(so|control|name|example|dp_geomean)|dp_geomean' | grep -vxFf "$CLUSTER/names" || true)
if [ -z "$unknown" ]; then echo "ok - the guides name what is there"; else
  echo "not ok - the guides name what is not there:"; echo "$unknown"; fi

unlisted=$(grep -rohE 'PV[0-9]{3}' src | sort -u | while read -r code; do grep -q "^| $code |" docs/reference.md || echo "$code"; done)
if [ -z "$unlisted" ]; then echo "ok - every SQLSTATE of dpmix is listed"; else echo "not ok - SQLSTATEs that are not listed: $unlisted"; fi
