#!/usr/bin/env bash
# How programs ask: prepared statements, drivers' protocols, functions, jobs. Each answer is right and
# charged once, to whom it should be.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster
PGUSER=olga sql "ALTER TABLE people ALTER sex SET NOT NULL"
# 250 people of each sex; of the first 400, 200. Wages 0 to 99.

# SQL's own PREPARE: parameters of the statement are arguments, or become params.
costs "PREPARE and EXECUTE, more often than it takes to a generic plan" 8 '^(200 ){8}$' <<SQL
PREPARE p(float8, int) AS SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id <= \$1 AND sex = \$2', \$1, params => ARRAY[\$2::text, 'F']) AS t(n bigint);
$(for _ in 1 2 3 4 5 6 7 8; do echo "EXECUTE p(2e3, 400);"; done)
SQL
costs "a plan made for one role is run with the access of another" 0 'PV006' mallory <<SQL
PREPARE p AS SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people', 1) AS t(n bigint);
EXECUTE p;
SQL

# Types come from the query; a parameter may stand wherever a constant may.
costs "parameters of every kind" 1 '^F\|87\|8 $' <<SQL
SELECT * FROM dpmix.query('SELECT sex, dp_count(*) - \$1, length(\$2) + \$3 FROM public.people WHERE id <= \$4 AND sex = ANY (\$5) AND wage BETWEEN \$6 AND \$7
  AND (\$8 OR id IN (\$9, 3)) AND id <> ALL (\$10) GROUP BY sex HAVING dp_count(*) > \$11 ORDER BY \$12 || sex LIMIT \$13 OFFSET \$14', 2e3,
  params => '{10,abc,5,200,"{F,M}",0.5,2e3,true,7,"{1,2}",5,x,1,NULL}') AS t(sex text, n bigint, l int);
