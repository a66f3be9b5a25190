-- dpmix.release_survival: curves with bands, competing risks, restricted means, the log-rank test, from one charge.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE SCHEMA survived;
GRANT USAGE ON SCHEMA survived TO PUBLIC;
SET search_path = survived;
CREATE TYPE how AS ENUM ('alive', 'heart', 'other');
CREATE TABLE stays (id int PRIMARY KEY, days float8, weeks int, ended how, died boolean, status int, arm text,
    born date);
-- By hash: as random as any, and the same for ever. In arm b things happen later.
INSERT INTO stays
SELECT i, least(t, c), floor(least(t, c) / 7), CASE WHEN t > c THEN 'alive' WHEN i % 3 = 0 THEN 'other'
    ELSE 'heart' END::how, t <= c,
       CASE WHEN t > c THEN 0 WHEN i % 3 = 0 THEN 2 ELSE 1 END, arm, '2000-01-01'
FROM (SELECT i, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS arm,
             -ln((abs(hashint4(i)) % 100000 + 1) / 100001.0) * CASE WHEN i % 2 = 0 THEN 150 ELSE 250 END AS t,
             60 + abs(hashint4(i * 7 + 1)) % 700 AS c FROM generate_series(1, 4000) i) s;
SELECT dpmix.protect('stays', epsilon => 1e7, delta => .1, accountant => 'basic');
SELECT dpmix.set_bounds('stays', 'days', 0, 360), dpmix.set_bounds('stays', 'weeks', 0, 60),
    dpmix.set_bounds('stays', 'status', 0, 2),
       dpmix.set_categories('stays', 'ended', '{alive,heart,other}'), dpmix.set_categories('stays', 'arm', '{a,b}');

-- At this epsilon noise is 0. Of whole weeks, one a bin, curves are those of Kaplan and Meier.
SELECT name, relation, groups, events, bins, until, rows_estimated, quality
FROM dpmix.release_survival('survival weeks', 'stays', 'weeks', 'died', 1e5, 1e-6, by => 'arm', bins => 50,
    until => 50);
CREATE TEMP VIEW kaplan_meier AS
SELECT arm, week, exp(sum(ln(1 - events / people)) OVER (PARTITION BY arm ORDER BY week)) AS survival, people, events
FROM (SELECT arm, week, count(*) FILTER (WHERE weeks >= week)::float8 AS people, count(*) FILTER (WHERE weeks = week
    AND died)::float8 AS events
      FROM stays, generate_series(0, 49) week GROUP BY 1, 2) s;
SELECT count(*), bool_and(s.at_risk = k.people AND s.events = k.events) AS counts,
    bool_and(abs(s.survival - k.survival) < 1e-9) AS curve,
       bool_and(low <= noise_low AND noise_low <= s.survival AND s.survival <= noise_high AND noise_high <= high)
    AS bands
FROM dpmix.survival('survival weeks') s JOIN kaplan_meier k ON (k.arm, k.week) = (s.by, s.time);
SELECT by, hazard_ratio BETWEEN .5 AND .7 AS less, low < hazard_ratio AND hazard_ratio < high AND high < 1 AS ordered,
    p_value < 1e-9 AS differ FROM dpmix.survival_ratios('survival weeks');
SELECT degrees, p_value < 1e-9 AS differ, statistic > 30 AS much, until FROM dpmix.survival_test('survival weeks');

-- Competing risks: what happens and who is left are all. Of a status the events are the numbers but 0.
SELECT groups, events, bins FROM dpmix.release_survival('survival risks', 'stays', 'days', 'ended', 1e5, 1e-6,
    bins => 12, censored => 'alive');
SELECT count(*), bool_and(abs(s.survival + i.sum - 1) < 1e-9) AS all_of_them, min(s.time) AS first, max(s.time)
    AS last
FROM dpmix.survival('survival risks') s JOIN (SELECT time, sum(incidence)
    FROM dpmix.survival_incidence('survival risks') GROUP BY 1) i USING (time);
SELECT DISTINCT event FROM dpmix.survival_incidence('survival risks') ORDER BY 1;
SELECT by, event, count(*), bool_and(low <= incidence AND incidence <= high) AS within
    FROM dpmix.survival_incidence('survival risks', 'other') GROUP BY 1, 2;
SELECT groups, events FROM dpmix.release_survival('survival status', 'stays', 'days', 'status', 1e5, 1e-6,
    bins => 12);
SELECT a.event, b.event, bool_and(abs(a.incidence - b.incidence) < 1e-12) AS same
FROM dpmix.survival_incidence('survival status') a JOIN dpmix.survival_incidence('survival risks') b
     ON b.time = a.time AND b.event = CASE a.event WHEN '1' THEN 'heart' ELSE 'other' END
