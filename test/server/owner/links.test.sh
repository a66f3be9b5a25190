#!/usr/bin/env bash
# Links over time: a row never comes to belong to somebody else, or to itself, because a table or a column was renamed,
# dropped, swapped, restored or given another type; and what shows that a key is one is looked at each time.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
cluster_probe link_probe -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
probe="CREATE FUNCTION link_probe(regclass) RETURNS text LANGUAGE c STRICT AS '\$libdir/link_probe'"
sql "$probe; CREATE ROLE own LOGIN; CREATE ROLE ana LOGIN; GRANT CREATE ON SCHEMA public TO own" >/dev/null
export PGUSER=own
fails() { sql "$1" "${2:-postgres}" 2>&1 || true; }
opened() { fails "SELECT link_probe('$1')" "${2:-postgres}"; }
quietly() { PGOPTIONS="-c client_min_messages=warning" sql "$@"; }
finding() { quietly "SELECT coalesce(string_agg(exact_number || ' ' || warning, '|'), 'none')
  FROM dpmix.check('$1') WHERE finding = 'rows whose unit was not found'"; }

# A chain of two links, the second one by two columns.
orders="population => 'shop', privacy_unit => 'c', max_rows_per_unit => 9"
lines="population => 'shop', unit_through => 'orders', link => '{o}', target_key => '{o}', max_rows_per_unit => 40"
ships="population => 'shop', unit_through => 'lines', link => '{o,n}', max_rows_per_unit => 40"
build() {
  sql "CREATE TABLE orders (o int PRIMARY KEY, c int); CREATE TABLE lines (o bigint, n int, x float8, PRIMARY KEY (o, n));
       CREATE TABLE ships (o int, n int, day date);
       INSERT INTO orders SELECT i, i % 20 FROM generate_series(1, 100) i; INSERT INTO orders VALUES (999, NULL);
       INSERT INTO lines SELECT o, n, n FROM orders, generate_series(1, 3) n; INSERT INTO lines VALUES (-1, 1, 1);
       INSERT INTO ships SELECT o, n, '2020-01-01' FROM lines; INSERT INTO ships VALUES (NULL, 1, '2020-01-01')"
}
build >/dev/null
sql "SELECT dpmix.create_population('shop', 10, 1e-6, 'basic'); SELECT dpmix.protect('orders', $orders);
     SELECT dpmix.protect('lines', $lines); SELECT dpmix.protect('ships', $ships)" >/dev/null
chain="ships o=o,n=n lines o=o orders.c"
check "a chain of links is opened to its unit" "$chain" "$(opened ships)"
check "and from where it is kept" "$chain $chain" "$(sql "SELECT link_probe('ships') || ' ' || link_probe('ships')")"
check_match "no release of today opens it" "PV002: the rows of public.ships belong to people through public.lines" \
  "$(fails "SELECT charge_probe('ships', 1)")"
check_match "describe says how" "unit\|found through public.lines: o, n is its o, n; at most 40" \
  "$(sql "SELECT item, value FROM dpmix.describe('ships') WHERE section = 'protection'")"
check_match "so does the report" "any one person, found through <bdi>public.lines</bdi> here, in all of these tables" \
  "$(sql "SELECT dpmix.report('ships')")"
check "check counts units through the chain" "units 20|rows of a unit, most 15|rows without a unit 5" \
  "$(quietly "SELECT string_agg(finding || ' ' || exact_number, '|') FROM dpmix.check('ships')
          WHERE finding IN ('units', 'rows of a unit, most', 'rows without a unit')")"

# Who asks needs access to each of the tables.
sql "SELECT dpmix.grant_access('ships', 'ana'), dpmix.grant_access('lines', 'ana')" >/dev/null
check_match "access to the first tables is not enough" "PV006: table public.orders is not protected, or you have no access" \
  "$(PGUSER=ana opened ships)"
sql "SELECT dpmix.grant_access('orders', 'ana')" >/dev/null
check "with access to all it is" "$chain" "$(PGUSER=ana opened ships)"

# The key is looked at each time.
sql "ALTER TABLE orders DROP CONSTRAINT orders_pkey" >/dev/null
check_match "without the index: refused" "PV002: no unique index shows whose rows those of public.lines are" "$(opened ships)"
check_match "so says check" "^304 no unique index shows that a row of public.orders is meant" "$(finding lines)"
check_match "an index of this transaction is none" "PV002: no unique index" \
  "$(fails "BEGIN; CREATE UNIQUE INDEX again ON orders (o); SELECT link_probe('ships'); COMMIT")"
sql "CREATE UNIQUE INDEX again ON orders (o)" >/dev/null
check "an older one is" "$chain" "$(opened ships)"
check_match "rows that this transaction wrote may be beside others" "PV002: no unique index" \
  "$(fails "BEGIN; UPDATE orders SET c = c; SELECT link_probe('ships')")"
check_match "an old snapshot shows rows from before the index" "PV002: no unique index" "$(
  { echo "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;"
    echo "\\! psql -X -q -c 'DROP INDEX again' -c 'CREATE UNIQUE INDEX again ON orders (o)' postgres"
    echo "SELECT link_probe('ships');"; } | psql -X -At -v VERBOSITY=verbose postgres 2>&1)"
