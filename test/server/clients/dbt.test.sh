#!/usr/bin/env bash
# dbt over a facade: a project whose models are private tables. What was paid for stays answered: `dbt build` a second
# time costs nothing.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
python_packages dbt 'dbt-core>=1.9,<1.12' 'dbt-postgres>=1.9,<2'
plain_cluster
PGUSER=olga sql "DELETE FROM cps WHERE id = 5001; ALTER TABLE cps ALTER region SET NOT NULL, ALTER sex SET NOT NULL, ALTER education SET NOT NULL, ALTER day SET NOT NULL, ALTER seen SET NOT NULL"
remember '1 day'
sql "CREATE SCHEMA analytics AUTHORIZATION ana"
export DBT_SEND_ANONYMOUS_USAGE_STATS=false DBT_PROJECT_DIR=$PWD/test/server/clients/dbt DBT_PROFILES_DIR=$PWD/test/server/clients/dbt \
  DBT_TARGET_PATH=$CLUSTER/dbt/target DBT_LOG_PATH=$CLUSTER/dbt/logs DBT_VERSION_CHECK=false
dbt() { "$(dirname "$PYTHON")/dbt" --no-use-colors "$@" 2>&1; }

built() { sql "SELECT (SELECT count(*) FROM analytics.wages_by_region) || ' ' || (SELECT count(*) FROM analytics.people_by_month) || ' ' || (SELECT count(*) FROM analytics.gap)"; }
answers() { sql "SELECT md5(string_agg(w::text, ' ' ORDER BY region)) FROM analytics.wages_by_region w"; }

said=$(dbt build || true)
check_match "dbt build" 'Done. PASS=10 WARN=0 ERROR=0 SKIP=0' "$said"
check "its models: four regions, twelve months, two sexes" "4 12 2" "$(built)"
check "each private model was charged once" 3 "$(charges_now)"
first=$(answers)
said=$(dbt build || true)
check_match "dbt build again" 'Done. PASS=10 WARN=0 ERROR=0 SKIP=0' "$said"
check "it was free" 3 "$(charges_now)"
check "with the same answers" "$first" "$(answers)"
said=$(dbt docs generate || true)
check_match "dbt docs generate" 'Catalog written' "$said"
check "and free" 3 "$(charges_now)"
said=$(dbt show --output json --inline "select * from {{ source('private', 'cps') }}" || true)
check_match "dbt shows no rows" '"show": \[\]' "$(tr -d '\n' <<<"$said")"
check "nothing of a row is seen" "" "$(grep -oiE 'canar.*|.*83174629' <<<"$said" | head -n 3 || true)"
