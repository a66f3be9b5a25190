#!/usr/bin/env bash
# pg_stat_bgwriter counts each page that any process reads into shared buffers. Long values of the protected table itself are read
# where rows need them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster "bgwriter_delay = 10ms" "bgwriter_lru_maxpages = 1"  # it tells after half a second at most
people_with "long text" "repeat(md5(i::text), 2000)" 40 "ALTER TABLE people ALTER long SET STORAGE EXTERNAL;"
query() { call "SELECT dp_count(*) FROM people WHERE id = $1 AND CASE WHEN ill THEN strpos(long, 'z') = 0 END"; }
read_pages() {
  local id allocated="SELECT pg_sleep(.6) \\g /dev/null
    SELECT pg_stat_clear_snapshot() \\g /dev/null
    SELECT buffers_alloc FROM pg_stat_bgwriter;"
  for ((id = 1; id <= 40; ++id)); do
    echo "$evict;"
    query 0  # all else that a call reads; nobody is 0
    echo "$allocated"
    query $id
    echo "$allocated"
  done | ana | paste - - | awk '{ print $2 - $1 }' | bits_of >"$CLUSTER/bits"
}
fair_calls "calls about long values" read_pages
learns_nothing "how many pages were read" 2 "$(who_is_ill)" "$(cat "$CLUSTER/bits")"
