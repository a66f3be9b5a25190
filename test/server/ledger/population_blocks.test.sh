#!/usr/bin/env bash
# Populations with blocks: many clients at once, what each charge names, caps of roles, crashes, dumps, policies, and
# what is shown of the block of now.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s" "client_min_messages = warning" "dpmix.memory_keep = 0"
fails() { sql "$1" "${2:-postgres}" 2>&1 || true; }
charged='^[0-9]+$'
sql "CREATE ROLE own LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE stranger LOGIN; GRANT CREATE ON SCHEMA public TO own;
     CREATE FUNCTION try_query(query text, epsilon float8) RETURNS bool LANGUAGE plpgsql AS \$\$
     BEGIN EXECUTE format('SELECT n FROM dpmix.query(%L, %s, 1e-9) AS t(n bigint)', query, epsilon); RETURN true;
     EXCEPTION WHEN SQLSTATE 'PV001' THEN RETURN false; END \$\$" >/dev/null
# Each person has a visit in each year from 2016 on. The blocks are years: 2016 is 0.
PGUSER=own sql "SET client_min_messages = warning;
  SELECT dpmix.create_population('folk', 1, 1e-6, 'basic', width => '1 year', blocks_from => '2016-01-01');
  CREATE TABLE people (id int PRIMARY KEY, sex text NOT NULL);
  CREATE TABLE visits (person int NOT NULL, day date);
  CREATE TABLE tests (person int NOT NULL, taken timestamptz);
  INSERT INTO people SELECT i, 'f' FROM generate_series(1, 300) i;
  INSERT INTO visits SELECT i, make_date(y, 6, 15) FROM generate_series(1, 300) i, generate_series(2016, 2026) y;
  INSERT INTO tests SELECT person, day FROM visits;
  SELECT dpmix.protect('people', population => 'folk', privacy_unit => 'id');
  SELECT dpmix.protect('visits', population => 'folk', privacy_unit => 'person', max_rows_per_unit => 20, blocks => 'day');
  SELECT dpmix.protect('tests', population => 'folk', privacy_unit => 'person', max_rows_per_unit => 20, blocks => 'taken');
  SELECT dpmix.declare('people', '{\"sex\": [\"f\", \"m\"]}')" >/dev/null
of_year() { echo "$1 >= ''$2-01-01'' AND $1 < ''$(($2 + 1))-01-01''"; }
charged_so_far() { sql "SELECT count(*) FROM dpmix.charge"; }
blocks() { sql "SELECT blocks FROM dpmix.charge ORDER BY id DESC LIMIT 1"; }

# Refused before any charge.
before=$(sql "SELECT count(*) FROM dpmix.charge")
for call in "dpmix.protect('t', population => 'folk', privacy_unit => 'id', blocks => 'n')|column \"n\" has no place in the blocks of population" \
  "dpmix.protect('t', population => 'folk', privacy_unit => 'id', blocks => 'word')|column \"word\" has no place" \
  "dpmix.protect('t', population => 'folk', privacy_unit => 'id', blocks => 'day', width => '1 day')|the blocks of public.t are those of population" \
  "dpmix.protect('t', population => 'hours', privacy_unit => 'id', blocks => 'day')|is of days, and the blocks of population \"hours\" do not consist of whole ones" \
  "dpmix.protect('t', population => 'folk', blocks => 'day')|It has no privacy_unit" \
  "dpmix.join_population('ready', 'folk')|population \"folk\" has blocks, and public.ready is protected already" \
  "dpmix.create_population('x', 1, 0, 'basic', blocks_from => '2016-01-01')|blocks_from is about blocks, and width is not given" \
  "dpmix.create_population('x', 1, 0, 'basic', width => '1 year', blocks_from => '2016-01-02')|blocks of months cannot begin at 2016-01-02" \
  "dpmix.create_population('x', 1, 0, 'basic', width => '1 year 1 day')|blocks cannot be 1 year 1 day wide" \
  "dpmix.create_counter('c', 'SELECT dp_count(*) FROM weekly', period => '7 days', horizon => '700 days', epsilon => .1, delta => 1e-9)|a counter of a table of a population is not possible"; do
  sql "CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY, n int, word text, day date);
       CREATE TABLE IF NOT EXISTS ready (id int PRIMARY KEY);
       SELECT dpmix.protect('ready', 1, 1e-6, privacy_unit => 'id', accountant => 'basic') WHERE NOT EXISTS (SELECT FROM dpmix.budget WHERE relation = 'ready'::regclass);
       SELECT dpmix.create_population('hours', 1, 0, 'basic', width => '12 hours') WHERE NOT EXISTS (SELECT FROM dpmix.populations WHERE name = 'hours');
       SELECT dpmix.create_population('weeks', 1, 1e-6, 'gdp', width => '7 days') WHERE NOT EXISTS (SELECT FROM dpmix.populations WHERE name = 'weeks');
       CREATE TABLE IF NOT EXISTS weekly (id int PRIMARY KEY, day date);
       SELECT dpmix.protect('weekly', population => 'weeks', privacy_unit => 'id', blocks => 'day')" >/dev/null
  check_match "refused: ${call%%|*}" "PV00[25]: .*${call#*|}|DETAIL: .*${call#*|}" "$(fails "SELECT ${call%%|*}" | tr '\n' ' ')"
