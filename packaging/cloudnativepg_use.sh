#!/usr/bin/env bash
# Inside a fresh Debian (packaging/cloudnativepg.sh): its PostgreSQL, and dpmix in a folder of its own, mounted
# read-only. Prints "ok - ..." or "not ok - ...".
set -euo pipefail
major=$1
. /package/package_use.sh
sql() { runuser -u postgres -- psql -XqAt -v VERBOSITY=verbose -d shop -c "SET client_min_messages = error" -c "$1" 2>&1 || true; }
quietly() { "$@" >/tmp/quietly.log 2>&1 </dev/null || { cat /tmp/quietly.log; return 1; }; }
quietly apt-get update
quietly apt-get install -y --no-install-recommends "postgresql-$major"
mount --bind /volume/rootfs /extensions/dpmix
mount -o remount,bind,ro /extensions/dpmix
check "the server has nothing of dpmix" "" "$(find "/usr/lib/postgresql" /usr/share/postgresql -name '*dpmix*')"

libraries() { ldd "$@" | awk '/=>/ { print $1 }' | sort -u; }
needed=$(comm -13 <(libraries "/usr/lib/postgresql/$major/bin/postgres") <(libraries /extensions/dpmix/lib/dpmix.so))
check "no library has to come along that the server does not load" "" "$needed"

set_to() { quietly pg_conftool "$major" main set "$1" "$2"; }
set_to extension_control_path '$system:/extensions/dpmix/share'
set_to dynamic_library_path '$libdir:/extensions/dpmix/lib'
set_to shared_preload_libraries dpmix
set_to max_worker_processes 24
quietly pg_ctlcluster "$major" main start
runuser -u postgres -- createdb shop
make_people
use
server=$(head -n 1 "/var/lib/postgresql/$major/main/postmaster.pid")
check "the library is that of the folder" /extensions/dpmix/lib/dpmix.so "$(awk '/dpmix.so/ { print $6; exit }' "/proc/$server/maps")"
sql "SELECT dpmix.expose('people', default_epsilon => 0.5)" >/dev/null
check "plain SQL" t "$(sql "SET ROLE ana; SELECT count(*) > 900 FROM private.people")"
check "the second extension" "" "$(sql "CREATE EXTENSION dpmix_papers")"
check_match "and its functions" "^[0-9]+$" "$(sql "SELECT count(*) FROM pg_proc WHERE pronamespace = 'dpmix_papers'::regnamespace")"
quietly pg_ctlcluster "$major" main restart
check "after a restart the charges are there" 2 "$(sql "SELECT count(*) FROM dpmix.charge")"
quietly pg_ctlcluster "$major" main stop
