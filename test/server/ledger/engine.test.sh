#!/usr/bin/env bash
# What the ledger keeps in mind is as true as what it would read: rights and budgets that change
# behind a session's back, rows that others write, checkpoints, two builds of the library at once.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 60s"

race() {  # clients calls statement
  echo "$3" >"$CLUSTER/race.sql"
  "$BIN/pgbench" -n -c "$1" -j 2 -t "$2" -f "$CLUSTER/race.sql" postgres >/dev/null 2>&1 || true
}

# --- Rights and budgets. ---

charge_around() {  # role table change [database]: outcomes of a charge before and after another session's change
  PGUSER=$1 session "${4:-postgres}" <<SQL | sed -n 's/^t$/t/p; s/.*ERROR:  \(PV...\).*/\1/p' | paste -sd' '
SELECT charge_probe('$2', .001) > 0;
\! psql -X -q -U postgres -d ${4:-postgres} -c "$3" >/dev/null 2>&1
SELECT charge_probe('$2', .001) > 0;
SQL
}
seen() {  # name role table change
  check "seen at once: $1" "t PV00$5" "$(charge_around "$2" "$3" "$4" || true)"
}

sql "CREATE ROLE ana LOGIN; CREATE ROLE team; CREATE ROLE bea LOGIN IN ROLE team; CREATE ROLE olga LOGIN; CREATE ROLE sue LOGIN SUPERUSER;
     CREATE ROLE dora LOGIN; CREATE SCHEMA s; GRANT USAGE ON SCHEMA s TO PUBLIC;
     CREATE TABLE s.t (id int NOT NULL UNIQUE, x int, y text); ALTER TABLE s.t OWNER TO olga;
     SELECT dpmix.protect('s.t', 100, 0, accountant => 'basic', privacy_unit => 'id');
     SELECT dpmix.grant_access('s.t', 'ana'); SELECT dpmix.grant_access('s.t', 'team')" >/dev/null
count_plans
reads() { echo "SELECT plans_over('dpmix.protected_table') AS n \gset $1"; }
check "a second charge reads nothing of the catalog" t "$(session <<SQL | tail -1
$(reads zero_)
BEGIN; SELECT charge_probe('s.t', .001);
$(reads first_)
SELECT charge_probe('s.t', .001);
$(reads second_)
SELECT :first_n = :second_n AND :first_n > 0; ROLLBACK;
SQL
)"
seen "revoke_access" ana s.t "SELECT dpmix.revoke_access('s.t', 'ana')" 6
sql "SELECT dpmix.grant_access('s.t', 'ana')" >/dev/null
of_ana="SELECT number FROM dpmix_internal.bound_role WHERE rolname = 'ana'"
seen "a superuser's DELETE of the grant" ana s.t "DELETE FROM dpmix.access WHERE role IN ($of_ana)" 6
sql "SELECT dpmix.grant_access('s.t', 'ana')" >/dev/null
seen "the same where ordinary triggers do not fire" ana s.t "SET session_replication_role = replica; DELETE FROM dpmix.access WHERE role IN ($of_ana)" 6
sql "SELECT dpmix.grant_access('s.t', 'ana')" >/dev/null
seen "the same after the trigger was disabled" ana s.t "ALTER TABLE dpmix.access DISABLE TRIGGER announce; DELETE FROM dpmix.access WHERE role IN ($of_ana)" 6
sql "SELECT dpmix.grant_access('s.t', 'ana')" >/dev/null
seen "the same while it is disabled" ana s.t "DELETE FROM dpmix.access WHERE role IN ($of_ana)" 6
sql "ALTER TABLE dpmix.access ENABLE ALWAYS TRIGGER announce; SELECT dpmix.grant_access('s.t', 'ana')" >/dev/null
seen "TRUNCATE of the grants" ana s.t "TRUNCATE dpmix.access" 6
sql "SELECT dpmix.grant_access('s.t', 'ana'); SELECT dpmix.grant_access('s.t', 'team')" >/dev/null
seen "a cap" ana s.t "SELECT dpmix.grant_access('s.t', 'ana', 0.001)" 1
seen "REVOKE of a membership" bea s.t "REVOKE team FROM bea" 6
sql "GRANT team TO bea" >/dev/null
seen "DROP ROLE of the granted one" bea s.t "DROP ROLE team" 6
seen "NOSUPERUSER" sue s.t "ALTER ROLE sue NOSUPERUSER" 6
seen "OWNER TO another" olga s.t "ALTER TABLE s.t OWNER TO sue" 6
sql "ALTER TABLE s.t OWNER TO olga" >/dev/null
seen "unprotect" olga s.t "SELECT dpmix.unprotect('s.t')" 6
sql "SELECT dpmix.protect('s.t', 100, 0, accountant => 'basic', privacy_unit => 'id')" >/dev/null
seen "a superuser's UPDATE of the protection" olga s.t "UPDATE dpmix.protected_table SET active = false WHERE schema_name = 's'" 6
sql "UPDATE dpmix.protected_table SET active = true WHERE schema_name = 's'" >/dev/null
seen "set_budget" olga s.t "SELECT dpmix.set_budget('s.t', 0.001, 0, 'less')" 1
sql "SELECT dpmix.set_budget('s.t', 100, 0, 'more')" >/dev/null
seen "a superuser's INSERT of a budget" olga s.t "INSERT INTO dpmix.budget_change (table_id, epsilon, delta, reason, role) SELECT id, 0.001, 0, 'less', 'postgres' FROM dpmix.protected_table WHERE schema_name = 's'" 1
sql "SELECT dpmix.set_budget('s.t', 100, 0, 'more')" >/dev/null
seen "FORCE ROW LEVEL SECURITY" olga s.t "ALTER TABLE s.t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY" 2
sql "ALTER TABLE s.t NO FORCE ROW LEVEL SECURITY" >/dev/null
seen "an inheritance child under a privacy unit" olga s.t "CREATE TABLE s.child () INHERITS (s.t)" 2
sql "DROP TABLE s.child" >/dev/null
seen "DROP NOT NULL of the privacy unit" olga s.t "ALTER TABLE s.t ALTER id DROP NOT NULL" 2
sql "ALTER TABLE s.t ALTER id SET NOT NULL" >/dev/null
seen "its unique index dropped" olga s.t "ALTER TABLE s.t DROP CONSTRAINT t_id_key" 2
sql "ALTER TABLE s.t ADD UNIQUE (id)" >/dev/null
check "a schema that was renamed and got its name back is charged on" "t t" \
  "$(charge_around olga s.t "ALTER SCHEMA s RENAME TO r; ALTER SCHEMA r RENAME TO s" || true)"
