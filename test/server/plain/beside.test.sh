#!/usr/bin/env bash
# Plain SQL beside other extensions that hook into the planner and EXPLAIN, and what a statement leaves behind.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
libraries=
for library in pg_stat_statements auto_explain pg_hint_plan; do
  if [ -e "$("${PG_CONFIG:-pg_config}" --pkglibdir)/$library.so" ]; then libraries+="$library, "; else
    echo "ok - skipped: $library is not installed for this server"
  fi
done
cluster_start "fsync = off" "autovacuum = off" "shared_preload_libraries = '${libraries}dpmix'" "compute_query_id = on" \
  "auto_explain.log_min_duration = 0" "auto_explain.log_verbose = on" "auto_explain.log_analyze = on" "auto_explain.log_nested_statements = on"
export PGOPTIONS="-c client_min_messages=warning"
psql -Xq -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
CREATE EXTENSION dpmix;
CREATE ROLE ana LOGIN;
CREATE SCHEMA private;
CREATE TABLE cps AS SELECT i AS id, (ARRAY['n', 's'])[1 + i % 2] AS region, (i % 100)::float8 AS wage FROM generate_series(1, 400) AS i;
ALTER TABLE cps ALTER region SET NOT NULL;
SELECT dpmix.protect('cps', 1e7, .01, accountant => 'basic'), dpmix.set_bounds('cps', 'wage', 0, 100), dpmix.set_categories('cps', 'region', '{n,s}'),
       dpmix.grant_access('cps', 'ana', NULL, 0, NULL), dpmix.expose('cps', default_epsilon => 1e4);
SQL
[[ $libraries != *pg_stat_statements* ]] || sql "CREATE EXTENSION pg_stat_statements" >/dev/null
count() { sql "SELECT count(*) FROM dpmix.charge"; }

before=$(count)
said=$(PGUSER=ana session <<'SQL'
SELECT region, count(*) FROM private.cps GROUP BY region ORDER BY 1;
PREPARE p(float8) AS SELECT count(*) FROM private.cps WHERE wage >= $1;
EXECUTE p(0);
EXECUTE p(0);
SQL
)
check "answers beside ${libraries%, }" "n|200 s|200 400 400" "$(tr '\n' ' ' <<<"$said" | sed 's/ $//')"
check "one charge for each execution" 3 "$(($(count) - before))"
check_match "EXPLAIN shows the price" "Private Answer 0: would charge epsilon 10000: .* such queries fit" "$(PGUSER=ana sql "EXPLAIN (VERBOSE) SELECT count(*) FROM private.cps")"
check_match "EXPLAIN in JSON is JSON" "^t$" "$(PGUSER=ana session <<'SQL'
CREATE FUNCTION pg_temp.explained() RETURNS json LANGUAGE plpgsql AS $$ DECLARE plan json; BEGIN EXECUTE 'EXPLAIN (FORMAT JSON) SELECT count(*) FROM private.cps' INTO plan; RETURN plan; END $$;
SELECT json_typeof(pg_temp.explained()) = 'array' AND pg_temp.explained()::text LIKE '%Private Answer 0%';
SQL
)"
if [[ $libraries == *pg_stat_statements* ]]; then
  check "pg_stat_statements has the statement as it was sent" 1 "$(sql "SELECT count(*) FROM pg_stat_statements WHERE query LIKE 'SELECT region, count(*) FROM private.cps%'")"
fi

# What is read for the statement is unlocked when it ends, so that the owner can alter the table.
check "an open transaction holds no lock on the protected table" "private.cps" "$(PGUSER=ana session <<'SQL'
BEGIN;
SELECT count(*) FROM private.cps WHERE wage > 3 \g /dev/null
SELECT string_agg(DISTINCT relation::regclass::text, ',') FROM pg_locks WHERE pid = pg_backend_pid() AND relation::regclass::text ~ 'cps';
COMMIT;
SQL
)"
# Plans do not outlive what they rest on.
check "a cached plan follows its facade and the table" "400 PV002 400 42P01" "$(PGUSER=postgres session <<'SQL' | grep -oE '^[0-9]+$|PV[0-9]+|42P01' | tr '\n' ' ' | sed 's/ $//'
SET plan_cache_mode = force_generic_plan;
PREPARE p AS SELECT count(wage) FROM private.cps;
EXECUTE p;
ALTER TABLE cps DROP COLUMN wage;
EXECUTE p;
ALTER TABLE cps ADD COLUMN wage float8 DEFAULT 1;
EXECUTE p;
SELECT dpmix.hide('private.cps') \g /dev/null
EXECUTE p;
SQL
)"
check "no error was an internal one" 0 "$(grep -cE 'XX000|PANIC|terminated by signal' "$CLUSTER/log" || true)"
