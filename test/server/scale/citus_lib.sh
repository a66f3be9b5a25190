# Sourced: a throwaway Citus cluster, a coordinator and workers on 127.0.0.1, with this tree's dpmix on each.
# PG_CONFIG names a server that has Citus.
#
#   citus_start workers [setting...]   then psql talks to the coordinator
#   on_node n psql-argument...         0: the coordinator
#   sql, as role statement             at the coordinator
#   mark, sent                         the statements over shards that workers logged since

. test/server/lib/checks.sh

on_node() { psql -q -p $((PGPORT + $1)) "${@:2}"; }

citus_stop() {
  local data
  for data in "$CLUSTER"/data*; do
    [ ! -f "$data/postmaster.pid" ] || as_server "$BIN/pg_ctl" -D "$data" -m immediate stop >/dev/null 2>&1 || true
  done
  rm -rf "$CLUSTER"
}

citus_start() {
  local workers=$1 n data setting
  shift
  CLUSTER=$(mktemp -d /tmp/dpmix.XXXXXX)
  trap citus_stop EXIT
  trap 'exit 130' INT TERM
  chmod 755 "$CLUSTER"
  cluster_prefix "$CLUSTER/prefix"
  mkdir "$CLUSTER/socket"
  [ "$(id -u)" -ne 0 ] || chown "$cluster_user" "$CLUSTER" "$CLUSTER/socket"
  export PGHOST=$CLUSTER/socket PGUSER=postgres PGDATABASE=postgres PGPORT=${CITUS_PORT:-$((20000 + RANDOM % 20000))}
  export PGOPTIONS= PGTZ=UTC PSQLRC=/dev/null
  for ((n = 0; n <= workers; n++)); do
    data=$CLUSTER/data$n
    cluster_data "$data"
    {
      echo "listen_addresses = '127.0.0.1'"
      echo "port = $((PGPORT + n))"
      echo "unix_socket_directories = '$CLUSTER/socket'"
      echo "shared_preload_libraries = 'citus'"
      echo "citus.node_conninfo = 'sslmode=disable'"
      echo "max_worker_processes = 32"
      echo "autovacuum = off"
      echo "dpmix.memory_keep = 0"  # each question is charged
      for setting in "$@"; do echo "$setting"; done
    } >>"$data/postgresql.conf"
    as_server "$BIN/pg_ctl" -D "$data" -l "$CLUSTER/log$n" -w -t 60 start >/dev/null
    on_node "$n" -c 'CREATE EXTENSION citus'
  done
  psql -q -c "SELECT citus_set_coordinator_host('127.0.0.1', $PGPORT)" >/dev/null
  for ((n = 1; n <= workers; n++)); do
    psql -q -c "SELECT citus_add_node('127.0.0.1', $((PGPORT + n)))" >/dev/null
  done
  psql -q -c 'SET client_min_messages = warning; CREATE EXTENSION dpmix'
}

bad=0
ok() { echo "ok - $1"; }
not_ok() { echo "not ok - $1"; bad=1; }
has() { if grep -qF -- "$2" <<<"$3"; then ok "$1"; else not_ok "$1"; echo "  no $2 in: ${3:0:600}"; fi; }
hasnt() { if grep -qE -- "$2" <<<"$3"; then not_ok "$1"; grep -oE -- ".{0,80}($2).{0,80}" <<<"$3" | head -3; else ok "$1"; fi; }
sql() { psql -qtA -v ON_ERROR_STOP=1 "$@"; }
as() { PGUSER=$1 psql -qtA -v VERBOSITY=verbose -c "$2" 2>&1; }
mark() { from_log=("$(wc -c <"$CLUSTER/log1")" "$(wc -c <"$CLUSTER/log2")"); }
logged() { sleep .2; for n in 1 2; do tail -c +$((from_log[n - 1] + 1)) "$CLUSTER/log$n"; done; }  # since the mark
sent() { logged | grep -E ' FROM \(*.*public\.[a-z_]+_1[0-9]{5} ' || true; }  # statements over shards
