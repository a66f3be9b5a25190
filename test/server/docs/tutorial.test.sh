#!/usr/bin/env bash
# docs/tutorial.md: its statements run as a reader copies them, one after the other into the psql that `make play`
# opens.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
. test/server/lib/checks.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{ echo '\set ON_ERROR_STOP on'; awk '/^```sql$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/tutorial.md; echo '\echo the end'; } >"$folder/pieces.sql"
PLAY_FOLDER=$folder demo/play.sh <"$folder/pieces.sql" >"$folder/out" 2>"$folder/err"
check_match "it runs to its end" "^the end$" "$(cat "$folder/out" "$folder/err")"
check "and only the query of rows is refused" "ERROR:  permission denied for table cps" "$(grep ERROR "$folder/err")"
for line in " the owner " " an analyst " " an auditor " "psql 'host=/tmp/dpmix"; do check_match "play prints $line" "$line" "$(cat "$folder/out")"; done
check_match "counts by region" "south +\| +8[0-9]{3} +\| +5[0-9]{2}" "$(cat "$folder/out")"
check_match "answers of the view, with intervals" "16 years or more +\| +[0-9]+ +\| +[78][0-9]{2} +\| +[78][0-9]{2} +\| +[89][0-9]{2}" "$(cat "$folder/out")"
check_match "the price" "would charge epsilon 0.1" "$(cat "$folder/out")"
check "the dashboard has two pictures" "Mean weekly wage, $|Privacy budget of office.cps" "$(grep -o 'img alt="[^"]*"' "$folder/dashboard.html" | cut -d'"' -f2 | paste -sd'|')"
check_match "the report" "What is promised" "$(cat "$folder/report.html")"
check_match "the auditor sees what was asked" "ana +\| +query +\| +0.1 +\| +SELECT region" "$(cat "$folder/out")"
socket=$(grep -o "/tmp/dpmix\.[A-Za-z0-9]*" "$folder/out" | head -n 1)
check "nothing is left" gone "$([ -e "$socket" ] || echo gone)"
