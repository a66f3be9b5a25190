#!/usr/bin/env bash
# pg_stat_io (since PostgreSQL 16) and pg_stat_get_backend_io (since 18) count every buffer that is read.
# Which ones a statistics scan reads depends on the rows: long values are fetched where a row passes the
# first condition. None of that may be seen; the same look at the plain query, as a superuser, must tell
# two queries apart.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start "autovacuum = off" "checkpoint_timeout = 1h" "max_parallel_workers = 4" "min_parallel_table_scan_size = 0" \
  "parallel_setup_cost = 0" "parallel_tuple_cost = 0"
version=$(sql "SHOW server_version_num")
[ "$version" -ge 160000 ] || exit 0

psql -q <<'SQL'
CREATE EXTENSION dpmix;
CREATE ROLE ana LOGIN;
CREATE TABLE letters (id int, body text);
ALTER TABLE letters ALTER body SET STORAGE EXTERNAL;  -- four pieces each, beside the table
INSERT INTO letters SELECT i, repeat(md5(i::text), 200) FROM generate_series(1, 3000) AS i;
VACUUM (ANALYZE, FREEZE) letters;
SELECT dpmix.protect('letters', 1e6, 1e-3) \g /dev/null
SELECT dpmix.grant_access('letters', 'ana') \g /dev/null
SQL
private() { echo "SELECT count(n) FROM dpmix.query('SELECT dp_count(*) FROM letters WHERE id <= $1 AND upper(body) LIKE ''%FF00%''', .01) AS t(n bigint)"; }
plain() { echo "SELECT count(*) >= 0 FROM letters WHERE id <= $1 AND upper(body) LIKE '%FF00%'"; }
of_all="SELECT sum(coalesce(hits, 0) + coalesce(reads, 0)) FROM pg_stat_io WHERE backend_type"
of_one="SELECT sum(coalesce(hits, 0) + coalesce(reads, 0)) FROM pg_stat_get_backend_io(pg_backend_pid())"

# Buffers that QUERY, run as ROLE with so many WORKERS, adds to what COUNTED says. Warm caches first.
buffers() {  # ROLE WORKERS QUERY COUNTED
  PGUSER=$1 session <<SQL | tail -n 3 | paste -sd' ' | awk '{ print $3 - $1 }'
SET max_parallel_workers_per_gather = $2;
$3;
$3;
SELECT pg_stat_force_next_flush() \g /dev/null
$4;
$3;
SELECT pg_stat_force_next_flush() \g /dev/null
$4;
SQL
}
apart() { [ $(($2 - $1)) -gt 1000 ]; }
look() {  # NAME WORKERS COUNTED TOLERANCE: fetched of 10 letters, or of 2990
  local few many
  few=$(buffers postgres "$2" "$(plain 10)" "$3") many=$(buffers postgres "$2" "$(plain 2990)" "$3")
  apart "$few" "$many" || { echo "not ok - $1: the plain query is not told apart ($few, $many)"; return 0; }
  few=$(buffers ana "$2" "$(private 10)" "$3") many=$(buffers ana "$2" "$(private 2990)" "$3")
  if [ $((many - few)) -le "$4" ] && [ $((few - many)) -le "$4" ]; then echo "ok - $1"; else
    echo "not ok - $1: $few and $many buffers"
  fi
}
look "pg_stat_io: buffers of the session" 0 "$of_all = 'client backend'" 0
# The ledger's worker counts here too, some pages for each charge.
look "pg_stat_io: buffers of parallel workers" 2 "SELECT pg_sleep(.2) \\g /dev/null
$of_all = 'background worker'" 300
if [ "$version" -ge 180000 ]; then
  look "pg_stat_get_backend_io" 0 "$of_one" 0
  check "what a backend read before a private query is still shown after it" t "$(PGUSER=ana session <<SQL | tail -n 1
SELECT pg_stat_force_next_flush() \g /dev/null
CREATE TEMP TABLE before AS SELECT ($of_one) AS n;
$(private 10);
SELECT pg_stat_force_next_flush() \g /dev/null
SELECT ($of_one) >= n FROM before;
SQL
)"
fi
