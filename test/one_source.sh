#!/usr/bin/env bash
# FILE... of tests as one source: compiled together, they take half of the time. What each has in its unnamed
# namespace, which is all of it, is in a namespace of the file's own too, so that two may call theirs the same.
#
#   test/one_source.sh FILE...
set -euo pipefail
for file in "$@"; do
  printf '#line 1 "%s"\n' "$file"
  sed "s|^namespace {\$|namespace of_${file//[^a-zA-Z0-9]/_} { namespace {|; s|^}  // namespace\$|} }|" "$file"
done
