#!/usr/bin/env bash
# After one cube any coarser question is answered from it, free: with the numbers of the cube's own tables, and errors
# that are as declared. What the cube does not know, is asked by others or after a change, is paid for.
set -euo pipefail
. test/server/memory/lib.sh
memory_cluster "session_preload_libraries = 'dpmix'"
PGUSER=olga sql "SET client_min_messages = warning; CREATE TYPE mood AS ENUM ('sad', 'glad');
  CREATE TABLE folk (id int PRIMARY KEY, region text, schooling int NOT NULL, parttime boolean NOT NULL, mood mood, wage float8);
  INSERT INTO folk SELECT i, (ARRAY['n', 's', 'e', 'w', 'x', NULL])[1 + i % 6], i / 6 % 7, i / 42 % 3 = 0, (ARRAY['sad', 'glad', 'sad', NULL])[1 + i / 126 % 4]::mood, i % 101
    FROM generate_series(1, 12000) i;" >/dev/null
declare_folk
export PGUSER=ana

cube="SELECT FROM dpmix.release_cube('NAME', 'folk', '{region,schooling,parttime,mood}', '{count,variance(wage),sum(wage)}', 1, 1e-9)"
check "a cube is charged" 1 "$(paid sql "${cube/NAME/one}")"
check "and nothing else" "t" "$(sql "SELECT count(*) = 1 FROM dpmix.memory WHERE statistic = 'tables by keys'")"

free() { check "free: $1" 0 "$(paid asked "$2" "${3:-.1}" "${4:-}")"; }
charged() { check "charged: $1" 1 "$(paid asked "$2" "${3:-.1}" "${4:-}")"; }
free "one key" "SELECT region, dp_count(*) FROM folk GROUP BY region"
check "preview says so" "derived 0" "$(sql "SET client_min_messages = warning; SELECT DISTINCT memory || ' ' || charge_cost FROM dpmix.preview('SELECT region, dp_count(*) FROM folk GROUP BY region', .1, 1e-9)")"
check_match "so does a NOTICE, and from which cube" 'nothing was charged.*release "one".*charged as 1 of' \
  "$(sql "SELECT count(*) FROM dpmix.query_json('SELECT region, dp_count(*) FROM folk GROUP BY region', .1, 1e-9)" | tr '\n' ' ')"

PGUSER=postgres sql "CREATE SCHEMA plain AUTHORIZATION olga" >/dev/null
PGUSER=olga sql "GRANT USAGE ON SCHEMA plain TO ana; SELECT dpmix.expose('folk', 'plain.folk'); GRANT SELECT ON plain.folk TO ana" >/dev/null
check "plain SQL, too" 0 "$(paid sql "SET dpmix.epsilon = .1; SET dpmix.delta = 1e-9; SELECT region, count(*), avg(wage) FROM plain.folk WHERE mood = 'sad' GROUP BY region")"
check "has answers, NULL among them" 5 "$(sql "SET client_min_messages = error; SET dpmix.epsilon = .1; SET dpmix.delta = 1e-9; SELECT region, count(*), avg(wage) FROM plain.folk WHERE mood = 'sad' GROUP BY region" | wc -l)"
check_match "with the same numbers" "^t\$" "$(sql "SET client_min_messages = error; SET dpmix.epsilon = .1; SET dpmix.delta = 1e-9; SELECT a.n = b.n FROM (SELECT count(*) AS n FROM plain.folk WHERE region = 'n') a, dpmix.query('SELECT dp_count(*) FROM folk WHERE region = ''n''', .1, 1e-9) AS b(n bigint)")"
check_match "EXPLAIN says that it is free" "in memory: free" "$(sql "SET dpmix.epsilon = .1; SET dpmix.delta = 1e-9; EXPLAIN SELECT region, count(*) FROM plain.folk GROUP BY region" | tr '\n' ' ')"

# The tables of the cube themselves.
check "counts are those of cube_table" t "$(sql "SET client_min_messages = error; SELECT bool_and(a.n = b.answer) AND count(*) = 10
  FROM dpmix.query('SELECT region, parttime, dp_count(*) FROM folk GROUP BY region, parttime', .1, 1e-9) AS a(r text, p boolean, n bigint)
  JOIN dpmix.cube_table('one', '{parttime,region}') b ON b.key_values = ARRAY[a.p::text, a.r] OR b.key_values = ARRAY[left(a.p::text, 1), a.r]")"
