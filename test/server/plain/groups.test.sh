#!/usr/bin/env bash
# The groups of a statement over a facade are those that its own text and the declarations leave possible: over a plain
# table that holds every allowed combination of values, PostgreSQL gives the same (groups.py). The protected tables are
# empty: no group can come from a row.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh

count=150 seed=${DPMIX_SEED:-1}
if [ -n "${DPMIX_SOAK:-}" ]; then count=2000 seed=${DPMIX_SEED:-$RANDOM}; fi
cluster_start "session_preload_libraries = 'dpmix'" "TimeZone = 'Europe/Berlin'"
session <<'SQL' >/dev/null
CREATE EXTENSION dpmix;
CREATE TABLE t (region text NOT NULL, flag boolean NOT NULL, age int NOT NULL, ts timestamp NOT NULL);
CREATE TABLE n (x float8 NOT NULL, k int NOT NULL);
CREATE TABLE z (tz timestamptz NOT NULL);
SELECT dpmix.protect(r, 1e7, .1, accountant => 'basic') FROM unnest('{t,n,z}'::regclass[]) AS r;
SELECT dpmix.declare('t', '{"region": ["n", "s", "e"], "age": [0, 20], "ts": ["2024-02-10", "2024-03-10"]}');
SELECT dpmix.declare('n', '{"x": [0, 50], "k": [0, 9]}');
SELECT dpmix.declare('z', '{"tz": ["2024-03-20", "2024-04-10"]}');
SELECT dpmix.expose(r, default_epsilon => 1) FROM unnest('{t,n,z}'::regclass[]) AS r;
-- Half hours are the finest of all units and constants in the statements; of the zone's, quarters.
CREATE TABLE every_t AS SELECT region, flag, age, ts FROM unnest('{n,s,e}'::text[]) AS region, unnest('{f,t}'::boolean[]) AS flag,
  generate_series(0, 20) AS age, generate_series(timestamp '2024-02-10', '2024-03-10', '30 min') AS ts;
CREATE TABLE every_n AS SELECT x::float8 / 100 AS x, k FROM generate_series(0, 5000) AS x, generate_series(0, 9) AS k;
CREATE TABLE every_z AS SELECT tz FROM generate_series(timestamptz '2024-03-20 00:00 UTC', '2024-04-10 00:00 UTC', '15 min') AS tz;
ANALYZE;
SQL

python3 test/server/plain/groups.py write "$count" "$seed" >"$CLUSTER/statements"
PGOPTIONS='-c client_min_messages=error' psql -X -q -A -t -f "$CLUSTER/statements" >"$CLUSTER/groups" 2>&1 || true
verdict=$(python3 test/server/plain/groups.py compare <"$CLUSTER/groups")
check_match "groups of $count random statements (seed $seed): $(head -n 1 <<<"$verdict")" "^$count same 0 differ 0 refused" "$verdict"
