#!/usr/bin/env bash
# A large table in bounded memory: bench/query/big_table.sh [rows] [work_mem], by default 10 million and 16MB. Build
# with make first. The rows are made in the server, into ten partitions, some 60 bytes each: 10^8 take 6 GB of disk,
# given back at the end, and some ten minutes on two quiet cores.
#
# Of each call: time, times that of PostgreSQL's own aggregates over the same columns, and the most private memory
# (RssAnon, sampled) that its backend and any of its workers had. Bound, whatever the rows: 64 MB and four times
# work_mem each (docs/guide/scale.md).
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
rows=${1:-10000000} memory=${2:-16MB} workers=${WORKERS:-2}
bound=$((64 * 1024 + 4 * 1024 * ${memory%MB}))
needed=$((rows / 1000 * 90 / 1024))
free=$(df -Pm /tmp | awk 'NR == 2 { print $4 }')
[ "$free" -gt $((needed + 1024)) ] || { echo "$rows rows take $needed MB with what is sorted; /tmp has $free" >&2; exit 1; }
cluster_start "shared_buffers = 1GB" "max_wal_size = 4GB" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "jit = off" "autovacuum = off" \
  "work_mem = $memory" "max_parallel_workers_per_gather = $workers" "max_parallel_workers = 8"
export PGOPTIONS="-c client_min_messages=error"
run() { "$BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }
start=$SECONDS

run >/dev/null <<SQL
CREATE EXTENSION dpmix;
CREATE UNLOGGED TABLE big (id int NOT NULL, person int NOT NULL, region int2, age int2, wage float4, hours float4) PARTITION BY RANGE (id);
SELECT format('CREATE UNLOGGED TABLE big_%s PARTITION OF big FOR VALUES FROM (%s) TO (%s)', i, i * $rows::bigint / 10, (i + 1) * $rows::bigint / 10) FROM generate_series(0, 9) i \gexec
CREATE UNLOGGED TABLE visits (person int, region int2, wage float4);
SQL
fill() {  # from 0 to 9 by two
  local i
  for i in $(seq "$1" 2 9); do
    run -c "INSERT INTO big_$i SELECT i, i / 4, hash_value % 8, hash_value / 8 % 90, hash_value / 1024 % 4000 + hash_value % 97 / 97.0::float4, hash_value / 4096 % 60
      FROM (SELECT i, hashint8(i)::bigint + 2147483648 AS hash_value FROM generate_series($i * $rows::bigint / 10, ($i + 1) * $rows::bigint / 10 - 1) AS i OFFSET 0) t"
  done
}
fill 0 & even=$!
fill 1
wait $even
run >/dev/null <<SQL
INSERT INTO visits SELECT person, region, wage FROM big WHERE id % 10 = 0 OR id % 10 = 1;
ANALYZE big; ANALYZE visits;
SELECT dpmix.protect('big', 1e7, .1), dpmix.protect('visits', 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 2);
SELECT dpmix.set_categories(t, 'region', '{0,1,2,3,4,5,6,7}'), dpmix.set_bounds(t, 'wage', 0, 4000) FROM unnest('{big,visits}'::regclass[]) t;
SELECT dpmix.set_bounds('big', 'age', 0, 90), dpmix.set_bounds('big', 'hours', 0, 60);
SELECT count(*) FROM big; SELECT count(*) FROM visits;  -- hint bits
SQL
echo "$(run -c "SELECT split_part(version(), ' on ', 1)"), $rows rows in 10 partitions, $(run -c "SELECT pg_size_pretty(sum(pg_relation_size(inhrelid))) FROM pg_inherits WHERE inhparent = 'big'::regclass"), work_mem $memory, $workers workers; made in $((SECONDS - start)) s"
echo "load: $(cut -d ' ' -f 1-3 /proc/loadavg) on $(nproc) cores"

private_memory() { awk '/^RssAnon/ { print $2 }' "/proc/$1/status" 2>/dev/null || true; }
# The seconds that a statement took, and the most private memory, in kB, of its backend and of one of its workers.
measure() {
  local out=$CLUSTER/measured pid="" client child now postmaster
  postmaster=$(head -n 1 "$CLUSTER/data/postmaster.pid")
  leader_memory=0 worker_memory=0
  : >"$out"
  run -c "SELECT pg_backend_pid()" -c '\timing on' -c "$1" >"$out" 2>&1 &
  client=$!
  while kill -0 "$client" 2>/dev/null; do
    [ -n "$pid" ] || pid=$(head -n 1 "$out" | grep -E '^[0-9]+$' || true)
    if [ -n "$pid" ]; then
      now=$(private_memory "$pid")
      [ "${now:-0}" -le "$leader_memory" ] || leader_memory=$now
      for child in $(pgrep -P "$postmaster" -f "parallel worker for PID $pid" || true); do
        now=$(private_memory "$child")
        [ "${now:-0}" -le "$worker_memory" ] || worker_memory=$now
      done
    fi
    sleep 0.1
  done
  wait "$client" || { tail -n 5 "$out" >&2; return 1; }
  seconds=$(awk '/^Time:/ { print $2 / 1000 }' "$out")
}
over=0
against() {  # title, PostgreSQL's own, ours
  local plain
  measure "$2"
  plain=$seconds
  measure "$3"
  [ "$leader_memory" -le $bound ] && [ "$worker_memory" -le $bound ] || over=$((over + 1))
  awk -v t="$1" -v s="$seconds" -v p="$plain" -v l="$leader_memory" -v w="$worker_memory" -v b=$bound 'BEGIN {
    printf "%-32s %8.2f s  %6.2f x  backend %6.1f MB  worker %6.1f MB  (bound %.0f)\n", t, s, s / p, l / 1024, w / 1024, b / 1024 }'
}
query() { echo "SELECT count(*) FROM dpmix.query('$1', .1, 1e-9${3:-}) AS t($2)"; }

