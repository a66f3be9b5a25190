#!/usr/bin/env bash
# Somebody's rows of some blocks of a population come and go, in all of its tables at once or in those without a time:
# no answer moves farther than preview says that its noise is made for, whichever blocks these are, one or several; and
# none moves at all that is not charged to one of them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "autovacuum = off" "shared_preload_libraries = 'dpmix'" "dpmix.memory_keep = 0" "timezone = UTC"
export PGOPTIONS="-c client_min_messages=error"
psql -Xq -v ON_ERROR_STOP=1 >/dev/null <<'SQL'
CREATE EXTENSION dpmix;
SELECT setseed(.25);
SELECT dpmix.create_population('folk', 1e7, 1e-3, 'basic', weak_budget => true, width => '1 year', blocks_from => '2021-01-01');
CREATE TABLE people (id int PRIMARY KEY, sex text NOT NULL, x int NOT NULL);
CREATE TABLE homes (person int NOT NULL, x int);
CREATE TABLE visits (visit int PRIMARY KEY, person int NOT NULL, day date, x int);
CREATE TABLE tests (person int NOT NULL, taken timestamptz, x int);
CREATE TABLE items (visit int NOT NULL, x int);
INSERT INTO people SELECT i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 10 FROM generate_series(1, 40) i;
INSERT INTO homes SELECT i % 40 + 1, i % 10 FROM generate_series(1, 60) i;
INSERT INTO visits SELECT i, i % 40 + 1, date '2021-01-01' + (random() * 1094)::int, i % 10 FROM generate_series(1, 300) i;
INSERT INTO tests SELECT i % 40 + 1, timestamptz '2021-01-01' + random() * interval '1094 days', i % 10 FROM generate_series(1, 300) i;
INSERT INTO items SELECT i % 300 + 1, i % 10 FROM generate_series(1, 600) i;
SELECT dpmix.protect('people', population => 'folk', privacy_unit => 'id'),
       dpmix.protect('homes', population => 'folk', privacy_unit => 'person', max_rows_per_unit => 3),
       dpmix.protect('visits', population => 'folk', privacy_unit => 'person', max_rows_per_unit => 8, blocks => 'day'),
       dpmix.protect('tests', population => 'folk', privacy_unit => 'person', max_rows_per_unit => 3, blocks => 'taken');
SELECT dpmix.protect('items', population => 'folk', unit_through => 'visits', link => '{visit}', max_rows_per_unit => 8);
SELECT dpmix.declare('people', '{"sex": ["f", "m"]}');
SELECT dpmix.set_bounds(r, 'x', 0, 10) FROM unnest('{people,homes,visits,tests,items}'::regclass[]) r;
CREATE FUNCTION year(name text, y int) RETURNS text RETURN format('%1$s >= ''%2$s-01-01'' AND %1$s < ''%3$s-01-01''', name, y, y + 1);
CREATE TABLE asked (n int GENERATED ALWAYS AS IDENTITY, text text, allowed float8, blocks int8multirange, noise float8);
INSERT INTO asked (text)
SELECT format(s, year('v.day', 2021 + y), year('t.taken', 2021 + z)) FROM generate_series(0, 2) y, generate_series(0, 2) z, unnest(ARRAY[
  'SELECT dp_count(*) FROM visits v WHERE %1$s', 'SELECT p.sex, dp_sum(v.x) FROM visits v JOIN people p ON p.id = v.person WHERE %1$s GROUP BY p.sex',
  'SELECT p.sex, dp_sum(v.x + t.x) FROM visits v JOIN tests t ON t.person = v.person JOIN people p ON p.id = v.person WHERE %1$s AND %2$s GROUP BY p.sex',
  'SELECT p.sex, dp_sum(p.x) FROM people p JOIN homes h ON h.person = p.id GROUP BY p.sex',
  'SELECT dp_sum(c) FROM (SELECT person, count(*) AS c FROM visits v WHERE %1$s GROUP BY person) l',
  'SELECT c, dp_count(*) FROM (SELECT p.id, count(v.visit) AS c FROM people p LEFT JOIN (SELECT * FROM visits v WHERE %1$s) v ON v.person = p.id GROUP BY p.id) l GROUP BY c',
  'SELECT p.sex, dp_count(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.id AND %1$s) AND NOT EXISTS (SELECT FROM tests t WHERE t.person = p.id AND %2$s) GROUP BY p.sex',
  'SELECT dp_sum(i.x) FROM items i JOIN visits v USING (visit) WHERE %1$s',
  'SELECT c, dp_sum(s) FROM (SELECT v.person, count(*) AS c, sum(i.x) AS s FROM items i JOIN visits v USING (visit) WHERE %1$s GROUP BY v.person) l GROUP BY c']) s
WHERE y = z OR s LIKE '%tests%';
INSERT INTO asked (text) VALUES
  ('SELECT c, dp_count(*) FROM (SELECT person, count(*) AS c FROM visits v WHERE day >= ''2021-01-01'' AND day < ''2023-01-01'' GROUP BY person) l GROUP BY c'),
  ('SELECT c, dp_count(*) FROM (SELECT v.person, count(*) AS c FROM visits v JOIN people p ON p.id = v.person WHERE day >= ''2022-01-01'' AND day < ''2024-01-01'' GROUP BY v.person) l GROUP BY c'),
  ('SELECT p.sex, dp_sum(v.x) FROM visits v JOIN people p ON p.id = v.person WHERE v.day >= ''2021-01-01'' AND v.day < ''2024-01-01'' GROUP BY p.sex');
