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
         (random() * 9999)::int AS shop, random() * 50 AS rate
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
SELECT dpmix.set_bounds('people', 'wage', 0, 4000), dpmix.set_bounds('people', 'age', 0, 90), dpmix.set_bounds('people', 'hours', 0, 60), dpmix.set_bounds('people', 'rate', 0, 50);
SQL

# Prints what all processes of the server have taken of the processors so far, in seconds.
cat >"$CLUSTER/cpu" <<'CPU'
server=$(head -n 1 "$1/data/postmaster.pid")
{ awk '{ print $14 + $15 + $16 + $17 }' "/proc/$server/stat"
  for child in $(pgrep -P "$server"); do awk '{ print $14 + $15 }' "/proc/$child/stat" 2>/dev/null || true; done; } |
  awk -v hz="$(getconf CLK_TCK)" '{ s += $1 } END { print "CPU", s / hz }'
CPU
# Reference and candidate by turns, the best of each, so that another user of the machine does not count for much: by
# the clock, and by the processors' time, which counts what others do less. In the query @ stands before the name of
# each aggregate.
repeats=$((rows < 1000000 ? 1000000 / rows : 1))
against() {  # title, query, types of the private columns
  local workers plain private=${2//@/dp_} statement
  [[ $1 =~ ${ONLY:-.} ]] || return 0
  plain=$(sed -E 's/@(var|stddev|covar)\(/\1_pop(/g; s/@count_distinct\(/count(DISTINCT /g; s/@median\(/avg(/g; s/@//g' <<<"$2")
  for workers in 0 2; do
    for _ in $(seq "$turns"); do
      for statement in "$plain" "SELECT * FROM dpmix.query(\$\$$private\$\$, .01, 1e-9, 'gaussian') AS t($3)"; do
        { echo "SET max_parallel_workers_per_gather = $workers;"
          echo "\\! bash $CLUSTER/cpu $CLUSTER"
          for _ in $(seq "$repeats"); do echo "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) $statement;"; done
          echo "\\! bash $CLUSTER/cpu $CLUSTER"; } | run | grep -E '^Execution Time|^CPU'
      done
    done | awk -v title="$1" -v workers=$workers -v rows="$rows" -v repeats="$repeats" '
      function least(of, value) { if (!((of, i) in best) || value < best[of, i]) best[of, i] = value }
      /^Execution Time/ { least("clock", $3 * 1e6) }
      /^CPU/ && begun { least("CPU", ($2 - begun) * 1e9 / repeats); i = 1 - i; begun = 0; next }
      /^CPU/ { begun = $2 }
      BEGIN { i = 0 }
      END { printf "%-38s %d workers  clock %8.1f against %8.1f ns %6.3f x  CPU %8.1f against %8.1f ns %6.3f x\n", title, workers,
              best["clock", 1] / rows, best["clock", 0] / rows, best["clock", 1] / best["clock", 0],
              best["CPU", 1] / rows, best["CPU", 0] / rows, best["CPU", 1] / best["CPU", 0] }'
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
against "covar" "SELECT @covar(wage, rate) FROM people" "c float8"
against "corr" "SELECT @corr(wage, rate) FROM people" "c float8"
against "regr_slope" "SELECT @regr_slope(wage, rate) FROM people" "c float8"
# PostgreSQL's own percentile_disc sorts; a tree is counted in one pass, as an average is.
against "median, beside avg" "SELECT @median(wage) FROM people" "m float8"
against "median, beside avg, by text" "SELECT region, @median(wage) FROM people GROUP BY region" "region text, m float8"
