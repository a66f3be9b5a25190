#!/usr/bin/env bash
# Whether a scan's plan is parallel goes by costs, which are the caller's settings, and by how many rows the planner
# expects. Processes that appear show where it turns: an estimate from statistics of private columns shows itself.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster "max_parallel_workers = 4"
# Kinds occur 10000 times, or 200 times and in their place none.
people_with "kind int" "NULL" 36
PGUSER=olga session <<'SQL'
SET client_min_messages = warning;
CREATE TABLE visits (id int, kind int, ill boolean);
INSERT INTO visits SELECT i, CASE WHEN i % 10000 < CASE WHEN p.ill THEN 10000 ELSE 200 END THEN p.id END FROM people AS p, generate_series(p.id * 10000, p.id * 10000 + 9999) AS i;
ALTER TABLE visits ALTER kind SET STATISTICS 1000;
SELECT dpmix.protect('visits', 1e6, .1, accountant => 'basic') \g /dev/null
SELECT dpmix.grant_access('visits', 'ana') \g /dev/null
SQL
settle
processes="(SELECT count(*) FROM pg_stat_activity)"
settings="SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; SET parallel_tuple_cost = .1;"
query() { call "SELECT dp_count(*) FROM visits WHERE kind = $1"; }


parallel() {  # for each of so many calls, whether processes came
  awk -F'|' -v calls="$1" '{ more[$1] = $3 > $2 } END { for (i = 1; i <= calls; i++) print more[i] + 0 }' "$CLUSTER/watched"
}
turns() {  # for each kind, of 12 calls at rising costs how many have parallel plans: first about where this is for kind 1
  local low=0 high=8192 cost id k calls
  while [ $((high - low)) -gt 8 ]; do
    cost=$(((low + high) / 2))
    { query 1; echo "$settings SET parallel_setup_cost = $cost;"; label 1; query 1; query 1; } | watched "$processes"
    if [ "$(parallel 1)" = 1 ]; then low=$cost; else high=$cost; fi
  done
  {
    query 1
    echo "$settings"
    for ((id = 0; id < 36; ++id)); do
      for ((k = 1; k <= 12; ++k)); do
        cost=$((low - 28 + 4 * k))
        echo "SET parallel_setup_cost = $((cost > 0 ? cost : 0));"
        label $((id * 12 + k))
        query $((id + 1))
      done
    done
  } | watched "$processes"
  parallel $((36 * 12)) | paste -d' ' - - - - - - - - - - - - | awk '{ n = 0; for (k = 1; k <= 12; k++) n += $k; print n }' | bits_of >"$CLUSTER/bits"
}
fair_calls "calls with costs of one's own" turns
learns_nothing "what the planner expected" 2 "$(who_is_ill)" "$(cat "$CLUSTER/bits")"
