#!/usr/bin/env bash
# Where no release is precise enough alone, a coarser question is answered from several together: free, with the
# precision that all of them have, and with errors and intervals that are as declared. Only tables of the same rows are
# taken together, each draw once, and a cap counts all of their charges.
set -euo pipefail
. test/server/memory/lib.sh
memory_cluster "session_preload_libraries = 'dpmix'"
PGUSER=olga sql "SET client_min_messages = warning; CREATE TYPE mood AS ENUM ('sad', 'glad');
  CREATE TABLE folk (id int PRIMARY KEY, region text, schooling int, parttime boolean NOT NULL, mood mood NOT NULL, wage float8);
  INSERT INTO folk SELECT i, (ARRAY['n', 'n', 'n', 'n', 's', 's', 'e', 'w', 'x', NULL])[1 + i % 10], i / 10 % 7, i / 70 % 3 = 0, (ARRAY['sad', 'glad', 'sad'])[1 + i / 210 % 3]::mood, i % 101
    FROM generate_series(1, 12000) i;" >/dev/null
declare_folk
export PGUSER=ana

edition() {
  PGUSER=olga sql "SELECT dpmix.new_edition('folk')" >/dev/null
  kept="dpmix.memory WHERE made_at > '$(sql "SELECT clock_timestamp()")' AND statistic"
}
cube() { sql "SELECT FROM dpmix.release_cube('$1', 'folk', '$2', '{count}', $3, 1e-9${4:+, $4})" >/dev/null; }
ask() { asked "$1" "$2" "'gaussian'"; }
told() { verdict "$1" "$2" "'gaussian'"; }
detail() { sql "SELECT * FROM dpmix.query_json(\$\$$1\$\$, $2, 1e-9, 'gaussian')" | grep DETAIL; }

# Two cubes of other keys, in another order. Each alone tells regions as well as epsilon .2 does.
regions="SELECT region, dp_count(*) FROM folk GROUP BY region"
cube one '{region,parttime}' .3
check "one cube alone" "derived miss" "$(told "$regions" .18) $(told "$regions" .25)"
cube two '{schooling,region}' .3
check "two cubes together" "derived derived" "$(told "$regions" .18) $(told "$regions" .25)"
check "are free" 0 "$(paid ask "$regions" .25)"
check "which preview says" "derived 0" "$(sql "SET client_min_messages = warning; SELECT DISTINCT memory || ' ' || charge_cost FROM dpmix.preview('$regions', .25, 1e-9, 'gaussian')")"
check_match "a NOTICE names both" 'tables of release "(one|two)" and release "(one|two)", which were charged as 1 and 2 of' "$(detail "$regions" .25)"
check_match "and only one where that is enough" 'tables of release "(one|two)", which were charged as [12] of' "$(detail "$regions" .18)"
check "beyond their sum all is charged" 1 "$(paid ask "$regions" .35)"
check "as any other query" .35 "$(sql "SELECT max(epsilon) FROM dpmix.ledger" | sed 's/^0//')"
check "max_age = 0 asks anew" 1 "$(paid sql "SET dpmix.max_age = 0; SELECT * FROM dpmix.query_json('$regions', .25, 1e-9, 'gaussian')")"
check "another role pays" 1 "$(PGUSER=bob paid ask "$regions" .25)"

# The number itself: two sums of cells of other tables, weighted by their precisions.
edition
total="SELECT dp_count(*) FROM folk"
ask "SELECT parttime, dp_count(*) FROM folk GROUP BY parttime" .2 >/dev/null
check "one query alone" miss "$(told "$total" .16)"
ask "SELECT mood, dp_count(*) FROM folk GROUP BY mood" .15 >/dev/null
check_match "two queries together" "tables of 2 earlier queries" "$(detail "$total" .16)"
check "are the weighted mean of their totals" t "$(sql "SET client_min_messages = error;
  WITH s AS (SELECT (SELECT sum((j->>'dp_count')::int) FROM dpmix.query_json('SELECT parttime, dp_count(*) FROM folk GROUP BY parttime', .2, 1e-9, 'gaussian') j) AS a,
                    (SELECT sum((j->>'dp_count')::int) FROM dpmix.query_json('SELECT mood, dp_count(*) FROM folk GROUP BY mood', .15, 1e-9, 'gaussian') j) AS b),
       w AS (SELECT power(min(noise_stddev), -2) AS a, power(max(noise_stddev), -2) AS b FROM $kept = 'count(*)')
  SELECT abs((s.a * w.a + s.b * w.b) / (w.a + w.b) - (SELECT (j->>'dp_count')::int FROM dpmix.query_json('$total', .16, 1e-9, 'gaussian') j)) < .75 FROM s, w")"
