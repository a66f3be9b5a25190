#!/usr/bin/env bash
# No body of dpmix is read under a caller's search_path. The catalog says so; and among traps for every operator,
# function, type and relation of PostgreSQL's that a body could name (bodies_traps.sql), every public function and view
# is called by an owner, an analyst and a superuser (bodies_calls.sql): no trap is sprung.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "max_prepared_transactions = 0"

bodies="SELECT string_agg(p.oid::regprocedure::text, ' ') FROM pg_proc p JOIN pg_language l ON l.oid = prolang
  WHERE pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND lanname NOT IN ('c', 'internal') AND prosqlbody IS NULL
    AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)"
check "each body has a search_path of its own, or was read when it was made" "" "$(sql "$bodies")"
sql "CREATE FUNCTION dpmix_internal.planted(a float8, b numeric) RETURNS float8 LANGUAGE sql AS 'SELECT a * b';
     CREATE FUNCTION dpmix.planted(a float8, b numeric) RETURNS float8 LANGUAGE plpgsql SET search_path = public, pg_catalog AS 'BEGIN RETURN a * b; END'" >/dev/null
check_match "one that has none, or another one, is found" '^dpmix(_internal)?.planted.* dpmix(_internal)?.planted\(double' "$(sql "$bodies")"
sql "DROP FUNCTION dpmix.planted" >/dev/null

