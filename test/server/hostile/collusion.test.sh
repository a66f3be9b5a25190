#!/usr/bin/env bash
# Groups of analysts against a table's budget and their caps; games with roles, memberships and grants.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster
version=$(sql "SHOW server_version_num")
# A table with a budget, counted in tenths: ask TABLE EPSILON is a statement that prints a number or an error.
ask() { echo "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.$1', $2) AS t(n bigint);"; }
table() {  # name epsilon
  PGUSER=olga sql "CREATE TABLE $1 (x int); SELECT dpmix.protect('$1', $2, 0, accountant => 'basic')" >/dev/null
}
grant() { PGUSER=olga sql "SELECT dpmix.grant_access('$1', '$2', ${3:-NULL}, 0, NULL)" >/dev/null; }
total() { sql "SELECT sum(epsilon) FROM dpmix.charge WHERE relation = 'public.$1'"; }
sql "CREATE ROLE team; CREATE ROLE crew; CREATE ROLE carl LOGIN; CREATE ROLE dave LOGIN" >/dev/null

# The table's filter is over all roles.
table shared 1; for role in ana bob carl; do grant shared $role .7; done
costs "the first of a group" 1 '-?[0-9]+ $' ana <<<"$(ask shared .5)"
costs "the second gets what is left" 1 '-?[0-9]+ .*PV001' bob <<<"$(ask shared .5) $(ask shared .1)"
costs "the third gets nothing, whatever its cap" 0 'PV001.*exhausted|PV001' carl <<<"$(ask shared .000001)"
check "together they have the budget" 1.0 "$(total shared)"
table raced 1; grant raced ana; grant raced bob
echo "DO \$\$ BEGIN PERFORM n FROM dpmix.query('SELECT dp_count(*) FROM public.raced', .01) AS t(n bigint); EXCEPTION WHEN SQLSTATE 'PV001' THEN NULL; END \$\$;" >"$CLUSTER/race.sql"
"$BIN/pgbench" -n -U ana -c 4 -t 20 -f "$CLUSTER/race.sql" >/dev/null 2>&1 & pgbench_ana=$!
"$BIN/pgbench" -n -U bob -c 4 -t 20 -f "$CLUSTER/race.sql" >/dev/null 2>&1; wait $pgbench_ana
check "two roles racing 160 queries of .01 for a budget of 1 get exactly 100" "100|1.00" "$(sql "SELECT count(*), sum(epsilon) FROM dpmix.charge WHERE relation = 'public.raced'")"

# Caps: of a grant, not of a person.
table capped 10; grant capped ana .3; grant capped team .5; grant capped crew .4
sql "GRANT team TO carl, dave; GRANT crew TO carl" >/dev/null
costs "members of a team share its cap" 1 '-?[0-9]+ $' carl <<<"$(ask capped .4)"
costs "which one of them used up" 1 'PV001.*cap of role "team".* -?[0-9]+ $' dave <<<"$(ask capped .2) $(ask capped .1)"
costs "a member of two granted roles pays by the wider grant" 0 'PV001.*cap of role "team"' carl <<<"$(ask capped .1)"
costs "and may pay by the other after SET ROLE: a cap is of a grant" 1 'PV001|-?[0-9]+' carl <<<"SET ROLE crew; $(ask capped .4) $(ask capped .1)"
check "no grant spent more than its cap" "crew 0.4, team 0.5" "$(sql "SELECT string_agg(granted_to || ' ' || e, ', ' ORDER BY granted_to) FROM (SELECT granted_to, sum(epsilon) e FROM dpmix.charge WHERE relation = 'public.capped' GROUP BY 1) s")"
sql "GRANT team TO ana" >/dev/null
costs "a role with a cap of its own pays by it, though a team's is wider" 0 'PV001.*cap of role "ana"' ana <<<"$(ask capped .4)"
costs "as itself" 1 '-?[0-9]+ $' ana <<<"$(ask capped .3)"
PGUSER=olga sql "SELECT dpmix.revoke_access('capped', 'ana'); SELECT dpmix.grant_access('capped', 'ana', .3, 0, NULL)" >/dev/null
costs "revoke and grant again: the cap counts what was charged before" 0 'PV001.*cap of role "ana"' ana <<<"$(ask capped .1)"