session <<'SQL' >"$CLUSTER/renamed"
SELECT set_config('probe.table', 's.t'::regclass::oid::text, false);
SELECT charge_probe(current_setting('probe.table')::oid::regclass, .001) > 0;
\! psql -X -q -c "ALTER SCHEMA s RENAME TO r; ALTER TABLE r.t RENAME TO u" >/dev/null
SELECT charge_probe(current_setting('probe.table')::oid::regclass, .001) > 0;
SQL
check_match "a table that left its name is not" "PV006: table r.u is not protected" "$(cat "$CLUSTER/renamed")"
check "and the record ends before" "s.t" "$(sql "SELECT relation FROM dpmix.charge ORDER BY id DESC LIMIT 1")"
sql "ALTER TABLE r.u RENAME TO t; ALTER SCHEMA r RENAME TO s" >/dev/null
sql "ALTER ROLE sue SUPERUSER" >/dev/null
seen "DROP TABLE and another under its name" sue s.t "DROP TABLE s.t; CREATE TABLE s.t (x int)" 6

# A session's own changes, and their undoing.
protected_table own 100
sql "SELECT dpmix.grant_access('own', 'ana')" >/dev/null
own=$(session <<'SQL' | sed -n 's/^t$/t/p; s/.*ERROR:  \(PV...\).*/\1/p' | paste -sd' '
SET ROLE ana; SELECT charge_probe('own', .001) > 0; RESET ROLE;
BEGIN; SELECT FROM dpmix.revoke_access('own', 'ana'); SAVEPOINT s; SET ROLE ana; SELECT charge_probe('own', .001) > 0; ROLLBACK;
SET ROLE ana; SELECT charge_probe('own', .001) > 0; RESET ROLE;
BEGIN; SAVEPOINT s; DELETE FROM dpmix.access WHERE role IN (SELECT number FROM dpmix_internal.bound_role WHERE rolname = 'ana'); ROLLBACK TO s; SET ROLE ana; SELECT charge_probe('own', .001) > 0; RESET ROLE; COMMIT;
BEGIN; SELECT FROM dpmix.grant_access('own', 'dora'); SAVEPOINT s; SET ROLE dora; SELECT charge_probe('own', .001) > 0; ROLLBACK TO s;
SET ROLE dora; SELECT charge_probe('own', .001) > 0; ROLLBACK;
SET ROLE dora; SELECT charge_probe('own', .001) > 0;
SQL
)
check "own changes are seen, undone ones forgotten, uncommitted grants worth nothing" "t PV006 t t PV006 PV006 PV006" "$own"

