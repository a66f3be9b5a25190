#!/usr/bin/env bash
# Who pays? The role that is current_user when dpmix is called: through wrappers, views, triggers,
# rules, policies, defaults and whatever else runs somebody's expression. Never somebody else, and
# nobody without access gets an answer for whom nobody pays.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster

# pays NAME PAYERS PATTERN [ROLE]: like costs, but of who was charged through which grant, in order.
pays() {
  local name=$1 before output found
  before=$(last_charge)
  output=$(PGUSER=${4:-ana} session || true)
  found=$(payers "$before")
  if [ "$found" != "$2" ]; then
    echo "not ok - $name: charged '$found' instead of '$2'; printed: $output"
  elif ! tr '\n' ' ' <<<"$output" | grep -qE -e "$3"; then
    echo "not ok - $name: no '$3' in: $output"
  else
    echo "ok - $name"
  fi
}
number='(^| )-?[0-9]+ $'
wrapper() { echo "CREATE FUNCTION $1() RETURNS bigint $2 LANGUAGE plpgsql AS \$\$ BEGIN RETURN (SELECT n FROM $counted); END \$\$;"; }

PGUSER=ana sql "$(wrapper ana_definer "SECURITY DEFINER") $(wrapper ana_invoker "") CREATE VIEW ana_view AS SELECT n FROM $counted;
  CREATE VIEW ana_wrapped AS SELECT ana_definer() AS n; GRANT SELECT ON ana_view, ana_wrapped TO PUBLIC"
pays "SECURITY DEFINER: the definer gave its access away, and pays" "ana by ana" "$number" mallory <<<"SELECT ana_definer();"
pays "SECURITY DEFINER inside the caller's ROLLBACK" "ana by ana" "$number" mallory <<<"BEGIN; SELECT ana_definer(); ROLLBACK;"
pays "an invoker's function: the caller, who has no access" "" PV006 mallory <<<"SELECT ana_invoker();"
pays "an invoker's function: the caller, who has access" "bob by bob" "$number" bob <<<"SELECT ana_invoker();"
pays "a view: functions in it run as its reader, who has no access" "" PV006 mallory <<<"SELECT * FROM ana_view;"
pays "a view: its reader pays, not its owner" "bob by bob" "$number" bob <<<"SELECT * FROM ana_view;"
pays "a view over a SECURITY DEFINER function: its owner" "ana by ana" "$number" mallory <<<"SELECT * FROM ana_wrapped;"
sql "ALTER VIEW ana_view SET (security_invoker = true)"
pays "a view with security_invoker: the same" "bob by bob" "$number" bob <<<"SELECT * FROM ana_view;"

# A definer without access gains none by wrapping, nor by having somebody else call.
PGUSER=mallory sql "$(wrapper mallory_definer "SECURITY DEFINER") $(wrapper mallory_invoker "") CREATE VIEW mallory_view AS SELECT n FROM $counted; GRANT SELECT ON mallory_view TO PUBLIC"
pays "a definer without access, called by a role with access" "" PV006 ana <<<"SELECT mallory_definer();"
# A role that runs mallory's code lends mallory its rights: PostgreSQL's rule, charged like any call.
pays "mallory's view read by a role with access is that role's query" "ana by ana" "$number" ana <<<"SELECT * FROM mallory_view;"
pays "mallory's view read by the superuser is the superuser's query" "postgres by ownership" "$number" postgres <<<"SELECT * FROM mallory_view;"
pays "and it is charged when the superuser rolls back" "postgres by ownership" "$number" postgres <<<"BEGIN; SELECT * FROM mallory_view; ROLLBACK;"
pays "the table's owner pays for itself, without a grant" "olga by ownership" "$number" olga <<<"SELECT * FROM mallory_view;"

# A cursor of a SECURITY DEFINER function is run by whoever fetches from it.
PGUSER=ana sql "CREATE FUNCTION ana_cursor() RETURNS refcursor SECURITY DEFINER LANGUAGE plpgsql AS
  \$\$ DECLARE c refcursor := 'handed'; BEGIN OPEN c FOR SELECT n FROM $counted; RETURN c; END \$\$"
