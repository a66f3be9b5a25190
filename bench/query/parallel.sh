#!/usr/bin/env bash
# What workers gain for each statistic that dpmix reads from a table: CPU time aside, the time of the clock with 0, 1
# and 2 of them, by turns, the best of each: bench/query/parallel.sh [rows] [turns], by default 2 million and 3. Build
# with make first.
#
# Bound (docs/guide/scale.md): no statistic slower with two workers than with one, nor with one than with none; a tenth
# for the clock.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
rows=${1:-2000000} turns=${2:-3}
cluster_start "shared_buffers = 2GB" "max_wal_size = 8GB" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "jit = off" \
  "work_mem = 64MB" "autovacuum = off" "max_parallel_workers = 8" ${SETTINGS:+"$SETTINGS"}
export PGOPTIONS="-c client_min_messages=error"
run() { "$BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

frame() {  # classes, features, then what follows: maps of full matrices, around a centre for each class
  local extra=${3:-}
  run -c "SELECT quote_literal((SELECT array_agg(v ORDER BY at, n) FROM (
      SELECT 0 AS at, v, n FROM unnest(ARRAY[1, $1, $2, 0, 1048576]::float8[]) WITH ORDINALITY t(v, n)
      UNION ALL SELECT 1, 0, i FROM generate_series(1, $2) i UNION ALL SELECT 2, 10, i FROM generate_series(1, $2) i
      UNION ALL SELECT 3 + k, v, n FROM generate_series(0, $1 - 1) k, unnest(ARRAY[6.0::float8] || array_fill(k + .5::float8, ARRAY[$2]) ||
        ARRAY(SELECT CASE WHEN i = j THEN .35 ELSE .01 END::float8 FROM generate_series(1, $2) i, generate_series(1, $2) j)) WITH ORDINALITY t(v, n)
    ) f) || '{$extra}'::float8[]) || '::float8[]'"
}

run >/dev/null <<SQL
CREATE EXTENSION dpmix;
SELECT setseed(.5);
CREATE UNLOGGED TABLE people AS
  SELECT i / 3 AS person, (ARRAY['north', 'south', 'east', 'west', 'middle', 'nowhere'])[1 + (random() * 5.5 - .5)::int] AS region,
         (random() * 90)::int AS age, random() * 4000 AS wage, (random() * 60)::numeric(6, 2) AS hours, (random() * 999)::int AS code,
         timestamp '2020-01-01' + random() * interval '2 years' AS seen
  FROM generate_series(1, $rows) AS i;
CREATE UNLOGGED TABLE vectors AS SELECT i % 5 AS class, $(for j in 1 2 3 4 5 6 7 8; do printf '(random() * 10) AS f%d, ' $j; done) NULL::int AS nothing FROM generate_series(1, $rows / 2) AS i;
CREATE UNLOGGED TABLE visits AS SELECT person, region, wage FROM people WHERE person % 2 = 0;
CREATE UNLOGGED TABLE parted (LIKE people) PARTITION BY HASH (code);
SELECT format('CREATE UNLOGGED TABLE parted_%s PARTITION OF parted FOR VALUES WITH (MODULUS 4, REMAINDER %s)', r, r) FROM generate_series(0, 3) r \gexec
INSERT INTO parted SELECT * FROM people;
CREATE TABLE places (region text PRIMARY KEY, zone text);
INSERT INTO places VALUES ('north', 'z0'), ('south', 'z1'), ('east', 'z0'), ('west', 'z1'), ('middle', 'z2');
SELECT dpmix.declare_public('places');
VACUUM (FREEZE, ANALYZE);
SELECT dpmix.protect(t, 1e7, .1) FROM unnest('{people,parted,vectors}'::regclass[]) t;
SELECT dpmix.protect('visits', 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 2);
SELECT dpmix.set_categories(t, 'region', '{north,south,east,west,middle}') FROM unnest('{people,parted,visits}'::regclass[]) t;
SELECT dpmix.set_categories(t, 'code', ARRAY(SELECT i::text FROM generate_series(0, 999) i)) FROM unnest('{people,parted}'::regclass[]) t;
SELECT dpmix.set_bounds(t, 'wage', 0, 4000) FROM unnest('{people,parted,visits}'::regclass[]) t;
SELECT dpmix.set_bounds(t, 'age', 0, 90), dpmix.set_bounds(t, 'hours', 0, 60), dpmix.set_bounds(t, 'seen', timestamp '2020-01-01', timestamp '2021-12-31')
  FROM unnest('{people,parted}'::regclass[]) t;
SELECT dpmix.set_categories('vectors', 'class', '{0,1,2,3,4}');
SELECT count(dpmix.set_bounds('vectors', ('f' || i)::name, 0, 10)) FROM generate_series(1, 8) i;
SQL

