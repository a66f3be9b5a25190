#!/usr/bin/env bash
# dpmix.metrics(), and packaging/monitoring: each SQL of queries.yaml runs as a monitoring role and has the columns that
# the file describes; dashboard and alerts use no metric that queries.yaml doesn't make.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster
sql "CREATE ROLE monitor LOGIN IN ROLE pg_monitor" >/dev/null
PGUSER=olga sql "SELECT dpmix.grant_audit('people', 'monitor'); CREATE TABLE other (x int); SELECT dpmix.protect('other', 1, 0, accountant => 'basic')" >/dev/null
PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people', 2) AS t(n bigint)" >/dev/null
PGUSER=ana sql "SELECT name FROM dpmix.create_schedule('hourly', 'SELECT dpmix.query(''SELECT sex, dp_count(*) AS n FROM people GROUP BY sex'', 1)', '1 hour', result_table => 'hourly')" >/dev/null

metric() { PGUSER=$1 sql "SELECT string_agg(concat_ws(' ', labels ->> 'relation', labels ->> 'role', labels ->> 'schedule', value), ', ' ORDER BY labels::text) FROM dpmix.metrics() WHERE name = '$2'"; }
check "the monitor sees what was spent" "public.people 2" "$(metric monitor dpmix_table_epsilon_spent)"
check "in which share" "public.people 2e-06" "$(metric monitor dpmix_table_share_spent)"
check "how often" "public.people 1" "$(metric monitor dpmix_table_charges_total)"
check "by whom, up to which cap" "public.people ana 2, public.people bob 0 public.people ana Infinity, public.people bob 1000" \
  "$(metric monitor dpmix_role_epsilon_declared) $(metric monitor dpmix_role_epsilon_cap)"
check "schedules" "hourly 1 hourly 3600" "$(metric monitor dpmix_schedule_active) $(metric monitor dpmix_schedule_period_seconds)"
check "that charges are admitted" 1 "$(metric monitor dpmix_server_ledger_ready)"
check "and worker slots" "16 t" "$(metric monitor dpmix_server_worker_slots) $(PGUSER=monitor sql "SELECT value >= 1 FROM dpmix.metrics() WHERE name = 'dpmix_server_worker_slots_used'")"
check "the owner sees both tables" "public.other 0, public.people 2" "$(metric olga dpmix_table_epsilon_declared)"
check "an analyst sees the budget it may see anyway" "public.people 2" "$(metric ana dpmix_table_epsilon_spent)"
check "and of the grants its own" "public.people bob 0" "$(metric bob dpmix_role_epsilon_declared)"
check "a stranger sees no table and no process" "dpmix_server_info dpmix_server_ledger_ready dpmix_server_worker_slots" \
  "$(PGUSER=mallory sql "SELECT string_agg(name, ' ' ORDER BY name) FROM dpmix.metrics()")"
check "names in the caller's search path change nothing" "public.people 2" \
  "$(PGUSER=mallory sql "CREATE SCHEMA mallory" 2>/dev/null >/dev/null; sql "CREATE SCHEMA m; CREATE TABLE m.pg_stat_activity (x int)"; PGUSER=monitor sql "SET search_path = m, public, pg_catalog; SELECT concat(labels ->> 'relation', ' ', value) FROM dpmix.metrics() WHERE name = 'dpmix_table_epsilon_spent'")"
sql "INSERT INTO dpmix.ledger_stamp (at, role, reason, system_identifier, timeline, database, control_inode, machine_id, record)
     SELECT now(), 'x', 'as if restored elsewhere', 1, timeline, database, control_inode, machine_id, record FROM dpmix.ledger_stamp ORDER BY id DESC LIMIT 1" >/dev/null
check "after a restore elsewhere no charge is admitted" 0 "$(metric monitor dpmix_server_ledger_ready)"
sql "SELECT dpmix.adopt_ledger('metrics test')" >/dev/null 2>&1
check "until it is adopted" 1 "$(metric monitor dpmix_server_ledger_ready)"

# The file's queries, as lines "key|column column|query"; it is YAML of a simple form that awk can read.
queries=$(awk '/^dpmix_/ { if (key) print key "|" columns "|" query; key = $1; sub(":", "", key); columns = ""; query = ""; inside = 0 }
  /^  query:/ { inside = 1; next } /^  metrics:/ { inside = 0 } inside { query = query " " $0 }
  /^    - / { c = $2; sub(":", "", c); columns = columns (columns ? " " : "") c }
  END { print key "|" columns "|" query }' packaging/monitoring/queries.yaml)
made=""
while IFS='|' read -r key columns query; do
  check "$key has the columns it describes" "$columns" "$(PGUSER=monitor psql -XAtq -P tuples_only=off -P footer=off -F' ' -c "$query LIMIT 0")"
  check "and no value is missing" 0 "$(PGUSER=monitor sql "SELECT count(*) FROM ($query) q WHERE q::text ~ '[(,][,)]' AND '$key' <> 'dpmix_role'")"
  for column in $columns; do made+="${key}_$column "; done
done <<<"$queries"
check "it makes every metric that dpmix.metrics() has" "" "$(for name in $(sql "SELECT DISTINCT name FROM dpmix.metrics()"); do [[ " $made" == *" $name "* ]] || echo "$name"; done)"
check_command "the dashboard is JSON" python3 -m json.tool packaging/monitoring/grafana.json
for file in grafana.json alerts.yaml; do
  used=$(grep -E '"?expr"?:' packaging/monitoring/$file | grep -oE 'dpmix_[a-z_]+' | sort -u)
  check "$file uses metrics" t "$([ "$(wc -w <<<"$used")" -ge 7 ] && echo t)"
  check "and none that is not made" "" "$(for name in $used; do [[ " $made" == *" $name "* ]] || echo "$name"; done)"
done
