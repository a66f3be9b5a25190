#!/usr/bin/env bash
# The life of one call of dpmix.cda: where its rows go, what becomes of the transaction, what changes
# between planning and running, how it ends. Whatever happens, who was shown rows was charged once, and
# a call that is refused is not.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster
# Noise far below the bounds, so that what a call computed can be checked: 250 of each sex, wages
# 0, 2, .. 98 and 1, 3, .. 99.
exact="dpmix.cda(NULL::public.people, '{wage}', 100, 5000, 1e-6, label => 'sex', mix => 250, demix => 'none')"
right="count(*) = 100 AND count(*) FILTER (WHERE sex = 'F') = 50 AND count(wage) = 100 AND count(id) = 0
  AND abs(avg(wage) FILTER (WHERE sex = 'F') - 49) < 1 AND abs(avg(wage) FILTER (WHERE sex = 'M') - 50) < 1"

# Where the rows go.
costs "CREATE TABLE AS" 1 '^t $' <<<"CREATE TEMP TABLE s AS SELECT * FROM $exact; SELECT $right FROM s;"
costs "INSERT ... SELECT" 1 '^t $' <<<"CREATE TEMP TABLE s (id int, sex text, wage float8); INSERT INTO s SELECT * FROM $exact; SELECT $right FROM s;"
costs "COPY ... TO" 1 '^100 100 $' <<SQL
\\copy (SELECT sex, wage FROM $exact) TO '$CLUSTER/ana.copy'
CREATE TEMP TABLE s (sex text, wage float8);
\\copy s FROM '$CLUSTER/ana.copy'
SELECT count(*) FROM s; SELECT count(wage) FROM s;
SQL
costs "a cursor, FETCH in part, then the rest: the same rows" 1 '^100 t $' <<SQL
BEGIN; DECLARE c SCROLL CURSOR FOR SELECT wage FROM $exact;
CREATE TEMP TABLE seen (turn int, wage float8);
DO \$\$ DECLARE c refcursor := 'c'; v float8; BEGIN
  FOR turn IN 1..2 LOOP
    LOOP FETCH NEXT FROM c INTO v; EXIT WHEN NOT FOUND OR (turn = 1 AND (SELECT count(*) FROM seen) = 10); INSERT INTO seen VALUES (turn, v); END LOOP;
    MOVE ABSOLUTE 0 FROM c;
  END LOOP; END \$\$;
SELECT count(*) FROM seen WHERE turn = 2;
SELECT NOT EXISTS (SELECT FROM seen WHERE turn = 1 AND wage NOT IN (SELECT wage FROM seen WHERE turn = 2)); ROLLBACK;
SQL
costs "a whole row, its columns and a join" 1 '^100 $' <<<"SELECT count(*) FROM (SELECT s, s.sex FROM $exact AS s) AS t JOIN (VALUES ('F'), ('M')) AS v(sex) USING (sex);"
costs "in the select list" 1 '^t $' <<<"SELECT $right FROM (SELECT (s).* FROM (SELECT $exact AS s OFFSET 0) AS t) AS t;"
costs "EXPLAIN" 0 'Function Scan' <<<"EXPLAIN (VERBOSE, COSTS) SELECT * FROM $exact;"
costs "EXPLAIN ANALYZE" 1 'rows=100(.00)? loops=1' <<<"EXPLAIN ANALYZE SELECT * FROM $exact;"
costs "WITH NO DATA, LIMIT 0, WHERE false" 0 'done' <<<"CREATE TEMP TABLE s AS SELECT * FROM $exact WITH NO DATA; SELECT * FROM $exact LIMIT 0; SELECT * FROM $exact WHERE false; SELECT 'done';"

