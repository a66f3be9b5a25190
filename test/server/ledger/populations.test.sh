#!/usr/bin/env bash
# One budget for tables about the same people: what is charged, what may join, what a move carries along, and that
# nothing undoes it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
sql "CREATE ROLE ana LOGIN; CREATE ROLE hospital; CREATE ROLE ward LOGIN IN ROLE hospital; CREATE ROLE stranger LOGIN;
     GRANT ALL ON SCHEMA public TO ana, ward, stranger" >/dev/null
fails() { sql "$1" "${2:-postgres}" 2>&1 || true; }
make() { sql "CREATE TABLE $1 (pid ${2:-int}, x int); INSERT INTO $1 SELECT i::text::${2:-int}, i % 10 FROM generate_series(1, 300) i"; }

# Three tables and joins of two: one accountant's sum over all releases, to the last digit.
budget="4, 1e-5"
for t in people visits jobs alone; do
  make $t >/dev/null
  sql "CREATE UNIQUE INDEX ON $t (pid); ALTER TABLE $t ALTER pid SET NOT NULL"
done
same() {  # accountant: spent by the population, and by one table that had as many releases of the same noise
  sql "SELECT dpmix.create_population('p_$1', $budget, '$1', 'int')" >/dev/null
  local t
  for t in people visits jobs; do sql "SELECT dpmix.protect('$t', population => 'p_$1', privacy_unit => 'pid')" >/dev/null; done
  sql "SELECT dpmix.protect('alone', $budget, privacy_unit => 'pid', accountant => '$1')" >/dev/null
  ask() { sql "SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM $1', $2, $3) AS t(n bigint)" >/dev/null; }
  local n=0 from
  for from in people visits jobs "people JOIN visits USING (pid)" "visits JOIN jobs ON visits.pid = jobs.pid" \
    "jobs JOIN people ON jobs.pid = people.pid" "people JOIN visits USING (pid) JOIN jobs USING (pid)"; do
    n=$((n + 1))
    local delta=1e-7
    [ $((n % 3)) != 2 ] || delta=0
    ask "$from" ".1$n" $delta
    ask alone ".1$n" $delta
  done
  check "$1: seven releases are seven charges" "7 3|2|2" "$(sql "SELECT charges FROM dpmix.populations WHERE name = 'p_$1'") $(
    sql "SELECT string_agg(charges::text, '|' ORDER BY charges DESC) FROM dpmix.budget WHERE population = 'p_$1'")"
  check "$1: spent is one accountant's sum, to the last digit" \
    "$(sql "SELECT epsilon_spent, epsilon_declared, delta_declared, share_spent FROM dpmix.budget WHERE relation = 'alone'::regclass")" \
    "$(sql "SELECT DISTINCT epsilon_spent, epsilon_declared, delta_declared, share_spent FROM dpmix.budget WHERE population = 'p_$1'")"
  check "$1: so is the last line of the audit" \
    "$(sql "SELECT total_epsilon, cost_after, cost_delta_after FROM dpmix.audit WHERE relation = 'public.alone' ORDER BY id DESC LIMIT 1")" \
    "$(sql "SELECT total_epsilon, cost_after, cost_delta_after FROM dpmix.audit WHERE relation <> 'public.alone' ORDER BY id DESC LIMIT 1")"
  check "$1: and what still fits" "$(sql "SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM alone', .01, 1e-7)")" \
    "$(sql "SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM visits JOIN jobs USING (pid)', .01, 1e-7)")"
  check "$1: a join names its tables" '["public.visits", "public.jobs"]' \
    "$(sql "SELECT parameters -> 'tables' FROM dpmix.ledger WHERE relation = 'public.people' ORDER BY id DESC LIMIT 1")"
  check "$1: the records of charges explain themselves" 0 "$(sql "SELECT count(*) FROM dpmix.ledger l, dpmix.explain_charge(l.id) e
    WHERE e.value ~ 'DOES NOT MATCH'")"
  sql "SELECT dpmix.unprotect(t::regclass) FROM unnest('{people,visits,jobs,alone}'::text[]) t" >/dev/null
  for t in people visits jobs alone; do
    # Records of the same names would resume.
    sql "ALTER TABLE $t RENAME TO ${t}_$1; UPDATE dpmix.protected_table SET table_name = '${t}_$1' WHERE table_name = '$t'" >/dev/null; make $t >/dev/null
    sql "CREATE UNIQUE INDEX ON $t (pid); ALTER TABLE $t ALTER pid SET NOT NULL"; done
}
same basic
same renyi
same gdp

