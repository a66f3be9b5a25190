# Sourced by observers: what a role can see of a server, before, during and after a release, and what of it tells
# worlds apart. Before: release and setting (kinds.sh), kinds, and become WORLD, which puts world 0 or 1 in place of
# the server's folder, $CLUSTER/data.

# --- From where it is seen. ---
make_tower() {  # a database whose sessions watch, and move none of the counters of the one that is watched
  psql -X -q -c "CREATE DATABASE tower"
  {
    echo "CREATE EXTENSION pg_buffercache; CREATE SCHEMA watch; GRANT USAGE ON SCHEMA watch TO PUBLIC;"
    echo "CREATE TABLE watch.files (reldatabase oid, relfilenode oid, name text);"
    sql "SELECT format('INSERT INTO watch.files SELECT %s, %s, %L;', CASE WHEN c.relisshared THEN 0 ELSE d.oid END, pg_relation_filenode(c.oid), c.oid::regclass)
         FROM pg_class AS c, pg_database AS d WHERE datname = 'postgres' AND pg_relation_filenode(c.oid) IS NOT NULL"
    sed -n '/^-- Of each relation/,/^-- Releases that leak/p' $here/observer.sql
  } | psql -X -q -1 -v ON_ERROR_STOP=1 -d tower
}

# --- What is seen of one call. ---
# In one transaction: between two, PostgreSQL adds what a session counted to what it shows whenever a second has gone
# by.
statements() {  # what, role, condition
  echo "BEGIN; SELECT format('SELECT %L, (%s)', concat_ws(' ', '$1' || place, role, name), statement) FROM watch.statement WHERE role = '$2' AND $3 ORDER BY id \\gexec"
  echo "COMMIT;"
}
# A backend counts what it did as it ends, which is after its client has gone: where the machine is busy, too late for
# who looks next.
sessions_end() {
  local postmaster
  postmaster=$(head -n 1 "$CLUSTER/data/postmaster.pid")
  wait_until 60 no_session
}
no_session() { ! grep -qsaF '[local]' $(printf '/proc/%s/cmdline ' $(<"/proc/$postmaster/task/$postmaster/children")); }
snapshot() {  # what, role, release: of the control, for the sake of time, what its leaks need
  sessions_end
  statements "$1 " "$2" "$([ "$3" = control ] && echo "place = 'view'" || echo "place NOT IN ('probe', 'record')")" | session_of "$2"
}
# Quiet and serial: what the database's owner has set is for the call itself.
quiet=(client_min_messages=warning max_parallel_workers_per_gather=0 debug_print_{parse,rewritten,plan}=off jit=off)
session_of() { PGOPTIONS="${quiet[*]/#/-c }" psql -X -q -A -t -U "$1" -d "${2:-postgres}" 2>&1; }

settle_in() {  # setting [more]: the server begins again under it
  local assigned all
  all="${setting[$1]} ${2:-}"
  # One worker without its leader is never cheaper than none: it is forced.
  [ "$1" != leaderless1 ] ||
    all+=" $(sql "SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')")=on"
  {
    echo "ALTER DATABASE postgres RESET ALL;"
    for assigned in $all; do
      [[ $assigned = server:* ]] || echo "ALTER DATABASE postgres SET ${assigned%%=*} = ${assigned#*=};"
    done
  } | session_of dora
  sed -i '/^# setting/,$d' "$CLUSTER/data/postgresql.conf"
  {
    echo "# setting"
    for assigned in $all; do [[ $assigned != server:* ]] || echo "${assigned#server:}"; done
  } >>"$CLUSTER/data/postgresql.conf"
  cluster_restart
}
observe() {  # kind
  local name role buffers caller
  IFS=. read -r name role buffers _ <<<"$1"
  caller=$role
  [ "$role" != sam ] || caller=ana
  [ "$buffers" != warm ] || echo "${release[$name]} \\g /dev/null" | session_of "$caller"
  echo "$evict" | session_of ana  # what the kind before left
  snapshot before "$role" "$name"
  [ "$role" != sam ] || statements "before " "$role" "place = 'record'" | session_of sam
  [ "$buffers" != cold ] || cluster_restart
  sessions_end
  echo "SET application_name = 'poll'; SELECT 'call during', watch.poll()" | session_of "$role" tower >"$CLUSTER/polled" &
  {
    printf 'SET %s;\n' "${quiet[@]}"
    [[ $buffers != @(empty|warm) ]] || echo "$evict;"
    waits_until "EXISTS (SELECT FROM pg_stat_activity WHERE application_name = ''poll'')"
    echo "\\o $CLUSTER/answer"
    echo "RESET ALL; SET work_mem = '64kB';"
    echo "\\warn of the call"
    echo "${release[$name]};"
    echo "\\warn of the observer"
    printf 'SET %s;\n' "${quiet[@]}" "application_name = 'over'"
    echo "\\o"
    waits_until "NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = ''poll'')"
    echo "SELECT pg_stat_force_next_flush() \\g /dev/null"
    [ $caller != $role ] || statements "call " "$role" "place = 'probe'"
    if [ $caller = $role ] && [ "$name" != control ]; then
      statements "call own-" "$role" "(place IN ('object', 'process') OR name ~ '^pg_(stat_xact|locks|cursors|prepared|backend|shmem|settings)')"
    fi
    echo "SELECT pg_stat_force_next_flush() \\g /dev/null"
  } | psql -X -q -A -t -U "$caller" 2>&1 | without_noisy_notices | said_of_call
  wait $!
  cat "$CLUSTER/polled"
  [ "$role" != sam ] || { sessions_end; statements "call " "$role" "place IN ('probe', 'record')" | session_of sam; }
  snapshot after "$role" "$name"
}
waits_until() { echo "DO 'BEGIN WHILE NOT ($1) LOOP PERFORM pg_sleep(.001), pg_stat_clear_snapshot(); END LOOP; END';"; }
said_of_call() {  # what is said beside it, under an owner's debug settings, is left out
  awk '/^of the call$/ { call = 1; next } /^of the observer$/ { call = 0; next } call { print "said:" $0 } !call && /^(call|ERROR|FATAL|psql)/'
}

