#!/usr/bin/env bash
# Run by hand, as root: builds and tests the tree on another release of Debian, as an ordinary fresh
# machine would, in a folder made by debootstrap.
#   packaging/debian.sh SUITE                      make test
#   packaging/debian.sh SUITE command...           any other command, in a fresh copy of the tree
#   packaging/debian.sh SUITE --again command...   in the copy that is there, brought up to date
# SUITE: bookworm (PostgreSQL 15), trixie (17), forky (18). The folder /tmp/dpmix-SUITE is kept, and
# so is the compiler's cache /tmp/ccache-SUITE.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/debian_lib.sh
suite=${1:?usage: packaging/debian.sh SUITE [command...]}
shift
fresh=1
[ "${1:-}" != --again ] || { fresh=0; shift; }
[ $# -gt 0 ] || set -- make test

root=/tmp/dpmix-$suite
debian_folder "$suite" "$root"
[ "$fresh" -eq 0 ] || rm -rf "$root/dpmix"
debian_copy_tree "$root/dpmix"
DEBIAN_CCACHE=/tmp/ccache-$suite in_debian "$root" bash -c '
  set -eu
  command -v ccache >/dev/null || { apt-get update -qq; apt-get install -y -qq --no-install-recommends ccache >/dev/null; }
  cd /dpmix
  packaging/packages.sh
  exec "$@"' debian "$@"
