#!/usr/bin/env bash
# Facades follow their tables without ever keeping an owner from an ALTER TABLE: beside people who use the facade, where
# the schema's rights are gone, where others' views hang on it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "session_preload_libraries = 'dpmix'"
sql "CREATE SCHEMA private AUTHORIZATION olga; GRANT CREATE ON SCHEMA private TO bob"
PGUSER=olga sql "SELECT dpmix.expose('people', default_epsilon => .1, max_epsilon_per_query => 2)" >/dev/null
columns() { sql "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '${1:-private.people}'::regclass AND attnum > 0"; }
check "its columns" "id sex wage" "$(columns)"

# An analyst whose transaction keeps the view.
mkfifo "$CLUSTER/statements"
PGUSER=ana PGAPPNAME=idle psql -X -q <"$CLUSTER/statements" >/dev/null 2>&1 &
exec 3>"$CLUSTER/statements"
echo "BEGIN; SELECT * FROM private.people LIMIT 0;" >&3
holds() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = 'private.people'::regclass")" != 0 ]; }
wait_until 10 holds
before=$SECONDS
said=$(PGUSER=olga sql "ALTER TABLE people ADD height float8")
check_match "beside one who reads the facade a column is added, with a WARNING" "WARNING.*facade private.people does not follow its table" "$said"
check_match "which says what makes up for it, with the present settings" \
  "HINT:  Make up for it: SELECT dpmix.expose\('public.people', 'private.people', default_epsilon => 0.1, max_epsilon_per_query => 2\)" "$said"
check "and soon" t "$([ $((SECONDS - before)) -lt 8 ] && echo t)"
check "the facade is as it was" "id sex wage" "$(columns)"
check_match "a rename is not followed either" "WARNING.*does not follow" "$(PGUSER=olga sql "ALTER TABLE people RENAME sex TO gender")"
check_match "nor is another owner" "WARNING.*does not follow" "$(sql "ALTER TABLE people OWNER TO bob")"
sql "ALTER TABLE people OWNER TO olga" >/dev/null
check "declarations do not wait" "" "$(PGUSER=olga sql "SELECT dpmix.set_bounds('people', 'height', 0, 3)")"
check "nor does access" "" "$(PGUSER=olga sql "SELECT dpmix.grant_access('people', 'ana', NULL, 0, NULL)")"
echo "COMMIT;" >&3
exec 3>&-
wait
check "expose makes up for it" "private.people" "$(PGUSER=olga sql "SELECT dpmix.expose('people')" 2>&1 | grep -v -e NOTICE -e DETAIL -e HINT -e LOCATION)"
check "old names stay, marked" "id sex wage gender height|no longer a column of the table, or of another type" "$(columns)|$(sql "SELECT col_description('private.people'::regclass, 2)")"
PGUSER=olga sql "SELECT dpmix.expose('people', replace => true)" >/dev/null
check "replaced, it is as the table" "id gender wage height" "$(columns)"
check "who had access may see it" t "$(sql "SELECT has_table_privilege('ana', 'private.people', 'SELECT')")"

# Rights.
sql "ALTER SCHEMA private OWNER TO postgres; REVOKE ALL ON SCHEMA private FROM olga" >/dev/null
check "an owner without rights on the schema alters its table, and is followed" "" "$(PGUSER=olga sql "ALTER TABLE people ADD weight float8")"
check "so" "id gender wage height weight" "$(columns)"
sql "ALTER VIEW private.people OWNER TO mallory" >/dev/null
check_match "a facade of another role's is not changed for it" "WARNING.*facade private.people belongs to another role" "$(PGUSER=olga sql "ALTER TABLE people RENAME height TO size")"
check "so" "id gender wage height weight" "$(columns)"
check_match "nor shown" "WARNING.*private.people belongs to another role" "$(PGUSER=olga sql "SELECT dpmix.grant_access('people', 'ana', NULL, 0, NULL)")"
check_match "a superuser's command is followed, and takes it back" "" "$(sql "ALTER TABLE people RENAME weight TO mass")"
check "so" "id gender wage height mass size olga" "$(columns) $(sql "SELECT relowner::regrole FROM pg_class WHERE oid = 'private.people'::regclass")"
mark() { sql "SELECT coalesce(col_description('private.people'::regclass, attnum), 'none') FROM pg_attribute WHERE attrelid = 'private.people'::regclass AND attname = 'mass'"; }
PGUSER=olga sql "ALTER TABLE people DROP mass" >/dev/null 2>&1
check "a column that goes is marked" "no longer a column of the table, or of another type" "$(mark)"
PGUSER=olga sql "ALTER TABLE people ADD mass float8" >/dev/null
check "one of its name and type takes its place" "none" "$(mark)"

