#!/usr/bin/env bash
# One session keeps a prepared statement (and whatever dpmix remembers of the table) while another
# changes what it may do: each execution goes by what is committed when it starts.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "client_min_messages = warning"

# between NAME CHARGES PATTERN CHANGE [ROLE [UNDO]]: the same statement twice before and once after CHANGE,
# which another session makes. PATTERN is of the third output, CHARGES of all executions. Each time the
# table t is a new one of olga's, with ana as its analyst.
between() {
  cat >"$CLUSTER/change.sql" <<<"$4"
  costs "$1" "$2" "$3" "${5:-ana}" <<SQL
SET plan_cache_mode = force_generic_plan;
PREPARE p AS SELECT sex, n FROM dpmix.query('SELECT sex, dp_count(*), dp_sum(wage) FROM public.t GROUP BY sex', .001) AS t(sex text, n bigint, wages float8);
EXECUTE p \g /dev/null
EXECUTE p \g /dev/null
\! psql -X -q -v ON_ERROR_STOP=1 -U postgres -f '$CLUSTER/change.sql' >/dev/null
EXECUTE p;
SQL
  new_table "${6:-}"
}
round=0
new_table() {  # [statements before]; the ledger forgets the old name, or the new table would inherit what was spent
  round=$((round + 1))
  sql "SET client_min_messages = error; ${1:-SELECT};
    DROP VIEW IF EXISTS v; DROP TABLE IF EXISTS elsewhere, moved.t CASCADE; DROP TABLE IF EXISTS t CASCADE;
    UPDATE dpmix.protected_table SET table_name = table_name || '_$round' WHERE table_name IN ('t', 'elsewhere');
    SET ROLE olga; CREATE TABLE t (id int NOT NULL, sex text, wage float8); CREATE UNIQUE INDEX t_id ON t (id);
    INSERT INTO t SELECT i, 'F', 1 FROM generate_series(1, 50) i; SELECT dpmix.protect('t', 10, 0, privacy_unit => 'id', accountant => 'basic');
    SELECT dpmix.set_bounds('t', 'wage', 0, 100); SELECT dpmix.set_categories('t', 'sex', '{F,M}');
    SELECT dpmix.grant_access('t', 'ana', 5)" >/dev/null
}
sql "CREATE ROLE team; CREATE ROLE other; CREATE SCHEMA moved; GRANT ALL ON SCHEMA moved TO olga" >/dev/null
new_table

# Nothing changes: the third execution is answered, and is a third charge.
between "no change" 3 '^F\|-?[0-9]+ M\|-?[0-9]+ \|-?[0-9]+ $' "SELECT 1"

# Rights.
between "revoke_access" 2 PV006 "SELECT dpmix.revoke_access('t', 'ana')"
between "revoke_access and grant_access again" 3 '^F\|' "SELECT dpmix.revoke_access('t', 'ana'); SELECT dpmix.grant_access('t', 'ana', 5)"
between "a smaller cap" 2 'PV001.*cap of role "ana"' "SELECT dpmix.grant_access('t', 'ana', .002)"
between "a role renamed, and another of its name made: the grant stays with the role" 3 '^F\|' "ALTER ROLE ana RENAME TO ana_gone; CREATE ROLE ana" ana "DROP ROLE ana; ALTER ROLE ana_gone RENAME TO ana"
between "the session's own role dropped" 2 'PV006|42704' "DROP ROLE ana" ana "CREATE ROLE ana LOGIN"
between "EXECUTE on the function revoked" 2 '42501' "REVOKE EXECUTE ON FUNCTION dpmix.query FROM PUBLIC" ana "GRANT EXECUTE ON FUNCTION dpmix.query TO PUBLIC"
sql "GRANT team TO mallory; SELECT dpmix.revoke_access('t', 'ana'); SELECT dpmix.grant_access('t', 'team', 5)" >/dev/null
between "membership revoked" 2 PV006 "REVOKE team FROM mallory" mallory
sql "GRANT team TO mallory; SELECT dpmix.grant_access('t', 'team', 5)" >/dev/null
between "the granted team dropped, and another of its name made" 2 PV006 "REVOKE team FROM mallory; DROP ROLE team; CREATE ROLE team; GRANT team TO mallory" mallory
sql "REVOKE team FROM mallory; GRANT olga TO mallory" >/dev/null
between "membership in the owner revoked" 2 PV006 "REVOKE olga FROM mallory" mallory
sql "ALTER TABLE t OWNER TO mallory" >/dev/null
between "the table given to another owner" 2 PV006 "ALTER TABLE t OWNER TO olga" mallory
sql "ALTER ROLE mallory SUPERUSER" >/dev/null
between "superuser no more" 2 PV006 "ALTER ROLE mallory NOSUPERUSER" mallory
between "the owner changes, the grant stays: the scan runs with the new owner's rights" 3 '^F\|' "ALTER TABLE t OWNER TO other"
between "the owner may no longer read its table" 2 '42501.*permission denied for table t' "REVOKE SELECT ON t FROM olga"

