#!/usr/bin/env bash
# Records of tables of every kind are what the registry of deployments takes, as YAML and as JSON. Both say the same.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster
state() {  # table: all that must be stated, with signs that YAML could take for its own
  PGUSER=olga sql "SELECT dpmix.state('$1', k, w) FROM (VALUES ('name', E'A: \"b\" # - é\\\\n \t%'), ('data_curators', E'One: two\nThree # four'),
    ('description', E'- first\n  second: yes\n\n# last \\\\ '), ('intended_use', '{yes}'), ('data_product_region', 'null'), ('registry_authors', '2026-01-01')) v(k, w)" >/dev/null
}
PGUSER=olga sql "
  CREATE TABLE units (who int NOT NULL, x int, day date NOT NULL DEFAULT '2026-01-05'); CREATE TABLE pure (x int); CREATE TABLE labelled (x int, ill bool); CREATE TABLE swapped (x int);
  CREATE TABLE persons (id int PRIMARY KEY, age int); CREATE TABLE orders (o int PRIMARY KEY, id int NOT NULL); CREATE TABLE lines (o int NOT NULL, price int);
  SELECT dpmix.protect('units', 2, 1e-6, privacy_unit => 'who', max_rows_per_unit => 3, accountant => 'gdp'), dpmix.protect('pure', 1, 0, accountant => 'basic'),
    dpmix.protect('labelled', 1, 1e-6, adjacency => 'label', label => 'ill'), dpmix.protect('swapped', 1, 1e-6, adjacency => 'replace'),
    dpmix.create_population('everybody', 5, 1e-6), dpmix.protect('persons', population => 'everybody', privacy_unit => 'id'),
    dpmix.protect('orders', population => 'everybody', privacy_unit => 'id', max_rows_per_unit => 9),
    dpmix.protect('lines', population => 'everybody', unit_through => 'orders', link => '{o}', max_rows_per_unit => 99)" >/dev/null
. test/server/clients/lib.sh
for table in people units pure labelled swapped persons orders lines; do
  state "$table"
  PGUSER=olga sql "SELECT dpmix.registry_record('$table', 'json')" >"$CLUSTER/$table.json"
  check "$table: JSON" "" "$(python3 test/server/report/registry.py json <"$CLUSTER/$table.json")"
done
check_match "a unit that is found through another table" "one person is found through, in all tables of a population" "$(cat "$CLUSTER/lines.json")"
check_match "pure" '"Pure DP"' "$(cat "$CLUSTER/pure.json")"
# The check finds what is wrong.
check_match "a part that the registry does not know" "has a part salt" "$(sed 's/"status"/"salt": 1, "status"/' "$CLUSTER/pure.json" | python3 test/server/report/registry.py json)"
check_match "a part that is missing" "intended_use is missing" "$(sed 's/"intended_use" *: *"[^"]*", *//' "$CLUSTER/pure.json" | python3 test/server/report/registry.py json)"
check_match "a word that it does not know" "is 'Tables'" "$(sed 's/"SQL queries"/"Tables"/' "$CLUSTER/pure.json" | python3 test/server/report/registry.py json)"
python_packages yaml 'PyYAML>=6,<7'
for table in people units lines; do
  PGUSER=olga sql "SELECT dpmix.registry_record('$table')" >"$CLUSTER/$table.yaml"
  check "$table: YAML says the same" "$(python3 test/server/report/registry.py json say <"$CLUSTER/$table.json")" "$("$PYTHON" test/server/report/registry.py yaml say <"$CLUSTER/$table.yaml")"
done
