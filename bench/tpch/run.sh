#!/usr/bin/env bash
# The queries of TPC-H in plain SQL over facades, beside PostgreSQL's own answers: bench/tpch/run.sh [scale].
#
# Of each query: milliseconds of PostgreSQL's serial plan and of dpmix, their ratio, the largest difference of a number
# of the answer at epsilon 10 000, as a share of it, and how wide the 95% interval of its first number is at epsilon 1,
# as a share of the largest. Queries 2, 11 and 16 read public tables alone; 3, 10 and 18 list orders or customers, and
# are refused. Build with make first.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
scale=${1:-1}
cluster_start "shared_preload_libraries = 'dpmix'" "shared_buffers = 1GB" "max_parallel_workers_per_gather = 0" \
  "dpmix.memory_keep = '0'" "dpmix.scan_memory = '2GB'" "work_mem = 1GB" "fsync = off"
run() { "$BIN/psql" -X -q -A -t -F'|' -v ON_ERROR_STOP=1 "$@"; }
run -v scale="$scale" -f bench/tpch/schema.sql >/dev/null 2>&1
export PGOPTIONS="-c client_min_messages=error"

ask() {  # search path, epsilon, query: rows, then milliseconds, the best of three
  local format='SET search_path = %s; SET dpmix.epsilon = %s; SET dpmix.delta = 1e-6;\n%s\n\\timing on\n%s\n%s\n%s\n'
  printf "$format" "$1" "$2" "$3" "$3" "$3" "$3" | run 2>&1 || true
}
milliseconds() { sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' <<<"$1" | sort -n | head -n 1; }
rows() { sed '/^Time:/,$d' <<<"$1"; }

printf '%-4s %10s %10s %7s %12s %12s\n' query exact dpmix ratio difference "95% at 1"
number="" text=""
while IFS= read -r line <&3; do
  if [[ $line = '-- Q'* ]]; then number=${line#-- } text=""; continue; fi
  [[ $line = '--'* || -z $line ]] && continue
  text+=$line$'\n'
  [[ $line = *';' ]] || continue
  exact=$(ask tpch 1 "$text") private=$(ask private,tpch 10000 "$text")
  if grep -q '^ERROR\|ERROR:' <<<"$private"; then
    printf '%-4s %s\n' "$number" "refused: $(sed -n 's/.*ERROR:  //p' <<<"$private" | head -n 1)"
    continue
  fi
  noise=$(printf 'SET search_path = private,tpch; SET dpmix.epsilon = 1; SET dpmix.delta = 1e-6; EXPLAIN %s\n' \
    "$text" | run 2>&1 |
    sed -n 's/.*95% within \([0-9.e+]*\).*/\1/p' | sed -n 1p)
  python3 - "$number" "$(milliseconds "$exact")" "$(milliseconds "$private")" "${noise:-nan}" \
    "$(rows "$exact")" "$(rows "$private")" <<'PY'
import sys
name, exact_ms, private_ms, noise, exact, private = sys.argv[1:]
def table(text):
    rows = {}
    for line in text.strip().splitlines():
        keys, numbers = [], []
        for cell in line.split('|'):
            try: numbers.append(float(cell))
            except ValueError: keys.append(cell)
        rows.setdefault(tuple(keys), []).append(numbers)
    return rows
found, worst, largest = table(private), 0, 0
for keys, many in table(exact).items():
    for numbers in many:
        near = min(found.get(keys, []), key=lambda other: sum(abs(a - b) for a, b in zip(numbers, other)), default=None)
        for a, b in zip(numbers, near or [float('inf')] * len(numbers)):
            worst, largest = max(worst, abs(a - b) / max(abs(a), 1)), max(largest, abs(a))
print(f'{name:4} {float(exact_ms):10.1f} {float(private_ms):10.1f} {float(private_ms) / float(exact_ms):7.2f} '
      f'{worst:12.1e} {float(noise) / max(largest, 1):12.1e}')
PY
done 3< bench/tpch/queries.sql