check "averages, their ends, variances and sums, too" t "$(sql "SET client_min_messages = error; SELECT bool_and(a.v = v.answer AND a.l = v.dp_low AND a.h = v.dp_high AND a.s = s.answer) AND count(*) = 5
  FROM dpmix.query('SELECT schooling, dp_var(wage), dp_low(dp_var(wage)), dp_high(dp_var(wage)), dp_sum(wage) FROM folk GROUP BY schooling', .1, 1e-9) AS a(k int, v float8, l float8, h float8, s float8)
  JOIN dpmix.cube_table('one', '{schooling}', 'variance(wage)') v ON v.key_values[1] = a.k::text
  JOIN dpmix.cube_table('one', '{schooling}', 'sum(wage)') s ON s.key_values[1] = a.k::text")"
check "and a total" t "$(sql "SET client_min_messages = error; SELECT a.n = b.answer FROM dpmix.query('SELECT dp_count(*) FROM folk', .1, 1e-9) AS a(n bigint), dpmix.cube_table('one') b")"
check "what a filter admits and what it leaves add up" t "$(sql "SET client_min_messages = error; SELECT a.n + b.n = c.n
  FROM dpmix.query('SELECT dp_count(*) FROM folk WHERE parttime', .1, 1e-9) AS a(n bigint), dpmix.query('SELECT dp_count(*) FROM folk WHERE NOT parttime', .1, 1e-9) AS b(n bigint),
       dpmix.query('SELECT dp_count(*) FROM folk', .1, 1e-9) AS c(n bigint)")"
check "totals of grouping sets count everybody" t "$(sql "SET client_min_messages = error; SELECT max(n) FILTER (WHERE g = 1) = (SELECT answer FROM dpmix.cube_table('one')) AND count(*) = 6
  FROM dpmix.query('SELECT region, GROUPING(region), dp_count(*) FROM folk GROUP BY ROLLUP (region)', .05, 1e-9) AS a(r text, g int, n bigint)")"
free "in any order, with HAVING" "SELECT dp_avg(wage), region FROM folk WHERE mood = 'sad' AND schooling IN (1, 3) GROUP BY region HAVING dp_count(*) > 100"
free "OR of values" "SELECT dp_count(*) FROM folk WHERE region = 'n' OR region = 's'"
free "a condition on a key that has no other values" "SELECT region, dp_count(*) FROM folk WHERE mood <> 'sad' GROUP BY region"
free "the key that is filtered as a group" "SELECT region, dp_count(*) FROM folk WHERE region IN ('n', 'w') GROUP BY region"
free "a parameter" "SELECT dp_count(*) FROM folk WHERE region = \$1" .1 "params => '{n}'"

# 200 questions: keys, filters and aggregates at random.
PGUSER=postgres sql "CREATE TABLE question (id int, keys text, condition text); CREATE TABLE answer (id int, key text, n bigint, n_low float8, n_high float8, s float8, s_low float8, s_high float8, a float8, a_low float8, a_high float8, v float8);
  GRANT ALL ON question, answer TO ana;
  SELECT setseed(.42);
  INSERT INTO question SELECT i,
    concat_ws(', ', CASE WHEN random() < .4 THEN 'region' END, CASE WHEN random() < .4 THEN 'schooling' END, CASE WHEN random() < .4 THEN 'parttime' END, CASE WHEN random() < .4 THEN 'mood' END),
    concat_ws(' AND ', CASE WHEN random() < .3 THEN (ARRAY['region = ''n''', 'region IN (''s'', ''w'')', '(region = ''e'' OR region = ''n'')'])[ceil(random() * 3)] END,
      CASE WHEN random() < .3 THEN (ARRAY['schooling = 4', 'schooling IN (1, 2, 5)', '3 = schooling'])[ceil(random() * 3)] END,
      CASE WHEN random() < .3 THEN (ARRAY['parttime', 'NOT parttime', 'parttime = true'])[ceil(random() * 3)] END,
      CASE WHEN random() < .3 THEN (ARRAY['mood = ''sad''', 'mood <> ''sad''', 'mood IN (''glad'')'])[ceil(random() * 3)] END)
    FROM generate_series(1, 200) i" >/dev/null
