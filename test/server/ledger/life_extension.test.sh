#!/usr/bin/env bash
# The extension is updated, dropped, made anew, and its database dropped, while charges are under way:
# callers get an id or an error, never a crash, a hang or an answer without a charge.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 2s"
basic="0, accountant => 'basic'"
charged='^[0-9]+$'
flag=$CLUSTER/flag
charge() { sql "SELECT charge_probe('t', 1)" "${1:-postgres}" || true; }  # [database]
charge_while() {  # flag database file: as long as the flag is there, one after the other; what each got
  while [ -e "$1" ]; do
    for _ in $(seq 20); do echo "SELECT charge_probe('t', 1);"; done
    sleep 0.02
  done | session "$2" >"$3" || true
}
database() { sql "CREATE DATABASE $1" >/dev/null; install_probe "$1" 2>/dev/null; protected_table t 1e6 "$1"; }
got() { grep -cE "$charged" "$1" || true; }
errors() { grep -oE 'ERROR:  [0-9A-Z]{5}' "$1" | sort -u | sed 's/.* //' | paste -sd' '; }
crashes() { grep -c "was terminated by signal" "$CLUSTER/log" || true; }
some_charges() { [ "$(sql "SELECT count(*) > 5 FROM dpmix.charge" "$1")" = t ]; }

# ALTER EXTENSION UPDATE, by a script that holds up all charges.
cluster_earlier 0.0.1 "" "ALTER TABLE dpmix.charge ADD note text DEFAULT clock_timestamp()::text;"
sql "CREATE DATABASE updated" >/dev/null; sql "CREATE EXTENSION dpmix VERSION '0.0.1'" updated >/dev/null
install_probe updated 2>/dev/null
protected_table t 1e6 updated
check_match "with the earlier version it charges" "$charged" "$(charge updated)"
touch "$flag"
charge_while "$flag" updated "$CLUSTER/updated.1" & one=$!
charge_while "$flag" updated "$CLUSTER/updated.2" & two=$!
wait_until 30 some_charges updated
check "updated while charges are made" "" "$(sql "ALTER EXTENSION dpmix UPDATE" updated)"
rm "$flag"; wait $one; wait $two
answers=$(($(got "$CLUSTER/updated.1") + $(got "$CLUSTER/updated.2")))
check "whoever got an id was charged, nobody else" "$((answers + 1))" "$(charges t updated)"
check_match "others were told" '^(PV004)?$' "$(errors <(cat "$CLUSTER"/updated.[12]))"
check_match "charges go on" "$charged" "$(charge updated)"
check_match "against all that was charged" "spent are epsilon $((answers + 2)) " "$(sql "SELECT charge_probe('t', 1e6)" updated || true)"

# DROP EXTENSION.
database dropped
check "without a record DROP EXTENSION says nothing of one" "" "$(sql "CREATE DATABASE empty"; sql "CREATE EXTENSION dpmix" empty; sql "DROP EXTENSION dpmix" empty)"
check "and leaves nothing, its schemas neither" "" "$(sql "SELECT nspname FROM pg_namespace WHERE nspname ~ 'dpmix'" empty)"
sql "CREATE EXTENSION dpmix; CREATE TABLE dpmix.stranger (x int)" empty >/dev/null
check_match "somebody's table in the schema holds it up" "2BP01.*table dpmix.stranger" "$(sql "DROP EXTENSION dpmix" empty | tr '\n' ' ')"
sql "DROP TABLE dpmix.stranger; CREATE TABLE dpmix_internal.stranger (x int)" empty >/dev/null
check_match "and in that of internals" "2BP01.*table dpmix_internal.stranger" "$(sql "DROP EXTENSION dpmix" empty | tr '\n' ' ')"
sql "DROP TABLE dpmix_internal.stranger; CREATE TABLE kept (x float8); SELECT dpmix.protect('kept', 1, 0, accountant => 'basic'), dpmix.set_bounds('kept', 'x', 0, 1)" empty >/dev/null
sql "$(sql "SELECT 'CREATE VIEW states AS ' || dpmix.partial_sql('SELECT dp_sum(x) FROM kept')" empty)" empty
check_match "a view of states does, too" "2BP01.*view states" "$(sql "DROP EXTENSION dpmix" empty | tr '\n' ' ')"
check "CASCADE takes all along" "" "$(sql "SET client_min_messages = error; DROP EXTENSION dpmix CASCADE; SELECT nspname FROM pg_namespace WHERE nspname ~ 'dpmix' UNION ALL SELECT relname FROM pg_class WHERE relname = 'states'" empty)"
charge dropped >/dev/null
check_match "with one it warns" "WARNING.*privacy ledger of this database is dropped" "$(session dropped <<<"BEGIN; DROP EXTENSION dpmix CASCADE; ROLLBACK;")"
check_match "and says what is forgotten" "1 charges about 1 tables are forgotten, 1 tables are protected no more" \
  "$(session dropped <<<"BEGIN; DROP EXTENSION dpmix CASCADE; ROLLBACK;")"
