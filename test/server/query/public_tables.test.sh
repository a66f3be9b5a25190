#!/usr/bin/env bash
# Public tables: dumps and restores of their declarations, snapshots older than their indexes, plans whose
# tables change in between, and what their owner could try on the owner of a protected table.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
sql "CREATE ROLE own LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE eve LOGIN; GRANT CREATE, USAGE ON SCHEMA public TO own, eve" >/dev/null
sql "CREATE TABLE people (id int, city int); INSERT INTO people SELECT i, i % 5 FROM generate_series(1, 100) i; ALTER TABLE people OWNER TO own;
     CREATE TABLE city (id int PRIMARY KEY, name text); INSERT INTO city SELECT i, 'c' || i FROM generate_series(0, 4) i;
     SELECT dpmix.protect('people', 1e6, 0, accountant => 'basic'), dpmix.grant_access('people', 'ana'), dpmix.grant_access('people', 'eve'), dpmix.declare_public('city');
     GRANT SELECT ON city TO PUBLIC" >/dev/null
asked() { echo "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people p JOIN $1 c ON p.city = c.id', 1e4) AS t(n bigint)"; }
check "a public table is joined" 100 "$(PGUSER=ana sql "$(asked city)")"

# Dumps keep the declaration by name; it holds from adopt_ledger() on, as protection does.
"$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres
sql "CREATE DATABASE restored" >/dev/null; "$BIN/pg_restore" -d restored "$CLUSTER/dump"
check "restored: the declaration is there" city "$(sql "SELECT table_name FROM dpmix.public_table" restored)"
check_match "restored: not in force" PV004 "$(PGUSER=ana sql "$(asked city)" restored || true)"
sql "SELECT dpmix.adopt_ledger('restored')" restored >/dev/null
check "restored: in force after adoption" city "$(sql "SELECT relation FROM dpmix.public_tables" restored)"
check "restored: joined" 100 "$(PGUSER=ana sql "$(asked city)" restored)"
check_match "restored: identifiers are the new ones" t "$(sql "SELECT relation = 'city'::regclass FROM dpmix.public_table" restored)"
sql "CREATE DATABASE left_behind" >/dev/null
"$BIN/pg_dump" -T city postgres | psql -X -q -d left_behind >/dev/null 2>&1
sql "SELECT dpmix.adopt_ledger('without the city'); CREATE TABLE city (id int PRIMARY KEY); GRANT SELECT ON city TO PUBLIC" left_behind >/dev/null
check_match "a table made later under the name of one left behind is not public" PV006 "$(PGUSER=ana sql "$(asked city)" left_behind || true)"

# Eve's own table once had 50 rows for each city. A snapshot of that time shows them, under an index of today.
PGUSER=eve sql "CREATE TABLE many (id int, n int); INSERT INTO many SELECT i % 5, i FROM generate_series(0, 249) i; SELECT dpmix.declare_public('many')" >/dev/null
old_snapshot() {  # isolation-and-wait statements: what Eve's session sees
  { echo "BEGIN ISOLATION LEVEL REPEATABLE READ;"; echo "SELECT 'began';"
    echo "\\! touch $CLUSTER/socket/seen; while [ ! -e $CLUSTER/socket/made ]; do sleep .05; done"
    echo "SELECT count(*) FROM many;"; echo "$(asked many);"; } | PGUSER=eve session
}
old_snapshot >"$CLUSTER/old" & reader=$!
wait_until 10 test -e "$CLUSTER/socket/seen"
PGUSER=eve sql "DELETE FROM many WHERE n > 4; ALTER TABLE many ADD PRIMARY KEY (id)" >/dev/null
touch "$CLUSTER/socket/made"; wait $reader
check "an old snapshot still shows what was deleted" "began 250" "$(head -n 2 "$CLUSTER/old" | xargs)"
check_match "an index younger than the snapshot bounds nothing" "PV002.*could multiply" "$(sed -n 3p "$CLUSTER/old")"
check "and costs nothing" 0 "$(sql "SELECT count(*) FROM dpmix.charge WHERE role = 'eve'")"
check "a snapshot that sees the index is answered" 100 "$(PGUSER=eve sql "$(asked many)")"
# The same within one statement of READ COMMITTED, which keeps its snapshot while it waits.
rm -f "$CLUSTER"/socket/{seen,made}
PGUSER=eve sql "CREATE TABLE more (id int, n int); INSERT INTO more SELECT i % 5, i FROM generate_series(0, 249) i; SELECT dpmix.declare_public('more')" >/dev/null
{ echo 'SELECT pg_advisory_lock(7);'; echo "\\! while [ ! -e $CLUSTER/socket/made ]; do sleep .05; done"; } | session >/dev/null & holder=$!
wait_until 10 sh -c "[ \"\$(psql -X -A -t -c \"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted\")\" = 1 ]"
PGUSER=eve sql "SELECT t.n FROM (SELECT pg_advisory_lock(7)::text AS held OFFSET 0) w, LATERAL dpmix.query('SELECT dp_count(*) FROM people p JOIN more c ON p.city = c.id', 1e4 + length(held)) AS t(n bigint)" >"$CLUSTER/waited" & waiting=$!
wait_until 10 sh -c "[ \"\$(psql -X -A -t -c \"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted\")\" = 1 ]"
PGUSER=eve sql "DELETE FROM more WHERE n > 4; ALTER TABLE more ADD PRIMARY KEY (id)" >/dev/null
touch "$CLUSTER/socket/made"
wait $holder $waiting || true
check_match "nor one younger than a statement's" "PV002.*could multiply" "$(cat "$CLUSTER/waited")"

