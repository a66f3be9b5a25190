-- Private answers. Noise is only ever compared within tolerances: at a large epsilon it is below them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TYPE query_mood AS ENUM ('low', 'high', 'never');
CREATE TABLE query_wages (
    id int PRIMARY KEY, region text, education smallint, wage float8, hours numeric(8, 2),
    bonus bigint, hired date, seen timestamptz, smoker boolean, mood query_mood, code char(4),
    grade varchar(8), score real);
INSERT INTO query_wages
SELECT i, CASE i % 5 WHEN 0 THEN 'north' WHEN 1 THEN 'south' WHEN 2 THEN 'east' WHEN 3 THEN 'elsewhere' END,
       i % 20, CASE WHEN i % 50 = 0 THEN float8 'NaN' WHEN i % 51 = 0 THEN 'Infinity' WHEN i % 52 = 0 THEN '-Infinity'
                    WHEN i % 53 = 0 THEN NULL ELSE (i * 7919) % 4000 END,
       CASE WHEN i % 40 = 0 THEN NULL WHEN i % 41 = 0 THEN numeric 'NaN' ELSE (i % 600) / 10.0 END,
       CASE WHEN i % 30 = 0 THEN NULL ELSE (i % 2000) - 1000 END, date '2020-01-01' + i % 1000,
       timestamptz '2020-01-01 00:00+00' + i * interval '1 hour', i % 3 = 0,
       CASE WHEN i % 2 = 0 THEN 'low' ELSE 'high' END::query_mood, 'c' || i % 3, 'g' || i % 4, i / 8.0
FROM generate_series(1, 5000) AS i;
ANALYZE query_wages;

SELECT dpmix.protect('query_wages', epsilon => 1e7, delta => 0.1);
SELECT dpmix.set_categories('query_wages', 'region', '{north,south,east,west}');
SELECT dpmix.set_categories('query_wages', 'smoker', '{true,false}');
SELECT dpmix.set_categories('query_wages', 'mood', '{high,low,never}');
SELECT dpmix.set_categories('query_wages', 'code', '{c0,c1}');
SELECT dpmix.set_categories('query_wages', 'grade', '{g3,g0}');
SELECT dpmix.set_categories('query_wages', 'education', '{12,16,99}');
SELECT dpmix.set_bounds('query_wages', 'wage', 100, 3000);
SELECT dpmix.set_bounds('query_wages', 'hours', 0, 50);
SELECT dpmix.set_bounds('query_wages', 'bonus', -500, 800);
SELECT dpmix.set_bounds('query_wages', 'education', 0, 18);
SELECT dpmix.set_bounds('query_wages', 'score', -10, 500);
CREATE ROLE regress_query_analyst;
SELECT dpmix.grant_access('query_wages', 'regress_query_analyst');
CREATE VIEW query_clamped AS  -- what the bounds make of the rows
SELECT id, region, CASE WHEN wage <> 'NaN' THEN least(greatest(wage, 100), 3000) END AS wage,
       CASE WHEN hours <> 'NaN' THEN least(hours, 50) END AS hours,
       CASE WHEN bonus IS NOT NULL THEN least(greatest(bonus, -500), 800) END AS bonus,
       least(education, 18) AS education, least(score, 500) AS score
FROM query_wages;

-- An analyst without SELECT: a large epsilon reproduces the plain answers --------------------------
SET SESSION AUTHORIZATION regress_query_analyst;
SELECT count(*) FROM query_wages;
CREATE TEMP TABLE answers AS
SELECT * FROM dpmix.query($$
    SELECT dp_count(*), dp_count(wage), dp_count(hours), dp_count(bonus), dp_count(region), dp_sum(wage), dp_avg(wage),
           dp_sum(hours), dp_avg(hours), dp_sum(bonus), dp_avg(bonus), dp_sum(education), dp_avg(education),
           dp_sum(score), dp_avg(score) FROM query_wages $$, epsilon => 1e6)
    AS t(n bigint, n_wage bigint, n_hours bigint, n_bonus bigint, n_region bigint, s_wage float8, a_wage float8,
         s_hours float8, a_hours float8, s_bonus float8, a_bonus float8, s_education float8, a_education float8,
         s_score float8, a_score float8);
