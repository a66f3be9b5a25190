#!/usr/bin/env bash
# Many callers, several databases, locks in the way, workers that come and go: never more is admitted
# than the budget, and nobody waits for ever.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 2s"

race() {  # clients calls statement [database]
  local script=$CLUSTER/race_${4:-postgres}.sql  # two databases race at once
  echo "$3" >"$script"
  "$BIN/pgbench" -n -c "$1" -j 2 -t "$2" -f "$script" "${4:-postgres}" >/dev/null 2>&1 || true
}

# Each client goes on when refused: the probe's error is caught.
sql "CREATE FUNCTION try_charge(relation regclass, epsilon float8) RETURNS bool LANGUAGE plpgsql AS
     'BEGIN PERFORM charge_probe(relation, epsilon); RETURN true; EXCEPTION WHEN SQLSTATE ''PV001'' THEN RETURN false; END'" >/dev/null
protected_table raced 10
race 8 40 "SELECT try_charge('raced', 0.1);"
check "8 clients racing 320 charges of .1 for a budget of 10 get exactly 100" "100|10.0" \
  "$(sql "SELECT count(*), sum(epsilon) FROM dpmix.charge WHERE relation = 'public.raced'")"
check "the balance says so" "10|0|100" "$(sql "SELECT epsilon_spent, epsilon_remaining, charges FROM dpmix.budget WHERE relation = 'raced'::regclass")"

protected_table renyi_raced 1e6
sql "SELECT dpmix.unprotect('renyi_raced'); SELECT dpmix.protect('renyi_raced', 2, 1e-6)" >/dev/null
race 8 40 "SELECT try_charge('renyi_raced', 0.05);"
check "racing a renyi budget admits more than the sum would, and spends no more than it has" t \
  "$(sql "SELECT charges BETWEEN 41 AND 319 AND epsilon_spent <= 2 FROM dpmix.budget WHERE relation = 'renyi_raced'::regclass")"
check "and is then at its end" f "$(sql "SELECT try_charge('renyi_raced', 0.05)")"

# More callers than request slots.
protected_table crowd 1e6
race 60 5 "SELECT charge_probe('crowd', 1);"
check "60 clients share 32 request slots" 300 "$(charges crowd)"
# While all slots are taken, who waits for one sleeps, and can be cancelled.
stop_worker() { sql "SELECT charge_probe('crowd', 1)" >/dev/null && as_server kill -STOP "$(worker_pids)" 2>/dev/null; }
wait_until 30 stop_worker
before=$(charges crowd)
echo "SELECT charge_probe('crowd', 1);" >"$CLUSTER/crowd.sql"
"$BIN/pgbench" -n -c 32 -j 1 -t 1 -f "$CLUSTER/crowd.sql" >/dev/null 2>&1 & crowd=$!
in_slots() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE query ~ '^SELECT charge_probe' AND wait_event = 'Extension'")" = 32 ]; }
wait_until 30 in_slots || echo "not ok - 32 callers do not wait"
check_match "a caller that waits for a slot can be cancelled" 57014 \
  "$(PGOPTIONS="-c statement_timeout=500" timeout 20 psql -X -q -A -t -v VERBOSITY=verbose -d postgres -c "SELECT charge_probe('crowd', 1)" 2>&1 || echo "$? by timeout")"
as_server kill -CONT "$(worker_pids)"
wait $crowd || true
check "and the others are served" $((before + 32)) "$(charges crowd)"

# Caps of roles.
sql "CREATE ROLE ana LOGIN; CREATE ROLE team; CREATE ROLE bea LOGIN IN ROLE team; CREATE ROLE eve LOGIN;
     CREATE TABLE capped (x int); SELECT dpmix.protect('capped', 10, 0, accountant => 'basic');
     SELECT dpmix.grant_access('capped', 'ana', 0.5); SELECT dpmix.grant_access('capped', 'team')" >/dev/null
check_match "a role without access is refused" PV006 "$(PGUSER=eve sql "SELECT charge_probe('capped', 0.1)" || true)"
check_match "a member of a granted role charges" '^[0-9]+$' "$(PGUSER=bea sql "SELECT charge_probe('capped', 1)")"
check_match "a role charges up to its cap" '^[0-9]+$' "$(PGUSER=ana sql "SELECT charge_probe('capped', 0.3)")"
refusal=$(PGUSER=ana sql "SELECT charge_probe('capped', 0.3)" || true)
check_match "and no further" 'PV001: epsilon cap of role "ana"' "$refusal"
check_match "the hint names what fits" 'still fits with delta 0 is 0.2\.' "$refusal"
check "the charged role and its grant are on record" "ana|ana bea|team" \
  "$(sql "SELECT DISTINCT role, granted_to FROM dpmix.charge WHERE relation = 'public.capped' ORDER BY 1" | paste -sd' ')"
check "an analyst sees its own charges" 1 "$(PGUSER=ana sql "SELECT count(*) FROM dpmix.ledger")"
check "the owner sees all" 2 "$(sql "SELECT count(*) FROM dpmix.ledger WHERE relation = 'public.capped'")"
check "a stranger sees nothing" "0|0" "$(PGUSER=eve sql "SELECT (SELECT count(*) FROM dpmix.ledger), (SELECT count(*) FROM dpmix.budget)")"
sql "SELECT dpmix.revoke_access('capped', 'ana')" >/dev/null
check_match "revoked access is gone" PV006 "$(PGUSER=ana sql "SELECT charge_probe('capped', 0.1)" || true)"

