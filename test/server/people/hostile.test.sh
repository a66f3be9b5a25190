#!/usr/bin/env bash
# Hostile texts within layers (hostile.cases, and some that are long): each is asked by an analyst over three fillings
# of a table of people, one of them full of values that make functions fail, and ends alike (hostile/queries.test.sh).
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/hostile/queries_lib.sh
cluster_start "autovacuum = off"
psql -Xq -v ON_ERROR_STOP=1 -f test/server/hostile/queries.sql
PGUSER=olga psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
SET client_min_messages = warning;
CREATE TABLE stays AS SELECT id % 40 AS who, age, wage, height, born, seen, secret, big FROM people;
SELECT dpmix.protect('stays', 1e7, .01, 'who', 10, accountant => 'basic'),
       dpmix.grant_access('stays', 'ana', NULL, 0, NULL),
       dpmix.set_bounds('stays', 'age', 0, 100), dpmix.set_bounds('stays', 'wage', 0, 1000),
       dpmix.set_bounds('stays', 'height', 0, 250), dpmix.set_bounds('stays', 'big', 0, 10),
       dpmix.set_bounds('stays', 'born', '1950-01-01'::date, '2010-01-01'::date) \g /dev/null
ALTER FUNCTION fill(text) RENAME TO fill_people;
CREATE FUNCTION fill(how text) RETURNS void LANGUAGE sql AS $$
    SELECT fill_people(how);
    TRUNCATE stays;
    INSERT INTO stays SELECT id % 40, age, wage, height, born, seen, secret, big FROM people;
$$;
SQL
long_cases() {
  python3 - <<'P'
nested = "stays"
for i in range(200): nested = f"(SELECT who, age FROM {nested} AS n{i})"
print("any SELECT dp_count(*) FROM %s AS x" % nested)
for i in range(20000): nested = f"(SELECT who, age FROM {nested} AS m{i})"
print("no SELECT dp_count(*) FROM %s AS x" % nested)
# Planned in a time that grows like the square of their number.
many = " AND ".join("EXISTS (SELECT FROM stays AS t%d WHERE t%d.who = s.who)" % (i, i) for i in range(60))
print("any SELECT dp_count(*) FROM stays AS s WHERE " + many)
P
}
{ cat test/server/people/hostile.cases; echo "@ %"; long_cases; } |
  psql -Xq -c "COPY line (text) FROM STDIN WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')"
sql "SELECT read_cases()" >/dev/null

attack_all
judge_all
check "no trap was sprung" f "$(sql "SELECT is_called FROM traps.sprung")"
check "no crash, no assertion, no internal error in the server's log" 0 \
  "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000|CANARY' "$CLUSTER/log" || true)"