pays "a definer's cursor fetched by a stranger" "" PV006 mallory <<<"BEGIN; SELECT ana_cursor() \g /dev/null
FETCH handed; ROLLBACK;"
pays "a definer's cursor fetched by another analyst" "bob by bob" "$number" bob <<<"BEGIN; SELECT ana_cursor() \g /dev/null
FETCH handed; ROLLBACK;"

# SET ROLE: the role that was set. Of the session's other roles nothing is seen.
sql "GRANT bob TO mallory"
pays "SET ROLE to a role with access" "bob by bob" "$number" mallory <<<"SET ROLE bob; SELECT n FROM $counted;"
pays "a member charges itself, through the role's grant" "mallory by bob" "$number" mallory <<<"SELECT n FROM $counted;"
pays "SET LOCAL ROLE, rolled back after the answer" "bob by bob" "$number" mallory <<<"BEGIN; SET LOCAL ROLE bob; SELECT n FROM $counted; ROLLBACK;"
pays "a function with SET role runs as that role" "bob by bob" "$number" mallory <<SQL
CREATE FUNCTION as_bob() RETURNS bigint SET role = 'bob' LANGUAGE plpgsql AS \$\$ BEGIN RETURN (SELECT n FROM $counted); END \$\$;
SELECT as_bob();
SQL
sql "REVOKE bob FROM mallory"
pays "a function with SET role, when the membership is gone" "" '42501|22023' mallory <<<"SELECT as_bob();"
pays "SET ROLE inside SECURITY DEFINER is refused" "" '42501' mallory <<SQL
CREATE FUNCTION escalate() RETURNS bigint SECURITY DEFINER LANGUAGE plpgsql AS \$\$ BEGIN SET ROLE ana; RETURN (SELECT n FROM $counted); END \$\$;
SELECT escalate();
SQL

# Expressions that others trigger. mallory owns the tables; the role that touches them pays or is refused.
PGUSER=mallory sql "$(wrapper ask "")
  CREATE TABLE triggered (x int); CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN new.x := ask(); RETURN new; END \$\$;
  CREATE TRIGGER t BEFORE INSERT ON triggered FOR EACH ROW EXECUTE FUNCTION fire();
  CREATE TABLE ruled (x int); CREATE TABLE log (n bigint); CREATE RULE r AS ON INSERT TO ruled DO ALSO INSERT INTO log SELECT n FROM $counted;
  CREATE TABLE checked (x int CHECK (ask() IS NOT NULL)); CREATE TABLE defaulted (x int, n bigint DEFAULT ask());
  CREATE TABLE policed (x int); INSERT INTO policed VALUES (1); ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
  CREATE POLICY p ON policed USING ((SELECT n FROM $counted) IS NOT NULL);
  GRANT ALL ON triggered, ruled, log, checked, defaulted, policed TO PUBLIC" >/dev/null
pays "a trigger: who inserts" "ana by ana" "$number" <<<"INSERT INTO triggered VALUES (1) RETURNING x;"
pays "a trigger: who inserts has no access" "" PV006 mallory <<<"INSERT INTO triggered VALUES (1) RETURNING x;"
pays "a rule: who inserts" "ana by ana" "" <<<"INSERT INTO ruled VALUES (1);"
pays "a rule, rolled back" "ana by ana" "" <<<"BEGIN; INSERT INTO ruled VALUES (1); ROLLBACK;"
pays "a CHECK constraint" "ana by ana" "" <<<"INSERT INTO checked VALUES (1);"
pays "a DEFAULT" "ana by ana" "$number" <<<"INSERT INTO defaulted (x) VALUES (1) RETURNING n;"
pays "a row-level policy: who reads" "ana by ana" '1' <<<"SELECT x FROM policed;"
sql "CREATE ROLE eve LOGIN"
pays "a row-level policy: a reader without access gets no row" "" PV006 eve <<<"SELECT x FROM policed;"
pays "an event trigger needs a superuser" "" 42501 mallory <<<"CREATE FUNCTION ev() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION ev();"

