#!/usr/bin/env bash
# Releases in processes of their own: whose rows they see, whose locks they wait for, and what the caller's backend
# knows of rows afterwards.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh

hostile_cluster "dpmix.release_idle_timeout = 2000" "autovacuum = off"
release_pids() { sql "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpmix release' ORDER BY pid"; }
people_counted="dpmix.query('SELECT dp_count(*) FROM public.people', 100) AS t(n bigint)"

check "a release's process is launched by the first call" "0|1" "$(release_pids | grep -c . || true)|$(PGUSER=ana sql "SELECT n FROM $people_counted" >/dev/null; release_pids | grep -c .)"
check "the next call takes the same" "$(release_pids)" "$(PGUSER=ana sql "SELECT n FROM $people_counted" >/dev/null; release_pids)"
check_command "without work it ends" wait_until 10 no_process

# --- The caller's transaction: its rows stay, and a release says that it does not see them. ---
rows_kept() {  # a later transaction commits between the caller's writes and the release: a process that took the caller's for
               # aborted would say so on the page, and the committed rows would be gone
  sql "CREATE TABLE IF NOT EXISTS others (x int)" >/dev/null
  { echo "BEGIN; CREATE TEMP TABLE mine AS SELECT 1; INSERT INTO friends SELECT i FROM generate_series(1, 50) AS i; DELETE FROM friends WHERE x > 990;
          SAVEPOINT s; INSERT INTO friends VALUES (51); RELEASE s;"
    sleep 1
    echo "SELECT 'answered ' || (n BETWEEN 400 AND 600) FROM $people_counted; COMMIT;"; } | PGUSER=olga session &
  sleep 0.5
  sql "INSERT INTO others VALUES (1)" >/dev/null
  wait $!
}
PGUSER=olga sql "CREATE TABLE friends (x int); INSERT INTO friends SELECT 900 + i FROM generate_series(1, 100) AS i; SELECT dpmix.declare_public('friends')" >/dev/null
check "a release in a transaction that wrote to other tables is answered" "answered true" "$(rows_kept)"
check "and what it wrote is there" "51 and 90" "$(sql "SELECT count(*) FILTER (WHERE x < 900) || ' and ' || count(*) FILTER (WHERE x > 900) FROM friends")"
costs "rows of the own transaction are not left out in silence" 0 "may have changed people.*Commit first" olga <<<"
BEGIN; INSERT INTO people VALUES (501, 'F', 1);
SELECT * FROM $people_counted;
ROLLBACK;"
costs "nor are declarations" 0 "has changed declarations.*Commit first" olga <<<"
BEGIN; SELECT dpmix.set_bounds('people', 'wage', 0, 50);
SELECT * FROM $people_counted;
ROLLBACK;"
costs "the release sees the caller's snapshot, not a later one" 2 "same" ana <<<"
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 'first' FROM (SELECT n FROM $people_counted) AS t;
\! psql -X -q -U postgres -c 'INSERT INTO people SELECT i, NULL, NULL FROM generate_series(1001, 3000) AS i'
SELECT CASE WHEN n BETWEEN 450 AND 550 THEN 'same' ELSE n::text END FROM $people_counted;
COMMIT;"
sql "DELETE FROM people WHERE id > 1000" >/dev/null

# --- Locks. ---
costs "notices that do not fit between the two while the process takes locks" 1 '-?[0-9]+ $' ana <<<"
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE sex IN (''F''' || (SELECT string_agg(', ''x' || i || '''', '') FROM generate_series(1, 20000) AS i) || ')', .1) AS t(n bigint);"
behind_alter() {  # the caller holds a lock that ALTER TABLE waits for, and the process waits behind that
  { echo "BEGIN; SELECT FROM people LIMIT 0;"; sleep 2; echo "SELECT 'answered' FROM $people_counted; COMMIT;"; } | PGUSER=olga session &
  sleep 1
  PGUSER=olga sql "ALTER TABLE people ADD COLUMN y int" &
  wait
}
check "a caller whose process waits behind an ALTER TABLE that waits for the caller is answered" "answered" "$(behind_alter | tr -d '\n')"
check "and the table is altered" 1 "$(sql "SELECT count(*) FROM pg_attribute WHERE attrelid = 'people'::regclass AND attname = 'y'")"
behind_lock() { { echo "BEGIN; LOCK people;"; echo "SELECT 'answered' FROM $people_counted; COMMIT;"; } | PGUSER=olga session; }
check_match "a process that waits for its own caller is found out" "40P01|may have changed people" "$(behind_lock)"

# --- The pool. ---
sql "CREATE DATABASE empty" >/dev/null
sql "CREATE EXTENSION dpmix; CREATE TABLE t (x int); SELECT dpmix.protect('t', 10, 0, accountant => 'basic')" empty >/dev/null
check_match "another database has processes of its own" '^-?[0-9]+$' "$(sql "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM t', 1) AS t(n bigint)" empty)"
check "DROP DATABASE does not wait for long" "" "$(sql "DROP DATABASE empty")"

check "no crash, no internal error in the server's log" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000|leak' "$CLUSTER/log" || true)"
