#!/usr/bin/env bash
# Settings, of the session, of a role, of the database (by its owner, who is no superuser): none changes
# what is charged, how it is recorded, how durable it is, or what an answer costs.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "dpmix.ledger_idle_timeout = 1s"
sql "CREATE ROLE dora LOGIN; ALTER DATABASE postgres OWNER TO dora"
text="SELECT sex, dp_count(*), dp_sum(wage) FROM public.people WHERE wage > 0.5 AND sex <> 'it''s \\ %s' GROUP BY sex"
ask="SELECT count(n) FROM dpmix.query(\$q\$$text\$q\$, 0.1, 1e-7, 'gaussian') AS t(sex text, n bigint, s float8)"
recorded() { sql "SELECT relation, role, granted_to, kind, mechanism, epsilon, delta, cost, cost_delta, (parameters->>'query') = \$q\$$text\$q\$, parameters->'groups', translate(parameters->>'statistics', '\"\\\\', '') FROM dpmix.charge ORDER BY id DESC LIMIT 1"; }
check "answered without any setting" 2 "$(PGUSER=ana sql "SET client_min_messages = warning; $ask")"
expected=$(recorded)
check_match "and recorded in full" '^public.people\|ana\|ana\|query\|gaussian\|0.1\|0.0000001\|.*\|t\|2\|' "$expected"

# Of the session. What is printed, parsed, planned and committed in other ways.
settings=("DateStyle = 'SQL, DMY'" "IntervalStyle = 'sql_standard'" "extra_float_digits = -15" "bytea_output = 'escape'" "client_encoding = 'LATIN1'" "lc_numeric = 'C'"
  "standard_conforming_strings = off" "quote_all_identifiers = on" "array_nulls = off" "transform_null_equals = on" "backslash_quote = on" "xmloption = document"
  "TimeZone = 'Asia/Kathmandu'" "row_security = off" "synchronous_commit = off" "default_transaction_read_only = on" "default_transaction_isolation = 'repeatable read'" "default_transaction_deferrable = on"
  "lock_timeout = '10s'" "idle_in_transaction_session_timeout = '1h'" "enable_seqscan = off" "enable_hashagg = off" "enable_sort = off" "work_mem = '64kB'" "plan_cache_mode = force_generic_plan"
  "max_parallel_workers_per_gather = 8" "geqo_threshold = 2" "from_collapse_limit = 1" "constraint_exclusion = on" "default_table_access_method = 'heap'" "check_function_bodies = off"
  "search_path = ''" "temp_tablespaces = ''" "default_toast_compression = 'pglz'" "escape_string_warning = off" "jit = on")
all=""
for setting in "${settings[@]}"; do all="$all SET $setting;"; done
# One by one within a session; what needs a superuser is refused and changes nothing.
before=$(all_charges)
{ for setting in "${settings[@]}"; do printf 'SET %s;\n%s;\nRESET ALL;\n' "$setting" "$ask"; done; } | PGUSER=ana session >"$CLUSTER/settings" || true
check "each of ${#settings[@]} settings: answered" "${#settings[@]}" "$(grep -c '^2$' "$CLUSTER/settings")"
check "each charged, and recorded in the same words" "${#settings[@]}|1" \
  "$(sql "SELECT count(*), count(DISTINCT (relation, role, granted_to, kind, mechanism, epsilon, delta, cost, cost_delta, translate(parameters::text, '\"\\\\', ''))) FROM dpmix.charge WHERE id > 1")"
check "the record with the last" "$expected" "$(recorded)"
costs "all of them at once" 1 '(^| )2 ?$' <<<"$all $ask;"
check "the same record" "$expected" "$(recorded)"
costs "every transaction SERIALIZABLE: refused" 0 'PV002' <<<"SET default_transaction_isolation = 'serializable'; $ask;"
costs "SET LOCAL inside, rolled back" 1 '(^| )2 $' <<<"BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL quote_all_identifiers = on; $ask; ROLLBACK;"
check "the same record again" "$expected" "$(recorded)"
costs "the timeout of an earlier statement" 1 '57014.* 2 $' <<<"SET statement_timeout = '1ms'; SELECT pg_sleep(1); RESET statement_timeout; $ask;"

# dpmix's own setting is a superuser's, also when it was set before the library was there.
check "dpmix.ledger_idle_timeout set before the library is loaded falls back" "1s" \
  "$(PGUSER=ana session <<<"SET dpmix.ledger_idle_timeout = '1h'; SELECT count(*) FROM dpmix.preview('SELECT dp_count(*) FROM people', 1) \\g /dev/null
SHOW dpmix.ledger_idle_timeout;" | tail -1)"
check_match "and is refused afterwards" 42501 "$(PGUSER=ana session <<<"SELECT count(*) FROM dpmix.preview('SELECT dp_count(*) FROM people', 1) \\g /dev/null
SET dpmix.ledger_idle_timeout = 0;")"
check_match "a role cannot keep it for itself" 42501 "$(PGUSER=ana sql "ALTER ROLE ana SET dpmix.ledger_idle_timeout = 0")"
check_match "nor the database's owner for all" 42501 "$(PGUSER=dora sql "ALTER DATABASE postgres SET dpmix.ledger_idle_timeout = 0")"
check_match "triggers are not switched off" 42501 "$(PGUSER=dora sql "ALTER DATABASE postgres SET session_replication_role = replica")"

# Of the database, where they reach the ledger worker too.
of_database() { PGUSER=dora sql "ALTER DATABASE postgres SET $1"; }
for setting in "${settings[@]}" "statement_timeout = '5s'" "idle_session_timeout = '1h'" "role = 'mallory'" "commit_siblings = 0" "transaction_timeout = '5s'" "parallel_setup_cost = 0" "debug_print_plan = on" "trace_notify = on"; do
  of_database "$setting" >/dev/null 2>&1 || true
done
wait_until 10 no_worker
check_match "the database's settings are in force" 'on$' "$(PGUSER=dora PGOPTIONS='-c role=none' sql "SHOW quote_all_identifiers")"
export PGOPTIONS="-c role=none -c escape_string_warning=on -c standard_conforming_strings=on"
costs "a worker started under all the settings of the database" 1 '(^| )2 $' <<<"$ask;"
check "the same record still" "$expected" "$(recorded)"
costs "refusals under them" 0 'PV006' mallory <<<"$ask;"
check "the charge was flushed: it survives an immediate shutdown" "$(all_charges)" "$(cluster_restart immediate >/dev/null; all_charges)"
export PGOPTIONS="-c role=none -c default_transaction_read_only=off"
sql "ALTER DATABASE postgres RESET ALL"
export PGOPTIONS=
check "nobody was charged but ana" ana "$(sql "SELECT string_agg(DISTINCT role, ' ') FROM dpmix.charge")"