# What planning would run of Eve's runs neither with Ana's rights nor with those of the table's owner.
PGUSER=eve sql "CREATE FUNCTION trap() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM set_config(''debug_print_plan'', ''on'', false); PERFORM set_config(''client_min_messages'', ''log'', false); RETURN 1; END';
  CREATE TABLE bait (id int PRIMARY KEY, x int); INSERT INTO bait VALUES (1, 2); GRANT SELECT ON bait TO PUBLIC; SELECT dpmix.declare_public('bait');
  CREATE INDEX ON bait ((x + trap()))" >/dev/null
check_match "an index expression of another owner" "PV002.*calls function trap" "$(PGUSER=eve sql "$(asked bait)" || true)"
PGUSER=eve sql "DROP INDEX bait_expr_idx; CREATE STATISTICS bait_stat ON (x + trap()), id FROM bait" >/dev/null
check_match "a statistics object of another owner" "PV002.*calls function trap" "$(PGUSER=ana sql "$(asked bait)" || true)"
PGUSER=eve sql "DROP STATISTICS bait_stat; ALTER TABLE bait ADD CHECK (x > trap())" >/dev/null
check_match "a constraint of another owner is not looked at" "^-?[0-9]+$" "$(PGOPTIONS='-c constraint_exclusion=on' PGUSER=ana sql "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people p JOIN bait c ON p.city = c.id WHERE c.x = 2', 1) AS t(n bigint)" || true)"
check "the others were not charged" 1 "$(sql "SELECT count(*) FROM dpmix.charge WHERE parameters ->> 'query' LIKE '%bait%'")"
PGUSER=eve sql "CREATE TABLE offspring () INHERITS (many); INSERT INTO offspring SELECT i % 5, i FROM generate_series(1, 50) i" >/dev/null
check_match "children of a public table are not covered by its index" "PV002.*could multiply" "$(PGUSER=eve sql "$(asked many)" || true)"

# An old snapshot shows rows that others deleted beside the session's own of the same keys.
PGUSER=eve sql "CREATE TABLE doubled (id int PRIMARY KEY); INSERT INTO doubled SELECT generate_series(0, 50000); ANALYZE doubled; SELECT dpmix.declare_public('doubled')" >/dev/null
PGUSER=eve session >"$CLUSTER/doubled" <<SQL
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM doubled;
\! PGUSER=eve psql -X -q -d postgres -c 'DELETE FROM doubled WHERE id < 5'
INSERT INTO doubled SELECT generate_series(0, 4);
SELECT count(*) FROM doubled;
$(asked doubled);
SQL
check "own rows show beside those they replace" "50001 50006" "$(head -n 2 "$CLUSTER/doubled" | xargs)"
check_match "no index bounds a table that the session wrote" "PV002.*may have changed doubled" "$(sed -n 3p "$CLUSTER/doubled")"

# A primary key decides no other column of its row there: (id, city) are a hundred groups of one, which never come, not
# fifty of two.
sql "CREATE TABLE movers (id int PRIMARY KEY, city text); INSERT INTO movers SELECT i, 'old' FROM generate_series(1, 50) i; ALTER TABLE movers OWNER TO own" >/dev/null
PGUSER=own sql "SELECT dpmix.protect('movers', 1e6, .1, accountant => 'basic')" >/dev/null
PGUSER=own session >"$CLUSTER/movers" <<SQL
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM movers;
\! PGUSER=own psql -X -q -d postgres -c 'DELETE FROM movers'
INSERT INTO movers SELECT i, 'new' FROM generate_series(1, 50) i;
SELECT count(*) FROM movers;
SELECT count(*) FROM dpmix.query('SELECT id, city, dp_count(*) FROM movers GROUP BY id, city', 1e5, 1e-12, keys => 'discover') AS t(id int, city text, n bigint);
SQL
check_match "nor does a primary key stand for another group key: it is not asked" "^50 100 .*PV002: groups by id are of one row each" "$(xargs <"$CLUSTER/movers")"

