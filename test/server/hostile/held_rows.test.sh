#!/usr/bin/env bash
# Rows that fit into memory are read once, others again and again: how often, an analyst sees, and work_mem is the
# analyst's choice. So it must follow from what PostgreSQL shows of a table, not from how many rows it has.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "autovacuum = off"
cluster_plan_probe
sql "CREATE FUNCTION scans() RETURNS bigint LANGUAGE c AS '\$libdir/plan_probe'"
PGUSER=olga sql "CREATE TABLE many (x float8, ill boolean, mood text); INSERT INTO many SELECT i % 100, i % 3 = 0, 'good' FROM generate_series(1, 20000) i;
  CREATE TABLE few AS TABLE many; CREATE TABLE grown AS TABLE many" >/dev/null
sql "VACUUM (FREEZE, ANALYZE)" >/dev/null
# As large as before for everybody who looks.
PGUSER=olga sql "DELETE FROM few WHERE ctid < '(20,0)'::tid OR random() < .9" >/dev/null
# Larger than it seems: one row on twenty pages, and then as many again.
PGUSER=olga sql "DELETE FROM grown WHERE ctid <> '(0,1)'::tid" >/dev/null
sql "ANALYZE grown" >/dev/null
PGUSER=olga sql "INSERT INTO grown SELECT i % 100, i % 3 = 0, 'good' FROM generate_series(1, 20000) i" >/dev/null
PGUSER=olga sql "SELECT dpmix.protect(t, 1e7, .1, accountant => 'basic'), dpmix.set_bounds(t, 'x', 0, 100), dpmix.set_categories(t, 'mood', '{good,bad}'),
  dpmix.grant_access(t, 'ana') FROM unnest('{many,few,grown}'::regclass[]) t" >/dev/null

export PGUSER=ana
synthetic() { echo "count(*) FROM dpmix.cda(NULL::$1, '{x}', 3000, 3000, 1e-6, label => 'mood', mix => 100, demix => 'none')"; }
descent() { echo "round(rows_estimated) FROM dpmix.release_regression('$1 $RANDOM$RANDOM', 'public.$1', 'ill', '{x}', 1e6, 1e-6, 'logistic', method => 'coordinate')"; }
scans_of() {  # FUNCTION TABLE
  local memory
  for memory in 64 400 1000 4000 16000; do
    session <<<"SET work_mem = '${memory}kB'; SELECT scans() AS before \\gset
SELECT $("$1" "$2") \\g /dev/null
SELECT '$memory kB', scans() - :before;" | grep kB || true
  done
}
for what in synthetic descent; do
  many=$(scans_of $what many)
  check_match "$what: read again where memory is small" '64 kB.([2-9]|1[0-9])' "$many"
  check_match "$what: read once where it is large" '16000 kB.[12]$' "$many"
  check "$what: as often where nine of ten rows are gone, and nobody sees it" "$many" "$(scans_of $what few)"
done
# 20 001 rows that seem to be some twenty are held all the same, each of them.
check "a descent holds more than it expected" 20001 "$(sql "SET work_mem = '64kB'; SELECT $(descent grown)")"
check "and reads them once" t "$(session <<<"SET work_mem = '64kB'; SELECT scans() AS before \\gset
SELECT $(descent grown) \\g /dev/null
SELECT scans() - :before <= 2")"
check "synthetic rows, too" "3000 t" "$(session <<<"SET client_min_messages = error; SET work_mem = '64kB'; SELECT scans() AS before \\gset
SELECT $(synthetic grown);
SELECT scans() - :before = 1" | tr '\n' ' ' | sed 's/ $//')"
