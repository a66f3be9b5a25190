#!/usr/bin/env bash
# An observer that does not know the attacks. It takes all numbers that PostgreSQL shows a role, before, during and
# after a release, in worlds whose protected rows differ while all that is public is equal (worlds.sql, observer.sql).
# Which world it was must explain none of them (worlds.py). A control, which reads rows in its caller's backend, must be
# found.
#
# Each triple of runs is of worlds A, B and A again, in a random order, each from a copy of the same data folder. What
# looks like a finding in the first triples is confirmed by others, with a false-alarm rate below 1e-9.
# DPMIX_SOAK=1: all kinds of releases, by a role with access and by a member of pg_monitor, with shared buffers emptied
# before and full; otherwise some. OBSERVED="control.ana.empty median.ana.full": these. DPMIX_TREE: lib.sh.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
here=test/server/silence

declare -A release
ask() { echo "SELECT FROM dpmix.query(\$\$ SELECT $1 \$\$, .01${2:+, $2}) AS t(n ${3:-bigint})"; }
among="ill AND region = 'r0'"
release[control]="SELECT watch.leaky()"
release[groups]="SELECT FROM dpmix.query(\$\$ SELECT region, dp_count(*), dp_sum(wage) FROM people WHERE ill GROUP BY region \$\$, .01) AS t(region text, n bigint, wage float8)"
release[long]=$(ask "dp_count(*) FROM people WHERE $among AND strpos(note, 'z') = 0")
release[distinct]=$(ask "dp_count_distinct(u) FROM people WHERE $among")
release[different]=$(ask "dp_count_distinct(note) FROM people WHERE $among")
release[median]=$(ask "dp_median(wage) FROM people WHERE $among" "" float8)
release[histogram]=$(ask "dp_histogram(wage, '{0,20,50,100}') FROM people WHERE $among" "" "bigint[]")
release[joined]=$(ask "dp_count(*) FROM people JOIN longs ON longs.id = people.k WHERE $among AND strpos(longs.long, 'z') <= people.k")
release[left_joined]=$(ask "dp_count(zone) FROM people LEFT JOIN short ON short.id = people.k WHERE $among")
release[units]=$(ask "dp_count(*) FROM visits WHERE $among")
release[units_in_groups]="SELECT FROM dpmix.query(\$\$ SELECT zone, dp_count(*), dp_sum(wage) FROM visits JOIN short ON short.id = visits.person WHERE $among GROUP BY zone \$\$, .01, max_groups => 1) AS t(zone text, n bigint, wage float8)"
release[two_tables]=$(ask "dp_sum(cost) FROM visits AS v JOIN buys AS b ON v.person = b.person WHERE v.ill AND v.region = 'r0'" "" float8)
release[json]="SELECT count(*) FROM dpmix.query_json(\$\$ SELECT region, dp_count(*) AS n, dp_avg(wage) AS wage FROM people WHERE ill GROUP BY region \$\$, .01)"
# A miss, whose answer is kept, and a hit.
pay="\$\$ SELECT dp_count(*) AS n, dp_sum(pay) AS s FROM pays WHERE sex = 'F' AND pay > 50 \$\$, .01"
release[remembered]="SELECT FROM dpmix.query($pay) AS a(n bigint, s float8), dpmix.query_json($pay) AS b"
release[discovered]="SELECT count(n) FROM dpmix.query('SELECT place, dp_count(*) FROM visits GROUP BY place', 50, 1e-6, keys => 'discover') AS t(place text, n bigint)"
release[gmm]="SELECT FROM dpmix.release_gmm('m' || txid_current(), 'public.pays', '{pay}', 1, 1e-6, label => 'sex')"
release[tree]="SELECT FROM dpmix.release_tree('t' || txid_current(), 'public.pays', '{pay}', 1, 1e-6, label => 'sex', bins => 'equal')"
release[regression]="SELECT FROM dpmix.release_regression('r' || txid_current(), 'public.pays', 'ln(pay + 1)', '{pay,pay^2}', 1, 1e-6, label => 'sex')"
release[copula]="SELECT count(pay) FROM dpmix.synthesize(NULL::pays, 1000, 1, 1e-6, columns => '{pay}', label => 'sex', method => 'copula')"
release[logistic]="SELECT FROM dpmix.release_regression('o' || txid_current(), 'public.pays', 'pay > 50', '{pay}', 1, 1e-6, 'logistic', label => 'sex')"
release[coordinate]="SELECT FROM dpmix.release_regression('d' || txid_current(), 'public.pays', 'pay > 50', '{pay}', 1, 1e-6, 'logistic', method => 'coordinate', passes => 2)"
release[logistic_of_units]="SELECT FROM dpmix.release_regression('u' || txid_current(), 'public.visits', 'wage > 50', '{ill,wage}', 1, 1e-6, 'logistic')"
release[coordinate_of_units]="SELECT FROM dpmix.release_regression('v' || txid_current(), 'public.visits', 'wage > 50', '{ill,wage}', 1, 1e-6, 'logistic', method => 'coordinate', passes => 2)"
release[cda]="SELECT count(pay) FROM dpmix.cda(NULL::pays, '{pay}', 'sex', 1000, 1, 1e-6)"
release[compared]="SELECT count(*) FROM dpmix.compare_private('pays', 'synthetic', 1, 1e-6, 'sex')"

