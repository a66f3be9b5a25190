#!/usr/bin/env bash
# After errors, exits, garbled messages, and 32 clients that are timed out, cancelled and ended while releases are made,
# nothing is held: every place of the pool is free, every request slot, every lock; and the next call is answered.
# DPMIX_SOAK: seconds of it, 15.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
faults_library
ledger_cluster "fsync = on" "dpmix.ledger_idle_timeout = 1h" "dpmix.release_idle_timeout = 1000" "max_connections = 60" "log_min_messages = log"
faults_folder
cluster_probe process_probe -Wno-register -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
sql "CREATE FUNCTION places_held() RETURNS int LANGUAGE c AS 'process_probe';
     CREATE TABLE t (x int, g text); INSERT INTO t SELECT i, (ARRAY['a', 'b', 'c'])[1 + i % 3] FROM generate_series(1, 100) i;
     SELECT dpmix.protect('t', 1e6, 0.1, accountant => 'basic'), dpmix.set_categories('t', 'g', '{a,b,c}'), dpmix.set_bounds('t', 'x', 0, 100);
     CREATE FUNCTION slow(float8) RETURNS bool LANGUAGE plpgsql AS 'BEGIN IF \$1 > 0 AND \$1 < 100 THEN PERFORM pg_sleep(.001); END IF; RETURN true; END';
     CREATE DOMAIN slowly AS float8; CREATE TABLE slow_rows (x slowly); INSERT INTO slow_rows SELECT i FROM generate_series(1, 100) AS i;
     SELECT dpmix.protect('slow_rows', 1e6, 0.1, accountant => 'basic'), dpmix.set_bounds('slow_rows', 'x', 0, 100);
     ALTER DOMAIN slowly ADD CHECK (slow(VALUE))" >/dev/null
counted="SELECT n BETWEEN 50 AND 150 FROM dpmix.query('SELECT dp_count(*) FROM t', 1) AS t(n bigint)"
none_held() { [ "$(sql "SELECT places_held()")" = 0 ]; }
locks="SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE backend_type <> 'dpmix ledger' AND locktype = 'advisory'"
no_locks() { [ "$(sql "$locks")" = 0 ]; }
nothing_held() {  # when
  check_command "$1, every place is free" wait_until 20 none_held
  check_command "$1, no lock is left" wait_until 10 no_locks
  check "$1, the next calls are answered" "t t t" "$(for i in 1 2 3; do sql "$counted"; done | paste -sd' ')"
}

# --- Between the reservation and the first wait. ---
for action in error exit; do
  for when in "a process that is there" "a process to be launched"; do
    if [ "$when" = "a process that is there" ]; then sql "$counted" >/dev/null; else wait_until 20 no_process; fi
    arm pool.reserved $action
    sql "$counted" >/dev/null || true
    await_hit pool.reserved
    disarm
    nothing_held "$action after $when was reserved"
  done
done

# --- A caller that stands still with a place: it is taken back, and the caller finds its number stale. ---
sql "$counted" >/dev/null
arm release.reserved wait
before=$(charges t)
sql "$counted" >"$CLUSTER/stopped" & stopped=$!
await_hit release.reserved
check "a caller that stands still holds a place" 1 "$(sql "SELECT places_held()")"
sleep 11
check "others are answered meanwhile, and take the place back" "t 0" "$(sql "$counted") $(wait_until 5 none_held || true; sql "SELECT places_held()")"
let_go release.reserved
wait $stopped || true
check_match "who comes back finds its number stale" "PV004.*no process is free" "$(tr '\n' ' ' <"$CLUSTER/stopped")"
check "and is charged nothing" 1 "$(($(charges t) - before))"
nothing_held "afterwards"

# --- What the other two checks find: a lock, and a request slot whose caller stands still. ---
check "a lock that is left would be found" 1 "$(sql "SELECT pg_advisory_lock(7); $locks" | tail -n 1)"
arm worker.taken wait
arm charge.taken wait
sql "SELECT charge_probe('t', 1)" >/dev/null & stopped=$!
await_hit charge.taken
let_go worker.taken
check_slots "a slot that is held is found" 31
wait $stopped || true