sql "DROP INDEX again; CREATE UNIQUE INDEX again ON orders (o) WHERE o > 0" >/dev/null 2>&1
check_match "a partial index shows nothing" "PV002: no unique index" "$(opened ships)"
sql "DROP INDEX again; ALTER TABLE orders ADD PRIMARY KEY (o); CREATE TABLE child () INHERITS (orders)" >/dev/null
check_match "nor does one where tables inherit" "PV002: no unique index" "$(opened ships)"
sql "DROP TABLE child" >/dev/null
check "and now it does again" "$chain" "$(opened ships)"

# Renames are followed; another table of the name is not.
sql "ALTER TABLE lines RENAME o TO order_id; ALTER TABLE orders RENAME o TO id; ALTER TABLE orders RENAME c TO customer" >/dev/null
check "columns may have other names" "ships o=order_id,n=n lines order_id=id orders.customer" "$(opened ships)"
check "also two that change names" "ships n=order_id,o=n lines order_id=id orders.customer" \
  "$(sql "ALTER TABLE ships RENAME o TO t; ALTER TABLE ships RENAME n TO o; ALTER TABLE ships RENAME t TO n" >/dev/null; opened ships)"
sql "ALTER TABLE ships RENAME o TO t; ALTER TABLE ships RENAME n TO o; ALTER TABLE ships RENAME t TO n;
     ALTER TABLE lines RENAME order_id TO o; ALTER TABLE orders RENAME id TO o; ALTER TABLE orders RENAME customer TO c" >/dev/null
check_match "a target that leaves its name is said" "NOTICE:.*table public.orders_old left its name" \
  "$(fails "ALTER TABLE orders RENAME TO orders_old")"
check_match "its links are vacant" "PV004: nobody knows any more whose rows those of public.lines are" "$(opened ships)"
check_match "which check says" "^304 They belong to units through public.orders, and no protected table has that name" "$(finding lines)"
check_match "and other releases are refused as well" "PV004: nobody knows" "$(fails "SELECT charge_probe('lines', 1)")"
sql "ALTER TABLE orders_old RENAME TO orders" >/dev/null
check "until it is back" "$chain" "$(opened ships)"
sql "ALTER TABLE orders RENAME TO purchases; SELECT dpmix.move_record('orders', 'purchases')" >/dev/null 2>&1
check "its record takes the links along" "ships o=o,n=n lines o=o purchases.c" "$(opened ships)"
sql "ALTER TABLE purchases RENAME TO orders; SELECT dpmix.move_record('purchases', 'orders')" >/dev/null 2>&1
check "and back" "$chain" "$(opened ships)"
PGUSER=postgres sql "ALTER SCHEMA public RENAME TO moved; ALTER SCHEMA moved RENAME TO public" >/dev/null 2>&1
check "a schema that changed its name and has it again" "$chain" "$(opened ships)"

