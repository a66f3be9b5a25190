#!/usr/bin/env bash
# A fault at every stage of a release's process, of the caller and of the process. Whoever got an answer is charged
# once; whoever got none at most once; and the next call is answered.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
faults_library
ledger_cluster "fsync = on" "dpmix.ledger_idle_timeout = 1h" "dpmix.release_processes = 2"
faults_folder
sql "CREATE TABLE t (x int); INSERT INTO t SELECT i FROM generate_series(1, 100) i;
     SELECT dpmix.protect('t', 1e6, 0.1, accountant => 'basic')" >/dev/null
counted="SELECT n BETWEEN 50 AND 150 FROM dpmix.query('SELECT dp_count(*) FROM t', 1) AS t(n bigint)"
processes() { sql "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpmix release' ORDER BY pid"; }

# place action what the client is told, charges
stages="
release.reserved error asked.to.fail 0
release.submitted error asked.to.fail 0
release.submitted exit . [01]
release.taken exit PV004 0
release.made error PV004.*failed.after.it.was.charged 1
release.made exit PV004 1
query.scanned error PV004.*failed.after.it.was.charged 1
query.noised exit PV004 1
charge.submitted error asked.to.fail [01]
charge.answered error PV004.*failed.after.it.was.charged 1
"
while read -r place action told charged; do
  [ -n "$place" ] || continue
  sql "$counted" >/dev/null  # a warm process, so that the place is this call's
  before=$(charges t)
  arm "$place" "$action"
  said=$(timeout 60 psql -X -q -A -t -v VERBOSITY=verbose -c "$counted" 2>&1 || true)
  disarm
  await_server
  check_match "$action at $place: the caller learns no more than that" "$told" "$(tr '\n' ' ' <<<"$said")"
  check_match "$action at $place: charged" "^$charged\$" "$(($(charges t) - before))"
  check "$action at $place: the next three calls are answered" "t t t" "$(for i in 1 2 3; do sql "$counted"; done | paste -sd' ')"
done <<<"$stages"

# The caller leaves while its process works: cancelled, ended, killed.
for signal in INT TERM KILL; do
  before=$(charges t)
  arm query.scanned wait
  PGAPPNAME=victim psql -X -q -c "$counted" >/dev/null 2>&1 & client=$!
  await_hit query.scanned
  process=$(hit_pid query.scanned)
  as_server kill -$signal "$(sql "SELECT pid FROM pg_stat_activity WHERE application_name = 'victim'")"
  [ $signal = KILL ] || wait $client || true
  gone() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE pid = $process AND xact_start IS NOT NULL")" = 0 ]; }
  wait_until 10 gone || echo "not ok - the process goes on after $signal"
  let_go query.scanned
  wait $client || true
  await_server
  check "SIG$signal to the caller: charged once" 1 "$(($(charges t) - before))"
  check "SIG$signal to the caller: the next call is answered" t "$(sql "$counted")"
  check "SIG$signal to the caller: no lock is left" 0 "$(sql "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE backend_type <> 'dpmix ledger' AND (locktype = 'advisory' OR relation = 't'::regclass)")"
done

# More callers than processes: they take turns. One that waits in vain is refused, free.
arm query.scanned always count
for i in $(seq 8); do psql -X -q -A -t -c "$counted" >>"$CLUSTER/turns" 2>&1 & done
wait
check "eight callers of two processes take turns" "8 t" "$(sort "$CLUSTER/turns" | uniq -c | sed 's/^ *//')"
check "there are two processes" 2 "$(processes | grep -c .)"
disarm
before=$(charges t)
arm query.scanned wait
psql -X -q -c "$counted" >/dev/null 2>&1 & first=$!
await_hit query.scanned
check_match "while one works the other answers" t "$(sql "$counted")"
let_go query.scanned
wait $first
check "and no charge is lost" 2 "$(($(charges t) - before))"
check "no crash but those asked for" 0 "$(grep -cE 'PANIC|TRAP|XX000|leak' "$CLUSTER/log" || true)"
