#!/usr/bin/env bash
# Releases of mixtures against each other and against the caller's transaction: a name is used
# once, a lost race costs nothing, a cancelled or rolled-back release stays charged.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
run() { psql -XqAt -c "$@" 2>&1; }
charges() { run "SELECT count(*) FROM dpmix.ledger WHERE release = '$1'"; }
release() { echo "SELECT components FROM dpmix.release_gmm('$1', 'public.people', '{age}', 1, 1e-6, label => 'kind')"; }

run "CREATE EXTENSION dpmix"
run "CREATE TABLE people AS SELECT i % 90 AS age, (i % 2)::text AS kind FROM generate_series(1, 10000) AS i"
run "SELECT dpmix.protect('people', 1e7, 1e-4), dpmix.set_bounds('people', 'age', 0, 120),
            dpmix.set_categories('people', 'kind', '{0,1}')" >/dev/null

for level in "READ COMMITTED" "REPEATABLE READ"; do
  name="race $level"
  psql -XqAt -c "BEGIN" -c "$(release "$name")" -c "SELECT pg_sleep(1.5)" -c "COMMIT" >/dev/null 2>&1 &
  first=$!
  until [ "$(charges "$name")" = 1 ]; do sleep 0.05; done
  second=$(psql -XqAt -c "BEGIN ISOLATION LEVEL $level" -c "SELECT 1" -c "$(release "$name")" 2>&1 | grep -c ERROR || true)
  wait "$first"
  check "the second of two releases of one name is refused under $level" 1 "$second"
  check "and is not charged" 1 "$(charges "$name")"
done

psql -XqAt -c "BEGIN" -c "$(release undone)" -c "ROLLBACK" >/dev/null
check "a rolled-back release stays charged" 1 "$(charges undone)"
check "and is gone" 0 "$(run "SELECT count(*) FROM dpmix.release WHERE name = 'undone'")"
check "and its name is free" 2 "$(run "$(release undone)")"

run "CREATE FUNCTION fail(x anyelement) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'"
run "SELECT fail(dpmix.release_gmm('failed', 'people', '{age}', 1, 1e-6, label => 'kind'))" >/dev/null || true
check "an error later in the statement does not refund" 1 "$(charges failed)"

psql -XqAt -c "BEGIN READ ONLY" -c "$(release readonly)" >/dev/null 2>&1 || true
check "a read-only transaction is refused before the charge" 0 "$(charges readonly)"

run "SET statement_timeout = '200ms'; SELECT count(*) FROM dpmix.sample('undone', NULL::people, 1000000000)" >build/gmm_cancel.log || true
check "sampling can be cancelled" 1 "$(grep -c 'statement timeout' build/gmm_cancel.log)"
check "sampled rows spill at work_mem" "200000|tt" "$(psql -XqAt -c "SET work_mem = '64kB'" \
  -c "SELECT count(*), bool_and(age BETWEEN 0 AND 120 AND kind IN ('0', '1')) FROM dpmix.sample('undone', NULL::people, 200000)" \
  -c "SELECT pg_stat_force_next_flush()" -c "SELECT temp_files > 0 FROM pg_stat_database WHERE datname = current_database()" | tr -d '\n')"

# A table of that name made anew, or a role made anew, is not the one that the release belongs to.
run "CREATE ROLE maker; GRANT CREATE ON SCHEMA public TO maker"
run "SELECT dpmix.grant_access('people', 'maker')" >/dev/null
run "SET ROLE maker; $(release made)" >/dev/null
run "SELECT dpmix.revoke_access('people', 'maker')" >/dev/null
check "a maker reads its release without access to the table" 2 "$(run "SET ROLE maker; SELECT count(*) FROM dpmix.gmm('made')")"
run "REVOKE CREATE ON SCHEMA public FROM maker; DROP ROLE maker; CREATE ROLE maker"
check "a new role under its name does not" 1 "$(run "SET ROLE maker; SELECT count(*) FROM dpmix.gmm('made')" | grep -c 'no access')"

check "no pass is counted where the caller could see it" "0|0|0" "$(psql -XqAt -c "BEGIN" -c "$(release counted)" -c "SELECT pg_stat_get_xact_numscans('people'::regclass),
  pg_stat_get_xact_tuples_returned('people'::regclass), pg_stat_get_xact_blocks_fetched('people'::regclass)" -c "COMMIT" | tail -n 1)"
check "though a plain scan is" t "$(psql -XqAt -c "BEGIN" -c "SELECT count(*) FROM people" -c "SELECT pg_stat_get_xact_numscans('people'::regclass) > 0" -c "COMMIT" | tail -n 1)"

# Every pass is a parallel scan where PostgreSQL would plan one for its text: seven passes of two workers, and
# the same rows.
run "ALTER SYSTEM SET log_min_messages = debug1" >/dev/null
run "SELECT pg_reload_conf()" >/dev/null
workers() { grep -c 'starting background worker process "parallel worker' "$CLUSTER/log" || true; }
settings="SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0"
counts() { run "$1; SELECT ARRAY(SELECT round(n) FROM unnest(row_counts) n) FROM dpmix.release_gmm('$2', 'people', '{age}', 1e6, 1e-6, label => 'kind')" | sed '/SET/d'; }
before=$(workers)
check "a release in parallel counts all rows" "{5000,5000}" "$(counts "$settings" parallel)"
check "by two workers for each of seven passes" 14 "$(($(workers) - before))"
before=$(workers)
check "a serial one too" "{5000,5000}" "$(counts "SET max_parallel_workers_per_gather = 0" serial)"
check "by none" 0 "$(($(workers) - before))"
