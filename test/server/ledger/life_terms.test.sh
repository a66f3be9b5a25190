#!/usr/bin/env bash
# What an owner declares, changes and takes back: terms, budgets, columns, partitions. Each change is on
# record, none refunds.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
basic="0, accountant => 'basic'"
charged='^[0-9]+$'
charge() { sql "SELECT charge_probe('$1', $2)" || true; }

# protect() and unprotect().
session <<<"BEGIN; CREATE TABLE never (x int); SELECT dpmix.protect('never', 1, $basic); ROLLBACK;" >/dev/null
check "protect() undone leaves no record" 0 "$(sql "SELECT count(*) FROM dpmix.protected_table WHERE table_name = 'never'")"
protected_table terms 2
sql "SELECT dpmix.unprotect('terms'); SELECT dpmix.protect('terms', 2, 1e-6, adjacency => 'replace')" >/dev/null
check_match "before a charge terms may change" "$charged" "$(charge terms .5)"
order=$(sql "SELECT renyi_order FROM dpmix.protected_table WHERE table_name = 'terms'")
sql "SELECT dpmix.unprotect('terms')" >/dev/null
check_match "afterwards the accountant may not" "PV005: accountant" "$(sql "SELECT dpmix.protect('terms', 2, 1e-6, adjacency => 'replace', accountant => 'basic')" || true)"
check_match "nor the neighbours" "PV005: adjacency" "$(sql "SELECT dpmix.protect('terms', 2, 1e-6)" || true)"
sql "SELECT dpmix.protect('terms', 9, 1e-3, adjacency => 'replace')" >/dev/null
check "another budget may, with the order of the charges" "$order" "$(sql "SELECT renyi_order FROM dpmix.protected_table WHERE table_name = 'terms'")"
session <<<"BEGIN; SELECT dpmix.unprotect('terms'); ROLLBACK;" >/dev/null
check_match "unprotect() undone" "$charged" "$(charge terms .5)"
sql "CREATE TABLE twice (x int)" >/dev/null
for i in 1 2 3 4; do sql "SELECT dpmix.protect('twice', $i, $basic)" >"$CLUSTER/twice.$i" || true & racers+=($!); done
for racer in "${racers[@]}"; do wait "$racer" || true; done
check "of four concurrent protect() three are refused" 3 "$(cat "$CLUSTER"/twice.* | grep -c 'PV005: table public.twice is protected already')"
check "and one budget is recorded" 1 "$(sql "SELECT count(*) FROM dpmix.budget_change b JOIN dpmix.protected_table p ON p.id = table_id WHERE table_name = 'twice'")"

# Budgets are records.
protected_table money 5
charge money 3 >/dev/null
sql "CREATE ROLE boss LOGIN; GRANT CREATE ON SCHEMA public TO boss; ALTER TABLE money OWNER TO boss" >/dev/null
PGUSER=boss sql "SELECT dpmix.set_budget('money', 2, 0, 'too generous')" >/dev/null
check_match "below what is spent everything is refused" "PV001.*exhausted" "$(charge money .000001)"
check "nothing remains" "2|3|0" "$(sql "SELECT epsilon, epsilon_spent, epsilon_remaining FROM dpmix.budget WHERE relation = 'money'::regclass")"
session <<<"BEGIN; SELECT dpmix.set_budget('money', 50, 0, 'never'); ROLLBACK;" >/dev/null
check_match "a budget that was undone never held" "PV001" "$(charge money .1)"
check_match "nor does one that is not committed" "PV001" "$(session <<<"BEGIN; SELECT dpmix.set_budget('money', 50, 0, 'soon'); SELECT charge_probe('money', 1); ROLLBACK;" || true)"
PGUSER=boss sql "SELECT dpmix.set_budget('money', 4, 0, 'second thoughts')" >/dev/null
check_match "raised, it goes on" "$charged" "$(charge money 1)"
check "every budget is on record: what, who, why, in order" "5|postgres|protect 2|boss|too generous 4|boss|second thoughts" \
  "$(sql "SELECT string_agg(concat_ws('|', b.epsilon, b.role, b.reason), ' ' ORDER BY b.id) FROM dpmix.budget_change b JOIN dpmix.protected_table p ON p.id = table_id WHERE table_name = 'money'")"
check "and when" t "$(sql "SELECT bool_and(at BETWEEN pg_postmaster_start_time() AND clock_timestamp()) FROM dpmix.budget_change")"
check_match "a reason is asked for" "PV005: a reason" "$(sql "SELECT dpmix.set_budget('money', 4, 0, ' ')" || true)"
for change in "UPDATE dpmix.budget_change SET epsilon = 99" "DELETE FROM dpmix.budget_change" "TRUNCATE dpmix.budget_change" \
  "UPDATE dpmix.ledger_stamp SET timeline = 9" "DELETE FROM dpmix.ledger_checkpoint" "DELETE FROM dpmix.charge" "TRUNCATE dpmix.charge"; do
  check_match "refused to a superuser: $change" "PV002.*append-only" "$(sql "$change" || true)"
  check_match "no right for its owner: $change" "42501" "$(PGUSER=boss sql "$change" || true)"
