#!/usr/bin/env bash
# Hostile texts for dpmix.query (hostile_queries.cases, hostile_poisons.cases): each is asked by an analyst over
# three fillings of one table, one of them full of values that make functions fail. Each must end as expected, and
# alike for all fillings: same SQLSTATE, same message, same shape of the answer. No value that nobody declared is
# seen, refusals are free, answers are charged, refusals say what to do instead, nobody's code runs.
set -euo pipefail

. "$(dirname "$0")/hostile_queries_lib.sh"
cluster_start "autovacuum = off"
psql -Xq -v ON_ERROR_STOP=1 -f test/server/hostile_queries.sql
cat test/server/hostile_queries.cases test/server/hostile_poisons.cases |
  psql -Xq -c "COPY line (text) FROM STDIN WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')"
sql "SELECT read_cases()" >/dev/null

attack_all
judge_all
check "no trap was sprung" f "$(sql "SELECT is_called FROM traps.sprung")"
check "nothing is left behind" t "$(sql "SELECT to_regclass('traps.stolen') IS NULL AND (SELECT count(*) FROM traps.notes) = 0")"
check "no crash, no assertion, no internal error in the server's log" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000|CANARY' "$CLUSTER/log" || true)"
