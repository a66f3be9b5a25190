#!/usr/bin/env bash
# Attacks by names that records wait under: others' tables that take them, tables of others that are brought under them,
# search paths of the loader, schemas of others, and what is told to whom.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
sql "CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE mallory LOGIN; GRANT ALL ON SCHEMA public TO olga, mallory; GRANT CREATE ON DATABASE postgres TO olga, mallory;
  ALTER ROLE ana SET session_preload_libraries = 'dpmix'; ALTER ROLE mallory SET session_preload_libraries = 'dpmix';
  CREATE TABLE sink (who name, what text); GRANT INSERT ON sink TO PUBLIC; CREATE SCHEMA evil AUTHORIZATION mallory; GRANT USAGE ON SCHEMA evil TO PUBLIC" >/dev/null
as() { PGUSER=$1 sql "$2" || true; }
quiet() { as "$1" "SET client_min_messages = error; $2" >/dev/null; }
state() { sql "SELECT active, waiting FROM dpmix.protected_table WHERE table_name = '$1'"; }
ask() { as "$1" "SET client_min_messages = error; SELECT n FROM dpmix.query('SELECT dp_count(*) FROM $2', 1000, mechanism => 'laplace') AS t(n bigint)"; }
told() { grep -E "NOTICE|WARNING|DETAIL|HINT|ERROR" || true; }
quiet olga "CREATE TABLE event AS SELECT i AS id, 'a'::text AS kind FROM generate_series(1, 100) i; SELECT dpmix.protect('event', 1e6, 0, accountant => 'basic');
  SELECT dpmix.set_categories('event', 'kind', '{a}'); SELECT dpmix.grant_access('event', 'ana', NULL, 0, NULL); SELECT dpmix.expose('event', default_epsilon => 1000); ALTER TABLE event RENAME TO away"

# Another owner's table under the name: of no use to him, and of no use to whom its owner let ask.
for made in "CREATE TABLE event (id int, kind text)" "CREATE TABLE event AS SELECT 1 AS id, 'a'::text AS kind" "SELECT 1 AS id, 'a'::text AS kind INTO event" "CREATE TABLE other (id int, kind text); ALTER TABLE other RENAME TO event"; do
  check "$made by another owner: nothing is told" "" "$(as mallory "$made" | told)"
  check "nothing is attached" "f|t" "$(state event)"
  check_match "nothing is answered to its owner" "PV006: table public.event is not protected" "$(ask mallory event)"
  check_match "nor to analysts of the record" "PV006: the name public.event is vacant" "$(ask ana event)"
  check_match "nor through the facade" PV006 "$(as ana "SELECT count(*) FROM private.event")"
  check_match "he has no use of the record" "42501|PV006" "$(as mallory "SELECT dpmix.replace_table('event', 'event')")"
  check_match "nor does its owner attach what is not hers" 42501 "$(as olga "SELECT dpmix.replace_table('event', 'event')")"
  quiet mallory "DROP TABLE event"
done
check "its owner is told of no table that is not hers" "" "$(quiet mallory "CREATE TABLE event (id int, kind text)"; as olga "CREATE TABLE whatever (x int); DROP TABLE whatever" | told)"
quiet mallory "DROP TABLE event"

# His record, her table: by a vacant name that is handed over, before she has such a table and after.
quiet mallory "CREATE TABLE bait (id int); SELECT dpmix.protect('bait', 1e6, 0, accountant => 'basic'); SELECT dpmix.grant_access('bait', 'mallory', NULL, 0, NULL), dpmix.grant_access('bait', 'ana', NULL, 0, NULL); DROP TABLE bait"
quiet olga "CREATE TABLE bait AS SELECT generate_series(1, 50) AS id"
check "her table under his vacant name is not attached" "f|t" "$(state bait)"
quiet mallory "SELECT dpmix.hand_over('bait', 'olga')"
check "nor once he hands the record over" "f|f" "$(state bait)"
quiet olga "DROP TABLE bait; CREATE TABLE bait AS SELECT generate_series(1, 50) AS id"
check "nor the next one" "f|f" "$(state bait)"
quiet olga "SELECT dpmix.protect('bait', 1e6, 0, accountant => 'basic')"
for who in mallory ana; do check_match "protected by her own word: $who may not ask" PV006 "$(ask $who bait)"; done
check "she may" 50 "$(ask olga bait)"
# Given away with its record by who has the rights of both: the word of a superuser, or of a member.
check_match "nobody gives a table to whom he does not belong to" 42501 "$(as mallory "CREATE TABLE gift (x int); ALTER TABLE gift OWNER TO olga")"