swap="CREATE TABLE orders_new (o int PRIMARY KEY, c int); INSERT INTO orders_new SELECT o, c + 1 FROM orders;
  ALTER TABLE orders RENAME TO orders_old; ALTER TABLE orders_new RENAME TO orders"
sql "$swap" >/dev/null 2>&1
check "another table of the name: the links lead to it" "$chain" "$(opened ships)"
check "check finds every unit" none "$(finding lines)"
sql "BEGIN; $(sed 's/orders_old/orders_older/' <<<"$swap"); ROLLBACK" >/dev/null 2>&1
check "a swap that is undone" "$chain" "$(opened ships)"
other_key="CREATE TABLE orders_new (o text PRIMARY KEY, c int); ALTER TABLE orders RENAME TO orders_older; ALTER TABLE orders_new RENAME TO orders"
check_match "a key of another type is not attached" "Column \"o\" was integer and is text" "$(fails "$other_key")"
check_match "the links are vacant" "PV004: nobody knows" "$(opened ships)"
check_match "which check says" "^304 They belong to units through public.orders, and no protected table has that name" "$(finding lines)"
check_match "protected by hand it is not what the links led to" "PV004: nobody knows" \
  "$(sql "SELECT dpmix.protect('orders', $orders)" >/dev/null 2>&1; opened ships)"
check_match "check says what happened" "^304 They belonged to units through a table public.orders; it is another table now" "$(finding lines)"
sql "SELECT dpmix.unprotect('orders'); ALTER TABLE orders RENAME TO orders_text; ALTER TABLE orders_older RENAME TO orders; SELECT dpmix.protect('orders', $orders)" >/dev/null 2>&1
check "the table that they led to" "$chain" "$(opened ships)"
sql "CREATE TABLE lines_new (LIKE lines INCLUDING ALL); INSERT INTO lines_new TABLE lines; ALTER TABLE lines RENAME TO lines_old; ALTER TABLE lines_new RENAME TO lines; DROP TABLE lines_old" >/dev/null 2>&1
check "a table in the middle is swapped, with its link and those to it" "$chain" "$(opened ships)"

# Drops.
sql "ALTER TABLE orders DROP COLUMN o CASCADE; ALTER TABLE orders ADD o serial PRIMARY KEY" >/dev/null
check_match "a column of the same name is another column" "PV004: nobody knows.*" "$(opened ships)"
check_match "check knows" "^304 A column of their link through public.orders is gone" "$(finding lines)"
sql "DROP TABLE orders" >/dev/null 2>&1
check_match "dropped, it leads nowhere" "PV004: nobody knows.*" "$(opened ships)"
sql "ALTER TABLE orders_old RENAME TO orders" >/dev/null 2>&1
check "the table before it takes the name" "$chain" "$(opened ships)"
sql "ALTER TABLE ships ALTER o TYPE numeric" >/dev/null
check_match "another type cannot be compared" "PV005: \(o\) of public.ships cannot name a row of public.lines" "$(opened ships)"
sql "ALTER TABLE ships ALTER o TYPE int8" >/dev/null
check "whole numbers can" "$chain" "$(opened ships)"
sql "SELECT dpmix.unprotect('orders')" >/dev/null
check_match "an unprotected target leads nowhere" "PV004: nobody knows.*" "$(opened ships)"
sql "SELECT dpmix.protect('orders', $orders)" >/dev/null
check "protected again it leads on" "$chain" "$(opened ships)"

# A target that is dropped meanwhile; and the other way round.
sql "CREATE TABLE going (id int PRIMARY KEY, c int); CREATE TABLE late (id int);
     SELECT dpmix.protect('going', population => 'shop', privacy_unit => 'c', max_rows_per_unit => 2)" >/dev/null
