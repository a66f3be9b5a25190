#!/usr/bin/env bash
# What a durable charge costs beside a plain autocommit UPDATE of one row (the obvious ledger: one
# counter): latency alone, throughput with eight clients; and beside eight clients that each UPDATE
# a row of their own, which is no ledger but shows the machine. In turns within one run, fsync on;
# ratios are medians over rounds, because a shared disk changes its mind from second to second.
# `long` adds a ledger of a million charges (the same again; start of a worker; restart after a
# crash) and 10^5 charges under a snapshot that another session holds.
#   bench/ledger/charge.sh [rounds] [seconds] [long]
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/charges.sh
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

run() {  # clients script limit...: transactions a second, connection time left out
  local clients=$1 script=$2
  shift 2
  "$BIN/pgbench" -n -M prepared -c "$clients" -j "$((clients > 1 ? 2 : 1))" "$@" -f "$work/$script.sql" postgres 2>/dev/null |
    sed -n 's/^tps = \([0-9.]*\).*/\1/p'
}
rate() { run "$1" "$2" -T "$seconds"; }
median() { sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
of_rounds() { awk "{ print $1 }" "$work/rates" | median; }  # awk expression of a round's rates

compare() {  # title
  for _ in $(seq "$rounds"); do
    echo "$(rate 1 one_row) $(rate 1 charge) $(rate 8 one_row) $(rate 8 own_row) $(rate 8 charge)"
  done >"$work/rates"
  printf '%s, alone:     UPDATE %.3f ms, charge %.3f ms; latency ratio %.2f (bound 1.25)\n' "$1" \
    "$(of_rounds '1000 / $1')" "$(of_rounds '1000 / $2')" "$(of_rounds '$1 / $2')"
  printf '%s, 8 clients: UPDATE of one row %.0f/s, of own rows %.0f/s, charge %.0f/s; throughput ratio %.2f (bound 4) and %.2f\n' \
    "$1" "$(of_rounds '$3')" "$(of_rounds '$4')" "$(of_rounds '$5')" "$(of_rounds '$5 / $3')" "$(of_rounds '$5 / $4')"
}
compare "new ledger"
[ "${3:-}" = long ] || exit 0

milliseconds() {  # of a command
  local start
  start=$(date +%s%N)
  "$@" >/dev/null
  echo $((($(date +%s%N) - start) / 1000000))
}
end_worker="SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'dpmix ledger'"
starts() {  # title: a charge that starts the worker, by a session that charged before
  for _ in $(seq 7); do
    psql -X -q -A -t <<SQL | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' | tail -n 1
SELECT charge_probe('people', 1e-6);
$end_worker;
\timing on
SELECT charge_probe('people', 1e-6);
SQL
  done | median >"$work/start"
  printf '%s: a charge that starts the worker %.1f ms (bound 50)\n' "$1" "$(cat "$work/start")"
}
starts "new ledger"

# Rows as the worker writes them; the next charges checkpoint their sums.
sql "INSERT INTO dpmix.charge (table_id, relation, role, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters)
     SELECT c.* FROM (SELECT table_id, relation, role, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters
                      FROM dpmix.charge LIMIT 1) c, generate_series(1, 1000000)" >/dev/null
sql "CHECKPOINT" >/dev/null
sql "$end_worker" >/dev/null
printf 'a million charges without a checkpoint: the first charge %d ms\n' "$(milliseconds sql "SELECT charge_probe('people', 1e-6)")"
run 8 charge -t 1000 >/dev/null
compare "a million charges"
starts "a million charges"

first_charge() {
  as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -l "$CLUSTER/log" -W start >/dev/null
  until psql -X -q -c "SELECT charge_probe('people', 1e-6)" >/dev/null 2>&1; do sleep 0.01; done
}
for _ in 1 2 3 4 5; do
  sql "CHECKPOINT" >/dev/null
  run 8 charge -t 1250 >/dev/null
  as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m immediate stop >/dev/null
  milliseconds first_charge
done | median >"$work/restart"
printf 'a million charges: crash, start of the server to the first charge %d ms (bound 1000)\n' "$(cat "$work/restart")"

# Somebody's old snapshot: a counter that is updated leaves 10^5 dead rows to walk over.
psql -X -q -c "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM plain; SELECT pg_sleep(3600)" >/dev/null 2>&1 &
holder=$!
sleep 1
for script in charge one_row; do
  before=$(run 1 "$script" -t 1000)
  run 8 "$script" -t 12500 >/dev/null
  after=$(run 1 "$script" -t 1000)
  printf 'under a held snapshot, alone, before and after 10^5 more, %-7s: %.3f ms, %.3f ms (%.2f times)\n' "$script" \
    "$(awk "BEGIN { print 1000 / $before }")" "$(awk "BEGIN { print 1000 / $after }")" "$(awk "BEGIN { print $before / $after }")"
done
kill "$holder"
