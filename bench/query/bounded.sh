#!/usr/bin/env bash
# Intervals of totals that are bounded by unit, and what is lost by the bound: bench/query/bounded.sh [tables]
# [epsilon], by default 1000 random tables with heavy tails, and 1. Weighed rows beside drawn ones. Build with make
# first.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
cluster_start "fsync = off" "autovacuum = off"
export PGOPTIONS="-c client_min_messages=warning"
run() { "$BIN/psql" -X -q -v ON_ERROR_STOP=1 "$@"; }
run -v tables="${1:-1000}" -v epsilon="${2:-1}" -c 'CREATE EXTENSION dpmix' -c 'SELECT setseed(.25)' -f test/server/query/bounded.sql >/dev/null
run -c "SELECT answer, intervals, round(100 * bounded, 2) AS \"% hold the bounded total\", round(100 * plain_from_low, 2) AS \"% plain from dp_low\",
  round(100 * plain, 2) AS \"% hold the plain total\" FROM covered ORDER BY 1" \
  -c "SELECT t, mechanism, round(100 * share, 2) AS \"% of rows lost\" FROM lost ORDER BY 1 DESC, 2"