against "four by region" "SELECT region, count(*), sum(wage), avg(hours), var_pop(age) FROM big GROUP BY region" \
  "$(query 'SELECT region, dp_count(*), dp_sum(wage), dp_avg(hours), dp_var(age) FROM big GROUP BY region' 'r int2, n bigint, s float8, a float8, v float8')"
against "median by region, beside avg" "SELECT region, avg(wage) FROM big GROUP BY region" \
  "$(query 'SELECT region, dp_median(wage) FROM big GROUP BY region' 'r int2, m float8')"
against "found groups of 100 rows" "SELECT count(*) FROM (SELECT id / 100, count(*) FROM big GROUP BY 1) t" \
  "SELECT count(*) FROM dpmix.query('SELECT id / 100, dp_count(*) FROM big GROUP BY 1', 5, 1e-9, keys => 'discover') AS t(g int, n bigint)"
against "units, a fifth of the rows" "SELECT region, count(*) FROM (SELECT region, person, row_number() OVER (PARTITION BY person ORDER BY wage) AS n FROM visits) t WHERE n <= 2 GROUP BY region" \
  "$(query 'SELECT region, dp_count(*), dp_sum(wage) FROM visits GROUP BY region' 'r int2, n bigint, s float8')"
against "mixture, one shot" "SELECT region, count(*), avg(wage), avg(hours), avg(age) FROM big GROUP BY region" \
  "SELECT components FROM dpmix.release_gmm('big', 'big', '{wage,hours,age}', 10, 1e-9, label => 'region', method => 'one_shot')"
against "synthetic table of 1000 rows" "SELECT region, count(*), avg(wage), avg(hours), avg(age) FROM big GROUP BY region" \
  "SELECT count(*) FROM dpmix.cda(NULL::big, '{wage,hours,age}', 1000, 10, 1e-9, label => 'region')"
echo "over the bound: $over; in all $((SECONDS - start)) s; temporary files now: $(find "$CLUSTER/data/base" -path '*pgsql_tmp/*' | wc -l)"
