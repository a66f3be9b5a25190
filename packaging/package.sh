#!/usr/bin/env bash
# Run by hand, as root: builds the Debian package in a folder made by debootstrap, and installs, uses,
# purges and installs it again in a fresh one.
#   packaging/package.sh [SUITE]     SUITE: bookworm (PostgreSQL 15), trixie (17), forky (18)
# Packages and lintian's report are left in build/debian/SUITE. DEB_BUILD_OPTIONS=nocheck leaves out
# pg_regress, which the build runs otherwise. Folders: /tmp/dpmix-SUITE-base, -build and -fresh.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/debian_lib.sh
suite=${1:-bookworm}
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)
base=/tmp/dpmix-$suite-base build=/tmp/dpmix-$suite-build fresh=/tmp/dpmix-$suite-fresh
out=build/debian/$suite
mkdir -p "$out"

debian_folder "$suite" "$base"
[ -d "$build" ] || cp -a "$base" "$build"
debian_folder "$suite" "$build"
rm -rf "$build/package" "$fresh"
debian_copy_tree "$build/package/dpmix-$version"
tar --create --gzip --directory="$build/package" --exclude="dpmix-$version/debian" \
  --file="$build/package/dpmix_$version.orig.tar.gz" "dpmix-$version"
echo "== the package is built"
DEBIAN_CCACHE=/tmp/ccache-$suite in_debian "$build" bash -c '
  set -eu
  export DEB_BUILD_OPTIONS="$2"
  apt-get update -qq
  apt-get upgrade -y -qq >/dev/null
  command -v lintian >/dev/null || { apt-get install -y -qq --no-install-recommends ccache debhelper dpkg-dev fakeroot lintian postgresql-server-dev-all >/dev/null; }
  cd "/package/dpmix-$1"
  # The versions of PostgreSQL that this release of Debian has.
  pg_buildext updatecontrol
  apt-get build-dep -y -qq ./ >/dev/null
  dpkg-buildpackage -us -uc
  cd ..
  lintian --fail-on error --info --display-info *.changes
' package "$version" "${DEB_BUILD_OPTIONS:-}" >"$out/build.log" 2>&1 ||
  { tail -n 40 "$out/build.log"; exit 1; }
for file in "$build"/package/*.*; do [ ! -f "$file" ] || cp "$file" "$out"; done
ls "$out"

echo "== it is installed, used, purged and installed again"
cp -a "$base" "$fresh"
mkdir "$fresh/package"
cp "$out"/postgresql-*-dpmix_*.deb packaging/package_life.sh packaging/package_use.sh "$fresh/package"
in_debian "$fresh" bash /package/package_life.sh | tee "$out/life.log"
! grep -q '^not ok' "$out/life.log"