# What may not join.
sql "SELECT dpmix.create_population('patients', 10, 1e-5, 'basic', 'int'), dpmix.create_population('others', 10, 1e-5, 'basic')" >/dev/null
make a >/dev/null; make b >/dev/null; make wide bigint >/dev/null; make words text >/dev/null
in_patients="population => 'patients', privacy_unit => 'pid', max_rows_per_unit"
check_match "a name is taken once" "PV005: there is a population" "$(fails "SELECT dpmix.create_population('patients', 1, 0, 'basic')")"
check_match "a type without an order is no unit" "PV005: unit_type" "$(fails "SELECT dpmix.create_population('j', 1, 0, 'basic', 'json')")"
check_match "there is no population of another name" PV006 "$(fails "SELECT dpmix.protect('a', population => 'nobody', privacy_unit => 'pid')")"
check_match "a row is no unit" "DETAIL:  It has no privacy_unit" "$(fails "SELECT dpmix.protect('a', population => 'patients')")"
check_match "a bigint is no int" "PV005: .*another type than the units" "$(fails "SELECT dpmix.protect('wide', $in_patients => 2)")"
check_match "nor is a text" "PV005: .*another type than the units" "$(fails "SELECT dpmix.protect('words', $in_patients => 2)")"
check_match "a budget of its own is refused" "PV005: .*has epsilon and delta" "$(fails "SELECT dpmix.protect('a', 1, 0, $in_patients => 2)")"
check_match "and another accountant" "PV005: .*has accountant" "$(fails "SELECT dpmix.protect('a', accountant => 'gdp', $in_patients => 2)")"
check_match "label is refused" "PV005" "$(fails "SELECT dpmix.protect('a', adjacency => 'label', label => 'x', $in_patients => 1)")"
check_match "without a population a budget is needed" "PV005" "$(fails "SELECT dpmix.protect('a')")"
check "nothing of that is on record" 0 "$(sql "SELECT count(*) FROM dpmix.protected_table WHERE table_name IN ('a', 'wide', 'words')")"
sql "SELECT dpmix.protect('a', $in_patients => 3), dpmix.protect('b', $in_patients => 5)" >/dev/null
check_match "another adjacency is refused" "DETAIL:  Its adjacency is replace" "$(make c >/dev/null; fails "SELECT dpmix.protect('c', adjacency => 'replace', $in_patients => 1)")"
check_match "a table in two populations" "PV005: .*is in population \"patients\"" "$(fails "SELECT dpmix.join_population('a', 'others')")"
check_match "not after unprotect either" "PV005: .*is in population \"patients\"" \
  "$(fails "SELECT dpmix.unprotect('a'); SELECT dpmix.protect('a', population => 'others', privacy_unit => 'pid', max_rows_per_unit => 3)")"
check_match "nor with a budget of its own" "PV005: .*is in population \"patients\"" \
  "$(fails "SELECT dpmix.unprotect('a'); SELECT dpmix.protect('a', 10, 0, accountant => 'basic', privacy_unit => 'pid', max_rows_per_unit => 3)")"
check "unprotect keeps the population" patients "$(sql "SELECT dpmix.unprotect('a'); SELECT dpmix.protect('a', $in_patients => 3);
  SELECT population FROM dpmix.budget WHERE relation = 'a'::regclass" | tail -1)"
