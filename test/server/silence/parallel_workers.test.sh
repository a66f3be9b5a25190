#!/usr/bin/env bash
# A parallel worker is a new process: what its first row needs, it would look up in catalogs, whose pages are then in
# shared buffers that were emptied before. Rows are read by workers alone, of plans that a caller's settings make
# parallel; and, as PostgreSQL's own settings have it, by the process of a release too.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster "max_parallel_workers_per_gather = 2" "parallel_leader_participation = off"
PGUSER=olga sql "CREATE TYPE mood AS ENUM ('sad', 'happy'); ALTER TYPE mood ADD VALUE 'so so' BEFORE 'happy'" >/dev/null
people_with 'y text COLLATE "C.utf8", e mood' "'y', 'so so'" 2000
PGUSER=olga session >/dev/null <<'SQL'
SELECT dpmix.set_categories('people', 'e', '{sad,so so,happy}');
CREATE TABLE crowd AS SELECT 1 + (i + 15000) % 300000 AS id, random() < .5 AS ill, 'y' || i AS name, (ARRAY['n', 's'])[1 + i % 2] AS region FROM generate_series(1, 300000) AS i;
SELECT dpmix.protect('crowd', 1e6, .1, accountant => 'basic'), dpmix.set_categories('crowd', 'region', '{n,s}');
SELECT dpmix.grant_access('crowd', 'ana');
SQL
settle
secrets=40
secrets_of() { sql "SELECT ill::int FROM $1 WHERE id <= $secrets ORDER BY id"; }

# What a query over somebody needs, and where PostgreSQL looks it up.
declare -A query catalogs
who="WHERE id = \$id AND ill"
query[collation]="SELECT dp_count(*) FROM people $who AND y < 'z'" catalogs[collation]="pg_collation"
query[enum]="SELECT dp_count(*) FROM people $who AND e > 'sad'" catalogs[enum]="pg_enum"
query[key]="SELECT e, dp_count(*) FROM people $who GROUP BY e" catalogs[key]="pg_amop pg_amproc pg_operator"
query[crowd]="SELECT region, dp_count(*) FROM crowd $who GROUP BY region" catalogs[crowd]="pg_collation"

forced="SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
pages() {  # kind, settings, calls for each secret: the fewest pages of its catalogs that are not there after a call
  local id name n
  for ((id = 1; id <= secrets; ++id)); do
    {
      echo "$2"
      for ((n = 0; n < $3; ++n)); do
        echo "$evict; SELECT 'answered ' || (count(*) > 0) FROM dpmix.query_json(\$q\$ ${query[$1]//\$id/$id} \$q\$, $epsilon); \\echo call"
        for name in ${catalogs[$1]}; do echo "$explain SELECT count(*) FROM pg_catalog.$name;"; done
      done
      echo "\\echo call"
    } | ana | awk '/^call/ { if (calls++ && (calls == 2 || n < least)) least = n; n = 0 } /Buffers:/ && / read=/ { sub(/.*read=/, ""); n += $1 } END { print -least }'
  done | bits_of >"$CLUSTER/bits"
}
for kind in collation enum key; do
  fair_calls "calls that workers answer, of $kind" pages $kind "$forced" 1
  learns_nothing "what workers look up of $kind" 2 "$(secrets_of people)" "$(cat "$CLUSTER/bits")"
done
sql "ALTER SYSTEM SET parallel_leader_participation = on" >/dev/null
sql "SELECT pg_reload_conf()" >/dev/null
fair_calls "calls that workers answer with default settings" pages crowd "" 6
learns_nothing "what workers look up with default settings" 2 "$(secrets_of crowd)" "$(cat "$CLUSTER/bits")"
