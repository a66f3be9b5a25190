#!/usr/bin/env bash
# The install script of a released version is frozen: databases that have it are upgraded, not reinstalled.
#   packaging/frozen.sh           fails if this version is frozen and the pieces no longer make its script
#   packaging/frozen.sh freeze    freezes the script of this version, for its release
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)
frozen=src/sql/released/dpmix--$version.sql
papers=src/sql/released/dpmix_papers--$version.sql
if [ "${1:-}" = freeze ]; then
  [ ! -e "$frozen" ] || { echo "frozen: $frozen exists; bump the version" >&2; exit 1; }
  mkdir -p "$(dirname "$frozen")"
  cat src/sql/*.sql >"$frozen"
  cp src/sql/papers/dpmix_papers.sql "$papers"
elif [ -e "$frozen" ]; then
  cat src/sql/*.sql | diff -u "$frozen" - || {
    echo "frozen: src/sql no longer makes $frozen; bump the version and write an upgrade script" >&2
    exit 1
  }
  diff -u "$papers" src/sql/papers/dpmix_papers.sql || {
    echo "frozen: src/sql/papers no longer makes $papers; bump the version and write an upgrade script" >&2
    exit 1
  }
fi