check_match "a superuser's UPDATE takes no table out" "PV002" "$(fails "UPDATE dpmix.protected_table SET account = NULL WHERE table_name = 'a'")"
check_match "nor under replica" "PV002" "$(fails "SET session_replication_role = replica; UPDATE dpmix.protected_table SET account = 0 WHERE table_name = 'a'")"
check_match "populations are not deleted" "PV002" "$(fails "DELETE FROM dpmix.population")"
sql "ALTER TABLE b ALTER pid TYPE text" >/dev/null
check_match "a unit column that got another type is charged no more" "PV005: .*another type" \
  "$(fails "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM b', 1) AS t(n bigint)")"
sql "ALTER TABLE b ALTER pid TYPE int USING pid::int" >/dev/null
sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM b', 1) AS t(n bigint)" >/dev/null
check_match "another unit column is refused once the population was charged" "PV005: privacy_unit" \
  "$(fails "SELECT dpmix.unprotect('a'); SELECT dpmix.protect('a', population => 'patients', privacy_unit => 'x', max_rows_per_unit => 3)")"
check_match "and a table of it is not declared public" "PV005" "$(fails "SELECT dpmix.unprotect('a'); SELECT dpmix.declare_public('a')")"
check_match "set_budget of one table is refused" "PV005: the budget of public.a is that of population" "$(fails "SELECT dpmix.set_budget('a', 5, 0, 'x')")"
check "that of the population is not" "12" "$(sql "SELECT dpmix.set_budget(population => 'patients', epsilon => 12, delta => 1e-5, reason => 'more');
  SELECT DISTINCT epsilon FROM dpmix.budget WHERE population = 'patients'" | tail -1)"
check_match "it is enforced for all tables together" "spent are epsilon 1 " "$(fails "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM a', 11.5) AS t(n bigint)")"
sql "DROP TABLE a" >/dev/null; make a >/dev/null; sql "SELECT dpmix.unprotect('a')" >/dev/null
check_match "a table made anew under the name is in the population still" "PV005: .*is in population" \
  "$(fails "SELECT dpmix.protect('a', 10, 0, accountant => 'basic', privacy_unit => 'pid', max_rows_per_unit => 3)")"
sql "SELECT dpmix.protect('a', $in_patients => 3)" >/dev/null

# Who may.
PGUSER=ward sql "SET ROLE hospital; SELECT dpmix.create_population('beds', 5, 0, 'basic', 'int')" >/dev/null
PGUSER=ward sql "CREATE TABLE bed (pid int NOT NULL UNIQUE); SELECT dpmix.protect('bed', population => 'beds', privacy_unit => 'pid')" >/dev/null
check_match "a stranger adds no table to a population" 42501 \
  "$(PGUSER=stranger fails "CREATE TABLE cheap (pid int NOT NULL UNIQUE); SELECT dpmix.protect('cheap', population => 'beds', privacy_unit => 'pid')")"
check_match "nor sets its budget" 42501 "$(PGUSER=stranger fails "SELECT dpmix.set_budget(population => 'beds', epsilon => 9, delta => 0, reason => 'x')")"
check "nor sees it" "0 1" "$(PGUSER=stranger sql "SELECT count(*) FROM dpmix.populations") $(PGUSER=ward sql "SELECT count(*) FROM dpmix.populations")"
check_match "nor looks into the catalog" 42501 "$(PGUSER=stranger fails "SELECT FROM dpmix.population")"

