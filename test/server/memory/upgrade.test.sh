#!/usr/bin/env bash
# More precise answers cost the difference, and only where that is proved: Gaussian noise, an accountant that adds up
# squares, one edition, no sampling. What memory does never depends on rows.
set -euo pipefail
. test/server/memory/lib.sh
memory_cluster
people_table by_renyi renyi
people_table by_basic basic
export PGUSER=ana

cost() { PGUSER=postgres sql "SELECT coalesce(sum(cost), 0) FROM dpmix.charge WHERE relation = 'public.$1' AND id > $2"; }
ladder() {  # table epsilons...: what they cost together
  local from table=$1
  from=$(PGUSER=postgres last_charge)
  shift
  for epsilon in "$@"; do
    asked "SELECT sex, dp_count(*), dp_avg(wage), dp_histogram(wage, '{0,50,100}') FROM $table GROUP BY sex" "$epsilon" "'gaussian'" >/dev/null
  done
  cost "$table" "$from"
}
close() { sql "SELECT abs($1 / $2 - 1) < 1e-11"; }

for table in people by_renyi; do
  five=$(ladder "$table" .1 .2 .3 .4 .5 .8)
  PGUSER=olga sql "SELECT dpmix.new_edition('$table')" >/dev/null
  one=$(ladder "$table" .8)
  check "five upgrades of $table cost what the last alone does" t "$(close "$five" "$one")"
  check "asked again, it is free" 0 "$(ladder "$table" .8)"
done
basic=$(ladder by_basic .1 .2)
check "basic: charged in full" 0.3 "$(PGUSER=postgres sql "SELECT sum(epsilon) FROM dpmix.charge WHERE relation = 'public.by_basic'")"

count="SELECT dp_count(*) AS n FROM people WHERE id > 3"
asked "$count" .2 "'gaussian'" >/dev/null
check "preview says upgrade" upgrade "$(verdict "$count" .4 "'gaussian'")"
check "preview says hit" hit "$(verdict "$count" .2 "'gaussian'")"
check "preview says miss" miss "$(verdict "$count" .4 "'tulap'")"
shown=$(sql "SELECT charge_cost FROM dpmix.preview('$count', .4, 1e-9, 'gaussian')")
from=$(PGUSER=postgres last_charge)
asked "$count" .4 "'gaussian'" >/dev/null
check "preview's price is what is charged" t "$(sql "SELECT abs($shown / $(cost people "$from") - 1) < 1e-9")"
check "explain_charge computes the difference again" "matches the record" \
  "$(PGUSER=olga sql "SELECT string_agg(DISTINCT substring(meaning from 'matches the record|DOES NOT MATCH.*'), '') FROM dpmix.explain_charge($((from + 1)))")"
check "an upgrade is below min_epsilon only by itself" 1 "$(
  PGUSER=olga sql "SELECT dpmix.grant_access('people', 'ana', NULL, .3, NULL)" >/dev/null
  paid asked "$count" .41 "'gaussian'")"
PGUSER=olga sql "SELECT dpmix.grant_access('people', 'ana', NULL, 0, NULL)" >/dev/null

# The error of an upgraded answer: 300 tables of one row each would take long; 300 conditions will do.
errors() {  # the root of the mean square of errors, in deviations of the last request
  for i in $(seq 300); do
    for epsilon in .1 .2; do
      echo "SELECT (j ->> 'n')::float8 - 497 FROM dpmix.query_json('SELECT dp_count(*) AS n FROM people WHERE id > 3 AND wage > -$i', $epsilon, 1e-9, 'gaussian') j;"
    done
  done | PGOPTIONS='-c client_min_messages=warning' session | awk 'NR % 2 == 0 { sum += $1 * $1; n++ } END { print sqrt(sum / n) }'
}
deviation=$(sql "SELECT noise_stddev FROM dpmix.preview('SELECT dp_count(*) AS n FROM people WHERE id > 3 AND wage > -1', .2, 1e-9, 'gaussian')")
check "the error of upgraded answers is that of the last request" t "$(sql "SELECT abs($(errors) / $deviation - 1) < 7 / sqrt(600)")"

