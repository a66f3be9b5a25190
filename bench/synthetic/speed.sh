#!/usr/bin/env bash
# How fast dpmix.cda makes rows, noise included, in one run: bench/synthetic/speed.sh [records], by default 60000. Build
# with make first.
#
# Bounds, one core, work_mem 256 MB, 784 real columns, 10 classes: >= 50 000 rows/s at mix 4, 15 000 at 64, 5 000 at
# 512. CREATE TABLE AS of a million rows of 7 columns <= 1.2 x the same from generate_series and random(). A cancel
# is answered within 100 ms. Memory: work_mem, whether records are held or streamed, and that of the tuplestore.
#
# "whole" is the call; "rows alone" is without what a call for 10 rows costs: the scan and the calibration. On a busy
# machine CPU seconds say more than those of the clock: both are the least of several rounds.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
records=${1:-60000} features=${FEATURES:-784} rounds=${ROUNDS:-3}
cluster_start "shared_buffers = 1GB" "max_wal_size = 8GB" "fsync = off" "jit = off" "autovacuum = off" \
  "max_parallel_workers_per_gather = 0"
export PGOPTIONS="-c client_min_messages=error"
run() { "$BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }
columns() { local i; for i in $(seq 1 "$1"); do printf '%s' "${2//@/$i}"; [ "$i" = "$1" ] || printf ', '; done; }
make_table() {  # name, rows, features, type
  run <<SQL
CREATE TABLE $1 AS SELECT i % 10 AS label, $(columns "$3" "random()::$4 AS f@") FROM generate_series(1, $2) AS i;
VACUUM (FREEZE, ANALYZE) $1;
SELECT dpmix.protect('$1', 1e7, 1e-2), dpmix.set_categories('$1', 'label', '{0,1,2,3,4,5,6,7,8,9}');
SELECT count(dpmix.set_bounds('$1', ('f' || i)::name, 0, 1)) FROM generate_series(1, $3) AS i;
SQL
}
cda() {  # table, features, rows, mix
  echo "dpmix.cda(NULL::$1, '{$(columns "$2" f@)}', $3, 10, 1e-5, label => 'label', mix => $4, demix => 'none')"
}
# The least CPU and clock seconds of each statement (name, TAB, SQL), by turns, in one session.
clock="SELECT (t[14]::int + t[15]::int) / 100.0 AS cpu, extract(epoch FROM clock_timestamp()) AS clock
  FROM (SELECT string_to_array(pg_read_file('/proc/self/stat'), ' ') AS t) AS s \\gset"
best() {  # work_mem
  local statements round name sql
  statements=$(cat)
  {
    echo "SET work_mem = '$1';"
    for round in $(seq "$rounds"); do
      while IFS=$'\t' read -r name sql; do
        echo "$clock before_"; echo "$sql;" ; echo "$clock after_"
        echo "DROP TABLE IF EXISTS made;"
        echo "SELECT '$name', :after_cpu - :before_cpu, :after_clock - :before_clock;"
      done <<<"$statements"
    done
  } | run -F $'\t' | awk -F '\t' 'NF == 3 {
      if (!($1 in cpu)) order[++n] = $1
      if (!($1 in cpu) || $2 < cpu[$1]) cpu[$1] = $2
      if (!($1 in wall) || $3 < wall[$1]) wall[$1] = $3 }
    END { for (i = 1; i <= n; i++) printf "%s\t%.2f\t%.2f\n", order[i], cpu[order[i]], wall[order[i]] }'
}

run -c "CREATE EXTENSION dpmix"
make_table wide "$records" "$features" real >/dev/null
make_table narrow 1000000 6 float8 >/dev/null
run -c "SELECT split_part(version(), ' on ', 1)"
echo "load: $(cut -d ' ' -f 1-3 /proc/loadavg) on $(nproc) cores"

