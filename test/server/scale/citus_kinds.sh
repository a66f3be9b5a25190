#!/usr/bin/env bash
# By hand, where PG_CONFIG names a server that has Citus: releases other than queries, of tables that are distributed by
# their privacy unit. Two minutes.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/citus_lib.sh
citus_start 2 "log_statement = 'all'" "shared_buffers = 128MB"
on_node 0 -c "ALTER SYSTEM SET log_statement = 'none'" -c 'SELECT pg_reload_conf()' >/dev/null

sql >/dev/null <<'SQL'
SET client_min_messages = error;
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT ALL ON SCHEMA public TO keeper;
GRANT CREATE ON SCHEMA public TO analyst;
CREATE TABLE local_patients (patient_id bigint PRIMARY KEY, sex text, age int, weight float8, ill boolean NOT NULL);
CREATE TABLE local_visits (patient_id bigint, kind text, cost float8, days int NOT NULL);
INSERT INTO local_patients SELECT i, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END, CASE WHEN i % 37 > 0 THEN i % 90 END, 50 + i * 7919 % 50, i % 7 < 3 FROM generate_series(1, 2000) i;
-- One visit to 21 of a patient, 7000 in all
INSERT INTO local_visits SELECT 1 + (1997 * (abs(hashint8(i)) % 1000 / 1000.0) ^ 2)::int, (ARRAY['a','b','c'])[1 + i % 3],
  CASE WHEN i % 31 = 0 THEN NULL WHEN i % 53 = 0 THEN 'NaN'::float8 ELSE i % 101 END, i % 20 FROM generate_series(1, 7000) i;
CREATE TABLE patients (LIKE local_patients INCLUDING ALL);
CREATE TABLE visits (LIKE local_visits);
SELECT create_distributed_table('patients', 'patient_id', shard_count => 6), create_distributed_table('visits', 'patient_id', colocate_with => 'patients');
INSERT INTO patients SELECT * FROM local_patients;
INSERT INTO visits SELECT * FROM local_visits;
CREATE TABLE made (sex text, age int, weight float8);
INSERT INTO made SELECT CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END, i % 80, 60 + i % 30 FROM generate_series(1, 500) i;
GRANT SELECT ON made TO analyst;
ALTER TABLE patients OWNER TO keeper; ALTER TABLE visits OWNER TO keeper; ALTER TABLE local_patients OWNER TO keeper; ALTER TABLE local_visits OWNER TO keeper;
SET ROLE keeper;
SELECT dpmix.create_population(p, 1e7, 1e-3) FROM unnest('{clinic,local_clinic}'::text[]) p;
SELECT dpmix.protect((x || 'patients')::regclass, population => x || 'clinic', privacy_unit => 'patient_id'),
       dpmix.protect((x || 'visits')::regclass, population => x || 'clinic', privacy_unit => 'patient_id', max_rows_per_unit => 25),
       dpmix.set_categories((x || 'patients')::regclass, 'sex', '{F,M}'), dpmix.set_bounds((x || 'patients')::regclass, 'age', 0, 90), dpmix.set_bounds((x || 'patients')::regclass, 'weight', 50, 100),
       dpmix.set_categories((x || 'visits')::regclass, 'kind', '{a,b,c}'), dpmix.set_bounds((x || 'visits')::regclass, 'cost', 0, 101), dpmix.set_bounds((x || 'visits')::regclass, 'days', 0, 20),
       dpmix.grant_access((x || 'patients')::regclass, 'analyst'), dpmix.grant_access((x || 'visits')::regclass, 'analyst') FROM unnest(ARRAY['', 'local_']) x;
SQL
make_parts

