#!/usr/bin/env bash
# What the statistics aggregates cost, in ns a row, beside PostgreSQL's own sums over the same scan,
# in one run: bench/query/aggregates.sh [rows], by default 10 million. Build with make first.
#
# Bounds (docs, design): lattice_sum <= 1.10 x sum(float8); class_moments at d = 16 <= 120 ns.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
rows=${1:-10000000}
cluster_start "shared_buffers = 1GB" "max_wal_size = 8GB" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "jit = off" \
  "max_parallel_workers_per_gather = 0" "min_parallel_table_scan_size = 0" "parallel_setup_cost = 0" \
  "parallel_tuple_cost = 0" "work_mem = 64MB" "autovacuum = off"
export PGOPTIONS="-c client_min_messages=warning"
run() { "$BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

run <<SQL
CREATE EXTENSION dpmix;
SELECT setseed(.5);
CREATE UNLOGGED TABLE wide AS SELECT random() * 100 AS x FROM generate_series(1, $rows);
CREATE UNLOGGED TABLE vectors AS
  SELECT i % 10 AS class, ARRAY(SELECT random() * 10 FROM generate_series(1, 16) WHERE i > 0) AS x
  FROM generate_series(1, $rows / 10) i;
VACUUM (FREEZE, ANALYZE) wide, vectors;
-- Ten classes, 16 features, full maps, most rows inside the radius.
CREATE TABLE frame AS SELECT array_agg(v ORDER BY at) AS frame FROM (
  SELECT 0 AS at, unnest(ARRAY[1, 10, 16, 0, 1048576]) AS v
  UNION ALL SELECT 1, 0.0 FROM generate_series(1, 16) UNION ALL SELECT 2, 10.0 FROM generate_series(1, 16)
  UNION ALL
  SELECT 3 + k, unnest(ARRAY[6.0] || array_fill(5.0, ARRAY[16]) ||
    ARRAY(SELECT CASE WHEN i = j THEN .35 ELSE .01 END FROM generate_series(1, 16) i, generate_series(1, 16) j))
  FROM generate_series(0, 9) k) t(at, v);
SQL

# Reference and candidate by turns, the best of fifteen each, so that another user of the machine
# does not count. ns a row.
against() {  # title, rows, reference, query
  local workers
  for workers in 0 2; do
    {
      echo "SET max_parallel_workers_per_gather = $workers;"
      for _ in $(seq 15); do
        echo "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) $3;"
        echo "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) $4;"
      done
    } | run | awk -v title="$1" -v workers=$workers -v rows="$2" '
      /^Execution Time/ { i = n++ % 2; if (!(i in best) || $3 < best[i]) best[i] = $3 }
      END { printf "%-34s %d workers  %8.1f ns  against %8.1f ns  %6.3f x\n", title, workers,
              best[1] * 1e6 / rows, best[0] * 1e6 / rows, best[1] / best[0] }'
  done
}

run -c "SELECT split_part(version(), ' on ', 1), count(*) || ' rows' FROM wide"
against "lattice_sum / sum(float8)" "$rows" "SELECT sum(x) FROM wide" \
  "SELECT dpmix_internal.lattice_sum(x, 50, 50 / 2.0 ^ 30, -1073741824, 1073741824) FROM wide"
frame=$(run -c "SELECT quote_literal(frame) || '::float8[]' FROM frame")
in_sql="SELECT class, count(*)"
for i in $(seq 1 16); do
  in_sql="$in_sql, sum(x[$i])"
  for j in $(seq "$i" 16); do in_sql="$in_sql, sum(x[$i] * x[$j])"; done
done
in_sql="$in_sql FROM vectors GROUP BY class"
against "class_moments, d = 16 / count(x)" "$((rows / 10))" "SELECT count(x) FROM vectors" \
  "SELECT dpmix_internal.class_moments(class, x, $frame) FROM vectors"
against "class_moments, d = 16 / in SQL" "$((rows / 10))" "$in_sql" \
  "SELECT dpmix_internal.class_moments(class, x, $frame) FROM vectors"
