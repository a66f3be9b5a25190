#!/usr/bin/env bash
# Inside a fresh Debian (packaging/apt_repo_test.sh): the repository in /srv/dpmix is added, installed from, and used.
# Prints "ok - ..." or "not ok - ...".
set -euo pipefail
suite=$1
case $suite in bookworm) major=15 ;; trixie) major=17 ;; forky) major=18 ;; esac
package=postgresql-$major-dpmix
. /root/package_use.sh
. /root/tutorial.sh
quietly() { "$@" >/tmp/quietly.log 2>&1 </dev/null || { cat /tmp/quietly.log; return 1; }; }
source_of() { echo "deb $1 file:/srv/dpmix $suite main" >/etc/apt/sources.list.d/dpmix-archive.list; }
absent() { for tool in "$@"; do ! command -v "$tool" || return 1; done; }

check "neither PostgreSQL nor a compiler is here" "" "$(absent psql pg_ctlcluster cc c++ gcc g++ make)"
source_of ""
check_match "apt does not take the repository as it is" "not signed|NO_PUBKEY|couldn't be verified|OpenPGP signature verification failed" "$(apt-get update 2>&1 || true)"
if [ -e /srv/dpmix/dpmix-archive.asc ]; then
  mkdir -p /etc/apt/keyrings
  cp /srv/dpmix/dpmix-archive.asc /etc/apt/keyrings
  trust="[signed-by=/etc/apt/keyrings/dpmix-archive.asc]"
else
  trust="[trusted=yes]"
fi
source_of "$trust"
quietly apt-get update && echo "ok - it takes it with $trust"
check_match "and knows the package" "file:/srv/dpmix $suite/main" "$(apt-cache policy "$package")"

# What was changed on the way is not installed.
deb=$(echo "/srv/dpmix/pool/$suite/${package}"_*.deb)
cp "$deb" /root/as_it_was.deb
echo changed >>"$deb"
check_match "a package that was changed is refused" "Hash Sum mismatch|unexpected size" "$(apt-get install -y "$package" 2>&1 </dev/null || true)"
cp /root/as_it_was.deb "$deb"

quietly apt-get install -y --no-install-recommends "$package" && echo "ok - apt-get install $package"
check "no compiler came along" "" "$(absent cc c++ gcc g++ make)"
# Called for real, with the installed server's own cluster.
sql() { runuser -u postgres -- psql -XqAt -v VERBOSITY=verbose -d shop -c "SET client_min_messages = error" -c "$1" 2>&1 || true; }
quietly pg_conftool "$major" main set shared_preload_libraries dpmix
quietly pg_conftool "$major" main set max_worker_processes 24
quietly pg_ctlcluster "$major" main start
runuser -u postgres -- createdb shop
make_people
use
quietly pg_ctlcluster "$major" main stop

folder=$(runuser -u postgres -- mktemp -d)
page=$(find "/usr/share/doc/$package" -name 'tutorial.md*')
zcat -f "$page" | tutorial_statements >"$folder/pieces.sql"
(cd "$folder" && runuser -u postgres -- "/usr/share/doc/$package/examples/play_installed.sh" <pieces.sql >out 2>err) || true
tutorial_checks "$folder"
check "nothing is left of the throwaway cluster" "" "$(grep -lx postgres /proc/[0-9]*/comm || true)"
