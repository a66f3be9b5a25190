# Sourced by tests of the ledger and of what charges: a cluster with dpmix and a function that charges.
. test/server/lib/checks.sh

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
CREATE OR REPLACE FUNCTION charge_blocks_probe(relation regclass, epsilon float8, delta float8, first bigint, last bigint)
    RETURNS bigint LANGUAGE c STRICT AS '$libdir/charge_probe';
CREATE OR REPLACE FUNCTION hog_shared_memory() RETURNS void LANGUAGE c AS '$libdir/charge_probe';
SQL
}

protected_table() {  # name epsilon [database]: a table under accountant basic
  sql "CREATE TABLE $1 (x int); SELECT dpmix.protect('$1', $2, 0, accountant => 'basic')" "${3:-postgres}" >/dev/null
}

charges() { sql "SELECT count(*) FROM dpmix.charge WHERE relation = 'public.$1'" "${2:-postgres}"; }

worker_pids() {
  sql "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpmix ledger' AND datname = '${1:-postgres}'"
}
no_worker() { [ -z "$(worker_pids "${1:-postgres}")" ]; }