CREATE TEMP TABLE by_group AS
SELECT row_number() OVER () AS place, * FROM dpmix.query($$
    SELECT smoker, dp_avg(wage) AS pay, region, dp_count(*), dp_sum(bonus) FROM query_wages
    WHERE hired >= '2020-06-01' AND education < 19 GROUP BY region, smoker $$, epsilon => 1e5)
    AS t(smoker boolean, pay float8, region text, n bigint, bonus float8);
GRANT SELECT ON answers, by_group TO PUBLIC;
RESET SESSION AUTHORIZATION;

SELECT n = count(*) AS n, n_wage = count(e.wage) AS n_wage, n_hours = count(e.hours) AS n_hours,
       n_bonus = count(e.bonus) AS n_bonus, n_region = count(e.region) AS n_region,
       abs(s_wage - sum(e.wage)) < 2 AS s_wage, abs(a_wage - avg(e.wage)) < .01 AS a_wage,
       abs(s_hours - sum(e.hours)) < 2 AS s_hours, abs(a_hours - avg(e.hours)) < .01 AS a_hours,
       abs(s_bonus - sum(e.bonus)) < 2 AS s_bonus, abs(a_bonus - avg(e.bonus)) < .01 AS a_bonus,
       abs(s_education - sum(e.education)) < 2 AS s_education, abs(a_education - avg(e.education)) < .01 AS a_education,
       abs(s_score - sum(e.score)) < 2 AS s_score, abs(a_score - avg(e.score)) < .01 AS a_score
FROM answers, query_clamped AS e
GROUP BY n, n_wage, n_hours, n_bonus, n_region, s_wage, a_wage, s_hours, a_hours, s_bonus, a_bonus,
         s_education, a_education, s_score, a_score;

-- Every declared group, in the order of the declarations; an empty one has 0 and the middle
SELECT place, g.region, g.smoker, g.n = count(w.id) AS n, abs(pay - coalesce(avg(c.wage), 1550)) < 2 AS pay,
       abs(g.bonus - coalesce(sum(c.bonus), 0)) < 1 AS bonus
FROM by_group g LEFT JOIN query_wages w ON (w.region, w.smoker) IS NOT DISTINCT FROM (g.region, g.smoker) LEFT JOIN query_clamped c ON c.id = w.id
WHERE w.id IS NULL OR (w.hired >= '2020-06-01' AND w.education < 19)
GROUP BY place, g.region, g.smoker, g.n, pay, g.bonus ORDER BY place;

-- Keys of every kind; keys that are not returned; a key twice
SELECT mood, round(n, -1) AS about FROM dpmix.query('SELECT mood, dp_count(*) FROM query_wages GROUP BY mood',
    epsilon => 1e5) AS t(mood query_mood, n bigint);
SELECT code || '|' AS code, grade, n FROM dpmix.query('SELECT code, grade, dp_count(*) FROM query_wages GROUP BY grade, code',
    epsilon => 1e5) AS t(code char(4), grade varchar(8), n bigint);
SELECT * FROM dpmix.query('SELECT education, dp_count(*), education AS again FROM query_wages GROUP BY 1, 3',
    epsilon => 1e5) AS t(education smallint, n bigint, again smallint);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM query_wages GROUP BY smoker', epsilon => 1e5) AS t(n bigint);

-- WHERE: whatever is on the list counts what PostgreSQL counts
CREATE FUNCTION same_count(condition text, params text[] = '{}') RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    noisy bigint;
    exact bigint;
