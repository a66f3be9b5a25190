#!/usr/bin/env bash
# The sources that FILE... are made of: these, and the .cpp beside each header of the project that they include, with
# what those include in turn.
#
#   test/needs.sh FILE...
set -euo pipefail
cd "$(dirname "$0")/.."
declare -A known=()
found=("$@")
while [ ${#found[@]} -gt 0 ]; do
  next=()
  for file in "${found[@]}"; do
    [ -z "${known[$file]:-}" ] && [ -e "$file" ] || continue
    known[$file]=1
    [[ $file != *.cpp ]] || echo "$file"
    while read -r header; do
      next+=("src/$header" "src/${header%.hpp}.cpp" "test/$header" "test/${header%.hpp}.cpp")
    done < <(sed -nE 's/^#include "(.*)"$/\1/p' "$file")
  done
  found=("${next[@]}")
done
