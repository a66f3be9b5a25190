#!/usr/bin/env bash
# A release of a tree broken at every stage, between its passes over the rows too: the charge stays, no model is left,
# the session is as it was, and nothing is lost of its memory. All passes see the rows of one moment. Processes that are
# killed take the server down, and the charge stays.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
faults_library
ledger_cluster "dpmix.ledger_idle_timeout = 1h" "shared_buffers = 2MB"
faults_folder

# Half of all gains are 0, and epsilon is so large that pairs are always looked at: four passes, of fine cells, of full
# ones, of columns and of pairs.
sql "CREATE TABLE t AS SELECT (i % 3)::text AS kind, i % 100 AS x, (i % 2 * (i % 1000))::float8 AS gain, i % 7 = 0 AS flag FROM generate_series(1, 3000) i;
     SELECT dpmix.protect('t', 1e7, 0.1, accountant => 'basic'), dpmix.set_bounds('t', 'x', 0, 100), dpmix.set_bounds('t', 'gain', 0, 1000), dpmix.set_categories('t', 'kind', '{0,1,2}')" >/dev/null
release() { echo "SELECT round(rows_estimated) FROM dpmix.release_tree('$1', 't', '{x,gain,flag}', ${2:-10000}, 1e-6, label => 'kind')"; }
outcome() { sql "SELECT (SELECT count(*) FROM dpmix.charge WHERE release = '$1') || ' charged, ' || (SELECT count(*) FROM dpmix.release WHERE name = '$1') || ' stored'"; }
state="SELECT current_user || current_setting('search_path') || current_setting('enable_indexscan') || current_setting('track_counts')"
usual=$(sql "$state")

check "unbroken: charged and stored" "1 charged, 1 stored" "$(sql "$(release whole)" >/dev/null; outcome whole)"
check "rolled back: charged" "1 charged, 0 stored" "$(session <<<"BEGIN; $(release undone); ROLLBACK;" >/dev/null; outcome undone)"
check "its name is free again" "2 charged, 1 stored" "$(sql "$(release undone)" >/dev/null; outcome undone)"
check "a name that is taken costs nothing" "1 charged, 1 stored" "$(sql "$(release whole)" >/dev/null || true; outcome whole)"
for place in tree.charged tree.pass1 tree.pass2 tree.pass3 tree.pass4 tree.stored; do
  arm "$place" error
  answer=$(session <<<"$(release "$place");
    $state; $(release "$place again");")
  # A model is stored by the caller's session; all else is done in a process of its own.
  expected="PV004: the release failed after it was charged"
  [ $place != tree.stored ] || expected="asked to fail at $place"
  check_match "$place: the caller learns that there was an error, and no more" "$expected" "$answer"
  check "$place: the session is as it was" "$usual" "$(sed -n '/public/p' <<<"$answer" | tail -n 1)"
  check "$place: the charge stays, and no model" "1 charged, 0 stored" "$(outcome "$place")"
  check "$place: the same session releases again" "1 charged, 1 stored" "$(outcome "$place again")"
  disarm
done
for event in cancel terminate; do
  for place in tree.charged tree.pass3 tree.stored; do
    arm $place wait
    PGAPPNAME=victim psql -X -q -A -t -v VERBOSITY=verbose -c "$(release "$place $event")" >"$CLUSTER/answer" 2>&1 & client=$!
    await_hit $place
    sql "SELECT pg_${event}_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
    wait $client || true
    check_match "$event at $place is obeyed" "57014|57P01" "$(cat "$CLUSTER/answer")"
    check "$event at $place: the charge stays, and no model" "1 charged, 0 stored" "$(outcome "$place $event")"
    disarm
  done
done
check "a broken release in a savepoint leaves the others" "1 charged, 1 stored" "$(arm tree.pass4 error
  session >/dev/null <<<"BEGIN; SAVEPOINT s; $(release broken); ROLLBACK TO s; $(release kept); COMMIT;"
  outcome kept)"
check "and its own charge" "1 charged, 0 stored" "$(outcome broken)"
disarm

# Rows that are committed between two passes are not there for the later ones.
for pass in 2 3 4; do
  arm tree.pass$pass wait
  sql "$(release "moment $pass" 1e6)" >"$CLUSTER/answer" & client=$!
  await_hit tree.pass$pass
  sql "INSERT INTO t SELECT '0', 1, 1 FROM generate_series(1, 5000)" >/dev/null
  let_go tree.pass$pass
  wait $client
  check "pass $pass sees the rows of the same moment" $((3000 + 5000 * (pass - 2))) "$(cat "$CLUSTER/answer")"
  disarm
done

# Killed: the server comes back, with the charge.
for place in tree.pass2 tree.stored; do
  arm $place wait
  psql -X -q -A -t -c "$(release "$place killed")" >"$CLUSTER/answer" 2>&1 & client=$!
  await_hit $place
  kill_hard "$(hit_pid $place)"
  wait $client || true
  check "killed at $place: the charge stays, and no model" "1 charged, 0 stored" "$(outcome "$place killed")"
  disarm
done
check "and the next release is as any other" "1 charged, 1 stored" "$(sql "$(release after)" >/dev/null; outcome after)"

# What C++ allocates goes with an error: bytes of the processes that are not shared, before and after a hundred broken
# releases of 20 columns.
sql "DO \$\$ BEGIN EXECUTE 'CREATE TABLE wide AS SELECT (i % 5)::text AS kind, ' || (SELECT string_agg(format('i %% %s AS x%s', j + 1, j), ', ') FROM generate_series(1, 20) j)
       || ' FROM generate_series(1, 1000) i';
     PERFORM dpmix.protect('wide', 1e7, 0.1), dpmix.set_categories('wide', 'kind', '{0,1,2,3,4}');
     PERFORM dpmix.set_bounds('wide', format('x%s', j)::name, 0, 300) FROM generate_series(1, 20) j; END \$\$" >/dev/null
columns=$(seq -s, -f 'x%g' 1 20)
check "passes of 20 columns" 20 "$(sql "SELECT columns FROM dpmix.release_tree('wide', 'wide', '{$columns}', 100, 1e-6, label => 'kind')")"
own_memory="SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+)')::bigint"
held="SELECT sum(substring(pg_read_file('/proc/' || pid || '/status') FROM 'RssAnon:\s+(\d+)')::bigint) FROM pg_stat_activity WHERE backend_type = 'dpmix release'"
break_many="DO \$\$ BEGIN FOR i IN 1..50 LOOP
  BEGIN PERFORM dpmix.release_tree('broken ' || i, 'wide', '{$columns}', 1, 1e-6, label => 'kind'); RAISE WARNING 'unbroken'; EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END \$\$"
for place in tree.pass3 tree.stored; do
  arm $place always error
  said=$(session <<<"$break_many; $own_memory AS early \\gset
    $held \\gset held_
    $break_many; $break_many; SELECT ($own_memory) - :early, ($held) - :held_sum;" | tail -n 1)
  check "a hundred releases broken at $place do not grow the session, nor the processes" yes "$(awk -F'|' '{ print (NF == 2 && $1 < 4000 && $2 < 16000) ? "yes" : $0 }' <<<"$said")"
  disarm
done
