#!/usr/bin/env bash
# A load swaps a table again and again, and says nothing to dpmix, while eight analysts ask: by name, by facade, with
# prepared statements, and for the table that was swapped out. No charge is lost, every answer is of a table that
# has the name, and all charges are on one record. Every table has more rows than the one before, and noise is far
# below one row, so an answer tells its table. Every tenth table does not suit: nothing is answered until the next.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
swaps=300
cluster_start "dpmix.ledger_idle_timeout = 1s"
sql "CREATE EXTENSION dpmix; CREATE ROLE olga LOGIN; GRANT ALL ON SCHEMA public TO olga; GRANT CREATE ON DATABASE postgres TO olga;
  CREATE TABLE swapped (n int); INSERT INTO swapped VALUES (0); GRANT ALL ON swapped TO olga; GRANT SELECT ON swapped TO PUBLIC" >/dev/null
for i in $(seq 8); do sql "CREATE ROLE ana$i LOGIN; ALTER ROLE ana$i SET session_preload_libraries = 'dpmix'; GRANT pg_read_all_stats TO ana$i" >/dev/null; done
declared="SELECT dpmix.protect('event', 1e7, 0, accountant => 'basic'); SELECT dpmix.set_memory('event', keep => '0');
  SELECT dpmix.grant_access('event', r::regrole, NULL, 0, NULL) FROM unnest('{ana1,ana2,ana3,ana4,ana5,ana6,ana7,ana8}'::text[]) r;"
PGUSER=olga sql "SET client_min_messages = error; CREATE TABLE event AS SELECT i AS id FROM generate_series(1, 1000) i; $declared SELECT dpmix.set_bounds('event', 'id', 0, 1e6), dpmix.expose('event', default_epsilon => 100)" >/dev/null

asked=(
  "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM event', 100, mechanism => 'laplace') AS t(n bigint);"
  "SELECT count(*) FROM private.event;"
  "EXECUTE question;"
  "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM event__backup', 100, mechanism => 'laplace') AS t(n bigint);"
)
ask() {  # n: until the stop file is there; each line of its output: how many swaps were committed before, then the answer or the error
  local question=${asked[$(($1 % 4))]}
  { echo "SET client_min_messages = error; PREPARE question AS SELECT count(*) FROM private.event;"
    while [ ! -e "$CLUSTER/stop" ]; do
      echo "SELECT 'before ' || n FROM swapped;"; echo "$question"
      sleep 0.02
    done; } | PGUSER=ana$1 psql -X -q -A -t -v VERBOSITY=verbose -d postgres >"$CLUSTER/asked$1" 2>&1 || true
}
for i in $(seq 8); do ask "$i" & askers+=($!); done

for i in $(seq "$swaps"); do
  case $((i % 10)) in 5) columns="i::text AS id" ;; *) columns="i AS id" ;; esac
  cat <<SQL
SET client_min_messages = error;
BEGIN; CREATE TABLE event__tmp AS SELECT $columns FROM generate_series(1, 1000 + $i) i;
ALTER TABLE event RENAME TO event__backup; ALTER TABLE event__tmp RENAME TO event; UPDATE swapped SET n = $i; COMMIT;
SELECT pg_sleep(.02);
DROP TABLE event__backup CASCADE;
SELECT pg_sleep(.05);
SQL
done | PGUSER=olga psql -X -q -A -t -v VERBOSITY=verbose -d postgres >"$CLUSTER/load" 2>&1
touch "$CLUSTER/stop"; wait "${askers[@]}"

check "the load never failed" "" "$(grep -E "ERROR|FATAL" "$CLUSTER/load" || true)"
check "every swap was made" "$swaps" "$(sql "SELECT n FROM swapped")"
cat "$CLUSTER"/asked[1-8] >"$CLUSTER/all"
answers=$(grep -cE '^[0-9]+$' "$CLUSTER/all" || true)
check_match "they were answered" '^[1-9][0-9]' "$answers"
echo "# $swaps swaps, $answers answers, refusals: $(grep -oE '(ERROR|FATAL): +[0-9A-Z]{5}' "$CLUSTER/all" | sort | uniq -c | tr '\n' ',')"
check "no charge was lost, none is without its answer" "$answers" "$(sql "SELECT count(*) FROM dpmix.charge")"
check "all are on one record" "1|1" "$(sql "SELECT count(DISTINCT table_id), (SELECT count(*) FROM dpmix.protected_table) FROM dpmix.charge")"
check "which counts them all" "$((answers * 100))" "$(sql "SELECT epsilon_spent FROM dpmix.budget" | sed 's/\.0*$//')"
# Only the backup's name is nobody's at times. A facade that was planned while its table was away, and run when the next
# was protected, gives no rows; one that is met while its columns change is not as it was made.
check "whoever was not answered was refused" "" "$(grep -hE 'ERROR|FATAL|PANIC' "$CLUSTER"/asked[124568] | grep -vE 'ERROR:  (PV006|PV004|PV002: facade private.event (gives no rows|is not as dpmix.expose\(\) made it))' | sort | uniq -c | head -n 5 || true)"
check "so were those who asked for the backup" "" "$(grep -hE 'ERROR|FATAL|PANIC' "$CLUSTER"/asked[37] | grep -vE 'ERROR:  (PV006|PV004|42P01)' | sort | uniq -c | head -n 5 || true)"
check "the table that was swapped out answers nobody" "" "$(cat "$CLUSTER/asked3" "$CLUSTER/asked7" | grep -E '^[0-9]+$' || true)"
# An answer is of the table that had the name when it was asked, or of a later one, and that suited.
check "no answer is of an older table, nor of one that does not suit" "" "$(for i in 1 2 4 5 6 8; do
  awk -v most="$swaps" '/^before/ { before = $2; next } /^[0-9]+$/ && ($1 < 1000 + before || $1 > 1000 + most || $1 % 10 == 5) { print $1 " after " before }' "$CLUSTER/asked$i"; done)"
check "nothing is left behind" "0" "$(sql "SELECT count(*) FROM dpmix.departed_table")"
