#!/usr/bin/env bash
# A session that did not load the library: a facade gives its columns, and the guard's error for all else; never a row,
# and never the answer that an empty table would give. Then how sessions get the library.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster
sql "CREATE SCHEMA private; GRANT CREATE, USAGE ON SCHEMA private TO PUBLIC; CREATE TABLE own (x int, name text); INSERT INTO own VALUES (1, 'F'), (2, 'M'); GRANT SELECT ON own TO ana"
check_match "expose says that sessions do not load the library" "NOTICE.*sessions do not load dpmix when they begin" "$(PGUSER=olga sql "SELECT dpmix.expose('people', default_epsilon => .1)")"

free() { check "free: $1" "$2" "$(PGUSER=ana sql "$1")"; }
free "SELECT * FROM private.people LIMIT 0" ""
free "SELECT true FROM private.people WHERE 1 <> 1 LIMIT 0" ""
free "SELECT * FROM private.people WHERE false" ""
free "SELECT * FROM (SELECT * FROM private.people) s LIMIT 0" ""
free "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'private'" 3
check_match "psql lists it" "^private.people.view.olga" "$(PGUSER=ana sql '\dv private.*')"
check_match "psql describes it" "^wage.double precision" "$(PGUSER=ana sql '\d private.people')"
check "an INSERT of nothing" "" "$(PGUSER=ana sql "CREATE TEMP TABLE t AS SELECT * FROM private.people LIMIT 0")"

# Each in a session of its own, so that each is the first to run the guard.
refused="PV002: dpmix was not loaded when this statement on facade private.people was planned"
while read -r statement; do
  output=$(PGUSER=ana session <<<"$statement" || true)
  if grep -q -e "$refused" <<<"$output" && [ -z "$(grep -v -e '^ERROR' -e '^DETAIL' -e '^HINT' -e '^LOCATION' -e '^CONTEXT' -e '^SQL statement' -e '^PL/pgSQL' <<<"$output")" ]; then
    echo "ok - $statement"
  else
    echo "not ok - $statement: $output"
  fi
done <<'SQL'
SELECT * FROM private.people
TABLE private.people
SELECT count(*) FROM private.people
SELECT count(*) FROM private.people WHERE sex = 'F'
SELECT count(*) FROM private.people WHERE sex IS NULL
SELECT count(*) FROM private.people WHERE NOT sex = 'F' AND wage > 5
SELECT count(*) FROM private.people HAVING count(*) > 5
SELECT sex, avg(wage) FROM private.people GROUP BY sex
SELECT DISTINCT sex FROM private.people
SELECT max(wage) FROM private.people
SELECT 1 FROM private.people LIMIT 1
SELECT (SELECT avg(wage) FROM private.people)
SELECT 1 WHERE EXISTS (SELECT FROM private.people)
SELECT x FROM own WHERE name NOT IN (SELECT sex FROM private.people)
SELECT x FROM own WHERE NOT EXISTS (SELECT FROM private.people p WHERE p.sex = own.name)
SELECT * FROM own LEFT JOIN private.people p ON p.sex = own.name
SELECT * FROM own JOIN private.people p ON p.sex = own.name
SELECT * FROM own, LATERAL (SELECT count(*) FROM private.people p WHERE p.sex = own.name) s
SELECT count(*) FROM private.people a JOIN private.people b USING (id)
SELECT * FROM private.people UNION ALL SELECT 1, 'F', 2 LIMIT 1
WITH c AS MATERIALIZED (SELECT * FROM private.people) SELECT * FROM c
SELECT p FROM private.people p
SELECT row_to_json(p) FROM private.people p
COPY (SELECT * FROM private.people) TO STDOUT
EXPLAIN ANALYZE SELECT count(*) FROM private.people
CREATE TABLE stolen AS SELECT * FROM private.people
CREATE MATERIALIZED VIEW stolen AS SELECT count(*) FROM private.people
PREPARE p AS SELECT count(*) FROM private.people WHERE id = $1; EXECUTE p (1)
DO $$ BEGIN PERFORM count(*) FROM private.people; END $$
SELECT query_to_xml('SELECT * FROM private.people', true, true, '')
SQL
# DECLARE loads the library, FETCH runs the guard.
check "a cursor" "ERROR:  PV002: facade private.people gives no rows" "$(PGUSER=ana session <<<'BEGIN;
DECLARE c CURSOR FOR SELECT * FROM private.people;
FETCH c;' | grep -v -e '^DETAIL' -e '^HINT' -e '^LOCATION' || true)"
sql "CREATE FUNCTION how_many() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM private.people';
     CREATE FUNCTION many() RETURNS SETOF private.people LANGUAGE sql STABLE AS 'SELECT * FROM private.people';
     CREATE VIEW private.above AS SELECT sex, count(*) FROM private.people GROUP BY sex; GRANT SELECT ON private.above TO ana"
