#!/usr/bin/env bash
# An observer that does not know the attacks. It takes all numbers that PostgreSQL shows a role, before, during and
# after a release, what is in shared buffers, and with how much memory there is an answer, in worlds whose protected
# rows differ while all that is public is equal (worlds.sql, observer.sql). Which world it was must explain none of them
# (worlds.py), under any setting (kinds.sh). A control leaks in each way that is known, and all of these must be found.
#
# Each triple of runs is of worlds A, B and A again, in a random order, each from a copy of the same data folder. What
# looks like a finding in the first triples is confirmed by others, with a false-alarm rate below 1e-9.
# DPMIX_SOAK=1: all kinds of releases under all settings; otherwise some. OBSERVED="control.ana.empty.serial
# median.ana.full.leaderless2": these. DPMIX_TREE: lib.sh.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
here=test/server/silence

. $here/kinds.sh
. $here/observing.sh
kinds=($(printf '%s\n' ${OBSERVED:-${kinds[@]} ${controls[@]}} | sort -s -t . -k 4))  # a setting's together

# --- Worlds: folders that are copied. ---
shutdown() { as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m "$1" -w stop >/dev/null 2>&1 || true; }
# In the order of names: how large a folder itself is depends on the order in which its files were made, and
# pg_tablespace_size counts it.
become() {  # world: its data folder, as it was when it was filled
  shutdown immediate
  rm -rf "$CLUSTER/data"
  as_server mkdir -m 700 "$CLUSTER/data"
  as_server tar -C "$CLUSTER/world.$1" --sort=name -cf - . | as_server tar -C "$CLUSTER/data" -xpf -
}
keep() { shutdown fast; rm -rf "$CLUSTER/world.$1"; as_server cp -a "$CLUSTER/data" "$CLUSTER/world.$1"; }
make_worlds() {
  local world role
  pushd "${DPMIX_TREE:-.}" >/dev/null
  cluster_start "autovacuum = off" "bgwriter_lru_maxpages = 0" "checkpoint_timeout = 1d" "wal_writer_delay = 10s" "fsync = off" \
    "shared_buffers = 8MB" "max_worker_processes = 32" "dpmix.release_idle_timeout = '1d'" "dpmix.ledger_idle_timeout = '1d'"
  popd >/dev/null
  sql "CREATE EXTENSION dpmix" >/dev/null
  psql -X -q -v empty=1 -f $here/worlds.sql
  psql -X -q -f $here/observer.sql
  for role in ana mona sam; do psql -X -q -U $role -c "SELECT watch.list()" >/dev/null; done
  make_tower
  keep empty
  for world in 0 1; do
    become empty
    cluster_up
    psql -X -q -v empty=0 -v world=$world -f $here/worlds.sql
    settle
    shutdown fast
    rm -f "$CLUSTER/data/pg_stat/"*  # what was counted so far
    find "$CLUSTER/data" -name pg_internal.init -delete
    as_server "$BIN/pg_resetwal" -l 000000010000000000000020 -x 10000 -o 100000 -D "$CLUSTER/data" >/dev/null
    as_server cp -a "$CLUSTER/data" "$CLUSTER/world.$world"
  done
}

# Worlds that differ before anybody asked (a catalog of another size, made on a busy machine) are made again.
sizes() { (cd "$CLUSTER/world.$1/base" && find . -type f -printf '%P %s\n' | sort); }
for attempt in 1 2 3 4 5; do
  make_worlds
  if [ "$(sizes 0)" = "$(sizes 1)" ] || [ $attempt = 5 ]; then
    for number in 1 2 3; do triple $number "${kinds[@]}"; done
    python3 $here/worlds.py screen "$CLUSTER/seen" 1,2,3 "${kinds[0]}" >"$CLUSTER/suspects"
    [ $attempt -lt 5 ] && grep -q ^unequal "$CLUSTER/suspects" || break
  fi
  cluster_stop
done

check "the worlds agree in what is public" "" "$(grep ^unequal "$CLUSTER/suspects" | head -n 5 | cut -f 3)"

for kind in "${kinds[@]}"; do
  [[ $kind != remembered.* ]] || check_match "$kind: the second answer is from memory, both where others paid" '^([12]) \1$' \
    "$(for world in A B; do grep -c 'answered from memory' "$CLUSTER/seen/1/$world/$kind"; done | paste -sd' ')"
done

judge
