#!/usr/bin/env bash
# The catalog by hand: everything SQL can do to dpmix's tables, sequences, functions, event triggers and
# schema, by analysts, owners of tables, the database's owner and whoever came before the extension.
set -euo pipefail
. "$(dirname "$0")/hostile_lib.sh"
hostile_cluster
sql "CREATE ROLE dora LOGIN CREATEDB CREATEROLE; ALTER DATABASE postgres OWNER TO dora; GRANT olga TO bob"
for _ in 1 2 3; do PGUSER=ana sql "SELECT n FROM $counted"; done >/dev/null
PGUSER=ana sql "SELECT components FROM $(modelled kept)" >/dev/null

# One statement a line; FORMAT() puts each table, sequence and function of dpmix into it.
tables="SELECT c.oid::regclass::text AS name FROM pg_class c WHERE relnamespace = 'dpmix'::regnamespace AND relkind IN ('r', 'v')"
sequences="SELECT c.oid::regclass::text AS name FROM pg_class c WHERE relnamespace = 'dpmix'::regnamespace AND relkind = 'S'"
functions="SELECT p.oid::regprocedure::text AS name FROM pg_proc p WHERE pronamespace = 'dpmix'::regnamespace AND prokind = 'f'"
psql -XAtq >"$CLUSTER/attacks" <<SQL
CREATE FUNCTION public.own_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
SELECT format(s, name) FROM ($tables) t, unnest(ARRAY['INSERT INTO %s DEFAULT VALUES', 'DELETE FROM %s', 'TRUNCATE %s CASCADE', 'LOCK TABLE %s IN ACCESS SHARE MODE',
  'LOCK TABLE %s', 'ALTER TABLE %s OWNER TO CURRENT_USER', 'ALTER TABLE %s DISABLE TRIGGER ALL', 'DROP TRIGGER append_only ON %s', 'DROP TABLE %s CASCADE',
  'CREATE TRIGGER mine BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION public.own_trigger()', 'CREATE RULE mine AS ON INSERT TO %s DO INSTEAD NOTHING',
  'ALTER TABLE %s ENABLE ROW LEVEL SECURITY', 'CREATE POLICY mine ON %s USING (true)', 'GRANT ALL ON %s TO PUBLIC', 'CREATE INDEX ON %s ((1))', 'COMMENT ON TABLE %s IS NULL',
  'ALTER TABLE %s RENAME TO gone', 'ALTER TABLE %s SET SCHEMA public', 'CREATE TABLE public.child () INHERITS (%s)', 'ALTER TABLE %s ADD CHECK (false) NOT VALID',
  'CREATE STATISTICS public.s ON 1, 2 FROM %s', 'CREATE PUBLICATION p FOR TABLE %s', 'COPY %s TO STDOUT', 'COPY %s FROM STDIN', 'CREATE OR REPLACE VIEW %s AS SELECT 1']) s;
SELECT format('UPDATE %s SET %I = %I', c.oid::regclass, attname, attname) FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attnum = 1 WHERE relnamespace = 'dpmix'::regnamespace AND relkind = 'r';
SELECT format(s, name) FROM ($sequences) t, unnest(ARRAY['SELECT setval(%L, 1)', 'SELECT nextval(%L)', 'SELECT last_value FROM %s', 'ALTER SEQUENCE %s RESTART', 'DROP SEQUENCE %s']) s;
SELECT format(s, name) FROM ($functions) t, unnest(ARRAY['ALTER FUNCTION %s IMMUTABLE', 'ALTER FUNCTION %s PARALLEL SAFE', 'ALTER FUNCTION %s SET search_path = evil', 'DROP FUNCTION %s CASCADE',
  'GRANT ALL ON FUNCTION %s TO PUBLIC WITH GRANT OPTION', 'ALTER FUNCTION %s SET SCHEMA public']) s;
SELECT unnest(ARRAY[\$\$CREATE FUNCTION public.own(text) RETURNS SETOF record LANGUAGE c AS '\$libdir/dpmix', 'dpmix_query'\$\$, 'CREATE TABLE dpmix.mine (x int)',
  'CREATE FUNCTION dpmix.to_float8(text) RETURNS float8 LANGUAGE sql AS ''SELECT 1.0::float8''', 'CREATE TYPE dpmix.mine AS (x int)', 'CREATE OPERATOR dpmix.= (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq)',
  'CREATE OR REPLACE FUNCTION dpmix.refuse_change() RETURNS trigger LANGUAGE plpgsql AS ''BEGIN RETURN NULL; END''', 'ALTER SCHEMA dpmix RENAME TO gone', 'ALTER SCHEMA dpmix OWNER TO CURRENT_USER',
  'DROP SCHEMA dpmix CASCADE', 'GRANT CREATE ON SCHEMA dpmix TO PUBLIC', 'DROP EXTENSION dpmix CASCADE', 'ALTER EXTENSION dpmix DROP TABLE dpmix.charge', 'ALTER EXTENSION dpmix UPDATE',
  'ALTER EVENT TRIGGER dpmix_follow_ddl DISABLE', 'ALTER EVENT TRIGGER dpmix_follow_drop OWNER TO CURRENT_USER', 'DROP EVENT TRIGGER dpmix_follow_drop', 'REASSIGN OWNED BY postgres TO CURRENT_USER',
  'DROP OWNED BY postgres', 'SET session_replication_role = replica', 'SET dpmix.ledger_idle_timeout = 0', 'SET allow_system_table_mods = on', 'SET SESSION AUTHORIZATION postgres', 'SET ROLE postgres',
  'DELETE FROM pg_class', 'ALTER ROLE postgres SET role = mallory', 'ALTER SYSTEM SET fsync = off', 'SELECT pg_reload_conf()', 'LOAD ''dpmix''', 'SELECT dpmix.follow_ddl()', 'SELECT dpmix.follow_drop()', 'SELECT dpmix.refuse_change()']);
SQL
echo "SELECT 'allowed'" >>"$CLUSTER/attacks"  # so that a deaf test would be seen

fingerprint() {  # every row of the catalog
  sql "SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM (
    SELECT x::text AS t FROM dpmix.charge x UNION ALL SELECT x::text FROM dpmix.protected_table x UNION ALL SELECT x::text FROM dpmix.budget_change x
    UNION ALL SELECT x::text FROM dpmix.access x UNION ALL SELECT x::text FROM dpmix.column_domain x UNION ALL SELECT x::text FROM dpmix.release x
    UNION ALL SELECT x::text FROM dpmix.ledger_stamp x UNION ALL SELECT x::text FROM dpmix.ledger_checkpoint x
    UNION ALL SELECT s::text FROM pg_sequences s WHERE schemaname = 'dpmix') t"
}
objects() { psql -X -q -f test/server/extension_objects.sql | md5sum; }
awk '{ printf "BEGIN;\n%s;\n\\echo :ERROR %d\nROLLBACK;\n", $0, NR }' "$CLUSTER/attacks" >/tmp/hostile.sql
PGUSER=ana psql -XAtq -f /tmp/hostile.sql >/tmp/hostile.out 2>&1 || true
tail -5 /tmp/hostile.out; grep -c . /tmp/hostile.out; tail -3 $CLUSTER/log
