#!/usr/bin/env bash
# The catalog by hand: everything SQL can do to dpmix's tables, sequences, functions, event triggers and
# schema, by analysts, owners of tables, the database's owner and whoever came before the extension.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "client_min_messages = warning"
sql "CREATE ROLE dora LOGIN CREATEDB CREATEROLE; ALTER DATABASE postgres OWNER TO dora; GRANT olga TO bob"
for _ in 1 2 3; do PGUSER=ana sql "SELECT n FROM $counted"; done >/dev/null
PGUSER=ana sql "SELECT components FROM $(modelled kept)" >/dev/null
sql "CREATE SCHEMA private; GRANT ALL ON SCHEMA private TO olga"; PGUSER=olga sql "SELECT dpmix.expose('people')" >/dev/null

# One statement a line; FORMAT() puts each table, sequence and function of dpmix into it.
tables="SELECT c.oid::regclass::text AS name FROM pg_class c WHERE relnamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND relkind IN ('r', 'v')"
sequences="SELECT c.oid::regclass::text AS name FROM pg_class c WHERE relnamespace = 'dpmix'::regnamespace AND relkind = 'S'"
functions="SELECT p.oid::regprocedure::text AS name FROM pg_proc p WHERE pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND prokind = 'f'"
psql -XAtq >"$CLUSTER/attacks" <<SQL
CREATE FUNCTION public.own_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
SELECT format(s, name) FROM ($tables) t, unnest(ARRAY['INSERT INTO %s DEFAULT VALUES', 'DELETE FROM %s', 'TRUNCATE %s CASCADE', 'LOCK TABLE %s IN ROW SHARE MODE',
  'LOCK TABLE %s', 'ALTER TABLE %s OWNER TO CURRENT_USER', 'ALTER TABLE %s DISABLE TRIGGER ALL', 'DROP TRIGGER append_only ON %s', 'DROP TABLE %s CASCADE',
  'CREATE TRIGGER mine BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION public.own_trigger()', 'CREATE RULE mine AS ON INSERT TO %s DO INSTEAD NOTHING',
  'ALTER TABLE %s ENABLE ROW LEVEL SECURITY', 'CREATE POLICY mine ON %s USING (true)', 'CREATE INDEX ON %s ((1))', 'COMMENT ON TABLE %s IS NULL',
  'ALTER TABLE %s RENAME TO gone', 'ALTER TABLE %s SET SCHEMA public', 'CREATE TABLE public.child () INHERITS (%s)', 'ALTER TABLE %s ADD CHECK (false) NOT VALID',
  'CREATE STATISTICS public.s ON 1, 2 FROM %s', 'CREATE PUBLICATION p FOR TABLE %s', 'COPY %s TO STDOUT', 'CREATE OR REPLACE VIEW %s AS SELECT 1']) s;
SELECT format('UPDATE %s SET %I = %I', c.oid::regclass, attname, attname) FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attnum = 1 WHERE relnamespace = 'dpmix'::regnamespace AND relkind = 'r';
SELECT format(s, name) FROM ($sequences) t, unnest(ARRAY['SELECT setval(%L, 1)', 'SELECT nextval(%L)', 'SELECT last_value FROM %s', 'ALTER SEQUENCE %s RESTART', 'DROP SEQUENCE %s']) s;
SELECT format(s, name) FROM ($functions) t, unnest(ARRAY['ALTER FUNCTION %s IMMUTABLE', 'ALTER FUNCTION %s PARALLEL SAFE', 'ALTER FUNCTION %s SET search_path = evil', 'DROP FUNCTION %s CASCADE',
  'ALTER FUNCTION %s SET SCHEMA public']) s;
