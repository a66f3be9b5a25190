#!/usr/bin/env bash
# A month of nights at once, by the simulated clock: a query each night and a synthetic table each week, called as
# their owner (no superuser), some nights twice, some not at all, through an immediate shutdown in the middle.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/schedule/lib.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s" "client_min_messages = warning"
schedule_tables
nightly nightly 1
weekly weekly
PGUSER=olga sql "CREATE TRIGGER sleepy AFTER INSERT ON weekly FOR EACH STATEMENT EXECUTE FUNCTION sleep_or_fail()" >/dev/null

nights() {  # from to
  local night
  for night in $(seq "$1" "$2"); do
    run nightly "$night"
    [ $((night % 3)) != 0 ] || run nightly "$night"
    run weekly "$night"
  done
}
check "two weeks" "" "$(nights 0 13)"
nap 60
run nightly 14 >/dev/null 2>&1 & one=$!
run weekly 14 >/dev/null 2>&1 & two=$!
both() { is_charged nightly 14 && is_charged weekly 2; }
wait_until 30 both || echo "not ok - night 14 was never charged"
cluster_restart immediate
wait $one || true
wait $two || true
nap 0
check_match "the night in which the server went down is spent" 55000 "$(run nightly 14)"
check_match "and the week" 55000 "$(run weekly 14)"
nights 15 20 >"$CLUSTER/rest"  # the week stays spent, and each of its nights says so
check "its nights are stored" 6 "$(sql "SELECT count(*) FROM dpmix.schedule_runs WHERE name = 'nightly' AND period BETWEEN 15 AND 20 AND state = 'stored'")"
# Nobody calls for two nights: they are skipped, not paid for.
check "the rest of the month" "" "$(nights 23 29)"
check "of thirty nights" "27 stored, 1 spent, 2 skipped" "$(sql "SELECT count(*) FILTER (WHERE state = 'stored') || ' stored, ' || count(*) FILTER (WHERE state = 'spent') || ' spent, ' ||
  count(*) FILTER (WHERE state = 'skipped') || ' skipped' FROM dpmix.schedule_runs WHERE name = 'nightly'")"
check "of five weeks" "4 stored, 1 spent" "$(sql "SELECT count(*) FILTER (WHERE state = 'stored') || ' stored, ' || count(*) FILTER (WHERE state = 'spent') || ' spent' FROM dpmix.schedule_runs WHERE name = 'weekly'")"
check "each night that was run was charged exactly once" "" "$(faults_of nightly)"
check "and each week" "" "$(faults_of weekly)"
check "nothing else was charged" "33 33" "$(sql "SELECT (SELECT count(*) FROM dpmix.charge) || ' ' || (SELECT sum(cardinality(charge_ids)) FROM dpmix.schedule_runs)")"
