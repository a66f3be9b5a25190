#!/usr/bin/env bash
# Names: objects that look like PostgreSQL's or dpmix's own, search paths, settings of sessions, roles
# and the database. An attack worked if the attacker's object was run with somebody else's rights (the
# sink fills), if a charge is missing, or if a charge says something else than what was asked.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "client_min_messages = warning"
# Whoever runs an attacker's object leaves a line here.
sql "CREATE TABLE sink (who name, what text); GRANT INSERT ON sink TO PUBLIC; CREATE SCHEMA evil AUTHORIZATION mallory; GRANT USAGE ON SCHEMA evil TO PUBLIC"
caught() { sql "SELECT coalesce(string_agg(DISTINCT who || ':' || what, ' '), 'nobody') FROM sink"; }
recorded() { sql "SELECT relation, role, granted_to, kind, mechanism, epsilon, delta, parameters->>'query' FROM dpmix.charge ORDER BY id DESC LIMIT 1"; }
all_names="SELECT sex, dp_count(*), dp_sum(wage), dp_avg(wage) FROM public.people WHERE id = 5 OR sex IN ('F', 'M') AND wage < 50 GROUP BY sex"
named="dpmix.query(\$q\$$all_names\$q\$, .001, mechanism => 'laplace') AS t(sex text, n bigint, s float8, a float8)"
expected="public.people|ana|ana|query|laplace|0.001|0|$all_names"

# A schema full of traps: tables, functions, operators, aggregates and casts under the names that
# dpmix uses inside, all for the types that it uses them with.
trap_objects() {  # schema
  cat <<SQL
CREATE FUNCTION $1.spring(what text) RETURNS boolean LANGUAGE sql AS \$\$ INSERT INTO public.sink VALUES (current_user, what) RETURNING true \$\$;
$(for t in protected_table budget_change column_domain access charge ledger_checkpoint ledger_stamp release pg_class pg_namespace pg_roles pg_inherits pg_attribute; do
  echo "CREATE VIEW $1.$t AS SELECT x FROM (SELECT $1.spring('$t')) s(x);"; done)
$(for f in "format(text, VARIADIC \"any\")" "count(bigint)" "sum(numeric)" "coalesce_(text)" "to_regclass(text)" "clock_timestamp()" "dp_count(integer)" "dp_sum(double precision)" "to_float8(double precision)" "lattice_sum(double precision)"; do
  case $f in *any*) ;; *) echo "CREATE FUNCTION $1.$f RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM $1.spring(''function ${f%%(*}''); RETURN NULL; END';" ;; esac; done)
$(for t in "integer integer" "text text" "name name" "oid oid" "bigint bigint" "numeric numeric" "double precision:double precision" "name text"; do
  l=${t%% *} r=${t##* }; case $t in *:*) l=${t%%:*} r=${t##*:} ;; esac
  f="eq_$(tr ' ' '_' <<<"$l$r")"
  echo "CREATE FUNCTION $1.$f($l, $r) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM $1.spring(''operator''); RETURN true; END';"
  for o in = '<' '<>'; do echo "CREATE OPERATOR $1.$o (LEFTARG = $l, RIGHTARG = $r, FUNCTION = $1.$f);"; done; done)
SQL
}
PGUSER=mallory session <<<"$(trap_objects evil)" >"$CLUSTER/traps" 2>&1
check "the traps are laid" 0 "$(grep -c ERROR "$CLUSTER/traps")"
check "and spring where they are used" "ana:operator" "$(PGUSER=ana session <<<"SET search_path = evil, pg_catalog, public; SELECT 1 = 2;" >/dev/null; caught)"
sql "DELETE FROM sink"

for path in "evil, pg_catalog, public" "evil, public, dpmix" "pg_temp, evil, dpmix, pg_catalog" "dpmix, public" "''"; do
  # Where 'evil' comes first the comparisons of the text are the attacker's, and refused.
  session_path="SET search_path = $path;"
  output=$(PGUSER=ana session <<<"$session_path SELECT pg_catalog.count(n) FROM $named;" | sed '/means little/,/^LOCATION/d' || true)
  case $path in
    evil*pg_catalog*|*evil*pg_catalog) check_match "search_path $path: an operator of somebody else is refused" 'PV002.*user-defined operator' "$output" ;;
    *) check "search_path $path: answered" 3 "$output"; check "search_path $path: what was charged is what was asked" "$expected" "$(recorded)" ;;
  esac
