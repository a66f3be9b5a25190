#!/usr/bin/env bash
# By hand, where PG_CONFIG names a server that has Citus: statistics of a distributed table are computed on its shards,
# only exact states travel, and they are those of one table here, to the bit; what an analyst can do or see there. Two
# minutes. Units of several rows: citus_people.sh; bytes and time: citus_costs.sh.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/citus_lib.sh
citus_start 2 "log_statement = 'all'" "shared_buffers = 512MB"
on_node 0 -c "ALTER SYSTEM SET log_statement = 'none'" -c 'SELECT pg_reload_conf()' >/dev/null

sql >/dev/null <<SQL
SET client_min_messages = warning;
\i test/data/shard_forms.sql
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT ALL ON SCHEMA public TO keeper;
GRANT CREATE ON SCHEMA public TO analyst;
CREATE TABLE here (id bigint, class int, x float8, v float8[]);
SQL

# 1. The same states for every aggregate in both forms, by group and over all, on 1 to 8 shards --------------------
for shards in 1 2 3 4 5 6 7 8; do
  sql -c "TRUNCATE here" -c "INSERT INTO here SELECT * FROM rows_of($((RANDOM)), $((RANDOM % 4000)))"
  sql -c 'SET client_min_messages = warning' -c 'DROP TABLE IF EXISTS spread' -c 'CREATE TABLE spread (LIKE here)' -c \
    "SELECT create_distributed_table('spread', 'id', shard_count => $shards)" -c 'INSERT INTO spread SELECT * FROM here' >/dev/null
  check "$shards shards: states of all aggregates as here" "14|t|t" "$(sql -c "
    WITH compared AS MATERIALIZED (
      SELECT aggregate, bool_and(h.state = s.state) AS shards, bool_and(h.state = p.state) AS partial, count(*) AS groups
        FROM forms f, states_of('here', plain_form(f)) h
        LEFT JOIN LATERAL states_of('spread', shard_form(f)) s ON s.class IS NOT DISTINCT FROM h.class
        LEFT JOIN LATERAL states_of('spread', plain_form(f)) p ON p.class IS NOT DISTINCT FROM h.class GROUP BY 1)
    SELECT count(*), bool_and(shards), bool_and(partial) FROM compared")"
done

