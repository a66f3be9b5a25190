#!/usr/bin/env bash
# Sessions that hold things: locks, snapshots, slots, prepared transactions. Others must go on charging,
# or be told at once; and nobody is answered because something could not be written down.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "max_prepared_transactions = 4" "max_connections = 80" "deadlock_timeout = 200ms" "client_min_messages = warning"

# hold NAME ROLE STATEMENTS: a session that runs them and then waits; let_go ends it.
hold() {
  mkfifo "$CLUSTER/$1"
  PGUSER=$2 PGAPPNAME=$1 psql -X -q -A -t <"$CLUSTER/$1" >"$CLUSTER/$1.out" 2>&1 & held=$!
  exec {hold_fd}>"$CLUSTER/$1"
  echo "$3" >&$hold_fd
  echo "SELECT 'held';" >&$hold_fd
  wait_until 30 grep -qs held "$CLUSTER/$1.out"
}
let_go() { exec {hold_fd}>&-; wait $held || true; }
one='^-?[0-9]+ $'

# What an analyst may hold.
hold snapshot ana "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT n FROM $counted;"
costs "an analyst's old snapshot and open answer: others charge" 1 "$one" bob <<<"SELECT n FROM $counted;"
check "and the owner changes budgets, domains and grants" "" \
  "$(PGUSER=olga session <<<"\\o /dev/null
SET lock_timeout = '3s'; SELECT dpmix.set_budget('people', 1e6, .1, 'same'); SELECT dpmix.set_bounds('people', 'wage', 0, 100); SELECT dpmix.grant_access('people', 'bob', 1000, 0, NULL);")"
check "and writes rows" "" "$(PGUSER=olga sql "SET lock_timeout = '3s'; UPDATE people SET wage = wage WHERE id = 1; INSERT INTO people VALUES (10001, 'F', 1)")"
check "no lock of it is left on the table: DDL need not wait" "" "$(PGUSER=olga sql "SET lock_timeout = '300ms'; ALTER TABLE people ADD extra int")"
echo "SELECT 'again', n FROM $counted; SELECT 'counted', count(*) FROM dpmix.ledger;" >&$hold_fd
wait_until 10 grep -qs counted "$CLUSTER/snapshot.out"
check "its own next query in that snapshot is charged, though it cannot see the charge" "again" "$(grep -o again "$CLUSTER/snapshot.out")"
let_go
check "all three are there" 3 "$(all_charges)"
for mode in "ACCESS SHARE" "SHARE" "ACCESS EXCLUSIVE"; do
  costs "an analyst locks the protected table IN $mode MODE" 0 '42501' <<<"BEGIN; LOCK TABLE people IN $mode MODE;"
done
costs "an analyst locks the ledger through a view: only as a reader" 1 "$one" <<<"BEGIN; LOCK TABLE dpmix.ledger IN ACCESS SHARE MODE; SELECT n FROM $counted; ROLLBACK;"
costs "and not otherwise" 0 '42501' <<<"BEGIN; LOCK TABLE dpmix.ledger IN SHARE MODE; SELECT n FROM $counted; ROLLBACK;"
hold advisory mallory "SELECT pg_advisory_lock(i) FROM generate_series(0, 2000) i \\g /dev/null
SELECT pg_advisory_lock(c.oid::int, i) FROM pg_class c, generate_series(0, 5) i WHERE relnamespace = 'dpmix'::regnamespace \\g /dev/null"
costs "all the advisory locks one could guess" 1 "$one" <<<"SET statement_timeout = '20s'; SELECT n FROM $counted;"
let_go
PGUSER=ana sql "BEGIN; SELECT count(n) FROM $counted; PREPARE TRANSACTION 'forgotten'" >/dev/null
costs "a forgotten prepared transaction" 1 "$one" bob <<<"SET statement_timeout = '20s'; SELECT n FROM $counted;"
check_match "others cannot finish it" 42501 "$(PGUSER=bob sql "ROLLBACK PREPARED 'forgotten'")"
sql "ROLLBACK PREPARED 'forgotten'"
for model in first second; do
  hold "$model" ana "BEGIN; SELECT components FROM $(modelled "$model");"
  costs "a model's name held by an open transaction does not stop queries" 1 "$one" bob <<<"SET statement_timeout = '20s'; SELECT n FROM $counted;"
  costs "another role has that name, too" 1 '^2 $' bob <<<"SET statement_timeout = '20s'; SELECT components FROM $(modelled "$model");"
  costs "its maker, who wants the same name, waits, and gives up without a charge" 0 57014 ana <<<"SET statement_timeout = '500ms'; SELECT components FROM $(modelled "$model");"
  costs "the lock's timeout, caught inside, leaves no rights of the catalog behind" 0 'caught ana .*public.*42501' ana <<SQL
SET lock_timeout = '300ms';
SET client_min_messages = notice;
DO \$\$ BEGIN PERFORM $(modelled "$model"); EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'caught % %', current_user, current_setting('search_path'); END \$\$;
SELECT count(*) FROM dpmix.charge;
SQL
  let_go
done

# Callers in each other's way: two transactions of a role that want each other's names. One is ended, and its
# first model stays charged, like the other's two.
before=$(all_charges)
hold cross ana "BEGIN; SELECT components FROM $(modelled left);"
PGUSER=ana session >"$CLUSTER/other.out" 2>&1 <<SQL &
BEGIN; SELECT components FROM $(modelled right); SELECT components FROM $(modelled left); ROLLBACK;
SQL
other=$!
waits() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = 'ana' AND query LIKE '%''left''%'")" -ge 1 ]; }
wait_until 20 waits
echo "SELECT components FROM $(modelled right); ROLLBACK;" >&$hold_fd
wait $other || true
let_go
check "a deadlock over names ends one caller: 40P01" 1 "$(cat "$CLUSTER/cross.out" "$CLUSTER/other.out" | grep -c 'deadlock detected')"
check "three models were charged, rolled back or not" 3 $(($(all_charges) - before))

