#!/usr/bin/env bash
# A question that was paid for stays answered: by any spelling of it, in any session of the grant, whatever became of
# the transaction that paid; and by nothing that rows could answer differently.
set -euo pipefail
. test/server/memory/lib.sh
memory_cluster
export PGUSER=ana

both="SELECT sex, dp_count(*) AS n, dp_avg(wage) AS a FROM people WHERE wage > 10 AND id < 400 GROUP BY sex"
first=$(asked "$both" .5)
check "asked again, the same answer comes back" "$first" "$(asked "$both" .5)"
check "which was charged once" 1 "$(PGUSER=postgres all_charges)"
check_match "a NOTICE says so" 'answered from memory: nothing was charged' \
  "$(sql "SELECT count(*) FROM dpmix.query_json(\$\$$both\$\$, .5, 1e-9)")"

free() { check "free: $1" 0 "$(paid asked "$2" "$3" "${4:-}")"; }
charged() { check "charged: $1" 1 "$(paid asked "$2" "$3" "${4:-}")"; }

free "conditions in another order, other names, other spelling" \
  "select x.sex, dp_count(*) as many, dp_avg(x.wage) from people as x where (x.id < 400) and x.wage > 5 * 2 group by 1" .5
free "fewer aggregates, HAVING, ORDER BY, LIMIT, ratios" \
  "SELECT sex, dp_avg(wage) / 2 AS half FROM people WHERE wage > 10 AND id < 400 GROUP BY sex HAVING dp_count(*) > 1 ORDER BY 2 DESC LIMIT 1" .5
free "less epsilon" "$both" .2
free "parameters of the same values" \
  "SELECT sex, dp_count(*) AS n, dp_avg(wage) AS a FROM people WHERE wage > \$1 AND id < \$2 GROUP BY sex" .5 \
  "params => '{10,400}'"
charged "another constant" "${both/400/401}" .5
charged "a filter in place of a condition" \
  "SELECT sex, dp_count(*) FILTER (WHERE wage > 10) AS n FROM people WHERE id < 400 GROUP BY sex" .5
charged "another number of days" "SELECT dp_count(*) FROM people WHERE day < date '2026-01-09'" .5
free "the same day otherwise" "SELECT dp_count(*) FROM people WHERE day < '2026-01-08'::date + 1" .5
charged "more epsilon" "$both" .6
charged "a fresh answer, by max_age" "SELECT dp_count(*) FROM people" .5
check "max_age = 0 is charged" 1 "$(paid sql "SET dpmix.max_age = 0; SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people', .5, 1e-9) AS t(n bigint)")"

# Windows that move with the clock: what they are made of is the question.
moving="SELECT sex, dp_count(*), dp_avg(wage) FROM people WHERE day > now() - interval '10000 days' GROUP BY sex"
window=$(asked "$moving" .5)
sleep 1
check "a second later, now() - interval is the same question" "$window" "$(asked "$moving" .5)"
free "and costs nothing" "$moving" .5
check "which preview says" hit "$(verdict "$moving" .5)"
check "more is charged in full: other rows were asked about" miss "$(verdict "$moving" .6 "'gaussian'")"
charged "another window" "${moving/10000/9999}" .5
charged "the window as a parameter" "${moving/interval \'10000 days\'/\$1::interval}" .5 "params => '{100 days}'"
free "of the same value" "${moving/interval \'10000 days\'/\$1::interval}" .5 "params => '{100 days}'"
charged "of another one" "${moving/interval \'10000 days\'/\$1::interval}" .5 "params => '{101 days}'"
check "another time zone" 1 "$(PGTZ=Asia/Tokyo paid asked "$moving" .5)"
check "by plain dpmix.query, too" 0 "$(paid sql "SELECT * FROM dpmix.query(\$\$$moving\$\$, .5, 1e-9) AS t(sex text, n bigint, wage float8)")"
asked "SELECT now() AS at, dp_count(*) FROM people WHERE id < 55" .2 "'gaussian'" >/dev/null
check "now() in what is made of answers is no question about rows" upgrade \
  "$(verdict "SELECT now() AS at, dp_count(*) FROM people WHERE id < 55" .3 "'gaussian'")"

