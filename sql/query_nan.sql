-- NaN as the middle of the bounds, where the owner says so: a NOT NULL column is then never missing.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE nan_pay (id int PRIMARY KEY, sex text NOT NULL, wage float8 NOT NULL, bonus float4 NOT NULL, rent numeric, age int NOT NULL);
INSERT INTO nan_pay SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END, CASE i % 7 WHEN 0 THEN float8 'NaN' WHEN 1 THEN float8 'Infinity' ELSE i % 100 END,
    CASE i % 5 WHEN 0 THEN float8 'NaN' ELSE i % 10 END, CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN numeric 'NaN' ELSE i % 50 END, i % 90 FROM generate_series(1, 3000) AS i;
CREATE TABLE nan_swap AS SELECT * FROM nan_pay;
ALTER TABLE nan_swap ALTER wage SET NOT NULL, ALTER bonus SET NOT NULL;
SELECT dpmix.protect('nan_pay', epsilon => 1e7, delta => 0.1), dpmix.protect('nan_swap', epsilon => 1e7, delta => 0.1, adjacency => 'replace');
SELECT dpmix.set_bounds(t, 'wage', 10, 70), dpmix.set_bounds(t, 'bonus', 0, 8), dpmix.set_bounds(t, 'rent', '-10', '40'), dpmix.set_bounds(t, 'age', 0, 100),
    dpmix.set_categories(t, 'sex', '{f,m}') FROM unnest('{nan_pay,nan_swap}'::regclass[]) AS t;
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; detail text;
BEGIN EXECUTE statement; RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL; RETURN sqlstate || ': ' || message || '. ' || detail; END $$;
SELECT refused('SELECT dpmix.set_bounds(''nan_pay'', ''age'', 0, 100, nan_is_middle => true)');
SELECT refused('SELECT dpmix.set_bounds(''nan_pay'', ''wage'', 0, 100, nan_is_middle => NULL)');
-- The noise as a part of what it would be alone, and how many numbers are released.
CREATE FUNCTION shares(query text, shares OUT numeric, released OUT bigint) LANGUAGE sql AS $$
    SELECT round((max(p.noise_stddev / p.sensitivity) / (SELECT noise_stddev FROM dpmix.preview('SELECT dp_count(*) FROM nan_pay', 1, 1e-6, 'gaussian')))::numeric, 3), count(DISTINCT statistic)
    FROM dpmix.preview(query, 1, 1e-6, 'gaussian') AS p $$;
CREATE TABLE nan_query (n int, query text);
INSERT INTO nan_query SELECT n, q FROM unnest(ARRAY[
    'SELECT dp_avg(wage), dp_var(wage), dp_avg(bonus), dp_var(bonus) FROM nan_pay',
    'SELECT dp_avg(wage), dp_sum(wage), dp_avg(bonus), dp_sum(bonus) FROM nan_pay',
    'SELECT dp_count(*), dp_count(wage), dp_avg(wage), dp_avg(bonus) FROM nan_pay',
    'SELECT dp_avg(wage) FROM nan_pay',
    'SELECT dp_corr(wage, bonus) FROM nan_pay',
    'SELECT dp_avg(rent), dp_count(rent) FROM nan_pay',
    'SELECT sex, dp_count(*), dp_avg(wage), dp_avg(bonus) FROM nan_pay GROUP BY sex']) WITH ORDINALITY AS u(q, n);
\set QUIET on
SELECT n, query, a.shares, a.released, r.shares AS replace FROM nan_query, shares(query) AS a, shares(replace(query, 'nan_pay', 'nan_swap')) AS r ORDER BY n;
-- Answers without noise to speak of, against PostgreSQL's own over what a column stands for.
CREATE FUNCTION middle(x float8, lower float8, upper float8, declared boolean) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN x <> 'NaN' THEN least(greatest(x, lower), upper) WHEN declared AND x IS NOT NULL THEN (lower + upper) / 2 END $$;
CREATE FUNCTION answers() RETURNS TABLE (aggregate text, agrees boolean) LANGUAGE plpgsql AS $$
DECLARE
    declared boolean := (SELECT nan_is_middle FROM dpmix.columns WHERE relation = 'nan_pay'::regclass AND column_name = 'wage');
