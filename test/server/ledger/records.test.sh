#!/usr/bin/env bash
# What the ledger's records tell and to whom: budgets by table and role, the audit and its export,
# the account of a charge, histories; with checkpoints and without.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster
as() { PGUSER=$1 sql "$2" || true; }  # role statement

sql "CREATE ROLE anna LOGIN; CREATE ROLE aide LOGIN IN ROLE anna; CREATE ROLE team; CREATE ROLE ana LOGIN IN ROLE team;
     CREATE ROLE bob LOGIN; CREATE ROLE idle LOGIN; CREATE ROLE stranger LOGIN; GRANT ALL ON SCHEMA public TO PUBLIC" >/dev/null
as anna "CREATE TABLE people (age int, region text); INSERT INTO people SELECT i % 90, 'north' FROM generate_series(1, 500) i;
     SELECT dpmix.protect('people', 4, 1e-6); SELECT dpmix.set_bounds('people', 'age', 0, 100);
     SELECT dpmix.set_categories('people', 'region', '{north,\"so,uth\"}');
     SELECT dpmix.grant_access('people', 'team', 3), dpmix.grant_access('people', 'bob'), dpmix.grant_access('people', 'idle', .5)" >/dev/null
protected_table other 7
sql "SELECT charge_probe('other', .25)" >/dev/null

# One charge of each kind: ids 2 to 9.
ask() { as "$1" "SELECT count(*) FROM dpmix.query($2) AS t($3)" >/dev/null; }
ask ana "'SELECT dp_count(*) FROM people', .1, 1e-9, 'gaussian'" "n bigint"
ask ana "\$\$SELECT region, dp_count(*), dp_avg(age) FROM people
             WHERE region IN ('no\"rth', 'größe, süd', 'north') GROUP BY region\$\$, .2" "r text, n bigint, a float8"
ask bob "'SELECT dp_count(*), dp_sum(age) FROM people', .1, 1e-9, 'optimal'" "n bigint, s float8"
ask bob "'SELECT dp_count(*) FROM people', .3, 1e-9, 'multi_gaussian'" "n bigint"
ask anna "'SELECT dp_count(*) FROM people', .1, 0, 'staircase'" "n bigint"
as anna "SELECT name FROM dpmix.release_gmm('model', 'people', '{age}', .2, 1e-9, label => 'region', method => 'one_shot')" >/dev/null
as postgres "SELECT count(*) FROM dpmix.cda(NULL::people, '{age}', 10, .2, 1e-8)" >/dev/null
as anna "SELECT dpmix.set_budget('people', 5, 1e-6, 'second survey'), dpmix.revoke_access('people', 'bob')" >/dev/null
ask ana "'SELECT dp_count(*) FROM people', .1, 1e-9, 'gaussian'" "n bigint"
check "all were charged" "9" "$(sql "SELECT count(*) FROM dpmix.charge")"

# Budgets.
budget="SELECT relation, epsilon, epsilon_spent, epsilon_remaining, charges, epsilon_declared, delta_declared, share_spent BETWEEN .01 AND .26 FROM dpmix.budget ORDER BY 1"
people="people|5|1.3|3.7|8|1.3|0.000000015|t"
for role in anna aide ana idle; do check "budget for $role" "$people" "$(as $role "$budget")"; done
for role in bob stranger; do check "no budget for $role" "" "$(as $role "$budget")"; done
check "budgets for a superuser" "other|7|0.25|6.75|1|0.25|0|t
$people" "$(sql "$budget" | sort)"

