#!/usr/bin/env bash
# By hand, and in `make soak` where an archive has PostgreSQL's source: the statements of its own regression suite, with
# its tables protected and facades under their names. Nothing crashes, and whatever is an error is so before a charge.
#
#     test/server/plain/postgres.sh [FILE...]    names of src/test/regress/sql; all of them take minutes
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "autovacuum = off" "max_connections = 30"
source=$(packaging/postgres_source.sh "$("$BIN/postgres" -V | sed -E 's/.* ([0-9]+)\..*/\1/')") || { echo "$source"; exit 0; }
suite=$source/src/test/regress
chmod -R a+rX "$source/src/test/regress" && chmod a+x build/postgresql build/postgresql/*

psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION dpmix' -c 'CREATE ROLE ana LOGIN' -c 'CREATE SCHEMA own AUTHORIZATION ana' -c 'CREATE SCHEMA doors' \
  -c "ALTER ROLE ana SET local_preload_libraries = 'dpmix'"
export PG_ABS_SRCDIR=$suite PG_LIBDIR=$BIN PG_DLSUFFIX=.so
psql -Xq -f "$suite/sql/test_setup.sql" >/dev/null 2>&1 || true
psql -Xq -f "$suite/sql/create_index.sql" >/dev/null 2>&1 || true  # and its tables
psql -Xq <<'SQL' >/dev/null 2>&1
CREATE FUNCTION protect_all() RETURNS int LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
    one record;
    made int := 0;
BEGIN
    FOR one IN SELECT c.oid::regclass AS name, relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY oid LOOP
        BEGIN
            PERFORM dpmix.protect(one.name, 1e7, .1, accountant => 'basic'), dpmix.grant_access(one.name, 'ana', NULL, 0, NULL);
            PERFORM dpmix.expose(one.name, 'doors.' || one.relname, default_epsilon => .5, default_delta => 1e-9);
            PERFORM dpmix.set_bounds(one.name, attname, -1000, 10000) FROM pg_attribute
                WHERE attrelid = one.name AND attnum > 0 AND NOT attisdropped AND atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'float4'::regtype, 'float8'::regtype, 'numeric'::regtype);
            made := made + 1;
        EXCEPTION WHEN others THEN RAISE NOTICE '%: %', one.name, SQLERRM;
        END;
    END LOOP;
    RETURN made;
END $$;
SQL
tables=$(sql "SET client_min_messages = error; SELECT protect_all()")
check_match "tables of the suite are protected: $tables" '^[1-9][0-9]+$' "$(tail -n 1 <<<"$tables")"
sql "GRANT USAGE ON SCHEMA doors TO ana; REVOKE CREATE ON SCHEMA public FROM PUBLIC" >/dev/null
files=()
for name in "$@"; do files+=("$suite/sql/$name.sql"); done
[ $# -gt 0 ] || files=("$suite"/sql/*.sql)
said=$(python3 test/server/plain/postgres.py "${files[@]}" 2>build/postgresql/progress) || true
echo "$said" | tail -n 40
check_match "nothing is charged and then an error" '^[1-9][0-9]* statements, [1-9][0-9]* of protected tables, [1-9][0-9]* answers that were charged, 0 errors after a charge$' "$(tail -n 1 <<<"$said")"
check "the server stands" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal' "$CLUSTER/log" || true)"
check "no internal error of ours" "" "$(awk '/ERROR:  XX000/ { said = $0 } /LOCATION:/ { if (said && /\.[ch]pp:/) print said; said = "" }' "$CLUSTER/log" | sort | uniq -c | head)"
