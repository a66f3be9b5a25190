#!/usr/bin/env bash
# Apache Superset itself, from PyPI: its connection test, what it asks of the catalog, datasets, virtual datasets,
# samples, lists of filters, SQL Lab and charts, by a role with the settings of docs/bi_tools.md. It is large: `make
# soak` installs it; otherwise it runs where it is installed. What it sent is in plain/corpus/superset_6.sql.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
# Superset says less of what it needs than it needs.
packages=('apache-superset>=6.1,<6.2' 'psycopg2-binary>=2.9,<3' 'Flask-Caching==2.3.1' 'rich' 'cachetools')
[ -n "${DPMIX_SOAK:-}" ] || installed superset "${packages[*]}" || skip "Superset is not installed: make soak does that"
python_packages superset "${packages[@]}"
plain_cluster
listen
PGUSER=olga sql "DELETE FROM cps WHERE id = 5001; ALTER TABLE cps ALTER region SET NOT NULL, ALTER sex SET NOT NULL, ALTER education SET NOT NULL, ALTER day SET NOT NULL, ALTER seen SET NOT NULL"
sql "ALTER ROLE ana SET dpmix.rows = 'empty'; ALTER ROLE ana SET dpmix.keys = 'declared'; ALTER ROLE ana SET dpmix.bounds_for_min_max = on"
home=$CLUSTER/superset
mkdir "$home"
cat >"$home/superset_config.py" <<PYTHON
SECRET_KEY = "of a throwaway Superset, forty-two letters"
SQLALCHEMY_DATABASE_URI = "sqlite:///$home/superset.db"
WTF_CSRF_ENABLED = False
TALISMAN_ENABLED = False
PYTHON
export SUPERSET_CONFIG_PATH=$home/superset_config.py SUPERSET_HOME=$home FLASK_APP=superset
superset() { "$(dirname "$PYTHON")/superset" "$@" >>"$home/log" 2>&1; }
check_command "it makes its own database" superset db upgrade
check_command "an administrator" superset fab create-admin --username admin --firstname a --lastname b --email a@example.com --password admin
check_command "and roles" superset init
client_checks superset < <(PYTHONPATH=test/server/clients PYTHONDONTWRITEBYTECODE=1 "$PYTHON" test/server/clients/superset_client.py \
  "postgresql+psycopg2://ana@127.0.0.1:$PGPORT/postgres" 2>>"$home/log" | grep -v '^Loaded your LOCAL')
check "no process of the server crashed" "" "$(grep -E 'terminated by signal|PANIC|TRAP:|XX000' "$CLUSTER/log" | head -n 3 || true)"
