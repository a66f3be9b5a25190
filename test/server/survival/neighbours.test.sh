#!/usr/bin/env bash
# How far a neighbour moves the counts of survival curves, whatever its row holds: tables and neighbours at random, at
# an epsilon that has no noise. Would falsify docs/proofs/survival.md.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
sql "CREATE EXTENSION dpmix;
CREATE FUNCTION any_time() RETURNS float8 LANGUAGE sql VOLATILE AS \$\$
  SELECT (ARRAY[NULL, 'NaN', 'Infinity', '-Infinity', -1e300, 1e300, -1, 0, 10, 5, 2.5, random() * 12, random() * 10, random() * 10])[1 + floor(random() * 14)] \$\$;
CREATE FUNCTION any_of(text[]) RETURNS text LANGUAGE sql VOLATILE AS \$\$ SELECT \$1[1 + floor(random() * cardinality(\$1))] \$\$;
-- The stored counts are the last numbers of a model: all but 7.
CREATE FUNCTION counts(text) RETURNS float8[] LANGUAGE sql AS \$\$ SELECT model[8:] FROM dpmix.release WHERE name = \$1 \$\$;
CREATE FUNCTION distance(float8[], float8[]) RETURNS float8 LANGUAGE sql AS \$\$ SELECT sqrt(sum((a - b) ^ 2)) FROM unnest(\$1, \$2) AS t(a, b) \$\$" >/dev/null
rounds=25
search() {  # adjacency: the distances of neighbours, and the sensitivities of the ledger
  {
    echo "SET client_min_messages = error; SELECT setseed(.25);"
    echo "CREATE TABLE $1 (id int PRIMARY KEY, t float8, how text, arm text); SELECT dpmix.protect('$1', 1e7, .1, accountant => 'basic', adjacency => '$1'),
      dpmix.set_categories('$1', 'how', '{left,died,moved}'), dpmix.set_categories('$1', 'arm', '{a,b}');"
    for ((i = 0; i < rounds; i++)); do
      echo "DELETE FROM $1; INSERT INTO $1 SELECT i, any_time(), any_of('{left,died,moved,other,NULL}'), any_of('{a,b,c}') FROM generate_series(1, 20) i;"
      for side in one other; do
        echo "SELECT FROM dpmix.release_survival('$1 $i $side', '$1', 't', 'how', 1e5, 1e-9, by => 'arm', bins => 4, until => 10, censored => 'left');"
        [ $side = other ] || echo "$2;"
      done
    done
  } | session | grep ERROR >&2 || true
  sql "SELECT string_agg(DISTINCT round(distance(counts('$1 ' || i || ' one'), counts('$1 ' || i || ' other'))::numeric, 9)::text, ' ' ORDER BY round(distance(counts('$1 ' || i || ' one'), counts('$1 ' || i || ' other'))::numeric, 9)::text)
    FROM generate_series(0, $((rounds - 1))) i"
  sql "SELECT string_agg(DISTINCT (s->>'sensitivity'), ' ') FROM dpmix.ledger, jsonb_array_elements(parameters->'statistics') s WHERE relation = 'public.$1' AND kind = 'survival'"
}
check "one row more moves one count by 1, or none" $'0.000000000 1.000000000\n1' \
  "$(search add_remove "DELETE FROM add_remove WHERE id = (SELECT 1 + floor(random() * 20))")"
check "another row moves two by 1, one by 1, or none" $'0.000000000 1.000000000 1.414213562\n1.4142136' \
  "$(search replace "UPDATE replace SET t = any_time(), how = any_of('{left,died,moved,other,NULL}'), arm = any_of('{a,b,c}') WHERE id = (SELECT 1 + floor(random() * 20))" | sed -E 's/^(1\.4142135)[0-9]*$/1.4142136/')"
check "as many releases" "$((4 * rounds))" "$(sql "SELECT count(*) FROM dpmix.releases WHERE kind = 'survival'")"
