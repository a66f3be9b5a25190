#!/usr/bin/env bash
# Run by hand, as root: builds the Debian package in a folder made by debootstrap; installs, uses, purges and installs
# it again in a fresh one; and runs its own tests (debian/tests) by autopkgtest in another.
#   packaging/package.sh [SUITE]     SUITE: bookworm (PostgreSQL 15), trixie (17), forky (18)
# Packages and lintian's report are left in build/debian/SUITE (debian_package in debian_lib.sh).
# Folders: /tmp/dpmix-SUITE-base, -build and -fresh.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/debian_lib.sh
suite=${1:-bookworm}
base=/tmp/dpmix-$suite-base fresh=/tmp/dpmix-$suite-fresh
out=build/debian/$suite
fresh_debian() {  # file...: they are in /package
  rm -rf "$fresh"
  cp -a "$base" "$fresh"
  mkdir "$fresh/package"
  cp "$@" "$fresh/package"
}

echo "== the package is built"
debian_package "$suite"
ls "$out"

echo "== it is installed, used, purged and installed again"
fresh_debian "$out"/postgresql-*-dpmix_*.deb packaging/package_life.sh packaging/package_use.sh
in_debian "$fresh" bash /package/package_life.sh | tee "$out/life.log"
if grep '^not ok' "$out/life.log"; then exit 1; fi

echo "== its own tests"
fresh_debian "$out"/dpmix_* "$out"/postgresql-*-dpmix_*.deb
in_debian "$fresh" bash -c '
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends autopkgtest >/dev/null 2>&1
  autopkgtest --output-dir /tests /package/*.deb /package/*.dsc -- null
' >"$out/autopkgtest.log" 2>&1 || { tail -n 40 "$out/autopkgtest.log"; exit 1; }
cat "$fresh/tests/summary"