# Budget and terms.
between "a smaller budget" 2 'PV001.*exhausted|PV001' "SELECT dpmix.set_budget('t', .002, 0, 'less')"
between "somebody else spends the rest" 3 'PV001' "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.t', 9.998) AS x(n bigint)"
between "unprotect" 2 PV006 "SELECT dpmix.unprotect('t')"
between "unprotect and protect again: charges resume" 2 'PV001' "SELECT dpmix.unprotect('t'); SELECT dpmix.protect('t', .002, 0, privacy_unit => 'id', accountant => 'basic');
   SELECT dpmix.grant_access('t', 'ana', 5)"
between "unprotect and protect again: access is gone" 2 PV006 "SELECT dpmix.unprotect('t'); SELECT dpmix.protect('t', 10, 0, privacy_unit => 'id', accountant => 'basic')"
between "protected again with another accountant: refused, charges were made for this one" 2 PV006 \
  "SELECT dpmix.unprotect('t'); \\set ON_ERROR_STOP off
   SELECT dpmix.protect('t', 10, 1e-6, privacy_unit => 'id', accountant => 'renyi');"
between "other categories" 3 '^X\|-?[0-9]+ \|-?[0-9]+ $' "SELECT dpmix.set_categories('t', 'sex', '{X}')"
between "a column of another type has no bounds any more" 2 PV003 "ALTER TABLE t ALTER wage TYPE int"
between "the column dropped" 2 42703 "ALTER TABLE t DROP wage"
before=$(last_charge)
between "other bounds are the noise of the very next answer" 3 '^F\|' "SELECT dpmix.set_bounds('t', 'wage', 0, 5000)"
check "as the record says" "100 100 5000" "$(sql "SELECT string_agg((parameters->'statistics'->1->>'sensitivity')::float8::numeric::text, ' ' ORDER BY id) FROM dpmix.charge WHERE id > $before")"

# What must hold of the table.
between "the unit's unique index dropped: one row of each unit counts" 3 '^F\|' "DROP INDEX t_id"
between "the unit may be NULL" 3 '^F\|' "ALTER TABLE t ALTER id DROP NOT NULL"
between "an inheritance child" 3 '^F\|' "CREATE TABLE child () INHERITS (t)"
between "the unit's type has no order" 2 'PV005.*tell privacy units apart' "ALTER TABLE t ALTER id TYPE int[] USING ARRAY[id]"
between "FORCE ROW LEVEL SECURITY" 2 'PV002.*row-level security' "ALTER TABLE t ENABLE ROW LEVEL SECURITY; ALTER TABLE t FORCE ROW LEVEL SECURITY"
between "a policy that hides rows from the analyst" 3 '^F\|' "ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY none ON t USING (false)"

# Another table under the name.
between "dropped" 2 '42P01' "DROP TABLE t"
between "dropped and made anew, not protected" 2 PV006 "DROP TABLE t; CREATE TABLE t (sex text, wage float8)"
between "dropped and made anew by its owner: charges and grants go on" 3 '^F\|' \
  "DROP TABLE t; SET ROLE olga; CREATE TABLE t (id int PRIMARY KEY, sex text, wage float8)"
between "the same without the unit" 2 PV006 "DROP TABLE t; SET ROLE olga; CREATE TABLE t (sex text, wage float8)"
between "renamed, and a plain table in its place" 2 PV006 "ALTER TABLE t RENAME TO elsewhere; CREATE TABLE t (sex text, wage float8)"
between "moved to another schema" 2 42P01 "ALTER TABLE t SET SCHEMA moved"
between "a view in its place" 2 'PV006|PV002' "ALTER TABLE t RENAME TO elsewhere; CREATE VIEW t AS SELECT * FROM elsewhere; GRANT SELECT ON t TO PUBLIC" ana "DROP VIEW t"

# Roles of the session itself.
sql "GRANT bob TO ana; SELECT dpmix.grant_access('people', 'ana', NULL, 0, NULL)" >/dev/null  # ana was re-created above
before=$(last_charge)
costs "SET ROLE between executions: each is charged to the role of its own moment" 3 '.' <<SQL
PREPARE p AS SELECT n FROM $counted;
EXECUTE p; SET ROLE bob; EXECUTE p; RESET ROLE; EXECUTE p;
SQL
check "as the record says" "ana by ana, bob by bob, ana by ana" "$(payers "$before")"
before=$(last_charge)
costs "SET SESSION AUTHORIZATION between executions" 2 'PV006' postgres <<SQL
SET SESSION AUTHORIZATION ana; PREPARE p AS SELECT n FROM $counted; EXECUTE p;
SET SESSION AUTHORIZATION mallory; EXECUTE p; SET SESSION AUTHORIZATION bob; EXECUTE p;
SQL
check "as the record says" "ana by ana, bob by bob" "$(payers "$before")"
costs "search_path between executions finds another table, which is not protected" 1 'PV006' <<SQL
PREPARE p AS SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people', 1e-5) AS t(n bigint);
EXECUTE p; CREATE TEMP TABLE people (x int); EXECUTE p;
SQL

