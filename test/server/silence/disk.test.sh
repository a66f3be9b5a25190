#!/usr/bin/env bash
# A join of ana's own public tables may have any size, and so may what is sorted of it. temp_file_limit holds in a
# release, too: nobody fills the disk, and a full disk is no error that depends on rows.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster "temp_file_limit = '20MB'" "dpmix.release_idle_timeout = 100"
PGUSER=olga session <<'SQL'
CREATE TABLE visits (person int, ill boolean);
INSERT INTO visits SELECT i / 2, true FROM generate_series(1, 2000) AS i;
SELECT dpmix.protect('visits', 1e6, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 2) \g /dev/null
SELECT dpmix.grant_access('visits', 'ana') \g /dev/null
SQL
PGUSER=ana sql "CREATE TABLE many (x int, long text); INSERT INTO many SELECT i, repeat('x', 100) FROM generate_series(1, 5000) AS i;
  CREATE TABLE packed (x int, long text); INSERT INTO packed SELECT i, repeat('x', 1000000) FROM generate_series(1, 300) AS i;
  SELECT dpmix.declare_public('many'), dpmix.declare_public('packed')" >/dev/null
settle
before=$(sql "SELECT pg_tablespace_size('pg_default')")
spill() {  # query: for five seconds at most
  {
    echo "SET work_mem = '64kB'; SET statement_timeout = '5s';"
    label 1
    call "$1"
  } | watched "pg_tablespace_size('pg_default')"
  most=$(awk -F'|' -v before="$before" '$1 == 1 { print int(($3 - before) / 1048576) }' "$CLUSTER/watched")
  # The limit is each process's, and a cluster writes some pages of its own.
  check "$2: within the limit" t "$([ "${most:-0}" -le 40 ] && echo t || echo "$most MB")"
}
spill "SELECT dp_count(*) FROM visits JOIN many ON many.x > 0 WHERE ill" "a sort of joined rows"
spill "SELECT dp_count(*) FROM visits JOIN packed ON packed.x = visits.person AND strpos(packed.long, 'y') = 0" "compressed values"
check "ana's calls end when she is gone" 0 "$(wait_until 10 eval '[ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type = '"'dpmix release'"' AND state = '"'active'"'")" = 0 ]' && echo 0 || echo running)"
