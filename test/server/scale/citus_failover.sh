#!/usr/bin/env bash
# By hand, where PG_CONFIG names a server that has Citus: the coordinator dies while it answers, and its synchronous
# standby takes its place; rows that come by logical replication from a server outside of the cluster. A minute.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/citus_lib.sh
citus_start 2 "shared_buffers = 64MB" "wal_level = logical" "fsync = on" "synchronous_commit = on"
sql >/dev/null <<'SQL'
SET client_min_messages = error;
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT ALL ON SCHEMA public TO keeper;
CREATE TABLE patients (patient_id int PRIMARY KEY, sex text, age int);
SELECT create_distributed_table('patients', 'patient_id', shard_count => 6);
INSERT INTO patients SELECT i, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END, i % 90 FROM generate_series(1, 3000) i;
ALTER TABLE patients OWNER TO keeper;
SET ROLE keeper;
SELECT dpmix.protect('patients', 1e7, 1e-3, privacy_unit => 'patient_id'), dpmix.set_categories('patients', 'sex', '{F,M}'), dpmix.grant_access('patients', 'analyst');
SQL
counted() { as analyst "SET client_min_messages = error; SELECT n FROM dpmix.query('SELECT dp_count(*) FROM patients', $1, 1e-6) AS t(n bigint)"; }
charges() { sql -c 'SELECT count(*) FROM dpmix.charge'; }

# 1. The coordinator's standby ---------------------------------------------------------------------------------------
standby=$((PGPORT + 3))
as_server "$BIN/pg_basebackup" -h "$CLUSTER/socket" -p "$PGPORT" -U postgres -D "$CLUSTER/data3" -c fast -R
echo "port = $standby" | as_server tee -a "$CLUSTER/data3/postgresql.conf" >/dev/null
as_server sed -i "s/user=postgres/application_name=standby user=postgres/" "$CLUSTER/data3/postgresql.auto.conf"
as_server "$BIN/pg_ctl" -D "$CLUSTER/data3" -l "$CLUSTER/log3" -w start >/dev/null
sql -c "ALTER SYSTEM SET synchronous_standby_names = 'standby'" -c 'SELECT pg_reload_conf()' >/dev/null
until [ "$(sql -c "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")" = 1 ]; do sleep .1; done
check "a question is answered" 3000 "$(counted 1e4)"
for ((i = 0; i < 40; i++)); do counted "$((1000 + i))" || break; done >"$CLUSTER/answers" 2>&1 &
asking=$!
until [ "$(grep -c 3000 "$CLUSTER/answers" 2>/dev/null || true)" -ge 5 ]; do sleep .05; done
kill -9 "$(head -1 "$CLUSTER/data0/postmaster.pid")"
wait $asking || true
answers=$(grep -c '^3000$' "$CLUSTER/answers")
export PGPORT=$standby
has "the standby charges nothing" PV004 "$(counted 1)"
as_server "$BIN/pg_ctl" -D "$CLUSTER/data3" -w promote >/dev/null
sql -c "ALTER SYSTEM SET synchronous_standby_names = ''" -c 'SELECT pg_reload_conf()' >/dev/null
node=$(sql -c 'SELECT nodeid FROM pg_dist_node WHERE groupid = 0')
sql -c "SELECT citus_update_node($node, '127.0.0.1', $standby)" >/dev/null
has "promoted, it does not charge by itself" "PV004: the ledger was made in another place" "$(counted 1)"
made=$(charges)
check "each answer that anybody has is charged there ($answers of $made)" t "$(sql -c "SELECT $made >= $answers + 1 AND count(*) FILTER (WHERE epsilon BETWEEN 1000 AND 1039) >= $answers FROM dpmix.charge")"
sql -c "SET client_min_messages = error" -c "SELECT dpmix.adopt_ledger('the first coordinator died; its standby was synchronous')" >/dev/null
check "adopted, it answers" 3000 "$(counted 1e4)"
check "and goes on with the record" $((made + 1)) "$(charges)"

# 2. Rows from elsewhere ---------------------------------------------------------------------------------------------
# A subscription writes into the table of this node, which has no rows where it is distributed: so it feeds another one,
# whose trigger sends each change on.
PGPORT=$((PGPORT + 1)) cluster_data "$CLUSTER/data4"
printf '%s\n' "listen_addresses = '127.0.0.1'" "port = $((standby + 1))" "unix_socket_directories = '$CLUSTER/socket'" "wal_level = logical" | as_server tee -a "$CLUSTER/data4/postgresql.conf" >/dev/null
as_server "$BIN/pg_ctl" -D "$CLUSTER/data4" -l "$CLUSTER/log4" -w start >/dev/null
there() { psql -qtA -p $((standby + 1)) "$@"; }
there -c 'CREATE TABLE visits (visit_no int PRIMARY KEY, patient_id int, cost float8)' -c 'INSERT INTO visits SELECT i, i % 3000 + 1, i % 100 FROM generate_series(1, 5000) i' -c 'CREATE PUBLICATION feed FOR TABLE visits'
sql >/dev/null <<SQL
SET client_min_messages = error;
CREATE TABLE visits_kept (visit_no int, patient_id int, cost float8, PRIMARY KEY (patient_id, visit_no));
SELECT create_distributed_table('visits_kept', 'patient_id', colocate_with => 'patients');
CREATE TABLE visits (visit_no int PRIMARY KEY, patient_id int, cost float8);
CREATE FUNCTION send_on() RETURNS trigger LANGUAGE plpgsql AS \$\$
BEGIN
  IF TG_OP <> 'INSERT' THEN DELETE FROM public.visits_kept WHERE patient_id = OLD.patient_id AND visit_no = OLD.visit_no; END IF;
  IF TG_OP <> 'DELETE' THEN INSERT INTO public.visits_kept VALUES (NEW.visit_no, NEW.patient_id, NEW.cost); RETURN NEW; END IF;
  RETURN OLD;
END \$\$;
CREATE TRIGGER send_on AFTER INSERT OR UPDATE OR DELETE ON visits FOR EACH ROW EXECUTE FUNCTION send_on();
ALTER TABLE visits ENABLE ALWAYS TRIGGER send_on;
CREATE SUBSCRIPTION feed CONNECTION 'host=127.0.0.1 port=$((standby + 1)) user=postgres dbname=postgres' PUBLICATION feed;
ALTER TABLE visits_kept OWNER TO keeper;
SET ROLE keeper;
SELECT dpmix.protect('visits_kept', 1e7, 1e-3, privacy_unit => 'patient_id', max_rows_per_unit => 5), dpmix.grant_access('visits_kept', 'analyst');
SQL
kept() { as analyst "SET client_min_messages = error; SELECT n FROM dpmix.query('SELECT dp_count(*) FROM visits_kept', 1e5, 1e-6) AS t(n bigint)"; }
arrived() { for ((i = 0; i < 200; i++)); do [ "$(sql -c 'SELECT count(*) FROM visits_kept')" != "$1" ] || return 0; sleep .1; done; return 1; }
arrived 5000 || not_ok "rows did not arrive"
check "rows of a server elsewhere are asked where they arrive" 5000 "$(kept)"
there -c 'DELETE FROM visits WHERE visit_no > 4000' -c 'UPDATE visits SET cost = cost + 1'
arrived 4000 || not_ok "changes did not arrive"
check "changes, too" 4000 "$(kept)"
exit $bad
