#!/usr/bin/env bash
# By hand, where PG_CONFIG names a server that has Citus: the queries of TPC-H (bench/tpch) in plain SQL over facades of
# customer, orders and lineitem, which has its customer's key and is joined by that, too. They are distributed by that
# key; the other tables are on every node. Of each query: whether its answer, its charge and its exact states are those
# of one machine, or with what message it is refused before a charge. CITUS_SCALE=1: 60 000 lines. Five minutes.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/scale/citus_lib.sh
citus_start 2 "shared_preload_libraries = 'citus,dpmix'" "log_statement = 'all'" "shared_buffers = 128MB" "fsync = off" "dpmix.warn_of_weak_budgets = off"
on_node 0 -c "ALTER SYSTEM SET log_statement = 'none'" -c 'SELECT pg_reload_conf()' >/dev/null
export PGOPTIONS="-c client_min_messages=error"

# Schema tpch is of one machine, spread of the cluster.
declared() {
  cat <<SQL
SET search_path = $1;
SELECT dpmix.create_population('$1', 1e7, 1e-3);
SELECT dpmix.protect('customer', population => '$1', privacy_unit => 'c_custkey'), dpmix.protect('orders', population => '$1', privacy_unit => 'o_custkey', max_rows_per_unit => 40),
       dpmix.protect('lineitem', population => '$1', privacy_unit => 'l_custkey', max_rows_per_unit => 160);
$(sed -n '/^SELECT dpmix.declare_public/,/^SELECT dpmix.expose/p' bench/tpch/schema.sql | sed '$d')
SELECT dpmix.expose(t::regclass, 'private_$1.' || t, default_epsilon => 1e4) FROM unnest('{customer,orders,lineitem}'::text[]) t;
SQL
}
{
  sed '/^CREATE EXTENSION/d; /^ANALYZE/,$d' bench/tpch/schema.sql
  cat <<'SQL'
ALTER TABLE lineitem ADD l_custkey int;
UPDATE lineitem SET l_custkey = o_custkey FROM orders WHERE o_orderkey = l_orderkey;
ALTER TABLE lineitem ALTER l_custkey SET NOT NULL;
CREATE SCHEMA spread;
CREATE SCHEMA private_tpch;
CREATE SCHEMA private_spread;
SET search_path = spread;
CREATE TABLE customer (LIKE tpch.customer, PRIMARY KEY (c_custkey));
CREATE TABLE orders (LIKE tpch.orders, PRIMARY KEY (o_orderkey, o_custkey));
CREATE TABLE lineitem (LIKE tpch.lineitem);
CREATE TABLE region (LIKE tpch.region INCLUDING ALL);
CREATE TABLE nation (LIKE tpch.nation INCLUDING ALL);
CREATE TABLE supplier (LIKE tpch.supplier INCLUDING ALL);
CREATE TABLE part (LIKE tpch.part INCLUDING ALL);
CREATE TABLE partsupp (LIKE tpch.partsupp INCLUDING ALL);
SELECT create_distributed_table('customer', 'c_custkey', shard_count => 6), create_distributed_table('orders', 'o_custkey', colocate_with => 'customer'), create_distributed_table('lineitem', 'l_custkey', colocate_with => 'customer'),
       create_reference_table('region'), create_reference_table('nation'), create_reference_table('supplier'), create_reference_table('part'), create_reference_table('partsupp');
SQL
  for table in customer orders lineitem region nation supplier part partsupp; do echo "INSERT INTO spread.$table SELECT * FROM tpch.$table;"; done
  echo 'ANALYZE;'
  declared tpch
  declared spread
} >"$CLUSTER/schema.sql"
sql -v scale="${CITUS_SCALE:-1}" -f "$CLUSTER/schema.sql" >/dev/null
make_parts

# Lines and orders are joined by the customer, too.
by_customer() {
  sed -E 's/\b((\w+\.)?)l_orderkey = ((\w+\.)?)([lo])_orderkey/& and \1l_custkey = \3\5_custkey/g; s/\b((\w+\.)?)o_orderkey = ((\w+\.)?)l_orderkey/& and \1o_custkey = \3l_custkey/g'
}
ask() { psql -qtAX -v VERBOSITY=verbose -c "SET search_path = private_$1, $1" -c "SET dpmix.epsilon = '${3:-4e5}'" -c "SET dpmix.delta = '${4:-$delta}'" -c "$2" 2>&1 || true; }
new_charges() {  # $1: schema $2: number of the last one before
  sql -c "SELECT string_agg(format('%s %s %s', c.epsilon, c.delta, c.mechanism), '; ' ORDER BY c.id) FROM dpmix.charge c JOIN dpmix.protected_table t ON t.id = c.table_id WHERE c.id > $2 AND t.schema_name = '$1'"
}
last_charge() { sql -c 'SELECT coalesce(max(id), 0) FROM dpmix.charge'; }

