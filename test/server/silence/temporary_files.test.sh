#!/usr/bin/env bash
# pg_tablespace_size counts temporary files too. A second session polls it while a release sorts what does not fit into
# memory: units of several rows, and groups that are found.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster "temp_file_limit = '1GB'"
people_with "k int" "i" 40
PGUSER=olga session <<'SQL'
CREATE TABLE visits (id int, person int, ill boolean, place text);
INSERT INTO visits SELECT p.id, p.id * 10000 + i / 2, p.ill, repeat(md5(p.id || ' ' || i), 3) FROM people AS p, generate_series(1, 6000) AS i;
SELECT dpmix.protect('visits', 1e6, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 2) \g /dev/null
SELECT dpmix.grant_access('visits', 'ana') \g /dev/null
SQL
settle
# Three calls for each row of people: all 6000 rows of visits with its id match, or none does.
spilled() {  # query [arguments]
  {
    echo "SET work_mem = '64kB'; SET enable_hashagg = off;"
    for ((id = 1; id <= 40; ++id)); do
      label $id
      for _ in 1 2 3; do call "${1//\$id/$id}" "${2:-}"; done
      echo "SET application_name = '';"
    done
  } | watched "pg_tablespace_size('pg_default')"
  awk -F'|' '{ of[$1] = $3 - $2 } END { for (i = 1; i <= 40; i++) print of[i] + 0 }' "$CLUSTER/watched" | bits_of >"$CLUSTER/bits"
}
fair_calls "counts over units of several rows" spilled "SELECT dp_count(*) FROM visits WHERE id = \$id AND ill"
learns_nothing "temporary files of units" 2 "$(who_is_ill)" "$(cat "$CLUSTER/bits")"
fair_calls "counts of units in groups that are found" spilled "SELECT dp_count_distinct(person) FROM visits WHERE id = \$id AND ill GROUP BY place" "1e-6, keys => 'discover'"
learns_nothing "temporary files of groups" 2 "$(who_is_ill)" "$(cat "$CLUSTER/bits")"