roles="SELECT relation, role, epsilon_cap, epsilon_declared, cap_remaining, charges, delta_declared, active FROM dpmix.role_budget ORDER BY 1, 2"
of_people="people|bob||0.4||2|0.000000002|f
people|idle|0.5|0|0.5|0|0|t
people|team|3|0.4|2.6|3|0.000000002|t
people|||0.5||3|0.000000011|t"
for role in anna aide; do check "role budgets for $role" "$of_people" "$(as $role "$roles")"; done
check "a member of a role sees its grant alone" "people|team|3|0.4|2.6|3|0.000000002|t" "$(as ana "$roles")"
check "a grant not used yet too" "people|idle|0.5|0|0.5|0|0|t" "$(as idle "$roles")"
for role in bob stranger; do check "no role budget for $role" "" "$(as $role "$roles")"; done
check "role budgets for a superuser" "5" "$(sql "SELECT count(*) FROM dpmix.role_budget")"
check "the roles add up to the table" "t" "$(sql "SELECT bool_and(b.charges = r.charges AND b.epsilon_declared = r.epsilon) FROM dpmix.budget b
  JOIN (SELECT relation, sum(charges) AS charges, sum(epsilon_declared) AS epsilon FROM dpmix.role_budget GROUP BY 1) r USING (relation)")"
sql "DROP ROLE idle" >/dev/null 2>&1 || true
check "the grant of a dropped role is no longer in force" "idle||f" "$(as anna "SELECT role, epsilon_cap, active FROM dpmix.role_budget WHERE role = 'idle'")"
sql "CREATE ROLE idle LOGIN" >/dev/null
check "nor is it that of a new role under its name" "" "$(as idle "SELECT relation FROM dpmix.role_budget UNION ALL SELECT relation FROM dpmix.budget")"

# The ledger and the audit: the same rows.
ids() { as "$1" "SELECT string_agg(id::text, ',' ORDER BY id) FROM dpmix.$2"; }
for view in ledger audit; do
  # Whose access was revoked keeps its own charges, not the totals.
  bob=$([ $view = ledger ] && echo 4,5 || true)
  for who in anna:2,3,4,5,6,7,8,9 aide:2,3,4,5,6,7,8,9 ana:2,3,9 "bob:$bob" stranger: postgres:1,2,3,4,5,6,7,8,9; do
    check "$view for ${who%:*}" "${who#*:}" "$(ids "${who%:*}" $view)"
  done
done
check "the audit counts a table's charges" "1,2,3,4,5,6,7,8" "$(as anna "SELECT string_agg(number::text, ',' ORDER BY id) FROM dpmix.audit")"
check "and adds them up" "t|t|t|t" "$(sql "SELECT bool_and(epsilon_after = epsilon + before.e), bool_and(delta_after = delta + before.d),
  bool_and(cost_after = cost + before.c), bool_and(cost_delta_after = cost_delta + before.a) FROM dpmix.audit a CROSS JOIN LATERAL (
    SELECT coalesce(sum(epsilon), 0) e, coalesce(sum(delta), 0) d, coalesce(sum(cost), 0) c, coalesce(sum(cost_delta), 0) a
    FROM dpmix.ledger l WHERE l.id < a.id AND l.relation_now = a.relation_now) before")"
check "its composed total grows" "t" "$(as anna "SELECT bool_and(total_epsilon >= before AND total_epsilon > 0) FROM (
  SELECT total_epsilon, lag(total_epsilon, 1, 0) OVER (ORDER BY id) AS before FROM dpmix.audit) t")"
check "up to that of the budget" "t" "$(as anna "SELECT (SELECT total_epsilon FROM dpmix.audit ORDER BY id DESC LIMIT 1) = epsilon_spent FROM dpmix.budget")"
check "an analyst's totals are those of all charges" "1,2,8" "$(as ana "SELECT string_agg(number::text, ',' ORDER BY id) FROM dpmix.audit")"
check "every release tells sensitivities and scales" "8|t" "$(as anna "SELECT count(*), bool_and(
  (SELECT bool_and((s ->> 'sensitivity')::float8 > 0 AND (s ->> 'scale')::float8 > 0) FROM jsonb_array_elements(statistics) s)) FROM dpmix.ledger")"
check "a mixture tells its noise" "count,sum,square|t" "$(as anna "SELECT string_agg(s ->> 'statistic', ','), bool_and((parameters ->> 'mu')::float8 > 0)
  FROM dpmix.ledger, jsonb_array_elements(statistics) s WHERE kind = 'gmm'")"
