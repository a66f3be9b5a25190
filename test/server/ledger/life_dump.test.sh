#!/usr/bin/env bash
# Dumps: in every format, whole and in parts. What is restored is frozen until adopted, and then knows
# every charge.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
basic="0, accountant => 'basic'"
charged='^[0-9]+$'
charge() { sql "SELECT charge_probe('$1', $2)" "${3:-postgres}" || true; }  # table epsilon [database]
new_database() { sql "CREATE DATABASE $1 ${2:-}" >/dev/null; }

sql "CREATE ROLE own LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE bea LOGIN; GRANT CREATE ON SCHEMA public TO own" >/dev/null
sql "CREATE TABLE people (age int, wage float8, sex text); INSERT INTO people SELECT i % 90, i, 'f' FROM generate_series(1, 500) i; ALTER TABLE people OWNER TO own;
     CREATE TABLE parts (x int) PARTITION BY RANGE (x); CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (0) TO (9); CREATE INDEX ON parts (x);
     SELECT dpmix.protect('people', 10, 1e-6, accountant => 'basic'); SELECT dpmix.protect('parts', 5, 1e-6);
     SELECT dpmix.set_bounds('people', 'age', 0, 100); SELECT dpmix.set_bounds('people', 'wage', 0, 500); SELECT dpmix.set_categories('people', 'sex', '{f}');
     SELECT dpmix.grant_access('people', 'ana', 3); SELECT dpmix.grant_access('people', 'bea')" >/dev/null
charge people 2 >/dev/null; charge parts 1 >/dev/null
PGUSER=ana charge people 1 >/dev/null
PGUSER=bea sql "SELECT name FROM dpmix.release_gmm('model', 'people', '{age,wage}', 1, 1e-7, label => 'sex')" >/dev/null
# The owner's own objects of dpmix's types and functions.
PGUSER=own sql "$(PGUSER=own sql "SELECT 'CREATE VIEW states AS ' || dpmix.partial_sql('SELECT dp_count(*), dp_avg(age / 2), dp_count_distinct(sex) FROM people')");
                CREATE TABLE kept AS SELECT * FROM states" >/dev/null
states() { PGUSER=own sql "SELECT (SELECT s::text FROM states s), (SELECT k::text FROM kept k)" "${1:-postgres}"; }
# A checkpoint as the worker writes it, of the first three charges.
sql "INSERT INTO dpmix.ledger_checkpoint (through, table_id, granted_number, charges, epsilon, delta, cost, cost_delta)
     SELECT 3, table_id, granted_number, count(*), sum(epsilon), sum(delta), sum(cost), sum(cost_delta) FROM dpmix.charge WHERE id <= 3 GROUP BY 2, 3" >/dev/null

sums() {  # database: what the view adds up, and the rows themselves
  local account="table_id, granted_number, charges, epsilon, delta, cost, cost_delta"
  sql "SELECT (SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM (SELECT $account FROM dpmix_internal.charge_total) t)
            = (SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM (SELECT table_id, granted_number, count(*) AS charges, sum(epsilon) AS epsilon,
                 sum(delta) AS delta, sum(cost) AS cost, sum(cost_delta) AS cost_delta FROM dpmix.charge GROUP BY 1, 2) t)" "$1"
}
contents() {  # database
  local table
  for table in budget_change charge ledger_checkpoint release; do sql "SELECT * FROM dpmix.$table t ORDER BY t::text" "$1"; done
  sql "SELECT id, schema_name, table_name, active, adjacency, accountant, renyi_order FROM dpmix.protected_table ORDER BY id" "$1"
  sql "SELECT last_value, is_called FROM dpmix.charge_id_seq; SELECT last_value FROM dpmix.budget_change_id_seq" "$1"
}
check "the view of sums equals the sums of charges" t "$(sums postgres)"
contents postgres >"$CLUSTER/original"

