#!/usr/bin/env bash
# A ledger in another place, or a table under its old name: charges are never forgotten.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
basic="0, accountant => 'basic'"

# Protect again: what was charged resumes, on the same terms only.
protected_table again 2
sql "SELECT charge_probe('again', 1.5); SELECT dpmix.unprotect('again')" >/dev/null
check_match "an unprotected table is not charged" PV006 "$(sql "SELECT charge_probe('again', .1)" || true)"
check_match "other terms are refused once charged" "PV005: adjacency" \
  "$(sql "SELECT dpmix.protect('again', 2, $basic, adjacency => 'replace')" || true)"
check_match "another accountant too" "PV005: accountant" "$(sql "SELECT dpmix.protect('again', 2, 1e-6)" || true)"
sql "SELECT dpmix.protect('again', 2, $basic)" >/dev/null
check_match "protect() resumes the charges" "spent are epsilon 1.5 " "$(sql "SELECT charge_probe('again', 1)" || true)"
sql "DROP TABLE again; CREATE TABLE again (y text); SELECT dpmix.protect('again', 2, $basic)" >/dev/null
check_match "DROP and CREATE under the same name do not refund" "spent are epsilon 1.5 " "$(sql "SELECT charge_probe('again', 1)" || true)"
session <<<"BEGIN; ALTER TABLE again RENAME TO anew; ROLLBACK; ALTER TABLE again RENAME TO anew; ALTER SCHEMA public RENAME TO public2; ALTER SCHEMA public2 RENAME TO public; SELECT dpmix.move_record('again', 'anew');" >/dev/null
check_match "nor does a rename" "budget of public.anew.*" "$(sql "SELECT charge_probe('anew', 1)" || true)"
sql "CREATE TABLE unit (id int NOT NULL UNIQUE); SELECT dpmix.protect('unit', 2, $basic, privacy_unit => 'id')" >/dev/null
sql "SELECT charge_probe('unit', 1); ALTER TABLE unit RENAME id TO ident" >/dev/null
check_match "a privacy unit follows its column's name" '^[0-9]+$' "$(sql "SELECT charge_probe('unit', .1)")"
sql "ALTER TABLE unit DROP CONSTRAINT unit_id_key" >/dev/null
check_match "a privacy unit without its unique index is not charged" "PV002" "$(sql "SELECT charge_probe('unit', .1)" || true)"
sql "CREATE TABLE hidden (x int); SELECT dpmix.protect('hidden', 1, 1e-6); ALTER TABLE hidden ENABLE ROW LEVEL SECURITY" >/dev/null
check_match "row-level security that spares the owner is no hindrance" '^[0-9]+$' "$(sql "SELECT charge_probe('hidden', .1)")"
sql "ALTER TABLE hidden FORCE ROW LEVEL SECURITY" >/dev/null
check_match "row-level security that binds the owner is" "PV002" "$(sql "SELECT charge_probe('hidden', .1)" || true)"
check_match "REPEATABLE READ sees a grant revoked since" PV006 "$(
  sql "CREATE ROLE ana LOGIN; GRANT ALL ON SCHEMA public TO ana; SELECT dpmix.grant_access('anew', 'ana')" >/dev/null
  PGUSER=ana session <<'SQL' || true
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;
\! psql -X -q -U postgres -c "SELECT dpmix.revoke_access('anew', 'ana')" >/dev/null
SELECT charge_probe('anew', .1);
SQL
)"

sql "SELECT dpmix.grant_access('anew', 'ana', 1); SELECT dpmix.set_bounds('unit', 'ident', 0, 9); SELECT dpmix.set_budget('anew', 5, 0, 'more')" >/dev/null

