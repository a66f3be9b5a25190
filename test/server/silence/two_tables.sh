# Sourced: two protected tables of equal sizes that differ in private values alone, and kinds of statements to ask of
# both: \echo KIND TABLE, and a statement that prints "answered".

# In the first table person 7 is ill and everybody's values differ; in the second nobody is, and all have the same.
table() {  # name, is the first
  PGUSER=olga session <<SQL
SET client_min_messages = warning;
CREATE TABLE $1 (id int, name text, ill boolean, x int, code text, region int, y int);
INSERT INTO $1 SELECT i, 'p' || lpad(i::text, 6, '0'), $2 AND i = 7, CASE WHEN $2 THEN i ELSE 7 END,
  'c' || lpad(CASE WHEN $2 THEN i ELSE 7 END::text, 30, '0'), CASE WHEN $2 THEN i % 2000 ELSE 7 END, CASE WHEN $2 THEN i % 900 ELSE 7 END FROM generate_series(1, $rows) AS i;
SELECT dpmix.protect('$1', 1e6, .1, accountant => 'basic'), dpmix.set_bounds('$1', 'x', 0, 20000),
  dpmix.set_bounds('$1', 'y', 0, 900), dpmix.set_categories('$1', 'ill', '{true,false}'), dpmix.grant_access('$1', 'ana', max_charges_per_minute => 1000000),
  dpmix.set_categories('$1', 'region', (SELECT array_agg(i::text) FROM generate_series(0, 1999) AS i)) \g /dev/null
CREATE TABLE $1_visits (person int, x int);
INSERT INTO $1_visits SELECT CASE WHEN $2 THEN i ELSE i % 7 END, 1 FROM generate_series(1, $rows) AS i;
CREATE TABLE $1_homes (person int, x int);
INSERT INTO $1_homes SELECT CASE WHEN $2 THEN i ELSE i - 30000 END, 1 FROM generate_series(1, $rows) AS i;
SELECT dpmix.protect(t, 1e6, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 2),
  dpmix.set_bounds(t, 'x', 0, 1), dpmix.grant_access(t, 'ana', max_charges_per_minute => 1000000) FROM unnest('{$1_visits, $1_homes}'::regclass[]) AS t \g /dev/null
SQL
}
two_tables() {  # rows of each
  rows=$1
  table one true
  table two false
  PGUSER=ana sql "CREATE TABLE jobs (id int PRIMARY KEY, title text); INSERT INTO jobs SELECT i, repeat('t', 200) FROM generate_series(1, 5000) AS i;
    CREATE TABLE tasks (id int PRIMARY KEY, job text); INSERT INTO tasks SELECT i, repeat(md5(i::text), 57) FROM generate_series(30001, 38000) AS i;
    SELECT dpmix.declare_public(t) FROM unnest('{jobs,tasks}'::regclass[]) AS t" >/dev/null
  settle
}

