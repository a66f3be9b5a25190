#!/usr/bin/env bash
# Hostile texts for dpmix.query (hostile_queries.cases, hostile_poisons.cases): each is asked by an analyst over
# three fillings of one table, one of them full of values that make functions fail. Each must end as expected, and
# alike for all fillings: same SQLSTATE, same message, same shape of the answer. No value that nobody declared is
# seen, refusals are free, answers are charged, refusals say what to do instead, nobody's code runs.
set -euo pipefail

. "$(dirname "$0")/ledger_lib.sh"
cluster_start "autovacuum = off"
psql -Xq -v ON_ERROR_STOP=1 -f test/server/hostile_queries.sql
cat test/server/hostile_queries.cases test/server/hostile_poisons.cases |
  psql -Xq -c "COPY line (text) FROM STDIN WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')"
sql "SELECT read_cases()" >/dev/null

for filling in plain wild empty; do
  PGUSER=olga sql "SELECT fill('$filling')" >/dev/null
  sql "VACUUM (ANALYZE, FREEZE) people"
  PGUSER=ana session >"$CLUSTER/said.$filling" <<SQL
SET client_min_messages = log;
SET search_path = traps, public, pg_catalog;
SELECT public.attack('$filling') \g /dev/null
SQL
done
check "nothing was said beside the answers" "" "$(cat "$CLUSTER"/said.* | head -c 2000)"
cases=$(sql "SELECT count(*) FROM hostile")
check "every case was asked over every filling" "$((3 * cases))" "$(sql "SELECT count(*) FROM outcome")"

# report NAME QUERY: what the query finds is a fault.
report() {
  local found
  found=$(sql "$2")
  if [ -z "$found" ]; then echo "ok - $1"; else echo "not ok - $1:"; head -n "${SHOW:-20}" <<<"$found"; fi
}
sql "CREATE VIEW faced AS SELECT o.filling, h.n, expected, query, (came).* FROM outcome o JOIN hostile h USING (n);
     CREATE TABLE verdict AS SELECT *, CASE expected WHEN 'yes' THEN state = 'answered'
         WHEN 'any' THEN state IN ('answered', 'PV002', 'PV003', 'PV005') OR state ~ '^(42|0A|22)'
         WHEN 'no' THEN state IN ('PV002', 'PV003', 'PV005', 'PV006') OR state ~ '^(42|0A|22)'
         ELSE state = expected END AS good FROM faced"
report "$cases cases end as expected" "SELECT n, filling, expected, state, query, message FROM verdict WHERE NOT good ORDER BY n"
report "and alike, whatever the rows" "SELECT n, query, string_agg(filling || ': ' || state || ' ' || coalesce(message, without_noise(answers)), ' | ' ORDER BY filling)
  FROM verdict GROUP BY n, query HAVING count(DISTINCT (state, message, detail, hint, without_noise(answers))) > 1 ORDER BY n"
report "no value that nobody declared is seen" "SELECT n, query, message, detail, hint, answers FROM verdict
  WHERE concat_ws(' ', replace(message, query, ''), detail, hint, answers) ~ 'CANARY|7777' AND query !~ 'CANARY' ORDER BY n"
report "refusals are free, answers are charged once" "SELECT n, filling, query, state, charges FROM verdict WHERE charges <> (state = 'answered')::int ORDER BY n"
report "nothing fails after its charge, or inside" "SELECT n, filling, query, state, message FROM verdict WHERE state ~ '^(XX|58|57|53|54|P0)' ORDER BY n"
report "a refusal names what is refused and what to write instead" "SELECT DISTINCT n, query, message FROM verdict
  WHERE state IN ('PV002', 'PV003', 'PV005') AND (coalesce(detail, '') = '' OR coalesce(hint, '') = '' OR message ~ '\?|^this |something') ORDER BY n"
check "no trap was sprung" f "$(sql "SELECT is_called FROM traps.sprung")"
check "nothing is left behind" "notes" "$(sql "SELECT string_agg(relname, ',') FROM pg_class WHERE relnamespace = 'traps'::regnamespace AND relkind = 'r'")"
report "only answers are in the ledger" "SELECT count(*) FROM dpmix.charge HAVING count(*) <> (SELECT count(*) FROM verdict WHERE state = 'answered')"
check "no crash, no assertion, no internal error in the server's log" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000|CANARY' "$CLUSTER/log" || true)"