# Moves. Probes charge tables of one row a unit.
probe_table() { sql "CREATE TABLE $1 (pid int NOT NULL UNIQUE); SELECT dpmix.protect('$1', ${2:-10}, 1e-5, privacy_unit => 'pid', accountant => 'basic')" >/dev/null; }
sql "SELECT dpmix.create_population('moved', 5, 1e-5, 'basic')" >/dev/null
for t in m1 m2 m3 m4; do probe_table $t; done
sql "SELECT charge_probe('m1', 1); SELECT charge_probe('m1', 1.25); SELECT charge_probe('m2', 2); SELECT charge_probe('m3', 3)" >/dev/null
state() { sql "SELECT table_name, account, renyi_order FROM dpmix.protected_table ORDER BY id; SELECT name, adjacency, unit_type FROM dpmix.population ORDER BY id"; }
sql "SELECT dpmix.join_population('m1', 'moved'); SELECT dpmix.join_population('m2', 'moved')" >/dev/null
check "charges move along" "4.25|2|moved 4.25|1|moved" "$(sql "SELECT string_agg(concat_ws('|', epsilon_spent, charges, population), ' ' ORDER BY relation)
  FROM dpmix.budget WHERE relation IN ('m1'::regclass, 'm2'::regclass)")"
before=$(state)
check_match "what does not fit is PV001" "PV001: the charges of public.m3 do not fit" "$(fails "SELECT dpmix.join_population('m3', 'moved')")"
check "and changes nothing" "$before" "$(state)"
check_match "the worker, awake all the while, has noticed" "spent are epsilon 4.25 " "$(fails "SELECT charge_probe('m1', 1)")"
check_match "for a table that was there before, too" "budget of public.m2 \(population \"moved\"\) is exhausted" "$(fails "SELECT charge_probe('m2', .8)")"
sql "SELECT charge_probe('m2', .5); SELECT dpmix.join_population('m4', 'moved')" >/dev/null
check_match "a table without charges joins a population" "spent are epsilon 4.75 " "$(fails "SELECT charge_probe('m4', .5)")"
check "what fits is admitted to the last digit" t "$(sql "SELECT charge_probe('m4', .25) > 0")"
check_match "and no more" "PV001" "$(fails "SELECT charge_probe('m1', 1e-6)")"
wait_until 20 no_worker
check_match "a new worker finds the same" "spent are epsilon 5 " "$(fails "SELECT charge_probe('m4', 1)")"
check_match "an undone move is none" "spent are epsilon 3 " "$(printf '%s\n' "BEGIN; SELECT dpmix.set_budget(population => 'moved', epsilon => 9, delta => 1e-5, reason => 'x');" \
  "SELECT dpmix.join_population('m3', 'moved'); ROLLBACK; SELECT charge_probe('m3', 8);" | session 2>&1 || true)"
check "what is left of the table's own budget is not the population's" "3|" "$(sql "SELECT epsilon_spent, population FROM dpmix.budget WHERE relation = 'm3'::regclass")"
sql "SELECT dpmix.create_population('r', 5, 1e-5); CREATE TABLE r1 (pid int NOT NULL UNIQUE); CREATE TABLE r2 (pid int NOT NULL UNIQUE);
     SELECT dpmix.protect('r1', .5, 1e-9, privacy_unit => 'pid'), dpmix.protect('r2', 5, 1e-5, privacy_unit => 'pid')" >/dev/null
check_match "two orders of renyi do not mix" "DETAIL:  Its charges were counted at order" "$(sql "SELECT charge_probe('r1', .01)" >/dev/null; fails "SELECT dpmix.join_population('r1', 'r')")"
check "equal budgets do" "r" "$(sql "SELECT charge_probe('r2', .01, 1e-7)" >/dev/null
  sql "SELECT dpmix.join_population('r2', 'r'); SELECT population FROM dpmix.budget WHERE relation = 'r2'::regclass" | tail -1)"

# A move while both are charged: never more than the population's budget once it is in.
sql "SELECT dpmix.create_population('raced', 100, 1e-5, 'basic')" >/dev/null
for t in r_in r_out; do probe_table $t 100; done
sql "SELECT dpmix.join_population('r_in', 'raced');
     CREATE FUNCTION try_charge(relation regclass, epsilon float8) RETURNS bool LANGUAGE plpgsql AS
     'BEGIN PERFORM charge_probe(relation, epsilon); RETURN true; EXCEPTION WHEN SQLSTATE ''PV001'' OR SQLSTATE ''PV004'' THEN RETURN false; END'" >/dev/null
