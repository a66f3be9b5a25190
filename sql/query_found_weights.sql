-- Groups that are found by people who are in several of them: each counts in every one of its groups, for less.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE clubs (person int, club text, points float8);
-- 400 people in 16 clubs each, of 200 members: clubs of 'a' by the even, of 'b' by the odd, two rows in each.
INSERT INTO clubs SELECT i, CASE i % 2 WHEN 0 THEN 'a ' ELSE 'b ' END || c, 10
FROM generate_series(1, 400) i, generate_series(1, 16) c, generate_series(1, 2);
-- 300 clubs of one member, who is in no other; one person who is in 5 000 clubs alone; rows of nobody.
INSERT INTO clubs SELECT 1000 + i, 'lonely ' || i, 10 FROM generate_series(1, 300) i;
INSERT INTO clubs SELECT 2000, 'busy ' || c, 10 FROM generate_series(1, 5000) c;
INSERT INTO clubs SELECT NULL, 'nobody', 10 FROM generate_series(1, 1000);
SELECT dpmix.protect('clubs', epsilon => 1e7, delta => .4, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 32);
SELECT dpmix.set_bounds('clubs', 'points', 0, 20);
CREATE FUNCTION clubs_found(epsilon float8, max_groups int, OUT kind text, OUT clubs bigint, OUT rows boolean, OUT points boolean) RETURNS SETOF record LANGUAGE sql AS $$
  SELECT split_part(club, ' ', 1), count(*), bool_and(n BETWEEN 385 AND 415), bool_and(abs(sum - 4000) < 200)
  FROM dpmix.query('SELECT club, dp_count(*), dp_sum(points) FROM clubs GROUP BY club', epsilon, 1e-9, mechanism => 'gaussian', keys => 'discover', max_groups => max_groups)
    AS t(club text, n bigint, sum float8) GROUP BY 1 ORDER BY 1 $$;
-- Of 32 rows a person all count. Clubs of one member are shown with a probability of 5e-10 altogether for each person,
-- so that none of 301 is but with 2e-7 x 1e-3; of 200 members each counts as 1/4, so a club as 50: above the threshold,
-- about 1.2, by 500 deviations. 'a' and 'b' come whole.
SELECT * FROM clubs_found(1e3, NULL);
SELECT * FROM clubs_found(1e3, 16);
-- Of 4 groups a person, 4 of their 16 clubs are drawn: a club has 50 of 200 members, each as 1/2; all rows still count,
-- up to 8 in each club: the norm of two rows in 16 clubs is that of 8 in four, half of each.
SELECT kind, clubs FROM clubs_found(1e3, 4);
-- The search is one statistic more, whose norm is 1, whatever the number of groups.
SELECT max_groups, c.candidates -> 0 ->> 'weighed' AS weighed, (c.candidates -> 0 ->> 'half_kept_from')::int BETWEEN 30 AND 45 AS few,
  (c.candidates -> 0 ->> 'half_kept_from_if_in_all')::float8 / (c.candidates -> 0 ->> 'half_kept_from')::float8 / sqrt(coalesce(max_groups, 32)) BETWEEN .95 AND 1.05 AS by_root
FROM unnest('{4,16,NULL}'::int[]) max_groups, dpmix.preview('SELECT club, dp_count(*), dp_sum(points) FROM clubs GROUP BY club', 1, 1e-6, mechanism => 'gaussian', keys => 'discover',
  max_groups => max_groups) c WHERE statistic = 'groups found';
-- How small a group comes half of the time, for whoever did not ask for groups to be found.
SET client_min_messages = notice;
SELECT count(*) AS clubs FROM dpmix.query('SELECT club, dp_sum(points) FROM clubs GROUP BY club', 10, 1e-9, mechanism => 'gaussian') AS t(club text, sum float8);
SET client_min_messages = warning;
-- Where the number of people is asked for, its noise tells groups, too: people are drawn.
SELECT c.candidates -> 0 ->> 'weighed' AS weighed FROM dpmix.preview('SELECT club, dp_count_distinct(person) FROM clubs GROUP BY club', 1, 1e-6, mechanism => 'gaussian', keys => 'discover') c
WHERE statistic = 'groups found';
-- Medians are of rows that are drawn, clubs of a search by weights; FILTER has nothing to do with who is in a club.
SELECT split_part(club, ' ', 1) AS kind, count(*), bool_and(median BETWEEN 9 AND 11) AS medians, bool_and(abs(none) < 20) AS none
FROM dpmix.query('SELECT club, dp_median(points), dp_count(*) FILTER (WHERE points > 15) FROM clubs GROUP BY club', 1e4, 1e-9, mechanism => 'gaussian', keys => 'discover')
  AS t(club text, median float8, none bigint) GROUP BY 1 ORDER BY 1;
-- What is on record, and its price.
SELECT parameters ->> 'found_by' AS found_by, (parameters ->> 'shown_from')::float8 BETWEEN 1 AND 3 AS shown_from, parameters ->> 'keys' AS keys FROM dpmix.charge ORDER BY id DESC LIMIT 1;
-- Adjacency `replace`: the norm is root 2, as a person leaves groups and enters others. NULL is a key like others.
CREATE TABLE moved (person int, club text, team int);
INSERT INTO moved SELECT i, NULLIF('club ' || c, 'club 9'), c % 2 FROM generate_series(1, 200) i, generate_series(1, 9) c;
SELECT dpmix.protect('moved', epsilon => 1e7, delta => .4, accountant => 'gdp', privacy_unit => 'person', max_rows_per_unit => 9, adjacency => 'replace');
SELECT dpmix.set_categories('moved', 'team', '{0,1}');
SELECT club, team, n BETWEEN 190 AND 210 AS all_of_them
FROM dpmix.query('SELECT club, team, dp_count(*) FROM moved GROUP BY 1, 2', 1e3, 1e-9, mechanism => 'gaussian', keys => 'discover') AS t(club text, team int, n bigint);
SELECT meaning LIKE '%matches the record%' AS priced_again FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.charge)) WHERE item = 'cost';
-- The norm of nine rows is 3: where 2 may count all are weighed down. Each person counts as .7 in two clubs, drawn.
SELECT count(*), bool_and(n BETWEEN 120 AND 146) AS two_thirds
FROM dpmix.query('SELECT club, dp_count(*) FROM moved GROUP BY 1', 1e3, 1e-9, mechanism => 'gaussian', keys => 'discover', max_rows => 2) AS t(club text, n bigint);
DROP FUNCTION clubs_found;
DROP TABLE clubs, moved;
