#!/usr/bin/env bash
# The house of docs/architecture.md, enforced: which room may include which, no circle of files, a header implemented by
# the .cpp of its own stem, PostgreSQL only where it belongs, and SQL under dpmix's own search_path.
set -euo pipefail
cd "$(dirname "$0")/../.."

# "room: the rooms it may include", in the order of the page. The room `pg` is module.cpp alone.
rooms=$(awk -F '|' '
  /^## / { side = /rooms of `src\/core`/ ? "core" : /rooms of `src\/pg`/ ? "pg" : "" }
  side == "" || $2 !~ /^ `[^`]*` $/ { next }
  {
    gsub(/[ `]/, "", $2)
    room = $2 == "module.cpp" ? side : side "/" $2
    line = room ":" (room == "core/base" ? "" : " core/base") (side == "core" || room == "pg/border" ? "" : " pg/border")
    n = split($4, list, " "); for (i = 1; i <= n; i++) line = line " core/" list[i]
    n = side == "pg" ? split($5, list, " ") : 0
    for (i = 1; i <= n; i++) line = line " pg/" list[i]
    print line
  }' docs/architecture.md)

bad=0
complain() {  # each line of the input, after $1
  local line
  while IFS= read -r line; do echo "layers: $1$line" >&2; bad=1; done
}
mapfile -t sources < <(find src/core src/pg -name '*.[ch]pp' | sort)
mapfile -t core < <(printf '%s\n' "${sources[@]}" | grep '^src/core/')

complain 'core includes PostgreSQL: ' < <(
  grep -nE '#include *[<"](postgres|fmgr|utils/|access/|catalog/|executor/|nodes/|storage/|pg/)' "${core[@]}" || true)
# PostgreSQL's headers come in through pg/border/postgres.hpp, so that the C linkage is said once.
complain 'postgres.h outside pg/border/postgres.hpp: ' < <(
  grep -n '#include *"postgres.h"' "${sources[@]}" | grep -v '^src/pg/border/postgres.hpp:' || true)
complain 'a difference of versions outside pg/border/compat.hpp: ' < <(
  grep -nE 'PG_VERSION_NUM|PG_MAJORVERSION' "${sources[@]}" | grep -v '^src/pg/border/compat.hpp:' || true)

complain 'noise that the replay audit does not see (core/random/noisy.hpp): ' < <(
  grep -nE '\+=? *\(?\*?[a-z_>.-]*\(\*?[a-z_>.*-]*random\)' "${sources[@]}" | grep -vE '^src/core/(random|published|noise/sampler)' || true)

# The linker keeps one of the inline functions of two types of one name. Where a header of pg means a type of
# PostgreSQL's, it depends on what was included before whether one of core of that name is taken for it.
complain 'a type of two headers: ' < <(
  for side in core pg; do
    printf '%s\n' "${sources[@]}" | grep "^src/$side/.*hpp$" | xargs grep -hoP '^(struct|class|enum class) \K\w+(?=.*\{)' | sort | uniq -d
  done)
complain 'a type with the name of one of PostgreSQL: ' < <(
  grep -nE '^(struct|class|enum class|using) (Interval|Path|Plan|Query|Relation|Snapshot|Value|List|Node|Expr|Var|Const)\b.*[{=]' "${core[@]}" | grep 'hpp:' || true)

