#!/usr/bin/env bash
# What reading the ledger takes after so many charges (default 10^6) on three tables, two accounts
# each, without checkpoints and with one every 1 000 charges; the second run of each statement.
#
#   bench/ledger/records.sh [charges]
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/charges.sh
charges=${1:-1000000}
cluster_start "fsync = on" "shared_buffers = 256MB" "max_wal_size = 4GB"
psql -X -q <<SQL >/dev/null
CREATE EXTENSION dpmix; CREATE ROLE ana;
CREATE TABLE p1 (x int); CREATE TABLE p2 (x int); CREATE TABLE p3 (x int);
SELECT dpmix.protect('p1', 40000, 1e-6), dpmix.protect('p2', 40000, 1e-6), dpmix.protect('p3', 40000, 1e-6, accountant => 'basic');
SELECT dpmix.grant_access('p1', 'ana', 40000), dpmix.grant_access('p2', 'ana');
INSERT INTO dpmix.role_number (role_oid, role_name, cluster) SELECT oid, rolname, dpmix_internal.cluster() FROM pg_roles WHERE rolname = 'ana';
INSERT INTO dpmix.charge (table_id, relation, role, granted_to, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters, role_number,
                          granted_number)
SELECT 1 + i % 3, 'public.p' || 1 + i % 3, CASE WHEN i % 2 = 0 THEN 'ana' ELSE 'postgres' END, CASE WHEN i % 2 = 0 THEN 'ana'::name END,
       clock_timestamp(), 'query', 'gaussian', 0.0101, 1e-13, 0.00001486603184, 0,
       '{"query": "SELECT dp_count(*) FROM people", "groups": 1, "statistics_left": 0,
         "statistics": [{"scale": 50.2098183, "steps": 1, "statistic": "count(*)", "sensitivity": 1, "cells": 1}]}',
       CASE WHEN i % 2 = 0 THEN (SELECT max(number) FROM dpmix_internal.bound_role WHERE rolname = 'ana') END,
       CASE WHEN i % 2 = 0 THEN (SELECT max(number) FROM dpmix_internal.bound_role WHERE rolname = 'ana') END
FROM generate_series(1, $charges) i;
VACUUM ANALYZE dpmix.charge;
SQL

milliseconds() { # statement
  psql -X -q -c '\timing on' -c "$1" -c "$1" | awk '/^Time:/ {time = $2} END {print time}'
}
measure() {
  printf '%-36s %10s ms\n' "dpmix.budget" "$(milliseconds "SELECT * FROM dpmix.budget")"
  printf '%-36s %10s ms\n' "dpmix.role_budget" "$(milliseconds "SELECT * FROM dpmix.role_budget")"
  printf '%-36s %10s ms\n' "dpmix.explain_charge, the last" "$(milliseconds "SELECT * FROM dpmix.explain_charge($charges)")"
  printf '%-36s %10s ms\n' "dpmix.charges, one row" "$(milliseconds "SELECT * FROM dpmix.charges(id => $charges)")"
}
echo "without checkpoints"
measure
psql -X -q <<SQL
INSERT INTO dpmix.ledger_checkpoint (through, table_id, granted_number, charges, epsilon, delta, cost, cost_delta)
SELECT block * 1000, table_id, granted_number, sum(n) OVER so_far, sum(e) OVER so_far, sum(d) OVER so_far, sum(c) OVER so_far, 0
FROM (SELECT (id + 999) / 1000 AS block, table_id, granted_number, count(*) n, sum(epsilon) e, sum(delta) d, sum(cost) c
      FROM dpmix.charge WHERE id <= $charges - 500 GROUP BY 1, 2, 3) blocks
WHERE block * 1000 < $charges
WINDOW so_far AS (PARTITION BY table_id, granted_number ORDER BY block);
VACUUM ANALYZE dpmix.ledger_checkpoint;
SQL
echo "with a checkpoint every 1000 charges"
measure
start=$(date +%s.%N)
psql -X -q -c "\\copy (SELECT * FROM dpmix.audit ORDER BY id) TO '$CLUSTER/audit.csv' CSV HEADER"
printf '%-36s %10.1f s, %d MB\n' "export of dpmix.audit" "$(echo "$(date +%s.%N) - $start" | bc)" "$(($(stat -c %s "$CLUSTER/audit.csv") / 1000000))"
