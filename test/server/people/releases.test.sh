#!/usr/bin/env bash
# Models and cubes of layers whose tables are read in shares of the units: every row counts once, and no more of a
# person than the owner says, whichever the share; what cannot be put together of shares is refused before the charge.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "dpmix.scan_memory = 1MB"
{
  sed -n '1,/^-- Regressions/p' sql/people_releases.sql
  cat <<'SQL'
SELECT set_config('releases.one_row', :'one_row', false), set_config('releases.many', :'many', false) \g /dev/null
CREATE TABLE sources AS SELECT current_setting('releases.one_row') AS one_row, current_setting('releases.many') AS many;
SQL
} | psql -Xq -v ON_ERROR_STOP=1 >/dev/null
export PGOPTIONS="-c search_path=people_releases -c client_min_messages=warning"
asked() { sql "DO \$\$ BEGIN EXECUTE (SELECT format('SELECT dpmix.$1', $2) FROM sources); END \$\$"; }
rows_of() { sql "SELECT (SELECT sum(round(r)) FROM unnest(rows_estimated) r) FROM dpmix.releases WHERE name = '$1'"; }

several=$(sql "SELECT sum(least(n, 12)) FROM (SELECT count(*) AS n FROM visits GROUP BY patient_id) v")
precisely="epsilon => 1e5, delta => 1e-6, source => %L"
asked "release_regression(''lines'', target => ''paid'', terms => ''{ward,sex}'', $precisely)" many
check "a regression of several rows a person" "$several" "$(rows_of lines)"
asked "release_tree(''tree'', columns => ''{ward,sex,paid}'', $precisely)" many
check "a tree of several rows a person" "$several" "$(rows_of tree)"
asked "release_regression(''one'', target => ''visits'', terms => ''{age}'', $precisely)" one_row
check "a regression of one row a person" 4000 "$(rows_of one)"
check "its slope is PostgreSQL's" t \
  "$(sql "SELECT abs(estimate - (SELECT regr_slope(visits, age) FROM one)) < .001 FROM dpmix.regression('one') WHERE term = 'age'")"
asked "release_regression(''log'', target => ''ill'', terms => ''{age}'', kind => ''logistic'', method => ''coordinate'', passes => 2, $precisely)" one_row
check "coordinate descent, which reads them again for each pass" 4000 "$(rows_of log)"
asked "release_cube(''cube'', keys => ''{sex,visits}'', measures => ''{count,spent}'', $precisely)" one_row
check "a cube" 4000 "$(rows_of cube)"
before=$(sql "SELECT count(*) FROM dpmix.charge")
check_match "a mixture needs all rows at once" "PV005: +the tables do not fit the memory of a release" \
  "$(asked "release_gmm(''gmm'', columns => ''{age}'', label => ''sex'', $precisely)" one_row)"
check "before it is charged" "$before" "$(sql "SELECT count(*) FROM dpmix.charge")"
