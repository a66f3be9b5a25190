#!/usr/bin/env bash
# Where a process has little memory, whether a release ends in an error must not tell of rows: not of one that matches,
# not of how many values or groups there are. Two tables of equal sizes differ in private values alone. Each kind of
# statement is asked of both under twenty limits of what a process may have (ulimit -v), each time in a fresh process.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster "dpmix.release_idle_timeout = 0" "parallel_setup_cost = 0" "min_parallel_table_scan_size = 0" \
  "max_connections = 20" "max_parallel_workers_per_gather = 2"

# In the first table person 7 is ill and everybody's values differ; in the second nobody is, and all have the same.
table() {  # name, is the first
  PGUSER=olga session <<SQL
SET client_min_messages = warning;
CREATE TABLE $1 (id int, name text, ill boolean, x int, code text, region int, y int);
INSERT INTO $1 SELECT i, 'p' || lpad(i::text, 6, '0'), $2 AND i = 7, CASE WHEN $2 THEN i ELSE 7 END,
  'c' || lpad(CASE WHEN $2 THEN i ELSE 7 END::text, 30, '0'), CASE WHEN $2 THEN i % 2000 ELSE 7 END, CASE WHEN $2 THEN i % 900 ELSE 7 END FROM generate_series(1, 20000) AS i;
SELECT dpmix.protect('$1', 1e6, .1, accountant => 'basic'), dpmix.set_bounds('$1', 'x', 0, 20000),
  dpmix.set_bounds('$1', 'y', 0, 900), dpmix.set_categories('$1', 'ill', '{true,false}'), dpmix.grant_access('$1', 'ana'),
  dpmix.set_categories('$1', 'region', (SELECT array_agg(i::text) FROM generate_series(0, 1999) AS i)) \g /dev/null
CREATE TABLE $1_visits (person int, x int);
INSERT INTO $1_visits SELECT CASE WHEN $2 THEN i ELSE i % 7 END, 1 FROM generate_series(1, 20000) AS i;
CREATE TABLE $1_homes (person int, x int);
INSERT INTO $1_homes SELECT CASE WHEN $2 THEN i ELSE i - 30000 END, 1 FROM generate_series(1, 20000) AS i;
SELECT dpmix.protect(t, 1e6, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 2),
  dpmix.set_bounds(t, 'x', 0, 1), dpmix.grant_access(t, 'ana') FROM unnest('{$1_visits, $1_homes}'::regclass[]) AS t \g /dev/null
SQL
}
table one true
table two false
PGUSER=ana sql "CREATE TABLE jobs (id int PRIMARY KEY, title text); INSERT INTO jobs SELECT i, repeat('t', 200) FROM generate_series(1, 5000) AS i;
  SELECT dpmix.declare_public('jobs')" >/dev/null
settle

