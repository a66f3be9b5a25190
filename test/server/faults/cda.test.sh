#!/usr/bin/env bash
# dpmix.cda broken after the charge, while it demixes, and after its last row: the charge stays, no row is
# shown, no temporary file and no progress are left, and the session goes on. A cancel is obeyed at once.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
faults_library
ledger_cluster "fsync = on" "dpmix.ledger_idle_timeout = 1h"
faults_folder

sql "CREATE TABLE t AS SELECT i % 100 AS x, i % 37 AS y, (i % 3)::text AS kind FROM generate_series(1, 3000) i;
     SELECT dpmix.protect('t', 1e6, 0.1, accountant => 'basic'), dpmix.set_bounds('t', 'x', 0, 100), dpmix.set_bounds('t', 'y', 0, 40),
            dpmix.set_categories('t', 'kind', '{0,1,2}')" >/dev/null
# So many rows that they do not fit what BufFile keeps in memory.
call() { echo "SELECT count(*), count(DISTINCT x) > 5 FROM dpmix.cda(NULL::t, '{x,y}', 30000, 100, 1e-6, label => 'kind', demix => '$1')"; }
left() { sql "SELECT (SELECT count(*) FROM pg_ls_tmpdir()) || ' files, ' || (SELECT count(*) FROM dpmix.cda_progress) || ' running'"; }
charged() { sql "SELECT count(*) FROM dpmix.charge"; }

for demix in none per_class tied; do
  check "$demix, unbroken" "30000|t" "$(sql "$(call $demix)")"
done
check "leaves nothing" "0 files, 0 running" "$(left)"
for place in cda.charged cda.demixing cda.synthesised; do
  for demix in per_class tied; do
    before=$(charged)
    arm $place error
    answer=$(session <<<"BEGIN; SAVEPOINT s; $(call $demix); SELECT count(*) AS files FROM pg_ls_tmpdir(); ROLLBACK TO s; SELECT pg_sleep(1) \\g /dev/null
      SELECT 'left: ' || count(*) FROM pg_ls_tmpdir();
      SELECT 'running: ' || count(*) FROM dpmix.cda_progress; $(call $demix); COMMIT;")
    check_match "$place, $demix: the caller learns that there was an error, and no more" "PV004: the release failed after it was charged" "$answer"
    check "$place, $demix: nothing is left in the transaction, which goes on" "left: 0 running: 0 30000|t " "$(tail -n 3 <<<"$answer" | tr '\n' ' ')"
    check "$place, $demix: both are charged" "$((before + 2))" "$(charged)"
    disarm
  done
  for event in cancel terminate; do
    before=$(charged)
    arm $place wait
    PGAPPNAME=victim psql -X -q -A -t -v VERBOSITY=verbose -c "$(call tied)" >"$CLUSTER/answer" 2>&1 & client=$!
    await_hit $place
    [ $place != cda.demixing ] || check "while it demixes, there is a file, and it is seen" "1 files, 1 running" "$(left)"
    sql "SELECT pg_${event}_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
    wait $client || true
    check_match "$place: $event is obeyed" "57014|57P01" "$(cat "$CLUSTER/answer")"
    check "$place: $event leaves nothing but the charge" "0 files, 0 running $((before + 1))" "$(left) $(charged)"
    disarm
  done
done

# Classes without records and with few rows. Which of them are said to be all noise depends on the noise.
export PGOPTIONS="-c client_min_messages=error"
check "a class that nobody is in is demixed as well" "0|10 1|10 2|10 9|10 " "$(sql "
  SELECT dpmix.set_categories('t', 'kind', '{0,1,2,9}')" >/dev/null; for demix in per_class tied; do sql "
  SELECT kind, count(x) FROM dpmix.cda(NULL::t, '{x,y}', 40, 100, 1e-6, label => 'kind', demix => '$demix') GROUP BY kind ORDER BY kind" >"$CLUSTER/$demix"; done
  cmp "$CLUSTER/tied" "$CLUSTER/per_class" && tr '\n' ' ' <"$CLUSTER/tied")"
check "one row a class" 4 "$(sql "SELECT count(x) FROM dpmix.cda(NULL::t, '{x,y}', 4, 100, 1e-6, label => 'kind', demix => 'per_class')")"

# 784 features, whose eigenvectors take a second: a cancel in their midst is answered within a tenth of one. What
# waiting for a busy processor adds is seen of a session that does nothing; one turn of several must be free of it.
sql "DO \$\$ BEGIN EXECUTE 'CREATE TABLE wide AS SELECT ' || (SELECT string_agg(format('(i * %s %% 101)::real AS x%s', j, j), ', ') FROM generate_series(1, 784) j)
       || ' FROM generate_series(1, 200) i';
     PERFORM dpmix.protect('wide', 1e7, 0.1, accountant => 'basic');
     PERFORM dpmix.set_bounds('wide', format('x%s', j)::name, 0, 100) FROM generate_series(1, 784) j; END \$\$" >/dev/null
wide="SELECT count(*) FROM dpmix.cda(NULL::wide, ARRAY(SELECT format('x%s', j)::name FROM generate_series(1, 784) j), 1000, 10, 1e-6, demix => 'per_class')"
milliseconds() {  # command...: how long it takes
  local from
  from=$(date +%s%N)
  "$@" >/dev/null
  echo $((($(date +%s%N) - from) / 1000000))
}
cancel_victim() {
  sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
  while kill -0 $client 2>/dev/null; do sleep 0.01; done
}
for turn in 1 2 3 4 5 6; do
  arm cda.solving wait
  PGAPPNAME=victim psql -X -q -A -t -v VERBOSITY=verbose -c "$wide" >"$CLUSTER/answer" 2>&1 & client=$!
  await_hit cda.solving
  let_go cda.solving
  sleep 0.2
  took=$(milliseconds cancel_victim)
  idle=$(milliseconds sql "SELECT 1")
  wait $client || true
  ! grep -q 57014 "$CLUSTER/answer" || [ $took -ge $((300 + 4 * idle)) ] || break
done
check_match "a cancel in the midst of the eigenvectors is obeyed" 57014 "$(cat "$CLUSTER/answer")"
check "soon ($took ms, a session's start being $idle)" t "$([ $took -lt $((300 + 4 * idle)) ] && echo t)"
check "leaving nothing" "0 files, 0 running" "$(left)"