BEGIN
    SELECT n INTO noisy FROM dpmix.query('SELECT dp_count(*) FROM query_wages WHERE ' || condition, epsilon => 1e4,
                                         params => params) AS t(n bigint);
    FOR i IN 1..cardinality(params) LOOP
        condition := replace(condition, '$' || i, quote_nullable(params[i]));
    END LOOP;
    EXECUTE 'SELECT count(*) FROM query_wages WHERE ' || condition INTO exact;
    RETURN noisy = exact;
END $$;
SELECT condition, same_count(condition) FROM unnest(ARRAY[
    'true', 'false', 'NULL', 'smoker', 'NOT smoker', 'smoker IS NOT TRUE', 'smoker IS UNKNOWN', 'smoker = false',
    'education = 12', 'education <> 12 AND bonus > 3', 'bonus < education', 'education > 11.5', 'bonus >= 2.5',
    'wage > 100', 'wage = ''NaN''', 'wage < 1 + 2 * 10', 'hours <= 12.5', 'hours > 1e400::numeric', 'score < 3.5', 'score > wage',
    'region = ''north''', 'region <> ''north''', 'region < ''m''', 'region IN (''north'', ''east'', NULL)',
    'region NOT IN (''north'', ''east'')', 'grade = ''g1''', 'grade > ''g''', 'code = ''c1''', 'code = ''c1'' OR code IS NULL',
    'region IS NULL', 'region IS NOT NULL', 'hired BETWEEN ''2020-02-01'' AND ''2021-01-01''',
    'hired < timestamp ''2020-02-01 12:00''', 'seen >= ''2020-03-01 00:00+00''', 'mood = ''low''', 'mood IN (''low'', ''never'')',
    'education = ANY (ARRAY[1, 2, 3 + 4])', 'education <> ALL (''{1,2}'')', 'id > length(''four'') AND id < abs(-100)',
    '(education > 3 OR bonus IS NULL) AND NOT (smoker AND wage > 2000)', 'hired > ''2020-01-01''::date + 30']) AS condition;
SELECT same_count('education = $1 AND region = $2', '{12,north}'), same_count('hired > $1', '{2020-05-05}'),
       same_count('region = $1', ARRAY[NULL]::text[]), same_count('$1 < education', '{7}');

-- Neighbours by replacement, partitions and children -----------------------------------------------
CREATE TABLE query_parts (k int, x int) PARTITION BY LIST (k);
CREATE TABLE query_part1 PARTITION OF query_parts FOR VALUES IN (1);
CREATE TABLE query_part2 PARTITION OF query_parts DEFAULT;
INSERT INTO query_parts SELECT i % 3, i FROM generate_series(1, 300) AS i;
SELECT dpmix.protect('query_parts', epsilon => 1e7, delta => 0, adjacency => 'replace', accountant => 'basic');
SELECT dpmix.set_categories('query_parts', 'k', '{2,1,0}');
SELECT dpmix.set_bounds('query_parts', 'x', 0, 300);
SELECT k, n, round(a) FROM dpmix.query('SELECT k, dp_count(*), dp_avg(x) FROM query_parts GROUP BY k', epsilon => 1e5)
    AS t(k int, n bigint, a float8);

-- Preview: the noise, statistic by statistic ---------------------------------------------------------
SELECT output_column, statistic, mechanism, round(sensitivity::numeric, 3) AS sensitivity, round(epsilon::numeric, 4) AS epsilon,
       delta, round((noise_stddev / sensitivity * epsilon)::numeric, 2) AS stddev, expected_error IS NULL AS ratio,
       (expected_error IS NULL) = (interval_95 IS NULL) AS both, coalesce(interval_95 > expected_error, true) AS wider
FROM dpmix.preview('SELECT region, dp_count(wage) AS people, dp_avg(wage) AS pay, dp_sum(wage), dp_avg(bonus) FROM query_wages GROUP BY region',
                   epsilon => 1, mechanism => 'laplace');