psql -Xq -d postgres -c "BEGIN; DROP TABLE going; SELECT pg_sleep(3); COMMIT" >/dev/null 2>&1 &
locked() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = 'going'::regclass AND mode = 'AccessExclusiveLock' AND granted")" = 1 ]; }
wait_until 20 locked
late="population => 'shop', unit_through => 'going', link => '{id}'"
check_match "a target that was dropped while a link waited for it" "PV005: table [0-9]+ is not in population" \
  "$(fails "SELECT dpmix.protect('late', $late)")"
wait
sql "CREATE TABLE going (id int PRIMARY KEY, c int);
     SELECT dpmix.protect('going', population => 'shop', privacy_unit => 'c', max_rows_per_unit => 2)" >/dev/null
psql -Xq -d postgres -c "BEGIN; SELECT dpmix.protect('late', $late); SELECT pg_sleep(3); COMMIT" >/dev/null 2>&1 &
declared() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = 'going'::regclass AND mode = 'AccessShareLock' AND granted
  AND pid <> pg_backend_pid()")" -gt 0 ]; }
wait_until 20 declared
check_match "a drop waits for a link, and says whose rows are unknown now" "WARNING.*whose rows those of public.late are" \
  "$(fails "DROP TABLE going")"
wait
check_match "they are refused" "PV004: nobody knows" "$(opened late)"

# Once the population was charged.
sql "SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM orders', .5) AS t(n bigint)" >/dev/null
sql "SELECT dpmix.unprotect('ships')" >/dev/null
check_match "links are fixed" "PV005: unit_through, link and target_key of public.ships cannot change any more" \
  "$(fails "SELECT dpmix.protect('ships', population => 'shop', privacy_unit => 'o')")"
check_match "so is their lack" "PV005: unit_through, link and target_key of public.orders cannot change any more" \
  "$(fails "SELECT dpmix.unprotect('orders'); SELECT dpmix.protect('orders', population => 'shop', unit_through => 'lines',
     link => '{o,c}')")"
check "the same link resumes" "$chain" "$(sql "SELECT dpmix.protect('ships', $ships)" >/dev/null 2>&1; opened ships)"
sql "DROP TABLE ships; CREATE TABLE ships (o int, n int, day date)" >/dev/null
check_match "a table of the name is not of another unit" "PV005: unit_through, link and target_key" \
  "$(fails "SELECT dpmix.protect('ships', population => 'shop', privacy_unit => 'n')")"
sql "SELECT dpmix.protect('ships', $ships)" >/dev/null 2>&1

# Dumps: identifiers are others, links are the same; and what was vacant stays so.
export PGUSER=postgres
restore() {  # database: restored and adopted
  "$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres
  sql "CREATE DATABASE $1" >/dev/null
  sql "CREATE TABLE shift_oids AS SELECT 1" "$1" >/dev/null
  "$BIN/pg_restore" -d "$1" "$CLUSTER/dump" 2>"$CLUSTER/errors" || cat "$CLUSTER/errors"
}
restore copy
check_match "restored, it is frozen" "PV004" "$(opened ships copy)"
sql "SELECT dpmix.adopt_ledger('restored')" copy >/dev/null 2>&1
check "adopted, it has its links" "$chain" "$(opened ships copy)"
sql "ALTER TABLE orders RENAME o TO id" copy >/dev/null
check "which are followed there" "ships o=o,n=n lines o=id orders.c" "$(opened ships copy)"
PGUSER=own sql "$other_key; SELECT dpmix.protect('orders', $orders)" >/dev/null 2>&1
check_match "swapped for a table with another key" "PV004: nobody knows.*" "$(opened ships)"
restore later
sql "SELECT dpmix.adopt_ledger('restored')" later >/dev/null 2>&1
check_match "a vacant link is not filled by a restore" "PV004: nobody knows.*" "$(opened ships later)"
