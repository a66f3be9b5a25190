#!/usr/bin/env bash
# A record belongs to a name and its owner: tables that loads swap, names that others take, roles re-created.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
basic="0, accountant => 'basic'"
sql "CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE mallory LOGIN; GRANT ALL ON SCHEMA public TO olga, mallory; GRANT CREATE ON DATABASE postgres TO olga, mallory;
  ALTER ROLE ana SET session_preload_libraries = 'dpmix'" >/dev/null
as() { PGUSER=$1 sql "$2" || true; }  # role statements
quiet() { as "$1" "SET client_min_messages = error; $2" >/dev/null; }
charge() { as "${3:-olga}" "SELECT charge_probe('$1', $2)"; }  # table epsilon [role]
spent() { check_match "$1" "spent are epsilon $3 " "$(charge "$2" 100)"; }  # name table epsilon
none() { check_match "$1" PV006 "$(charge "$2" .1 "${3:-olga}")"; }  # name table [role]
count_of() { as ana "SELECT round(count(*), -1) FROM private.$1"; }  # of the table's facade, which pays 1
make() {  # table rows [epsilon]
  quiet olga "CREATE TABLE $1 AS SELECT i AS id FROM generate_series(1, $2) i; SELECT dpmix.protect('$1', ${3:-10}, $basic);
    SELECT dpmix.grant_access('$1', 'ana', NULL, 0, NULL)"
}
swap() { quiet olga "BEGIN; CREATE TABLE $1__tmp AS SELECT i AS id FROM generate_series(1, $2) i; ALTER TABLE $1 RENAME TO $1__backup; ALTER TABLE $1__tmp RENAME TO $1; COMMIT"; }

# A load as dbt does it: the backup is dropped later, with CASCADE.
make event 100000; quiet olga "SELECT dpmix.expose('event', default_epsilon => 1); CREATE VIEW curated AS SELECT * FROM event"
check_match "a facade answers about its table" '^100000$' "$(count_of event)"
check_match "the load is told, without a warning" "NOTICE.*event__backup left its name and is protected no more" \
  "$(as olga "BEGIN; CREATE TABLE event__tmp AS SELECT i AS id FROM generate_series(1, 50000) i; ALTER TABLE event RENAME TO event__backup; ALTER TABLE event__tmp RENAME TO event; COMMIT" | tee "$CLUSTER/load")"
check "with none" 0 "$(grep -c WARNING "$CLUSTER/load" || true)"
none "the backup is protected no more" event__backup; none "to analysts" event__backup ana
check_match "the facade answers about the new table" '^50000$' "$(count_of event)"
check_match "the backup cannot be protected afresh" "PV005: rows of public.event__backup are on record under the name public.event" "$(as olga "SELECT dpmix.protect('event__backup', 10, $basic)")"
check_match "by a superuser neither" PV005 "$(sql "SELECT dpmix.protect('event__backup', 10, $basic)" || true)"
check_match "nor declared public" PV005 "$(as olga "SELECT dpmix.declare_public('event__backup')")"
check "the owner sees where things are" "public.event|olga|event|t|2|{event__backup}" "$(as olga "SELECT * FROM dpmix.records()")"
check "nobody else does" 0 "$(as mallory "SELECT count(*) FROM dpmix.records()")"
check_match "a load that states the same each night is not refused" "NOTICE.*protected already, on these terms" "$(as olga "SELECT dpmix.protect('event', 10, $basic)")"
check_match "other terms are" PV005 "$(as olga "SELECT dpmix.protect('event', 11, $basic)")"
spent "the record goes on" event 2
check_match "the record cannot move away from the table that has it" PV005 "$(as olga "SELECT dpmix.move_record('event', 'event__backup')")"
quiet olga "DROP TABLE event__backup CASCADE"
spent "the backup goes without a trace" event 2
check "no table is left behind" 0 "$(sql "SELECT count(*) FROM dpmix.departed_table")"
swap event 30000; quiet olga "DROP TABLE event__backup CASCADE"
check_match "who may ask stays so" '^30000$' "$(count_of event)"
check "all of it under one record" "1|1" "$(sql "SELECT count(DISTINCT table_id), (SELECT count(*) FROM dpmix.protected_table) FROM dpmix.charge")"

