#!/usr/bin/env bash
# By hand, where PG_CONFIG names a server that has Citus: plain SQL on the coordinator, and what becomes of it on other
# nodes; shards that move while they are asked; a worker that dies in mid-scan. A minute.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/citus_lib.sh
citus_start 2 "shared_buffers = 128MB" "shared_preload_libraries = 'citus,dpmix'"
sql >/dev/null <<'SQL'
SET client_min_messages = warning;
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT ALL ON SCHEMA public TO keeper;
CREATE SCHEMA private AUTHORIZATION keeper;
CREATE TABLE patients (patient_id int PRIMARY KEY, sex text, age int);
CREATE TABLE visits (visit_no int, patient_id int, cost float8);
SELECT create_distributed_table('patients', 'patient_id', shard_count => 6), create_distributed_table('visits', 'patient_id', colocate_with => 'patients');
INSERT INTO patients SELECT i, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END, i % 90 FROM generate_series(1, 3000) i;
INSERT INTO visits SELECT i, (i * 7919) % 3000 + 1, i % 101 FROM generate_series(1, 9000) i;
ALTER TABLE patients OWNER TO keeper;
ALTER TABLE visits OWNER TO keeper;
SET ROLE keeper;
SELECT dpmix.create_population('clinic', 1e7, 1e-3);
SELECT dpmix.protect('patients', population => 'clinic', privacy_unit => 'patient_id'), dpmix.protect('visits', population => 'clinic', privacy_unit => 'patient_id', max_rows_per_unit => 5);
SELECT dpmix.set_categories('patients', 'sex', '{F,M}'), dpmix.set_bounds('visits', 'cost', 0, 101), dpmix.grant_access('patients', 'analyst'), dpmix.grant_access('visits', 'analyst');
SELECT dpmix.expose('patients', 'private.patients', default_epsilon => 1e4, default_delta => 1e-6), dpmix.expose('visits', 'private.visits', default_epsilon => 1e4, default_delta => 1e-6);
GRANT USAGE ON SCHEMA private TO analyst;
SQL
quiet() { as analyst "SET client_min_messages = error; $1"; }
charges() { sql -c 'SELECT count(*) FROM dpmix.charge'; }

# 1. Plain SQL ---------------------------------------------------------------------------------------------------
check "the first statement of a session is answered" $'F|1000\nM|2000' "$(quiet "SELECT sex, count(*) FROM private.patients WHERE sex IN ('F', 'M') GROUP BY sex ORDER BY sex")"
check "so is a join, with what PostgreSQL does above it" "M|6000|50" "$(quiet "SELECT sex, n, round(a::numeric) FROM (SELECT sex, count(*) AS n, avg(cost) AS a FROM private.patients JOIN private.visits USING (patient_id) WHERE sex IN ('F', 'M') GROUP BY sex) x WHERE n > 4000")"
check "rows are not" "" "$(quiet 'SELECT * FROM private.patients')"
before=$(charges)
plan=$(quiet "EXPLAIN (VERBOSE) SELECT sex, count(*) FROM private.patients GROUP BY sex")
has "EXPLAIN says where it is computed" "computed by Citus, in 6 tasks on 2 nodes" "$plan"
hasnt "it shows no plan of a shard, nor its text" "patients_1|Task|Citus Adaptive|Seq Scan" "$plan"
check "and charges nothing" "$before" "$(charges)"
plan=$(quiet "EXPLAIN (ANALYZE, VERBOSE) SELECT sex, count(*) FROM private.patients GROUP BY sex")
hasnt "nor does EXPLAIN ANALYZE show any" "patients_1|Task|Citus Adaptive|Seq Scan" "$plan"
hasnt "nor of the same as a call" "patients_1|Task|Citus Adaptive|Seq Scan" "$(quiet "EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM dpmix.query('SELECT sex, dp_count(*) FROM patients GROUP BY sex', 1) AS t(s text, n bigint)")"
for n in 1 2; do
  hasnt "node $n has no facade" "." "$(on_node $n -tA -c "SELECT relname FROM pg_class WHERE relnamespace = 'private'::regnamespace" 2>/dev/null)"
  has "nor makes one" PV006 "$(PGUSER=keeper on_node $n -v VERBOSITY=verbose -c "SELECT dpmix.expose('patients', 'private.own')" 2>&1)"
  has "nor answers" PV006 "$(PGUSER=analyst on_node $n -v VERBOSITY=verbose -c "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM patients', 1) AS t(n bigint)" 2>&1)"
  on_node $n -c 'SET citus.enable_ddl_propagation = off' -c "CREATE VIEW private.patients AS SELECT * FROM dpmix_internal.facade_guard(1) AS f(patient_id int, sex text)" \
    -c 'GRANT USAGE ON SCHEMA private TO analyst' -c 'GRANT SELECT ON private.patients TO analyst'
  has "one that is made by hand is none" "PV002" "$(PGUSER=analyst on_node $n -v VERBOSITY=verbose -c 'SELECT sex, count(*) FROM private.patients GROUP BY sex' 2>&1)"
