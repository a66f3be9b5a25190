#!/usr/bin/env bash
# A policy of 20 tables: exported, applied to a database with the same tables and no protection, and then there is
# nothing to change, nothing else in the catalog, and the same answer to the same question. Who applies, what is locked,
# what is on record.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
sql "CREATE ROLE olga LOGIN; CREATE ROLE team; GRANT team TO olga; CREATE ROLE ana LOGIN; CREATE ROLE bea; CREATE ROLE officer; CREATE ROLE readers" >/dev/null
for database in hospital fresh; do
  sql "CREATE DATABASE $database" >/dev/null
  sql "CREATE EXTENSION dpmix; GRANT CREATE ON DATABASE $database TO olga, team" "$database" >/dev/null
  PGUSER=olga session "$database" <<'SQL' >/dev/null
CREATE SCHEMA clinic; CREATE SCHEMA results; GRANT USAGE ON SCHEMA clinic TO ana;
SET search_path = clinic;
CREATE TABLE person (id int PRIMARY KEY, born date NOT NULL, sex text, zip text);
DO $$ BEGIN FOR i IN 1..7 LOOP
  EXECUTE format('CREATE TABLE event_%s (id bigint PRIMARY KEY, person int NOT NULL, at timestamptz, value float8, kind text)', i);
  EXECUTE format('CREATE TABLE detail_%s (event bigint NOT NULL, n int, score smallint)', i);
END LOOP; END $$;
CREATE TABLE day_log (id int, day date, page text);
CREATE TABLE tenant_log (id int, tenant text);
CREATE TABLE number_log (id int, n bigint);
CREATE TABLE survey (x int, answer boolean);
CREATE TABLE staff (id int, wage numeric);
CREATE TABLE code (code text PRIMARY KEY, chapter text);
CREATE TABLE unused (x int);
CREATE VIEW curated AS SELECT e.person, e.value FROM event_1 e JOIN person p ON p.id = e.person WHERE p.sex = 'f';
CREATE VIEW details AS SELECT e.person, d.score FROM detail_2 d JOIN event_2 e ON e.id = d.event;
SQL
done
PGUSER=olga session hospital <<'SQL' >"$CLUSTER/declared"
SET client_min_messages = error; SET search_path = clinic;
SELECT dpmix.create_population('persons', 4, 1e-6, 'gdp');
SELECT dpmix.protect('person', population => 'persons', privacy_unit => 'id');
SELECT FROM dpmix.declare('person', '{"born": ["1900-01-01", "2030-01-01"], "sex": ["f", "m"], "zip": {"categories": ["1", "2"], "other": true}}');
DO $$ BEGIN FOR i IN 1..7 LOOP
  PERFORM dpmix.protect(format('event_%s', i)::regclass, population => 'persons', privacy_unit => 'person', max_rows_per_unit => 10 * i, guard_unit => i % 2 = 0);
  PERFORM dpmix.protect(format('detail_%s', i)::regclass, population => 'persons', unit_through => format('event_%s', i)::regclass,
                        link => '{event}', max_rows_per_unit => 50);
  PERFORM dpmix.declare(format('event_%s', i)::regclass, jsonb_build_object('at', '["2020-01-01", "2030-01-01"]'::jsonb, 'value', jsonb_build_array(-i / 3., 1e6)));
  PERFORM dpmix.declare(format('detail_%s', i)::regclass, '{"score": {"bounds": [1, 5], "categories": [1, 2, 3, 4, 5]}}');
  PERFORM dpmix.grant_access(format('event_%s', i)::regclass, 'ana', i, i / 1000., 60 * i);
  PERFORM dpmix.expose(format('event_%s', i)::regclass, format('results.event_%s', i), i / 10., comments => i < 3);
