#!/usr/bin/env bash
# Schedules against hostile owners, tables and callers: types that a bare name cuts short, errors that quote what was
# released, triggers that defer, names that are taken over, cancels at any moment.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/schedule/lib.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s" "client_min_messages = warning"
schedule_tables
as_ana() { PGUSER=ana sql "$1"; }

# character and bit without a length are of length 1, which no released value of theirs fits.
PGUSER=olga session >/dev/null <<'SQL'
CREATE TABLE codes (age int, code char(5), bits bit(4));
INSERT INTO codes SELECT i % 90, (ARRAY['aaaaa', 'bbbbb'])[1 + i % 2], B'1010' FROM generate_series(1, 500) i;
SELECT dpmix.protect('codes', 1e6, 0.1, accountant => 'basic');
SELECT dpmix.set_bounds('codes', 'age', 0, 100), dpmix.set_categories('codes', 'code', '{aaaaa,bbbbb}');
SELECT first_due FROM dpmix.create_schedule('coded', $$SELECT * FROM dpmix.cda(NULL::codes, '{age}', 20, 1, 1e-6, 'code')$$, '1 day', '2040-01-01 02:00', 'coded');
SELECT first_due FROM dpmix.create_schedule('keyed', $$SELECT dpmix.query('SELECT code, dp_count(*) AS n FROM codes GROUP BY code', 1)$$, '1 day', '2040-01-01 02:00', 'keyed');
SQL
check "result tables are of the types, of any length" 'bpchar bpchar "bit"' \
  "$(sql "SELECT string_agg(format_type(atttypid, atttypmod), ' ' ORDER BY attrelid::regclass::text DESC, attnum) FROM pg_attribute WHERE attrelid IN ('olga.keyed'::regclass, 'olga.coded'::regclass) AND atttypid IN ('bpchar'::regtype, 'bit'::regtype)")"
check "synthetic rows of such columns are stored" "stored 1 1, 5 characters" "$(run coded 0; became coded 0), $(sql "SELECT min(length(code)) FROM olga.coded") characters"
check "keys, too" "stored 1 1, 5 characters" "$(run keyed 0; became keyed 0), $(sql "SELECT min(length(code)) FROM olga.keyed") characters"

# A name that no release could have is refused when the schedule is made.
check_match "a name of many bytes is refused" 'PV005.*invalid name' \
  "$(PGUSER=olga sql "SELECT dpmix.create_schedule(repeat(U&'\\+01F600', 100), 'SELECT dpmix.release_gmm(''m'', ''visits'', ''{age}'', 1, 1e-6)', '1 day')")"
check "of fewer it is not" "stored 1 1" "$(PGUSER=olga sql "SELECT first_due IS NULL FROM dpmix.create_schedule(repeat(U&'\\+01F600', 50), 'SELECT dpmix.release_gmm(''m'', ''visits'', ''{age}'', 1, 1e-6)', '1 day', '2040-01-01 02:00')" >/dev/null
  run "$(printf '😀%.0s' {1..50})" 0; became "$(printf '😀%.0s' {1..50})" 0)"

# An error that quotes what was released is for the analyst alone, not for owners of the tables.
sql "CREATE ROLE ana LOGIN; CREATE SCHEMA ana AUTHORIZATION ana; GRANT USAGE ON SCHEMA olga TO ana" >/dev/null
PGUSER=olga sql "SELECT dpmix.grant_access('visits', 'ana')" >/dev/null
as_ana "SELECT first_due FROM dpmix.create_schedule('anas', 'SELECT dpmix.query(''SELECT dp_count(*) AS n FROM olga.visits'', 1)', '1 day', '2040-01-01 02:00', 'anas')" >/dev/null
as_ana "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN RAISE 'released %', NEW.n USING DETAIL = NEW.n, HINT = NEW.n; END \$\$; CREATE TRIGGER tell BEFORE INSERT ON anas FOR EACH ROW EXECUTE FUNCTION tell()" >/dev/null
check_match "a trigger may quote what is released" "released [0-9]" "$(CALLER=postgres run anas 0)"
errors_of() { PGUSER=$1 sql "SELECT r.state || ' ' || r.sqlstate || ' ' || count(r.message) || count(r.detail) || count(r.hint) || count(s.last_error) FROM dpmix.schedule_runs r JOIN dpmix.schedules s USING (name) WHERE name = 'anas' GROUP BY r.state, r.sqlstate"; }
check "its owner reads that" "spent P0001 1111" "$(errors_of ana)"
check "superusers do" "spent P0001 1111" "$(errors_of postgres)"
check "the owner of the protected table sees that it was spent, no more" "spent P0001 0000" "$(errors_of olga)"

