#!/usr/bin/env bash
# The arrows of docs/architecture.md, enforced: core never sees PostgreSQL, and inside core includes
# point down only (release > accounting > mechanism > random, stats > input).
set -euo pipefail
cd "$(dirname "$0")/../.."
bad=0
complain() { echo "layers: $1" >&2; bad=1; }

while IFS= read -r line; do complain "core includes PostgreSQL: $line"; done < <(
  grep -rnE '#include *[<"](postgres|fmgr|utils/|access/|catalog/|executor/|nodes/|storage/|pg/)' --include='*.[ch]pp' src/core || true)

declare -A below=(
  [random]='random' [input]='input' [stats]='stats|input'
  [mechanism]='mechanism|random' [accounting]='accounting|mechanism|random'
  [release]='release|accounting|mechanism|random|stats|input'
)
for layer in "${!below[@]}"; do
  while IFS= read -r line; do complain "$layer points up: $line"; done < <(
    grep -rnE '#include "core/[a-z]+/' --include='*.[ch]pp' "src/core/$layer" 2>/dev/null | grep -vE "\"core/(${below[$layer]})/" || true)
done
# PostgreSQL's headers come in through pg/border/postgres.hpp, so that the C linkage is said once.
while IFS= read -r line; do complain "postgres.h outside pg/border/postgres.hpp: $line"; done < <(
  grep -rn '#include *"postgres.h"' --include='*.[ch]pp' src | grep -v '^src/pg/border/postgres.hpp:' || true)
while IFS= read -r line; do complain "a difference of versions outside pg/border/compat.hpp: $line"; done < <(
  grep -rnE 'PG_VERSION_NUM|PG_MAJORVERSION' --include='*.[ch]pp' src | grep -v '^src/pg/border/compat.hpp:' || true)
exit $bad
