#!/usr/bin/env bash
# What plain SQL costs the caller's session beside dpmix.query, and what statements without a facade pay for there being
# one, in processor time: bench/plain/overhead.sh. By turns, the best of several.
#
# Bounds: planning and rewriting <= 0.3 ms a statement over dpmix.query; a statement without a facade <= 1 us.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
cluster_start "fsync = off" "autovacuum = off" "jit = off"
export PGOPTIONS="-c client_min_messages=warning"
run() { "$BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }
run -o /dev/null <<'SQL'
CREATE EXTENSION dpmix;
CREATE SCHEMA private;
CREATE TABLE cps AS SELECT i AS id, (ARRAY['n', 's'])[1 + i % 2] AS region, (i % 100)::float8 AS wage FROM generate_series(1, 1000) AS i;
SELECT dpmix.protect('cps', 1e7, .01, accountant => 'basic'), dpmix.set_bounds('cps', 'wage', 0, 100), dpmix.set_categories('cps', 'region', '{n,s}');
-- Of this session's process, so that other users of the machine count little. Linux.
CREATE FUNCTION cpu() RETURNS float8 LANGUAGE sql VOLATILE AS $$
    SELECT 1e7 * (split_part(stat, ' ', 12)::float8 + split_part(stat, ' ', 13)::float8)
    FROM regexp_replace(pg_read_file('/proc/self/stat'), '^.*\) ', '') AS stat $$;
-- Nanoseconds of processor time a statement, the best of three rounds.
CREATE FUNCTION timed(statement text, times int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    began float8;
    best float8 := 'Infinity';
BEGIN
    FOR round IN 1..3 LOOP
        began := cpu();
        FOR i IN 1..times LOOP EXECUTE statement; END LOOP;
        best := least(best, (cpu() - began) / times);
    END LOOP;
    RETURN best;
END $$;
SQL

without() { run -c "SELECT timed('SELECT count(*) FROM pg_class WHERE false', 100000)"; }
loaded() { PGOPTIONS="$PGOPTIONS -c session_preload_libraries=dpmix" without; }
least() { awk -v a="$1" -v b="$2" 'BEGIN { print a < b ? a : b }'; }
none=$(without) first=$(loaded)
for _ in 1 2; do
  none=$(least "$none" "$(without)")
  first=$(least "$first" "$(loaded)")
done
run -c "SELECT dpmix.expose('cps', default_epsilon => 1e-3)" >/dev/null
second=$(loaded)
for _ in 1 2; do
  none=$(least "$none" "$(without)")
  second=$(least "$second" "$(loaded)")
done
awk -v n="$none" -v f="$first" -v s="$second" 'BEGIN {
  printf "a statement without a facade: %.2f us without the library, %+.2f us with it, %+.2f us beside a facade (%.3f of it)\n", n / 1e3, (f - n) / 1e3, (s - n) / 1e3, s / n }'

PGOPTIONS="$PGOPTIONS -c session_preload_libraries=dpmix" run <<'SQL'
WITH measured AS (SELECT
  timed($$SELECT * FROM dpmix.query('SELECT region, dp_avg(wage), dp_count(*) FROM public.cps WHERE wage > 10 GROUP BY region', 1e-3) AS t(r text, a float8, n bigint)$$, 200) AS query,
  timed('SELECT region, avg(wage), count(*) FROM private.cps WHERE wage > 10 GROUP BY region', 200) AS plain,
  timed($$SELECT * FROM dpmix.query('SELECT region, dp_avg(wage), dp_count(*) FROM public.cps WHERE wage > 10 GROUP BY region', 1e-3) AS t(r text, a float8, n bigint)$$, 200) AS query_again,
  timed('SELECT region, avg(wage), count(*) FROM private.cps WHERE wage > 10 GROUP BY region', 200) AS plain_again,
  timed('EXPLAIN SELECT region, avg(wage), count(*) FROM private.cps WHERE wage > 10 GROUP BY region', 200) AS explained)
SELECT format('of the session: a plain query %s ms, dpmix.query %s ms; plain / query = %s; over it %s ms; EXPLAIN, which plans and prices, %s ms',
  round((least(plain, plain_again) / 1e6)::numeric, 3), round((least(query, query_again) / 1e6)::numeric, 3),
  round((least(plain, plain_again) / least(query, query_again))::numeric, 3), round(((least(plain, plain_again) - least(query, query_again)) / 1e6)::numeric, 3), round((explained / 1e6)::numeric, 3)) FROM measured;
SQL
