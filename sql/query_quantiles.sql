-- Quantiles and histograms of private queries. At a large epsilon there is no noise, and answers are compared with
-- PostgreSQL's own.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE quantile_wages AS
SELECT i, CASE i % 4 WHEN 0 THEN 'north' WHEN 1 THEN 'south' WHEN 2 THEN 'elsewhere' END AS region, i % 3 = 0 AS smoker,
       CASE WHEN i % 50 = 0 THEN float8 'NaN' WHEN i % 51 = 0 THEN 'Infinity' WHEN i % 52 = 0 THEN '-Infinity'
            WHEN i % 53 = 0 THEN NULL ELSE exp(5 + (hash_numeric_extended(i, 1) % 3000) / 1000.0) END AS wage,
       CASE WHEN i % 40 = 0 THEN NULL ELSE abs(hash_numeric_extended(i, 2)) % 130 END::smallint AS age,
       CASE WHEN i % 41 = 0 THEN numeric 'NaN' ELSE (i * 7919 % 60013) / 100.0 END AS hours,
       (hash_numeric_extended(i, 3) % 3000000)::bigint AS bonus, 5 AS same
  FROM generate_series(1, 5000) i;
ANALYZE quantile_wages;
SELECT dpmix.protect('quantile_wages', epsilon => 1e7, delta => 0.1);
SELECT dpmix.set_categories('quantile_wages', 'region', '{north,south,west}');
SELECT dpmix.set_categories('quantile_wages', 'smoker', '{true,false}');
SELECT dpmix.set_bounds('quantile_wages', 'wage', 50, 2000);
SELECT dpmix.set_bounds('quantile_wages', 'age', 10, 100);
SELECT dpmix.set_bounds('quantile_wages', 'hours', 0, 500);
SELECT dpmix.set_bounds('quantile_wages', 'bonus', -1000000, 2000000);
CREATE ROLE regress_quantile_analyst;
SELECT dpmix.grant_access('quantile_wages', 'regress_quantile_analyst');
CREATE VIEW quantile_clamped AS  -- what the bounds make of the rows
SELECT region, smoker, CASE WHEN wage <> 'NaN' THEN least(greatest(wage, 50), 2000) END AS wage, CASE WHEN age IS NOT NULL THEN least(greatest(age, 10), 100) END AS age,
       CASE WHEN hours <> 'NaN' THEN least(hours, 500) END AS hours, least(greatest(bonus, -1000000), 2000000) AS bonus FROM quantile_wages;

-- An analyst without SELECT: the cell of percentile_disc, hence of width (upper - lower) / 4096, or the value itself
SET SESSION AUTHORIZATION regress_quantile_analyst;
CREATE TEMP TABLE answers AS
SELECT * FROM dpmix.query($$
    SELECT dp_quantile(wage, 0), dp_quantile(wage, 0.1), dp_median(wage), dp_quantile(wage, $1), dp_quantile(wage, 1),
           dp_quantile(age, 0), dp_quantile(age, .25), dp_median(age), dp_quantile(age, 1), dp_median(hours), dp_quantile(bonus, .9)
      FROM quantile_wages $$, epsilon => 1e6, params => '{0.9}')
    AS t(w0 float8, w1 float8, w5 float8, w9 float8, w10 float8, a0 float8, a25 float8, a5 float8, a10 float8, h5 float8, b9 float8);
CREATE TEMP TABLE by_group AS
SELECT * FROM dpmix.query($$
    SELECT region, smoker, dp_median(wage), dp_low(dp_median(wage)), dp_high(dp_median(wage), 0.5), dp_quantile(age, 0.75), dp_low(dp_quantile(age, 0.75)),
           dp_high(dp_quantile(age, 0.75)), dp_count(age) FROM quantile_wages WHERE bonus > -100000 GROUP BY region, smoker $$, epsilon => 1e6)
    AS t(region text, smoker boolean, wage float8, wage_low float8, wage_high float8, age float8, age_low float8, age_high float8, n bigint);