restored() {  # name database: whatever a restored ledger must do
  contents "$2" >"$CLUSTER/contents"
  check "$1: all records are there" "" "$(diff "$CLUSTER/original" "$CLUSTER/contents" || true)"
  check "$1: the view of sums equals the sums" t "$(sums "$2")"
  check_match "$1: frozen" PV004 "$(charge people .1 "$2")"
  check_match "$1: for its owner too" PV004 "$(PGUSER=own charge people .1 "$2")"
  check_match "$1: and its budget" PV004 "$(sql "SELECT dpmix.set_budget('people', 99, 0, 'more')" "$2" || true)"
  check_match "$1: adopted, it says what there is" "NOTICE.*goes on here with 4 charges" "$(sql "SELECT dpmix.adopt_ledger('restored')" "$2")"
  check_match "$1: it knows what was spent" "spent are epsilon 4 " "$(charge people 9 "$2")"
  check_match "$1: of the cap too" "PV001: epsilon cap" "$(PGUSER=ana charge people 2.5 "$2")"
  check_match "$1: the partitioned table goes on" "$charged" "$(charge parts .1 "$2")"
  check "$1: identities go on" "5" "$(sql "SELECT max(id) FROM dpmix.charge" "$2")"
  check "$1: the maker reads the model" 1 "$(PGUSER=bea sql "SELECT count(*) FROM dpmix.gmm('model')" "$2")"
}
"$BIN/pg_dump" -f "$CLUSTER/plain.sql" postgres
"$BIN/pg_dump" -Fd -j2 -f "$CLUSTER/folder" postgres
new_database plain; psql -X -q -v ON_ERROR_STOP=1 -d plain -f "$CLUSTER/plain.sql" >/dev/null
restored "plain" plain
check_match "states are of all rows" '500' "$(states)"
check "plain: views and tables of states are there" "$(states)" "$(states plain)"
new_database folder; "$BIN/pg_restore" -j2 -d folder "$CLUSTER/folder"
restored "directory, two jobs" folder
check "directory, two jobs: views and tables of states are there" "$(states)" "$(states folder)"
new_database owned "OWNER own"; "$BIN/pg_restore" --no-owner --no-privileges -d owned "$CLUSTER/folder"
restored "--no-owner" owned
check_match "--no-owner: the table belongs to who restored it" "42501" "$(PGUSER=own sql "SELECT dpmix.unprotect('people')" owned || true)"
# Only data, into tables and an extension that are there.
new_database data; install_probe data 2>/dev/null
sql "CREATE TABLE filler (x int); CREATE TABLE people (age int, wage float8, sex text); ALTER TABLE people OWNER TO own;
     CREATE TABLE parts (x int) PARTITION BY RANGE (x); CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (0) TO (9)" data >/dev/null
"$BIN/pg_dump" --data-only --disable-triggers -T kept -f "$CLUSTER/data.sql" postgres
psql -X -q -v ON_ERROR_STOP=1 -d data -f "$CLUSTER/data.sql" >/dev/null
restored "data only" data

# Where the roles are not: a cluster of its own, where nothing has its old identifier. Names that tables left, and
# roles that others were named after, are in the dump.
sql "SELECT charge_probe('people', .5)" >/dev/null
sql "CREATE ROLE twin LOGIN; CREATE TABLE load (x int); SELECT dpmix.protect('load', 5, 0, accountant => 'basic'); SELECT dpmix.grant_access('load', 'twin')" >/dev/null
PGUSER=twin charge load 1 >/dev/null
sql "DROP OWNED BY twin; DROP ROLE twin; CREATE ROLE twin LOGIN; SELECT dpmix.grant_access('load', 'twin')" >/dev/null
PGUSER=twin charge load 1 >/dev/null
sql "ALTER TABLE load RENAME TO load_backup; CREATE TABLE load (x int)" >/dev/null 2>&1
"$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres
cluster_data "$CLUSTER/other"
as_server "$BIN/pg_ctl" -D "$CLUSTER/other" -o "-p 5433 -c listen_addresses= -k $CLUSTER/socket" -l "$CLUSTER/log2" -w start >/dev/null
trap 'as_server "$BIN/pg_ctl" -D "$CLUSTER/other" -m immediate stop >/dev/null 2>&1 || true; cluster_stop' EXIT
(
  export PGPORT=5433
  sql "CREATE ROLE first; CREATE ROLE second; CREATE ROLE bea LOGIN; CREATE ROLE twin LOGIN; CREATE TABLE t1 (x int); CREATE TABLE t2 (x int)" >/dev/null
  "$BIN/pg_restore" --no-owner --no-privileges -d postgres "$CLUSTER/dump"
  check_match "other cluster: frozen" PV004 "$(charge people .1)"
  check_match "other cluster: the maker of a model is nobody before adoption" PV006 "$(PGUSER=bea sql "SELECT count(*) FROM dpmix.gmm('model')" || true)"
  check "other cluster: nobody reads charges by a name before adoption" "0|0" "$(PGUSER=bea sql "SELECT count(*) FROM dpmix.ledger")|$(PGUSER=twin sql "SELECT count(*) FROM dpmix.ledger")"
  check_match "other cluster: a table that left its name is not protected afresh before adoption" PV005 "$(sql "SELECT dpmix.protect('load_backup', 5, 0, accountant => 'basic')" || true)"
  adopted=$(sql "SELECT dpmix.adopt_ledger('new server')" | tr '\n' ' ')
  check_match "other cluster: adoption lists the roles that it bound" "bound: bea, postgres, twin; not here: ana, own\." "$adopted"
  check_match "other cluster: nor after it" PV005 "$(sql "SELECT dpmix.protect('load_backup', 5, 0, accountant => 'basic')" || true)"
  sql "SELECT dpmix.protect('load', 5, 0, accountant => 'basic')" >/dev/null
  check_match "other cluster: the table under its name resumes" "spent are epsilon 2 " "$(charge load 9)"
  check "other cluster: of two roles of one name the last is bound" 1 "$(PGUSER=twin sql "SELECT count(*) FROM dpmix.ledger")"
  check_match "other cluster: it knows what was spent" "spent are epsilon 4.5 " "$(charge people 9)"
  check "other cluster: the maker reads the model" 1 "$(PGUSER=bea sql "SELECT count(*) FROM dpmix.gmm('model')")"
  check_match "other cluster: a role that is there has its grant" "$charged" "$(PGUSER=bea charge people .1)"
  sql "CREATE ROLE ana LOGIN" >/dev/null
  check_match "other cluster: a role that was not has none" PV006 "$(PGUSER=ana charge people .1)"
  check "other cluster: nor reads what one of its name was charged" 0 "$(PGUSER=ana sql "SELECT count(*) FROM dpmix.ledger")"
  sql "SELECT dpmix.adopt_ledger('again')" >/dev/null
  check "other cluster: roles are bound once" 0 "$(PGUSER=ana sql "SELECT count(*) FROM dpmix.ledger")"
)