done
check "nothing was charged" "$before" "$(sql "SELECT count(*) FROM dpmix.charge")"
check_match "a charge of such a table that names no block is refused" "PV004" "$(fails "SELECT charge_probe('weekly', .1)")"

# Many clients, joins of all kinds, until the budgets end.
for year in 2017 2018 2019; do
  next=$(((year - 2016) % 3 + 2017))
  {
    echo "SELECT try_query('SELECT dp_count(*) FROM visits WHERE $(of_year day $year)', .05);"
    echo "SELECT try_query('SELECT dp_count(*) FROM visits v JOIN people p ON p.id = v.person WHERE $(of_year v.day $year)', .04);"
    echo "SELECT try_query('SELECT dp_count(*) FROM visits v JOIN tests t ON t.person = v.person WHERE $(of_year v.day $year) AND $(of_year t.taken $next)', .03);"
    echo "SELECT try_query('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.id AND $(of_year v.day $year)) AND EXISTS (SELECT FROM tests t WHERE t.person = p.id AND $(of_year t.taken $next))', .02);"
    echo "SELECT try_query('SELECT dp_count(*) FROM people', .01);"
  } >"$CLUSTER/of.$year.sql"
done
PGTZ=UTC "$BIN/pgbench" -n -c 6 -j 2 -t 12 -f "$CLUSTER/of.2017.sql" -f "$CLUSTER/of.2018.sql" -f "$CLUSTER/of.2019.sql" >/dev/null 2>"$CLUSTER/bench.log" || cat "$CLUSTER/bench.log"
for year in 2017 2018 2019; do
  for epsilon in .1 .02 .01; do while [ "$(sql "SELECT try_query('SELECT dp_count(*) FROM visits WHERE $(of_year day $year)', $epsilon)")" = t ]; do :; done; done
done
while [ "$(sql "SELECT try_query('SELECT dp_count(*) FROM people', .01)")" = t ]; do :; done
check "each charge names the years of its text, and what is in no block where its text reads people" "0" "$(sql "
  SELECT count(*) FROM dpmix.charge c CROSS JOIN LATERAL (SELECT c.parameters ->> 'query' AS text) q
  WHERE c.blocks IS DISTINCT FROM (
    SELECT range_agg(int8range(b, b, '[]')) FROM (
      SELECT (m[1])::int8 - 2016 AS b FROM regexp_matches(q.text, '>= ''(\d{4})', 'g') m
      UNION SELECT -2 WHERE q.text LIKE '%people%') s)")"
check "there are charges of each kind" t "$(sql "SELECT count(DISTINCT blocks) >= 8 AND count(*) > 60 FROM dpmix.charge")"
sums="SELECT b, sum(c.epsilon) AS e FROM dpmix.charge c, unnest(c.blocks) r, generate_series(lower(r), upper(r) - 1) b GROUP BY b"
check "no block has more than its budget" "0" "$(sql "SELECT count(*) FROM ($sums) s WHERE e > 1")"
check "each ended, to the last that fits" "-2 1 2 3" "$(sql "SELECT string_agg(b::text, ' ' ORDER BY b) FROM ($sums) s WHERE e > .99")"
# Somebody of these years: what was charged to any of them, each release once, is within as many budgets.
check "nor have k blocks of somebody more than k budgets" "0" "$(sql "
  SELECT count(*) FROM (VALUES ('{[-2,-1)}'::int8multirange, 1), ('{[1,2)}', 1), ('{[-2,-1),[1,2)}', 2), ('{[1,3)}', 2), ('{[-2,-1),[1,4)}', 4)) p(b, k),
    LATERAL (SELECT sum(epsilon) AS e FROM dpmix.charge c WHERE c.blocks && p.b) s WHERE s.e > p.k")"
