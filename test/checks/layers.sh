#!/usr/bin/env bash
# The house of docs/architecture.md, enforced: which room may include which, no circle of files, a header implemented by
# the .cpp of its own stem, PostgreSQL only where it belongs, and SQL under dpmix's own search_path.
set -euo pipefail
cd "$(dirname "$0")/../.."

# room: the rooms it may include, and with them what those may. `pg` alone is module.cpp.
rooms='
core/base:
core/algebra:         core/base
core/input:           core/base
core/random:          core/base
core/stats:           core/input
core/noise:           core/random
core/accounting:      core/noise
core/counter:         core/base
core/cube:            core/base
core/query:           core/accounting core/cube core/noise core/input
core/release:         core/random
core/mixture:         core/stats core/input core/random core/algebra
core/synthetic:       core/accounting core/noise core/input core/algebra
core/tree_model:      core/query core/stats core/algebra
core/copula:          core/tree_model core/mixture
core/comparison:      core/mixture core/stats
core/regression:      core/mixture core/accounting
core/drawing:         core/mixture
core/report:          core/release core/drawing core/query core/synthetic core/tree_model core/accounting
core/published:       core/report core/comparison

pg/border:            core/release core/counter core/copula core/report core/comparison core/regression core/published
pg/trees:             pg/border
pg/citus:             pg/trees
pg/catalog:           pg/citus
pg/process:           pg/catalog
pg/rows:              pg/process
pg/scan:              pg/process
pg/stats:             pg/border
pg/noise:             pg/border
pg/ledger:            pg/process
pg/owner:             pg/ledger pg/rows
pg/memory:            pg/owner
pg/units:             pg/scan
pg/query/read:        pg/memory pg/scan pg/stats pg/noise
pg/query/safe:        pg/query/read
pg/query/keys:        pg/query/safe
pg/query/check:       pg/query/safe
pg/query/blocks:      pg/query/keys pg/query/check
pg/query/layers:      pg/query/blocks pg/units
pg/query/statistics:  pg/query/layers
pg/query/answer:      pg/query/statistics
pg/query/aggregates:  pg/query/answer
pg/query:             pg/query/answer
pg/release:           pg/query/layers
pg/mixture:           pg/release pg/owner pg/scan pg/stats
pg/published:         pg/mixture pg/noise
pg/synthetic/cda:     pg/release pg/scan
pg/tree_model:        pg/mixture pg/units
pg/synthetic:         pg/tree_model pg/synthetic/cda
pg/comparison:        pg/release pg/owner pg/scan pg/stats
pg/regression:        pg/release pg/query
pg/models:            pg/tree_model pg/regression
pg/cube:              pg/release pg/query
pg/preview:           pg/query pg/release
pg/schedule:          pg/preview
pg/counter:           pg/schedule
pg/report:            pg/owner
pg/facade:            pg/query
pg:                   pg/counter pg/published pg/synthetic pg/comparison pg/models pg/cube pg/report pg/facade
'

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

# "file included", without src/.
includes=$(grep -HoE '^#include "(core|pg)/[^"]+"' "${sources[@]}" | sed -E 's|^src/([^:]+):#include "([^"]+)"|\1 \2|')
complain '' < <(awk -v rooms="$rooms" '
  function room(file) {
    while (sub(/\/[^\/]*$/, "", file)) if (file in below) return file
    print "no room: " file
  }
  function may(from, to, list, n, i) {
    if (from == to) return 1
    if ((from, to) in known) return known[from, to]
    n = split(below[from], list, " ")
    known[from, to] = 0
    for (i = 1; i <= n; i++) if (may(list[i], to)) known[from, to] = 1
    return known[from, to]
  }
  BEGIN {
    n = split(rooms, line, "\n")
    for (i = 1; i <= n; i++) if (split(line[i], part, ":") > 0) below[part[1]] = part[2]
  }
  !may(room($1), room($2)) { print $1 " includes " $2 ", which is not below it" }' <<<"$includes")

# The caller's half of a kind of release, whatever it includes, cannot read rows: what can takes an InProcess, which
# only the runner makes. Cubes and counters are made of queries, whose plans have their scans in them.
complain '' < <(awk -v halves="$(
  { grep -rl 'Runner::' src/pg --include=*.cpp; find src/pg -name kind.cpp; } | sort -u |
    grep -vE '^src/pg/(release|cube|counter)/' | sed 's|^src/||')" '
  function reach(half, file, path, list, n, i) {
    if ((half, file) in seen) return
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
    grep -vE '^src/pg/(border/statement|catalog/record|query/partial|schedule/release)\.cpp$' || true)

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
