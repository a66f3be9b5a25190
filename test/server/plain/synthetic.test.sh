#!/usr/bin/env bash
# Made-up rows of a facade (rows => 'synthetic'): they come where both sides agree and a client's whole statement is a
# list of columns FROM the one facade, each marked by its last column. Nowhere else: what is refused stays so, and no
# answer is made of them. Texts of the made-up rows are "MADEUP", those of the table canaries.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/plain/lib.sh
plain_cluster
PGUSER=olga psql -X -q -v users=400 -v views=400 -f test/server/plain/hits.sql >/dev/null
PGUSER=olga sql "SET client_min_messages = warning;
  CREATE TABLE made_cps (region text, note text, id bigint, wage float8, day date, hours text);
  INSERT INTO made_cps SELECT 'west', 'MADEUP ' || i, -i, i, '2026-02-01', 'MADEUP' FROM generate_series(1, 20) i;
  CREATE TABLE made_hits AS SELECT * FROM hits LIMIT 0;
  INSERT INTO made_hits (watchid, title, url, searchphrase, userid) SELECT -i, 'MADEUP', 'https://google MADEUP', 'MADEUP', 435090932899640449 FROM generate_series(1, 20) i"
refuses() {  # title, error, statement of olga's
  check_match "$1" "$2" "$(PGUSER=olga sql "SET client_min_messages = warning; $3" 2>&1 || true)"
}
refuses "a table that is not public" "PV005|cannot be shown.*" "SELECT dpmix.expose('cps', rows => 'synthetic', rows_from => 'made_cps')"
PGUSER=olga sql "SET client_min_messages = warning; SELECT dpmix.declare_public('made_cps'), dpmix.declare_public('made_hits')"
refuses "no table" "rows_from is missing" "SELECT dpmix.expose('cps', rows => 'synthetic')"
refuses "a table, and no use of it" "rows_from has nothing to show" "SELECT dpmix.expose('cps', rows_from => 'made_cps')"
refuses "the protected table itself" "cannot be shown" "SELECT dpmix.expose('cps', rows => 'synthetic', rows_from => 'cps')"
refuses "a view" "cannot be shown" "CREATE VIEW of_cps AS SELECT * FROM cps; SELECT dpmix.expose('cps', rows => 'synthetic', rows_from => 'of_cps')"
sql "CREATE TABLE anas (note text); ALTER TABLE anas OWNER TO ana"
sql "SET ROLE ana; SELECT dpmix.declare_public('anas')"
refuses "a table of another role" "cannot be shown" "SELECT dpmix.expose('cps', rows => 'synthetic', rows_from => 'anas')"
refuses "another word" "empty, refuse or synthetic" "SELECT dpmix.expose('cps', rows => 'fake')"
PGUSER=olga sql "SET client_min_messages = warning; SELECT dpmix.expose('cps', default_epsilon => 1, default_delta => 1e-9, rows => 'synthetic', rows_from => 'made_cps'),
  dpmix.expose('hits', default_epsilon => 1, default_delta => 1e-9, rows => 'synthetic', rows_from => 'made_hits')"
check "in the policy" "public.made_cps" "$(PGUSER=olga sql "SELECT p #>> '{tables,cps,expose,private.cps,rows_from}' FROM dpmix.policy('public') p")"
check "which applies to nothing new" 0 "$(PGUSER=olga sql "SET client_min_messages = warning; SELECT count(*) FROM dpmix.apply(dpmix.policy('public'))")"

export PGUSER=ana
asked() { psql -X -q -A -P footer=off -v VERBOSITY=verbose -c "$1" 2>&1 || true; }
# Where the reader did not ask for them, the columns.
check "by default, no rows" "" "$(asked "SELECT note, id FROM private.cps LIMIT 3" | grep MADEUP || true)"
export PGOPTIONS="-c dpmix.rows=synthetic"
check "columns of other types and those that are missing are NULL" "west|MADEUP 1|||t" "$(asked "SELECT region, note, hours, sex FROM private.cps ORDER BY id DESC LIMIT 1" | tail -n 1)"
check "all columns, the mark last" "dpmix_synthetic" "$(asked "SELECT * FROM private.cps LIMIT 1" | grep '^id|' | sed 's/.*|//')"
check "conditions and expressions" "MADEUP 20!|t" "$(asked "SELECT note || '!' FROM private.cps WHERE wage > 19" | tail -n 1)"
check "columns that only sort" "MADEUP 20|t" "$(asked "SELECT note FROM private.cps AS c ORDER BY wage DESC, length(region) LIMIT 1" | tail -n 1)"
check_match "a NOTICE says so" "NOTICE.*rows of facade private.cps are synthetic" "$(asked "SELECT note FROM private.cps LIMIT 1")"
check "it is free" 0 "$(sql "SELECT public.charges()")"
printf 'SELECT note FROM private.cps WHERE wage > 18;\n' >"$CLUSTER/prepared.sql"
for mode in extended prepared; do
  check "protocol $mode" 0 "$(PATH=$BIN:$PATH pgbench -n -M $mode -t 3 -f "$CLUSTER/prepared.sql" >/dev/null 2>&1; echo $?)"
done

# Nothing but such a list.
check_match "a list, asked as these are" "MADEUP" "$(asked "SET client_min_messages = warning; BEGIN; SELECT note FROM private.cps LIMIT 1; COMMIT")"
while IFS= read -r statement; do
  said=$(asked "SET client_min_messages = warning; BEGIN; $statement; COMMIT")
  check "refused, or answered without them: $statement" "" "$(grep -E 'MADEUP|dpmix_synthetic|435090932899640449' <<<"$said" || true)"
