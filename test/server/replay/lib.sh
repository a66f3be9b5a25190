# Sourced by the replay audit, after lib/checks.sh: a cluster with its library, and the audit.

replay_cluster() {
  make -s -j"$(nproc)" PG_CONFIG="${PG_CONFIG:-pg_config}" all build/replay/dpmix.so >build/replay.log 2>&1 ||
    { cat build/replay.log >&2; return 1; }
  CLUSTER_LIBRARY=build/replay/dpmix.so
  cluster_start "autovacuum = off"
  as_server mkdir "$CLUSTER/data/dpmix_replay"
  psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION dpmix'
}

audit() { python3 test/server/replay/replay.py "$CLUSTER/data" "$@" 2>&1 || true; }