END LOOP; END $$;
SELECT dpmix.grant_access('person', 'ana');
SELECT dpmix.grant_access('curated', 'bea', epsilon => .5, max_charges_per_minute => 6), dpmix.grant_access('details', 'bea');
SELECT dpmix.set_time_quantum('event_1', 'at', '5 min'), dpmix.set_memory('event_1', '30 days', 'table'), dpmix.grant_audit('event_1', 'officer');
SELECT dpmix.protect('day_log', 1, 1e-7, blocks => 'day', width => '2 days', blocks_from => '2026-01-01'),
       dpmix.protect('tenant_log', 1, 1e-7, accountant => 'gaussian', blocks => 'tenant'),
       dpmix.protect('number_log', 1, 0, accountant => 'basic', blocks => 'n', width => '1000', blocks_from => '-5'),
       dpmix.protect('survey', .3, 1e-9, adjacency => 'label', label => 'answer'),
       dpmix.protect('staff', 1.7, 1e-7, adjacency => 'replace');
SELECT FROM dpmix.declare('tenant_log', '{"tenant": ["b", "a"]}');
SELECT FROM dpmix.declare('day_log', '{"page": ["home", "shop"]}');
SELECT dpmix.declare_public('code');
COMMENT ON TABLE staff IS 'who works''s here'; COMMENT ON COLUMN staff.wage IS 'a month';
SELECT FROM dpmix.create_schedule('nightly', $$SELECT dpmix.query('SELECT page, dp_count(*) AS n FROM day_log WHERE day = $due::date - 1 GROUP BY page', 0.1, 1e-9)$$,
  '1 day', '2040-01-01 02:00', 'results.nightly', grant_to => '{readers}', latest => 'results.nightly_now');
SQL
check "everything was declared" "" "$(grep ERROR "$CLUSTER/declared" || true)"
check "20 tables are protected" 20 "$(sql "SELECT count(*) FROM dpmix.protected_table" hospital)"

exported() { PGUSER=olga sql "SELECT dpmix.policy('clinic')" "$1"; }
exported hospital >"$CLUSTER/policy"
apply() {  # database arguments: rows of dpmix.apply() of $CLUSTER/policy, or an error
  PGUSER=olga psql -XAtq -v VERBOSITY=verbose -d "$1" -v policy="$(cat "$CLUSTER/policy")" <<<"SET client_min_messages = error; SELECT * FROM dpmix.apply(:'policy'${2:+, $2})" 2>&1
}
check "a dry run of it in the other database" "add 20 protect" "$(apply fresh "dry_run => true" | awk -F'|' '$3 == "protect" { n++; a = $1 } END { print a, n, "protect" }')"
check "left nothing there" "0|0|0" "$(sql "SELECT (SELECT count(*) FROM dpmix.protected_table), (SELECT count(*) FROM dpmix.budget_change), (SELECT count(*) FROM pg_class WHERE relnamespace = 'results'::regnamespace)" fresh)"
check "nor a lock" "71|0" "$(PGUSER=olga psql -XAtq -d fresh -v policy="$(cat "$CLUSTER/policy")" <<<"SET client_min_messages = error; BEGIN; SELECT count(*) AS n FROM dpmix.apply(:'policy', dry_run => true) \\gset
SELECT :n, count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND mode ~ 'Exclusive' AND relation::regclass::text LIKE 'clinic.%'; ROLLBACK")"
check_match "a public table needs a word" 'ERROR:  PV005: .*loosens' "$(apply fresh)"
check "nothing was done without it" 0 "$(sql "SELECT count(*) FROM dpmix.protected_table" fresh)"
check "applied" 20 "$(apply fresh "reason => 'the same codes', allow => '{public}'" | grep -c '|protect|')"
check "then there is nothing to change" "" "$(apply fresh "dry_run => true, prune => true")"
check "nor to apply" "" "$(apply fresh "prune => true")"
check "the same text comes back" "$(cat "$CLUSTER/policy")" "$(exported fresh)"
check "nor is there anything to change where it came from" "" "$(apply hospital "prune => true")"
check_match "what was loosened is in the log, with its reason" 'by olga loosened a policy, because: the same codes' "$(grep loosened "$CLUSTER/log")"