# 1. Each kind of release, as of one machine: no patient has more visits than count ----------------------------------
release() { as analyst "SET client_min_messages = error; SELECT $1"; }  # @ stands for the prefix of tables and models
kinds=(
  "(SELECT array_agg(round(n::numeric)) FROM unnest(row_counts) n) FROM dpmix.release_gmm('@mixture', '@patients', '{weight,age}', 1e4, 1e-6, label => 'sex')"
  "round(rows_estimated::numeric, 1) FROM dpmix.release_tree('@tree', '@visits', '{kind,cost,days}', 1e4, 1e-6)"
  "round(rows_estimated::numeric, 1) FROM dpmix.release_regression('@linear', '@visits', 'cost', '{days,kind}', 1e4, 1e-6)"
  "round(rows_estimated::numeric, 1) FROM dpmix.release_regression('@logistic', '@patients', 'ill', '{age,sex}', 1e4, 1e-6, kind => 'logistic')"
  "round(rows_estimated::numeric, 1) FROM dpmix.release_cube('@cube', '@patients', keys => '{sex,ill}', measures => '{count,avg(age)}', epsilon => 1e4, delta => 1e-6)"
  "count(*) FROM dpmix.synthesize(NULL::@patients, 200, 1e4, 1e-6, columns => '{sex,age,weight}', method => 'copula')"
  "measure, round(real_value::numeric, 2) FROM dpmix.compare_private('@patients', 'made', 1e4, 1e-6, label => 'sex', columns => '{age,weight}') WHERE measure IN ('complete_rows', 'mean', 'stddev')"
  "max_rows_per_unit FROM dpmix.suggest_unit_bounds('@visits', 1e4)"
)
for kind in "${kinds[@]}"; do
  same_but_for_noise "as of one machine: $(grep -oE 'dpmix\.[a-z_]+' <<<"$kind")" "$(release "${kind//@/local_}")" "$(release "${kind//@/}")"
done
numbers() {  # of a stored regression
  release "round(estimate::numeric, 2) FROM dpmix.regression('$1')"
}
for model in linear logistic; do same_but_for_noise "so is the $model regression" "$(numbers "local_$model")" "$(numbers "$model")"; done
same_but_for_noise "so is what the cube says" "$(release "key_values, round(answer::numeric, 2) FROM dpmix.cube_table('local_cube', '{sex,ill}', 'age') WHERE key_values[1] IS NOT NULL")" "$(release "key_values, round(answer::numeric, 2) FROM dpmix.cube_table('cube', '{sex,ill}', 'age') WHERE key_values[1] IS NOT NULL")"
check "and charge as much" "$(charges true)" "$(charges false)"

# 2. States, to the bit: what shards were sent, over the rows of one machine ----------------------------------------
statements='SELECT dpmix_internal\.array_agg.* FROM \(*.*public\.(visits|patients)_1[0-9]{5} .*'
for kind in "name FROM dpmix.release_gmm('moments', 'patients', '{weight,age}', 1, 1e-6, label => 'sex', method => 'one_shot')" "name FROM dpmix.release_regression('sums', 'visits', 'cost', '{days}', 1, 1e-6)"; do
  mark
  hasnt "released" ERROR "$(release "$kind")"
  sleep .2
  compare_parts "$statements"
  check "states of picked rows, merged, are those of one machine: $(grep -oE 'release_[a-z]+' <<<"$kind")" "0|t|6" \
    "$(sql -c "SELECT count(*), (SELECT count(*) > 0 FROM merged(1)), (SELECT count(*) FROM part WHERE place = 1) FROM ($differ) differ")"
done

# 3. Of a unit's rows no more count than may -------------------------------------------------------------------------
sql -c 'SET client_min_messages = error' -c 'SET ROLE keeper' -c "SELECT dpmix.set_max_rows_per_unit('visits', 2)" >/dev/null
most=$(sql -c 'SELECT sum(least(n, 2)) FROM (SELECT count(*) AS n FROM local_visits GROUP BY patient_id) v')
mixed() { release "name FROM dpmix.release_gmm('$1', 'visits', '{days}', 1, 1e-6)"; }
counted() { release "round(rows_estimated::numeric) FROM dpmix.release_tree('$1', 'visits', '{kind,days}', 1e4, 1e-6)"; }
check "two visits of each patient count, or one" "$most" "$(counted twice)"
has "mixtures want one: PV002" "PV002: a privacy unit of public.visits may have several rows" "$(mixed one)"
mark
summed() { hasnt "released" ERROR "$(release "name FROM dpmix.release_regression('$1', 'visits', 'cost', '{days,kind}', 1, 1e-6)")"; }
summed again
sleep .2
compare_parts "$statements"
once=$(sql -c 'SELECT state FROM merged(1)')
sql -c 'CREATE TABLE moved AS SELECT * FROM visits ORDER BY random()' -c 'TRUNCATE visits' -c 'INSERT INTO visits SELECT * FROM moved' >/dev/null
mark
summed moved
sleep .2
compare_parts "$statements"
check "the same ones, wherever they lie" "$once" "$(sql -c 'SELECT state FROM merged(1)')"
check "and as of one machine" 0 "$(sql -c "SELECT count(*) FROM ($differ) differ")"

# 4. Refused before a charge -----------------------------------------------------------------------------------------
before=$(sql -c 'SELECT count(*) FROM dpmix.charge')
has "cda mixes records, which stay where they are: PV002" "PV002: a synthetic table needs a table that is not distributed" "$(release "count(*) FROM dpmix.cda(NULL::patients, '{age}', 10, 1, 1e-6, label => 'sex')")"
has "so does synthesize by cda: PV002" "PV002: a synthetic table needs a table that is not distributed" "$(release "count(*) FROM dpmix.synthesize(NULL::patients, 10, 1, 1e-6, columns => '{age}', label => 'sex', method => 'cda')")"
check "nothing was charged" "$before" "$(sql -c 'SELECT count(*) FROM dpmix.charge')"
exit $bad