# A schema of his with a table of hers: what he renames tells him nothing.
quiet mallory "CREATE SCHEMA shared; GRANT ALL ON SCHEMA shared TO olga"
quiet olga "CREATE TABLE shared.t (x int); SELECT dpmix.protect('shared.t', 1e6, 0, accountant => 'basic'); SELECT dpmix.set_bounds('shared.t', 'x', 0, 1)"
check "a schema that he renames, with her table: nothing is told" "" "$(as mallory "ALTER SCHEMA shared RENAME TO moved" | told)"
check "her name is vacant" "f|t" "$(state t)"
quiet mallory "CREATE SCHEMA shared; GRANT ALL ON SCHEMA shared TO olga"; quiet olga "CREATE TABLE shared.t (y text)"
check_match "she is told" "is not protected, though the record" "$(as olga "ALTER TABLE shared.t ADD z int")"
quiet olga "DROP TABLE shared.t"; quiet mallory "DROP SCHEMA shared"
check "he renames it back: nothing is told" "" "$(as mallory "ALTER SCHEMA moved RENAME TO shared" | told)"
check "and her table is what it was" "t|f" "$(state t)"

# Traps in the loader's path: a swap as their victim, and as a superuser, runs none of them.
PGUSER=mallory session >"$CLUSTER/traps" 2>&1 <<SQL
CREATE FUNCTION evil.spring(what text) RETURNS boolean LANGUAGE sql AS \$\$ INSERT INTO public.sink VALUES (current_user, what) RETURNING true \$\$;
$(for t in protected_table column_domain block_column access memory_terms departed_table facade pg_class pg_namespace pg_attribute pg_type pg_index pg_default_acl; do
  echo "CREATE VIEW evil.$t AS SELECT x FROM (SELECT evil.spring('$t')) s(x);"; done)
$(for f in "format_type(oid, integer)" "jsonb_object_agg(name, text)" "aclexplode(aclitem[])" "unnest(name[])" "quote_ident(name)"; do
  echo "CREATE FUNCTION evil.$f RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM evil.spring(''function''); RETURN NULL; END';"; done)
$(for t in "integer integer" "text text" "name name" "oid oid" "bigint bigint" "name text" "smallint smallint" "jsonb text"; do l=${t% *} r=${t#* }
  echo "CREATE FUNCTION evil.is_$l$r($l, $r) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM evil.spring(''operator''); RETURN true; END';"
  for o in = '<>' '->>'; do echo "CREATE OPERATOR evil.$o (LEFTARG = $l, RIGHTARG = $r, FUNCTION = evil.is_$l$r);"; done; done)
SQL
check "the traps are laid" 0 "$(grep -c "ERROR" "$CLUSTER/traps" || true)"
check "and spring" "olga" "$(as olga "SET search_path = evil, pg_catalog, public; SELECT 1 = 2" >/dev/null; sql "SELECT string_agg(DISTINCT who, ' ') FROM sink")"
sql "DELETE FROM sink" >/dev/null
for path in "evil, pg_catalog, public" "evil, pg_temp, pg_catalog, public"; do
  for who in olga postgres; do
    PGUSER=$who session >/dev/null 2>&1 <<SQL
SET search_path = $path; SET client_min_messages = error; SET ROLE olga;
CREATE TABLE public.event (id int, kind text); DROP TABLE public.event; CREATE TABLE public.event AS SELECT 1 AS id; ALTER TABLE public.event ADD kind text;
SELECT dpmix.replace_table('public.event', 'public.away', 'event_old'); ALTER TABLE public.event RENAME TO away; DROP TABLE public.event_old;
SELECT count(finding) FROM dpmix.check('public.away'); SELECT dpmix.move_record('public.event', 'public.away'); ALTER TABLE public.away RENAME TO event;
SELECT dpmix.move_record('public.away', 'public.event'); ALTER TABLE public.event RENAME TO away;
SQL
    check "a swap of $who under $path runs none" 0 "$(sql "SELECT count(*) FROM sink")"
    check "and is a swap" "f|t" "$(state event)"
  done
done

# Strangers' commands go on whatever records wait, also where the catalog cannot be written.
check "a stranger's table" "" "$(as mallory "CREATE TABLE plain AS SELECT 1 AS x; ALTER TABLE plain ADD y int; CREATE INDEX ON plain (x); SELECT 1 AS x INTO more; CREATE TEMP TABLE t (x int); DROP TABLE plain, more, t" | told)"
check "beside a session that holds the whole catalog" "" "$(
  psql -X -q -d postgres -c "BEGIN" -c "LOCK TABLE dpmix.protected_table, dpmix.column_domain, dpmix.facade, dpmix.memory_terms IN EXCLUSIVE MODE" -c "SELECT pg_sleep(3)" -c "COMMIT" >/dev/null 2>&1 & holder=$!
  wait_until 20 sh -c "[ \$(psql -X -q -A -t -d postgres -c \"SELECT count(*) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'\") = 1 ]"
  as mallory "SET statement_timeout = '2s'; CREATE TABLE plain AS SELECT 1 AS x; SELECT 1 AS x INTO more; CREATE INDEX ON plain (x)" | told
  wait $holder)"
check "the owner's table has the record at last" 100 "$(quiet olga "ALTER TABLE away RENAME TO event"; ask ana event)"
