-- dp_var, dp_stddev, dp_count_distinct and FILTER. Noise is only compared within tolerances: at a large epsilon it is
-- below them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TYPE spread_mood AS ENUM ('low', 'high', 'never');
CREATE TABLE spread_wages (
    id int NOT NULL, region text, wage float8, hours numeric(8, 2), bonus bigint, score real, age smallint NOT NULL,
    mood spread_mood, code char(4), hired date, smoker boolean);
INSERT INTO spread_wages
SELECT i, CASE i % 5 WHEN 0 THEN 'north' WHEN 1 THEN 'south' WHEN 2 THEN 'east' WHEN 3 THEN 'elsewhere' END,
       CASE WHEN i % 50 = 0 THEN float8 'NaN' WHEN i % 51 = 0 THEN 'Infinity' WHEN i % 52 = 0 THEN '-Infinity'
            WHEN i % 53 = 0 THEN NULL WHEN i % 54 = 0 THEN 1e300 ELSE (i * 7919) % 4000 END,
       CASE WHEN i % 40 = 0 THEN NULL WHEN i % 41 = 0 THEN numeric 'NaN' ELSE (i % 600) / 10.0 END,
       CASE WHEN i % 30 = 0 THEN NULL ELSE (i % 2000) - 1000 END, i / 8.0, i % 90,
       CASE WHEN i % 2 = 0 THEN 'low' ELSE 'high' END::spread_mood, 'c' || i % 3, date '2020-01-01' + i % 100, i % 3 = 0
FROM generate_series(1, 5000) AS i;
ANALYZE spread_wages;
SELECT dpmix.protect('spread_wages', epsilon => 1e7, delta => 0.1);
SELECT dpmix.set_categories('spread_wages', 'region', '{north,south,east,west}');
SELECT dpmix.set_categories('spread_wages', 'mood', '{high,low,never}');
SELECT dpmix.set_categories('spread_wages', 'code', '{c0,c1,c7}');
SELECT dpmix.set_categories('spread_wages', 'hired', '{2020-01-05,2020-02-29,2021-01-01}');
SELECT dpmix.set_categories('spread_wages', 'age', '{3,4,99}');
SELECT dpmix.set_categories('spread_wages', 'smoker', '{true,false}');
SELECT dpmix.set_bounds('spread_wages', 'wage', 100, 3000);
SELECT dpmix.set_bounds('spread_wages', 'hours', 0, 50);
SELECT dpmix.set_bounds('spread_wages', 'bonus', -500, 800);
SELECT dpmix.set_bounds('spread_wages', 'age', 0, 89);
SELECT dpmix.set_bounds('spread_wages', 'score', -10, 500);
CREATE ROLE regress_spread_analyst;
SELECT dpmix.grant_access('spread_wages', 'regress_spread_analyst');
CREATE VIEW spread_clamped AS  -- what the bounds make of the rows
SELECT id, region, age, mood, smoker, code, hired, CASE WHEN wage <> 'NaN' THEN least(greatest(wage, 100), 3000) END AS wage,
       CASE WHEN hours <> 'NaN' THEN least(hours, 50) END AS hours,
       CASE WHEN bonus IS NOT NULL THEN least(greatest(bonus, -500), 800) END AS bonus, least(score, 500) AS score
FROM spread_wages;

-- A large epsilon reproduces the plain answers -----------------------------------------------------
SET SESSION AUTHORIZATION regress_spread_analyst;
CREATE TEMP TABLE answers AS
SELECT * FROM dpmix.query($$
    SELECT dp_var(wage), dp_stddev(wage), dp_var(hours), dp_stddev(hours), dp_var(bonus), dp_stddev(bonus), dp_var(age),
           dp_stddev(score), dp_count_distinct(region), dp_count_distinct(mood), dp_count_distinct(code),
           dp_count_distinct(hired), dp_count_distinct(age), dp_avg(wage), dp_count(wage), dp_count(age), dp_sum(bonus), dp_sum(age)
    FROM spread_wages $$, epsilon => 1e6)
    AS t(v_wage float8, d_wage float8, v_hours float8, d_hours float8, v_bonus float8, d_bonus float8, v_age float8,
         d_score float8, regions bigint, moods bigint, codes bigint, dates bigint, ages bigint, a_wage float8, n_wage bigint, n bigint,
         s_bonus float8, s_age float8);
