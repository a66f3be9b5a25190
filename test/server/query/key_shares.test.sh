#!/usr/bin/env bash
# Groups that are found are found in shares of their keys where there is little memory: in as many scans, by the size of
# the table and not by how many groups there are, and with one and the same answer.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "min_parallel_table_scan_size = 0" "parallel_setup_cost = 0" "dpmix.release_idle_timeout = 100"
cluster_plan_probe
psql -q <<'SQL'
SET client_min_messages = warning;
CREATE EXTENSION dpmix;
CREATE FUNCTION scans() RETURNS bigint VOLATILE LANGUAGE c AS '$libdir/plan_probe';
CREATE TABLE visits AS SELECT 'c' || i % 50 AS code, (i % 50)::numeric / 2 AS amount, i % 7 AS place,
  md5(i::text) AS each FROM generate_series(1, 30000) i;
SELECT dpmix.protect('visits', 1e6, .1, accountant => 'basic') \g /dev/null
VACUUM ANALYZE visits;
SQL
found() {  # key, type: how many groups, how many rows, how many in a group
  sql "SELECT count(*), round(sum(c) / 100.) * 100, min(c) / 10, max(c) / 10
       FROM dpmix.query('SELECT $1, dp_count(*) c FROM visits GROUP BY 1', 1000, delta => 1e-6, keys => 'discover') AS t($1 $2, c bigint)"
}
scanned() {  # key, type: in how many scans
  local before
  before=$(sql "SELECT scans()")
  found "$1" "$2" >/dev/null
  echo $(($(sql "SELECT scans()") - before))
}
with() {
  session <<<"LOAD 'dpmix'; ALTER SYSTEM SET dpmix.scan_memory = '$1'; SELECT pg_reload_conf() \\g /dev/null"
  sleep .5
}
declare -A expected=([code]='50|30000|60|60' [amount]='50|30000|60|60' [place]='7|30000|428|428')
for memory in 256MB 1MB; do
  with $memory
  check "$memory: texts" "${expected[code]}" "$(found code text)"
  check "$memory: numbers" "${expected[amount]}" "$(found amount numeric)"
  check "$memory: whole numbers" "${expected[place]}" "$(found place int)"
done
many=$(scanned code text)
check "in several scans" t "$([ "$many" -gt 3 ] && echo t || echo "$many")"
check "as many, however many values there are" "$many" "$(scanned each text)"
with 256MB
check "with memory for all of them, in one" 1 "$(scanned code text)"
