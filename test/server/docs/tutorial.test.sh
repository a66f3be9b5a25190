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

# Both pages on a screen of 400 pixels; and what would be wider is seen.
for page in dashboard report; do
  check "$page fits a narrow screen, by its rules" "" "$(python3 test/server/lib/narrow.py "$folder/$page.html")"
  laid_out=$(python3 test/server/lib/narrow.py --browser "$folder/$page.html")
  [ "$laid_out" = "no browser" ] && echo "SKIP - $page in a browser: no chromium here" || check "$page fits, as chromium lays it out" "" "$laid_out"
done
long=$(printf 'x%.0s' {1..60})
planted() {  # MARKUP [RULES]: the report with it
  awk -v markup="$1" -v rules="${2:-}" '{ sub("</style>", rules "</style>"); sub("</main>", markup "</main>"); print }' "$folder/report.html" >"$folder/planted.html"
  python3 test/server/lib/narrow.py "$folder/planted.html" | wc -l
}
for markup in '<div style="width: 548px">x</div>' '<div style="min-width: 26rem">x</div>' '<table width="500"><tr><td>x</td></tr></table>' '<svg width="540" height="9"></svg>' \
              '<img src="x" alt="x"/>' "<h2>$long</h2>" "<p class=\"t\">a line of words that is not broken since it is of class t</p>" '<pre>a line</pre>' '<div class="grid"></div>'; do
  check "seen: ${markup:0:40}" 1 "$(planted "$markup" '.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(30rem, 1fr)); }')"
done
check "seen: a table of narrow screens that is one" t "$([ "$(planted '<table class=\"one\"><tr><td>x</td></tr></table>' '.one { display: table; }')" -gt 0 ] && echo t)"
planted '<div style="width: 548px">x</div>' >/dev/null
laid_out=$(python3 test/server/lib/narrow.py --browser "$folder/planted.html")
[ "$laid_out" = "no browser" ] || check_match "seen by chromium" "pixels" "$laid_out"
