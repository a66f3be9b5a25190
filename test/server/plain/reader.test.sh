#!/usr/bin/env bash
# What the planner's hook is told of facades: which views count, which columns they stand for, and how soon a change
# is seen.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
cluster_probe facade_probe -Wno-register -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
sql "CREATE EXTENSION dpmix; CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN; CREATE SCHEMA own AUTHORIZATION olga; GRANT CREATE ON SCHEMA public TO olga;
     CREATE FUNCTION facade_probe(regclass) RETURNS text LANGUAGE c AS '\$libdir/facade_probe';
     CREATE FUNCTION facade_column(regclass, int) RETURNS int LANGUAGE c AS '\$libdir/facade_probe';
     CREATE FUNCTION facade_time(oid) RETURNS float8 LANGUAGE c AS '\$libdir/facade_probe';"
PGUSER=olga sql "CREATE TABLE t (gone int, x int, y varchar(5), z text COLLATE \"C\"); ALTER TABLE t DROP gone; SELECT dpmix.protect('t', 8, 1e-6)" >/dev/null 2>&1
columns() { sql "SELECT string_agg(facade_column('own.t', i)::text, ' ' ORDER BY i) FROM generate_series(-1, 6) i"; }

check "a view is none" "" "$(sql "CREATE VIEW v AS SELECT 1; SELECT facade_probe('v')")"
PGUSER=olga sql "SELECT dpmix.expose('t', 'own.t', default_epsilon => .25, max_epsilon_per_query => 2)" >/dev/null
check "a facade: its table and what is declared" "t 0.25 NaN 2" "$(sql "SELECT facade_probe('own.t')")"
check "its columns, by name; others are none" "0 0 2 3 4 0 0 0" "$(columns)"
check "its table is none" "" "$(sql "SELECT facade_probe('t')")"

# One session that knows the facade, while others change things.
coproc KNOWS { psql -X -q -A -t 2>&1; }
told() { echo "SELECT coalesce(facade_probe('own.t'), 'none');" >&"${KNOWS[1]}"; read -r answer <&"${KNOWS[0]}"; echo "$answer"; }
known="t 0.25 NaN 2"
changed() {  # what expected statement undo
  check "known before: $1" "$known" "$(told)"
  sql "$3" >/dev/null
  check "$1" "$2" "$(told)"
  sql "$4" >/dev/null
}
changed "another owner of the view" none "ALTER VIEW own.t OWNER TO ana" "ALTER VIEW own.t OWNER TO olga"
changed "a superuser's view" "$known" "ALTER VIEW own.t OWNER TO postgres" "ALTER VIEW own.t OWNER TO olga"
changed "an owner who is a member of the table's owner" "$known" "GRANT olga TO ana; ALTER VIEW own.t OWNER TO ana" "SELECT"
changed "who is none any more" none "REVOKE olga FROM ana" "ALTER VIEW own.t OWNER TO olga"
body="$(sql "SELECT pg_get_viewdef('own.t')")"
for other in "SELECT x, y, z FROM t" "SELECT NULL::int AS x, NULL::varchar(5) AS y, NULL::text COLLATE \"C\" AS z" "${body%;} WHERE true AND 1 < 2" "${body%;} LIMIT 1" \
  "SELECT DISTINCT * FROM (${body%;}) s" "SELECT * FROM (${body%;}) s" "${body/"'::bigint"/"'::bigint + 0"}" "$(sed "s/guard('[0-9]*'/guard('999'/" <<<"$body")"; do
  changed "another body: $(tr -s ' \n' ' ' <<<"$other")" none "CREATE OR REPLACE VIEW own.t AS $other" "CREATE OR REPLACE VIEW own.t AS $body"
done
changed "the table unprotected" none "SELECT dpmix.unprotect('t')" "SELECT dpmix.protect('t', 8, 1e-6)"
changed "other settings" "t NaN 1e-09 NaN" "SELECT dpmix.expose('t', 'own.t', default_delta => 1e-9)" \
  "SELECT dpmix.expose('t', 'own.t', default_epsilon => .25, max_epsilon_per_query => 2)"
changed "a name that no trigger saw" none "SET session_replication_role = replica; ALTER EVENT TRIGGER dpmix_follow_ddl DISABLE; ALTER VIEW own.t RENAME TO moved; CREATE VIEW own.t AS SELECT 1" \
  "DROP VIEW own.t; ALTER VIEW own.moved RENAME TO t; ALTER EVENT TRIGGER dpmix_follow_ddl ENABLE ALWAYS"
check "in a transaction that is rolled back" "none|$known" "$(session <<SQL | paste -sd'|'
BEGIN; UPDATE dpmix.facade SET view = 0; SELECT coalesce(facade_probe('own.t'), 'none'); ROLLBACK; SELECT facade_probe('own.t');
SQL
)"
sql "ALTER TABLE dpmix.facade DISABLE TRIGGER announce" >/dev/null
changed "where the trigger is disabled, rows are read each time" none "UPDATE dpmix.facade SET view_name = 'u'" "UPDATE dpmix.facade SET view_name = 't'"
check "and known again" "$known" "$(told)"
sql "ALTER TABLE dpmix.facade ENABLE ALWAYS TRIGGER announce" >/dev/null

PGUSER=olga sql "ALTER TABLE t ALTER y TYPE varchar(6); ALTER TABLE t DROP x; ALTER TABLE t ADD x int" >/dev/null 2>&1
check "a column of another type is none; one of the same name and type is" "0 0 5 0 4 0 0 0" "$(columns)"
PGUSER=olga sql "ALTER TABLE t ALTER z TYPE text COLLATE \"POSIX\"" >/dev/null 2>&1
check "nor is one of another collation" "0 0 5 0 0 0 0 0" "$(columns)"

# Bounds above what was measured (below 100 ns), for a machine that does other things too.
check "whether there are facades is known within a microsecond" t "$(sql "SELECT min(facade_time(0)) < 1000 FROM generate_series(1, 3)")"
check "and which, for one of them" t "$(sql "SELECT min(facade_time('own.t'::regclass)) < 1000 FROM generate_series(1, 3)")"
echo "# nanoseconds: have_facades $(sql "SELECT round(min(facade_time(0))::numeric, 1) FROM generate_series(1, 3)"), facade_of_view $(sql "SELECT round(min(facade_time('own.t'::regclass))::numeric, 1) FROM generate_series(1, 3)")"
sql "SELECT dpmix.hide('own.t')" >/dev/null
check "without any, too" t "$(sql "SELECT min(facade_time(0)) < 1000 FROM generate_series(1, 3)")"
sql "CREATE DATABASE none" >/dev/null
sql "CREATE FUNCTION facade_time(oid) RETURNS float8 LANGUAGE c AS '\$libdir/facade_probe'" none
check "and in a database without dpmix" t "$(sql "SELECT min(facade_time(0)) < 1000 FROM generate_series(1, 3)" none)"