SELECT output_column, statistic, mechanism, sensitivity, epsilon < 1 AS less, delta, expected_error / noise_stddev BETWEEN .78 AND .82 AS normal,
       interval_95 / noise_stddev BETWEEN 1.8 AND 2.2 AS z
FROM dpmix.preview('SELECT dp_count(*), dp_sum(bonus) FROM query_wages', epsilon => 1, delta => 1e-6, mechanism => 'gaussian');
SELECT statistic, mechanism, sensitivity FROM dpmix.preview('SELECT k, dp_count(*), dp_sum(x) FROM query_parts GROUP BY k', epsilon => 1);
SELECT statistic, mechanism, sensitivity FROM dpmix.preview('SELECT dp_count(*), dp_sum(x) FROM query_parts', epsilon => 1);
-- `auto` never costs more than gaussian, and is never noisier
SELECT a.expected_error <= g.expected_error AS better
FROM (VALUES (.1, 1e-9), (1, 1e-6), (4, 1e-3)) AS asked(e, d),
     LATERAL dpmix.preview('SELECT dp_count(*) FROM query_wages', e, d) AS a,
     LATERAL dpmix.preview('SELECT dp_count(*) FROM query_wages', e, d, 'gaussian') AS g;

-- What the whole call takes: of each row the same, and what the ledger then writes
SELECT count(*) AS statistics, count(DISTINCT (charge_cost, charge_delta, charge_share, calls_left)) AS calls,
       min(charge_cost) > 0 AND min(charge_delta) = 0 AND min(charge_share) BETWEEN 1e-9 AND 1e-3 AS gaussian, min(calls_left) > 1e5 AS many
FROM dpmix.preview('SELECT dp_count(*), dp_sum(bonus), dp_avg(wage) FROM query_wages', 1, 1e-6, 'gaussian');
CREATE TEMP TABLE planned AS SELECT m.mechanism AS m, p.*
    FROM unnest('{gaussian,laplace,optimal,multi_gaussian,auto}'::text[]) AS m(mechanism), LATERAL dpmix.preview('SELECT dp_count(*) FROM query_wages', .125, 1e-7, m.mechanism) AS p;
SELECT m, n IS NOT NULL AS charged FROM planned, LATERAL dpmix.query('SELECT dp_count(*) FROM query_wages', .125, 1e-7, m) AS t(n bigint);
SELECT p.m, c.mechanism = p.mechanism AS mechanism, abs(c.cost / p.charge_cost::numeric - 1) < 1e-12 AS cost, c.cost_delta::float8 = p.charge_delta AS delta
FROM (SELECT *, row_number() OVER () AS n FROM planned) AS p
JOIN (SELECT *, row_number() OVER (ORDER BY id) AS n FROM dpmix.charge WHERE epsilon = .125 AND relation = 'public.query_wages') AS c USING (n) ORDER BY 1;
-- basic: epsilon and delta
SELECT charge_cost, charge_delta, charge_share, calls_left = trunc((1e7 - declared) / 2500) AS left
FROM dpmix.preview('SELECT dp_count(*) FROM query_parts', 2500) AS p,
     LATERAL (SELECT sum(c.epsilon) AS declared FROM dpmix.charge c JOIN dpmix.protected_table t ON t.id = c.table_id WHERE t.table_name = 'query_parts') AS c;
SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM query_parts', 2500, 1e-9, 'gaussian') AS no_delta_in_the_budget;
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM query_parts', 2500, 1e-9, 'gaussian') AS t(n bigint);

-- Candidates: each mechanism says of itself what it says when asked for by name ------------------------
SELECT DISTINCT jsonb_typeof(candidates) AS list, jsonb_array_length(candidates) AS families, ARRAY(SELECT jsonb_object_keys(candidates -> 0)) AS keys
FROM dpmix.preview('SELECT dp_count(*), dp_avg(wage) FROM query_wages', 1, 1e-6, details => true);
SELECT c.mechanism, bool_and((c.verdict = 'chosen') = (c.mechanism = p.mechanism)) AS right_one,
       bool_and(c.expected_error = coalesce(q.expected_error, (q.candidates -> 0 ->> 'expected_error')::float8)) AS error,
       bool_and((c.epsilon, c.delta) = (o.epsilon, o.delta)) AS charge, bool_and(c.budget_share = o.budget_share OR (c.mechanism = 'multi_gaussian' AND c.budget_share > o.budget_share)) AS share,
       bool_and(o.verdict = 'chosen' AND jsonb_array_length(q.candidates) = 1) AS alone