for memory in 256MB ${STREAMED:-}; do
  for mix in 4 64 512; do
    printf 'few\tSELECT count(*) FROM %s\nmany\tSELECT count(*) FROM %s\n' \
      "$(cda wide "$features" 10 $mix)" "$(cda wide "$features" "$records" $mix)" | best $memory |
      awk -F '\t' -v rows="$records" -v mix=$mix -v memory=$memory '
        { cpu[$1] = $2; wall[$1] = $3 }
        END { printf "work_mem %s, mix %3d: whole %6.0f rows/s (CPU %.2f s, clock %.2f s), rows alone %6.0f rows/s (CPU %.2f s, clock %.2f s)\n",
          memory, mix, rows / cpu["many"], cpu["many"], wall["many"], rows / (cpu["many"] - cpu["few"]),
          cpu["many"] - cpu["few"], wall["many"] - wall["few"] }'
  done
done

printf 'random\tCREATE TABLE made AS SELECT %s FROM generate_series(1, 1000000)\ncda\tCREATE TABLE made AS SELECT * FROM %s\nfew\tCREATE TABLE made AS SELECT * FROM %s\n' \
  "$(columns 7 'random() AS f@')" "$(cda narrow 6 1000000 4)" "$(cda narrow 6 10 4)" | best 256MB |
  awk -F '\t' '{ cpu[$1] = $2; wall[$1] = $3 }
    END { printf "a million rows of 7 columns: random() CPU %.2f s, clock %.2f s; dpmix.cda %.2f x (clock %.2f x), of which the scan of a million records %.2f x\n",
      cpu["random"], wall["random"], cpu["cda"] / cpu["random"], wall["cda"] / wall["random"], cpu["few"] / cpu["random"] }'

# The most private memory of the backend beyond what it had before, and how late it answers a cancel.
extra() { awk -v key="$2" '$1 == key { print $2 }' "/proc/$1/status" 2>/dev/null; }
watch_backend() {  # work_mem, SQL, seconds until the cancel (0: none)
  local pid client before most=0 now cancelled=""
  rm -f "$CLUSTER/session"
  mkfifo "$CLUSTER/session"
  { echo "SELECT pg_backend_pid();"; echo "SET work_mem = '$1';"; sleep 0.3; echo "$2;"; } |
    { "$BIN/psql" -XqAt 2>/dev/null || true; } >"$CLUSTER/session" &
  client=$!
  exec 7<"$CLUSTER/session"
  read -r pid <&7
  before=$(extra "$pid" RssAnon:) start=$(date +%s%N)
  while now=$(extra "$pid" RssAnon:) && [ -n "$now" ]; do
    [ "$now" -le "$most" ] || most=$now
    if [ "$3" != 0 ] && [ -z "$cancelled" ] && [ $((($(date +%s%N) - start) / 1000000)) -gt $((300 + $3)) ]; then
      run -c "SELECT pg_cancel_backend($pid)" >/dev/null
      cancelled=$(date +%s%N)
    fi
  done
  [ -z "$cancelled" ] || late=$((($(date +%s%N) - cancelled) / 1000000))
  exec 7<&-
  wait "$client" || true
  beyond=$((most - before))
}
for memory in 16MB 256MB; do
  watch_backend "$memory" "SELECT count(*) FROM $(cda wide "$features" 10 64)" 0
  echo "work_mem $memory, $records records, 10 rows: $beyond kB more at most"
done
for after in 300 700 1500 4000; do
  watch_backend 256MB "SELECT count(*) FROM $(cda wide "$features" 1000000 10000)" $after
  printf 'cancelled after %d ms, mix 10000, held: answered after %d ms\n' $after "$late"
  watch_backend 16MB "SELECT count(*) FROM $(cda wide "$features" 1000000 10000)" $after
  printf 'cancelled after %d ms, mix 10000, streamed: answered after %d ms\n' $after "$late"
  watch_backend 256MB "SELECT count(*) FROM $(cda wide "$features" 1000000 4)" $after
  printf 'cancelled after %d ms, mix 4: answered after %d ms\n' $after "$late"
done
