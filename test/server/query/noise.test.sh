#!/usr/bin/env bash
# The noise of every statistic under every mechanism is what preview says, and intervals cover at their level. One call
# draws for 100 000 groups whose true counts and sums are known, two calls for each mechanism. With n draws a standard
# deviation is known to sqrt((kurtosis - 1) / 4n) of itself: 2% is 8 times that (laplace) or more, a false alarm below
# 1e-14. Shares and correlations are tested at 6.5 of their standard errors: below 1e-9 for all of them together.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start "fsync = off" "autovacuum = off" "work_mem = '256MB'" "client_min_messages = warning"
psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
CREATE EXTENSION dpmix;
-- Up to four rows in a group; integers, so that the lattice moves nothing.
CREATE TABLE cells AS SELECT x, y, 10 * r - 15 AS v FROM generate_series(1, 400) x, generate_series(1, 250) y, generate_series(1, (x + 3 * y) % 5) r;
ALTER TABLE cells ALTER x SET NOT NULL, ALTER y SET NOT NULL;  -- as many groups as there can be, and none of NULL
SELECT dpmix.protect('cells', 1e7, .4, accountant => 'basic') \g /dev/null
SELECT dpmix.set_bounds('cells', 'v', -20, 30), dpmix.set_categories('cells', 'x', array_agg(DISTINCT i::text)), dpmix.set_categories('cells', 'y', array_agg(DISTINCT i::text) FILTER (WHERE i <= 250))
FROM generate_series(1, 400) i \g /dev/null
CREATE TABLE truth AS SELECT x, y, count(v) AS n, coalesce(sum(v), 0)::float8 AS s, coalesce(avg(v), 5)::float8 AS a
FROM generate_series(1, 400) x CROSS JOIN generate_series(1, 250) y LEFT JOIN cells USING (x, y) GROUP BY x, y;
CREATE TABLE seen (mechanism text, turn int, x int, y int, n bigint, n_low float8, n_high float8, s float8, s_low float8, s_high float8, a float8, a_low float8, a_high float8);
CREATE FUNCTION say(good boolean, name text, what text) RETURNS text LANGUAGE sql AS
    $$ SELECT CASE WHEN good THEN 'ok - ' || name ELSE 'not ok - ' || name || ': ' || coalesce(what, 'NULL') END $$;
SQL
asked='SELECT x, y, dp_count(*) AS n, dp_low(dp_count(*), .9), dp_high(dp_count(*), .9), dp_sum(v) AS s, dp_low(dp_sum(v), .99), dp_high(dp_sum(v), .99),
  dp_avg(v) AS a, dp_low(dp_avg(v), .5), dp_high(dp_avg(v), .5) FROM cells GROUP BY x, y'
for mechanism in gaussian multi_gaussian quasi_gaussian laplace staircase truncated_laplace tulap optimal auto; do
  arguments="\$q\$$asked\$q\$, 1.5, 1e-3, '$mechanism'"
  sql "INSERT INTO seen SELECT '$mechanism', turn, t.* FROM generate_series(1, 2) turn, LATERAL dpmix.query(\$q\$$asked\$q\$, 1.5 + 0 * turn, 1e-3, '$mechanism') AS t(x int, y int, n bigint,
    n_low float8, n_high float8, s float8, s_low float8, s_high float8, a float8, a_low float8, a_high float8)"
  psql -XAtq <<SQL
CREATE TEMP TABLE noise AS SELECT turn, x, y, (q.n - t.n)::float8 AS n, q.s - t.s AS s, t.n BETWEEN n_low AND n_high AS n_in, t.s BETWEEN s_low AND s_high AS s_in,
  t.a BETWEEN a_low AND a_high AS a_in, q.a BETWEEN a_low AND a_high AND q.n BETWEEN n_low AND n_high AND q.s BETWEEN s_low AND s_high AND a_low >= -20 AND a_high <= 30 AS own_in
  FROM seen q JOIN truth t USING (x, y) WHERE mechanism = '$mechanism';
CREATE TEMP TABLE previewed AS SELECT * FROM dpmix.preview($arguments);
SELECT say(abs(spread / noise_stddev - 1) < .02, '$mechanism: the deviation of ' || statistic, spread || ' instead of ' || noise_stddev),
       say(abs(size / expected_error - 1) < .02, '$mechanism: the mean error of ' || statistic, size || ' instead of ' || expected_error),
       say(abs(middle) < 6.5 * noise_stddev / sqrt(2e5), '$mechanism: no bias of ' || statistic, middle::text)