FROM dpmix.preview('SELECT dp_count(*), dp_sum(bonus), dp_avg(wage) FROM query_wages', 1, 1e-6, details => true) AS p,
     jsonb_to_recordset(p.candidates) AS c(mechanism text, expected_error float8, epsilon float8, delta float8, budget_share float8, verdict text),
     LATERAL dpmix.preview('SELECT dp_count(*), dp_sum(bonus), dp_avg(wage) FROM query_wages', 1, 1e-6, c.mechanism, details => true) AS q,
     jsonb_to_recordset(q.candidates) AS o(epsilon float8, delta float8, budget_share float8, verdict text)
WHERE p.statistic = q.statistic GROUP BY 1 ORDER BY 1;
-- Without details numbers have six digits, and no mechanism but the chosen one is looked at
SELECT bool_and(p.candidates IS NULL AND d.candidates IS NOT NULL) AS candidates, bool_and(p.noise_stddev::text = to_char(d.noise_stddev, '9.99999EEEE')::float8::text) AS digits,
       bool_and((p.mechanism, p.memory, p.calls_left, p.charge_cost) = (d.mechanism, d.memory, d.calls_left, d.charge_cost)) AS else_alike
FROM (SELECT *, row_number() OVER () AS n FROM dpmix.preview('SELECT dp_count(*), dp_sum(bonus), dp_avg(wage) FROM query_wages', .3, 1e-6)) AS p
JOIN (SELECT *, row_number() OVER () AS n FROM dpmix.preview('SELECT dp_count(*), dp_sum(bonus), dp_avg(wage) FROM query_wages', .3, 1e-6, details => true)) AS d USING (n);
SELECT * FROM dpmix.preview('SELECT dp_count(*) FROM query_wages', 1, details => NULL);
-- What decides: on a renyi table the price too, on a basic one the error alone; without delta only the pure ones can
-- answer
SELECT asked, c.mechanism, verdict, c.expected_error IS NOT NULL AS error,
       budget_share <= (p.candidates -> 0 ->> 'budget_share')::float8 AS as_cheap_as_gaussian
FROM (VALUES (1, 'query_wages', 1e-3), (2, 'query_parts', 1e-3), (3, 'query_parts', 0)) AS a(asked, relation, d),
     LATERAL dpmix.preview(format('SELECT dp_count(*) FROM %I', relation), 1, d, details => true) AS p,
     ROWS FROM (jsonb_to_recordset(p.candidates) AS (mechanism text, expected_error float8, budget_share float8, verdict text))
         WITH ORDINALITY AS c(mechanism, expected_error, budget_share, verdict, place)
ORDER BY asked, place;
SELECT * FROM dpmix.preview('SELECT dp_count(*) FROM query_wages', 1, mechanism => 'cauchy');
SELECT * FROM dpmix.preview('SELECT dp_count(*) FROM query_wages', 1, mechanism => 'tulap');

-- Intervals ------------------------------------------------------------------------------------------
-- At this level one of them misses by chance less than once in 1e10 runs. Every answer is in its own interval.
CREATE TEMP TABLE intervals AS
SELECT m.mechanism, t.* FROM (VALUES ('gaussian'), ('multi_gaussian'), ('laplace')) AS m(mechanism), LATERAL dpmix.query($$
    SELECT region, dp_count(*), dp_low(dp_count(*), $1), dp_high(dp_count(*), $1),
           dp_sum(bonus), dp_low(dp_sum(bonus), $1), dp_high(dp_sum(bonus), level => $1),
           dp_avg(wage), dp_low(dp_avg(wage), $1), dp_high(level => $1, answer => dp_avg(wage)) FROM query_wages GROUP BY region $$,
    20, 1e-6, m.mechanism, ARRAY['0.999999999999']) AS t(region text, n bigint, n_low float8, n_high float8,
    s float8, s_low float8, s_high float8, a float8, a_low float8, a_high float8);
