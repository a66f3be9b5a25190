#!/usr/bin/env bash
# Calibrations shared by sessions: found under their own key only, right, bounded in number, never
# of another build of the library, and not needed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/noise/calibration_lib.sh
cluster_start
calibration_probe postgres

# Nothing is there before something was put in; zeros are no key.
check "an empty cache answers nothing" "" "$(sql "SELECT shared_calibration('gaussian', 0, 0, 0)")"
check_match "nor does it accept zeros" "PV005" "$(sql "SELECT dpmix.calibrate('gaussian', 0, 0, 0)" || true)"
check "what was refused is not kept" "" "$(sql "SELECT shared_calibration('gaussian', 0, 0, 0)")"

# One session calibrates, another finds the very same scale, under the very same key.
scale=$(sql "SELECT (dpmix.calibrate('multi_gaussian', 2, 0.01, 3, 10)).scale")
check "another session finds it" "$scale" "$(sql "SELECT shared_calibration('multi_gaussian', 2, 0.01, 3, 10)")"
while IFS= read -r other; do
  check "not under ($other)" "" "$(sql "SELECT shared_calibration($other)")"
done <<'KEYS'
'gaussian', 2, 0.01, 3, 10
'multi_gaussian', 2.0000000000000004, 0.01, 3, 10
'multi_gaussian', 2, 0.010000000000000002, 3, 10
'multi_gaussian', 2, 0.01, 3.0000000000000004, 10
'multi_gaussian', 2, 0.01, 3, 11
'multi_gaussian', 2, 0.01, 3, 0
'multi_gaussian', 2, 0.01, 3, 10, true
KEYS
check "another database finds it too" "$scale" "$(
  sql "CREATE DATABASE other" >/dev/null
  calibration_probe other
  sql "SELECT shared_calibration('multi_gaussian', 2, 0.01, 3, 10)" other)"
check "a query's own, on its lattice" "t" "$(
  sql "CREATE TABLE t (x int); SELECT dpmix.protect('t', 9, 1e-3);
       " >/dev/null
  sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM t', 1, 0, 'laplace') AS t(n bigint)" >/dev/null
  sql "SELECT shared_calibration('laplace', 1, 0, 1, 0, true) = 1")"

# Sessions that write over each other: at most 128 stay, the newest, and each is right.
for worker in 1 2 3 4; do
  sql "SELECT count(dpmix.calibrate('laplace', e, 0, $worker)) FROM generate_series(1, 300) e" >/dev/null &
done
wait $(jobs -p)
check "there are as many as fit, all right" "128|t" "$(
  sql "SELECT count(s), bool_and(abs(s * e / w - 1) < 1e-15) FROM generate_series(1, 300) e, generate_series(1, 4) w, shared_calibration('laplace', e, 0, w) s")"
check "the oldest went" "" "$(sql "SELECT shared_calibration('multi_gaussian', 2, 0.01, 3, 10)")"
check "which is no harm" "$scale" "$(sql "SELECT (dpmix.calibrate('multi_gaussian', 2, 0.01, 3, 10)).scale")"

# Another build of the library, in the same running server.
lib=$("$BIN/pg_config" --pkglibdir)/dpmix.so
objcopy --dump-section .note.gnu.build-id="$CLUSTER/note" "$lib" "$CLUSTER/unchanged.so"
printf '\125\252' | dd of="$CLUSTER/note" bs=1 seek=16 conv=notrunc status=none  # the id's first bytes
objcopy --update-section .note.gnu.build-id="$CLUSTER/note" "$lib" "$CLUSTER/rebuilt.so"
install -m 755 "$lib" "$CLUSTER/first.so"
rm "$lib"
install -m 755 "$CLUSTER/rebuilt.so" "$lib"
check "another build finds nothing of the first" "" "$(sql "SELECT shared_calibration('multi_gaussian', 2, 0.01, 3, 10)")"
check "and keeps its own" "0.5" "$(sql "SELECT dpmix.calibrate('laplace', 8, 0, 4)" >/dev/null; sql "SELECT shared_calibration('laplace', 8, 0, 4)")"
rm "$lib"
install -m 755 "$CLUSTER/first.so" "$lib"
check "the first build's are still its own" "$scale|" "$(
  sql "SELECT shared_calibration('multi_gaussian', 2, 0.01, 3, 10), shared_calibration('laplace', 8, 0, 4)")"

# No shared memory left.
cluster_restart
sql "SELECT use_up_shared_memory()" >/dev/null
check "without shared memory a session has its own" "$scale|" "$(
  sql "SELECT (dpmix.calibrate('multi_gaussian', 2, 0.01, 3, 10)).scale, shared_calibration('multi_gaussian', 2, 0.01, 3, 10)")"
check "quickly the second time" "t" "$(sql "SELECT calibration_time('multi_gaussian', 1, 1e-5, 1, 1) > 100 * calibration_time('multi_gaussian', 1, 1e-5, 1, 1000)")"
check "nothing is said of it in the log" "" "$(grep -i "shared memory" "$CLUSTER/log" || true)"
check_match "and a cancel still works" "57014" "$(
  session <<<"SELECT dpmix.calibrate('laplace', 2); SET statement_timeout = '100ms'; SELECT count(*) FROM dpmix.noise('gaussian', 1, 1e-6, 1, 10000000);" || true)"

# Preloaded: the memory is asked for in time. PostgreSQL rounds all of it to pages of 8 kB.
cluster_restart
unused="SELECT (SELECT sum(allocated_size) FROM pg_shmem_allocations WHERE name IS NULL)"
before=$(sql "$unused")
echo "shared_preload_libraries = 'dpmix'" >>"$CLUSTER/data/postgresql.conf"
cluster_restart
after=$(sql "$unused")
check "preloading reserves the memory" "t" "$(sql "SELECT $after - $before BETWEEN 60000 AND 100000")"
sql "SELECT dpmix.calibrate('laplace', 8, 0, 4)" >/dev/null
check "which is what it takes" "t|t" "$(sql "SELECT shared_calibration('laplace', 8, 0, 4) = 0.5, ($unused) >= $before - 8192")"