# A count of rows beside a count of values has the noise of these and a rest: so has each further draw.
shared="SELECT dp_count(*) AS n, dp_count(wage) AS v"
PGUSER=olga sql "UPDATE people SET wage = NULL WHERE id > 400" >/dev/null
shared_errors() {
  for i in $(seq 300); do
    for epsilon in .1 .2; do
      echo "SELECT (j ->> 'n')::float8 - 500, (j ->> 'v')::float8 - 400 FROM dpmix.query_json('$shared FROM people WHERE id > -$i', $epsilon, 1e-9, 'gaussian') j;"
    done
  done | PGOPTIONS='-c client_min_messages=warning' session |
    awk -F'|' 'NR % 2 == 0 { n += $1 * $1; v += $2 * $2; m += ($1 - $2) ^ 2; all++ } END { print sqrt(n / all), sqrt(v / all), sqrt(m / all) }'
}
read -r of_rows of_values of_missing <<<"$(shared_errors)"
read -r rows values <<<"$(sql "SELECT string_agg(noise_stddev::text, ' ' ORDER BY statistic) FROM dpmix.preview('$shared FROM people WHERE id > -1', .2, 1e-9, 'gaussian')")"
check "upgraded counts of rows and of values have the noise of the last request" t "$(
  sql "SELECT abs($of_rows / $rows - 1) < 7 / sqrt(600) AND abs($of_values / $values - 1) < 7 / sqrt(600)")"
check "and their difference that of one count" t "$(sql "SELECT abs($of_missing / $values - 1) < 7 / sqrt(600) AND abs($rows / $values - sqrt(2)) < .01")"
# Where the values are there, a count of rows is drawn on its own, for its own price.
asked "SELECT dp_avg(wage) AS w FROM people WHERE id > 7" .2 "'gaussian'" >/dev/null
from=$(PGUSER=postgres last_charge)
asked "SELECT dp_count(*) AS n, dp_avg(wage) AS w FROM people WHERE id > 7" .2 "'gaussian'" >/dev/null
alone=$(cost people "$from")
from=$(PGUSER=postgres last_charge)
asked "SELECT dp_count(*) AS n, dp_avg(wage) AS w FROM people WHERE id > 8" .2 "'gaussian'" >/dev/null
check "a count of rows beside values in memory costs a third" t "$(sql "SELECT abs($alone / $(cost people "$from") - 1.0 / 3) < 1e-9")"
check "and the other way round nothing" "hit hit" "$(verdict "SELECT dp_avg(wage) AS w FROM people WHERE id > 8" .2 "'gaussian'") $(verdict "SELECT dp_count(wage) AS v FROM people WHERE id > 8" .11 "'gaussian'")"

# Where units have several rows: these are weighed, which is no draw.
PGUSER=olga sql "SET client_min_messages = warning; CREATE TABLE visits (who int NOT NULL, paid float8);
  INSERT INTO visits SELECT i % 50, i FROM generate_series(1, 500) i;
  SELECT dpmix.protect('visits', 1000, 1e-3, accountant => 'gdp', privacy_unit => 'who', max_rows_per_unit => 3);
  SELECT dpmix.set_bounds('visits', 'paid', 0, 500); SELECT dpmix.grant_access('visits', 'ana')" >/dev/null
export PGOPTIONS="-c client_min_messages=warning"  # totals are bounded
asked "SELECT dp_sum(paid) FROM visits" .2 "'gaussian'" >/dev/null
check "weighed units: the same is a hit" hit "$(verdict "SELECT dp_sum(paid) FROM visits" .2 "'gaussian'")"
check "weighed units: more is an upgrade" upgrade "$(verdict "SELECT dp_sum(paid) FROM visits" .3 "'gaussian'")"
check "another FILTER has other weights: a miss" miss "$(verdict "SELECT dp_sum(paid) FILTER (WHERE who > 3) FROM visits" .3 "'gaussian'")"
check "Laplace noise goes by another norm: a miss" miss "$(verdict "SELECT dp_sum(paid) FROM visits" .3 "'laplace'")"
unset PGOPTIONS
# Where it is not proved.
asked "SELECT dp_median(wage) FROM people" .2 "'gaussian'" >/dev/null
check "trees of quantiles: more is a miss" miss "$(verdict "SELECT dp_median(wage) FROM people" .3 "'gaussian'")"
# Little noise makes finer cells, in four levels, where PostgreSQL thinks that rows are many. Which cells an answer has
# is no reason to be charged twice.
PGUSER=postgres sql "UPDATE pg_class SET reltuples = 6e5, relpages = pg_relation_size(oid) / 8192 WHERE oid = 'people'::regclass" >/dev/null
median="SELECT dp_median(wage + 1) FROM people"
levels() { sql "SELECT count(*) FROM dpmix.preview('$median', $1, 1e-9, 'laplace')"; }
check "wide cells for much noise, fine ones for little" "3 4" "$(levels .3) $(levels 3)"
fine=$(PGUSER=ana asked "$median" 3 "'laplace'")
check "fine cells that were paid for are free where wide ones would do" "hit 4" "$(verdict "$median" .3 "'laplace'") $(levels .3)"
check "as preview says" 0 "$(paid asked "$median" .3 "'laplace'")"
check "and they are the same answer" "$fine" "$(asked "$median" .3 "'laplace'")"
median="SELECT dp_median(wage + 2) FROM people"
asked "$median" .3 "'laplace'" >/dev/null
check "wide cells answer as little as before" "hit miss 3 4" \
  "$(verdict "$median" .2 "'laplace'") $(verdict "$median" 3 "'laplace'") $(levels .2) $(levels 3)"