check "grouping sets add up" t "$(sql "SET client_min_messages = error; SELECT max((j->>'dp_count')::int) * 2 = sum((j->>'dp_count')::int) AND count(*) = 3
  FROM dpmix.query_json('SELECT parttime, dp_count(*) FROM folk GROUP BY ROLLUP (parttime)', .15, 1e-9, 'gaussian') j")"
check_match "their intervals make up for the look" "^t" "$(sql "SET client_min_messages = error; SELECT (j->>'h')::float8 - (j->>'l')::float8 > 2.5 * 2 * (SELECT 1 / sqrt(sum(power(noise_stddev, -2)) / 2) FROM $kept = 'count(*)')
  FROM dpmix.query_json('SELECT dp_low(dp_count(*)) AS l, dp_high(dp_count(*)) AS h FROM folk', .16, 1e-9, 'gaussian') j")"
ask "SELECT parttime, mood, dp_sum(wage) FROM folk GROUP BY 1, 2" .1 >/dev/null
check_match "each statistic has its own sources" "tables of 2 earlier queries" "$(detail "SELECT dp_count(*), dp_sum(wage) FROM folk" .06)"

# The same draw counts once, whatever names it.
edition
ask "SELECT parttime, dp_count(*) FROM folk GROUP BY parttime" .2 >/dev/null
ask "SELECT parttime, dp_count(*), dp_sum(wage) FROM folk GROUP BY parttime" .2 >/dev/null
check "two queries have one draw of the counts" "2 1" "$(sql "SELECT (SELECT count(*) FROM $kept = 'tables by keys') || ' ' || (SELECT count(*) FROM $kept = 'count(*)')")"
check "are no more precise than one" "derived miss" "$(told "$total" .13) $(told "$total" .16)"
ask "SELECT mood, dp_count(*) FROM folk GROUP BY mood" .1 >/dev/null
ask "SELECT mood, dp_count(*) FROM folk GROUP BY mood" .2 >/dev/null
check "draws of an upgrade are two" "derived derived" "$(told "SELECT dp_count(*) FROM folk WHERE mood = 'sad'" .19) $(told "$total" .19)"

# A table that lacks a key of the question helps with what it knows of the others.
edition
some="SELECT region, dp_count(*) FROM folk WHERE parttime GROUP BY region"
ask "SELECT region, parttime, dp_count(*) FROM folk GROUP BY 1, 2" .2 >/dev/null
check "a table of all its keys alone" "derived miss" "$(told "$some" .19) $(told "$some" .23)"
ask "SELECT region, dp_count(*) FROM folk GROUP BY region" .6 >/dev/null
check "with a precise one of fewer keys" "derived derived" "$(told "$some" .19) $(told "$some" .23)"
check "which alone tells nothing of it" miss "$(edition; ask "SELECT region, dp_count(*) FROM folk GROUP BY region" .6 >/dev/null; told "$some" .05)"

# Tables of other rows are not taken together.
edition
parttime="SELECT dp_count(*) FROM folk WHERE parttime"
ask "SELECT mood, dp_count(*) FROM folk WHERE parttime GROUP BY mood" .2 >/dev/null
ask "SELECT parttime, mood, dp_count(*) FROM folk GROUP BY 1, 2" .2 >/dev/null
check "other conditions" "derived miss" "$(told "$parttime" .13) $(told "$parttime" .16)"
edition
check "another edition" miss "$(told "$parttime" .05)"
cube three '{region,parttime}' .3
ask "SELECT region, mood, dp_count(*) FROM folk GROUP BY 1, 2" .28 >/dev/null
check "a key with a place for others, and without" "derived miss" "$(told "$regions" .19) $(told "$regions" .22)"
edition
ask "SELECT region, mood, dp_count(*) FROM folk GROUP BY 1, 2" .28 >/dev/null
ask "SELECT parttime, region, dp_count(*) FROM folk GROUP BY 1, 2" .28 >/dev/null
check "both without: of the same rows" "derived derived" "$(told "$regions" .19) $(told "$regions" .25)"

