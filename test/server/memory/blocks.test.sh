#!/usr/bin/env bash
# Memory of a table with blocks: the same question about the same blocks is free, a window that moved on pays for its
# blocks in full, and an upgrade charges the difference to the blocks that paid before.
set -euo pipefail
. test/server/memory/lib.sh
memory_cluster
blocked_table() {  # name accountant
  PGUSER=olga sql "SET client_min_messages = warning;
    CREATE TABLE $1 (id int PRIMARY KEY, sex text, day date, at timestamptz);
    INSERT INTO $1 SELECT i, (ARRAY['F', 'M'])[1 + i % 2], '2026-01-01'::date + i % 28, now() - i * interval '1 second' FROM generate_series(1, 500) i;
    SELECT dpmix.protect('$1', 100, 1e-4, accountant => '$2', blocks => '${3:-day}', width => '${4:-1 day}', blocks_from => '2026-01-01');
    SELECT dpmix.set_categories('$1', 'sex', '{F,M}'); SELECT dpmix.grant_access('$1', 'ana', NULL, 0, NULL)" >/dev/null
}
for accountant in gdp renyi basic; do blocked_table "by_$accountant" $accountant; done
blocked_table clock gdp at '1 second'
export PGUSER=ana
days() { echo "SELECT sex, dp_count(*) AS n FROM by_$1 WHERE day >= '2026-01-$2' AND day < '2026-01-$3' GROUP BY sex"; }
blocks() { PGUSER=postgres sql "SELECT string_agg(concat_ws('|', first_block, last_block, charges, ${2:-epsilon_declared}), ' ') FROM dpmix.blocks('by_$1')"; }
last_blocks() { PGUSER=postgres sql "SELECT blocks FROM dpmix.charge ORDER BY id DESC LIMIT 1"; }

first=$(asked "$(days gdp 05 08)" .1 "'gaussian'")
check "the days of the window paid" "4|6|1|0.1" "$(blocks gdp)"
check "asked again, it is the same answer" "$first" "$(asked "$(days gdp 05 08)" .1 "'gaussian'")"
check "and free" "hit 4|6|1|0.1" "$(verdict "$(days gdp 05 08)" .1 "'gaussian'") $(blocks gdp)"

# A day later: two blocks pay a second time, as if nothing had been asked of them.
asked "$(days renyi 05 08)" .1 "'gaussian'" >/dev/null
check "preview says that the moved window is another question" miss "$(verdict "$(days renyi 06 09)" .1 "'gaussian'")"
asked "$(days renyi 06 09)" .1 "'gaussian'" >/dev/null
check "a window that moved by a day is charged in full" "4|4|1|0.1 5|6|2|0.2 7|7|1|0.1" "$(blocks renyi)"
check "both windows are in memory" "hit hit" "$(verdict "$(days renyi 05 08)" .1 "'gaussian'") $(verdict "$(days renyi 06 09)" .1 "'gaussian'")"
check "in time and cost as one of its kind" 1 "$(PGUSER=postgres sql "SELECT count(DISTINCT cost) FROM dpmix.charge WHERE relation = 'public.by_renyi'")"

# The clock moves a window on.
window="SELECT dp_count(*) AS n FROM clock WHERE at >= now() - interval '20 seconds'"
asked "$window" .01 "'gaussian'" >/dev/null
one=$(last_blocks)
sleep 2
check "two seconds later the window is charged in full" 1 "$(paid asked "$window" .01 "'gaussian'")"
two=$(last_blocks)
check "for its new blocks" "t t" "$(sql "SELECT upper('$one'::int8multirange) < upper('$two'::int8multirange), lower('$one'::int8multirange) < lower('$two'::int8multirange)" | tr '|' ' ')"
check "those of both paid twice" t "$(PGUSER=postgres sql "SELECT bool_and(charges = 2) AND count(*) > 0 FROM dpmix.blocks('clock') b
  WHERE int8range(first_block, last_block, '[]') <@ ('$one'::int8multirange * '$two'::int8multirange)")"

# Upgrades: the blocks that paid before pay the difference, others nothing.
cost_of() { PGUSER=postgres sql "SELECT sum(cost) FROM dpmix.charge WHERE relation = 'public.$1' AND id > $2"; }
for accountant in gdp renyi; do
  PGUSER=olga sql "SELECT dpmix.new_edition('by_$accountant')" >/dev/null
  from=$(PGUSER=postgres last_charge)
  for epsilon in .1 .3 .8; do asked "$(days $accountant 15 17)" $epsilon "'gaussian'" >/dev/null; done
  check "$accountant: each step names the same blocks" "{[14,16)}" "$(PGUSER=postgres sql "SELECT DISTINCT blocks FROM dpmix.charge WHERE id > $from")"
  together=$(cost_of "by_$accountant" "$from")
  from=$(PGUSER=postgres last_charge)
  PGUSER=olga sql "SELECT dpmix.new_edition('by_$accountant')" >/dev/null
  asked "$(days $accountant 21 23)" .8 "'gaussian'" >/dev/null
  check "$accountant: three steps cost the blocks what the last alone costs others" t "$(sql "SELECT abs($together / $(cost_of "by_$accountant" "$from") - 1) < 1e-11")"
  check "$accountant: so say the blocks" t "$(PGUSER=postgres sql "SELECT abs(a.cost_spent / b.cost_spent - 1) < 1e-11 AND (a.charges, b.charges) = (3, 1)
    FROM dpmix.blocks('by_$accountant') a, dpmix.blocks('by_$accountant') b WHERE (a.first_block, a.last_block, b.first_block, b.last_block) = (14, 15, 20, 21)")"
  check "$accountant: the records explain themselves" 0 "$(PGUSER=olga sql "SELECT count(*) FROM dpmix.ledger l, dpmix.explain_charge(l.id) e
    WHERE l.relation = 'public.by_$accountant' AND e.meaning ~ 'DOES NOT MATCH'")"
done
asked "$(days basic 15 17)" .1 >/dev/null; asked "$(days basic 15 17)" .3 >/dev/null
check "basic: in full" "14|15|2|0.4" "$(blocks basic)"

# An upgrade after the blocks were spent by others is refused, and the answer that was paid for stays.
blocked_table narrow gdp
PGUSER=olga sql "SELECT dpmix.set_budget('narrow', 1, 1e-6, 'small')" >/dev/null
one_day="SELECT dp_count(*) AS n FROM narrow WHERE day = '2026-01-09'"
kept=$(asked "$one_day" .2 "'gaussian'")
for epsilon in .9 .9 .9 .4 .4 .2 .2 .2; do  # others, until the day is spent
  asked "SELECT dp_count(*) AS n FROM narrow WHERE day BETWEEN '2026-01-08' AND '2026-01-09' AND id > $RANDOM" $epsilon "'gaussian'" >/dev/null
done
check_match "an upgrade has to fit its blocks" "PV001: privacy budget of block 8 of public.narrow" "$(asked "$one_day" .9 "'gaussian'")"
check "what was paid for is still shown" "$kept" "$(asked "$one_day" .2 "'gaussian'")"