DELETE FROM asked a USING asked b WHERE a.text = b.text AND a.n > b.n;
-- What the statement's noise is made for, and the rows that it gave: a number for each group.
CREATE FUNCTION answers(statement text) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_object_agg(coalesce((SELECT e.value FROM json_each_text(r) e WHERE e.key NOT LIKE 'dp%'), ''),
                            (SELECT e.value::float8 FROM json_each_text(r) e WHERE e.key LIKE 'dp%'))
    FROM dpmix.query_json(statement, 20000, 1e-9, 'gaussian') r
$$;
CREATE TABLE told (world int, n int, made jsonb);
CREATE TABLE gone_visits (LIKE visits); CREATE TABLE gone_tests (LIKE tests); CREATE TABLE gone_people (LIKE people); CREATE TABLE gone_homes (LIKE homes);
-- Person 3 has as many rows as it may, in each year, of the values that weigh most.
DELETE FROM visits WHERE person = 3; DELETE FROM tests WHERE person = 3; DELETE FROM homes WHERE person = 3;
INSERT INTO visits SELECT 1000 + 4 * y + i, 3, make_date(2021 + y, 3 + i, 5), 10 FROM generate_series(0, 2) y, generate_series(0, 3) i;
INSERT INTO tests SELECT 3, make_date(2021 + y, 3 + i, 5), 10 FROM generate_series(0, 2) y, generate_series(0, 2) i;
INSERT INTO items SELECT 1000 + i % 12, 10 FROM generate_series(0, 23) i;
INSERT INTO homes SELECT 3, 10 FROM generate_series(1, 3);
UPDATE people SET x = 10 WHERE id = 3;
SQL
# World 0 has all of them; then those of some cells are gone, -2 being the tables without a time.
world=0
ask() {
  psql -Xq -v ON_ERROR_STOP=1 -c "DO \$\$ DECLARE a record; BEGIN
    FOR a IN SELECT * FROM asked ORDER BY n LOOP
      INSERT INTO told VALUES ($world, a.n, answers(a.text));
      UPDATE asked SET blocks = (SELECT c.blocks FROM dpmix.charge c ORDER BY c.id DESC LIMIT 1) WHERE n = a.n AND blocks IS NULL;
    END LOOP; END \$\$"
}
psql -Xq -v ON_ERROR_STOP=1 -c "UPDATE asked SET allowed = (SELECT max(sensitivity) FROM dpmix.preview(text, 20000, 1e-9, 'gaussian'))"
psql -Xq -c "CREATE TABLE worlds (world int, gone int8multirange)"
ask
for gone in '{[-2,-1)}' '{[0,1)}' '{[2,3)}' '{[0,2)}' '{[-2,-1),[1,2)}' '{[-2,-1),[0,3)}' '{[1,3)}'; do
  world=$((world + 1))
  psql -Xq -v ON_ERROR_STOP=1 -c "INSERT INTO worlds VALUES ($world, '$gone')" -c "
    WITH v AS (DELETE FROM visits WHERE person = 3 AND '$gone'::int8multirange @> (extract(year FROM day)::int8 - 2021) RETURNING *),
         t AS (DELETE FROM tests WHERE person = 3 AND '$gone'::int8multirange @> (extract(year FROM taken)::int8 - 2021) RETURNING *),
         p AS (DELETE FROM people WHERE id = 3 AND '$gone'::int8multirange @> -2::int8 RETURNING *),
         h AS (DELETE FROM homes WHERE person = 3 AND '$gone'::int8multirange @> -2::int8 RETURNING *),
         kept_v AS (INSERT INTO gone_visits SELECT * FROM v), kept_t AS (INSERT INTO gone_tests SELECT * FROM t),
         kept_p AS (INSERT INTO gone_people SELECT * FROM p)
    INSERT INTO gone_homes SELECT * FROM h"
  ask
  psql -Xq -v ON_ERROR_STOP=1 -c "INSERT INTO visits SELECT * FROM gone_visits; INSERT INTO tests SELECT * FROM gone_tests;
    INSERT INTO people SELECT * FROM gone_people; INSERT INTO homes SELECT * FROM gone_homes; TRUNCATE gone_visits, gone_tests, gone_people, gone_homes"
done
# Noise is below a hundredth of what is allowed, together.
psql -Xq -v ON_ERROR_STOP=1 -c "CREATE VIEW moved AS
  SELECT a.n, a.text, a.allowed, a.blocks, w.gone, a.blocks && w.gone AS charged,
         (SELECT sqrt(sum((coalesce((x.made ->> k)::float8, 0) - coalesce((y.made ->> k)::float8, 0)) ^ 2))
          FROM (SELECT jsonb_object_keys(x.made) UNION SELECT jsonb_object_keys(y.made)) g(k)) AS by
  FROM asked a JOIN told x ON x.n = a.n AND x.world = 0 JOIN worlds w ON true JOIN told y ON y.n = a.n AND y.world = w.world"
check "all statements are answered in all worlds" t "$(sql "SELECT count(*) = 8 * (SELECT count(*) FROM asked) AND count(*) > 250 FROM told WHERE made IS NOT NULL")"
check "none moves farther than its noise is made for" "" "$(sql "SELECT * FROM moved WHERE by > 1.15 * allowed LIMIT 3")"
check "none moves that is not charged to a block that changed" "" "$(sql "SELECT * FROM moved WHERE NOT charged AND by > .15 * allowed LIMIT 3")"
check "some move as far, also where several blocks change, and by several groups" "t|t|t" "$(sql "
  SELECT bool_or(by > .95 * allowed), bool_or(by > .95 * allowed AND upper(gone) - lower(gone) > 1), bool_or(by > .6 * allowed AND text ~ 'GROUP BY c') FROM moved")"
check "of a third of those that are charged, at least" t "$(sql "SELECT 3 * count(*) FILTER (WHERE by > .15 * allowed) > count(*) FROM moved WHERE charged")"
