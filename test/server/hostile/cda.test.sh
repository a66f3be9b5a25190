#!/usr/bin/env bash
# An analyst looks at everything but the noisy values of a synthetic table, and means to learn of the
# rows. One table in several worlds: no rows, one class alone, a row of each class, rows that count
# nowhere, values beyond all bounds. What is seen must be the same in all of them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "autovacuum = off"
PGUSER=olga sql "CREATE TYPE mood AS ENUM ('good', 'bad', 'none');
  CREATE TABLE folk (id bigint, mood mood, wage float8, size real, n int, kept numeric(8, 2), old boolean, seen date, at timestamp, free text);
  SELECT dpmix.protect('folk', 1e7, .1, accountant => 'basic'), dpmix.set_categories('folk', 'mood', '{good,bad,none}'), dpmix.set_categories('folk', 'free', '{x,y}'), dpmix.set_bounds('folk', 'wage', -1, 1),
    dpmix.set_bounds('folk', 'size', 0, 3), dpmix.set_bounds('folk', 'n', -5, 5), dpmix.set_bounds('folk', 'kept', 0, 100),
    dpmix.set_bounds('folk', 'seen', date '2000-01-01', date '2030-01-01'), dpmix.set_bounds('folk', 'at', timestamp '2000-01-01', timestamp '2030-01-01'),
    dpmix.grant_access('folk', 'ana')" >/dev/null
good="i, (ARRAY['good', 'bad', 'none'])[1 + i % 3]::mood, i % 2, 1, i % 5, 50, i % 2 = 0, date '2010-01-01' + i % 1000, timestamp '2010-01-01' + i * interval '1 min', 'x'"
worlds=(
  "plain|SELECT $good FROM generate_series(1, 4000) i"
  "empty|SELECT $good FROM generate_series(1, 0) i"
  "one row of each class|SELECT $good FROM generate_series(1, 3) i"
  "one class|SELECT i, 'bad', .5, 1, 1, 1, true, '2020-01-01', '2020-01-01', 'x' FROM generate_series(1, 4000) i"
  "wide rows, many of them|SELECT $good || repeat('y', 1000) FROM generate_series(1, 20000) i"
  "rows that count nowhere|SELECT i, (ARRAY['good', NULL, 'bad'])[1 + i % 3]::mood, CASE WHEN i % 3 = 0 THEN 'NaN'::float8 ELSE 0 END, CASE WHEN i % 3 = 2 THEN 'NaN'::float8 ELSE 0 END, NULL, 1, NULL, NULL, NULL, NULL FROM generate_series(1, 4000) i"
  "values beyond all bounds|SELECT i, (ARRAY['good', 'bad', 'none'])[1 + i % 3]::mood, CASE i % 3 WHEN 0 THEN 'Infinity' WHEN 1 THEN '-Infinity' ELSE 1e308 END, 'Infinity', 2147483647 - i % 2, -999999, false, 'infinity', '-infinity', NULL FROM generate_series(1, 4000) i"
)
sql "CREATE FUNCTION contexts() RETURNS TABLE (n bigint, bytes numeric) SECURITY DEFINER LANGUAGE sql AS
  \$\$ SELECT count(*), sum(total_bytes) FROM pg_backend_memory_contexts WHERE name LIKE 'dpmix%' OR name LIKE 'ExecutorState' OR name LIKE 'tuplestore%' \$\$;
  GRANT pg_read_all_stats TO ana" >/dev/null

cluster_plan_probe
sql "CREATE FUNCTION scans() RETURNS bigint LANGUAGE c AS '\$libdir/plan_probe'"