# A kind of observation: release, role, what is in shared buffers.
kinds=(control.ana.empty groups.mona.full joined.ana.empty distinct.ana.empty units.ana.empty remembered.ana.empty)
if [ -n "${DPMIX_SOAK:-}" ]; then
  kinds=(control.ana.empty)
  for name in $(printf '%s\n' "${!release[@]}" | grep -v control | sort); do kinds+=("$name.ana.empty" "$name.mona.full"); done
fi
kinds=(${OBSERVED:-${kinds[@]}})

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
  local world
  pushd "${DPMIX_TREE:-.}" >/dev/null
  cluster_start "autovacuum = off" "bgwriter_lru_maxpages = 0" "checkpoint_timeout = 1d" "wal_writer_delay = 10s" "fsync = off" \
    "shared_buffers = 8MB" "max_parallel_workers_per_gather = 0" "dpmix.release_idle_timeout = '1d'" "dpmix.ledger_idle_timeout = '1d'"
  popd >/dev/null
  sql "CREATE EXTENSION dpmix" >/dev/null
  psql -X -q -v empty=1 -f $here/worlds.sql
  psql -X -q -f $here/observer.sql
  psql -X -q -U ana -c "SELECT watch.list()" >/dev/null
  psql -X -q -U mona -c "SELECT watch.list()" >/dev/null
  psql -X -q -c "CREATE DATABASE tower"  # from where a second session watches, and moves none of the counters here
  sed -n '/^-- What a second session/,/^END \$\$;/p' $here/observer.sql | psql -X -q -d tower -c "CREATE SCHEMA watch" -c "GRANT USAGE ON SCHEMA watch TO PUBLIC" -f -
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

