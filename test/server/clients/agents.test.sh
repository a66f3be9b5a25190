#!/usr/bin/env bash
# clients/python: data frames with what they cost, and agents over the Model Context Protocol.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
python_packages agents 'psycopg[binary]>=3.1,<4' 'pandas>=2,<3' 'mcp>=2,<3'
. test/server/lib/page.sh
plain_cluster
sql "CREATE ROLE office LOGIN IN ROLE olga" >/dev/null
run_page docs/agents.md postgres 2
tree=$PWD
# Elsewhere: here dpmix.so would be the module dpmix.
client_checks agents < <(cd "$CLUSTER" && A_DAY=100 PYTHONPATH=$tree/test/server/clients:$tree/clients/python PYTHONDONTWRITEBYTECODE=1 PGUSER=ana "$PYTHON" "$tree/test/server/clients/agents_client.py" 2>&1)
check "the package can be installed" "dpmix-mcp" "$("$(dirname "$PYTHON")/pip" install -q --no-deps --target "$CLUSTER/installed" ./clients/python >/dev/null 2>&1; ls "$CLUSTER/installed/bin")"
rm -rf clients/python/build clients/python/*.egg-info
check_match "and says what it takes" 'epsilon-a-day' "$(cd "$CLUSTER" && PYTHONPATH=$CLUSTER/installed "$PYTHON" -m dpmix.agents --help)"