done
costs "traps in the path, a text without operators" 3 '^t 2 2 $' <<SQL
\set VERBOSITY terse
SET client_min_messages = error; SET search_path = evil, pg_catalog, public;
SELECT n IS NOT NULL FROM $counted; SELECT components FROM $(modelled trapped); SELECT pg_catalog.count(*) FROM $synthetic;
SQL
costs "reading and comparing models among traps" 0 '^2 0 ' <<SQL
SET search_path = evil, pg_catalog, public;
SELECT pg_catalog.count(*) FROM dpmix.gmm('trapped'); SELECT dpmix.gmm_kl('trapped', 'trapped'); SELECT pg_catalog.count(*) FROM dpmix.sample('trapped', NULL::public.people, 3) \g /dev/null
SQL
check "owner's functions among traps" "" "$(PGUSER=olga session <<'SQL'
SET search_path = evil, pg_catalog, public;
SET client_min_messages = warning;
\o /dev/null
SELECT dpmix.set_bounds('public.people', 'wage', 0, 100); SELECT dpmix.set_categories('public.people', 'sex', '{F,M}');
SELECT dpmix.grant_access('public.people', 'ana', NULL, 0, NULL); SELECT dpmix.set_budget('public.people', 1e6, .1, 'same');
CREATE TABLE public.mine (x int); SELECT dpmix.protect('public.mine', 1, 0, accountant => 'basic');
SET client_min_messages = error; ALTER TABLE public.mine RENAME TO ours; SET client_min_messages = warning;
SELECT dpmix.move_record('public.mine', 'public.ours'); SELECT count(record) FROM dpmix.records(); SELECT dpmix.hand_over('public.mine', 'olga');
ALTER TABLE public.ours RENAME x TO y; SELECT dpmix.unprotect('public.ours'); DROP TABLE public.ours;
SQL
)"
check "views among traps" "1|t" "$(PGUSER=ana session <<<"SET search_path = evil, pg_catalog, public; SELECT (SELECT pg_catalog.count(*) FROM dpmix.budget), EXISTS (SELECT FROM dpmix.ledger);")"
check "no trap was sprung with anybody's rights" "nobody" "$(caught)"

# The same in pg_temp, which PostgreSQL searches first for tables and types.
costs "temporary tables named like the catalog's and the protected table" 1 '^PV006 1$|PV006.*-?[0-9]+ $' <<SQL
CREATE TEMP TABLE people (sex text); CREATE TEMP TABLE charge (id int); CREATE TEMP TABLE protected_table (id int); CREATE TEMP TABLE pg_class (oid int);
CREATE TEMP TABLE access (x int); CREATE TEMP TABLE budget_change (x int); CREATE TEMP TABLE pg_roles (oid oid, rolname name);
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people', .001) AS t(n bigint);
SELECT n FROM $counted;
SQL
check "a temporary table shadows nothing in the views" "1" "$(PGUSER=ana session <<<"CREATE TEMP TABLE charge (x int); CREATE TEMP TABLE pg_class (x int); SELECT count(*) FROM dpmix.budget;")"
check_match "a temporary table has no ledger to stand by" 'PV005.*is temporary' "$(PGUSER=mallory session <<<"CREATE TEMP TABLE t (x int); SELECT dpmix.protect('t', 1, 0, accountant => 'basic');" | tr '\n' ' ')"