# What others paid for: a cap counts all of it.
PGUSER=olga sql "SELECT dpmix.set_memory('folk', scope => 'table'), dpmix.new_edition('folk'), dpmix.grant_access('folk', 'bob', .75)" >/dev/null
cube four '{region,parttime}' .3
cube five '{schooling,region}' .3
seen() { PGUSER=postgres sql "SELECT count(*) || ' ' || coalesce(sum(c.epsilon), 0) FROM dpmix.sight s JOIN dpmix.charge c ON c.id = s.charge_id"; }
some="SELECT region, dp_count(*) FROM folk WHERE region IN ('n', 's') GROUP BY region"
check "two charges beyond a cap do not answer, says preview" miss "$(PGUSER=bob told "$some" .25)"
check "the answer is bought" 1 "$(PGUSER=bob paid ask "$some" .25)"
check "nothing was shown" "0 0" "$(seen)"
check "and asked again it is the one that was bought" "hit 0" "$(PGUSER=bob told "$some" .25) $(PGUSER=bob paid ask "$some" .25)"
PGUSER=olga sql "SELECT dpmix.grant_access('folk', 'bob', 2)" >/dev/null
check_match "preview says what both count" "epsilon 0.6 for role bob" "$(PGUSER=bob sql "SELECT FROM dpmix.preview(\$\$$regions\$\$, .25, 1e-9, 'gaussian')")"
check "two charges within it" 0 "$(PGUSER=bob paid ask "$regions" .25)"
check "are two sights" "2 0.6" "$(seen)"
PGUSER=olga sql "SELECT dpmix.set_memory('folk', scope => 'grant')" >/dev/null

# The declared error is the true one, and intervals hold: two cubes of other keys and laws, in editions of their own.
PGUSER=postgres sql "CREATE TABLE z (n float8, l float8, h float8); GRANT ALL ON z TO ana" >/dev/null
two="region IN ('n', 's')"
exact=$(PGUSER=postgres sql "SELECT count(*) FROM folk WHERE $two")
before=$(PGUSER=postgres all_charges)
for _ in 1 2 3; do
  for i in $(seq 40); do
    echo "SET client_min_messages = error; SELECT dpmix.new_edition('folk') \\g /dev/null"
    echo "SET ROLE ana; SELECT FROM dpmix.release_cube('a$RANDOM$RANDOM$i', 'folk', '{region,parttime}', '{count}', .3, 1e-9) \\g /dev/null"
    echo "SELECT FROM dpmix.release_cube('b$RANDOM$RANDOM$i', 'folk', '{schooling,region}', '{count}', .25, 1e-9) \\g /dev/null"
    echo "SET client_min_messages = notice; INSERT INTO z SELECT n - $exact, l - $exact, h - $exact FROM dpmix.query('SELECT dp_count(*), dp_low(dp_count(*)), dp_high(dp_count(*)) FROM folk WHERE ${two//\'/\'\'}', .18, 1e-9, 'gaussian') AS t(n bigint, l float8, h float8); RESET ROLE;"
  done | PGUSER=postgres session
done >"$CLUSTER/pairs" 2>&1 || true
check "120 pairs of cubes" "120 240" "$(PGUSER=postgres sql "SELECT count(*) FROM z") $(($(PGUSER=postgres all_charges) - before))"
check "each answer from both" 120 "$(grep -cE 'tables of release "[ab][0-9]+" and release "[ab][0-9]+"' "$CLUSTER/pairs")"
# Half an interval is 2.638 deviations and a little more, for rounding. Chi-squared of 120 degrees is outside of 48 to
# 240 once in 1e9 times; of 120 intervals of level 1 - .05/6 more than 13 miss less often.
check "whose errors are as declared" t "$(PGUSER=postgres sql "SELECT sum(power(n / ((h - l) / 5.277), 2)) BETWEEN 42 AND 240 FROM z")"
check "and whose intervals hold" t "$(PGUSER=postgres sql "SELECT count(*) FILTER (WHERE NOT 0 BETWEEN l AND h) <= 13 FROM z")"
echo "# mean square $(PGUSER=postgres sql "SELECT avg(power(n / ((h - l) / 5.277), 2)), avg(n), avg((h - l) / 5.277) FROM z")"
