#!/usr/bin/env bash
# The page about declaring a table: what it says runs as it stands, and gives what it shows.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/cluster.sh
. test/server/lib/page.sh
demo_database

run_page docs/guide/declaring.md ana 5

export PGUSER=office
# The table of the page is what declare() returns. The second call finds all of it declared before.
psql -XAtq -F ' | ' -c "SELECT column_name, type, lower, upper, array_to_string(categories, ', '), missing FROM dpmix.declare('visits')" \
  >"$CLUSTER/returned"
awk -F'|' 'NF == 9 && /^\| [a-z]+ \| [a-z]/ { for (i = 2; i <= 8; i++) gsub(/^ +| +$/, "", $i)
           if ($2 != "column_name") print $2 " | " $3 " | " $4 " | " $5 " | " $6 " | " $8 }' docs/guide/declaring.md >"$CLUSTER/shown"
if diff "$CLUSTER/shown" "$CLUSTER/returned"; then echo "ok - the table of the page"; else echo "not ok - the table of the page"; fi
says 'what it says was declared is on record' "(SELECT count(*) FROM dpmix.declare('visits') WHERE source = 'declared before') = 6"

# The findings of the page are what check() returns of the same declarations.
psql -XAtqc "SELECT FROM dpmix.declare('visits', '{\"age\": [0, 11], \"ward\": [\"surgrey\", \"children\", \"emergency\"]}')" >/dev/null
psql -XAtq -F ' | ' -c "SELECT column_name, finding, exact_number, round(exact_share::numeric, 2), array_to_string(examples, ', '), warning
                        FROM dpmix.check('visits') WHERE warning IS NOT NULL" >"$CLUSTER/returned" 2>/dev/null
awk '/^\| column_name \| finding/ { on = 1; getline; next } /^$/ { on = 0 } on { gsub(/^\| | \|$/, ""); print }' docs/guide/declaring.md >"$CLUSTER/shown"
if diff -b "$CLUSTER/shown" "$CLUSTER/returned"; then echo "ok - the findings of the page"; else echo "not ok - the findings of the page"; fi

# A superuser who declares runs nothing that the table's owner wrote.
psql -qX <<'SQL'
CREATE TABLE ran (by name);
CREATE FUNCTION spy(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN INSERT INTO ran VALUES (current_user); RETURN 9; END $$;
CREATE FUNCTION spy_less(int, int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN INSERT INTO ran VALUES (current_user); RETURN true; END $$;
CREATE OPERATOR <= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = spy_less);
SQL
psql -qX <<'SQL'
CREATE TABLE trap (x int CHECK (x >= 0 AND x OPERATOR(office.<=) 7 AND x < spy(7)), y int CHECK (y BETWEEN 0 AND 1 / (x - x)));
SET client_min_messages = warning;
DO $$ BEGIN PERFORM dpmix.protect('trap', 1, 1e-6); END $$;
TRUNCATE ran;
SQL
PGUSER=postgres psql -qXAt -c "SELECT count(*) FROM dpmix.declare('office.trap') WHERE column_name = 'x' AND source IS NULL" >"$CLUSTER/trap"
says 'a constraint of others runs nothing' "NOT EXISTS (SELECT FROM ran) AND '$(cat "$CLUSTER/trap")' = '1'"

# Others may not declare, and learn nothing.
export PGUSER=ana
refusal=$(psql -XAtqc "SELECT * FROM dpmix.declare('office.visits', '{\"age\": [0, 1]}')" 2>&1 || true)
case $refusal in
  *'must be owner'*) echo "ok - only the owner declares" ;;
  *) echo "not ok - only the owner declares: $refusal" ;;
esac