# Snapshots from before a unique index: they still show the rows that were in its way, 500 of one unit.
old="SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.old', 1e4) AS t(n bigint)"
in_old_snapshot() {  # NAME ISOLATION TABLES FILLED ANSWERS CHANGE
  sql "SET client_min_messages = error; DROP TABLE IF EXISTS old; UPDATE dpmix.protected_table SET table_name = 'old_' || id WHERE table_name = 'old';
    SET ROLE olga; $3; INSERT INTO $4 SELECT greatest(i - 499, 1) FROM generate_series(1, 519) AS i;
    SELECT dpmix.protect('old', 1e6, .1, privacy_unit => 'u', accountant => 'basic'); SELECT dpmix.grant_access('old', 'ana')" >/dev/null
  echo "DELETE FROM $4 a USING $4 b WHERE a.u = b.u AND a.ctid > b.ctid; $6" >"$CLUSTER/change.sql"
  check "$1" "$5" "$(PGUSER=ana session <<SQL | tr '\n' ' '
BEGIN ISOLATION LEVEL $2;
SELECT FROM pg_class LIMIT 0;
DECLARE c CURSOR FOR $old;
\! psql -X -q -v ON_ERROR_STOP=1 -U postgres -f '$CLUSTER/change.sql'
$old; FETCH c; COMMIT; $old;
SQL
)"
}
plain="CREATE TABLE old (u int NOT NULL)" indexed="CREATE UNIQUE INDEX ON old (u)"
in_old_snapshot "a unique index is no promise about an older snapshot" "REPEATABLE READ" "$plain" old "20 20 20 " "$indexed"
in_old_snapshot "nor is NOT NULL: rows of nobody" "REPEATABLE READ" "CREATE TABLE old (u int UNIQUE); INSERT INTO old SELECT NULL FROM generate_series(1, 100); CREATE TABLE spare (u int)" \
  spare "0 0 0 " "DELETE FROM old WHERE u IS NULL; ALTER TABLE old ALTER u SET NOT NULL"
in_old_snapshot "nor about an older cursor, once known" "READ COMMITTED" "$plain" old "20 20 20 " "$indexed"
in_old_snapshot "nor about a partition that came after the snapshot" "REPEATABLE READ" "$plain PARTITION BY RANGE (u); $indexed; CREATE TABLE part (u int NOT NULL)" \
  part "20 20 20 " "ALTER TABLE old ATTACH PARTITION part FOR VALUES FROM (1) TO (100)"
attached=$(for i in 1 2 3 4 5 6 7 8 9; do echo "DELETE FROM part$i WHERE u = 1; ALTER TABLE old ATTACH PARTITION part$i FOR VALUES FROM (${i}0) TO (${i}9);"; done)
in_old_snapshot "nor about one with an index of its own: rows that it lost to fit its bounds" "REPEATABLE READ" "$plain PARTITION BY RANGE (u); $indexed; DROP TABLE spare; CREATE TABLE spare (u int);
  $(for i in 1 2 3 4 5 6 7 8 9; do echo "CREATE TABLE part$i (u int NOT NULL UNIQUE); INSERT INTO part$i VALUES (1), (${i}0);"; done)" spare "10 10 9 " "$attached"
if [ "$(sql "SHOW server_version_num")" -ge 180000 ]; then
  in_old_snapshot "nor is NOT NULL that was NOT VALID" "REPEATABLE READ" "CREATE TABLE old (u int UNIQUE); INSERT INTO old SELECT NULL FROM generate_series(1, 100);
    ALTER TABLE old ADD CONSTRAINT nobody NOT NULL u NOT VALID; DROP TABLE spare; CREATE TABLE spare (u int)" \
    spare "0 0 0 " "DELETE FROM old WHERE u IS NULL; ALTER TABLE old VALIDATE CONSTRAINT nobody"
fi

# The table's own index is as old as its rows: 20 units, each once, and each once in a partition that was there. Beyond
# its bounds, until they moved.
in_old_snapshot "nor about one that had the units of another, each once" "REPEATABLE READ" \
  "$plain PARTITION BY RANGE (u); $indexed; CREATE TABLE first PARTITION OF old FOR VALUES FROM (1) TO (100); CREATE TABLE part (u int NOT NULL UNIQUE); INSERT INTO first SELECT generate_series(1, 20); INSERT INTO part SELECT generate_series(1, 20); CREATE TABLE filled (u int)" \
  filled "20 20 40 " "UPDATE part SET u = u + 100; ALTER TABLE old ATTACH PARTITION part FOR VALUES FROM (100) TO (200)"

# The extension itself. Its ledger goes with it, as with the disk: only a superuser can do that.
check "DROP EXTENSION by others is refused" 42501 "$(PGUSER=olga sql "DROP EXTENSION dpmix CASCADE" | grep -o 42501)"
result=$(PGUSER=ana session <<SQL || true
SELECT n IS NOT NULL FROM $counted;
\! psql -XAtq -U postgres -c 'SET client_min_messages = error' -c 'DROP EXTENSION dpmix CASCADE' -c 'CREATE EXTENSION dpmix'
SELECT n FROM $counted;
SQL
)
check_match "a session that knew the old extension's tables asks the new one" 'PV006' "$result"
check "which has no charge" 0 "$(all_charges)"
