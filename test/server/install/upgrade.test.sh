#!/usr/bin/env bash
# From each frozen version to this one: the library serves the earlier objects, the update makes the very
# objects that CREATE EXTENSION makes, and charges, budgets and models live on. This version under earlier
# numbers shows that the comparison finds what an upgrade script forgets, and nothing else.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start "client_min_messages = warning"
current=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)
sql "CREATE ROLE ana LOGIN" >/dev/null
sql "CREATE DATABASE fresh" >/dev/null
sql "CREATE EXTENSION dpmix" fresh >/dev/null

objects() {  # database [statement]: its objects, after a statement that is undone
  psql -X -q -v ON_ERROR_STOP=1 -d "$1" -c "BEGIN; ${2:-}" -f test/server/install/extension_objects.sql
}
objects fresh >"$CLUSTER/fresh"

# The comparison sees every kind of change.
while IFS= read -r change; do
  objects fresh "$change;" >"$CLUSTER/changed"
  if cmp -s "$CLUSTER/fresh" "$CLUSTER/changed"; then echo "not ok - unseen: $change"; else echo "ok - seen: $change"; fi
done <<'SQL'
COMMENT ON FUNCTION dpmix.numbers(dpmix.exact_state) IS 'something'
COMMENT ON COLUMN dpmix.charge.kind IS 'something'
COMMENT ON TYPE dpmix.calibration IS NULL
ALTER FUNCTION dpmix.numbers(dpmix.exact_state) PARALLEL UNSAFE
ALTER FUNCTION dpmix.numbers(dpmix.exact_state) STABLE
ALTER FUNCTION dpmix.numbers(dpmix.exact_state) CALLED ON NULL INPUT
ALTER FUNCTION dpmix.calibrate COST 100
REVOKE EXECUTE ON FUNCTION dpmix.query FROM PUBLIC
GRANT SELECT ON dpmix.charge TO PUBLIC
GRANT SELECT (kind) ON dpmix.charge TO PUBLIC
GRANT USAGE ON SEQUENCE dpmix.charge_id_seq TO PUBLIC
REVOKE USAGE ON SCHEMA dpmix FROM PUBLIC
REVOKE USAGE ON SCHEMA dpmix_internal FROM PUBLIC
REVOKE USAGE ON TYPE dpmix.exact_state FROM PUBLIC
CREATE OR REPLACE FUNCTION dpmix.numbers(dpmix.exact_state) RETURNS numeric[] LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS '$libdir/dpmix', 'dpmix_state_out'
ALTER TYPE dpmix.calibration RENAME ATTRIBUTE support TO reach
ALTER TYPE dpmix.calibration ADD ATTRIBUTE more text
ALTER TABLE dpmix.charge ALTER kind DROP NOT NULL
ALTER TABLE dpmix.charge ALTER kind SET DEFAULT 'query'
ALTER TABLE dpmix.charge ADD CHECK (epsilon > 0)
ALTER TABLE dpmix.charge DISABLE TRIGGER append_only
DROP TRIGGER append_only ON dpmix.ledger_stamp
CREATE INDEX ON dpmix.charge (role)
CREATE OR REPLACE VIEW dpmix.budget_history WITH (security_barrier) AS SELECT h.id, h.table_id::oid::regclass AS relation, h.epsilon, h.delta, h.reason, h.role, h.at, NULL::name AS population FROM dpmix.budget_change h
ALTER VIEW dpmix.budget SET (security_barrier)
ALTER SEQUENCE dpmix.charge_id_seq CACHE 7
ALTER EVENT TRIGGER dpmix_follow_drop DISABLE
ALTER EXTENSION dpmix DROP VIEW dpmix.ledger
UPDATE pg_extension SET extconfig = extconfig[2:], extcondition = extcondition[2:] WHERE extname = 'dpmix'
CREATE TABLE dpmix.stray (x int)
CREATE FUNCTION dpmix_internal.stray() RETURNS int LANGUAGE sql AS 'SELECT 1'
SQL