# Back under the name, and away for good.
quiet olga "ALTER TABLE event RENAME TO other"
none "a table that was renamed" other
quiet olga "ALTER TABLE other RENAME TO event"
check_match "is protected as it was when it is back" '^[0-9]+$' "$(charge event .5 ana)"
quiet olga "ALTER TABLE event RENAME TO other; ALTER TABLE other ADD late int; ALTER TABLE other RENAME TO event"
check_match "also with further columns" '^[0-9]+$' "$(charge event .5 ana)"
quiet olga "SELECT dpmix.set_bounds('event', 'late', 0, 1); ALTER TABLE event RENAME TO other; ALTER TABLE other DROP late; ALTER TABLE other RENAME TO event"
none "without a declared one it is not" event ana
quiet olga "SELECT dpmix.protect('event', 10, $basic)"; spent "its charges resume" event 4
quiet olga "SELECT dpmix.grant_access('event', 'ana', NULL, 0, NULL); ALTER TABLE event RENAME TO other"
check_match "no record moves to a table that never had it" "PV005: public.fresh did not leave" "$(as olga "CREATE TABLE fresh (x int)"; as olga "SELECT dpmix.move_record('event', 'fresh')")"
check_match "nor by somebody else" "42501" "$(as mallory "SELECT dpmix.move_record('event', 'other')")"
check_match "who is told no more than of one that is not there" "PV006: you have no record under the name event" "$(as mallory "CREATE TABLE mine (x int)"; as mallory "SELECT dpmix.move_record('event', 'mine')")"
quiet olga "SELECT dpmix.move_record('event', 'other')"
spent "the owner's word moves it" other 4
quiet olga "CREATE TABLE event (x int); SELECT dpmix.protect('event', 10, $basic)"
spent "what takes the old name shares the budget" event 4
charge event 1 >/dev/null; spent "both ways" other 5
check_match "under the same terms" "PV005: adjacency" "$(as olga "SELECT dpmix.unprotect('event')" >/dev/null; as olga "SELECT dpmix.protect('event', 10, $basic, adjacency => 'replace')")"
quiet olga "DROP TABLE event; CREATE SCHEMA elsewhere; ALTER TABLE other SET SCHEMA elsewhere"
none "SET SCHEMA is a new name, too" elsewhere.other
quiet olga "ALTER TABLE elsewhere.other SET SCHEMA public"
spent "and undone by itself" other 5

# A record that two want: it moves away, or is resumed.
make raced 10; charge raced 1 >/dev/null; quiet olga "ALTER TABLE raced RENAME TO raced__backup; SELECT"
sql "ALTER EVENT TRIGGER dpmix_follow_ddl DISABLE" >/dev/null; quiet olga "CREATE TABLE raced (id int)"; sql "ALTER EVENT TRIGGER dpmix_follow_ddl ENABLE ALWAYS" >/dev/null
PGUSER=olga psql -X -q -d postgres -c "BEGIN" -c "SELECT dpmix.protect('raced', 10, $basic)" -c "SELECT pg_sleep(3)" -c "COMMIT" >/dev/null 2>&1 & resuming=$!
wait_until 20 sh -c "[ \$(psql -X -q -A -t -d postgres -c \"SELECT count(*) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'\") = 1 ]"
check_match "a record that is being resumed does not move away" "PV005: a table has the record public.raced" "$(as olga "SELECT dpmix.move_record('raced', 'raced__backup')")"
wait $resuming
spent "the table under its name has it" raced 1

# Schemas that change places: the same trick.
quiet olga "CREATE SCHEMA blue; CREATE SCHEMA green; CREATE TABLE green.t (x int); CREATE TABLE blue.t (x int); SELECT dpmix.protect('blue.t', 10, $basic)"
charge blue.t 3 >/dev/null
quiet olga "BEGIN; ALTER SCHEMA blue RENAME TO old; ALTER SCHEMA green RENAME TO blue; COMMIT"
none "the table of the schema that left" old.t
check_match "the first cannot begin anew" PV005 "$(as olga "SELECT dpmix.protect('old.t', 10, $basic)")"
spent "the second has the record" blue.t 3