# --- What is seen of one call. ---
statements() {  # what, role, condition
  echo "SELECT format('SELECT %L, (%s)', concat_ws(' ', '$1' || place, role, name), statement) FROM watch.statement WHERE role = '$2' AND $3 ORDER BY id \\gexec"
}
snapshot() { statements "$1 " "$2" "place <> 'probe'" | session_of "$2"; }
session_of() { psql -X -q -A -t -U "$1" -d "${2:-postgres}" 2>&1; }
observe() {  # kind
  local name role buffers
  IFS=. read -r name role buffers <<<"$1"
  echo "$evict" | session_of ana  # what the kind before left
  snapshot before "$role"
  echo "SET application_name = 'poll'; SELECT 'call during', watch.poll()" | session_of "$role" tower >"$CLUSTER/polled" &
  {
    echo "SET work_mem = '64kB';"
    [ "$buffers" = full ] || echo "$evict;"
    echo "DO 'BEGIN WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = ''poll'') LOOP PERFORM pg_stat_clear_snapshot(); END LOOP; END';"
    echo "${release[$name]} \\g $CLUSTER/answer"
    echo "SET application_name = 'over';"
    statements "call " "$role" "place = 'probe'"
    statements "call own-" "$role" "(place IN ('object', 'process') OR name ~ '^pg_(stat_xact|locks|cursors|prepared|backend|shmem|settings)')"
    echo "SELECT pg_stat_force_next_flush() \\g /dev/null"
  } | session_of "$role"
  wait $!
  cat "$CLUSTER/polled"
  snapshot after "$role"
}
triple() {  # number kinds...: each world once
  local world kind
  for world in $(shuf -e A B C); do
    become "$([ $world = B ] && echo 1 || echo 0)"
    cluster_up
    sql "SELECT dpmix.adopt_ledger('a copy')" >/dev/null
    mkdir -p "$CLUSTER/seen/$1/$world"
    for kind in "${@:2}"; do
      observe "$kind" >"$CLUSTER/seen/$1/$world/$kind"
      ! grep -m 1 -E '^(ERROR|FATAL|psql)' "$CLUSTER/seen/$1/$world/$kind" || echo "not ok - $kind: an error while it was observed"
    done
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
suspects() { grep -cF "$(printf '%s\t%s\t' "$1" "$2")" "$CLUSTER/suspects" || true; }

check "the worlds agree in what is public" "" "$(grep ^unequal "$CLUSTER/suspects" | head -n 5 | cut -f 3)"

for kind in "${kinds[@]}"; do
  [[ $kind != remembered.* ]] || check_match "$kind: the second answer is from memory, both where others paid" '^([12]) \1$' \
    "$(for world in A B; do grep -c 'answered from memory' "$CLUSTER/seen/1/$world/$kind"; done | paste -sd' ')"
done

# What is suspected is tried again, in 30 other triples or until nothing of it is left, and until enough kinds are found
# to leak.
found=0
enough=1
[ -z "${DPMIX_SOAK:-}" ] || enough=3
next=10
for kind in "${kinds[@]}"; do
  metrics=$(awk -F'\t' -v kind="$kind" '$1 == "metrics" && $2 == kind { print $3 }' "$CLUSTER/suspects")
  grep -F "$(printf 'suspect\t%s\t' "$kind")" "$CLUSTER/suspects" >"$CLUSTER/left" || true
  n=$(wc -l <"$CLUSTER/left")
  if [ "$kind" = "${kinds[0]}" ]; then
    check "the control is found out: by pages, and by counters" "16 t" \
      "$(grep -c 'probe.*long.*Read Blocks' "$CLUSTER/left") $(grep -q 'view.*longs.*seq_tup_read' "$CLUSTER/left" && echo t || echo f)"
  elif [ "${metrics:-0}" -lt 10000 ] || [ "$n" -gt 3000 ]; then
    echo "not ok - $kind: ${metrics:-0} metrics, of which $n are suspect"
  elif [ $found -ge "$enough" ]; then
    echo "# $kind: $n metrics are suspect; not tried again"
  else
    for ((i = 0; i < 30; ++i)); do
      [ -s "$CLUSTER/left" ] || break
      triple $next "$kind"
      python3 $here/worlds.py confirm "$CLUSTER/seen" $next "$CLUSTER/left" >"$CLUSTER/findings"
      mv "$CLUSTER/findings" "$CLUSTER/left"
      next=$((next + 1))
    done
    if [ -s "$CLUSTER/left" ]; then
      found=$((found + 1))
      echo "not ok - $kind: the world shows in $(wc -l <"$CLUSTER/left") of $metrics metrics"
      head -n 20 "$CLUSTER/left" | cut -f 3-
    else
      echo "ok - $kind: the world shows in none of $metrics metrics ($n suspects tried $i times)"
    fi
  fi
done
