#!/usr/bin/env bash
# Survival curves in use: made by a schedule, read by who may, in the report; what fails leaves a charge and no curves.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
run() { psql -XqAt "${@:2}" -c "$1" 2>&1; }
run "CREATE EXTENSION dpmix; CREATE ROLE olga CREATEROLE; CREATE ROLE ana; CREATE ROLE bob; GRANT CREATE ON SCHEMA public TO olga" >/dev/null
run "SET ROLE olga; CREATE TYPE \"an end\" AS ENUM ('it''s \\alive', 'died');
  CREATE TABLE \"the sick\" (\"the days\" numeric, \"an end\" \"an end\" NOT NULL, ward text NOT NULL);
  INSERT INTO \"the sick\" SELECT i % 97, (CASE WHEN i % 3 = 0 THEN 'died' ELSE 'it''s \\alive' END)::\"an end\", CASE WHEN i % 2 = 0 THEN 'n' ELSE 's\"' END FROM generate_series(1, 3000) i;
  SELECT dpmix.protect('\"the sick\"', 1e6, 1e-2), dpmix.set_bounds('\"the sick\"', 'the days', 0, 100), dpmix.set_categories('\"the sick\"', 'ward', ARRAY['n', 's\"']),
    dpmix.set_categories('\"the sick\"', 'an end', ARRAY['it''s \\alive', 'died']), dpmix.grant_access('\"the sick\"', 'ana', 1e5)" >/dev/null
charges() { run "SELECT count(*) FROM dpmix.charge WHERE kind = 'survival'"; }
released() { echo "dpmix.release_survival('$1', '\"the sick\"', 'the days', 'an end', 1000, 1e-6, 'ward', bins => 10, censored => E'it\\'s \\\\alive')"; }
check "released by a role without SELECT" "2 1 3000" "$(run "SET ROLE ana; SELECT groups || ' ' || events || ' ' || round(rows_estimated::numeric, -1) FROM $(released 'some curves')")"
read_all="SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM dpmix.survival('some curves') t"
before=$(run "$read_all")
check_match "groups that must be quoted" 's""' "$before"
check "the owner reads it" "$before" "$(run "SET ROLE olga; $read_all")"
check_match "a stranger does not" "does not exist, or you have no access to it" "$(run "SET ROLE bob; $read_all")"
check_match "a picture of quoted names" "s&#34;|s&quot;|s\"" "$(run "SET ROLE ana; SELECT dpmix.draw('some curves')")"
run "SET ROLE olga; SELECT dpmix.set_categories('\"the sick\"', 'ward', '{n}')" >/dev/null
check "what is declared later changes nothing" "$before" "$(run "SET ROLE ana; $read_all")"
run "SET ROLE olga; SELECT dpmix.set_categories('\"the sick\"', 'ward', ARRAY['n', 's\"'])" >/dev/null

check_match "a failure after the charge" "division by zero" "$(run "SET ROLE ana; SELECT 1 / (groups - 2) FROM $(released gone)")"
check "leaves a charge, and no curves" "2 0" "$(charges) $(run "SELECT count(*) FROM dpmix.releases WHERE name = 'gone'")"
check_match "a name that is taken" "exists already" "$(run "SET ROLE ana; SELECT FROM $(released 'some curves')")"
check "costs nothing" 2 "$(charges)"

# A schedule: curves for each period, and once.
run "SET ROLE ana; SET timezone = 'UTC'; SELECT dpmix.create_schedule('monthly', \$\$SELECT $(released monthly)\$\$, '1 month', '2040-01-01')" >/dev/null
for at in 2040-01-01 2040-02-01 2040-02-01; do PGOPTIONS='-c timezone=UTC' run "CALL dpmix.run_schedule('monthly', at => '$at')" >/dev/null; done
check "curves for each period, once" "monthly 2040-01-01 00:00:00+00 monthly 2040-02-01 00:00:00+00" "$(run "SELECT string_agg(name, ' ' ORDER BY name) FROM dpmix.releases WHERE name LIKE 'monthly %'")"
check "which can be read: nobody is left in the last bin" 18 "$(run "SET ROLE ana; SELECT count(*) FROM dpmix.survival('monthly 2040-02-01 00:00:00+00')")"
check_match "the owner's report has them" "survival curves" "$(run "SET ROLE olga; SELECT dpmix.report('\"the sick\"')")"
