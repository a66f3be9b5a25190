#!/usr/bin/env bash
# The format of stored cubes: one that an earlier build stored, with every measure that there is, reads back the same.
# FREEZE=1 writes the files that are compared with. What a released version has stored is never frozen anew.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
stored=test/server/cube/frozen/cube.sql answers=test/server/cube/frozen/answers.txt
export PGOPTIONS="-c client_min_messages=warning"
run() { psql -XqAt -v ON_ERROR_STOP=1 -c "$1" 2>&1; }
run "CREATE EXTENSION dpmix; CREATE TABLE folk (region text, urban boolean, wage float8, age int);
  INSERT INTO folk SELECT (ARRAY['n', 's', 'x'])[1 + i % 3], i % 5 = 0, i % 100, 20 + i % 50 FROM generate_series(1, 3000) i;
  SELECT dpmix.protect('folk', 1e6, 1e-2), dpmix.set_categories('folk', 'region', '{n,s}'), dpmix.set_bounds('folk', 'wage', 0, 100),
         dpmix.set_bounds('folk', 'age', 0, 128)" >/dev/null
measures=$(run "SELECT '{count,count(wage),sum(wage),wage,variance(wage),stddev(age),age,sum(age)}'")
run "SELECT FROM dpmix.release_cube('kept', 'folk', '{region,urban}', '$measures', 20, 1e-6)" >/dev/null
# Ends of intervals are rounded: they come from the C library's logarithms and roots.
read_all="SELECT c.keys, c.groups, c.measure, c.noise_stddev::numeric(30,6), t.key_values, t.answer::numeric(30,6), t.dp_low::numeric(30,6), t.dp_high::numeric(30,6)
  FROM dpmix.cube('kept') c, dpmix.cube_table('kept', c.keys, c.measure) t ORDER BY c.keys, c.measure, t.key_values"
if [ -n "${FREEZE:-}" ]; then
  run "SELECT format(E'UPDATE dpmix.release SET\nmodel = %L,\ntexts = %L\nWHERE name = ''kept'';', model, texts) FROM dpmix.release WHERE name = 'kept'" >$stored
  run "$read_all" >$answers
fi
psql -Xq -v ON_ERROR_STOP=1 -f $stored
check_command "a cube of an earlier build reads back the same" diff <(run "$read_all") $answers
check "of all tables, groups and measures" "$(run "SELECT sum(groups) FROM dpmix.cube('kept')")" "$(wc -l <$answers)"
# The number of a measure: of no aggregate, of one that no cube has. That of a statistic: of none that cubes have.
for number in 2 7 12 15 99 -1; do
  check_match "measure $number is refused" "damaged" "$(run "BEGIN; UPDATE dpmix.release SET model[32] = $number; SELECT count(*) FROM dpmix.cube_table('kept', '{}', 'sum(wage)'); ROLLBACK" || true)"
done
for number in 4 8 9; do
  check_match "statistic $number is refused" "damaged" "$(run "BEGIN; UPDATE dpmix.release SET model[56] = $number; SELECT count(*) FROM dpmix.cube_table('kept'); ROLLBACK" || true)"
done
