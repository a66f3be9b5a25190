#!/usr/bin/env bash
# Rows of pg/query/aggregates against all else that knows of an aggregate: its SQL objects, what is documented, and the
# numbers that stored cubes have. A line is added to aggregates.txt with a new aggregate; no line of it ever changes its
# number or its name, nor goes: a number is never used again.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
sql "CREATE EXTENSION dpmix" >/dev/null
cluster_probe aggregate_probe -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
sql "CREATE FUNCTION aggregate_rows() RETURNS text LANGUAGE c AS '\$libdir/aggregate_probe'" >/dev/null
rows=$(sql "SELECT aggregate_rows()")
column() { cut -d'|' -f"$1" <<<"$rows"; }

check_command "rows are as they were written down" diff <(sed '/^$/d' <<<"$rows") test/server/query/aggregates.txt
check "no number is given twice" "" "$(column 1 | uniq -d)"
check "but dp_count, of rows and of values, no name is" "dp_count" "$(column 2 | sort | uniq -d)"
check "no name in plain SQL is, but count" "count" "$(column 7 | tr ' ' '\n' | sed '/^$/d' | sort | uniq -d)"
check "no measure of cubes is, but count" "count" "$(column 5 | sed '/^$/d' | sort | uniq -d)"

# SQL objects: each row has one, each has a row, of the type and with as many arguments; (*) where the row takes rows.
objects=$(sql "SELECT DISTINCT p.proname || '|' || CASE WHEN p.pronargs = 0 THEN '*' ELSE p.pronargs::text END || '|' || format_type(p.prorettype, NULL)
  FROM pg_proc p WHERE p.pronamespace = 'dpmix'::regnamespace AND p.prokind = 'a' AND p.proname LIKE 'dp\_%' ORDER BY 1")
of_rows=$(awk -F'|' '{ print $2 "|" ($3 == "(*)" ? "*" : split($3, a, ",")) "|" $4 }' <<<"$rows" | sort)
check_command "SQL objects and rows are the same ones" diff <(sort <<<"$objects") <(sed '/^|/d' <<<"$of_rows")
check "PostgreSQL has the names in plain SQL" "" \
  "$(for name in $(column 7); do sql "SELECT '$name' WHERE NOT EXISTS (SELECT FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid WHERE p.proname = '$name' AND p.pronamespace = 'pg_catalog'::regnamespace)"; done)"

# What people read.
described=$(sql "SELECT obj_description('dpmix.query(text, float8, float8, text, text[], text, integer, boolean, integer)'::regprocedure)")
measures=$(sql "SELECT obj_description('dpmix.release_cube(text, regclass, name[], text[], float8, float8, integer, text, integer, text)'::regprocedure)")
for name in $(column 2 | sort -u); do
  check_match "the COMMENT of dpmix.query names $name" "\b$name\b" "$described"
  check_match "so does docs/guide/query.md" "\b$name\b" "$(cat docs/guide/query.md)"
  check_match "and the reference's grammar" "\b$name\(" "$(cat docs/reference/page.md.in)"
done
for word in $(column 5 | sort -u); do check_match "the COMMENT of dpmix.release_cube has $word" "\b$word\b" "$measures"; done
for name in $(column 7); do check_match "docs/guide/plain_sql.md has $name" "\b$name\b" "$(cat docs/guide/plain_sql.md)"; done
