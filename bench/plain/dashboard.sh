#!/usr/bin/env bash
# A dashboard of 12 panels over a facade, refreshed 96 times (eight hours, every five minutes) by one client, with
# memory and without: charges, and what a panel takes. Times are medians, beside the same panels over an ordinary
# table with the same rows, and beside the least that a statement takes.
#   bench/plain/dashboard.sh [rows] [refreshes], by default 100 000 and 96
# Without memory the client asks a tenth as often: each refresh is 12 charges.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/checks.sh
rows=${1:-100000} refreshes=${2:-96}
cluster_start "shared_buffers = 512MB" "fsync = on" "autovacuum = off"
psql -X -q -o /dev/null <<SQL
CREATE EXTENSION dpmix;
CREATE ROLE ana LOGIN;
ALTER ROLE ana SET session_preload_libraries = 'dpmix';
CREATE TABLE cps AS SELECT (ARRAY['northeast', 'midwest', 'south', 'west'])[1 + i % 4] AS region, (ARRAY['F', 'M'])[1 + i / 4 % 2] AS sex, i % 21 AS education,
  (i % 2500)::float8 AS wage, i % 60 AS hours, i % 10 < 8 AS employed, timestamptz '2026-01-01 UTC' + i % 8760 * interval '1 hour' AS seen FROM generate_series(1, $rows) AS i;
CREATE SCHEMA ordinary;
CREATE TABLE ordinary.cps AS TABLE cps;
GRANT USAGE ON SCHEMA ordinary TO ana;
GRANT SELECT ON ordinary.cps TO ana;
VACUUM (FREEZE, ANALYZE) cps;
VACUUM (FREEZE, ANALYZE) ordinary.cps;
SET client_min_messages = warning;
SELECT dpmix.protect('cps', 1e5, 1e-2);
SELECT dpmix.set_categories('cps', 'region', '{northeast,midwest,south,west}'), dpmix.set_categories('cps', 'sex', '{F,M}'), dpmix.set_bounds('cps', 'education', 0, 20),
  dpmix.set_bounds('cps', 'wage', 0, 2500), dpmix.set_bounds('cps', 'hours', 0, 80), dpmix.set_bounds('cps', 'seen', timestamptz '2026-01-01 UTC', timestamptz '2026-12-31 UTC');
SELECT dpmix.grant_access('cps', 'ana', NULL, 0, NULL);
SELECT dpmix.expose('cps', default_epsilon => 0.1, default_delta => 1e-9);
SQL

panels() {  # schema
  sed "s/cps/$1.cps/" <<'SQL'
SELECT count(*) FROM cps;
SELECT avg(wage) FROM cps WHERE employed;
SELECT region, count(*) FROM cps GROUP BY region ORDER BY region;
SELECT region, avg(wage) AS wage FROM cps GROUP BY region HAVING count(*) > 100 ORDER BY wage DESC;
SELECT sex, avg(wage), stddev_pop(wage) FROM cps GROUP BY sex;
SELECT region, sex, avg(hours) FROM cps GROUP BY region, sex;
SELECT date_trunc('month', seen) AS month, count(*) FROM cps GROUP BY 1 ORDER BY 1;
SELECT date_trunc('month', seen) AS month, sum(wage) FROM cps WHERE sex = 'F' GROUP BY 1 ORDER BY 1;
SELECT education, avg(wage) FROM cps GROUP BY education ORDER BY education;
SELECT 100.0 * sum(CASE WHEN hours >= 35 THEN 1 ELSE 0 END) / nullif(count(*), 0) FROM cps WHERE region = 'west';
SELECT count(*) FROM cps WHERE seen > now() - interval '30 days';
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY wage) FROM cps;
SQL
}
panels private >"$CLUSTER/private.sql"
panels ordinary >"$CLUSTER/ordinary.sql"
yes 'SELECT 1;' | head -n 12 >"$CLUSTER/nothing.sql" || true

times() {  # panels refreshes: milliseconds of each statement, in one session
  { echo '\timing on'; for _ in $(seq "$2"); do cat "$CLUSTER/$1.sql"; done; } |
    PGUSER=ana PGOPTIONS='-c client_min_messages=warning' psql -X -q -v ON_ERROR_STOP=1 | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p'
}
charges() { sql "SELECT count(*) FROM dpmix.charge"; }
median() { sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
remember() { sql "SELECT dpmix.set_memory('cps', keep => '$1')" >/dev/null; }

echo "load: $(cut -d ' ' -f 1-3 /proc/loadavg) on $(nproc) cores; $rows rows, $(grep -c . "$CLUSTER/private.sql") panels, $refreshes refreshes"
least=$(times nothing "$refreshes" | median)
ordinary=$(times ordinary 10 | median)

remember 0
paid=$(charges) few=$(((refreshes + 9) / 10))
never=$(times private "$few" | median)
without=$((($(charges) - paid) * refreshes / few))

remember '1 day'
paid=$(charges)
first=$(times private 1 | median)
again=$(times private $((refreshes - 1)) | median)
with=$(($(charges) - paid))

printf 'charges: %d with memory, %d without; ratio %.4f (bound 12 / 1152 = 0.0104)\n' "$with" "$without" "$(awk "BEGIN { print $with / $without }")"
awk -v least="$least" -v ordinary="$ordinary" -v never="$never" -v first="$first" -v again="$again" 'BEGIN {
  printf "a panel: %.3f ms remembered (bound 2), %.3f ms the first time, %.3f ms without memory, %.3f ms over an ordinary table, SELECT 1 %.3f ms\n", again, first, never, ordinary, least
  printf "ratios of a remembered panel: %.3f to a paid one, %.3f to an ordinary table, %.1f to SELECT 1\n", again / never, again / ordinary, again / least
}'
