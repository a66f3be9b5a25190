#!/usr/bin/env bash
# The SQL of guides runs, in the order of each page, on tables such as the page speaks of, made here; of guides that
# have no test of their own. Left out is what needs several servers, Citus or pg_cron.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/page.sh
demo_database
export PGOPTIONS="-c client_min_messages=warning"
{
  echo "session_preload_libraries = 'dpmix'"
  echo "dpmix.memory_keep = '1d'"
} >>"$CLUSTER/data/postgresql.conf"
cluster_restart
psql -Xqc "CREATE ROLE olga" -c "CREATE ROLE analysts" -c "CREATE DATABASE research" -d postgres

# A database of its own for each page, in which the owner prepared what is on standard input.
page() {
  createdb -T demo "$1"
  export PGDATABASE=$1
  psql -Xq -c "GRANT CREATE ON DATABASE $1 TO office, ana" \
    -c "CREATE SCHEMA cron" -c "CREATE FUNCTION cron.schedule(text, text, text) RETURNS bigint LANGUAGE sql AS 'SELECT 1'" \
    -c "GRANT USAGE ON SCHEMA cron TO PUBLIC"
  PGUSER=office psql -Xq -v ON_ERROR_STOP=1 >/dev/null
}
protected_cps="SELECT dpmix.protect('cps', epsilon => 40, delta => 1e-4);
SELECT FROM dpmix.declare('cps', '{\"wage\": [50, 2500], \"education\": [0, 18], \"experience\": [0, 60], \"ethnicity\": [\"cauc\", \"afam\"],
    \"region\": [\"northeast\", \"midwest\", \"south\", \"west\"],
    \"schooling\": [\"below 12 years\", \"12 years\", \"13 to 15 years\", \"16 years or more\"]}');
SELECT dpmix.grant_access('cps', 'ana');"
people="CREATE TABLE people AS SELECT i AS id, i % 90 AS age, timestamp '2025-01-01' + i % 60 * interval '1 day' AS hired, (i % 2000)::float8 AS wage,
    (ARRAY['north', 'south'])[1 + i % 2] AS region, 'employer ' || i % 5 AS employer FROM generate_series(1, 3000) i;
SELECT dpmix.protect('people', epsilon => 8, delta => 1e-4);
SELECT FROM dpmix.declare('people', '{\"age\": [0, 120], \"wage\": [0, 2500], \"hired\": [\"2025-01-01\", \"2025-03-31\"], \"region\": [\"north\", \"south\"]}');
SELECT dpmix.grant_access('people', 'ana');"

page query <<<"$protected_cps $people"
run_page docs/guide/query.md ana 3
page query_keys <<<"$people"
run_page docs/guide/query_keys.md ana 1
page query_quantiles <<<"$protected_cps $people"
run_page docs/guide/query_quantiles.md ana 1
page memory <<<"ALTER TABLE cps ADD seen timestamptz; $protected_cps"
run_page docs/guide/memory.md ana 5
page noise <<<"$protected_cps"
run_page docs/guide/noise.md ana 1
page ledger <<<"CREATE TABLE source AS SELECT i AS id FROM generate_series(1, 600) i; CREATE TABLE event AS SELECT * FROM source;
SELECT dpmix.protect('event', epsilon => 4, delta => 1e-6)"
run_page docs/guide/ledger.md office 3
page blocks <<<"CREATE TABLE visits AS SELECT i AS id, date '2026-10-01' + i % 31 AS day, (ARRAY['home', 'shop', 'help'])[1 + i % 3] AS page FROM generate_series(1, 600) i"
run_page docs/guide/blocks.md office 1
page populations <<<"CREATE TABLE patient AS SELECT i AS patient_id, (ARRAY['f', 'm'])[1 + i % 2] AS sex FROM generate_series(1, 400) i;
CREATE UNIQUE INDEX ON patient (patient_id); ALTER TABLE patient ALTER patient_id SET NOT NULL;
CREATE TABLE visit AS SELECT 1 + i % 400 AS patient_id, date '2021-01-01' + i % 2000 AS day FROM generate_series(1, 3000) i;
CREATE TABLE test AS SELECT patient_id, day + interval '9 hours' AS taken_at FROM visit;
ALTER TABLE test ALTER taken_at TYPE timestamptz USING taken_at AT TIME ZONE 'UTC'"
run_page docs/guide/populations.md office 1
says "the blocks that pay are those that the page names" "array_agg(blocks ORDER BY id) = '{\"{[4,5)}\",\"{[-2,-1),[3,5)}\",\"{[-2,-1),[3,5)}\"}'::int8multirange[] FROM dpmix.charge"
page counters <<<"CREATE TABLE cases AS SELECT i AS id, current_date - i % 40 AS day, (ARRAY['north', 'south'])[1 + i % 2] AS region FROM generate_series(1, 400) i"
run_page docs/guide/counters.md office 1

# share.test.sh runs the example that shares; a retry needs a night that failed.
page schedules <<<"CREATE SCHEMA reports; CREATE TABLE patients AS SELECT i AS id, i % 100 AS wage, (ARRAY['n', 's'])[1 + i % 2] AS region FROM generate_series(1, 400) i;
SELECT dpmix.protect('patients', 8, 1e-6); SELECT FROM dpmix.declare('patients', '{\"wage\": [0, 100], \"region\": [\"n\", \"s\"]}');
CREATE TABLE visits AS SELECT i AS id, date '2026-01-01' + i % 300 AS day, (ARRAY[true, false])[1 + i % 2] AS page FROM generate_series(1, 600) i"
psql -Xqc "CREATE TABLE cron.job_run_details (runid int, start_time timestamptz, status text, return_message text)" -c "GRANT SELECT ON cron.job_run_details TO office"
fenced docs/guide/schedules.md 1 2 3 5 >"$CLUSTER/schedules.md"
run_page "$CLUSTER/schedules.md" office 4

page plain_sql <<<""
psql -Xqc "CREATE TABLE my_targets AS SELECT 'west' AS region, 1 AS target" -c "GRANT SELECT ON my_targets TO ana" -c "ALTER ROLE ana SET search_path = ana, office, public"
fenced docs/guide/plain_sql.md 10 >"$CLUSTER/plain_sql.md"
PGUSER=postgres run_page "$CLUSTER/plain_sql.md" postgres 1
psql -Xqc "GRANT CREATE, USAGE ON SCHEMA private TO office" -c "GRANT USAGE ON SCHEMA private TO ana"
fenced docs/guide/plain_sql.md 9 1 2 3 4 5 6 7 8 11 12 >"$CLUSTER/plain_sql.md"
run_page "$CLUSTER/plain_sql.md" ana 11

page policy <<<""
run_page docs/guide/policy.md office 4
says "docs/guide/policy.md: ana may ask about patients alone" "array_agg(relation::text || ' ' || epsilon_cap) = '{clinic.patient 1}' FROM dpmix.role_budget WHERE role = 'ana' AND active"

page scale <<<"CREATE TABLE pay (id int, month date) PARTITION BY RANGE (month); CREATE TABLE pay_2026 PARTITION OF pay FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')"
fenced docs/guide/scale.md 1 >"$CLUSTER/scale.md"
run_page "$CLUSTER/scale.md" office 1

# Regressions, mixtures and pictures of them: what the analyst has from before.
page regressions <<<"$protected_cps CREATE VIEW candidates AS SELECT * FROM cps WHERE false; CREATE VIEW tested AS TABLE candidates; GRANT SELECT ON candidates, tested TO ana"
PGUSER=ana psql -Xqc "SELECT FROM dpmix.release_regression('wages by region', 'cps', 'wage', '{education}', 1, 1e-7, label => 'region')" >/dev/null
fenced_statements docs/guide/regressions.md >"$CLUSTER/regressions.md"
run_page "$CLUSTER/regressions.md" ana 8

page mixtures <<<"$protected_cps CREATE TABLE cps_labels AS SELECT id, wage, education, experience, parttime FROM cps;
SELECT dpmix.protect('cps_labels', epsilon => 8, delta => 1e-4, adjacency => 'label', label => 'parttime');
SELECT FROM dpmix.declare('cps_labels', '{\"wage\": [50, 2500], \"education\": [0, 18], \"experience\": [0, 60]}');
SELECT dpmix.grant_access('cps_labels', 'ana');
CREATE TABLE candidates AS SELECT 500::float8 AS wage, 12 AS education, 10 AS experience; GRANT SELECT ON candidates TO ana"
PGUSER=ana psql -Xqc "SELECT FROM dpmix.release_gmm('wages, more budget', 'cps', '{wage,education,experience}', epsilon => 4, delta => 1e-7, label => 'parttime')" >/dev/null
fenced_statements docs/guide/mixtures.md >"$CLUSTER/mixtures.md"
run_page "$CLUSTER/mixtures.md" ana 15

page pictures <<<"$protected_cps"
PGUSER=ana psql -Xqc "CREATE TABLE wages AS SELECT 'west' AS region, 600 AS wage, 550 AS low, 650 AS high" \
  -c "SELECT FROM dpmix.release_gmm('wages', 'cps', '{wage,education}', epsilon => 1, delta => 1e-7, label => 'parttime')" \
  -c "SELECT FROM dpmix.release_regression('log wages', 'cps', 'ln(wage)', '{education}', epsilon => 1, delta => 1e-7)" >/dev/null
run_page docs/guide/pictures.md ana 1
