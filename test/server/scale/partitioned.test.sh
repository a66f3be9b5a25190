#!/usr/bin/env bash
# Protected tables with partitions: answers are those of one table, also when partitions come and go; one row of each
# unit goes by indexes that hold for all partitions, or rows are sampled; and nothing of a partition shows, nor is there
# a way to it past its table's budget.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/partitioned_lib.sh
partitioned_cluster "autovacuum = off" "track_functions = all" "client_min_messages = warning"

# Answers ---------------------------------------------------------------------------------------------

for workers in 0 2; do
  queries | digests query $workers plain parts
  unit_queries | digests units $workers visits visit_parts
  comparisons | digests comparison $workers plain parts
  synthetic_rows | digests synthetic $workers plain parts
done
check "every statement reads the same rows from partitions as from one table" "" \
  "$(sql "SELECT string_agg(name, ', ') FROM (SELECT name FROM done WHERE name <> 'compare private' GROUP BY name HAVING count(DISTINCT digest) <> 1 OR min(rows) = 0) t")"
near="SELECT bool_and(abs(n - m) < 1 AND abs(s - w) < 30) FROM (SELECT kind, count(*) AS m, sum(wage) AS w FROM plain GROUP BY kind) t JOIN
  dpmix.query('SELECT kind, dp_count(*), dp_sum(wage) FROM parts GROUP BY kind', 1e4, 1e-9) AS q(kind text, n bigint, s float8) USING (kind)"
check "answers are those of the rows" t "$(sql "$near")"
check "as an analyst asks" "$(sql "SELECT count(*) FROM plain")" "$(PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM parts', 1e4) AS t(n bigint)")"
mixtures | sed 's/, 10, 1e-6/, 1e5, 1e-6/' | while IFS='|' read -r name statement; do
  [ "${name#one}" = "$name" ] || continue  # that one asks for ten times the rows
  check "a mixture, $name, has the rows of all partitions" t \
    "$(sql "SELECT bool_and(abs((SELECT sum(r) FROM unnest(row_counts) r) - (SELECT count(*) FROM plain WHERE wage IS NOT NULL AND ('$name' !~ 'staged' OR kind IN ('a', 'b', 'c')))) < 100) FROM ($(sed 's/@/parts/g' <<<"$statement")) t")"