statements() {  # a line each: name, bar, statement
  local four='dp_count(*), dp_sum(wage), dp_avg(hours), dp_var(age)' types='n bigint, s float8, a float8, v float8'
  local features="{f1,f2,f3,f4,f5,f6,f7,f8}" x="dpmix_internal.row_vector(f1, f2, f3, f4, f5, f6, f7, f8)" uniform zeros
  sed 's/^\([^|]*\)|\(.*\)|\([^|]*\)$/\1|SELECT * FROM dpmix.query($$\2$$, .01, 1e-9) AS t(\3)/' <<SQL
count(*)|SELECT dp_count(*) FROM people|n bigint
sum|SELECT dp_sum(wage) FROM people|s float8
average of numeric|SELECT dp_avg(hours) FROM people|s float8
variance|SELECT dp_var(wage) FROM people|s float8
four|SELECT $four FROM people|$types
four by 5 texts|SELECT region, $four FROM people GROUP BY region|r text, $types
four by 1000 integers|SELECT code, $four FROM people GROUP BY code|r int, $types
four by ranges|SELECT width_bucket(wage, 0, 4000, 5), $four FROM people GROUP BY 1|r int, $types
four by months|SELECT date_trunc('month', seen), $four FROM people GROUP BY 1|r timestamp, $types
four, partitions|SELECT region, $four FROM parted GROUP BY region|r text, $types
FILTER and WHERE|SELECT dp_count(*) FILTER (WHERE age < 50), dp_avg(wage) FROM people WHERE region LIKE '%o%'|n bigint, s float8
expressions|SELECT dp_sum(least(wage * 2 + hours, 5000)), dp_avg(CASE WHEN region = 'north' THEN age ELSE 0 END) FROM people|s float8, a float8
join|SELECT zone, $four FROM people JOIN places USING (region) GROUP BY zone|z text, $types
distinct|SELECT region, dp_count_distinct(code) FROM people GROUP BY region|r text, n bigint
median|SELECT dp_median(wage) FROM people|m float8
median by 5 texts|SELECT region, dp_median(wage) FROM people GROUP BY region|r text, m float8
median by 1000 integers|SELECT code, dp_median(wage) FROM people GROUP BY code|r int, m float8
histogram|SELECT dp_histogram(wage, ARRAY[0, 1000, 2000, 4000]) FROM people|h bigint[]
units|SELECT region, dp_count(*), dp_sum(wage) FROM visits GROUP BY region|r text, n bigint, s float8
SQL
  echo "discover|SELECT * FROM dpmix.query('SELECT age, dp_count(*), dp_sum(wage) FROM people GROUP BY age', 1, 1e-6, keys => 'discover') AS t(a int, n bigint, s float8)"
  zeros=$(for k in 1 2 3 4 5; do printf '0,'; done) uniform=$(for k in 1 2 3 4 5; do printf '%s1' "$([ $k = 1 ] || echo ,)"; done)
  echo "class_moments|SELECT dpmix_internal.class_moments(class, $x, $(frame 5 8)) FROM vectors"
  echo "class_distances|SELECT dpmix_internal.class_distances(class, $x, $(frame 5 8 64)) FROM vectors"
  echo "class_clusters|SELECT dpmix_internal.class_clusters(class, $x, $(frame 5 8 "0,$zeros$uniform,5")) FROM vectors"
  echo "soft_moments|SELECT dpmix_internal.soft_moments($x, $(frame 5 8 "0,$zeros$uniform")) FROM vectors"
  echo "cells|SELECT dpmix_internal.cells($x, $(frame 5 8 2,64)) FROM vectors"
  echo "feature_sample|SELECT dpmix_internal.feature_sample($x, $(frame 1 8 4096,1)) FROM vectors"
  echo "mixture, one shot|SELECT * FROM dpmix.release_gmm('one ' || gen_random_uuid(), 'vectors', '$features', .5, 1e-9, label => 'class', method => 'one_shot')"
  echo "mixture, em|SELECT * FROM dpmix.release_gmm('em ' || gen_random_uuid(), 'vectors', '$features', .5, 1e-9, components => 3)"
  echo "synthetic table|SELECT count(*) FROM dpmix.cda(NULL::vectors, '$features', 1000, 1, 1e-9, label => 'class')"
}

statements >"$CLUSTER/statements"
run -c "SELECT split_part(version(), ' on ', 1), '$rows rows, best of $turns by turns'"
echo "load: $(cut -d ' ' -f 1-3 /proc/loadavg) on $(nproc) cores"
{
  echo "\\timing on"
  for _ in $(seq "$turns"); do
    while IFS='|' read -r name statement; do
      for workers in 0 1 2; do
        echo "SET max_parallel_workers_per_gather = $workers;"
        echo "\\echo @$name@$workers"
        echo "$statement \\g /dev/null"
      done
    done <"$CLUSTER/statements"
  done
} | run | awk -F @ '
  /^@/ { name = $2; workers = $3; if (!(name in seen)) { seen[name]; order[++n] = name }; next }
  /^Time:/ && name != "" { split($0, t, " "); if (!((name, workers) in best) || t[2] < best[name, workers]) best[name, workers] = t[2]; name = "" }
  END {
    printf "%-26s %10s %10s %10s %8s %8s\n", "", "0 workers", "1", "2", "2 / 1", "2 / 0"
    for (i = 1; i <= n; i++) {
      name = order[i]; one = best[name, 1]; two = best[name, 2]; none = best[name, 0]
      slow = two > 1.1 * one || two > 1.1 * none
      printf "%-26s %7.0f ms %7.0f ms %7.0f ms %8.2f %8.2f %s\n", name, none, one, two, two / one, two / none, slow ? "SLOWER" : ""
      slower += slow
    }
    printf "slower with two workers: %d of %d\n", slower, n
  }'