# Types: domains whose CHECK calls out, casts and aggregates of one's own.
PGUSER=mallory session <<'SQL' >/dev/null
CREATE FUNCTION evil.check_it(anyelement) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.spring('domain'); RETURN true; END $$;
CREATE DOMAIN evil.number AS bigint CHECK (evil.check_it(VALUE)); CREATE DOMAIN evil.word AS text CHECK (evil.check_it(VALUE));
CREATE TYPE evil.pair AS (a int); CREATE FUNCTION evil.to_pair(int) RETURNS evil.pair LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.spring('cast'); RETURN NULL; END $$;
CREATE CAST (int AS evil.pair) WITH FUNCTION evil.to_pair(int) AS IMPLICIT;
SQL
refusals=(
  "a domain in the column list" "PV005.*does not fit" "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people', .001) AS t(n evil.number)"
  "a column cast to a domain" "PV002" "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE sex::evil.word = ''F''', .001) AS t(n bigint)"
  "a column cast by a cast of somebody's own" "PV002" "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id::evil.pair IS NOT NULL', .001) AS t(n bigint)"
  "an aggregate of somebody's own" "PV002|42883" "SELECT * FROM dpmix.query('SELECT evil.dp_sum(wage) FROM public.people', .001) AS t(n text)"
  "a function of a column" "PV002" "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE evil.check_it(id)', .001) AS t(n bigint)"
  "OPERATOR(evil.=)" "PV002.*user-defined operator" "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id OPERATOR(evil.=) 5', .001) AS t(n bigint)"
  "the attacker's view over the table" "PV002|PV006" "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM evil.over', .001) AS t(n bigint)"
  "dp_* outside of dpmix.query" "PV002" "SELECT dpmix.dp_count(*) FROM pg_class"
  "synthetic rows as another table's" "PV006" "SELECT * FROM dpmix.cda(NULL::evil.over, '{wage}', 1, 1, 1e-6)"
)
PGUSER=mallory sql "CREATE VIEW evil.over AS SELECT * FROM public.people" >/dev/null
for ((i = 0; i < ${#refusals[@]}; i += 3)); do costs "${refusals[i]} is refused, free of charge" 0 "${refusals[i + 1]}" <<<"${refusals[i + 2]};"; done
# The attacker's domain would run in the release's process: as a parameter's type, and as that of an array's elements,
# which PostgreSQL reads as it parses.
costs "an array of a domain is refused, free of charge" 0 'PV002.*calls function' <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id = ANY (''{5}''::evil.number[])', .001) AS t(n bigint);"
costs "a parameter of a domain is refused, free of charge" 0 'PV002.*calls function' <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id = \$1::evil.number', .001, params => '{5}') AS t(n bigint);"
# The schema's owner swaps the table under its name, from the CHECK of a domain that dpmix.cda looks at
# before it plans its scan, by name and with the rights of the table's owner.
sql "GRANT CREATE ON DATABASE postgres TO mallory; CREATE SCHEMA swap AUTHORIZATION mallory; GRANT ALL ON SCHEMA swap TO olga; GRANT USAGE ON SCHEMA swap TO PUBLIC; DELETE FROM sink"
PGUSER=mallory session <<'SQL'
CREATE FUNCTION evil.swap_it(float8) RETURNS bool SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN
  IF session_user = 'ana' AND to_regclass('swapped.people') IS NULL THEN
    ALTER SCHEMA swap RENAME TO swapped; CREATE SCHEMA swap; GRANT USAGE ON SCHEMA swap TO PUBLIC;
    CREATE VIEW swap.people AS SELECT 1 AS id, 1::float8 AS wage WHERE evil.spring('scan'); GRANT SELECT ON swap.people TO PUBLIC;
  END IF;
  RETURN true; END $$;
CREATE DOMAIN evil.amount AS float8 CHECK (evil.swap_it(VALUE));
SQL
PGUSER=olga sql "CREATE TABLE swap.people (id int, wage evil.amount); INSERT INTO swap.people VALUES (1, 1); SELECT dpmix.protect('swap.people', 100, 1e-3);
  SELECT dpmix.set_bounds('swap.people', 'wage', 0, 100); SELECT dpmix.grant_access('swap.people', 'ana')" >/dev/null
costs "a table swapped for a view while it is asked" 0 'PV002.*changed declarations|PV006.*renamed in the meantime' <<<"SELECT * FROM dpmix.cda(NULL::swap.people, '{wage}', 1, .1, 1e-6);"
check "nothing of the attacker's ran with other rights" "t" "$(sql "SELECT coalesce(bool_and(who = 'ana'), true) FROM sink")"