SELECT unnest(ARRAY[\$\$CREATE FUNCTION public.own(text) RETURNS SETOF record LANGUAGE c AS '\$libdir/dpmix', 'dpmix_query'\$\$, 'CREATE TABLE dpmix.mine (x int)',
  'CREATE FUNCTION dpmix.to_float8(text) RETURNS float8 LANGUAGE sql AS ''SELECT 1.0::float8''', 'CREATE TYPE dpmix.mine AS (x int)', 'CREATE OPERATOR dpmix.= (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq)',
  'CREATE OR REPLACE FUNCTION dpmix_internal.refuse_change() RETURNS trigger LANGUAGE plpgsql AS ''BEGIN RETURN NULL; END''', 'ALTER SCHEMA dpmix RENAME TO gone', 'ALTER SCHEMA dpmix OWNER TO CURRENT_USER', 'ALTER SCHEMA dpmix_internal RENAME TO gone', 'ALTER SCHEMA dpmix_internal OWNER TO CURRENT_USER', 'DROP SCHEMA dpmix_internal CASCADE',
  'CREATE FUNCTION dpmix_internal.total_add(text, text) RETURNS float8 LANGUAGE sql AS ''SELECT 1.0::float8''', 'CREATE TYPE dpmix_internal.mine AS (x int)',
  'DROP SCHEMA dpmix CASCADE', 'DROP EXTENSION dpmix CASCADE', 'ALTER EXTENSION dpmix DROP TABLE dpmix.charge', 'ALTER EXTENSION dpmix UPDATE',
  'ALTER EVENT TRIGGER dpmix_follow_ddl DISABLE', 'ALTER EVENT TRIGGER dpmix_follow_drop OWNER TO CURRENT_USER', 'DROP EVENT TRIGGER dpmix_follow_drop', 'REASSIGN OWNED BY postgres TO CURRENT_USER',
  'DROP OWNED BY postgres', 'SET session_replication_role = replica', 'SET allow_system_table_mods = on', 'SET SESSION AUTHORIZATION postgres', 'SET ROLE postgres',
  'DELETE FROM pg_class', 'ALTER ROLE postgres SET role = mallory', 'ALTER SYSTEM SET fsync = off', 'SELECT pg_reload_conf()', 'LOAD ''dpmix''', 'SELECT dpmix_internal.follow_ddl()', 'SELECT dpmix_internal.follow_drop()', 'SELECT * FROM dpmix_internal.facade_guard(1) AS t(x int)', 'SELECT dpmix_internal.refuse_change()']);
SQL
echo "SELECT 'allowed'" >>"$CLUSTER/attacks"  # so that a deaf test would be seen

rows=$(sql "SELECT string_agg(format('SELECT x::text AS t FROM %s AS x', oid::regclass), ' UNION ALL ') FROM pg_class WHERE relkind = 'r' AND relnamespace = 'dpmix'::regnamespace")
seen="SELECT md5(string_agg(t, '|' ORDER BY t)) FROM ($rows UNION ALL SELECT s::text FROM pg_sequences s WHERE schemaname = 'dpmix') t"
fingerprint() { sql "$seen"; }  # every row of the catalog
objects() { psql -X -q -f test/server/install/extension_objects.sql | md5sum; }
before=$(fingerprint) objects_before=$(objects)
planted() { sql "BEGIN; $1; $seen; ROLLBACK" | tail -n 1; }
check "a row or a number that changes would be found" 3 "$({ echo "$before"; planted "UPDATE dpmix.facade SET view_name = 'x'"; planted "ALTER SEQUENCE dpmix.charge_id_seq RESTART WITH 999"; } | sort -u | grep -cE '^[0-9a-f]{32}$')"
check "so would an object" 2 "$({ echo "$objects_before"; psql -Xq -c "BEGIN" -c "GRANT SELECT ON dpmix.charge TO PUBLIC" -f test/server/install/extension_objects.sql -c "ROLLBACK" | md5sum; } | sort -u | wc -l)"
count=$(wc -l <"$CLUSTER/attacks")
for role in ana mallory olga bob dora; do
  # Each in its own transaction, which is rolled back; what was not refused is listed by its line.
  allowed=$(awk '{ printf "BEGIN;\n%s;\n\\echo :ERROR %d\nROLLBACK;\n", $0, NR }' "$CLUSTER/attacks" | PGUSER=$role psql -XAtq 2>/dev/null |
    sed -n 's/^false //p' | while read -r line; do sed -n "${line}p" "$CLUSTER/attacks"; done | paste -sd';')
  check "$role: none of $count statements against the catalog is allowed" "SELECT 'allowed'" "$allowed"
done
# A GRANT of what one does not hold is a warning; nothing is granted.
PGUSER=dora session >/dev/null <<'SQL'
GRANT ALL ON ALL TABLES IN SCHEMA dpmix TO PUBLIC; GRANT ALL ON ALL SEQUENCES IN SCHEMA dpmix TO PUBLIC; GRANT CREATE ON SCHEMA dpmix TO PUBLIC;
GRANT SELECT ON dpmix.charge TO PUBLIC; REVOKE USAGE ON SCHEMA dpmix FROM PUBLIC;
ALTER DEFAULT PRIVILEGES IN SCHEMA dpmix GRANT ALL ON TABLES TO PUBLIC;
SQL
for table in charge access budget_change facade; do
  check_match "ana: COPY dpmix.$table FROM STDIN is refused" 42501 "$(PGUSER=ana sql "COPY dpmix.$table FROM STDIN" </dev/null)"
done
check "no row and no sequence of the catalog changed" "$before" "$(fingerprint)"
check "no object of the extension changed" "$objects_before" "$(objects)"

