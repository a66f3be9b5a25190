#!/usr/bin/env bash
# By hand, where PG_CONFIG names a server that has Citus: questions about people, of which Citus runs the sub-selects on
# the shards whole. Answers, charges and exact states are those of one machine; what is not run so is refused before a
# charge. Two minutes; stand_in.test.sh asks the same without Citus.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/citus_lib.sh
. test/server/scale/layers_lib.sh
citus_start 2 "log_statement = 'all'" "shared_buffers = 128MB"
on_node 0 -c "ALTER SYSTEM SET log_statement = 'none'" -c 'SELECT pg_reload_conf()' >/dev/null
make() { for prefix in local_ ""; do "$1" "$prefix"; done; }
sql >/dev/null <<SQL
SET client_min_messages = error;
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT ALL ON SCHEMA public TO keeper;
$(make layers_tables)
SELECT create_distributed_table('patients', 'patient_id', shard_count => 5), create_distributed_table('visits', 'patient_id', colocate_with => 'patients'), create_reference_table('kinds');
$(make layers_rows)
$(for table in patients visits kinds; do echo "ALTER TABLE $table OWNER TO keeper; ALTER TABLE local_$table OWNER TO keeper;"; done)
GRANT SELECT ON kinds, local_kinds TO analyst;
SET ROLE keeper;
$(make layers_declarations)
SQL
make_parts

ask() { as analyst "SET client_min_messages = error; SELECT * FROM dpmix.query(\$q\$${1//@/$3}\$q\$, ${4:-1e5}, 1e-6) AS t($2)"; }

# 1. Answers, charges, and the states behind them --------------------------------------------------------------------
statements='SELECT .* FROM \(*.*public\.(visits|patients)_1[0-9]{5} .*'
for query in "${layer_queries[@]}"; do
  mark
  answer=$(ask "${query%%|*}" "${query##*|}" "")
  same_but_for_noise "answer as one machine: ${query%%|*}" "$(ask "${query%%|*}" "${query##*|}" local_)" "$answer"
  sleep .2
  compare_parts "$statements"
  check "its states, merged, are those of the same statement here" "0|5" \
    "$(sql -c "SELECT count(*), (SELECT count(DISTINCT s) FROM regexp_split_to_table(\$s\$$(cat "$CLUSTER/statements")\$s\$, E'\n') s) FROM ($differ) differ")"
done
release() { as analyst "SET client_min_messages = error; SELECT ${1//@/$2}"; }
for kind in "round(rows_estimated::numeric, 1) FROM dpmix.release_tree('@persons', source => 'SELECT patient_id, count(*) AS c, sum(cost) AS s FROM @visits GROUP BY patient_id', columns => '{c,s}', epsilon => 1e4, delta => 1e-6)" \
  "round(rows_estimated::numeric, 1) FROM dpmix.release_tree('@several', source => 'SELECT patient_id, kind, days FROM @visits WHERE days > 3 AND patient_id > 5', columns => '{kind,days}', epsilon => 1e4, delta => 1e-6)"; do
  same_but_for_noise "a model of such rows, as of one machine" "$(release "$kind" local_)" "$(release "$kind" "")"
done
check "and charge as much" "$(charges true)" "$(charges false)"

# 2. Refused before a charge -----------------------------------------------------------------------------------------
before=$(sql -c 'SELECT count(*) FROM dpmix.charge')
for refusal in "${layer_refusals[@]}" "SELECT dp_count(*) FROM @patients p WHERE p.patient_id NOT IN (SELECT v.patient_id FROM @visits v WHERE days > 3)|n bigint|Citus would not answer this query on the shards alone"; do
  IFS='|' read -r text columns message <<<"$refusal"
  said=$(ask "$text" "$columns" "") || true
  has "PV002: $message" PV002 "$said"
  has "which it says" "$message" "$said"
done
check "none of these is charged" "$before" "$(sql -c 'SELECT count(*) FROM dpmix.charge')"
exit $bad
