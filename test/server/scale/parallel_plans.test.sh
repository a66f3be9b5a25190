#!/usr/bin/env bash
# Every statistic that dpmix reads from a protected table is computed by parallel workers where PostgreSQL finds that
# worth it: their plans, on a plain table and on one with partitions, and that they find the same integers, bit for bit,
# with 0, 1, 2 and 4 workers. Only tables whose units have several rows are read by one process, twice.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/partitioned_lib.sh
partitioned_cluster "autovacuum = off" "max_parallel_workers = 8"

for workers in 0 1 2 4; do
  { queries; tree_of_a_column; regressions; } | digests query $workers plain parts
  unit_queries | digests units $workers visits visit_parts
done
check "every statement ran, each with rows" "$((4 * 2 * $({ queries; tree_of_a_column; regressions; unit_queries; } | wc -l)))|t" "$(sql "SELECT count(*), bool_and(rows > 0) FROM done")"

# each NAME TURN TABLE CONDITION: what holds of the plans of all statements with two workers.
each() {
  check "$1" "" "$(sql "SELECT string_agg(name || ': ' || plan, E'\\n') FROM done WHERE workers = 2 AND turn = '$2' AND relation = '$3' AND NOT coalesce($4, false)")"
}
partial="plan ~ 'Finalize (Hash|Group)?Aggregate' AND plan ~ 'Gather' AND plan ~ 'Partial (Hash|Group)?Aggregate' AND plan ~ 'Workers Planned: 2' AND plan ~ 'Workers Launched: [12]'"
each "queries are aggregated by workers" query plain "$partial AND plan ~ 'Parallel Seq Scan'"
joins="name !~ 'join' OR plan ~ 'Gather.*Partial (Hash)?Aggregate.*Hash (Left )?Join.*Function Scan on held_rows'"
each "and join public tables in them" query plain "$joins"
# Of a condition, which may choose partitions, the planner keeps its own guess of how many rows pass.
each "over partitions, too" query parts "(name ~ 'WHERE' OR $partial) AND plan ~ 'Parallel Append' AND ($joins)"
# Rows of units are counted by one scan, and taken by another.
sampled="plan ~ 'Aggregate' AND plan ~ 'row_kept|Subquery Scan on layer' AND regexp_count(plan, 'Seq Scan on visit') >= 2 AND plan !~ 'Gather|Sort|WindowAgg|Material|Memoize|Disk'"
each "rows of units are neither sorted nor kept" units visits "$sampled"
each "over partitions, too" units visit_parts "$sampled AND plan ~ 'Append'"
check "nothing is parallel without workers" "" "$(sql "SELECT string_agg(name, ', ') FROM done WHERE workers = 0 AND plan ~ 'Gather'")"

check "the same integers with any number of workers, of partitions as of one table" "" \
  "$(sql "SELECT string_agg(name, ', ') FROM (SELECT name FROM done GROUP BY name HAVING count(DISTINCT digest) <> 1 OR count(*) <> 8) t")"
# 101 states of 32 kB from each worker, for 20000 rows.
echo 'many quantiles|SELECT * FROM dpmix.query($$SELECT age, dp_median(wage) FROM @ GROUP BY age$$, .01, 1e-9) AS t(a int, m float8)' | digests many 2 plain
check "where adding up states takes longer than reading rows, there are no workers" f "$(sql "SELECT plan ~ 'Gather' FROM done WHERE turn = 'many'")"
for setting in enable_partitionwise_aggregate enable_sort enable_hashagg enable_parallel_append; do
  value=on
  [ "$setting" != enable_partitionwise_aggregate ] || value=off
  queries | SETTINGS="SET $setting = $value;" digests "$setting" 2 parts
done
# Which process met which rows, and so the groups that the leader held, is chance.
check "what the session prefers of plans does not count" "" \
  "$(sql "SELECT string_agg(name, ', ') FROM (SELECT name FROM done WHERE relation = 'parts' AND workers = 2 AND turn <> 'many' GROUP BY name HAVING count(DISTINCT digest) <> 1 OR count(DISTINCT regexp_replace(plan, 'Memory Usage: \\d+kB|Workers Launched: \\d', '', 'g')) <> 1) t")"

# Passes of mixtures see frames that depend on noise, so only plans are looked at; that their states do not depend on
# those: sql/stats_rows.sql.
{ mixtures; trees; } | digests mixture 2 plain parts
label_mixtures | digests mixture 2 labels label_parts
comparisons | digests comparison 2 plain parts
check "every method, and comparisons" "26|t" "$(sql "SELECT count(*), bool_and(rows > 0) FROM done WHERE turn IN ('mixture', 'comparison')")"
passes="regexp_count(plan, 'Workers Launched: [12]') = rows AND regexp_count(plan, 'Finalize Aggregate') = rows AND regexp_count(plan, 'Partial Aggregate') = rows"
each "each pass of a mixture or a tree is aggregated by workers" mixture plain "$passes"
each "where labels alone are private" mixture labels "$passes"
each "of a comparison" comparison plain "$passes"
each "over partitions" mixture parts "$passes AND regexp_count(plan, 'Parallel Append') = rows"
each "over partitions by the label" mixture label_parts "$passes AND regexp_count(plan, 'Parallel Append') = rows"
each "over partitions, of a comparison" comparison parts "$passes AND regexp_count(plan, 'Parallel Append') = rows"

# A synthetic table takes every row into the leader: workers would only hand them on, and at the cost that PostgreSQL
# puts on a row handed on they read none. Without that cost they do, and the rows are the same.
synthetic_rows | digests synthetic 0 plain parts
synthetic_rows | TUPLE_COST=0.1 digests synthetic 2 plain parts
synthetic_rows | digests synthetic 4 plain parts
check "records are read by the leader" "false false" "$(sql "SELECT string_agg((plan ~ 'Gather')::text, ' ') FROM done WHERE turn = 'synthetic' AND workers = 2")"
check "or by workers, the same ones" "t|1" "$(sql "SELECT bool_and(plan ~ 'Gather') FILTER (WHERE workers = 4), count(DISTINCT digest) FROM done WHERE turn = 'synthetic'")"
