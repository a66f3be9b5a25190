#!/usr/bin/env bash
# Nothing but the noisy answer depends on the rows. One table, filled twice with as many rows, of which
# 51 or 5001 match a query or belong to a class; an analyst without SELECT runs that query, or asks for a
# synthetic table, and looks through one channel at a time. What is seen must be the same for both
# fillings, and the same look at the plain query, as a superuser, must tell them apart: otherwise the test
# would prove nothing.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "shared_preload_libraries = 'pg_stat_statements, auto_explain'" "pg_stat_statements.track = all" \
  "track_functions = all" "autovacuum = off" "checkpoint_timeout = 1h"  # pages are written when the test says so
seen=$CLUSTER/seen
mkdir "$seen"

psql -q <<'SQL'
CREATE EXTENSION dpmix;
CREATE EXTENSION pg_stat_statements;
CREATE ROLE analyst LOGIN;
CREATE TABLE people (id int PRIMARY KEY, sex text, region text, wage numeric, pay float8);
CREATE INDEX people_sex ON people (sex);
SELECT dpmix.protect('people', epsilon => 1e6, delta => 1e-3) \g /dev/null
SELECT dpmix.set_bounds('people', 'wage', 0, 100) \g /dev/null
SELECT dpmix.set_bounds('people', 'pay', 0, 100) \g /dev/null
SELECT dpmix.set_categories('people', 'region', '{r0,r1,r2}') \g /dev/null
SELECT dpmix.set_categories('people', 'sex', '{F,X}') \g /dev/null
SELECT dpmix.grant_access('people', 'analyst', max_charges_per_minute => 100000) \g /dev/null
CREATE TABLE places (region text PRIMARY KEY, zone text);
INSERT INTO places SELECT 'r' || i, 'z' || i % 5 FROM generate_series(0, 2000) AS i;
CREATE TABLE wages (id int PRIMARY KEY, tax float8);
INSERT INTO wages SELECT i, i % 7 FROM generate_series(1, 20000) AS i;
SELECT dpmix.declare_public('places'), dpmix.declare_public('wages') \g /dev/null
GRANT SELECT ON places, wages TO analyst;
VACUUM (ANALYZE, FREEZE) places, wages;
CREATE TABLE visits (person int, sex text, region text, wage numeric);  -- several rows of each unit
SELECT dpmix.protect('visits', epsilon => 1e6, delta => 1e-3, privacy_unit => 'person', max_rows_per_unit => 2) \g /dev/null
SELECT dpmix.set_bounds('visits', 'wage', 0, 100) \g /dev/null
SELECT dpmix.set_categories('visits', 'region', '{r0,r1,r2}') \g /dev/null
SELECT dpmix.grant_access('visits', 'analyst', max_charges_per_minute => 100000) \g /dev/null
CREATE TABLE homes (place text);
SELECT dpmix.protect('homes', epsilon => 1e6, delta => 1e-3), dpmix.grant_access('homes', 'analyst', max_charges_per_minute => 100000) \g /dev/null
SQL
fill() {  # $1: how many match
  psql -q -c 'TRUNCATE people' -c "INSERT INTO people SELECT i, CASE WHEN i <= $1 THEN 'F' ELSE 'M' END, 'r' || i % 3, i, i
    FROM generate_series(1, 20000) AS i" -c 'VACUUM (ANALYZE, FREEZE) people'
  psql -q -c 'TRUNCATE visits' -c "INSERT INTO visits SELECT CASE WHEN id <= $1 THEN -id ELSE id / 7 END, sex, region, wage FROM people" -c 'VACUUM (ANALYZE, FREEZE) visits'
  # Groups of one row, that do not come back, among 700 that do.
  psql -q -c 'TRUNCATE homes' -c "INSERT INTO homes SELECT CASE WHEN i <= $1 THEN i::text ELSE 'x' || repeat('x', i % 700 % 151) || i % 700 END
    FROM generate_series(1, 20000) AS i" -c 'VACUUM (ANALYZE, FREEZE) homes'
}

declare -A private
private[query]="SELECT count(n), count(wage) FROM dpmix.query('SELECT region, dp_count(*), dp_sum(wage) FROM people
  WHERE sex = ''F'' GROUP BY region', .01) AS t(region text, n bigint, wage float8)"
private[join]="SELECT count(n), count(wage) FROM dpmix.query('SELECT zone, dp_count(*), dp_sum(tax) FROM people JOIN places USING (region)
  LEFT JOIN wages ON wages.id = people.id WHERE sex = ''F'' GROUP BY zone', .01) AS t(zone text, n bigint, wage float8)"
private[units]="SELECT count(n), count(wage) FROM dpmix.query('SELECT region, dp_count_distinct(person), dp_sum(wage) FROM visits
  WHERE sex = ''F'' GROUP BY region', .01, max_groups => 1) AS t(region text, n bigint, wage float8)"