CREATE TEMP TABLE histograms AS
SELECT * FROM dpmix.query($$
    SELECT region, dp_histogram(age, '{0,18,65,200}'), dp_histogram(wage, ARRAY['-Infinity', 0, 100, 'Infinity']::float8[]),
           dp_low(dp_histogram(age, ARRAY[0,18,65,200]), level => .9), dp_histogram(hours, ARRAY[0, 2.5]), dp_histogram(same, '{5,6}')
      FROM quantile_wages GROUP BY region $$, epsilon => 1e6)
    AS t(region text, age bigint[], wage bigint[], age_low float8[], hours bigint[], same bigint[]);
GRANT SELECT ON answers, by_group, histograms TO PUBLIC;
RESET SESSION AUTHORIZATION;

SELECT abs(w0 - p[1]) <= cell AS w0, abs(w1 - p[2]) <= cell AS w1, abs(w5 - p[3]) <= cell AS w5, abs(w9 - p[4]) <= cell AS w9,
       abs(w10 - p[5]) <= cell AS w10, ARRAY[a0, a25, a5, a10] = q::float8[] AS ages, abs(h5 - h) <= 500 / 4096. AS hours, abs(b9 - b) <= 1024 / 2 AS bonus
  FROM answers, (SELECT 1950 / 4096. / 2 AS cell) c,
       (SELECT percentile_disc('{0,.1,.5,.9,1}'::float8[]) WITHIN GROUP (ORDER BY wage) AS p,
               percentile_disc('{0,.25,.5,1}'::float8[]) WITHIN GROUP (ORDER BY age) AS q,
               percentile_disc(.5) WITHIN GROUP (ORDER BY hours) AS h, percentile_disc(.9) WITHIN GROUP (ORDER BY bonus) AS b FROM quantile_clamped) e;
-- Groups; west has no rows: the middle of the bounds, and an interval of one point
SELECT count(*) AS groups, bool_and(CASE WHEN e.rows > 0 THEN abs(a.wage - e.wage) <= 1950 / 4096. / 2 AND wage_low <= e.wage AND wage_high >= e.wage
           AND wage_high - wage_low <= 1950 / 4096. ELSE a.wage = 1025 AND wage_low = 1025 AND wage_high = 1025 END) AS wages,
       bool_and(a.age = coalesce(e.age, 55)) AS ages, bool_and(age_low = a.age AND age_high = a.age) AS points,
       bool_and(n = coalesce(e.rows, 0)) AS counts
  FROM by_group a LEFT JOIN (SELECT region, smoker, percentile_disc(.5) WITHIN GROUP (ORDER BY wage) AS wage, count(age) AS rows,
           percentile_disc(.75) WITHIN GROUP (ORDER BY age) AS age FROM quantile_clamped WHERE bonus > -100000 GROUP BY 1, 2) e ON (e.region, e.smoker) IS NOT DISTINCT FROM (a.region, a.smoker);
-- Histograms are of the values as they are, without bounds; infinities above the last edge are left out
SELECT region, a.age = e.age AS age, a.wage = e.wage AS wage, a.age_low = e.age::float8[] AS age_low, a.hours = ARRAY[e.hours] AS hours, a.same = ARRAY[e.same] AS same
  FROM histograms a LEFT JOIN LATERAL (SELECT array_agg(n ORDER BY k) AS age FROM (SELECT k, (SELECT count(*) FROM quantile_wages w WHERE w.region IS NOT DISTINCT FROM a.region
           AND width_bucket(w.age, '{0,18,65,200}'::int[]) = k) AS n FROM generate_series(1, 3) k) c) x ON true
       LEFT JOIN LATERAL (SELECT x.age, ARRAY[count(*) FILTER (WHERE wage < 0), count(*) FILTER (WHERE wage >= 0 AND wage < 100),
           count(*) FILTER (WHERE wage >= 100 AND wage < 'Infinity')] AS wage, count(*) FILTER (WHERE hours < 2.5) AS hours, count(same) AS same
           FROM quantile_wages w WHERE w.region IS NOT DISTINCT FROM a.region) e ON true;

