#!/usr/bin/env bash
# Thirty nights of a dbt project that loads protected tables: tables are swapped, with the backup dropped later with
# CASCADE, an incremental model grows and is made anew at times, a snapshot keeps history. Nobody says anything to dpmix
# after the first night, and an analyst asks every morning, of everything, under one record each.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
python_packages dbt 'dbt-core>=1.9,<1.12' 'dbt-postgres>=1.9,<2'
cluster_start
nights=30
sql "CREATE EXTENSION dpmix; CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN; ALTER ROLE ana SET session_preload_libraries = 'dpmix';
  GRANT CREATE ON DATABASE postgres TO olga" >/dev/null
export DBT_SEND_ANONYMOUS_USAGE_STATS=false DBT_PROJECT_DIR=$PWD/test/server/clients/dbt_loads \
  DBT_PROFILES_DIR=$PWD/test/server/clients/dbt_loads DBT_TARGET_PATH=$CLUSTER/dbt/target DBT_LOG_PATH=$CLUSTER/dbt/logs \
  DBT_VERSION_CHECK=false
night() {  # number [option...]: what dbt said where it was not all well
  local said
  said=$("$(dirname "$PYTHON")/dbt" --no-use-colors build --vars "{night: $1}" "${@:2}" 2>&1) || true
  grep -qE 'Done. PASS=5 WARN=0 ERROR=0 SKIP=0' <<<"$said" || tail -n 20 <<<"$said"
}

check "the first night" "" "$(night 0)"
owner() { PGUSER=olga sql "SET client_min_messages = error; $1" >/dev/null; }
owner "GRANT USAGE ON SCHEMA warehouse TO ana; SELECT dpmix.create_population('people', 1e6, 0, 'basic'); CREATE SCHEMA private;
  SELECT dpmix.protect('warehouse.person', population => 'people', privacy_unit => 'person');
  SELECT dpmix.protect('warehouse.event', population => 'people', privacy_unit => 'person', max_rows_per_unit => 100);
  SELECT dpmix.protect('warehouse.visit', population => 'people', privacy_unit => 'person', max_rows_per_unit => 100, guard_unit => true);
  SELECT dpmix.protect('warehouse.person_history', population => 'people', privacy_unit => 'person', max_rows_per_unit => 100);
  SELECT dpmix.declare('warehouse.event', '{\"cost\": [0, 10], \"day\": [\"2026-01-01\", \"2026-02-01\"]}');
  SELECT dpmix.set_memory(r, keep => '0'), dpmix.grant_access(r, 'ana', NULL, 0, NULL), dpmix.expose(r, default_epsilon => 1000)
  FROM unnest('{warehouse.person,warehouse.event,warehouse.visit,warehouse.person_history}'::regclass[]) r"
policy() { PGUSER=olga sql "SELECT md5(dpmix.policy('warehouse')::text)"; }
before=$(policy)
# At this epsilon noise is far below a row: an answer is a number of rows.
asked() { PGUSER=ana sql "SET client_min_messages = error; SELECT (SELECT count(*) FROM private.event), (SELECT count(*) FROM private.visit),
  (SELECT count(*) FROM private.person), (SELECT count(*) FROM private.person_history)" || true; }
exactly() { PGUSER=olga sql "SELECT (SELECT count(*) FROM warehouse.event), (SELECT count(*) FROM warehouse.visit),
  (SELECT count(*) FROM warehouse.person), (SELECT count(*) FROM warehouse.person_history)"; }

failed="" wrong=""
for i in $(seq "$nights"); do
  said=$(night "$i" $([ $((i % 10)) -ne 0 ] || echo --full-refresh))
  [ -z "$said" ] || failed+="night $i: $said"$'\n'
  answers=$(asked) rows=$(exactly)
  [ "$answers" = "$rows" ] || wrong+="night $i: $answers where there are $rows"$'\n'
done
check "all nights" "" "$failed"
check "every morning every answer is of the new tables" "" "$wrong"
check "no charge is missing, none is beside" "$((4 * nights))|4" "$(sql "SELECT count(*), count(DISTINCT table_id) FROM dpmix.charge")"
check "all under the records of the first night" "4" "$(sql "SELECT count(*) FROM dpmix.protected_table")"
check "which count them" "$((4 * nights * 1000))" "$(sql "SELECT epsilon_spent FROM dpmix.populations" | sed 's/\.0*$//')"
check "what was declared is as it was" "$before" "$(policy)"
check "no backup is left behind" "0" "$(sql "SELECT count(*) FROM dpmix.departed_table")"
check_match "the guard of units is on the newest table" "cannot come to belong to another privacy unit" "$(PGUSER=olga sql "UPDATE warehouse.visit SET person = 1 WHERE person = 2" 2>&1 || true)"
check_match "the owner's own views are dbt's" '^[0-9]+$' "$(PGUSER=olga sql "SELECT count(*) FROM warehouse.curated")"