# Names in quotes, and a rename of two columns into each other.
sql "GRANT ALL ON SCHEMA private TO olga" >/dev/null
PGUSER=olga sql "CREATE TABLE \"Odd table\" (\"a b\" int, \"c\"\"d\" int); SELECT dpmix.protect('\"Odd table\"', 8, 1e-6); SELECT dpmix.expose('\"Odd table\"')" >/dev/null
PGUSER=olga sql "ALTER TABLE \"Odd table\" RENAME \"a b\" TO \"x'y\"; ALTER TABLE \"Odd table\" ADD \"Z\" \"char\"" >/dev/null
check "names in quotes" "x'y c\"d Z" "$(columns 'private."Odd table"')"
PGUSER=olga sql "BEGIN; ALTER TABLE \"Odd table\" RENAME \"x'y\" TO t; ALTER TABLE \"Odd table\" RENAME \"c\"\"d\" TO u; ALTER TABLE \"Odd table\" RENAME t TO v; COMMIT" >/dev/null
check "several in a transaction" "v u Z" "$(columns 'private."Odd table"')"
PGUSER=olga sql "BEGIN; ALTER TABLE \"Odd table\" ADD later int; ROLLBACK" >/dev/null
check "what is rolled back is not followed" "v u Z" "$(columns 'private."Odd table"')"

# A typed table, a child, a partition: their columns change with another table's.
PGUSER=olga sql "CREATE TYPE pair AS (a int, b int); CREATE TABLE typed OF pair; CREATE TABLE above (x int); CREATE TABLE child () INHERITS (above);
  SELECT dpmix.protect('typed', 8, 1e-6), dpmix.protect('child', 8, 1e-6); SELECT dpmix.expose('typed'), dpmix.expose('child')" >/dev/null
PGUSER=olga sql "ALTER TYPE pair RENAME ATTRIBUTE a TO c CASCADE; ALTER TYPE pair ADD ATTRIBUTE d text CASCADE; ALTER TABLE above RENAME x TO y; ALTER TABLE above ADD z text" >/dev/null
check "a typed table's" "c b d" "$(columns private.typed)"
check "a child's" "y z" "$(columns private.child)"

# A column that goes with its type; then the name is another's.
PGUSER=olga sql "CREATE TYPE mood AS ENUM ('sad'); ALTER TABLE child ADD feels mood" >/dev/null
check "a column of a type" "y z feels" "$(columns private.child)"
check_match "the type goes with what has it" "" "$(PGUSER=olga sql "DROP TYPE mood CASCADE" 2>&1)"
check "and the facade with it, as any view would" "" "$(sql "SELECT to_regclass('private.child')")"
check "it is forgotten" 0 "$(sql "SELECT count(*) FROM dpmix.facade WHERE view_name = 'child'")"
PGUSER=olga sql "DROP TABLE \"Odd table\"" >/dev/null
check_match "the facade of a dropped table says so" "PV006: the name that facade private.\"Odd table\" stands for is vacant" "$(PGUSER=olga sql "SELECT * FROM private.\"Odd table\"" || true)"
PGUSER=olga sql "CREATE TABLE \"Odd table\" (v int)" >/dev/null
check_match "one of the same name and owner is what it shows again" "PV002" "$(PGUSER=olga sql "SELECT * FROM private.\"Odd table\" WHERE v > 0" || true)"
sql "DROP SCHEMA private CASCADE" >/dev/null 2>&1
check "a schema takes its facades along" 0 "$(sql "SELECT count(*) FROM dpmix.facade")"
check "no process ended by itself" "" "$(grep -e PANIC -e "terminated by signal" "$CLUSTER/log" || true)"