# The superuser's own slips: what was charged or recorded stays.
for statement in "UPDATE dpmix.charge SET epsilon = 0" "DELETE FROM dpmix.charge" "TRUNCATE dpmix.charge" "TRUNCATE dpmix.protected_table CASCADE" "DELETE FROM dpmix.budget_change" "UPDATE dpmix.ledger_stamp SET machine_id = ''" \
  "DELETE FROM dpmix.ledger_checkpoint" "INSERT INTO dpmix.charge OVERRIDING SYSTEM VALUE SELECT * FROM dpmix.charge ON CONFLICT (id) DO UPDATE SET epsilon = 0" \
  "MERGE INTO dpmix.charge c USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE" "WITH d AS (DELETE FROM dpmix.charge RETURNING 1) SELECT count(*) FROM d"; do
  check_match "a superuser's slip: $statement" 'PV002.*append-only' "$(sql "$statement")"
done
check_match "DROP TABLE of a part of the extension" '2BP01' "$(sql "DROP TABLE dpmix.charge CASCADE")"
check "no row of the catalog changed" "$before" "$(fingerprint)"

# An id that somebody lets pass: the identity may have gaps, sums do not.
spent() { sql "SELECT epsilon_spent FROM dpmix.budget WHERE relation = 'people'::regclass"; }
sql "SELECT setval('dpmix.charge_id_seq', 1000)" >/dev/null
old=$(spent)
costs "after a gap in the charges' numbers the sums go on" 1 '^-?[0-9]+ $' <<<"SELECT n FROM $counted;"
check "and count everything" t "$(sql "SELECT $(spent) > $old")"
sql "SELECT setval('dpmix.charge_id_seq', 1, false)" >/dev/null
costs "a sequence set back by a superuser: the charge collides, and there is no answer" 0 PV004 <<<"SELECT n FROM $counted;"
sql "SELECT setval('dpmix.charge_id_seq', (SELECT max(id) FROM dpmix.charge))" >/dev/null
costs "and it goes on when the sequence is right again" 1 '^-?[0-9]+ $' <<<"SELECT n FROM $counted;"

# A record whose oid is another table's, as in a restored database that was not adopted: the owner of
# that other table has no more rights than before, and nobody charges by it.
PGUSER=mallory sql "CREATE TABLE mine (sex text, wage float8)"
sql "UPDATE dpmix.protected_table SET relation = 'mine'::regclass WHERE table_name = 'people'"
check_match "its models are not the stranger's to read" PV006 "$(PGUSER=mallory sql "SELECT weight FROM dpmix.gmm('kept')")"
check_match "nor to drop" PV006 "$(PGUSER=mallory sql "SELECT dpmix.drop_release('kept')")"
check "nor its charges to see" "0|0" "$(PGUSER=mallory sql "SELECT (SELECT count(*) FROM dpmix.ledger), (SELECT count(*) FROM dpmix.budget)")"
for table in people mine; do
  costs "no charge of $table goes by it" 0 PV004 olga <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM $table', 1e-5) AS t(n bigint);"
done 2>/dev/null
check_match "the stranger cannot end the protection" 'PV00[46]' "$(PGUSER=mallory sql "SELECT dpmix.unprotect('mine')")"
sql "UPDATE dpmix.protected_table SET relation = 'people'::regclass WHERE table_name = 'people'"
costs "put right it goes on" 1 '^-?[0-9]+ $' <<<"SELECT n FROM $counted;"

# Somebody was here before the extension.
sql "CREATE DATABASE squatted"
sql "GRANT CREATE ON DATABASE squatted TO mallory"
PGUSER=mallory sql "CREATE SCHEMA dpmix" squatted
check_match "CREATE EXTENSION into somebody else's schema is refused" 'PV004.*belongs to somebody else' "$(sql "CREATE EXTENSION dpmix" squatted)"
sql "ALTER SCHEMA dpmix OWNER TO postgres" squatted
sql "CREATE FUNCTION dpmix.to_float8(int) RETURNS float8 LANGUAGE sql AS 'SELECT 1.0::float8'" squatted
check_match "CREATE EXTENSION into a schema with other objects is refused" 'PV004.*not empty' "$(sql "CREATE EXTENSION dpmix" squatted)"
sql "DROP FUNCTION dpmix.to_float8(int)" squatted
PGUSER=mallory sql "CREATE SCHEMA dpmix_internal" squatted
check_match "CREATE EXTENSION beside somebody else's schema for internals is refused" 'PV004.*schema dpmix_internal is there already' "$(sql "CREATE EXTENSION dpmix" squatted)"
check "with nothing left of it" "dpmix dpmix_internal" "$(sql "SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname ~ 'dpmix'" squatted)"
sql "DROP SCHEMA dpmix_internal" squatted
check "an empty schema of a superuser's, as a restore makes it, will do" "" "$(sql "CREATE EXTENSION dpmix" squatted)"
