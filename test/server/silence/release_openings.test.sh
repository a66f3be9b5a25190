#!/usr/bin/env bash
# As row_openings, for joins, privacy units of several rows, and every other kind of release: what their processes touch
# does not follow from whether rows match, or can be used.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/openings.sh
probed_cluster "dpmix.scan_memory = 2MB"
psql -X -q <<'SQL'
SET ROLE olga;
SET client_min_messages = warning;
CREATE TYPE mood AS ENUM ('sad', 'happy');
ALTER TYPE mood ADD VALUE 'so so' BEFORE 'happy';
CREATE TABLE people (id int, sex text, num numeric, u uuid, e mood, d date, y text COLLATE "C.utf8", far text, f8 float8);
ALTER TABLE people ALTER far SET STORAGE EXTERNAL;
INSERT INTO people SELECT i, (ARRAY['F', 'M'])[1 + i % 2], i, md5(i::text)::uuid, (enum_range(NULL::mood))[1 + i % 3], date '2020-01-01' + i, 'y' || i,
  repeat(md5(i::text), 100), i % 100 FROM generate_series(1, 400) AS i;
CREATE TABLE visits AS SELECT id AS person, id, sex, num, u, e, d, y, f8 FROM people, generate_series(1, 3);
CREATE TABLE trips AS SELECT id AS person, id, sex, e, y FROM people, generate_series(1, 100);  -- in several shares
CREATE TABLE buys AS SELECT id AS person, id, sex, f8 FROM people;
-- Of the same size; of the others, nothing can be used.
CREATE TABLE usable AS SELECT sex, f8, f8 / 2 AS half FROM people;
CREATE TABLE unusable AS SELECT 'X' AS sex, 'NaN'::float8 AS f8, 'NaN'::float8 AS half FROM people;
CREATE TABLE keys AS SELECT num, d, y, u, e, sex FROM people WHERE id < 100;
CREATE TABLE few AS SELECT e, sex FROM people WHERE id IN (7, 8);
SELECT format('CREATE UNIQUE INDEX ON %I (%I)', t, c) FROM (VALUES ('keys', '{num,d,y,u}'::text[]), ('few', '{e,sex}')) AS v(t, cs), unnest(cs) AS c \gexec
ANALYZE people, visits, trips, buys, usable, unusable, keys, few;
SELECT dpmix.protect(t, 1e6, .1, accountant => 'basic') FROM unnest('{people,usable,unusable}'::regclass[]) AS t \g /dev/null
SELECT dpmix.protect('visits', 1e6, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 2),
       dpmix.protect('trips', 1e6, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 2),
       dpmix.protect('buys', 1e6, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 1) \g /dev/null
SELECT dpmix.set_categories('trips', 'sex', '{F,M}') \g /dev/null
SELECT dpmix.set_bounds(t, 'f8', 0, 100), dpmix.set_categories(t, 'sex', '{F,M}') FROM unnest('{people,visits,buys,usable,unusable}'::regclass[]) AS t \g /dev/null
SELECT dpmix.set_bounds(t, 'half', 0, 100) FROM unnest('{usable,unusable}'::regclass[]) AS t \g /dev/null
SELECT dpmix.grant_access(t, 'ana', max_charges_per_minute => 1000000) FROM unnest('{people,visits,trips,buys,usable,unusable}'::regclass[]) AS t \g /dev/null
GRANT SELECT ON keys, few TO ana;
SELECT dpmix.declare_public(t) FROM unnest('{keys,few}'::regclass[]) AS t \g /dev/null
RESET ROLE;
SET ROLE ana;
CREATE TABLE synthetic AS SELECT sex, f8, f8 / 2 AS half FROM (SELECT (ARRAY['F', 'M'])[1 + i % 2] AS sex, (i % 100)::float8 AS f8 FROM generate_series(1, 100) AS i) AS s;
CREATE TABLE asked (number serial, without text, with_rows text);
-- Queries, of rows that are there or not.
INSERT INTO asked (without, with_rows)
  SELECT replace(call, '@', '-1,-2'), replace(call, '@', '7,8')
  FROM (SELECT format('SELECT FROM dpmix.query_json($q$ %s $q$, 10%s)', query, more) FROM (VALUES
    ('SELECT dp_count(*) FROM visits WHERE id IN (@)', ''),
    ('SELECT sex, dp_count(*), dp_sum(f8) AS s FROM visits WHERE id IN (@) GROUP BY sex', ', max_groups => 1'),
    ('SELECT sex, dp_count(*) FILTER (WHERE e > ''sad'' AND y <> ''z'') FROM trips WHERE id IN (@) GROUP BY sex', ', max_groups => 1'),
    ('SELECT y, e, dp_count(*) FROM visits WHERE id IN (@) GROUP BY y, e', ', delta => 1e-6, keys => ''discover'', max_groups => 1'),
    ('SELECT dp_count(*) FROM visits AS v JOIN keys AS k ON k.num = v.num WHERE v.id IN (@)', ''),
    ('SELECT dp_sum(v.f8) FROM visits AS v JOIN buys AS b ON v.person = b.person WHERE v.id IN (@)', ''),
    ('SELECT dp_sum(v.f8) FROM visits AS v JOIN buys AS b ON v.person = b.person AND v.sex = b.sex WHERE b.id IN (@)', ''),
    ('SELECT dp_count_distinct(y) AS n, dp_count_distinct(e) AS m, dp_count_distinct(num) AS k FROM people WHERE id IN (@)', ''),
    ('SELECT dp_count_distinct(far) AS n, dp_count_distinct(u) AS m FROM people WHERE id IN (@)', ''),
    ('SELECT dp_median(f8) AS m, dp_histogram(f8, ''{0,10,100}'') AS h FROM people WHERE id IN (@)', ''),
    ('SELECT sex, dp_avg(f8) AS a FROM people WHERE id IN (@) GROUP BY GROUPING SETS ((sex), ())', ', 1e-6')) AS q(query, more)
    UNION SELECT format('SELECT FROM dpmix.query_json($q$ SELECT dp_count(*) FROM people AS p %s JOIN %s AS k ON k.%s = p.%3$s WHERE p.id IN (@) $q$, 10)', side, CASE WHEN name IN ('e', 'sex') THEN 'few' ELSE 'keys' END, name)
      FROM unnest('{num,e,d,y,u,sex}'::text[]) AS name, unnest('{LEFT,INNER}'::text[]) AS side) AS q(call);