# A table that becomes a part of the one that takes its name.
make grown 10; charge grown 2 >/dev/null
quiet olga "BEGIN; ALTER TABLE grown RENAME TO grown_1; CREATE TABLE grown (id int) PARTITION BY RANGE (id);
  ALTER TABLE grown ATTACH PARTITION grown_1 FOR VALUES FROM (1) TO (99); COMMIT; SELECT dpmix.protect('grown', 10, $basic)"
spent "has its rows under one record" grown 2
check_match "under another name they would have two budgets" "PV005.*shares rows with public.grown_1, which is charged already" \
  "$(as olga "ALTER TABLE grown DETACH PARTITION grown_1; CREATE TABLE taken (id int) PARTITION BY RANGE (id); ALTER TABLE taken ATTACH PARTITION grown_1 FOR VALUES FROM (1) TO (99)" >/dev/null
    as olga "SELECT dpmix.protect('taken', 10, $basic)")"

# A vacant name, and who takes it.
make v 10 2; charge v 1 ana >/dev/null; quiet olga "DROP TABLE v"
check_match "another owner gets nothing of a vacant name" "42501: the record of the name public.v belongs to another role" \
  "$(as mallory "CREATE TABLE v (id int)"; as mallory "SELECT dpmix.protect('v', 200, $basic)")"
check "neither budget nor charges" "0|0|0" "$(as mallory "SELECT (SELECT count(*) FROM dpmix.budget), (SELECT count(*) FROM dpmix.ledger), (SELECT count(*) FROM dpmix.budget_history)")"
check_match "not by a superuser's hand either" 42501 "$(sql "SELECT dpmix.protect('v', 200, $basic)" || true)"
check_match "nor by its own" PV006 "$(as mallory "SELECT dpmix.hand_over('v', 'mallory')")"
quiet mallory "ALTER TABLE v RENAME TO w; SELECT dpmix.protect('w', 2, $basic); ALTER TABLE w RENAME TO v"
none "nor by a table that comes protected" v mallory; check_match "with a record of its own" 42501 "$(as mallory "SELECT dpmix.protect('v', 2, $basic)")"
quiet mallory "DROP TABLE v; CREATE TABLE v (id int)"
quiet olga "SELECT dpmix.hand_over('v', 'mallory')"
quiet mallory "SELECT dpmix.protect('v', 2, $basic)"
check "the old owner hands it over, with all charges" "v|2|1|1" "$(as mallory "SELECT relation, epsilon, epsilon_spent, charges FROM dpmix.budget")"
check_match "and has no use of it any more" PV006 "$(as olga "SELECT dpmix.hand_over('v', 'olga')")"
check_match "a record that a table has goes with the table" PV005 "$(as mallory "SELECT dpmix.hand_over('v', 'olga')")"
sql "ALTER TABLE v OWNER TO olga" >/dev/null; quiet olga "DROP TABLE v; CREATE TABLE v (id int); SELECT dpmix.protect('v', 2, $basic)"
spent "ALTER TABLE OWNER gives it along" v 1
sql "REASSIGN OWNED BY olga TO mallory" >/dev/null; quiet mallory "DROP TABLE v; CREATE TABLE v (id int); SELECT dpmix.protect('v', 2, $basic)"
check_match "so does REASSIGN OWNED" "spent are epsilon 1 " "$(charge v 100 mallory)"
sql "REASSIGN OWNED BY mallory TO olga; SET client_min_messages = error; DROP TABLE v; DROP OWNED BY mallory CASCADE; DROP ROLE mallory; CREATE ROLE mallory LOGIN; GRANT ALL ON SCHEMA public TO mallory" >/dev/null
quiet mallory "CREATE TABLE w (id int)"
check_match "a record of a role that is gone is not the next one's of its name" 42501 "$(as mallory "SELECT dpmix.protect('w', 2, $basic)")"
sql "SELECT dpmix.hand_over('public.w', 'mallory')" >/dev/null
check "a superuser hands it over" "" "$(as mallory "SET client_min_messages = error; SELECT dpmix.protect('w', 2, $basic)" | grep ERROR || true)"