done
sql "SELECT dpmix.unprotect('money'); SELECT dpmix.protect('money', 9, $basic)" >/dev/null
check_match "protect() anew takes a budget, not the charges" "spent are epsilon 4 .*total is epsilon 9 " "$(charge money 6)"

# adopt_ledger().
check_match "an owner of tables adopts nothing" "42501" "$(PGUSER=boss sql "SELECT dpmix.adopt_ledger('mine')" || true)"
check_match "a reason is asked for here too" "PV005: a reason" "$(sql "SELECT dpmix.adopt_ledger('')" || true)"
check_match "where nothing is wrong it says what there is" "NOTICE.*goes on here with 4 charges" "$(sql "SELECT dpmix.adopt_ledger('to be sure')")"
check_match "and nothing changes" "$charged" "$(charge money 1)"
sql "CREATE ROLE dba LOGIN" >/dev/null; sql "CREATE DATABASE own OWNER dba" >/dev/null
install_probe own; protected_table there 1 own
sql "CREATE ROLE keeper LOGIN; ALTER ROLE dba CREATEDB; ALTER TABLE there OWNER TO keeper" own >/dev/null
check_match "the database's owner adopts nothing for the owners of tables" "42501: you may not adopt the ledger of public.there" "$(PGUSER=dba sql "SELECT dpmix.adopt_ledger('one')" own || true)"
wait_until 10 no_worker own
PGUSER=dba sql "CREATE DATABASE clone TEMPLATE own" >/dev/null
check_match "nor in a clone, which would have the budget again" "42501: you may not adopt the ledger of public.there" "$(PGUSER=dba sql "SELECT dpmix.adopt_ledger('one')" clone || true)"
check_match "which stays frozen" "PV004: the ledger was made in another place" "$(sql "SELECT charge_probe('there', .1)" clone || true)"
check_match "nor does an owner of tables adopt a database" 42501 "$(PGUSER=keeper sql "SELECT dpmix.adopt_ledger('one')" clone || true)"
wait_until 10 no_worker clone  # which looked at the ledger there
sql "DROP DATABASE clone" >/dev/null; sql "GRANT keeper TO dba" >/dev/null
PGUSER=dba sql "SELECT dpmix.adopt_ledger('one'); SELECT dpmix.adopt_ledger('two')" own >/dev/null
check "with their rights it may, each time on record" "postgres|first protect() dba|one dba|two" \
  "$(sql "SELECT string_agg(role || '|' || reason, ' ' ORDER BY id) FROM dpmix.ledger_stamp" own)"

# Columns under declared bounds, categories, unit and label.
sql "CREATE TYPE vec AS (a int, d date); CREATE TABLE cols OF vec; CREATE TABLE stranger (a int, d date);
     SELECT dpmix.protect('cols', 1, $basic); SELECT dpmix.set_bounds('cols', 'a', 0, 9); SELECT dpmix.set_bounds('cols', 'd', date '2000-01-01', date '2020-01-01')" >/dev/null
domains() { sql "SELECT string_agg(column_name, ' ' ORDER BY attnum) FROM dpmix.column_domain d JOIN dpmix.protected_table p ON p.id = table_id WHERE table_name = '$1'"; }
sql "ALTER TYPE vec RENAME ATTRIBUTE a TO b CASCADE" >/dev/null; check "domains follow the attributes of a row type" "b d" "$(domains cols)"
sql "ALTER TABLE stranger RENAME a TO b" >/dev/null; check "not the columns of others" "b d" "$(domains cols)"
sql "ALTER TYPE vec ALTER ATTRIBUTE d TYPE timestamp CASCADE" >/dev/null; check "a new type unmakes bounds" "b" "$(domains cols)"
sql "ALTER TYPE vec DROP ATTRIBUTE b CASCADE" >/dev/null; check "so does dropping a column" "" "$(domains cols)"
sql "CREATE TABLE tree (a int, d date); CREATE TABLE leaf () INHERITS (tree); SELECT dpmix.protect('leaf', 1, $basic); SELECT dpmix.set_bounds('leaf', 'a', 0, 9);
     SELECT dpmix.set_bounds('leaf', 'd', date '2000-01-01', date '2020-01-01')" >/dev/null
