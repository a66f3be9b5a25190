#!/usr/bin/env bash
# The life of one call of dpmix.synthesize, by each method: where its rows go, what becomes of the transaction, how it
# ends. Whatever happens, who was shown rows was charged once, and a call that is refused is not.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster
quiet="SET client_min_messages = error;"
for method in tree mixture copula cda; do
  made="dpmix.synthesize(NULL::public.people, 100, 100, 1e-6, columns => '{wage}', label => 'sex', method => '$method')"
  costs "$method: CREATE TABLE AS" 1 '^100 2 $' <<<"$quiet CREATE TEMP TABLE s AS SELECT * FROM $made; SELECT count(wage) FROM s; SELECT count(DISTINCT sex) FROM s;"
  costs "$method: in a transaction that is rolled back" 1 '^100 .*42P01' <<<"$quiet BEGIN; CREATE TABLE lost AS SELECT * FROM $made; SELECT count(*) FROM lost; ROLLBACK; SELECT * FROM lost;"
  costs "$method: in one that has failed" 0 '25P02' <<<"$quiet BEGIN; SELECT 1 / 0; CREATE TABLE lost AS SELECT * FROM $made; COMMIT;"
  costs "$method: two savepoints" 2 '^100 100 $' <<<"$quiet BEGIN; SAVEPOINT s; SELECT count(*) FROM $made; ROLLBACK TO s; SELECT count(*) FROM $made; ROLLBACK;"
  costs "$method: LIMIT 0, WHERE false, EXPLAIN and the preview" 0 '^t .*Function Scan' <<<"$quiet SELECT mu > 0 FROM dpmix.preview(\$p\$SELECT * FROM $made\$p\$); SELECT * FROM $made LIMIT 0; SELECT * FROM $made WHERE false; EXPLAIN SELECT * FROM $made;"
  costs "$method: without access" 0 'PV006' mallory <<<"$quiet SELECT count(*) FROM $made;"
  costs "$method: rows that a constraint refuses" 1 '23514' <<<"$quiet CREATE TEMP TABLE s (id int, sex text, wage float8 CHECK (wage IS NULL)); INSERT INTO s SELECT * FROM $made;"

  # Cancelled, timed out, ended: the charge stays, nothing is shown.
  long="SELECT count(*) FROM ${made/100, 100/1000000000, 1}"
  costs "$method: statement_timeout" 1 '57014.* 100 $' <<<"$quiet SET statement_timeout = '3s'; $long; SET statement_timeout = 0; SELECT 100;"
  charged_more() { [ "$(all_charges)" -gt "$1" ]; }
  for how in "pg_cancel_backend 57014" "pg_terminate_backend 57P01"; do
    before=$(all_charges)
    PGUSER=ana session <<<"$quiet $long;" >"$CLUSTER/ended" 2>&1 &
    caller=$!
    wait_until 20 charged_more "$before" || echo "not ok - $method: no charge came"
    sql "SELECT ${how% *}(pid) FROM pg_stat_activity WHERE usename = 'ana' AND query LIKE '%1000000000%'" >/dev/null
    wait "$caller" || true
    check_match "$method: ${how% *}" "${how#* }" "$(cat "$CLUSTER/ended")"
    check "$method: ${how% *}: the charge stays" $((before + 1)) "$(all_charges)"
  done
done
check "no model was stored" 0 "$(sql "SELECT count(*) FROM dpmix.release")"
no_files() { [ "$(sql "SELECT count(*) FROM pg_ls_tmpdir()")" = 0 ]; }
wait_until 20 no_files && echo "ok - no temporary file is left"

# Of several at once the budget admits as many as it holds.
PGUSER=olga sql "CREATE TABLE scarce AS TABLE people; SELECT dpmix.protect('scarce', 10, 1e-3, accountant => 'basic');
  SELECT dpmix.set_bounds('scarce', 'wage', 0, 100); SELECT dpmix.grant_access('scarce', 'ana')" >/dev/null
before=$(all_charges)
callers=()
for _ in 1 2 3 4; do
  PGUSER=ana sql "$quiet SELECT count(*) FROM dpmix.synthesize(NULL::scarce, 100, 3, 1e-6)" >/dev/null 2>&1 &
  callers+=($!)
done
wait "${callers[@]}" || true
check "of four calls at once as many are charged as the budget holds" 3 $(($(all_charges) - before))
