#!/usr/bin/env bash
# The sources of core in units that compile in less than half of the time: a unit includes those of a room, but where
# two of them have the same name in their unnamed namespaces. Writes FOLDER/UNIT.cpp where it is not so yet, and prints
# the UNITs.
#
#   test/core_units.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
find src/core -name '*.cpp' | LC_ALL=C sort | xargs awk '
  FNR == 1 { files[++count] = FILENAME; inside = 0 }
  /^namespace \{$/ { inside = 1; next }
  /^}  \/\/ namespace$/ { inside = 0 }
  # What begins at the left margin there declares: the word before the parenthesis, the value or the body.
  inside && /^(\[\[[a-z]+\]\] )?[a-zA-Z]/ {
    if (/^template <.*>$/) next
    line = $0
    sub(/^\[\[[a-z]+\]\] /, "", line)
    gsub(/<[^<>]*>/, "", line)
    declarators = 1
    if (line ~ /^const(expr)? [^(]*=/) declarators = split(line, part, ",")
    for (n = 1; n <= declarators; ++n) {
      if (declarators > 1) line = part[n]
      sub(/[(={;[].*/, "", line)
      if (match(line, /[A-Za-z_][A-Za-z_0-9]* *$/)) {
        name = substr(line, RSTART, RLENGTH)
        gsub(/ /, "", name)
        names[FILENAME] = names[FILENAME] name " "
      }
    }
  }
  END {
    for (i = 1; i <= count; ++i) {
      file = files[i]
      room = file
      sub(/^src\/core\//, "", room)
      sub(/\/[^\/]*$/, "", room)
      gsub(/\//, "_", room)
      mine = split(names[file], own, " ")
      for (unit = 1; ; ++unit) {
        free = 1
        for (n = 1; n <= mine; ++n) if ((room, unit, own[n]) in taken) free = 0
        if (free) break
      }
      for (n = 1; n <= mine; ++n) taken[room, unit, own[n]] = 1
      key = room "." unit
      if (!(key in group)) order[++units] = key
      group[key] = group[key] ":" file
    }
    for (i = 1; i <= units; ++i) print order[i] group[order[i]]
  }' | while IFS=: read -ra unit; do
  printf '#include "%s"\n' "${unit[@]:1}" >"$1/new"
  cmp -s "$1/new" "$1/${unit[0]}.cpp" || cp "$1/new" "$1/${unit[0]}.cpp"
  echo "${unit[0]}"
done
