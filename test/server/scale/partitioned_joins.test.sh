#!/usr/bin/env bash
# Joins of partitioned tables: answers are those of the same rows in tables without parts, whichever of the tables have
# them; a key counts where all parts have it; and a part that is attached while a release is being checked is not read.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "autovacuum = off" "dpmix.warn_of_weak_budgets = off"
sql "CREATE EXTENSION dpmix"
export PGOPTIONS="-c client_min_messages=warning"

# p, q: one row of each unit; v: several; z, y: public, by key. Schema n<i>: table number j has parts where bit j of i
# is set.
tables() {
  local schema=$1 bits=$2 number=0 name columns key options parts
  echo "CREATE SCHEMA $schema; SET search_path = $schema, public;"
  while read -r name key columns; do
    options="" parts=""
    if [ $((bits >> number & 1)) = 1 ]; then
      options="PARTITION BY HASH ($key)"
      parts="CREATE TABLE ${name}_0 PARTITION OF $name FOR VALUES WITH (MODULUS 2, REMAINDER 0);
             CREATE TABLE ${name}_1 PARTITION OF $name FOR VALUES WITH (MODULUS 2, REMAINDER 1) PARTITION BY RANGE ($key);
             CREATE TABLE ${name}_2 PARTITION OF ${name}_1 FOR VALUES FROM (MINVALUE) TO (20);
             CREATE TABLE ${name}_3 PARTITION OF ${name}_1 DEFAULT;"
    fi
    echo "CREATE TABLE $name ($columns) $options; $parts"
    number=$((number + 1))
  done <<'T'
p u u int PRIMARY KEY, x int
q u u int PRIMARY KEY, x int
v u u int NOT NULL, k int, x int
z k k int PRIMARY KEY, w int
y k k int, l int, w int, UNIQUE (k, l)
T
  cat <<SQL
INSERT INTO p SELECT i, i % 5 FROM generate_series(1, 60) i;
INSERT INTO q SELECT i, i % 4 FROM generate_series(1, 80, 2) i;
INSERT INTO v SELECT i % 50, i % 9, i % 5 FROM generate_series(1, 120) i;
INSERT INTO z SELECT i, i % 3 FROM generate_series(0, 6) i;
INSERT INTO y SELECT i % 6, i / 6, i % 3 FROM generate_series(0, 29) i;
SELECT dpmix.create_population('$schema', 1e7, .1, accountant => 'basic'),
  dpmix.protect('p', population => '$schema', privacy_unit => 'u'),
  dpmix.protect('q', population => '$schema', privacy_unit => 'u'),
  dpmix.protect('v', population => '$schema', privacy_unit => 'u', max_rows_per_unit => 4) \\g /dev/null
SELECT dpmix.declare_public('z'), dpmix.declare_public('y') \\g /dev/null
SELECT dpmix.set_bounds(t, 'x', 0, 4), dpmix.set_categories(t, 'x', '{0,1,2,3,4}')
FROM unnest('{p,q,v}'::regclass[]) t \\g /dev/null
SQL
}
statements() {
  cat <<'SQL'
SELECT dp_count(*) FROM p JOIN q USING (u)
SELECT q.x, dp_count(*), dp_sum(p.x) FROM p JOIN q USING (u) GROUP BY q.x
SELECT dp_count(*), dp_count(q.x) AS m FROM p LEFT JOIN q USING (u)
SELECT z.w, dp_count(*), dp_sum(p.x) FROM p JOIN z ON z.k = p.x GROUP BY z.w
SELECT dp_count(*), dp_count(y.w) AS m FROM p LEFT JOIN y ON y.k = p.x AND y.l = 2
SELECT dp_count(*), dp_sum(v.x) FROM v JOIN p USING (u)
SELECT dp_count(*), dp_sum(v.x) FROM v JOIN z USING (k) JOIN p USING (u)
SELECT dp_count(*), dp_sum(n) FROM (SELECT u, count(*) AS n FROM v JOIN p USING (u) JOIN z ON z.k = v.k GROUP BY u) AS s
SELECT dp_count(*) FROM p WHERE EXISTS (SELECT FROM v JOIN q USING (u) WHERE v.u = p.u)
SQL
}
for bits in 0 1 2 5 8 19 31; do
  { tables "n$bits" $bits
    statements | while read -r statement; do
      echo "SELECT string_agg(q::text, ' ' ORDER BY q::text)
            FROM dpmix.query_json('$statement', 1e4, mechanism => 'laplace') q;"
    done; } | session >"$CLUSTER/answers$bits"
  check "parts by bits $bits: as without any" "$(cat "$CLUSTER/answers0")" "$(cat "$CLUSTER/answers$bits")"
done
check "each is an answer" "$(statements | wc -l)" "$(grep -c "^{.*[1-9]" "$CLUSTER/answers0")"

# Keys that some parts lack bound nothing.
sql "CREATE TABLE halved (k int, w int) PARTITION BY LIST (k); CREATE TABLE halved_1 PARTITION OF halved DEFAULT;
  CREATE UNIQUE INDEX halved_key ON ONLY halved (k); INSERT INTO halved SELECT 1, i FROM generate_series(1, 9) i;
  SELECT dpmix.declare_public('halved')" >/dev/null
counted() {  # how many rows of p find one of the table
  sql "SET search_path = n0, public;
       SELECT * FROM dpmix.query('SELECT dp_count(*) FROM p JOIN $1 AS t ON t.k = p.x', 1e4) AS t(n bigint)" 2>&1 || true
}
check_match "an index that a part lacks is no key" "PV002: the join with public table halved could multiply" "$(counted halved)"

# A part that comes between the check and the plan: the release waits for an index while it is planned, and the part has
# rows that the snapshot shows and its bounds do not admit any more.
sql "CREATE TABLE late (k int, w int, PRIMARY KEY (k)) PARTITION BY RANGE (k);
  CREATE TABLE late_1 PARTITION OF late FOR VALUES FROM (0) TO (100); INSERT INTO late SELECT i, i FROM generate_series(0, 9) i;
  CREATE TABLE late_2 (k int PRIMARY KEY, w int); INSERT INTO late_2 SELECT i, i FROM generate_series(0, 9) i;
  SELECT dpmix.declare_public('late'); CREATE INDEX held ON n0.p (x)" >/dev/null
check "before, each row meets one" 60 "$(counted late)"
mkfifo "$CLUSTER/holds"
psql -XAtq <"$CLUSTER/holds" &
holder=$!
exec 3>"$CLUSTER/holds"
echo "BEGIN; REINDEX INDEX n0.held;" >&3
until [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = 'n0.held'::regclass AND granted AND mode = 'AccessExclusiveLock'")" = 1 ]; do sleep .05; done
counted late >"$CLUSTER/late" &
asker=$!
until [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = 'n0.held'::regclass AND NOT granted")" = 1 ]; do sleep .05; done
sql "UPDATE late_2 SET k = k + 100; ALTER TABLE late ATTACH PARTITION late_2 FOR VALUES FROM (100) TO (200)" >/dev/null
charged=$(sql "SELECT count(*) FROM dpmix.charge")
echo "COMMIT;" >&3
exec 3>&-
wait "$holder"
wait "$asker" || true
check_match "a part that comes while a release is planned makes it ask again" \
  "PV004: table public.late got a partition or child while this release was being checked" "$(cat "$CLUSTER/late")"
check "before it is charged" "$charged" "$(sql "SELECT count(*) FROM dpmix.charge")"
