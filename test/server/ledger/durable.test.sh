#!/usr/bin/env bash
# Nothing a caller does refunds a charge: ROLLBACK, savepoints, errors, cancels, kills, crashes.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "fsync = on" "max_prepared_transactions = 2"

fresh() {  # name: a table charged with nothing, budget 100
  protected_table "$1" 100
}

fresh rolled; session <<<"BEGIN; SELECT charge_probe('rolled', 1); ROLLBACK;" >/dev/null
check "ROLLBACK keeps the charge" 1 "$(charges rolled)"

fresh saved; session <<<"BEGIN; SAVEPOINT s; SELECT charge_probe('saved', 1); ROLLBACK TO s; COMMIT;" >/dev/null
check "ROLLBACK TO SAVEPOINT keeps the charge" 1 "$(charges saved)"

fresh failed; sql "SELECT charge_probe('failed', 1) / 0" >/dev/null || true
check "an error in the same statement keeps the charge" 1 "$(charges failed)"

fresh prepared
session <<'SQL' >/dev/null
BEGIN; SELECT charge_probe('prepared', 1); PREPARE TRANSACTION 'p';
ROLLBACK PREPARED 'p';
SQL
check "ROLLBACK PREPARED keeps the charge" 1 "$(charges prepared)"

fresh serial
check_match "a REPEATABLE READ transaction charges" '^[0-9]+$' "$(session <<<"BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT charge_probe('serial', 1); COMMIT;")"
check_match "a READ ONLY transaction charges" '^[0-9]+$' "$(session <<<"BEGIN READ ONLY; SELECT charge_probe('serial', 1); COMMIT;")"
check_match "a SERIALIZABLE READ ONLY DEFERRABLE transaction does not" PV002 \
  "$(session <<<"BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE; SELECT charge_probe('serial', 1); ROLLBACK;")"
check "the two stay charged" 2 "$(charges serial)"

# A worker that cannot write holds its caller: there it can be cancelled, timed out and killed.
worker_stop() { kill -STOP "$(worker_pids)"; }
worker_go() { kill -CONT "$(worker_pids)"; }
stuck_pid() { sql "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT charge_probe(''$1''%' AND state = 'active' AND pid <> pg_backend_pid()"; }
is_stuck() { [ -n "$(stuck_pid "$1")" ]; }

fresh untaken; sql "SELECT charge_probe('serial', 1)" >/dev/null; worker_stop
check_match "statement_timeout ends the wait" 57014 "$(session <<<"SET statement_timeout = 500; SELECT charge_probe('untaken', 1);" || true)"
sql "SELECT charge_probe('untaken', 1)" >"$CLUSTER/untaken" 2>&1 & client=$!
wait_until 10 is_stuck untaken; sql "SELECT pg_cancel_backend($(stuck_pid untaken))" >/dev/null
wait $client || true
check_match "a cancel ends the wait" 57014 "$(cat "$CLUSTER/untaken")"
sql "SELECT charge_probe('untaken', 1)" >"$CLUSTER/untaken" 2>&1 & client=$!
wait_until 10 is_stuck untaken; sql "SELECT pg_terminate_backend($(stuck_pid untaken))" >/dev/null
wait $client || true
worker_go
sql "SELECT charge_probe('serial', 1)" >/dev/null
check "requests withdrawn before they were taken charge nothing" 0 "$(charges untaken)"

# Cancelled when taken: a trigger of the ledger's table holds the worker's insert.
sql "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2); RETURN new; END';
     CREATE TRIGGER hold BEFORE INSERT ON dpmix.charge FOR EACH ROW EXECUTE FUNCTION hold()" >/dev/null
fresh taken
check_match "a cancel reaches a caller whose request was taken" 57014 "$(session <<<"SET statement_timeout = 500; SELECT charge_probe('taken', 1);" || true)"
is_charged() { [ "$(charges taken)" = 1 ]; }
wait_until 30 is_charged || true
check "a request abandoned when taken stays charged" 1 "$(charges taken)"
sql "DROP TRIGGER hold ON dpmix.charge" >/dev/null
check_match "its slot serves again" '^[0-9]+$' "$(sql "SELECT charge_probe('taken', 1)")"

# Crashes.
fresh killed
session <<<"BEGIN; SELECT charge_probe('killed', 1); SELECT pg_backend_pid(); SELECT pg_sleep(30);" >"$CLUSTER/killed" 2>&1 & client=$!
sleeper() { sql "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid() AND wait_event = 'PgSleep'"; }
is_asleep() { [ -n "$(sleeper)" ]; }
wait_until 10 is_asleep
victim=$(sleeper)
kill_hard $victim
wait $client || true
check "kill -9 of the caller keeps the charge" 1 "$(charges killed)"
check_match "and the ledger works again" '^[0-9]+$' "$(sql "SELECT charge_probe('killed', 1)")"
cluster_restart immediate
check "immediate shutdown keeps both" 2 "$(charges killed)"
check_match "spending goes on where it was" "spent are epsilon 2 " "$(sql "SELECT charge_probe('killed', 99)" || true)"
