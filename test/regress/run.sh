#!/usr/bin/env bash
# pg_regress over sql/ and expected/, or over the cases named, in a throwaway cluster. PGXS users run
# `make installcheck` against their own server instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
cluster_start
regress=$(dirname "$("$BIN/pg_config" --pgxs)")/../test/regress/pg_regress
[ $# -gt 0 ] || set -- $(cd sql && ls *.sql | sed 's/\.sql$//')
output=build/regress/$1
mkdir -p "$output"
"$regress" --inputdir=. --outputdir="$output" --bindir="$BIN" --host="$PGHOST" --user=postgres \
  --dbname=regression "$@" >"$output.log" 2>&1 || {
  cat "$output.log"
  cat "$output/regression.diffs" 2>/dev/null | head -n 200
  exit 1
}