# The traps: mallory's. Which functions: those whose name with a bracket stands somewhere in the sources.
sql "CREATE SCHEMA evil AUTHORIZATION mallory; GRANT USAGE ON SCHEMA evil TO PUBLIC" >/dev/null
named=$(sql "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^[a-z]'" |
  grep -xFf <(cat src/sql/*.sql $(find src/pg -name '*.[ch]pp') | grep -oE '\b[a-z_0-9]+\(' | tr -d '(' | sort -u) | paste -sd' ')
laying=$(PGUSER=mallory PGOPTIONS="-c trap.names=${named// /\\ }" psql -XAtq -v ON_ERROR_STOP=1 -f test/server/hostile/bodies_traps.sql 2>&1 || true)
check "the traps are laid" "" "$laying"
sprung() { sed -n "$((1 + $1)),\$p" "$CLUSTER/log" | grep -oE 'sprung by .*' | sort | uniq -c | sort -rn | head -20 | paste -sd';'; }
lines() { wc -l <"$CLUSTER/log"; }

# What the calls are about: mallory's type in olga's table, and a table of each role's own.
sql "GRANT USAGE ON TYPE evil.mood TO PUBLIC" >/dev/null
PGUSER=olga sql "SET client_min_messages = error; DROP TABLE people; CREATE TABLE people (id int PRIMARY KEY, sex text, wage float8, mood evil.mood);
  INSERT INTO people SELECT i, (ARRAY['F', 'M'])[1 + i % 2], i % 100, (ARRAY['sad', 'merry']::evil.mood[])[1 + i % 2] FROM generate_series(1, 2000) i;
  SELECT dpmix.protect('people', 1e6, .1, accountant => 'basic'); SELECT dpmix.set_bounds('people', 'wage', 0, 100); SELECT dpmix.set_bounds('people', 'id', 0, 2000);
  SELECT dpmix.set_categories('people', 'sex', '{F,M}'); SELECT dpmix.set_categories('people', 'mood', '{sad,merry}'); SELECT dpmix.grant_access('people', 'ana', NULL, 0, NULL);
  CREATE TABLE one_person AS SELECT * FROM people LIMIT 1; GRANT SELECT ON one_person TO PUBLIC;
  CREATE TABLE likeness AS SELECT * FROM people; GRANT SELECT ON likeness TO PUBLIC; CREATE TABLE known (id int);
  CREATE TABLE visits (person int, x int); INSERT INTO visits SELECT i % 100, i FROM generate_series(1, 1000) i;
  SELECT dpmix.protect('visits', 1e6, .1, privacy_unit => 'person', max_rows_per_unit => 20, accountant => 'basic'); SELECT dpmix.grant_access('visits', 'ana', NULL, 0, NULL);
  CREATE TABLE nights (id int, day date); INSERT INTO nights SELECT i, date '2026-01-01' + i / 100 FROM generate_series(0, 2999) i;
  SELECT dpmix.protect('nights', 10, 1e-6, blocks => 'day', blocks_from => '2026-01-01'); SELECT dpmix.grant_access('nights', 'ana', NULL, 0, NULL)" >/dev/null
for me in postgres olga ana; do
  PGUSER=$me sql "CREATE TABLE own_$me (person int, x float8, d date, k text, mood evil.mood); INSERT INTO own_$me SELECT i, i % 12, '2020-01-01', 'c', 'merry' FROM generate_series(1, 100) i"
  sql "CREATE SCHEMA private_$me; GRANT ALL ON SCHEMA private_$me TO $me" >/dev/null
done

# Types and relations are looked for among temporary ones first, unless a path says otherwise.
temporary="SET client_min_messages = error; SET search_path = pg_catalog, pg_temp;
  DO \$\$ DECLARE o record; BEGIN
    FOR o IN SELECT typname FROM pg_type WHERE typnamespace = 'evil'::regnamespace AND typtype = 'd' LOOP
      EXECUTE format('CREATE DOMAIN pg_temp.%1\$I AS pg_catalog.%1\$I CHECK (evil.spring(%2\$L))', o.typname, 'temporary type ' || o.typname); END LOOP;
    FOR o IN SELECT oid::regclass AS view, relname FROM pg_class WHERE relnamespace = 'evil'::regnamespace AND relkind = 'v' LOOP
      EXECUTE format('CREATE TEMPORARY VIEW %I AS SELECT * FROM %s WHERE evil.spring(%L)', o.relname, o.view, 'temporary relation ' || o.relname); END LOOP;
  END \$\$;"
call() {  # role [path]: what is sprung
  local before; before=$(lines)
  PGUSER=$1 psql -Xq -v VERBOSITY=terse -v own="public.own_$1" -v facade="private_$1.own" -v population="many_$1" -v model="m_$1" -v tree="t_$1" \
    -v classes="c_$1" -v regression="r_$1" -v survival="l_$1" -v cube="q_$1" -v counter="n_$1" -v schedule="s_$1" \
    -v call="SELECT dpmix.query('SELECT dp_count(*) AS n FROM public.people', 0.1)" -v stored="public.stored_$1" \
    >/dev/null 2>"$CLUSTER/said.$1" < <(echo "$temporary SET search_path = ${2:-evil, pg_catalog}; SET client_min_messages = error;"; cat test/server/hostile/bodies_calls.sql)
  sprung "$before"
}
check "every function and view is called" "" "$(sql "SELECT proname FROM pg_proc WHERE pronamespace = 'dpmix'::regnamespace AND (prokind IN ('f', 'p') OR proname IN ('merge', 'interval_svg'))
  UNION SELECT relname FROM pg_class WHERE relnamespace = 'dpmix'::regnamespace AND relkind = 'v' ORDER BY 1" | grep -vxFf <(grep -oE 'dpmix\.[a-z_0-9]+' test/server/hostile/bodies_calls.sql | sed 's/dpmix\.//') | paste -sd' ')"

before=$(lines)
PGUSER=olga session <<<"$temporary SET search_path = evil, pg_catalog; SELECT 1 = 2; SELECT dpmix_internal.planted(1, 2); SELECT pg_catalog.count(*) FROM (SELECT FROM pg_class LIMIT 1) c; SELECT abs(1); SELECT ''::text; SELECT 'sad'::evil.mood::pg_catalog.text" >/dev/null
for what in 'an operator of integer, integer' 'an operator of double precision, numeric' 'relation pg_class' 'temporary relation pg_class' 'function abs' 'temporary type text' 'a cast to text'; do
  check_match "the trap is set: $what" "by olga: $what" "$(sprung "$before")"
done
refused() { sed -E 's/^ERROR:  //' "$CLUSTER/said.$1" | sort | uniq -c | sed -E 's/^ *//' | paste -sd';'; }
for me in olga ana postgres; do check "$me: nothing is sprung" "" "$(call $me)"; done
of_texts="1 dp_* functions stand only in the text of dpmix.query"
of_records="4 you have no record under the name public.nobody"
check "a superuser's calls work" "$of_texts;1 this server is the coordinator of no Citus cluster;5${of_records#4}" "$(refused postgres)"
check "an owner's calls work" "$of_texts;1 must be owner of database postgres;1 only a superuser joins records;1 only superusers may check a cluster;$of_records" "$(refused olga)"
check "an analyst's calls work, but for what is not his" "$of_texts;1 must be owner of database postgres;2 must be owner of table known;2 must be owner of table people;1 only a superuser joins records;1 only superusers may check a cluster;3 permission denied for table people;$of_records;1 you may not set the clock" "$(refused ana)"
check "no backend crashed" 0 "$(grep -c 'terminated by signal' "$CLUSTER/log")"
