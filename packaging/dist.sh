#!/usr/bin/env bash
# Source archives of the current commit, as PGXN takes them: build/dist/dpmix-VERSION.{zip,tar.gz}; and META.json in the
# form of PGXN's next specification, build/dist/META.v2.json.
# Refuses a tree with changes, and files that do not agree on the version.
set -euo pipefail
cd "$(dirname "$0")/.."
refuse() { echo "dist: $1" >&2; exit 1; }

version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)
papers=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix_papers.control)
dated='\([0-9]{4}-[0-9]{2}-[0-9]{2}\)'
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || refuse "dpmix.control has no default_version"
grep -qE "^EXTVERSION *= *${version//./\\.}$" Makefile || refuse "EXTVERSION in Makefile is not $version"
[ "$papers" = "$version" ] || refuse "dpmix_papers.control has another version"
[ "$(grep -cF "\"version\": \"$version\"" META.json)" = 3 ] ||
  refuse "META.json does not give $version as the version of the distribution and of its extensions"
grep -qF "/dpmix--$version.sql\"" META.json || refuse "META.json names the script of another version"
grep -m 1 '^## ' CHANGELOG.md | grep -qE "^## ${version//./\\.} $dated\$" ||
  refuse "CHANGELOG.md does not begin with a dated heading of $version"
grep -qF "version = \"$version\"" clients/python/pyproject.toml || refuse "clients/python has another version"
grep -qF "version: \"$version\"" clients/dbt_dpmix/dbt_project.yml || refuse "clients/dbt_dpmix has another version"
if [ -e debian/changelog ]; then
  sed 1q debian/changelog | grep -qE "^dpmix \(${version//./\\.}(-[^)]*)?\) " ||
    refuse "debian/changelog does not begin with $version"
fi
[ -e "src/sql/released/dpmix--$version.sql" ] || refuse "the install script of $version is not frozen: packaging/frozen.sh freeze"
packaging/frozen.sh >/dev/null || refuse "the install script of $version is not the frozen one"
[ -z "$(git status --porcelain)" ] || refuse "the tree has changes: commit them first"

mkdir -p build/dist
for format in tar.gz zip; do
  git archive --format="$format" --prefix="dpmix-$version/" -o "build/dist/dpmix-$version.$format" HEAD
  echo "build/dist/dpmix-$version.$format"
done
packaging/meta_v2.py >build/dist/META.v2.json
echo build/dist/META.v2.json
