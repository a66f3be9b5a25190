#!/usr/bin/env bash
# A fault while an answer is written to memory: it was charged, so that whoever gets it is charged once. What was not
# written as a whole is not there: asked again it is charged again, and then answered from memory.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/memory/lib.sh
. test/server/faults/lib.sh
faults_library
memory_cluster "dpmix.ledger_idle_timeout = 1h" "dpmix.release_processes = 2"
faults_folder
export PGUSER=ana
n=0
items() { PGUSER=postgres sql "SELECT count(*) FROM dpmix.memory_item"; }
ask() { PGOPTIONS='-c client_min_messages=warning' sql "SELECT t.n IS NOT NULL, t.m IS NOT NULL FROM dpmix.query('SELECT dp_count(*), dp_avg(wage) FROM people WHERE id > $n', .1, 1e-9) AS t(n bigint, m float8)" || true; }
warm() { sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people', .1, 1e-9) AS t(n bigint)" >/dev/null; }

afterwards() {  # name: asked twice more
  PGUSER=postgres await_server
  check "$1: charged once" 1 "$(($(PGUSER=postgres all_charges) - before))"
  check "$1: nothing is kept" "$there" "$(items)"
  check "$1: asked again it is charged, then free" "1 0" "$(paid ask) $(paid ask)"
  check "$1: no lock is left" 0 "$(PGUSER=postgres sql "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE backend_type <> 'dpmix ledger' AND (locktype = 'advisory' OR relation IN ('people'::regclass, 'dpmix.memory_item'::regclass)) AND pid <> pg_backend_pid()")"
}

for place in query.kept release.written; do
  for action in error exit kill; do
    n=$((n + 1))
    warm  # a process that is there, so that the place is this call's
    before=$(PGUSER=postgres all_charges) there=$(items)
    arm $place $action
    said=$(timeout 60 bash -c "$(declare -f sql ask); n=$n ask" | tr '\n' ' ')
    check "$action at $place: it was met" t "$(was_hit $place && echo t)"
    disarm
    case $action in
      error) check_match "$action at $place: the answer comes, with a WARNING" 'WARNING.*could not be kept.*t[|]t' "$said" ;;
      *) check_match "$action at $place: an error, and no answer" '^(ERROR|WARNING|server closed)' "$said"
         check "$action at $place: no answer" 0 "$(grep -c 't|t' <<<"$said" || true)" ;;
    esac
    afterwards "$action at $place"
  done
  # The caller leaves while the answer is written.
  for signal in INT TERM KILL; do
    n=$((n + 1))
    warm
    before=$(PGUSER=postgres all_charges) there=$(items)
    arm $place wait
    PGAPPNAME=victim ask >/dev/null 2>&1 & client=$!
    await_hit $place
    process=$(hit_pid $place)
    as_server kill -$signal "$(PGUSER=postgres sql "SELECT pid FROM pg_stat_activity WHERE application_name = 'victim'")"
    # After KILL the server ends every process itself, and only a process that has ended is sure to keep nothing.
    ended() { ! as_server kill -0 "$process" 2>/dev/null; }
    gone() { [ "$(PGUSER=postgres sql "SELECT count(*) FROM pg_stat_activity WHERE pid = $process AND xact_start IS NOT NULL")" = 0 ]; }
    case $signal in KILL) left=ended ;; *) left=gone ;; esac
    wait_until 10 $left || echo "not ok - the process goes on after $signal"
    let_go $place
    wait $client || true
    disarm
    afterwards "SIG$signal to the caller at $place"
  done
done

# Two that ask the same at once, the first of which fails while it writes: the second one pays, and keeps its answer.
n=$((n + 1))
warm
before=$(PGUSER=postgres all_charges)
arm query.kept wait
ask >/dev/null 2>&1 & first=$!
await_hit query.kept
process=$(hit_pid query.kept)
ask >"$CLUSTER/second" 2>&1 & second=$!
waits() { [ "$(PGUSER=postgres sql "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'")" -gt 0 ]; }
wait_until 20 waits
as_server kill -TERM "$process"
let_go query.kept
wait $first || true
wait $second
disarm
check "the second of two gets an answer" "t|t" "$(tail -n 1 "$CLUSTER/second")"
check "both were charged" 2 "$(($(PGUSER=postgres all_charges) - before))"
check "and the second one is kept" 0 "$(paid ask)"