done
count() { PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM parts', 1e4) AS t(n bigint)"; }
all=$(count)
gone=$(sql "SELECT count(*) FROM parts_b_1")
PGUSER=olga sql "ALTER TABLE parts_b DETACH PARTITION parts_b_1" >/dev/null
check "a partition that left is not read" "$((all - gone))" "$(count)"
PGUSER=olga sql "ALTER TABLE parts_b ATTACH PARTITION parts_b_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1)" >/dev/null
check "and is again when it came back" "$all" "$(count)"

# Units -----------------------------------------------------------------------------------------------

# Whether rows of units are sampled, by what is in the plan.
is_sampled() { session <<<"SELECT scan_plans() \\g /dev/null
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM $1', .01, 1e-9) AS t(n bigint) \\g /dev/null
SELECT scan_plans() ~ 'Subquery Scan on layer'" | tail -n 1; }
units() {  # PARTITION BY, INDEX, then statements
  sql "SET client_min_messages = error; DROP TABLE IF EXISTS keyed; UPDATE dpmix.protected_table SET table_name = 'keyed_' || id WHERE table_name = 'keyed';
    SET ROLE olga; CREATE TABLE keyed (u int NOT NULL, x int) PARTITION BY $1; $2; SELECT dpmix.protect('keyed', 1e4, .1, privacy_unit => 'u')" >/dev/null
}
units "RANGE (u)" "CREATE TABLE keyed_1 PARTITION OF keyed FOR VALUES FROM (0) TO (10); CREATE UNIQUE INDEX keyed_u ON keyed (u)"
check "a unique index on a unit that is the key: a row each" f "$(is_sampled keyed)"
PGUSER=olga sql "CREATE TABLE keyed_2 PARTITION OF keyed FOR VALUES FROM (10) TO (20) PARTITION BY LIST (u); CREATE TABLE keyed_3 PARTITION OF keyed_2 DEFAULT" >/dev/null
check "with partitions that came later, nested" f "$(is_sampled keyed)"
PGUSER=olga sql "DROP INDEX keyed_u" >/dev/null
check "no index any more" t "$(is_sampled keyed)"
units "HASH (u)" "CREATE TABLE keyed_1 PARTITION OF keyed FOR VALUES WITH (MODULUS 1, REMAINDER 0); ALTER TABLE keyed ADD PRIMARY KEY (u)"
check "a primary key, by hash" f "$(is_sampled keyed)"
units "LIST (u)" "CREATE TABLE keyed_1 PARTITION OF keyed DEFAULT; CREATE UNIQUE INDEX keyed_u ON ONLY keyed (u)"
check "an index of the table alone holds for no partition" t "$(is_sampled keyed)"
PGUSER=olga sql "CREATE INDEX not_unique ON keyed_1 (u); CREATE UNIQUE INDEX keyed_1_x ON keyed_1 (x)" >/dev/null
check "nor with other indexes of the partition" t "$(is_sampled keyed)"
PGUSER=olga sql "CREATE UNIQUE INDEX keyed_1_u ON keyed_1 (u); ALTER INDEX keyed_u ATTACH PARTITION keyed_1_u" >/dev/null
check "with that of its partition it does" f "$(is_sampled keyed)"
units "LIST (u)" "CREATE TABLE keyed_1 PARTITION OF keyed DEFAULT; INSERT INTO keyed VALUES (1), (1); CREATE UNIQUE INDEX keyed_u ON ONLY keyed (u)"
PGUSER=olga sql "CREATE UNIQUE INDEX CONCURRENTLY keyed_1_u ON keyed_1 (u)" >/dev/null 2>&1 || true
PGUSER=olga sql "ALTER INDEX keyed_u ATTACH PARTITION keyed_1_u" >/dev/null
check "an index that could not be built holds for nothing" t "$(is_sampled keyed)"
units "LIST (x)" "CREATE TABLE keyed_1 PARTITION OF keyed FOR VALUES IN (1); CREATE TABLE keyed_2 PARTITION OF keyed DEFAULT; CREATE UNIQUE INDEX ON keyed_1 (u); CREATE UNIQUE INDEX ON keyed_2 (u); CREATE UNIQUE INDEX ON keyed (u, x)"
check "a unit may be in several partitions, once in each" t "$(is_sampled keyed)"
PGUSER=olga sql "INSERT INTO keyed SELECT i, x FROM generate_series(1, 100) i, generate_series(1, 2) x" >/dev/null
check "then one row of each counts" 100 "$(sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM keyed', 1e3) AS t(n bigint)")"
check_match "and a mixture, which cannot sample, is refused" PV002 "$(PGUSER=olga sql "SELECT dpmix.set_bounds('keyed', 'x', 0, 9)" >/dev/null; sql "SELECT * FROM dpmix.release_gmm('keyed', 'keyed', '{x}', 10, 1e-6, components => 2)")"

# What shows -----------------------------------------------------------------------------------------

partitions="relname ~ '^parts'"
counters="SELECT sum(seq_scan) AS scans, sum(seq_tup_read) AS rows, sum(heap_blks_hit + heap_blks_read) AS blocks FROM pg_stat_all_tables JOIN pg_statio_all_tables USING (relid, relname) WHERE $partitions"
xact="SELECT sum(pg_stat_get_xact_numscans(oid) + pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_blocks_fetched(oid)) FROM pg_class WHERE $partitions"
# moved ROLE WORKERS STATEMENT: whether counters of partitions move, in the transaction and after it.
moved() {
  PGUSER=$1 session <<SQL | tr '\n' ' '
SET client_min_messages = error;
SET max_parallel_workers_per_gather = $2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
$3 \\g /dev/null
SELECT pg_sleep(.1), pg_stat_force_next_flush() \\g /dev/null
CREATE TEMP TABLE before AS $counters;
BEGIN;
$3 \\g /dev/null
$xact;
COMMIT;
SELECT pg_sleep(.1), pg_stat_force_next_flush() \\g /dev/null
SELECT before = now FROM before, ($counters) AS now;
SQL
}
asked="SELECT * FROM dpmix.query('SELECT kind, dp_sum(wage) FROM parts WHERE age < 20 GROUP BY kind', .01) AS t(k text, s float8)"
for workers in 0 2; do
  check_match "a plain query shows in the counters of partitions, $workers workers" ' f $' "$(moved postgres $workers "SELECT kind, sum(wage) FROM parts WHERE age < 20 GROUP BY kind")"
  check "a private one does not, $workers workers" "0 t " "$(moved ana $workers "$asked")"
  check "nor does a synthetic table, $workers workers" "0 t " "$(moved ana $workers "SELECT * FROM dpmix.cda(NULL::parts, '{wage}', 10, 1, 1e-6, label => 'kind')")"
done
buffers() {  # role, workers, statement: what EXPLAIN says of it, once caches are warm
  PGUSER=$1 session <<SQL
SET max_parallel_workers_per_gather = $2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
$3 \\g /dev/null
$3 \\g /dev/null
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, COSTS OFF) $3;
SQL
}
plain_query="SELECT kind, sum(wage) FROM parts WHERE age < 20 GROUP BY kind"
for workers in 0 2; do
  before=$(buffers ana $workers "$asked") control=$(buffers postgres $workers "$plain_query")
  sql "BEGIN; ALTER TABLE parts ADD COLUMN wide text; UPDATE parts SET wide = repeat('x', 200) WHERE kind = 'a'; COMMIT" >/dev/null
  sql "ALTER TABLE parts DROP COLUMN wide" >/dev/null; sql "ANALYZE parts" >/dev/null
  check "EXPLAIN (ANALYZE, BUFFERS) does not see how much is read, $workers workers" "$before" "$(buffers ana $workers "$asked")"
  check "as it does of a plain query" t "$([ "$control" != "$(buffers postgres $workers "$plain_query")" ] && echo t)"
