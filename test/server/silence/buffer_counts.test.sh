#!/usr/bin/env bash
# pg_stat_bgwriter counts each page that any process reads into shared buffers. Long values of the protected table
# itself are read where rows need them; a table whose rows are sampled is read once more where a row is met.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster "bgwriter_delay = 10ms" "bgwriter_lru_maxpages = 1"  # it tells after half a second at most
people_with "long text" "repeat(md5(i::text), 2000)" 40 "ALTER TABLE people ALTER long SET STORAGE EXTERNAL;"
PGUSER=olga session <<'SQL'
SET client_min_messages = warning;
CREATE TABLE visits AS SELECT id AS person, ill, repeat('x', 400) AS room FROM people, generate_series(1, 200);
SELECT dpmix.protect('visits', 1e6, .1, privacy_unit => 'person', max_rows_per_unit => 3, accountant => 'basic') \g /dev/null
SELECT dpmix.grant_access('visits', 'ana') \g /dev/null
SQL
settle
of_long_values() { call "SELECT dp_count(*) FROM people WHERE id = $1 AND CASE WHEN ill THEN strpos(long, 'z') = 0 END"; }
of_units() { call "SELECT dp_count(*) FROM visits WHERE person = $1 AND ill"; }
read_pages() {  # query
  local id allocated="SELECT pg_sleep(.6) \\g /dev/null
    SELECT pg_stat_clear_snapshot() \\g /dev/null
    SELECT buffers_alloc FROM pg_stat_bgwriter;"
  for ((id = 1; id <= 40; ++id)); do
    [ "$id" -gt 1 ] || echo "SET client_min_messages = warning;"  # totals of units are bounded
    echo "$evict;"
    $1 0  # all else that a call reads; nobody is 0
    echo "$allocated"
    $1 $id
    echo "$allocated"
  done | ana | paste - - | awk '{ print $2 - $1 }' | bits_of >"$CLUSTER/bits"
}
for query in of_long_values of_units; do
  fair_calls "calls $query" read_pages $query
  learns_nothing "how many pages were read $query" 2 "$(who_is_ill)" "$(cat "$CLUSTER/bits")"
done
