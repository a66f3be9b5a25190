#!/usr/bin/env bash
# What a backend has cached shows in the catalog pages that its next statement needs. If rows are what first needs a
# type, or the pages of long values, then that tells of them: in the caller's backend, in shared buffers that were
# emptied before, and in what a process of dpmix's does next.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster "dpmix.release_idle_timeout = 50"
people_with "kind text, u uuid, long text" "'a', '00000000-0000-4000-8000-000000000001', repeat(md5(i::text), 100)" 40 \
  "ALTER TABLE people ALTER long SET STORAGE EXTERNAL;"
PGUSER=olga sql "SELECT dpmix.set_categories('people', 'u', '{00000000-0000-4000-8000-000000000001,00000000-0000-4000-8000-000000000002}')" >/dev/null
settle
declare -A query harmless
query[uuid]="SELECT dp_count_distinct(u) FROM people WHERE id = \$id AND ill"
query[long]="SELECT dp_count(*) FROM people WHERE id = \$id AND CASE WHEN ill THEN strpos(long, 'z') = 0 END"
# Statements of ana's own that need the same.
harmless[uuid]="SELECT a = b, a < b, hash_array(a) FROM (VALUES ('{00000000-0000-4000-8000-000000000001}'::uuid[], '{00000000-0000-4000-8000-000000000002}'::uuid[])) AS v(a, b)"
harmless[long]="SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = 'people'::regclass"
# Of each relation of the catalog, the pages that are in shared buffers.
catalogs=$(sql "SELECT string_agg(format('$explain SELECT count(*) FROM pg_catalog.%I;', relname), ' ') FROM pg_class
  WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND has_table_privilege('ana', oid, 'SELECT') AND relpages < 50")

warmth() {  # kind: buffers of a harmless statement, in the session of the call
  local id
  for ((id = 1; id <= 40; ++id)); do
    { call "${query[$1]//\$id/$id}"; echo "$explain ${harmless[$1]};"; } | ana | grep -oE '(hit|read)=[0-9]+' | awk -F= '{ n += $2 } END { print -n }'
  done | bits_of >"$CLUSTER/bits"
}
pages() {  # kind: of the catalog in shared buffers, after the first call of a process, or of a session
  local id
  for ((id = 1; id <= 40; ++id)); do
    wait_until 10 no_process
    { echo "$catalogs $evict;"; call "${query[$1]//\$id/$id}"; echo "\\echo after"; echo "$catalogs"; } | ana |
      awk '/^after/ { after = 1 } after && /Buffers:/ && / read=/ { sub(/.*read=/, ""); n += $1 } END { print -n }'
  done | bits_of >"$CLUSTER/bits"
}
for kind in uuid long; do
  fair_calls "calls that meet a $kind, or none" warmth $kind
  learns_nothing "what a $kind leaves in the caller's caches" 2 "$(who_is_ill)" "$(cat "$CLUSTER/bits")"
done
fair_calls "first calls that meet a uuid, or none" pages uuid
learns_nothing "what a uuid brings into shared buffers" 2 "$(who_is_ill)" "$(cat "$CLUSTER/bits")"
