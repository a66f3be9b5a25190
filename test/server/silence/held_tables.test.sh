#!/usr/bin/env bash
# Whether a table of a join is read at all may follow from whether another has a row: with two protected tables both are
# read into memory first, whatever the conditions; with one, public tables are, and it is on the outer side.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
cluster_start "autovacuum = off"
cluster_plan_probe
psql -X -q <<'SQL'
CREATE EXTENSION dpmix;
CREATE FUNCTION scan_plans() RETURNS text LANGUAGE c AS 'plan_probe';
SET client_min_messages = warning;
CREATE TABLE homes AS SELECT i AS person, i % 2 = 0 AS ill FROM generate_series(1, 1000) i;
CREATE TABLE visits AS SELECT person, ill FROM homes, generate_series(1, 30);
CREATE TABLE zones AS SELECT i AS zone FROM generate_series(1, 20) i;
CREATE TABLE people AS SELECT * FROM homes;
CREATE TABLE wide AS SELECT person, repeat('n', 200) AS note FROM visits;
ANALYZE;
SELECT dpmix.protect('homes', 1e6, .1, privacy_unit => 'person', accountant => 'basic') \g /dev/null
SELECT dpmix.protect('visits', 1e6, .1, privacy_unit => 'person', max_rows_per_unit => 3, accountant => 'basic') \g /dev/null
SELECT dpmix.protect('people', 1e6, .1, accountant => 'basic') \g /dev/null
SELECT dpmix.protect('wide', 1e6, .1, privacy_unit => 'person', max_rows_per_unit => 3, accountant => 'basic') \g /dev/null
CREATE TABLE far (zone int PRIMARY KEY, name text);
INSERT INTO far SELECT i, repeat('f', 400) FROM generate_series(1, 400) i;
ANALYZE far;
SELECT dpmix.declare_public('zones'), dpmix.declare_public('far') \g /dev/null
SQL
plans() {  # query: those of its scans
  session <<<"${2:-} SELECT scan_plans() \\g /dev/null
SELECT n FROM dpmix.query(\$\$ $1 \$\$, 1) AS t(n bigint) \\g /dev/null
SELECT scan_plans();"
}
for condition in "v.person = 7 AND h.ill" "v.ill" "h.person > 5000" "true"; do
  plan=$(plans "SELECT dp_count(*) FROM visits v JOIN homes h ON h.person = v.person WHERE $condition")
  check "both scans meet rows in memory alone where $condition" "4 " "$(grep -c 'Named Tuplestore Scan' <<<"$plan") $(grep -E 'Seq Scan|Sort|Material' <<<"$plan" || true)"
done
plan=$(plans "SELECT dp_count(*) FROM homes h JOIN zones z ON z.zone = h.person WHERE h.ill")
check_match "a public table is held, and the only protected one read in place, on the outer side" \
  "Join.*->  Seq Scan on homes.*->  Hash.*Named Tuplestore Scan" "$(tr '\n' ' ' <<<"$plan")"
# Where workers may take part each process has the public rows, out of shared memory; where they may not, or the public
# tables are more than an eighth of dpmix.scan_memory, they stay with the process that leads, and it works alone.
where() {  # scan, settings
  check_match "$1: $2" "Hash Join.*->  (Parallel )?Seq Scan on people.*->  Hash.*$1" \
    "$(plans "SELECT dp_count(name) FROM people JOIN far ON zone = person WHERE ill" "$2" | tr '\n' ' ')"
}
where "Named Tuplestore Scan" "SET max_parallel_workers_per_gather = 0;"
where "Function Scan on held_rows" "SET max_parallel_workers_per_gather = 2;"
where "Named Tuplestore Scan" "SET max_parallel_workers_per_gather = 2; SET dpmix.scan_memory = '1MB';"
# Of wide rows the columns that are read are held, as far as their types say how long they are.
ends() { session <<<"SET client_min_messages = error; SET dpmix.scan_memory = '2MB'; SELECT 'answered' FROM dpmix.query(\$\$ SELECT dp_count(*) FROM wide w JOIN homes h USING (person) $1 \$\$, 1) AS t(n bigint)"; }
check "a table larger than dpmix.scan_memory is joined by a number" "t answered" \
  "$(sql "SELECT pg_table_size('wide') > 3 * 2097152") $(ends "WHERE h.ill")"
check_match "where a text is read, it could be all of the table" "PV005: the joined tables do not fit the memory of a release" "$(ends "WHERE note = 'n'")"