done

# 2. What does not suit on the workers -------------------------------------------------------------------------------
found=$(sql -c 'SET client_min_messages = error' -c 'SELECT * FROM dpmix.check_cluster()')
check "both workers let analysts in, as this cluster is made" 2 "$(grep -c 'role analyst can log in' <<<"$found")"
hasnt "nothing else is found" "cannot log in|where the coordinator has|keeps record" "$found"
has "it is for superusers" "42501: only superusers" "$(as keeper 'SELECT * FROM dpmix.check_cluster()')"
has "and for the coordinator" "PV005: this server is the coordinator of no Citus cluster" "$(on_node 1 -v VERBOSITY=verbose -c 'SELECT * FROM dpmix.check_cluster()' 2>&1)"
hba() { as_server sed -i '/^host/d' "$CLUSTER/data$1/pg_hba.conf"; sed 's/scram-sha-256/trust/' | as_server tee -a "$CLUSTER/data$1/pg_hba.conf" >/dev/null; on_node "$1" -c 'SELECT pg_reload_conf()' >/dev/null; }
lines=$(grep -E '^host ' <<<"$found" | sort -u | sort -k2,2 -k5,5r)
for n in 1 2; do hba $n <<<"$lines"; done
sql -c "SELECT pg_sleep(.5)" >/dev/null
check "with the lines that it prints nothing is left" "" "$(sql -c 'SET client_min_messages = error' -c 'SELECT * FROM dpmix.check_cluster()')"
has "and questions are answered" "M|2000" "$(quiet "SELECT sex, count(*) FROM private.patients WHERE sex IN ('F', 'M') GROUP BY sex ORDER BY sex")"
has "an analyst is refused there" "pg_hba.conf rejects connection" "$(PGHOST=127.0.0.1 PGUSER=analyst psql -p $((PGPORT + 1)) -c 'SELECT 1' 2>&1 || true)"
hba 2 <<<"$(sed 's/keeper,//' <<<"$lines")"
on_node 1 -c "ALTER SYSTEM SET log_min_duration_statement = 0" -c 'SELECT pg_reload_conf()' >/dev/null
sql -c "SELECT pg_sleep(.5)" >/dev/null
found=$(sql -c 'SET client_min_messages = error' -c 'SELECT * FROM dpmix.check_cluster()')
has "an owner who is refused is found" "owner keeper cannot log in" "$found"
has "and what is written down" "keeps record of statements over shards: log_min_duration_statement = 0" "$found"
hba 2 <<<"$lines"
on_node 1 -c "ALTER SYSTEM RESET log_min_duration_statement" -c 'SELECT pg_reload_conf()' >/dev/null

