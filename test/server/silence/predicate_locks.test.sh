#!/usr/bin/env bash
# A serializable transaction leaves locks on what it read, as pg_locks shows: on an inner table only if a row of the
# outer one came. A writer in between makes a serialization error of it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster
people_with "age int" "i" 40
PGUSER=ana sql "CREATE TABLE page (id int PRIMARY KEY); INSERT INTO page SELECT generate_series(1, 40);
  CREATE TABLE other (x int); INSERT INTO other VALUES (0); SELECT dpmix.declare_public('page')" >/dev/null
settle
query() { call "SELECT dp_count(*) FROM people AS p JOIN page AS q ON q.id = p.id WHERE p.id = $1 AND p.ill"; }

locks() {
  local id
  for ((id = 1; id <= 40; ++id)); do
    {
      echo "\\set ON_ERROR_ROLLBACK on"
      echo "BEGIN ISOLATION LEVEL SERIALIZABLE;"
      query "$id"
      echo "SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND relation = 'page'::regclass AND pid = pg_backend_pid();"
      echo "COMMIT;"
    } | ana | tail -n 1
  done | bits_of >"$CLUSTER/bits"
}
fair_calls "calls in serializable transactions" locks
learns_nothing "which predicate locks there are" 2 "$(who_is_ill)" "$(cat "$CLUSTER/bits")"

# The other session writes what the scan may have read, and reads what the caller writes then.
errors() {
  local id failed
  for ((id = 1; id <= 40; ++id)); do
    failed=$({
      echo "\\set ON_ERROR_ROLLBACK on"
      echo "BEGIN ISOLATION LEVEL SERIALIZABLE;"
      query "$id"
      echo "\\! psql -X -q -U ana -c 'BEGIN ISOLATION LEVEL SERIALIZABLE' -c 'SELECT x FROM other' -c 'DELETE FROM page WHERE id = 0' -c 'INSERT INTO page VALUES (1000 + $id)' -c COMMIT >/dev/null"
      echo "UPDATE other SET x = x + 1;"
      echo "COMMIT;"
    } | PGUSER=ana session | tee -a "$CLUSTER/serial" | grep -c 'ERROR:  40001' || true)
    echo "$failed"
  done | bits_of >"$CLUSTER/bits"
  grep -E '^answered|ERROR:  PV' "$CLUSTER/serial" >"$said" || true
}
fair_calls "calls beside a writer" errors
learns_nothing "which transactions fail" 2 "$(who_is_ill)" "$(cat "$CLUSTER/bits")"