for statement in "SELECT how_many()" "SELECT * FROM many()" "SELECT count(*) FROM many() WHERE sex = 'F'" "SELECT * FROM private.above" "SELECT * FROM private.above WHERE sex = 'F'"; do
  check_match "$statement" "$refused" "$(PGUSER=ana sql "$statement" || true)"
done
PGUSER=ana sql "EXPLAIN SELECT count(*) FROM private.people" >"$CLUSTER/explained"
check_match "EXPLAIN names no table" "Function Scan on facade_guard" "$(cat "$CLUSTER/explained")"
check "nothing was charged" 0 "$(all_charges)"

# The first statement loads the library: what comes after it is not told so, what was planned before neither.
check "one statement says so, the next has the library" "1" "$(PGUSER=ana session <<<'PREPARE p AS SELECT * FROM private.people;
EXECUTE p;
EXECUTE p;
SELECT * FROM private.people;' | grep -c -e "$refused")"
check_match "its HINT: ask again, and what the owner of the database writes" "Ask again.*The database's owner: ALTER DATABASE postgres SET local_preload_libraries = 'dpmix'" \
  "$(PGUSER=ana sql "SELECT * FROM private.people" || true)"
check_match "for rows the guard then says what to ask" "PV002: facade private.people gives no rows" "$(PGUSER=ana session <<<"SELECT * FROM private.people;
SELECT * FROM private.people WHERE id = 1" || true)"

loaded() { PGUSER=$1 sql "SELECT * FROM private.people WHERE id = 1" | sed -n 's/^ERROR:  //p' || true; }
PGOPTIONS="-c session_preload_libraries=dpmix" check_match "a role that is no superuser does not load it by itself" "permission denied" \
  "$(PGOPTIONS="-c session_preload_libraries=dpmix" loaded ana 2>&1; PGUSER=ana PGOPTIONS="-c session_preload_libraries=dpmix" sql "SELECT 1" || true)"
sql "ALTER ROLE ana SET session_preload_libraries = 'dpmix'"
check "ALTER ROLE: its first statement has it" "PV002: facade private.people gives no rows" "$(loaded ana)"
check_match "another's has not" "$refused" "$(loaded bob)"
sql "ALTER ROLE ana RESET session_preload_libraries; ALTER DATABASE postgres SET session_preload_libraries = 'dpmix'"
check "ALTER DATABASE: everyone's first statement has it" "PV002: facade private.people gives no rows" "$(loaded bob)"
sql "ALTER DATABASE postgres RESET session_preload_libraries; CREATE ROLE dora LOGIN; ALTER DATABASE postgres OWNER TO dora"
check_match "nobody's again" "$refused" "$(loaded bob)"
PGUSER=dora sql "ALTER DATABASE postgres SET local_preload_libraries = 'dpmix'"
check "ALTER DATABASE by its owner, who is no superuser: everyone's first statement has it" "PV002: facade private.people gives no rows" "$(loaded bob)"
sql "ALTER DATABASE postgres RESET local_preload_libraries"
check "a role by itself, as its client connects" "PV002: facade private.people gives no rows" "$(PGOPTIONS="-c local_preload_libraries=dpmix" loaded ana)"
echo "shared_preload_libraries = 'dpmix'" >>"$CLUSTER/data/postgresql.conf"
cluster_restart
check "expose has nothing to say then" "private.other" "$(PGUSER=olga sql "SELECT dpmix.expose('people', 'private.other')")"
check "shared_preload_libraries: too" "PV002: facade private.people gives no rows" "$(loaded bob)"
check "no process ended by itself" "" "$(grep -e PANIC -e "terminated by signal" "$CLUSTER/log" || true)"