sql "ALTER TABLE tree RENAME a TO b" >/dev/null; check "a column renamed in the parent" "b d" "$(domains leaf)"
sql "ALTER TABLE tree ALTER d TYPE timestamp" >/dev/null; check "retyped in the parent" "b" "$(domains leaf)"
sql "ALTER TABLE tree DROP b" >/dev/null; check "dropped in the parent" "" "$(domains leaf)"
sql "CREATE TABLE unit (id int NOT NULL UNIQUE, other int NOT NULL UNIQUE); SELECT dpmix.protect('unit', 9, $basic, privacy_unit => 'id')" >/dev/null
unit() { sql "SELECT privacy_unit FROM dpmix.protected_table WHERE table_name = 'unit'"; }
session <<<"BEGIN; ALTER TABLE unit RENAME id TO tmp; ALTER TABLE unit RENAME other TO id; ALTER TABLE unit RENAME tmp TO other; COMMIT;"
check "a unit follows its column through a swap of names" other "$(unit)"
sql "CREATE ROLE eve LOGIN; GRANT CREATE ON SCHEMA public TO eve; ALTER TABLE unit DROP other" >/dev/null
PGUSER=eve sql "CREATE TABLE eves (other int, id int); ALTER TABLE eves DROP id; ALTER TABLE eves RENAME other TO id" >/dev/null
check "a rename elsewhere does not change the unit" other "$(unit)"
check_match "a unit whose column is gone is not charged" "PV005" "$(charge unit 1)"
sql "CREATE TYPE rec AS (x int, diag text); CREATE TABLE lab OF rec; SELECT dpmix.protect('lab', 9, $basic, adjacency => 'label', label => 'diag');
     ALTER TYPE rec RENAME ATTRIBUTE diag TO was CASCADE; ALTER TYPE rec RENAME ATTRIBUTE x TO diag CASCADE" >/dev/null
check "a label follows the attribute of a row type" was "$(sql "SELECT label FROM dpmix.protected_table WHERE table_name = 'lab'")"
check_match "a label whose column is gone is not charged" "PV005: label column" "$(sql "ALTER TYPE rec DROP ATTRIBUTE was CASCADE"; charge lab 1)"

# Partitions and children: rows have one budget.
sql "CREATE TABLE whole (x int) PARTITION BY RANGE (x); CREATE TABLE part1 PARTITION OF whole FOR VALUES FROM (0) TO (10);
     CREATE TABLE part2 (x int); SELECT dpmix.protect('whole', 9, $basic)" >/dev/null
charge whole 1 >/dev/null
check_match "a partition of a protected table gets no budget" "PV005.*shares rows" "$(sql "SELECT dpmix.protect('part1', 9, $basic)" || true)"
sql "SELECT dpmix.unprotect('whole')" >/dev/null
check_match "nor after the whole was charged and unprotected" "PV005.*whole, which is charged already" "$(sql "SELECT dpmix.protect('part1', 9, $basic)" || true)"
sql "SELECT dpmix.protect('whole', 9, $basic)" >/dev/null  # resumes
check_match "DETACH is warned of" "WARNING.*rows leave the budget of public.whole" "$(sql "ALTER TABLE whole DETACH PARTITION part1")"
check_match "also concurrently" "WARNING.*rows leave the budget of public.whole" "$(sql "ALTER TABLE whole ATTACH PARTITION part1 FOR VALUES FROM (0) TO (10)"; sql "ALTER TABLE whole DETACH PARTITION part1 CONCURRENTLY")"
check_match "the whole goes on with its charges" "spent are epsilon 1 " "$(charge whole 9)"
check_match "the part is not protected by itself" "PV005: rows of public.part1 are on record under the name public.whole" "$(sql "SELECT dpmix.protect('part1', 9, $basic)" || true)"
check "it may come back" "" "$(sql "ALTER TABLE whole ATTACH PARTITION part1 FOR VALUES FROM (0) TO (10)")"
check_match "and leave under a renamed whole" "WARNING.*rows leave the budget of public.whole" "$(sql "ALTER TABLE whole RENAME TO w" >/dev/null 2>&1; sql "ALTER TABLE w DETACH PARTITION part1"; sql "ALTER TABLE w RENAME TO whole" >/dev/null 2>&1)"
sql "SELECT dpmix.protect('part2', 9, $basic)" >/dev/null
check_match "a protected table is not attached" "PV002.*cannot become part" "$(sql "ALTER TABLE whole ATTACH PARTITION part2 FOR VALUES FROM (10) TO (20)" || true)"
sql "SELECT charge_probe('part2', 1); SELECT dpmix.unprotect('part2')" >/dev/null
check_match "nor one that was charged" "PV002.*cannot become part" "$(sql "ALTER TABLE whole ATTACH PARTITION part2 FOR VALUES FROM (10) TO (20)" || true)"
sql "CREATE TABLE free (x int); SELECT dpmix.protect('free', 1, $basic); SELECT dpmix.unprotect('free')" >/dev/null
check "one that was never charged is" "" "$(sql "ALTER TABLE whole ATTACH PARTITION free FOR VALUES FROM (20) TO (30)")"
sql "CREATE TABLE mother (x int); CREATE TABLE child () INHERITS (mother); SELECT dpmix.protect('mother', 1, $basic)" >/dev/null
check_match "NO INHERIT is warned of" "WARNING.*rows leave the budget of public.mother" "$(sql "ALTER TABLE child NO INHERIT mother")"
check "where no budget is, nobody is warned" "" "$(sql "CREATE TABLE m2 (x int); CREATE TABLE c2 () INHERITS (m2); ALTER TABLE c2 NO INHERIT m2")"
