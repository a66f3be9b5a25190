# Sourced by queries.test.sh and sqlsmith.sh: asks every case of the table hostile as the analyst, over three fillings
# of one table, and judges what came of it.
. test/server/lib/charges.sh

attack_all() {
  local filling
  for filling in plain wild empty; do
    PGUSER=olga sql "SELECT fill('$filling')" >/dev/null
    sql "VACUUM (ANALYZE, FREEZE) people"
    PGUSER=ana session >"$CLUSTER/said.$filling" <<SQL
SET client_min_messages = log;
SET search_path = public, traps;
SELECT public.attack('$filling') \\g /dev/null
SQL
  done
}

# report NAME QUERY: what the query finds is a fault.
report() {
  local found
  found=$(sql "$2")
  if [ -z "$found" ]; then echo "ok - $1"; else echo "not ok - $1:"; head -n "${SHOW:-20}" <<<"$found"; fi
}

judge_all() {
  local cases
  cases=$(sql "SELECT count(*) FROM hostile")
  check "nothing was said beside the answers" "" "$(cat "$CLUSTER"/said.* |
    sed -E '/means little|rows count for less|is no declared category of|no value within the declared bounds of|no (group|row) is possible/,/^LOCATION/d' | head -c 2000)"
  check "every case was asked over every filling" "$((3 * cases))" "$(sql "SELECT count(*) FROM outcome")"
  report "$cases cases end as expected" "SELECT n, filling, expected, state, query, message FROM verdict WHERE NOT good ORDER BY n"
  report "and alike, whatever the rows" "SELECT n, query, string_agg(filling || ': ' || state || ' ' || coalesce(message, without_noise(answers)), ' | ' ORDER BY filling)
    FROM verdict GROUP BY n, query HAVING count(DISTINCT (state, message, detail, hint, without_noise(answers))) > 1 ORDER BY n"
  report "no value that nobody declared is seen" "SELECT n, query, message, detail, hint, answers FROM verdict
    WHERE concat_ws(' ', replace(message, query, ''), detail, hint, without_noise(answers)) ~ 'CANARY|7777' AND query !~ 'CANARY' ORDER BY n"
  report "refusals are free, answers are charged once" "SELECT n, filling, query, state, charges FROM verdict WHERE charges <> (state = 'answered')::int AND NOT (charges = 0 AND leaves_no_group(query)) ORDER BY n"
  report "nothing fails inside" "SELECT n, filling, query, state, message FROM verdict WHERE state ~ '^(XX|58|57|53|54|P0)' ORDER BY n"
  report "a refusal names what is refused and what to write instead" "SELECT DISTINCT n, query, message FROM verdict
    WHERE state IN ('PV002', 'PV003', 'PV005') AND (coalesce(detail, '') = '' OR coalesce(hint, '') = '' OR message ~ '(function|aggregate) \?|^this ') ORDER BY n"
  check "the ledger has the answers, and nothing else" "$(sql "SELECT count(*) FROM verdict WHERE state = 'answered' AND NOT (charges = 0 AND leaves_no_group(query))")" "$(sql "SELECT count(*) - ${1:-0} FROM dpmix.charge")"
}