-- Filters make trees of their own; expressions have the bounds that their columns give them; released values may be
-- computed with
SELECT abs(f - ef) <= cell AS filtered, abs(exp(l) - e) <= e * .001 AS logarithm, abs(d - 2 * e) <= 2 * cell AS doubled, spread > 0 AS spread, n = en AS histogram
  FROM dpmix.query($$ SELECT dp_median(wage) FILTER (WHERE smoker), dp_median(ln(wage)), dp_median(wage * 2), dp_quantile(wage, .9) - dp_quantile(wage, .1),
           dp_histogram(age, '{20,30}') FILTER (WHERE NOT smoker) FROM quantile_wages $$, 1e6) AS t(f float8, l float8, d float8, spread float8, n bigint[]),
       (SELECT 1950 / 4096. AS cell, percentile_disc(.5) WITHIN GROUP (ORDER BY wage) FILTER (WHERE smoker) AS ef, percentile_disc(.5) WITHIN GROUP (ORDER BY wage) AS e,
               ARRAY[count(*) FILTER (WHERE NOT smoker AND age >= 20 AND age < 30)] AS en FROM quantile_clamped) e;
SELECT statistic FROM dpmix.preview('SELECT dp_median(age), dp_low(dp_median(age)), dp_median(age) FILTER (WHERE smoker), dp_quantile(age, .9) FILTER (WHERE smoker) FROM quantile_wages', 1);
-- Units of several rows: all of them may be in one cell, or each in another
CREATE TABLE quantile_visits AS SELECT i / 2 AS person, i AS x FROM generate_series(2, 201) i;
SELECT dpmix.protect('quantile_visits', 1e6, 1e-3, privacy_unit => 'person', max_rows_per_unit => 2);
SELECT dpmix.set_bounds('quantile_visits', 'x', 0, 255);
SELECT m FROM dpmix.query('SELECT dp_median(x) FROM quantile_visits', 1e5) AS t(m float8);
SELECT statistic, sensitivity FROM dpmix.preview('SELECT dp_median(x), dp_count(*) FROM quantile_visits', 1, 1e-3, 'laplace');

-- Discovered groups: nobody knows how many, so cells are those of 16384 declared ones
SELECT region, abs(m - e.wage) <= 1950 / 256. AS median, h = e.n AS histogram
  FROM dpmix.query('SELECT region, dp_median(wage), dp_histogram(age, ARRAY[0, 50]) FROM quantile_wages WHERE region IS NOT NULL GROUP BY region', 1e4, 1e-6, keys => 'discover') AS t(region text, m float8, h bigint[])
       JOIN (SELECT region, percentile_disc(.5) WITHIN GROUP (ORDER BY wage) AS wage, ARRAY[count(*) FILTER (WHERE age < 50)] AS n FROM quantile_clamped GROUP BY region) e USING (region) ORDER BY region;

-- Noise: answers differ, within the bounds; the same tree once, however many quantiles it answers
SELECT count(DISTINCT m) > 1 AS noisy, bool_and(m BETWEEN 50 AND 2000 AND l <= m AND m <= h) AS held, bool_and(m = again) AS one_tree
  FROM generate_series(1, 10) i, dpmix.query('SELECT dp_median(wage), dp_low(dp_median(wage)), dp_high(dp_median(wage)), dp_quantile(wage, 0.5) FROM quantile_wages', 0.05 + i / 1e6)
    AS t(m float8, l float8, h float8, again float8);
SELECT output_column, statistic, sensitivity, expected_error IS NULL AS ratio FROM dpmix.preview($$
    SELECT dp_median(wage) AS half, dp_quantile(wage, .9) AS top, dp_high(dp_median(wage)), dp_median(age), dp_histogram(age, '{0,50,100}') AS ages,
           dp_histogram(age, ARRAY[0,50,100]), dp_histogram(age, '{0,51,100}') AS others, dp_quantile(bonus, 0), dp_count(wage) FROM quantile_wages $$, epsilon => 1);
