#!/usr/bin/env bash
# Run by hand, as root: a machine of its own, made by debootstrap, with nothing of ours and no compiler, installs from
# the repository in build/apt, and a reader goes through the tutorial there.
#   packaging/apt_repo_test.sh [SUITE]     SUITE: one that packaging/apt_repo.sh put there
# Folders: /tmp/dpmix-SUITE-base, and -outsider, which is made for it.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/debian_lib.sh
suite=${1:-bookworm}
base=/tmp/dpmix-$suite-base outsider=/tmp/dpmix-$suite-outsider
[ -e "build/apt/dists/$suite" ] || { echo "apt_repo_test: first packaging/apt_repo.sh $suite" >&2; exit 1; }
debian_folder "$suite" "$base"
rm -rf "$outsider"
cp -a "$base" "$outsider"
cp -r build/apt "$outsider/srv/dpmix"
cp packaging/apt_repo_use.sh packaging/package_use.sh test/server/lib/tutorial.sh "$outsider/root"
log=build/apt/$suite.log
in_debian "$outsider" bash /root/apt_repo_use.sh "$suite" | tee "$log"
! grep -q '^not ok' "$log"