# Parts of a dump.
new_database no_charges
"$BIN/pg_dump" --exclude-table-data=dpmix.charge --exclude-table-data=dpmix.ledger_checkpoint postgres | psql -X -q -d no_charges >/dev/null
check_match "without charges: frozen" PV004 "$(charge people .1 no_charges)"
sql "UPDATE dpmix.protected_table SET relation = format('%I.%I', schema_name, table_name)::regclass" no_charges >/dev/null
check_match "without charges: frozen where identifiers fit, too" "PV004: the ledger was made in another place" "$(charge people .1 no_charges)"
"$BIN/pg_dump" --data-only -t dpmix.charge postgres | psql -X -q -d no_charges >/dev/null
sql "SELECT dpmix.adopt_ledger('charges came later')" no_charges >/dev/null
check_match "charges that come later: the worker that refused reads them" "spent are epsilon 4.5 " "$(charge people 9 no_charges)"
for i in $(seq 40); do echo "SELECT charge_probe('parts', .01);"; done | session >/dev/null
new_database fewer
"$BIN/pg_dump" --exclude-table-data=dpmix.charge --exclude-table-data=dpmix.ledger_checkpoint postgres | psql -X -q -d fewer >/dev/null
check_match "without many: adoption warns that charges are missing" "WARNING.*charges seem to be missing" "$(sql "SELECT dpmix.adopt_ledger('odd')" fewer)"
new_database schema_only; "$BIN/pg_dump" --schema-only postgres | psql -X -q -d schema_only >/dev/null
check_match "schema only: nothing is protected, nothing answers" PV006 "$(charge people .1 schema_only)"
new_database alone; "$BIN/pg_dump" -t people postgres | psql -X -q -d alone >/dev/null 2>&1
check "one table: no ledger comes along" f "$(sql "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'dpmix')" alone)"
new_database lost; "$BIN/pg_dump" -T people -T parts -T part1 -T states postgres | psql -X -q -d lost >/dev/null
check_match "tables left behind: adoption names them" "WARNING.*not here: public.people, public.parts" "$(sql "SELECT dpmix.adopt_ledger('moved')" lost)"
again="SELECT dpmix.protect('people', 10, 1e-6, accountant => 'basic')"
check_match "tables left behind: their records are their owners'" 42501 "$(sql "CREATE TABLE people (age int, wage float8, sex text)" lost; sql "$again" lost || true)"
sql "SELECT dpmix.hand_over('people', 'postgres'); $again" lost >/dev/null
check_match "tables left behind: their charges resume" "spent are epsilon 4.5 " "$(charge people 9 lost)"

# While charges are under way, and into a ledger whose worker had looked before the rows came.
sql "CREATE TABLE busy (x int); SELECT dpmix.protect('busy', 1e6, 0, accountant => 'basic')" >/dev/null
echo "SELECT charge_probe('busy', 1);" >"$CLUSTER/busy.sql"
"$BIN/pgbench" -n -c 4 -t 400 -f "$CLUSTER/busy.sql" >/dev/null 2>&1 & load=$!
wait_until 30 sh -c "[ \$(psql -X -q -A -t -c 'SELECT count(*) FROM dpmix.charge') -gt 100 ]"
"$BIN/pg_dump" -Fc -f "$CLUSTER/live" postgres
wait $load
new_database live; "$BIN/pg_restore" -d live "$CLUSTER/live"
check_match "dumped at work: frozen" PV004 "$(charge busy 1 live)"
sql "SELECT dpmix.adopt_ledger('restored')" live >/dev/null
check "dumped at work: sums are those of its rows" t "$(sums live)"
check_match "dumped at work: the worker's too" "spent are epsilon $(sql "SELECT sum(epsilon) FROM dpmix.charge WHERE relation = 'public.busy'" live) " "$(charge busy 9e6 live)"
check "the original lost nothing" 1600 "$(charges busy)"
