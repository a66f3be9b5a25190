#!/usr/bin/env bash
# What weighing the rows of privacy units costs: a whole dpmix.query where a unit has ten rows, beside PostgreSQL's own
# SELECT unit, sum(x) ... GROUP BY unit at its default settings, by turns, the best of each, in one run:
# bench/query/units.sh [rows] [turns], by default 10 million and 3. Build with make first.
#
# Where groups matter, too (GROUP BY, numbers of units, discovered keys, of which rows are drawn), beside GROUP BY unit
# and key. Bound: 2 x where units are numbers. At 10^7 rows those of `named` are texts and take three shares, unless
# SETTINGS is "dpmix.scan_memory = 1GB".
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
rows=${1:-10000000} turns=${2:-3}
cluster_start "shared_buffers = 2GB" "max_wal_size = 8GB" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "autovacuum = off" \
  ${SETTINGS:+"$SETTINGS"}
export PGOPTIONS="-c client_min_messages=warning"
run() { "$BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

# In no order of the units; ten towns, of which each unit has rows in some six.
run >/dev/null <<SQL
CREATE EXTENSION dpmix;
SELECT setseed(.5);
CREATE UNLOGGED TABLE visits AS
  SELECT (random() * ($rows / 10 - 1))::int AS person, (random() * 9)::int AS town, random() * 100 AS x FROM generate_series(1, $rows);
CREATE UNLOGGED TABLE named AS SELECT 'person ' || person AS person, town, x FROM visits;
VACUUM (FREEZE, ANALYZE);
SELECT dpmix.protect(t, 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 5) FROM unnest('{visits,named}'::regclass[]) t;
SELECT dpmix.set_bounds(t, 'x', 0, 100), dpmix.set_categories(t, 'town', '{0,1,2,3,4,5,6,7,8,9}') FROM unnest('{visits,named}'::regclass[]) t;
SQL

private() { echo "SELECT * FROM dpmix.query(\$\$$1\$\$, .01, 1e-9, 'gaussian'$3) AS t($2)"; }
statements() {  # a line each: reference or not, title, statement
  local types='n bigint, s float8'
  for table in visits named; do
    echo "0|$table|SELECT person, sum(x) FROM $table GROUP BY person"
    echo "1|$table: count and sum|$(private "SELECT dp_count(*), dp_sum(x) FROM $table" "$types" "")"
    echo "0|$table and town|SELECT person, town, sum(x) FROM $table GROUP BY person, town"
    echo "1|$table: by town|$(private "SELECT town, dp_count(*), dp_sum(x) FROM $table GROUP BY town" "t int, $types" "")"
    echo "1|$table: by town, two a unit|$(private "SELECT town, dp_count(*), dp_sum(x) FROM $table GROUP BY town" "t int, $types" ", max_groups => 2")"
    echo "1|$table: units by town|$(private "SELECT town, dp_count_distinct(person) FROM $table GROUP BY town" "t int, n bigint" "")"
    echo "1|$table: towns discovered|$(private "SELECT town, dp_count(*), dp_sum(x) FROM $table GROUP BY town" "t int, $types" ", keys => 'discover'")"
  done
}

statements >"$CLUSTER/statements"
run -c "SELECT split_part(version(), ' on ', 1), '$rows rows of about $((rows / 10)) units, best of $turns by turns'"
echo "load: $(cut -d ' ' -f 1-3 /proc/loadavg) on $(nproc) cores"
{
  for _ in $(seq "$turns"); do
    while IFS='|' read -r private title statement; do
      echo "\\echo @$private@$title"
      echo "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) $statement;"
    done <"$CLUSTER/statements"
  done
} | run | awk -F @ '
  /^@/ { private = $2; title = $3; if (!(title in seen)) { seen[title]; order[++n] = title; is[title] = private }; next }
  /^Execution Time/ { split($0, t, " "); if (!(title in best) || t[3] < best[title]) best[title] = t[3] }
  END {
    for (i = 1; i <= n; i++) {
      title = order[i]
      if (!is[title]) { reference = best[title]; printf "%-32s %8.0f ms\n", "GROUP BY unit: " title, reference; continue }
      printf "%-32s %8.0f ms  %6.2f x\n", title, best[title], best[title] / reference
    }
  }'
