#!/usr/bin/env bash
# psycopg 3, and pandas with SQLAlchemy, over a facade.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
python_packages python 'psycopg[binary]>=3.1,<4' 'psycopg2-binary>=2.9,<3' 'pandas>=2,<3' 'SQLAlchemy>=2,<3'
plain_cluster
PGUSER=olga sql "DELETE FROM cps WHERE id = 5001; ALTER TABLE cps ALTER region SET NOT NULL, ALTER sex SET NOT NULL, ALTER education SET NOT NULL, ALTER day SET NOT NULL, ALTER seen SET NOT NULL"
python() { PYTHONPATH=test/server/clients PYTHONDONTWRITEBYTECODE=1 PGUSER=ana "$PYTHON" "test/server/clients/$1" 2>&1; }
client_checks psycopg < <(python psycopg_client.py)
client_checks pandas < <(python pandas_client.py)
