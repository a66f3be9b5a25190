#!/usr/bin/env bash
# What a durable charge costs beside a plain autocommit UPDATE of one row (the obvious ledger: one
# counter): latency alone, throughput with eight clients; and beside eight clients that each UPDATE
# a row of their own, which is no ledger but shows the machine. In turns within one run, fsync on;
# ratios are medians over rounds, because a shared disk changes its mind from second to second.
#   bench/ledger.sh [rounds] [seconds]
set -euo pipefail
. "$(dirname "$0")/../test/server/ledger_lib.sh"
rounds=${1:-9} seconds=${2:-2}
ledger_cluster "fsync = on" "autovacuum = off"
psql -X -q -o /dev/null <<'SQL'
CREATE TABLE plain (id int PRIMARY KEY, spent float8);
INSERT INTO plain SELECT generate_series(1, 8), 0;
CREATE TABLE people (x int);
SELECT dpmix.protect('people', 1e7, 1e-6);
SELECT charge_probe('people', 1e-6);
SQL
work=$CLUSTER/bench
mkdir "$work"
echo "UPDATE plain SET spent = spent + 1e-6 WHERE id = 1;" >"$work/one_row.sql"
echo "UPDATE plain SET spent = spent + 1e-6 WHERE id = :client_id + 1;" >"$work/own_row.sql"
echo "SELECT charge_probe('people', 1e-6);" >"$work/charge.sql"

rate() {  # clients script: transactions a second, connection time left out
  "$BIN/pgbench" -n -M prepared -c "$1" -j "$(($1 > 1 ? 2 : 1))" -T "$seconds" -f "$work/$2.sql" postgres 2>/dev/null |
    sed -n 's/^tps = \([0-9.]*\).*/\1/p'
}
for _ in $(seq "$rounds"); do
  echo "$(rate 1 one_row) $(rate 1 charge) $(rate 8 one_row) $(rate 8 own_row) $(rate 8 charge)"
done >"$work/rates"

median() {  # awk expression of a round's rates
  awk "{ print $1 }" "$work/rates" | sort -n | sed -n "$(((rounds + 1) / 2))p"
}
printf 'alone:     UPDATE %.3f ms, charge %.3f ms, latency ratio %.2f (bound 1.5)\n' \
  "$(median '1000 / $1')" "$(median '1000 / $2')" "$(median '$1 / $2')"
printf '8 clients: UPDATE of one row %.0f/s, of own rows %.0f/s, charge %.0f/s; throughput ratio %.2f and %.2f\n' \
  "$(median '$3')" "$(median '$4')" "$(median '$5')" "$(median '$5 / $3')" "$(median '$5 / $4')"