# What an upgrade script forgets.
updated() {  # version: how the objects of a database that had it differ from fresh ones, after the update
  local db=from_${1//./_}
  sql "DROP DATABASE IF EXISTS $db" >/dev/null 2>&1
  sql "CREATE DATABASE $db" >/dev/null
  sql "CREATE EXTENSION dpmix VERSION '$1'; ALTER EXTENSION dpmix UPDATE" "$db"
  diff "$CLUSTER/fresh" <(objects "$db") || true
}
slip="ALTER FUNCTION dpmix.delta_of PARALLEL UNSAFE; CREATE VIEW dpmix.leftover AS SELECT 1 AS x;"
cluster_earlier 0.0.1
cluster_earlier 0.0.2 "$slip"
cluster_earlier 0.0.3 "$slip" "ALTER FUNCTION dpmix.delta_of PARALLEL SAFE; DROP VIEW dpmix.leftover;"
check "an empty upgrade script between equal objects leaves equal objects" "" "$(updated 0.0.1)"
found=$(updated 0.0.2 | sed -nE 's/^([<>]) ([a-z ]+) \| ([^(]*).*/\1 \2 \3/p' | sed 's/ |.*//' | sort)
check "what an upgrade script forgets is found, and nothing else" "\
< function dpmix.delta_of
> column dpmix.leftover.1 x
> function dpmix.delta_of
> member view dpmix.leftover
> relation dpmix.leftover
> rule dpmix.leftover _RETURN" "$found"
check "one that puts it right leaves equal objects" "" "$(updated 0.0.3)"

# Scripts that packaging/upgrade.py makes: of all that PostgreSQL replaces in place; it wants the rest by hand.
folder=$("$BIN/pg_config" --sharedir)/extension
cat src/sql/*.sql >"$CLUSTER/new.sql"
made() {  # sed script of what was different in an earlier version [what is written by hand]
  sed -E "$1" "$CLUSTER/new.sql" >"$folder/dpmix--0.0.4.sql"
  echo "${2:-}" >"$CLUSTER/by_hand.sql"
  packaging/upgrade.py "$folder/dpmix--0.0.4.sql" "$CLUSTER/new.sql" "$CLUSTER/by_hand.sql" 2>&1 >"$folder/dpmix--0.0.4--$current.sql"
}
replaced="/^CREATE FUNCTION dpmix.numbers/,/;\$/d; /^COMMENT ON FUNCTION dpmix.numbers/,/';\$/d
  s/^(CREATE VIEW dpmix.public_tables .*);/\\1 LIMIT 7;/; s/^(COMMENT ON VIEW dpmix.public_tables IS).*/\\1 'once';/
  s/dpmix.budget, dpmix.populations, /dpmix.budget, /
  /^CREATE FUNCTION dpmix.plan_epsilon/,/;\$/ s/ PARALLEL SAFE COST 10000/ PARALLEL UNSAFE/"
check "the generator writes what can be replaced" "" "$(made "$replaced")"
check "which is something" 1 "$(($(grep -c ';$' "$folder/dpmix--0.0.4--$current.sql") > 5 ? 1 : 0))"
check "and leaves equal objects" "" "$(updated 0.0.4)"
by_hand="s/^(    until         text) +NOT NULL,/\\1,/; s/numbers.dpmix.exact_state. RETURNS numeric/numbers(dpmix.exact_state) RETURNS float8/"
check "it asks for what cannot be" "\
upgrade: to be written by hand: function dpmix.numbers(dpmix.exact_state)
upgrade: to be written by hand: table dpmix.counter_step" "$(made "$by_hand")"
check "each and no other" "\
upgrade: to be written by hand: table dpmix.counter_step
upgrade: named for nothing: table dpmix.charge" "$(made "$by_hand" "-- by hand: function dpmix.numbers(dpmix.exact_state)
-- by hand: table dpmix.charge")"
check "and puts it first" "" "$(made "$by_hand" "-- by hand: function dpmix.numbers(dpmix.exact_state)
DROP FUNCTION dpmix.numbers(dpmix.exact_state);
CREATE FUNCTION dpmix.numbers(dpmix.exact_state) RETURNS numeric[]
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_state_numbers';
$(grep -A 9 '^COMMENT ON FUNCTION dpmix.numbers' "$CLUSTER/new.sql" | sed '/;$/q')
-- by hand: table dpmix.counter_step
ALTER TABLE dpmix.counter_step ALTER until SET NOT NULL;")"
check "so that these are equal, too" "" "$(updated 0.0.4)"

# A database in use.
query="dpmix.query('SELECT region, dp_count(*), dp_avg(wage) FROM people GROUP BY region', 0.5, 1e-7) AS t(region text, n bigint, wage float8)"
serves() {  # database name: what works before and after
  local name="$1 $2"
  check "$name: calibrate" "gaussian|t|t" "$(sql "SELECT mechanism, components IS NULL, delta_certified BETWEEN 0.0099 AND 0.01 FROM dpmix.calibrate('gaussian', 2, 0.01, 3)" "$1")"
  check "$name: noise" "t" "$(sql "SELECT count(DISTINCT z) > 90 FROM dpmix.noise('laplace', 1e-3, 0, 1, 100) z" "$1")"
  check "$name: query" "2|t" "$(PGUSER=ana sql "SELECT count(*), bool_and(n BETWEEN 500 AND 1500) FROM $query" "$1")"
  check "$name: preview" "3|t" "$(PGUSER=ana sql "SELECT count(DISTINCT statistic), bool_and(noise_stddev > 0) FROM dpmix.preview('SELECT dp_count(*), dp_avg(wage) FROM people', 0.5, 1e-7, 'gaussian')" "$1")"
  check_match "$name: a refusal names what fits" "this call still fits with delta 0.0000001 is [0-3]\." "$(sql "SELECT * FROM ${query/0.5/3.9}" "$1" || true)"
  check "$name: cda" "10" "$(PGUSER=ana sql "SELECT count(wage) FROM dpmix.cda(NULL::people, '{wage}', 10, 0.2, 1e-7)" "$1")"
  check "$name: release_gmm" "$2" "$(PGUSER=ana sql "SELECT name FROM dpmix.release_gmm('$2', 'people', '{wage,age}', 0.2, 1e-7, label => 'region')" "$1")"
  check_match "$name: facade" "^PV002|facade private.people" "$(PGUSER=ana sql "SELECT * FROM private.people LIMIT 0; SELECT * FROM private.people WHERE wage > 0" "$1" || true)"
  check "$name: gmm" "2" "$(PGUSER=ana sql "SELECT count(*) FROM dpmix.gmm('before')" "$1")"
  check "$name: sample" "5" "$(PGUSER=ana sql "SELECT count(wage) FROM dpmix.sample('before', NULL::people, 5)" "$1")"
}
contents() {  # database: rows of the catalog
  for table in protected_table budget_change column_domain access charge ledger_stamp release facade; do
    sql "SELECT '$table', t.* FROM dpmix.$table t ORDER BY t::text" "$1" | sed 's/|*$//'  # new columns are empty
  done
  sql "SELECT relation, accountant, epsilon, delta, epsilon_spent, epsilon_remaining, charges FROM dpmix.budget;
       SELECT id, relation, role, granted_to, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters, release FROM dpmix.ledger ORDER BY id;
       SELECT last_value, is_called FROM dpmix.charge_id_seq" "$1"
}
lives_on() {  # version
  local db=used_${1//./_}
  sql "CREATE DATABASE $db" >/dev/null
  sql "CREATE EXTENSION dpmix VERSION '$1'" "$db" >/dev/null
  check "$db: has the earlier version" "$1" "$(sql "SELECT extversion FROM pg_extension WHERE extname = 'dpmix'" "$db")"
  sql "CREATE TABLE people (age int, wage float8, region text NOT NULL);
       INSERT INTO people SELECT i % 90, i % 2500, (ARRAY['north', 'south'])[1 + i % 2] FROM generate_series(1, 2000) i;
       SELECT dpmix.protect('people', 4, 1e-5, accountant => 'basic'); SELECT dpmix.set_bounds('people', 'wage', 0, 2500);
       SELECT dpmix.set_bounds('people', 'age', 0, 100); SELECT dpmix.set_categories('people', 'region', '{north,south}');
       SELECT dpmix.grant_access('people', 'ana', 3); SELECT dpmix.expose('people')" "$db" >/dev/null
  serves "$db" before
  check "$db: three charges" "0.5|0.2|0.2" "$(sql "SELECT string_agg(epsilon::text, '|' ORDER BY id) FROM dpmix.charge" "$db")"
  sql "CREATE TABLE ward (pid int NOT NULL UNIQUE); SELECT dpmix.protect('ward', 4, 1e-5, privacy_unit => 'pid', accountant => 'basic')" "$db" >/dev/null
  sql "SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM ward', 0.25) AS t(n bigint)" "$db" >/dev/null
  contents "$db" >"$CLUSTER/contents"
  check "$db: the update has no complaint" "" "$(sql "ALTER EXTENSION dpmix UPDATE" "$db")"
  check "$db: whatever the catalog held is there" "" "$(contents "$db" | diff "$CLUSTER/contents" - || true)"
  check "$db: the objects are those of a fresh extension" "" "$(objects "$db" | diff "$CLUSTER/fresh" - || true)"
  serves "$db" after
  check "$db: charges go on in the same account" "2.05|7" "$(sql "SELECT sum(epsilon), max(id) FROM dpmix.charge" "$db")"
  check "$db: their receipts are a chain over both versions" "" "$(sql "SELECT * FROM dpmix.verify_receipts() WHERE problems <> '{}'" "$db")"
  check "$db: the preview counts them too" "2 2" "$(sql "SELECT string_agg(DISTINCT calls_left::text, '') FROM dpmix.preview('SELECT dp_count(*) FROM people', 1, 1e-7)" "$db") $(PGUSER=ana sql "SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM people', 0.6, 1e-7)" "$db")"
  check_match "$db: and against the same cap of the role" "PV001" "$(PGUSER=ana sql "SELECT * FROM ${query/0.5/1.3}" "$db" || true)"
  check_match "$db: and budget of the table" "PV001" "$(sql "SELECT * FROM ${query/0.5/3.7}" "$db" || true)"
  check "$db: a table charged before brings its charges into a population" "0.25|1" "$(sql "SELECT dpmix.create_population('patients', 1, 1e-5, 'basic');
    SELECT dpmix.join_population('ward', 'patients'); SELECT epsilon_spent, charges FROM dpmix.budget WHERE population = 'patients'" "$db" | tail -1)"
  check_match "$db: which admits no more than what is left" "PV001" "$(sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM ward', 0.8) AS t(n bigint)" "$db" || true)"
  check "$db: a further update has nothing to do" "" "$(sql "ALTER EXTENSION dpmix UPDATE" "$db" | grep -v -e NOTICE -e LOCATION || true)"
}
lives_on 0.0.3
for script in src/sql/released/dpmix--*.sql; do
  version=$(basename "$script" .sql) version=${version#dpmix--}
  [ -e "$script" ] && [ "$version" != "$current" ] || continue
  lives_on "$version"
  sql "DROP DATABASE IF EXISTS papers" >/dev/null
  sql "CREATE DATABASE papers" >/dev/null
  sql "CREATE EXTENSION dpmix; CREATE EXTENSION dpmix_papers VERSION '$version'" papers >/dev/null
  check "dpmix_papers $version: the update" "|$current" "$(sql "ALTER EXTENSION dpmix_papers UPDATE" papers)|$(sql "SELECT extversion FROM pg_extension WHERE extname = 'dpmix_papers'" papers)"
done
