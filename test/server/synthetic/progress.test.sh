#!/usr/bin/env bash
# dpmix.cda_progress: a running call is seen by those it concerns, nobody else, and gone when it is over, in
# whatever way.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1h"
sql "CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE stan LOGIN; CREATE ROLE ada LOGIN;
     GRANT ana TO ada; GRANT pg_read_all_stats TO stan;
     CREATE TABLE t AS SELECT i % 100 AS x FROM generate_series(1, 2000) i; ALTER TABLE t OWNER TO olga;
     SELECT dpmix.protect('t', 1e6, 0.1, accountant => 'basic'); SELECT dpmix.set_bounds('t', 'x', 0, 100);
     SELECT dpmix.grant_access('t', 'ana'); SELECT dpmix.grant_access('t', 'bob')" >/dev/null
sql "CREATE DATABASE other" >/dev/null
sql "CREATE EXTENSION dpmix" other >/dev/null

call() { echo "SELECT count(*) FROM dpmix.cda(NULL::t, '{x}', $1, 1, 1e-6, demix => 'none')"; }
long=$(call 50000000)
seen() { PGUSER=$1 sql "SELECT count(*) FROM dpmix.cda_progress" "${2:-postgres}"; }
written() { sql "SELECT rows_written FROM dpmix.cda_progress"; }
has_written() { [ "$(written)" -gt "$1" ] 2>/dev/null; }
runs() { [ "$(seen postgres)" = 1 ]; }
is_over() { [ "$(seen postgres)" = 0 ]; }  # a process notices soon after its caller left
run() {  # role: runs the long call
  PGUSER=$1 PGAPPNAME=victim psql -X -q -A -t -v VERBOSITY=verbose -c "$long" >"$CLUSTER/answer" 2>&1 & client=$!
  wait_until 60 runs || echo "not ok - the call of $1 is never seen"
}
stop() {  # function of a pid
  sql "SELECT $1(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
  wait $client || true
}

check "nothing runs" 0 "$(seen postgres)"
run ana
wait_until 60 has_written 0 || echo "not ok - no row is ever written: $(cat "$CLUSTER/answer")"
first=$(written)
check "what, whose and of how many rows" "t|ana|50000000|t|t" "$(sql "
  SELECT relation, role, rows_total, pid = (SELECT pid FROM pg_stat_activity WHERE application_name = 'victim'),
         started BETWEEN now() - interval '5 min' AND now() FROM dpmix.cda_progress")"
wait_until 60 has_written "$first" && echo "ok - rows are counted as they are written"
for role in ana ada olga stan postgres; do check "$role sees it" 1 "$(seen $role)"; done
check "another analyst does not, and nobody does from another database" "0 0" "$(seen bob) $(seen postgres other)"
check "a role that was granted nothing reads the view, too" 0 "$(sql "CREATE ROLE eve LOGIN" >/dev/null; seen eve)"
check "SET ROLE counts" 0 "$(session <<<"SET ROLE bob; SELECT count(*) FROM dpmix.cda_progress;")"
stop pg_cancel_backend
wait_until 10 is_over
check_match "a cancel is obeyed" 57014 "$(cat "$CLUSTER/answer")"
check "and the call is seen no more" 0 "$(seen postgres)"
run bob
check "a call of another is not ana's" "0 1" "$(seen ana) $(seen bob)"
stop pg_terminate_backend
wait_until 10 is_over
check "a terminated call is seen no more" 0 "$(seen postgres)"

check "nor one that is over, an error that was caught, a savepoint, in the same transaction" "1000 0 0 0 " "$(session <<SQL | grep -E '^[0-9]+$' | tr '\n' ' '
BEGIN;
$(call 1000);
SELECT count(*) FROM dpmix.cda_progress;
SET statement_timeout = '2s';
DO \$\$ BEGIN PERFORM count(*) FROM dpmix.cda(NULL::t, '{x}', 50000000, 1, 1e-6, demix => 'none'); EXCEPTION WHEN query_canceled THEN NULL; END \$\$;
RESET statement_timeout;
DO \$\$ BEGIN FOR i IN 1..1000 LOOP EXIT WHEN NOT EXISTS (SELECT FROM dpmix.cda_progress); PERFORM pg_sleep(.01); END LOOP; END \$\$;
SELECT count(*) FROM dpmix.cda_progress;
SAVEPOINT s;
SELECT 1 / (count(*) - 1000) FROM dpmix.cda(NULL::t, '{x}', 1000, 1, 1e-6) \g /dev/null
ROLLBACK TO s;
SELECT count(*) FROM dpmix.cda_progress;
COMMIT;
SQL
)"
check "several calls in one statement" "30" "$(sql "SELECT count(*) FROM generate_series(1, 3) g, LATERAL dpmix.cda(NULL::t, '{x}', 10 + 0 * g, 1, 1e-6)")"
check "leave nothing" 0 "$(seen postgres)"

# A domain's constraint that makes synthetic rows of its own, for each synthetic value: in the caller's session, when
# the outer call's process has done its work.
sql "CREATE TABLE inner_t AS SELECT x FROM t; CREATE TABLE seen (calls bigint);
     SELECT dpmix.protect('inner_t', 1e6, 0.1, accountant => 'basic'); SELECT dpmix.set_bounds('inner_t', 'x', 0, 100);
     CREATE FUNCTION nests(x int) RETURNS boolean LANGUAGE plpgsql AS \$\$
     BEGIN
         PERFORM count(*) FROM dpmix.cda(NULL::inner_t, '{x}', 7, 1, 1e-6);
         INSERT INTO seen SELECT count(*) FROM dpmix.cda_progress;
         RETURN true;
     END \$\$;
     CREATE DOMAIN nesting AS int CHECK (nests(value)); CREATE TABLE nesting_t (x nesting);
     SELECT dpmix.protect('nesting_t', 1e6, 0.1, accountant => 'basic'); SELECT dpmix.set_bounds('nesting_t', 'x', 0, 100)" >/dev/null
check "a call within a call, for each of three rows" 3 "$(sql "SET client_min_messages = error; SELECT count(*) FROM dpmix.cda(NULL::nesting_t, '{x}', 3, 1, 1e-6)")"
check "which were charged, and seen no more" "t|0" "$(sql "SELECT (SELECT count(*) FROM dpmix.charge WHERE relation::text LIKE '%inner_t') >= 3, max(calls) FROM seen")"
check "nothing of them is left" 0 "$(seen postgres)"

run ana
kill_hard "$(sql "SELECT pid FROM dpmix.cda_progress")"
wait $client || true
check "after kill -9 nothing is left of it" 0 "$(seen postgres)"
run ana
check "and the next one is seen" 1 "$(seen ana)"
stop pg_cancel_backend

# No shared memory at all.
cluster_restart
sql "SELECT charge_probe('t', 1); SELECT hog_shared_memory()" >/dev/null
check_match "without shared memory there is no process to make it" "PV004: no process is free" "$(sql "$(call 1000)" 2>&1 || true)"
