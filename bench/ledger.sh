#!/usr/bin/env bash
# What a durable charge costs beside a plain autocommit UPDATE of one row: latency with one client,
# throughput with eight, in turns within one run, fsync on. Prints medians of the rounds.
#   bench/ledger.sh [rounds] [seconds]
set -euo pipefail
. "$(dirname "$0")/../test/server/ledger_lib.sh"
rounds=${1:-5} seconds=${2:-5}
ledger_cluster "fsync = on" "autovacuum = off"
"$BIN/psql" -X -q <<'SQL'
CREATE TABLE plain (id int PRIMARY KEY, spent float8);
INSERT INTO plain SELECT generate_series(1, 8), 0;
CREATE TABLE people (x int);
DO $$ BEGIN PERFORM dpmix.protect('people', 1e7, 1e-6); END $$;
SELECT charge_probe('people', 1e-6);
SQL
work=$CLUSTER/bench
mkdir "$work"
echo "UPDATE plain SET spent = spent + 1e-6 WHERE id = 1;" >"$work/update_1.sql"
# Eight clients of one row would queue for its lock; each gets a row of its own.
echo "UPDATE plain SET spent = spent + 1e-6 WHERE id = :client_id + 1;" >"$work/update_8.sql"
echo "SELECT charge_probe('people', 1e-6);" | tee "$work/charge_1.sql" >"$work/charge_8.sql"

rate() {  # clients script: transactions a second, connection time left out
  "$BIN/pgbench" -n -M prepared -c "$1" -j "$([ "$1" = 1 ] && echo 1 || echo 2)" -T "$seconds" -f "$2" postgres 2>/dev/null |
    sed -n 's/^tps = \([0-9.]*\).*/\1/p'
}
for round in $(seq "$rounds"); do
  for clients in 1 8; do
    for what in update charge; do
      rate "$clients" "$work/${what}_$clients.sql" >>"$work/$what.$clients"
    done
  done
done
median() { sort -n "$work/$1" | sed -n "$(((rounds + 1) / 2))p"; }
awk -v u1="$(median update.1)" -v c1="$(median charge.1)" -v u8="$(median update.8)" -v c8="$(median charge.8)" 'BEGIN {
  printf "alone:     update %.3f ms, charge %.3f ms, ratio %.2f (bound 1.5)\n", 1000 / u1, 1000 / c1, u1 / c1
  printf "8 clients: update %.0f/s, charge %.0f/s, ratio %.2f\n", u8, c8, c8 / u8
}'
