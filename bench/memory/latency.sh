#!/usr/bin/env bash
# A question that memory answers beside the same one that is charged, by one client: 4 groups, 10^5 rows.
#   bench/memory/latency.sh [seconds]
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/checks.sh
seconds=${1:-5}
cluster_start "fsync = on" "dpmix.memory_keep = '1d'"
sql "CREATE EXTENSION dpmix; SET client_min_messages = warning;
  CREATE TABLE cps AS SELECT i % 4 AS region, (i % 1000)::float8 AS wage FROM generate_series(1, 100000) i;
  SELECT dpmix.protect('cps', 1e6, .1, accountant => 'gdp'); SELECT dpmix.set_bounds('cps', 'wage', 0, 1000);
  SELECT dpmix.set_bounds('cps', 'region', 0, 3)" >/dev/null
median() {  # setting: milliseconds of one query in one session
  {
    echo "SET client_min_messages = warning; SET dpmix.max_age = $1;"
    echo "SELECT * FROM dpmix.query('SELECT region, dp_count(*), dp_avg(wage) FROM cps GROUP BY region', .01, 1e-9, 'gaussian') AS t(r int, n bigint, a float8);"
  } >"$CLUSTER/first.sql"
  {
    echo "SELECT * FROM dpmix.query('SELECT region, dp_count(*), dp_avg(wage) FROM cps GROUP BY region', .01, 1e-9, 'gaussian') AS t(r int, n bigint, a float8);"
  } >"$CLUSTER/one.sql"
  sql "ALTER ROLE postgres SET dpmix.max_age = $1; ALTER ROLE postgres SET client_min_messages = warning" >/dev/null
  session <"$CLUSTER/first.sql" >/dev/null
  (cd "$CLUSTER" && pgbench -n -f one.sql -T "$seconds" -l postgres >/dev/null 2>&1 && sort -n -k3 pgbench_log.* |
    awk '{ at[NR] = $3 } END { printf "%.3f", at[int((NR + 1) / 2)] / 1000 }' && rm pgbench_log.*)
}
hit=$(median -1) miss=$(median 0)
echo "a hit $hit ms, charged $miss ms; ratio $(awk "BEGIN { printf \"%.2f\", $miss / $hit }") (bound of a hit: 2 ms)"
