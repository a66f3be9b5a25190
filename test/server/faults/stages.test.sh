#!/usr/bin/env bash
# A fault at every stage of a charge: errors, cancels, timeouts, ended and killed processes, of the
# caller and of the worker. Whoever got an answer is charged once; whoever got none is charged at most
# once, and where the stage decides it, it is said here; the ledger serves the next one.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
check "dpmix.so as it is installed has no trace of the places for faults" "" \
  "$(grep -aoE 'dpmix_faults|charge\.taken|worker\.decided' dpmix.so | sort -u)"
faults_library
ledger_cluster "fsync = on" "dpmix.ledger_idle_timeout = 1h"
faults_folder

sql "CREATE TABLE t (x int, y int, sex text);
     INSERT INTO t SELECT i, i, 'f' FROM generate_series(1, 100) i;
     SELECT dpmix.protect('t', 1e6, 0.1, accountant => 'basic');
     SELECT dpmix.set_bounds('t', 'x', 0, 100); SELECT dpmix.set_bounds('t', 'y', 0, 100);
     SELECT dpmix.set_categories('t', 'sex', '{f,m}')" >/dev/null

statement_for() {  # place: what comes by there
  case $1 in
    query.*) echo "SELECT n IS NOT NULL FROM dpmix.query('SELECT dp_count(*) FROM t', epsilon => 1) AS t(n bigint)" ;;
    gmm.*) echo "SELECT s IS NOT NULL FROM dpmix.release_gmm('m$RANDOM$RANDOM', 't', '{x,y}', 1, 1e-6, label => 'sex') s" ;;
    tree.*) echo "SELECT s IS NOT NULL FROM dpmix.release_tree('t$RANDOM$RANDOM', 't', '{x,y,sex}', 10000, 1e-6, bins => 'equal') s" ;;
    regression.pass) echo "SELECT s IS NOT NULL FROM dpmix.release_regression('r$RANDOM$RANDOM', 't', 'y > 50', '{x,sex}', 1, 1e-6, 'logistic') s" ;;
    regression.rows) echo "SELECT s IS NOT NULL FROM dpmix.release_regression('r$RANDOM$RANDOM', 't', 'y > 50', '{x,sex}', 1, 1e-6, 'logistic', method => 'coordinate') s" ;;
    regression.*) echo "SELECT s IS NOT NULL FROM dpmix.release_regression('r$RANDOM$RANDOM', 't', 'y', '{x,sex}', 1, 1e-6) s" ;;
    survival.*) echo "SELECT s IS NOT NULL FROM dpmix.release_survival('s$RANDOM$RANDOM', 't', 'x', 'sex', 1, 1e-6, censored => 'f') s" ;;
    compare.*) echo "SELECT count(*) > 0 FROM dpmix.compare_private('t', 't', 1, 1e-6, 'sex')" ;;
    cda.*) echo "SELECT count(*) >= 0 FROM dpmix.cda(NULL::t, '{x,y}', 10, 1, 1e-6, label => 'sex')" ;;
    *) echo "SELECT charge_probe('t', 1) IS NOT NULL" ;;
  esac
}

to_victim() {  # function of a pid
  sql "SELECT $1(pid) FROM pg_stat_activity WHERE application_name = 'victim'"
}
kill_process() {  # signal pid
  as_server kill "-$1" "$2"
}

client_of() {  # place event: a client whose answer goes to $CLUSTER/answer
  local limit=0
  [ "$2" != caller_timeout ] || limit=1000  # a busy machine comes to the place in time
  # A caller looks once a second whether its request was taken.
  [ "$1 $2" != "charge.taken caller_timeout" ] || limit=3500
  { echo "SET statement_timeout = $limit;"; statement_for "$1"; } >"$CLUSTER/client.sql"
  PGAPPNAME=victim psql -X -q -A -t -v VERBOSITY=verbose -f "$CLUSTER/client.sql" >"$CLUSTER/answer" 2>&1 &
  client=$!
}

befall() {  # place event: to whom waits at the place
  case $2 in
    caller_timeout) wait $client || true ;;  # its own doing
    caller_cancel) to_victim pg_cancel_backend >/dev/null; wait $client || true ;;
    caller_terminate) to_victim pg_terminate_backend >/dev/null; wait $client || true ;;
    caller_kill) kill_process KILL "$(to_victim "")"; wait $client || true ;;
    worker_terminate) kill_process TERM "$(worker_at "$1")" ;;
    worker_cancel) kill_process INT "$(worker_at "$1")" ;;
    worker_kill) kill_process KILL "$(worker_at "$1")"; wait $client || true ;;
  esac
}

worker_at() {  # place: before it connects it is not in pg_stat_activity
  case $1 in worker.*) hit_pid "$1" ;; *) worker_pids ;; esac
}