discover="SELECT sex, dp_count(*) AS n, dp_sum(wage) AS s FROM people GROUP BY sex"
found=$(asked "$discover" 2 "keys => 'discover'")
check "groups that were discovered are remembered" "$found" "$(asked "$discover" 2 "keys => 'discover'")"
free "and parts of them" "SELECT sex, dp_count(*) AS n FROM people GROUP BY sex" .5 "keys => 'discover'"
days=$(asked "SELECT day, dp_count(*) FROM people GROUP BY 1" 3 "keys => 'discover'")
check_match "of dates, too" '2026-01-' "$days"
check "the same ones" "$days" "$(asked "SELECT day, dp_count(*) FROM people GROUP BY 1" 3 "keys => 'discover'")"

for mechanism in gaussian multi_gaussian quasi_gaussian laplace staircase truncated_laplace tulap optimal; do
  q="SELECT sex, dp_sum(wage) AS s, dp_low(dp_sum(wage)) AS l, dp_high(dp_sum(wage)) AS h FROM people WHERE id <> 7 GROUP BY sex"
  once=$(asked "$q" 1 "'$mechanism'")
  check "noise $mechanism, with its interval" "$once" "$(PGUSER=ana asked "$q" 1 "'$mechanism'")"
  PGUSER=olga sql "SELECT dpmix.new_edition('people')" >/dev/null
done

# Whatever becomes of the transaction that paid.
sql "BEGIN; SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id < 77', .5) AS t(n bigint); ROLLBACK" >/dev/null
free "after ROLLBACK" "SELECT dp_count(*) FROM people WHERE id < 77" .3
check_match "an answer whose statement failed was paid" '22012' \
  "$(sql "SELECT 1 / (n - n) FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id < 78', .5) AS t(n bigint)")"
free "and is remembered" "SELECT dp_count(*) FROM people WHERE id < 78" .3
check "in one REPEATABLE READ transaction, too" 1 "$(paid sql "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;
  SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id < 79', .5) AS t(n bigint);
  SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id < 79', .5) AS t(n bigint); COMMIT")"
cluster_restart immediate
free "after a crash of the server" "SELECT dp_count(*) FROM people WHERE id < 79" .5

# Where an answer cannot be kept it is shown all the same, and charged again.
PGUSER=postgres sql "ALTER TABLE dpmix.memory_item ADD CONSTRAINT full_disk CHECK (false) NOT VALID" >/dev/null
check_match "an answer that cannot be kept comes with a WARNING" 'WARNING.*could not be kept' \
  "$(sql "SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id < 90', .5) AS t(n bigint)")"
PGUSER=postgres sql "ALTER TABLE dpmix.memory_item DROP CONSTRAINT full_disk" >/dev/null
charged "and is charged again" "SELECT dp_count(*) FROM people WHERE id < 90" .5

# A process that ends between the charge and the writing: the answer is lost, nothing else.
PGUSER=postgres session <<<"BEGIN; LOCK TABLE dpmix.memory_item IN EXCLUSIVE MODE; SELECT pg_sleep(60);" >/dev/null &
holder=$!
writing() { [ -n "$(PGUSER=postgres sql "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'dpmix.memory_item'::regclass")" ]; }
held() { [ "$(PGUSER=postgres sql "SELECT count(*) FROM pg_locks WHERE granted AND mode = 'ExclusiveLock' AND relation = 'dpmix.memory_item'::regclass")" = 1 ]; }
wait_until 20 held
sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id < 91', .5) AS t(n bigint)" >"$CLUSTER/lost" || true &
asker=$!
wait_until 20 writing
PGUSER=postgres sql "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND relation = 'dpmix.memory_item'::regclass" >/dev/null
wait $asker || true
check_match "a process that ends before it wrote is an error" 'PV004' "$(cat "$CLUSTER/lost")"
PGUSER=postgres sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()" >/dev/null
wait $holder || true
charged "then the question is a miss" "SELECT dp_count(*) FROM people WHERE id < 91" .5

