#!/usr/bin/env bash
# dpmix.run_schedule: at most one charge a period unless a retry is asked for, with the rights of the
# schedule's owner, whoever calls and whatever stands in the way.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/schedule/lib.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s" "client_min_messages = warning"
schedule_tables
nightly nightly 1
weekly weekly

check "what is due is stored, once" "" "$(run nightly 0; run nightly 0; run nightly 0 true)"
check "for one charge" "stored 1 1, 1 in the ledger, 2 rows" "$(became nightly 0), $(charges_of nightly 0) in the ledger, $(stored nightly 0) rows"
check "synthetic rows too" "stored 1 1, 20 rows" "$(run weekly 0; run weekly 0; became weekly 0), $(stored weekly 0) rows"

# An error after the charge: spent, and only a retry pays again.
nap 0 true
check_match "an error after the charge reaches the caller" unwelcome "$(run nightly 1)"
check "the period is spent" "spent 1 1, 0 rows" "$(became nightly 1), $(stored nightly 1) rows"
nap 0
check_match "further calls say so" "55000: the latest period of schedule \"nightly\" is spent" "$(run nightly 1)"
check "and charge nothing" "spent 1 1" "$(became nightly 1)"
check "a retry does" "stored 2 1, 2 in the ledger, 2 rows" "$(run nightly 1 true; became nightly 1), $(charges_of nightly 1) in the ledger, $(stored nightly 1) rows"
check "once" "stored 2 1" "$(run nightly 1 true; became nightly 1)"
check "the error is on record" "P0001 unwelcome" "$(sql "SELECT sqlstate || ' ' || message FROM dpmix.schedule_runs WHERE name = 'nightly' AND period = 1 AND attempt = 1")"

# What fails before the charge is free, and tried again.
mkfifo "$CLUSTER/holder"
psql -X -q <"$CLUSTER/holder" >/dev/null & holder=$!
exec 9>"$CLUSTER/holder"
echo "BEGIN; LOCK TABLE dpmix.charge IN EXCLUSIVE MODE;" >&9
held() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = 'dpmix.charge'::regclass AND mode = 'ExclusiveLock' AND granted")" = 1 ]; }
wait_until 10 held
check_match "without the ledger nothing is released" PV004 "$(run nightly 2)"
exec 9>&-; wait $holder || true
check_match "which is free" '^(failed|running) 1 0$' "$(became nightly 2)"
check "and tried again" "stored 2 1, 2 rows" "$(run nightly 2; became nightly 2), $(stored nightly 2) rows"
check "the first attempt is on record as not charged" "failed 0" "$(sql "SELECT state || ' ' || cardinality(charge_ids) FROM dpmix.schedule_runs WHERE name = 'nightly' AND period = 2 AND attempt = 1")"

# Sessions that end in between, in every way that leaves the server running.
cut_off() {  # night function
  nap 60
  PGAPPNAME=victim run nightly "$1" >"$CLUSTER/answer" 2>&1 & client=$!
  wait_until 30 is_charged nightly "$1" || echo "not ok - night $1 was never charged"
  sql "SELECT $2(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
  wait $client || true
  nap 0
}
cut_off 3 pg_terminate_backend
check "a terminated session left its attempt open" "running 1 0" "$(became nightly 3)"
check_match "the next call finds it spent" 55000 "$(run nightly 3)"
check "for the charge it made" "spent 1 1, 1 in the ledger, 0 rows" "$(became nightly 3), $(charges_of nightly 3) in the ledger, $(stored nightly 3) rows"
cut_off 4 pg_cancel_backend
check_match "a cancel reaches the caller" 57014 "$(cat "$CLUSTER/answer")"
check "and is on record" "spent 1 1" "$(became nightly 4)"

# Four at once.
nap 1
for _ in 1 2 3 4; do run nightly 5 >>"$CLUSTER/four" 2>&1 & done; wait
nap 0
check "four callers: one runs, the others wait and find it stored" "stored 1 1, 1 in the ledger, 2 rows, no error" \
  "$(became nightly 5), $(charges_of nightly 5) in the ledger, $(stored nightly 5) rows, $(cat "$CLUSTER/four")no error"

