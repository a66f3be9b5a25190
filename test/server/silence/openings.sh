# Sourced: how many buffers the processes of a release, and their parallel workers, touch while plans run. A probe in
# each process counts; a page of a catalog that is looked up for a row shows, whoever else knows of it. As a plan
# starts, the probe closes whatever was opened before, as DDL of others can.
. test/server/lib/checks.sh

probed_cluster() {  # settings...: olga owns, ana asks, and may count
  cluster_start "dpmix.row_memory = 1GB" "autovacuum = off" "fsync = off" "bgwriter_lru_maxpages = 0" "parallel_setup_cost = 0" "parallel_tuple_cost = 0" \
    "min_parallel_table_scan_size = 0" "max_parallel_workers_per_gather = 2" "parallel_leader_participation = off" "$@"
  cluster_probe buffer_probe -Wno-register
  echo "shared_preload_libraries = 'buffer_probe'" >>"$CLUSTER/data/postgresql.conf"
  cluster_restart
  psql -X -q <<'SQL'
CREATE EXTENSION dpmix;
CREATE FUNCTION buffers_touched() RETURNS text LANGUAGE c AS 'buffer_probe';
GRANT CREATE ON SCHEMA public TO PUBLIC;
CREATE ROLE olga LOGIN;
CREATE ROLE ana LOGIN;
CREATE FUNCTION end_processes() RETURNS void LANGUAGE sql SECURITY DEFINER AS
  $$ SELECT pg_stat_clear_snapshot(); SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE backend_type = 'dpmix release' $$;
-- Of one statement: by the processes of releases, and by workers. fresh: in new ones.
CREATE FUNCTION touched(statement text, fresh boolean) RETURNS bigint[] LANGUAGE plpgsql AS $f$
BEGIN
  IF fresh THEN PERFORM end_processes(); END IF;
  PERFORM buffers_touched();
  EXECUTE statement;
  RETURN string_to_array(buffers_touched(), ' ')::bigint[];
END $f$;
-- What is touched more where rows match; and what workers touch then.
CREATE FUNCTION difference(without text, with_rows text, fresh boolean) RETURNS bigint[] LANGUAGE plpgsql AS $f$
DECLARE none bigint[] := touched(without, fresh); met bigint[] := touched(with_rows, fresh);
BEGIN
  RETURN ARRAY[met[1] - none[1], met[2] - none[2], met[2]];
END $f$;
SQL
}

each_way() {  # name, function of a name, of settings and of whether processes are new: with workers alone, and without
  "$2" "$1: what workers touch" "" false
  "$2" "$1: what a new process touches" "SET max_parallel_workers_per_gather = 0;" true
}
