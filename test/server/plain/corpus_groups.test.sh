#!/usr/bin/env bash
# The answered statements of corpus/*.sql return what PostgreSQL returns for them: the same groups, no more and no
# fewer, and at a large epsilon the same values (corpus_groups.py), where they are about cps. CORPUS=metabase: that file
# alone.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "fsync = off"
groups() { python3 test/server/plain/corpus_groups.py "$@"; }

session <<'SQL' >/dev/null
CREATE EXTENSION dpmix;
CREATE ROLE olga LOGIN;
CREATE ROLE ana LOGIN;
ALTER ROLE ana SET session_preload_libraries = 'dpmix';
GRANT CREATE ON SCHEMA public TO olga;
CREATE SCHEMA private AUTHORIZATION olga;
CREATE SCHEMA every AUTHORIZATION olga;
GRANT USAGE ON SCHEMA every TO ana;
SQL
{
  cat <<'SQL'
ALTER DEFAULT PRIVILEGES IN SCHEMA every GRANT SELECT ON TABLES TO ana;
CREATE TABLE regions (region text PRIMARY KEY, name text NOT NULL);
INSERT INTO regions VALUES ('northeast', 'The Northeast'), ('midwest', 'The Midwest'), ('south', 'The South'), ('west', 'The West');
GRANT SELECT ON regions TO PUBLIC;
SELECT dpmix.declare_public('regions');
CREATE FUNCTION protect_every(name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('CREATE TABLE %1$I (id bigint PRIMARY KEY, region text NOT NULL, sex text NOT NULL, education int NOT NULL, wage float8 NOT NULL,
    hours int NOT NULL, employed boolean NOT NULL, day date NOT NULL, seen timestamptz NOT NULL, note text NOT NULL);
    INSERT INTO %1$I SELECT * FROM every.%1$I', name);
  PERFORM dpmix.protect(name, 1e7, .1, accountant => 'basic', privacy_unit => 'id');
  PERFORM dpmix.declare(name, '{"region": ["northeast", "midwest", "south", "west"], "sex": ["F", "M"], "education": [0, 20], "wage": [0, 2500], "hours": [0, 80],
    "day": ["2026-01-01", "2026-12-31"], "seen": ["2026-01-01 UTC", "2026-12-31 23:59:59 UTC"]}');
  PERFORM dpmix.grant_access(name, 'ana', NULL, 0, NULL);
  PERFORM dpmix.expose(name, default_epsilon => 10000, default_delta => 1e-9);
END $$;
SQL
  groups tables test/server/plain/corpus/${CORPUS:-*}.sql
} >"$CLUSTER/tables"
check "tables of every combination" "" "$(PGUSER=olga psql -X -q -A -t -f "$CLUSTER/tables" 2>&1 | grep ERROR || true)"

for file in $(grep -lw cps test/server/plain/corpus/${CORPUS:-*}.sql); do
  tool=$(basename "$file" .sql)
  for schema in private every; do
    groups write $schema "$file" >"$CLUSTER/$tool.sql"
    PGUSER=ana psql -X -q -A -t -f "$CLUSTER/$tool.sql" >"$CLUSTER/$tool.$schema" 2>&1 || true
  done
  verdict=$(groups compare "$file" "$CLUSTER/$tool.private" "$CLUSTER/$tool.every")
  check_match "$tool: the groups of PostgreSQL, $(head -n 1 <<<"$verdict")" "^0 of [1-9][0-9]* differ" "$verdict"
done
