#!/usr/bin/env bash
# docs/tutorial.md: its statements run as a reader copies them, one after the other into the psql that `make play`
# opens.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
. test/server/lib/tutorial.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tutorial_statements <docs/tutorial.md >"$folder/pieces.sql"
PLAY_FOLDER=$folder demo/play.sh <"$folder/pieces.sql" >"$folder/out" 2>"$folder/err"
tutorial_checks "$folder"
for line in " the owner " " an analyst " " an auditor " "psql 'host=/tmp/dpmix"; do check_match "play prints $line" "$line" "$(cat "$folder/out")"; done
socket=$(grep -o "/tmp/dpmix\.[A-Za-z0-9]*" "$folder/out" | head -n 1)
check "nothing is left" gone "$([ -e "$socket" ] || echo gone)"
