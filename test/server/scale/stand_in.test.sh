#!/usr/bin/env bash
# What dpmix sends to Citus's shards, without Citus: a catalog of its names says that tables are distributed, and the
# statements run over their rows here. Answers and charges are those of tables that are not. citus*.sh ask Citus itself.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
. test/server/scale/layers_lib.sh
cluster_start "autovacuum = off" "dpmix.warn_of_weak_budgets = off" "dpmix.memory_keep = 0"
sql "CREATE EXTENSION dpmix; CREATE ROLE keeper LOGIN; CREATE ROLE analyst LOGIN; GRANT ALL ON SCHEMA public TO keeper; GRANT CREATE ON SCHEMA public TO analyst" >/dev/null
sql "SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass NOT NULL, partmethod \"char\", partkey text, colocationid int, repmodel \"char\");
CREATE INDEX pg_dist_partition_logical_relid_index ON pg_catalog.pg_dist_partition (logicalrelid);
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass NOT NULL, shardid bigint NOT NULL);
CREATE INDEX pg_dist_shard_logical_relid_index ON pg_catalog.pg_dist_shard (logicalrelid);
CREATE INDEX pg_dist_shard_shardid_index ON pg_catalog.pg_dist_shard (shardid);
CREATE TABLE pg_catalog.pg_dist_placement (shardid bigint NOT NULL, groupid int NOT NULL);
CREATE INDEX pg_dist_placement_shardid_index ON pg_catalog.pg_dist_placement (shardid);
CREATE INDEX pg_dist_placement_groupid_index ON pg_catalog.pg_dist_placement (groupid);
CREATE TABLE pg_catalog.pg_dist_node (nodename text, nodeport int, isactive boolean);
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int NOT NULL);
INSERT INTO pg_catalog.pg_dist_local_group VALUES (0);
GRANT SELECT ON pg_catalog.pg_dist_node TO PUBLIC;
CREATE FUNCTION pg_catalog.run_command_on_workers(command text, parallel boolean = true) RETURNS TABLE (nodename text, nodeport int, success boolean, result text) LANGUAGE plpgsql AS \$\$
DECLARE answer text;
BEGIN
  EXECUTE command INTO answer;
  RETURN QUERY SELECT n.nodename, n.nodeport, current_user <> coalesce(nullif(current_setting('stand_in.refused', true), ''), '-'),
                      CASE WHEN command LIKE '%extversion%' THEN coalesce(nullif(current_setting('stand_in.version', true), ''), answer) ELSE answer END
                 FROM pg_catalog.pg_dist_node n WHERE n.isactive AND n.nodename <> 'here';
END \$\$;
CREATE FUNCTION pg_catalog.get_current_transaction_id(OUT transaction_number bigint, OUT at timestamptz) LANGUAGE sql AS 'SELECT 0::bigint, now()';
CREATE FUNCTION distribute(t regclass, col text) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  EXECUTE format('ALTER TABLE %s ADD CONSTRAINT key_of_shards CHECK (%I IS NOT NULL)', t, col);
  INSERT INTO pg_dist_partition SELECT t, 'h', substring(conbin::text FROM '\{VAR [^}]*\}'), 1, 's' FROM pg_constraint WHERE conrelid = t AND conname = 'key_of_shards';
  EXECUTE format('ALTER TABLE %s DROP CONSTRAINT key_of_shards', t);
  INSERT INTO pg_dist_shard SELECT t, t::oid::bigint * 10 + i FROM generate_series(0, 3) i;
  INSERT INTO pg_dist_placement SELECT shardid, 1 + shardid % 2 FROM pg_dist_shard WHERE logicalrelid = t;
END \$\$" >/dev/null
export PGOPTIONS="-c client_min_messages=error"
make() { for prefix in local_ ""; do "$1" "$prefix"; done; }
PGUSER=keeper sql "$(make layers_tables) $(make layers_rows)" >/dev/null
sql "SELECT distribute('patients', 'patient_id'), distribute('visits', 'patient_id'); INSERT INTO pg_dist_partition VALUES ('kinds', 'n', NULL, 2, 't');
     GRANT SELECT ON kinds, local_kinds TO analyst" >/dev/null
check "tables that are distributed are protected as others are" '' "$(PGUSER=keeper sql "$(make layers_declarations)" | grep -E 'ERROR|DETAIL' || true)"
check "some have more visits than count" t "$(sql "SELECT max(n) > 60 FROM (SELECT count(*) AS n FROM visits GROUP BY patient_id) v")"