# The least memory of each process with which the call is answered, found by 20 limits; and what was heard at each.
# (Whatever the postmaster is allowed, those that it starts are.)
observe_limits() {  # kind
  local name role postmaster low high limit i heard=""
  IFS=. read -r name role _ <<<"$1"
  postmaster=$(head -n 1 "$CLUSTER/data/postmaster.pid")
  low=$(awk '/^VmSize/ { print $2 }' "/proc/$postmaster/status")
  high=$((low + widest))
  [ "$(outcome unlimited)" = answered ] || echo "ERROR: not answered without a limit"
  for ((i = 0; i < limits; ++i)); do
    limit=$(((low + high) / 2))
    heard+=" $(outcome $((limit * 1024)))"
    if [[ $heard = *answered ]]; then high=$limit; else low=$limit; fi
  done
  as_server prlimit --pid "$postmaster" --as=unlimited:unlimited
  [[ $heard = *answered* && -n ${heard// answered/} ]] || echo "ERROR: all limits were on one side:$heard"
  echo "call limits|{\"least\": $high, \"heard\": \"$heard\"}"
}
outcome() {  # bytes: answered, or the SQLSTATE of the error
  as_server prlimit --pid "$postmaster" "--as=$1:unlimited"
  if echo "${release[$name]} \\g /dev/null" | psql -X -q -U "$role" -v VERBOSITY=verbose -v ON_ERROR_STOP=1 >"$CLUSTER/outcome" 2>&1; then
    echo answered
  else
    { grep -oE 'ERROR:  \w+|FATAL' "$CLUSTER/outcome" || echo "no connection"; } | tail -n 1
  fi
}

triple() {  # number kinds...: each world once
  local world kind settled
  for world in $(shuf -e A B C); do
    become "$([ $world = B ] && echo 1 || echo 0)"
    cluster_up
    sql "SELECT dpmix.adopt_ledger('a copy')" >/dev/null
    mkdir -p "$CLUSTER/seen/$1/$world"
    settled=none
    for kind in "${@:2}"; do
      if [[ $kind = *limits.* ]]; then
        settle_in "${kind##*.}" "$([[ $kind = *.worker_limits.* ]] || echo server:dpmix.release_idle_timeout=0)"
        observe_limits "$kind" >"$CLUSTER/seen/$1/$world/$kind"
        settled=none
      else
        [ "$settled" = "${kind##*.}" ] || settle_in "${kind##*.}"
        settled=${kind##*.}
        observe "$kind" >"$CLUSTER/seen/$1/$world/$kind"
      fi
      ! grep -m 1 -E '^(said:)?(ERROR|FATAL|psql)' "$CLUSTER/seen/$1/$world/$kind" || echo "not ok - $kind: an error while it was observed"
    done
  done
}

# What is suspected ($CLUSTER/suspects) is tried again, in 30 other triples or until nothing of it is left, and until
# enough kinds are found to leak.
judge() {
  local kind metrics n class i found=0 enough=1 next=10
  [ -z "${DPMIX_SOAK:-}" ] || enough=3
  for kind in "${kinds[@]}"; do
    metrics=$(awk -F'\t' -v kind="$kind" '$1 == "metrics" && $2 == kind { print $3 }' "$CLUSTER/suspects")
    grep -F "$(printf 'suspect\t%s\t' "$kind")" "$CLUSTER/suspects" >"$CLUSTER/left" || true
    n=$(wc -l <"$CLUSTER/left")
    if [[ $kind = control.* ]]; then
      for class in "${!leak[@]}"; do
        ! leak_is_there $class "${kind##*.}" $([[ $kind != *limits.* ]] || echo limits) ||
          check_command "$kind: the control's leak is found, $class" grep -qE "${leak[$class]}" "$CLUSTER/left"
      done
    elif [ "${metrics:-0}" -lt $([[ $kind = *limits.* ]] && echo 2 || echo 10000) ] || [ "$n" -gt 3000 ]; then
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
}
