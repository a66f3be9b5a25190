#!/usr/bin/env bash
# R's dbplyr over a facade, where it is installed (Debian: r-base-core, r-cran-dbplyr, r-cran-rpostgresql), by a role
# with the settings of docs/bi_tools.md. What it sent is in plain/corpus/dbplyr.sql.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
command -v Rscript >/dev/null || skip "there is no R"
Rscript --vanilla -e 'for (p in c("dbplyr", "RPostgreSQL")) library(p, character.only = TRUE)' >/dev/null 2>&1 || skip "R has no dbplyr, or no RPostgreSQL"
plain_cluster
PGUSER=olga sql "DELETE FROM cps WHERE id = 5001; ALTER TABLE cps ALTER region SET NOT NULL, ALTER sex SET NOT NULL, ALTER education SET NOT NULL, ALTER day SET NOT NULL, ALTER seen SET NOT NULL"
sql "ALTER ROLE ana SET dpmix.rows = 'empty'; ALTER ROLE ana SET dpmix.keys = 'declared'; ALTER ROLE ana SET dpmix.bounds_for_min_max = on; ALTER ROLE ana SET client_min_messages = error"
client_checks dbplyr < <(PGUSER=ana Rscript --vanilla test/server/clients/dbplyr_client.R 2>&1)
check "no process of the server crashed" "" "$(grep -E 'terminated by signal|PANIC|TRAP:|XX000' "$CLUSTER/log" | head -n 3 || true)"
