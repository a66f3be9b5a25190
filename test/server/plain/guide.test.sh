#!/usr/bin/env bash
# docs/bi_tools.md: its owner's statements run as they stand, and then those of its analyst.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
sql "CREATE EXTENSION dpmix;
     CREATE TABLE cps (id int, region text, sex text, education int, wage float8, seen timestamptz);
     INSERT INTO cps SELECT i, (ARRAY['northeast', 'midwest', 'south', 'west'])[1 + i % 4], (ARRAY['F', 'M'])[1 + i % 2], i % 21, i % 2000, timestamptz '2026-01-01' + i % 8000 * interval '1 hour'
     FROM generate_series(1, 8000) AS i" >/dev/null

block() {  # n: the n-th block of SQL
  awk -v n="$1" '/^```sql$/ { inside = ++count == n; next } /^```$/ { inside = 0 } inside' docs/bi_tools.md
}
check "the owner's statements" "" "$({ block 1; block 2; block 3; } | PGOPTIONS='-c client_min_messages=warning' psql -X -q -o /dev/null -v ON_ERROR_STOP=1 2>&1)"
# Its column of times is declared in its prose.
bounds=$(grep -oE "SELECT dpmix.set_bounds\('cps', 'seen'[^\`]*" docs/bi_tools.md)
check "a column of times" "" "$(sql "$bounds")"
check "the facade" "private.cps" "$(sql "SELECT view_name FROM (SELECT schema_name || '.' || view_name AS view_name FROM dpmix.facade) AS f")"

as_tool() { PGUSER=metabase PGOPTIONS='-c client_min_messages=warning' sql "$1"; }
# Grafana's macros, as they arrive.
panel=$(block 4 | sed "s/\$__timeGroupAlias(seen, '1d')/floor(extract(epoch from seen)\/86400)*86400 AS \"time\"/; s/\$__timeFilter(seen)/seen BETWEEN '2026-03-01T00:00:00Z' AND '2026-03-30T00:00:00Z'/")
check_match "the panel of Grafana" '^[0-9]+\|west\|[0-9.]+$' "$(as_tool "$panel")"
check_match "the statement of pandas, of docs/notebooks.md" '^west\|[0-9.]+\|[0-9.]+\|[0-9.]+$' "$(as_tool "$(sed -n '/read_sql("""/,/""", engine/p' docs/notebooks.md | sed '1d; s/""", engine)//')")"
check_match "an interval" '^west\|[0-9.]+\|[0-9.]+\|[0-9.]+$' "$(as_tool "SELECT region, avg(wage), dpmix.dp_low(avg(wage)), dpmix.dp_high(avg(wage)) FROM private.cps GROUP BY region")"
check_match "what it would cost" 'epsilon 0.05' "$(as_tool "EXPLAIN SELECT region, avg(wage) FROM private.cps WHERE sex = 'F' GROUP BY region")"
before=$(sql "SELECT count(*) FROM dpmix.charge")
check_match "a dry run" 'would charge epsilon 0.05' "$(PGUSER=metabase sql "SET dpmix.dry_run = on; SELECT count(*) FROM private.cps WHERE wage > 7")"
check "costs nothing" "$before" "$(sql "SELECT count(*) FROM dpmix.charge")"
check_match "rows that meet a condition" 'PV002' "$(as_tool "SELECT * FROM private.cps WHERE wage > 3 LIMIT 5")"