# 2. Plans -------------------------------------------------------------------------------------------------------
plan=$(sql -c "EXPLAIN (VERBOSE, COSTS off) SELECT class, dpmix_internal.joined_states(dpmix_internal.array_agg(x, 50.1::float8, 0.1::float8, -700::float8, 700::float8, 'lattice_sum'::text))
  FROM spread GROUP BY class")
has "the plan joins arrays of states" 'dpmix_internal.joined_states(array_cat_agg(' "$plan"
has "each shard computes them" 'Output: class, dpmix_internal.array_agg(x,' "$plan"
plan=$(sql -c "EXPLAIN (VERBOSE, COSTS off) SELECT dpmix_internal.lattice_sum(x, 50.1, 0.1, -700, 700) FROM spread")
has "plain aggregates run inside worker_partial_agg" "worker_partial_agg('dpmix_internal.lattice_sum" "$plan"

# 3. Private releases: the owner is no superuser, the analyst has no SELECT ----------------------------------------
sql >/dev/null <<'SQL'
SET client_min_messages = warning;
CREATE TABLE people (id int, person int, sex text, wage float8, age int, born date);
SELECT create_distributed_table('people', 'person', shard_count => 6);
INSERT INTO people SELECT i, i % 9000, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END, i % 1000 + .1, i % 90, date '1930-01-01' + i % 30000 FROM generate_series(1, 20000) i;
CREATE INDEX ON people (sex);
CREATE TABLE local_people AS SELECT * FROM people;
ALTER TABLE people OWNER TO keeper;
ALTER TABLE local_people OWNER TO keeper;
SET ROLE keeper;
SELECT dpmix.protect(t, 1e7, 1e-3), dpmix.set_bounds(t, 'wage', 0, 1000.7), dpmix.set_bounds(t, 'age', 0, 100),
       dpmix.set_categories(t, 'sex', '{F,M}'), dpmix.set_bounds(t, 'born', '1930-01-01'::date, '2012-12-31'::date), dpmix.grant_access(t, 'analyst')
  FROM unnest('{people,local_people}'::regclass[]) t;
SQL
# With this ε counts have no noise, and sums less than a millionth.
ask="SELECT sex, dp_count(*), dp_count(wage) FILTER (WHERE age > 10), dp_histogram(age, ARRAY[0,20,40,100]), dp_count_distinct(sex), dp_avg(wage), dp_stddev(wage), dp_median(age) FROM"
answer() {  # $1: table $2: condition
  as analyst "SELECT sex, n, m, h, d, CASE WHEN n > 100 THEN ARRAY[round(a::numeric, 1), round(s::numeric, 1), round(q::numeric)] END FROM dpmix.query(\$\$$ask $1 $2 GROUP BY sex\$\$, 1e5)
    AS t(sex text, n bigint, m bigint, h bigint[], d bigint, a float8, s float8, q float8)"
}
mark
for where in "" "WHERE sex = 'F'" "WHERE wage > 333.3 AND born >= '1971-02-03'" "WHERE sex COLLATE \"C\" < 'G'" "WHERE wage > 1e6" "WHERE person = 77"; do
  check "the answer is that of one table: ${where:-all rows}" "$(answer local_people "$where")" "$(answer people "$where")"
done
statements=$(sent)
others=$(grep -vE 'dpmix_internal.array_agg\(' <<<"$statements" || true)
check "nothing but counts and states is asked of shards" '' "${others:0:600}"
hasnt "no condition that an index or a shard answers" 'WHERE \(?(person|sex) ' "$statements"
check "each is asked once of each shard" 36 "$(wc -l <<<"$statements")"

mark
charges=$(sql -c "SELECT count(*) FROM dpmix.charge")
for call in "SELECT count(*) FROM dpmix.release_gmm('m1', 'people', '{wage,age}', 1, 1e-6, label => 'sex')" \
  "SELECT count(*) FROM dpmix.release_gmm('m2', 'people', '{wage,age}', 1, 1e-6, components => 2, method => 'em')" \
  "SELECT count(*) > 0 FROM dpmix.compare_private('people', 'public_rows', 1, 1e-6, label => 'sex', columns => '{wage,age}')"; do
  [ -n "${made:-}" ] || { sql -c 'CREATE TABLE public_rows AS SELECT * FROM local_people LIMIT 500' -c 'GRANT SELECT ON public_rows TO analyst'; made=1; }
  hasnt "made of shards: ${call:0:60}" 'ERROR' "$(as analyst "$call")"
done
check "one charge each" $((charges + 3)) "$(sql -c "SELECT count(*) FROM dpmix.charge")"
others=$(sent | grep -vE 'dpmix_internal.array_agg\(' || true)
check "by states alone" '' "${others:0:600}"


# 4. Refused before a charge ----------------------------------------------------------------------------------------
charges=$(sql -c "SELECT count(*) FROM dpmix.charge")
has "synthetic tables" PV002 "$(as analyst "SELECT count(*) FROM dpmix.cda(NULL::people, '{wage}', 10, 1, 1e-6, label => 'sex')")"
sql -c "ALTER TABLE people ADD seen timestamptz" -c "SET ROLE keeper; SELECT dpmix.set_bounds('people', 'seen', '2020-01-01'::timestamptz, '2021-01-01'::timestamptz)" >/dev/null
has "what depends on the time zone" PV002 "$(as analyst "SELECT count(*) FROM dpmix.query('SELECT date_trunc(''month'', seen), dp_count(*) FROM people GROUP BY 1', 1) AS t(m timestamptz, n bigint)")"
has "joins with tables of this node" ERROR "$(as analyst "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people JOIN public_rows USING (person)', 1) AS t(n bigint)")"
sql -c 'SET client_min_messages = warning' -c 'CREATE TABLE places (place text PRIMARY KEY, zone text)' -c "SELECT create_reference_table('places')" -c 'ALTER TABLE places OWNER TO keeper' \
  -c "INSERT INTO places SELECT 'a' || i, 'z' FROM generate_series(0, 2) i" -c 'GRANT SELECT ON places TO analyst' -c "SET ROLE keeper; SELECT dpmix.declare_public('places')" >/dev/null
has "a join that only an index of shards bounds" PV002 "$(as analyst "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people JOIN places ON places.place = people.sex', 1) AS t(n bigint)")"
check "nothing was charged" "$charges" "$(sql -c "SELECT count(*) FROM dpmix.charge")"
shard=$(on_node 1 -tA -c "SET citus.override_table_visibility = off; SELECT oid::regclass FROM pg_class WHERE relname ~ '^people_1' AND relkind = 'r' LIMIT 1")
has "a shard is not protected on its own" PV005 "$(PGUSER=keeper on_node 1 -v VERBOSITY=verbose -c "SELECT dpmix.protect('$shard', 1, 0)" 2>&1)"
sql -c 'SET client_min_messages = warning' -c 'SET citus.shard_replication_factor = 2' -c 'CREATE TABLE twice (id int)' -c "SELECT create_distributed_table('twice', 'id', shard_count => 2)" \
  -c 'CREATE TABLE everywhere (id int)' -c "SELECT create_reference_table('everywhere')" >/dev/null
for table in twice everywhere; do
  has "nor one that Citus keeps in several copies: $table" PV005 "$(psql -qtA -v VERBOSITY=verbose -c "SELECT dpmix.protect('$table', 1, 0)" 2>&1)"
done
has "nor a distributed table by another node" PV005 "$(PGUSER=keeper on_node 1 -v VERBOSITY=verbose -c "SELECT dpmix.protect('people', 1, 0)" 2>&1)"

# 5. What an analyst's session changes ------------------------------------------------------------------------------
plain=$(answer people "WHERE born >= '1971-02-03' AND wage > 333.3")
for setting in "extra_float_digits = -15" "DateStyle = 'SQL, DMY'" "IntervalStyle = 'iso_8601'" "standard_conforming_strings = off" "bytea_output = escape" \
  "citus.count_distinct_error_rate = 0.1" "citus.coordinator_aggregation_strategy = 'row-gather'" "citus.enable_repartition_joins = on" \
  "citus.local_table_join_policy = 'prefer-distributed'" "citus.max_intermediate_result_size = 1" "citus.enable_binary_protocol = off" \
  "citus.task_assignment_policy = 'round-robin'" "citus.max_adaptive_executor_pool_size = 1" "citus.enable_local_execution = off"; do
  check "the same under $setting" "$plain" "$(PGOPTIONS="-c ${setting%% =*}=$(sed "s/^[^=]*= //; s/^'//; s/'\$//; s/ //g" <<<"$setting")" answer people "WHERE born >= '1971-02-03' AND wage > 333.3")"
done
noisy="SELECT count(n) FROM dpmix.query('SELECT sex, dp_sum(wage) FROM people WHERE wage > 5 GROUP BY sex', .1) AS t(s text, n float8)"
hasnt "no message of other nodes" 'array_agg|class_number|remote_scan|people_1' "$(PGUSER=analyst psql -qtA -c "SET client_min_messages = debug1" -c "SET citus.log_remote_commands = on" -c "SET citus.multi_task_query_log_level = notice" \
  -c "SET citus.propagate_set_commands = local" -c BEGIN -c "SET LOCAL client_min_messages = log; SET LOCAL debug_print_plan = on; SET LOCAL debug_print_parse = on" -c "$noisy" -c COMMIT 2>&1)"
# What SET LOCAL sends ahead to other nodes would be read there with the owner's rights: no answer is computed in a
# transaction that it reaches.
check "settings sent to other nodes do not reach a release" 20000 "$(PGUSER=analyst psql -qtA 2>&1 <<'SQL'
SET client_min_messages = error;
SET citus.propagate_set_commands = local;
BEGIN;
SET LOCAL standard_conforming_strings = off;
SELECT n FROM dpmix.query($$SELECT dp_count(*) FROM people WHERE sex <> E'\\'' nonsense'$$, 1e5) AS t(n bigint);
COMMIT;
SQL
)"
sql -c 'CREATE TABLE own (id int)' -c "SELECT create_distributed_table('own', 'id', shard_count => 2)" -c 'GRANT ALL ON own TO analyst' >/dev/null
check "nor in a transaction of several nodes" 20000 "$(PGUSER=analyst psql -qtA 2>&1 <<'SQL'
SET client_min_messages = error;
SET citus.propagate_set_commands = local;
BEGIN;
SELECT FROM own;
SET LOCAL standard_conforming_strings = off;
SELECT n FROM dpmix.query($$SELECT dp_count(*) FROM people WHERE sex <> E'\\'' nonsense'$$, 1e5) AS t(n bigint);
COMMIT;
SQL
)"
sql -U analyst >/dev/null <<'SQL'
CREATE FUNCTION steal(a anyelement, b anyelement) RETURNS anyelement LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stolen: %', b; END $$;
CREATE AGGREGATE array_cat_agg(anyelement) (SFUNC = steal, STYPE = anyelement);
SQL
has "an aggregate that stands in for Citus's own: refused" PV002 "$(as analyst "$noisy")"
sql -U analyst -c 'DROP AGGREGATE array_cat_agg(anyelement)'
check "and gone with it" 3 "$(as analyst "SET client_min_messages = error; $noisy")"
hasnt "no shard is read by index" '[1-9]' "$(for n in 1 2; do on_node $n -tA -c "SET citus.override_table_visibility = off; SELECT sum(idx_scan) FROM pg_stat_all_indexes WHERE indexrelname ~ 'people.*sex'"; done)"
exit $bad