# The rows that table t has, and whether the balance and the sums agree with them.
RECORD="SELECT count(*) || CASE WHEN count(*) = (SELECT charges FROM dpmix.budget WHERE relation = 't'::regclass)
              AND sum(c.epsilon) = (SELECT epsilon_spent FROM dpmix.budget WHERE relation = 't'::regclass)::numeric
              AND (count(*), sum(c.epsilon), sum(c.delta), sum(c.cost)) =
                  (SELECT sum(charges), sum(epsilon), sum(delta), sum(cost) FROM dpmix_internal.charge_total)
              AND count(DISTINCT c.id) = count(*) THEN '' ELSE ' and the sums differ' END
       FROM dpmix.charge c"
record() { sql "$RECORD"; }
next_and_record() { session <<<"SELECT charge_probe('t', 1) IS NOT NULL; $RECORD"; }  # two snapshots
BEFORE=""

stage() {  # place event answer charges: 0, 1, or ? where the stage does not decide it
  local after said=0 result
  [ "$1" != worker.started ] || sql "SELECT pg_terminate_backend($(worker_pids), 10000)" >/dev/null
  # A caller sees its request taken only while the worker has it.
  [ "$1" != charge.taken ] || arm worker.decided wait
  case $2 in
    error | exit | panic | kill) arm "$1" "$2" ;;
    *) arm "$1" wait ;;
  esac
  client_of "$1" "$2"
  [ "$1" != charge.taken ] || await_hit worker.decided
  await_hit "$1"
  befall "$1" "$2"
  let_go "$1"
  case $2 in *_kill) await_server ;; esac  # before the worker may go on, and commit
  let_go worker.decided
  wait $client || true
  disarm
  case $2 in *kill | panic) await_server ;; esac
  [ "$(tail -n 1 "$CLUSTER/answer")" != t ] || said=1
  # What it took is settled when the next one has been served.
  after=$(next_and_record)
  if [ "$(head -n 1 <<<"$after")" != t ]; then
    echo "not ok - $1, $2: the next one is not served: $after"
    after=$'t\n'$(record)
  fi
  after=${after#*$'\n'}
  result="$said $((${after%% *} - BEFORE - 1))${after#"${after%% *}"}"
  BEFORE=${after%% *}
  case "$3 $4" in
    "? ?") [[ $result =~ ^(1 1|0 0|0 1)$ ]] && echo "ok - $1, $2" ;;
    "? 1") [[ $result =~ ^[01]\ 1$ ]] && echo "ok - $1, $2" ;;
    "0 ?") [[ $result =~ ^0\ [01]$ ]] && echo "ok - $1, $2" ;;
    *) [ "$result" = "$3 $4" ] && echo "ok - $1, $2" ;;
  esac || echo "not ok - $1, $2: expected (answers charges) '$3 $4', got '$result'; it said: $(cat "$CLUSTER/answer")"
}

BEFORE=$(next_and_record | tail -n 1)  # there is a worker, too
# Waiting, not yet taken: the request goes with its caller, unless the worker came just then.
for event in error caller_timeout caller_cancel caller_terminate; do stage charge.submitted $event 0 "?"; done
stage charge.submitted worker_terminate "?" "?"
stage charge.submitted worker_cancel 1 1
# Taken: it stands, unless the worker ends before it commits.
for event in error caller_timeout caller_cancel caller_terminate; do stage charge.taken $event 0 1; done
stage charge.taken worker_terminate 0 0
# Charged: it stands, whatever becomes of the caller; the worker is not needed any more.
for place in charge.answered query.noised; do
  for event in error caller_timeout caller_cancel caller_terminate; do stage $place $event 0 1; done
  stage $place worker_terminate 1 1
done
for place in query.scanned gmm.charged gmm.stored tree.charged tree.pass1 tree.pass2 tree.stored regression.charged regression.moments regression.pass regression.rows \
  regression.stored survival.stored \
  cda.charged cda.synthesised compare.charged compare.scanned; do
  for event in error caller_terminate; do stage $place $event 0 1; done
done
# A worker that does not get to its first request is launched again.
for event in error exit worker_terminate worker_cancel; do stage worker.started $event 1 1; done
for event in caller_timeout caller_cancel caller_terminate; do stage worker.started $event 0 0; done
# One that has taken a request answers it, or says that the charge may stand.
stage worker.taken error "?" "?"
for event in exit worker_terminate; do stage worker.taken $event 0 0; done
for event in error exit worker_terminate worker_cancel; do stage worker.decided $event 0 0; done
for event in error exit worker_terminate worker_cancel; do stage worker.before_commit $event 0 0; done
for event in error exit worker_terminate worker_cancel; do stage worker.committed $event 0 1; done
for place in worker.taken worker.decided worker.before_commit worker.committed; do
  for event in caller_timeout caller_cancel caller_terminate; do stage $place $event 0 1; done
done
for event in error exit worker_terminate worker_cancel; do stage worker.answered $event 1 1; done
check_slots "after all these"
BEFORE=$(record)