# --- A caller and its process are ended, while the process holds the lock for which its caller waits: what it says last
# reaches nobody, and raises nothing. ---
for first in caller process; do
  arm release.locked wait
  PGAPPNAME=ended sql "$counted" >"$CLUSTER/ended" & ended=$!
  await_hit release.locked
  end_caller() { sql "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'ended'"; }
  end_process() { sql "SELECT pg_terminate_backend($process)"; }
  process=$(hit_pid release.locked)
  if [ $first = caller ]; then end_caller >/dev/null; end_process >/dev/null; else end_process >/dev/null; end_caller >/dev/null; fi
  disarm
  wait $ended || true
  check "the $first ended first: the server goes on" 0 "$(grep -cE 'PANIC|terminated by signal' "$CLUSTER/log" || true)"
  nothing_held "after both have ended, the $first first"
done

# --- What a process says, garbled: its caller goes on. ---
arm release.message garble
said=$(PGOPTIONS="-c statement_timeout=5s"; for i in $(seq 40); do
  echo "SELECT 'told ' || g || n FROM dpmix.query('SELECT g, dp_count(*) FROM t GROUP BY g', 1) AS t(g text, n bigint) ORDER BY g;"
  echo "SELECT count(*) FROM dpmix.cda(NULL::t, '{x}', 20, 1, 1e-6, demix => 'none');"
done | session)
check "messages were garbled" 1 "$(($(hit_count release.message) > 20))"
disarm
check "and nobody crashed" 0 "$(grep -cE 'closed the connection|lost' <<<"$said" || true)"
nothing_held "after garbled messages"

# --- 32 clients. ---
end=$((SECONDS + ${DPMIX_SOAK:-15}))
statements() {  # seed: of one session; psql would read on after an error, and ends with its connection
  RANDOM=$1
  while [ $SECONDS -lt $end ]; do
    echo "SET statement_timeout = $((RANDOM % 4 == 0 ? 0 : 1 + RANDOM % 20));"
    case $((RANDOM % 5)) in
      0) echo "SELECT count(*) FROM dpmix.cda(NULL::slow_rows, '{x}', 200, 1, 1e-6, demix => 'none');" ;;
      1) echo "BEGIN; SAVEPOINT s; $counted; ROLLBACK TO s; $counted; COMMIT;" ;;
      2) echo "SELECT charge_probe('t', 1e-3);" ;;
      *) echo "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM t WHERE x > $((RANDOM % 90))', 1e-3) AS t(n bigint);" ;;
    esac
    sleep 0.0$((RANDOM % 5))
  done
}
client() { while [ $SECONDS -lt $end ]; do statements $((RANDOM + $1)) | PGAPPNAME=soak session >>"$CLUSTER/soak.$1" || true; done; }
for i in $(seq 32); do client "$i" & done
while [ $SECONDS -lt $end ]; do
  for function in pg_cancel_backend pg_cancel_backend pg_terminate_backend; do
    sql "SELECT $function(pid) FROM (SELECT pid FROM pg_stat_activity WHERE (application_name = 'soak' AND state = 'active') OR backend_type = 'dpmix release' ORDER BY random() LIMIT 2) AS t" >/dev/null || true
    sleep 0.1
  done
done
wait
nothing_held "after 32 clients"
check_slots "after 32 clients"
check_match "among them answers, timeouts, cancels and ends" "^[1-9][0-9]* [1-9][0-9]* [1-9][0-9]* [1-9]" \
  "$(for said in '^t$' 'statement timeout' 'user request' 'administrator command'; do cat "$CLUSTER"/soak.* | grep -c "$said" || true; done | paste -sd' ')"
check "no crash, nothing held by nobody" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|leak|you don.t own a lock' "$CLUSTER/log" || true)"