done <<'END'
CREATE TEMP TABLE t AS SELECT note FROM private.cps; SELECT * FROM t
SELECT note INTO TEMP t FROM private.cps; SELECT * FROM t
CREATE TEMP TABLE t (note text); INSERT INTO t SELECT note FROM private.cps; SELECT * FROM t
COPY (SELECT note FROM private.cps) TO STDOUT
CREATE TEMP VIEW v AS SELECT note FROM private.cps; SELECT * FROM v
DECLARE c CURSOR FOR SELECT note FROM private.cps; FETCH 3 FROM c
PREPARE p AS SELECT note FROM private.cps; EXECUTE p
DO $$ DECLARE n text; BEGIN SELECT note INTO n FROM private.cps WHERE wage = 3; RAISE WARNING '%', n; END $$
SELECT note FROM private.cps FOR UPDATE
SELECT DISTINCT note FROM private.cps
SELECT max(note) FROM private.cps
SELECT count(*) FROM private.cps
SELECT note, count(*) FROM private.cps GROUP BY note
SELECT row_number() OVER (), note FROM private.cps
SELECT a.note FROM private.cps a JOIN private.cps b USING (id)
SELECT note FROM private.cps, generate_series(1, 2)
SELECT note FROM (SELECT note FROM private.cps) AS s
WITH s AS (SELECT note FROM private.cps) SELECT note FROM s
SELECT note FROM private.cps UNION ALL SELECT 'x'
SELECT (SELECT note FROM private.cps LIMIT 1)
SELECT note FROM private.cps WHERE EXISTS (SELECT FROM private.cps)
SELECT c FROM private.cps AS c
SELECT to_json(c) FROM private.cps AS c
SELECT 1 FROM private.cps
SELECT unnest(ARRAY[note]) FROM private.cps
SELECT ctid FROM private.cps
SELECT note FROM private.cps TABLESAMPLE SYSTEM (100)
UPDATE private.cps SET note = note RETURNING note
EXPLAIN (ANALYZE, VERBOSE) SELECT note FROM private.cps
END

# The corpus: what is refused is refused, but such lists, whose rows are all marked. No answer is made of them.
for file in test/server/plain/corpus/*.sql; do
  tool=$(basename "$file" .sql) kept=0 listed=0 wrong=""
  while IFS= read -r -d '' block; do
    head=${block%%$'\n'*} body=$(grep -v '^-- ' <<<"$block" || true)
    [[ $head =~ ^--\ (refused|answered) ]] || continue
    said=$(psql -X -q -A -P footer=off -v VERBOSITY=terse <<<"$body" 2>&1 || true)
    if [[ $head == "-- answered"* ]]; then
      grep -qE 'MADEUP|dpmix_synthetic' <<<"$said" && wrong+="$head; "
    elif grep -q 'dpmix_synthetic' <<<"$said"; then
      listed=$((listed + 1))
      # One SELECT of columns, each row with its mark.
      grep -qiE '\b(GROUP BY|JOIN|UNION|DISTINCT|OVER)\b|\b(count|sum|avg|min|max)\(' <<<"$body" && wrong+="$head; "
      grep -vE '^(NOTICE|psql:|DETAIL|HINT|$)' <<<"$said" | tail -n +2 | grep -vE '\|t$' | grep -q . && wrong+="unmarked: $head; "
    else
      grep -qE 'ERROR' <<<"$said" || wrong+="not refused: $head; "
      kept=$((kept + 1))
    fi
  done < <(awk '/^-- (answered|free|refused)/ && NR > 1 { printf "%c", 0 } { print } END { printf "%c", 0 }' "$file")
  check "$tool: refused statements stay refused ($kept), lists are marked ($listed), answers have no made-up row" "" "$wrong"
done

# The owner takes it back, and so does whatever takes the table's name.
unset PGOPTIONS
run() { PGOPTIONS="-c dpmix.rows=synthetic" asked "SELECT note FROM private.cps WHERE wage > 18"; }
check_match "rows" "MADEUP" "$(run)"
PGUSER=olga sql "SET client_min_messages = warning; ALTER TABLE made_cps RENAME TO gone_cps"
check "none when the table has left its name" "" "$(run | grep MADEUP || true)"
PGUSER=olga sql "SET client_min_messages = warning; CREATE TABLE made_cps AS SELECT * FROM cps LIMIT 5"
check "nor of another table of the name" "" "$(run | grep -iE 'MADEUP|canar' || true)"
PGUSER=olga sql "DROP TABLE made_cps; ALTER TABLE gone_cps RENAME TO made_cps"
check_match "back" "MADEUP" "$(run)"
PGUSER=olga sql "SET client_min_messages = warning; SELECT dpmix.undeclare_public('made_cps')"
check "none when it is public no more" "" "$(run | grep MADEUP || true)"
PGUSER=olga sql "SET client_min_messages = warning; SELECT dpmix.declare_public('made_cps'), dpmix.expose('cps', default_epsilon => 1, default_delta => 1e-9)"
check "none when the facade is made without" "" "$(run | grep MADEUP || true)"
PGUSER=olga sql "SET client_min_messages = warning; SELECT dpmix.expose('cps', rows => 'synthetic', rows_from => 'made_cps'), dpmix.revoke_access('cps', 'ana')"
check_match "none without access" "42501" "$(run)"
check "no canary, no crash in the log" "" "$(grep -E 'canar|terminated by signal|PANIC|TRAP:|XX000' "$CLUSTER/log" | head -n 3 || true)"