# Two sessions of one grant that ask the same at once.
together() {
  local i
  for i in 1 2 3 4; do sql "SELECT * FROM dpmix.query('SELECT sex, dp_median(wage) FROM people GROUP BY sex', .5) AS t(s text, m float8)" & done
  wait
}
check "four sessions that ask at once pay once" 1 "$(paid together)"

# Others.
check "another grant pays by itself" 1 "$(PGUSER=bob paid asked "$both" .5)"
check "a stranger is refused" PV006 "$(PGUSER=carl sql "SELECT * FROM dpmix.query_json(\$\$$both\$\$, .5)" | grep -o 'PV...')"
PGUSER=olga sql "SELECT dpmix.revoke_access('people', 'ana'); SELECT dpmix.grant_access('people', 'ana', NULL, 0, NULL)" >/dev/null
charged "a grant that was given again" "$both" .5
PGUSER=postgres sql "DROP OWNED BY carl; DROP ROLE carl; CREATE ROLE carl LOGIN" >/dev/null
for made in first "re-created"; do
  PGUSER=olga sql "SELECT dpmix.grant_access('people', 'carl', NULL, 0, NULL)" >/dev/null
  check "a $made role of a name pays for its own answers" 1 "$(PGUSER=carl paid asked "$both" .5)"
  PGUSER=postgres sql "DROP OWNED BY carl; DROP ROLE carl; CREATE ROLE carl LOGIN" >/dev/null
done
PGUSER=olga sql "SELECT dpmix.set_bounds('people', 'wage', 0, 90)" >/dev/null
charged "bounds that changed" "$both" .5
free "the same under the new bounds" "$both" .5
PGUSER=olga sql "SELECT dpmix.new_edition('people')" >/dev/null
charged "another edition" "$both" .5
check_match "forget deletes" '^[1-9]' "$(PGUSER=olga sql "SELECT dpmix.forget('people')")"
charged "what was forgotten" "$both" .5
PGUSER=olga sql "SELECT dpmix.set_memory('people', '0')" >/dev/null
check "keep => 0: twice charged" 2 "$(paid eval "asked '$both' .5; asked '$both' .5")"
PGUSER=olga sql "SELECT dpmix.set_memory('people', '1 second')" >/dev/null
asked "SELECT dp_count(*) FROM people WHERE id < 80" .5 >/dev/null
sleep 1.2
charged "older than keep" "SELECT dp_count(*) FROM people WHERE id < 80" .5
PGUSER=olga sql "SELECT dpmix.set_memory('people', NULL)" >/dev/null
charged "fills memory again" "SELECT dp_count(*) FROM people WHERE id < 81" .5
PGUSER=olga sql "UPDATE people SET wage = wage + 1" >/dev/null
free "rows that change end nothing" "SELECT dp_count(*) FROM people WHERE id < 81" .5

# Who sees what.
check "a role sees what its grant paid" "ana" "$(sql "SELECT DISTINCT role FROM dpmix.memory")"
check "the owner sees all" "f" "$(PGUSER=olga sql "SELECT count(DISTINCT role) < 1 FROM dpmix.memory")"
check "others see nothing" 0 "$(PGUSER=carl sql "SELECT count(*) FROM dpmix.memory")"
check "nobody reads the tables" "42501 42501 42501" \
  "$(for t in memory_item memory_secret memory_terms; do sql "TABLE dpmix.$t"; done | grep -o 42501 | tr '\n' ' ' | sed 's/ $//')"
for call in "set_memory('people', '1 day')" "forget('people')" "new_edition('people')"; do
  check_match "only the owner may call $call" 42501 "$(sql "SELECT dpmix.$call")"
done

# A dashboard: 12 panels, refreshed 96 times.
dashboard() {
  local refresh panel
  for refresh in $(seq 96); do
    for panel in $(seq 12); do echo "SELECT count(*) FROM dpmix.query_json('SELECT sex, dp_count(*), dp_avg(wage) FROM people WHERE id > $panel GROUP BY sex', .1, 1e-9);"; done
  done | PGOPTIONS='-c client_min_messages=warning' session
}
check "12 panels, refreshed 96 times, are 12 charges" 12 "$(paid dashboard)"
check "only the answer on the full disk was not kept" 1 "$(grep -c 'an answer was not kept' "$CLUSTER/log" || true)"