# What becomes of the transaction.
costs "CREATE TABLE AS in a transaction that is rolled back" 1 '^100 .*42P01' <<<"BEGIN; CREATE TABLE lost AS SELECT * FROM $exact; SELECT count(*) FROM lost; ROLLBACK; SELECT * FROM lost;"
costs "CREATE TABLE AS in a transaction that has failed" 0 '25P02' <<<"BEGIN; SELECT 1 / 0; CREATE TABLE lost AS SELECT * FROM $exact; COMMIT;"
costs "CREATE TABLE AS of a name in use, after the rows were made" 0 '42P07' <<<"CREATE TEMP TABLE s AS SELECT 1; CREATE TEMP TABLE s AS SELECT * FROM $exact;"
costs "a savepoint" 2 '^100 100 $' <<<"BEGIN; SAVEPOINT s; SELECT count(*) FROM $exact; ROLLBACK TO s; SELECT count(*) FROM $exact; ROLLBACK;"
costs "a constraint that refuses the rows" 1 '23514' <<<"CREATE TEMP TABLE s (id int, sex text, wage float8 CHECK (wage IS NULL)); INSERT INTO s SELECT * FROM $exact;"
costs "a warning does not become an answer without a charge" 1 'PX003' <<SQL
DO \$\$ BEGIN PERFORM count(*) FROM $exact; RAISE EXCEPTION 'end' USING ERRCODE = 'PX003'; END \$\$;
SQL

# Parallel plans.
parallel="SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
  SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode') \\g /dev/null"
PGUSER=olga sql "CREATE TABLE many AS SELECT i % 2 AS x FROM generate_series(1, 20000) i; ALTER TABLE many SET (parallel_workers = 2); ANALYZE many; GRANT SELECT ON many TO PUBLIC" >/dev/null
costs "beside a parallel plan" 1 '^1000000 $' <<<"$parallel
SELECT count(*) FROM many, $exact WHERE x = 1;"
costs "a wrapper that calls itself PARALLEL SAFE, in a worker" 0 '25000|XX000' <<SQL
$parallel
CREATE FUNCTION sharing(x int) RETURNS bigint PARALLEL SAFE VOLATILE COST 100000 LANGUAGE plpgsql AS \$\$ BEGIN RETURN (SELECT count(*) FROM $exact); END \$\$;
SET parallel_leader_participation = off;
SELECT sharing(x) FROM many WHERE x = 1;
SQL
costs "the scan in parallel, if PostgreSQL would: the same sums" 1 '^t $' <<<"$parallel
SELECT $right FROM $exact;"

# Who pays.
PGUSER=ana sql "CREATE FUNCTION shared() RETURNS SETOF people SECURITY DEFINER LANGUAGE sql AS \$\$ SELECT * FROM $exact \$\$;
  CREATE FUNCTION invoked() RETURNS SETOF people LANGUAGE plpgsql AS \$\$ BEGIN RETURN QUERY SELECT * FROM $exact; END \$\$;
  CREATE VIEW over AS SELECT * FROM $exact; GRANT SELECT ON over TO PUBLIC"
id=$(last_charge)
costs "a SECURITY DEFINER function" 1 '^100 $' mallory <<<"SELECT count(*) FROM shared();"
check "its definer pays" "ana by ana" "$(payers "$id")"
costs "an invoker's function, without access" 0 'PV006' mallory <<<"SELECT count(*) FROM invoked();"
costs "a view, without access" 0 'PV006' mallory <<<"SELECT count(*) FROM over;"
id=$(last_charge)
PGUSER=olga sql "SELECT dpmix.grant_access('people', 'bob')" >/dev/null
costs "a view, with access" 1 '^100 $' bob <<<"SELECT count(*) FROM over;"
check "its reader pays" "bob by bob" "$(payers "$id")"