check "the noise of a mixture has the variance that mu allows" "t" "$(as anna "SELECT abs(
  sum((s ->> 'scale')::float8 ^ -2) / (min(parameters ->> 'mu')::float8) ^ 2 - 1) < 1e-6
  FROM dpmix.ledger, jsonb_array_elements(statistics) s WHERE kind = 'gmm'")"

# The export.
psql -X -q -U anna -c "\\copy (SELECT * FROM dpmix.audit ORDER BY id) TO '$CLUSTER/audit.csv' CSV HEADER"
check "the export has a line of names" "id,relation,role,granted_to" "$(head -n 1 "$CLUSTER/audit.csv" | cut -d, -f1-4)"
sql "CREATE TABLE exported AS SELECT * FROM dpmix.audit LIMIT 0" >/dev/null
psql -X -q -c "\\copy exported FROM '$CLUSTER/audit.csv' CSV HEADER"
check "the export reads back as it was" "8|0|0" "$(sql "SELECT (SELECT count(*) FROM exported),
  (SELECT count(*) FROM (TABLE exported EXCEPT SELECT * FROM dpmix.audit) x),
  (SELECT count(*) FROM (SELECT * FROM dpmix.audit WHERE relation_now = 'people'::regclass EXCEPT TABLE exported) x)")"
check "texts of queries and all" "1" "$(sql "SELECT count(*) FROM exported WHERE parameters ->> 'query' LIKE E'%\n%no\"rth%größe, süd%'")"

# The account of a charge.
explain() { as "$1" "SELECT value FROM dpmix.explain_charge($2) WHERE item = '$3'"; }
check "every charge is computed again" "9|9|9" "$(sql "SELECT count(*), count(*) FILTER (WHERE meaning ~ '(: matches the record|not computed again)'),
  count(*) FILTER (WHERE EXISTS (SELECT FROM dpmix.explain_charge(id) a WHERE a.item = 'admitted' AND a.value LIKE 'by %'))
  FROM dpmix.ledger l CROSS JOIN LATERAL dpmix.explain_charge(l.id) e WHERE e.item = 'cost'")"
check "but for those of mixtures all match" "8" "$(sql "SELECT count(*) FROM dpmix.ledger l CROSS JOIN LATERAL dpmix.explain_charge(l.id) e
  WHERE e.item = 'cost' AND e.meaning ~ ': matches the record' AND mechanism <> 'multi_gaussian'")"
check_match "an owner sees that of an analyst" "through the grant to team" "$(as anna "SELECT * FROM dpmix.explain_charge(2)")"
check "an analyst sees its own" "epsilon 0.1, delta 0.000000001" "$(explain ana 2 "declared guarantee")"
check "a role without access sees what it was charged" "epsilon 0.1, delta 0.000000001" "$(explain bob 4 "declared guarantee")"
refusal() { as "$1" "SELECT * FROM dpmix.explain_charge($2)" | sed "s/charge $2/charge N/"; }
check_match "another's is refused" "PV006: there is no charge N" "$(refusal ana 4)"
check "as if it did not exist" "$(refusal stranger 12345)" "$(refusal stranger 4)"
check "sums before it" "epsilon 1.2, delta 0.000000014" "$(explain ana 9 before | cut -d, -f1,2)"
check "sums after it" "epsilon 1.3, delta 0.000000015" "$(explain ana 9 after | cut -d, -f1,2)"
check "the budget then in force" "epsilon 4, delta 0.000001" "$(explain ana 2 "budget in force")"
check "and the one set later" "epsilon 5, delta 0.000001" "$(explain ana 9 "budget in force")"
check_match "with its reason" "set by anna at .*: second survey" "$(as ana "SELECT meaning FROM dpmix.explain_charge(9) WHERE item = 'budget in force'")"
check "mu is that of the noise" "t" "$(as ana "SELECT abs(value::float8 * (SELECT (statistics -> 0 ->> 'scale')::float8 FROM dpmix.ledger WHERE id = 2) - 1) < 1e-5
  FROM dpmix.explain_charge(2) WHERE item = 'mu'")"
