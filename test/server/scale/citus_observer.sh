#!/usr/bin/env bash
# By hand, where PG_CONFIG names a server that has Citus: the observer of silence/observer.test.sh before the
# coordinator of a cluster. The worlds have the same coordinator, to the byte, and workers whose rows differ in private
# values: whatever the coordinator shows of a release must be the same. What the workers show, to those whom they let
# in, is listed. A quarter of an hour. OBSERVED="layers.ana.warm.plain": these kinds. RECORD=FOLDER keeps the workers'
# logs.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/citus_lib.sh
. test/server/silence/lib.sh
here=test/server/silence
. $here/kinds.sh
. $here/observing.sh

# The observer's probes of single pages, EXPLAIN within a function, are not taken beside Citus: watch.list leaves them
# out. What is in shared buffers is read as a whole.
release=() leak=([counters]='view.*longs.*seq_tup_read' [contents]='contents.*(longs|pg_toast).*buffers'
  [lock]='during.*advisory.* 4242' [file]='pg_stat_database.*temp_bytes' [message]='said.*found in the open')
leak_is_there() { true; }
widest=$((1 << 20)) limits=10  # of some hundred MB that medians may need
release[control]="SELECT watch.leaky_cluster()"
release[groups]="SELECT FROM dpmix.query(\$\$ SELECT region, dp_count(*), dp_sum(wage), dp_histogram(wage, '{0,20,50,100}') FROM people WHERE ill GROUP BY region \$\$, .01) AS t(region text, n bigint, wage float8, h bigint[])"
release[weighed]="SELECT FROM dpmix.query(\$\$ SELECT region, dp_count(*), dp_sum(wage), dp_stddev(wage) FROM visits WHERE ill GROUP BY region \$\$, .01) AS t(region text, n bigint, wage float8, d float8)"
release[picked]="SELECT FROM dpmix.query(\$\$ SELECT region, dp_median(wage), dp_count(*), dp_histogram(wage, '{0,20,50,100}') FROM visits WHERE ill GROUP BY region \$\$, .01) AS t(region text, m float8, n bigint, h bigint[])"
release[found]="SELECT FROM dpmix.query('SELECT wage, dp_count(*) FROM visits WHERE ill GROUP BY wage', .001, 1e-9, keys => 'discover') AS t(wage float8, n bigint)"
release[joined]="SELECT FROM dpmix.query(\$\$ SELECT zone, dp_count(*) FROM people AS p JOIN zones USING (k) JOIN visits AS v ON v.person = p.id WHERE v.ill AND v.region = 'r0' AND zone IN ('z0', 'z1', 'z2', 'z3') GROUP BY zone \$\$, .01) AS t(zone text, n bigint)"
release[median]=$(ask "dp_median(wage) FROM people WHERE $among" "" float8)
release[medians]="SELECT FROM dpmix.query(\$\$ SELECT region, k, dp_median(wage) FROM people WHERE ill AND k IN (0, 1, 2, 3, 4, 5, 6, 7) GROUP BY region, k \$\$, .01) AS t(region text, k int, n float8)"
release[distinct]=$(ask "dp_count_distinct(region) FROM people WHERE $among")
release[discovered]="SELECT FROM dpmix.query('SELECT wage, dp_count(*) FROM people GROUP BY wage', .001, 1e-9, keys => 'discover') AS t(wage float8, n bigint)"
release[layers]=$(among_few "dp_sum(n) FROM (SELECT person, count(*) AS n FROM $numbered AS s WHERE k <= 2 GROUP BY person
  HAVING count(DISTINCT place) > 0 AND max(wage) >= min(wage)) AS x
  WHERE EXISTS (SELECT FROM buys AS b WHERE b.person = x.person AND b.ill)" float8)