FROM previewed JOIN (SELECT 'count(*)' AS statistic, sqrt(avg(n * n)) AS spread, avg(abs(n)) AS size, avg(n) AS middle FROM noise
                     UNION ALL SELECT 'sum(v)', sqrt(avg(s * s)), avg(abs(s)), avg(s) FROM noise) AS d USING (statistic);
SELECT say(count(*) = 200000 AND bool_and(own_in), '$mechanism: every answer is in its own interval', count(*) || ' answers'),
       -- An interval ends on the lattice: it may cover the probability of two of its points more.
       say(abs(avg(n_in::int) - .9) < 6.5 * sqrt(.09 / 2e5) + .06 AND avg(n_in::int) > .9 - 6.5 * sqrt(.09 / 2e5), '$mechanism: 0.9 of the counts are covered', avg(n_in::int)::text),
       say(avg(s_in::int) BETWEEN .99 - 6.5 * sqrt(.0099 / 2e5) AND .99 + .001 + 6.5 * sqrt(.0099 / 2e5), '$mechanism: 0.99 of the sums', avg(s_in::int)::text),
       say(avg(a_in::int) > .5 - 6.5 * sqrt(.25 / 2e5), '$mechanism: at least half of the averages', avg(a_in::int)::text)
FROM noise;
-- Every number has its own noise: statistics of a group, neighbouring groups, equal groups of two calls.
SELECT say(abs(corr(n, s)) < 6.5 / sqrt(2e5), '$mechanism: count and sum are independent', corr(n, s)::text) FROM noise;
SELECT say(abs(corr(n, after)) < 6.5 / sqrt(2e5) AND abs(corr(s, after_s)) < 6.5 / sqrt(2e5), '$mechanism: neighbouring groups are independent', corr(n, after) || ', ' || corr(s, after_s))
FROM (SELECT n, s, lead(n) OVER w AS after, lead(s) OVER w AS after_s FROM noise WINDOW w AS (PARTITION BY turn ORDER BY x, y)) AS pairs;
SELECT say(abs(corr(a.n, b.n)) < 6.5 / sqrt(1e5) AND abs(corr(a.s, b.s)) < 6.5 / sqrt(1e5), '$mechanism: two calls are independent', corr(a.n, b.n)::text)
FROM noise a JOIN noise b USING (x, y) WHERE a.turn = 1 AND b.turn = 2;
SQL
done | tr '|' '\n'

# Statistics that come of several numbers: what is seen of each against preview, and intervals around the truth.
psql -Xq <<'SQL'
CREATE TABLE spread AS SELECT x, y, count(v) AS n, coalesce(var_pop(v), 312.5)::float8 AS v, coalesce(avg(v), 5)::float8 AS a, count(DISTINCT v) FILTER (WHERE v IN (-5, 15)) AS d,
  coalesce(percentile_disc(.5) WITHIN GROUP (ORDER BY v), 5)::float8 AS m, ARRAY[count(*) FILTER (WHERE v < 0), count(*) FILTER (WHERE v BETWEEN 0 AND 10), count(*) FILTER (WHERE v > 10)] AS h
