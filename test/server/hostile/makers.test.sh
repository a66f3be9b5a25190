#!/usr/bin/env bash
# Names of models, schedules and counters are each role's own: nobody takes, finds or guesses another's, and what a
# name means does not change for its maker because of what others make.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
sql "CREATE EXTENSION dpmix; GRANT CREATE ON SCHEMA public TO PUBLIC" >/dev/null || true
for role in olga ana bob eve; do sql "CREATE ROLE $role LOGIN" >/dev/null; done
PGUSER=olga session <<'SQL' >/dev/null 2>&1
CREATE TABLE staff AS SELECT i AS id, (i % 100)::float8 AS wage FROM generate_series(1, 500) i;
CREATE TABLE days AS SELECT i AS unit, '2026-01-01'::date + i % 30 AS day FROM generate_series(1, 500) i;
ALTER TABLE days ALTER unit SET NOT NULL;
SELECT dpmix.protect('staff', 1e6, .1, accountant => 'basic'); SELECT dpmix.set_bounds('staff', 'wage', 0, 100);
SELECT dpmix.protect('days', 1e6, .1, privacy_unit => 'unit', max_rows_per_unit => 9, blocks => 'day');
SELECT dpmix.grant_access('staff', 'ana', NULL, 0, NULL), dpmix.grant_access('days', 'ana', NULL, 0, NULL);
SELECT dpmix.grant_access('staff', 'bob', NULL, 0, NULL), dpmix.grant_access('days', 'bob', NULL, 0, NULL);
SQL
as() { PGUSER=$1 sql "$2"; }
make() {  # role epsilon
  as "$1" "SELECT components > 0 FROM dpmix.release_gmm('same', 'staff', '{wage}', $2, 1e-6)"
  as "$1" "SELECT epsilon FROM dpmix.create_schedule('same', 'SELECT dpmix.release_gmm(''same'', ''staff'', ''{wage}'', $2, 1e-6)', '1 day', '2040-01-01')"
  as "$1" "SELECT steps > 0 FROM dpmix.create_counter('same', 'SELECT dp_count(*) AS n FROM days', '1 day', '99 days', $2, 1e-9)"
}
check "a role makes a model, a schedule and a counter of one name" "t 1 t" "$(make ana 1 | paste -sd' ')"
check "another one does, too" "t 2 t" "$(make bob 2 | paste -sd' ')"
check "nobody makes two" "PV005 PV005 PV005" "$(make bob 3 | grep -oE 'PV[0-9]+' | paste -sd' ')"
check "nothing of it was charged" 2 "$(sql "SELECT count(*) FROM dpmix.charge")"

check "each uses its own" "1 2" "$(for role in ana bob; do as $role "SELECT count(*) * (SELECT epsilon FROM dpmix.releases WHERE name = 'same' AND maker = current_user) FROM (SELECT FROM dpmix.gmm('same') LIMIT 1) x"; done | paste -sd' ')"
check "and what others made by maker and name" 0 "$(as ana "SELECT dpmix.gmm_kl('bob.same', 'bob.same')")"
check "which is another model" t "$(as ana "SELECT dpmix.gmm_kl_estimate('same', 'bob.same') IS DISTINCT FROM NULL")"
check_match "to others who may use both the name alone is not enough" "PV005: several roles have a release named \"same\".*You may use those of (ana, bob|bob, ana)\..*'role.name'" "$(as olga "SELECT FROM dpmix.gmm('same')" | paste -sd' ')"
check "they say whose" t "$(as olga "SELECT count(*) > 0 FROM dpmix.gmm('bob.same')")"
nobody=$(as eve "SELECT FROM dpmix.gmm('none')" | sed 's/none//') || true
for name in same ana.same bob.same; do
  check "a stranger finds nothing under $name" "$nobody" "$(as eve "SELECT FROM dpmix.gmm('$name')" | sed "s/$name//")"
done
check "a stranger takes the name as if it were free" "PV006" "$(as eve "SELECT FROM dpmix.release_gmm('same', 'staff', '{wage}', 1, 1e-6)" | grep -oE 'PV[0-9]+')"