# With so little epsilon what is released, and kept, does not differ with the world: models' words on their quality
# would, and so would the bytes of the log that they take.
release[gmm]="SELECT FROM dpmix.release_gmm('m' || txid_current(), 'public.people', '{wage}', .0001, 1e-6, components => 2, method => 'em')"
release[tree]="SELECT FROM dpmix.release_tree('t' || txid_current(), 'public.visits', '{region,wage}', .0001, 1e-6, bins => 'equal')"
release[regression]="SELECT FROM dpmix.release_regression('r' || txid_current(), 'public.visits', 'wage', '{region}', .0001, 1e-6)"
release[logistic]="SELECT FROM dpmix.release_regression('o' || txid_current(), 'public.people', 'ill', '{wage,region}', .0001, 1e-6, 'logistic')"
release[cube]="SELECT FROM dpmix.release_cube('c' || txid_current(), 'public.people', '{region,sex}', '{count,avg(wage)}', .0001, 1e-6)"
release[survival]="SELECT FROM dpmix.release_survival('l' || txid_current(), 'public.people', 'wage', 'sex', .0001, 1e-6, bins => 10, censored => 'F')"
release[copula]="SELECT count(wage) FROM dpmix.synthesize(NULL::people, 1000, .0001, 1e-6, columns => '{wage}', label => 'sex', method => 'copula')"
release[compared]="SELECT count(*) FROM dpmix.compare_private('people', 'synthetic', .0001, 1e-6, 'sex')"
release[json]="SELECT count(*) FROM dpmix.query_json(\$\$ SELECT region, dp_count(*) AS n, dp_avg(wage) AS wage FROM people WHERE ill GROUP BY region \$\$, .01)"
release[facade]="SELECT region, count(*) FROM private.people WHERE ill GROUP BY region"
release[explained]="EXPLAIN (ANALYZE, VERBOSE, COSTS, TIMING OFF, SUMMARY OFF) SELECT region, count(*) FROM private.people WHERE ill GROUP BY region"
kinds=({groups,weighed,picked,joined,layers,gmm}.ana.empty.plain weighed.mona.warm.plain tree.sam.empty.plain weighed.ana.warm.debug
  {medians,discovered,found,regression,logistic,cube,survival,copula,compared,facade,explained}.ana.warm.plain {weighed,medians,gmm}.ana.limits.plain)
if [ -n "${DPMIX_SOAK:-}" ]; then
  kinds=()
  for asked in "${!release[@]}"; do [ "$asked" = control ] || kinds+=("$asked".{ana.empty,ana.warm,mona.warm,sam.empty,ana.limits}.plain "$asked".ana.warm.debug); done
fi
kinds=($(printf '%s\n' ${OBSERVED:-${kinds[@]} control.ana.empty.plain} | sort -s -t . -k 4))

stop_nodes() { local n; for n in 0 1 2; do as_server "$BIN/pg_ctl" -D "$CLUSTER/data$n" -m "$1" -w stop >/dev/null 2>&1 || true; done; }
start_node() { as_server "$BIN/pg_ctl" -D "$CLUSTER/data$1" -l "$CLUSTER/log$1" -w -t 60 start >/dev/null; }
put() {  # folder of the folders of nodes, to: with files made in the order of names
  rm -rf "$2"
  as_server mkdir -m 700 "$2"
  as_server tar -C "$1" --sort=name -cf - . | as_server tar -C "$2" -xpf -
}
workers_become() { local n; for n in 1 2; do put "$CLUSTER/world.$1/$n" "$CLUSTER/data$n"; start_node $n; done; }
become() {  # $CLUSTER/data is a link to the coordinator's
  stop_nodes immediate
  put "$CLUSTER/coordinator" "$CLUSTER/data0"
  workers_become "$1"
}

