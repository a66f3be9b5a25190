#!/usr/bin/env bash
# A disk that fails or is full: no answer without a charge that is there after recovery, and the ledger
# goes on when the disk does.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
faults_preload
ledger_cluster "fsync = on" "dpmix.ledger_idle_timeout = 1h" "checkpoint_timeout = 1h"
faults_folder

protected_table t 1e6
LONG=$(printf '%0900d' 0)
LONG="{\"query\": \"$LONG\"}"
charge() { sql "SELECT 'id ' || charge_probe('t', 1, 0, '$LONG')" || true; }
disk() { rule disk "$@"; }  # lines of rules; see preload.c
disk_failed() { [ -e "$FAULTS/disk.hit" ]; }
mended() { rm -f "$FAULTS"/disk*; }
is_down() { ! answers; }

ANSWERED=0  # charges whose id reached a client
note() {  # what a client got
  ! grep -q '^id ' <<<"$1" || ANSWERED=$((ANSWERED + 1))
}
charge_noted() { GOT=$(charge); note "$GOT"; }

# Every answered charge is there, at most the unanswered ones besides, and the sums are the rows'.
consistent() {  # name unanswered
  local found
  found=$(sql "SELECT count(*) - $ANSWERED BETWEEN 0 AND $2 AND count(*) = (SELECT charges FROM dpmix.budget) AND count(*) = max(spent)
               FROM dpmix.charge, (SELECT epsilon_spent AS spent FROM dpmix.budget) b")
  check "$1: what was answered is on record, and the sums are the rows'" t "$found"
  ANSWERED=$(charges t)  # what stands is known now
}
goes_on() {  # name
  charge_noted
  check_match "$1: the ledger goes on" '^id [0-9]+$' "$GOT"
}

goes_on "before all"

# The commit itself.
for rule in "sync pg_wal EIO" "write pg_wal EIO" "write pg_wal ENOSPC"; do
  disk "$rule once"
  charge_noted
  check "$rule: it was met" t "$(disk_failed && echo t)"
  check "$rule: no answer" "" "$(grep '^id ' <<<"$GOT" || true)"
  check_match "$rule: the cluster panics" "PANIC" "$(cat "$CLUSTER/log")"
  mended
  await_server
  consistent "$rule" 1
  goes_on "$rule"
done

# The WAL stays unwritable: the server cannot even recover, and comes back when it can.
for rule in "sync pg_wal EIO" "write pg_wal ENOSPC"; do
  disk "$rule"
  charge_noted
  check "$rule, for long: no answer" "" "$(grep '^id ' <<<"$GOT" || true)"
  wait_until 30 is_down || true
  for _ in 1 2 3; do charge_noted; done
  check "$rule, for long: never an answer" "" "$(grep '^id ' <<<"$GOT" || true)"
  mended
  cluster_restart immediate
  consistent "$rule, for long" 4
  goes_on "$rule, for long"
done

# No room for the next segment of the WAL.
disk "extend pg_wal ENOSPC"
sql "SELECT pg_switch_wal()" >/dev/null || true
for _ in 1 2 3; do charge_noted; sql "SELECT pg_switch_wal()" >/dev/null || true; done
mended
cluster_restart immediate
consistent "no room for the WAL" 4
goes_on "no room for the WAL"

# No room for the ledger's table, or its index: refused, nothing panics.
panics=$(grep -c PANIC "$CLUSTER/log")
fills_up() {  # name rule
  local refusal=""
  disk "$2"
  for _ in $(seq 40); do
    charge_noted
    if ! grep -q '^id ' <<<"$GOT"; then refusal=$GOT; fi
  done
  check_match "$1: PV004" "PV004.*could not record" "$refusal"
  check_match "$1: which says why" "No space left|could not (extend|write)" "$refusal"
  check_match "$1: and that nothing was charged" "Nothing was charged" "$refusal"
  local before
  before=$(charges t)
  charge_noted
  check "$1: refused as long as it lasts" "$before" "$(charges t)"
  consistent "$1, still full" 0
  mended
  goes_on "$1"
  consistent "$1" 0
}
sql "CHECKPOINT" >/dev/null
fills_up "no room for dpmix.charge" "extend $(sql "SELECT pg_relation_filepath('dpmix.charge')") ENOSPC"
fills_up "no room for any table" "extend base/ ENOSPC"
check "no panic for want of room" "$panics" "$(grep -c PANIC "$CLUSTER/log")"

# A file that cannot be opened for writing.
file=$CLUSTER/data/$(sql "SELECT pg_relation_filepath('dpmix.charge')")
chmod 400 "$file"
sql "SELECT pg_terminate_backend($(worker_pids), 10000)" >/dev/null
charge_noted
check_match "a read-only table of the ledger: PV004" "PV004|could not" "$GOT"
check "a read-only table of the ledger: no answer" "" "$(grep '^id ' <<<"$GOT" || true)"
chmod 600 "$file"
goes_on "a read-only table of the ledger"
consistent "a read-only table of the ledger" 0

# A checkpoint that cannot flush.
disk "sync base/ EIO once"
sql "CHECKPOINT" >/dev/null || true
check "a checkpoint that cannot flush: it was met" t "$(wait_until 30 disk_failed && echo t)"
mended
await_server
consistent "a checkpoint that cannot flush" 0
goes_on "a checkpoint that cannot flush"
