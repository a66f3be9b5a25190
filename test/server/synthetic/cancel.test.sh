#!/usr/bin/env bash
# Long calls of dpmix.cda end when they are told to, whatever they are at; what was charged stays charged, and the
# memory that held records comes back.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "max_parallel_workers_per_gather = 0"
export PGOPTIONS="-c client_min_messages=error"
run() { psql -XqAt -c "$@" 2>&1; }
columns() { local i; for i in $(seq 1 300); do printf '%s' "${1//@/$i}"; [ "$i" = 300 ] || printf ', '; done; }
charges() { run "SELECT count(*) FROM dpmix.ledger"; }

run "CREATE EXTENSION dpmix"
run "CREATE TABLE wide AS SELECT i % 2 AS label, $(columns 'random()::real AS f@') FROM generate_series(1, 20000) AS i"
run "SELECT dpmix.protect('wide', 1e7, 1e-2), dpmix.set_categories('wide', 'label', '{0,1}')" >/dev/null
run "SELECT count(dpmix.set_bounds('wide', ('f' || i)::name, 0, 1)) FROM generate_series(1, 300) AS i" >/dev/null
cda() {  # rows, mix
  echo "SELECT count(*) FROM dpmix.cda(NULL::wide, '{$(columns f@)}', $1, 10, 1e-5, label => 'label', mix => $2, demix => 'none')"
}
check "a call that nobody stops ends" 1000 "$(run "SET work_mem = '64MB'; $(cda 1000 64)")"
check "and so it does when the records are read again and again" 1000 "$(run "SET work_mem = '1MB'; $(cda 1000 64)")"

# Each would take minutes: mixing whole classes, held and streamed; rows and noise; rows that spill.
cancel() {  # description, work_mem, rows, mix, seconds from the charge to the cancel
  local before pid client start answered
  before=$(charges)
  psql -XqAt -c "SET application_name = 'long'" -c "SET work_mem = '$2'" -c "$(cda "$3" "$4")" >"$CLUSTER/answer" 2>&1 &
  client=$!
  until [ "$(charges)" -gt "$before" ]; do sleep 0.05; done
  sleep "$5"
  pid=$(run "SELECT pid FROM pg_stat_activity WHERE application_name = 'long'")
  start=$(date +%s%N)
  run "SELECT pg_cancel_backend($pid)" >/dev/null
  wait "$client" || true
  answered=$((($(date +%s%N) - start) / 1000000))
  check "$1: cancelled" 1 "$(grep -c 'canceling statement due to user request' "$CLUSTER/answer")"
  check "$1: at once, on a busy machine too" yes "$([ "$answered" -le 10000 ] && echo yes || echo "after $answered ms")"
  check "$1: stays charged" 1 "$(($(charges) - before))"
}
for seconds in 0 0.3 2; do
  cancel "mixing held records, $seconds s after the charge" 64MB 1000000 10000 $seconds
  cancel "mixing streamed records, $seconds s after the charge" 1MB 1000000 10000 $seconds
  cancel "noise and output, $seconds s after the charge" 64MB 100000000 1 $seconds
  cancel "output that spills, $seconds s after the charge" 24MB 100000000 1 $seconds
done

# One session: 24 MB of records are held each time, whether the call ends or is cut off.
memory="SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+)')::int AS"
contexts="SELECT sum(total_bytes) AS"
{
  echo "SET work_mem = '64MB';"
  for round in $(seq 12); do
    echo "SET statement_timeout = '700ms';"
    echo "$(cda 1000000 10000);"
    echo "SET statement_timeout = 0;"
    echo "$(cda 100 64);"
    [ "$round" != 3 ] || { echo "$memory early \\gset"; echo "$contexts early_contexts FROM pg_backend_memory_contexts \\gset"; }
  done
  echo "$memory late \\gset"
  echo "$contexts late_contexts FROM pg_backend_memory_contexts \\gset"
  echo "SELECT 'timeouts and memory:', :late - :early, :late_contexts - :early_contexts;"
} | psql -XqAt >"$CLUSTER/answer" 2>&1
check "calls cut off by statement_timeout" 12 "$(grep -c 'statement timeout' "$CLUSTER/answer")"
grown=$(grep '^timeouts and memory' "$CLUSTER/answer" | cut -d '|' -f 2)
# What malloc keeps of one call is up to where the earlier ones were cut off; nine calls hold 216 MB.
check "nine more of them, and nine that end, do not grow the backend by the records of three calls" \
  yes "$([ "$grown" -lt 72000 ] && echo yes || echo "$grown kB")"
grown=$(grep '^timeouts and memory' "$CLUSTER/answer" | cut -d '|' -f 3)
check "nor its memory contexts" yes "$([ "$grown" -lt 1000000 ] && echo yes || echo "$grown bytes")"
