#!/usr/bin/env bash
# make demo: an owner, an analyst without rights to the rows, and three kinds of private release, on
# real data in a throwaway cluster. Leaves pictures of them in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."
. test/server/lib/cluster.sh

echo "Starting a throwaway PostgreSQL (unix socket only, removed at exit)"
cluster_start
export PGDATABASE=demo
createdb demo
psql -v ON_ERROR_STOP=1 -q -v cps="$PWD/test/data/cps1988.csv" -v iris="$PWD/test/data/iris.csv" \
  -f demo/setup.sql
psql -q -f demo/demo.sql
pictures=$PWD/build/demo
mkdir -p "$pictures"
psql -q -v out="$pictures" -f demo/pictures.sql
# The errors above are part of the show; a release that failed is not.
[ "$(psql -AtXc 'SELECT count(*) FROM dpmix.charge')" -eq 8 ] || {
  echo "demo: a release did not come" >&2
  exit 1
}