asked() { PGUSER=analyst sql "SELECT * FROM dpmix.query(\$q\$${1//@/$3}\$q\$, ${4:-1e5}, 1e-6${5:+, $5}) AS t($2)"; }
rounded() { awk -F'|' -v OFS='|' '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9.e+-]+$/) $i = sprintf("%.2f", $i); print }'; }
charges() { sql "SELECT string_agg(format('%s of %s %s %s', n, epsilon, delta, mechanism), '; ' ORDER BY epsilon, delta, mechanism) FROM (
  SELECT count(*) AS n, c.epsilon, c.delta, c.mechanism FROM dpmix.charge c JOIN dpmix.protected_table t ON t.id = c.table_id WHERE t.table_name LIKE 'local%' = $1 GROUP BY 2, 3, 4) kinds"; }
plain_queries=(
  "SELECT sex, dp_count(*), dp_avg(age) FROM @patients GROUP BY sex|s text, n bigint, a float8"
  "SELECT sex, kind, dp_count(*), dp_sum(cost) / 1000 FROM @patients AS p JOIN @visits AS v ON p.patient_id = v.patient_id GROUP BY sex, kind|s text, k text, n bigint, c float8"
  "SELECT kind, dp_count(*) FILTER (WHERE cost > 50), dp_count_distinct(patient_id) FROM @visits GROUP BY kind|k text, n bigint, p bigint"
  "SELECT dp_count(*), dp_count(cost), dp_sum(cost) / 1000, dp_stddev(cost), dp_count_distinct(patient_id) FILTER (WHERE days > 5), dp_count(*) FILTER (WHERE cost > 50) FROM @visits|n bigint, c bigint, s float8, d float8, p bigint, f bigint"
  "SELECT kind, dp_count(cost), dp_sum(cost) / 1000, dp_stddev(days) FILTER (WHERE cost > 50), dp_count_distinct(patient_id) FILTER (WHERE days > 5), dp_histogram(days, ARRAY[0,5,10,31]) FROM @visits GROUP BY kind|k text, c bigint, s float8, d float8, p bigint, h bigint[]"
  "SELECT dp_median(age), dp_count_distinct(sex), dp_count(*) FROM @patients|m float8, d bigint, n bigint"
)
same() {  # $1: name $2: of a local table $3: of one that is distributed
  local near
  near=$(paste -d'|' <(rounded <<<"$2" | tr '|,{}' '\n') <(rounded <<<"$3" | tr '|,{}' '\n') |
    awk -F'|' '$1 != $2 && !($1 ~ /^-?[0-9.]+$/ && $2 ~ /^-?[0-9.]+$/ && ($1 - $2) ^ 2 <= (1.01 + .001 * $1) ^ 2)')
  if [ -z "$near" ] && [[ $2 != *ERROR* ]]; then echo "ok - $1"; else echo "not ok - $1: ${2:0:200} / ${3:0:300} ($near)"; fi
}
for query in "${plain_queries[@]}" "${layer_queries[@]}"; do
  same "as of a local table: ${query%%|*}" "$(asked "${query%%|*}" "${query##*|}" local_)" "$(asked "${query%%|*}" "${query##*|}" "")"
done
# Where all rows count, which ones are picked does not matter.
all=$(sql "SELECT max(n) FROM (SELECT count(*) AS n FROM visits GROUP BY patient_id) v")
for query in "SELECT kind, dp_median(cost), dp_count(*), dp_quantile(days, 0.9) FILTER (WHERE cost > 20), dp_sum(cost) / 1000 FROM @visits GROUP BY kind|k text, m float8, n bigint, q float8, s float8" \
  "SELECT dp_median(cost), dp_quantile(days, 0.25) FROM @visits WHERE days < 25|m float8, q float8" \
  "SELECT sex, dp_count_distinct(kind), dp_count(*) FROM @patients AS p JOIN @visits AS v ON p.patient_id = v.patient_id GROUP BY sex|s text, k bigint, n bigint"; do
  same "as of a local table, all rows: ${query%%|*}" "$(asked "${query%%|*}" "${query##*|}" local_ 5e5 "max_rows => $all")" "$(asked "${query%%|*}" "${query##*|}" "" 5e5 "max_rows => $all")"
done
found="SELECT days % 7 AS d, dp_count(*), dp_sum(cost) / 1000 FROM @visits GROUP BY 1 ORDER BY 1"
for with in "max_rows => $all" "max_groups => 7"; do
  same "groups that are found, $with" "$(asked "$found" "d int, n bigint, s float8" local_ 5e5 "keys => 'discover', $with")" "$(asked "$found" "d int, n bigint, s float8" "" 5e5 "keys => 'discover', $with")"
done
check "at the same price" "$(charges true)" "$(charges false)"

# Of one person no more rows than may: a thousand of one against one each of fifty. Nor more groups.
sql "CREATE TABLE many (person int, x int, g int); INSERT INTO many SELECT 0, 90, i FROM generate_series(1, 1000) i; INSERT INTO many SELECT i, 10, 1 FROM generate_series(1, 50) i;
     ALTER TABLE many OWNER TO keeper; SELECT distribute('many', 'person')" >/dev/null
PGUSER=keeper sql "SELECT dpmix.protect('many', 1e7, 1e-3, privacy_unit => 'person', max_rows_per_unit => 5), dpmix.set_bounds('many', 'x', 0, 100), dpmix.grant_access('many', 'analyst')" >/dev/null
for query in "SELECT dp_median(x) FROM many|m float8" "SELECT dp_median(x), dp_count(*) FROM many|m float8, n bigint"; do
  check "five rows of a person are in a median: $query" t "$(sql "SELECT '$(asked "${query%%|*}" "${query##*|}" "" 1e5 | cut -d'|' -f1)'::float8 BETWEEN 9 AND 12")"
done
# Each of these may with a chance of 10^-6: two will not.
check "of a thousand groups of one person hardly any comes back, of fifty people's one does" t "$(asked "SELECT g, dp_count(*) FROM many GROUP BY g" "g int, n bigint" "" 4 "keys => 'discover'" | awk -F'|' '$1 == 1 { one = 1 } END { print one && NR <= 2 ? "t" : "f" }')"
check_match "a small epsilon, for which other noise would be less: none comes back" '^$' "$(PGUSER=analyst sql "SELECT * FROM dpmix.query('SELECT g, dp_count(*) FROM many GROUP BY g', .001, 1e-9, keys => 'discover') AS t(g int, n bigint)")"
check_match "which rows count is said" "of each privacy unit at most 5 rows count, always the same ones" "$(PGOPTIONS='' PGUSER=analyst sql "SELECT * FROM dpmix.query('SELECT dp_median(x) FROM many', 1, 1e-6) AS t(m float8)" | grep -m 1 'always')"
check_match "max_groups where rows are picked: PV002" "PV002: max_groups with quantiles" "$(asked "SELECT g, dp_median(x) FROM many WHERE g IN (1, 2, 3) GROUP BY g" "g int, m float8" "" 1 "max_groups => 2" | head -1)"
check_match "groups that are found otherwise: PV002" "PV002: these groups cannot be found" "$(asked "SELECT g, dp_median(x) FROM many GROUP BY g" "g int, m float8" "" 1 "keys => 'discover'" | head -1)"

before=$(sql 'SELECT count(*) FROM dpmix.charge')
for refusal in "${layer_refusals[@]}"; do
  IFS='|' read -r text columns message <<<"$refusal"
  check_match "PV002: $message" "PV002.*$message" "$(asked "$text" "$columns" "" | head -1)"
done
check_match "public tables that lie here alone: PV002" "PV002.*public table public.local_kinds is not on every node" \
  "$(asked "SELECT dp_count(*) FROM (SELECT v.patient_id, count(*) AS c FROM @visits v JOIN local_kinds r ON r.kind = v.kind GROUP BY v.patient_id) x" "n bigint" "" | head -1)"
PGUSER=keeper sql "CREATE TABLE lab (patient_id bigint, x float8); SELECT dpmix.protect('lab', population => 'clinic', privacy_unit => 'patient_id', max_rows_per_unit => 3), dpmix.grant_access('lab', 'analyst')" >/dev/null
check_match "private tables that lie here: PV002" "PV002.*rows of one privacy unit of public.lab do not lie together on one shard" \
  "$(asked "SELECT dp_count(*) FROM (SELECT patient_id, count(*) AS c FROM visits GROUP BY patient_id) x JOIN lab l ON l.patient_id = x.patient_id" "n bigint" "" | head -1)"
check "none of these is charged" "$before" "$(sql 'SELECT count(*) FROM dpmix.charge')"

# Other kinds of releases: rows are picked where more may come ------------------------------------------------------
released() { PGUSER=analyst sql "SELECT $1" | sed -E 's/[{}()]/|/g; s/,/|/g'; }
kinds=(
  "(SELECT array_agg(round(n::numeric)) FROM unnest(row_counts) n) FROM dpmix.release_gmm('@mixture', '@patients', '{age}', 1e4, 1e-6, label => 'sex')"
  "round(rows_estimated::numeric, 1) FROM dpmix.release_regression('@logistic', '@patients', 'age > 30', '{sex}', 1e4, 1e-6, kind => 'logistic')"
  "round(rows_estimated::numeric, 1) FROM dpmix.release_cube('@cube', '@patients', keys => '{sex}', measures => '{count,avg(age)}', epsilon => 1e4, delta => 1e-6)"
  "count(*) FROM dpmix.synthesize(NULL::@patients, 200, 1e4, 1e-6, columns => '{sex,age}', method => 'copula')"
  "measure, round(real_value::numeric, 2) FROM dpmix.compare_private('@patients', 'made', 1e4, 1e-6, label => 'sex', columns => '{age}') WHERE measure IN ('complete_rows', 'mean', 'stddev')"
  "max_rows_per_unit FROM dpmix.suggest_unit_bounds('@visits', 1e4)"
  "round(rows_estimated::numeric, 1) FROM dpmix.release_tree('@persons', source => 'SELECT patient_id, count(*) AS c, sum(cost) AS s FROM @visits GROUP BY patient_id', columns => '{c,s}', epsilon => 1e4, delta => 1e-6)"
  "(SELECT array_agg(round(n::numeric)) FROM unnest(row_counts) n) FROM dpmix.release_gmm('@ages', source => 'SELECT p.patient_id, p.age, v.c FROM (SELECT patient_id, max(age) AS age FROM @patients GROUP BY patient_id) p JOIN (SELECT patient_id, count(*) AS c FROM @visits GROUP BY patient_id) v ON v.patient_id = p.patient_id', columns => '{age,c}', epsilon => 1e4, delta => 1e-6, components => 1)"
)
PGUSER=analyst sql "CREATE TABLE made AS SELECT CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END AS sex, i % 80 AS age FROM generate_series(1, 500) i" >/dev/null
for kind in "${kinds[@]}"; do
  same "as of a local table: $(grep -oE 'dpmix\.[a-z_]+' <<<"$kind")" "$(released "${kind//@/local_}")" "$(released "${kind//@/}")"
done
most() { sql "SELECT sum(least(n, $1)) FROM (SELECT count(*) AS n FROM visits WHERE cost <> 'NaN' AND kind IS NOT NULL GROUP BY patient_id) v"; }
for rows in 1 2 7 20; do
  PGUSER=keeper sql "SELECT dpmix.set_max_rows_per_unit('visits', $rows)" >/dev/null
  same "$rows rows of a patient count in a tree" "$(sql "SELECT sum(least(n, $rows)) FROM (SELECT count(*) AS n FROM visits GROUP BY patient_id) v")" \
    "$(released "round(rows_estimated::numeric) FROM dpmix.release_tree('tree$rows', 'visits', '{kind,days}', 1e4, 1e-6)")"
done
same "and of a source that has several of them" "$(sql "SELECT sum(least(n, 20)) FROM (SELECT count(*) AS n FROM visits WHERE days > 3 GROUP BY patient_id) v")" \
  "$(released "round(rows_estimated::numeric) FROM dpmix.release_tree('several', source => 'SELECT patient_id, kind, days FROM visits WHERE days > 3', columns => '{kind,days}', epsilon => 1e4, delta => 1e-6)")"
check "in a regression too, where a row that lacks a value is one of them" t "$(PGUSER=keeper sql "SELECT dpmix.set_max_rows_per_unit('visits', 2)" >/dev/null
  PGUSER=analyst sql "SELECT rows_estimated BETWEEN .8 * $(most 2) AND $(most 2) + 1 FROM dpmix.release_regression('r', 'visits', 'cost', '{days,kind}', 1e4, 1e-6)")"
told() { PGUSER=analyst sql "SELECT round(rows_estimated::numeric) FROM dpmix.release_regression('$1', 'visits', 'cost', '{days,kind}', 1e4, 1e-6); SELECT term, round(estimate::numeric, 2) FROM dpmix.regression('$1')"; }
once=$(told before)
sql "CREATE TABLE moved AS SELECT * FROM visits ORDER BY random(); TRUNCATE visits; INSERT INTO visits SELECT * FROM moved" >/dev/null
same "always the same rows, wherever they lie" "$once" "$(told after)"
before=$(sql 'SELECT count(*) FROM dpmix.charge')
check_match "a mixture wants one row of each unit: PV002" "PV002: a privacy unit of public.visits may have several rows" "$(released "name FROM dpmix.release_gmm('m', 'visits', '{days}', 1, 1e-6)" | head -1)"
check_match "cda wants records: PV002" "PV002: a synthetic table needs a table that is not distributed" "$(released "count(*) FROM dpmix.cda(NULL::patients, '{age}', 10, 1, 1e-6, label => 'sex')" | head -1)"
check "neither is charged" "$before" "$(sql 'SELECT count(*) FROM dpmix.charge')"

# Plain SQL: an answer takes the place of the tables that it reads, of which rights are left to check -----------------
sql "ALTER DATABASE postgres SET session_preload_libraries = 'dpmix'; CREATE SCHEMA private AUTHORIZATION keeper; GRANT USAGE ON SCHEMA private TO analyst" >/dev/null
PGUSER=keeper sql "SELECT dpmix.set_max_rows_per_unit('visits', 30)" >/dev/null
for prefix in local_ ""; do PGUSER=keeper sql "SELECT dpmix.expose('${prefix}visits', 'private.${prefix}visits', default_epsilon => 1e5, default_delta => 1e-6)" >/dev/null; done
plain() { PGUSER=analyst sql "${1//@/$2}"; }
ratios="SELECT country, count(*), 100.0 * count(*) FILTER (WHERE days > 5) / count(*) FROM private.@visits JOIN @kinds USING (kind) WHERE country IN ('x', 'y') GROUP BY country ORDER BY country"
same "ratios over a join with a public table" "$(plain "$ratios" local_)" "$(plain "$ratios" "")"
beside="SELECT x.kind, r.country, n FROM (SELECT kind, %s AS n FROM private.@visits WHERE kind IN ('a', 'b') GROUP BY kind) x JOIN @kinds r ON r.kind = x.kind ORDER BY 1"
same "answers beside a public table" "$(plain "${beside/\%s/count(*)}" local_)" "$(plain "${beside/\%s/count(*)}" "")"
before=$(sql 'SELECT count(*) FROM dpmix.charge')
check_match "computing there, which Citus would send to other nodes: PV002" "PV002: computing with private results beside a table that Citus keeps" "$(plain "${beside/\%s/1.0 * count(*) / sum(days)}" "" | head -1)"
sql "REVOKE SELECT ON kinds FROM analyst" >/dev/null
check_match "rights to public tables are checked" "42501: permission denied for table kinds" "$(plain "$ratios" "" | head -1)"
check_match "in sub-selects, too" "42501: permission denied for table kinds" "$(plain "SELECT count(*) FROM ($ratios) x" "" | head -1)"
sql "GRANT SELECT ON kinds TO analyst" >/dev/null
check "none of these is charged" "$before" "$(sql 'SELECT count(*) FROM dpmix.charge')"

# What does not suit on other nodes ---------------------------------------------------------------------------------
found() { sql "${1:+$1;} SELECT node, finding, split_part(remedy, E'\n', 2) FROM dpmix.check_cluster() WHERE finding NOT LIKE 'keeps record%'"; }
check_match "no nodes: PV005" "PV005: this server is the coordinator of no Citus cluster" "$(found | head -1)"
sql "INSERT INTO pg_catalog.pg_dist_node VALUES ('here', 5432, true), ('10.0.0.1', 5432, true), ('far.example', 5433, true)"
check "a role with access that is let in" "10.0.0.1:5432|role analyst can log in|host postgres keeper,postgres 10.0.0.1/32 scram-sha-256
far.example:5433|role analyst can log in|host postgres keeper,postgres 10.0.0.1/32 scram-sha-256" "$(found)"
check "one that is not" "" "$(found "SET stand_in.refused = 'analyst'")"
check_match "an owner who is not" "owner keeper cannot log in" "$(found "SET stand_in.refused = 'keeper'" | tail -1)"
check_match "another version" "10.0.0.1:5432.dpmix 0.1, where the coordinator has" "$(found "SET stand_in.version = '0.1'" | head -1)"
check_match "who is no superuser does not ask: 42501" "42501: only superusers" "$(PGUSER=keeper sql 'SELECT * FROM dpmix.check_cluster()' | head -1)"
sql "UPDATE pg_catalog.pg_dist_local_group SET groupid = 1"
check_match "nor does a worker: PV005" "PV005: this server is the coordinator of no Citus cluster" "$(found | head -1)"
sql "UPDATE pg_catalog.pg_dist_local_group SET groupid = 0; REVOKE EXECUTE ON FUNCTION pg_catalog.run_command_on_workers(text, boolean) FROM PUBLIC"
check_match "what may not be tried is said" "whether role analyst can log in was not tried" "$(found | head -1)"