GRANT SELECT ON answers TO PUBLIC;
RESET SESSION AUTHORIZATION;
SELECT abs(v_wage / var_pop(e.wage) - 1) < 1e-4 AS v_wage, abs(d_wage - sqrt(v_wage)) < 1e-9 AS d_wage,
       abs(v_hours / var_pop(e.hours) - 1) < 1e-4 AS v_hours, abs(d_hours / stddev_pop(e.hours) - 1) < 1e-4 AS d_hours,
       abs(v_bonus / var_pop(e.bonus) - 1) < 1e-4 AS v_bonus, abs(d_bonus / stddev_pop(e.bonus) - 1) < 1e-4 AS d_bonus,
       abs(v_age / var_pop(e.age) - 1) < 1e-4 AS v_age, abs(d_score / stddev_pop(e.score) - 1) < 1e-4 AS d_score,
       regions, moods, codes, dates, ages, abs(a_wage / avg(e.wage) - 1) < 1e-4 AS a_wage, n_wage = count(e.wage) AS n_wage, n,
       abs(s_bonus - sum(e.bonus)) < 2 AS s_bonus, abs(s_age - sum(e.age)) < 2 AS s_age
FROM answers, spread_clamped AS e
GROUP BY v_wage, d_wage, v_hours, d_hours, v_bonus, d_bonus, v_age, d_score, regions, moods, codes, dates, ages, a_wage, n_wage, n, s_bonus, s_age;

-- By group, with FILTER and WHERE; an empty group has half of the largest variance
CREATE TEMP TABLE by_group AS
SELECT row_number() OVER () AS place, * FROM dpmix.query($$
    SELECT region, dp_var(bonus), dp_stddev(bonus) FILTER (WHERE smoker), dp_count(*) FILTER (WHERE age < 30 AND hired > '2020-01-20'),
           dp_count_distinct(mood) FILTER (WHERE id <> 4 OR TRUE), dp_avg(age) FILTER (WHERE smoker IS NOT TRUE),
           dp_count(hours) FILTER (WHERE NULL), dp_count_distinct(code) FILTER (WHERE code = 'c1' OR code = 'c2')
    FROM spread_wages WHERE id > 1000 GROUP BY region $$, epsilon => 1e6)
    AS t(region text, v float8, d float8, n bigint, moods bigint, age float8, nobody bigint, codes bigint);
SELECT place, g.region, abs(v - coalesce(var_pop(e.bonus), 650 ^ 2 / 2)) < 20 AS v,
       abs(d - coalesce(stddev_pop(e.bonus) FILTER (WHERE smoker), 650 * sqrt(.5))) < 1 AS d,
       n = count(*) FILTER (WHERE e.age < 30 AND hired > '2020-01-20') AS n, moods = count(DISTINCT mood) AS moods,
       abs(g.age - coalesce(avg(e.age) FILTER (WHERE smoker IS NOT TRUE), 44.5)) < .5 AS age, nobody,
       codes = count(DISTINCT code) FILTER (WHERE code = 'c1') AS codes
FROM by_group g LEFT JOIN (SELECT * FROM spread_clamped WHERE id > 1000) e ON e.region IS NOT DISTINCT FROM g.region
GROUP BY place, g.region, v, d, n, moods, g.age, nobody, codes ORDER BY place;

