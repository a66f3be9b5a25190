#!/usr/bin/env bash
# Dumps: what owners said about memory and what roles were shown comes along; answers and the secret of their keys do
# not.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/memory/lib.sh
memory_cluster
PGUSER=olga sql "SELECT dpmix.set_memory('people', '7 days', 'table'), dpmix.new_edition('people'), dpmix.grant_access('people', 'bob', 1),
  dpmix.set_time_quantum('people', 'day', '7 days')" >/dev/null
people_table quiet
PGUSER=olga sql "SELECT dpmix.set_memory('quiet', '0')" >/dev/null

count="SELECT dp_count(*) FROM people"
in_copy() { PGUSER=$1 PGOPTIONS='-c client_min_messages=warning' sql "SELECT string_agg(a::text, ' ') FROM dpmix.query_json('$2', $3, 1e-9, 'gaussian') a" copy || true; }
spent() { sql "SELECT epsilon_declared FROM dpmix.role_budget WHERE role = 'bob' AND relation = 'people'::regclass" "${1:-postgres}"; }
charges_there() { sql "SELECT count(*) FROM dpmix.charge" copy; }
PGUSER=ana asked "$count" .4 "'gaussian'" >/dev/null
PGUSER=bob asked "$count" .4 "'gaussian'" >/dev/null
check "before: bob was shown what ana paid" "0.4 1" "$(spent) $(sql "SELECT count(*) FROM dpmix.sight")"
said="SELECT p.table_name, m.keep_seconds, m.scope, m.edition FROM dpmix.memory_terms m JOIN dpmix.protected_table p ON p.id = m.table_id ORDER BY 1"
before=$(sql "$said")

sql "CREATE DATABASE copy" >/dev/null
"$BIN/pg_dump" postgres | psql -X -q -v ON_ERROR_STOP=1 -d copy >/dev/null
check_match "restored, it is frozen: memory answers nothing" PV004 "$(in_copy ana "$count" .4)"
sql "SET client_min_messages = warning; SELECT dpmix.adopt_ledger('restored')" copy >/dev/null
check "terms and editions came along" "$before" "$(sql "$said" copy)"
check "answers did not" "0" "$(sql "SELECT count(*) FROM dpmix.memory_item" copy)"
check "nor the secret" f "$(sql "SELECT (SELECT secret::text FROM dpmix.memory_secret) = '$(sql "SELECT secret FROM dpmix.memory_secret")'" copy)"
check "nor is either in the dump" 0 "$("$BIN/pg_dump" postgres | grep -cE "COPY dpmix.memory_(item|secret)" || true)"
check "time quanta came along" "7 days" "$(sql "SELECT time_quantum FROM dpmix.columns WHERE relation = 'people'::regclass AND column_name = 'day'" copy)"
check "sights came along, and count" "0.4 1" "$(spent copy) $(sql "SELECT count(*) FROM dpmix.sight" copy)"
check_match "against the cap, for the worker too" 'PV001.*cap of role' "$(in_copy bob "$count" .7)"

check_match "asked there, it is charged" '^[{]' "$(in_copy ana "$count" .3)"
check "once" 2 "$(charges_there)"
shown=$(in_copy bob "$count" .3)
check "the scope holds: bob sees what ana paid there" "$shown" "$(in_copy ana "$count" .3)"
check "free, and as one more sight" "2 0.7 2" "$(charges_there) $(spent copy) $(sql "SELECT count(*) FROM dpmix.sight" copy)"
in_copy bob "$count" .3 >/dev/null
check "once" 0.7 "$(spent copy)"
check_match "beyond the cap it is shown nothing" PV001 "$(in_copy ana "SELECT dp_sum(wage) FROM people" .5 >/dev/null; in_copy bob "SELECT dp_sum(wage) FROM people" .5)"
check "a table whose owner keeps nothing keeps nothing" 2 "$(from=$(charges_there); in_copy ana "SELECT dp_count(*) FROM quiet" .1 >/dev/null
  in_copy ana "SELECT dp_count(*) FROM quiet" .1 >/dev/null; echo $(($(charges_there) - from)))"
check "the original still answers from memory" 0 "$(PGUSER=ana paid asked "$count" .4 "'gaussian'")"

# Taken out and put in again, as an extension alone, it has another secret.
sql "CREATE DATABASE fresh" >/dev/null
sql "CREATE EXTENSION dpmix" fresh >/dev/null
check "each database has a secret of its own" f "$(sql "SELECT (SELECT secret::text FROM dpmix.memory_secret) = '$(sql "SELECT secret FROM dpmix.memory_secret")'" fresh)"
