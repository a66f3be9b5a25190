#!/usr/bin/env bash
# Pictures where the ledger is large, and of names in other encodings than UTF-8.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start
sql "CREATE EXTENSION dpmix"
protected_table people 1000

# 100 000 charges of 1000 roles, in a session that planned its queries when there was none. Quadratic
# work would take minutes. Rolled back: the ledger worker knows of none of them.
got=$(session <<'SQL'
SELECT bool_and(length(dpmix.budget_svg('people')) > 0) FROM generate_series(1, 8);
BEGIN;
INSERT INTO dpmix.charge (table_id, relation, role, granted_to, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters)
SELECT t.id, 'x', 'role ' || i % 1000, NULL, now() + i * interval '1 minute', 'query', 'laplace', 0.001, 0, 0, 0, '{}'
FROM generate_series(1, 100000) i, dpmix.protected_table t;
SET LOCAL statement_timeout = '60s';
SELECT length(svg) < 60000, svg ~ '100000 charges', svg ~ '100 of 1000 spent', svg ~ '994 more roles' FROM dpmix.budget_svg('people') svg;
ROLLBACK;
SQL
)
check "a picture of 100 000 charges is small and soon made" $'t\nt|t|t|t' "$got"

# The first of them has a byte that is no character of Unicode's.
for test in "WIN1252 \\xe98141 &#233;&#65533;A" "EUC_JP \\xc6fccbdc &#26085;&#26412;" "SQL_ASCII \\xc3a9ff &#233;&#65533;"; do
  read -r encoding bytes expected <<<"$test"
  createdb -E "$encoding" -T template0 -l C "in_$encoding"
  sql "CREATE EXTENSION dpmix" "in_$encoding"
  check "a label in $encoding" "$expected: 1 [0, 2]" "$(sql "
    SELECT substring(dpmix.interval_svg(convert_from('$bytes', '$encoding'), 1, 0, 2) FROM '<g><title>([^<]*)</title>')" "in_$encoding")"
done
