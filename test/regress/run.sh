#!/usr/bin/env bash
# pg_regress over sql/ and expected/ in a throwaway cluster. PGXS users run `make installcheck`
# against their own server instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
cluster_start
regress=$(dirname "$("$BIN/pg_config" --pgxs)")/../test/regress/pg_regress
mkdir -p build/regress
"$regress" --inputdir=. --outputdir=build/regress --bindir="$BIN" --host="$PGHOST" --user=postgres \
  --dbname=regression $(cd sql && ls *.sql | sed 's/\.sql$//' | sort) >build/regress.log 2>&1 || {
  cat build/regress.log
  cat build/regress/regression.diffs 2>/dev/null | head -n 200
  exit 1
}
