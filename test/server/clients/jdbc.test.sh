#!/usr/bin/env bash
# pgjdbc over a facade.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
jdbc_driver 42.7.4
plain_cluster
PGUSER=olga sql "DELETE FROM cps WHERE id = 5001; ALTER TABLE cps ALTER region SET NOT NULL, ALTER sex SET NOT NULL, ALTER education SET NOT NULL, ALTER day SET NOT NULL, ALTER seen SET NOT NULL"
listen
client_checks jdbc < <(java -cp "$DRIVER" test/server/clients/JdbcClient.java "$PGPORT" 2>&1)
