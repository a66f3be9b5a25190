#!/usr/bin/env bash
# Each function of schema dpmix_internal is in one of the lists of internal_functions.txt, and those that trees alone
# call are refused to everybody who calls them, with whatever rights and settings, also in a parallel worker.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "max_parallel_workers = 8"
cluster_probe internal_probe
sql "CREATE FUNCTION internal_probe(regprocedure) RETURNS boolean LANGUAGE c STRICT AS 'internal_probe'" >/dev/null
lists=test/server/hostile/internal_functions.txt
listed() { awk -v list="$1" '/^#/ { seen = index($0, list) ? 1 : (before ~ /^#/ ? seen : 0) } { before = $0 } /^[a-z]/ && seen' $lists | tr ' ' '\n'; }
all=$(sql "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'dpmix_internal'::regnamespace ORDER BY 1" | sort)
unlisted() { comm -23 <(sort <<<"$1") <(grep -v '^#' $lists | tr ' ' '\n' | sort -u) | paste -sd' '; }
check "each function is in a list" "" "$(unlisted "$all")"
check "a new one would be missed" "planted" "$(unlisted "$all"$'\n'planted)"
check "in one alone" "" "$(grep -v '^#' $lists | tr ' ' '\n' | grep . | sort | uniq -d | paste -sd' ')"
check "and is there" "" "$(comm -13 <(echo "$all") <(grep -v '^#' $lists | tr ' ' '\n' | grep . | sort) | paste -sd' ')"
trees=$(listed "Trees alone")
check "three lists" "$(grep -v '^#' $lists | tr ' ' '\n' | grep -c .)" "$(for l in "Called by users" "Exact statistics" "Trees alone"; do listed "$l"; done | grep -c .)"

calls() {  # function: a call with values of its types
  sql "SELECT CASE WHEN 'internal'::regtype = ANY (proargtypes) THEN format('internal_probe(%L)', oid::regprocedure)
    ELSE format('%s(%s)', oid::regproc, (SELECT string_agg(CASE t WHEN 'bigint'::regtype THEN '1::bigint' WHEN 'integer'::regtype THEN '1' WHEN 'double precision'::regtype THEN '1::float8' WHEN 'bigint[]'::regtype THEN '''{1,2,0}''::bigint[]' WHEN '\"any\"'::regtype THEN 'current_date' ELSE 'repeat(''x'', 9)' END, ', ')
                                         FROM unnest(proargtypes) t)) END FROM pg_proc WHERE oid::regproc::text = 'dpmix_internal.$1'"
}
# The flag, by all who may have a way to set it.
PGUSER=postgres sql "ALTER ROLE olga SET dpmix.at_release_plan = on" >/dev/null || true
check_match "a configuration cannot turn the flag on" 'ERROR' "$(session <<<"LOAD 'dpmix'; ALTER SYSTEM SET dpmix.at_release_plan = on;")"
answered() {  # function call: who is not refused
  local role
  for role in olga ana mallory postgres; do
    PGUSER=$role session <<<"SELECT set_config('dpmix.at_release_plan', 'on', false); SET dpmix.at_release_plan = on; SELECT $2;" |
      grep -qE "PV002: dpmix_internal\.$1(_size)?\(.*is no function to call" || echo "$role"
  done | paste -sd' '
}
for function in $trees; do
  while IFS= read -r call; do check "$call is refused to all" "" "$(answered "$function" "$call")"; done < <(calls "$function")
done
sql "CREATE FUNCTION dpmix_internal.planted(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1'" >/dev/null
check "one that is not would be found" "olga ana mallory postgres" "$(answered planted "$(calls planted)")"
sql "DROP FUNCTION dpmix_internal.planted" >/dev/null
sql "ALTER ROLE olga RESET dpmix.at_release_plan" >/dev/null
force=$(sql "SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')")
check_match "in a parallel worker too" 'PV002.*is no function to call.*CONTEXT:  parallel worker' "$(PGUSER=olga session <<<"SET $force = on; SELECT dpmix_internal.class_number('{F}', 'F'::text); SELECT dpmix_internal.block_number('2026-01-01'::date, 1, id) FROM people;" | tr '\n' ' ')"

# The same functions in plans of dpmix's own, alone and in parallel workers.
PGUSER=olga sql "SET client_min_messages = error;
  CREATE TABLE stays (person int NOT NULL, day date NOT NULL, x int, note text); INSERT INTO stays SELECT i % 100, date '2026-01-01' + i % 30, i % 10, repeat('x', i % 9) FROM generate_series(1, 20000) i;
  SELECT dpmix.protect('stays', 1e6, .1, privacy_unit => 'person', max_rows_per_unit => 10, blocks => 'day', blocks_from => '2026-01-01'); SELECT dpmix.set_bounds('stays', 'x', 0, 10);
  CREATE TABLE notes (id int, note text); INSERT INTO notes SELECT i, repeat('x', i % 9) FROM generate_series(1, 20000) i; SELECT dpmix.protect('notes', 1e6, .1, accountant => 'basic')" >/dev/null
sql "VACUUM ANALYZE" >/dev/null
for workers in 0 2; do
  said=$(PGUSER=olga session <<<"SET client_min_messages = error; SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
    SELECT abs(n - 8888) < 300 FROM dpmix.query('SELECT dp_count(*) FROM notes WHERE length(note) < 4', 10) AS t(n bigint);
    SELECT abs(n - 9) < 5 FROM dpmix.query('SELECT dp_count_distinct(note) FROM notes', 10) AS t(n bigint);
    SELECT abs(n - 1000) < 300 FROM dpmix.query('SELECT dp_count(*) FROM stays', 10, all_blocks => true) AS t(n bigint);
    SELECT name FROM dpmix.create_counter('c$workers', 'SELECT dp_count(*) AS n FROM stays', '1 day', '30 days', 1, 1e-9);
    SELECT count(*) FROM dpmix.run_counter('c$workers', '2026-01-11');")
  check "releases with $workers workers run" "t t t c$workers 1" "$(paste -sd' ' <<<"$said")"
done
check "no backend crashed" 0 "$(grep -c 'terminated by signal' "$CLUSTER/log")"
