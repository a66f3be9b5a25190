#!/usr/bin/env bash
# By hand, where PG_CONFIG names a server that has Citus: bytes and time of statistics on the shards of a distributed
# table, over CITUS_ROWS rows (10^7), beside Citus's own aggregates. Some minutes.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/citus_lib.sh
citus_start 2 "shared_buffers = 512MB"

sql >/dev/null <<SQL
SET client_min_messages = warning;
CREATE TABLE big (id bigint, g int, x float8);
SELECT create_distributed_table('big', 'id', shard_count => 8);
INSERT INTO big SELECT i, i % 10, (i * 7919 % 100003) / 1000.0 FROM generate_series(1, ${CITUS_ROWS:-10000000}::bigint) i;
CREATE TABLE stays (person bigint, g int, x float8);
SELECT create_distributed_table('stays', 'person', shard_count => 8);
INSERT INTO stays SELECT i % (${CITUS_ROWS:-10000000}::bigint / 4), i % 10, (i * 7919 % 100003) / 1000.0 FROM generate_series(1, ${CITUS_ROWS:-10000000}::bigint) i;
SELECT dpmix.protect('stays', 1e6, 1e-3, privacy_unit => 'person', max_rows_per_unit => 4), dpmix.set_bounds('stays', 'x', 0, 100.2), dpmix.set_categories('stays', 'g', '{0,1,2,3,4,5,6,7,8,9}');
SELECT dpmix.protect('big', 1e6, 1e-3), dpmix.set_bounds('big', 'x', 0, 100.2), dpmix.set_categories('big', 'g', '{0,1,2,3,4,5,6,7,8,9}');
SQL
for n in 1 2; do on_node $n -c 'VACUUM (FREEZE, ANALYZE)'; done
lattice="x, 50.1::float8, 0.001::float8, -51000::float8, 51000::float8"
declare -A statement=(
  [avg]="SELECT avg(x) FROM big"
  [shards]="SELECT dpmix_internal.joined_states(dpmix_internal.array_agg($lattice, 'lattice_sum'::text)) FROM big"
  [partial]="SELECT dpmix_internal.lattice_sum($lattice) FROM big"
  [query]="SELECT * FROM dpmix.query('SELECT dp_avg(x) FROM big', .01) AS t(a float8)"
  [avg_by_key]="SELECT g, avg(x) FROM big GROUP BY g"
  [query_by_key]="SELECT * FROM dpmix.query('SELECT g, dp_avg(x) FROM big GROUP BY g', .01) AS t(g int, a float8)"
  [people]="SELECT avg(c), count(*) FROM (SELECT person, sum(x) AS c FROM stays GROUP BY person) p"
  [people_by_key]="SELECT g, avg(c), count(*) FROM (SELECT person, g, sum(x) AS c FROM stays GROUP BY person, g) p GROUP BY g"
  [layer]="SELECT * FROM dpmix.query('SELECT dp_avg(c), dp_count(*) FROM (SELECT person, sum(x) AS c FROM stays GROUP BY person) p', .01) AS t(a float8, n bigint)"
  [weighed]="SELECT * FROM dpmix.query('SELECT dp_avg(x), dp_count(*) FROM stays', .01, 1e-9) AS t(a float8, n bigint)"
  [weighed_by_key]="SELECT * FROM dpmix.query('SELECT g, dp_avg(x) FROM stays GROUP BY g', .01, 1e-9) AS t(g int, a float8)"
  [own_weights]="SELECT sum(s * w) / sum(n * w) FROM (SELECT sum(x) AS s, count(*) AS n, least(1, 4.0::float8 / count(*)) AS w FROM stays GROUP BY person) p"
  [own_weights_by_key]="SELECT g, sum(s * w) / sum(n * w) FROM (SELECT g, s, n, least(1, 4.0::float8 / sqrt(sum(n * n) OVER (PARTITION BY person))) AS w FROM (SELECT person, g, sum(x) AS s, count(*) AS n FROM stays GROUP BY person, g) p) q GROUP BY g"
  [own_picked]="SELECT avg(x) FROM (SELECT x, row_number() OVER (PARTITION BY person ORDER BY x) AS r FROM stays) p WHERE r <= 4"
  [median]="SELECT * FROM dpmix.query('SELECT dp_median(x) FROM stays', .01, 1e-9) AS t(m float8)"
  [found]="SELECT * FROM dpmix.query('SELECT g, dp_avg(x) FROM stays GROUP BY g', .01, 1e-9, keys => 'discover') AS t(g int, a float8)"
  [tree]="SELECT name FROM dpmix.release_tree('t' || random(), 'stays', '{g,x}', .01, 1e-9)"
  [five]="SELECT * FROM dpmix.query('SELECT g, dp_count(*), dp_avg(x), dp_stddev(x), dp_median(x), dp_histogram(x, ARRAY[0,10,100]) FROM big GROUP BY g', .01) AS t(g int, n bigint, a float8, s float8, m float8, h bigint[])")
