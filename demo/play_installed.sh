#!/usr/bin/env bash
# What `make play` is in the source tree, of the Debian package: a throwaway database with real data, in which
# docs/tutorial.md begins. When its psql ends, everything is removed.
#   /usr/share/doc/postgresql-15-dpmix/examples/play_installed.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=$(echo "$here" | sed -n 's,.*/postgresql-\([0-9]*\)-dpmix/.*,\1,p')
data=$here
[ -e "$data/cps1988.csv" ] || data=$here/../test/data
export here data
exec pg_virtualenv -t ${version:+-v "$version"} -i "--auth=trust --encoding=UTF8" \
  -o "shared_preload_libraries=dpmix" -o "max_worker_processes=24" -o "dpmix.memory_keep=1d" \
  -o "dpmix.warn_of_weak_budgets=on" bash -c '
    set -euo pipefail
    createdb demo
    export PGDATABASE=demo
    psql -Xq -v ON_ERROR_STOP=1 -v cps="$data/cps1988.csv" -v iris="$data/iris.csv" -f "$here/setup.sql" >/dev/null
    echo "The tables cps (28 155 wage earners) and iris; nothing is protected yet. The tutorial begins here, as the owner."
    unset PGPASSWORD
    PGUSER=office psql -v PROMPT1="%n=> " -v PROMPT2="%n-> " || true'
