#!/usr/bin/env bash
# Workers that come and go all the time, no slot for one, and a clock that jumps: nobody waits for
# ever, nothing is lost.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
faults_preload
ledger_cluster "fsync = on"
faults_folder

protected_table t 1e6
record() {  # rows of table t; more when the balance disagrees
  sql "SELECT count(*) || CASE WHEN count(*) = (SELECT charges FROM dpmix.budget WHERE relation = 't'::regclass)
              AND sum(epsilon) = (SELECT epsilon_spent FROM dpmix.budget WHERE relation = 't'::regclass)::numeric
              THEN '' ELSE ' and the sums differ' END
       FROM dpmix.charge WHERE relation = 'public.t'"
}
echo "SELECT charge_probe('t', 1);" >"$CLUSTER/charge.sql"
hammer() {  # name clients calls: all must be served
  local before served
  before=$(record)
  timeout 120 "$BIN/pgbench" -n -c "$2" -j 2 -t "$3" -f "$CLUSTER/charge.sql" >"$CLUSTER/hammer" 2>&1 || true
  served=$(sed -n 's|^number of transactions actually processed: \([0-9]*\)/.*|\1|p' "$CLUSTER/hammer")
  check "$1" "$(($2 * $3)) $((before + $2 * $3))" "$served $(record)"
  [ "$served" = $(($2 * $3)) ] || grep -m 3 ERROR -A 3 "$CLUSTER/hammer" || true
}

# No shared memory left for a ledger that is not preloaded.
sql "SELECT hog_shared_memory()" >/dev/null
refusal=$(sql "SELECT charge_probe('t', 1)" || true)
check_match "no shared memory: PV004" "PV004.*not available" "$refusal"
check_match "no shared memory: the hint says what to do" "HINT:.*shared_preload_libraries" "$refusal"
check "no shared memory: nothing charged, and the session goes on" "0 1" \
  "$(session <<<"SELECT charge_probe('t', 1); SELECT count(*) || ' 1' FROM dpmix.charge;" | tail -n 1)"
check_match "no shared memory: it can be cancelled" 57014 "$(session <<<"SELECT charge_probe('t', 1); SET statement_timeout = 100; SELECT pg_sleep(60);" || true)"
cluster_restart
sql "SELECT charge_probe('t', 1)" >/dev/null
for timeout in 0 1ms; do
  set_idle $timeout
  wait_until 10 no_worker
  hammer "idle timeout $timeout: 16 clients of a worker that always leaves" 16 20
  hammer "idle timeout $timeout: one client" 1 20
done

# All worker slots are taken, by another database's ledger.
set_idle 1h
echo "max_worker_processes = 2" >>"$CLUSTER/data/postgresql.conf"  # one is PostgreSQL's own
cluster_restart
sql "CREATE DATABASE second" >/dev/null
install_probe second
protected_table other 1e6 second
check_match "the last slot serves the other database" '^[0-9]+$' "$(sql "SELECT charge_probe('other', 1)" second)"
before=$(record)
refusal=$(sql "SELECT charge_probe('t', 1)" || true)
check_match "no slot left: PV004" "PV004.*not available" "$refusal"
check_match "no slot left: the hint says what to raise" "HINT:.*max_worker_processes" "$refusal"
check "no slot left: nothing charged" "$before" "$(record)"
sql "SELECT pg_terminate_backend($(worker_pids second), 10000)" second >/dev/null
check_match "a slot that is free again serves" '^[0-9]+$' "$(sql "SELECT charge_probe('t', 1)")"
echo "max_worker_processes = 16" >>"$CLUSTER/data/postgresql.conf"
cluster_restart

# The clock jumps. Shared by all of the cluster's processes, as it would be.
clock() { rule clock "$*"; }
clock 0
now() { sql "SELECT extract(epoch FROM clock_timestamp())::bigint"; }
start=$(now)
clock 86400
check "the clock of the server can be set" t "$([ $(($(now) - start)) -gt 80000 ] && echo t)"
clock 0
hammer "the clock as it is" 8 20
clock 3600
hammer "an hour forth" 8 20
clock 0
hammer "and back" 8 20
clock -3600
hammer "an hour back" 8 20

# Callers that do not come back leave the worker waiting for them; not by a clock that never gets there.
clock back 3600
before=$(record)
ended=0
for _ in 1 2 3 4 5 6; do
  timeout 30 "$BIN/pgbench" -n -c 8 -j 2 -t 8 -f "$CLUSTER/charge.sql" >/dev/null 2>&1 && ended=$((ended + 1))
done
check "a clock that goes back all the time holds nobody up" "6 $((before + 384))" "$ended $(record)"
clock swing 3600
hammer "an hour forth and back, all the time" 8 50

# An idle worker leaves in time, whatever the clock says.
clock 0
set_idle 1s
sql "CREATE DATABASE third" >/dev/null
install_probe third
protected_table other 1e6 third
sql "SELECT charge_probe('other', 1)" third >/dev/null
clock -3600
check "DROP DATABASE outwaits an idle worker when the clock was put back" "" "$(sql "DROP DATABASE third" || true)"
check_match "and the ledger goes on" '^[0-9]+$' "$(sql "SELECT charge_probe('t', 1)")"
check_match "the sums are those of the rows" '^[0-9]+$' "$(record)"
