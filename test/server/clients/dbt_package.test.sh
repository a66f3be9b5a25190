#!/usr/bin/env bash
# The dbt package clients/dbt_dpmix: what its tests find of a facade and of tables, and the price of a model. All of it
# is free.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
python_packages dbt 'dbt-core>=1.9,<1.12' 'dbt-postgres>=1.9,<2'
plain_cluster
sql "CREATE SCHEMA analytics AUTHORIZATION ana" >/dev/null
export DBT_SEND_ANONYMOUS_USAGE_STATS=false DBT_PROJECT_DIR=$PWD/test/server/clients/dbt_dpmix DBT_PROFILES_DIR=$PWD/test/server/clients/dbt_dpmix \
  DBT_TARGET_PATH=$CLUSTER/dbt/target DBT_LOG_PATH=$CLUSTER/dbt/logs DBT_VERSION_CHECK=false DBT_PACKAGES=$CLUSTER/dbt/packages DBT_DPMIX=$PWD/clients/dbt_dpmix
cp -r "$DBT_PROJECT_DIR" "$CLUSTER/project"  # deps writes into it
export DBT_PROJECT_DIR=$CLUSTER/project
dbt() { "$(dirname "$PYTHON")/dbt" --no-use-colors "$@" 2>&1; }
check_match "the package is installed" 'Installed from <local' "$(dbt deps || true)"
test_of() { dbt test --select "$@" | grep -oE '(PASS|FAIL [0-9]+|ERROR) +dbt_dpmix_[a-z_]+' | sed -E 's/ +/ /g' | sort | paste -sd'|' || true; }  # results in short

check "of a facade: protected, declared but for what is named, and with budget left" "PASS dbt_dpmix_source_budget_left_private_cps_|PASS dbt_dpmix_source_declared_private_cps_id__note__employed|PASS dbt_dpmix_source_protected_private_cps_" "$(test_of source:private)"
check "of a table that is public, one finds so" t "$([[ $(test_of source:public.regions) == *"FAIL 1 dbt_dpmix_source_protected_public_regions"* ]] && echo t)"
said=$(dbt run-operation preview --args '{model: wages}' --vars '{hours: 20}' || true)
check_match "the price of a model" 'Private Answer 0: would charge epsilon 1, delta 1e-09' "$said"
check_match "and its noise" 'Private Answer 0: count.*noise' "$said"
check_match "of a model that asks nothing" 'plain: nothing private is asked' "$(dbt run-operation preview --args '{model: plain}' || true)"
check_match "of none" 'there is no model nothing' "$(dbt run-operation preview --args '{model: nothing}' || true)"
check "nothing of it was charged" 0 "$(charges_now)"

# The owner's tests; then with less left, an undeclared column, and readers.
owner() { test_of "$@" --target olga; }
check "the owner's table: nobody else reads it" "PASS dbt_dpmix_source_protected_public_cps_|PASS dbt_dpmix_source_unreadable_public_cps_" "$(owner source:public.cps)"
PGUSER=olga sql "GRANT SELECT (region) ON cps TO ana; GRANT SELECT ON cps TO PUBLIC; SELECT dpmix.set_budget('cps', 1.5, 1e-6, 'less'); ALTER TABLE cps ADD age int" >/dev/null
check_match "readers are found, of columns too" 'FAIL 2 dbt_dpmix_source_unreadable_public_cps' "$(owner source:public.cps)"
PGUSER=ana sql "SET dpmix.epsilon = 1.2; SELECT count(*) FROM private.cps" >/dev/null
said=$(test_of source:private)
check_match "a column that is not declared is found" 'FAIL 1 dbt_dpmix_source_declared_private_cps' "$said"
check_match "and a budget that ends" 'FAIL 1 dbt_dpmix_source_budget_left_private_cps' "$said"
check "the only charge is that of the question" 1 "$(charges_now)"