# Where a trigger that announces changes is off, nothing is kept in mind.
sql "CREATE DATABASE quiet" >/dev/null
install_probe quiet 2>/dev/null; protected_table t 10 quiet
sql "SELECT dpmix.grant_access('t', 'ana'); ALTER TABLE dpmix.access DISABLE TRIGGER announce" quiet >/dev/null
check "without announcements a superuser's DELETE is seen as well" "t PV006" "$(charge_around ana t "DELETE FROM dpmix.access" quiet || true)"
sql "ALTER TABLE dpmix.access ENABLE ALWAYS TRIGGER announce; SELECT dpmix.grant_access('t', 'ana')" quiet >/dev/null
check "and with them again" "t" "$(PGUSER=ana sql "SELECT charge_probe('t', .001) > 0" quiet)"

# --- Rows that others wrote. ---

copy_charge="INSERT INTO dpmix.charge (table_id, relation, role, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters)
  SELECT table_id, relation, role, at, kind, mechanism, %s, delta, cost, cost_delta, parameters FROM dpmix.charge WHERE relation = 'public.%s' LIMIT 1"
protected_table fenced 10
sql "SELECT charge_probe('fenced', 1)" >/dev/null
sql "$(printf "$copy_charge" 8 fenced)" >/dev/null
check_match "a row that the worker did not write counts" "spent are epsilon 9 " "$(sql "SELECT charge_probe('fenced', 2)" || true)"
check_match "no more, no less" '^[0-9]+$' "$(sql "SELECT charge_probe('fenced', 1)")"
last=$(sql "SELECT max(id) FROM dpmix.charge")
sql "SELECT setval('dpmix.charge_id_seq', 1)" >/dev/null
protected_table back 10
check_match "a sequence that went back stops the ledger" "PV004.*could not record" "$(sql "SELECT charge_probe('back', 1)" || true)"
check "with nothing charged" 0 "$(charges back)"
sql "SELECT setval('dpmix.charge_id_seq', $last)" >/dev/null
check_match "until it is set right" '^[0-9]+$' "$(sql "SELECT charge_probe('back', 1)")"

# --- Checkpoints. ---

checkpoints() { sql "SELECT count(*) FROM dpmix.ledger_checkpoint"; }
sums="SELECT table_id, granted_number, count(*), trim_scale(sum(epsilon)), trim_scale(sum(delta)), trim_scale(sum(cost)), trim_scale(sum(cost_delta)) FROM dpmix.charge GROUP BY 1, 2 ORDER BY 1, 2"
totals="SELECT table_id, granted_number, charges, trim_scale(epsilon), trim_scale(delta), trim_scale(cost), trim_scale(cost_delta) FROM dpmix_internal.charge_total ORDER BY 1, 2"
true_totals() { check "$1: the totals are the sums of all charges" "" "$(diff <(sql "$sums" "${2:-postgres}") <(sql "$totals" "${2:-postgres}") || true)"; }

protected_table many 2600
sql "SELECT dpmix.grant_access('many', 'ana'); CREATE TABLE renyi (x int); SELECT dpmix.protect('renyi', 1e6, 1e-6);
     CREATE FUNCTION try_charge(relation regclass, epsilon float8) RETURNS bool LANGUAGE plpgsql AS
     'BEGIN PERFORM charge_probe(relation, epsilon); RETURN true; EXCEPTION WHEN SQLSTATE ''PV001'' THEN RETURN false; END'" >/dev/null
check "none so far" 0 "$(checkpoints)"
PGUSER=ana sql "SELECT charge_probe('many', 1)" >/dev/null
race 8 80 "SELECT charge_probe('renyi', 0.25), try_charge('many', 1);"
sql "SELECT pg_terminate_backend($(worker_pids))" >/dev/null
race 8 80 "SELECT charge_probe('renyi', 0.25), try_charge('many', 1);"
check "the sums are recorded on the way" t "$([ "$(checkpoints)" -gt 0 ] && echo t)"
true_totals "after a checkpoint"
sql "SELECT pg_terminate_backend($(worker_pids))" >/dev/null
sql "$(printf "$copy_charge" 0.5 many)" >/dev/null
true_totals "with a row of another writer"

# Whoever else may be writing forbids a checkpoint; charges go on.
before=$(checkpoints)
session <<<"BEGIN; LOCK TABLE dpmix.charge IN SHARE UPDATE EXCLUSIVE MODE; SELECT pg_sleep(600);" >/dev/null 2>&1 & blocker=$!
lock_held() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = 'dpmix.charge'::regclass AND mode = 'ShareUpdateExclusiveLock' AND granted")" = 1 ]; }
wait_until 30 lock_held
race 8 200 "SELECT charge_probe('renyi', 0.25);"
check "no checkpoint beside another's lock on the table" "$before" "$(checkpoints)"
check "but charges" "2880" "$(charges renyi)"
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()" >/dev/null; wait $blocker || true
sql "SELECT charge_probe('renyi', 0.25)" >/dev/null
check "it is written as soon as the lock is gone" t "$([ "$(checkpoints)" -gt "$before" ] && echo t)"
true_totals "afterwards"

