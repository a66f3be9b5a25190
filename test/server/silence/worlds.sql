-- The observer's tables. Two worlds are filled from one data folder (:world is 0 or 1). Their rows differ in which unit
-- has which value: as many rows, as long, with the same values in each column, so that all that is public is equal.
\if :empty
\ir watchers.sql
SET ROLE ana;
CREATE TABLE short (id int PRIMARY KEY, zone text);
INSERT INTO short SELECT i, 'z' || i % 4 FROM generate_series(0, 99) AS i;
CREATE TABLE synthetic (sex text, pay float8);
INSERT INTO synthetic SELECT (ARRAY['F', 'M'])[1 + i % 2], i % 100 FROM generate_series(1, 500) AS i;
RESET ROLE;
SET ROLE olga;
SET client_min_messages = warning;
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE people (id int PRIMARY KEY, ill boolean, region text, wage float8, k int, u uuid, note text,
  mood mood, town text COLLATE "ucs_basic", amount numeric);
ALTER TABLE people ALTER note SET STORAGE EXTERNAL;
CREATE TABLE visits (person int, ill boolean, region text, place text, wage float8);
CREATE TABLE buys (person int, ill boolean, region text, cost float8);
CREATE TABLE pays (sex text, pay float8);
CREATE TABLE crowd (name text, ill boolean, region text);  -- large enough for workers under PostgreSQL's own costs
SELECT dpmix.protect(t, 1e6, .1, accountant => 'basic') FROM unnest('{people,pays,crowd}'::regclass[]) AS t \g /dev/null
SELECT dpmix.create_population('persons', 1e6, .1, accountant => 'basic') \g /dev/null
SELECT dpmix.protect('visits', population => 'persons', privacy_unit => 'person', max_rows_per_unit => 2),
       dpmix.protect('buys', population => 'persons', privacy_unit => 'person', max_rows_per_unit => 1) \g /dev/null
SELECT dpmix.set_bounds('people', 'wage', 0, 100), dpmix.set_bounds('visits', 'wage', 0, 100), dpmix.set_bounds('buys', 'cost', 0, 100),
       dpmix.set_bounds('pays', 'pay', 0, 100), dpmix.set_categories('people', 'region', '{r0,r1}'), dpmix.set_categories('pays', 'sex', '{F,M}'),
       dpmix.set_categories('people', 'mood', '{good,bad}'), dpmix.set_bounds('people', 'amount', 0, 100), dpmix.set_categories('crowd', 'region', '{r0,r1}'),
       dpmix.set_categories('people', 'u', '{00000000-0000-4000-8000-000000000000,00000000-0000-4000-8000-000000000001}') \g /dev/null
SELECT dpmix.grant_access(t, 'ana') FROM unnest('{people,visits,buys,pays,crowd}'::regclass[]) AS t \g /dev/null
SELECT dpmix.set_memory('pays', '1 day') \g /dev/null
RESET ROLE;
SET ROLE ana;
SELECT dpmix.declare_public('longs'), dpmix.declare_public('short') \g /dev/null
RESET ROLE;
\else
-- Who is ill, and lives in r0, is half of the people in one world and nobody in the other.
INSERT INTO people SELECT i, i / 50 % 2 = :world, 'r' || i / 50 % 2, i % 100, i % 16, ('00000000-0000-4000-8000-00000000000' || i / 50 % 2)::uuid,
  CASE WHEN i % 20 = 0 THEN repeat(md5(i::text), 125) END,
  (ARRAY['good', 'bad'])[1 + i / 50 % 2]::mood, 't' || i / 50 % 2, i % 100 FROM generate_series(1, 4000) AS i;
INSERT INTO visits SELECT i / 2, i / 50 % 2 = :world, 'r' || i / 50 % 2, 'p' || CASE :world WHEN 0 THEN 10 + i % 40 ELSE 10 + i / 750 END, i % 100
  FROM generate_series(0, 29999) AS i;
INSERT INTO buys SELECT i, i / 50 % 2 = :world, 'r' || i / 50 % 2, i % 100 FROM generate_series(0, 14999) AS i;
INSERT INTO pays SELECT (ARRAY['F', 'M'])[1 + i / 50 % 2], CASE WHEN i / 50 % 2 = :world THEN i % 10 ELSE 90 + i % 10 END FROM generate_series(0, 3999) AS i;
INSERT INTO crowd SELECT 'p' || i, i % 2 = :world, 'r' || i % 2 FROM generate_series(1, 300000) AS i;
\endif