# A grant on a view is one on the tables below.
check_match "grants on views are in it" '"curated": {"grant_access": {"bea": {"epsilon": 0.5, "max_charges_per_minute": 6}}}' "$(cat "$CLUSTER/policy")"
of_views() { sql "SELECT count(*) FROM dpmix.granted_view" fresh; }
PGUSER=olga sql "SELECT dpmix.revoke_access('clinic.curated', 'bea')" fresh >/dev/null
check "one that is missing needs a word: its tables were protected before" "add|clinic.curated|grant_access bea||{\"epsilon\": 0.5, \"max_charges_per_minute\": 6}|grants" "$(apply fresh "dry_run => true")"
check_match "is refused without it" 'ERROR:  PV005: .*loosens' "$(apply fresh)"
check "is given with it" 1 "$(apply fresh "reason => 'a study', allow => '{grants}'" | wc -l)"
check_match "a higher cap needs it, too" '^change\|clinic.curated\|grant_access bea: epsilon\|0.5\|0.6\|grants' "$(sed -i 's/"epsilon": 0.5, "max_charges/"epsilon": 0.6, "max_charges/' "$CLUSTER/policy"; apply fresh "dry_run => true")"
check "a lower one does not" "" "$(sed -i 's/"epsilon": 0.6, "max_charges/"epsilon": 0.4, "max_charges/' "$CLUSTER/policy"; apply fresh "dry_run => true" | cut -d'|' -f6)"
before=$(of_views)
sed -i 's/"details": {"grant_access": {"bea": {}}}/"details": {"grant_access": {}}/' "$CLUSTER/policy"
check "pruned, what a view's entry lacks is taken back" "remove|clinic.details|grant_access bea" "$(apply fresh "prune => true" | grep remove | cut -d'|' -f1-3)"
check "and nothing else" 2 $((before - $(of_views)))
check_match "a view that is not there is named" 'PV005: the policy speaks of what is not.*' "$(sed 's/"curated"/"vanished"/' "$CLUSTER/policy" >"$CLUSTER/other"; PGUSER=olga psql -XAtq -v VERBOSITY=verbose -d fresh -v policy="$(cat "$CLUSTER/other")" <<<"SELECT * FROM dpmix.apply(:'policy')" 2>&1 | head -n 1)"
exported hospital >"$CLUSTER/policy"
apply fresh "reason => 'as before', allow => '{grants}'" >/dev/null
check "as before" "" "$(apply fresh "prune => true")"

# The catalog itself: every column that does not number something.
catalog() {
  for query in "SELECT schema_name, table_name, active, adjacency, accountant, renyi_order, privacy_unit, max_rows_per_unit, label, link, link_attnums, target_key, target_attnums, unit_through IS NULL FROM dpmix.protected_table" \
    "SELECT p.table_name, column_name, attnum, lower, upper, categories, other, quantum, nan_is_middle FROM dpmix.column_domain d JOIN dpmix.protected_table p ON p.id = d.table_id" \
    "SELECT p.table_name, epsilon, min_epsilon, max_charges_per_minute, confined FROM dpmix.access a JOIN dpmix.protected_table p ON p.id = a.table_id" \
    "SELECT p.table_name, v.schema_name, v.view_name FROM dpmix.granted_view v JOIN dpmix.protected_table p ON p.id = v.table_id" \
    "SELECT p.table_name, b.column_name, first_value, width, in_order_of, categories FROM dpmix.block_column b JOIN dpmix.protected_table p ON p.id = b.table_id" \
    "SELECT schema_name, view_name, default_epsilon, default_delta, max_epsilon_per_query, comments FROM dpmix.facade" \
    "SELECT keep_seconds, scope FROM dpmix.memory_terms" "SELECT name, accountant, renyi_order, adjacency, unit_type FROM dpmix.population" \
    "SELECT epsilon, delta FROM dpmix.budget_change" "SELECT schema_name, table_name, role FROM dpmix.public_table" \
    "SELECT name, kind, call, period, start, time_zone, search_path, date_style, epsilon, delta, active, result_schema, result_table FROM dpmix.schedule" \
    "SELECT c.oid::regclass, c.relacl, a.attname, col_description(c.oid, a.attnum), obj_description(c.oid, 'pg_class') FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 WHERE c.relnamespace IN ('clinic'::regnamespace, 'results'::regnamespace)" \
    "SELECT tgrelid::regclass, tgname, tgtype, tgenabled FROM pg_trigger WHERE NOT tgisinternal"; do
    sql "SELECT t FROM ($query) t ORDER BY t::text" "$1"
  done
}
catalog hospital >"$CLUSTER/catalog.hospital"
catalog fresh >"$CLUSTER/catalog.fresh"
check "both catalogs say the same" "" "$(diff "$CLUSTER/catalog.hospital" "$CLUSTER/catalog.fresh" || true)"
check "and it is a lot" t "$([ "$(wc -l <"$CLUSTER/catalog.fresh")" -gt 150 ] && echo t)"
check_match "and can be asked" '^[-0-9]+$' "$(PGUSER=ana sql "SET client_min_messages = error; SELECT * FROM dpmix.query('SELECT dp_count(*) FROM clinic.event_1', 1) AS t(n bigint)" fresh | tail -n 1)"
check "that was the only charge" 1 "$(sql "SELECT count(*) FROM dpmix.charge" fresh)"
check "applied after a charge: nothing" "" "$(apply fresh "prune => true")"

