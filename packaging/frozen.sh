#!/usr/bin/env bash
# The install script of a released version is frozen: databases that have it are upgraded, not reinstalled.
#   packaging/frozen.sh           fails if this version is frozen and the pieces no longer make its script, or if the
#                                 upgrade script from the version before is not what `upgrade` makes
#   packaging/frozen.sh freeze    freezes the script of this version, for its release
#   packaging/frozen.sh upgrade   makes src/sql/upgrade/dpmix--OLD--NEW.sql, from the last frozen version to this one:
#                                 of both scripts, and of what src/sql/upgrade/OLD--NEW.sql says by hand (upgrade.py);
#                                 and that of dpmix_papers, with src/sql/upgrade/papers_OLD--NEW.sql
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)
frozen=src/sql/released/dpmix--$version.sql
papers=src/sql/released/dpmix_papers--$version.sql
before=$(find src/sql/released -name 'dpmix--*.sql' 2>/dev/null | sed 's/.*dpmix--\(.*\)\.sql/\1/' | grep -vxF "$version" |
  sort -V | tail -n 1 || true)
made() {  # extension: its script from the version before
  local by_hand=src/sql/upgrade/$before--$version.sql pieces=(src/sql/*.sql)
  [ "$1" = dpmix ] || { by_hand=src/sql/upgrade/papers_$before--$version.sql; pieces=(src/sql/papers/*.sql); }
  [ -e "$by_hand" ] || by_hand=
  cat "${pieces[@]}" | packaging/upgrade.py "src/sql/released/$1--$before.sql" /dev/stdin ${by_hand:+"$by_hand"}
}
script() { echo "src/sql/upgrade/$1--$before--$version.sql"; }

case ${1:-check} in
freeze)
  [ ! -e "$frozen" ] || { echo "frozen: $frozen exists; bump the version" >&2; exit 1; }
  mkdir -p "$(dirname "$frozen")"
  cat src/sql/*.sql >"$frozen"
  cp src/sql/papers/dpmix_papers.sql "$papers" ;;
upgrade)
  [ -n "$before" ] || { echo "frozen: there is no version before $version" >&2; exit 1; }
  mkdir -p src/sql/upgrade
  for extension in dpmix dpmix_papers; do
    made $extension >"$(script $extension).made"
    mv "$(script $extension).made" "$(script $extension)"
  done ;;
check)
  if [ -e "$frozen" ]; then
    cat src/sql/*.sql | diff -u "$frozen" - || {
      echo "frozen: src/sql no longer makes $frozen; bump the version, then packaging/frozen.sh upgrade" >&2
      exit 1
    }
    diff -u "$papers" src/sql/papers/dpmix_papers.sql || {
      echo "frozen: src/sql/papers no longer makes $papers; bump the version and write an upgrade script" >&2
      exit 1
    }
  fi
  if [ -n "$before" ]; then
    for extension in dpmix dpmix_papers; do
      made $extension | diff -uN "$(script $extension)" - || {
        echo "frozen: $(script $extension) is not that of now: packaging/frozen.sh upgrade" >&2
        exit 1
      }
    done
  fi ;;
esac