# A checkpoint that fails takes nobody's charge with it, and is not believed.
before=$(checkpoints)
sql "ALTER TABLE dpmix.ledger_checkpoint ADD CONSTRAINT broken CHECK (false) NOT VALID" >/dev/null
race 8 260 "SELECT charge_probe('renyi', 0.25);"
check "callers are charged where no checkpoint can be written" "4961 $before" "$(charges renyi) $(checkpoints)"
true_totals "without it"
sql "ALTER TABLE dpmix.ledger_checkpoint DROP CONSTRAINT broken" >/dev/null

# Kills and crashes on the way to the last unit.
(for _ in 1 2 3 4 5 6 7 8; do sleep 0.3; sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dpmix ledger' AND datname = 'postgres'"; done >/dev/null) & killer=$!
race 8 120 "SELECT try_charge('many', 1);"
wait $killer
true_totals "workers ended on the way"
cluster_restart immediate
true_totals "after a crash"
race 8 120 "SELECT try_charge('many', 1);"
check "never more than the budget" t "$(sql "SELECT epsilon <= 2600 AND epsilon > 2599 OR charges < 2600 FROM (SELECT sum(epsilon) AS epsilon, sum(charges) AS charges FROM dpmix_internal.charge_total JOIN dpmix.protected_table p ON p.id = table_id WHERE table_name = 'many') s")"
for _ in 1 2; do race 8 120 "SELECT try_charge('many', 1);"; done
check "and up to its end" "2599.5" "$(sql "SELECT sum(epsilon) FROM dpmix.charge WHERE relation = 'public.many'")"
check_match "the refusal knows it" "spent are epsilon 2599.5 " "$(sql "SELECT charge_probe('many', 1)" || true)"
true_totals "at the end"

"$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres
sql "CREATE DATABASE restored" >/dev/null
"$BIN/pg_restore" -d restored "$CLUSTER/dump" >/dev/null 2>&1 || true
true_totals "restored" restored
sql "SELECT dpmix.adopt_ledger('moved')" restored >/dev/null
check_match "and spent as before" "spent are epsilon 2599.5 " "$(sql "SELECT charge_probe('many', 1)" restored || true)"

# --- Two builds of the library in one server. ---

lib=$("$BIN/pg_config" --pkglibdir)
objcopy -O binary --only-section=.note.gnu.build-id "$lib/dpmix.so" "$CLUSTER/note"
printf '\x5a\x5a\x5a\x5a' | dd of="$CLUSTER/note" bs=1 seek=16 conv=notrunc 2>/dev/null
objcopy --update-section .note.gnu.build-id="$CLUSTER/note" "$lib/dpmix.so" "$CLUSTER/other.so"
protected_table shared 10
coproc old_session { psql -X -q -A -t -v VERBOSITY=verbose 2>&1; }
old_pid=$old_session_PID  # the variable goes when the session does
ask_old() { echo "$1" >&"${old_session[1]}"; IFS= read -r -t 60 answer <&"${old_session[0]}"; echo "$answer"; }
check_match "the first build charges" '^[0-9]+$' "$(ask_old "SELECT charge_probe('shared', 4);")"
install -m 755 "$CLUSTER/other.so" "$lib/dpmix.so.new"; mv "$lib/dpmix.so.new" "$lib/dpmix.so"
check_match "the second does not while the first one's worker lives" "PV004.*another build" "$(sql "SELECT charge_probe('shared', 4)" || true)"
check_match "which goes on" '^[0-9]+$' "$(ask_old "SELECT charge_probe('shared', 1);")"
sql "SELECT pg_terminate_backend($(worker_pids))" >/dev/null
check_match "after it the second charges" '^[0-9]+$' "$(sql "SELECT charge_probe('shared', 4)")"
check_match "with what the first had charged" "spent are epsilon 9 " "$(sql "SELECT charge_probe('shared', 4)" || true)"
check_match "and the first one's sessions are refused" "PV004" "$(ask_old "SELECT charge_probe('shared', 1);")"
check "three charges in all" "3|9" "$(sql "SELECT count(*), sum(epsilon) FROM dpmix.charge WHERE relation = 'public.shared'")"
echo '\q' >&"${old_session[1]}" || true; wait "$old_pid" 2>/dev/null || true
