#!/usr/bin/env bash
# By hand, where PG_CONFIG names a server that has Citus: tables of one population, distributed by their privacy unit,
# give the answers, the charges and the exact states of one machine; what needs rows in one place is refused before a
# charge. Some minutes.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/citus_lib.sh
citus_start 2 "log_statement = 'all'" "shared_buffers = 128MB"
on_node 0 -c "ALTER SYSTEM SET log_statement = 'none'" -c 'SELECT pg_reload_conf()' >/dev/null

sql >/dev/null <<'SQL'
SET client_min_messages = warning;
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT ALL ON SCHEMA public TO keeper;
CREATE TABLE regions (region text PRIMARY KEY, country text);
CREATE TABLE local_regions (LIKE regions INCLUDING ALL);
SELECT create_reference_table('regions');
INSERT INTO regions SELECT 'r' || i, 'c' || i % 2 FROM generate_series(0, 2) i;
INSERT INTO local_regions SELECT * FROM regions;
ALTER TABLE regions OWNER TO keeper;
ALTER TABLE local_regions OWNER TO keeper;
GRANT SELECT ON regions, local_regions TO analyst;
-- A hospital: visits of a patient from none to some hundred
CREATE FUNCTION fill(seed int, people int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO local_patients SELECT i, CASE WHEN hashint8extended(i, seed) % 3 = 0 THEN 'F' ELSE 'M' END,
         abs(hashint8extended(i, seed + 1) % 100)::int, 'r' || abs(hashint8extended(i, seed + 2) % 4) FROM generate_series(1, people) i;
  INSERT INTO local_visits SELECT i, 1 + (people * (abs(hashint8extended(i, seed + 3) % 1000) / 1000.0) ^ 3)::int % people,
         CASE WHEN i % 41 > 0 THEN (ARRAY['a', 'b', 'c', 'z'])[1 + abs(hashint8extended(i, seed + 4) % 4)] END,
         CASE WHEN i % 53 = 0 THEN 'NaN' WHEN i % 59 = 0 THEN NULL WHEN i % 61 = 0 THEN 'Infinity' ELSE hashint8extended(i, seed + 5) / 9.3e16 END,
         date '2024-01-01' + abs(hashint8extended(i, seed + 6) % 400)::int FROM generate_series(1, people * 5) i;
END $$;
SQL
declare_tables() {  # $1: prefix $2: population
  sql >/dev/null <<SQL
SET client_min_messages = error;
SET ROLE keeper;
SELECT dpmix.create_population('$2', 1e7, 1e-3) WHERE NOT EXISTS (SELECT FROM dpmix.populations WHERE name = '$2');
SELECT dpmix.protect('$1patients', population => '$2', privacy_unit => 'patient_id');
SELECT dpmix.protect('$1visits', population => '$2', privacy_unit => 'patient_id', max_rows_per_unit => 5);
SELECT dpmix.set_categories('$1patients', 'sex', '{F,M}'), dpmix.set_bounds('$1patients', 'age', 0, 90), dpmix.set_categories('$1patients', 'region', '{r0,r1,r2,r3}'),
       dpmix.set_categories('$1visits', 'kind', '{a,b,c}'), dpmix.set_bounds('$1visits', 'cost', -20.5, 100.7), dpmix.set_bounds('$1visits', 'day', date '2024-01-01', date '2024-12-31'),
       dpmix.grant_access('$1patients', 'analyst'), dpmix.grant_access('$1visits', 'analyst'), dpmix.declare_public('$1regions');
SQL
}
tables() {  # $1: prefix
  sql -c "SET client_min_messages = warning" -c "CREATE TABLE $1patients (patient_id bigint PRIMARY KEY, sex text, age int, region text)" \
    -c "CREATE TABLE $1visits (visit_no int, patient_id bigint, kind text, cost float8, day date)"
}
# A name that is protected gives a table of its owner triggers at once, and Citus distributes none that has some.
give_to_keeper() { sql -c "ALTER TABLE $1patients OWNER TO keeper" -c "ALTER TABLE $1visits OWNER TO keeper"; }
ask() {  # $1: text, @ for the prefix $2: columns $3: prefix $4: epsilon [$5: more arguments]
  as analyst "SET client_min_messages = error; SELECT * FROM dpmix.query(\$q\$${1//@/$3}\$q\$, $4, 1e-6${5:+, $5}) AS t($2)"
}

# 1. Answers and charges of one machine, whatever the number of shards ----------------------------------------------
queries=(
  "SELECT dp_count(*), dp_count_distinct(patient_id), dp_count(*) FILTER (WHERE age > 40) FROM @patients|n bigint, p bigint, f bigint"
  "SELECT kind, dp_count(*), dp_count(cost), dp_count_distinct(patient_id), dp_histogram(cost, ARRAY[-20,0,20,50,101]), dp_sum(cost) / 100, dp_avg(cost), dp_stddev(cost) FROM @visits GROUP BY kind|k text, n bigint, m bigint, p bigint, h bigint[], s float8, a float8, d float8"
  "SELECT kind, dp_count(*) FILTER (WHERE cost > 50), dp_count_distinct(patient_id) FILTER (WHERE cost > 30), dp_count_distinct(patient_id) FILTER (WHERE day < '2024-03-01'), dp_count(*) FROM @visits WHERE cost > -80 GROUP BY kind|k text, n bigint, p bigint, q bigint, m bigint"
  "SELECT sex, kind, dp_count(*), dp_sum(cost) / 100 FROM @patients AS p JOIN @visits AS v ON p.patient_id = v.patient_id WHERE age > 20 GROUP BY sex, kind|s text, k text, n bigint, c float8"
  "SELECT sex, dp_count(*), dp_count(kind), dp_count_distinct(p.patient_id) FROM @patients AS p LEFT JOIN @visits AS v ON p.patient_id = v.patient_id AND v.kind = 'a' GROUP BY sex|s text, n bigint, k bigint, p bigint"
  "SELECT country, dp_count(*), dp_avg(age) FROM @patients JOIN @regions USING (region) GROUP BY country|c text, n bigint, a float8"
  "SELECT country, kind, dp_count(*), dp_count_distinct(p.patient_id) FROM @patients AS p JOIN @regions AS r ON r.region = p.region JOIN @visits AS v ON v.patient_id = p.patient_id WHERE cost < 90.5 GROUP BY country, kind|c text, k text, n bigint, p bigint"
  "SELECT width_bucket(age, 0, 90, 3), date_part('month', day), dp_count(*) FROM @patients AS p, @visits AS v WHERE v.patient_id = p.patient_id AND day < '2024-05-01' GROUP BY 1, 2|b int, m float8, n bigint"
  "SELECT dp_count(*), dp_count_distinct(patient_id) FROM @visits WHERE patient_id = 2|n bigint, p bigint"
)
more=("" "max_groups => 2" "max_rows => 3" "max_rows => 15" "mechanism => 'laplace'" "max_groups => 1, mechanism => 'laplace'")
for shards in 1 3 8; do
  sql -c 'SET client_min_messages = error' -c 'DROP TABLE IF EXISTS patients, visits, local_patients, local_visits'
  tables ""
  tables local_
  sql -c "SELECT create_distributed_table('patients', 'patient_id', shard_count => $shards), create_distributed_table('visits', 'patient_id', colocate_with => 'patients')" >/dev/null
  sql -c "SELECT fill($RANDOM, $((100 + RANDOM % 1000)))" -c 'INSERT INTO patients SELECT * FROM local_patients' -c 'INSERT INTO visits SELECT * FROM local_visits' >/dev/null
  give_to_keeper ""
  give_to_keeper local_
  declare_tables "" clinic
  declare_tables local_ local_clinic
  for query in "${queries[@]}"; do
    for with in "${more[@]}"; do
      [ "$shards" -eq 3 ] || [ -z "$with" ] || continue
      [[ $with != *max_groups* || $query == *"GROUP BY"* ]] || continue
      [[ $with != *max_* || $query == *visits* ]] || continue  # of patients one machine knows better
      same_but_for_noise "$shards shards ${with:+with $with }answer as one machine: ${query%%|*}" "$(ask "${query%%|*}" "${query##*|}" local_ 1e5 "$with")" "$(ask "${query%%|*}" "${query##*|}" "" 1e5 "$with")"
    done
  done
  for mechanism in auto gaussian laplace; do
    for table in local_ ""; do ask "SELECT kind, dp_count(*), dp_sum(cost) FROM @visits GROUP BY kind" "k text, n bigint, s float8" "$table" .5 "mechanism => '$mechanism'" >/dev/null; done
  done
  check "and charge as much" "$(charges true)" "$(charges false)"
done

# Where all rows count, which ones are picked does not matter.
all=$(sql -c "SELECT max(n) FROM (SELECT count(*) AS n FROM local_visits GROUP BY patient_id) v")
for query in "SELECT dp_median(cost), dp_count(*), dp_quantile(cost, 0.9) FILTER (WHERE cost > 20) FROM @visits|m float8, n bigint, q float8" \
  "SELECT dp_median(cost) FROM @visits WHERE cost > -10|m float8" "SELECT sex, dp_count_distinct(kind), dp_count(*) FROM @patients AS p JOIN @visits AS v ON p.patient_id = v.patient_id GROUP BY sex|s text, d bigint, n bigint" \
  "SELECT day - date '2024-01-01' AS d, dp_count(*), dp_sum(cost) / 100 FROM @visits WHERE day < '2024-01-05' GROUP BY 1 ORDER BY 1|d int, n bigint, s float8"; do
  same_but_for_noise "answer as one machine: ${query%%|*}" "$(ask "${query%%|*}" "${query##*|}" local_ 3e5 "max_rows => $all")" "$(ask "${query%%|*}" "${query##*|}" "" 3e5 "max_rows => $all")"
done

# 2. States, to the bit: the statements that shards were sent, over the rows of one machine -------------------------
make_parts
all_of="kind, dp_count(*), dp_sum(cost), dp_stddev(age), dp_count_distinct(p.patient_id), dp_sum(cost) FILTER (WHERE age > 30)"
from="FROM patients AS p JOIN visits AS v ON p.patient_id = v.patient_id"
for summed in by_row by_unit alone; do  # a histogram is weighed row by row; of one group no weights are windows
  mark
  case $summed in
    by_row) ask "SELECT $all_of, dp_histogram(cost, ARRAY[-20,0,20,30,40,50,101]) $from GROUP BY kind" "k text, n bigint, s float8, d float8, p bigint, f float8, h bigint[]" "" 1 ;;
    by_unit) ask "SELECT $all_of $from GROUP BY kind" "k text, n bigint, s float8, d float8, p bigint, f float8" "" 1 ;;
    alone) ask "SELECT ${all_of#kind, } $from" "n bigint, s float8, d float8, p bigint, f float8" "" 1 ;;
  esac >/dev/null
  sent >>"$CLUSTER/sent"
  check "$summed: each shard is asked once" 8 "$(sent | wc -l)"
  compare_parts 'SELECT worker_column.* FROM \(*.*public\.visits_1[0-9]{5} .*|SELECT [a-z_.]*\(.* FROM \(*.*public\.visits_1[0-9]{5} .*'
  check "no statement differs but for the names of shards" 1 "$(sed -E 's/_1[0-9]{5}/_N/g' "$CLUSTER/statements" | sort -u | wc -l)"
  check "states of weighed rows, merged, are those of one machine" "0|t|t" "$(sql -c "SELECT count(*), (SELECT count(*) >= 7 FROM merged(1)), (SELECT bool_or(state ~ '^sum\(\d+,\d') FROM merged(1)) FROM ($differ) differ")"
