#!/usr/bin/env bash
# Windows that move: with the clock, in plain SQL. What memory goes by is the question; and nobody has an answer kept
# under a question that it does not answer.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/plain/lib.sh
. test/server/lib/people.sh
plain_cluster >/dev/null 2>&1
sql "CREATE ROLE bob LOGIN; ALTER ROLE bob SET session_preload_libraries = 'dpmix'" >/dev/null
remember '1 day'
PGUSER=olga sql "SELECT dpmix.set_memory('cps', '1 day', 'table'), dpmix.grant_access('cps', 'bob', NULL, 0, NULL)" >/dev/null

asked() { PGOPTIONS="-c client_min_messages=warning" sql "$1"; }
paid() {  # role statement: how many charges it made
  local before
  before=$(all_charges)
  PGUSER=$1 asked "$2" >/dev/null
  echo $(($(all_charges) - before))
}
last_text() { sql "SELECT parameters ->> 'query' FROM dpmix.charge ORDER BY id DESC LIMIT 1"; }

window="SELECT count(*) FROM private.cps WHERE seen > now() - interval '300 days'"
first=$(PGUSER=ana asked "$window")
sleep 1
check "a second later the window is the same question" "$first 0" "$(PGUSER=ana asked "$window") $(paid ana "$window")"
check "another window is another one" 1 "$(paid ana "${window/300/299}")"
check_match "EXPLAIN says that another role gets it free, and what its first sight counts" \
  'in memory: free.*what others paid would count epsilon [0-9.]+ for role bob on public.cps' "$(PGUSER=bob asked "EXPLAIN $window" | tr '\n' ' ')"
days="SELECT count(*) FROM private.cps WHERE day > current_date - 100"
check "another time zone, too, and each of them once" "1 0 1 0" \
  "$(paid ana "$days") $(paid ana "$days") $(PGTZ=Asia/Tokyo paid ana "$days") $(PGTZ=Asia/Tokyo paid ana "$days")"
prepared() { echo "PREPARE w(interval) AS SELECT count(*) FROM private.cps WHERE seen > now() - \$1; EXECUTE w('$1'); EXECUTE w('$1')"; }
check "as a parameter" "1 0 1" "$(paid ana "$(prepared '200 days')") $(paid ana "$(prepared '200 days')") $(paid ana "$(prepared '201 days')")"