echo "SELECT try_charge('r_in', 0.1);" >"$CLUSTER/in.sql"; echo "SELECT try_charge('r_out', 0.1);" >"$CLUSTER/out.sql"
"$BIN/pgbench" -n -c 6 -j 2 -t 300 -f "$CLUSTER/in.sql" -f "$CLUSTER/out.sql" >/dev/null 2>&1 & racing=$!
moved=refused
for _ in 1 2 3 4 5; do sleep .05; if sql "SELECT dpmix.join_population('r_out', 'raced')" >/dev/null 2>&1; then moved=moved; break; fi; done
wait $racing
check "a race ends at the budget: moved, and 1000 charges of .1" "moved|1000|100.0" "$moved|$(sql "SELECT count(*), sum(epsilon) FROM dpmix.charge WHERE relation IN ('public.r_in', 'public.r_out')")"

# Caps: a role's charges in the population count together, under the cap of each table.
sql "SELECT dpmix.create_population('capped', 100, 0, 'basic')" >/dev/null
for t in c1 c2; do
  make $t >/dev/null
  sql "CREATE UNIQUE INDEX ON $t (pid); ALTER TABLE $t ALTER pid SET NOT NULL; ALTER TABLE $t OWNER TO ward"
done
sql "ALTER TABLE c2 OWNER TO stranger; GRANT hospital TO stranger; SELECT dpmix.protect('c1', population => 'capped', privacy_unit => 'pid'),
     dpmix.protect('c2', population => 'capped', privacy_unit => 'pid'), dpmix.grant_access('c1', 'ana', 5), dpmix.grant_access('c2', 'ana', 2)" >/dev/null
ana() { PGUSER=ana fails "SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM $1', $2) AS t(n bigint)"; }
check "within both caps" 1 "$(ana "c1 JOIN c2 USING (pid)" 1)"
check_match "a join is within the cap of its second table" "cap of role \"ana\" on public.c2" "$(ana "c1 JOIN c2 USING (pid)" 1.5)"
check "the first table's own is wider" 1 "$(ana c1 1.5)"
check_match "charges there count under the other cap" "cap of role \"ana\" on public.c2" "$(ana c2 1)"
check "role_budget shows it" "c1|2.5|2.5 c2|2.5|0" "$(sql "SELECT string_agg(concat_ws('|', relation, epsilon_declared, cap_remaining), ' ' ORDER BY relation::text)
  FROM dpmix.role_budget WHERE role = 'ana'")"
check "the owner of the second table sees the join in the ledger" "c1" "$(PGUSER=stranger sql "SELECT relation_now FROM dpmix.ledger WHERE parameters ? 'tables'")"
sql "CREATE ROLE team; GRANT team TO ana; SELECT dpmix.revoke_access('c2', 'ana'), dpmix.grant_access('c2', 'team', 4)" >/dev/null
check "a join through two grants is charged to each" "1 team ana" "$(ana "c1 JOIN c2 USING (pid)" .5) $(
  sql "SELECT string_agg(granted_to, ' ' ORDER BY id DESC) FROM (SELECT * FROM dpmix.charge ORDER BY id DESC LIMIT 2) g")"

# So does their rate, also over a move.
sql "SELECT dpmix.create_population('fast', 100, 1e-5, 'basic')" >/dev/null
for t in f1 f2; do probe_table $t 100; sql "SELECT dpmix.grant_access('$t', 'ana', NULL, 0, 3)" >/dev/null; done
sql "SELECT dpmix.join_population('f1', 'fast')" >/dev/null
PGUSER=ana sql "SELECT charge_probe('f2', 1); SELECT charge_probe('f2', 1)" >/dev/null
sql "SELECT dpmix.join_population('f2', 'fast')" >/dev/null
check_match "three charges a minute are three of all tables" '^[0-9]+$' "$(PGUSER=ana fails "SELECT charge_probe('f1', 1)")"
check_match "the fourth is too often" "PV004: .*too often" "$(PGUSER=ana fails "SELECT charge_probe('f1', 1)")"

