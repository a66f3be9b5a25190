#!/usr/bin/env bash
# Intervals of expressions over several answers cover the exact value at their level, whatever the noise, from memory
# too. One call draws for 2000 groups of 20 to 290 rows whose exact values are known. Shares are tested at 6.5 of their
# standard errors: below 1e-9 for all of them together.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "fsync = off" "autovacuum = off" "client_min_messages = warning"
psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
CREATE EXTENSION dpmix;
CREATE TABLE cells AS SELECT x, y, 10 * (r % 6) - 20 AS v, 1 + (r * r) % 8 AS w, r % 5 = 0 AS ill FROM generate_series(1, 50) x, generate_series(1, 40) y, generate_series(1, 20 + 30 * ((x + 3 * y) % 10)) r;
SELECT dpmix.protect('cells', 1e7, .4, accountant => 'renyi') \g /dev/null
SELECT dpmix.set_bounds('cells', 'v', -20, 30), dpmix.set_bounds('cells', 'w', 0, 8), dpmix.set_categories('cells', 'x', (SELECT array_agg(i::text) FROM generate_series(1, 50) i)),
  dpmix.set_categories('cells', 'y', (SELECT array_agg(i::text) FROM generate_series(1, 40) i)) \g /dev/null
CREATE TABLE seen (place int, low float8, high float8, exact float8);
CREATE FUNCTION say(good boolean, name text, what text) RETURNS text LANGUAGE sql AS
    $$ SELECT CASE WHEN good THEN 'ok - ' || name ELSE 'not ok - ' || name || ': ' || coalesce(what, 'NULL') END $$;
-- Asks each expression in all groups, and keeps what lies around which exact value.
CREATE PROCEDURE ask(mechanism text, delta float8, level float8, turns int, VARIADIC asked text[]) LANGUAGE plpgsql AS $$
DECLARE text text := 'SELECT x, y'; columns text := 'x int, y int'; made text := ''; exact text := '';
BEGIN
    FOR i IN 1 .. cardinality(asked) LOOP
        text := text || format(', dp_low(%1$s, %2$s), dp_high(%1$s, %2$s)', asked[i], level);
        columns := columns || format(', l%1$s float8, h%1$s float8', i);
        made := made || format(', (%1$s, l%1$s, h%1$s, e.e%1$s)', i);
        exact := exact || format(', (%s)::float8 AS e%s', replace(replace(replace(asked[i], 'dp_stddev', 'stddev_pop'), 'dp_sum(', 'sum(1.0 * '), 'dp_', ''), i);
    END LOOP;
    TRUNCATE seen;
    FOR turn IN 1 .. turns LOOP
        EXECUTE format('INSERT INTO seen SELECT r.* FROM dpmix.query(%L, 2, %s, %L) AS t(%s) JOIN (SELECT x, y%s FROM cells GROUP BY x, y) AS e USING (x, y), LATERAL (VALUES %s) AS r(place, low, high, exact)',
            text || ' FROM cells GROUP BY x, y', delta, mechanism, columns, exact, substr(made, 3));
    END LOOP;
END $$;
-- Each that has an exact value.
CREATE FUNCTION judged(name text, level float8, asked text[]) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT say(avg((exact BETWEEN low AND high)::int) >= level - 6.5 * sqrt(level * (1 - level) / count(*)), format('%s: %s covers', name, asked[place]),
               format('%s of %s at level %s', round(avg((exact BETWEEN low AND high)::int), 4), count(*), level))
        || format(' (%s%% of %s)', round(100 * avg((exact BETWEEN low AND high)::int), 1), count(*))
    FROM seen WHERE exact IS NOT NULL GROUP BY place ORDER BY place $$;
SQL
asked="'100.0 * dp_count(*) FILTER (WHERE ill) / dp_count(*)', 'dp_sum(v * w) / dp_sum(w)', 'dp_sum(v) - 3 * dp_sum(w)', 'dp_sum(v) / dp_count(*)', 'dp_avg(v) FILTER (WHERE ill) - dp_avg(w)', 'dp_stddev(v) * dp_count(*)'"
for mechanism in gaussian laplace optimal; do
  psql -XAtq <<SQL
CALL ask('$mechanism', 1e-6, .95, 5, VARIADIC ARRAY[$asked]);
SELECT judged('$mechanism', .95, ARRAY[$asked]);
SQL
done
psql -XAtq <<SQL
CALL ask('gaussian', 1e-6, .5, 5, VARIADIC ARRAY[$asked]);
SELECT judged('at level 0.5', .5, ARRAY[$asked]);
SQL

# Normal noise: no wider than the level asks for.
psql -XAtq <<'SQL'
CALL ask('gaussian', 1e-6, .9, 5, VARIADIC ARRAY['dp_sum(v) - 3 * dp_sum(w)']);
SELECT say(avg((exact BETWEEN low AND high)::int) <= .91 + 6.5 * sqrt(.09 / count(*)), 'just its level', avg((exact BETWEEN low AND high)::int)::text) FROM seen;
SQL

# Of answers that were made more precise from memory: each is around the mean of two draws.
sql "SELECT dpmix.set_memory('cells', keep => '1 hour')" >/dev/null
psql -XAtq <<'SQL'
CALL ask('gaussian', 1e-6, .9, 1, VARIADIC ARRAY['dp_sum(v) / dp_count(*)', '100.0 * dp_count(*) FILTER (WHERE ill) / dp_count(*)']);
TRUNCATE seen;
INSERT INTO seen SELECT r.* FROM dpmix.query('SELECT x, y, dp_low(dp_sum(v) / dp_count(*), .9), dp_high(dp_sum(v) / dp_count(*), .9), dp_low(100.0 * dp_count(*) FILTER (WHERE ill) / dp_count(*), .9), dp_high(100.0 * dp_count(*) FILTER (WHERE ill) / dp_count(*), .9)
  FROM cells GROUP BY x, y', 3, 1e-6, 'gaussian') AS t(x int, y int, l1 float8, h1 float8, l2 float8, h2 float8)
  JOIN (SELECT x, y, avg(v)::float8 AS e1, 100.0 * count(*) FILTER (WHERE ill) / count(*) AS e2 FROM cells GROUP BY x, y) e USING (x, y), LATERAL (VALUES (1, l1, h1, e1), (2, l2, h2, e2)) AS r(place, low, high, exact);
SELECT say((SELECT count(*) FROM dpmix.memory) > 0, 'memory had a part', NULL);
SELECT judged('from memory', .9, ARRAY['dp_sum(v) / dp_count(*)', '100.0 * dp_count(*) FILTER (WHERE ill) / dp_count(*)']);
SQL