nested() {  # depth
  python3 - "$1" <<'P'
import sys
e = "($1 || name)"
for i in range(int(sys.argv[1])): e = "left(%s, %d)" % (e, 1000000 - i)
print(e)
P
}
someone="name = 'p000007' AND ill"
long="params => ARRAY[repeat('x', 1000000)]"
ask() {  # label query [arguments]: of both tables
  local table
  for table in one two; do
    printf "\\\\echo %s %s\nSELECT 'answered' FROM (SELECT count(*) FROM dpmix.query(\$q\$ %s \$q\$, .01%s) AS t(%s)) AS n;\n" \
      "$1" $table "${2//TABLE/$table}" "${4:+, $4}" "$3"
  done
}
ask_for() {  # label call
  local table
  for table in one two; do
    printf "\\\\echo %s %s\nSELECT 'answered' FROM (SELECT count(*) FROM %s) AS n;\n" "$1" $table "${2//TABLE/$table}"
  done
}
kinds() {
  ask texts "SELECT dp_count(*) FROM TABLE WHERE CASE WHEN $someone THEN length($(nested "${DEPTH:-12}")) > 5 ELSE false END" "n bigint" "$long"
  ask case "SELECT dp_count(*) FROM TABLE WHERE CASE WHEN $someone THEN lower(\$1 || name) = 'x' ELSE false END" "n bigint" "params => ARRAY[repeat('x', 900000)]"
  ask array "SELECT dp_count(*) FROM TABLE WHERE CASE WHEN $someone THEN name = ANY (\$1) ELSE false END" "n bigint" \
    "params => ARRAY[(SELECT array_agg(repeat('y', 50) || i)::text FROM generate_series(1, 20000) AS i)]"
  ask distinct "SELECT dp_count_distinct(code) FROM TABLE" "n bigint"
  ask found "SELECT code, dp_count(*) FROM TABLE GROUP BY code" "code text, n bigint" "delta => 1e-9, keys => 'discover'"
  ask median "SELECT dp_median(x) FROM TABLE" "x float8"
  ask groups "SELECT region, dp_count(*), dp_sum(x) FROM TABLE GROUP BY region" "region int, n bigint, x float8"
  ask units "SELECT dp_sum(x) FROM TABLE_visits" "x float8"
  ask join "SELECT dp_count(*) FROM TABLE JOIN jobs ON jobs.id = TABLE.x" "n bigint"
  ask_for tree "dpmix.release_tree(gen_random_uuid()::text, 'TABLE', '{x,region,ill}', .01, 1e-9)"
  ask_for gmm "dpmix.release_gmm(gen_random_uuid()::text, 'TABLE', '{x,y}', .01, 1e-9)"
  ask_for regression "dpmix.release_regression(gen_random_uuid()::text, 'TABLE', 'y', '{x,ill}', .01, 1e-9)"
  ask_for cda "dpmix.cda(NULL::TABLE, '{x,y}', 'ill', 100, .01, 1e-9, mix => 50)"
  ask both "SELECT dp_count(*) FROM TABLE_homes AS h JOIN TABLE_visits AS v ON v.person = h.person" "n bigint"
}
# A kind and a table, then how it ended.
endings() {
  PGUSER=ana session | sed -nE -e 's/^([a-z]+) (one|two)$/\1 \2/p' -e 's/^answered$/answered/p' -e '/^(ERROR|FATAL)/{s/.*failed after it was charged.*/failed/;t p;s/.*/refused/;:p;p}' |
    awk 'NF == 2 { at = $0; next } { print at, $0 }'
}
server=$(head -n 1 "$CLUSTER/data/postmaster.pid")
limit() { as_server prlimit --pid "$server" "--as=$1:"; }  # of processes that start from now on
kinds >"$CLUSTER/kinds"
for workers in 0 2; do
  set_workers="SET max_parallel_workers_per_gather = $workers;"
  all=$({ echo "$set_workers"; cat "$CLUSTER/kinds"; } | endings)
  check "$workers workers: without a limit all are answered" "" "$(grep -v answered <<<"$all" || true)"
  base=$(awk '/VmSize/ { print $2 }' "/proc/$server/status")
  : >"$CLUSTER/limited"
  for step in $(seq 1 20); do
    limit $(((base + step * step * 200 + ${FROM:-2000}) * 1024))
    { echo "$set_workers"; cat "$CLUSTER/kinds"; } | endings | sed "s/^/$step /" >>"$CLUSTER/limited"
    limit unlimited
  done
  # What one and the same limit says of the two.
  awk '{ said[$2 " " $1, $3] = $4; kinds[$2]; all[$4]++ } END {
    for (kind in kinds) {
      differ = ""
      for (step = 1; step <= 20; step++) {
        one = said[kind " " step, "one"]; two = said[kind " " step, "two"]
        if (one != two) differ = differ " " step ":" one "/" two
      }
      print kind ":" differ
    } }' "$CLUSTER/limited" | sort >"$CLUSTER/differ"
  while IFS=: read -r kind differ; do
    check "$workers workers, $kind: the end does not tell which table it is" "" "$differ"
  done <"$CLUSTER/differ"
  check "$workers workers: some limits are too small" t "$(grep -qE 'failed|refused' "$CLUSTER/limited" && echo t || echo f)"
done

refused() {  # query [arguments]: how it ends, before the charge
  local before after
  before=$(sql "SELECT count(*) FROM dpmix.ledger")
  PGUSER=ana sql "SELECT * FROM dpmix.query(\$q\$ $1 \$q\$, .01${2:+, $2}) AS t(n bigint)" | head -n 1 | cut -c 1-90
  after=$(sql "SELECT count(*) FROM dpmix.ledger")
  [ "$before" = "$after" ] || echo "charged"
}
check_match "a parameter that is named often is refused" "^ERROR:  PV005: the query's constants do not fit the memory of a row$" \
  "$(refused "SELECT dp_count(*) FROM one WHERE name < \$1 $(for _ in $(seq 40); do printf 'OR name < $1 '; done)" "$long")"
check_match "texts of a row beyond dpmix.row_memory are refused" "^ERROR:  PV002: .* where the texts of one row can take [0-9]+ kB" \
  "$(refused "SELECT dp_count(*) FROM one WHERE length($(nested 40)) > 5" "$long")"
session <<<"LOAD 'dpmix'; ALTER SYSTEM SET dpmix.total_memory = '64MB'; ALTER SYSTEM SET dpmix.row_memory = '256MB'; SELECT pg_reload_conf() \g /dev/null"
sleep .5
check_match "more than there is for all releases is refused" "^ERROR:  PV005: the release does not fit the memory of all releases$" \
  "$(refused "SELECT dp_count(*) FROM one WHERE length($(nested 40)) > 5" "$long")"
