#!/usr/bin/env bash
# PostgreSQL's source of a version, as Debian's archive has it: prints the folder, below build/postgresql. Without such
# an archive it says so, and fails. Nothing of the machine's own package lists is changed.
#
#   packaging/postgres_source.sh [VERSION]     15: that of the newest server here
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:-$(ls -d /usr/lib/postgresql/* | sort -V | tail -n 1 | xargs basename)}
folder=$PWD/build/postgresql/$version
if [ ! -e "$folder/configure" ]; then
  rm -rf "$folder"
  mkdir -p "$folder" build/postgresql/lists/partial build/postgresql/cache/archives/partial
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  echo "deb-src http://deb.debian.org/debian $suite main" >build/postgresql/sources.list
  own=(-o "Dir::Etc::sourcelist=$PWD/build/postgresql/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$PWD/build/postgresql/lists" -o "Dir::Cache=$PWD/build/postgresql/cache")
  (cd build/postgresql && apt-get "${own[@]}" -qq update && apt-get "${own[@]}" -qq source --download-only "postgresql-$version") \
    >build/postgresql/log 2>&1 || { echo "no archive here has the source of PostgreSQL $version" >&2; exit 1; }
  tar -xf build/postgresql/postgresql-"$version"_*.orig.tar.* -C "$folder" --strip-components=1
fi
echo "$folder"
