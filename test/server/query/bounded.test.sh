#!/usr/bin/env bash
# Totals of which each privacy unit has a bounded part: what is said of them before the charge and after it, intervals,
# what is lost, max_rows, and that nothing depends on the order of rows, on workers or on shares. bench/query/bounded.sh
# is the large form.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start "fsync = off" "autovacuum = off"
quiet="-c client_min_messages=warning"
PGOPTIONS=$quiet psql -Xq -v ON_ERROR_STOP=1 -v tables=200 -v epsilon=1 -c 'CREATE EXTENSION dpmix' -c 'SELECT setseed(.125)' \
  -f test/server/query/bounded.sql >/dev/null

# 800 intervals each: four deviations below .95 are .919.
check "intervals hold the bounded total, and dp_low is below the plain one" "t" \
  "$(sql "SELECT bool_and(bounded > .919 AND (plain_from_low > .95 OR answer = 'avg')) AND count(*) = 4 FROM covered")"
check "which is not that of all rows" "t" "$(sql "SELECT plain < .92 FROM covered WHERE answer = 'count'")"
check "weights lose less than draws: labs" "t" "$(sql "SELECT w.share < d.share / 3 AND d.share > .1 FROM lost w, lost d WHERE w.t = 'labs' AND d.t = 'labs' AND w.mechanism = 'gaussian' AND d.mechanism = 'staircase'")"
check "events" "t" "$(sql "SELECT w.share < d.share / 5 AND d.share > .02 FROM lost w, lost d WHERE w.t = 'events' AND d.t = 'events' AND w.mechanism = 'gaussian' AND d.mechanism = 'staircase'")"

# What is said. A join that gives each person four rows, where one counts in full.
session >/dev/null <<'SQL'
SET client_min_messages = warning;
CREATE TABLE people (person int, town int, age int);
INSERT INTO people SELECT i, i % 5, i % 90 FROM generate_series(1, 20000) i;
CREATE TABLE offices (town int, office int);
INSERT INTO offices SELECT i % 5, i FROM generate_series(0, 19) i;
SELECT dpmix.protect('people', 1e6, .1, accountant => 'gdp', privacy_unit => 'person'), dpmix.declare_public('offices');
SELECT dpmix.set_bounds('people', 'age', 0, 100);
CREATE ROLE reader;
SELECT dpmix.grant_access('people', 'reader');
SELECT dpmix.expose('people', default_epsilon => 1, default_delta => 1e-9, comments => true);
ALTER DATABASE postgres SET session_preload_libraries = 'dpmix';
SQL
join='SELECT dp_count(*) FROM people JOIN offices USING (town)'
check_match "a join that multiplies rows says so before the charge" "NOTICE:.*privacy units with more than 1 row count for less.*the join with public table offices may multiply" \
  "$(sql "SELECT 1 FROM dpmix.preview('$join', 1, 1e-9)" | tr '\n' ' ')"
check_match "and that twenty thousand people are weighed down" "the rows of about (19|20)[0-9]{3} privacy units are weighed down in count" \
  "$(sql "SELECT n FROM dpmix.query('$join', 1, 1e-9, 'gaussian') AS t(n bigint)" | tr '\n' ' ')"
check_match "EXPLAIN says so too" "privacy units with more than 1 row count for less; intervals are of these bounded totals" \
  "$(sql "EXPLAIN SELECT count(*) FROM private.people JOIN offices USING (town)")"
check "with max_rows all of them count" "80000" \
  "$(PGOPTIONS=$quiet sql "SELECT round(n, -3) FROM dpmix.query('$join', 1e4, 1e-9, 'gaussian', max_rows => 4) AS t(n bigint)")"
check "at four times the noise" "4.0" "$(PGOPTIONS=$quiet sql "SELECT round((max(noise_stddev) / min(noise_stddev))::numeric, 1) FROM (
  SELECT noise_stddev FROM dpmix.preview('$join', 1, 1e-9, 'gaussian', max_rows => 4) UNION ALL SELECT noise_stddev FROM dpmix.preview('$join', 1, 1e-9, 'gaussian')) p")"
