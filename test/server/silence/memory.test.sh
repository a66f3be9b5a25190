#!/usr/bin/env bash
# Where a process has little memory, whether a release ends in an error must not tell of rows: not of one that matches,
# not of how many values or groups there are. Two tables of equal sizes differ in private values alone. Each kind of
# statement is asked of both under twenty limits of what a process may have (ulimit -v), each time in a fresh process.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster "dpmix.release_idle_timeout = 0" "parallel_setup_cost = 0" "min_parallel_table_scan_size = 0" \
  "max_connections = 20" "max_parallel_workers_per_gather = 2"

. test/server/silence/two_tables.sh
two_tables 20000
# A kind and a table, then how it ended: each question in a session of its own, as what one leaves in a process the next
# one need not ask for.
endings() {
  while IFS= read -r label && IFS= read -r question; do
    printf '%s\n' "$set_workers" "$label" "$question" | PGUSER=ana session
  done <"$CLUSTER/kinds" | sed -nE -e 's/^([a-z]+) (one|two)$/\1 \2/p' -e 's/^answered$/answered/p' -e '/^(ERROR|FATAL)/{s/.*failed after it was charged.*/failed/;t p;s/.*/refused/;:p;p}' |
    awk 'NF == 2 { at = $0; next } { print at, $0 }'
}
server=$(head -n 1 "$CLUSTER/data/postmaster.pid")
limit() { as_server prlimit --pid "$server" "--as=$1:"; }  # of processes that start from now on
kinds >"$CLUSTER/kinds"
for workers in 0 2; do
  set_workers="SET max_parallel_workers_per_gather = $workers;"
  all=$(endings)
  check "$workers workers: without a limit all are answered" "" "$(grep -v answered <<<"$all" || true)"
  base=$(awk '/VmSize/ { print $2 }' "/proc/$server/status")
  : >"$CLUSTER/limited"
  for step in $(seq 1 20); do
    limit $(((base + step * step * 200 + ${FROM:-2000}) * 1024))
    endings | sed "s/^/$step /" >>"$CLUSTER/limited"
    limit unlimited
  done
  # What one and the same limit says of the two.
  awk '{ said[$2 " " $1, $3] = $4; kinds[$2]; all[$4]++ } END {
    for (kind in kinds) {
      differ = ""
      for (step = 1; step <= 20; step++) {
        one = said[kind " " step, "one"]; two = said[kind " " step, "two"]
        if (one != two) differ = differ " " step ":" one "/" two
      }
      print kind ":" differ
    } }' "$CLUSTER/limited" | sort >"$CLUSTER/differ"
  while IFS=: read -r kind differ; do
    check "$workers workers, $kind: the end does not tell which table it is" "" "$differ"
  done <"$CLUSTER/differ"
  check "$workers workers: some limits are too small" t "$(grep -qE 'failed|refused' "$CLUSTER/limited" && echo t || echo f)"
done

refused() {  # query [arguments]: how it ends, before the charge
  local before after
  before=$(sql "SELECT count(*) FROM dpmix.ledger")
  PGUSER=ana sql "SELECT * FROM dpmix.query(\$q\$ $1 \$q\$, .01${2:+, $2}) AS t(n bigint)" | head -n 1 | cut -c 1-90
  after=$(sql "SELECT count(*) FROM dpmix.ledger")
  [ "$before" = "$after" ] || echo "charged"
}
check_match "a parameter that is named often is refused" "^ERROR:  PV005: the query's constants do not fit the memory of a row$" \
  "$(refused "SELECT dp_count(*) FROM one WHERE name < \$1 $(for _ in $(seq 40); do printf 'OR name < $1 '; done)" "$(long)")"
check_match "texts of a row beyond dpmix.row_memory are refused" "^ERROR:  PV002: .* where the texts of one row can take [0-9]+ kB" \
  "$(refused "SELECT dp_count(*) FROM one WHERE length($(nested 40)) > 5" "$(long)")"
session <<<"LOAD 'dpmix'; ALTER SYSTEM SET dpmix.total_memory = '64MB'; ALTER SYSTEM SET dpmix.row_memory = '256MB'; SELECT pg_reload_conf() \g /dev/null"
sleep .5
check_match "more than there is for all releases is refused" "^ERROR:  PV005: the release does not fit the memory of all releases$" \
  "$(refused "SELECT dp_count(*) FROM one WHERE length($(nested 40)) > 5" "$(long)")"