done
others=$(grep -vE 'SELECT (sum|count|dpmix_internal.array_agg)\(|SELECT worker_column_1(, (array_agg|sum|count|dpmix_internal.array_agg)\(|, .* GROUP BY worker_column_1)' "$CLUSTER/sent" || true)
check "nothing but counts and states is asked of shards" '' "${others:0:600}"

# 3. Refused before a charge -----------------------------------------------------------------------------------------
before=$(sql -c 'SELECT count(*) FROM dpmix.charge')
refused() { has "$1" "$2" "$(ask "$3" "$4" "" 1 "${5:-}")"; }
refused "groups that are found beside the number of people" "PV002: these groups cannot be found over shards" "SELECT visit_no, dp_count(*), dp_count_distinct(patient_id) FROM visits GROUP BY 1" "v int, n bigint, p bigint"
refused "quantiles of few groups each" "PV002: max_groups with quantiles or different values cannot be kept over shards" "SELECT kind, dp_median(cost) FROM visits GROUP BY kind" "k text, m float8" "max_groups => 2"
refused "grouping sets" "PV002: GROUPING SETS, ROLLUP and CUBE cannot be answered over shards" "SELECT kind, dp_count(*) FROM visits GROUP BY CUBE (kind)" "k text, n bigint"
refused "other noise" "PV002: mechanism staircase over shards" "SELECT dp_count(*) FROM visits" "n bigint" "mechanism => 'staircase'"
refused "public tables of this node" "create_reference_table('public.local_regions')" "SELECT dp_count(*) FROM patients JOIN local_regions USING (region)" "n bigint"
refused "private tables of this node" "create_distributed_table('public.local_visits', 'patient_id', colocate_with => 'public.patients')" "SELECT dp_count(*) FROM patients JOIN local_visits USING (patient_id)" "n bigint"
refused "joins otherwise than on units" "PV002: joining public.visits with public.patients otherwise than on their privacy units" "SELECT dp_count(*) FROM patients AS p JOIN visits AS v ON p.age = v.visit_no" "n bigint"
sql -c 'SET client_min_messages = warning' -c "CREATE TABLE stays (patient_id bigint, ward text)" -c "SELECT create_distributed_table('stays', 'patient_id', colocate_with => 'none', shard_count => 5)" \
  -c "CREATE TABLE by_ward (patient_id bigint, ward text)" -c "SELECT create_distributed_table('by_ward', 'ward')" -c "CREATE TABLE lines (visit_no int, item text)" -c "SELECT create_distributed_table('lines', 'visit_no')" -c "INSERT INTO lines SELECT i % 300 + 1, 'x' FROM generate_series(1, 1000) i" \
  -c 'ALTER TABLE stays OWNER TO keeper' -c 'ALTER TABLE by_ward OWNER TO keeper' -c 'ALTER TABLE lines OWNER TO keeper' \
  -c "SET ROLE keeper; SELECT dpmix.protect('stays', population => 'clinic', privacy_unit => 'patient_id', max_rows_per_unit => 2), dpmix.grant_access('stays', 'analyst')" >/dev/null
