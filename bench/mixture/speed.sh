#!/usr/bin/env bash
# What a release of a mixture costs beside the averages of the same columns by class, in one run:
# bench/mixture/speed.sh [rows], by default a million. Build with make first.
#
# Bounds: a whole release of d = 16, K = 10 <= 6 x the averages; <= 20 ms beyond the scans at 1000
# rows, d = 3, K = 5; memory that does not depend on the rows.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
rows=${1:-1000000} rounds=${ROUNDS:-7}
methods=${METHODS:-staged one_shot}
cluster_start "shared_buffers = 1GB" "max_wal_size = 8GB" "fsync = off" "jit = off" "autovacuum = off" \
  "max_parallel_workers_per_gather = 0"
export PGOPTIONS="-c client_min_messages=warning"
run() { "$BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

features() { local i; for i in $(seq 1 "$1"); do printf '%s%s' "${2:-}" "f$i${3:-}"; [ "$i" = "$1" ] || printf ', '; done; }
make_table() {  # name, rows, d, K: integers by a hash, so that every run has the same rows
  run <<SQL
CREATE TABLE $1 AS SELECT 'class ' || i % $4 AS label, $(for i in $(seq 1 "$3"); do
    printf 'hash_numeric_extended(i, %s)::float8 / 4e18 + hash_numeric_extended(i, %s)::float8 / 4e18 + i %% %s AS f%s' "$i" $((i + 100)) "$4" "$i"
    [ "$i" = "$3" ] || printf ', '; done)
  FROM generate_series(1, $2) AS i;
VACUUM (FREEZE, ANALYZE) $1;
SELECT dpmix.protect('$1', 1e6, 1e-2), dpmix.set_categories('$1', 'label', ARRAY(SELECT 'class ' || k FROM generate_series(0, $4 - 1) AS k));
SELECT dpmix.set_bounds('$1', f::name, -10, 20) FROM unnest('{$(features "$3")}'::text[]) AS f;
SQL
}
averages() { echo "SELECT label, count(*), $(features "$2" "avg(" ")") FROM $1 GROUP BY label"; }
one_pass() {  # table, d, K: the statement inside a release, full maps, most rows inside the radius
  local k i j frame="1,$3,$2,0,1048576"
  for i in $(seq 1 "$2"); do frame+=",-10"; done
  for i in $(seq 1 "$2"); do frame+=",20"; done
  for k in $(seq 0 $(($3 - 1))); do
    frame+=",12"
    for i in $(seq 1 "$2"); do frame+=",$k"; done
    for i in $(seq 1 "$2"); do for j in $(seq 1 "$2"); do [ "$i" = "$j" ] && frame+=",.5" || frame+=",.01"; done; done
  done
  echo "SELECT dpmix_internal.class_moments(dpmix_internal.class_number(ARRAY[$(for k in $(seq 0 $(($3 - 1))); do
    [ "$k" = 0 ] || printf ', '; printf "'class %s'::text" "$k"; done)], r.label), dpmix_internal.row_vector($(features "$2" r.)), '{$frame}'::float8[]) FROM $1 AS r"
}
releases=0
release() {  # table, d, method
  releases=$((releases + 1))
  echo "SELECT name FROM dpmix.release_gmm('$1 $3 $releases', '$1', '{$(features "$2")}', 1, 1e-6, label => 'label', method => '$3')"
}
offered() { run -c "SELECT (dpmix.preview(\$\$SELECT dpmix.release_gmm('x', 'tiny', '{f1}', 1, 1e-6, label => 'label', method => '$1')\$\$)).mu" >/dev/null 2>&1; }

# Reference and candidates by turns, the least of each: another user of the machine does not count.
compare() {  # table, d, K, workers
  local round method
  {
    echo "SET max_parallel_workers_per_gather = $4;"
    echo "\\timing on"
    for round in $(seq "$rounds"); do
      echo "\\echo averages"; echo "$(averages "$1" "$2");"
      echo "\\echo one pass"; echo "$(one_pass "$1" "$2" "$3");"
      for method in $offered_methods; do
        releases=$((round * 100 + $4))
        echo "\\echo release, $method"; echo "$(release "$1" "$2" "$method");"
      done
    done
  } >"$CLUSTER/statements"
  run <"$CLUSTER/statements" | awk -v table="$1" -v d="$2" -v workers="$4" '
    /^(averages|one pass|release, )/ { what = $0; if (!(what in best)) order[++n] = what }
    /^Time:/ { if (!(what in best) || $2 < best[what]) best[what] = $2 }
    END { for (i = 1; i <= n; i++) printf "%-8s d = %2d  %d workers  %-18s %8.1f ms  %5.2f x\n",
            table, d, workers, order[i], best[order[i]], best[order[i]] / best["averages"] }'
}

memory() {  # table, d, method: the most private memory that the backend had, in kB
  local most=0 now pid client
  releases=$((releases + 1))
  mkfifo "$CLUSTER/memory"
  { echo "SELECT pg_backend_pid();"; echo "$(release "$1" "$2" "$3");"; } | run >"$CLUSTER/memory" &
  client=$!
  exec 7<"$CLUSTER/memory"
  read -r pid <&7
  while now=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
    [ "$now" -le "$most" ] || most=$now
  done
  exec 7<&-
  wait "$client" || true
  rm "$CLUSTER/memory"
  echo "$most"
}

run -c "CREATE EXTENSION dpmix"
make_table tiny 1000 3 5 >/dev/null
offered_methods=""
for method in $methods; do offered "$method" && offered_methods+=" $method"; done
make_table narrow "$rows" 3 5 >/dev/null
make_table wide "$rows" 16 10 >/dev/null
make_table tenth $((rows / 10)) 16 10 >/dev/null
run -c "SELECT split_part(version(), ' on ', 1), '$rows rows'"
for workers in 0 2; do
  compare wide 16 10 "$workers"
  compare narrow 3 5 "$workers"
done
for method in $offered_methods; do
  {
    echo "\\timing on"
    for i in $(seq 41); do releases=$((9000 + i)); echo "$(release tiny 3 "$method");"; done
  } | run | awk '/^Time:/ { print $2 }' | sort -n | awk -v method="$method" '
    { t[NR] = $1 } END { printf "a whole release at 1000 rows, d = 3, K = 5, %s: median %.1f ms (bound 20 beyond the scans)\n", method, t[int(NR / 2) + 1] }'
  releases=20000
  echo "memory of the backend, d = 16, K = 10, $method: $(memory tenth 16 "$method") kB at $((rows / 10)) rows, $(memory wide 16 "$method") kB at $rows"
done