check_match "the server log keeps the warning" "privacy ledger of this database is dropped" "$(cat "$CLUSTER/log")"
check_match "a drop that is undone forgets nothing" "spent are epsilon 1 " "$(sql "SELECT charge_probe('t', 1e6)" dropped || true)"
check "and leaves the schema on its own" 0 "$(sql "SELECT count(*) FROM pg_depend WHERE classid = 'pg_namespace'::regclass AND objid = 'dpmix'::regnamespace" dropped)"
check "dropping another extension is no matter" "" "$(sql "CREATE EXTENSION IF NOT EXISTS plpgsql" dropped | grep WARNING; session dropped <<<"BEGIN; DROP EXTENSION plpgsql CASCADE; ROLLBACK;" | grep WARNING || true)"
sql "CREATE ROLE installer SUPERUSER LOGIN" >/dev/null; sql "CREATE DATABASE theirs" >/dev/null
PGUSER=installer sql "CREATE EXTENSION dpmix" theirs >/dev/null
sql "CREATE TABLE t (x int); SELECT dpmix.protect('t', 1, $basic)" theirs >/dev/null
check_match "DROP OWNED of who installed it warns too" "WARNING.*privacy ledger" "$(session theirs <<<"BEGIN; DROP OWNED BY installer CASCADE; ROLLBACK;")"
check "that of another does not" "" "$(sql "CREATE ROLE nobody" theirs; sql "DROP OWNED BY nobody" theirs)"
touch "$flag"
for i in 1 2 3; do charge_while "$flag" dropped "$CLUSTER/dropped.$i" & callers[i]=$!; done
wait_until 30 some_charges dropped
check_match "dropped while charges are made" "WARNING" "$(sql "DROP EXTENSION dpmix CASCADE" dropped)"
some_errors() { grep -q ERROR "$CLUSTER/dropped.$1"; }
for i in 1 2 3; do wait_until 30 some_errors "$i"; done
rm "$flag"
for i in 1 2 3; do wait "${callers[$i]}"; done
check_match "callers got ids and errors" "PV004|42883|XX000|42P01|3F000" "$(errors <(cat "$CLUSTER"/dropped.[123]))"
check "no process crashed" 0 "$(crashes)"
check_match "without the extension nothing is charged" "PV004|42883|3F000" "$(charge dropped)"
install_probe dropped
check_match "a new extension knows no table: nothing is protected by it" PV006 "$(charge dropped)"
check "its ledger is empty" 0 "$(sql "SELECT count(*) FROM dpmix.charge" dropped)"
sql "SELECT dpmix.protect('t', 2, $basic)" dropped >/dev/null
check_match "protected anew it charges" "$charged" "$(charge dropped)"
check_match "against the new record alone" "spent are epsilon 1 " "$(sql "SELECT charge_probe('t', 1e6)" dropped || true)"

# An older record put into a new extension of the very same database, whose tables never changed.
"$BIN/pg_dump" --data-only -t 'dpmix.*' -f "$CLUSTER/record.sql" dropped
check_match "a charge after the dump" "$charged" "$(charge dropped)"
sql "DROP EXTENSION dpmix CASCADE" dropped >/dev/null
install_probe dropped
psql -X -q -v ON_ERROR_STOP=1 -d dropped -f "$CLUSTER/record.sql" >/dev/null
check_match "an older record in a new extension is frozen" "PV004: the ledger was made in another place" "$(charge dropped)"
sql "SELECT dpmix.adopt_ledger('put back')" dropped >/dev/null
check_match "until it is adopted" "$charged" "$(charge dropped)"

# A drop that waits for its commit while somebody asks.
session dropped >"$CLUSTER/slow" <<<"BEGIN; DROP EXTENSION dpmix CASCADE; SELECT pg_sleep(2); COMMIT;" & slow=$!
dropping() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE datname = 'dropped' AND query LIKE '%pg_sleep(2)%' AND wait_event = 'PgSleep'")" = 1 ]; }
wait_until 30 dropping
check_match "a caller waits for a drop under way and gets an error" "ERROR" "$(charge dropped)"
wait $slow
check "and nothing crashed" 0 "$(crashes)"

# DROP DATABASE.
database idle; charge idle >/dev/null
check_match "the worker of the database idles" '^[0-9]+$' "$(worker_pids idle)"
check "DROP DATABASE while the worker idles" "" "$(sql "DROP DATABASE idle")"
database busy
touch "$flag"
charge_while "$flag" busy "$CLUSTER/busy.out" & caller=$!
wait_until 30 some_charges busy
check_match "DROP DATABASE while it works is refused" "55006.*being accessed" "$(sql "DROP DATABASE busy" || true)"
before=$(sql "SELECT count(*) FROM dpmix.charge" busy)
check "DROP DATABASE WITH FORCE ends it" "" "$(sql "DROP DATABASE busy WITH (FORCE)")"
rm "$flag"; wait $caller || true
check "no worker is left" "" "$(worker_pids busy)"
check "callers had at least the charges seen before" t "$([ "$(got "$CLUSTER/busy.out")" -ge $((before - 2)) ] && echo t)"
database busy
check_match "a database made anew under the name has a ledger of its own" "$charged" "$(charge busy)"
check "which knows one charge" 1 "$(charges t busy)"
check_match "the other ledgers go on" "$charged" "$(charge updated)"
check "no process crashed in all this" 0 "$(crashes)"