# "file included", without src/.
includes=$(grep -HoE '^#include "(core|pg)/[^"]+"' "${sources[@]}" | sed -E 's|^src/([^:]+):#include "([^"]+)"|\1 \2|')
complain '' < <(awk -v rooms="$rooms" '
  function room(file) {
    while (sub(/\/[^\/]*$/, "", file)) if (file in place) return file
    print "no room: " file
  }
  BEGIN {
    n = split(rooms, line, "\n")
    for (i = 1; i <= n; i++) {
      split(line[i], part, ":")
      place[part[1]] = i
      m = split(part[2], list, " ")
      for (j = 1; j <= m; j++) {
        may[part[1] " " list[j]] = 1
        if (!(list[j] in place)) print "docs/architecture.md: " part[1] " includes " list[j] ", which is not above it"
      }
    }
  }
  {
    arrow = room($1) " " room($2)
    used[arrow] = 1
    split(arrow, end, " ")
    if (end[1] != end[2] && !(arrow in may)) print $1 " includes " $2 ", which its line in docs/architecture.md does not name"
  }
  END {
    for (arrow in may)
      if (!(arrow in used) && arrow !~ / (core\/base|pg\/border)$/) print "docs/architecture.md: no file needs this: " arrow
  }' <<<"$includes")

# Folders within a room are named by its line; those of tests and benchmarks are rooms, or of the table of others.
complain 'docs/architecture.md does not name the folder ' < <(
  for folder in $(dirname "${sources[@]}" | sort -u | sed 's|^src/||'); do
    grep -q "^$folder:" <<<"$rooms" || grep -q "\`${folder#*/}\`" docs/architecture.md || echo "src/$folder"
  done
  for folder in test/unit/*/ test/statistical/*/ test/server/*/ bench/*/; do
    name=$(basename "$folder")
    grep -qE "^(core|pg)/$name:" <<<"$rooms" || grep -qE "^\| [^|]*\`$name\`" docs/architecture.md || echo "$folder"
  done)

# The caller's half of a kind of release, whatever it includes, cannot read rows: what can takes an InProcess, which
# only the runner makes. What is made of a query has its plan, with its scans in it, and that alone (priced.hpp).
complain '' < <(awk -v halves="$(
  { grep -rl 'Runner::' src/pg --include=*.cpp; find src/pg -name kind.cpp; } | sort -u |
    grep -vE '^src/pg/release/' | sed 's|^src/||')" '
  function reach(half, file, path, list, n, i) {
    if ((half, file) in seen || file == "pg/query/price/priced.hpp") return
    seen[half, file] = 1
    if (file ~ /^pg\/(scan\/(silent_scan|held_tables|state_of_scan)|units\/sampled_units)\.hpp$/)
      print "reads rows in the caller: " path
    n = split(included[file], list, " ")
    for (i = 1; i <= n; i++) reach(half, list[i], path " > " list[i])
  }
  { included[$1] = included[$1] " " $2 }
  END { n = split(halves, half, "\n"); for (h = 1; h <= n; h++) reach(half[h], half[h], half[h]) }' <<<"$includes")

# A body is never read under a caller's search_path, in which names may be the caller's enemies'. These run what the
# caller asked for, a text that is the same in every database, or run as the catalog's owner, which sets the path.
complain 'runs SQL without the search_path of pg/border/statement: ' < <(
  grep -lE 'SPI_(execute|prepare)' "${sources[@]}" |
    grep -vE '^src/pg/(border/statement|catalog/record|query/partial/partial|schedule/release)\.cpp$' || true)

# A header and its .cpp are one node.
complain 'files include each other in a circle: ' < <(
  sed -E 's/\.[ch]pp//g' <<<"$includes" | awk '$1 != $2' | { tsort 2>&1 >/dev/null || true; } |
    sed -E -e 's/^tsort: //' -e 's/.*input contains a loop:/-/' | tr '\n' ' ' | sed 's/- */\n/g' | grep . || true)

# The room says it once: rows/builder, not rows/row_builder. Its front may have its name: query/query.
complain 'a stem repeats the name of its room: ' < <(
  printf '%s\n' "${sources[@]}" | awk -F/ '{
    stem = $NF; room = $(NF - 1); single = room
    sub(/\.[ch]pp$/, "", stem); sub(/s$/, "", single)
    if (index(stem, room "_") == 1 || index(stem, single "_") == 1 || (stem != room && stem == room "s")) print
  }')

# What a header declares outside of classes, and the classes, is defined by the .cpp of its stem. Declarations and
# definitions begin in the first column; what is in an anonymous namespace is nobody else's.
complain '' < <(awk '
  function stem(file) { sub(/\.[ch]pp$/, "", file); return file }
  function note(statement, name, owner) {
    sub(/\(.*/, "", statement)
    name = owner = statement
    sub(/.*[ *&:]/, "", name)
    if (name !~ /^[a-z_0-9]+$/) return
    if (header) {
      if (!inline_one) declared[name] = declared[name] " " stem(FILENAME) " "
    } else if (owner ~ /[A-Za-z]::~?[a-z_]+$/) {
      sub(/::[^:]*$/, "", owner); sub(/.*[ *&:]/, "", owner)
      defined[++count] = stem(FILENAME) " " owner
    } else {
      defined[++count] = stem(FILENAME) " " name
    }
  }
  FNR == 1 { header = FILENAME ~ /hpp$/; hidden = 0; open_one = "" }
  /^namespace \{/ { hidden = 1 }
  /^\}  \/\/ namespace$/ { hidden = 0 }
  { sub(/ +\/\/ .*/, "") }
  header && /^(class|struct) [A-Za-z]+( final)?( : .*)? \{/ {
    declared[$2] = declared[$2] " " stem(FILENAME) " "
  }
  hidden || /^(#|\/\/|using|namespace|extern|typedef|static|constexpr|enum|template|struct|class|\}|PG_)/ { next }
  open_one == "" && /^[A-Za-z\[].*\(/ { inline_one = /^(inline|constexpr)/; open_one = $0 }
  open_one != "" && /;$/ && header { note(open_one); open_one = "" }
  open_one != "" && /\{$/ { if (!header) note(open_one); open_one = "" }
  open_one != "" && /[;}]$/ { open_one = "" }
  END {
    for (i = 1; i <= count; i++) {
      split(defined[i], d, " ")
      if (d[2] in declared && index(declared[d[2]], " " d[1] " ") == 0)
        print d[1] ".cpp defines " d[2] ", which" declared[d[2]] "declares"
    }
  }' "${sources[@]}")
exit $bad
