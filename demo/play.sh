#!/usr/bin/env bash
# make play: a throwaway database with real data, open until psql ends or Ctrl-C. docs/tutorial.md goes through it.
# Unix socket only, for this operating-system user (and root) alone.
set -euo pipefail
cd "$(dirname "$0")/.."
. test/server/lib/cluster.sh
cluster_start "unix_socket_permissions = 0700" "shared_preload_libraries = 'dpmix'" "dpmix.memory_keep = '1d'" \
  "dpmix.warn_of_weak_budgets = on"
export PGDATABASE=demo
createdb demo
psql -v ON_ERROR_STOP=1 -q -v cps="$PWD/test/data/cps1988.csv" -v iris="$PWD/test/data/iris.csv" -f demo/setup.sql >/dev/null
login() { echo "  $1:  psql 'host=$PGHOST user=$2 dbname=demo'"; }
cat <<END
A throwaway PostgreSQL with dpmix and the tables cps (28 155 wage earners) and iris. Nothing is protected yet.
In other terminals:
$(login "the owner  " office)
$(login "an analyst " ana)
$(login "an auditor " officer)
$(login "a superuser" postgres)
docs/tutorial.md begins here. This is the owner's psql; when it ends (\\q, Ctrl-D), everything is removed.
END
unset PSQLRC
cd "${PLAY_FOLDER:-$OLDPWD}"
PGUSER=office "$BIN/psql" -v PROMPT1='%n=> ' -v PROMPT2='%n-> ' || true
