#!/usr/bin/env bash
# Stored tree models in use: the catalog is read once per query, what other sessions drop or revoke is noticed by the
# next statement, models survive a dump, long calls end when they are told to, and neither rows nor models pile up.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
run() { psql -XqAt "${@:2}" -c "$1" 2>&1; }
setup="CREATE TABLE people AS SELECT i % 90 AS age, date '1990-01-01' + i % 3000 AS born, (ARRAY[0, i % 100])[1 + i % 2]::float8 AS gain, i % 3 = 0 AS member, (i % 2)::text AS kind FROM generate_series(1, 10000) AS i;
  SELECT dpmix.protect('people', 1000, 1e-4), dpmix.set_bounds('people', 'age', 0, 120), dpmix.set_bounds('people', 'born', date '1980-01-01', date '2010-01-01'),
         dpmix.set_bounds('people', 'gain', 0, 100), dpmix.set_categories('people', 'kind', '{0,1}')"
release() { echo "SELECT columns FROM dpmix.release_tree('$1', 'public.people', '{age,born,gain,member}', 10, 1e-6, label => 'kind')"; }
run "CREATE EXTENSION dpmix"
count_plans
run "$setup" >/dev/null
run "$(release model)" >/dev/null
run "CREATE TABLE points AS SELECT age, born, gain, member FROM dpmix.sample('model', NULL::people, 20000);
  CREATE ROLE ana; GRANT SELECT ON points TO ana; SELECT dpmix.grant_access('people', 'ana')" >/dev/null

for function in classify tree_probability; do
  check "$function reads the model once for 20000 rows" "0 20000 2 " "$(psql -XqAt -c "SELECT plans_over('dpmix.release')" -c "SELECT count(dpmix.$function('model', p)) FROM points AS p" \
    -c "SELECT plans_over('dpmix.release')" | tr '\n' ' ')"
done

# One session as ana, told what to do line by line; what others commit in between.
open_session ana
for level in "READ COMMITTED" "REPEATABLE READ"; do
  tell "BEGIN ISOLATION LEVEL $level; PREPARE c AS SELECT dpmix.classify('model', p) IS NOT NULL FROM points AS p LIMIT 1;"
  check "$level: allowed, without a right to the table" t "$(ask "EXECUTE c;")"
  run "SELECT dpmix.revoke_access('people', 'ana')" >/dev/null
  check "$level: a revoked right is noticed by the next statement" "ERROR:  PV006" "$(ask "EXECUTE c;")"
  tell "ROLLBACK; DEALLOCATE c;"
  run "SELECT dpmix.grant_access('people', 'ana')" >/dev/null
done
for call in "tree_edges('model')" "draw('model')" "sample('model', NULL::points, 10)"; do
  run "SELECT dpmix.revoke_access('people', 'ana')" >/dev/null
  check "revoked: $call" "ERROR:  PV006" "$(ask "SELECT count(*) > 0 FROM dpmix.$call;")"
  run "SELECT dpmix.grant_access('people', 'ana')" >/dev/null
  check "granted: $call" t "$(ask "SELECT count(*) > 0 FROM dpmix.$call;")"
done
# PL/pgSQL keeps a call's memory for a whole transaction.
ask "DO \$\$ DECLARE p points; BEGIN
  SELECT * FROM points LIMIT 1 INTO p;
  FOR i IN 1..200 LOOP
    PERFORM pg_sleep(0.05);
    IF dpmix.classify('model', p) IS NULL THEN RAISE 'null'; END IF;
    IF i = 1 THEN RAISE NOTICE 'begun'; END IF;
  END LOOP;
END \$\$;" >"$CLUSTER/begun"
run "BEGIN; SELECT dpmix.drop_release('model'); $(release model); COMMIT" >/dev/null
run "SELECT dpmix.drop_release('model')" >/dev/null
answer=$(hear)
check "a dropped model is noticed by the next statement of a loop" "ERROR:  PV006" "$answer"
close_session