# Others may name releases as those of a schedule will be named: each role names its own apart.
PGUSER=olga sql "SELECT first_due FROM dpmix.create_schedule('model', 'SELECT dpmix.release_gmm(''model'', ''olga.visits'', ''{age}'', 1, 1e-6)', '1 day', '2040-01-01 02:00')" >/dev/null
check "a release is named like a schedule's" "" "$(as_ana "SELECT FROM dpmix.release_gmm('model 2040-01-01 02:00:00+00', 'olga.visits', '{age}', 1e-3, 1e-9)")"
check "the schedule has its own" "stored 1 1" "$(run model 0; became model 0)"

# What a run means is up to the schedule alone.
PGUSER=olga sql "CREATE TABLE settings (name text, setting text);
  CREATE FUNCTION note_settings() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN INSERT INTO olga.settings SELECT s.name, s.setting FROM pg_settings s; RETURN NULL; END \$\$" >/dev/null
nightly told 1
PGUSER=olga sql "CREATE TRIGGER note AFTER INSERT ON told FOR EACH STATEMENT EXECUTE FUNCTION note_settings()" >/dev/null
other="-c IntervalStyle=iso_8601 -c standard_conforming_strings=off -c transform_null_equals=on -c extra_float_digits=-3 -c bytea_output=escape -c array_nulls=off -c timezone_abbreviations=Australia"
check "a caller with other settings" "" "$(CALLER=postgres PGOPTIONS="$other -c session_replication_role=replica" run told 0)"
check "does not change those of the run" "on array_nulls|hex bytea_output|1 extra_float_digits|postgres IntervalStyle|origin session_replication_role|on standard_conforming_strings|Default timezone_abbreviations|off transform_null_equals" \
  "$(sql "SELECT string_agg(setting || ' ' || name, '|' ORDER BY lower(name)) FROM olga.settings WHERE name IN ('array_nulls', 'bytea_output', 'extra_float_digits', 'IntervalStyle', 'session_replication_role', 'standard_conforming_strings', 'timezone_abbreviations', 'transform_null_equals')")"
check "nor keep them" "iso_8601" "$(PGUSER=postgres PGOPTIONS="$other" session <<'SQL' | tail -n 1
CALL dpmix.run_schedule('told', at => '2040-01-02 03:00');
SHOW IntervalStyle;
SQL
)"

# A name that means another table by now: its owner sees what charged it, the one of before still does.
PGUSER=ana session >/dev/null <<'SQL'
CREATE TABLE ana.visits (age int, ward text);
SELECT dpmix.protect('ana.visits', 1e6, 0.1, accountant => 'basic');
SELECT dpmix.set_categories('ana.visits', 'ward', '{a,b}'), dpmix.grant_access('ana.visits', 'olga');
GRANT USAGE ON SCHEMA ana TO olga;
SQL
nightly moved 1
sees() { PGUSER=$1 sql "SELECT count(*) FROM dpmix.schedules WHERE name = 'moved'"; }
check "an owner of a table sees the schedules about it" "1 0" "$(sees olga) $(sees ana)"
sql "UPDATE dpmix.schedule SET search_path = 'ana, olga' WHERE name = 'moved'" >/dev/null
check "of one that is charged under another name's meaning" "stored 1 1, 1 1" "$(run moved 0; became moved 0), $(sees olga) $(sees ana)"
nap 0 true
sql "UPDATE dpmix.schedule SET table_ids = '{}' WHERE name = 'moved'" >/dev/null
check "of one that is charged and not stored, too" "spent 1 1, 1" "$(CALLER=postgres run moved 1 >/dev/null; became moved 1), $(sees ana)"
nap 0
sql "DELETE FROM dpmix.schedule WHERE name = 'moved'" >/dev/null