# Memberships.
table membered 10; grant membered team
sql "ALTER ROLE dave NOINHERIT; REVOKE team FROM dave; GRANT team TO dave" >/dev/null
costs "a member that does not inherit has no access" 0 PV006 dave <<<"$(ask membered .1)"
costs "unless it sets the role" 1 '-?[0-9]+ $' dave <<<"SET ROLE team; $(ask membered .1)"
sql "CREATE ROLE subteam ROLE bob; GRANT team TO subteam" >/dev/null
before=$(last_charge)
costs "membership through another role" 1 '-?[0-9]+ $' bob <<<"$(ask membered .1)"
check "is charged to who called, by the grant that gave it" "bob by team" "$(payers "$before")"
costs "nobody grants itself a membership" 0 '42501.*PV006' mallory <<<"GRANT team TO mallory; $(ask membered .1)"
costs "nor by creating a role in it" 0 '42501' mallory <<<"CREATE ROLE puppet IN ROLE team;"
sql "CREATE ROLE connie LOGIN CREATEROLE" >/dev/null
if [ "$version" -ge 160000 ]; then
  costs "CREATEROLE gives no membership without ADMIN OPTION" 0 '42501.*PV006' connie <<<"GRANT team TO connie; $(ask membered .1)"
else
  # Before 16 PostgreSQL lets CREATEROLE grant every role that is no superuser: not dpmix's to forbid.
  before=$(last_charge)
  costs "CREATEROLE before 16 grants itself any role: charged to it, by that role's grant" 1 '-?[0-9]+ $' connie <<<"GRANT team TO connie; $(ask membered .1)"
  check "on record" "connie by team" "$(payers "$before")"
  sql "REVOKE team FROM connie" >/dev/null
fi

# Who is granted: roles, as they are now.
check_match "PUBLIC is no role" '42704|PV005' "$(PGUSER=olga sql "SELECT dpmix.grant_access('membered', 'public')")"
check_match "nor is 0" 'PV005' "$(PGUSER=olga sql "SELECT dpmix.grant_access('membered', 0)")"
check_match "an analyst grants nothing" 42501 "$(PGUSER=ana sql "SELECT dpmix.grant_access('people', 'mallory')")"
check_match "nor raises its cap" 42501 "$(PGUSER=ana sql "SELECT dpmix.grant_access('capped', 'ana', 1e6)")"
check_match "nor the budget" 42501 "$(PGUSER=ana sql "SELECT dpmix.set_budget('capped', 1e6, 0, 'more')")"
check_match "the owner of another table neither" 42501 "$(PGUSER=mallory sql "CREATE TABLE mine (x int); SELECT dpmix.protect('mine', 1, 0, accountant => 'basic'); SELECT dpmix.set_bounds('people', 'wage', 0, 1)" | tail -2)"
for call in "protect('people', 1, 0, accountant => 'basic')" "unprotect('people')" "set_categories('people', 'sex', '{F}')" "revoke_access('people', 'bob')" "adopt_ledger('mine now')"; do
  check_match "an analyst may not $call" 42501 "$(PGUSER=ana sql "SELECT dpmix.$call")"
done
table renamed 10; grant renamed carl .5
sql "ALTER ROLE carl RENAME TO karl; CREATE ROLE carl LOGIN" >/dev/null
costs "a new role under an old name has no access" 0 PV006 carl <<<"$(ask renamed .1)"
costs "the old role under a new name has" 1 '-?[0-9]+ $' karl <<<"$(ask renamed .1)"
sql "DROP OWNED BY karl; DROP ROLE karl, carl; CREATE ROLE karl LOGIN" >/dev/null
costs "dropped and re-created it has none" 0 PV006 karl <<<"$(ask renamed .1)"

# Names of tables: records stay where the charges were made.
sql "CREATE ROLE hannah LOGIN; GRANT CREATE ON DATABASE postgres TO hannah, mallory" >/dev/null
PGUSER=hannah sql "CREATE SCHEMA hr; CREATE TABLE hr.staff (x int); SELECT dpmix.protect('hr.staff', 1, 0, accountant => 'basic')" >/dev/null
costs "a table in a schema of its own" 1 '-?[0-9]+ $' hannah <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM hr.staff', 1) AS t(n bigint);"
PGUSER=hannah sql "DROP SCHEMA hr CASCADE" >/dev/null 2>&1
PGUSER=mallory sql "CREATE SCHEMA hr; ALTER SCHEMA hr RENAME TO junk" >/dev/null
PGUSER=hannah sql "CREATE SCHEMA hr; CREATE TABLE hr.staff (x int); SELECT dpmix.protect('hr.staff', 1, 0, accountant => 'basic')" >/dev/null
costs "renaming an empty schema takes no record of a dropped table along" 0 PV001 hannah <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM hr.staff', 1) AS t(n bigint);"
PGUSER=hannah sql "ALTER SCHEMA hr RENAME TO hr2" >/dev/null
costs "after the schema has got another name nothing is answered" 0 PV006 hannah <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM hr2.staff', 1) AS t(n bigint);"
PGUSER=hannah sql "SELECT dpmix.move_record('hr.staff', 'hr2.staff')" >/dev/null
costs "the record follows the table with what was charged" 0 PV001 hannah <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM hr2.staff', 1) AS t(n bigint);"