SELECT mechanism, i.region, bool_and(n BETWEEN n_low AND n_high AND s BETWEEN s_low AND s_high AND a BETWEEN a_low AND a_high) AS around,
       bool_and(a_low >= 100 AND a_high <= 3000) AS bounded, bool_and(n_high - n_low < 100 AND s_high - s_low < 100000) AS near,
       count(e.id) BETWEEN min(n_low) AND max(n_high) AS n, coalesce(sum(e.bonus), 0) BETWEEN min(s_low) AND max(s_high) AS s,
       coalesce(avg(e.wage), 1550) BETWEEN min(a_low) AND max(a_high) AS a
FROM intervals i LEFT JOIN query_clamped e ON e.region IS NOT DISTINCT FROM i.region GROUP BY 1, 2 ORDER BY 1, 2;
SELECT bool_and(a_high - a_low < 500) AS narrow FROM intervals WHERE region <> 'west';
-- The width is that of the noise; a count is in the middle; levels nest; 0.95 when left out; one statistic, drawn once
SELECT m.mechanism, n_high - n_low = 2 * p.interval_95 AS n, (n_low + n_high) / 2 = n AS middle,
       abs(s_high - s_low - 2 * q.interval_95) < 1e-6 AS s, abs((s_low + s_high) / 2 - s) < 1e-6 AS s_middle,
       n_low = again AND n_low < less AND less < n AS nested, a_low < a_less AND a_less < a AND a < a_high AS a_nested
FROM (VALUES ('gaussian'), ('multi_gaussian'), ('laplace')) AS m(mechanism), LATERAL dpmix.query($$
    SELECT dp_low(dp_count(*)), dp_count(*), dp_high(dp_count(*)), dp_low(dp_count(*), 0.95), dp_low(dp_count(*), 0.5),
           dp_sum(score), dp_low(dp_sum(score)), dp_high(dp_sum(score)), dp_avg(wage), dp_low(dp_avg(wage)), dp_low(dp_avg(wage), .3),
           dp_high(dp_avg(wage), .3) FROM query_wages $$, 1, 1e-6, m.mechanism)
        AS t(n_low float8, n bigint, n_high float8, again float8, less float8, s float8, s_low float8, s_high float8,
             a float8, a_low float8, a_less float8, a_high float8),
    LATERAL dpmix.preview('SELECT dp_count(*), dp_sum(score), dp_avg(wage) FROM query_wages', 1, 1e-6, m.mechanism, details => true) AS p,
    LATERAL dpmix.preview('SELECT dp_count(*), dp_sum(score), dp_avg(wage) FROM query_wages', 1, 1e-6, m.mechanism, details => true) AS q
WHERE p.statistic = 'count(*)' AND q.statistic = 'sum(score)' ORDER BY 1;
-- They cost nothing: the same statistics with the same noise
SELECT output_column, statistic, interval_95 IS NOT NULL AS known FROM dpmix.preview($$
    SELECT dp_count(*) AS n, dp_low(dp_count(*), .9) AS low, dp_high(dp_count(*), .9), dp_avg(wage) AS pay, dp_low(dp_avg(wage)) AS least
    FROM query_wages $$, 1);