all="'{wage,size,n,kept,old,seen,at}'"
fixed="'{wage,size,n,old,seen,at}'"  # a numeric's size is that of a released value
calls=(  # nearly no noise; hopeless noise; several passes and a file; one class; categories
  "NULL::folk, $all, 300, 3000, 1e-6, label => 'mood', mix => 100, demix => 'none'"
  "NULL::folk, $all, 300, .001, 1e-9, label => 'mood', mix => 1, demix => 'none'"
  "NULL::folk, $fixed, 3000, 3000, 1e-6, label => 'mood', mix => 50, demix => 'tied'"
  "NULL::folk, $fixed, 3000, 3000, 1e-6, label => 'mood', mix => 50, demix => 'per_class'"
  "NULL::folk, $all, 300, 3000, 1e-6, mix => 30, demix => 'none'"
  "NULL::folk, '{free,wage}', 300, 3000, 1e-6, label => 'mood', mix => 30, demix => 'none', clip => .3"
)
spilled="SELECT temp_files, temp_bytes FROM pg_stat_database WHERE datname = current_database()"
# How often the table is read must follow from its number of rows and public numbers, not from what rows
# are: that number PostgreSQL shows everyone anyway.
as_many_rows="one.class rows.that.count.nowhere values.beyond.all.bounds"
count_scans() {  # world
  local call memory
  for memory in 64 120 200 4096; do
    for call in "${calls[@]}"; do
      echo "SET work_mem = '${memory}kB'; SELECT scans() AS before \\gset
SELECT count(*) FROM dpmix.cda($call) \\g /dev/null
SELECT '$memory kB', scans() - :before AS scans, scans() > :before AS some;"
    done
  done | PGUSER=ana session | grep -v 'WARNING\|DETAIL\|HINT\|LOCATION' >"$CLUSTER/scans.${1// /.}" || true
}
look() {
  local call
  echo "SET client_min_messages = debug1; SET work_mem = '64kB'; SET extra_float_digits = 0;
SELECT pg_stat_force_next_flush(); CREATE TEMP TABLE before AS $spilled;"
  for call in "${calls[@]}"; do
    cat <<SQL
SELECT mood, count(*), count(wage), count(size), count(n), count(kept), count(old), count(seen), count(at), count(id) + count(free) AS other,
  bool_and(wage BETWEEN -1 AND 1 AND size BETWEEN 0 AND 3 AND n BETWEEN -5 AND 5 AND kept BETWEEN 0 AND 100
    AND seen BETWEEN '2000-01-01' AND '2030-01-01' AND at BETWEEN '2000-01-01' AND '2030-01-01') AS inside FROM dpmix.cda($call) GROUP BY mood ORDER BY mood;
SELECT count(*) FROM (SELECT mood, lag(mood) OVER () AS last FROM dpmix.cda($call)) AS t WHERE mood IS DISTINCT FROM last;
EXPLAIN (ANALYZE, BUFFERS, WAL, VERBOSE, TIMING OFF, SUMMARY OFF) SELECT * FROM dpmix.cda($call);
BEGIN; SELECT count(*) FROM dpmix.cda($call);
SELECT relname, mode, count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation WHERE pid = pg_backend_pid() AND relname = 'folk' GROUP BY 1, 2;
SELECT * FROM contexts(); SELECT count(*) FROM pg_cursors; SELECT count(*) FROM pg_prepared_statements; COMMIT;
SQL
  done
  cat <<SQL
SELECT pg_stat_force_next_flush(); SELECT a.temp_files - b.temp_files, a.temp_bytes - b.temp_bytes > 0 FROM ($spilled) AS a, before AS b;
SELECT seq_scan, seq_tup_read, idx_scan FROM pg_stat_all_tables WHERE relname = 'folk';
SELECT heap_blks_hit + heap_blks_read < 0 FROM pg_statio_all_tables WHERE relname = 'folk';
SELECT parameters - 'mu' - 'slack' FROM dpmix.ledger WHERE relation = 'public.folk' ORDER BY id DESC LIMIT $((4 * ${#calls[@]}));
SELECT DISTINCT epsilon, delta FROM dpmix.ledger WHERE relation = 'public.folk' ORDER BY 1;
SQL
}
look >"$CLUSTER/look.sql"
for world in "${worlds[@]}"; do
  session <<<"TRUNCATE folk; INSERT INTO folk ${world#*|}; VACUUM (FREEZE, ANALYZE) folk; SELECT pg_stat_force_next_flush(), pg_stat_reset();" >/dev/null
  PGUSER=ana session <"$CLUSTER/look.sql" | grep -v 'building index\|CREATE TABLE / \|EventTriggerInvoke\|LOCATION:\|^$\|rehashing catalog\|verage over all rows' >"$CLUSTER/seen.${world%%|*}" || true
  name=${world%%|*}
  [[ " plain $as_many_rows " != *" ${name// /.} "* ]] || count_scans "$name"
done
for world in $as_many_rows; do
  check "the table is read as often: $world" "$(cat "$CLUSTER/scans.plain")" "$(cat "$CLUSTER/scans.$world")"
done
check "as was seen" "$((4 * ${#calls[@]}))" "$(grep -c '^[0-9]* kB|[1-9][0-9]*|t$' "$CLUSTER/scans.plain")"
# Of a table with blocks from all of its rows, too, not from those of the range.
PGUSER=olga sql "CREATE TABLE logged (day date, wage float8);
  SELECT dpmix.protect('logged', 1e7, .1, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01'), dpmix.set_bounds('logged', 'wage', -1, 1),
    dpmix.grant_access('logged', 'ana')" >/dev/null
scans_of_range() {  # how many of the rows lie in it
  local memory
  PGUSER=olga sql "TRUNCATE logged; INSERT INTO logged SELECT date '2026-01-01' + (i > $1)::int, .5 FROM generate_series(1, 20000) i" >/dev/null
  for memory in 64 200 4096; do
    PGUSER=ana session <<<"SET work_mem = '${memory}kB'; SELECT scans() AS before \\gset
SELECT count(*) FROM dpmix.cda(NULL::logged, '{wage}', 3000, 3000, 1e-6, mix => 100, demix => 'none', blocks => '[2026-01-01,2026-01-02)') \\g /dev/null
SELECT '$memory kB', scans() - :before;" | grep kB || true
  done
}
many=$(scans_of_range 20000)
check_match "a range's records are read again where memory is small" '64 kB.[2-9]' "$many"
check "as often for few rows of the range" "$many" "$(scans_of_range 10)"
check "and for none" "$many" "$(scans_of_range 0)"
check "in a plain world there is something to see" t "$([ "$(grep -c 'Function Scan on dpmix.cda' "$CLUSTER/seen.plain")" = ${#calls[@]} ] && [ "$(wc -l <"$CLUSTER/seen.plain")" -gt 60 ] && echo t)"
check "no error in any" "" "$(grep -h 'ERROR\|FATAL\|server closed' "$CLUSTER"/seen.* | head -n 3)"
check_match "the second call's noise is said to be too much" "the noise exceeds the bounds in 3 of 3 classes" "$(cat "$CLUSTER/seen.plain")"
# Warnings follow noisy counts, so they are compared where the classes are as large.
compared() { if [ "$name" = "values beyond all bounds" ]; then cat "$1"; else grep -v '^\(WARNING\|DETAIL\|HINT\):' "$1"; fi; }
for world in "${worlds[@]:1}"; do
  name=${world%%|*}
  if difference=$(diff <(compared "$CLUSTER/seen.plain") <(compared "$CLUSTER/seen.$name")); then
    echo "ok - $name: nothing but noisy values differs"
  else
    echo "not ok - $name"
    head -n 12 <<<"$difference"
  fi
done

# What is no row type of a protected table, though its rows are.
PGUSER=ana sql "CREATE DOMAIN disguised AS people; CREATE TYPE alike AS (id int, sex text, wage float8); CREATE TABLE mine (id int, sex text, wage float8)"
PGUSER=olga sql "CREATE VIEW shown AS SELECT * FROM people; CREATE TABLE heir () INHERITS (people); GRANT SELECT ON shown TO ana"
for type in disguised alike mine shown heir 'people[]' record dpmix.charge pg_class; do
  costs "rows of type $type" 0 'PV00[56]|42601' <<<"SELECT * FROM dpmix.cda(NULL::$type, '{wage}', 10, 1, 1e-6);"
done
costs "a row instead of NULL tells nothing, and is not looked at" 1 '^10 $' <<<"SELECT count(*) FROM dpmix.cda((1, 'F', 'NaN')::people, '{wage}', 10, 1, 1e-6);"

# Where the label alone is protected, nothing else that is asked for may tell it.
PGUSER=olga sql "CREATE TABLE votes (age int, vote boolean NOT NULL, other text, twice int GENERATED ALWAYS AS (2 * vote::int) STORED,
    said text GENERATED ALWAYS AS (CASE WHEN vote THEN 'yes' ELSE 'no' END) STORED);
  INSERT INTO votes SELECT i % 100, i % 3 = 0, 'x' FROM generate_series(1, 3000) i;
  SELECT dpmix.protect('votes', 1e6, .1, adjacency => 'label', label => 'vote', accountant => 'basic'), dpmix.set_bounds('votes', 'age', 0, 100),
    dpmix.set_bounds('votes', 'twice', 0, 2), dpmix.set_categories('votes', 'vote', '{t,f}'), dpmix.set_categories('votes', 'other', '{x,y}'),
    dpmix.set_categories('votes', 'said', '{yes,no}'), dpmix.grant_access('votes', 'ana')" >/dev/null
refused() { costs "adjacency label: $1" 0 'PV005' <<<"SELECT * FROM dpmix.cda(NULL::votes, $2, 10, 1, 1e-6, label => $3);"; }
refused "no label" "'{age}'" "NULL"
refused "another label" "'{age}'" "'other'"
refused "the label as a feature" "'{age,vote}'" "NULL"
refused "the label as label and feature" "'{age,vote}'" "'vote'"
refused "a feature made from the label" "'{twice}'" "'vote'"
refused "a category made from the label" "'{age,said}'" "'vote'"
costs "adjacency label: the label's own rows" 1 '^t 5 5 $' <<SQL
SELECT abs(avg(age) - 49.5) < 10, count(*) FILTER (WHERE vote), count(*) FILTER (WHERE NOT vote) FROM dpmix.cda(NULL::votes, '{age,other}', 10, 5000, 1e-6, label => 'vote', mix => 500) \g (fieldsep=' ')
SQL
