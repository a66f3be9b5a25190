#!/usr/bin/env bash
# A release of a mixture broken at every stage, between its passes over the rows too: the charge stays,
# no model is left, the session is as it was, and nothing is lost of its memory. All passes see the rows
# of one moment.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
faults_library
ledger_cluster "fsync = on" "dpmix.ledger_idle_timeout = 1h" "shared_buffers = 2MB"
faults_folder

sql "CREATE FUNCTION make(name text, n int) RETURNS void LANGUAGE plpgsql AS \$\$ BEGIN
       EXECUTE format('CREATE TABLE %I AS SELECT (i %% 3)::text AS kind, i %% 100 AS x, i %% 37 AS y FROM generate_series(1, %s) i', name, n);
       PERFORM dpmix.protect(name::regclass, 1e7, 0.1), dpmix.set_bounds(name::regclass, 'x', 0, 100), dpmix.set_bounds(name::regclass, 'y', 0, 40),
               dpmix.set_categories(name::regclass, 'kind', '{0,1,2}'); END \$\$;
     SELECT make('t', 3000)" >/dev/null
release() { echo "SELECT row_counts FROM dpmix.release_gmm('$1', 't', '{x,y}', ${2:-1}, 1e-6, label => 'kind')"; }
outcome() { sql "SELECT (SELECT count(*) FROM dpmix.charge WHERE release = '$1') || ' charged, ' || (SELECT count(*) FROM dpmix.release WHERE name = '$1') || ' stored'"; }
state="SELECT current_user || current_setting('search_path') || current_setting('enable_indexscan') || current_setting('track_counts')"
usual=$(sql "$state")

check "unbroken: charged and stored" "1 charged, 1 stored" "$(sql "$(release whole)" >/dev/null; outcome whole)"
places="gmm.charged gmm.pass1 gmm.pass2 gmm.pass3 gmm.pass4 gmm.pass5 gmm.pass6 gmm.stored"
for place in $places; do
  arm "$place" error
  answer=$(session <<<"$(release "$place");
    $state; $(release "$place again");")
  # A model is stored by the caller's session; all else is done in a process of its own.
  expected="PV004: the release failed after it was charged"
  [ $place != gmm.stored ] || expected="asked to fail at $place"
  check_match "$place: the caller learns that there was an error, and no more" "$expected" "$answer"
  check "$place: the session is as it was" "$usual" "$(sed -n '/public/p' <<<"$answer" | tail -n 1)"
  check "$place: the charge stays, and no model" "1 charged, 0 stored" "$(outcome "$place")"
  check "$place: the same session releases again" "1 charged, 1 stored" "$(outcome "$place again")"
  disarm
done
for event in cancel terminate; do
  arm gmm.pass3 wait
  PGAPPNAME=victim psql -X -q -A -t -v VERBOSITY=verbose -c "$(release "$event")" >"$CLUSTER/answer" 2>&1 & client=$!
  await_hit gmm.pass3
  sql "SELECT pg_${event}_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
  wait $client || true
  check_match "$event in the third pass is obeyed" "57014|57P01" "$(cat "$CLUSTER/answer")"
  check "$event in the third pass: the charge stays, and no model" "1 charged, 0 stored" "$(outcome "$event")"
  disarm
done
check "a broken release in a savepoint leaves the others" "1 charged, 1 stored" "$(arm gmm.pass4 error
  session >/dev/null <<<"BEGIN; SAVEPOINT s; $(release broken); ROLLBACK TO s; $(release kept); COMMIT;"
  outcome kept)"
check "and its own charge" "1 charged, 0 stored" "$(outcome broken)"
disarm

# Rows that are committed between two passes are not there for the later ones.
arm gmm.pass3 wait
sql "SELECT ARRAY(SELECT round(n) FROM unnest(row_counts) n) FROM ($(release moment 1e6)) s" >"$CLUSTER/answer" & client=$!
await_hit gmm.pass3
sql "INSERT INTO t SELECT '0', 1, 1 FROM generate_series(1, 5000)" >/dev/null
let_go gmm.pass3
wait $client
check "all passes see the rows of one moment" "{1000,1000,1000}" "$(cat "$CLUSTER/answer")"
check "the next release sees those of its own" "{6000,1000,1000}" "$(sql "SELECT ARRAY(SELECT round(n) FROM unnest(row_counts) n) FROM ($(release later 1e6)) s")"
disarm

# What C++ allocates goes with an error: bytes of this process that are not shared, before and after
# a hundred broken releases of 20 features.
sql "DO \$\$ BEGIN EXECUTE 'CREATE TABLE wide AS SELECT (i % 5)::text AS kind, ' || (SELECT string_agg(format('i %% %s AS x%s', j + 1, j), ', ') FROM generate_series(1, 20) j)
       || ' FROM generate_series(1, 100) i';
     PERFORM dpmix.protect('wide', 1e7, 0.1), dpmix.set_categories('wide', 'kind', '{0,1,2,3,4}');
     PERFORM dpmix.set_bounds('wide', format('x%s', j)::name, 0, 25) FROM generate_series(1, 20) j; END \$\$" >/dev/null
features=$(seq -s, -f 'x%g' 1 20)
arm gmm.pass5 always error
grown=$(session <<SQL | tail -n 1
CREATE FUNCTION own_memory() RETURNS bigint LANGUAGE sql AS \$\$
  SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+)')::bigint \$\$;
CREATE FUNCTION break(times int) RETURNS void LANGUAGE plpgsql AS \$\$ BEGIN FOR i IN 1..times LOOP
  BEGIN PERFORM dpmix.release_gmm('broken ' || random(), 'wide', '{$features}', 1, 1e-6, 'kind'); RAISE 'not broken';
  EXCEPTION WHEN internal_error THEN NULL; END; END LOOP; END \$\$;
SELECT break(40);
SELECT own_memory() AS before \gset
SELECT break(100);
SELECT own_memory() - :before;
SQL
)
disarm
check "a hundred broken releases leave the process as large as it was ($grown kB)" t "$(sql "SELECT $grown < 2000")"

# Memory does not depend on the number of rows.
high_water() {  # rows: of a process that releases a mixture of them
  sql "SELECT make('rows$1', $1)" >/dev/null
  session <<SQL | tail -n 1
SET max_parallel_workers_per_gather = 0;
SELECT name FROM dpmix.release_gmm('rows$1', 'rows$1', '{x,y}', 1, 1e-6, 'kind');
SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s+(\d+)');
SQL
}
few=$(high_water 1000) many=$(high_water 400000)
# Held until it is charged, then let go and cancelled: it may have come to its end before, hence several turns.
for turn in 1 2 3 4 5 6; do
  arm gmm.pass1 wait
  PGAPPNAME=victim session >"$CLUSTER/answer" <<<"SELECT dpmix.release_gmm('slow $turn', 'rows400000', '{x,y}', 1, 1e-6, 'kind');
    $state;" & client=$!
  await_hit gmm.pass1
  let_go gmm.pass1
  sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
  wait $client || true
  disarm
  answer=$(cat "$CLUSTER/answer")
  ! grep -q 57014 <<<"$answer" || break
done
check_match "a cancel in the midst of a scan is obeyed" 57014 "$answer"
check "and leaves the session as it was" "$usual" "$(tail -n 1 <<<"$answer")"
check "and the charge, and no model" "1 charged, 0 stored" "$(outcome "slow $turn")"
check "a release of 400 000 rows needs no more memory than one of 1000 ($few, $many kB)" t "$(sql "SELECT $many - $few < 3000")"