# Encodings: labels, categories and columns of characters that XML must not take as they are.
for encoding in UTF8 LATIN1 SQL_ASCII; do
  run "CREATE DATABASE in_$encoding ENCODING $encoding TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
  export PGDATABASE=in_$(echo "$encoding" | tr '[:upper:]' '[:lower:]') PGCLIENTENCODING=$encoding
  run "CREATE EXTENSION dpmix" >/dev/null
  run "$setup" >/dev/null
  e=$'\xe9'
  [ "$encoding" != UTF8 ] || e=é
  run "ALTER TABLE people RENAME member TO \"<$e>\"; ALTER TABLE people ADD word text; UPDATE people SET word = 'o<$e>' || chr(1);
    SELECT dpmix.set_categories('people', 'word', ARRAY['o<$e>' || chr(1), '$e']), dpmix.set_categories('people', '<$e>', '{true,false}')" >/dev/null
  run "SELECT columns FROM dpmix.release_tree('m<$e>', 'public.people', '{\"<$e>\",age,word}', 10, 1e-6, label => 'kind')" >/dev/null
  run "SELECT dpmix.draw('m<$e>')" >"$CLUSTER/picture.svg"
  check "$encoding: the picture is XML" "True" "$(python3 -c "
import sys, xml.dom.minidom
names = [t.firstChild.data for t in xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName('text')]
print(any(n.startswith('<') and n.endswith('>') for n in names))" "$CLUSTER/picture.svg" 2>&1 | tail -n 1)"
  check "$encoding: categories come back" "t|t" "$(run "SELECT count(word) > 900, bool_and(word IN ('o<$e>' || chr(1), '$e')) FROM dpmix.sample('m<$e>', NULL::people, 1000)")"
done
export PGDATABASE=postgres PGCLIENTENCODING=UTF8

# 100 columns, and classes; every name of 63 bytes.
run "DO \$\$ BEGIN EXECUTE 'CREATE TABLE wide AS SELECT i % 3 AS k, ' || (SELECT string_agg(format('(i * %s %% 101) AS %s', j, 'x' || lpad(j::text, 62, '_')), ', ') FROM generate_series(1, 100) j)
       || ' FROM generate_series(1, 2000) i';
     PERFORM dpmix.protect('wide', 1e7, 0.1), dpmix.set_categories('wide', 'k', '{0,1,2}');
     PERFORM dpmix.set_bounds('wide', ('x' || lpad(j::text, 62, '_'))::name, 0, 100) FROM generate_series(1, 100) j; END \$\$" >/dev/null
check "100 columns" "100|t" "$(run "SELECT columns, edges > 0 FROM dpmix.release_tree('wide', 'wide', ARRAY(SELECT 'x' || lpad(j::text, 62, '_') FROM generate_series(1, 100) j)::name[], 100, 1e-6, label => 'k')")"
check "as rows" "100|t" "$(run "SELECT count(*), bool_and(k IS NOT NULL) FROM dpmix.sample('wide', NULL::wide, 100) AS w")"

run "$(release kept)" >/dev/null
run "$(release kept2)" >/dev/null
recorded="SELECT name, kind, feature_types, adjacency, labels, count_stddev > 0, quality, rows_estimated FROM dpmix.releases WHERE name = 'kept'"
used="SELECT dpmix.draw('kept'), string_agg(e::text, ' ' ORDER BY e) FROM dpmix.tree_edges('kept') AS e;
  SELECT sum(dpmix.tree_probability('kept', p)) > 0, string_agg(DISTINCT dpmix.classify('kept', p), ' ') FROM (SELECT 40 AS age, date '1995-01-01' AS born, g::float8 AS gain, true AS member FROM generate_series(0, 9) g) AS p"
before=$(run "$recorded; $used")
run "CREATE DATABASE restored"
pg_dump -d postgres | psql -Xq -d restored >"$CLUSTER/restore.log" 2>&1
check "a model survives a dump" "$before" "$(run "$recorded; $used" -d restored)"
check_match "which is not nothing" "kept.tree.*integer,date,.double precision.,boolean.*<svg.*t.[01]" "$(tr '\n' ' ' <<<"$before")"
check "rows are drawn as before" "300|t|t" "$(run "SELECT count(*), bool_and(age BETWEEN 0 AND 120), count(gain) > 200 FROM dpmix.sample('kept', NULL::people, 300)" -d restored)"

