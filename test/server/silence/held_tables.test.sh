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
SELECT dpmix.declare_public('zones') \g /dev/null
CREATE UNIQUE INDEX ON zones (zone);
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
# tables are large, they stay with the process that leads, and it works alone.
for workers in 0 2; do
  plan=$(plans "SELECT dp_count(*) FROM people JOIN zones ON zone = person WHERE ill" "SET max_parallel_workers_per_gather = $workers;")
  [ $workers = 0 ] && scan="Named Tuplestore Scan" || scan="Function Scan on held_rows"
  check_match "so with $workers workers" "Hash Join.*->  (Parallel )?Seq Scan on people.*->  Hash.*$scan" "$(tr '\n' ' ' <<<"$plan")"
done
# Of wide rows the columns that are read are held, as far as their types say how long they are.
ends() { session <<<"SET client_min_messages = error; SET dpmix.scan_memory = '2MB'; SELECT 'answered' FROM dpmix.query(\$\$ SELECT dp_count(*) FROM wide w JOIN homes h USING (person) $1 \$\$, 1) AS t(n bigint)"; }
check "a table larger than dpmix.scan_memory is joined by a number" "t answered" \
  "$(sql "SELECT pg_table_size('wide') > 3 * 2097152") $(ends "WHERE h.ill")"
check_match "where a text is read, it could be all of the table" "PV005: the joined tables do not fit the memory of a release" "$(ends "WHERE note = 'n'")"
