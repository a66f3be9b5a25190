#!/usr/bin/env bash
# A row that an UPDATE gives to another privacy unit has two budgets to spend. Each such statement is on record, as one
# whatever it changes, and guard_unit refuses it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster
export PGUSER=olga
sql "SET client_min_messages = warning; CREATE TABLE visits (id int PRIMARY KEY, person int, wage float8);
  INSERT INTO visits SELECT i, i / 4, i % 100 FROM generate_series(1, 400) i;
  SELECT dpmix.protect('visits', 10, 1e-6, privacy_unit => 'person', max_rows_per_unit => 4)" >/dev/null
updates() { PGUSER=postgres sql "SELECT count(*) FROM dpmix.unit_update u JOIN dpmix.protected_table t ON t.id = u.table_id WHERE t.relation = '$1'::regclass"; }
checked() { sql "SET client_min_messages = warning; SELECT exact_number || ' ' || (warning LIKE '%guard_unit%') FROM dpmix.check('$1') WHERE finding LIKE 'UPDATE%'"; }
check "nothing is on record before" "0 " "$(updates visits) $(checked visits)"
sql "UPDATE visits SET wage = 5; UPDATE visits SET wage = wage, id = id WHERE id < 5"
check "UPDATEs of other columns are not recorded" 0 "$(updates visits)"
sql "UPDATE visits SET person = person + 1"
check "one statement of 400 rows" 1 "$(updates visits)"
sql "UPDATE visits SET person = 0 WHERE id = -1"
check "and one of none: which rows there are does not show" 2 "$(updates visits)"
sql "INSERT INTO visits VALUES (1, 1, 1) ON CONFLICT (id) DO UPDATE SET person = 7"
check "ON CONFLICT, too" 3 "$(updates visits)"
check "by whom" olga "$(PGUSER=postgres sql "SELECT DISTINCT role FROM dpmix.unit_update")"
check "check says what it means" "3 true" "$(checked visits)"
sql "BEGIN; UPDATE visits SET person = 1; ROLLBACK"
check "what was rolled back did not happen" 3 "$(updates visits)"
sql "ALTER TABLE visits RENAME person TO who; UPDATE visits SET who = who"
check "under another name" 4 "$(updates visits)"
check_match "the report says so" 'Whose row it is was updated by 4 statements' "$(sql "SELECT dpmix.report('visits')")"
PGUSER=mallory sql "CREATE TABLE own (person int); CREATE TRIGGER t AFTER UPDATE OF person ON own EXECUTE FUNCTION dpmix_internal.unit_guard(); UPDATE own SET person = 1" >/dev/null
check "nobody writes into the record of others" "4 4" "$(updates visits) $(PGUSER=postgres sql "SELECT count(*) FROM dpmix.unit_update")"
check_match "nobody takes a statement back" 'append-only' "$(PGUSER=postgres sql "DELETE FROM dpmix.unit_update")"
check_match "nor reads it" 42501 "$(PGUSER=mallory sql "SELECT count(*) FROM dpmix.unit_update")"

check_match "guard_unit needs a unit" PV005 "$(sql "CREATE TABLE alone (x int); SELECT dpmix.protect('alone', 1, 1e-6, guard_unit => true)")"
sql "SET client_min_messages = warning; CREATE TABLE guarded (id int, person text, wage float8) PARTITION BY RANGE (id);
  CREATE TABLE guarded_1 PARTITION OF guarded FOR VALUES FROM (1) TO (200); CREATE TABLE guarded_2 PARTITION OF guarded FOR VALUES FROM (200) TO (401);
  INSERT INTO guarded SELECT i, 'p' || i / 4, i % 100 FROM generate_series(1, 400) i;
  SELECT dpmix.protect('guarded', 10, 1e-6, privacy_unit => 'person', max_rows_per_unit => 4, guard_unit => true)" >/dev/null
for table in guarded guarded_1; do
  check_match "$table: refused" PV002 "$(sql "UPDATE $table SET person = 'q' WHERE id = 3")"
  check_match "$table: nobody's, too" PV002 "$(sql "UPDATE $table SET person = NULL WHERE id = 3")"
done
check_match "in another partition" PV002 "$(sql "UPDATE guarded SET id = 300, person = 'q' WHERE id = 3")"
check "not where it stays" "" "$(sql "UPDATE guarded SET person = person, wage = 3; UPDATE guarded SET wage = 7")"
check_match "in replication, too" PV002 "$(PGUSER=postgres sql "SET session_replication_role = replica; UPDATE guarded SET person = 'q' WHERE id = 3")"
sql "SET client_min_messages = warning; SELECT dpmix.unprotect('guarded'); SELECT dpmix.protect('guarded', 10, 1e-6, privacy_unit => 'person', max_rows_per_unit => 4)" >/dev/null
check "until it is protected without" "" "$(sql "UPDATE guarded SET person = 'q' WHERE id = 3")"
