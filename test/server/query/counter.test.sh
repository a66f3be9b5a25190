#!/usr/bin/env bash
# Running totals over months of simulated days: what they say, what each block pays, whose they are, and that nothing
# makes two steps of one or loses one that was seen.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
export PGOPTIONS="-c client_min_messages=notice"
session >/dev/null <<'SQL'
SET client_min_messages = error;
CREATE ROLE clinic LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE team LOGIN IN ROLE ana; CREATE ROLE bob LOGIN;
GRANT ALL ON SCHEMA public TO clinic, ana, team, bob;
SET ROLE clinic;
-- 120 days from 2026-01-01, with 0 to 40 rows each.
CREATE TABLE cases AS SELECT d, date '2026-01-01' + d AS day, (ARRAY['n', 's', 'w'])[i % 3 + 1] AS region, i * 7 % 50 AS cost, i % 11 AS person
  FROM generate_series(0, 119) d, generate_series(1, d * 37 % 41) i;
SELECT dpmix.protect('cases', 1e7, .1, blocks => 'day', blocks_from => '2026-01-01');
SELECT dpmix.set_categories('cases', 'region', '{n,s,w}'), dpmix.set_bounds('cases', 'cost', 0, 50);
SELECT dpmix.grant_access('cases', 'ana'), dpmix.grant_access('cases', 'bob');
SQL
fails() { sql "$1" 2>&1 || true; }
create() {  # name query period horizon epsilon [more arguments]
  sql "SELECT steps FROM dpmix.create_counter('$1', \$\$$2\$\$, '$3', '$4', $5, 1e-9${6:-})"
}
run() { sql "SELECT dpmix.run_counter('$1'${2:+, '$2'})"; }  # name [until]
catalog() { PGUSER=postgres sql "$@"; }
day() { date -u -d "2026-01-01 + $1 days" +%F; }

# So large an epsilon leaves next to no noise: totals are exact numbers, but for less than a half.
export PGUSER=ana
check "a counter of a quarter" 120 "$(create cases 'SELECT region, dp_count(*) AS n, dp_sum(cost) AS cost, dp_count(*) FILTER (WHERE cost > 25) AS dear FROM cases GROUP BY region' '1 day' '120 days' 1e6)"
step=0
for until in 1 2 3 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 40 41 42 43 90 118; do
  step=$((step + 1))
  made=$(run cases "$(day $until)")
  [ "$made" = $step ] || echo "not ok - step $step: $made"
done
truth="SELECT k.step, g.region, count(d) AS n, coalesce(sum(cost), 0) AS cost, count(d) FILTER (WHERE cost > 25) AS dear
  FROM (SELECT DISTINCT step, until FROM dpmix.counter('cases')) k CROSS JOIN unnest('{n,s,w}'::text[]) g(region)
  LEFT JOIN cases c ON c.region = g.region AND c.day < k.until::date"
