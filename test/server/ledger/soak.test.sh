#!/usr/bin/env bash
# Clients of several roles charge tables of every accountant as fast as they can, while backends and the
# worker are cancelled, ended and killed at random and the server is restarted at once. Each client
# writes down what it was answered, after it was. At the end the books must agree (soak_check.sql):
# no budget and no cap exceeded, no answer without its charge, nothing lost.
#   make test   10 clients for 15 s, one restart      make soak (DPMIX_SOAK=1)   32 for 120 s, three
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
. test/server/faults/lib.sh
if [ -n "${DPMIX_SOAK:-}" ]; then clients=32 seconds=120 restarts=3; else clients=10 seconds=15 restarts=1; fi
ledger_cluster "fsync = on" "dpmix.ledger_idle_timeout = 200ms"

# Tables that are spent soon, later, or never, and what is said about them here.
sql "CREATE ROLE ana LOGIN; CREATE ROLE bea LOGIN" >/dev/null
budgets="" caps=""
soak_table() {  # name accountant epsilon delta cap
  sql "CREATE TABLE $1 (x int); INSERT INTO $1 SELECT generate_series(1, 50)" >/dev/null
  sql "SELECT dpmix.protect('$1', $3, $4, accountant => '$2');
    SELECT dpmix.grant_access('$1', 'ana', $5); SELECT dpmix.grant_access('$1', 'bea', $5)" >/dev/null
  tables+=("$1")
  budgets+="${budgets:+,} ('public.$1', '$2', $3, $4)"
  caps+="${caps:+,} ('public.$1', 'ana', $5), ('public.$1', 'bea', $5)"
}
tables=()
for size in "small 2 1" "large 60 20"; do
  read -r name epsilon cap <<<"$size"
  soak_table "basic_$name" basic "$epsilon" 1e-3 "$cap"
  soak_table "renyi_$name" renyi "$epsilon" 1e-6 "$cap"
  soak_table "gdp_$name" gdp "$epsilon" 1e-6 "$cap"
  soak_table "gaussian_$name" gaussian "$epsilon" 1e-6 "$cap"
done
soak_table basic_endless basic 1e6 0.1 1e5

statement() {  # token: one request, at random
  local table=${tables[RANDOM % ${#tables[@]}]} epsilon=.0$((RANDOM % 5 + 1))
  case $((RANDOM % 8)) in
    0) echo "BEGIN; SELECT 'answer $1 ' || charge_probe('$table', $epsilon, 1e-10, '{\"query\": \"$1\"}'); ROLLBACK;" ;;
    1 | 2 | 3) echo "SELECT 'answer $1 ' || charge_probe('$table', $epsilon, 1e-10, '{\"query\": \"$1\"}');" ;;
    4) echo "SELECT 'answer $1' FROM dpmix.query('SELECT dp_count(*) /* $1 */ FROM $table', $epsilon) AS t(n bigint) WHERE n IS NOT NULL;" ;;
    5) echo "SELECT 'answer $1' FROM dpmix.query('SELECT dp_count(*) /* $1 */ FROM $table', $epsilon, 1e-10, 'multi_gaussian') AS t(n bigint) WHERE n IS NOT NULL;" ;;
    *) echo "SELECT 'answer $1' FROM dpmix.query('SELECT dp_count(*) /* $1 */ FROM $table', $epsilon, 1e-10, 'gaussian') AS t(n bigint) WHERE n IS NOT NULL;" ;;
  esac
}
books=$CLUSTER/books
mkdir "$books"
client() {  # number
  local i=0 roles=(postgres ana bea) role
  RANDOM=$1
  renice -n 10 $BASHPID >/dev/null  # there are many; the server and the killer come first
  while [ ! -e "$books/stop" ]; do
    role=${roles[RANDOM % 3]}
    {
      [ $((RANDOM % 4)) -ne 0 ] || echo "SET statement_timeout = $((RANDOM % 20 + 1));"
      for _ in {1..60}; do
        i=$((i + 1))
        statement "c$1-$i"
      done
    } >"$books/next.$1"
    PGUSER=$role psql -X -q -A -t -f "$books/next.$1" >>"$books/answers.$1" 2>>"$books/errors.$1" || sleep 0.1
  done
}

