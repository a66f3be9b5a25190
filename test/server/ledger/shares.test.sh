#!/usr/bin/env bash
# A grant may take a share of the budget, composed as the budget is: decided by the ledger worker, also of blocks, of
# populations and of what memory shows; after restarts, and with previews that agree.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 200ms" "dpmix.memory_keep = 0"
sql "GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE bob LOGIN" >/dev/null
charged='^[0-9]+$'
charge() { PGUSER=$1 sql "SELECT charge_probe('$2', $3)" || true; }  # role, table, epsilon[, delta]
grant() { PGUSER=olga sql "SELECT dpmix.grant_access('$1', '$2', min_epsilon => 0, max_charges_per_minute => NULL$3)" >/dev/null; }
make() { PGUSER=olga sql "SET client_min_messages = warning; CREATE TABLE $1 (x int, day date); INSERT INTO $1 SELECT i, date '2026-01-01' + i % 9 FROM generate_series(1, 90) i; SELECT dpmix.protect('$1', $2)" >/dev/null; }
# How many charges of the same kind a role gets, one after the other in one session.
sql "CREATE FUNCTION until_refused(relation regclass, epsilon float8, delta float8, most int) RETURNS int LANGUAGE plpgsql AS \$\$
  DECLARE n int := 0; BEGIN WHILE n < most LOOP PERFORM charge_probe(relation, epsilon, delta); n := n + 1; END LOOP; RETURN n;
  EXCEPTION WHEN SQLSTATE 'PV001' THEN RETURN n; END \$\$" >/dev/null

# basic: a share of epsilon, to the last digit.
make plain "4, 0, accountant => 'basic'"
grant plain ana ", share => 0.25"
check "a quarter of epsilon 4 are ten charges of .1" 10 "$(PGUSER=ana sql "SELECT until_refused('plain', .1, 0, 50)")"
check_match "the eleventh is refused, in words" 'PV001: +share of role "ana" in the budget of public.plain is exhausted|PV001: share of role "ana" in the budget of public.plain is exhausted' "$(charge ana plain .1)"
check_match "with what is taken and what is allowed" 'take 0.25 of the budget, composed as all charges are; the grant allows 0.25 of it' "$(charge ana plain .1)"
check_match "and what to do" 'Nothing more fits; the owner may give the role "ana" a larger share' "$(charge ana plain .1)"
check "the views show it" "0.25|0.25|1.0" "$(PGUSER=ana sql "SELECT share_cap, share_spent, epsilon_declared FROM dpmix.role_budget WHERE relation = 'plain'::regclass AND role = 'ana'")"
check_match "others are not bound by it" "$charged" "$(charge olga plain .1)"
grant plain ana ", share => 0.3"
check "a larger share holds at once" 2 "$(PGUSER=ana sql "SELECT until_refused('plain', .1, 0, 50)")"
wait_until 10 no_worker
check_match "a worker that starts anew knows what was taken" PV001 "$(charge ana plain .1)"
check_match "the hint has what fits" 'largest epsilon that still fits with delta 0 is 0.05' "$(PGUSER=ana sql "SELECT charge_probe('plain', .1)" >/dev/null 2>&1; grant plain ana ", share => 0.3125"; charge ana plain .1)"
check_match "a cap beside it holds too" 'PV001.*epsilon cap of role "ana"' "$(grant plain ana ", epsilon => 1.2, share => 1"; charge ana plain .1 | tr '\n' ' ')"
grant plain ana ""
check_match "left out there is none" "$charged" "$(charge ana plain .1)"
for bad in 0 -1 1.01 "'NaN'"; do
  check_match "a share of $bad is refused" PV005 "$(PGUSER=olga sql "SELECT dpmix.grant_access('plain', 'ana', share => $bad)" || true)"
done

# renyi, the default: a role whose charges add up to far more than its share of epsilon.
make many "4, 1e-6"
grant many ana ", share => 0.5"
n=$(PGUSER=ana sql "SELECT until_refused('many', .02, 0, 1000)")
check "a half of epsilon 4 is no sum of 2: many small charges" t "$([ "$n" -gt 100 ] && echo t || echo "$n")"
check "which the gauge says" "t" "$(sql "SELECT share_spent BETWEEN .49 AND .5 AND epsilon_declared > 2 FROM dpmix.role_budget WHERE relation = 'many'::regclass AND role = 'ana'")"
q="SELECT * FROM dpmix.query('SELECT dp_count(*) FROM many', .05, 1e-9, 'gaussian') AS t(n bigint)"
make calls "1, 1e-5"
grant calls ana ", share => 0.1"
foretold=$(PGUSER=ana sql "SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM calls', .05, 1e-9, 'gaussian')")
check "a preview says that the role's limit comes first" "cap" "$(PGUSER=ana sql "SELECT limited_by FROM dpmix.preview('SELECT dp_count(*) FROM calls', .05, 1e-9, 'gaussian')")"
asked=0
while [ "$asked" -le "$foretold" ] && PGUSER=ana sql "${q//many/calls}" >/dev/null 2>&1; do asked=$((asked + 1)); done
check "queries are admitted as often as it says" "$foretold" "$asked"
check_match "then the hint names the share" 'largest epsilon at which this call still fits.*larger share: dpmix.grant_access with another share' "$(PGUSER=ana sql "${q//many/calls}" | tr '\n' ' ' || true)"

# A population: all that the role has there, by the share of each table.
PGUSER=olga sql "SELECT dpmix.create_population('folk', 2, 0, 'basic', 'int');
  CREATE TABLE p1 (id int PRIMARY KEY); CREATE TABLE p2 (id int PRIMARY KEY);
  SELECT dpmix.protect(r, population => 'folk', privacy_unit => 'id') FROM unnest('{p1,p2}'::regclass[]) r" >/dev/null
grant p1 ana ", share => 0.5"
grant p2 ana ", share => 0.25"
check_match "one table" "$charged" "$(charge ana p1 .5)"
check_match "what was asked of one counts in the share of the other" 'share of role "ana" in the budget of public.p2 \(population "folk"\)' "$(charge ana p2 .1)"
check_match "a join is within the share of each" 'PV001.*public.p2' "$(PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM p1 JOIN p2 USING (id)', .1) AS t(n bigint)" | tr '\n' ' ' || true)"
check_match "the larger share goes on" "$charged" "$(charge ana p1 .5)"