PGUSER=postgres sql "ANALYZE people" >/dev/null

# Statistics that no row moves together have a joint price, and so have their upgrades.
halves="SELECT dp_count(*) FILTER (WHERE wage < 50) AS low, dp_count(*) FILTER (WHERE wage >= 50) AS high FROM people"
paid() {  # epsilons...: for the halves
  local from
  from=$(PGUSER=postgres last_charge)
  for epsilon in "$@"; do asked "$halves" "$epsilon" "'gaussian'" >/dev/null; done
  cost people "$from"
}
steps=$(paid .1 .3 .8)
PGUSER=olga sql "SELECT dpmix.new_edition('people')" >/dev/null
check "upgrades of a joint price cost what the last alone does" t "$(close "$steps" "$(paid .8)")"
# With a third statistic they are others, of which a part is there: whatever it is, preview says what is charged.
thirds="SELECT dp_count(*) FILTER (WHERE wage < 50) AS low, dp_count(*) FILTER (WHERE wage >= 50) AS high, dp_count(*) FILTER (WHERE wage IS NULL) AS none FROM people"
for epsilon in .8 .9 2; do
  shown=$(sql "SELECT max(charge_cost) FROM dpmix.preview('$thirds', $epsilon, 1e-9, 'gaussian')")
  from=$(PGUSER=postgres last_charge)
  asked "$thirds" "$epsilon" "'gaussian'" >/dev/null
  check "preview of a part that is there tells the charge, at $epsilon" t "$(close "$shown" "$(cost people "$from")")"
done

# Three fillings of a table, one sequence of questions: the same verdicts, charges, and rows in memory.
world() {  # INSERT ... SELECT of rows
  PGUSER=olga sql "SET client_min_messages = warning; TRUNCATE people; $1; SELECT dpmix.forget('people')" >/dev/null
  local q
  from=$(PGUSER=postgres last_charge)
  for q in "SELECT sex, dp_count(*) FROM people GROUP BY sex|.2" "SELECT dp_avg(wage) FROM people WHERE sex = 'F'|.3" \
    "SELECT sex, dp_count(*) FROM people GROUP BY sex|.3" "SELECT sex, dp_count(*), dp_sum(wage) FROM people GROUP BY sex|.25" \
    "SELECT dp_avg(wage) FROM people WHERE sex = 'F'|.1" "SELECT sex, dp_sum(wage) FROM people GROUP BY sex HAVING dp_count(*) > 10|.2"; do
    verdict "${q%|*}" "${q#*|}" "'gaussian'"
    asked "${q%|*}" "${q#*|}" "'gaussian'" >/dev/null
  done
  PGUSER=postgres sql "SELECT epsilon, cost FROM dpmix.charge WHERE id > $from ORDER BY id"
  PGUSER=postgres sql "SELECT statistic, octet_length(content) FROM dpmix.memory_item WHERE 'people' IN
    (SELECT table_name FROM dpmix.protected_table WHERE id = ANY (table_ids)) ORDER BY made_at, 1"
}
empty=$(world "SELECT")
few=$(world "INSERT INTO people SELECT i, 'F', 50, NULL FROM generate_series(1, 3) i")
many=$(world "INSERT INTO people SELECT i, 'undeclared', NULL, NULL FROM generate_series(1, 5000) i")
check_match "verdicts are of all three kinds" '^hit miss upgrade $' "$(grep -E '^(hit|miss|upgrade)$' <<<"$empty" | sort -u | tr '\n' ' ')"
check "an empty table and a small one: the same" "$empty" "$few"
check "and one of rows without values" "$empty" "$many"