# kill -9 restarts the cluster. What was not committed is gone with it, what was is there.
stage charge.submitted caller_kill 0 "?"
stage charge.taken caller_kill 0 0
stage charge.taken worker_kill 0 0
stage charge.answered caller_kill 0 1
stage query.scanned caller_kill 0 1
stage query.noised worker_kill 0 1
stage gmm.stored caller_kill 0 1
stage tree.pass2 caller_kill 0 1
stage tree.stored caller_kill 0 1
stage worker.started worker_kill 0 0
stage worker.taken worker_kill 0 0
stage worker.decided worker_kill 0 0
stage worker.before_commit worker_kill 0 0
stage worker.committed worker_kill 0 1
stage worker.committed panic 0 1
stage worker.answered worker_kill "?" 1
check_slots "after the crashes"

# A hundred times the same.
hundred() {  # place action
  arm "$1" always "$2"
  sql "DO \$\$ BEGIN FOR i IN 1..100 LOOP
         BEGIN PERFORM charge_probe('t', 1); EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END \$\$" >/dev/null
  HIT=$(hit_count "$1")
  disarm
}
for place in charge.submitted worker.decided worker.committed; do
  hundred $place error
  check_slots "after a hundred errors ($HIT) at $place"
done
sql "SELECT pg_terminate_backend($(worker_pids), 10000)" >/dev/null
arm worker.started always error
check_match "a worker that never starts is given up" "PV004.*does not start|PV004.*not available" "$(sql "SELECT charge_probe('t', 1)" || true)"
disarm
check_match "and tried again by the next caller" '^[0-9]+$' "$(sql "SELECT charge_probe('t', 1)")"

# A batch of many: one error undoes it, and then each request is tried alone.
before=$(record)
arm worker.decided wait
sql "SELECT charge_probe('t', 1)" >/dev/null & first=$!
await_hit worker.decided
arm charge.submitted always count
"$BIN/pgbench" -n -c 8 -j 1 -t 1 -f "$CLUSTER/slots.sql" >/dev/null 2>&1 & batch=$!
eight_wait() { [ "$(hit_count charge.submitted)" -ge 8 ]; }
wait_until 30 eight_wait
rm -f "$FAULTS/charge.submitted"
release=$FAULTS/worker.decided.hit
mv "$release" "$release.old" 2>/dev/null || true
wait $first
arm worker.decided error
wait $batch || echo "not ok - a batch was refused for one error"
check "an error undoes a batch, and each request is then decided alone" "$((before + 9))" "$(record)"
disarm

# A worker that has retired does no more; the next one is on its way at once.
set_idle 100ms
arm worker.retiring wait
sql "SELECT charge_probe('t', 1)" >/dev/null
await_hit worker.retiring
old=$(hit_pid worker.retiring)
check_match "a request during retirement is served by another worker" '^[0-9]+$' "$(sql "SELECT charge_probe('t', 1)")"
check "while the old one still goes" t "$(sql "SELECT count(*) > 0 FROM pg_stat_activity WHERE pid = $old")"
kill_process TERM "$old"
disarm
check_match "whose end disturbs nobody" '^[0-9]+$' "$(sql "SELECT charge_probe('t', 1)")"
check_match "the sums are those of the rows" '^[0-9]+$' "$(record)"

# Preloaded, the postmaster's children must find the new memory after a crash, not the old.
disarm
cat >>"$CLUSTER/data/postgresql.conf" <<<"shared_preload_libraries = 'dpmix'
dpmix.ledger_idle_timeout = 1h"
cluster_restart
BEFORE=$(next_and_record | tail -n 1)
stage charge.answered caller_kill 0 1
stage worker.decided worker_kill 0 0
check_slots "preloaded, after crashes"

# A request under terms that were never committed, of a caller that is gone when it is decided, teaches the
# worker nothing.
sql "CREATE TABLE retermed (x int); SELECT dpmix.protect('retermed', 4, 1e-6)" >/dev/null
arm worker.taken wait
PGAPPNAME=victim session <<<"BEGIN; SELECT dpmix.unprotect('retermed'); SELECT dpmix.protect('retermed', 4, 1e-6, accountant => 'basic'); SELECT charge_probe('retermed', .1);" >"$CLUSTER/retermed" 2>&1 & client=$!
await_hit worker.taken
sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
wait $client || true
let_go worker.taken
disarm
check_match "terms that were never committed" 57014 "$(cat "$CLUSTER/retermed")"
check "what a request with uncommitted terms said is not used for the next one" "renyi t" \
  "$(sql "SELECT charge_probe('retermed', .1)" >/dev/null; sql "SELECT p.accountant || ' ' || (g.cost > 0)::text::char FROM dpmix.charge g JOIN dpmix.protected_table p ON p.id = g.table_id WHERE g.relation = 'public.retermed'")"