# Dump and restore.
"$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres
sql "CREATE DATABASE restored" >/dev/null
"$BIN/pg_restore" -d restored "$CLUSTER/dump" >"$CLUSTER/restore.log" 2>&1 || true
check "pg_restore has no complaint" "" "$(cat "$CLUSTER/restore.log")"
check "the dump has the charges" "$(sql "SELECT count(*), sum(epsilon) FROM dpmix.charge")" "$(sql "SELECT count(*), sum(epsilon) FROM dpmix.charge" restored)"
check_match "a restored ledger does not charge" "PV004" "$(sql "SELECT charge_probe('anew', .1)" restored || true)"
check_match "nor protect anew" "PV004" "$(sql "SELECT dpmix.protect('anew', 9, $basic)" restored || true)"
check_match "an analyst cannot adopt it" "42501" "$(PGUSER=ana sql "SELECT dpmix.adopt_ledger('mine now')" restored || true)"
sql "SELECT dpmix.adopt_ledger('moved to another host')" restored >/dev/null
check_match "adopted, it goes on where it was" "spent are epsilon 1.5 " "$(sql "SELECT charge_probe('anew', 4)" restored || true)"
check_match "with the grants and caps of roles" '^[0-9]+$' "$(PGUSER=ana sql "SELECT charge_probe('anew', 1)" restored)"
check_match "identities of charges go on too" '^t$' "$(sql "SELECT max(id) = count(DISTINCT id) FROM dpmix.charge" restored)"
check "domains find their columns" "0|9" "$(sql "SELECT lower, upper FROM dpmix.column_domain d JOIN dpmix.protected_table p ON p.id = table_id
  JOIN pg_attribute ON attrelid = p.relation AND d.attnum = pg_attribute.attnum AND attname = column_name WHERE table_name = 'unit'" restored)"
check "who adopted it and why is on record" "postgres|moved to another host" "$(sql "SELECT role, reason FROM dpmix.ledger_stamp ORDER BY id DESC LIMIT 1" restored)"
check_match "an inactive table stays inactive" "PV006" "$(sql "SELECT dpmix.unprotect('unit'); SELECT dpmix.adopt_ledger('again'); SELECT charge_probe('unit', .1)" restored || true)"

# A copy by template keeps the identifiers of tables, not that of the database.
wait_until 10 no_worker
sql "CREATE DATABASE copied TEMPLATE postgres" >/dev/null
check_match "a template copy does not charge" "PV004: the ledger was made in another place" "$(sql "SELECT charge_probe('anew', .1)" copied || true)"
sql "SELECT dpmix.adopt_ledger('test copy')" copied >/dev/null
check_match "until it is adopted, by the worker that refused it" '^[0-9]+$' "$(sql "SELECT charge_probe('anew', .1)" copied)"
check_match "the original charges all along" '^[0-9]+$' "$(sql "SELECT charge_probe('anew', .1)")"

# A copy of the files.
as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m fast -w stop >/dev/null
as_server cp -a "$CLUSTER/data" "$CLUSTER/copy"
as_server mv "$CLUSTER/data" "$CLUSTER/original"
as_server mv "$CLUSTER/copy" "$CLUSTER/data"
cluster_up
check_match "a copy of the data directory does not charge" PV004 "$(sql "SELECT charge_probe('anew', .1)" || true)"
cluster_restart
as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m fast -w stop >/dev/null
as_server rm -rf "$CLUSTER/data"
as_server mv "$CLUSTER/original" "$CLUSTER/data"
cluster_up
check_match "the original does" '^[0-9]+$' "$(sql "SELECT charge_probe('anew', .1)")"

# Names taken by a record.
protected_table old_name 1
sql "SELECT charge_probe('old_name', 1); DROP TABLE old_name; CREATE TABLE old_name (x int)" >/dev/null
check_match "a table under a dropped one's name has its record" PV001 "$(sql "SELECT charge_probe('old_name', 1)" || true)"
sql "DROP TABLE old_name; ALTER TABLE hidden RENAME TO old_name" >/dev/null
check_match "a protected table that takes a name with a record is protected no more" "PV006" "$(sql "SELECT charge_probe('old_name', .1)" || true)"
check_match "and has no use of the other record" "PV005" "$(sql "SELECT dpmix.protect('old_name', 1, 0, accountant => 'basic')" || true)"
check "DROP EXTENSION works with a live worker" "" "$(sql "DROP EXTENSION dpmix CASCADE" 2>&1 | grep -v NOTICE | grep ERROR || true)"
check "and leaves nothing that fires" "" "$(sql "DROP TABLE old_name; ALTER TABLE anew RENAME TO anything" || true)"
