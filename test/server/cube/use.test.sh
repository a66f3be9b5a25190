#!/usr/bin/env bash
# Stored cubes in use: made by a schedule, read by who may, after a dump, a rename and an emergency; what fails leaves a
# charge and no cube; names of a schedule are taken by nobody else.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
run() { psql -XqAt "${@:2}" -c "$1" 2>&1; }
run "CREATE EXTENSION dpmix; CREATE ROLE olga CREATEROLE; CREATE ROLE ana; CREATE ROLE bob; GRANT CREATE ON SCHEMA public TO olga" >/dev/null
run "SET ROLE olga; CREATE TYPE mood AS ENUM ('sad', 'it''s \\ok'); CREATE TABLE \"the people\" (region text, mood mood NOT NULL, \"a key\" boolean, wage float8);
  INSERT INTO \"the people\" SELECT (ARRAY['n', 's', 'x'])[1 + i % 3], (ARRAY['sad', 'it''s \\ok'])[1 + i % 2]::mood, i % 5 = 0, i % 100 FROM generate_series(1, 3000) i;
  SELECT dpmix.protect('\"the people\"', 1e6, 1e-2), dpmix.set_categories('\"the people\"', 'region', '{n,s}'), dpmix.set_categories('\"the people\"', 'mood', ARRAY['sad', 'it''s \\ok']),
         dpmix.set_bounds('\"the people\"', 'wage', 0, 100), dpmix.grant_access('\"the people\"', 'ana', 1e5)" >/dev/null
charges() { run "SELECT count(*) FROM dpmix.charge WHERE kind = 'cube'"; }
check "released by a role without SELECT" "4 3000" "$(run "SET ROLE ana; SELECT tables || ' ' || round(rows_estimated::numeric, -1) FROM dpmix.release_cube('a cube', '\"the people\"', '{mood,\"a key\"}', '{count,wage}', 1000, 1e-6)")"
read_all="SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM (SELECT * FROM dpmix.cube_table('a cube', '{\"a key\",mood}') UNION ALL SELECT * FROM dpmix.cube_table('a cube', '{mood}', 'wage') UNION ALL SELECT * FROM dpmix.cube_table('a cube')) t"
before=$(run "$read_all")
check_match "names and values that must be quoted" "it's .*ok" "$before"
check "the owner reads it" "$before" "$(run "SET ROLE olga; $read_all")"
check "its maker, too" "$before" "$(run "SET ROLE ana; $read_all")"
check_match "a stranger does not" "does not exist, or you have no access to it" "$(run "SET ROLE bob; $read_all")"
check "nor sees its name" 0 "$(run "SET ROLE bob; SELECT count(*) FROM dpmix.releases")"
check_match "nor drops it" "does not exist, or you have no access to it" "$(run "SET ROLE bob; SELECT dpmix.drop_release('a cube')")"
run "SET ROLE olga; ALTER TABLE \"the people\" RENAME TO folk; SELECT dpmix.move_record('\"the people\"', 'folk'); ALTER TABLE folk RENAME mood TO temper; SELECT dpmix.set_categories('folk', 'region', '{n,s,x}')" >/dev/null
check "a table that was renamed changes nothing" "$before" "$(run "SET ROLE ana; $read_all")"

check_match "a failure after the charge" "division by zero" "$(run "SET ROLE ana; SELECT 1 / (tables - 2) FROM dpmix.release_cube('gone', 'folk', '{region}', '{count}', 1, 1e-6)")"
check "leaves a charge, and no cube" "2 0" "$(charges) $(run "SELECT count(*) FROM dpmix.releases WHERE name = 'gone'")"
check "nor does ROLLBACK undo a charge" "3 0" "$(run "SET ROLE ana; BEGIN; SELECT FROM dpmix.release_cube('gone', 'folk', '{region}', '{count}', 1, 1e-6); ROLLBACK" >/dev/null; charges) $(run "SELECT count(*) FROM dpmix.releases WHERE name = 'gone'")"
check_match "a name that is taken" "exists already" "$(run "SET ROLE ana; SELECT FROM dpmix.release_cube('a cube', 'folk', '{region}', '{count}', 1, 1e-6)")"
check "costs nothing" 3 "$(charges)"

# A schedule: one cube for each period, and once.
made=$(run "SET ROLE ana; SET timezone = 'UTC'; SELECT share = p.charge_share AND calls = p.calls_left FROM (SELECT charge_share AS share, periods_left AS calls FROM dpmix.create_schedule('monthly', \$\$SELECT dpmix.release_cube('monthly', 'folk', '{region,temper}', '{count,wage}', 1, 1e-6, 1)\$\$, '1 month', '2040-01-01')) s,
  LATERAL (SELECT * FROM dpmix.preview(\$\$SELECT dpmix.release_cube('any', 'folk', '{region,temper}', '{count,wage}', 1, 1e-6, 1)\$\$, details => true) LIMIT 1) p")
check "is priced as its preview is" t "$made"
check_match "takes the arguments that it has" "function dpmix.release_cube.* does not exist" "$(run "SET ROLE ana; SELECT dpmix.create_schedule('bad', \$\$SELECT dpmix.release_cube('bad', 'folk', '{region}', '{count}', 1, 1e-6, colour => 1)\$\$, '1 day')")"
for at in 2040-01-01 2040-02-01 2040-02-01; do PGOPTIONS='-c timezone=UTC' run "CALL dpmix.run_schedule('monthly', at => '$at')" >/dev/null; done
check "a cube for each period, once" "monthly 2040-01-01 00:00:00+00 monthly 2040-02-01 00:00:00+00" "$(run "SELECT string_agg(name, ' ' ORDER BY name) FROM dpmix.releases WHERE name LIKE 'monthly %'")"
check "which can be read" 4 "$(run "SET ROLE ana; SELECT count(*) FROM dpmix.cube_table('monthly 2040-02-01 00:00:00+00', '{region}')")"
check "the report names them" t "$(run "SELECT dpmix.report('folk') ~ 'tables with totals'")"

# Dumped and restored; the extension is a superuser's to make.
run "CREATE DATABASE restored" >/dev/null
pg_dump -Fc -f "$CLUSTER/dump" && pg_restore -d restored "$CLUSTER/dump"
check "a dump keeps cubes" "$before" "$(run "$read_all" -d restored)"
check "and their rights" "no access" "$(run "SET ROLE bob; $read_all" -d restored | grep -o 'no access')"

# What was stored and damaged is refused, never read beyond its end.
for change in "model = model[1:20]" "model[2] = 1e9" "model[1] = 3" "model[6] = 1000000" "model = model || 1" "texts = texts[1:2]" "texts = texts || 'more'::text" "model[3] = -1"; do
  check_match "damaged: $change" "damaged|stored yet" "$(run "BEGIN; UPDATE dpmix.release SET $change WHERE name = 'a cube'; SELECT count(*) FROM dpmix.cube_table('a cube'); ROLLBACK")"
done
check "dropped by its maker" 0 "$(run "SET ROLE ana; SELECT dpmix.drop_release('a cube'); SELECT count(*) FROM dpmix.releases WHERE name = 'a cube'" | tail -1)"

