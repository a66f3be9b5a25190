#!/usr/bin/env bash
# Links through a partitioned table: whose a row is, is said where an index keeps keys apart in each part, and the parts
# themselves, for every row that the snapshot shows; elsewhere the release is refused.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster
cluster_probe link_probe -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
sql "CREATE FUNCTION link_probe(regclass) RETURNS text LANGUAGE c STRICT AS '\$libdir/link_probe'; CREATE ROLE own LOGIN;
     GRANT CREATE ON SCHEMA public TO own" >/dev/null
export PGUSER=own
fails() { sql "$1" 2>&1 || true; }
opened() { fails "SELECT link_probe('lines')"; }
none="PV002: no unique index shows whose rows those of public.lines are"

sql "CREATE TABLE orders (o int, year int, c int, PRIMARY KEY (o, year)) PARTITION BY LIST (year);
     CREATE TABLE y20 PARTITION OF orders FOR VALUES IN (2020); CREATE TABLE y21 PARTITION OF orders FOR VALUES IN (2021)
       PARTITION BY HASH (o);
     CREATE TABLE y21a PARTITION OF y21 FOR VALUES WITH (MODULUS 1, REMAINDER 0);
     CREATE TABLE y22 (LIKE orders INCLUDING INDEXES);
     CREATE TABLE lines (o int, year int, x float8);
     INSERT INTO orders SELECT i, 2020 + i % 2, i % 20 FROM generate_series(1, 100) i;
     INSERT INTO orders VALUES (1, 2020, 7), (999, 2020, NULL);
     INSERT INTO lines SELECT o, year, 1 FROM orders, generate_series(1, 3); INSERT INTO lines VALUES (-1, 2020, 1), (2, 2021, 1);
     SELECT dpmix.create_population('shop', 1e6, 1e-3, 'basic');
     SELECT dpmix.protect('orders', population => 'shop', privacy_unit => 'c', max_rows_per_unit => 9);
     SELECT dpmix.protect('lines', population => 'shop', unit_through => 'orders', link => '{o,year}', max_rows_per_unit => 40);
     SELECT dpmix.set_bounds('lines', 'x', 0, 1)" >/dev/null 2>&1
chain="lines o=o,year=year orders.c"
check "the key is found, and followed" "$chain" "$(opened)"
check "rows are their people's, and no others count" "303" \
  "$(PGOPTIONS="-c client_min_messages=warning" sql "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM lines', 1e4, mechanism => 'laplace') AS t(n bigint)")"
check "check agrees" "units 20|rows without a unit 5" "$(PGOPTIONS="-c client_min_messages=warning" \
  sql "SELECT string_agg(finding || ' ' || exact_number, '|') FROM dpmix.check('lines') WHERE finding IN ('units', 'rows without a unit')")"
people="SELECT n FROM dpmix.query('SELECT dp_count(*) FROM (SELECT c FROM lines JOIN orders USING (o, year) GROUP BY c) AS s', 1e4,
  mechanism => 'laplace') AS t(n bigint)"
check "so do layers, where a key tells whose a row is" "20" "$(sql "$people")"

# Parts come and go.
check_match "a part of this transaction" "$none" \
  "$(fails "BEGIN; ALTER TABLE orders ATTACH PARTITION y22 FOR VALUES IN (2022); SELECT link_probe('lines'); COMMIT")"
check "an older one" "$chain" "$(opened)"
check_match "an old snapshot shows rows from before a part" "$none" "$(
  { echo "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;"
    echo "\\! psql -X -q -c 'ALTER TABLE orders DETACH PARTITION y22' -c 'ALTER TABLE orders ATTACH PARTITION y22 FOR VALUES IN (2022)' postgres 2>/dev/null"
    echo "SELECT link_probe('lines');"; } | psql -X -At -v VERBOSITY=verbose postgres 2>&1)"
check_match "rows that this transaction wrote in a part" "$none" \
  "$(fails "BEGIN; UPDATE y21a SET c = c WHERE o = 3; SELECT link_probe('lines')")"
check "and after all of it" "$chain" "$(opened)"

# Indexes.
sql "ALTER TABLE orders DROP CONSTRAINT orders_pkey; CREATE UNIQUE INDEX once ON ONLY orders (o, year)" >/dev/null
check_match "an index that parts lack shows nothing" "$none" "$(opened)"
sql "CREATE UNIQUE INDEX y20_once ON y20 (o, year); ALTER INDEX once ATTACH PARTITION y20_once" >/dev/null
check_match "nor one that some lack" "$none" "$(opened)"
sql "DROP INDEX once; CREATE UNIQUE INDEX once ON orders (year, o)" >/dev/null
check "one of all parts does, in any order of its columns" "$chain" "$(opened)"
sql "DROP INDEX once; CREATE INDEX once ON orders (o, year)" >/dev/null
check_match "and none that allows two" "$none" "$(opened)"
