#!/usr/bin/env bash
# That a process is at a plan of dpmix's own is a setting, since PostgreSQL hands those to parallel workers. Nobody else
# turns it on: not a superuser, not for a role or database, not in a file, not as a session or a worker starts.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
name=dpmix.at_release_plan
session >/dev/null <<'SQL'
CREATE EXTENSION dpmix;
CREATE ROLE ana LOGIN;
CREATE TABLE numbers AS SELECT i FROM generate_series(1, 20000) AS i;
ANALYZE numbers;
SQL
for statement in "SET $name = on" "SELECT set_config('$name', 'on', true)" "ALTER DATABASE postgres SET $name = on" \
  "ALTER ROLE ana SET $name = on" "CREATE FUNCTION f() RETURNS int LANGUAGE sql SET $name = on RETURN 1"; do
  check_match "a superuser is refused: $statement" 'ERROR:  22023: invalid value' "$(sql "LOAD 'dpmix'; $statement")"
done
check_match "a superuser is refused: ALTER SYSTEM" 'ERROR:  55P02: parameter .* cannot be changed' "$(session <<<"LOAD 'dpmix'; ALTER SYSTEM SET $name = on")"
check_match "others cannot set it" 'ERROR:  42501' "$(PGUSER=ana sql "LOAD 'dpmix'; SET $name = on")"
forced="SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET parallel_leader_participation = off"
states="SELECT DISTINCT current_setting('$name') FROM numbers"
check_match "the plan is parallel" Gather "$(sql "LOAD 'dpmix'; $forced; EXPLAIN $states")"
check "workers of somebody's own plan" off "$(sql "LOAD 'dpmix'; $forced; $states")"
check "neither the options of a connection" off "$(PGOPTIONS="-c $name=on" sql "SET client_min_messages = error; LOAD 'dpmix'; SELECT current_setting('$name')" | tail -n 1)"
check "nor a session before dpmix is loaded" off "$(sql "SET client_min_messages = error; SET $name = on; LOAD 'dpmix'; SELECT current_setting('$name')" | tail -n 1)"