# Kills one "client backend" or "dpmix ledger" of this cluster, at random. Without another program: the
# machine is busy, and whom it named would be gone.
hit() {  # signal kind
  local postmaster file line title pids=() wanted='^postgres: (postgres|ana|bea) '
  [ "$2" = "client backend" ] || wanted='^postgres: dpmix ledger'
  read -r postmaster <"$CLUSTER/data/postmaster.pid" || return 1
  for file in /proc/[0-9]*/stat; do
    read -r line <"$file" || continue  # pid (name) state parent
    set -- "$1" "$2" ${line##*) }
    [ "$4" = "$postmaster" ] || continue
    IFS= read -r -d '' title <"${file%stat}cmdline" || continue
    [[ ! $title =~ $wanted ]] || pids+=("${line%% *}")
  done
  [ ${#pids[@]} -gt 0 ] && kill -"$1" "${pids[RANDOM % ${#pids[@]}]}"
}
events="" crashes=0
plan=("KILL dpmix ledger" "KILL client backend")  # in any case; then rounds of these, shuffled
round=("${plan[@]}" "INT dpmix ledger" "INT client backend" "INT client backend"
  "TERM dpmix ledger" "TERM dpmix ledger" "TERM dpmix ledger" "TERM dpmix ledger"
  "TERM client backend" "TERM client backend" "TERM client backend" "TERM client backend" "TERM client backend")
strike() {  # the next of the plan, at whoever is there
  [ ${#plan[@]} -gt 0 ] || mapfile -t plan < <(printf '%s\n' "${round[@]}" | shuf)
  local signal=${plan[0]%% *} kind=${plan[0]#* }
  [ $signal != KILL ] || note_visible
  plan=("${plan[@]:1}")
  hit $signal "$kind" 2>/dev/null || { plan+=("$signal $kind"); return 0; }  # later, then
  events+="$signal ${kind##* }"$'\n'
  [ $signal != KILL ] || { crashes=$((crashes + 1)); sleep 0.2; wait_until 60 answers || true; }
}
all_struck() { [[ $events == *KILL\ backend* && $events == *KILL\ ledger* && $events == *TERM* ]]; }
note_visible() {  # what can be read before a crash
  sql "SELECT id FROM dpmix.charge" | grep -E '^[0-9]+$' >>"$books/visible" || true
}

RANDOM=17
touch "$books/visible"
workers=""
for n in $(seq $clients); do client "$n" & workers+=" $!"; done
begin=$SECONDS restarted=0
while [ $((SECONDS - begin)) -lt $seconds ] || ! all_struck || [ $restarted -lt $restarts ]; do
  [ $((SECONDS - begin)) -lt $((seconds + 120)) ] || break  # something is badly wrong
  sleep 0.$((RANDOM % 4 + 1))
  strike
  if [ $((SECONDS - begin)) -ge $(((restarted + 1) * seconds / (restarts + 1))) ] && [ $restarted -lt $restarts ]; then
    note_visible
    cluster_restart immediate
    restarted=$((restarted + 1))
  fi
done
touch "$books/stop"
wait $workers
await_server
# The small ones to their very end, whatever the machine's speed.
last=0
for table in "${tables[@]}"; do
  case $table in *_small) ;; *) continue ;; esac
  for _ in $(seq 400); do
    last=$((last + 1))
    echo "SELECT 'answer c0-$last ' || charge_probe('$table', 0.05, 1e-12, '{\"query\": \"c0-$last\"}');"
  done >"$books/next.0"
  psql -X -q -A -t -f "$books/next.0" >>"$books/answers.0" 2>>"$books/errors.0" || true
  check_match "$table is spent" "privacy budget of .* is exhausted" "$(sql "SELECT charge_probe('$table', 0.05, 1e-12)" || true)"
done

# The books.
sed -nE 's/^answer (c[0-9]+-[0-9]+) ?([0-9]*)$/\1,\2/p' "$books"/answers.* >"$books/answers"
sort -u "$books/visible" >"$books/visible.all"
session >"$books/load" <<SQL
\i test/server/ledger/soak_check.sql
\copy seen.answer FROM '$books/answers' CSV
\copy seen.visible FROM '$books/visible.all'
INSERT INTO seen.budget VALUES $budgets;
INSERT INTO seen.cap VALUES $caps;
ANALYZE;
SQL
check "the books are read" "" "$(cat "$books/load")"
answered=$(sql "SELECT count(*) FROM seen.answer")
check "every line that a client wrote is an answer" "$(cat "$books"/answers.* | grep -c .)" "$answered"
check "no violation: answers, charges, budgets, caps and sums agree" "" \
  "$(sql "SELECT what, count(*), min(which) FROM seen.violation GROUP BY 1")"
check "something was charged under every accountant" "${#tables[@]}" "$(sql "SELECT count(DISTINCT relation) FROM seen.charge")"
check "restarts" "$restarts" "$restarted"
check "backends and workers were killed, and others ended" t "$(all_struck && echo t)"

# Books that were doctored must be found out.
doctored() {  # what statement
  check_match "found out: $1" "^$1" "$(session <<<"BEGIN; $2; SELECT what FROM seen.violation; ROLLBACK;")"
}
doctored "answered but not charged" "INSERT INTO seen.answer VALUES ('c999-1', NULL)"
doctored "answered but not charged" "DELETE FROM seen.charge WHERE token = (SELECT max(token) FROM seen.answer)"
doctored "answered but not charged" "UPDATE seen.answer SET charge = charge + 1 WHERE token = (SELECT max(token) FROM seen.answer WHERE charge IS NOT NULL)"
doctored "answered twice" "INSERT INTO seen.answer SELECT * FROM seen.answer LIMIT 1"
doctored "charged twice" "INSERT INTO seen.charge SELECT * FROM seen.charge LIMIT 1"
doctored "two charges of one id" "INSERT INTO seen.charge SELECT * FROM seen.charge LIMIT 1"
doctored "read, then gone" "DELETE FROM seen.charge WHERE id = (SELECT max(charge) FROM seen.visible)"
doctored "the balance differs from the rows" "DELETE FROM seen.charge WHERE id = (SELECT max(id) FROM seen.charge)"
doctored "the sums differ from the rows" "UPDATE seen.charge SET cost = cost + 1e-30 WHERE id = (SELECT max(id) FROM seen.charge)"
doctored "charged nothing" "UPDATE seen.charge SET cost = 0"
doctored "over the cap" "UPDATE seen.charge SET granted_to = 'ana' WHERE relation LIKE '%_small'"
for table in "${tables[@]}"; do
  case $table in *_small) ;; *) continue ;; esac
  doctored "over the budget" "WITH one AS (SELECT * FROM seen.charge WHERE relation = 'public.$table' AND epsilon = 0.05 LIMIT 1)
    INSERT INTO seen.charge SELECT one.* FROM one, generate_series(1, 50);
    DELETE FROM seen.budget WHERE relation <> 'public.$table'"
done

echo "# $clients clients, $seconds s, $restarted immediate restarts, $crashes crashes; $answered answers, $(sql "SELECT count(*) FROM seen.charge") charges," \
  "$(cat "$books"/errors.* | grep -c exhausted || true) refusals, $(cat "$books"/errors.* | grep -c 'may stand' || true) of unknown outcome"
echo "# events: $(sort <<<"$events" | grep . | uniq -c | tr -s ' \n' ' ')"
sql "SELECT '# ' || relation || ': ' || round(spent, 6) || ' of ' || epsilon || ', cost ' || round(cost, 6) || CASE accountant
       WHEN 'renyi' THEN ' of ' || round(seen.renyi_total(renyi_order, epsilon, delta), 6)
       WHEN 'gdp' THEN ', delta ' || seen.delta_of_gdp(cost::float8, epsilon::float8) ELSE '' END
     FROM seen.total ORDER BY 1"