# Checkpoints are by table: a move after one carries the sums along.
sql "SELECT dpmix.create_population('long', 100, 1e-5, 'basic')" >/dev/null
for t in l1 l2; do probe_table $t 100; done
sql "SELECT count(charge_probe('l1', .01)) FROM generate_series(1, 2500)" >/dev/null
sql "SELECT dpmix.join_population('l1', 'long'); SELECT dpmix.join_population('l2', 'long')" >/dev/null
check "there is a checkpoint" t "$(sql "SELECT count(*) > 0 FROM dpmix.ledger_checkpoint")"
wait_until 20 no_worker
check_match "sums of checkpoints move along" "spent are epsilon 25 " "$(fails "SELECT charge_probe('l2', 90)")"
check "the views have the same" "25.00" "$(sql "SELECT epsilon_declared FROM dpmix.budget WHERE relation = 'l2'::regclass")"

# Owner's views.
check "forecast is of the population" "$(sql "SELECT charges, share_spent, charges_left FROM dpmix.forecast('l1')")" "$(sql "SELECT charges, share_spent, charges_left FROM dpmix.forecast('l2')")"
check_match "the report says whose budget it is" "the tables of population <bdi>long</bdi>" "$(sql "SELECT dpmix.report('l2')" | grep -o "the tables of population <[a-z]*[^>]*>[a-z]*</[a-z]*>" | head -1)"
check_match "the picture is of the population" "svg" "$(sql "SELECT left(dpmix.budget_svg('l2'), 4)")"
check "both budgets are in the history" "long|create_population|100 |protect|100" "$(sql "SELECT string_agg(concat_ws('|', coalesce(population, ''), reason, epsilon), ' ' ORDER BY id) FROM dpmix.budget_history WHERE relation = 'l1'::regclass")"

# Dump, restore, adopt: by names.
"$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres
sql "CREATE DATABASE restored" >/dev/null
"$BIN/pg_restore" -j 3 -d restored "$CLUSTER/dump" >"$CLUSTER/restore.log" 2>&1 || true
check "pg_restore has no complaint" "" "$(cat "$CLUSTER/restore.log")"
sql "SELECT dpmix.adopt_ledger('moved to another host')" restored >/dev/null 2>&1
check "all populations are there" "$(sql "SELECT * FROM dpmix.populations ORDER BY name")" "$(sql "SELECT * FROM dpmix.populations ORDER BY name" restored)"
check "and the budgets of all tables" "$(sql "SELECT * FROM dpmix.budget ORDER BY relation::text")" "$(sql "SELECT * FROM dpmix.budget ORDER BY relation::text" restored)"
check_match "charges go on in the population" "spent are epsilon 25 " "$(fails "SELECT charge_probe('l2', 90)" restored)"
check_match "and moves" "PV001: the charges of public.m3 do not fit" "$(fails "SELECT dpmix.join_population('m3', 'moved')" restored)"
check "ids of tables and populations stay apart" t "$(sql "SELECT dpmix.create_population('late', 1, 0, 'basic');
  SELECT max(id) > (SELECT max(id) FROM dpmix.protected_table) AND count(DISTINCT id) = count(*) FROM dpmix.population" restored | tail -1)"
check_match "the owner of a population owns it still" 42501 "$(PGUSER=ana fails "SELECT dpmix.set_budget(population => 'beds', epsilon => 9, delta => 0, reason => 'x')" restored)"
check "by name" "9" "$(PGUSER=ward sql "SELECT dpmix.set_budget(population => 'beds', epsilon => 9, delta => 0, reason => 'x'); SELECT epsilon FROM dpmix.populations WHERE name = 'beds'" restored | tail -1)"