# Plans take no index for unique: one of today on private columns would let one unit hide others.
sql "CREATE TABLE veiled (person int, x int); INSERT INTO veiled SELECT i + 1, i FROM generate_series(1, 100) i; INSERT INTO veiled SELECT 1, i FROM generate_series(1, 100) i;
     CREATE TABLE meets (y int); INSERT INTO meets SELECT generate_series(1, 50000); ANALYZE meets; GRANT SELECT ON meets TO PUBLIC;
     SELECT dpmix.protect('veiled', 1e6, 0, privacy_unit => 'person', max_rows_per_unit => 2, accountant => 'basic'), dpmix.grant_access('veiled', 'ana'), dpmix.declare_public('meets')" >/dev/null
PGUSER=ana session >"$CLUSTER/veiled" <<SQL
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM meets;
SET client_min_messages = warning;
\! PGUSER=postgres psql -X -q -d postgres -c 'DELETE FROM veiled WHERE person = 1' -c 'CREATE UNIQUE INDEX ON veiled (x)' -c 'ANALYZE veiled'
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM veiled p JOIN meets t ON t.y = p.x', 1e4) AS t(n bigint);
SQL
check "no unit hides another" "50000 102" "$(xargs <"$CLUSTER/veiled")"

# A foreign child would ask its server about private rows.
PGUSER=eve sql "CREATE TABLE near (id int PRIMARY KEY, x int); GRANT SELECT ON near TO PUBLIC; SELECT dpmix.declare_public('near')" >/dev/null
sql "CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw; GRANT USAGE ON FOREIGN SERVER far TO eve" >/dev/null
PGUSER=eve sql "CREATE FOREIGN TABLE afar () INHERITS (near) SERVER far" >/dev/null
check_match "a foreign child of a public table" "PV005.*cannot be declared public" "$(PGUSER=ana sql "$(asked near)" || true)"
# One that comes after its parent was opened, while the release waits for a child of the other table.
sql "CREATE TABLE open (id int); CREATE TABLE open_part () INHERITS (open); CREATE TABLE homes (id int);
     CREATE TABLE homes_part () INHERITS (homes); CREATE TABLE visits (id int); CREATE TABLE visits_part () INHERITS (visits);
     SELECT dpmix.declare_public('open'),
     dpmix.protect('homes', 1e6, 0, privacy_unit => 'id', max_rows_per_unit => 2, accountant => 'basic'),
     dpmix.protect('visits', 1e6, 0, privacy_unit => 'id', max_rows_per_unit => 2, accountant => 'basic')" >/dev/null
locked() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = '$1'::regclass AND mode = 'AccessExclusiveLock'")" = 1 ]; }
awaited() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = '$1'::regclass AND NOT granted")" = 1 ]; }
late_child() {  # parent, the other table
  { echo "BEGIN; LOCK $2_part;"; wait_until 20 awaited "$2_part"
    echo "CREATE FOREIGN TABLE late () INHERITS ($1) SERVER far; COMMIT;"; } | session &
  wait_until 20 locked "$2_part"
  sql "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM $1 JOIN $2 USING (id)', 1) AS t(n bigint)" || true
  wait $!
  sql "DROP FOREIGN TABLE late"
}
check_match "a late foreign child of a public table, which is held" "PV002: late is a foreign table" "$(late_child open homes)"
check_match "of a protected table that is read in place" "PV002: late is a foreign table" "$(late_child homes open)"
check_match "of a protected table that is held" "PV002: late is a foreign table" "$(late_child homes visits)"
check "none of them was charged" "0 0" "$(charges homes) $(charges visits)"

# Two budgets, raced for: neither is overspent, and each answer was charged to both.
sql "CREATE TABLE one (id int PRIMARY KEY); CREATE TABLE two (id int PRIMARY KEY); INSERT INTO one SELECT generate_series(1, 10); INSERT INTO two SELECT generate_series(1, 10);
     SELECT dpmix.protect('one', 30, 0, privacy_unit => 'id', accountant => 'basic'), dpmix.protect('two', 20, 0, privacy_unit => 'id', accountant => 'basic')" >/dev/null
echo "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM one JOIN two USING (id)', 1) AS t(n bigint);" >"$CLUSTER/both.sql"
for i in 1 2 3 4; do for j in $(seq 10); do cat "$CLUSTER/both.sql"; done | session >"$CLUSTER/race$i" & done; wait
answers=$(cat "$CLUSTER"/race? | grep -cE '^-?[0-9]+$')
check "as many answers as the smaller budget admits" 20 "$answers"
check "which is charged for each" 20 "$(charges two)"
check "the other for each, and for no more than lost a race" t "$(sql "SELECT $(charges one) BETWEEN 20 AND 23")"
check_match "who loses a race is told" "PV001: privacy budget of public.two" "$(cat "$CLUSTER"/race?)"