ask_all="DO \$do\$ DECLARE q record; w text; g text; k text; BEGIN FOR q IN SELECT * FROM question LOOP
    w := CASE WHEN q.condition <> '' THEN ' WHERE ' || q.condition ELSE '' END;
    g := CASE WHEN q.keys <> '' THEN ' GROUP BY ' || q.keys ELSE '' END;
    k := CASE WHEN q.keys <> '' THEN q.keys || ', ' ELSE '' END;
    INSERT INTO answer SELECT q.id, (a.j::jsonb - '{n,nl,nh,s,sl,sh,a,al,ah,v}'::text[])::text, (j->>'n')::bigint, (j->>'nl')::float8, (j->>'nh')::float8, (j->>'s')::float8, (j->>'sl')::float8, (j->>'sh')::float8,
      (j->>'a')::float8, (j->>'al')::float8, (j->>'ah')::float8, (j->>'v')::float8
    FROM dpmix.query_json('SELECT ' || k || 'dp_count(*) AS n, dp_low(dp_count(*)) AS nl, dp_high(dp_count(*)) AS nh, dp_sum(wage) AS s, dp_low(dp_sum(wage)) AS sl, dp_high(dp_sum(wage)) AS sh,
      dp_avg(wage) AS a, dp_low(dp_avg(wage)) AS al, dp_high(dp_avg(wage)) AS ah, dp_var(wage) AS v FROM folk' || w || g, .02, 1e-9) a(j); END LOOP; END \$do\$"
ask_all() { sql "SET client_min_messages = error; $ask_all" >&2; }
check "200 random coarser questions cost nothing" 0 "$(paid ask_all)"
PGUSER=postgres sql "CREATE TABLE truth (id int, key text, n bigint, s float8, a float8);
  DO \$do\$ DECLARE q record; w text; g text; k text; BEGIN FOR q IN SELECT * FROM question LOOP
    w := CASE WHEN q.condition <> '' THEN ' WHERE ' || q.condition ELSE '' END;
    k := CASE WHEN q.keys <> '' THEN q.keys || ', ' ELSE '' END;
    g := CASE WHEN q.keys <> '' THEN ' GROUP BY ' || q.keys ELSE '' END;
    EXECUTE 'INSERT INTO truth SELECT ' || q.id || ', (to_jsonb(t) - ''{n,s,a}''::text[])::text, n, s, a FROM (SELECT ' || k || 'count(*) AS n, sum(least(wage, 100)) AS s, avg(least(wage, 100)) AS a FROM folk' || w || g || ') t';
  END LOOP; END \$do\$" >/dev/null
joined="answer a LEFT JOIN truth t ON t.id = a.id AND t.key::jsonb = a.key::jsonb"
check "all were answered" "200 true" "$(sql "SELECT count(DISTINCT id) || ' ' || (count(*) > 800) FROM answer")"
check "every key is as PostgreSQL has it" 0 "$(PGUSER=postgres sql "SELECT count(*) FROM $joined JOIN question q ON q.id = a.id WHERE t.id IS NULL AND q.condition = '' AND q.keys <> ''")"
# Half of a 95% interval is at least 1.96 deviations; none of some thousand answers is off by more than 7.5 of them.
far() { PGUSER=postgres sql "SELECT coalesce(max(abs(a.$1 - coalesce(t.$1, 0)) / ((a.$1_high - a.$1_low) / 3.92)), 99) FROM $joined WHERE a.$1_high > a.$1_low"; }
check "no count is off by more than its noise can be" t "$(PGUSER=postgres sql "SELECT $(far n) < 7.5")"
check "no sum" t "$(PGUSER=postgres sql "SELECT $(far s) < 7.5")"
check "intervals hold" t "$(PGUSER=postgres sql "SELECT avg((coalesce(t.n, 0) BETWEEN a.n_low AND a.n_high)::int) > .6 AND avg((coalesce(t.s, 0) BETWEEN a.s_low AND a.s_high)::int) > .6 FROM $joined")"
check "averages hold, too" t "$(PGUSER=postgres sql "SELECT avg((t.a BETWEEN a.a_low AND a.a_high)::int) > .8 FROM $joined WHERE t.n > 0")"

# What is not told by the cube.
charged "another condition" "SELECT region, dp_count(*) FROM folk WHERE wage > 10 GROUP BY region"
charged "a value that is not declared" "SELECT dp_count(*) FROM folk WHERE region = 'x'"
charged "all but one value, where there are others" "SELECT dp_count(*) FROM folk WHERE region <> 'n'"
free "rows without a value" "SELECT dp_count(*) FROM folk WHERE mood IS NULL"
charged "a range beyond the bounds" "SELECT dp_count(*) FROM folk WHERE schooling >= 2"
charged "another measure" "SELECT region, dp_avg(id % 10) FROM folk GROUP BY region"
charged "a measure that is filtered" "SELECT region, dp_count(*) FILTER (WHERE parttime) FROM folk GROUP BY region"
charged "another key" "SELECT id % 2, dp_count(*) FROM folk GROUP BY 1"
charged "more precision than the cube has" "SELECT region, dp_count(*) FROM folk GROUP BY region" 5
check "max_age = 0 asks anew" 1 "$(paid sql "SET dpmix.max_age = 0; SELECT * FROM dpmix.query('SELECT parttime, dp_count(*) FROM folk GROUP BY parttime', .1, 1e-9) AS t(p boolean, n bigint)")"
check "another role pays" 1 "$(PGUSER=bob paid asked "SELECT schooling, dp_count(*) FROM folk GROUP BY schooling" .1)"
check "the owner, too" 1 "$(PGUSER=olga paid asked "SELECT schooling, dp_count(*) FROM folk GROUP BY schooling" .1)"
PGUSER=olga sql "SELECT dpmix.revoke_access('folk', 'ana')" >/dev/null
check_match "without the grant there is no answer" "PV006" "$(sql "SELECT * FROM dpmix.query_json('SELECT schooling, dp_count(*) FROM folk GROUP BY schooling', .1, 1e-9)")"
PGUSER=olga sql "SELECT dpmix.grant_access('folk', 'ana', NULL, 0, NULL)" >/dev/null
charged "a new grant" "SELECT schooling, dp_count(*) FROM folk GROUP BY schooling"

sql "BEGIN; ${cube/NAME/gone}; ROLLBACK" >/dev/null
free "from a cube that ROLLBACK undid: it was paid for" "SELECT mood, dp_count(*) FROM folk GROUP BY mood"
PGUSER=olga sql "SELECT dpmix.new_edition('folk')" >/dev/null

# A condition of its own, and keys that are kept to two at a time.
sql "SELECT FROM dpmix.release_cube('two', 'folk', '{region,schooling,parttime}', '{count}', 1, 1e-9, up_to => 2, condition => 'wage > 10')" >/dev/null
free "the cube's own condition" "SELECT region, dp_count(*) FROM folk WHERE wage > 10 AND parttime GROUP BY region"
charged "another one" "SELECT region, dp_count(*) FROM folk WHERE wage > 11 GROUP BY region"
charged "none" "SELECT region, schooling, dp_count(*) FROM folk GROUP BY 1, 2"
charged "finer keys" "SELECT region, schooling, dp_count(*) FROM folk WHERE wage > 10 AND parttime GROUP BY 1, 2"
charged "other bounds" "SELECT dp_avg(wage) FROM folk"
sql "SELECT FROM dpmix.query(\$\$SELECT parttime, schooling, dp_count(*) FROM folk WHERE region = 's' GROUP BY CUBE (parttime, schooling)\$\$, 1, 1e-9) AS t(p boolean, s int, n bigint)" >/dev/null
free "from a query with grouping sets" "SELECT schooling, dp_count(*) FROM folk WHERE region = 's' GROUP BY schooling"
free "whose totals count everybody" "SELECT parttime, dp_count(*) FROM folk WHERE region = 's' GROUP BY parttime"
PGUSER=olga sql "SELECT dpmix.set_categories('folk', 'region', '{n,s,e,w,x}')" >/dev/null
charged "other categories" "SELECT region, dp_count(*) FROM folk WHERE wage > 10 GROUP BY region"
PGUSER=olga sql "SELECT dpmix.set_categories('folk', 'region', '{n,s,e,w}')" >/dev/null
PGUSER=olga sql "SELECT dpmix.new_edition('folk')" >/dev/null
charged "another edition" "SELECT parttime, dp_count(*) FROM folk WHERE wage > 10 GROUP BY parttime"

# What others paid for, under scope table: free, and counted by the cap.
PGUSER=olga sql "SELECT dpmix.set_memory('folk', scope => 'table')" >/dev/null
sql "${cube/NAME/three}" >/dev/null
check "shared: another role is answered" 0 "$(PGUSER=bob paid asked "SELECT mood, dp_count(*) FROM folk GROUP BY mood" .1)"
check "and has seen a charge" 1 "$(PGUSER=postgres sql "SELECT count(*) FROM dpmix.sight")"

# The declared error is the true one: cubes of editions of their own.
PGUSER=postgres sql "CREATE TABLE z (n float8, p float8); GRANT ALL ON z TO ana" >/dev/null
twenty="region IN ('n', 's', 'e', 'w') AND schooling IN (1, 2, 3, 4, 5)"
exact=$(PGUSER=postgres sql "SELECT count(*) FROM folk WHERE $twenty")
for _ in 1 2 3; do
  for i in $(seq 40); do
    echo "SELECT dpmix.new_edition('folk') \\g /dev/null"
    echo "SET ROLE ana; SELECT FROM dpmix.release_cube('z$RANDOM$RANDOM$i', 'folk', '{region,schooling,parttime}', '{count}', .3, 1e-9, up_to => 2) \\g /dev/null"
    echo "INSERT INTO z SELECT n - $exact, (h - l) / 3.92 FROM dpmix.query('SELECT dp_count(*), dp_low(dp_count(*)), dp_high(dp_count(*)) FROM folk WHERE ${twenty//\'/\'\'}', .01, 1e-9) AS t(n bigint, l float8, h float8); RESET ROLE;"
  done | PGUSER=postgres session >/dev/null
done
check "120 cubes" 120 "$(PGUSER=postgres sql "SELECT count(*) FROM z")"
# Chi-squared of 120 degrees is outside of 48 to 240 once in 1e9 times. Half an interval is a few percent more than 1.96
# deviations, for rounding. Twenty cells taken as independent would have a ninth of the square.
check "whose errors are as declared" t "$(PGUSER=postgres sql "SELECT sum(power(n / p, 2)) BETWEEN 42 AND 240 FROM z")"
echo "# mean square $(PGUSER=postgres sql "SELECT avg(power(n / p, 2)), avg(n), avg(p) FROM z")"

# A plain GROUP BY tells coarser questions, too, where its noise is Gaussian.
PGUSER=olga sql "SELECT dpmix.new_edition('folk')" >/dev/null
plain='SELECT region, parttime, dp_count(*), dp_avg(wage) FROM folk GROUP BY 1, 2'
sql "SELECT FROM dpmix.query_json('$plain', 1, 1e-9, mechanism => 'gaussian')" >/dev/null
check "sums of its groups are the answer" t "$(sql "SET client_min_messages = error; SELECT sum((a.j->>'dp_count')::bigint) = (SELECT sum((b.j->>'dp_count')::bigint) FROM dpmix.query_json('SELECT region, dp_count(*) FROM folk GROUP BY region', .1, 1e-9) b(j)) FROM dpmix.query_json('$plain', 1, 1e-9, mechanism => 'gaussian') a(j)")"
free "fewer keys than a query had" "SELECT parttime, dp_avg(wage) FROM folk WHERE region IN ('n', 's', 'e', 'w') GROUP BY parttime"
charged "fewer keys whose rows are others" "SELECT parttime, dp_avg(wage) FROM folk GROUP BY parttime"
free "a value of its key" "SELECT parttime, dp_count(*) FROM folk WHERE region IN ('n', 's') GROUP BY parttime"
check_match "a NOTICE says that it was a query" "tables of an earlier query" "$(sql "SELECT * FROM dpmix.query_json('SELECT region, dp_count(*) FROM folk GROUP BY region', .1, 1e-9)")"
charged "rows that its keys leave out" "SELECT dp_count(*) FROM folk"
charged "finer than it" "SELECT region, schooling, dp_count(*) FROM folk GROUP BY 1, 2"