# Charged, the same terms are all that there are.
sed -i 's/"accountant": "gaussian"/"accountant": "gdp"/' "$CLUSTER/policy"
check_match "an accountant does not change" 'accountant of clinic.tenant_log: it is gaussian, and the policy says gdp' "$(apply fresh)"
exported hospital >"$CLUSTER/policy"

# A member of the role that owns the tables; a superuser; a stranger.
sql "ALTER TABLE clinic.staff OWNER TO team" hospital >/dev/null
check "what a role owns is its members' policy" 22 "$(sql "SET ROLE olga; SELECT count(*) FROM jsonb_object_keys(dpmix.policy() -> 'tables')" hospital)"
check "and the role's own, alone" "clinic.staff" "$(sql "SET ROLE team; SELECT jsonb_object_keys(dpmix.policy() -> 'tables')" hospital)"
check "a superuser has all of it, but for others' schedules" "22|f" "$(sql "SELECT (SELECT count(*) FROM jsonb_object_keys(dpmix.policy() -> 'tables')), dpmix.policy() ? 'create_schedule'" hospital)"
check "a stranger has none" "{}" "$(PGUSER=ana sql "SELECT dpmix.policy()" hospital)"
check_match "and applies none" 'ERROR:  42501' "$(PGUSER=ana psql -XAtq -v VERBOSITY=verbose -d hospital <<<"SELECT * FROM dpmix.apply('{\"tables\": {\"clinic.person\": {\"comment\": \"x\"}}}')" 2>&1)"

# Several at the same time: they apply it, find it done or end with an error; nothing is half done.
sql "CREATE DATABASE twice TEMPLATE template0" >/dev/null
sql "CREATE EXTENSION dpmix; GRANT CREATE ON DATABASE twice TO olga" twice >/dev/null
PGUSER=olga sql "CREATE SCHEMA clinic; CREATE TABLE clinic.a (x int); CREATE TABLE clinic.b (x int)" twice >/dev/null
two='{"schema": "clinic", "tables": {"a": {"protect": {"epsilon": 1, "delta": 1e-6}, "grant_access": {"ana": {}}}, "b": {"protect": {"epsilon": 1, "delta": 1e-6}, "grant_access": {"ana": {}}}}}'
for i in 1 2 3 4; do PGUSER=olga sql "SET client_min_messages = error; SELECT count(*) FROM dpmix.apply('$two')" twice >"$CLUSTER/two.$i" & done
wait
check_match "all of it was applied" '^[1-4]$' "$(cat "$CLUSTER"/two.* | grep -cx 4)"
check "by none a part" "" "$(cat "$CLUSTER"/two.* | grep -xE '[0-9]+' | grep -vxE '0|4' || true)"
check "it is there once" "2|2|2" "$(sql "SELECT (SELECT count(*) FROM dpmix.protected_table), (SELECT count(*) FROM dpmix.access), (SELECT count(*) FROM dpmix.budget_change)" twice)"