# Work that PostgreSQL does as the owner of an object: the owner pays, whoever starts it.
pays "CREATE MATERIALIZED VIEW: who creates it" "ana by ana" "$number" <<<"CREATE MATERIALIZED VIEW kept AS SELECT n FROM $counted; SELECT * FROM kept;"
pays "REFRESH by a superuser: the owner of the view" "ana by ana" "" postgres <<<"REFRESH MATERIALIZED VIEW kept;"
PGUSER=mallory sql "CREATE MATERIALIZED VIEW stolen AS SELECT mallory_invoker() AS n WITH NO DATA"
pays "REFRESH by a superuser of a view whose owner has no access" "" PV006 postgres <<<"REFRESH MATERIALIZED VIEW stolen;"
PGUSER=mallory sql "CREATE TABLE indexed (x int); INSERT INTO indexed VALUES (1);
  CREATE FUNCTION immutable_ask(x int) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS \$\$ BEGIN RETURN (SELECT n FROM $counted); END \$\$" >/dev/null
pays "an index expression: the owner of the table, who has no access" "" PV006 postgres <<<"CREATE INDEX ON indexed (immutable_ask(x));"
PGUSER=ana sql "CREATE TABLE ana_indexed (x int); CREATE FUNCTION ana_immutable(x int) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS \$\$ BEGIN RETURN (SELECT n FROM $counted); END \$\$;
  CREATE INDEX ON ana_indexed (ana_immutable(x)); INSERT INTO ana_indexed VALUES (1)" >/dev/null
pays "REINDEX by a superuser: the owner of the table" "ana by ana" "" postgres <<<"REINDEX TABLE ana_indexed;"
pays "ANALYZE by a superuser: the owner of the table" "ana by ana" "" postgres <<<"ANALYZE ana_indexed;"
pays "a generated column is computed by who inserts" "bob by bob" "$number" bob <<SQL
CREATE TABLE generated (x int, n bigint GENERATED ALWAYS AS (ana_immutable(x)) STORED);
INSERT INTO generated (x) VALUES (1) RETURNING n;
SQL

# An error while the table's owner's rights are in force, caught by the caller, leaves none of them behind.
PGUSER=olga sql "REVOKE SELECT ON people FROM olga" >/dev/null
pays "an error under the owner's rights" "" 'caught ana .*public.* on on .*42501.*42501' ana <<SQL
DO \$\$ BEGIN PERFORM n FROM $counted; EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'caught % % % %', current_user, current_setting('search_path'), current_setting('enable_indexscan'), current_setting('track_counts'); END \$\$;
SELECT count(*) FROM people; SELECT count(*) FROM dpmix.charge;
SQL
PGUSER=olga sql "GRANT SELECT ON people TO olga" >/dev/null

# A CHECK that becomes another of the caller's roles: it runs before anybody's rights are looked at, and those of the
# role that it left behind count.
sql "CREATE ROLE mask; GRANT mask TO ana" >/dev/null
PGUSER=olga session <<'SQL' >/dev/null
CREATE FUNCTION become_mask(anyelement) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
  IF session_user = 'ana' THEN PERFORM set_config('role', 'mask', false); END IF; RETURN true; END $$;
CREATE DOMAIN masked_amount AS float8 CHECK (become_mask(VALUE));
CREATE TABLE masked (id int, wage masked_amount); SELECT dpmix.protect('masked', 100, 1e-3);
SELECT dpmix.set_bounds('masked', 'wage', 0, 100); SELECT dpmix.grant_access('masked', 'ana');
SQL
pays "SET ROLE by the CHECK of a column, inside dpmix.cda" "" "PV006" <<<"SELECT count(*) FROM dpmix.cda(NULL::masked, '{wage}', 1, .1, 1e-6); SELECT current_user;"

# What a role that was charged can read of it.
check "each payer sees its own charges" "$(sql "SELECT count(*) FROM dpmix.charge WHERE role = 'bob'")" "$(PGUSER=bob sql "SELECT count(*) FROM dpmix.ledger")"
check "who had others pay sees none of theirs" "$(sql "SELECT count(*) FROM dpmix.charge WHERE role = 'mallory'")" "$(PGUSER=mallory sql "SELECT count(*) FROM dpmix.ledger")"
