#!/usr/bin/env bash
# From 0.1.0 to this version: the new library serves the old SQL objects, the update makes the very
# objects that CREATE EXTENSION makes, and charges, budgets and models live on.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start
sql "CREATE DATABASE fresh" >/dev/null
sql "CREATE EXTENSION dpmix" fresh >/dev/null
sql "CREATE EXTENSION dpmix VERSION '0.1.0'" >/dev/null
check "0.1.0 is installed" "0.1.0" "$(sql "SELECT extversion FROM pg_extension WHERE extname = 'dpmix'")"

objects() {  # database [statement]: its objects, after a statement that is undone
  psql -X -q -v ON_ERROR_STOP=1 -d "$1" -c "BEGIN; ${2:-}" -f test/server/install/extension_objects.sql
}
objects fresh >"$CLUSTER/fresh"

# The comparison sees every kind of change.
while IFS= read -r change; do
  objects fresh "$change;" >"$CLUSTER/changed"
  if cmp -s "$CLUSTER/fresh" "$CLUSTER/changed"; then echo "not ok - unseen: $change"; else echo "ok - seen: $change"; fi
done <<'SQL'
COMMENT ON FUNCTION dpmix.total(dpmix.sum_state) IS 'something'
COMMENT ON COLUMN dpmix.charge.kind IS 'something'
COMMENT ON TYPE dpmix.calibration IS NULL
ALTER FUNCTION dpmix.total(dpmix.sum_state) PARALLEL UNSAFE
ALTER FUNCTION dpmix.total(dpmix.sum_state) STABLE
ALTER FUNCTION dpmix.total(dpmix.sum_state) CALLED ON NULL INPUT
ALTER FUNCTION dpmix.calibrate COST 100
REVOKE EXECUTE ON FUNCTION dpmix.query FROM PUBLIC
GRANT SELECT ON dpmix.charge TO PUBLIC
GRANT SELECT (kind) ON dpmix.charge TO PUBLIC
GRANT USAGE ON SEQUENCE dpmix.charge_id_seq TO PUBLIC
REVOKE USAGE ON SCHEMA dpmix FROM PUBLIC
REVOKE USAGE ON TYPE dpmix.sum_state FROM PUBLIC
CREATE OR REPLACE FUNCTION dpmix.total(dpmix.sum_state) RETURNS numeric LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS '$libdir/dpmix', 'dpmix_sum_state_out'
ALTER TYPE dpmix.calibration RENAME ATTRIBUTE support TO reach
ALTER TYPE dpmix.calibration ADD ATTRIBUTE more text
ALTER TABLE dpmix.charge ALTER kind DROP NOT NULL
ALTER TABLE dpmix.charge ALTER kind SET DEFAULT 'query'
ALTER TABLE dpmix.charge ADD CHECK (epsilon > 0)
ALTER TABLE dpmix.charge DISABLE TRIGGER append_only
DROP TRIGGER append_only ON dpmix.ledger_stamp
CREATE INDEX ON dpmix.charge (role)
CREATE OR REPLACE VIEW dpmix.budget_history WITH (security_barrier) AS SELECT h.id, h.table_id::oid::regclass AS relation, h.epsilon, h.delta, h.reason, h.role, h.at FROM dpmix.budget_change h
ALTER VIEW dpmix.budget RESET (security_barrier)
ALTER SEQUENCE dpmix.charge_id_seq CACHE 7
ALTER EVENT TRIGGER dpmix_follow_drop DISABLE
ALTER EXTENSION dpmix DROP VIEW dpmix.ledger
UPDATE pg_extension SET extconfig = extconfig[2:], extcondition = extcondition[2:] WHERE extname = 'dpmix'
CREATE TABLE dpmix.stray (x int)
SQL

# The old SQL objects with the new library.
sql "CREATE ROLE ana LOGIN; CREATE TABLE people (age int, wage float8, region text);
     INSERT INTO people SELECT i % 90, i % 2500, (ARRAY['north', 'south'])[1 + i % 2] FROM generate_series(1, 2000) i;
     SELECT dpmix.protect('people', 4, 1e-5, accountant => 'basic'); SELECT dpmix.set_bounds('people', 'wage', 0, 2500);
     SELECT dpmix.set_bounds('people', 'age', 0, 100); SELECT dpmix.set_categories('people', 'region', '{north,south}');
     SELECT dpmix.grant_access('people', 'ana', 3)" >/dev/null
