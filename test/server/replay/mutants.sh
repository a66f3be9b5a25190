#!/usr/bin/env bash
# Each mistake of the list `mutants` is made in the source and built, and the replay audit must find it.
#
#   bash test/server/replay/mutants.sh [NAME...]
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
. test/server/replay/lib.sh
replay_cluster
folder=build/replay/mutants
mkdir -p "$folder"

build_mutant() {  # file program: the library with that change
  sed -E "$2" "$1" >"$folder/$(basename "$1")"
  ! cmp -s "$1" "$folder/$(basename "$1")" || { echo "the change changes nothing"; return 1; }
  rm -f build/replay/mutant.so
  make -s PG_CONFIG="${PG_CONFIG:-pg_config}" build/replay/mutant.so MUTANT="$1" MUTATED="$folder/$(basename "$1")" 2>&1 | grep -E 'error' || true
  [ -f build/replay/mutant.so ] || { echo "it does not compile"; return 1; }
}

while IFS='|' read -r name kinds file program; do
  name=${name// /} kinds=${kinds// /} file=${file// /}
  [[ $name = [a-z]* ]] || continue
  [ $# -eq 0 ] || [[ " $* " = *" $name "* ]] || continue
  if ! said=$(build_mutant "$file" "${program# }"); then echo "not ok - $name: $said"; continue; fi
  install -m 755 build/replay/mutant.so "$("$BIN/pg_config" --pkglibdir)/dpmix.so"
  cluster_restart
  found=$(audit "$kinds" 12 4 1 first)
  check_match "$name is found" '^difference - ' "$found"
  grep -m 1 -A 1 '^difference' <<<"$found" | cut -c 1-300 || true
done <test/server/replay/mutants
