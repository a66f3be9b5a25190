#!/usr/bin/env bash
# What crosses between processes, garbled: rows, their types, orders and charges are refused or read within their
# bounds. Each lies before a page that nobody may read, so that whoever reads on is killed. DPMIX_FUZZ: how many times
# longer.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh

ledger_cluster "dpmix.ledger_idle_timeout = 1h" "log_min_messages = log"
cluster_probe process_probe -Wno-register -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
sql "CREATE FUNCTION garble_rows(record, int, int) RETURNS int LANGUAGE c AS 'process_probe';
     CREATE FUNCTION garble_types(record, int, int) RETURNS int LANGUAGE c AS 'process_probe';
     CREATE FUNCTION garble_orders(int, int) RETURNS int LANGUAGE c AS 'process_probe';
     CREATE FUNCTION garble_charges(int, int) RETURNS int LANGUAGE c AS 'process_probe';
     CREATE TYPE of_all AS (a int, b text, c numeric, d bool, e name, f \"char\", g int8[], i interval, j text);
     CREATE TABLE t (x int); SELECT dpmix.protect('t', 1e6, 0.1)" >/dev/null
times=$((6000 * ${DPMIX_FUZZ:-1})) seed=${DPMIX_SEED:-$RANDOM}
echo "# seed $seed"
rows=("ROW(1, 'abc', 1.5, true, 'n', 'c', '{1,2}', '1 day', repeat('x', 300))"
      "ROW(NULL, 'abc', NULL, true, NULL, 'c', '{}', NULL, '')"
      "ROW(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)")
for row in "${rows[@]}"; do
  check_match "garbled rows are refused, or read within their bounds: $row" '^[0-9]+$' "$(sql "SELECT garble_rows($row::of_all, $times, $seed)")"
  check_match "and so are their types" '^[0-9]+$' "$(sql "SELECT garble_types($row::of_all, $times / 10, $seed)")"
done
check_match "garbled orders are refused, or read" '^[0-9]+$' "$(sql "BEGIN; SELECT garble_orders($times / 10, $seed); ROLLBACK")"
sql "SELECT charge_probe('t', 1)" >/dev/null  # a worker
check "garbled charges are answered, and none is made" "$((times / 10))" "$(sql "SELECT garble_charges($times / 10, $seed)")"
check "but the one that was good" 1 "$(charges t)"
check_match "the next charge is made" '^[0-9]+$' "$(sql "SELECT charge_probe('t', 1)")"
check "no crash" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal' "$CLUSTER/log" || true)"
