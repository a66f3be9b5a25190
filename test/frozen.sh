#!/usr/bin/env bash
# The install script of a version is frozen: databases that have it are upgraded, not reinstalled. A
# change of SQL objects bumps EXTVERSION and adds src/sql/upgrade/dpmix--OLD--NEW.sql.
#   test/frozen.sh           fails when the pieces no longer make the frozen script
#   test/frozen.sh freeze    freezes the script of a new version
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)
frozen=src/sql/released/dpmix--$version.sql
if [ "${1:-}" = freeze ]; then
  [ ! -e "$frozen" ] || { echo "frozen: $frozen exists; bump the version" >&2; exit 1; }
  cat src/sql/*.sql >"$frozen"
  exit
fi
[ -e "$frozen" ] || { echo "frozen: version $version is not frozen yet (test/frozen.sh freeze)" >&2; exit 1; }
cat src/sql/*.sql | diff -u "$frozen" - || {
  echo "frozen: src/sql no longer makes $frozen; bump the version and write an upgrade script" >&2
  exit 1
}
