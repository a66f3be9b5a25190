#!/usr/bin/env bash
# What a whole dpmix.query costs beside the same query with PostgreSQL's own aggregates, in ns a row,
# serial and with two workers, in one run: bench/query/scan.sh [rows] [turns], by default 10 million
# and 7. Build with make first. ONLY='join|keys': lines whose titles match.
#
# Bound (docs): 1.3 x for count(*), sum, avg and var_pop by group under WHERE.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
rows=${1:-10000000}
turns=${2:-7}
cluster_start "shared_buffers = 2GB" "max_wal_size = 8GB" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "jit = off" \
  "max_parallel_workers_per_gather = 0" "min_parallel_table_scan_size = 0" "parallel_setup_cost = 0" \
  "parallel_tuple_cost = 0" "work_mem = 64MB" "autovacuum = off"
export PGOPTIONS="-c client_min_messages=warning"
run() { "$BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

# One person in eleven has no declared region.
run >/dev/null <<SQL
CREATE EXTENSION dpmix;
SELECT setseed(.5);
CREATE UNLOGGED TABLE people AS
  SELECT (ARRAY['north', 'south', 'east', 'west', 'middle', 'nowhere'])[1 + (random() * 5.5 - .5)::int] AS region,
         (random() * 90)::int AS age, random() * 4000 AS wage, (random() * 60)::numeric(6, 2) AS hours,
         (random() * 49)::int AS code, (random() * 9)::int AS a, (random() * 9)::int AS b, (random() * 999)::int AS part,
         (random() * 9999)::int AS shop
  FROM generate_series(1, $rows);
CREATE TABLE places (region text PRIMARY KEY, zone text);
INSERT INTO places VALUES ('north', 'z0'), ('south', 'z1'), ('east', 'z0'), ('west', 'z1'), ('middle', 'z2');
CREATE TABLE shops (shop int PRIMARY KEY, zone text);
INSERT INTO shops SELECT i, 'z' || i % 20 FROM generate_series(0, 9999) i;
SELECT dpmix.declare_public('places'), dpmix.declare_public('shops');
VACUUM (FREEZE, ANALYZE) people, places, shops;
SELECT dpmix.protect('people', epsilon => 1e7, delta => .1);
SELECT dpmix.set_categories('people', 'region', '{north,south,east,west,middle}');
SELECT dpmix.set_categories('people', 'code', ARRAY(SELECT i::text FROM generate_series(0, 49) i));
SELECT dpmix.set_categories('people', c, ARRAY(SELECT i::text FROM generate_series(0, 9) i)) FROM unnest('{a,b}'::name[]) c;
SELECT dpmix.set_categories('people', 'part', ARRAY(SELECT i::text FROM generate_series(0, 999) i));
SELECT dpmix.set_bounds('people', 'wage', 0, 4000), dpmix.set_bounds('people', 'age', 0, 90), dpmix.set_bounds('people', 'hours', 0, 60);
SQL

# Reference and candidate by turns, the best of each, so that another user of the machine does not
# count. In the query @ stands before the name of each aggregate.
against() {  # title, query, types of the private columns
  local workers plain private=${2//@/dp_}
  plain=$(sed -E 's/@(var|stddev)\(/\1_pop(/g; s/@count_distinct\(/count(DISTINCT /g; s/@median\(/avg(/g; s/@//g' <<<"$2")
  [[ $1 =~ ${ONLY:-.} ]] || return 0
  for workers in 0 2; do
    {
      echo "SET max_parallel_workers_per_gather = $workers;"
      for _ in $(seq "$turns"); do
        echo "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) $plain;"
        echo "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) SELECT * FROM dpmix.query(\$\$$private\$\$, .01, 1e-9, 'gaussian') AS t($3);"
      done
    } | run | awk -v title="$1" -v workers=$workers -v rows="$rows" '
      /^Execution Time/ { i = n++ % 2; if (!(i in best) || $3 < best[i]) best[i] = $3 }
      END { printf "%-38s %d workers  %8.1f ns  against %8.1f ns  %6.3f x\n", title, workers,
              best[1] * 1e6 / rows, best[0] * 1e6 / rows, best[1] / best[0] }'
  done
}

run -c "SELECT split_part(version(), ' on ', 1), count(*) || ' rows' FROM people"
four='n bigint, s float8, a float8, v float8'
against "four of a float8 by text" \
  "SELECT region, @count(*), @sum(wage), @avg(wage), @var(wage) FROM people WHERE age >= 30 GROUP BY region" "region text, $four"
against "four of an integer by text" \
  "SELECT region, @count(*), @sum(age), @avg(age), @var(age) FROM people WHERE age >= 30 GROUP BY region" "region text, $four"
against "four of a numeric by text" \
  "SELECT region, @count(*), @sum(hours), @avg(hours), @var(hours) FROM people WHERE age >= 30 GROUP BY region" "region text, $four"
against "four of a float8 by one of 50 integers" \
  "SELECT code, @count(*), @sum(wage), @avg(wage), @var(wage) FROM people WHERE age >= 30 GROUP BY code" "code int, $four"
against "four of a float8" \
  "SELECT @count(*), @sum(wage), @avg(wage), @var(wage) FROM people WHERE age >= 30" "$four"
against "avg of a float8" "SELECT @avg(wage) FROM people" "a float8"
against "count by text" "SELECT region, @count(*) FROM people GROUP BY region" "region text, n bigint"
against "FILTER" "SELECT @count(*) FILTER (WHERE age < 50), @avg(wage) FILTER (WHERE age < 50) FROM people" "n bigint, a float8"
against "distinct of 50 by text" "SELECT region, @count_distinct(code) FROM people GROUP BY region" "region text, n bigint"
against "join with 5 public rows" "SELECT zone, @count(*), @sum(wage) FROM people JOIN places USING (region) GROUP BY zone" \
  "zone text, n bigint, s float8"
against "join with 10000 public rows" "SELECT zone, @count(*), @sum(wage) FROM people JOIN shops USING (shop) GROUP BY zone" \
  "zone text, n bigint, s float8"
against "2 keys, 100 groups" "SELECT a, b, @count(*), @sum(wage) FROM people GROUP BY a, b" "a int, b int, n bigint, s float8"
against "3 keys, 500 groups" "SELECT region, a, b, @count(*), @sum(wage) FROM people GROUP BY region, a, b" "region text, a int, b int, n bigint, s float8"
against "1 key, 1000 groups" "SELECT part, @count(*), @sum(wage) FROM people GROUP BY part" "part int, n bigint, s float8"
# PostgreSQL's own percentile_disc sorts; a tree is counted in one pass, as an average is.
against "median, beside avg" "SELECT @median(wage) FROM people" "m float8"
against "median, beside avg, by text" "SELECT region, @median(wage) FROM people GROUP BY region" "region text, m float8"
