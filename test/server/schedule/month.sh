#!/usr/bin/env bash
# By hand, 32 minutes: a month of nights by pg_cron, one a minute, a query each night and a synthetic table each
# week, through an immediate shutdown and a restart while a release is under way. Exactly one charge a period.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/schedule/lib.sh
nights=${NIGHTS:-30}
crash=${CRASH:-14}  # the night in which the server goes down, with the week's table under way, too
cron_installed || { echo "not ok - pg_cron is not installed"; exit 1; }
cron_cluster
nightly nightly 1
weekly weekly
PGUSER=olga sql "CREATE TRIGGER sleepy AFTER INSERT ON weekly FOR EACH STATEMENT EXECUTE FUNCTION sleep_or_fail()" >/dev/null
cron_job nightly
cron_job weekly
echo "a night a minute from $(sql "SELECT began FROM olga.dawn") on"

periods() { sql "SELECT count(*) FROM dpmix.schedule_runs WHERE name = '$1' AND state IN ('stored', 'spent')"; }
came() { [ "$(periods nightly)" -ge "$1" ]; }
wait_until $((60 * crash + 120)) came "$crash" || echo "not ok - night $((crash - 1)) never came"
nap 30
both() { is_charged nightly "$crash" && is_charged weekly $((crash / 7)); }
wait_until 150 both || echo "not ok - nothing was under way"
echo "down in night $crash: $(sql "SELECT string_agg(name || ' ' || state, ', ' ORDER BY name) FROM dpmix.schedule_runs WHERE state = 'running'")"
cluster_restart immediate
nap 0
wait_until $((60 * (nights - crash) + 180)) came "$nights" || echo "not ok - the last night never came"
PGUSER=olga sql "SELECT cron.unschedule(jobid) FROM cron.job" >/dev/null
sleep 5
sql "SELECT r.name, r.period, r.due AT TIME ZONE 'UTC', r.state, r.attempt, r.charge_ids, r.message FROM dpmix.schedule_runs r ORDER BY r.name, r.period"
for name in nightly weekly; do
  check "$name: each period was charged exactly once, and what was stored is there once" "" "$(faults_of $name)"
  check "$name: one charge for each period" "$(sql "SELECT count(DISTINCT period) FROM dpmix.schedule_runs WHERE name = '$name'")" \
    "$(sql "SELECT count(*) FROM dpmix.charge g WHERE g.parameters -> 'schedule_run' IN (SELECT to_jsonb(id) FROM dpmix.schedule_runs WHERE name = '$name')")"
done
check "the night in which the server went down is spent, the others are stored" "$((nights - 1)) stored, 1 spent" \
  "$(sql "SELECT count(*) FILTER (WHERE state = 'stored') || ' stored, ' || count(*) FILTER (WHERE state = 'spent') || ' spent' FROM dpmix.schedule_runs WHERE name = 'nightly' AND period < $nights")"
check "nothing else was charged" "$(sql "SELECT count(*) FROM dpmix.charge")" "$(sql "SELECT sum(cardinality(charge_ids)) FROM dpmix.schedule_runs")"
sql "SELECT 'cron: ' || status || ' ' || count(*) || ' ' || coalesce(left(min(return_message), 100), '') FROM cron.job_run_details GROUP BY status, left(return_message, 20) ORDER BY 1"