BEGIN
    CREATE TEMP TABLE plain AS SELECT *, middle(wage, 10, 70, declared) AS w, middle(bonus, 0, 8, declared) AS b, middle(rent::float8, -10, 40, declared) AS r FROM nan_pay;
    CREATE TEMP TABLE noisy AS SELECT * FROM dpmix.query('SELECT dp_count(wage), dp_count(bonus), dp_count(rent), dp_sum(wage), dp_avg(bonus), dp_avg(rent), dp_var(wage), dp_median(wage),
            dp_covar(wage, rent), dp_regr_count(wage, rent), dp_avg(wage + bonus), dp_count(*) FILTER (WHERE wage = ''NaN''), dp_histogram(wage, ARRAY[10, 40, 70]), dp_avg(-bonus) FILTER (WHERE rent > 30),
            dp_count(wage + 1), dp_count(sqrt(rent)), dp_count(CASE WHEN age > 50 THEN bonus END)
        FROM nan_pay', 1e5) AS t(cw bigint, cb bigint, cr bigint, sw float8, ab float8, ar float8, vw float8, mw float8, cov float8, cn bigint, both_ float8, nans bigint, h bigint[], f float8, c1 bigint, c2 bigint, c3 bigint);
    RETURN QUERY SELECT u.* FROM noisy, LATERAL (SELECT count(w) AS cw, count(b) AS cb, count(r) AS cr, sum(w) AS sw, avg(b) AS ab, avg(r) AS ar, var_pop(w) AS vw, percentile_cont(.5) WITHIN GROUP (ORDER BY w) AS mw,
            covar_pop(w, r) AS cov, regr_count(w, r) AS cn, avg(w + b) AS both_, count(*) FILTER (WHERE wage = 'NaN') AS nans, ARRAY[count(*) FILTER (WHERE wage >= 10 AND wage < 40), count(*) FILTER (WHERE wage >= 40 AND wage < 70)] AS h,
            avg(-b) FILTER (WHERE rent > 30) AS f,
            count(w + 1) AS c1, count(*) FILTER (WHERE r >= 0) AS c2, count(CASE WHEN age > 50 THEN b END) AS c3 FROM plain) AS p,
        LATERAL (VALUES ('count', noisy.cw = p.cw AND noisy.cb = p.cb AND noisy.cr = p.cr), ('sum', abs(noisy.sw - p.sw) < 1), ('avg', abs(noisy.ab - p.ab) < .01 AND abs(noisy.ar - p.ar) < .01),
            ('var', abs(noisy.vw - p.vw) < .1), ('median', abs(noisy.mw - p.mw) < 1), ('covar', abs(noisy.cov - p.cov) < .1 AND noisy.cn = p.cn), ('of an expression', abs(noisy.both_ - p.both_) < .01),
            ('conditions see NaN', noisy.nans = p.nans AND abs(noisy.f - p.f) < .01), ('histogram', noisy.h = p.h),
            ('count of expressions', noisy.c1 = p.c1 AND noisy.c2 = p.c2 AND noisy.c3 = p.c3)) AS u;
    DROP TABLE plain, noisy;
END $$;
SELECT aggregate, agrees FROM answers();
SELECT dpmix.set_bounds(t, 'wage', 10, 70, nan_is_middle => true), dpmix.set_bounds(t, 'bonus', 0, 8, true), dpmix.set_bounds(t, 'rent', '-10', '40', true)
FROM unnest('{nan_pay,nan_swap}'::regclass[]) AS t;
SELECT n, query, a.shares, a.released, r.shares AS replace FROM nan_query, shares(query) AS a, shares(replace(query, 'nan_pay', 'nan_swap')) AS r ORDER BY n;
SELECT aggregate, agrees FROM answers();
SELECT column_name, lower, upper, nan_is_middle FROM dpmix.columns WHERE relation = 'nan_pay'::regclass ORDER BY column_name;
SELECT item, value FROM dpmix.describe('nan_pay') WHERE section = 'column' AND item = 'wage';
-- Another row with NaN counts as the others do.
INSERT INTO nan_pay VALUES (10000, 'f', 'NaN', 'NaN', 'NaN', 1);
SELECT aggregate, agrees FROM answers();
-- Stating bounds again takes it back; so it is what each call says.
SELECT dpmix.set_bounds('nan_pay', 'wage', 10, 70);
SELECT (shares(query)).* FROM nan_query WHERE n = 1;
DROP FUNCTION shares, answers, middle, refused;
DROP TABLE nan_pay, nan_swap, nan_query;