length=1000000  # of the longest texts
nested() {  # depth
  python3 - "$1" "$length" <<'P'
import sys
e = "($1 || name)"
for i in range(int(sys.argv[1])): e = "left(%s, %d)" % (e, int(sys.argv[2]) - i)
print(e)
P
}
long() { echo "params => ARRAY[repeat('x', $length)]"; }
someone="name = 'p000007' AND ill"
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
  ask texts "SELECT dp_count(*) FROM TABLE WHERE CASE WHEN $someone THEN length($(nested "${DEPTH:-12}")) > 5 ELSE false END" "n bigint" "$(long)"
  ask times "SELECT dp_count(*) FROM TABLE WHERE CASE WHEN $someone THEN to_char(date '2020-01-01' + x, 'FMMonth YYYY') <> 'May' AND extract(year FROM age(date '2020-01-01' + x)) > 3 ELSE false END" "n bigint"
  ask case "SELECT dp_count(*) FROM TABLE WHERE CASE WHEN $someone THEN lower(\$1 || name) = 'x' ELSE false END" "n bigint" "params => ARRAY[repeat('x', $((length * 9 / 10)))]"
  ask array "SELECT dp_count(*) FROM TABLE WHERE CASE WHEN $someone THEN name = ANY (\$1) ELSE false END" "n bigint" \
    "params => ARRAY[(SELECT array_agg(repeat('y', 50) || i)::text FROM generate_series(1, $((length / 50))) AS i)]"
  ask distinct "SELECT dp_count_distinct(code) FROM TABLE" "n bigint"
  ask found "SELECT code, dp_count(*) FROM TABLE GROUP BY code" "code text, n bigint" "delta => 1e-9, keys => 'discover'"
  ask median "SELECT dp_median(x) FROM TABLE" "x float8"
  ask groups "SELECT region, dp_count(*), dp_sum(x) FROM TABLE GROUP BY region" "region int, n bigint, x float8"
  ask units "SELECT dp_sum(x) FROM TABLE_visits" "x float8"
  ask join "SELECT dp_count(*) FROM TABLE JOIN jobs ON jobs.id = TABLE.x" "n bigint"
  ask tasked "SELECT dp_count(job) FROM TABLE JOIN tasks ON tasks.id = TABLE.x WHERE CASE WHEN $someone THEN y < 5000 ELSE false END" "n bigint"
  ask_for tree "dpmix.release_tree(gen_random_uuid()::text, 'TABLE', '{x,region,ill}', .01, 1e-9)"
  ask_for gmm "dpmix.release_gmm(gen_random_uuid()::text, 'TABLE', '{x,y}', .01, 1e-9)"
  ask_for regression "dpmix.release_regression(gen_random_uuid()::text, 'TABLE', 'y', '{x,ill}', .01, 1e-9)"
  ask_for cda "dpmix.cda(NULL::TABLE, '{x,y}', 100, .01, 1e-9, label => 'ill', mix => 50)"
  ask both "SELECT dp_count(*) FROM TABLE_homes AS h JOIN TABLE_visits AS v ON v.person = h.person" "n bigint"
}
more_kinds() {
  ask json "SELECT region, dp_count(*) AS n FROM TABLE WHERE ill GROUP BY region" "region int, n bigint"
  ask grouped "SELECT dp_sum(n) FROM (SELECT person, count(*) AS n, sum(x) AS s, max(x) AS m FROM TABLE_visits GROUP BY person HAVING sum(x) > 0) v" "x float8"
  ask held "SELECT dp_count(*) FROM TABLE_visits v WHERE x > 0 AND NOT EXISTS (SELECT FROM TABLE_visits w WHERE w.person = v.person AND w.x > 5)" "n bigint"
  ask_for logistic "dpmix.release_regression(gen_random_uuid()::text, 'TABLE', 'ill', '{x,y}', .01, 1e-9, 'logistic')"
  ask_for coordinate "dpmix.release_regression(gen_random_uuid()::text, 'TABLE', 'ill', '{x,y}', .01, 1e-9, 'logistic', method => 'coordinate', passes => 2)"
  ask_for copula "dpmix.synthesize(NULL::TABLE, 100, .01, 1e-9, columns => '{x,y}', label => 'ill', method => 'copula')"
  ask_for cube "dpmix.release_cube(gen_random_uuid()::text, 'TABLE', '{ill}', '{x}', .01, 1e-9)"
  ask_for survival "dpmix.release_survival(gen_random_uuid()::text, 'TABLE', 'y', 'ill', .01, 1e-9, bins => 5)"
  ask_for compared "dpmix.compare_private('TABLE', 'made', .01, 1e-9, 'ill', '{x,y}')"
  ask_for suggested "dpmix.suggest_bounds('TABLE', 'y', .01)"
}
# In one of the tables rows pass the conditions, in the other none does.
layer_kinds() {
  ask few_held "SELECT dp_count(*) FROM TABLE_homes v WHERE person > 0 AND NOT EXISTS (SELECT FROM TABLE_homes w WHERE w.person = v.person AND w.x > 5)" "n bigint"
  ask few_grouped "SELECT dp_sum(n) FROM (SELECT person, count(*) AS n FROM TABLE_homes WHERE person > 0 GROUP BY person) v" "x float8"
  ask numbered "SELECT dp_count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY x) AS n FROM TABLE_visits WHERE person > 6) v WHERE n = 1" "n bigint"
}
# What is kept of computed texts, and of rows that are multiplied.
kept_kinds() {
  local discover="delta => 1e-9, keys => 'discover'" several="h.person BETWEEN 1 AND 300"
  ask keys "SELECT left(code || \$1, $((length / 2))) AS k, dp_count(*) FROM TABLE WHERE id < 300 GROUP BY 1" "k text, n bigint" "$discover, params => ARRAY[repeat('x', $((length / 4)))]"
  ask lower "SELECT lower(code) AS k, dp_count(*) FROM TABLE GROUP BY 1" "k text, n bigint" "$discover"
  ask nested "SELECT $(nested 3) AS k, dp_count(*) FROM TABLE WHERE $someone GROUP BY 1" "k text, n bigint" "$discover, $(long)"
  ask counted "SELECT dp_count($(nested 2)) FROM TABLE WHERE $someone" "n bigint" "$(long)"
  ask different "SELECT dp_count_distinct(left(code || \$1, $((length / 2)))) FROM TABLE WHERE id < 300" "n bigint" "params => ARRAY[repeat('x', $((length / 4)))]"
  ask summed "SELECT dp_sum(least(length($(nested 1)), 10)) FROM TABLE WHERE $someone" "x float8" "$(long)"
  ask labels "SELECT m.label, dp_count(*) FROM TABLE_homes h JOIN mine m ON m.k = h.person % 10 WHERE $several GROUP BY 1" "k text, n bigint" "$discover"
  ask marked "SELECT m.x, dp_count_distinct(h.person) FROM TABLE_homes h JOIN mine m ON m.k = h.person % 10 WHERE $several GROUP BY 1" "k int, n bigint" "$discover, max_groups => 1"
  ask seen "SELECT dp_count_distinct(m.x) FROM TABLE_homes h JOIN mine m ON m.k = h.person % 10 WHERE $several" "n bigint"
  ask beside "SELECT title, dp_count(*) FROM TABLE JOIN jobs ON jobs.id = TABLE.x GROUP BY 1" "t text, n bigint" "$discover"
}
