#!/usr/bin/env bash
# Who may make, see and drop facades: owners, their groups, superusers, analysts, roles that come and go.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "session_preload_libraries = 'dpmix'"
cluster_probe facade_probe -Wno-register -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
sql "CREATE FUNCTION facade_probe(regclass) RETURNS text LANGUAGE c AS '\$libdir/facade_probe'"
sees() { sql "SELECT has_table_privilege('$1', '${2:-private.people}', 'SELECT')"; }
as() { PGUSER=$1 sql "$2" 2>&1 || true; }
owner_of() { sql "SELECT relowner::regrole FROM pg_class WHERE oid = '$1'::regclass"; }

check_match "an owner who may not create schemas is told what to do" "42501: there is no schema \"private\".*" "$(as olga "SELECT dpmix.expose('people')")"
check_match "by its HINT" "HINT:  Name a schema of its own: view => 'schema.name'. Or a superuser writes CREATE SCHEMA private" "$(as olga "SELECT dpmix.expose('people')")"
check "nothing is left of it" "0|f" "$(sql "SELECT (SELECT count(*) FROM dpmix.facade), to_regnamespace('private') IS NOT NULL")"
for role in ana bob mallory; do
  check_match "$role, who does not own the table, makes none" "42501: must be owner of table people" "$(as $role "SELECT dpmix.expose('people', 'public.mine')")"
done

# A superuser makes it for the owner.
check "a superuser's expose" "private.people" "$(sql "SELECT dpmix.expose('people')")"
check "the facade is its table's owner's, the schema the superuser's" "olga postgres" "$(owner_of private.people) $(sql "SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'private'")"
check "roles with access see it" "t t f" "$(sees ana) $(sees bob) $(sees mallory)"
check "and may name it" "" "$(as ana "SELECT * FROM private.people LIMIT 0")"
check_match "mallory may not" "42501: permission denied for schema private" "$(as mallory "SELECT * FROM private.people LIMIT 0")"
for role in ana bob mallory; do
  check_match "$role does not drop it" "42501" "$(as $role "SELECT dpmix.hide('private.people')")"
  check_match "$role does not drop it by hand" "42501" "$(as $role "DROP VIEW private.people")"
  check_match "$role does not replace its body" "42501" "$(as $role "CREATE OR REPLACE VIEW private.people AS SELECT 1 AS id, ''::text AS sex, 1::float8 AS wage")"
done
check "the owner drops and makes it again, though the schema is the superuser's" "t" "$(as olga "SELECT dpmix.hide('private.people')" >/dev/null; sql "GRANT CREATE ON SCHEMA private TO olga"; as olga "SELECT dpmix.expose('people')" >/dev/null; sees ana)"
check "an owner without a right to the schema still grants access" "t" "$(sql "REVOKE ALL ON SCHEMA private FROM olga"; as olga "SELECT dpmix.grant_access('people', 'mallory')" >/dev/null; sees mallory)"
check_match "and is told what it could not grant" "WARNING.*schema private belongs to another role" "$(sql "REVOKE USAGE ON SCHEMA private FROM mallory"; as olga "SELECT dpmix.grant_access('people', 'mallory')")"
as olga "SELECT dpmix.revoke_access('people', 'mallory')" >/dev/null
check "access that is taken back hides it" f "$(sees mallory)"

# Schemas of others.
sql "CREATE SCHEMA trap AUTHORIZATION mallory; GRANT ALL ON SCHEMA trap TO PUBLIC"
check_match "a schema of another role's could have the facade replaced" "PV005: schema \"trap\" belongs to another role" "$(as olga "SELECT dpmix.expose('people', 'trap.people')")"
check_match "for a superuser's call, too" "PV005: schema \"trap\" belongs to another role" "$(sql "SELECT dpmix.expose('people', 'trap.people')" || true)"
check "schema public is the database owner's, here a superuser's" "shown" "$(as olga "SELECT dpmix.expose('people', 'public.shown')")"
sql "ALTER DATABASE postgres OWNER TO mallory"
check_match "where it is another's it is refused" "PV005: schema \"public\" belongs to another role" "$(as olga "SELECT dpmix.expose('people', 'public.again')")"
sql "ALTER DATABASE postgres OWNER TO postgres"
as olga "SELECT dpmix.hide('shown')" >/dev/null
for schema in pg_catalog dpmix dpmix_internal; do
  check_match "no facade in $schema" "42501" "$(as olga "SELECT dpmix.expose('people', '$schema.people')")"