check "a basic table has no other cost" "0" "$(explain postgres 1 cost)"
as stranger "CREATE FUNCTION yes(bigint, bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
  CREATE OPERATOR public.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = yes)" >/dev/null
check_match "an operator in the search path changes nothing" PV006 "$(as stranger "SET search_path = public, pg_catalog; SELECT * FROM dpmix.explain_charge(2)")"
sql "DROP OPERATOR public.= (bigint, bigint)" >/dev/null

# A view tells a function in WHERE of no row that it does not show.
as stranger "CREATE FUNCTION tell(anyelement) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS \$\$ BEGIN RAISE NOTICE 'told'; RETURN true; END \$\$" >/dev/null
for view in budget role_budget ledger audit budget_history; do
  column=$([ $view = ledger ] || [ $view = audit ] && echo id || echo charges); [ $view = budget_history ] && column=id
  check "$view tells a stranger nothing" "0" "$(as stranger "SELECT count(*) FROM dpmix.$view WHERE tell($column)")"
done
for relation in dpmix_internal.{charge_total,known_table,known_grant} dpmix.{ledger_checkpoint,charge,budget_change,ledger_stamp}; do
  check_match "nobody reads $relation" "42501" "$(as anna "SELECT * FROM $relation")"
done

# Histories.
history="SELECT relation, epsilon, delta, reason, role FROM dpmix.budget_history ORDER BY id"
both="people|4|0.000001|protect|anna
people|5|0.000001|second survey|anna"
for role in anna aide ana; do check "budget history for $role" "$both" "$(as $role "$history")"; done
for role in bob stranger; do check "no budget history for $role" "" "$(as $role "$history")"; done
sql "SELECT dpmix.adopt_ledger('audited')" >/dev/null
check "adoptions for the database owner" "audited|t" "$(sql "SELECT (array_agg(reason ORDER BY id DESC))[1], count(*) > 1 FROM dpmix.ledger_adoptions")"
check "none for others" "0" "$(as anna "SELECT count(*) FROM dpmix.ledger_adoptions")"

