#!/usr/bin/env bash
# What layers cost: a whole dpmix.query over what each person did, beside PostgreSQL's serial plan of the same text with
# its own aggregates (work_mem 2GB), by turns, the best of each, in one run: where all rows fit the memory of a release,
# and where a fourth of them does.
# bench/people/layers.sh [rows] [turns] [titles], by default 10 million, 3 and all; titles is a regular expression.
# Build with make first.
#
# A person has some ten rows, in no order. Bounds: 1.5 x where all rows fit, 2 x otherwise.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
rows=${1:-10000000} turns=${2:-3} only=${3:-}
cluster_start "shared_buffers = 2GB" "max_wal_size = 8GB" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" \
  "autovacuum = off" "shared_preload_libraries = 'dpmix'"
export PGOPTIONS="-c client_min_messages=warning"
run() { "$BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }
run >/dev/null <<SQL
CREATE EXTENSION dpmix;
SELECT setseed(.5);
CREATE UNLOGGED TABLE people AS SELECT i AS person, 20 + i % 60 AS age FROM generate_series(0, $rows / 10 - 1) i ORDER BY random();
CREATE UNLOGGED TABLE visits AS
  SELECT (random() * ($rows / 10 - 1))::int AS person, (random() * 700)::int AS day, random() * 100 AS x
  FROM generate_series(1, $rows);
ALTER TABLE people ADD PRIMARY KEY (person);
VACUUM (FREEZE, ANALYZE);
SELECT dpmix.create_population('bench', 1e7, .1),
  dpmix.protect('people', population => 'bench', privacy_unit => 'person'),
  dpmix.protect('visits', population => 'bench', privacy_unit => 'person', max_rows_per_unit => 30);
SELECT dpmix.set_bounds('visits', 'x', 0, 100), dpmix.set_bounds('visits', 'day', 0, 700), dpmix.set_bounds('people', 'age', 0, 100);
SQL
questions() {  # title, text: {count} and {sum} are asked of all people
  cat <<'Q'
grouped by person|SELECT {count}(*) AS n, {sum}(s) AS s FROM (SELECT person, sum(x) AS s FROM visits GROUP BY person HAVING count(*) > 4) v
first row by time|SELECT {count}(*) AS n, {sum}(x) AS s FROM (SELECT DISTINCT ON (person) person, x FROM visits ORDER BY person, day, x) v
gaps by lag|SELECT {count}(*) AS n FROM (SELECT person, day - lag(day) OVER (PARTITION BY person ORDER BY day) AS gap FROM visits) v WHERE gap < 3
EXISTS|SELECT {count}(*) AS n FROM people p WHERE NOT EXISTS (SELECT FROM visits v WHERE v.person = p.person AND day > 600)
Q
}
run -c "SELECT split_part(version(), ' on ', 1), '$rows rows of about $((rows / 10)) people, best of $turns by turns'"
echo "load: $(cut -d ' ' -f 1-3 /proc/loadavg) on $(nproc) cores"
# As bytes_of() in held_units.cpp counts them, for about a fourth.
quarter=$(run -c "SELECT ceil((sum(pg_relation_size(t)) + 11 * ($rows / 10) * 112) / 3.5 / 1024)
                  FROM unnest('{visits,people}'::regclass[]) t")
statements() {
  while IFS='|' read -r title text; do
    plain=$(sed 's/[{}]//g' <<<"$text") private=$(sed -E 's/\{(\w+)\}/dp_\1/g' <<<"$text")
    echo "SET work_mem = '2GB'; SET max_parallel_workers_per_gather = 0; SET jit = off;"
    echo "\\echo @0@$title"
    echo "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) $plain;"
    echo "\\echo @1@$title"
    echo "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) SELECT * FROM dpmix.query_json(\$\$$private\$\$, .01, 1e-9);"
  done < <(questions | grep -E "^($only)")
}
report() {
  awk -F @ -v memory="$1" '
  /^@/ { private = $2; title = $3; if (!(title in seen)) { seen[title]; order[++n] = title }; next }
  /^Execution Time/ { split($0, t, " "); k = title SUBSEP private; if (!(k in best) || t[3] < best[k]) best[k] = t[3] }
  END {
    for (i = 1; i <= n; i++) {
      title = order[i]
      printf "%-10s %-20s %8.0f ms beside %8.0f ms  %6.2f x\n", memory, title, best[title, 1], best[title, 0], best[title, 1] / best[title, 0]
    }
  }'
}
for memory in 8GB "${quarter}kB"; do
  run -c "ALTER SYSTEM SET dpmix.scan_memory = '$memory'" -c "SELECT pg_reload_conf()" >/dev/null
  cluster_restart
  for _ in $(seq "$turns"); do statements; done | run | report "$memory"
done