# Triggers that defer what the caller would have to run at the commit.
nightly late 1
PGUSER=olga sql "CREATE FUNCTION defer() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN SET CONSTRAINTS ALL DEFERRED; RETURN NEW; END \$\$;
  CREATE FUNCTION rise() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN CREATE ROLE risen SUPERUSER; RETURN NULL; END \$\$;
  CREATE TRIGGER defer BEFORE INSERT ON late FOR EACH ROW EXECUTE FUNCTION defer();
  CREATE CONSTRAINT TRIGGER rise AFTER INSERT ON late DEFERRABLE FOR EACH ROW EXECUTE FUNCTION rise()" >/dev/null
check_match "what a trigger defers does not run as the caller" 42501 "$(CALLER=postgres run late 0)"
check "nor ever" "spent 1 1, 0 rows, 0 roles" "$(became late 0), $(stored late 0) rows, $(sql "SELECT count(*) FROM pg_roles WHERE rolname = 'risen'") roles"

# Who waits to drop a schedule whose name is taken over waits for the run of the new one.
waits() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'object' AND NOT granted")" = "$1" ]; }
nightly swap 1
nap 60
run swap 0 >/dev/null & first=$!
wait_until 30 is_charged swap 0 || echo "not ok - the first was never charged"
PGUSER=olga sql "SELECT dpmix.drop_schedule('swap')" >"$CLUSTER/drop" & dropper=$!
wait_until 10 waits 1 || echo "not ok - nobody waits to drop"
sql "UPDATE dpmix.schedule SET name = 'was' WHERE name = 'swap'" >/dev/null
nightly swap 1 swap_again
run swap 0 >"$CLUSTER/second" 2>&1 & second=$!
wait_until 30 is_charged swap 0 || echo "not ok - the second was never charged"
wake swap
wait $first || true
wait_until 10 waits 1 || echo "not ok - nobody waits to drop the second"
nap 0
wait $second $dropper || true
check "the run under way is stored, then dropped" ", 2 rows, 0 schedules" \
  "$(cat "$CLUSTER/second" "$CLUSTER/drop"), $(stored swap_again 0) rows, $(sql "SELECT count(*) FROM dpmix.schedule WHERE name = 'swap'") schedules"

# A time zone that this server does not know takes one schedule's outlook, not the view.
sql "UPDATE dpmix.schedule SET time_zone = 'Mars/Olympus' WHERE name = 'late'" >/dev/null
check "a time zone that is unknown leaves the others" "0 of late, 1 of keyed" \
  "$(PGUSER=olga sql "SELECT count(next_due) FROM dpmix.schedules WHERE name = 'late'") of late, $(PGUSER=olga sql "SELECT count(periods_left) FROM dpmix.schedules WHERE name = 'keyed'") of keyed"
check_match "and is refused before a charge" 22023 "$(run late 1)"
sql "DELETE FROM dpmix.schedule WHERE name IN ('late', 'was')" >/dev/null

# In loops over the view, and in sessions with other levels of isolation.
nightly loop 1
check "each in a loop" "" "$(PGUSER=olga sql "DO \$\$ DECLARE r record; BEGIN FOR r IN SELECT name FROM dpmix.schedules WHERE name IN ('keyed', 'loop') ORDER BY name LOOP
  CALL dpmix.run_schedule(r.name, '2040-01-04 03:00'); END LOOP; END \$\$")"
check "is stored" "stored 1 1, stored 1 1" "$(became keyed 3), $(became loop 3)"
nap 60
PGAPPNAME=victim run loop 4 >/dev/null 2>&1 & client=$!
wait_until 30 is_charged loop 4 || echo "not ok - night 4 was never charged"
for level in 'repeatable\ read' serializable; do
  PGOPTIONS="-c default_transaction_isolation=$level" run loop 4 >>"$CLUSTER/waiters" 2>&1 &
done
wait_until 10 waits 2 || echo "not ok - they do not wait"
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
wait
check "who began to wait before the end of a run that was charged finds it spent" "2 refusals, 1 charge" "$(grep -c 55000 "$CLUSTER/waiters") refusals, $(charges_of loop 4) charge"

# Timeouts at any moment, three callers at once.
nap 0.01
caller() { for i in $(seq 1 40); do PGOPTIONS="-c statement_timeout=$((RANDOM % 90 + 5))ms" run loop $((5 + i / 4)); done >/dev/null 2>&1; }
caller & caller & caller & wait
nap 0
run loop 20 >/dev/null
check "whenever a call is cancelled, a period is charged at most once" "" "$(faults_of loop)"