# Checkpoints change how sums are found, and nothing else.
told() { as anna "$budget"; as anna "$roles"; as anna "SELECT l.id, e.* FROM dpmix.ledger l CROSS JOIN LATERAL dpmix.explain_charge(l.id) e ORDER BY 1, 2, 3, 4"; }
checkpoint() { sql "INSERT INTO dpmix.ledger_checkpoint (through, table_id, granted_number, charges, epsilon, delta, cost, cost_delta)
  SELECT $1, table_id, granted_number, count(*) + ${2:-0}, sum(epsilon), sum(delta), sum(cost), sum(cost_delta) FROM dpmix.charge
  WHERE id <= $1 GROUP BY table_id, granted_number HAVING max(id) > $(sql "SELECT coalesce(max(through), 0) FROM dpmix.ledger_checkpoint")" >/dev/null; }
told >"$CLUSTER/told"
for through in 3 5 9; do
  checkpoint $through
  told >"$CLUSTER/told.after"
  check "a checkpoint through charge $through" "" "$(diff "$CLUSTER/told" "$CLUSTER/told.after" || true)"
done
ask ana "'SELECT dp_count(*) FROM people', .1, 1e-9, 'gaussian'" "n bigint"
check "charges go on behind it" "people|9|1.4" "$(as anna "SELECT relation, charges, epsilon_declared FROM dpmix.budget")"
check "and in the account" "epsilon 1.3, delta 0.000000015" "$(explain ana 10 before | cut -d, -f1,2)"
checkpoint 10 1000
check "a checkpoint is believed" "people|1009" "$(as anna "SELECT relation, charges FROM dpmix.budget")"

# A table under gdp, whose cost is mu^2.
as anna "CREATE TABLE normal (x int); SELECT dpmix.protect('normal', 4, 1e-6, accountant => 'gdp')" >/dev/null
ask anna "'SELECT dp_count(*) FROM normal', .1, 1e-9, 'gaussian'" "n bigint"
ask anna "'SELECT dp_count(*) FROM normal', .1, 0, 'laplace'" "n bigint"
check "charges under gdp are computed again" "2|t" "$(as anna "SELECT count(*), bool_and(meaning ~ ': matches the record') FROM dpmix.ledger l
  CROSS JOIN LATERAL dpmix.explain_charge(l.id) e WHERE e.item = 'cost' AND accountant = 'gdp'")"
check "the cost of Gaussian noise is mu^2" "t" "$(as anna "SELECT abs(cost * ((statistics -> 0 ->> 'scale')::numeric ^ 2) - 1) < 1e-6
  FROM dpmix.ledger WHERE accountant = 'gdp' AND mechanism = 'gaussian'")"

# Records that nobody but a superuser could have written.
sql "INSERT INTO dpmix.charge (table_id, relation, role, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters)
  SELECT table_id, relation, role, clock_timestamp(), kind, mechanism, epsilon, delta, cost / 2, cost_delta, parameters FROM dpmix.charge WHERE id = 2" >/dev/null
check_match "a cost that was not computed so is pointed out" "DOES NOT MATCH THE RECORD, computed was rho 0.001" "$(sql "SELECT meaning FROM dpmix.explain_charge(13) WHERE item = 'cost'")"
sql "INSERT INTO dpmix.charge (table_id, relation, role, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters)
  SELECT table_id, relation, role, clock_timestamp(), kind, mechanism, 8, 0, 0, 0, parameters FROM dpmix.charge WHERE id = 1" >/dev/null
check "a charge beyond every budget too" "DOES NOT MATCH THE RECORD" "$(sql "SELECT value FROM dpmix.explain_charge(14) WHERE item = 'admitted'")"

# A record that does not say how many numbers neighbours change is not computed again.
ask anna "'SELECT dp_count(*), dp_count(x) FROM normal', .1, 1e-9, 'tulap'" "n bigint, m bigint"
sql "INSERT INTO dpmix.charge (table_id, relation, role, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters)
  SELECT table_id, relation, role, clock_timestamp(), kind, mechanism, epsilon, delta, cost, cost_delta, parameters #- '{statistics,1,cells}'
  FROM dpmix.charge WHERE mechanism = 'tulap' AND relation = 'public.normal' ORDER BY id LIMIT 1" >/dev/null
check_match "a record that says too little is not computed again" "not computed again" "$(sql "SELECT meaning
  FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.charge)) WHERE item = 'cost'")"

# Records outlive the protection and the table.
as anna "ALTER TABLE people RENAME TO persons; SELECT dpmix.move_record('people', 'persons')" >/dev/null
check "a renamed table's charges keep the name of their time" "public.people|persons|t" "$(as anna "SELECT relation, relation_now, still_protected FROM dpmix.ledger WHERE id = 2")"
as anna "SELECT dpmix.unprotect('persons')" >/dev/null
check "charges of an unprotected table" "persons|f" "$(as anna "SELECT relation_now, still_protected FROM dpmix.ledger WHERE id = 2")"
check "its budgets are told no more" "normal|normal" "$(as anna "SELECT (SELECT string_agg(relation::text, ',') FROM dpmix.budget), (SELECT string_agg(relation::text, ',') FROM dpmix.role_budget)")"
check "its history is, to its owner" "2|0" "$(as anna "SELECT count(*) FROM dpmix.budget_history WHERE relation = 'persons'::regclass")|$(as ana "SELECT count(*) FROM dpmix.budget_history")"
as anna "DROP TABLE persons" >/dev/null
check "charges of a dropped table, for who was charged" "public.people||f" "$(as ana "SELECT relation, relation_now, still_protected FROM dpmix.ledger WHERE id = 2")"
check "their account" "epsilon 0.1, delta 0.000000001" "$(explain ana 2 "declared guarantee")"
check "and for superusers" "16" "$(sql "SELECT count(*) FROM dpmix.audit")"