-- A replaced row leaves one cell and enters another
CREATE TABLE quantile_replaced AS SELECT 1 AS x;
SELECT dpmix.protect('quantile_replaced', 1, 1e-3, adjacency => 'replace');
SELECT dpmix.set_bounds('quantile_replaced', 'x', 0, 9);
SELECT statistic, mechanism, sensitivity, round((noise_stddev * 1000)::numeric) FROM dpmix.preview('SELECT dp_median(x), dp_count(*) FROM quantile_replaced', 1, 1e-3, 'gaussian');
SELECT mechanism, sensitivity FROM dpmix.preview('SELECT dp_histogram(x, ''{0,1,2}'') FROM quantile_replaced', 1, 0, 'laplace');

-- More groups, fewer cells: public numbers decide
CREATE TABLE quantile_many AS SELECT 'g1' AS a, 'g1' AS b, 'g1' AS c, .5::float8 AS x, .5::float8 AS y, .5::float8 AS z;
SELECT dpmix.protect('quantile_many', 1e6, 1e-6);
SELECT dpmix.set_categories('quantile_many', name, (SELECT array_agg('g' || i) FROM generate_series(1, 45) i)) FROM unnest('{a,b,c}'::text[]) name;
SELECT dpmix.set_bounds('quantile_many', name, 0, 1) FROM unnest('{x,y,z}'::text[]) name;
SELECT g, string_agg(statistic, ', ' ORDER BY statistic) FROM unnest('{a,"a,b","a,b,c"}'::text[]) g, dpmix.preview('SELECT dp_median(x), dp_low(dp_median(x)) FROM quantile_many GROUP BY ' || g, 1) GROUP BY g ORDER BY g;
SELECT m FROM dpmix.query('SELECT a, b, c, dp_median(x) FROM quantile_many GROUP BY a, b, c', 1e5) AS t(a text, b text, c text, m float8) WHERE a || b || c = 'g1g1g1';

-- Many rows for the noise, finer cells: 65536, in four levels. ε, what else is asked, groups, memory and PostgreSQL's
-- estimate of the rows decide, where no condition leaves any out
CREATE TABLE quantile_fine AS SELECT i AS n, (i * 7919 % 60013) / 600.13 AS y, (i * 7919 % 60013) / 600.13::float8 AS x, 'g' || i % 7 AS g FROM generate_series(1, 5000) i;
ANALYZE quantile_fine;
SELECT dpmix.protect('quantile_fine', epsilon => 1e7, delta => 0.1);
SELECT dpmix.set_bounds('quantile_fine', name, 0, 100) FROM unnest('{x,y}'::text[]) name;
SELECT dpmix.set_bounds('quantile_fine', 'n', 1, 9000);
SELECT dpmix.set_categories('quantile_fine', 'g', (SELECT array_agg('g' || i) FROM generate_series(1, 16) i));
SELECT v.*, count(*) AS levels, bool_and(statistic LIKE 'tree level _ of %') AS trees FROM (VALUES (100, 0, 'auto', 'dp_median(x)'), (4, 0, 'auto', 'dp_median(x)'),
       (1000, 1e-6, 'gaussian', 'dp_median(x)'), (4, 1e-6, 'gaussian', 'dp_median(x)'), (100, 0, 'auto', 'dp_median(y)'), (100, 0, 'auto', 'dp_median(n)'), (4, 0, 'auto', 'dp_median(n)'),
       (100, 0, 'auto', 'dp_median(x), dp_count(*)'), (200, 0, 'auto', 'dp_quantile(x, .1), dp_quantile(x, .9)'), (400, 0, 'auto', 'dp_median(x), dp_median(y)'),
       (1000, 0, 'auto', 'dp_median(x) FILTER (WHERE n > 0)'), (1000, 0, 'auto', 'dp_median(x), dp_count(*)')) v (epsilon, delta, mechanism, query),
       LATERAL dpmix.preview('SELECT ' || query || ', dp_low(' || substring(query FROM '^dp_\w+\([^()]*\)(?: FILTER \(.*\))?') || ') FROM quantile_fine', v.epsilon, v.delta, v.mechanism) GROUP BY v.epsilon, v.delta, v.mechanism, query ORDER BY query, v.epsilon, v.delta;