# Blocks: a share of the budget of each block.
PGUSER=olga sql "CREATE TABLE days (x int, day date); INSERT INTO days SELECT i, date '2026-01-01' + i % 9 FROM generate_series(1, 90) i;
  SELECT dpmix.protect('days', 4, 0, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01')" >/dev/null
grant days ana ", share => 0.25"
block() { PGUSER=${2:-ana} sql "SELECT charge_blocks_probe('days', .5, 0, $1)" || true; }
check_match "a block" "$charged" "$(block "1, 3")"
check_match "again" "$charged" "$(block "3, 5")"
check_match "of the block that has both a quarter is taken" 'PV001.*share of role "ana"' "$(block "2, 3" | tr '\n' ' ')"
check_match "other blocks are not" "$charged" "$(block "1, 2")"
check_match "block 1 is now" PV001 "$(block "1, 1")"
check_match "the owner goes on" "$charged" "$(block "1, 3" olga)"
wait_until 10 no_worker
check_match "also for a worker that starts anew" PV001 "$(block "2, 2")"
check_match "and blocks that were asked once have room" "$charged" "$(block "4, 5")"
check "for once" "PV001 PV001" "$(block "4, 4" | grep -o PV001) $(block "5, 9" | grep -o PV001)"
days() { PGUSER=ana sql "SELECT min(calls_left) FROM dpmix.preview(\$q\$SELECT dp_count(*) FROM days WHERE day $1\$q\$, .5)"; }
check "a preview of blocks says so" "0 2" "$(days "= '2026-01-04'") $(days "= '2026-01-08'")"
# Two sessions and a share: never more than it allows.
grant days bob ", share => 0.25"
sql "CREATE FUNCTION try_block(first bigint, last bigint) RETURNS bool LANGUAGE plpgsql AS
     'BEGIN PERFORM charge_blocks_probe(''days'', .01, 0, first, last); RETURN true; EXCEPTION WHEN SQLSTATE ''PV001'' THEN RETURN false; END'" >/dev/null
echo "SELECT try_block(20, 24);" >"$CLUSTER/left.sql"; echo "SELECT try_block(23, 28);" >"$CLUSTER/right.sql"
PGUSER=bob "$BIN/pgbench" -n -c 4 -j 2 -t 60 -f "$CLUSTER/left.sql" -f "$CLUSTER/right.sql" >/dev/null 2>&1
check "a race for blocks 23 and 24 admits 100 charges of .01" "100|1" "$(sql "SELECT charges, epsilon_declared FROM dpmix.blocks('days') WHERE first_block = 23")"

# What memory shows of others' charges counts as if the role had paid.
make kept "1000, 1e-3, accountant => 'gdp'"
PGUSER=olga sql "SELECT dpmix.set_memory('kept', '1 day', 'table')" >/dev/null
grant kept ana ""
grant kept bob ", share => 0.05"
answer() { PGUSER=$1 sql "SET client_min_messages = error; SELECT n FROM dpmix.query('SELECT dp_count(*) FROM kept WHERE x > $2', $3, 1e-9, 'gaussian') AS t(n bigint)" || true; }
first=$(answer ana 1 .5)
check "a first sight is the same answer" "$first" "$(answer bob 1 .5)"
check "and counts" t "$(PGUSER=bob sql "SELECT share_spent > 0 AND charges = 0 FROM dpmix.role_budget WHERE relation = 'kept'::regclass AND role = 'bob'")"
answer ana 2 300 >/dev/null
check_match "what is more than its share is not shown" "PV001" "$(answer bob 2 300)"
check "which costs nothing" "t" "$(PGUSER=bob sql "SELECT charges = 0 FROM dpmix.role_budget WHERE relation = 'kept'::regclass AND role = 'bob'")"
wait_until 10 no_worker
check_match "nor after a restart of the worker" PV001 "$(answer bob 2 300)"

# Policies.
check "a policy says it" 0.25 "$(PGUSER=olga sql "SELECT dpmix.policy('public') #>> '{tables,days,grant_access,ana,share}'")"
changed() { PGUSER=olga sql "SELECT what, from_value, to_value, needs FROM dpmix.apply(jsonb_set(dpmix.policy('public'), '{tables,days,grant_access,ana,share}', '$1'), dry_run => true)"; }
check "a larger share loosens" "grant_access ana: share|0.25|0.5|grants" "$(changed 0.5)"
check "a smaller one does not" "grant_access ana: share|0.25|0.1|" "$(changed 0.1)"
check "none at all does" "grant_access ana: share|0.25||grants" "$(PGUSER=olga sql "SELECT what, from_value, to_value, needs FROM dpmix.apply(dpmix.policy('public') #- '{tables,days,grant_access,ana,share}', dry_run => true)")"
check "applied as it is it changes nothing" "" "$(PGUSER=olga sql "SELECT * FROM dpmix.apply(dpmix.policy('public'))")"