refused "tables that do not lie together" "alter_distributed_table('public.stays', colocate_with => 'public.patients')" "SELECT dp_count(*) FROM patients JOIN stays USING (patient_id)" "n bigint"
check "nothing was charged" "$before" "$(sql -c 'SELECT count(*) FROM dpmix.charge')"
has "a table that is spread by another column has no unit" "alter_distributed_table('public.by_ward', distribution_column => 'patient_id')" "$(as keeper "SELECT dpmix.protect('by_ward', 1, 1e-6, privacy_unit => 'patient_id')")"
said=$(as keeper "SELECT dpmix.protect('lines', population => 'clinic', unit_through => 'visits', link => '{visit_no}', target_key => '{visit_no}', max_rows_per_unit => 9)") || true
has "nor has one that is linked: PV005" "PV005: public.lines is distributed, and cannot be linked" "$said"
psql -qtA -v ON_ERROR_STOP=1 -c 'SET client_min_messages = error' -f <(sed -n 's/^HINT:  \(.*;\) Then.*/\1/p' <<<"$said") >/dev/null
hasnt "with what the message says it has a unit" ERROR "$(as keeper "SET client_min_messages = error; SELECT dpmix.protect('lines', population => 'clinic', privacy_unit => 'patient_id', max_rows_per_unit => 9)")"
sql -c "SELECT alter_distributed_table('stays', colocate_with => 'patients')" >/dev/null 2>&1
sql -c "SET client_min_messages = error; SET ROLE keeper; SELECT dpmix.protect('stays', population => 'clinic', privacy_unit => 'patient_id', max_rows_per_unit => 2), dpmix.grant_access('stays', 'analyst')" >/dev/null
hasnt "what the message says helps" ERROR "$(ask "SELECT dp_count(*) FROM patients JOIN stays USING (patient_id)" "n bigint" "" 1)"

