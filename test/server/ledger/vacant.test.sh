#!/usr/bin/env bash
# Vacant names: what memory, schedules, dumps, other sessions and superusers make of them, until a table takes the name.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
sql "CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN; GRANT ALL ON SCHEMA public TO olga, ana; GRANT CREATE ON DATABASE postgres TO olga;
  ALTER ROLE ana SET session_preload_libraries = 'dpmix'" >/dev/null
as() { PGUSER=$1 sql "$2" "${3:-postgres}" || true; }
quiet() { as "$1" "SET client_min_messages = error; $2" "${3:-postgres}" >/dev/null; }
rows_of() { echo "SELECT i AS id, i % 100 AS unit, 'a'::text AS kind FROM generate_series(1, $1) i"; }
swap() { quiet olga "BEGIN; CREATE TABLE event__tmp AS $(rows_of "$1"); ALTER TABLE event RENAME TO event__backup; ALTER TABLE event__tmp RENAME TO event; COMMIT; DROP TABLE event__backup CASCADE"; }
facade() { as ana "SET client_min_messages = error; SELECT count(*) FROM private.event" "${1:-postgres}"; }
charges() { sql "SELECT count(*) FROM dpmix.charge" "${1:-postgres}"; }
waits() { sql "SELECT waiting, active FROM dpmix.protected_table WHERE table_name = 'event'" "${1:-postgres}"; }
quiet olga "CREATE TABLE event AS $(rows_of 1000); SELECT dpmix.protect('event', 1e6, 0, accountant => 'basic'); SELECT dpmix.set_memory('event', keep => '1 day');
  SELECT dpmix.set_categories('event', 'kind', '{a,b}'); SELECT dpmix.grant_access('event', 'ana', NULL, 0, NULL); SELECT dpmix.expose('event', default_epsilon => 1000)"

# Memory: what was paid about a table answers nothing about the next one, nor about itself once it is back.
check "an answer" 1000 "$(facade)"; check "from memory" 1000 "$(facade)"; check "which is free" 1 "$(charges)"
swap 2000
check "after a swap it is the new table's" 2000 "$(facade)"; check "and paid for" 2 "$(charges)"
quiet olga "ALTER TABLE event RENAME TO away; ALTER TABLE away RENAME TO event"
check "a table that was away and is back" 2000 "$(facade)"; check "begins a new edition too" 3 "$(charges)"

# Schedules run again once a table is there.
quiet olga "SELECT dpmix.create_schedule('nightly', \$\$ SELECT dpmix.query('SELECT dp_count(*) AS n FROM public.event', 1000) \$\$, '1 day', '2040-01-01', result_table => 'nightly')"
runs() { as olga "CALL dpmix.run_schedule('nightly', at => '$1', retry => true)" >/dev/null; as olga "SELECT state, sqlstate FROM dpmix.schedule_runs WHERE name = 'nightly' AND attempt > 0 ORDER BY id DESC LIMIT 1"; }
check "a schedule" "stored|" "$(runs 2040-01-02)"
quiet olga "ALTER TABLE event RENAME TO away; CREATE TABLE event (x int)"
check "fails while its table's name is vacant" "failed|PV006" "$(runs 2040-01-04)"
quiet olga "DROP TABLE event; CREATE TABLE event AS $(rows_of 3000)"
check "and goes on with the next table" "stored|" "$(runs 2040-01-04)"

# Another session has the record: the load does not wait for long, and does not fail.
quiet olga "DROP TABLE event, away"
PGUSER=olga psql -X -q -d postgres -c "BEGIN" -c "SELECT dpmix.hand_over('public.event', 'olga')" -c "SELECT pg_sleep(8)" -c "ROLLBACK" >/dev/null 2>&1 & holder=$!
wait_until 20 sh -c "[ \$(psql -X -q -A -t -d postgres -c \"SELECT count(*) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'\") = 1 ]"
check_match "a load beside a session that holds the record is warned" "canceling statement due to lock timeout" "$(as olga "CREATE TABLE event AS $(rows_of 4000)")"
check "its table is there, and nothing is answered" "4000|t|f" "$(as olga "SELECT count(*) FROM event")|$(waits)"
check_match "not to analysts" PV006 "$(facade)"
wait $holder
quiet olga "SELECT dpmix.replace_table('event', 'event')"
check "by hand it is attached" 4000 "$(facade)"