# Roles re-created.
make asked 10; charge asked 1 ana >/dev/null
seen() { as ana "SELECT (SELECT count(*) FROM dpmix.ledger WHERE role = 'ana'), (SELECT count(*) FROM dpmix.audit), (SELECT count(*) FROM dpmix.budget), (SELECT count(*) FROM dpmix.role_budget)"; }
check "a role reads its own charges" t "$(as ana "SELECT count(*) > 3 FROM dpmix.ledger WHERE role = 'ana'")"
sql "ALTER ROLE ana RENAME TO anna" >/dev/null
check "under another name, too" t "$(as anna "SELECT count(*) > 3 FROM dpmix.ledger WHERE role = 'ana'")"
last=$(sql "SELECT max(id) FROM dpmix.charge WHERE role = 'ana'")
sql "CREATE ROLE ana LOGIN" >/dev/null
check "a new role under the old name reads nothing" "0|0|0|0" "$(seen)"
check_match "nor has a charge explained" PV006 "$(as ana "SELECT * FROM dpmix.explain_charge($last)")"
quiet olga "SELECT dpmix.grant_access('asked', 'ana')"
check "with access of its own it sees the table's sums, and no charge of the other" "0|t" "$(as ana "SELECT (SELECT count(*) FROM dpmix.ledger), (SELECT charges = 1 FROM dpmix.budget)")"
check "the owner reads all" t "$(as olga "SELECT count(*) = 1 FROM dpmix.ledger WHERE relation = 'public.asked'")"
sql "DROP OWNED BY ana; DROP ROLE ana; DROP OWNED BY anna; DROP ROLE anna; CREATE ROLE ana LOGIN; ALTER ROLE ana SET session_preload_libraries = 'dpmix'" >/dev/null
check "dropped and re-created it reads nothing" "0|0|0|0" "$(seen)"

# Swaps that nothing saw: found by check, joined by a superuser.
make lost 10; charge lost 4 >/dev/null
sql "ALTER EVENT TRIGGER dpmix_follow_ddl DISABLE" >/dev/null; swap lost 10; sql "ALTER EVENT TRIGGER dpmix_follow_ddl ENABLE ALWAYS" >/dev/null
check_match "a swap that nothing saw ends charges" PV004 "$(charge lost 1)"; check_match "of both" PV004 "$(charge lost__backup 1)"
sql "SELECT dpmix.adopt_ledger('swapped while the trigger was off')" >/dev/null
check_match "adoption finds which table left" PV005 "$(as olga "SELECT dpmix.protect('lost__backup', 10, $basic)")"
quiet olga "SELECT dpmix.protect('lost', 10, $basic)"; spent "and the record stays with the name" lost 4
# As records were when they went with their tables.
quiet olga "DROP TABLE lost__backup, lost"
sql "UPDATE dpmix.protected_table SET table_name = 'lost__backup' WHERE table_name = 'lost'" >/dev/null
quiet olga "CREATE TABLE lost (id int); INSERT INTO lost VALUES (1); SELECT dpmix.protect('lost', 10, $basic)"; charge lost 1 >/dev/null
check "check finds charges that count elsewhere" "charges under this name, counted elsewhere|1|{public.lost__backup}|t" \
  "$(as olga "SET client_min_messages = error; SELECT finding, exact_number, examples, warning ~ 'join_records' FROM dpmix.check('lost') WHERE finding ~ 'elsewhere'")"
check_match "records are joined by superusers" 42501 "$(as olga "SELECT dpmix.join_records('lost__backup', 'lost')")"
check_match "whose terms are the same" "PV005: records public.asked and public.event cannot be joined" "$(sql "SELECT dpmix.protect('fresh', 1, 1e-6)" >/dev/null; sql "UPDATE dpmix.protected_table SET privacy_unit = 'id' WHERE table_name = 'event'" >/dev/null; sql "SELECT dpmix.join_records('public.asked', 'public.event')" || true)"
sql "SELECT dpmix.join_records('lost__backup', 'lost')" >/dev/null
spent "then the charges of both count" lost 5
check "and nothing is found any more" 0 "$(as olga "SET client_min_messages = error; SELECT count(*) FROM dpmix.check('lost') WHERE finding ~ 'elsewhere'")"
check_match "a join is for ever" "PV002: a record stays in its account" "$(sql "UPDATE dpmix.protected_table SET account = NULL WHERE table_name = 'lost__backup'" || true)"
quiet olga "SELECT dpmix.unprotect('lost')"
check "every record has a name of its own" t "$(sql "SELECT count(*) = count(DISTINCT record) FROM dpmix.records()")"