GROUP BY 1, 2 ORDER BY 1;
-- The mean of these very people lies within what the bins leave open; the curve's own area.
SELECT by, until, noise_low <= mean_time AND mean_time <= noise_high AS within, low <= noise_low
    AND noise_high <= high AS wider,
       abs(mean_time - (SELECT 15 + sum(survival) * 30 - 15 * min(survival)
    FROM dpmix.survival('survival risks'))) < 1e-6 AS area
FROM dpmix.survival_mean('survival risks');
SELECT until FROM dpmix.survival_mean('survival risks', 90);
-- One charge each, as a model's; preview and report.
SELECT kind, count(*), min(parameters->>'groups') AS groups FROM dpmix.ledger WHERE relation = 'survived.stays'
    GROUP BY 1;
SELECT name, kind, method, features, rows_estimated, dimensions, adjacency FROM dpmix.releases
    WHERE kind = 'survival' ORDER BY 1;
SELECT statistic, mechanism, epsilon, delta, round(noise_stddev::numeric, 2) AS stddev, mechanism = 'gaussian'
    AS gaussian
FROM dpmix.preview($$SELECT dpmix.release_survival('next', 'stays', 'days', 'died', 1, 1e-6, by => 'arm')$$);
SELECT count(*) > 0 AS explained FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.ledger
    WHERE kind = 'survival'));
EXPLAIN (COSTS OFF) SELECT dpmix.release_survival('next', 'stays', 'days', 'died', 1, 1e-6);

-- Noise: bands hold what is exact.
SELECT groups, round(count_stddev::numeric, 2) AS stddev, abs(rows_estimated - 4000) < 500 AS people
FROM dpmix.release_survival('survival noisy', 'stays', 'weeks', 'died', 1, 1e-6, 'arm', 50, 50);
SELECT bool_and(k.survival BETWEEN s.noise_low AND s.noise_high) AS held, bool_and(s.survival BETWEEN 0 AND 1)
    AS shares, bool_or(s.events <> k.events) AS noisy
FROM dpmix.survival('survival noisy', .99999999) s JOIN kaplan_meier k ON (k.arm, k.week) = (s.by, s.time);
SELECT substr(dpmix.draw('survival noisy', level => .9), 1, 4), length(dpmix.draw('survival weeks')) > 3000 AS drawn;

-- Rows never raise and never show. What is missing is in no curve, below 0 is 0, beyond the last bin has no event.
CREATE TABLE odd (id int PRIMARY KEY, years float8, died boolean, arm text);
INSERT INTO odd SELECT i, 2.5, i % 2 = 0, 'a' FROM generate_series(1, 1000) i;
INSERT INTO odd SELECT 2000 + i, v, true, arm
    FROM unnest('{NaN,NULL,-3,-Infinity,Infinity,1e300,7}'::float8[]) WITH ORDINALITY AS t(v, i),
    unnest('{a,b}'::text[]) AS arm WHERE arm = 'a';
INSERT INTO odd VALUES (3000, 1, NULL, 'a'), (3001, 1, true, NULL), (3002, 1, true, 'neither');
SELECT dpmix.protect('odd', epsilon => 1e7, delta => .1, accountant => 'basic', adjacency => 'replace'),
    dpmix.set_categories('odd', 'arm', '{a,b}');
SELECT rows_estimated, round(count_stddev::numeric, 2) AS stddev FROM dpmix.release_survival('survival odd', 'odd',
    'years', 'died', 1e5, 1e-6, by => 'arm', bins => 6, until => 6);
SELECT time, at_risk, events FROM dpmix.survival('survival odd');
SELECT rows_estimated FROM dpmix.release_survival('survival died', 'odd', 'years', 'died', 1e5, 1e-6, bins => 2,
    until => 6, censored => 'f', condition => 'years > 2 AND years < 3');
SELECT round(noise_stddev::numeric, 2) AS stddev FROM dpmix.preview($$SELECT dpmix.release_survival('next', 'odd',
    'years', 'died', 1, 1e-6, until => 6)$$);

-- Times of every type of numbers, at an edge too.
CREATE TABLE typed (id int PRIMARY KEY, t2 smallint, t4 int, t8 bigint, r real, f float8, n numeric, m numeric(6, 2),
    died boolean NOT NULL);
INSERT INTO typed SELECT i, i % 10, i % 10, i % 10, i % 10, i % 10, i % 10, i % 10, i % 3 = 0 FROM generate_series(1, 1000) i;
SELECT dpmix.protect('typed', epsilon => 1e7, delta => .1, accountant => 'basic');
SELECT t, s.rows_estimated, (SELECT array_agg(events ORDER BY time) FROM dpmix.survival('survival ' || t)) AS events
FROM unnest('{t2,t4,t8,r,f,n,m}'::name[]) t,
     dpmix.release_survival('survival ' || t, 'typed', t, 'died', 1e5, 1e-6, bins => 4, until => 8) s;