FROM generate_series(1, 400) x CROSS JOIN generate_series(1, 250) y LEFT JOIN cells USING (x, y) GROUP BY x, y;
SELECT dpmix.set_categories('cells', 'v', '{-5,15}') \g /dev/null
SQL
for feature in ${FEATURES-filter moments units released expressions quantiles shared}; do
  case $feature in
    moments)
      items='dp_var(v) AS v, dp_low(dp_var(v), .8), dp_high(dp_var(v), .8), dp_count_distinct(v) AS d' columns='v float8, v_low float8, v_high float8, d bigint'
      tests="say(avg((t.v BETWEEN v_low AND v_high)::int) > .8 - 6.5 * sqrt(.16 / 1e5) AND bool_and(q.v BETWEEN v_low AND v_high AND v_low >= 0 AND v_high <= 625), 'MECHANISM: 0.8 of the variances', avg((t.v BETWEEN v_low AND v_high)::int)::text),
        say(abs(sqrt(avg((q.d - t.d) ^ 2)) / (SELECT noise_stddev FROM dpmix.preview(:'asked', 1.5, 1e-3, 'MECHANISM') WHERE statistic LIKE '%distinct%') - 1) < .025, 'MECHANISM: the deviation of distinct categories', sqrt(avg((q.d - t.d) ^ 2))::text)" ;;
    quantiles)
      items="dp_median(v) AS m, dp_low(dp_median(v), .8), dp_high(dp_median(v), .8), dp_histogram(v, '{-20,0,11,31}') AS h" columns='m float8, m_low float8, m_high float8, h bigint[]'
      tests="say(avg((t.m BETWEEN m_low AND m_high)::int) > .8 - 6.5 * sqrt(.16 / 1e5) AND bool_and(q.m BETWEEN m_low AND m_high AND m_low >= -20 AND m_high <= 30), 'MECHANISM: 0.8 of the medians', avg((t.m BETWEEN m_low AND m_high)::int)::text),
        say(abs(sqrt(avg((q.h[1] - t.h[1]) ^ 2 + (q.h[2] - t.h[2]) ^ 2 + (q.h[3] - t.h[3]) ^ 2) / 3) / (SELECT noise_stddev FROM dpmix.preview(:'asked', 1.5, 1e-3, 'MECHANISM') WHERE output_column = 'h') - 1) < .02, 'MECHANISM: the deviation of a histogram', sqrt(avg((q.h[1] - t.h[1]) ^ 2))::text),
        say(abs(corr(q.h[1] - t.h[1], q.h[2] - t.h[2])) < 6.5 / sqrt(1e5), 'MECHANISM: its cells are independent', corr(q.h[1] - t.h[1], q.h[2] - t.h[2])::text)" ;;
    shared)  # the Gaussian noise of the count of rows has that of the count of values in it, and half as much of its own
      items='dp_count(*) AS n, dp_low(dp_count(*), .9), dp_high(dp_count(*), .9), dp_count(v) AS c, dp_avg(v) AS a, dp_low(dp_avg(v), .5), dp_high(dp_avg(v), .5)'
      columns='n bigint, n_low float8, n_high float8, c bigint, a float8, a_low float8, a_high float8'
      among=gaussian
      said="(SELECT noise_stddev FROM dpmix.preview(:'asked', 1.5, 1e-3, 'MECHANISM') WHERE statistic ="
      tests="say(abs(sqrt(avg((q.n - t.n) ^ 2)) / $said 'count(*)') - 1) < .02, 'MECHANISM: the deviation of shared rows', sqrt(avg((q.n - t.n) ^ 2))::text),
        say(abs(sqrt(avg((q.c - t.n) ^ 2)) / $said 'count(v)') - 1) < .02, 'MECHANISM: the deviation of shared values', sqrt(avg((q.c - t.n) ^ 2))::text),
        say(abs(sqrt(avg((q.n - q.c) ^ 2)) / sqrt($said 'count(*)') ^ 2 - $said 'count(v)') ^ 2 + 1. / 12) - 1) < .03, 'MECHANISM: the deviation of missing rows', sqrt(avg((q.n - q.c) ^ 2))::text),
        say(abs(avg((t.n BETWEEN n_low AND n_high)::int) - .9) < 6.5 * sqrt(.09 / 1e5) + .06 AND avg((t.n BETWEEN n_low AND n_high)::int) > .9 - 6.5 * sqrt(.09 / 1e5), 'MECHANISM: 0.9 of the shared counts', avg((t.n BETWEEN n_low AND n_high)::int)::text),
        say(abs(corr(q.n - q.c, q.c - t.n)) < .01 + 6.5 / sqrt(1e5), 'MECHANISM: missing rows and values are independent', corr(q.n - q.c, q.c - t.n)::text),
        say(bool_and(q.a BETWEEN a_low AND a_high) AND avg((t.a BETWEEN a_low AND a_high)::int) > .5 - 6.5 * sqrt(.25 / 1e5), 'MECHANISM: half of the averages', avg((t.a BETWEEN a_low AND a_high)::int)::text)" ;;
    *) continue ;;
  esac
  for mechanism in ${among:-gaussian laplace}; do
    psql -XAtq -v asked="SELECT x, y, $items FROM cells GROUP BY x, y" <<<"SELECT ${tests//MECHANISM/$mechanism} FROM dpmix.query(:'asked', 1.5, 1e-3, '$mechanism') AS q(x int, y int, $columns) JOIN spread t USING (x, y);"
  done | tr '|' '\n'
done
