#!/usr/bin/env bash
# A fault at every stage of a scheduled run: errors, ended and killed sessions, immediate shutdowns. Whatever
# happens, calls without a retry charge a period at most once, and what was not charged is run by the next.
# `make soak` tries all events at all stages.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
. test/server/schedule/lib.sh
faults_library
ledger_cluster "fsync = on" "dpmix.ledger_idle_timeout = 1h"
faults_folder
schedule_tables
nightly nightly 1
night=0
run nightly 0 >/dev/null  # there is a worker

victim() { sql "SELECT $1(pid) FROM pg_stat_activity WHERE application_name = 'victim'"; }
is_gone() { ! as_server kill -0 "$1" 2>/dev/null; }
befall() {  # event place
  case $1 in
    terminate) victim pg_terminate_backend >/dev/null ;;
    cancel) victim pg_cancel_backend >/dev/null ;;
    kill)
      as_server kill -KILL "$(victim "")"
      # Who waits there goes down with the server; let go before, a worker could still commit.
      wait_until 60 is_gone "$(hit_pid "$2")" || echo "not ok - $2, kill: the server did not go down" ;;
    shutdown) cluster_restart immediate ;;
  esac
}

# place event outcome: what the next two calls make of the period, stored or spent, each with one charge.
stage() {
  local first second expected state said
  night=$((night + 1))
  if [ "$2" = error ]; then arm "$1" error; else arm "$1" wait; fi
  # A caller sees its request taken only while the worker has it.
  [ "$1" != charge.taken ] || arm worker.decided wait
  PGAPPNAME=victim run nightly $night >"$CLUSTER/answer" 2>&1 & client=$!
  [ "$1" != charge.taken ] || await_hit worker.decided
  await_hit "$1"
  befall "$2" "$1"
  # The worker of an abandoned request goes on only when the next caller may have looked.
  case "$1 $2" in
    "charge.taken error" | "charge.taken terminate")
      run nightly $night >"$CLUSTER/next" 2>&1 & next=$!
      sleep 1
      kill -0 $next 2>/dev/null || echo "not ok - $1, $2: the next call does not wait for the ledger: $(cat "$CLUSTER/next")"
      let_go worker.decided
      wait $next || true ;;
  esac
  let_go "$1"
  let_go worker.decided
  wait $client || true
  disarm
  [ "$2" != kill ] || await_server
  first=$(run nightly $night | grep -o 55000 || true)
  second=$(run nightly $night | grep -o 55000 || true)
  state=$(became nightly $night | cut -d ' ' -f 1)
  expected=$3
  [ "$3" != either ] || expected=$state  # of a request that may have been taken just then, the state must fit
  case $expected in spent) said=55000 ;; *) said="" ;; esac
  check "$1, $2: $3" "$said|$said|$expected 1 charge" "$first|$second|$state $(charges_of nightly $night) charge"
}

# place outcome, events, and those that only `make soak` tries as well
stages() {
  local event
  for event in $3 ${DPMIX_SOAK:+$4}; do stage "$1" "$event" "$2"; done
}
stages schedule.recorded stored "terminate kill" "cancel shutdown"
stages charge.submitted either "error cancel" "terminate shutdown"
stages charge.taken spent "terminate" "error"
stages worker.before_commit stored "kill" "shutdown"
stages worker.committed spent "terminate shutdown" "cancel kill"
stages charge.answered spent "cancel shutdown" "error terminate kill"
stages query.scanned spent "terminate" "error cancel shutdown kill"
stages query.noised spent "error" "terminate cancel shutdown kill"
stages schedule.stored spent "error cancel shutdown kill" "terminate"
stages schedule.committed stored "terminate kill" "shutdown"
check "no period of all was charged twice, or stored without a charge" "" "$(faults_of nightly)"
