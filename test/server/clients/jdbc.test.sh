#!/usr/bin/env bash
# pgjdbc over a facade.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
jdbc_driver 42.7.4
plain_cluster
listen
client_checks jdbc < <(java -cp "$DRIVER" test/server/clients/JdbcClient.java "$PGPORT" 2>&1)