-- Other releases, of rows that can be used or not.
INSERT INTO asked (without, with_rows)
  SELECT replace(text, '@', 'unusable'), replace(text, '@', 'usable') FROM (VALUES
    ('SELECT FROM dpmix.release_gmm(''@'' || random(), ''@'', ''{f8,half}'', 1, 1e-6, label => ''sex'')'),
    ('SELECT FROM dpmix.release_tree(''@'' || random(), ''@'', ''{f8,half}'', 1, 1e-6, label => ''sex'', bins => ''equal'')'),
    ('SELECT FROM dpmix.release_regression(''@'' || random(), ''@'', ''f8'', ''{half,half^2}'', 1, 1e-6, label => ''sex'')'),
    ('SELECT FROM dpmix.release_regression(''@'' || random(), ''@'', ''f8 > 50'', ''{half}'', 1, 1e-6, ''logistic'', label => ''sex'')'),
    ('SELECT FROM dpmix.release_regression(''@'' || random(), ''@'', ''f8 > 50'', ''{half}'', 1, 1e-6, ''logistic'', method => ''coordinate'', passes => 2)'),
    ('SELECT FROM dpmix.release_survival(''@'' || random(), ''@'', ''f8'', ''sex'', 1, 1e-6, bins => 5, censored => ''F'')'),
    ('SELECT count(*) FROM dpmix.synthesize(NULL::@, 100, 1, 1e-6, columns => ''{f8,half}'', label => ''sex'', method => ''copula'')'),
    ('SELECT count(*) FROM dpmix.cda(NULL::@, ''{f8,half}'', 100, 1, 1e-6, label => ''sex'')'),
    ('SELECT count(*) FROM dpmix.compare_private(''@'', ''synthetic'', 1, 1e-6, ''sex'')')) AS r(text);
-- The same of what each person did, of rows that are there or not; of trips in several shares.
INSERT INTO asked (without, with_rows)
  SELECT replace(text, '@', '-1,-2'), replace(text, '@', '7,8') FROM (VALUES
    ('SELECT FROM dpmix.release_tree(''@'' || random(), columns => ''{n,f8}'', epsilon => 1, delta => 1e-6, bins => ''equal'', source =>
      $s$ SELECT person, count(DISTINCT y) AS n, max(f8) AS f8 FROM visits WHERE id IN (@) GROUP BY person $s$)'),
    ('SELECT FROM dpmix.release_regression(''@'' || random(), target => ''n'', terms => ''{f8,f8^2}'', label => ''sex'', epsilon => 1, delta => 1e-6, source =>
      $s$ SELECT DISTINCT ON (person) person, sex, f8, (SELECT count(*) FROM visits w WHERE w.person = v.person AND w.id IN (@)) AS n
      FROM visits v ORDER BY person, y $s$)'),
    ('SELECT FROM dpmix.release_regression(''@'' || random(), target => ''k > 1'', terms => ''{sex}'', kind => ''logistic'', epsilon => 1, delta => 1e-6, source =>
      $s$ SELECT person, sex, row_number() OVER (PARTITION BY person ORDER BY e, y) AS k FROM trips WHERE id IN (@) $s$)'),
    ('SELECT FROM dpmix.release_gmm(''@'' || random(), columns => ''{f8}'', epsilon => 1, delta => 1e-6, source =>
      $s$ SELECT DISTINCT ON (person) person, f8 FROM visits WHERE id IN (@) ORDER BY person, y $s$)'),
    ('SELECT FROM dpmix.release_cube(''@'' || random(), keys => ''{sex,often}'', measures => ''{count}'', epsilon => 1, delta => 1e-6, source =>
      $s$ SELECT person, sex, count(*) > 1 AS often FROM visits WHERE id IN (@) GROUP BY person, sex $s$)')) AS r(text);
SQL
sweep() {
  local seen
  seen=$(PGUSER=ana session <<<"SET client_min_messages = error; SET search_path = public, dpmix; $2
WITH seen AS MATERIALIZED (SELECT with_rows, d FROM asked, difference(without, with_rows, $3) AS d)
SELECT with_rows, d FROM seen WHERE d[1] <> 0 OR d[2] <> 0
UNION ALL SELECT 'too few with workers', ARRAY[count(*)] FROM seen WHERE d[3] > 0 HAVING count(*) < 10 AND NOT $3")
  check "$1" "" "$(head -n ${SHOWN:-5} <<<"$seen")"
}
each_way "joins, units and other releases" sweep