make_worlds() {
  local role n world
  citus_start 2 "shared_preload_libraries = 'citus,dpmix'" "fsync = off" "shared_buffers = 8MB" "checkpoint_timeout = 1d" "bgwriter_lru_maxpages = 0" "wal_writer_delay = 10s" \
    "dpmix.release_idle_timeout = '1d'" "dpmix.ledger_idle_timeout = '1d'" \
    "citus.distributed_deadlock_detection_factor = -1" "citus.recover_2pc_interval = -1" "citus.defer_shard_delete_interval = -1" "citus.enable_statistics_collection = off"
  ln -s data0 "$CLUSTER/data"
  psql -X -q -v ON_ERROR_STOP=1 -v empty=1 -f test/server/scale/citus_worlds.sql
  psql -X -q -v ON_ERROR_STOP=1 <<'SQL'
CREATE SCHEMA private AUTHORIZATION olga;
SET ROLE olga;
SELECT dpmix.expose('people', 'private.people', default_epsilon => .01, default_delta => 1e-6) \g /dev/null
GRANT USAGE ON SCHEMA private TO ana;
SQL
  # Workers admit owners and administrators alone.
  local lines
  lines=$(sql "SET client_min_messages = error; SELECT * FROM dpmix.check_cluster()" | grep -E '^host ' | sort -u | sort -k2,2 -k5,5r | sed 's/scram-sha-256/trust/')
  for n in 1 2; do
    as_server sed -i '/^host/d' "$CLUSTER/data$n/pg_hba.conf"
    as_server tee -a "$CLUSTER/data$n/pg_hba.conf" <<<"$lines" >/dev/null
    on_node $n -c 'SELECT pg_reload_conf()' >/dev/null
  done
  # What stands here is this node's alone.
  PGOPTIONS="-c citus.enable_ddl_propagation=off" psql -X -q -f $here/observer.sql
  PGOPTIONS="-c citus.enable_ddl_propagation=off" psql -X -q <<'SQL'
CREATE FUNCTION watch.leaky_cluster() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  n bigint;
  m int;
BEGIN
  SELECT count(*) INTO n FROM people WHERE ill AND region = 'r0';
  FOR m IN SELECT DISTINCT k FROM people WHERE ill AND region = 'r0' ORDER BY k LOOP  -- pages, and counters
    PERFORM length(long || '') FROM longs WHERE id = m;
  END LOOP;
  IF n > 1 THEN
    RAISE NOTICE 'found in the open';
    PERFORM pg_advisory_xact_lock(4242, 1);
    PERFORM max(sorted) FROM (SELECT repeat(md5(i::text), 4) AS sorted FROM generate_series(1, 20000) AS i ORDER BY 1 OFFSET 0) AS s;
  END IF;
  RETURN n;
END $$;
ALTER FUNCTION watch.leaky_cluster() OWNER TO olga;
GRANT CREATE ON SCHEMA watch TO olga;
SQL
  for role in ana mona sam; do PGOPTIONS="-c client_min_messages=error" psql -X -q -U $role -c "SELECT watch.list()" >/dev/null; done
  make_tower
  settle
  stop_nodes fast
  mkdir "$CLUSTER/world.0" "$CLUSTER/world.1"
  for n in 0 1 2; do cp -a "$CLUSTER/data$n" "$CLUSTER/empty.$n"; done
  for world in 0 1; do
    for n in 0 1 2; do put "$CLUSTER/empty.$n" "$CLUSTER/data$n"; start_node $n; done
    psql -X -q -v ON_ERROR_STOP=1 -v empty=0 -v world=$world -v visits="${VISITS:-30000}" -f test/server/scale/citus_worlds.sql
    for n in 1 2; do on_node $n -c "VACUUM (FREEZE, ANALYZE)" -c CHECKPOINT; done
    stop_nodes fast
    for n in 1 2; do
      rm -f "$CLUSTER/data$n/pg_stat/"*
      cp -a "$CLUSTER/data$n" "$CLUSTER/world.$world/$n"
    done
  done
  # The coordinator is as it was before the rows came: they are no concern of its own.
  cp -a "$CLUSTER/empty.0" "$CLUSTER/coordinator"
  rm -f "$CLUSTER/coordinator/pg_stat/"*
  find "$CLUSTER/coordinator" -name pg_internal.init -delete
}

make_worlds
for number in 1 2 3; do triple $number "${kinds[@]}"; done
python3 $here/worlds.py screen "$CLUSTER/seen" 1,2,3 "${kinds[0]}" >"$CLUSTER/suspects"
check "worlds agree before anything is asked" "" "$(grep ^unequal "$CLUSTER/suspects" | head -n 5 | cut -f 3)"
judge