-- 16 groups of 69904 numbers would be too large an answer to be remembered
SELECT g, count(*) AS levels FROM unnest('{g,"substr(g, 1, 1)"}'::text[]) g, LATERAL dpmix.preview('SELECT dp_low(dp_median(x)) FROM quantile_fine GROUP BY ' || g, 1000) GROUP BY g ORDER BY g;
-- A median as precise as its cell, and whole numbers that have one each now
SELECT abs(m - p.x) <= 100 / 65536. / 2 AS median, l <= p.x AND p.x <= h AND h - l <= 100 / 65536. AS cell, t.n = p.n AND nl = t.n AND nh = t.n AS whole, abs(y - p.x) <= 100 / 65536. / 2 AS numeric
  FROM dpmix.query('SELECT dp_median(x), dp_low(dp_median(x)), dp_high(dp_median(x)), dp_median(n), dp_low(dp_median(n)), dp_high(dp_median(n)), dp_median(y) FROM quantile_fine', 1e5)
         AS t(m float8, l float8, h float8, n float8, nl float8, nh float8, y float8),
       (SELECT percentile_disc(.5) WITHIN GROUP (ORDER BY x) AS x, percentile_disc(.5) WITHIN GROUP (ORDER BY n) AS n FROM quantile_fine) p;
-- States that are made without a price say how many cells they have
SELECT dpmix.partial_sql('SELECT dp_median(x) FROM quantile_fine') LIKE '%{0,100,4096}%' AS explicit;

-- Refused before the charge -----------------------------------------------------------------------
CREATE FUNCTION quantile_refusal(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    PERFORM 1 FROM dpmix.preview(query, 1);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(E'\n    ', SQLSTATE || ' ' || SQLERRM, CASE WHEN SQLSTATE = 'PV005' THEN detail || ' | ' || hint END);
END $$;
\pset format unaligned
\pset tuples_only on
SELECT items || E'\n    ' || quantile_refusal('SELECT ' || items || ' FROM quantile_wages') FROM unnest(ARRAY['dp_quantile(wage, 1.5)', 'dp_quantile(wage, -.1)', 'dp_quantile(wage, ''NaN'')',
    'dp_quantile(wage, NULL)', 'dp_quantile(wage, age)', 'dp_histogram(wage, NULL)', 'dp_histogram(wage, ''{}'')', 'dp_histogram(wage, ''{1,NULL}'')',
    'dp_histogram(wage, ''{{1,2},{3,4}}'')', 'dp_histogram(wage, ''{1}'')', 'dp_histogram(wage, ''{2,1}'')', 'dp_histogram(wage, ''{1,NaN}'')', 'dp_histogram(wage, ARRAY[0, age])',
    'dp_median(same)', 'dp_median(region)', 'dp_median(wage) FILTER (WHERE smoker) OVER ()', 'dp_median(DISTINCT wage)', 'dp_low(dp_median(wage), 1)']) AS items;
SELECT quantile_refusal('SELECT dp_median(x), dp_median(y), dp_median(z) FROM quantile_many GROUP BY a, b, c');
SELECT quantile_refusal(format('SELECT dp_histogram(x, %L) FROM quantile_many GROUP BY a, b, c', (SELECT array_agg(i) FROM generate_series(1, 1000) i)));
\pset format aligned
\pset tuples_only off
SELECT count(*) FROM dpmix.ledger WHERE relation LIKE '%quantile_many';
SELECT dpmix.dp_quantile(1, 0.5);
SELECT dpmix.dp_median(x) FROM quantile_many WHERE false;
SELECT dpmix.dp_high(dpmix.dp_histogram(1.5, '{1,2}'));
DROP TABLE quantile_wages, quantile_visits, quantile_replaced, quantile_many, quantile_fine CASCADE;
DROP FUNCTION quantile_refusal;
DROP OWNED BY regress_quantile_analyst;
DROP ROLE regress_quantile_analyst;
