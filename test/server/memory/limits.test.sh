#!/usr/bin/env bash
# How much memory takes: what is larger than an answer may be is charged each time, and the oldest answers of a grant
# make room for its newest, whatever other grants ask.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/memory/lib.sh
memory_cluster "dpmix.memory_per_answer = '1kB'" "dpmix.memory_per_grant = '1kB'"

number() { echo "SELECT dp_count(*) FROM people WHERE id > $1"; }
ask() { local n; for n in "${@:2}"; do PGUSER=$1 asked "$(number "$n")" .1 >/dev/null; done; }
verdicts() { local n; for n in "${@:2}"; do PGUSER=$1 verdict "$(number "$n")" .1; done | tr '\n' ' ' | sed 's/ $//'; }
kept() { sql "SELECT count(*) FROM dpmix.memory_item WHERE grants = (SELECT array_agg(id::text) FROM dpmix_internal.known_grant WHERE rolname = '$1')"; }

set_to() {  # name = value
  PGUSER=postgres session <<<"ALTER SYSTEM SET $1; SELECT pg_reload_conf() \g /dev/null"
  sleep 1
}

# A count is 16 bytes and 256 for its row: three of them fit.
ask ana 1 2 3
check "three answers fit" "hit hit hit" "$(verdicts ana 1 2 3)"
ask ana 4
check "the fourth takes the place of the oldest" "miss hit hit hit" "$(verdicts ana 1 2 3 4)"
check "nothing else is left of it" 3 "$(kept ana)"
ask ana 2
check "a hit does not make an answer younger" "hit hit hit" "$(verdicts ana 2 3 4)"
ask ana 5
check "so it goes next" "miss hit hit hit" "$(verdicts ana 2 3 4 5)"
ask bob 1 2 3 4 5 6 7
check "another grant has its own room" "miss miss miss miss hit hit hit" "$(verdicts bob 1 2 3 4 5 6 7)"
check "and takes none of the first one's" "hit hit hit 3" "$(verdicts ana 3 4 5) $(kept ana)"
PGUSER=olga asked "$(number 1)" .1 >/dev/null
check "nor does the owner" "hit hit hit hit" "$(verdicts ana 3 4 5) $(PGUSER=olga verdict "$(number 1)" .1)"
check "what made room is charged again, and kept" "1 0" "$(PGUSER=ana paid ask ana 1) $(PGUSER=ana paid ask ana 1)"

# 64 numbers of 16 bytes are an answer of 1 kB.
histogram() { echo "SELECT dp_histogram(wage, '{$(seq -s, 0 "$1")}') AS h FROM people"; }
export PGUSER=ana
set_to "dpmix.memory_per_grant = '64kB'"
check "an answer of 1 kB is kept" "1 0" "$(paid asked "$(histogram 62)" .1) $(paid asked "$(histogram 62)" .1)"
check "a larger one is charged each time" "1 1" "$(paid asked "$(histogram 70)" .1) $(paid asked "$(histogram 70)" .1)"
check "which preview says" miss "$(verdict "$(histogram 70)" .1)"
check "no room is taken by it" 0 "$(PGUSER=postgres sql "SELECT count(*) FROM dpmix.memory_item WHERE octet_length(content) > 1024")"
found() { asked "SELECT wage, dp_count(*) FROM people WHERE wage < $1 GROUP BY wage" 30 "keys => 'discover'"; }
check "few groups that were discovered are kept" "1 0" "$(paid found 10) $(paid found 10)"
check "many are not" "1 1" "$(paid found 90) $(paid found 90)"
set_to "dpmix.memory_per_answer = '16kB'"
check "where larger ones may be kept, they are" "1 0" "$(paid found 90) $(paid found 90)"
check "discovered again: the same groups with the same counts" "$(found 90)" "$(found 90)"
check "with less epsilon free, with more charged" "0 1 0" \
  "$(for e in 20 31 31; do paid asked "SELECT wage, dp_count(*) FROM people WHERE wage < 90 GROUP BY wage" $e "keys => 'discover'"; done | tr '\n' ' ' | sed 's/ $//')"
check "memory off: nothing is kept" "1 1" "$(set_to "dpmix.memory_per_answer = 0"; paid ask ana 99) $(paid ask ana 99)"
