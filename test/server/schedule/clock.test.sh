#!/usr/bin/env bash
# dpmix's own clock: what is due runs without a caller, once, and what hangs or fails of one role stands in nobody
# else's way.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/schedule/lib.sh
ledger_cluster "shared_preload_libraries = 'dpmix'" "dpmix.run_due = 'postgres, not_there, "Other"'" \
  "dpmix.run_due_every = 1s" "client_min_messages = warning"
schedule_tables
sql 'CREATE DATABASE "Other"' >/dev/null
sql "CREATE ROLE nina; CREATE SCHEMA nina AUTHORIZATION nina" >/dev/null
PGUSER=olga sql "SELECT dpmix.grant_access('visits', 'nina'); GRANT USAGE ON SCHEMA olga TO nina" >/dev/null
count="SELECT dpmix.query(''SELECT dp_count(*) AS n FROM olga.visits'', 0.5)"
# role name seconds [period]: due so many seconds from now
soon() { sql "SET ROLE $1; SELECT first_due FROM dpmix.create_schedule('$2', '$count', '${4:-1 day}', now() + $3 * interval '1 second', '$1.$2')" >/dev/null; }
state() { sql "SELECT coalesce((SELECT r.state || ' ' || r.attempt || ' ' || cardinality(r.charge_ids) FROM dpmix.schedule_runs r WHERE name = '$1' ORDER BY id DESC LIMIT 1), 'none')"; }
reached() { [ "$(state "$1")" = "$2" ]; }
runners() { sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpmix schedules' AND datname = '${1:-postgres}'"; }

# nina's first hangs in a trigger; her second waits behind it, and olga's do not.
soon nina hanging 600
sql "CREATE FUNCTION nina.hang() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NULL; END';
     CREATE TRIGGER hang AFTER INSERT ON nina.hanging FOR EACH STATEMENT EXECUTE FUNCTION nina.hang()" >/dev/null
sql "UPDATE dpmix.schedule SET start = now() - interval '1 minute' WHERE name = 'hanging'" >/dev/null
wait_until 20 reached hanging "running 1 0" || echo "not ok - the clock did not come: $(tail -n 3 "$CLUSTER/log")"
soon nina behind 0.2
soon olga counted 0.2
soon olga unwelcome 600
PGUSER=olga sql "CREATE TRIGGER sleepy AFTER INSERT ON unwelcome FOR EACH STATEMENT EXECUTE FUNCTION sleep_or_fail()" >/dev/null
nap 0 true
soon olga barred 600
PGUSER=olga sql "CREATE RULE bar AS ON INSERT TO barred DO ALSO NOTHING" >/dev/null
soon olga paused 0.2
PGUSER=olga sql "SELECT dpmix.set_schedule_active('paused', false)" >/dev/null
sql "UPDATE dpmix.schedule SET start = now() WHERE name IN ('unwelcome', 'barred')" >/dev/null
for name in counted:stored unwelcome:spent barred:failed; do
  ended=${name#*:}
  wait_until 20 reached "${name%:*}" "$ended 1 $([ "$ended" = failed ] && echo 0 || echo 1)" || true
done
check "what is due runs without a caller, for one charge" "stored 1 1, 1 row" "$(state counted), $(sql "SELECT count(*) FROM olga.counted") row"
check "as its owner, whose rows they are" "olga" "$(sql "SELECT g.role FROM dpmix.charge g, dpmix.schedule_runs r WHERE g.id = ANY (r.charge_ids) AND r.name = 'counted'")"
check "what was charged and not stored is spent" "spent 1 1" "$(state unwelcome)"
check "what failed before its charge was free" "failed 1 0" "$(state barred)"
check "a paused one does not run" "none" "$(state paused)"
before=$(sql "SELECT count(*) FROM dpmix.schedule_run")
sleep 3  # three times more of the clock
check "nothing of that is tried again at once" "$before" "$(sql "SELECT count(*) FROM dpmix.schedule_run")"
sql "UPDATE dpmix.schedule_run SET finished = finished - interval '11 minutes' WHERE state IN ('failed', 'spent', 'stored')" >/dev/null
PGUSER=olga sql "DROP RULE bar ON barred" >/dev/null
wait_until 20 reached barred "stored 2 1" || true
check "what failed before its charge is, ten minutes later" "stored 2 1" "$(state barred)"
check "and nothing else" "spent 1 1, stored 1 1" "$(state unwelcome), $(state counted)"
check "what hangs stops schedules of its own role alone" "running 1 0, none, 1 runner" "$(state hanging), $(state behind), $(runners) runner"
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dpmix schedules'" >/dev/null
wait_until 20 reached behind "stored 1 1" || true
check "once it is ended, it was paid and the next one runs" "spent 1 1, stored 1 1" "$(state hanging), $(state behind)"
check "a role that cannot log in has a clock, too" "nina" "$(sql "SELECT g.role FROM dpmix.charge g, dpmix.schedule_runs r WHERE g.id = ANY (r.charge_ids) AND r.name = 'behind'")"
check "no process stays in a database" "DROP DATABASE" "$(sql "DROP DATABASE \"Other\"" && echo "DROP DATABASE")"
check_match "a database that is not there is named in the log" 'FATAL:  database "not_there" does not exist' "$(cat "$CLUSTER/log")"
check_match "a list that cannot be read is refused" 'invalid value for parameter "dpmix.run_due"' "$(sql "ALTER SYSTEM SET dpmix.run_due = 'a,,b'" 2>&1 || true)"