done

# Ways around ------------------------------------------------------------------------------------------

charged() { sql "SELECT count(*) FROM dpmix.charge"; }
before=$(charged)
for partition in parts_a parts_a_young parts_c parts_rest; do
  check_match "$partition itself has no budget" PV006 "$(PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM $partition', 1) AS t(n bigint)")"
  check_match "nor a mixture" PV006 "$(PGUSER=ana sql "SELECT * FROM dpmix.release_gmm('x', '$partition', '{wage}', 1, 1e-6, label => 'kind')")"
  check_match "nor is its row type a table to imitate" PV006 "$(PGUSER=ana sql "SELECT * FROM dpmix.cda(NULL::$partition, '{wage}', 10, 1, 1e-6, label => 'kind')")"
  check_match "nor read by itself" 42501 "$(PGUSER=ana sql "SELECT count(*) FROM $partition")"
  check_match "nor protected beside its table" PV005 "$(PGUSER=olga sql "SELECT dpmix.protect('$partition', 1, 1e-6)")"
done
check_match "a table and its partition are not joined" 'PV00[26]' "$(PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM parts JOIN parts_a USING (id)', 1) AS t(n bigint)")"
check_match "ONLY and system columns do not tell partitions apart" PV002 "$(PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM ONLY parts', 1) AS t(n bigint)")"
check_match "nor those" PV002 "$(PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM parts WHERE tableoid = ''parts_c''::regclass', 1) AS t(n bigint)")"
check "all free of charge" "$before" "$(charged)"
PGUSER=olga sql "CREATE TABLE moved (LIKE plain) PARTITION BY LIST (town); CREATE TABLE moved_all PARTITION OF moved DEFAULT; SELECT dpmix.protect('moved_all', 1, 1e-6)" >/dev/null
attach="ALTER TABLE parts ATTACH PARTITION moved FOR VALUES IN ('m')"
check_match "a tree with a protected partition is not attached" PV002 "$(PGUSER=olga sql "$attach")"
PGUSER=olga sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM moved_all', .1) AS t(n bigint)" >/dev/null
PGUSER=olga sql "SELECT dpmix.unprotect('moved_all')" >/dev/null
check_match "nor one with a partition that was charged" PV002 "$(PGUSER=olga sql "$attach")"
check_match "nor below it, further down" PV002 "$(PGUSER=olga sql "ALTER TABLE moved DETACH PARTITION moved_all; ALTER TABLE parts ATTACH PARTITION moved FOR VALUES IN ('m'); ALTER TABLE moved ATTACH PARTITION moved_all DEFAULT")"