done
check_match "what is there is not overwritten" "PV005: public.people is there already" "$(as olga "SELECT dpmix.expose('people', 'public.people')")"

# A facade that somebody else got.
sql "ALTER VIEW private.people OWNER TO mallory" >/dev/null
check "one of another role's is none" "" "$(sql "SELECT facade_probe('private.people')")"
check_match "nor may its table's owner take it" "42501: must be owner of view people" "$(as olga "SELECT dpmix.expose('people')")"
check "a superuser gives it back" "private.people|olga people NaN NaN NaN" "$(sql "SELECT dpmix.expose('people')")|$(owner_of private.people) $(sql "SELECT facade_probe('private.people')")"

# Groups.
sql "CREATE ROLE clerks; GRANT clerks TO mallory; CREATE ROLE owners; GRANT owners TO bob; CREATE SCHEMA owned AUTHORIZATION owners" >/dev/null
as olga "SELECT dpmix.grant_access('people', 'clerks')" >/dev/null
check "members see what their group sees" t "$(sees mallory)"
sql "CREATE TABLE shared (x int); ALTER TABLE shared OWNER TO owners" >/dev/null
as bob "SELECT dpmix.protect('shared', 8, 1e-6)" >/dev/null
check "a member of the owner makes a facade" "owned.shared" "$(as bob "SELECT dpmix.expose('shared', 'owned.shared')")"
check "which is the owner's" "owners|shared NaN NaN NaN" "$(owner_of owned.shared)|$(sql "SELECT facade_probe('owned.shared')")"
check "and drops it" "" "$(as bob "SELECT dpmix.hide('owned.shared')")"

# Roles that come and go.
as olga "SELECT dpmix.revoke_access('people', 'clerks')" >/dev/null
check_match "a role that sees a facade is dropped as any that was granted something" "2BP01.*" "$(sql "DROP ROLE ana" || true)"
sql "ALTER ROLE ana RENAME TO anna" >/dev/null
as olga "SELECT dpmix.revoke_access('people', 'bob')" >/dev/null
sql "DROP OWNED BY anna; DROP ROLE anna; CREATE ROLE ana LOGIN; GRANT CREATE ON SCHEMA private TO olga; GRANT USAGE ON SCHEMA private TO olga, ana" >/dev/null
as olga "SELECT dpmix.expose('people', replace => true)" >/dev/null
check "one made again under its name does not see it" f "$(sees ana)"
check "nor does unprotect stumble over the one that is gone" "" "$(as olga "SELECT dpmix.unprotect('people')")"
as olga "SELECT dpmix.protect('people', 1e6, .1, accountant => 'basic')" >/dev/null
check "protected again, the facade counts again" "people NaN NaN NaN" "$(sql "SELECT facade_probe('private.people')")"
sql "REASSIGN OWNED BY olga TO bob" >/dev/null
check "REASSIGN OWNED: table and facade" "bob bob people NaN NaN NaN" "$(owner_of people) $(owner_of private.people) $(sql "SELECT facade_probe('private.people')")"

# What is on the facade is nobody's way to the table.
for privilege in SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES TRIGGER; do
  check "$privilege on the table is nobody's" "" "$(sql "SELECT string_agg(rolname, ',') FROM pg_roles WHERE NOT rolsuper AND rolname IN ('ana', 'olga', 'mallory', 'clerks') AND has_table_privilege(rolname, 'people', '$privilege')")"
done
check "no process ended by itself" "" "$(grep -e PANIC -e "terminated by signal" "$CLUSTER/log" || true)"