shown() {  # of all that is seen, in a database
  sql "SELECT md5(string_agg(s::text, ';' ORDER BY first_block)) FROM dpmix.blocks('visits') s; SELECT * FROM dpmix.blocks('people');
       SELECT relation, epsilon_spent, share_spent, least_share_spent, population FROM dpmix.budget WHERE population = 'folk' ORDER BY relation::text;
       SELECT name, epsilon_spent, share_spent, width, blocks_from, now_from, now_to, share_spent_now, share_spent_always FROM dpmix.populations ORDER BY name" "${1:-postgres}"
}
check_match "what is in no block is spent, in words" "PV001: privacy budget of what is in no block of public.people .population \"folk\". is exhausted" \
  "$(fails "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people', .1, 1e-9) AS t(n bigint)")"
check_match "so a join with it is refused in years that are not" "PV001: .*what is in no block" \
  "$(fails "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM visits v JOIN people p ON p.id = v.person WHERE $(of_year v.day 2020)', .1, 1e-9) AS t(n bigint)")"
check "and charges none of them" "0" "$(sql "SELECT count(*) FROM ($sums) s WHERE b = 4")"
check "a year alone renews" t "$(sql "SELECT try_query('SELECT dp_count(*) FROM visits WHERE $(of_year day 2020)', .5)")"
check_match "what spans it and a spent one is refused, and names it" "PV001: privacy budget of block 3 of public.visits" \
  "$(fails "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM visits WHERE day >= ''2019-07-01'' AND day < ''2021-01-01''', .1, 1e-9) AS t(n bigint)")"
check "years that are not yet are not read, and nobody pays" "0 $(charged_so_far)" "$(sql "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM visits WHERE day >= ''2050-01-01''', .5) AS t(n bigint)") $(charged_so_far)"
check "an open end is now" "{[4,5),[$(($(date -u +%Y) - 2016)),$(($(date -u +%Y) - 2015)))}" "$(sql "SELECT try_query('SELECT dp_count(*) FROM visits WHERE day >= ''$(date -u +%Y)-01-01'' OR ($(of_year day 2020))', .05)" >/dev/null; blocks)"
check "previews say how often it fits" "4 0" "$(sql "SELECT DISTINCT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM visits WHERE $(of_year day 2020)', .1, 1e-9)") $(
  sql "SELECT DISTINCT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM visits v JOIN people p ON p.id = v.person WHERE $(of_year v.day 2020)', .1, 1e-9)")"

# A role: a cap is over all blocks, a share is of each.
PGUSER=own sql "SELECT dpmix.grant_access('visits', 'ana', min_epsilon => 0, max_charges_per_minute => NULL, share => .25);
                SELECT dpmix.grant_access('tests', 'ana', min_epsilon => 0, max_charges_per_minute => NULL, share => .2)" >/dev/null
ana() { PGUSER=ana sql "SELECT try_query('$1', $2)"; }
check "a share is of each block" "t f t" "$(echo $(ana "SELECT dp_count(*) FROM visits WHERE $(of_year day 2022)" .25) $(
  ana "SELECT dp_count(*) FROM visits WHERE $(of_year day 2022)" .01) $(ana "SELECT dp_count(*) FROM visits WHERE $(of_year day 2023)" .1))"
check "a join is within the shares of both grants, in all that it reads" "f t f" "$(echo $(
  ana "SELECT dp_count(*) FROM visits v JOIN tests t ON t.person = v.person WHERE $(of_year v.day 2024) AND $(of_year t.taken 2024)" .21) $(
  ana "SELECT dp_count(*) FROM visits v JOIN tests t ON t.person = v.person WHERE $(of_year v.day 2024) AND $(of_year t.taken 2025)" .15) $(
  ana "SELECT dp_count(*) FROM tests WHERE $(of_year taken 2024)" .1))"
PGUSER=own sql "SELECT dpmix.grant_access('visits', 'ana', .6, min_epsilon => 0, max_charges_per_minute => NULL)" >/dev/null
check "a cap is over all of them" "t f" "$(echo $(ana "SELECT dp_count(*) FROM visits WHERE $(of_year day 2021)" .1) $(ana "SELECT dp_count(*) FROM visits WHERE $(of_year day 2023)" .1))"
check "who may ask one table sees its blocks, a stranger none" "t 0" "$(PGUSER=ana sql "SELECT count(*) > 3 FROM dpmix.blocks('visits')") $(
  PGUSER=stranger sql "SELECT count(*) FROM dpmix.populations")"

# The block of now.
now=$(date -u +%Y)
check "describe says what is left of the block of now, and when the next one begins" "$now-01-01 to $((now + 1))-01-01 (UTC), of which 0.0500 is spent; the next block has a budget of its own" \
  "$(PGUSER=own sql "SELECT value FROM dpmix.describe('visits') WHERE item = 'block of now'")"
