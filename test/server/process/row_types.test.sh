#!/usr/bin/env bash
# A row type that is altered between the caller's look at it and the process's lock on its table, or under a function
# that keeps it from row to row: nothing is read as of another type, and nothing is charged.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh

hostile_cluster
make_table() {
  PGUSER=olga sql "SET client_min_messages = error; DROP TABLE IF EXISTS rows_of;
    CREATE TABLE rows_of (c numeric, a int, b int); INSERT INTO rows_of SELECT 1000000000 + i % 2, i % 100, i % 7 FROM generate_series(1, 2000) AS i;
    SELECT dpmix.protect('rows_of', 1e6, 1e-6); SELECT dpmix.set_bounds('rows_of', 'c', 1000000000, 1000000001);
    SELECT dpmix.set_bounds('rows_of', 'a', 0, 100); SELECT dpmix.set_bounds('rows_of', 'b', 0, 7)" >/dev/null
}
somebody_waits() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'")" != 0 ]; }
# altered_under CALL CHANGE: the caller's cache of row types is filled first, so that its look takes no lock.
altered_under() {
  make_table
  mkfifo "$CLUSTER/caller" "$CLUSTER/owner"
  PGUSER=olga session <"$CLUSTER/caller" >"$CLUSTER/said" & caller=$!
  PGUSER=olga session <"$CLUSTER/owner" >"$CLUSTER/changed" & owner=$!
  exec 8>"$CLUSTER/caller" 9>"$CLUSTER/owner"
  echo "SELECT (NULL::rows_of).c;" >&8
  sleep 0.5
  echo "BEGIN; LOCK TABLE rows_of IN ACCESS EXCLUSIVE MODE;" >&9
  sleep 0.3
  echo "SELECT * FROM dpmix.$1 LIMIT 3;" >&8
  wait_until 20 somebody_waits || echo "not ok - nobody waits for the owner: $1"
  echo "$2; SELECT dpmix.set_bounds('rows_of', 'c', 1000000000, 1000000001); COMMIT;" >&9
  exec 9>&-
  wait $owner
  echo "SELECT 'still here';" >&8
  exec 8>&-
  wait $caller || true
  rm "$CLUSTER/caller" "$CLUSTER/owner"
  tr '\n' ' ' <"$CLUSTER/said"
}
cda="cda(NULL::rows_of, '{c,a}', 20, 1, 1e-6)"
while read -r change; do
  check_match "cda, meanwhile $change: refused" "PV004: the type of the rows has changed.*still here" "$(altered_under "$cda" "$change")"
done <<<"ALTER TABLE rows_of ALTER c TYPE int USING 1000000000
ALTER TABLE rows_of RENAME a TO d; ALTER TABLE rows_of RENAME b TO a
ALTER TABLE rows_of DROP b
ALTER TABLE rows_of ADD e text"
check_match "synthesize, meanwhile another type: refused" "PV004: the type of the rows has changed.*still here" \
  "$(altered_under "synthesize(NULL::rows_of, rows => 20, epsilon => 50, delta => 1e-7)" "ALTER TABLE rows_of ALTER c TYPE int USING 1000000000")"
check "and nothing is charged" 0 "$(all_charges)"

# --- A type that a function keeps from row to row. ---
make_table
PGUSER=olga sql "SELECT dpmix.release_tree('tree', 'rows_of', '{a,b}', 10, 1e-7);
  SELECT dpmix.release_regression('line', 'rows_of', 'b', '{a}', 10, 1e-7)" >/dev/null
altered_meanwhile() {  # function release: asked of a row whose type has been altered since the row before
  PGUSER=olga sql "SET client_min_messages = error; DROP TYPE IF EXISTS asked; CREATE TYPE asked AS (a int, b int)" >/dev/null
  PGUSER=olga sql "DO 'DECLARE made asked; answer float8; BEGIN
    FOR i IN 1..4 LOOP
      IF i = 3 THEN ALTER TYPE asked ALTER ATTRIBUTE a TYPE text; END IF;
      EXECUTE CASE WHEN i < 3 THEN ''SELECT 1, 2'' ELSE ''SELECT ''''one'''', 2'' END INTO made;
      answer := dpmix.$1(''$2'', made);
    END LOOP; END'" | tr '\n' ' '
}
check_match "tree_probability: the row's type was altered meanwhile" 'PV005.*another kind' "$(altered_meanwhile tree_probability tree)"
check_match "predict: the row's type was altered meanwhile" 'PV005' "$(altered_meanwhile predict line)"
check "no crash, no internal error in the server's log" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000|leak' "$CLUSTER/log" || true)"