# Between planning and running.
costs "20 executions of a prepared statement" 20 '^t $' <<SQL
SET plan_cache_mode = force_generic_plan; CREATE TEMP TABLE s (wage float8);
PREPARE p(int) AS INSERT INTO s SELECT avg(wage) FROM dpmix.cda(NULL::people, '{wage}', \$1, 10, 1e-6);
$(for _ in $(seq 20); do echo "EXECUTE p(10);"; done)
SELECT count(DISTINCT wage) > 10 FROM s;  -- on a lattice, where two may meet
SQL
as_olga() { echo "\\! psql -XqAt -U olga -c \"$1\""; }
costs "access revoked before it runs" 0 'PV006' bob <<SQL
PREPARE p AS SELECT count(*) FROM $exact;
$(as_olga "SELECT dpmix.revoke_access('people', 'bob')")
EXECUTE p;
SQL
PGUSER=olga sql "SELECT dpmix.grant_access('people', 'bob')" >/dev/null
PGUSER=ana sql "DROP VIEW over"
costs "a column added, its type changed, dropped" 4 '^1.3 1.4 1.4 1.3 $' <<SQL
PREPARE q AS SELECT 1 || '.' || (SELECT count(*) FROM jsonb_object_keys(j)) FROM (SELECT to_jsonb(s) AS j FROM $exact AS s LIMIT 1) AS t;
EXECUTE q;
$(as_olga "ALTER TABLE people ADD COLUMN note text")
EXECUTE q;
$(as_olga "ALTER TABLE people ALTER COLUMN id TYPE bigint")
EXECUTE q;
$(as_olga "ALTER TABLE people DROP COLUMN note")
EXECUTE q;
SQL
costs "a feature dropped" 0 '(PV005|42703)' <<SQL
$(as_olga "ALTER TABLE people ADD COLUMN gone float8; SELECT dpmix.set_bounds('people', 'gone', 0, 1)" | sed 's/"$/" >\/dev\/null/')
PREPARE p AS SELECT count(*) FROM dpmix.cda(NULL::people, '{wage,gone}', 10, 1, 1e-6, label => 'sex');
$(as_olga "ALTER TABLE people DROP COLUMN gone")
EXECUTE p;
SQL
# Its dead column stays: the rows' places still fit.
costs "beside dropped columns" 1 '^t $' <<<"SELECT $right FROM $exact;"

# Tables of other kinds.
PGUSER=olga sql "ALTER TABLE people ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON people USING (id < 10)" >/dev/null
costs "row-level security that does not bind the owner hides nothing" 1 '^t $' <<<"SELECT $right FROM $exact;"
PGUSER=olga sql "ALTER TABLE people FORCE ROW LEVEL SECURITY" >/dev/null
costs "forced upon the owner it is refused" 0 'PV002' <<<"SELECT $right FROM $exact;"
PGUSER=olga sql "ALTER TABLE people NO FORCE ROW LEVEL SECURITY; ALTER TABLE people DISABLE ROW LEVEL SECURITY" >/dev/null
PGUSER=olga sql "CREATE TABLE parted (LIKE people) PARTITION BY LIST (sex);
  CREATE TABLE parted_f (wage float8, sex text, dead int, id bigint NOT NULL); ALTER TABLE parted_f DROP COLUMN dead; ALTER TABLE parted ATTACH PARTITION parted_f FOR VALUES IN ('F');
  CREATE TABLE parted_m PARTITION OF parted DEFAULT; INSERT INTO parted SELECT * FROM people;
  CREATE TABLE parent (LIKE people); CREATE TABLE child (extra text DEFAULT 'x') INHERITS (parent);
  INSERT INTO parent SELECT * FROM people WHERE sex = 'F'; INSERT INTO child SELECT * FROM people WHERE sex = 'M'" >/dev/null
for table in parted parent; do
  PGUSER=olga sql "SELECT dpmix.protect('$table', 1e6, .1), dpmix.set_bounds('$table', 'wage', 0, 100), dpmix.set_categories('$table', 'sex', '{F,M}'),
    dpmix.grant_access('$table', 'ana')" >/dev/null
  costs "$table: the rows of all parts" 1 '^t $' <<<"SELECT $right FROM ${exact/public.people/$table};"
done
costs "a part of it is another table" 0 'PV006' <<<"SELECT * FROM ${exact/public.people/parted_f};"

# Wide rows in the least work_mem: one synthetic row a pass.
wide=120
PGUSER=olga sql "CREATE TABLE wide AS SELECT $(for j in $(seq $wide); do echo "(i % $((j + 1)))::float8 / $j AS c$j,"; done) i % 2 AS y FROM generate_series(1, 300) i;
  SELECT dpmix.protect('wide', 1e7, .1), dpmix.set_categories('wide', 'y', '{0,1}'), dpmix.grant_access('wide', 'ana');
  SELECT $(for j in $(seq $wide); do echo "dpmix.set_bounds('wide', 'c$j', 0, 1),"; done) 1" >/dev/null
names=$(for j in $(seq $wide); do printf 'c%d,' "$j"; done)
for demix in none per_class tied; do
  costs "$wide columns, work_mem 64 kB, demix $demix" 1 '^700 350 t t $' <<SQL
