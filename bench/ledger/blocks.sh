#!/usr/bin/env bash
# Charges to blocks: ten years of hours (87 600 blocks) that a million charges of random ranges have named. What a
# charge of one more random range costs beside an autocommit UPDATE of one row, what the worker's start costs with a
# checkpoint and without, how large a checkpoint is.
#   bench/ledger/blocks.sh [rounds] [charges]
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/charges.sh
rounds=${1:-9} charges=${2:-1000000}
ledger_cluster "fsync = on" "autovacuum = off"
psql -X -q -o /dev/null <<SQL 2>/dev/null
CREATE TABLE plain (id int PRIMARY KEY, spent float8);
INSERT INTO plain VALUES (1, 0);
CREATE TABLE hours (at timestamptz);
CREATE TABLE whole (at timestamptz);
SELECT dpmix.protect('hours', 1e7, 1e-6, blocks => 'at', width => '1 hour', blocks_from => '2015-01-01');
SELECT dpmix.protect('whole', 1e7, 1e-6);
SELECT charge_blocks_probe('hours', 1e-6, 0, 1, 5), charge_probe('whole', 1e-6);
INSERT INTO dpmix.charge (table_id, relation, role, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters, blocks)
    SELECT table_id, relation, role, at, kind, mechanism, epsilon, delta, cost * (1 + random()), cost_delta, parameters,
           int8multirange(int8range(least(a, b), greatest(a, b), '[]'))
    FROM (SELECT c.*, floor(random() * 87600)::bigint AS a, floor(random() * 87600)::bigint AS b
          FROM dpmix.charge c, generate_series(1, $charges) WHERE c.blocks IS NOT NULL) c;
CHECKPOINT;
SQL
end_worker="SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'dpmix ledger'"
milliseconds() {  # of a statement, in a session that charged before
  psql -X -q -A -t <<SQL | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' | tail -n 1
SELECT charge_probe('whole', 1e-6);
$2;
\timing on
$1;
SQL
}
one_more="SELECT charge_blocks_probe('hours', 1e-6, 0, 100, 50000)"
printf 'no checkpoint: a charge that starts the worker %s ms\n' "$(milliseconds "$one_more" "$end_worker")"
psql -X -q -o /dev/null -c "SELECT count(charge_probe('whole', 1e-6)) FROM generate_series(1, 12000)"
printf 'checkpoint: %s\n' "$(sql "SELECT pg_size_pretty(octet_length(content)::bigint) || ', through charge ' || through FROM dpmix.block_checkpoint")"
printf 'with it: a charge that starts the worker %s ms, one that finds it %s ms\n' "$(milliseconds "$one_more" "$end_worker")" "$(milliseconds "$one_more" "$one_more")"

work=$CLUSTER/bench
mkdir "$work"
echo "UPDATE plain SET spent = spent + 1e-6 WHERE id = 1;" >"$work/update.sql"
echo "SELECT charge_probe('whole', 1e-6);" >"$work/whole.sql"
printf '%s\n' '\set a random(0, 87599)' '\set b random(0, 87599)' \
  "SELECT charge_blocks_probe('hours', 1e-6, 0, least(:a::bigint, :b), greatest(:a::bigint, :b));" >"$work/blocks.sql"
latency() {  # script: milliseconds
  "$BIN/pgbench" -n -M prepared -c 1 -T 2 -f "$work/$1.sql" postgres 2>/dev/null | sed -n 's/^latency average = \([0-9.]*\) ms/\1/p'
}
for _ in $(seq "$rounds"); do echo "$(latency update) $(latency whole) $(latency blocks)"; done |
  awk '{ u[NR] = $1; w[NR] = $2 / $1; b[NR] = $3 / $1; d[NR] = 1000 * ($3 - $2) }
       function median(x, n,  i, j, t) { for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (x[j] < x[i]) { t = x[i]; x[i] = x[j]; x[j] = t } return x[int((n + 1) / 2)] }
       END { printf "UPDATE %.3f ms; a charge %.2f times that, of a range of blocks %.2f times (bound 1.25); difference %.0f microseconds\n", median(u, NR), median(w, NR), median(b, NR), median(d, NR) }'
