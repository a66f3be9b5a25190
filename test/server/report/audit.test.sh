#!/usr/bin/env bash
# An auditor reads the record of a table as its owner does, and nothing else; a GRANT that lets roles read the rows is
# noticed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster
sql "CREATE ROLE auditors; CREATE ROLE dora LOGIN IN ROLE auditors" >/dev/null
asked="SELECT * FROM dpmix.query('SELECT dp_count(*) FROM public.people', 2) AS t(n bigint)"
PGUSER=ana sql "$asked" >/dev/null
PGUSER=olga sql "CREATE TABLE other (x int); SELECT dpmix.protect('other', 1, 0, accountant => 'basic')" >/dev/null
PGUSER=olga sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM other', .1) AS t(n bigint)" >/dev/null

now=$(sql "SELECT clock_timestamp()")
parts=("SELECT relation, epsilon_spent FROM dpmix.budget WHERE relation = 'people'::regclass" "SELECT role, epsilon_declared FROM dpmix.role_budget WHERE relation = 'people'::regclass ORDER BY 1"
  "SELECT role, kind, epsilon, parameters FROM dpmix.ledger WHERE relation = 'public.people'" "SELECT id, total_epsilon FROM dpmix.audit WHERE relation = 'public.people'" "SELECT epsilon, reason FROM dpmix.budget_history WHERE relation = 'people'::regclass"
  "SELECT charges, share_spent FROM dpmix.forecast('people')" "SELECT * FROM dpmix.explain_charge(1)" "SELECT dpmix.budget_svg('people') ~ 'ana'" "SELECT charges FROM dpmix.forecast('people', at => now())" "SELECT md5(dpmix.report('people', at => '$now'))")
read_parts() { for part in "${parts[@]}"; do { PGUSER=$1 sql "$part" || true; } | sed 's/ at 20.*$//' | cut -c1-2000; done; }
whole=$(read_parts olga)
check "before the grant an auditor's role sees nothing" "" "$(PGUSER=dora sql "${parts[0]}; ${parts[2]}; ${parts[4]}")"
check_match "nor the report" 42501 "$(PGUSER=dora sql "SELECT dpmix.report('people')")"
check_match "an analyst cannot grant it" 42501 "$(PGUSER=ana sql "SELECT dpmix.grant_audit('people', 'auditors')")"
check_match "to a role that is not there" PV005 "$(PGUSER=olga sql "SELECT dpmix.grant_audit('people', 4711::regrole)")"
PGUSER=olga sql "SELECT dpmix.grant_audit('people', 'auditors')" >/dev/null
check "with it a member sees what the owner sees" "$whole" "$(read_parts dora)"
check_match "and that is not empty" "people\|2 .*ana\|2 .*dp_count" "$(tr '\n' ' ' <<<"$whole")"
check "of other tables nothing" "0 0 0" "$(PGUSER=dora sql "SELECT concat_ws(' ', (SELECT count(*) FROM dpmix.ledger WHERE relation <> 'public.people'), (SELECT count(*) FROM dpmix.budget WHERE relation <> 'people'::regclass), (SELECT count(*) FROM dpmix.audit WHERE relation <> 'public.people'))")"
check_match "a report of another table is refused" 42501 "$(PGUSER=dora sql "SELECT dpmix.report('other')")"
for call in "$asked" "SELECT * FROM dpmix.preview('SELECT dp_count(*) FROM public.people', 1)" "SELECT dpmix.unprotect('people')" "SELECT dpmix.set_budget('people', 2, .1, 'mine')" \
  "SELECT dpmix.grant_access('people', 'dora')" "SELECT dpmix.grant_audit('people', 'mallory')" "SELECT count(*) FROM people" "SELECT * FROM dpmix.describe('people')"; do
  check_match "refused to an auditor: ${call:0:60}" 'PV006|42501' "$(PGUSER=dora sql "$call")"
done
check "nothing was charged by that" 2 "$(all_charges)"
PGUSER=olga sql "SELECT dpmix.revoke_audit('people', 'auditors')" >/dev/null
check "taken back" "" "$(PGUSER=dora sql "${parts[0]}; ${parts[2]}")"
check_match "twice" "did not audit" "$(PGUSER=olga sql "SELECT dpmix.revoke_audit('people', 'auditors')")"
PGUSER=olga sql "SELECT dpmix.grant_audit('people', 'dora')" >/dev/null
sql "DROP ROLE dora; CREATE ROLE dora LOGIN" >/dev/null
check "a new role under an old name sees nothing" "" "$(PGUSER=dora sql "${parts[0]}; ${parts[2]}")"
PGUSER=olga sql "SELECT dpmix.grant_audit('people', 'dora')" >/dev/null
pg_dump -Fc -d postgres -f "$CLUSTER/dump" && createdb again && pg_restore -d again "$CLUSTER/dump"
check "a restored dump has the grant" "people" "$(PGUSER=dora sql "SELECT relation FROM dpmix.budget" again; sql "SELECT dpmix.adopt_ledger('test')" again >/dev/null 2>&1; PGUSER=dora sql "SELECT relation FROM dpmix.budget" again)"
PGUSER=olga sql "SELECT dpmix.unprotect('people')" >/dev/null
PGUSER=olga sql "SELECT dpmix.protect('people', 1e6, .1, accountant => 'basic')" >/dev/null 2>&1
check "who protects the table again decides anew" "" "$(PGUSER=dora sql "${parts[0]}; ${parts[2]}")"
PGUSER=olga sql "SELECT dpmix.grant_audit('people', 'dora'); DROP TABLE people" >/dev/null
check "of a dropped table it stays with the name" 1 "$(sql "SELECT count(*) FROM dpmix.auditor")"

# Reading without dpmix.
sql "CREATE SCHEMA o AUTHORIZATION olga" >/dev/null
PGUSER=olga sql "CREATE TABLE o.t (x int, y int) PARTITION BY LIST (x); CREATE TABLE o.t1 PARTITION OF o.t FOR VALUES IN (1); CREATE TABLE o.plain (x int); SELECT dpmix.protect('o.t', 1, 0, accountant => 'basic')" >/dev/null 2>&1
said() { PGUSER=olga sql "$1" | tr '\n' ' '; }
warned='WARNING.*rows of o.t can be read without dpmix.*held by ana.*REVOKE.*SELECT'
check "GRANT of other rights says nothing" "" "$(said "GRANT INSERT, UPDATE ON o.t TO ana")"
check "nor SELECT on another table, nor a REVOKE" "" "$(said "GRANT SELECT ON o.plain TO ana; REVOKE SELECT ON o.t FROM ana")"
check_match "a name without a schema is found as the command finds it" "$warned" "$(said "SET search_path = o; GRANT SELECT ON t TO ana; REVOKE SELECT ON t FROM ana")"
for grant in "SELECT ON o.t" "SELECT ON o.t1" "SELECT (y) ON o.t" "ALL ON o.plain, o.t" "SELECT ON ALL TABLES IN SCHEMA o" "ALL (x) ON o.t1"; do
  check_match "GRANT $grant is noticed" "$warned" "$(said "GRANT $grant TO ana")"
  said "REVOKE ALL ON ALL TABLES IN SCHEMA o FROM ana; REVOKE ALL (x, y) ON o.t FROM ana; REVOKE ALL (x, y) ON o.t1 FROM ana" >/dev/null
done
check "after the REVOKE nobody reads it" "" "$(said "GRANT SELECT ON o.t TO olga")"
check "the owner of an unprotected table hears nothing" "" "$(said "SELECT dpmix.unprotect('o.t')" >/dev/null; said "GRANT SELECT ON o.t TO ana")"