SET work_mem = '64kB';
SELECT count(*), count(*) FILTER (WHERE y = 1), abs(avg(c2) - (SELECT avg(i % 3) / 2. FROM generate_series(1, 300) i)) < .05 AS c2,
  bool_and(c$wide BETWEEN 0 AND 1) FROM dpmix.cda(NULL::wide, '{${names%,}}', 700, 1e5, 1e-6, label => 'y', mix => 100, demix => '$demix') \g (fieldsep=' ')
SQL
done

# Two at once, for the last that the budget has.
PGUSER=olga sql "CREATE TABLE scarce AS SELECT * FROM people; SELECT dpmix.protect('scarce', 10, 1e-4, accountant => 'basic'),
  dpmix.set_bounds('scarce', 'wage', 0, 100), dpmix.grant_access('scarce', 'ana'), dpmix.grant_access('scarce', 'bob')" >/dev/null
for turn in 1 2 3; do
  before=$(charges scarce)
  for user in ana bob ana bob; do
    PGUSER=$user sql "SELECT count(*) FROM dpmix.cda(NULL::scarce, '{wage}', 1000, 3, 1e-6)" >/dev/null &
  done
  wait
  case $turn in
    1) check "of four calls at once as many are charged as the budget holds" 3 $(($(charges scarce) - before)) ;;
    *) check "then none" 0 $(($(charges scarce) - before)) ;;
  esac
done

# Cancelled, timed out, killed: the charge stays, nothing is shown, nobody else is hurt.
long="SELECT count(*) FROM dpmix.cda(NULL::public.people, '{wage}', 1000000000, 1, 1e-6, label => 'sex', demix => 'none')"
costs "statement_timeout" 1 '57014.* 100 $' <<<"SET statement_timeout = '3s'; $long; SET statement_timeout = 0; SELECT 100;"
await_charge() {  # the number of charges before
  wait_until 20 charged_more "$1" || echo "not ok - no charge came"
}
charged_more() { [ "$(all_charges)" -gt "$1" ]; }
running() { sql "SELECT pid FROM pg_stat_activity WHERE usename = 'ana' AND query LIKE '%1000000000%'"; }
for how in "pg_cancel_backend 57014" "pg_terminate_backend 57P01"; do
  before=$(all_charges)
  PGUSER=ana session <<<"$long;" >"$CLUSTER/ended" 2>&1 &
  caller=$!
  await_charge "$before"
  sql "SELECT ${how% *}($(running))" >/dev/null
  wait "$caller" || true
  check_match "${how% *}" "${how#* }" "$(cat "$CLUSTER/ended")"
  check "${how% *}: the charge stays" $((before + 1)) "$(all_charges)"
done
before=$(all_charges)
PGUSER=ana session <<<"$long;" >"$CLUSTER/killed" 2>&1 &
caller=$!
await_charge "$before"
kill_hard "$(running)"
wait "$caller" || true
check "kill -9: the charge stays" $((before + 1)) "$(all_charges)"
check_match "and no row was shown" 'connection' "$(cat "$CLUSTER/killed")"
costs "after it, as before" 1 '^t $' <<<"SELECT $right FROM $exact;"
check "no temporary file is left" 0 "$(sql "SELECT count(*) FROM pg_ls_tmpdir()")"

# A synthetic table is a table: dumped and restored like any other, into a database without dpmix too.
sql "CREATE SCHEMA safe; GRANT ALL ON SCHEMA safe TO ana"
PGUSER=ana sql "CREATE TABLE safe.synthetic AS SELECT * FROM $exact; ALTER TABLE safe.synthetic ALTER COLUMN wage SET NOT NULL"
"$BIN/pg_dump" -n safe --no-owner --no-privileges postgres >"$CLUSTER/safe.sql"
sql "CREATE DATABASE elsewhere" >/dev/null
session elsewhere <"$CLUSTER/safe.sql" >/dev/null
digest="SELECT md5(string_agg(s::text, ';' ORDER BY s::text)) FROM safe.synthetic AS s"
check "a dump of the synthetic table has its rows" "$(sql "$digest")" "$(sql "$digest" elsewhere)"
check "and nothing else" 0 "$(grep -c 'dpmix\|public.people' "$CLUSTER/safe.sql" || true)"
