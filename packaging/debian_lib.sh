# Sourced: folders with a Debian of their own, made by debootstrap, entered by chroot. Needs root.
#   debian_folder SUITE FOLDER     a minimal Debian, made once
#   debian_copy_tree FOLDER        this tree's files as they are, without what was built
#   in_debian FOLDER command...    runs there as root, in the environment of a new login; DEBIAN_CCACHE
#                                  is a folder of the host to keep the compiler's cache in
# A command has mounts and processes of its own: both are gone with it, however it ends.

debian_folder() {
  local suite=$1 folder=$2 made=$2.part mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
  if [ ! -e "$folder/etc/debian_version" ]; then
    command -v debootstrap >/dev/null || { echo "install debootstrap" >&2; return 1; }
    echo "Making $folder"
    rm -rf "$made"
    # Debian 12's debootstrap does not know later releases by name: all are made as sid is.
    debootstrap --variant=minbase --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$suite" "$made" \
      "$mirror" /usr/share/debootstrap/scripts/sid >"$folder.log" 2>&1 ||
      { tail -n 30 "$folder.log" >&2; return 1; }
    mv "$made" "$folder"
  fi
  # As an ordinary machine has it: with its updates, of which testing has none.
  {
    echo "deb $mirror $suite main"
    case $suite in forky | sid) ;; *)
      echo "deb $mirror $suite-updates main"
      echo "deb ${mirror}-security $suite-security main" ;;
    esac
  } >"$folder/etc/apt/sources.list"
  # Nothing starts as it is installed: ports and shared memory are the host's.
  printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
  chmod 755 "$folder/usr/sbin/policy-rc.d"
  cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
  # Proxies, and mirrors that stand still.
  apt-config dump | grep -E '^Acquire::(Check-|https?::|Retries)' >"$folder/etc/apt/apt.conf.d/90host" || true
}

debian_copy_tree() {
  mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard --deduplicate |
    while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
    tar --create --null --files-from=- | tar --extract --directory="$1" --no-same-owner
}

in_debian() {
  local folder=$1
  shift
  mkdir -p "$folder/var/cache/ccache"
  [ -z "${DEBIAN_CCACHE:-}" ] || mkdir -p "$DEBIAN_CCACHE"
  env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/lib/ccache:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    CCACHE_DIR=/var/cache/ccache CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 \
    DEBIAN_CCACHE="${DEBIAN_CCACHE:-}" \
    unshare --mount --pid --fork --kill-child bash -c '
      set -eu
      mount -t proc proc "$1/proc"
      mount --rbind /dev "$1/dev"
      mount -t tmpfs tmpfs "$1/dev/shm"
      [ -z "$DEBIAN_CCACHE" ] || mount --bind "$DEBIAN_CCACHE" "$1/var/cache/ccache"
      exec chroot "$@"' in_debian "$folder" "$@"
}

# debian_package SUITE: this tree's packages in build/debian/SUITE, with bills of materials (sbom.py), and lintian's
# report in build.log. Nothing is built where they are of these very files. DEB_BUILD_OPTIONS=nocheck leaves out
# pg_regress, which the build runs otherwise. Folders: /tmp/dpmix-SUITE-base, a minimal Debian, and -build.
debian_package() {
  local suite=$1 base=/tmp/dpmix-$1-base build=/tmp/dpmix-$1-build out=build/debian/$1 version tree file
  version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)
  debian_folder "$suite" "$base"
  [ -d "$build" ] || cp -a "$base" "$build"
  debian_folder "$suite" "$build"
  rm -rf "$build/package"
  debian_copy_tree "$build/package/dpmix-$version"
  tree=$(cd "$build/package/dpmix-$version" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  [ ! -e "$out/tree" ] || [ "$tree" != "$(cat "$out/tree")" ] || return 0
  rm -rf "$out"
  mkdir -p "$out"
  tar --create --gzip --directory="$build/package" --exclude="dpmix-$version/debian" \
    --file="$build/package/dpmix_$version.orig.tar.gz" "dpmix-$version"
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
    { tail -n 40 "$out/build.log" >&2; return 1; }
  for file in "$build"/package/*.*; do [ ! -f "$file" ] || cp "$file" "$out"; done
  for file in "$out"/postgresql-*-dpmix_*.deb; do
    packaging/sbom.py "$file" "$out"/dpmix_*.buildinfo >"${file%.deb}.cdx.json"
  done
  echo "$tree" >"$out/tree"
}