told() { echo "SELECT step, keys ->> 'region' AS region, max(total) FILTER (WHERE value = 'n') AS n, max(total) FILTER (WHERE value = 'cost') AS cost,
  max(total) FILTER (WHERE value = 'dear') AS dear FROM dpmix.counter('cases'${1:-}) GROUP BY 1, 2"; }
PGUSER=clinic
check "all totals, of whatever steps were skipped, are those of the rows" "87|0" "$(sql "
  SELECT count(*), count(*) FILTER (WHERE abs(t.n - e.n) > .5 OR abs(t.cost - e.cost) > 10 OR abs(t.dear - e.dear) > .5)
  FROM ($(told)) t JOIN ($truth GROUP BY 1, 2) e USING (step, region)")"
check "and of windows" "0" "$(for from in 1 7 24; do sql "
  WITH e AS ($truth GROUP BY 1, 2)
  SELECT t.step FROM ($(told ", $from")) t JOIN e USING (step, region) JOIN e b ON b.step = $from AND b.region = t.region
  WHERE abs(t.n - (e.n - b.n)) > .5 OR abs(t.cost - (e.cost - b.cost)) > 10"; done | wc -l)"
check "intervals are as narrow" t "$(sql "SELECT bool_and(high - low < CASE value WHEN 'cost' THEN 20 ELSE 1 END AND low < total AND total < high) FROM dpmix.counter('cases')")"
check "each block paid once, when it entered" "29|118|{[0,118)}" "$(catalog "
  SELECT count(*), sum(upper(r) - lower(r)), range_agg(r) FROM dpmix.charge c, unnest(c.blocks) r WHERE c.kind = 'counter'")"
PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM cases WHERE day = ''2026-01-01''', 1e6, 1e-9, 'gaussian') AS t(n bigint)" >/dev/null
check "what one Gaussian release of that guarantee costs" "1|30" "$(catalog "SELECT count(DISTINCT (epsilon, delta, cost, cost_delta)), count(*) FROM dpmix.charge")"

# Rows that come late, go and change in blocks that are in: they count from the next step on, in part.
sql "INSERT INTO cases SELECT 0, '2026-01-01', 'n', 0, 1 FROM generate_series(1, 1000)" >/dev/null
check "a step with late rows" 30 "$(PGUSER=ana run cases "$(day 119)")"
check "they are counted in part, and the rest later" t "$(sql "SELECT t.n - e.n BETWEEN -995 AND -5 FROM ($(told)) t JOIN ($truth GROUP BY 1, 2) e USING (step, region) WHERE step = 30 AND region = 'n'")"
sql "DELETE FROM cases WHERE d = 0 AND cost = 0" >/dev/null

# The clock: what closed, less grace.
session >/dev/null <<'SQL'
SET client_min_messages = error;
SET TimeZone = 'Asia/Tokyo';
CREATE TABLE today AS SELECT (now() AT TIME ZONE 'UTC')::date - 5 + d AS day, now() + (d - 5) * interval '1 day' AS at FROM generate_series(0, 5) d, generate_series(1, 10);
SELECT dpmix.protect('today', 1e7, .1, blocks => 'day', blocks_from => ((now() AT TIME ZONE 'UTC')::date - 5)::text);
CREATE TABLE times AS SELECT at FROM today;
SELECT dpmix.protect('times', 1e7, .1, blocks => 'at', width => '1 hour', blocks_from => (date_trunc('hour', now() AT TIME ZONE 'UTC') - interval '120 hours')::text);
SQL
for zone in UTC Pacific/Auckland America/Los_Angeles; do
  PGTZ=$zone create "today $zone" 'SELECT dp_count(*) AS n FROM today' '1 day' '30 days' 1e5 >/dev/null
  check "$zone: closed days alone" "1 50" "$(PGTZ=$zone run "today $zone") $(sql "SELECT round(total) FROM dpmix.counter('today $zone')")"
  check_match "$zone: then there is nothing to do" "NOTICE:  00000: counter \"today $zone\" has nothing to do" "$(PGTZ=$zone run "today $zone")"
done
PGTZ=Asia/Tokyo create grace 'SELECT dp_count(*) AS n FROM today' '1 day' '30 days' 1e5 ", grace => '3 days'" >/dev/null
check "blocks wait for late rows" "1 20" "$(run grace) $(sql "SELECT round(total) FROM dpmix.counter('grace')")"
PGTZ=Asia/Kathmandu create hours 'SELECT dp_count(*) AS n FROM times' '6 hours' '30 days' 1e5 >/dev/null
check "blocks of hours, in UTC" "1 50|t" "$(PGTZ=Asia/Kathmandu run hours) $(sql "SELECT round(total), until = to_char(date_trunc('hour', now() AT TIME ZONE 'UTC'), 'YYYY-MM-DD HH24:00:00+00') FROM dpmix.counter('hours')")"

# Two calls at once make one step; ten a step each at most.
create race 'SELECT dp_count(*) AS n FROM cases' '1 day' '120 days' 10 >/dev/null
for i in 1 2; do run race "$(day 5)" >"$CLUSTER/race$i" & done
wait
check "one of two makes a step" "1" "$(grep -cx 1 <(cat "$CLUSTER"/race[12]))"
check "the other has nothing to do" "1" "$(cat "$CLUSTER"/race[12] | grep -c 'has nothing to do')"
for i in $(seq 6 15); do run race "$(day "$i")" >"$CLUSTER/race$i" & done
wait
check "steps at once are steps one by one, each block in one of them" "{[0,15)}|t" "$(catalog "
  SELECT range_agg(r), sum(upper(r) - lower(r)) = 15 FROM dpmix.charge c, unnest(c.blocks) r WHERE c.parameters ->> 'counter_id' = (SELECT id::text FROM dpmix.counter WHERE name = 'race')")"
check "numbered without a gap" t "$(catalog "SELECT count(*) = max(step) AND count(*) > 1 FROM dpmix.counter_step s JOIN dpmix.counter c ON c.id = counter_id WHERE name = 'race'")"

# What was measured stays, whatever the caller's transaction does; an old snapshot makes no step twice.
before=$(sql "SELECT count(*) FROM dpmix.counter('race')")
session >/dev/null <<<"BEGIN; SELECT dpmix.run_counter('race', '$(day 20)'); ROLLBACK"
check "a step survives ROLLBACK" $((before + 1)) "$(sql "SELECT count(*) FROM dpmix.counter('race')")"
session >/dev/null <<SQL
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;
\! psql -X -q -A -t -c "SELECT dpmix.run_counter('race', '$(day 21)')"
SELECT dpmix.run_counter('race', '$(day 22)');
COMMIT;
SQL
check "REPEATABLE READ sees the steps of others" $((before + 3)) "$(sql "SELECT count(*) FROM dpmix.counter('race')")"
check "each with blocks of its own" t "$(catalog "SELECT sum(upper(r) - lower(r)) = 22 FROM dpmix.charge c, unnest(c.blocks) r WHERE c.parameters ->> 'counter_id' = (SELECT id::text FROM dpmix.counter WHERE name = 'race')")"

# Whose it is.
check "a member of its maker's role runs it, and pays as its maker" "31|ana" "$(PGUSER=team run cases "$(day 120)")|$(catalog "SELECT granted_to FROM dpmix.charge WHERE kind = 'counter' AND relation = 'public.cases' AND parameters ->> 'counter_step' = '31'")"
check_match "another analyst does not" "PV006" "$(PGUSER=bob run cases "$(day 120)")"
check_match "nor read it" "PV006" "$(PGUSER=bob sql "SELECT * FROM dpmix.counter('cases')")"
check_match "nor drop it" "PV006" "$(PGUSER=bob sql "SELECT dpmix.drop_counter('cases')")"
check "nor see it" 0 "$(PGUSER=bob sql "SELECT count(*) FROM dpmix.counters")"
check_match "nor read what is behind" "42501" "$(PGUSER=bob sql "SELECT * FROM dpmix.counter_step")"
check_match "the table's owner does not run it" "PV006" "$(PGUSER=clinic run cases "$(day 120)")"
check "but reads it" "372 t" "$(PGUSER=clinic sql "SELECT count(*) FROM dpmix.counter('cases')") $(PGUSER=clinic sql "SELECT 'cases' IN (SELECT name FROM dpmix.counters)")"
PGUSER=clinic sql "SELECT dpmix.revoke_access('cases', 'ana')" >/dev/null
check_match "without access there is no step" "PV006" "$(PGUSER=ana run cases "$(day 120)")"
check "what was released stays" 372 "$(PGUSER=ana sql "SELECT count(*) FROM dpmix.counter('cases')")"
PGUSER=clinic sql "SELECT dpmix.grant_access('cases', 'ana', 5000)" >/dev/null
PGUSER=ana create capped 'SELECT dp_count(*) AS n FROM cases' '1 day' '120 days' 3000 >/dev/null
check_match "a cap holds" "PV001" "$(PGUSER=ana run capped "$(day 3)")"
export PGUSER=postgres

# Units of several rows: eleven persons, some of whom are there several times a day.
session >/dev/null <<'SQL'
SET client_min_messages = error;
CREATE TABLE stays AS TABLE cases;
SELECT dpmix.protect('stays', 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 2, blocks => 'day', blocks_from => '2026-01-01');
SQL
create stays 'SELECT dp_count(*) AS n FROM stays' '1 day' '10 days' 1e6 >/dev/null
for until in 2 5 9; do run stays "$(day $until)" >/dev/null; done
check "two rows of each in each block" "$(sql "SELECT string_agg(n::text, ' ') FROM (SELECT sum(least(c, 2)) FILTER (WHERE d < u) AS n
  FROM (SELECT d, person, count(*) AS c FROM stays GROUP BY 1, 2) s, unnest('{2,5,9}'::int[]) u GROUP BY u ORDER BY u) k")" \
  "$(sql "SELECT string_agg(round(total)::text, ' ' ORDER BY step) FROM dpmix.counter('stays')")"
sql "INSERT INTO stays SELECT 11, '$(day 11)', 'n', 1, 1000 + i / 3 FROM generate_series(1, 90000) i; ANALYZE stays" >/dev/null
check "scans in shares say the same" t "$(sql "LOAD 'dpmix'; SET dpmix.scan_memory = '1MB'; SELECT dpmix.run_counter('stays', '$(day 12)')" >/dev/null
  sql "SELECT abs(max(total) FILTER (WHERE step = 4) - (SELECT sum(least(c, 2)) FROM (SELECT count(*) AS c FROM stays WHERE d < 12 GROUP BY d, person) s)) < .5 FROM dpmix.counter('stays')")"

# Neighbours, with next to no noise: a person's rows of block 3 move each step by their weight, whatever else he has.
session >/dev/null <<'SQL'
SET client_min_messages = error;
CREATE TABLE without AS SELECT p AS person, d AS block, CASE WHEN p = 1 THEN -40 ELSE p END AS x FROM generate_series(1, 20) p, generate_series(0, 9) d
  WHERE NOT (p = 1 AND d = 3);
CREATE TABLE within AS TABLE without;
INSERT INTO within SELECT 1, 3, 40 FROM generate_series(1, 30);
SELECT dpmix.protect(t, 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 2, blocks => 'block'), dpmix.set_bounds(t, 'x', -40, 40) FROM unnest('{without,within}'::regclass[]) t;
SQL
for t in without within; do
  create $t "SELECT dp_sum(x) AS x, dp_count(*) AS n FROM $t" 1 10 1e6 >/dev/null
  for until in 1 2 3 4 5 6 7 8 9 10; do run $t $until >/dev/null; done
done
# Of two rows of 40, by weights of 1, 1/2, 3/8, 5/16 and then 18, 16, 14 64ths.
check "each step moves by the weight of the block" 10 "$(sql "
  SELECT count(*) FILTER (WHERE abs((w.noisy[1] - o.noisy[1]) / 64 - ('{0,0,0,80,40,30,25,22.5,20,17.5}'::float8[])[w.step]) < 1)
  FROM dpmix.counter_step w JOIN dpmix.counter a ON a.id = w.counter_id AND a.name = 'within'
  JOIN dpmix.counter_step o ON o.step = w.step JOIN dpmix.counter b ON b.id = o.counter_id AND b.name = 'without'")"
check "a total by what the rows add" 10 "$(sql "
  SELECT count(*) FILTER (WHERE abs(w.total - o.total - CASE WHEN step > 3 THEN 80 ELSE 0 END) < 1.5)
  FROM dpmix.counter('within') w JOIN dpmix.counter('without') o USING (step, value) WHERE value = 'x'")"

# Dump and restore: steps stay, and no more are made.
"$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres
sql "CREATE DATABASE restored" >/dev/null
"$BIN/pg_restore" -d restored "$CLUSTER/dump" >"$CLUSTER/restore.log" 2>&1 || true
check "pg_restore has no complaint" "" "$(cat "$CLUSTER/restore.log")"
check "totals are the same" "$(sql "SELECT md5(string_agg(c::text, ' ')) FROM dpmix.counter('cases') c")" "$(sql "SELECT md5(string_agg(c::text, ' ')) FROM dpmix.counter('cases') c" restored)"
sql "SELECT dpmix.adopt_ledger('moved')" restored >/dev/null
check_match "adopting ends a counter: the other place may have made its next step" "55000.*has made all" "$(sql "SELECT dpmix.run_counter('race', '$(day 30)')" restored)"
check_match "a new counter has a number of its own" '^[0-9]+$' "$(sql "SELECT steps FROM dpmix.create_counter('after', 'SELECT dp_count(*) AS n FROM cases', '1 day', '9 days', 1, 1e-9)" restored)"
check_match "a step is not taken back" "PV002.*append-only" "$(sql "DELETE FROM dpmix.counter_step")"
check_match "nor changed" "PV002.*append-only" "$(sql "UPDATE dpmix.counter_step SET noisy = '{0}'")"
check_match "nor are all of them" "PV002.*append-only" "$(sql "TRUNCATE dpmix.counter_step")"
check_match "a counter made anew in this transaction is not run" "changed declarations" "$(printf '%s\n' "BEGIN;" "SELECT dpmix.drop_counter('within');" \
  "SELECT steps FROM dpmix.create_counter('within', 'SELECT dp_count(*) AS n FROM cases', '1 day', '9 days', 1, 1e-9);" "SELECT dpmix.run_counter('within', '99');" "ROLLBACK;" | session)"
check "a counter goes with its steps" 0 "$(sql "SELECT dpmix.drop_counter('within')" >/dev/null; sql "SELECT count(*) FROM dpmix.counter_step s WHERE NOT EXISTS (SELECT FROM dpmix.counter c WHERE c.id = s.counter_id)")"
# What a guarantee alone could cost at most is cheaper here than a counter's own cost, and not what its steps are.
sql "CREATE TABLE raised (day date); SELECT dpmix.protect('raised', .01, 1e-6, accountant => 'renyi', blocks => 'day', blocks_from => '2026-01-01'), dpmix.set_budget('raised', 10000, 1e-6, 'test');
     SELECT FROM dpmix.create_counter('raised', 'SELECT dp_count(*) AS n FROM raised', '1 day', '9 days', 5, 1e-8)" >/dev/null
check "a counter pays its own cost" t "$(sql "SELECT dpmix.run_counter('raised')" >/dev/null; sql "SELECT cost > 100 FROM dpmix.charge WHERE relation = 'public.raised'")"
