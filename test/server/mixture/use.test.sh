#!/usr/bin/env bash
# Stored mixtures in use: the catalog is read once per query, what other sessions drop or revoke is
# noticed by the next statement, pictures are XML in every encoding, types survive a dump.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
run() { psql -XqAt "${@:2}" -c "$1" 2>&1; }
setup="CREATE TABLE people AS SELECT i % 90 AS age, date '1990-01-01' + i % 3000 AS born, (i % 2)::text AS kind FROM generate_series(1, 10000) AS i;
  SELECT dpmix.protect('people', 100, 1e-4), dpmix.set_bounds('people', 'age', 0, 120), dpmix.set_bounds('people', 'born', date '1980-01-01', date '2010-01-01'),
         dpmix.set_categories('people', 'kind', '{0,1}')"
release() { echo "SELECT components FROM dpmix.release_gmm('$1', 'public.people', '{age,born}', 1, 1e-6, label => 'kind', covariance => 'full')"; }
run "CREATE EXTENSION dpmix"
count_plans
run "$setup" >/dev/null
run "$(release model)" >/dev/null
run "CREATE TABLE points AS SELECT i % 120 AS age, date '2000-01-01' + i AS born FROM generate_series(1, 20000) AS i"
run "CREATE ROLE ana; GRANT SELECT ON points TO ana; SELECT dpmix.grant_access('people', 'ana')" >/dev/null

for call in "classify('model', p)" "gmm_log_density('model', p)" "gmm_posterior('model', p)"; do
  check "$call reads the model once for 20000 rows" "0 20000 2 " "$(psql -XqAt -c "SELECT plans_over('dpmix.release')" -c "SELECT count(dpmix.$call) FROM points AS p" \
    -c "SELECT plans_over('dpmix.release')" | tr '\n' ' ')"
done

# One session as ana, told what to do line by line; what others commit in between.
open_session ana
for level in "READ COMMITTED" "REPEATABLE READ"; do
  tell "BEGIN ISOLATION LEVEL $level; PREPARE c AS SELECT dpmix.classify('model', p) IS NOT NULL FROM points AS p LIMIT 1;"
  check "$level: allowed" t "$(ask "EXECUTE c;")"
  run "SELECT dpmix.revoke_access('people', 'ana')" >/dev/null
  check "$level: a revoked right is noticed by the next statement" "ERROR:  PV006" "$(ask "EXECUTE c;")"
  tell "ROLLBACK; DEALLOCATE c;"
  run "SELECT dpmix.grant_access('people', 'ana')" >/dev/null
done
# Also where workers read it: they take no older view of it than the leader would.
tell "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off;"
tell "BEGIN ISOLATION LEVEL REPEATABLE READ;"
many="SELECT count(dpmix.classify('model', p)) FROM points AS p;"
check "in parallel workers: allowed" 20000 "$(ask "$many")"
run "SELECT dpmix.revoke_access('people', 'ana')" >/dev/null
check "in parallel workers: noticed too" "ERROR:  PV006" "$(ask "$many")"
tell "ROLLBACK;"
run "SELECT dpmix.grant_access('people', 'ana')" >/dev/null

# PL/pgSQL keeps a call's memory for a whole transaction.
ask "DO \$\$ DECLARE p points; BEGIN
  SELECT * FROM points LIMIT 1 INTO p;
  FOR i IN 1..200 LOOP
    PERFORM pg_sleep(0.05);
    IF dpmix.classify('model', p) IS NULL THEN RAISE 'null'; END IF;
    IF i = 1 THEN RAISE NOTICE 'begun'; END IF;
  END LOOP;
END \$\$;" >"$CLUSTER/begun"
run "SELECT dpmix.drop_release('model')" >/dev/null
answer=$(hear)
check "a dropped model is noticed by the next statement of a loop" "ERROR:  PV006" "$answer"
close_session

# Encodings: labels of characters that XML must not take as they are.
for encoding in UTF8 LATIN1 SQL_ASCII; do
  run "CREATE DATABASE in_$encoding ENCODING $encoding TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
  export PGDATABASE=in_$(echo "$encoding" | tr '[:upper:]' '[:lower:]') PGCLIENTENCODING=$encoding
  run "CREATE EXTENSION dpmix" >/dev/null
  run "$setup" >/dev/null
  e=$'\xe9'
  [ "$encoding" != UTF8 ] || e=é
  run "UPDATE people SET kind = '<$e>' || chr(1) WHERE kind = '1'; SELECT dpmix.set_categories('people', 'kind', ARRAY['0', '<$e>' || chr(1)])" >/dev/null
  run "$(release "m<$e>")" >/dev/null
  run "SELECT dpmix.draw('m<$e>', 'born')" >"$CLUSTER/picture.svg"
  check "$encoding: the picture is XML" "True True" "$(python3 -c "
import sys, xml.dom.minidom
names = [t.firstChild.data for t in xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName('text')]
print(any(n.startswith('<') and n.endswith('>\ufffd') for n in names), any(n.startswith('19') for n in names))" "$CLUSTER/picture.svg" 2>&1 | tail -n 1)"
done
export PGDATABASE=postgres PGCLIENTENCODING=UTF8

run "$(release kept)" >/dev/null
recorded="SELECT name, feature_types, adjacency, covariance, objective, dimensions, count_stddev > 1, quality IS NOT NULL FROM dpmix.releases"
before=$(run "$recorded")
run "CREATE DATABASE restored"
pg_dump -d postgres | psql -Xq -d restored >"$CLUSTER/restore.log" 2>&1
check "what was recorded of a model survives a dump" "$before" "$(run "$recorded" -d restored)"
check "and it is used as before" "t|t" "$(run "SELECT dpmix.gmm_log_density('kept', p) < 0, dpmix.classify('kept', p) IN ('0', '1') FROM (SELECT 40 AS age, date '2000-01-01' AS born) AS p" -d restored)"
check "which is not nothing" "kept|{integer,date}|add_remove|full|balanced|2|t|t" "$before"