SELECT dpmix.unprotect('typed');
DROP TABLE typed;

-- What each person did.
CREATE TABLE visits (person int, day int, ill boolean);
INSERT INTO visits SELECT i, 30 + i % 300, i % 3 = 0 FROM generate_series(1, 2000) i;
INSERT INTO visits SELECT i, 5, false FROM generate_series(1, 2000) i;
SELECT dpmix.protect('visits', epsilon => 1e7, delta => .1, accountant => 'basic', privacy_unit => 'person',
    max_rows_per_unit => 4), dpmix.set_bounds('visits', 'day', 0, 400);
SELECT rows_estimated, events FROM dpmix.release_survival('survival people', duration => 'lasted', event => 'fell_ill',
    epsilon => 1e5, delta => 1e-6, bins => 10, until => 300,
    source => $$SELECT person, max(day) AS lasted, bool_or(ill) AS fell_ill FROM visits GROUP BY person$$);
SELECT count(*), max(at_risk) FROM dpmix.survival('survival people');

-- Refused before a charge.
SELECT count(*) AS charges FROM dpmix.ledger \gset
SELECT dpmix.release_survival('survival weeks', 'stays', 'days', 'died', 1, 1e-6);
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6, bins => 61);
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6, bins => 0);
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 0);
SELECT dpmix.release_survival('no', 'stays', 'days', NULL, 1, 1e-6);
SELECT dpmix.release_survival('no', 'stays', NULL, 'died', 1, 1e-6);
SELECT dpmix.release_survival('no', 'stays', 'days', 'days', 1, 1e-6);
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6, by => 'died');
SELECT dpmix.release_survival('no', 'stays', 'born', 'died', 1, 1e-6);
SELECT dpmix.release_survival('no', 'stays', 'nothing', 'died', 1, 1e-6);
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6, by => 'nothing');
SELECT dpmix.set_bounds('stays', 'weeks', 0, 100);
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6, by => 'weeks');
SELECT dpmix.release_survival('no', 'stays', 'days', 'ended', 1, 1e-6);
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6, censored => 'maybe');
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6, until => 0);
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6, until => 'NaN');
SELECT dpmix.release_survival('no', 'odd', 'years', 'died', 1, 1e-6);
SELECT dpmix.release_survival('no', 'stays', 'days', 'born', 1, 1e-6);
SELECT dpmix.release_survival('no', 'stays', 'days', 'weeks', 1, 1e-6);
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6, condition => 'died');
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6,
    condition => 'true) GROUP BY days, died HAVING (true');
SELECT dpmix.release_survival('no', 'stays', 'days', 'died', 1, 1e-6, condition => 'now() > ''2000-01-01''');
SELECT dpmix.release_survival('no', 'visits', 'day', 'ill', 1, 1e-6);
SELECT dpmix.release_survival('no', duration => 'day', event => 'ill', epsilon => 1, delta => 1e-6,
    source => $$SELECT person, day, ill FROM visits$$);
SELECT dpmix.release_survival('no', duration => 'days', event => 'died', epsilon => 1, delta => 1e-6);
SELECT * FROM dpmix.survival('survival weeks', 1);
SELECT * FROM dpmix.survival_incidence('survival risks', 'alive');
SELECT * FROM dpmix.survival_mean('survival risks', 100);
SELECT * FROM dpmix.survival_test('survival risks');
SELECT * FROM dpmix.survival_ratios('survival risks');
SELECT * FROM dpmix.gmm('survival risks');
SELECT dpmix.draw('survival risks', 'days');
SELECT count(*) - :charges AS charged FROM dpmix.ledger;

-- Without access neither the curves nor their price.
CREATE ROLE survival_reader;
CREATE ROLE survival_stranger;
SELECT dpmix.grant_access('stays', 'survival_reader');
SET ROLE survival_reader;
SELECT count(*) FROM dpmix.survival('survival weeks');
SET ROLE survival_stranger;
SELECT count(*) FROM dpmix.survival('survival weeks');
SELECT * FROM dpmix.preview($$SELECT dpmix.release_survival('other', 'stays', 'days', 'died', 1, 1e-6)$$);
RESET ROLE;
SELECT dpmix.drop_release(name) FROM dpmix.releases WHERE kind = 'survival' AND name LIKE 'survival %' \g /dev/null
SELECT dpmix.unprotect('stays'), dpmix.unprotect('odd'), dpmix.unprotect('visits');
DROP VIEW kaplan_meier;
DROP TABLE stays, odd, visits;
DROP TYPE how;
DROP SCHEMA survived;
RESET search_path;
DROP ROLE survival_reader, survival_stranger;
