#!/usr/bin/env bash
# What BI tools, drivers and people send, over a facade: corpus/*.sql, one file for each tool, written for this test.
# A statement follows its expectation; one statement may be several lines of the tool's, until the next expectation:
#
#   -- answered: title       it succeeds, for one charge; `answered 3:` for three
#   -- free: title           it succeeds without a charge
#   -- refused: title        an error with a HINT, and without a charge
#   -- shows: pattern        at the end of a statement: a line of its output matches
#
# Whatever happens, nothing of a row is seen: texts and numbers of the table's rows are canaries. Then memory is on, and
# every file is asked twice: the second time is free. CORPUS=metabase: that file alone.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/plain/lib.sh
plain_cluster
PGUSER=olga psql -X -q -v users=400 -v views=4000 -f test/server/plain/hits.sql >/dev/null
canary='(canar|83174629)'

script() {  # a file of the corpus as a psql script: @@ before each statement and the number of charges after it
  awk '
    function close_one() { if (open) print "SELECT public.charges() AS charges \\gset\n\\echo @@end :charges" }
    /^-- (answered|free|refused)( [0-9]+)?: / {
      close_one(); open = 1; quoted = $0; gsub(/\047/, "\047\047", quoted)
      printf "\\echo \047@@%s\047\n", substr(quoted, 4); next
    }
    /^-- shows: / { pattern = substr($0, 11); gsub(/\\/, "\\\\", pattern); gsub(/\047/, "\047\047", pattern); printf "\\echo \047@@shows %s\047\n", pattern; next }
    { print }
    END { close_one() }' "$1"
}

charges_now() { sql "SELECT public.charges()"; }

run_file() {  # file: what a tool sees, with the marks of script()
  { echo "SELECT public.charges() AS charges \\gset"; echo "\\echo @@start :charges"; script "$1"; } |
    PGUSER=ana stdbuf -oL psql -X -q -A -P footer=off -v VERBOSITY=verbose 2>&1
}

judge() {  # tool: reads what run_file printed
  local line kind="" title want said="" pattern="" before=0 error
  while IFS= read -r line; do
    case $line in
      "@@start "*) before=${line#@@start } ;;
      "@@shows "*) pattern=${line#@@shows } ;;
      "@@end "*)
        local after=${line#@@end }
        local paid=$((after - before))
        before=$after
        error=$(grep -m 1 -E '^(psql:[^ ]* )?(ERROR|FATAL|PANIC)|^invalid|server closed' <<<"$said" || true)
        if grep -qiE "$canary" <<<"$said"; then echo "not ok - $1: $title: a row is seen: $said"
        elif grep -qE 'XX000|server closed the connection' <<<"$said"; then echo "not ok - $1: $title: $error"
        elif [ "$kind" = refused ] && [ -z "$error" ]; then echo "not ok - $1: $title: not refused, $paid charges: ${said:0:300}"
        elif [ "$kind" = refused ] && ! grep -q '^HINT: ' <<<"$said"; then echo "not ok - $1: $title: no HINT: $said"
        elif [ "$kind" != refused ] && [ -n "$error" ]; then echo "not ok - $1: $title: $kind, but: ${said:0:600}"
        elif [ "$paid" != "$want" ]; then echo "not ok - $1: $title: $paid charges instead of $want: ${said:0:300}"
        elif [ -n "$pattern" ] && ! grep -qE -e "$pattern" <<<"$said"; then echo "not ok - $1: $title: no '$pattern' in: $said"
        else echo "ok - $1: $title ($kind)"; fi
        said="" pattern=""
        ;;
      "@@"*)
        line=${line#@@}
        kind=${line%%:*} title=${line#*: } want=0
        [[ $kind != answered* ]] || { want=${kind#answered}; want=${want# }; want=${want:-1}; }
        kind=${kind%% *} said=""
        ;;
      *) said+=$line$'\n' ;;
    esac
  done
}

files=(test/server/plain/corpus/${CORPUS:-*}.sql)
for file in "${files[@]}"; do
  tool=$(basename "$file" .sql)
  run_file "$file" >"$CLUSTER/$tool.seen" || true
  judge "$tool" <"$CLUSTER/$tool.seen"
  check "$tool: every statement was judged" "$(grep -cE '^-- (answered|free|refused)' "$file")" "$(grep -c '^@@end ' "$CLUSTER/$tool.seen" || true)"
done

remember '1 day'
PGUSER=olga sql "SELECT dpmix.set_memory('hits', keep => '1 day')"
for file in "${files[@]}"; do
  tool=$(basename "$file" .sql)
  run_file "$file" >"$CLUSTER/$tool.first" || true
  before=$(charges_now)
  run_file "$file" >"$CLUSTER/$tool.again" || true
  check "$tool: asked again, all of it is free" 0 $(($(charges_now) - before))
  # Errors are the same ones: a remembered answer passes the same checks.
  check "$tool: asked again, what is refused is the same" "$(grep -oE 'ERROR: +[0-9A-Z]{5}' "$CLUSTER/$tool.first" | sort | uniq -c)" \
    "$(grep -oE 'ERROR: +[0-9A-Z]{5}' "$CLUSTER/$tool.again" | sort | uniq -c)"
  check "$tool: asked again, no row is seen" "" "$(grep -iE "$canary" "$CLUSTER/$tool.first" "$CLUSTER/$tool.again" | head -n 3 || true)"
done

check "the server's log says nothing of a row" "" "$(grep -iE "$canary" "$CLUSTER/log" | head -n 3 || true)"
check "no process of the server crashed" "" "$(grep -E 'terminated by signal|PANIC|TRAP:|XX000' "$CLUSTER/log" | head -n 3 || true)"
