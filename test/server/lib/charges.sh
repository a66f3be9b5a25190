# Sourced by ledger_*.test.sh: a cluster with dpmix and the charge probe, and ok / not ok lines.
. test/server/lib/cluster.sh

ledger_cluster() {  # settings...: a cluster whose database postgres has dpmix and the probe
  cluster_start "$@"
  cluster_probe charge_probe -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
  install_probe postgres
}

install_probe() {  # database
  psql -X -q -d "$1" <<'SQL'
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE OR REPLACE FUNCTION charge_probe(relation regclass, epsilon float8, delta float8 DEFAULT 0) RETURNS bigint
    LANGUAGE c STRICT AS '$libdir/charge_probe';
CREATE OR REPLACE FUNCTION charge_probe(relation regclass, epsilon float8, delta float8, parameters jsonb) RETURNS bigint
    LANGUAGE c STRICT AS '$libdir/charge_probe';
CREATE OR REPLACE FUNCTION hog_shared_memory() RETURNS void LANGUAGE c AS '$libdir/charge_probe';
SQL
}

protected_table() {  # name epsilon [database]: a table under accountant basic
  sql "CREATE TABLE $1 (x int); SELECT dpmix.protect('$1', $2, 0, accountant => 'basic')" "${3:-postgres}" >/dev/null
}

sql() {  # statements [database]: unaligned result, or the error with its SQLSTATE
  psql -X -q -A -t -v VERBOSITY=verbose -d "${2:-postgres}" -c "$1" 2>&1
}

session() {  # [database]: statements from stdin, each on its own
  psql -X -q -A -t -v VERBOSITY=verbose -d "${1:-postgres}" 2>&1
}

charges() { sql "SELECT count(*) FROM dpmix.charge WHERE relation = 'public.$1'" "${2:-postgres}"; }

check() {  # name expected actual
  if [ "$2" = "$3" ]; then echo "ok - $1"; else
    echo "not ok - $1: expected '$2', got '$3'"
  fi
}

check_match() {  # name pattern actual
  if grep -qE "$2" <<<"$3"; then echo "ok - $1"; else echo "not ok - $1: no '$2' in '$3'"; fi
}

wait_until() {  # seconds command...: until it succeeds
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.1
  done
}

worker_pids() {
  sql "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpmix ledger' AND datname = '${1:-postgres}'"
}
no_worker() { [ -z "$(worker_pids "${1:-postgres}")" ]; }
