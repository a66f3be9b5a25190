#!/usr/bin/env bash
# create_schedule(grant_to, latest): the named roles read what is stored, and the view has the newest period; nobody
# else does.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/schedule/lib.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s" "client_min_messages = warning"
schedule_tables
sql "CREATE ROLE ben LOGIN; CREATE ROLE board; CREATE ROLE cleo LOGIN IN ROLE board; CREATE ROLE \"odd role\" LOGIN; CREATE ROLE mallory LOGIN;
     CREATE SCHEMA reports AUTHORIZATION olga; CREATE SCHEMA theirs; GRANT CREATE, USAGE ON SCHEMA theirs TO olga" >/dev/null
made() {  # name, into, more arguments
  PGUSER=olga sql "SELECT name FROM dpmix.create_schedule('$1', 'SELECT dpmix.query(''SELECT ward, dp_count(*) AS n FROM visits GROUP BY ward'', 0.5)',
    '1 day', '2040-01-01 02:00', '$2'${3:+, $3})" || true
}
check "made" shared "$(made shared reports.wards "grant_to => '{ben,board,\"odd role\"}', latest => 'reports.wards_latest'")"
run shared 0; run shared 1
read_as() { PGUSER=$1 sql "SELECT (SELECT count(*) FROM reports.wards), (SELECT string_agg(ward || extract(day FROM due), ' ' ORDER BY ward) FROM reports.wards_latest)" || true; }
for role in ben cleo "odd role" olga; do check "$role reads all periods, and the newest" "4|a2 b2" "$(read_as "$role")"; done
check_match "others read nothing" 42501 "$(read_as mallory)"
for attempt in "DELETE FROM reports.wards" "INSERT INTO reports.wards VALUES (now(), 'a', 1)" "DROP VIEW reports.wards_latest" "CREATE TABLE reports.x (i int)" "CALL dpmix.run_schedule('shared')"; do
  check_match "a reader only reads: $attempt" '42501|PV006' "$(PGUSER=ben sql "$attempt" || true)"
done
check "one charge a period" 2 "$(sql "SELECT count(*) FROM dpmix.charge")"
check "without grant_to it is the owner's" "own 42501" "$(made own own) $(PGUSER=ben sql "SELECT * FROM olga.own" | grep -o 42501 || true)"

sql "SELECT dpmix.drop_schedule('shared')" >/dev/null
check "made again it takes table and view" shared "$(made shared reports.wards "grant_to => '{ben}', latest => 'reports.wards_latest'")"
refused() { check_match "$1" "$2" "$(made "${@:3}")"; check "and nothing was made: $1" 0 "$(sql "SELECT count(*) FROM dpmix.schedule WHERE name = '$3'")"; }
refused "a role that is not there" PV005 none own2 "grant_to => '{nobody}'"
refused "NULL as a role" PV005 none own2 "grant_to => ARRAY[NULL]::name[]"
refused "a temporary view" PV005 none own2 "latest => 'pg_temp.v'"
refused "another's view" "42501|42809" none own2 "latest => 'pg_catalog.pg_class'"
refused "a schema in which others may not be let in" 42501 none theirs.t "grant_to => '{ben}'"
check_match "a model has no rows to share" PV005 "$(PGUSER=olga sql "SELECT name FROM dpmix.create_schedule('model', 'SELECT dpmix.release_gmm(''model'', ''visits'', ''{age}'', 1, 1e-6, ''ward'')', '1 day', grant_to => '{ben}')" || true)"
check_match "names are quoted" ok "$(sql "CREATE SCHEMA \"s p\" AUTHORIZATION olga" >/dev/null; made odd '"s p"."t;x"' "grant_to => '{ben}', latest => '\"s p\".\"v\"\"w\"'" | sed 's/^odd$/ok/')"

# The example of docs/guide/schedules.md.
sql "CREATE ROLE metabase LOGIN" >/dev/null
PGUSER=olga session >/dev/null 2>&1 <<'SQL'
CREATE TABLE patients (id int PRIMARY KEY, region text);
INSERT INTO patients SELECT i, (ARRAY['n', 's'])[1 + i % 2] FROM generate_series(1, 400) i;
SELECT dpmix.protect('patients', 8, 1e-6, privacy_unit => 'id'), dpmix.set_categories('patients', 'region', '{n,s}');
SQL
example=$(awk '/^```sql$/ { piece = ""; inside = 1; next } /^```$/ { if (piece ~ /grant_to/) print piece; inside = 0 } inside { piece = piece $0 "\n" }' docs/guide/schedules.md)
check_match "the example of the guide" "^wages\|2026-12-01 02:00:00\+00" "$(PGUSER=olga sql "$example")"
check "runs" "" "$(PGUSER=olga sql "CALL dpmix.run_schedule('wages', at => '2026-12-02 03:00')")"
check "and the board reads its interval" "n t,s t" "$(PGUSER=metabase sql "SELECT string_agg(region || ' ' || left((low < n AND n < high)::text, 1), ',' ORDER BY region) FROM reports.wages_now")"
