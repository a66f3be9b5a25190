#!/usr/bin/env bash
# Places in the pool of release processes: none is held by nobody, or by one whose own code runs; and roles take turns.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh

hostile_cluster "dpmix.release_processes = 2" "dpmix.release_idle_timeout = 1500"
cluster_probe process_probe -Wno-register -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
sql "CREATE FUNCTION places_held() RETURNS int LANGUAGE c AS 'process_probe';
     CREATE FUNCTION turn(int, int[], int[], int) RETURNS bool LANGUAGE c AS 'process_probe'" >/dev/null
none_held() { [ "$(sql "SELECT places_held()")" = 0 ]; }

# --- Short timeouts: most end the call while its process is launched, for there is none when a round begins. ---
rounds() {
  local round i
  for round in 1 2 3 4; do
    for i in 1 2 3 4 5 6; do
      PGUSER=ana sql "SET statement_timeout = $((2 + (round + i) * 3 % 17)); SELECT n FROM $counted" >/dev/null &
    done
    wait
    sleep 2
  done
}
rounds
check_command "after short timeouts every place is free" wait_until 15 none_held
check_command "and the processes end" wait_until 10 no_process
costs "and the next call is answered" 1 '-?[0-9]+' ana <<<"SELECT n FROM $counted;"

# --- Code of the caller's: a domain whose constraint waits for as long as somebody holds a lock, but not for the ends
# of the bounds, which are tried before anything is reserved. ---
sql "CREATE FUNCTION slow(float8) RETURNS bool LANGUAGE plpgsql AS 'BEGIN IF \$1 > 0 AND \$1 < 100 THEN PERFORM pg_advisory_xact_lock_shared(1); END IF; RETURN true; END';
     GRANT CREATE ON SCHEMA public TO olga" >/dev/null
PGUSER=olga sql "CREATE DOMAIN slowly AS float8; CREATE TABLE narrow (id int, pad text, wage slowly);
  INSERT INTO narrow SELECT i, repeat('x', 100), i % 100 FROM generate_series(1, 2000) AS i;
  SELECT dpmix.protect('narrow', 1e6, .1, accountant => 'basic'); SELECT dpmix.set_bounds('narrow', 'wage', 0, 100)" >/dev/null
PGUSER=olga sql "ALTER DOMAIN slowly ADD CHECK (slow(VALUE))" >/dev/null
mkfifo "$CLUSTER/holder"
session <"$CLUSTER/holder" >/dev/null & holder=$!
exec 9>"$CLUSTER/holder"
slowed() { PGUSER=olga PGAPPNAME=slowed psql -X -q -A -t -c "SELECT count(*) FROM dpmix.cda(NULL::narrow, '{wage}', 50000, 1, 1e-6, demix => 'none')" 2>&1; }
slow_waits() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'slowed' AND wait_event = 'advisory'")" = 2 ]; }
lock_is_held() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND granted")" = 1 ]; }
echo "SELECT pg_advisory_lock(1);" >&9
wait_until 10 lock_is_held || echo "not ok - nobody holds the lock"
: >"$CLUSTER/slowed"
for i in 1 2; do slowed >>"$CLUSTER/slowed" & slow[i]=$!; done
if wait_until 60 slow_waits; then echo "ok - two calls stand still in the constraint of a domain"; else
  echo "not ok - no two calls stand still: $(cat "$CLUSTER/slowed") $(sql "SELECT backend_type, wait_event, query FROM pg_stat_activity WHERE wait_event IS NOT NULL")"
fi
check_command "while they do they hold no process" wait_until 10 none_held  # a process that has sent all has a step to go
costs "and another is answered" 1 '-?[0-9]+' ana <<<"SELECT n FROM $counted;"
echo "SELECT pg_advisory_unlock(1);" >&9
exec 9>&-
wait "$holder" "${slow[@]}" || true
check "their rows come when it is over" "50000 50000" "$(paste -sd' ' "$CLUSTER/slowed")"

# --- A process is ended in the middle of a message, as its caller stands still: what it says last is no part of it. ---
before=$(all_charges)
PGUSER=ana PGAPPNAME=stopped sql "SELECT count(*) FROM dpmix.cda(NULL::public.people, '{wage}', 400000, .01, 1e-6, label => 'sex')" >"$CLUSTER/stopped" & asked=$!
is_charged() { [ "$(all_charges)" -gt "$before" ]; }
is_sending() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpmix release' AND wait_event = 'MessageQueueSend'")" = 1 ]; }
wait_until 30 is_charged || true
stopped=$(sql "SELECT pid FROM pg_stat_activity WHERE application_name = 'stopped'")
as_server kill -STOP "$stopped"
check_command "a process waits for a caller that stands still" wait_until 30 is_sending
sql "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'dpmix release' AND wait_event = 'MessageQueueSend'" >/dev/null
as_server kill -CONT "$stopped"
wait $asked || true
check_match "ended there, it is gone" "PV004: the process that made the release is gone" "$(cat "$CLUSTER/stopped")"
costs "and the next call is answered" 1 '-?[0-9]+' ana <<<"SELECT n FROM $counted;"

# --- Turns: processes, roles of held places, roles that wait, who asks. ---
turn() { sql "SELECT CASE WHEN turn($1, '$2', '$3', $4) THEN 'waits' ELSE 'takes it' END"; }
check "a role takes all places while nobody waits" "takes it" "$(turn 4 '{1,1,1}' '{}' 1)"
check "also while others of its own wait" "takes it" "$(turn 4 '{1,1,1}' '{1}' 1)"
check "when another one waits it keeps to its part" "waits" "$(turn 4 '{1,1,1}' '{1,2}' 1)"
check "and the other takes the place" "takes it" "$(turn 4 '{1,1,1}' '{1,2}' 2)"
check "below its part it takes one" "takes it" "$(turn 4 '{1,2}' '{1,2}' 1)"
check "where all that wait have their part, anyone takes one" "takes it" "$(turn 4 '{1,2,3}' '{1,2,3}' 2)"
check "one that has a place waits where there are more roles than processes" "waits" "$(turn 2 '{1}' '{1,2,3}' 1)"
check "and any of the others takes it" "takes it takes it" "$(turn 2 '{1}' '{1,2,3}' 2) $(turn 2 '{1}' '{1,2,3}' 3)"
check "whatever is held and wanted, somebody who waits may take what is free" 0 "$(sql "
  SELECT count(*) FROM (SELECT p, h, w FROM generate_series(1, 4) AS p, LATERAL (SELECT setseed(.5)) AS s, generate_series(1, 500) AS k,
    LATERAL (SELECT ARRAY(SELECT (1 + random() * 3)::int FROM generate_series(1, (k + p) % p)) AS h, ARRAY(SELECT (1 + random() * 3)::int FROM generate_series(0, (k + p) % 3)) AS w) AS t) AS states
  WHERE NOT EXISTS (SELECT FROM unnest(w) AS r WHERE NOT turn(p, h, w, r))")"

check "no crash, no internal error in the server's log" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000|leak' "$CLUSTER/log" || true)"