# Not with the caller's rights, and not under the caller's settings.
PGUSER=olga session >/dev/null <<'SQL'
CREATE TABLE who (name text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO olga.who VALUES (current_user);
    BEGIN SET ROLE postgres; EXCEPTION WHEN OTHERS THEN INSERT INTO olga.who VALUES (SQLSTATE); END;
    BEGIN CREATE ROLE risen SUPERUSER; EXCEPTION WHEN OTHERS THEN INSERT INTO olga.who VALUES (SQLSTATE); END;
    BEGIN CREATE TEMP TABLE left_behind (x int); EXCEPTION WHEN OTHERS THEN INSERT INTO olga.who VALUES (SQLSTATE); END;
    PERFORM pg_advisory_unlock_all();
    RETURN NULL;
END $$;
CREATE TRIGGER note AFTER INSERT ON nightly FOR EACH STATEMENT EXECUTE FUNCTION note();
SQL
check "a superuser calls" "" "$(CALLER=postgres PGOPTIONS="-c search_path=pg_catalog -c TimeZone=Asia/Tokyo -c DateStyle=German -c default_transaction_isolation=serializable" run nightly 6)"
check "and nothing has more rights than the owner" "olga 42501 42501 42501" "$(sql "SELECT string_agg(name, ' ') FROM olga.who")"
check "who called is on record, who pays is the owner" "stored postgres olga" "$(sql "SELECT r.state || ' ' || r.role || ' ' || g.role FROM dpmix.schedule_runs r, dpmix.charge g WHERE g.id = ANY (r.charge_ids) AND r.name = 'nightly' AND r.period = 6")"
check_match "a read-only caller is refused before a charge" 25006 "$(PGOPTIONS="-c default_transaction_read_only=on" run nightly 7)"
PGUSER=olga sql "DROP TRIGGER note ON nightly; CREATE CONSTRAINT TRIGGER note AFTER INSERT ON nightly DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()" >/dev/null
check_match "deferred triggers, which would fire as the caller, are refused before the charge" "55000.*deferred" "$(run nightly 7 | tr '\n' ' ')"
PGUSER=olga sql "DROP TRIGGER note ON nightly" >/dev/null
check "free" "failed 1 0" "$(became nightly 7)"
PGUSER=olga sql "CREATE FUNCTION recurse() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN CALL dpmix.run_schedule('nightly'); RETURN NULL; END \$\$;
  CREATE TRIGGER recurse AFTER INSERT ON nightly FOR EACH STATEMENT EXECUTE FUNCTION recurse()" >/dev/null
check_match "a trigger cannot run it" 25001 "$(run nightly 7)"
PGUSER=olga sql "DROP TRIGGER recurse ON nightly" >/dev/null
PGUSER=olga sql "CREATE FUNCTION disown() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN PERFORM dpmix.drop_schedule('nightly'); RETURN NULL; END \$\$;
  CREATE TRIGGER disown AFTER INSERT ON nightly FOR EACH STATEMENT EXECUTE FUNCTION disown()" >/dev/null
check_match "nor drop the record of what it was charged for" "record of this attempt is gone" "$(run nightly 8)"
PGUSER=olga sql "DROP TRIGGER disown ON nightly" >/dev/null
check_match "which is spent" 55000 "$(run nightly 8)"
check "once" "spent 1 1" "$(became nightly 8)"
check "after all these no period is amiss" "" "$(faults_of nightly | grep -vE '^[17]: stored, 2 charges|^1: ')"

# A session's later charges are not those of a run.
check "what a session charges afterwards is its own" "f" "$(PGUSER=olga session <<'SQL' | tail -n 1
CALL dpmix.run_schedule('weekly', at => '2040-01-08 03:00');
SELECT n IS NULL FROM dpmix.query('SELECT dp_count(*) FROM visits', 1) AS t(n bigint);
SELECT parameters ? 'schedule_run' FROM dpmix.ledger ORDER BY id DESC LIMIT 1;
SQL
)"

# Joined tables pay once each.
PGUSER=olga session >/dev/null <<'SQL'
CREATE TABLE people (id int PRIMARY KEY, age int); CREATE TABLE stays (person int NOT NULL, days int);
INSERT INTO people SELECT i, i % 90 FROM generate_series(1, 100) i; INSERT INTO stays SELECT 1 + i % 100, i % 30 FROM generate_series(1, 300) i;
SELECT dpmix.protect('people', 1e6, 0, 'id', 1, accountant => 'basic'), dpmix.protect('stays', 1e6, 0, 'person', 3, accountant => 'basic');
SELECT first_due FROM dpmix.create_schedule('joined', $$SELECT dpmix.query('SELECT dp_count(*) AS n FROM people p JOIN stays s ON s.person = p.id', 1)$$, '1 day', '2040-01-01 02:00', 'joined');
SQL
check "each table of a join is charged once" "stored 1 2 public.people|olga.people olga.stays" \
  "$(run joined 0; run joined 0; became joined 0) public.people|$(sql "SELECT string_agg(g.relation, ' ' ORDER BY g.relation) FROM dpmix.charge g JOIN dpmix.schedule_runs r ON g.id = ANY (r.charge_ids) WHERE r.name = 'joined'")"

# Dumped and restored: frozen until adopted; then what was stored stays stored, and the next period runs.
nap 60
PGAPPNAME=victim run nightly 9 >/dev/null 2>&1 & client=$!
wait_until 30 is_charged nightly 9 || echo "not ok - night 9 was never charged"
"$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres
sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
wait $client || true
nap 0
sql "CREATE DATABASE copy" >/dev/null
"$BIN/pg_restore" -d copy "$CLUSTER/dump" 2>&1 | head -n 3
in_copy() { PGDATABASE=copy PGUSER=${CALLER:-olga} psql -X -q -A -t -v VERBOSITY=verbose -c "CALL dpmix.run_schedule('nightly', at => timestamptz '2040-01-01 03:00' + $1 * interval '1 day')" 2>&1 || true; }
state_in_copy() { sql "SELECT state || ' ' || cardinality(charge_ids) FROM dpmix.schedule_runs WHERE name = 'nightly' AND period = $1 ORDER BY attempt DESC LIMIT 1" copy; }
sql "UPDATE olga.nap SET seconds = 0" copy >/dev/null
check_match "a restored database, which knows no owners of its tables, takes a clock from superusers alone" PV006 "$(in_copy 10)"
check_match "it charges nothing" PV004 "$(CALLER=postgres in_copy 10)"
check "which is on record" "PV004" "$(sql "SELECT sqlstate FROM dpmix.schedule_runs WHERE name = 'nightly' AND period = 10" copy)"
check "a run that was under way in the dump is known by its charge" "spent 1" "$(state_in_copy 9)"
sql "SELECT dpmix.adopt_ledger('the test')" copy >/dev/null 2>&1
check "adopted, it goes on" "stored 1" "$(in_copy 10; state_in_copy 10)"
check "the history came along" t "$(sql "SELECT count(*) = 9 FROM dpmix.schedule_runs WHERE name = 'nightly' AND attempt = 1 AND period < 9" copy)"
