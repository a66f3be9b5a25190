#!/usr/bin/env bash
# Coordinate descents that do not end as they began: a rollback, a cancel in the middle, a crash keep the charge and
# leave no model. Other roles have the rights that they were granted and no others. Blocks, units of several rows, a
# private label alone; rows that fit into work_mem and rows that do not.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "work_mem = 64kB" "fsync = off"
session >/dev/null <<'SQL'
CREATE EXTENSION dpmix;
SET client_min_messages = warning;
CREATE TABLE visits AS
  SELECT i / 4 AS person, i % 200 / 50.0::float8 AS x, i % 2 = 0 AS member, (i * 7919 % 10007) / 10007.0 < 1 / (1 + exp(2 - i % 200 / 50.0)) AS ill,
         date '2026-01-01' + i % 20 AS day
  FROM generate_series(1, 40000) AS i;
CREATE TABLE days AS TABLE visits;
CREATE TABLE labelled AS TABLE visits;
CREATE TABLE units AS TABLE visits;
INSERT INTO units SELECT 7, 4, true, false, NULL FROM generate_series(1, 30000);
SELECT dpmix.protect('visits', 1e7, .1, accountant => 'basic'),
       dpmix.protect('days', 1e7, .1, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01'),
       dpmix.protect('labelled', 1e7, .1, accountant => 'basic', adjacency => 'label', label => 'ill'),
       dpmix.protect('units', 1e7, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 3);
SELECT dpmix.set_bounds(t, 'x', 0, 4) FROM unnest('{visits,days,labelled,units}'::regclass[]) AS t;
CREATE ROLE ana LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE eve LOGIN;
SELECT dpmix.grant_access('visits', 'ana', 50), dpmix.grant_access('visits', 'bob');
SQL
descent() {  # name table epsilon [more arguments]
  echo "dpmix.release_regression('$1', 'public.$2', 'ill', '{x,member}', $3, 1e-6, 'logistic', method => 'coordinate'${4:-})"
}
charges() { sql "SELECT count(*) FROM dpmix.charge WHERE relation LIKE 'public.%'"; }
models() { sql "SELECT count(*) FROM dpmix.release"; }

# --- What is undone is charged. ---
sql "BEGIN; SELECT FROM $(descent undone visits 10); ROLLBACK" >/dev/null
check "a rollback keeps the charge, and no model" "1 0" "$(charges) $(models)"
sql "BEGIN; SAVEPOINT s; SELECT FROM $(descent undone visits 10); ROLLBACK TO s; COMMIT" >/dev/null
check "a rollback to a savepoint, too" "2 0" "$(charges) $(models)"
check_match "the name is free again" '^3$' "$(sql "SELECT coefficients FROM $(descent undone visits 10)")"
check_match "and taken, without a charge" '42710|PV005' "$(sql "SELECT FROM $(descent undone visits 10)")"
check "both are recorded" "3 1" "$(charges) $(models)"

# 300 scans of 40 000 rows take a while.
long=", passes => 100"
charged() { [ "$(charges)" -ge "$1" ]; }
PGAPPNAME=victim psql -X -q -c "SELECT FROM $(descent cancelled visits 10 "$long")" >"$CLUSTER/cancelled" 2>&1 &
client=$!
wait_until 30 charged 4 || echo "not ok - it was never charged"
sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
wait $client || true
check_match "cancelled in the middle" 'canceling statement' "$(cat "$CLUSTER/cancelled")"
check "a cancel keeps the charge, and no model" "4 1" "$(charges) $(models)"
PGAPPNAME=victim psql -X -q -c "SELECT FROM $(descent ended visits 10 "$long")" >"$CLUSTER/ended" 2>&1 &
client=$!
wait_until 30 charged 5 || echo "not ok - it was never charged"
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'" >/dev/null
wait $client || true
check "so does the end of its session" "5 1" "$(charges) $(models)"
psql -X -q -c "SELECT FROM $(descent crashed visits 10 "$long")" >"$CLUSTER/crashed" 2>&1 &
client=$!
wait_until 30 charged 6 || echo "not ok - it was never charged"
cluster_restart immediate
wait $client || true
check "and a crash" "6 1" "$(charges) $(models)"
check "the balance agrees" t "$(sql "SELECT charges = 6 AND epsilon_spent = 60 FROM dpmix.budget WHERE relation = 'visits'::regclass")"

# --- Rights. ---
as() { PGUSER=$1 sql "$2"; }
check_match "without access: refused" PV006 "$(as eve "SELECT FROM $(descent eves visits 1)")"
check_match "nor previewed" PV006 "$(as eve "SELECT FROM dpmix.preview(\$\$SELECT dpmix.release_regression('eves', 'public.visits', 'ill', '{x}', 1, 1e-6, 'logistic', method => 'coordinate')\$\$)")"
check "with access, without a right to read the table" 3 "$(as ana "SELECT coefficients FROM $(descent anas visits 10)")"
check_match "which she may not" 42501 "$(as ana "SELECT count(*) FROM visits")"
check_match "beyond her share: refused" PV001 "$(as ana "SELECT FROM $(descent more visits 45)")"
check "another role with access may use it" "3 {coordinate}" "$(as bob "SELECT count(*) || ' ' || array_agg(DISTINCT note)::text FROM dpmix.regression('anas')")"
check "and predict" t "$(as bob "SELECT dpmix.predict('anas', r) BETWEEN 0 AND 1 FROM (SELECT 1::float8 AS x, true AS member) AS r")"
check_match "one without may not" PV006 "$(as eve "SELECT count(*) FROM dpmix.regression('anas')")"
check "charged to her" "ana 10" "$(sql "SELECT role || ' ' || epsilon::float8 FROM dpmix.charge WHERE release = 'anas'")"
check "nothing of what was refused is" 7 "$(charges)"

# --- Blocks, a private label alone, units of several rows: the rows that count, held and scanned. ---
allowed=$(sql "SET work_mem = '64MB'; SELECT sum(least(n, 3)) FROM (SELECT count(*) AS n FROM units GROUP BY person) AS u")
for memory in 64kB 64MB; do
  export PGOPTIONS="-c work_mem=$memory"
  check "$memory: of blocks, the rows in them" 10000 \
    "$(sql "SELECT round(rows_estimated) FROM $(descent "days $memory" days 1e5 ", blocks => '[2026-01-06,2026-01-11)'")")"
  check "$memory: and these blocks are charged, of one day each" "{[5,10)}" "$(sql "SELECT blocks FROM dpmix.ledger WHERE release = 'days $memory'")"
  check "$memory: where the label alone is private, the number of rows is exact" "0 40000" \
    "$(sql "SELECT count_stddev || ' ' || rows_estimated FROM $(descent "labelled $memory" labelled 1)")"
  check "$memory: three rows of each unit" "$allowed" "$(sql "SELECT round(rows_estimated) FROM $(descent "units $memory" units 1e5)")"
  unset PGOPTIONS
done
check_match "blocks must be named" 'PV003' "$(sql "SELECT FROM $(descent none days 1)")"
check "held or scanned, about the same" t "$(sql "SELECT bool_and(abs(a.estimate - b.estimate) < .02) FROM dpmix.regression('days 64kB') AS a JOIN dpmix.regression('days 64MB') AS b USING (term)")"
check "a unit of 30 000 rows weighs no more than another" t \
  "$(sql "SELECT abs(u.estimate - d.estimate) < .2 FROM dpmix.regression('units 64MB') AS u JOIN dpmix.regression('days 64MB') AS d USING (term) WHERE term = 'x'")"
check "no temporary file" 0 "$(sql "SELECT temp_files FROM pg_stat_database WHERE datname = 'postgres'")"
