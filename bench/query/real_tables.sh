#!/usr/bin/env bash
# What the bound of rows a unit loses on real tables, and whether intervals hold: bench/query/real_tables.sh FOLDER
# [releases], by default 200. FOLDER has nafld2.csv (400 123 laboratory values of 15 666 people), nafld3.csv (34 340
# events) and pbcseq.csv (1 945 visits) of R's package survival: r-cran-survival, write.csv(nafld2, row.names = FALSE,
# na = ""). Weighed rows beside drawn ones, at the numbers of rows in the table below. Build with make first.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:?usage: bench/query/real_tables.sh FOLDER [releases]} releases=${2:-200}
. test/server/lib/cluster.sh
cluster_start "fsync = off" "autovacuum = off"
export PGOPTIONS="-c client_min_messages=warning"
run() { "$BIN/psql" -X -q -v ON_ERROR_STOP=1 "$@"; }
columns() { head -n 1 "$folder/$1.csv" | tr -d '"\r' | sed 's/,/ text, /g; s/$/ text/; s/\./_/g'; }
run -c "CREATE EXTENSION dpmix; CREATE TABLE lost (t text, bound int, mechanism text, share float8);
  CREATE TABLE held (t text, answer text, epsilon float8, within boolean, from_low boolean)"

# table NAME CSV KEY BOUND: unit id, a group for each value of KEY, which is public here.
table() {
  run -c "CREATE TABLE raw ($(columns "$2"))" -c "\\copy raw FROM '$folder/$2.csv' CSV HEADER" -c "CREATE TABLE $1 AS SELECT id::int AS person, ($3)::text AS kind FROM raw" \
    -c "DROP TABLE raw; ALTER TABLE $1 ALTER person SET NOT NULL, ALTER kind SET NOT NULL; ANALYZE $1;
      SELECT dpmix.protect('$1', 1e7, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => $4);
      SELECT dpmix.set_categories('$1', 'kind', (SELECT array_agg(DISTINCT kind) FROM $1))" >/dev/null
}
# Rows are lost where noise is negligible; laplace and gaussian weigh, staircase draws.
measure() {  # NAME BOUND
  local mechanism epsilon
  for mechanism in gaussian laplace staircase; do
    run -c "INSERT INTO lost SELECT '$1', $2, '$mechanism', 1 - sum(q.n)::float8 / (SELECT count(*) FROM $1)
      FROM dpmix.query('SELECT kind, dp_count(*) FROM $1 GROUP BY kind', 1e4, ${3:-1e-9}, mechanism => '$mechanism') AS q(kind text, n bigint)"
  done
  run -c "CREATE TABLE exact AS SELECT q.kind, q.n AS bounded, p.n AS plain
    FROM dpmix.query('SELECT kind, dp_count(*) FROM $1 GROUP BY kind', 1e6, 1e-9, mechanism => 'gaussian') AS q(kind text, n bigint) JOIN (SELECT kind, count(*) AS n FROM $1 GROUP BY kind) AS p USING (kind)"
  for epsilon in .5 1; do
    for ((i = 0; i < releases; i++)); do
      echo "INSERT INTO held SELECT '$1', 'count', $epsilon, bounded BETWEEN low AND high, plain >= low
        FROM dpmix.query('SELECT kind, dp_low(dp_count(*)), dp_high(dp_count(*)) FROM $1 GROUP BY kind', $epsilon, 1e-9, mechanism => 'gaussian')
        AS q(kind text, low float8, high float8) JOIN exact USING (kind);"
    done
  done | run -o /dev/null
  run -c "DROP TABLE exact"
}
table labs nafld2 test 40
table events nafld3 event 6
table visits pbcseq stage 8
measure labs 40
measure events 6
measure visits 8
run -c "SELECT t, bound, mechanism, round((100 * share)::numeric, 2) AS \"% of rows lost\" FROM lost ORDER BY 1, 3" \
  -c "SELECT t, epsilon, count(*) AS intervals, round(100 * avg(within::int), 2) AS \"% hold the bounded count\", round(100 * avg(from_low::int), 2) AS \"% plain from dp_low\" FROM held GROUP BY 1, 2 ORDER BY 1, 2"