# 3. Shards on the coordinator ---------------------------------------------------------------------------------------
counted() { quiet "SELECT n FROM dpmix.query('SELECT dp_count(*), dp_count(*) FILTER (WHERE age > 5) FROM patients', 1e4, 1e-6) AS t(n bigint, m bigint)"; }
shard=$(sql -c "SELECT min(shardid) FROM citus_shards WHERE table_name = 'patients'::regclass")
place() { sql -c "SELECT format('%L, %s', nodename, nodeport) FROM citus_shards WHERE shardid = $shard"; }
move() { sql -c 'SET client_min_messages = error' -c "SELECT citus_move_shard_placement($shard, $(place), '127.0.0.1', $1, 'block_writes')"; }
home=$(place)
sql -c "SELECT citus_set_node_property('127.0.0.1', $PGPORT, 'shouldhaveshards', true)" >/dev/null
move "$PGPORT" >/dev/null
before=$(charges)
has "a shard on the coordinator: refused" "PV0" "$(counted)"
check "and not charged" "$before" "$(charges)"
move "${home#*, }" >/dev/null
sql -c "SELECT citus_set_node_property('127.0.0.1', $PGPORT, 'shouldhaveshards', false)" >/dev/null
check "back on a worker it is answered" 3000 "$(counted)"

# 4. Shards that move while they are asked -----------------------------------------------------------------------------
for _ in $(seq 12); do counted; done >"$CLUSTER/answers" &
asking=$!
for _ in 1 2 3; do
  move $((PGPORT + 1)) >/dev/null 2>&1 || true
  move $((PGPORT + 2)) >/dev/null 2>&1 || true
done
wait $asking
check "each answer counts everybody once, or there is none" "" "$(grep -vE '^(2999|3000|3001)$|PV004|^DETAIL|^HINT|^LOCATION' "$CLUSTER/answers" || true)"
check_match "and there are some" '[1-9]' "$(grep -c 3000 "$CLUSTER/answers")"

# 5. A worker that dies in mid-scan ------------------------------------------------------------------------------------
table=$(on_node 2 -tA -c 'SET citus.override_table_visibility = off' -c "SELECT relname FROM pg_class WHERE relname ~ '^patients_1' AND relkind = 'r' LIMIT 1")
on_node 2 -c 'SET citus.override_table_visibility = off' -c 'SET citus.enable_manual_changes_to_shards = on' -c BEGIN -c "LOCK TABLE $table IN ACCESS EXCLUSIVE MODE" -c 'SELECT pg_sleep(60)' >/dev/null 2>&1 &
until [ "$(on_node 2 -tA -c "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND locktype = 'relation'")" -gt 0 ]; do sleep .1; done
before=$(charges)
counted >"$CLUSTER/answer" 2>&1 &
asking=$!
until [ "$(on_node 2 -tA -c 'SELECT count(*) FROM pg_locks WHERE NOT granted')" -gt 0 ]; do sleep .1; done
as_server "$BIN/pg_ctl" -D "$CLUSTER/data2" -m immediate stop >/dev/null
wait $asking || true
has "no answer" "PV004: the release failed after it was charged" "$(cat "$CLUSTER/answer")"
hasnt "and nothing of the node" "127.0.0.1|patients_1|terminat|connection" "$(cat "$CLUSTER/answer")"
check "the charge stands" $((before + 1)) "$(charges)"
has "nor is there one while it is down" "PV004" "$(counted)"
as_server "$BIN/pg_ctl" -D "$CLUSTER/data2" -l "$CLUSTER/log2" -w start >/dev/null
check "the next call works" 3000 "$(counted)"

# 6. In the order that Citus wants -------------------------------------------------------------------------------------
as_server "$BIN/pg_ctl" -D "$CLUSTER/data0" -m fast -w stop >/dev/null
echo "shared_preload_libraries = 'dpmix,citus'" >>"$CLUSTER/data0/postgresql.conf"
if as_server "$BIN/pg_ctl" -D "$CLUSTER/data0" -l "$CLUSTER/log0" -w -t 10 start >/dev/null 2>&1; then not_ok "dpmix first: the server starts"; else ok "dpmix first: no server"; fi
has "which says why" "Citus has to be loaded first" "$(tail -5 "$CLUSTER/log0")"
echo "shared_preload_libraries = 'citus'" >>"$CLUSTER/data0/postgresql.conf"
as_server "$BIN/pg_ctl" -D "$CLUSTER/data0" -l "$CLUSTER/log0" -w start >/dev/null
sql -c "ALTER DATABASE postgres SET session_preload_libraries = 'dpmix'"
check "loaded by each session it answers, too" 3000 "$(quiet 'SELECT count(*) FROM private.patients')"
exit $bad