query="dpmix.query('SELECT region, dp_count(*), dp_avg(wage) FROM people GROUP BY region', 0.5, 1e-7) AS t(region text, n bigint, wage float8)"
old_and_new() {  # name: what works before and after
  check "$1: calibrate" "gaussian|t|t" "$(sql "SELECT mechanism, components IS NULL, delta_certified BETWEEN 0.0099 AND 0.01 FROM dpmix.calibrate('gaussian', 2, 0.01, 3)")"
  check "$1: delta_of" "t" "$(sql "SELECT dpmix.delta_of('multi_gaussian', 2, 0.2368, 1, 10, NULL, 2) BETWEEN 0.15 AND 0.1505")"
  check_match "$1: refused parameters" "PV005: epsilon out of range" "$(sql "SELECT dpmix.calibrate('gaussian', 0, 0.01)" || true)"
  check "$1: noise" "t" "$(sql "SELECT count(DISTINCT z) > 90 FROM dpmix.noise('laplace', 1e-3, 0, 1, 100) z")"
  check "$1: query" "2|t" "$(PGUSER=ana sql "SELECT count(*), bool_and(n BETWEEN 500 AND 1500) FROM $query")"
  check "$1: preview" "3|t" "$(PGUSER=ana sql "SELECT count(DISTINCT statistic), bool_and(noise_stddev > 0) FROM dpmix.preview('SELECT dp_count(*), dp_avg(wage) FROM people', 0.5, 1e-7, 'gaussian')")"
  check_match "$1: a refusal names what fits" "this call still fits with delta 0.0000001 is [0-3]\." "$(sql "SELECT * FROM ${query/0.5/3.9}" || true)"
  check "$1: cda" "10" "$(PGUSER=ana sql "SELECT count(wage) FROM dpmix.cda(NULL::people, '{wage}', NULL, 10, 0.2, 1e-7)")"
  check "$1: release_gmm" "$1" "$(PGUSER=ana sql "SELECT name FROM dpmix.release_gmm('$1', 'people', '{wage,age}', 0.2, 1e-7, label => 'region')")"
  check "$1: gmm" "2" "$(PGUSER=ana sql "SELECT count(*) FROM dpmix.gmm('before')")"
  check "$1: gmm_sample" "5" "$(PGUSER=ana sql "SELECT count(wage) FROM dpmix.gmm_sample(NULL::people, 'before', 5)")"
}
old_and_new before
check "the best method is the one that the old objects have" "one_shot" "$(sql "SELECT method FROM dpmix.release WHERE name = 'before'")"
check_match "another is refused" "PV005: this method needs a newer version" "$(sql "SELECT dpmix.release_gmm('m', 'people', '{wage}', 0.2, 1e-7, 'region', method => 'staged')" || true)"
check "an old row of calibrate has its six columns" "6" "$(sql "SELECT count(*) FROM pg_attribute a, pg_type t WHERE t.oid = 'dpmix.calibration'::regtype AND attrelid = typrelid AND attnum > 0")"
sql "CREATE TABLE planned AS SELECT dpmix.calibrate('gaussian', 1, 1e-6) AS noise" >/dev/null
check "three charges" "0.5|0.2|0.2" "$(sql "SELECT string_agg(epsilon::text, '|' ORDER BY id) FROM dpmix.charge")"

contents() {
  for table in protected_table budget_change column_domain access charge ledger_stamp release; do
    sql "SELECT '$table', t.* FROM dpmix.$table t ORDER BY t::text" | sed 's/|*$//'  # new columns are empty
  done
  sql "SELECT relation, accountant, epsilon, delta, epsilon_spent, epsilon_remaining, charges FROM dpmix.budget;
       SELECT id, relation, role, granted_to, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters, release FROM dpmix.ledger ORDER BY id; SELECT last_value, is_called FROM dpmix.charge_id_seq"
}
contents >"$CLUSTER/contents"
check "the update has no complaint" "" "$(sql "ALTER EXTENSION dpmix UPDATE")"
contents >"$CLUSTER/contents.after"
check "whatever the catalog held is there" "" "$(diff "$CLUSTER/contents" "$CLUSTER/contents.after" || true)"
objects postgres >"$CLUSTER/updated"
if diff "$CLUSTER/fresh" "$CLUSTER/updated"; then echo "ok - the objects are those of a fresh extension"; else
  echo "not ok - the objects differ from those of a fresh extension"; fi

old_and_new after
check "both models are listed, with what was recorded of them" "after|full|add_remove|{\"double precision\",integer} before|||" "$(PGUSER=ana sql "SELECT string_agg(concat_ws('|', name, coalesce(covariance, ''), coalesce(adjacency, ''), coalesce(feature_types::text, '')), ' ' ORDER BY name) FROM dpmix.releases")"
check "and used alike" "t|t|t" "$(PGUSER=ana sql "SELECT dpmix.gmm_classify('before', '{1200,40}') IN ('north', 'south'), dpmix.gmm_log_density('after', '{1200,40}') < 0, dpmix.gmm_svg('before', 'age') LIKE '<svg%'")"
check "rows of the old type have no support" "gaussian|" "$(sql "SELECT (noise).mechanism, (noise).support FROM planned")"
check "charges go on in the same account" "1.8|6" "$(sql "SELECT sum(epsilon), max(id) FROM dpmix.charge")"
check "the preview counts them too" "2 2" "$(sql "SELECT string_agg(DISTINCT calls_left::text, '') FROM dpmix.preview('SELECT dp_count(*) FROM people', 1, 1e-7)") $(PGUSER=ana sql "SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM people', 0.6, 1e-7)")"
check_match "and against the same cap of the role" "PV001" "$(PGUSER=ana sql "SELECT * FROM ${query/0.5/1.3}" || true)"
check_match "and budget of the table" "PV001" "$(sql "SELECT * FROM ${query/0.5/3.7}" || true)"
check "a further update has nothing to do" "" "$(sql "ALTER EXTENSION dpmix UPDATE" | grep -v -e NOTICE -e LOCATION || true)"