check_match "and that what is in no block never renews" "is spent of what is in no block and always read; it never renews" "$(PGUSER=own sql "SELECT value FROM dpmix.describe('people') WHERE item = 'no block'")"
check "metrics have it" "0.05 $(date -u -d "$((now + 1))-01-01" +%s)" "$(PGUSER=own sql "SELECT string_agg(value::numeric::text, ' ' ORDER BY name) FROM dpmix.metrics()
  WHERE name IN ('dpmix_table_block_of_now_share_spent', 'dpmix_table_next_block_seconds') AND labels ->> 'relation' = 'public.visits'")"
page=$(PGUSER=own sql "SELECT dpmix.report(population => 'folk')")
check_match "the page says what somebody is promised" "in k blocks, k \+ 1 budgets are promised together" "$page"
check_match "and what a block is" "within one block of time \(@? ?1 year each\), or of all that is in no block" "$page"
check_match "an explained charge names what paid" "what is in no block, and is always read" "$(sql "SELECT string_agg(value, ' ') FROM dpmix.explain_charge((SELECT id FROM dpmix.charge WHERE blocks @> -2::int8 AND blocks @> 1::int8 LIMIT 1))")"
check "pictures of both kinds" "2" "$(sql "SELECT count(*) FROM (VALUES ('people'::regclass), ('visits')) t(r) WHERE dpmix.budget_svg(r) LIKE '<svg%'")"
check "forecasts of both kinds" "2" "$(sql "SELECT count(*) FROM (VALUES ('people'::regclass), ('visits')) t(r), dpmix.forecast(r) f WHERE f.share_spent > .9")"

# Crashes, dumps, policies.
sums=$(shown)
cluster_restart immediate
check "after a crash all is the same" "$sums" "$(shown)"
check_match "and so is a refusal" "PV001: .*what is in no block" "$(fails "SELECT charge_probe('people', .1)")"
wait_until 20 no_worker
"$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres
sql "CREATE DATABASE restored" >/dev/null
"$BIN/pg_restore" -d restored "$CLUSTER/dump" >"$CLUSTER/restore.log" 2>&1 || true
check "pg_restore has no complaint" "" "$(cat "$CLUSTER/restore.log")"
check_match "a restored ledger is frozen" "PV004" "$(fails "SELECT charge_probe('people', .001)" restored)"
sql "SELECT dpmix.adopt_ledger('restored')" restored >/dev/null 2>&1
check "it keeps its blocks" "$sums" "$(shown restored)"
check_match "and refuses by them" "PV001: .*what is in no block" "$(fails "SELECT charge_probe('people', .1)" restored)"
check "a year that is not spent is asked on" "{[4,5)}" "$(sql "SELECT try_query('SELECT dp_count(*) FROM visits WHERE $(of_year day 2020)', .1)" restored >/dev/null
  sql "SELECT blocks FROM dpmix.charge ORDER BY id DESC LIMIT 1" restored)"
policy=$(PGUSER=own sql "SELECT dpmix.policy('public')")
check "the policy has the width of the population, and the columns" "1 year|day|taken" "$(PGUSER=own PGOPTIONS='-c intervalstyle=postgres' sql "SELECT p -> 'create_population' -> 'folk' ->> 'width', p -> 'tables' -> 'visits' -> 'protect' ->> 'blocks',
  p -> 'tables' -> 'tests' -> 'protect' ->> 'blocks' FROM dpmix.policy('public') p")"
check "applied where it comes from it changes nothing" "0" "$(PGUSER=own sql "SELECT count(*) FROM dpmix.apply(\$p\$$policy\$p\$, dry_run => true)")"
other=$(sed 's/1 year/2 years/' <<<"$policy")
check_match "another width is refused" "width of population folk" "$(PGUSER=own fails "SELECT count(*) FROM dpmix.apply(\$p\$$other\$p\$, dry_run => true)" | tr '\n' ' ')"
raised=$(PGUSER=own sql "SELECT jsonb_set(\$p\$$policy\$p\$, '{create_population,folk,epsilon}', '2')")
check_match "a higher budget is loosening" "budget" "$(PGUSER=own fails "SELECT count(*) FROM dpmix.apply(\$p\$$raised\$p\$)" | tr '\n' ' ')"
sql "CREATE DATABASE empty OWNER own" >/dev/null
sql "CREATE EXTENSION dpmix; GRANT ALL ON SCHEMA public TO own" empty >/dev/null
PGUSER=own sql "CREATE TABLE people (id int PRIMARY KEY, sex text NOT NULL); CREATE TABLE visits (person int NOT NULL, day date);
                CREATE TABLE tests (person int NOT NULL, taken timestamptz)" empty >/dev/null
PGUSER=own sql "SELECT count(*) FROM dpmix.apply(\$p\$$policy\$p\$, reason => 'new', allow => '{budget,grants}')" empty >/dev/null
check "it makes an empty database the same" "$policy" "$(PGUSER=own sql "SELECT dpmix.policy('public')" empty)"