# Rows by their keys, of people who have any: numbers differ by at most a fiftieth of the largest of their column, or so
# much of it.
alike() {  # answer of one machine, of the cluster, how much
  python3 - "$1" "$2" "${3:-.02}" <<'P'
import sys
def table(text):
    rows = {}
    for line in text.strip().splitlines():
        keys, numbers = [], []
        for cell in line.split("|"):
            try: numbers.append(float(cell))
            except ValueError: keys.append(cell)
        if "" not in keys: rows[tuple(keys)] = rows.get(tuple(keys), []) + [numbers]
    return rows
here, there = map(table, sys.argv[1:3])
if here.keys() != there.keys(): sys.exit("other keys")
largest = {}
for rows in here.values():
    for row in rows:
        for i, x in enumerate(row): largest[i] = max(largest.get(i, 0), abs(x))
for key in here:
    for row, other in zip(sorted(here[key]), sorted(there[key])):
        for i, (x, y) in enumerate(zip(row, other)):
            if abs(x - y) > float(sys.argv[3]) * largest[i] + 1.5: sys.exit(f"{key}: {x} and {y}")
P
}
# Without GROUP BY the first column is no key; several keys are one.
row_of() {
  local keys
  keys=$(grep -oE 'GROUP BY worker_column_[0-9]+(, worker_column_[0-9]+)*$' <<<"$1" | grep -oE 'worker_column_[0-9]+' || true)
  [ -n "$keys" ] || { row_of_part "$1"; return; }
  echo "(to_jsonb(s) - '{$(paste -sd, <<<"$keys")}'::text[]) || jsonb_build_object('worker_column_1', jsonb_build_array($(paste -sd, <<<"$keys")))"
}
# Of each kind of statement that shards were sent since the mark: what they gave, merged, beside what it gives here.
states_agree() {
  local n shape line agreed=0
  logged >/dev/null
  for n in 1 2; do
    tail -c +$((from_log[n - 1] + 1)) "$CLUSTER/log$n" | grep -oE 'SELECT .* FROM \(*.*spread\.(customer|orders|lineitem)_1[0-9]{5} .*' | sed "s/^/$n|/" || true
  done >"$CLUSTER/sent"
  sed -E 's/^.\|//; s/_1[0-9]{5}/_N/g' "$CLUSTER/sent" | sort -u >"$CLUSTER/shapes"
  while IFS= read -r shape <&4; do
    rm -f "$CLUSTER/parts"
    while IFS= read -r line <&5; do
      [ "$(sed -E 's/^.\|//; s/_1[0-9]{5}/_N/g' <<<"$line")" = "$shape" ] || continue
      on_node "${line%%|*}" -tA -c "SELECT $(row_of "$shape") FROM (${line#*|}) s" >>"$CLUSTER/parts"
    done 5<"$CLUSTER/sent"
    sql -c 'TRUNCATE part' -c '\copy part (row) FROM '"'$CLUSTER/parts'"' WITH (FORMAT csv, DELIMITER E'"'\x01'"', QUOTE E'"'\x02'"')' -c 'UPDATE part SET place = 1' \
      -c "INSERT INTO part SELECT 2, $(row_of "$shape") FROM ($(sed -E 's/spread\.([a-z]+)_N/tpch.\1/g' <<<"$shape")) s"
    [ "$(sql -c "SELECT count(*), (SELECT count(*) > 0 FROM merged(1)) FROM ($differ) differ")" = "0|t" ] || { echo "differ: $shape"; return; }
    agreed=$((agreed + 1))
  done 4<"$CLUSTER/shapes"
  echo "$agreed alike"
}

number="" text=""
while IFS= read -r line <&3; do
  if [[ $line = '-- Q'* ]]; then number=${line#-- } text=""; continue; fi
  [[ $line != '--'* && -n $line ]] || continue
  text+=$line' '
  [[ $line = *';' ]] || continue
  [ -z "${CITUS_QUERIES:-}" ] || [[ " $CITUS_QUERIES " = *" $number "* ]] || continue
  text=$(by_customer <<<"$text")
  delta=0
  before=$(last_charge)
  here=$(ask tpch "$text")
  [[ $here != *PV003* ]] || { delta=1e-6; here=$(ask tpch "$text"); }  # groups that are found
  mark
  there=$(ask spread "$text")
  if grep -q 'ERROR' <<<"$there"; then
    check "$number is refused before a charge" "" "$(new_charges spread "$before")"
    echo "# $number: $(grep -m 1 -E 'ERROR' <<<"$there")$(! grep -q ERROR <<<"$here" || echo " (on one machine: $(grep -m 1 ERROR <<<"$here"))")"
    continue
  fi
  check_command "$number: the answer of one machine" alike "$here" "$there" "$([ "$number" = Q15 ] && echo .2)"  # one of many groups
  check_match "$number: the states of one machine" '^[1-9] alike$' "$(states_agree)"
  before=$(last_charge)
  for schema in tpch spread; do ask $schema "$text" .5 1e-6 >/dev/null; done
  check "$number: the charge of one machine" "$(new_charges tpch "$before")" "$(new_charges spread "$before")"
done 3<bench/tpch/queries.sql
exit $bad
