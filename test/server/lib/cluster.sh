# Sourced: a throwaway PostgreSQL with dpmix installed. Unix socket only; gone when the shell ends,
# also on failure. Nothing of the machine's own PostgreSQL is touched: the server's binaries are
# copied to a private prefix (PostgreSQL finds its files relative to its binaries), and dpmix is
# installed there.
#
#   cluster_template folder      fills it with what cluster_start copies when CLUSTER_TEMPLATE names it (test/run.sh)
#   cluster_start [setting...]   sets PGHOST, PGUSER, PGDATABASE, CLUSTER (folder), BIN; nothing waits for the disk
#                                unless a setting says so (fsync = on): a killed server loses nothing by that
#   cluster_restart [mode]       stop (fast, immediate) and start again
#   cluster_earlier version [changes [upgrade]]
#                                makes this version's objects, with changes (SQL), available under an earlier
#                                number too; upgrade is all that the script from there to this version does
#   cluster_probe name [option...]   test/server/lib/NAME.cpp, functions for tests, where the server finds it
#   cluster_plan_probe           the same for plan_probe, which every process loads
#   as_server command...         run as the unprivileged user that the server runs as
#
# CLUSTER_LIBRARY: another build of dpmix.so to install; CLUSTER_PRELOAD: a library put under the
# server (LD_PRELOAD). Both are for tests that break things on purpose.

cluster_user=$(id -un)
[ "$(id -u)" -ne 0 ] || cluster_user=postgres

as_server() {
  if [ "$(id -un)" = "$cluster_user" ]; then "$@"; else runuser -u "$cluster_user" -- "$@"; fi
}

cluster_stop() {
  [ -z "${CLUSTER:-}" ] && return 0
  if [ -f "$CLUSTER/data/postmaster.pid" ]; then
    as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m immediate stop >/dev/null 2>&1 || true
  fi
  rm -rf "$CLUSTER"
  CLUSTER=""
}

cluster_prefix() {  # $1: folder; a private copy of the server with this tree's dpmix in it
  local config version bin share lib
  config=${PG_CONFIG:-$(ls -d /usr/lib/postgresql/*/bin/pg_config | sort -V | tail -n 1)}
  export PG_CONFIG=$config  # the private copy's would speak of the private copy
  bin=$("$config" --bindir) share=$("$config" --sharedir) lib=$("$config" --pkglibdir)
  BIN=$1$bin
  PATH=$BIN:$PATH  # Debian's own psql is a wrapper that takes longer than most statements
  # The template's files under further names: who changes one writes a new file, as install does.
  if [ -n "${CLUSTER_TEMPLATE:-}" ]; then
    cp -al "$CLUSTER_TEMPLATE/prefix" "$1"
  else
    mkdir -p "$1$bin" "$1$share/extension" "$1$lib"
    cp -r "$bin/." "$1$bin"
    ln -s "$lib"/* "$1$lib"
    for entry in "$share"/*; do
      [ "$(basename "$entry")" = extension ] || ln -s "$entry" "$1$share"
    done
    ln -s "$share"/extension/* "$1$share/extension"
    rm -f "$1$lib"/plugins "$1$lib"/dpmix* "$1$share"/extension/dpmix*
    # The current version's script last: it is built from the pieces.
    for script in src/sql/upgrade/dpmix*--*--*.sql src/sql/released/dpmix*--*.sql dpmix*--*.sql; do
      [ ! -e "$script" ] || install -m 644 "$script" "$1$share/extension"
    done
    install -m 644 dpmix.control dpmix_papers.control "$1$share/extension"
    install -m 755 dpmix.so dpmix_papers.so "$1$lib"
    mkdir "$1$lib/plugins"
    ln -s ../dpmix.so "$1$lib/plugins"
  fi
  [ -z "${CLUSTER_LIBRARY:-}" ] || install -m 755 "$CLUSTER_LIBRARY" "$1$lib/dpmix.so"
}

cluster_data() {  # $1: folder; a new data directory
  local said
  said=$(as_server "$BIN/initdb" -D "$1" -U postgres -A trust -E UTF8 --no-locale -N 2>&1) || { echo "$said" >&2; return 1; }
}

cluster_template() {
  chmod 755 "$1"
  cluster_prefix "$1/prefix"
  mkdir "$1/server"
  [ "$(id -u)" -ne 0 ] || chown "$cluster_user" "$1/server"
  cluster_data "$1/server/data"
}

cluster_start() {
  CLUSTER=$(mktemp -d /tmp/dpmix.XXXXXX)
  trap cluster_stop EXIT
  trap 'exit 130' INT TERM
  chmod 755 "$CLUSTER"
  mkdir "$CLUSTER/socket"
  [ "$(id -u)" -ne 0 ] || chown "$cluster_user" "$CLUSTER" "$CLUSTER/socket"
  cluster_prefix "$CLUSTER/prefix"
  [ -z "${CLUSTER_PRELOAD:-}" ] || install -m 755 "$CLUSTER_PRELOAD" "$CLUSTER/preload.so"
  if [ -n "${CLUSTER_TEMPLATE:-}" ]; then
    as_server cp -a --sparse=always "$CLUSTER_TEMPLATE/server/data" "$CLUSTER"
  else
    cluster_data "$CLUSTER/data"
  fi
  {
    echo "fsync = off"
    echo "listen_addresses = ''"
    echo "unix_socket_directories = '$CLUSTER/socket'"
    echo "log_min_messages = warning"
    echo "max_worker_processes = 16"
    echo "dpmix.warn_of_weak_budgets = off"  # budgets of tests are large
    echo "dpmix.memory_keep = 0"  # equal questions are charged each time, but where a test is about memory
    local setting
    for setting in "$@"; do echo "$setting"; done
  } >>"$CLUSTER/data/postgresql.conf"
  export PGHOST=$CLUSTER/socket PGUSER=postgres PGDATABASE=postgres PGPORT=5432
  export PGOPTIONS= PGTZ=UTC PSQLRC=/dev/null
  cluster_up
}

cluster_probe() {  # compiled again when it or dpmix.so is newer: that takes longer than most tests' statements
  local built=build/probes/$1.so
  if [ ! "$built" -nt "test/server/lib/$1.cpp" ] || [ ! "$built" -nt dpmix.so ]; then
    mkdir -p build/probes
    g++ -std=c++20 -O2 -fPIC -shared -Isrc -I"$("$PG_CONFIG" --includedir-server)" "test/server/lib/$1.cpp" -o "$built.$$" "${@:2}"
    mv "$built.$$" "$built"
  fi
  install -m 755 "$built" "$("$BIN/pg_config" --pkglibdir)"
}

cluster_plan_probe() {
  cluster_probe plan_probe -Wno-register
  echo "shared_preload_libraries = 'plan_probe'" >>"$CLUSTER/data/postgresql.conf"
  cluster_restart
}

cluster_earlier() {
  local folder version
  folder=$("$BIN/pg_config" --sharedir)/extension
  version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)
  { cat src/sql/*.sql; echo "${2:-}"; } >"$folder/dpmix--$1.sql"
  echo "${3:-}" >"$folder/dpmix--$1--$version.sql"
}

cluster_up() {
  as_server env ${CLUSTER_PRELOAD:+"LD_PRELOAD=$CLUSTER/preload.so"} "$BIN/pg_ctl" -D "$CLUSTER/data" -l "$CLUSTER/log" -w -t 60 start >/dev/null ||
    { tail -n 30 "$CLUSTER/log" >&2; return 1; }
}

cluster_restart() {
  as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m "${1:-fast}" -w stop >/dev/null 2>&1 || true
  cluster_up
}
