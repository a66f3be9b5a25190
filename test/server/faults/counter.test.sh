#!/usr/bin/env bash
# A step of a counter that is broken after its charge: nothing of it is shown or stored, its charge stays, and the next
# call makes it again. A step that was stored is one that the next call knows, whatever became of who asked for it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
faults_library
ledger_cluster "fsync = on" "dpmix.ledger_idle_timeout = 1h"
faults_folder

sql "CREATE TABLE t AS SELECT i / 10 AS day, i FROM generate_series(0, 999) i; SELECT dpmix.protect('t', 1e6, .1, blocks => 'day');
     SELECT dpmix.create_counter('c', 'SELECT dp_count(*) AS n FROM t', '1', '100', 1e3, 1e-9)" >/dev/null
run() { sql "SELECT dpmix.run_counter('c', '$1')"; }
steps() { sql "SELECT count(*), max(until::int) FROM dpmix.counter('c')"; }
charges() { sql "SELECT blocks FROM dpmix.charge ORDER BY id DESC LIMIT $1" | tr '\n' ' '; }
victim() { sql "SELECT pg_$1_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null; }
check "a step, unbroken" 1 "$(run 5)"

until=5 made=1
again() {  # what: the same step once more, with its number
  check "$1: nothing is stored" "$made|$until" "$(steps)"
  check "$1: the next call makes the step" $((made + 1)) "$(run $((until + 5)))"
  check "$1: its blocks paid twice, no others did" "{[$until,$((until + 5)))} {[$until,$((until + 5)))} " "$(charges 2)"
  until=$((until + 5)) made=$((made + 1))
}
for place in counter.scanned counter.noised counter.stored release.written; do
  arm $place error
  check_match "$place: the caller learns that there was an error, and no more" "PV004: the release failed after it was charged" "$(run $((until + 5)) || true)"
  disarm
  again "$place, error"
  for event in cancel terminate; do
    arm $place wait
    PGAPPNAME=victim psql -X -q -A -t -v VERBOSITY=verbose -c "SELECT dpmix.run_counter('c', '$((until + 5))')" >"$CLUSTER/answer" 2>&1 & client=$!
    await_hit $place
    victim $event
    wait $client || true
    check_match "$place: $event is obeyed" "57014|57P01" "$(cat "$CLUSTER/answer")"
    let_go $place
    disarm
    sleep 0.3
    again "$place, $event"
  done
done
arm counter.stored exit
check_match "the process ends" "PV004|57P01|08" "$(run $((until + 5)) || true)"
disarm
again "the process ends"

check "totals are of what was stored" t "$(sql "SELECT bool_and(abs(total - 10 * until::int) < 5) FROM dpmix.counter('c')")"
cluster_restart immediate
await_server
check "a crash loses no step" "$made|$until" "$(steps)"
check "and the next one goes on" $((made + 1)) "$(run $((until + 5)))"