# The function behind it, called by hand with a question.
forget() { PGUSER=olga sql "SELECT dpmix.forget('cps')" >/dev/null; }
forget
PGUSER=ana asked "$window" >/dev/null
text=$(last_text)
question=${text/\$1/(now() - \'300 days\'::interval)}
check_match "the text has a parameter where the question has the clock" '[$]1' "$text"
by_hand() {  # text question value
  echo "SET dpmix.epsilon = 1; SET dpmix.delta = 1e-9; SELECT * FROM dpmix_internal.answer(\$t\$$1\$t\$, \$q\$$2\$q\$, '{private.cps}'::regclass[]::oid[], 'aggregates', 0, false, $3) AS t(n bigint)"
}
forget
check "with the value that the question has now: charged" 1 "$(paid ana "$(by_hand "$text" "$question" "now() - interval '300 days'")")"
check "it answers who asks the question" 0 "$(paid bob "$window")"
for poison in "timestamptz '1999-01-01'" "now() - interval '301 days'" "clock_timestamp() - interval '300 days'"; do
  forget
  check "with another value ($poison): charged" 1 "$(paid ana "$(by_hand "$text" "$question" "$poison")")"
  check "and not kept under the question: who asks it pays" 1 "$(paid bob "$window")"
done
forget
check "with another aggregate" 1 "$(paid ana "$(by_hand "${text/dp_count(\*)/dp_count(note)}" "$question" "now() - interval '300 days'")")"
check "not kept either" 1 "$(paid bob "$window")"
forget
check "with another condition" 1 "$(paid ana "$(by_hand "$text AND region = 'west'" "$question" "now() - interval '300 days'")")"
check "not kept either" 1 "$(paid bob "$window")"
forget
check_match "a question that is no query is an error" '^ERROR' "$(PGUSER=ana asked "$(by_hand "$text" "SELECT nothing" "now()")" | grep ERROR)"
check "and a question of another table is none" 1 "$(paid ana "$(by_hand "$text" "SELECT now()" "now() - interval '300 days'")")"
check "not kept either" 1 "$(paid bob "$window")"

# Literal windows of a dashboard, which move by seconds: one question for as long as the owner's quantum takes.
forget
PGUSER=olga sql "SELECT dpmix.set_time_quantum('cps', 'seen', '1 hour'), dpmix.set_time_quantum('cps', 'day', '7 days')" >/dev/null
refresh() {  # from to: 12 panels
  local panel
  for panel in $(seq 12); do
    echo "SELECT region, count(*), avg(wage) FROM private.cps WHERE seen BETWEEN '$1' AND '$2' AND education < $panel GROUP BY region;"
  done | PGUSER=ana PGOPTIONS='-c client_min_messages=warning' session
}
charges_of() {
  local before
  before=$(all_charges)
  "$@" >/dev/null
  echo $(($(all_charges) - before))
}
check "12 panels of literal windows: 12 charges" 12 "$(charges_of refresh 2026-03-01T10:00:07Z 2026-06-01T10:00:07Z)"
check "their next refreshes within the hour: none" "0 0" \
  "$(charges_of refresh 2026-03-01T10:05:07Z 2026-06-01T10:05:07Z) $(charges_of refresh 2026-03-01T10:59:59.999Z 2026-06-01T10:59:59.999Z)"
check "in the next hour: 12" 12 "$(charges_of refresh 2026-03-01T11:00:00Z 2026-06-01T11:00:00Z)"
check_match "a NOTICE says from what to what" "'2026-06-01 12:10:07\+00' is rounded to '2026-06-01 12:00:00\+00' where it is compared with column seen" \
  "$(PGTZ=UTC PGUSER=ana sql "SELECT count(*) FROM private.cps WHERE seen < '2026-06-01 12:10:07+00'")"
check "literals without a time zone, too" "1 0 0" "$(for at in 13:10:07 13:20:08 13:59:59; do
  PGTZ=Europe/Berlin paid ana "SELECT count(*) FROM private.cps WHERE seen < timestamp '2026-06-01 $at'"; done | tr '\n' ' ' | sed 's/ $//')"
check "dates, by weeks" "1 0 1" "$(for day in 2026-06-07 2026-06-12 2026-06-13; do
  paid ana "SELECT count(*) FROM private.cps WHERE day < '$day'"; done | tr '\n' ' ' | sed 's/ $//')"
asks() { echo "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM cps WHERE seen >= ''$1'' AND sex = ''F''', .5, 1e-9, $2) AS t(n bigint)"; }
check "dpmix.query does the same, and a more precise answer costs the difference" "1 0 hit upgrade" \
  "$(paid ana "$(asks '2026-03-01 10:11Z' "'gaussian'")") $(paid ana "$(asks '2026-03-01 10:55Z' "'gaussian'")") $(
    for epsilon in .5 .8; do PGUSER=ana asked "SELECT DISTINCT memory FROM dpmix.preview('SELECT dp_count(*) FROM cps WHERE seen >= ''2026-03-01 10:22Z'' AND sex = ''F''', $epsilon, 1e-9, 'gaussian')"; done | tr '\n' ' ' | sed 's/ $//')"
check "the charge is that of the window that was rounded" 1 \
  "$(PGUSER=olga asked "SELECT abs(n - (SELECT count(*) FROM cps WHERE seen >= '2026-03-01 10:00Z')) < .5 FROM dpmix.query('SELECT dp_count(*) FROM cps WHERE seen >= ''2026-03-01 10:59:59Z''', 100) AS t(n bigint)" | grep -c t)"
check "where the quantum changes, a window that moves is asked again" "1 0 1" \
  "$(paid ana "$window") $(paid ana "$window") $(PGUSER=olga sql "SELECT dpmix.set_time_quantum('cps', 'seen', '2 hours')" >/dev/null; paid ana "$window")"
PGUSER=olga sql "SELECT dpmix.set_time_quantum('cps', 'seen', NULL)" >/dev/null
check "and taken back, literals are other questions again" "1 1" \
  "$(paid ana "SELECT count(*) FROM private.cps WHERE seen < '2026-06-01 12:10:07Z'") $(paid ana "SELECT count(*) FROM private.cps WHERE seen < '2026-06-01 12:10:08Z'")"
check "only the owner sets it" 42501 "$(PGUSER=ana sql "SELECT dpmix.set_time_quantum('cps', 'seen', '1 hour')" | grep -o 42501)"