# A cancel while rows are drawn and put: at once, and nothing is left.
many="SELECT count(*) FROM dpmix.sample('kept', NULL::people, 1000000000)"
draws() { [ "$(run "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'long' AND state = 'active'")" = 1 ]; }
for seconds in 0 0.1 0.5 2; do
  PGAPPNAME=long psql -XqAt -c "$many" >"$CLUSTER/answer" 2>&1 & client=$!
  wait_until 30 draws  # a cancel before it does reaches nothing
  sleep $seconds
  start=$(date +%s%N)
  run "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'long'" >/dev/null
  wait $client || true
  answered=$((($(date +%s%N) - start) / 1000000))
  check "drawing rows for $seconds s: cancelled" 1 "$(grep -c 'canceling statement due to user request' "$CLUSTER/answer")"
  check "drawing rows for $seconds s: at once, on a busy machine too" yes "$([ "$answered" -le 3000 ] && echo yes || echo "after $answered ms")"
done
check "and no temporary file is left" 0 "$(run "SELECT count(*) FROM pg_ls_tmpdir()")"

# One session: models and what draws from them do not pile up, whether calls end or are cut off.
memory="SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+)')::int AS"
contexts="SELECT sum(total_bytes) AS"
grown() {  # name kilobytes statement: repeated in one session, after it was there six times: heaps are at their size then
  local said
  said=$({ echo "SET client_min_messages = error;"; for _ in 1 2 3 4 5 6; do echo "$3"; done; echo "$memory early \\gset"; echo "$contexts early_contexts FROM pg_backend_memory_contexts \\gset"; for _ in 1 2 3; do echo "$3"; done
    echo "$memory late \\gset"; echo "$contexts late_contexts FROM pg_backend_memory_contexts \\gset"; echo "SELECT 'grown', :late - :early, :late_contexts - :early_contexts;"; } | psql -XqAt 2>&1 | grep '^grown' || true)
  check "$1: memory" yes "$([ -n "$said" ] && [ "$(cut -d '|' -f 2 <<<"$said")" -lt "$2" ] && echo yes || echo "$said")"
  check "$1: contexts, but for plans that are cached" yes "$([ -n "$said" ] && [ "$(cut -d '|' -f 3 <<<"$said")" -lt 500000 ] && echo yes || echo "$said")"
}
grown "half a million probabilities in queries" 4000 "DO \$\$ BEGIN FOR i IN 1..5 LOOP PERFORM count(dpmix.tree_probability('kept', p)) FROM points AS p; END LOOP; END \$\$;"
grown "thirty thousand at a time in PL/pgSQL" 4000 "DO \$\$ DECLARE p points; x float8; BEGIN SELECT * FROM points LIMIT 1 INTO p; FOR i IN 1..30000 LOOP x := dpmix.tree_probability('kept', p); END LOOP; END \$\$;"
grown "rows of two types by turns" 4000 "SELECT count(dpmix.classify('kept', CASE WHEN i % 2 = 0 THEN a::record ELSE b::record END)) FROM (SELECT * FROM points LIMIT 1) AS a, (SELECT 'x' AS x, * FROM points LIMIT 1) AS b, generate_series(1, 10000) AS i \\g /dev/null"
grown "each row with a model of its own" 8000 "SELECT count(dpmix.tree_probability(CASE WHEN i % 2 = 0 THEN 'kept' ELSE 'kept2' END, p)) FROM (SELECT * FROM points LIMIT 1) AS p, generate_series(1, 300) AS i \\g /dev/null"
# The model of 100 columns has 25 MB: one of the 75 that are made on the way may be there, not more.
grown "pictures" 40000 "SELECT count(dpmix.draw(CASE WHEN i % 2 = 0 THEN 'wide' ELSE 'kept' END)) FROM generate_series(1, 50) AS i \\g /dev/null"
grown "rows that are cut off" 20000 "SET statement_timeout = '300ms'; $many; RESET statement_timeout; SELECT count(*) FROM dpmix.sample('kept', NULL::people, 10000) \\g /dev/null"