-- Nothing shows that a row was strange: every answer is there, finite and in range, at any epsilon
SELECT count(*), bool_and(v BETWEEN 0 AND 1450.0 ^ 2) AS v, bool_and(d BETWEEN 0 AND 1450) AS d, bool_and(c IS NOT NULL) AS c
FROM generate_series(1, 20) i, LATERAL dpmix.query('SELECT region, dp_var(wage), dp_stddev(wage), dp_count_distinct(mood)
    FROM spread_wages WHERE id > 4990 GROUP BY region', epsilon => .01) AS t(region text, v float8, d float8, c bigint);

-- Intervals hold the answer, and what it would be without noise (but for 1e-12 each)
SELECT bool_and(v_low <= v AND v <= v_high AND d_low <= d AND d <= d_high AND c_low <= c AND c <= c_high) AS answer,
       bool_and((SELECT var_pop(wage) FROM spread_clamped) BETWEEN v_low - 1 AND v_high + 1) AS exact_v,
       bool_and((SELECT stddev_pop(wage) FROM spread_clamped) BETWEEN d_low - .01 AND d_high + .01) AS exact_d,
       bool_and(3 BETWEEN c_low AND c_high) AS exact_c, bool_and(v_high - v_low < 5e5) AS narrow
FROM generate_series(1, 20) i, LATERAL dpmix.query('SELECT dp_var(wage), dp_low(dp_var(wage), .999999999999), dp_high(dp_var(wage), .999999999999),
    dp_stddev(wage), dp_low(dp_stddev(wage), .999999999999), dp_high(dp_stddev(wage), .999999999999), dp_count_distinct(region),
    dp_low(dp_count_distinct(region), .999999999999), dp_high(dp_count_distinct(region), .999999999999) FROM spread_wages', epsilon => 1)
    AS t(v float8, v_low float8, v_high float8, d float8, d_low float8, d_high float8, c bigint, c_low float8, c_high float8);

-- Statistics: each once. The variance, deviation and average share all three; a filter makes others.
-- A column that cannot be NULL has the count of the rows.
SELECT output_column, statistic, sensitivity FROM dpmix.preview('SELECT dp_var(bonus) AS v, dp_stddev(bonus) AS d, dp_avg(bonus) AS a,
    dp_count(bonus) AS n, dp_sum(bonus) AS s, dp_var(bonus) FILTER (WHERE smoker) AS smokers, dp_count(*) FILTER (WHERE smoker) AS some,
    dp_avg(age) AS age, dp_count(*) AS all, dp_count_distinct(mood) AS moods, dp_count_distinct(mood) FILTER (WHERE age > 3) AS grown
    FROM spread_wages', epsilon => 1, delta => 1e-6, mechanism => 'gaussian');
-- Neighbours by replacement: sums over all that a row can be, counts of categories by one
CREATE TABLE spread_replaced AS SELECT * FROM spread_wages;
SELECT dpmix.protect('spread_replaced', epsilon => 1e7, delta => 0, adjacency => 'replace', accountant => 'basic');
SELECT dpmix.set_bounds('spread_replaced', 'bonus', -500, 800);
SELECT dpmix.set_categories('spread_replaced', 'mood', '{high,low,never}');
SELECT statistic, sensitivity FROM dpmix.preview('SELECT dp_var(bonus), dp_count_distinct(mood) FROM spread_replaced', 1, mechanism => 'laplace');

-- One row of the statistics scan holds what three aggregates would; plans with workers agree with those without
CREATE TABLE spread_plans (workers int, v float8, a float8, c bigint);
CREATE FUNCTION spread_answer() RETURNS void LANGUAGE sql AS $$
    INSERT INTO spread_plans SELECT current_setting('max_parallel_workers_per_gather')::int, * FROM dpmix.query(
        'SELECT dp_var(wage), dp_avg(wage), dp_count_distinct(region) FROM spread_wages', epsilon => 1e6) AS t(v float8, a float8, c bigint) $$;
SET max_parallel_workers_per_gather = 0;
SELECT spread_answer();
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT spread_answer();
SELECT count(*), max(v) - min(v) < .1 AS v, max(a) - min(a) < .001 AS a, min(c), max(c) FROM spread_plans;

-- Whatever is asked for together, and so read from shared aggregates: random queries beside plain ones over what the
-- bounds make of the rows
CREATE FUNCTION spread_random(queries int) RETURNS TABLE (query text, region text, item text, private float8, plain float8) LANGUAGE plpgsql AS $$
DECLARE
    functions text[] := '{count,sum,avg,var,stddev,count_distinct}';
    clipped text[] := '{wage,hours,bonus,age,score}';
    told text[] := '{region,mood,code,age}';
    filters text[] := ARRAY['', '', ' FILTER (WHERE smoker)', ' FILTER (WHERE age < 40 AND mood = ''low'')', ' FILTER (WHERE bonus > 0)'];
    f text;
    x text;
    c text;
    private_items text[];
    plain_items text[];
BEGIN
    FOR i IN 1..queries LOOP
        private_items := '{}';
        plain_items := '{}';
        FOR j IN 1..1 + (random() * 7)::int LOOP
            f := functions[1 + floor(random() * 6)];
            x := CASE WHEN f = 'count_distinct' THEN told[1 + floor(random() * 4)] WHEN f = 'count' AND random() < .3 THEN '*' ELSE clipped[1 + floor(random() * 5)] END;
            c := filters[1 + floor(random() * 5)];
            private_items := private_items || format('dp_%s(%s)%s', f, x, c);
            plain_items := plain_items || CASE f
                WHEN 'count' THEN format('count(%s)%s', x, c)
                WHEN 'count_distinct' THEN format('count(DISTINCT CASE WHEN %1$s::text = ANY (%2$L) THEN %1$s END)%3$s', x,
                    CASE x WHEN 'region' THEN '{north,south,east,west}' WHEN 'mood' THEN '{high,low,never}' WHEN 'code' THEN '{c0,c1,c7}' ELSE '{3,4,99}' END, c)
                WHEN 'sum' THEN format('coalesce(sum(%s)%s, 0)', x, c)
                ELSE format('%s(%s)%s', CASE f WHEN 'avg' THEN 'avg' ELSE f || '_pop' END, x, c) END;
        END LOOP;
        RETURN QUERY EXECUTE format($q$
            SELECT %1$L::text, p.region, a.item, a.value, a.exact
            FROM dpmix.query(%2$L, epsilon => 5e4, mechanism => 'laplace') AS p(region text, %3$s)
            JOIN (SELECT %4$s FROM spread_clamped GROUP BY region) q ON q.region IS NOT DISTINCT FROM p.region,
            LATERAL unnest(ARRAY[%5$s]::float8[], ARRAY[%6$s]::float8[], %7$L::text[]) AS a(value, exact, item)$q$,
            array_to_string(private_items, ', '), 'SELECT region, ' || array_to_string(private_items, ', ') || ' FROM spread_wages GROUP BY region',
            (SELECT string_agg(format('p%s %s', k, CASE WHEN private_items[k] LIKE 'dp_count%' THEN 'bigint' ELSE 'float8' END), ', ' ORDER BY k) FROM generate_subscripts(private_items, 1) k),
            'region, ' || (SELECT string_agg(format('%s AS q%s', plain_items[k], k), ', ' ORDER BY k) FROM generate_subscripts(plain_items, 1) k),
            (SELECT string_agg('p' || k, ', ' ORDER BY k) FROM generate_subscripts(private_items, 1) k),
            (SELECT string_agg('q' || k, ', ' ORDER BY k) FROM generate_subscripts(private_items, 1) k), private_items);
    END LOOP;
END $$;
SELECT setseed(.25);
CREATE TABLE spread_tried AS SELECT * FROM spread_random(60);
SELECT count(DISTINCT query) > 50 AS queries, count(*) > 600 AS answers FROM spread_tried;
SELECT * FROM spread_tried WHERE private IS NULL OR plain IS NULL OR abs(private - plain) >
    CASE WHEN item LIKE 'dp_count%' THEN 0 WHEN item LIKE 'dp_sum%' THEN 5 + 1e-4 * abs(plain) ELSE .1 + 2e-4 * abs(plain) END LIMIT 5;

-- A unit's rows of no group take no place of its others: each of a hundred has one row to show, and one is left to it
CREATE TABLE spread_visits AS SELECT i % 100 AS who, CASE WHEN i < 300 THEN 'nowhere' WHEN i < 400 THEN 'here' ELSE 'elsewhere' END AS place FROM generate_series(0, 499) i;
SELECT dpmix.protect('spread_visits', epsilon => 1e7, delta => .1, privacy_unit => 'who', max_rows_per_unit => 1);
SELECT dpmix.set_categories('spread_visits', 'place', '{here,there}');
SELECT * FROM dpmix.query('SELECT place, dp_count(*), dp_count_distinct(place) FROM spread_visits GROUP BY place', epsilon => 1e4) AS t(place text, n bigint, places bigint);

-- Refused, and not charged
SELECT max(id) AS last_charge FROM dpmix.charge \gset
CREATE FUNCTION spread_refusal(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM * FROM dpmix.preview(query, epsilon => 1);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
\pset format unaligned
SELECT query, spread_refusal('SELECT ' || query || ' FROM spread_wages') FROM unnest(ARRAY[
    'dp_var(id)', 'dp_stddev(region)', 'dp_var(smoker)', 'dp_var(DISTINCT wage)', 'dp_count(DISTINCT region)', 'dp_count_distinct(*)', 'dp_count_distinct(region, mood)', 
    'dp_count_distinct(spread_wages)', 'dp_count_distinct(ctid)',
    'dp_count(*) FILTER (WHERE random() < .5)', 'dp_count(*) FILTER (WHERE id IN (SELECT 1))', 'dp_count(*) FILTER (WHERE dp_count(*) > 3)',
    'dp_var(wage) FILTER (WHERE spread_wages IS NOT NULL)', 'dp_var(wage) WITHIN GROUP (ORDER BY wage)', 'dp_low(dp_var(wage), 2)',
    'dp_var(wage ORDER BY id)', 'dp_variance(wage)']) AS query;
SELECT count(*) AS charges FROM dpmix.charge WHERE id > :last_charge;
SELECT dpmix.dp_var(wage) FROM spread_wages;
SELECT dpmix.dp_stddev(bonus) FROM spread_wages WHERE false;
SELECT dpmix.dp_count_distinct(region) FROM spread_wages;

DROP FUNCTION spread_answer, spread_refusal, spread_random;
DROP TABLE answers, by_group, spread_plans, spread_tried;
DROP VIEW spread_clamped;
SELECT dpmix.unprotect('spread_wages'), dpmix.unprotect('spread_replaced');
DROP TABLE spread_wages, spread_replaced, spread_visits;
DROP TYPE spread_mood;
DROP OWNED BY regress_spread_analyst;
DROP ROLE regress_spread_analyst;