# The owner locks its table, then asks.
costs "the owner under its own ACCESS EXCLUSIVE lock, for which its release would wait: refused at once" 0 '40P01' olga <<<"BEGIN; LOCK TABLE people; SELECT n FROM $counted; ROLLBACK;"
costs "the owner after its own uncommitted set_budget" 0 'PV002.*changed declarations' olga <<<"BEGIN; SELECT dpmix.set_budget('people', 1e6, .1, 'x') \\g /dev/null
SELECT n FROM $counted; ROLLBACK;"
costs "the owner after its own uncommitted unprotect" 0 'PV002.*changed declarations' olga <<<"BEGIN; SELECT dpmix.unprotect('people') \\g /dev/null
SELECT n FROM $counted; ROLLBACK;"
costs "an uncommitted larger budget buys nothing" 0 'PV002.*changed declarations' olga <<<"BEGIN; SELECT dpmix.set_budget('people', 9e6, .4, 'more') \\g /dev/null
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people', 2e6) AS t(n bigint); ROLLBACK;"
# Declarations and attachments wait for each other in one tree, and nowhere else.
sql "CREATE TABLE trunk (id int) PARTITION BY LIST (id); CREATE TABLE branch (id int); CREATE TABLE leaf () INHERITS (branch); CREATE TABLE sprout (id int); CREATE TABLE shoot () INHERITS (sprout);
     CREATE TABLE forest (id int) PARTITION BY LIST (id); CREATE TABLE tree1 (id int); CREATE TABLE sapling (id int);
     ALTER TABLE trunk OWNER TO ana; ALTER TABLE branch OWNER TO ana; ALTER TABLE leaf OWNER TO ana; ALTER TABLE sprout OWNER TO ana; ALTER TABLE shoot OWNER TO ana;
     ALTER TABLE forest OWNER TO olga; ALTER TABLE tree1 OWNER TO olga; ALTER TABLE sapling OWNER TO olga" >/dev/null
hold declared ana "BEGIN; SELECT dpmix.declare_public('branch') \\g /dev/null"
check "a declaration that is left open stops no attachment elsewhere" "" "$(PGUSER=olga sql "SET lock_timeout = '1s'; ALTER TABLE forest ATTACH PARTITION tree1 FOR VALUES IN (1)")"
check "nor another's declaration" "" "$(PGUSER=olga sql "SET lock_timeout = '1s'; SET client_min_messages = warning; SELECT dpmix.protect('sapling', 1, 1e-6); SELECT dpmix.unprotect('sapling')")"
check_match "but one in its tree" 55P03 "$(PGUSER=ana sql "SET lock_timeout = '300ms'; SELECT dpmix.protect('leaf', 1, 1e-6)" || true)"
let_go
hold attached ana "BEGIN; ALTER TABLE sprout INHERIT leaf;"
check_match "an attachment that is left open stops declarations above it" 55P03 "$(PGUSER=ana sql "SET lock_timeout = '300ms'; SELECT dpmix.protect('branch', 1, 1e-6)" || true)"
check_match "and below" 55P03 "$(PGUSER=ana sql "SET lock_timeout = '300ms'; SELECT dpmix.protect('shoot', 1, 1e-6)" || true)"
let_go
hold uncommitted olga "BEGIN; SELECT dpmix.grant_access('people', 'mallory', 5) \\g /dev/null"
costs "an uncommitted grant gives no access" 0 PV006 mallory <<<"SET statement_timeout = '20s'; SELECT n FROM $counted;"
costs "and does not stop others" 1 "$one" bob <<<"SET statement_timeout = '20s'; SELECT n FROM $counted;"
let_go

# The worker is nobody's to signal.
PGUSER=ana sql "SELECT count(n) FROM $counted" >/dev/null
sql "GRANT pg_signal_backend TO mallory"
for signal in pg_cancel_backend pg_terminate_backend; do
  check_match "$signal(the ledger worker) is refused to pg_signal_backend" 42501 \
    "$(PGUSER=mallory sql "SELECT $signal($(PGUSER=bob sql "SELECT count(n) FROM $counted" >/dev/null; worker_pids))")"
done
check "an analyst sees no other's request in pg_stat_activity" 0 "$(PGUSER=ana sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpmix ledger' AND query <> '' AND query NOT LIKE '<insufficient%'")"

# More callers than slots, all at once, and one role that spends what it may: the others' budget is theirs.
PGUSER=olga sql "SELECT dpmix.grant_access('people', 'bob', (SELECT sum(epsilon) + .0001 FROM dpmix.ledger WHERE granted_to = 'bob')::float8, 0, NULL)" >/dev/null
echo "SELECT n FROM $counted;" >"$CLUSTER/flood.sql"
PGUSER=bob "$BIN/pgbench" -n -c 50 -j 2 -t 3 -f "$CLUSTER/flood.sql" >/dev/null 2>&1 & flood=$!
costs_under_flood=$(PGUSER=ana sql "SET statement_timeout = '60s'; SELECT count(n) FROM $counted")
wait $flood || true
check "an analyst charges while another floods the ledger" 1 "$costs_under_flood"
check "the flood ended at its cap" t "$(sql "SELECT sum(c.epsilon) <= a.epsilon AND sum(c.epsilon) > a.epsilon - .00001 FROM dpmix.charge c, dpmix_internal.known_grant a WHERE a.rolname = 'bob' AND c.granted_to = 'bob' GROUP BY a.epsilon")"