# A swap while an analyst's transaction has the table waits for it, as any ALTER TABLE does, and both are answered.
{ echo "SET client_min_messages = error; BEGIN; SELECT count(*) FROM private.event; SELECT pg_sleep(3); SELECT count(*), sum(0) FROM private.event; COMMIT; SELECT count(*) FROM private.event;"; } |
  PGUSER=ana psql -X -q -A -t -d postgres >"$CLUSTER/asked" 2>&1 & asker=$!
wait_until 20 sh -c "grep -q . '$CLUSTER/asked'"
swap 5000; wait $asker
check "answers within the transaction are of one table, later ones of the next" "4000 5000" "$(grep -E '^[0-9]+$' "$CLUSTER/asked" | tr '\n' ' ' | sed 's/ $//')"

# Event triggers see it under session_replication_role = replica; where they are switched off, nothing is answered.
sql "SET session_replication_role = replica; SET ROLE olga; SET client_min_messages = error; ALTER TABLE event RENAME TO away; CREATE TABLE event AS $(rows_of 6000); DROP TABLE away" >/dev/null
check "a swap under session_replication_role = replica" 6000 "$(facade)"
for trigger in dpmix_follow_ddl dpmix_follow_drop; do
  sql "ALTER EVENT TRIGGER $trigger DISABLE" >/dev/null
  quiet olga "DROP TABLE event; CREATE TABLE event AS $(rows_of 7000)"
  sql "ALTER EVENT TRIGGER $trigger ENABLE ALWAYS" >/dev/null
  check_match "a swap that $trigger did not see: nothing is answered" "PV00[46]" "$(facade)"
  check_match "nor by name" "PV00[46]" "$(as ana "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM event', 1) AS t(n bigint)")"
  [ $trigger = dpmix_follow_ddl ] && quiet olga "SELECT dpmix.replace_table('event', 'event')" || sql "SELECT dpmix.adopt_ledger('triggers were off')" >/dev/null 2>&1
  check "found again" 7000 "$(facade)"
done

# Dumps have vacant names. A table takes one there, or had it already.
restored() {  # database: restored, not adopted
  "$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres; sql "CREATE DATABASE $1" >/dev/null
  sql "CREATE TABLE shift_oids AS SELECT 1" "$1" >/dev/null; "$BIN/pg_restore" -d "$1" "$CLUSTER/dump" 2>&1 | grep -v "^$" || true
}
before=$(charges)
quiet olga "ALTER TABLE event RENAME TO away"
check "a dump with a vacant name is restored" "" "$(restored empty)"
check "where it is vacant" "t|f" "$(waits empty)"
sql "SELECT dpmix.adopt_ledger('restored')" empty >/dev/null 2>&1
check "also once it is adopted" "t|f" "$(waits empty)"
quiet olga "CREATE TABLE event AS $(rows_of 100)" empty
check "the owner's table takes it" "f|t" "$(waits empty)"
check "with its charges and grants" "100|$((before + 1))" "$(facade empty)|$(charges empty)"
quiet olga "CREATE TABLE event (x int)"
check "a dump with a table that does not suit" "" "$(restored unlike)"
sql "SELECT dpmix.adopt_ledger('restored')" unlike >/dev/null 2>&1
check "leaves the name vacant" "t|f" "$(waits unlike)"
quiet olga "DROP TABLE event; ALTER TABLE away RENAME TO event"
check "a dump of a table that has its record" "" "$(restored whole)"
sql "SELECT dpmix.adopt_ledger('restored')" whole >/dev/null 2>&1
quiet olga "CREATE TABLE event__tmp AS $(rows_of 200); ALTER TABLE event RENAME TO away; ALTER TABLE event__tmp RENAME TO event" whole
check "is swapped there as here" "200|f|t" "$(facade whole)|$(waits whole)"
sql "DROP TABLE event CASCADE" whole >/dev/null 2>&1
"$BIN/pg_dump" -Fc -f "$CLUSTER/dump" whole; sql "CREATE DATABASE again" >/dev/null; "$BIN/pg_restore" -d again "$CLUSTER/dump" >/dev/null 2>&1 || true
quiet olga "CREATE TABLE event AS $(rows_of 300)" again
check_match "in a copy that nobody adopted nothing is answered, whatever takes the name" PV004 "$(facade again)"