private[unit_rows]="SELECT cardinality(counts) FROM dpmix_internal.unit_histogram('visits', .01, 0, NULL)"
private[found]="SELECT count(n) FROM dpmix.query('SELECT place, dp_count(*) FROM homes GROUP BY place', 50, 1e-13, keys => 'discover') AS t(place text, n bigint)"
# With little work_mem there are several passes. Columns of fixed width: the size of others is that of what is released.
private[cda]="SELECT count(sex), count(pay) FROM dpmix.cda(NULL::people, '{pay}', 20000, 50, 1e-6, label => 'sex', mix => 10000)"
private[demixed]="SELECT count(sex), count(pay) FROM dpmix.cda(NULL::people, '{pay}', 2000, 50, 1e-6, label => 'sex', mix => 40, demix => 'tied')"
plain="SELECT count(n), count(wage) FROM (SELECT region, count(*) AS n, sum(dpmix_internal.to_float8(wage)) AS wage FROM people
  WHERE sex = 'F' GROUP BY region ORDER BY min(id) OFFSET 0) AS t"

# What a session sees: role, statement, psql input in which :run runs the statement. Twice before
# that, so that the session's caches are warm.
look() {
  psql -XAtq -U "$1" -v run="$2" 2>&1 <<SQL | without_noisy_notices
\o /dev/null
:run;
:run;
\o
$3
SQL
}

# channel NAME INPUT [FILTER]: the filter drops what varies by itself.
channel() {
  look postgres "$plain" "$2" | eval "${3:-cat}" >"$seen/$filling.$1.plain"
  local call
  for call in "${!private[@]}"; do
    look analyst "${private[$call]}" "$2" | eval "${3:-cat}" >"$seen/$filling.$1.$call.private"
  done
}

# Settings that only a superuser turns on, and an analyst may find turned on.
for_everyone() {
  local setting
  for setting in "$@"; do
    psql -q -c "ALTER ROLE analyst SET $setting" -c "ALTER ROLE postgres SET $setting"
  done
}
for_no_one() { psql -q -c "ALTER ROLE analyst RESET ALL" -c "ALTER ROLE postgres RESET ALL"; }

look_through_all() {
  channel "transaction counters of the table" "BEGIN;
    :run;
    SELECT pg_stat_get_xact_tuples_returned('people'::regclass), pg_stat_get_xact_tuples_fetched('people'::regclass),
           pg_stat_get_xact_blocks_fetched('people'::regclass), pg_stat_get_xact_numscans('people'::regclass);
    COMMIT;"
  channel "transaction counters of an index" "SET enable_seqscan = off;
    BEGIN;
    :run;
    SELECT pg_stat_get_xact_tuples_returned('people_sex'::regclass), pg_stat_get_xact_tuples_fetched('people_sex'::regclass),
           pg_stat_get_xact_blocks_fetched('people_sex'::regclass), pg_stat_get_xact_numscans('people_sex'::regclass);
    COMMIT;"
  local counters="SELECT t.seq_tup_read, t.seq_scan, t.idx_scan, i.idx_tup_read, i.idx_tup_fetch, b.heap_blks_hit, b.idx_blks_hit
    FROM pg_stat_all_tables t JOIN pg_stat_all_indexes i USING (relid) JOIN pg_statio_all_tables b USING (relid)
    WHERE relid = 'people'::regclass AND i.indexrelname = 'people_sex'"
  channel "cumulative counters" "SET enable_seqscan = off;
    SELECT pg_stat_force_next_flush();
    CREATE TEMP TABLE before AS $counters;
    :run;
    SELECT pg_stat_force_next_flush();
    SELECT a.seq_tup_read - b.seq_tup_read, a.seq_scan - b.seq_scan, a.idx_scan - b.idx_scan, a.idx_tup_read - b.idx_tup_read,
           a.idx_tup_fetch - b.idx_tup_fetch, a.heap_blks_hit - b.heap_blks_hit, a.idx_blks_hit - b.idx_blks_hit
    FROM ($counters) AS a, before AS b;"
  channel "calls of functions" "BEGIN;
    :run;
    SELECT pg_stat_get_xact_function_calls('dpmix_internal.to_float8(numeric)'::regprocedure);
    COMMIT;"
  channel "EXPLAIN" "EXPLAIN :run;" "sed 's/; [0-9]* such calls fit//'"
  channel "EXPLAIN (ANALYZE, BUFFERS)" "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) :run;" "sed '/Planning/,\$d'"
  channel "EXPLAIN (ANALYZE, WAL, VERBOSE)" "EXPLAIN (ANALYZE, WAL, VERBOSE, TIMING OFF, SUMMARY OFF) :run;"
  channel "debug_print_parse, debug_print_rewritten, debug_print_plan" "SET client_min_messages = log;
    SET debug_print_parse = on;
    SET debug_print_rewritten = on;
    SET debug_print_plan = on;
    :run;"
  channel "trace_sort" "SET client_min_messages = log;
    SET enable_hashagg = off;
    SET trace_sort = on;
    :run;" "sed 's/: CPU: .*//; s/, CPU: .*//'"

  for_everyone "log_temp_files = 0" "work_mem = '64kB'"
  channel "log_temp_files" "SET client_min_messages = log;
    SET enable_hashagg = off;
    :run;" "sed 's/pgsql_tmp[0-9.]*//g'"
  local spilled="SELECT temp_files, temp_bytes FROM pg_stat_database WHERE datname = current_database()"
  channel "temporary files of the database" "SET enable_hashagg = off;
    SELECT pg_stat_force_next_flush();
    CREATE TEMP TABLE before AS $spilled;
    :run;
    SELECT pg_stat_force_next_flush();
    SELECT a.temp_files - b.temp_files, a.temp_bytes - b.temp_bytes FROM ($spilled) AS a, before AS b;"
  for_no_one

  for_everyone "auto_explain.log_min_duration = 0" "auto_explain.log_nested_statements = on" \
    "auto_explain.log_analyze = on" "auto_explain.log_timing = off" "auto_explain.log_buffers = on"
  channel "auto_explain" "SET client_min_messages = log;
    :run;" "sed 's/duration: [0-9.]* ms//'"
  for_no_one

  channel "pg_stat_statements" "CREATE TEMP TABLE before AS SELECT * FROM pg_stat_statements;
    :run;
    SELECT a.query, a.calls - b.calls, a.rows - b.rows, a.shared_blks_hit - b.shared_blks_hit,
           a.shared_blks_dirtied - b.shared_blks_dirtied, a.temp_blks_written - b.temp_blks_written
    FROM pg_stat_statements a JOIN before b USING (userid, queryid, toplevel)
    WHERE a.calls > b.calls AND a.query ~ 'people|dpmix.query|lattice' ORDER BY 1;"
}

