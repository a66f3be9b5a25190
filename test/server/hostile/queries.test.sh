#!/usr/bin/env bash
# Hostile texts for dpmix.query (queries.cases, poisons.cases): each is asked by an analyst over
# three fillings of one table, one of them full of values that make functions fail. Each must end as expected, and
# alike for all fillings: same SQLSTATE, same message, same shape of the answer. No value that nobody declared is
# seen, refusals are free, answers are charged, refusals say what to do instead, nobody's code runs.
set -euo pipefail

cd "$(dirname "$0")/../../.."
. test/server/hostile/queries_lib.sh
cluster_start "autovacuum = off"
psql -Xq -v ON_ERROR_STOP=1 -f test/server/hostile/queries.sql
cat test/server/hostile/queries.cases test/server/hostile/poisons.cases |
  psql -Xq -c "COPY line (text) FROM STDIN WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')"
sql "SELECT read_cases()" >/dev/null

attack_all
judge_all
check "no trap was sprung" f "$(sql "SELECT is_called FROM traps.sprung")"
check "nothing is left behind" t "$(sql "SELECT to_regclass('traps.stolen') IS NULL AND (SELECT count(*) FROM traps.notes) = 0")"
check "no crash, no assertion, no internal error in the server's log" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000|CANARY' "$CLUSTER/log" || true)"

# Every refusal of the language that the sources know was seen here or in the expected output of the regression tests;
# what is left cannot be reached by a text on this server.
unreachable='an outer reference|the result can exceed 128 MB|over a distributed table|over shards|an outer aggregate|an internal parameter|a virtual generated column|whose encoding is|of a kind that is on no list|a cast of an array|a cast of a row value|an aggregate in an expression|ORDER BY a user-defined operator|this kind of|FROM without a table|a relation in FROM|an infinite interval'
{ sql "SELECT DISTINCT message FROM verdict WHERE state = 'PV002'"; cat expected/{query*,plain*,blocks*,owner_views,people}.out; } >"$CLUSTER/refused"
unseen=$(find src/pg -name "*.cpp" -exec cat {} + | tr '\n' ' ' | sed -E 's/" *"//g; s/refuse\( *ErrorCode::\w+, *(psprintf\( *)?"[^"]*"//g' | grep -oE '"[^"]* (is|are)"' | tr -d '"' | grep -v '^ ' | sort -u | grep -vE "$unreachable" |
  while read -r construct; do
    pattern=$(sed 's/[][().*^$]/\\&/g; s/%%/%/g; s/%[\\.0-9]*[sdf]/.*/g' <<<"$construct")
    grep -qE "$pattern not allowed" "$CLUSTER/refused" || echo "$construct"
  done)
check "every refusal that the sources know was seen" "" "$unseen"
