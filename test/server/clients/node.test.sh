#!/usr/bin/env bash
# node-postgres over a facade.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
node_packages node 'pg@8'
plain_cluster
client_checks node < <(NODE_PATH=$PWD/build/clients/node/node_modules node test/server/clients/node_client.js 2>&1)
