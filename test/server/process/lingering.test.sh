#!/usr/bin/env bash
# Idle processes: they stay for the next question, but not where slots are short, and are in nobody's way who wants the
# database.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh

cluster_start "max_worker_processes = 8"
cluster_probe process_probe -Wno-register -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
sql "CREATE FUNCTION no_slot() RETURNS void LANGUAGE c AS 'process_probe'" >/dev/null
prepare() {  # database
  sql "CREATE DATABASE $1" >/dev/null
  sql "CREATE EXTENSION dpmix; CREATE TABLE people AS SELECT i AS id FROM generate_series(1, 100) AS i;
       SELECT dpmix.protect('people', 1e6, .1)" "$1" >/dev/null
}
ask() { sql "SET client_min_messages = warning; SELECT 'answered' FROM dpmix.query('SELECT dp_count(*) FROM people', .01) AS t(n bigint)" "$1"; }
processes() {  # kinds, of what databases
  sql "SELECT string_agg(backend_type || ' of ' || datname, ', ' ORDER BY backend_type, datname) FROM pg_stat_activity WHERE backend_type LIKE 'dpmix%'"
}
are() { [ "$(processes)" = "$1" ]; }
number() { sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpmix $1'"; }
at_most_one() { [ "$(number release)" -le 1 ] && [ "$(number ledger)" -le 1 ]; }
none() { [ -z "$(processes)" ]; }

prepare one
prepare other
check "a question is answered" answered "$(ask one)"
sleep 6
check "after six seconds its processes wait for the next one" "dpmix ledger of one, dpmix release of one" "$(processes)"

# Five seconds is what these statements wait for other sessions: fewer, for the processes go at once.
check "the database is copied" "" "$(sql "CREATE DATABASE copy TEMPLATE one")"
check_command "which its processes made way for" wait_until 5 none
check "a question is answered again" answered "$(ask one)"
check "the database is renamed" "" "$(sql "ALTER DATABASE one RENAME TO renamed")"
check "a question is answered under the new name" answered "$(ask renamed)"
check "the database is dropped" "" "$(sql "DROP DATABASE renamed")"

check "others are asked" "answered answered" "$(ask other) $(ask other)"
prepare third
check "and a third" answered "$(ask third)"
check_command "where eight slots are for all, one process of a kind stays" wait_until 10 at_most_one
check "a question finds none, or one" answered "$(ask other)"
sql "SELECT no_slot()" >/dev/null
check_command "none stays where a slot was looked for in vain" wait_until 10 none
check "a question is answered there, too" answered "$(ask other)"
session >/dev/null <<SQL
LOAD 'dpmix';
ALTER SYSTEM SET dpmix.release_idle_timeout = '1d';
ALTER SYSTEM SET dpmix.ledger_idle_timeout = '1d';
SELECT pg_reload_conf();
SQL
sleep .5
check "where the time is set a question is answered" answered "$(ask other)"
sleep 5
check "and the processes stay for so long" "dpmix ledger of other, dpmix release of other" "$(processes)"
check "but not in the way of a DROP" "" "$(sql "DROP DATABASE other")"

check "no crash, no internal error in the server's log" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000|leak' "$CLUSTER/log" || true)"
