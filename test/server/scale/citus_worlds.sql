-- Tables of two worlds over a cluster, as those of silence/worlds.sql: their rows differ in private values alone, of
-- equal widths, and people are the same. In world 0 half of all are ill and live in r0, in world 1 one person is.
\if :empty
SET client_min_messages = warning;
\ir ../silence/watchers.sql
SET ROLE ana;
CREATE TABLE synthetic (sex text, wage float8);
INSERT INTO synthetic SELECT (ARRAY['F', 'M'])[1 + i % 2], i % 100 FROM generate_series(1, 500) AS i;
RESET ROLE;
CREATE TABLE zones (k int PRIMARY KEY, zone text);
CREATE TABLE people (id int PRIMARY KEY, ill boolean, region text, sex text, wage float8, k int);
CREATE TABLE visits (person int, ill boolean, region text, place text, wage float8);
CREATE TABLE buys (person int, ill boolean, region text, cost float8);
SELECT create_distributed_table('people', 'id', shard_count => 6), create_distributed_table('visits', 'person', colocate_with => 'people'),
       create_distributed_table('buys', 'person', colocate_with => 'people'), create_reference_table('zones') \g /dev/null
INSERT INTO zones SELECT i, 'z' || i % 4 FROM generate_series(0, 15) AS i;
ALTER TABLE people OWNER TO olga;
ALTER TABLE visits OWNER TO olga;
ALTER TABLE buys OWNER TO olga;
ALTER TABLE zones OWNER TO olga;
GRANT SELECT ON zones TO ana;
SET ROLE olga;
SELECT dpmix.create_population('persons', 1e6, .1, accountant => 'basic') \g /dev/null
SELECT dpmix.protect('people', population => 'persons', privacy_unit => 'id'),
       dpmix.protect('visits', population => 'persons', privacy_unit => 'person', max_rows_per_unit => 2),
       dpmix.protect('buys', population => 'persons', privacy_unit => 'person') \g /dev/null
SELECT dpmix.set_bounds('people', 'wage', 0, 100), dpmix.set_bounds('visits', 'wage', 0, 100), dpmix.set_bounds('buys', 'cost', 0, 100),
       dpmix.set_categories('people', 'region', '{r0,r1}'), dpmix.set_categories('people', 'sex', '{F,M}'), dpmix.set_categories('people', 'ill', '{true,false}'),
       dpmix.set_categories('visits', 'region', '{r0,r1}'), dpmix.declare_public('zones') \g /dev/null
SELECT dpmix.grant_access(t, 'ana') FROM unnest('{people,visits,buys}'::regclass[]) AS t \g /dev/null
\else
INSERT INTO people SELECT i, CASE :world WHEN 0 THEN i / 50 % 2 = 0 ELSE i = 7 END, 'r' || i / 50 % 2, (ARRAY['F', 'M'])[1 + i % 2], CASE :world WHEN 0 THEN i % 100 ELSE 7 END, i % 16
  FROM generate_series(1, 4000) AS i;
INSERT INTO visits SELECT i / 2, CASE :world WHEN 0 THEN i / 100 % 2 = 0 ELSE i / 2 = 7 END, 'r' || i / 100 % 2, 'p' || CASE :world WHEN 0 THEN 10 + i % 40 ELSE 10 END, CASE :world WHEN 0 THEN i % 100 ELSE 7 END
  FROM generate_series(0, :visits - 1) AS i;
INSERT INTO buys SELECT i, CASE :world WHEN 0 THEN i / 50 % 2 = 0 ELSE i = 7 END, 'r' || i / 50 % 2, CASE :world WHEN 0 THEN i % 100 ELSE 7 END FROM generate_series(0, 14999) AS i;
\endif
