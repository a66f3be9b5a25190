#!/usr/bin/env bash
# node-postgres over a facade.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
node_packages node 'pg@8'
plain_cluster
PGUSER=olga sql "DELETE FROM cps WHERE id = 5001; ALTER TABLE cps ALTER region SET NOT NULL, ALTER sex SET NOT NULL, ALTER education SET NOT NULL, ALTER day SET NOT NULL, ALTER seen SET NOT NULL"
client_checks node < <(NODE_PATH=$PWD/build/clients/node/node_modules node test/server/clients/node_client.js 2>&1)