check "a model with a role before its name is found as a whole" t "$(as ana "SELECT components > 0 FROM dpmix.release_gmm('bob.same', 'staff', '{wage}', 5, 1e-6)" >/dev/null
  as ana "SELECT dpmix.drop_release('bob.same') IS NOT NULL" >/dev/null; as ana "SELECT count(*) > 0 FROM dpmix.gmm('bob.same')")"
check "which bob still has" "bob" "$(sql "SELECT maker FROM dpmix.releases WHERE name = 'same' AND epsilon = 2")"
check "the table's owner drops the one that it means" "1 ana" "$(as olga "SELECT dpmix.drop_release('bob.same') IS NOT NULL" >/dev/null; sql "SELECT count(*), min(maker::text) FROM dpmix.releases WHERE name = 'same'" | tr '|' ' ')"
check "after which the name alone is enough" t "$(as olga "SELECT count(*) > 0 FROM dpmix.gmm('same')")"

check "a paused schedule is one's own" "ana" "$(as ana "SELECT dpmix.set_schedule_active('same', false)" >/dev/null; sql "SELECT owner FROM dpmix.schedules WHERE NOT active")"
check_match "bob's is not hers" 'PV006.*does not exist, or is not yours' "$(as ana "SELECT dpmix.drop_schedule('bob.same')")"
check_match "a superuser has to say whose" "PV005.*several roles have a schedule" "$(sql "SELECT dpmix.drop_schedule('same')" | paste -sd' ')"
sql "CALL dpmix.run_schedule('bob.same', at => '2040-01-01')" >/dev/null || true
check "and runs it" "stored bob" "$(sql "SELECT r.state || ' ' || m.maker FROM dpmix.schedule_runs r, dpmix.releases m WHERE m.name LIKE 'same 2040%'")"
check "ana's releases may be named like those of his runs" t "$(as ana "SELECT components > 0 FROM dpmix.release_gmm('same 2040-01-02 00:00:00+00', 'staff', '{wage}', 1, 1e-6)")"
sql "CALL dpmix.run_schedule('bob.same', at => '2040-01-02')" >/dev/null || true
check "which does not stop them" "stored stored" "$(sql "SELECT string_agg(state, ' ') FROM dpmix.schedule_runs")"

check "a step is of one's own counter" "bob" "$(as bob "SELECT dpmix.run_counter('same')" >/dev/null; sql "SELECT owner FROM dpmix.counters WHERE made > 0")"
check_match "the table's owner says whose totals it reads" "PV005.*several roles have a counter" "$(as olga "SELECT FROM dpmix.counter('same')" | paste -sd' ')"
check "and reads them" t "$(as olga "SELECT count(*) > 0 FROM dpmix.counter('bob.same')")"
check_match "others do not" 'PV006' "$(as ana "SELECT FROM dpmix.counter('bob.same')")"
check "a counter is dropped by its maker" "bob" "$(as ana "SELECT dpmix.drop_counter('same')" >/dev/null; sql "SELECT owner FROM dpmix.counters")"

# A re-created role begins with no name taken; after a restore the newest of each name is adopted.
sql "REASSIGN OWNED BY bob TO postgres; DROP OWNED BY bob; DROP ROLE bob; CREATE ROLE bob LOGIN" >/dev/null || true
PGUSER=olga sql "SELECT dpmix.grant_access('staff', 'bob', NULL, 0, NULL)" >/dev/null || true
check "a role of an old name makes its own" "t 7" "$(make bob 7 | head -n 2 | paste -sd' ')"
sql "UPDATE dpmix.role_number SET role_oid = role_oid + 100000, cluster = cluster + 1" >/dev/null || true
check "adoption binds the newest of each name" "" "$(sql "SELECT dpmix.adopt_ledger('moved')" | grep -E 'ERROR' || true)"
check "and one alone" "1|1" "$(sql "SELECT count(*), max(r.epsilon) = 7 FROM dpmix.release r JOIN dpmix_internal.bound_role b ON b.number = r.maker WHERE r.name = 'same' AND b.rolname = 'bob'" | sed 's/|t$/|1/')"
