#!/usr/bin/env bash
# Every fenced piece of SQL in docs/guide/cubes.md runs, as the analyst ana, and its answers add up.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/page.sh
demo_database
PGUSER=office psql -v ON_ERROR_STOP=1 -qXAt >/dev/null <<'SQL'
SELECT dpmix.protect('cps', epsilon => 8, delta => 1e-4);
SELECT dpmix.set_bounds('cps', 'wage', 0, 2500);
SELECT dpmix.set_categories('cps', 'region', '{northeast,midwest,south,west}', other => true);
SELECT dpmix.set_categories('cps', 'schooling', '{below 12 years,12 years,13 to 15 years,16 years or more}', other => true);
SELECT dpmix.grant_access('cps', 'ana');
SQL

run_page docs/guide/cubes.md ana 3

# The first piece again: memory answers it.
PGUSER=ana psql -XAtq -v ON_ERROR_STOP=1 -f "$(ls "$CLUSTER"/pieces.*/001_*.sql)" 2>/dev/null >"$CLUSTER/cube"
check "a row for each cell and each total" 36 "$(wc -l <"$CLUSTER/cube")"
check "counts of each region add up to its total, and these to all" "t" "$(psql -XAtq <<SQL
CREATE TEMP TABLE cube (region text, schooling text, people bigint, wage float8, totals int);
\copy cube FROM '$CLUSTER/cube' (FORMAT csv, DELIMITER '|')
SELECT bool_and(total = parts) FROM (
  SELECT region, sum(people) FILTER (WHERE totals = 0) AS parts, sum(people) FILTER (WHERE totals = 1) AS total FROM cube WHERE totals IN (0, 1) GROUP BY 1
  UNION ALL SELECT NULL, sum(people) FILTER (WHERE totals = 1), sum(people) FILTER (WHERE totals = 3) FROM cube
  UNION ALL SELECT NULL, sum(people) FILTER (WHERE totals = 2), sum(people) FILTER (WHERE totals = 3) FROM cube) s;
SQL
)"