# The first round only settles the catalogs (dead index entries are skipped once seen).
for filling in 5001 51 5001; do
  fill "$filling"
  look_through_all
done

# Now and then something else in the server empties a cache of the catalogs, and a look differs by itself. Where two
# looks differ, those that were seen most often in five rounds are compared.
differing() {
  local file
  for file in "$seen"/51.*.private; do cmp -s "$file" "$seen/5001.${file#"$seen"/51.}" || basename "$file" | sed 's/^51\.//'; done
}
again=$(differing)
if [ -n "$again" ]; then
  for round in 1 2 3 4 5; do
    [ $round = 1 ] || for filling in 51 5001; do
      fill "$filling"
      look_through_all
    done
    cp -r "$seen" "$CLUSTER/round$round"
  done
  while IFS= read -r name; do
    for filling in 51 5001; do
      usual=$(md5sum "$CLUSTER"/round?/"$filling.$name" | sort | uniq -c -w32 | sort -rn | sed -n '1s/^ *[0-9]* [0-9a-f]*  //p')
      cp "$usual" "$seen/$filling.$name"
    done
  done <<<"$again"
fi

for file in "$seen"/51.*.private; do
  name=$(basename "$file" .private)
  name=${name#51.}
  channel=${name%.*}
  if cmp -s "$seen/51.$channel.plain" "$seen/5001.$channel.plain"; then
    echo "not ok - $name: the plain query is not told apart either"
  elif ! difference=$(diff "$file" "$seen/5001.$name.private"); then
    echo "not ok - $name"
    head -n 20 <<<"$difference"
  elif grep -q ERROR "$file" || ! [ -s "$file" ]; then
    echo "not ok - $name: nothing was seen, or an error"
    head -n 5 "$file"
  else
    echo "ok - $name"
  fi
done

# Nor is it seen that groups that come back are sorted.
sorts=$(look analyst "${private[found]}" "SET client_min_messages = log;
  SET work_mem = '64kB';
  SET trace_sort = on;
  :run;" | sed 's/,* workMem.*//')
if [ "$sorts" = 700 ]; then
  echo "ok - trace_sort of groups that come back"
else
  echo "not ok - trace_sort of groups that come back"
  head -n 20 <<<"$sorts"
fi

# These figures are times and page faults of the process, different each time: what counts is that
# planning and running the scan reports none. A preview that is refused gets as far as the scan.
for_everyone "log_parser_stats = on" "log_planner_stats = on" "log_executor_stats = on"
reports() {  # $1: epsilon
  look analyst "SELECT 1 FROM dpmix.preview('SELECT dp_count(*) FROM people', $1)" "SET client_min_messages = log;
    :run;" | grep -o '\(PARSER\|PLANNER\) STATISTICS' | sort | uniq -c
}
# Both read what the caller's role has spent, by one statement on the catalog.
answered=$(reports 1 | awk '{ print $1, $2 }') refused=$(reports 1e9 | awk '{ print $1, $2 }')
if [ -n "$refused" ] && [ "$answered" = "$refused" ]; then
  echo "ok - log_parser_stats, log_planner_stats, log_executor_stats"
else
  echo "not ok - log_parser_stats, log_planner_stats, log_executor_stats"
  echo "$answered" "$refused"
fi