check "dpmix.max_rows is the same in plain SQL" "80" "$(PGOPTIONS="$quiet -c dpmix.max_rows=4 -c dpmix.epsilon=100" sql "SELECT round(count(*), -3)::int / 1000 FROM private.people JOIN offices USING (town)")"
check_match "max_rows where a unit has one row" "PV005: max_rows has nothing to limit" "$(session <<'SQL'
SET client_min_messages = warning;
CREATE TABLE single (person int PRIMARY KEY);
SELECT dpmix.protect('single', 1, 0, privacy_unit => 'person', accountant => 'basic');
SELECT 1 FROM dpmix.preview('SELECT dp_count(*) FROM single', 1, max_rows => 2);
SQL
)"
check_match "max_rows out of range" "PV005: max_rows out of range" "$(sql "SELECT 1 FROM dpmix.preview('$join', 1, max_rows => 0)")"
check "how many people there are is said without a word" "20000" "$(sql "SELECT round(n, -2) FROM dpmix.query('SELECT dp_count_distinct(person) FROM people', 10, 1e-9) AS t(n bigint)")"
check "describe" "column person; at most 5 of its rows count in full, and totals and their intervals are bounded by that" \
  "$(sql "SELECT value FROM dpmix.describe('heavy') WHERE item = 'privacy unit'" | sed 's/column "person"/column person/')"

sql "SELECT dpmix.set_max_rows_per_unit('people', 3)" >/dev/null
check "a facade's comment follows" "privacy unit: at most 3 of its rows count in full; totals and their intervals are bounded by that" \
  "$(sql "SELECT col_description('private.people'::regclass, 1)")"

# The same rows in another order, in a partitioned table, read by workers, and in many shares: the same integers.
session >/dev/null <<'SQL'
SET client_min_messages = warning;
CREATE TABLE ordered AS SELECT person + 1000000 * i AS person, tab, g, x FROM heavy, generate_series(1, 4) i ORDER BY 1, 3;
CREATE TABLE shuffled AS SELECT * FROM ordered ORDER BY md5(person::text || ctid::text);
CREATE TABLE parted (person int, tab int, g int, x int) PARTITION BY HASH (x);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT * FROM shuffled;
ANALYZE;
SELECT dpmix.protect(t, 1e7, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 5),
       dpmix.set_categories(t, 'g', '{0,1,2,3}'), dpmix.set_bounds(t, 'x', 0, 100)
FROM unnest('{ordered,shuffled,parted}'::regclass[]) t;
SQL
answers() {
  PGOPTIONS="$quiet ${2:-}" sql "SELECT string_agg(format('%s %s %s %s %s', g, n, s, f, p), ',' ORDER BY g) FROM dpmix.query('SELECT g, dp_count(*), dp_sum(x), dp_count(*) FILTER (WHERE x > 30), dp_count_distinct(person) FILTER (WHERE x < 50)
    FROM $1 GROUP BY g', 1e6, 0, 'laplace') AS t(g int, n bigint, s float8, f bigint, p bigint)"
}
reference=$(answers ordered)
check_match "all groups are answered" "^0 [0-9]+ [0-9]+ [0-9]+ [0-9]+,1 .*,3 " "$reference"
check "another order of rows" "$reference" "$(answers shuffled)"
check "partitions" "$reference" "$(answers parted)"
check "workers" "$reference" "$(answers shuffled "-c parallel_setup_cost=0 -c parallel_tuple_cost=0 -c min_parallel_table_scan_size=0")"
# A row takes 40 bytes and more.
check "rows are too many for a megabyte" t "$(sql "SELECT count(*) * 40 > 2 << 20 FROM ordered")"
sql "ALTER SYSTEM SET dpmix.scan_memory = '1MB'" >/dev/null
sql "SELECT pg_reload_conf(), pg_sleep(.5)" >/dev/null
check "shares" "$reference" "$(answers ordered)"
