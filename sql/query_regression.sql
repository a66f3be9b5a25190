-- dp_covar, dp_corr, dp_regr_slope, dp_regr_intercept, dp_regr_count, and PostgreSQL's own names of them in plain SQL.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE regression_pay (
    id int PRIMARY KEY, person int, region text, wage float8, hours numeric(8, 2), bonus bigint, age smallint NOT NULL, years int NOT NULL);
INSERT INTO regression_pay
SELECT i, i / 2, CASE i % 4 WHEN 0 THEN 'north' WHEN 1 THEN 'south' WHEN 2 THEN 'elsewhere' END,
       CASE WHEN i % 50 = 0 THEN float8 'NaN' WHEN i % 51 = 0 THEN 'Infinity' WHEN i % 52 = 0 THEN '-Infinity'
            WHEN i % 53 = 0 THEN NULL WHEN i % 54 = 0 THEN 1e300 WHEN i % 55 = 0 THEN 1e-310 ELSE 500 + (i * 7919) % 1000 + 20 * (i % 60) END,
       CASE WHEN i % 40 = 0 THEN NULL WHEN i % 41 = 0 THEN numeric 'NaN' ELSE (i % 60) - 0.25 END,
       CASE WHEN i % 30 = 0 THEN NULL ELSE (i % 2000) - 1000 END, i % 90, (i % 90) / 2 + i % 7
FROM generate_series(1, 6000) AS i;
ANALYZE regression_pay;
SELECT dpmix.protect('regression_pay', epsilon => 1e7, delta => 0.1);
SELECT dpmix.set_categories('regression_pay', 'region', '{north,south,west}');
SELECT dpmix.set_bounds('regression_pay', 'wage', 100, 3000);
SELECT dpmix.set_bounds('regression_pay', 'hours', 0, 50);
SELECT dpmix.set_bounds('regression_pay', 'bonus', -500, 800);
SELECT dpmix.set_bounds('regression_pay', 'age', 0, 89);
SELECT dpmix.set_bounds('regression_pay', 'years', 0, 51);
CREATE ROLE regress_regression_analyst;
SELECT dpmix.grant_access('regression_pay', 'regress_regression_analyst');
CREATE VIEW regression_clamped AS  -- what the bounds make of the rows
SELECT id, person, region, age, years, CASE WHEN wage <> 'NaN' THEN least(greatest(wage, 100), 3000) END AS wage,
       CASE WHEN hours <> 'NaN' THEN least(greatest(hours, 0), 50)::float8 END AS hours,
       CASE WHEN bonus IS NOT NULL THEN least(greatest(bonus, -500), 800) END AS bonus
FROM regression_pay;

-- A large epsilon reproduces PostgreSQL's answers -------------------------------------------------
SET SESSION AUTHORIZATION regress_regression_analyst;
CREATE TEMP TABLE answers AS
SELECT * FROM dpmix.query($$
    SELECT dp_covar(wage, hours), dp_corr(wage, hours), dp_regr_slope(wage, hours), dp_regr_intercept(wage, hours),
           dp_regr_count(wage, hours), dp_covar(age, years), dp_corr(years, age), dp_regr_slope(years, age),
           dp_regr_count(age, years), dp_corr(bonus, wage + hours), dp_corr(wage, wage),
           dp_covar(age, bonus) FILTER (WHERE id % 3 = 0)
    FROM regression_pay $$, epsilon => 1e6)
    AS t(c float8, r float8, b float8, a float8, n bigint, c_age float8, r_age float8, b_age float8, n_age bigint, r_sum float8,
         r_self float8, c_some float8);
GRANT SELECT ON answers TO PUBLIC;
RESET SESSION AUTHORIZATION;
SELECT abs(c / covar_pop(e.wage, e.hours) - 1) < 1e-3 AS c, abs(r - corr(e.wage, e.hours)) < 1e-3 AS r,
       abs(b / regr_slope(e.wage, e.hours) - 1) < 1e-3 AS b, abs(a / regr_intercept(e.wage, e.hours) - 1) < 1e-3 AS a,
       n = regr_count(e.wage, e.hours) AS n, abs(c_age / covar_pop(e.age, e.years) - 1) < 1e-4 AS c_age,
       abs(r_age - corr(e.age, e.years)) < 1e-4 AS r_age, abs(b_age - regr_slope(e.years, e.age)) < 1e-4 AS b_age,
       n_age = count(*) AS n_age, abs(r_sum - corr(e.bonus, e.wage + e.hours)) < 1e-3 AS r_sum, abs(r_self - 1) < 1e-3 AS r_self,
       abs(c_some / covar_pop(e.age, e.bonus) FILTER (WHERE id % 3 = 0) - 1) < 1e-3 AS c_some
FROM answers, regression_clamped AS e GROUP BY answers.*, c, r, b, a, n, c_age, r_age, b_age, n_age, r_sum, r_self, c_some;

-- By group; an empty one has neither a correlation nor a slope
SELECT t.region, abs(r - e_r) < 1e-3 AS r, abs(b / e_b - 1) < 1e-3 AS b, e_r IS NULL AS empty, CASE WHEN e_r IS NULL THEN abs(r) < 1 AND abs(b) < 1e3 END AS none
FROM dpmix.query('SELECT region, dp_corr(age, years), dp_regr_slope(wage, hours) FROM regression_pay GROUP BY region', 1e5)
     AS t(region text, r float8, b float8)
LEFT JOIN (SELECT region, corr(age, years) AS e_r, regr_slope(wage, hours) AS e_b FROM regression_clamped GROUP BY region) e ON e.region IS NOT DISTINCT FROM t.region;

