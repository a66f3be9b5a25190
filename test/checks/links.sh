#!/usr/bin/env bash
# Every relative link of this tree's Markdown leads to a file that is there, and every anchor to a
# heading of it, named as GitHub names them. Prints the links that do not.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C.UTF-8
bad=0

prose() { sed '/^ *```/,/^ *```/d' "$1"; }
anchors() {  # repeated headings get -1, -2, ...
  prose "$1" | sed -n 's/^#\{1,6\} //p' | sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/[^[:alnum:] _-]//g; s/.*/\L&/; s/ /-/g' |
    awk '{ print seen[$0]++ ? $0 "-" seen[$0] - 1 : $0 }'
}

while IFS= read -r page; do
  while IFS= read -r target; do
    file=${target%%#*} anchor=
    [ "$file" = "$target" ] || anchor=${target#*#}
    if [ -z "$file" ]; then file=$page; else file=$(dirname "$page")/$file; fi
    if [ ! -e "$file" ]; then
      echo "$page: $target: no such file"; bad=1
    elif [ -n "$anchor" ] && ! anchors "$file" | grep -qxF -- "$anchor"; then
      echo "$page: $target: no such heading"; bad=1
    fi
  done < <(prose "$page" | sed 's/`[^`]*`//g' | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:' | sort -u)
done < <(find . -name '*.md' -not -path './.git/*' -not -path './build/*' | sort)
exit $bad
