# Sourced by tests that break things, after lib/charges.sh: a cluster with the library
# that breaks on purpose (src/pg/border/fault.hpp, faults.cpp) and, if asked for, a disk and a clock that do
# (preload.c).

faults_library() {  # builds it and has the cluster take it
  make -s -j"$(nproc)" PG_CONFIG="${PG_CONFIG:-pg_config}" build/faults/dpmix.so >build/faults.log 2>&1 ||
    { cat build/faults.log >&2; return 1; }
  CLUSTER_LIBRARY=build/faults/dpmix.so
}

faults_preload() {  # the library under the server
  mkdir -p build/faults
  gcc -O1 -Wall -shared -fPIC -o build/faults/preload.so test/server/faults/preload.c -ldl
  CLUSTER_PRELOAD=$PWD/build/faults/preload.so
}

faults_folder() {  # once the cluster is there
  FAULTS=$CLUSTER/data/dpmix_faults
  as_server mkdir "$FAULTS"
}

rule() {  # name line...: there as a whole or not at all
  printf '%s\n' "${@:2}" >"$CLUSTER/rule"
  chmod 644 "$CLUSTER/rule"
  mv "$CLUSTER/rule" "$FAULTS/$1"
}
arm() {  # place action...: for the first that comes by, or "always action"
  rm -f "$FAULTS/$1.hit" "$FAULTS/$1.count"
  rule "$1" "${*:2}"
}
was_hit() { [ -s "$FAULTS/$1.hit" ]; }
await_hit() {  # place
  local end=$((SECONDS + 30))
  until was_hit "$1"; do
    [ $SECONDS -lt $end ] || { echo "not ok - nobody came to $1"; return 0; }
    sleep 0.02
  done
}
hit_pid() { cat "$FAULTS/$1.hit"; }
let_go() { rm -f "$FAULTS/$1.hit"; }
disarm() { rm -f "$FAULTS"/*; }
hit_count() { cat "$FAULTS/$1.count" 2>/dev/null | wc -l; }

set_idle() {  # time: when an idle worker leaves
  echo "dpmix.ledger_idle_timeout = '$1'" >>"$CLUSTER/data/postgresql.conf"
  sql "SELECT pg_reload_conf()" >/dev/null
}

answers() { psql -X -q -c "SELECT 1" >/dev/null 2>&1; }
await_server() { wait_until 60 answers || { echo "not ok - the server does not come back"; tail -n 20 "$CLUSTER/log"; exit 1; }; }

# That nothing leaked: with the worker held, all 32 request slots can be taken, and no more; fewer where some are held.
check_slots() {  # when [slots]
  arm worker.taken wait
  arm charge.submitted always count
  echo "SELECT charge_probe('t', 1)" >"$CLUSTER/slots.sql"
  "$BIN/pgbench" -n -c 40 -j 1 -t 1 -f "$CLUSTER/slots.sql" >/dev/null 2>"$CLUSTER/slots.log" &
  local bench=$! slots=${2:-32}
  slots_taken() { [ "$(hit_count charge.submitted)" -ge "${slots}" ]; }
  wait_until 30 slots_taken || true
  await_hit worker.taken
  sleep 0.2
  local taken
  taken=$(hit_count charge.submitted)
  let_go worker.taken
  local done=served
  wait $bench || done="not served: $(tail -n 3 "$CLUSTER/slots.log")"
  disarm
  check "$1, $slots slots can be taken and 40 callers are served" "$slots served" "$taken $done"
}