SQL
costs "parameters of FILTER, in the select list, HAVING and ORDER BY" 1 '^F\|1\|250 M\|0\|250 $' <<SQL
SELECT * FROM dpmix.query('SELECT sex, dp_count(*) FILTER (WHERE id <= \$1 AND sex = \$2), dp_count(*) FROM public.people GROUP BY sex
  HAVING dp_count(*) FILTER (WHERE id > \$3) >= \$4 ORDER BY dp_count(*) FILTER (WHERE id <= \$1 AND sex = \$2) DESC', 1e4, params => '{3,F,490,5}') AS t(sex text, few bigint, n bigint);
SQL
costs "NULL is a value" 1 '^0 $' <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE sex = \$1', 2e3, params => ARRAY[NULL]) AS t(n bigint);"
costs "a text that is no number names its parameter" 0 'invalid input syntax for type integer: "x".*\$1 of the query, from params, as integer' \
  <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id = \$1', 2e3, params => '{x}') AS t(n bigint);"
costs "quotes in a parameter are text" 1 'no declared category of column sex.* 0 $' <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE sex = \$1', 2e3, params => ARRAY[E'F'' OR true --']) AS t(n bigint);"
costs "one parameter in two types is an error" 0 '42P08|42883|42804' \
  <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id = \$1 AND sex = \$1', 2e3, params => '{1}') AS t(n bigint);"

# Drivers.
mkdir -p build/probes
g++ -std=c++20 -O1 -I"$("$PG_CONFIG" --includedir)" test/server/query/client.cpp -o "build/probes/query_client.$$" -lpq
before=$(all_charges)
seen=$(PGUSER=ana "build/probes/query_client.$$") || echo "not ok - a driver: $seen"
rm -f "build/probes/query_client.$$"
check "a driver: what is described before it runs" "takes 701 1009 gives sex:25 n:20 mean:701" "$(sed -n 1p <<<"$seen")"
check "a driver: executed again and again" "$(printf 'F 200 M 200 %.0s' 1 2 3 4 5 6 7 8)" "$(sed -n 2p <<<"$seen")"
check_match "a driver: in binary" '^F 200 4[0-9]\.' "$(sed -n 3p <<<"$seen")"
check "a driver: an error in between" '22P02: invalid input syntax for type integer: "x"' "$(sed -n 4p <<<"$seen")"
check "a driver: row by row" "F 200; M 200; " "$(sed -n 5p <<<"$seen")"
check "a driver: each execution was charged" 10 $(($(all_charges) - before))

# PL/pgSQL: static and dynamic statements, loops, exceptions.
costs "a function asks in a loop, with its variables" 6 '^600 $' <<SQL
CREATE FUNCTION pg_temp.ask() RETURNS bigint LANGUAGE plpgsql AS \$f\$
DECLARE answer record; total bigint := 0; many int := 100;
BEGIN
  FOR i IN 1..3 LOOP
    FOR answer IN SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id <= \$1', 2e3, params => ARRAY[many::text]) AS t(n bigint) LOOP
      total := total + answer.n;
    END LOOP;
    EXECUTE 'SELECT \$1 + (j ->> ''n'')::bigint FROM dpmix.query_json(''SELECT dp_count(*) AS n FROM public.people WHERE id <= \$1'', \$2, params => ARRAY[\$3]) AS j'
      INTO total USING total, 2e3::float8, many::text;
  END LOOP;
  RETURN total;
END \$f\$;
SELECT pg_temp.ask();
SQL
costs "an exception block keeps the charge, and values without value do no harm in it" 1 '^100 $' <<SQL
CREATE FUNCTION pg_temp.ask() RETURNS bigint LANGUAGE plpgsql AS \$f\$
DECLARE answer bigint;
BEGIN
  BEGIN
    SELECT n INTO answer FROM dpmix.query('SELECT dp_count(*), 1 / (dp_count(*) - 100), sqrt(-1 - dp_count(*)) FROM public.people WHERE id <= 100', 2e3) AS t(n bigint, x bigint, y float8);
    RAISE division_by_zero;
  EXCEPTION WHEN division_by_zero THEN RETURN answer;
  END;
END \$f\$;
SELECT pg_temp.ask();
SQL

costs "a cursor that is read after values without value, in a savepoint" 1 "^F\|250 \$" <<SQL
BEGIN; DECLARE c CURSOR FOR SELECT sex, n FROM dpmix.query('SELECT sex, dp_count(*) AS n, 1 / (dp_count(*) - 250), sqrt(-1 - dp_count(*)) FROM public.people GROUP BY sex ORDER BY 1 / (dp_count(*) - 250), sex', 2e3)
  AS t(sex text, n bigint, x bigint, y float8);
SAVEPOINT s; FETCH 1 FROM c; COMMIT;
SQL

costs "a held cursor computes at COMMIT, values without value too" 1 '^F 250 M 250 $' <<SQL
BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT sex || ' ' || n FROM dpmix.query('SELECT sex, dp_count(*) AS n FROM public.people GROUP BY sex HAVING 1 / dp_count(*) = 0
  ORDER BY sqrt(-dp_count(*)), sex', 2e3) AS t(sex text, n bigint); COMMIT;
FETCH ALL FROM c;
SQL
costs "a deferred trigger asks at COMMIT" 1 '^250 $' <<SQL
CREATE TABLE pg_temp.events (n bigint); CREATE TABLE pg_temp.answers (n bigint);
CREATE FUNCTION pg_temp.ask() RETURNS trigger LANGUAGE plpgsql AS \$f\$ BEGIN
  INSERT INTO pg_temp.answers SELECT n + coalesce(x, 0) FROM dpmix.query('SELECT dp_count(*), 1 / (dp_count(*) - 250) FROM public.people WHERE sex = \$1', 2e3, params => '{F}') AS t(n bigint, x bigint); RETURN NULL; END \$f\$;
CREATE CONSTRAINT TRIGGER ask AFTER INSERT ON pg_temp.events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pg_temp.ask();
BEGIN; INSERT INTO pg_temp.events VALUES (1); COMMIT;
SELECT n FROM pg_temp.answers;
SQL

# A job, as a scheduler runs it: its own role without any rights but those it was given, no search_path.
sql "CREATE ROLE scheduler LOGIN NOSUPERUSER; ALTER ROLE scheduler SET search_path = ''; CREATE SCHEMA jobs AUTHORIZATION scheduler;
     GRANT ana TO scheduler" >/dev/null
costs "a job's DO block stores answers" 1 '^F 250 M 250 $' scheduler <<SQL
CREATE TABLE jobs.seen (at timestamptz DEFAULT now(), sex text, n bigint);
DO \$\$BEGIN INSERT INTO jobs.seen (sex, n) SELECT * FROM dpmix.query('SELECT sex, dp_count(*) FROM public.people GROUP BY sex', 2e3) AS t(sex text, n bigint); END\$\$;
SELECT sex || ' ' || n FROM jobs.seen ORDER BY sex;
SQL
since=$(last_charge)
PGUSER=ana sql "CREATE FUNCTION public.report() RETURNS SETOF json LANGUAGE sql SECURITY DEFINER SET search_path = '' AS \$f\$
  SELECT dpmix.query_json('SELECT sex, dp_count(*) AS n FROM public.people GROUP BY sex ORDER BY sex', 2e3) \$f\$; REVOKE ALL ON FUNCTION public.report FROM PUBLIC; GRANT EXECUTE ON FUNCTION public.report TO mallory" >/dev/null
costs "a report that runs with its owner's access" 1 '^\{"sex": "F", "n": 250\} \{"sex": "M", "n": 250\} $' mallory <<<"SELECT * FROM public.report();"
check "the report's owner pays" "ana by ana" "$(payers "$since")"
costs "COPY takes answers out" 1 '^F,250 M,250 $' <<<"COPY (SELECT * FROM dpmix.query('SELECT sex, dp_count(*) FROM public.people GROUP BY sex ORDER BY 1', 2e3) AS t(sex text, n bigint)) TO STDOUT (FORMAT csv);"
costs "JSON in the select list, and of no rows" 1 '^\{"sex": "M", "n": 250\} $' <<<"SELECT dpmix.query_json('SELECT sex, dp_count(*) AS n FROM public.people GROUP BY sex HAVING sex <> \$1', 2e3, params => '{F}');"
costs "two answers to one statement are two charges" 2 '^500 500 $' <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people', 2e3) AS t(n bigint) UNION ALL SELECT (j ->> 'n')::bigint FROM dpmix.query_json('SELECT dp_count(*) AS n FROM public.people', 2e3) AS j;"