# 4. One row of each unit, where no more count ---------------------------------------------------------------------
for query in "SELECT dp_median(age), dp_count(*), dp_quantile(age, 0.9) FROM @patients|m float8, n bigint, q float8" \
  "SELECT sex, dp_count_distinct(region), dp_median(age) FROM @patients WHERE age > 3 GROUP BY sex|s text, r bigint, m float8" \
  "SELECT sex, region, dp_count(*), dp_sum(age) / 100 FROM @patients GROUP BY CUBE (sex, region) ORDER BY sex, region|s text, r text, n bigint, a float8" \
  "SELECT age / 10 AS decade, dp_count(*) FROM @patients GROUP BY 1 ORDER BY 1|d int, n bigint"; do
  same_but_for_noise "answer as one machine: ${query%%|*}" "$(ask "${query%%|*}" "${query##*|}" local_ 1e5)" "$(ask "${query%%|*}" "${query##*|}" "" 1e5)"
done
sql >/dev/null <<'SQL'
SET client_min_messages = error;
CREATE TABLE often (person int, x int, note text);
SELECT create_distributed_table('often', 'person', shard_count => 5);
INSERT INTO often SELECT i % 97, i % 50 + 1, repeat('x', i % 9) FROM generate_series(1, 3000) i;
ALTER TABLE often OWNER TO keeper;
SET ROLE keeper;
SELECT dpmix.protect('often', 1e7, 1e-3, privacy_unit => 'person'), dpmix.set_bounds('often', 'x', 0, 50), dpmix.set_categories('often', 'note', '{x,xx,xxx}'), dpmix.grant_access('often', 'analyst');
SQL
picks() { ask "SELECT dp_count(*), dp_median(x), dp_count_distinct(note) FROM often" "n bigint, m float8, d bigint" "" 1e6; }
once=$(picks)
check "of 3000 rows one of each of 97 units counts" 97 "${once%%|*}"
sql -c 'CREATE TABLE moved AS SELECT * FROM often ORDER BY random()' -c 'TRUNCATE often' -c 'INSERT INTO often SELECT * FROM moved' >/dev/null
same_but_for_noise "the same one, wherever it lies" "$once" "$(picks)"
has "a notice says so" "NOTICE:  00000: of each privacy unit at most 1 row counts, always the same one" "$(as analyst "SELECT * FROM dpmix.query('SELECT dp_median(x) FROM often', 1) AS t(m float8)")"

# 5. Units of other types, replaced rows ----------------------------------------------------------------------------
sql >/dev/null <<'SQL'
SET client_min_messages = error;
CREATE TABLE by_name (person text, mail uuid, g int, x float8);
CREATE TABLE by_mail (LIKE by_name);
CREATE TABLE local_names (LIKE by_name);
SELECT create_distributed_table('by_name', 'person', shard_count => 4), create_distributed_table('by_mail', 'mail', shard_count => 4);
INSERT INTO local_names SELECT 'p' || i % 97, md5((i % 61)::text)::uuid, i % 3, i % 50 FROM generate_series(1, 3000) i;
INSERT INTO by_name SELECT * FROM local_names;
INSERT INTO by_mail SELECT * FROM local_names;
CREATE TABLE local_mails AS SELECT * FROM local_names;
ALTER TABLE by_name OWNER TO keeper; ALTER TABLE by_mail OWNER TO keeper; ALTER TABLE local_names OWNER TO keeper; ALTER TABLE local_mails OWNER TO keeper;
SET ROLE keeper;
SELECT dpmix.protect(t, 1e7, 1e-3, privacy_unit => CASE WHEN t::text LIKE '%mail%' THEN 'mail' ELSE 'person' END, max_rows_per_unit => 7, adjacency => 'replace', guard_unit => true),
       dpmix.set_bounds(t, 'x', 0, 50), dpmix.set_categories(t, 'g', '{0,1,2}'), dpmix.grant_access(t, 'analyst') FROM unnest('{by_name,by_mail,local_names,local_mails}'::regclass[]) t;
SQL
for pair in "local_names by_name" "local_mails by_mail"; do
  text="SELECT g, dp_count(*), dp_sum(x) / 100, dp_histogram(x, ARRAY[0,10,51]) FROM @ GROUP BY g"
  same_but_for_noise "units of another type, adjacency replace: ${pair#* }" "$(ask "$text" "g int, n bigint, s float8, h bigint[]" "${pair% *}" 1e5)" "$(ask "$text" "g int, n bigint, s float8, h bigint[]" "${pair#* }" 1e5)"
done
has "a row stays with its unit" "modifying the partition value of rows is not allowed" "$(as keeper "UPDATE by_name SET person = 'x' WHERE g = 1")"
exit $bad
