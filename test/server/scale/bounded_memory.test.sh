#!/usr/bin/env bash
# What a backend holds does not grow with the rows, nor with the groups that come back: beyond work_mem it is in
# temporary files, which end with the query.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start "shared_buffers = 16MB" "work_mem = 4MB" "autovacuum = off" "fsync = off" "log_temp_files = 0" "max_parallel_workers_per_gather = 0"
session >/dev/null <<'SQL'
CREATE EXTENSION dpmix;
CREATE TABLE many (id int, person int, x float8);
INSERT INTO many SELECT i, i / 2, i % 100 FROM generate_series(0, 399999) AS i;
SELECT dpmix.protect('many', 1e7, .1);
SELECT dpmix.set_bounds('many', 'x', 0, 100), dpmix.set_categories('many', 'x', ARRAY(SELECT i::text FROM generate_series(0, 99) i));
CREATE TABLE units AS SELECT * FROM many;
SELECT dpmix.protect('units', 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 2);
SELECT dpmix.set_bounds('units', 'x', 0, 100), dpmix.set_categories('units', 'x', ARRAY(SELECT i::text FROM generate_series(0, 99) i));
SQL

# The most memory that a backend has had after a statement, shared memory included, in MB; and what the statement says.
peak() {
  session <<SQL | tr '\n' ' '
SET client_min_messages = error;
$1;
SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s+(\d+)')::int / 1024;
SQL
}
within() {  # NAME MB ANSWER STATEMENT
  local answer most
  read -r answer most <<<"$(peak "$4")"
  check "$1" "$3" "$answer"
  if [ "$most" -le "$2" ]; then echo "ok - $1: within $2 MB"; else echo "not ok - $1: $most MB, not $2"; fi
}
# 80 000 groups of five rows, with the 273 numbers of a median each: 350 MB of numbers. All come back, but for e^-9 or
# fewer of each.
within "groups that are found, with quantiles" 100 t "SELECT count(*) > 79000 AND count(*) = count(m) AND array_agg(g) = array_agg(g ORDER BY g)
  FROM dpmix.query('SELECT id / 5, dp_median(x) FROM many GROUP BY 1', 1e3, 1e-6, keys => 'discover') AS t(g int, m float8)"
within "rows of units" 100 t "SELECT sum(n) BETWEEN 399900 AND 400100 FROM dpmix.query('SELECT x, dp_count(*) FROM units GROUP BY x', 1e4, 1e-6) AS t(x float8, n bigint)"
within "units of each group" 100 t "SELECT sum(n) BETWEEN 399900 AND 400100 FROM dpmix.query('SELECT x, dp_count_distinct(person) FROM units GROUP BY x', 1e4, 1e-6) AS t(x float8, n bigint)"
within "a synthetic table" 100 1000 "SELECT count(*) FROM dpmix.cda(NULL::many, '{x}', 1000, 1, 1e-6)"
check "nothing is left on disk" 0 "$(find "$CLUSTER/data/base/pgsql_tmp" -type f 2>/dev/null | wc -l)"
check "nor did the log tell how much a scan put there" 0 "$(grep -A2 'temporary file' "$CLUSTER/log" | grep -c 'units' || true)"