order=${CITUS_ORDER:-"avg shards partial query avg_by_key query_by_key five people layer own_weights weighed people_by_key own_weights_by_key weighed_by_key found own_picked median tree"}
# CPU time of all sessions by /proc, in ms: those that ended (what a postmaster reaped), and those that are kept. Bytes
# over the loopback interface.
spent() {  # process, which fields
  local f
  read -ra f <<<"$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null)" || return 0
  echo $((f[$2] + f[$2 + 1]))
}
cpu() {
  local n sum=0 postmaster child own
  for n in 0 1 2; do
    postmaster=$(head -1 "$CLUSTER/data$n/postmaster.pid")
    sum=$((sum + $(spent "$postmaster" 13)))
    for child in $(cat "/proc/$postmaster/task/$postmaster/children"); do own=$(spent "$child" 11); sum=$((sum + ${own:-0})); done
  done
  echo $((sum * 1000 / $(getconf CLK_TCK)))
}
# The most memory that a process of the coordinator's had, of those that make releases; of shared buffers, too.
memory() {
  local postmaster child
  postmaster=$(head -1 "$CLUSTER/data0/postmaster.pid")
  for child in $(cat "/proc/$postmaster/task/$postmaster/children"); do
    grep -q 'dpmix release' "/proc/$child/cmdline" && awk '/^VmHWM|^RssShmem/ { print $1, $2 }' "/proc/$child/status"
  done | awk '/HWM/ { if ($2 > most) most = $2 } END { print int(most / 1024) }'
}
bytes() { awk '$1 == "lo:" { print $2 }' /proc/net/dev; }
for ((round = 0; round < ${CITUS_ROUNDS:-5}; round++)); do
  for q in $order; do
    before=$(bytes) used=$(cpu)
    time=$(printf '%s\n' '\timing on' "${statement[$q]};" | psql -q | sed -n 's/^Time: \([0-9.]*\).*/\1/p')
    sleep .5
    [ "$q" != avg ] || [ "$round" -gt 0 ] || echo "loaded: $(date +%T), $(du -sh "$CLUSTER" | cut -f1)" >&2
    echo "$q $time $(($(cpu) - used)) $(($(bytes) - before))"
  done
done >"$CLUSTER/figures"
awk '{ for (i = 2; i <= 4; i++) if (!(($1, i) in least) || $i < least[$1, i]) least[$1, i] = $i; seen[$1] = 1 }
  END { n = split("'"$order"'", name, " ")
    for (k = 1; k <= n; k++) { q = name[k]; base = q ~ /people_by|weigh.*_by|found/ ? "people_by_key" : q ~ /people|layer|weigh|tree|picked|median/ ? "people" : q ~ /key|five/ ? "avg_by_key" : "avg"
      printf "%-14s %8.0f ms  %6.2f x base  %8d ms CPU  %6.2f x base %9d bytes on the wire\n", q, least[q, 2], least[q, 2] / least[base, 2],
        least[q, 3], least[q, 3] / least[base, 3], least[q, 4] } }' "$CLUSTER/figures"
echo "a process that makes releases, at the coordinator: at most $(memory) MB"
ratio() { awk -v a="$1" -v b="$2" -v c="$3" '$1 == a { x = !x || $c < x ? $c : x } $1 == b { y = !y || $c < y ? $c : y } END { printf "%.2f", x / y }' "$CLUSTER/figures"; }
most=$(awk '$1 == "query_by_key" { x = !x || $4 < x ? $4 : x } END { print x }' "$CLUSTER/figures")
[ -z "${CITUS_ORDER:-}" ] || exit 0
if awk "BEGIN { exit !($(ratio shards avg 3) <= 1.2) }"; then ok "a sum costs at most 1.2 times avg"; else not_ok "a sum costs $(ratio shards avg 3) times avg"; fi
if [ "$most" -lt 1000000 ]; then ok "less than a megabyte moves"; else not_ok "$most bytes move"; fi
exit $bad
