#!/usr/bin/env bash
# Large epsilon reproduces the plain SQL answer: random queries over random tables (NULL, NaN, infinities, values out of
# bounds, undeclared categories, empty groups and tables), each asked of dpmix.query and, as the plain SQL that means
# the same over the clamped rows, of PostgreSQL. Tolerances are those of the noise at a false-alarm rate below 1e-15.
# DPMIX_SEED: another first table; `make soak` takes a new one each time.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start "fsync = off" "autovacuum = off"
export PGOPTIONS="-c client_min_messages=warning"  # each table says that its rows are units
features=${FEATURES-filter moments units released expressions quantiles}  # what random queries are made of
seed=${DPMIX_SEED:-1} tables=${TABLES:-40}
if [ -n "${DPMIX_SOAK:-}" ]; then seed=${DPMIX_SEED:-$RANDOM} tables=${TABLES:-40}0; fi
psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION dpmix' -f test/server/query/property.sql
for feature in $features; do sql "INSERT INTO feature VALUES ('$feature')"; done

for ((table = seed; table < seed + tables; table++)); do
  echo "SELECT setseed($table / 1e6) \\g /dev/null"
  echo "SELECT make_table('random_$table') \\g /dev/null"
  # Under basic the budget takes 100 such queries.
  echo "SELECT agree('$table', 'random_$table') FROM generate_series(1, 95);"
done | session >"$CLUSTER/agreed"
check "$((95 * tables)) random queries over $tables random tables (seed $seed): the plain answer" "$((95 * tables))" "$(grep -c '^t$' "$CLUSTER/agreed" || true)"
sql "SELECT seed, how, query, plain, seen FROM fault ORDER BY length(query) LIMIT ${SHOW:-5}"
grep -vE '^[tf]$' "$CLUSTER/agreed" | head -n 5 || true
# A test that cannot fail tests nothing: a few rows missing from the plain side are noticed.
check "the same queries notice rows that are missing" t "$(session <<'SQL'
SELECT setseed(.5) \g /dev/null
SELECT make_table('control') \g /dev/null
INSERT INTO control SELECT i, i, i % 4, i % 40, i % 900, i % 30, i % 300, i % 90, date '2020-01-01' + i % 900, '2020-06-06', 'x', 'va', true, 'low' FROM generate_series(1000, 1099) AS i;
ALTER VIEW control_clean RENAME TO control_whole;
CREATE VIEW control_clean AS SELECT * FROM control_whole WHERE id < 1020;
SELECT count(*) > 30 FROM generate_series(1, 95) WHERE NOT agree('control', 'control');
SQL
)"
