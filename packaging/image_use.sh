#!/usr/bin/env bash
# packaging/image.sh calls it, as root: starts an unpacked image as a runtime would (its arguments, environment, user
# and folder; processes, mounts and network of its own), and asks. Prints "ok - ..." or "not ok - ...".
#   packaging/image_use.sh FOLDER     of rootfs and config.json
set -euo pipefail
cd "$(dirname "$0")"
[ -n "${INSIDE:-}" ] || INSIDE=1 exec unshare --mount --pid --net --fork --kill-child ./image_use.sh "$@"
. ./package_use.sh
rootfs=$1/rootfs
mount -t proc proc "$rootfs/proc"
mount --rbind /dev "$rootfs/dev"
mount -t tmpfs tmpfs "$rootfs/dev/shm"
ip link set lo up
process() { python3 -c 'import json, sys; p = json.load(open(sys.argv[1]))["process"]; print(*eval(sys.argv[2]), sep="\n")' "$1/config.json" "$2"; }
mapfile -t environment < <(process "$1" 'p["env"]')
mapfile -t arguments < <(process "$1" 'p["args"]')
read -r user group folder < <(process "$1" '[str(p["user"]["uid"]) + " " + str(p["user"]["gid"]) + " " + p["cwd"]]')
become() {  # [VARIABLE=value...] command...
  exec env -i "${environment[@]}" /usr/sbin/chroot --userspec="$user:$group" --groups="$group" "$rootfs" \
    sh -c 'cd "$1"; shift; exec env "$@"' become "$folder" "$@"
}
contained() { (become "$@"); }
sql() { contained psql -XqAt -v VERBOSITY=verbose -d shop -c "SET client_min_messages = error" -c "$1" 2>&1 || true; }
over_network() { contained PGPASSWORD="$1" psql -XqAt -h 127.0.0.1 -U postgres -c "SELECT 'in'" 2>&1 || true; }
begin() {  # [VARIABLE=value...]
  become "$@" "${arguments[@]}" >"$log" 2>&1 &
  server=$!
  for _ in $(seq 300); do
    contained pg_isready -q && return 0
    kill -0 "$server" 2>/dev/null || break
    sleep .2
  done
  echo "not ok - it starts"
  cat "$log"
  exit 1
}
end() { kill -INT "$server"; wait "$server" || true; }
log=$1/server.log

check "the server is not root's" t "$([ "$user" -ne 0 ] && echo t)"
check "no key, list or log of the machine that built it is in it" "" \
  "$(cd "$rootfs" && find etc/ssl/private etc/machine-id etc/resolv.conf var/lib/apt/lists var/log -type f 2>/dev/null)"
begin POSTGRES_PASSWORD=plugh-2734
check "dpmix is preloaded" dpmix "$(contained psql -XqAtc "SHOW shared_preload_libraries")"
check "pages have checksums" on "$(contained psql -XqAtc "SHOW data_checksums")"
contained createdb shop
make_people
use
check "the password opens it" in "$(over_network plugh-2734)"
check_match "another does not" "password authentication failed" "$(over_network wrong)"
check "it is nowhere in the container" "" "$(grep -rlas plugh-2734 "$rootfs/var" "$rootfs/run" "$rootfs/tmp" || true)"
end
check "SIGINT ends it in order" 1 "$(grep -c 'database system is shut down' "$log")"

begin POSTGRES_PASSWORD=another
check "with the same volume it goes on: the charge is there" "ana|1" "$(sql "SELECT role, epsilon FROM dpmix.charge")"
check "and the answers" t "$(sql "SET ROLE ana; SELECT n > 0 FROM dpmix.query('SELECT dp_count(*) FROM people', 0.5, 1e-7) AS t(n bigint)")"
check "the password is that of the first start" in "$(over_network plugh-2734)"
end

# Without a password, in another volume.
rm -rf "$rootfs/var/lib/postgresql"/*
begin
check_match "no password: nobody gets in by network" "Connection refused" "$(over_network plugh-2734)"
check "but by the socket" in "$(contained psql -XqAtc "SELECT 'in'")"
end