# The caller's own transaction stands in the way.
protected_table locked 10
start=$SECONDS
result=$(session <<<"BEGIN; LOCK TABLE dpmix.charge; SELECT charge_probe('locked', 1);" || true)
check_match "a caller that locks the ledger gets an error" "PV004.*could not record" "$result"
check "within seconds" t "$([ $((SECONDS - start)) -le 30 ] && echo t)"
check_match "and others charge afterwards" '^[0-9]+$' "$(sql "SELECT charge_probe('locked', 1)")"
check_match "protect() must be committed first" "PV004.*not committed" \
  "$(session <<<"BEGIN; CREATE TABLE early (x int); SELECT dpmix.protect('early', 1, 1e-6); SELECT charge_probe('early', .1);" || true)"
sql "SELECT dpmix.unprotect('locked')" >/dev/null
check_match "also when it resumes a record" "PV004.*not committed" \
  "$(session <<<"BEGIN; SELECT dpmix.protect('locked', 10, 0, accountant => 'basic'); SELECT charge_probe('locked', .1);" || true)"

# Settings of the database do not reach the ledger.
sql "ALTER DATABASE postgres SET synchronous_commit = off; ALTER DATABASE postgres SET default_transaction_read_only = on;
     ALTER DATABASE postgres SET search_path = nowhere; ALTER DATABASE postgres SET statement_timeout = '1ms';
     ALTER DATABASE postgres SET default_transaction_isolation = serializable" >/dev/null
export PGOPTIONS="-c default_transaction_isolation=read\ committed -c default_transaction_read_only=off -c statement_timeout=0 -c search_path=public"
wait_until 10 no_worker
check_match "ALTER DATABASE SET does not reach the worker" '^[0-9]+$' "$(sql "SELECT charge_probe('crowd', 1)")"
sql "ALTER DATABASE postgres RESET ALL" >/dev/null
export PGOPTIONS=

# Two databases at once.
sql "CREATE DATABASE second" >/dev/null
install_probe second
protected_table twin 1e6 second; protected_table twin 1e6
race 4 100 "SELECT charge_probe('twin', 1);" second & other=$!
race 4 100 "SELECT charge_probe('twin', 1);"
wait $other
check "two databases charge at once, each its own ledger" "400 400" "$(charges twin) $(charges twin second)"

# The worker is ended in the middle of things.
protected_table stream 1e6
(for _ in 1 2 3 4 5; do sleep 0.4; sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dpmix ledger'" second; done >/dev/null) & killer=$!
cat >"$CLUSTER/stream.sql" <<<"SELECT charge_probe('stream', 1) IS NOT NULL;"
for _ in $(seq 4); do
  (for _ in $(seq 80); do psql -X -q -A -t -f "$CLUSTER/stream.sql" 2>&1 || true; done >"$CLUSTER/stream.$BASHPID") &
  streams="${streams:-} $!"
done
wait $killer $streams
admitted=$(cat "$CLUSTER"/stream.[0-9]* | grep -c '^t$')
lost=$(cat "$CLUSTER"/stream.[0-9]* | grep -c 'the ledger worker ended' || true)
recorded=$(charges stream)
check "callers of an ended worker are admitted by the next, or told so" 320 $((admitted + lost))
check "what was admitted is on record" t "$([ "$recorded" -ge "$admitted" ] && [ "$recorded" -le $((admitted + lost)) ] && echo t)"
check "the balance counts what is on record" "$recorded" "$(sql "SELECT charges FROM dpmix.budget WHERE relation = 'stream'::regclass")"
check_match "a cancel does not end the worker" '^[0-9]+$' \
  "$(sql "SELECT charge_probe('stream', 1)" >/dev/null; sql "SELECT pg_cancel_backend($(worker_pids))" >/dev/null; sql "SELECT charge_probe('stream', 1)")"

# Idle workers go, and come again; they do not hold up DROP DATABASE or DROP EXTENSION.
wait_until 10 no_worker
check "an idle worker ends" "" "$(worker_pids)"
check_match "and is started again when needed" '^[0-9]+$' "$(sql "SELECT charge_probe('stream', 1)")"
sql "SELECT charge_probe('twin', 1)" second >/dev/null
check "DROP DATABASE outwaits an idle worker" "" "$(sql "DROP DATABASE second")"
sql "CREATE DATABASE third" >/dev/null
install_probe third; protected_table x 1 third; sql "SELECT charge_probe('x', 1)" third >/dev/null
sql "DROP EXTENSION dpmix CASCADE" third >/dev/null 2>&1; install_probe third
sql "SELECT dpmix.protect('x', 1, 0, accountant => 'basic')" third >/dev/null
check_match "a new extension starts a new ledger under a worker of the old" '^1$' "$(sql "SELECT charge_probe('x', 1)" third)"
check_match "which is spent as well" PV001 "$(sql "SELECT charge_probe('x', 1)" third || true)"
check "DROP DATABASE FORCE ends a worker at work" "" "$(sql "DROP DATABASE third WITH (FORCE)")"

# No slot for a worker.
cat >>"$CLUSTER/data/postgresql.conf" <<<"max_worker_processes = 0"
cluster_restart
result=$(sql "SELECT charge_probe('stream', 1)" || true)
check_match "without a worker slot there is no charge" PV004 "$result"
check_match "and the hint says what to raise" max_worker_processes "$result"
cat >>"$CLUSTER/data/postgresql.conf" <<<"max_worker_processes = 8
shared_preload_libraries = 'dpmix'"
cluster_restart
check_match "preloaded, the ledger works as well" '^[0-9]+$' "$(sql "SELECT charge_probe('stream', 1)")"