SELECT (p.epsilon, p.delta, p.noise_stddev, p.mechanism) = (q.epsilon, q.delta, q.noise_stddev, q.mechanism) AS same
FROM dpmix.preview('SELECT dp_count(*), dp_low(dp_count(*)), dp_avg(wage), dp_low(dp_avg(wage), .9), dp_high(dp_avg(wage)) FROM query_wages', 1, 1e-6) AS p
FULL JOIN dpmix.preview('SELECT dp_count(*), dp_avg(wage) FROM query_wages', 1, 1e-6) AS q USING (statistic);
-- Without the aggregate itself; an interval is no bigint
SELECT high > low AS wide FROM dpmix.query('SELECT dp_high(dp_count(*), .5), dp_low(dp_count(*), .5) FROM query_wages', .1) AS t(high float8, low float8);
SELECT * FROM dpmix.query('SELECT region, dp_low(dp_count(*)) FROM query_wages GROUP BY region', 1) AS t(region text, low bigint);

-- Each mechanism answers, each answer has its own noise, each is charged --------------------------------
SELECT mechanism, count(DISTINCT n) > 1 AS noisy, bool_and(abs(n - 5000) < 100000) AS near
FROM unnest('{gaussian,multi_gaussian,quasi_gaussian,laplace,staircase,truncated_laplace,tulap,optimal,auto}'::text[]) AS m(mechanism),
     generate_series(1, 8) AS i,
     LATERAL dpmix.query('SELECT dp_count(*) FROM query_wages WHERE id <> -' || i, .01, 1e-6, m.mechanism) AS t(n bigint) GROUP BY 1 ORDER BY 1;
SELECT mechanism, epsilon, delta, count(*), bool_and(cost > 0) AS cost, bool_and(kind = 'query') AS query
FROM dpmix.charge JOIN dpmix.protected_table p ON p.id = table_id
WHERE p.table_name = 'query_wages' AND epsilon = .01 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT parameters -> 'groups' AS groups, parameters -> 'statistics' -> 0 ->> 'statistic' AS first, role,
       octet_length(parameters::text) <= 1000 AS short, parameters ->> 'query' LIKE '%dp_avg(wage) AS pay%' AS text
FROM dpmix.charge WHERE parameters ->> 'query' LIKE '%AS pay%' ORDER BY id LIMIT 1;
SELECT n IS NOT NULL AS answered FROM dpmix.query('SELECT dp_count(*) FROM query_wages WHERE region = ''' || repeat('"ü' || chr(1), 5000) || '''', 1)
    AS t(n bigint);
SELECT octet_length(parameters::text) <= 1000 AS short FROM dpmix.charge ORDER BY id DESC LIMIT 1;

-- A refused column list costs nothing, and the dp_* aggregates mean nothing elsewhere ---------------------
SELECT count(*) AS charges FROM dpmix.charge \gset
SELECT * FROM dpmix.query('SELECT region, dp_count(*) AS people FROM query_wages GROUP BY region', 1) AS t(region text, people float8);
SELECT * FROM dpmix.query('SELECT region, dp_count(*) FROM query_wages GROUP BY region', 1) AS t(region text);
SELECT dpmix.query('SELECT dp_count(*) FROM query_wages', 1);
SELECT count(*) - :charges AS charged FROM dpmix.charge;
SELECT dpmix.dp_count(*) FROM query_wages WHERE false;
SELECT dpmix.dp_count(id) FROM query_wages;
SELECT dpmix.dp_sum(wage) FROM query_wages GROUP BY region;
SELECT dpmix.dp_avg(hours) FROM query_wages WHERE false;
SELECT dpmix.dp_low(dpmix.dp_count(*)) FROM query_wages WHERE false;
SELECT dpmix.dp_low(id), dpmix.dp_high(wage, .9) FROM query_wages;
SELECT dpmix.dp_low(1, .9);
SELECT dpmix.dp_high(NULL::float8, NULL);

DROP VIEW query_clamped;
DROP TABLE answers, by_group, intervals;
DROP TABLE query_wages, query_parts;
DROP FUNCTION same_count;
DROP TYPE query_mood;
DROP ROLE regress_query_analyst;