-- One pass of statistics: what aggregates of one pair share, in either order
SELECT output_column, statistic, sensitivity FROM dpmix.preview(
    'SELECT dp_covar(wage, hours) AS c, dp_corr(hours, wage) AS r, dp_regr_slope(wage, hours) AS b, dp_regr_count(hours, wage) AS n
     FROM regression_pay', epsilon => 1);
SELECT output_column, statistic, sensitivity FROM dpmix.preview(
    'SELECT dp_regr_slope(years, age) AS b, dp_regr_intercept(years, age) AS a, dp_avg(age) AS m, dp_var(age) AS v, dp_count(*) AS n
     FROM regression_pay', epsilon => 1);
SELECT output_column, statistic, sensitivity FROM dpmix.preview(
    'SELECT dp_covar(bonus, age) AS c, dp_avg(bonus) AS m FROM regression_pay', epsilon => 1);

-- Intervals hold, and are around the answer
SELECT bool_and(low <= r AND r <= high AND low >= -1 AND high <= 1 AND b_low <= b AND b <= b_high) AS around,
       count(*) FILTER (WHERE low <= e AND e <= high) > 25 AS r_held, count(*) FILTER (WHERE b_low <= e_b AND e_b <= b_high) > 25 AS b_held
FROM generate_series(1, 40) AS i, LATERAL dpmix.query(
    'SELECT dp_corr(age, years), dp_low(dp_corr(age, years), .8), dp_high(dp_corr(age, years), .8), dp_regr_slope(years, age),
            dp_low(dp_regr_slope(years, age), .8), dp_high(dp_regr_slope(years, age), .8)
     FROM regression_pay WHERE $1::int = $1::int', epsilon => 3, params => ARRAY[i::text])
     AS t(r float8, low float8, high float8, b float8, b_low float8, b_high float8),
     (SELECT corr(age, years) AS e, regr_slope(years, age) AS e_b FROM regression_clamped) AS exact;

-- Units of several rows, replace, joins of both
CREATE TABLE regression_units AS SELECT * FROM regression_pay;
SELECT dpmix.protect('regression_units', epsilon => 1e7, delta => 0.1, adjacency => 'replace', privacy_unit => 'person', max_rows_per_unit => 3);
SELECT dpmix.set_bounds('regression_units', 'age', 0, 89);
SELECT dpmix.set_bounds('regression_units', 'years', 0, 51);
SELECT abs(r - e) < 1e-3 AS r, statistics FROM dpmix.query('SELECT dp_corr(age, years) FROM regression_units', 1e5) AS t(r float8),
    (SELECT corr(age, years) AS e FROM regression_clamped) AS exact,
    (SELECT array_agg(sensitivity) AS statistics FROM dpmix.preview('SELECT dp_corr(age, years) FROM regression_units', 1)) AS p;

-- What is no number, or has no bounds
\set SHOW_CONTEXT never
DO $$
DECLARE asked text; said text;
BEGIN
    FOREACH asked IN ARRAY ARRAY['dp_corr(region, age)', 'dp_corr(age, id)', 'dp_covar(age)', 'dp_covar(DISTINCT age, years)',
                                 'corr(age, years)', 'regr_sxx(age, years)', 'dp_regr_r2(age, years)', 'dp_corr(age, ''a'')'] LOOP
        BEGIN
            EXECUTE format('SELECT * FROM dpmix.query(%L, 1) AS t(x float8)', 'SELECT ' || asked || ' FROM regression_pay');
            RAISE WARNING '% is answered', asked;
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS said = MESSAGE_TEXT;
            RAISE WARNING '%: % %', asked, SQLSTATE, said;
        END;
    END LOOP;
END $$;
SELECT dpmix.dp_corr(age, years) FROM regression_pay WHERE false;

-- Plain SQL
SELECT dpmix.expose('regression_pay', 'regression_open');
SET SESSION AUTHORIZATION regress_regression_analyst;
SET dpmix.epsilon = 10000;
CREATE TEMP TABLE plain_answers AS
SELECT covar_pop(age, years) AS c, covar_samp(age, years) AS s, corr(wage, hours) AS r, regr_slope(wage, hours) AS b,
       regr_intercept(years, age) AS a, regr_count(wage, hours) AS n, dpmix.dp_high(corr(age, years), .999999999999) AS high
FROM private.regression_open;
GRANT SELECT ON plain_answers TO PUBLIC;
SELECT abs(regr_r2(age, years) - corr(age, years) ^ 2) < 1e-9 AS square FROM private.regression_open;
SELECT dpmix.dp_low(covar_samp(age, years)) < covar_samp(age, years) AS below FROM private.regression_open;
RESET SESSION AUTHORIZATION;
SELECT abs(c / covar_pop(age, years) - 1) < 1e-2 AS c, abs(s / covar_samp(age, years) - 1) < 1e-2 AS s,
       abs(r - corr(wage, hours)) < 1e-2 AS r, abs(b / regr_slope(wage, hours) - 1) < 1e-2 AS b,
       abs(a - regr_intercept(years, age)) < 1e-1 AS a, abs(n - regr_count(wage, hours)) < 5 AS n, high BETWEEN corr(age, years) AND 1 AS high
FROM plain_answers, regression_clamped GROUP BY plain_answers.*, c, s, r, b, a, n, high;

SELECT dpmix.hide('private.regression_open');
DROP TABLE regression_units, answers, plain_answers;
DROP VIEW regression_clamped;
DROP TABLE regression_pay CASCADE;
DROP OWNED BY regress_regression_analyst;
DROP ROLE regress_regression_analyst;
