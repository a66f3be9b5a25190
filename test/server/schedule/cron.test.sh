#!/usr/bin/env bash
# Schedules called by pg_cron itself, as a role that is no superuser, one night a minute: what ran, what it
# charged, and what pg_cron says of a run that failed. month.sh is the long form, by hand.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/schedule/lib.sh
if ! cron_installed; then
  echo "ok - skipped: pg_cron is not installed for this server"
  exit 0
fi
cron_cluster
nightly nightly 1
nightly broken 1
PGUSER=olga sql "CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN RAISE 'unwelcome'; END \$\$;
  CREATE TRIGGER break AFTER INSERT ON broken FOR EACH STATEMENT EXECUTE FUNCTION break()" >/dev/null
cron_job nightly
cron_job broken

details() { PGUSER=olga sql "SELECT string_agg(d.status || ' ' || d.username || ' ' || (d.return_message ~ '$2'), ', ') FROM (SELECT * FROM cron.job_run_details d WHERE command ~ '$1' AND start_time >= (SELECT began FROM dawn) ORDER BY runid LIMIT 1) d"; }
ended() { [[ $(details "$1" "") =~ ^(succeeded|failed) ]]; }
all_ended() { ended nightly && ended broken; }
wait_until 130 all_ended || echo "not ok - pg_cron never came: $(tail -n 5 "$CLUSTER/log")"
PGUSER=olga sql "SELECT cron.unschedule(jobid) FROM cron.job" >/dev/null
# The minute in which pg_cron comes first decides which night that is.
first() { sql "SELECT min(period) FROM dpmix.schedule_runs WHERE name = '$1' AND attempt > 0"; }
night=$(first nightly)
check "pg_cron ran what was due" "stored 1 1, 1 in the ledger, 2 rows" "$(became nightly "$night"), $(charges_of nightly "$night") in the ledger, $(stored nightly "$night") rows"
check "as the role that asked for it" "olga olga" "$(sql "SELECT r.role || ' ' || g.role FROM dpmix.schedule_runs r, dpmix.charge g WHERE g.id = ANY (r.charge_ids) AND r.name = 'nightly' LIMIT 1")"
check "and says so" "succeeded olga true" "$(details nightly CALL)"
check "a run that failed after its charge is spent" "spent 1 1" "$(became broken "$(first broken)")"
check "pg_cron shows what it raised" "failed olga true" "$(details broken unwelcome)"
