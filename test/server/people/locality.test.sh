#!/usr/bin/env bash
# Random statements over layers (statements.py): whatever is answered is what plain SQL answers over the rows that are
# somebody's, though dpmix computes it of one unit's rows after the other's. Joins, groups, windows, sub-selects and set
# operations that mix people must be refused for that to hold. Rows lie in a random order, are asked about again in
# another one, and plans are forced.
#
# A rule of marks.cpp or join_conditions.cpp that is broken shows within the seeds below: ON of a LEFT JOIN taken for
# WHERE, or NULLs that it makes ignored, in lists that tell the unit and in conditions with the row around.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "autovacuum = off" "shared_preload_libraries = 'dpmix'" "jit = off"  # forced plans look dear to it
psql -Xq -v ON_ERROR_STOP=1 -f test/server/people/layers.sql
first=${DPMIX_SEED:-1} schemas=4 statements=55
if [ -n "${DPMIX_SOAK:-}" ]; then first=${DPMIX_SEED:-$RANDOM} schemas=20; fi
export PGOPTIONS="-c client_min_messages=error"

forced=("" "enable_hashjoin enable_mergejoin" "enable_nestloop enable_sort" "enable_hashagg enable_material"
  "enable_nestloop enable_hashjoin enable_memoize")
for plans in "${forced[@]}"; do
  sql "ALTER DATABASE postgres RESET ALL"
  for name in $plans; do sql "ALTER DATABASE postgres SET $name = off"; done
  sql "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE backend_type = 'dpmix release'" >/dev/null
  said=$(python3 test/server/people/statements.py "$first" "$schemas" "$statements" | session)
  check "$schemas schemas were made and asked, without ${plans:-any plan forced}" "" "$(head -c 1000 <<<"$said")"
  first=$((first + schemas))
done
sql "ALTER DATABASE postgres RESET ALL"
said=$(sql "SELECT DISTINCT format('SELECT shuffle(%L); SELECT ask_again(%1\$L, 10);', place) FROM asked" | session)
check "in another order they were asked again" "" "$(tr -d '\n' <<<"$said" | head -c 1000)"

count() { sql "SELECT count(*) FROM asked WHERE verdict ~ '$1'"; }
all=$((5 * schemas * statements))
check "$all statements were asked" "$all" "$(sql "SELECT count(*) FROM asked WHERE verdict !~ 'again'")"
answered=$(count '^(equal|different)$')
check "at least two of five are answered: $answered" t "$([ $((5 * answered)) -ge $((2 * all)) ] && echo t)"
check "each answer is plain SQL's" "" \
  "$(sql "SELECT place, statement, exact, private FROM asked WHERE verdict ~ '^different' LIMIT ${SHOW:-3}")"
check "nothing fails: what is not answered is refused, by dpmix or for its types" "" \
  "$(sql "SELECT DISTINCT verdict FROM asked
          WHERE verdict !~ '^(equal|different|PV00[23] |42883 operator does not exist)' LIMIT 5")"
check "all but a few were asked again" t \
  "$(sql "SELECT count(*) FILTER (WHERE verdict ~ 'again') >= 9 * count(DISTINCT place) FROM asked")"
# What was answered had of everything: a grammar that no longer made it would test nothing.
for what in "GROUP BY" HAVING "DISTINCT ON" "SELECT DISTINCT " "OVER \(" "ROWS BETWEEN" "[^T] EXISTS" "NOT EXISTS" \
  " IN \(" "NOT IN" \
  "LIMIT 1" "UNION ALL" "UNION S" INTERSECT EXCEPT "LEFT JOIN" "RIGHT JOIN" "JOIN b" \
  "JOIN LATERAL \(SELECT (count|sum|max)" "JOIN LATERAL .* LIMIT 1" \
  "FROM \(SELECT.*FROM \(SELECT.*FROM \(SELECT"; do
  check "some answered ones have $what" t \
    "$(sql "SELECT count(*) > 4 FROM asked WHERE verdict = 'equal' AND statement ~ '$what'")"
done