# --- What workers show, to a superuser: what they count, and what they log where they log all that they can. ---
logs_of() { tail -q -n +1 "$CLUSTER/log$1"; }
worker_shows() {  # node: lines "what|value"
  on_node "$1" -tA <<'SQL'
SET citus.override_table_visibility = off;
SELECT 'whole scans of shards', sum(seq_scan) FROM pg_stat_user_tables WHERE relname ~ '_1\d{5}$'
UNION ALL SELECT 'rows read by whole scans', sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname ~ '_1\d{5}$'
UNION ALL SELECT 'index scans of shards', sum(idx_scan) FROM pg_stat_user_tables WHERE relname ~ '_1\d{5}$'
UNION ALL SELECT 'blocks of shards, read or found in memory', sum(heap_blks_read + heap_blks_hit) FROM pg_statio_user_tables WHERE relname ~ '_1\d{5}$'
UNION ALL SELECT 'temporary files', temp_files FROM pg_stat_database WHERE datname = current_database()
UNION ALL SELECT 'bytes of temporary files', temp_bytes FROM pg_stat_database WHERE datname = current_database();
SQL
  echo "texts of statements|$(logs_of "$1" | grep -oE 'statement: .*_1[0-9]{5}.*' | sort | md5sum | cut -c1-8)"
  echo "rows that plans expect|$(logs_of "$1" | grep -oE '"Plan Rows": [0-9]+' | grep -oE '[0-9]+' | sort -n | paste -sd' ')"
  echo "rows that plans met|$(logs_of "$1" | grep -oE '"Actual Rows": [0-9]+' | grep -oE '[0-9]+' | sort -n | paste -sd' ')"
  echo "plans, but for numbers|$(logs_of "$1" | grep -E '"(Node Type|Strategy|Sort Method|Sort Space Type)"' | sort | md5sum | cut -c1-8)"
}
tell_everything() {
  local n
  for n in 1 2; do
    rm -f "$CLUSTER/log$n"
    cat >>"$CLUSTER/data$n/postgresql.conf" <<'CONF'
work_mem = '64kB'
log_statement = 'all'
log_temp_files = 0
session_preload_libraries = 'auto_explain'
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_timing = off
auto_explain.log_format = 'json'
CONF
  done
}
workers_become() { local n; for n in 1 2; do put "$CLUSTER/world.$1/$n" "$CLUSTER/data$n"; done; tell_everything; for n in 1 2; do start_node $n; done; }
for kind in ${LISTED:-groups weighed picked found joined layers medians tree}; do
  for world in A B C; do
    become "$([ $world = B ] && echo 1 || echo 0)"
    cluster_up
    sql "SELECT dpmix.adopt_ledger('a copy')" >/dev/null
    echo "${release[$kind]} \\g /dev/null" | psql -X -q -U ana 2>/dev/null
    as_server "$BIN/pg_ctl" -D "$CLUSTER/data0" -m fast -w stop >/dev/null  # workers count what a session did as it ends
    for n in 1 2; do worker_shows $n | sed "s/^/$n /"; done >"$CLUSTER/shown.$world"
  done
  paste -d'|' "$CLUSTER/shown.A" "$CLUSTER/shown.B" "$CLUSTER/shown.C" | awk -F'|' -v kind="$kind" '{
      what = substr($1, 3)
      told = $2 == $6 && $2 != $4 ? "the world" : $2 == $4 && $2 == $6 ? "nothing" : "chance"
      if (told == "the world" || !(what in shows)) shows[what] = told
      if (!(what in seen)) { order[++count] = what; seen[what] = 1 }
    } END { for (i = 1; i <= count; i++) print "# workers, " kind ": " order[i] " show " shows[order[i]] }' | tee "$CLUSTER/listed"
  check "$kind: the texts of statements are the same in all worlds" 0 "$(grep -c 'texts of statements show the world' "$CLUSTER/listed" || true)"
done
