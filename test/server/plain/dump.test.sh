#!/usr/bin/env bash
# Facades in dumps: restored, they are known again once the ledger is adopted; until then their guard says so. An
# extension that goes takes them along.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "session_preload_libraries = 'dpmix'"
sql "CREATE SCHEMA private; GRANT CREATE, USAGE ON SCHEMA private TO PUBLIC; CREATE COLLATION \"Loud\" FROM \"C\""
PGUSER=olga sql "ALTER TABLE people ADD shout text COLLATE \"Loud\", ADD born date; CREATE TABLE gone (x int); SELECT dpmix.protect('gone', 8, 1e-6);
  SELECT dpmix.expose('gone', 'private.first'), dpmix.expose('people', default_epsilon => .1, default_delta => 1e-9, max_epsilon_per_query => 2, comments => true);
  CREATE VIEW private.above AS SELECT sex FROM private.people; SELECT dpmix.hide('private.first')" >/dev/null
# A view over a protected table, with a facade and a declaration.
PGUSER=olga sql "CREATE TABLE stays (person int NOT NULL, cost float8); INSERT INTO stays SELECT i, i FROM generate_series(1, 100) AS i;
  SELECT dpmix.protect('stays', 1e6, 1e-6, privacy_unit => 'person'); CREATE VIEW curated AS SELECT person, cost * 2 AS twice FROM stays;
  SELECT FROM dpmix.declare('curated', '{\"twice\": [0, 50]}'); SELECT dpmix.expose('curated', default_epsilon => 1e5);
  SELECT dpmix.grant_access('curated', 'ana')" >/dev/null
of_view() { PGUSER=ana sql "SET client_min_messages = warning; SELECT avg(twice) BETWEEN 42 AND 46 FROM private.curated" "$1" 2>&1; }
check "a view is asked within what is declared" t "$(of_view postgres)"
cluster_probe facade_probe -Wno-register -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
probe() { sql "CREATE OR REPLACE FUNCTION facade_probe(regclass) RETURNS text LANGUAGE c AS '\$libdir/facade_probe'" "$1"; sql "SELECT facade_probe('private.people')" "$1"; }
shape() { sql "SELECT attname, format_type(atttypid, atttypmod), attcollation::regcollation, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'private.people'::regclass AND attnum > 0 ORDER BY attnum" "$1"; }
said() { PGUSER=ana psql -X -q -A -t -d "$1" -v VERBOSITY=verbose <<<"SELECT * FROM private.people LIMIT 0; SELECT * FROM private.people WHERE wage > 0;" 2>&1 | sed -n 's/^ERROR:  //p'; }
check "known here" "people 0.1 1e-09 2" "$(probe postgres)"

"$BIN/pg_dump" -f "$CLUSTER/plain.sql" postgres
"$BIN/pg_dump" -Fd -j2 -f "$CLUSTER/folder" postgres
check "the dump of the view is its definition" 1 "$(grep -c 'CREATE VIEW private.people' "$CLUSTER/plain.sql")"
sql "CREATE DATABASE plain; " >/dev/null; sql "CREATE DATABASE folder" >/dev/null
# Something with the oids that were theirs.
psql -X -q -v ON_ERROR_STOP=1 -d plain -f "$CLUSTER/plain.sql" >/dev/null
"$BIN/pg_restore" -j2 -d folder "$CLUSTER/folder"
for db in plain folder; do
  check "$db: the view is as it was" "$(shape postgres)" "$(shape $db)"
  check "$db: no facade yet" "" "$(probe $db)"
  check "$db: its guard says so" "PV004: the privacy catalog does not recognise facade private.people" "$(said $db)"
  check_match "$db: nor is it hidden" "PV005: private.people is no facade" "$(PGUSER=olga sql "SELECT dpmix.hide('private.people')" $db || true)"
  check_match "$db: nor made again" "PV004" "$(PGUSER=olga sql "SELECT dpmix.expose('people')" $db || true)"
  check "$db: the table is altered all the same" "" "$(PGUSER=olga sql "ALTER TABLE people ADD early int" $db)"
  sql "SELECT dpmix.adopt_ledger('restored')" $db >/dev/null
  check "$db: adopted, it is known" "people 0.1 1e-09 2" "$(probe $db)"
  check_match "$db: who had access may see it" "PV002" "$(said $db)"
  check "$db: the facade of a view, and what is declared of the view" t "$(of_view $db)"
  check "$db: it follows again" "early|late" "$(PGUSER=olga sql "ALTER TABLE people ADD late int" $db; sql "SELECT string_agg(attname, '|' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'private.people'::regclass AND attnum > 5" $db)"
  check "$db: the next facade has an identity of its own" "private.other 2 3 4" "$(PGUSER=olga sql "SELECT dpmix.expose('people', 'private.other')" $db) $(sql "SELECT string_agg(id::text, ' ' ORDER BY id) FROM dpmix.facade" $db)"
done
# Rights that a dump left out come with the next grant.
sql "CREATE DATABASE bare OWNER olga" >/dev/null
"$BIN/pg_restore" --no-privileges --no-owner -d bare "$CLUSTER/folder"
sql "SELECT dpmix.adopt_ledger('restored')" bare >/dev/null
check "--no-owner: table and facade belong to who restored them" "people 0.1 1e-09 2" "$(probe bare)"
check_match "--no-privileges: nobody sees it" "42501" "$(said bare)"
sql "SELECT dpmix.grant_access('people', 'ana')" bare >/dev/null 2>&1
check_match "until access is granted again" "PV002" "$(said bare)"
# A view of its name that is none.
sql "CREATE DATABASE odd" >/dev/null
"$BIN/pg_dump" postgres | sed 's/\(FROM dpmix_internal.facade_guard.*\);/\1 LIMIT 0;/' | psql -X -q -d odd >/dev/null 2>&1
sql "SELECT dpmix.adopt_ledger('restored')" odd >/dev/null
check "restored with another body it is none" "" "$(probe odd)"
check "pg_dump without the schema: the row finds no view" "0" "$(sql "CREATE DATABASE lost" >/dev/null; "$BIN/pg_dump" -N private postgres | psql -X -q -d lost >/dev/null; sql "SELECT dpmix.adopt_ledger('restored')" lost >/dev/null; sql "SELECT max(view::int) FROM dpmix.facade" lost)"
check "and expose makes it" "private.people" "$(sql "SELECT dpmix.expose('people')" lost | tail -n 1)"

# DROP EXTENSION.
check_match "others' views hang on facades" "cannot drop extension dpmix because other objects depend on it" "$(sql "DROP EXTENSION dpmix" folder 2>&1 || true)"
check "so nothing is gone" "people 0.1 1e-09 2" "$(probe folder)"
sql "DROP VIEW private.above; DROP TABLE stays CASCADE; DROP EXTENSION dpmix" folder >/dev/null 2>&1
check "the extension takes its facades along, and leaves the table" "||||people" "$(sql "SELECT to_regclass('private.people'), to_regclass('private.other'), to_regclass('private.curated'), to_regclass('dpmix.view_column'), to_regclass('people')" folder)"
check "nothing of it is left in the catalogs" 0 "$(sql "SELECT count(*) FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND classid = 'pg_class'::regclass" folder)"
