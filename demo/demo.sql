\pset border 1
\pset footer off
\pset null '-'
\set VERBOSITY default
\set SHOW_CONTEXT never

\connect - office
\echo
\echo '=== 1. The owner protects two tables, states what is public, and lets an analyst in ==='
\echo
\set ECHO queries
SELECT dpmix.protect('cps', epsilon => 8, delta => 1e-6);
SELECT dpmix.set_bounds('cps', 'wage', 0, 2500);
SELECT dpmix.set_bounds('cps', 'education', 0, 20);
SELECT dpmix.set_bounds('cps', 'experience', 0, 60);
SELECT dpmix.set_categories('cps', 'region', '{northeast,midwest,south,west}');
SELECT dpmix.set_categories('cps', 'ethnicity', '{cauc,afam}');
SELECT dpmix.set_categories('cps', 'schooling', '{below 12 years,12 years,13 to 15 years,16 years or more}');
SELECT dpmix.grant_access('cps', 'ana', epsilon => 7);
\set ECHO none
\o /dev/null
SELECT dpmix.protect('iris', epsilon => 10, delta => 1e-5);
SELECT dpmix.set_bounds('iris', 'sepal_length', 4, 8), dpmix.set_bounds('iris', 'sepal_width', 2, 5),
       dpmix.set_bounds('iris', 'petal_length', 0, 7), dpmix.set_bounds('iris', 'petal_width', 0, 3),
       dpmix.set_categories('iris', 'species', '{setosa,versicolor,virginica}'),
       dpmix.grant_access('iris', 'ana');
\o

\connect - ana
\echo
\echo '=== 2. The analyst has no right to the rows ... ==='
\echo
\set ECHO queries
SELECT avg(wage) FROM cps;
\set ECHO none
\echo
\echo '=== ... but may ask what a private query would cost and how noisy it would be (free) ==='
\echo
\set ECHO queries
SELECT output_column, statistic, mechanism, sensitivity, epsilon, delta,
       round(noise_stddev::numeric, 2) AS noise_stddev, round(interval_95::numeric, 2) AS interval_95
FROM dpmix.preview($$
    SELECT region, schooling, dp_count(*), dp_avg(wage) FROM cps GROUP BY region, schooling
$$, epsilon => 1, delta => 1e-7);
\set ECHO none
\echo
\echo '=== ... and ask it ==='
\echo
\set ECHO queries
CREATE TABLE noisy AS
SELECT * FROM dpmix.query($$
    SELECT region, schooling, dp_count(*), dp_avg(wage) FROM cps GROUP BY region, schooling
$$, epsilon => 1, delta => 1e-7) AS t(region text, schooling text, people bigint, wage float8);
\set ECHO none
GRANT SELECT ON noisy TO office;

\connect - office
\echo
\echo '=== What came out, beside what the owner sees in the rows ==='
\echo
SELECT region, schooling, noisy.people, exact.people AS "people, exact",
       round(noisy.wage::numeric, 1) AS wage, round(exact.wage::numeric, 1) AS "wage, exact"
FROM noisy
JOIN (SELECT region, schooling, count(*) AS people, avg(wage) AS wage FROM cps GROUP BY region, schooling)
     AS exact USING (region, schooling)
ORDER BY region, schooling;

\connect - ana
\echo
\echo '=== Expressions, medians, filters; what is made of released values costs nothing ==='
\echo
\set ECHO queries
SELECT * FROM dpmix.query($$
    SELECT region, round(dp_median(wage)), round(dp_avg(wage * 52)), 100 * dp_count(*) FILTER (WHERE parttime) / dp_count(*)
    FROM cps WHERE education >= 12 GROUP BY region HAVING dp_count(*) > 1000 ORDER BY 2 DESC
$$, epsilon => 0.5, delta => 1e-7) AS t(region text, median float8, yearly float8, parttime_percent bigint);
\set ECHO none
\echo
\echo '=== 3. A query that is rolled back stays charged: its answer was seen ==='
\echo
\set ECHO queries
BEGIN;
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM cps WHERE parttime', epsilon => 0.1) AS t(parttime bigint);
ROLLBACK;
SELECT relation, accountant, epsilon, delta, round(epsilon_spent::numeric, 3) AS epsilon_spent, charges
FROM dpmix.budget ORDER BY relation::text;
\set ECHO none

\echo
\echo '=== 4. A private Gaussian mixture model of Iris (epsilon = 4), kept as a database object ==='
\echo
\set ECHO queries
SELECT name, components, dimensions, epsilon, delta, quality
FROM dpmix.release_gmm('iris_model', 'iris', '{sepal_length,sepal_width,petal_length,petal_width}',
                       epsilon => 4, delta => 1e-6, label => 'species');
SELECT component, label, round(weight::numeric, 3) AS weight,
       ARRAY(SELECT round(m::numeric, 2) FROM unnest(mean) AS m) AS mean
FROM dpmix.gmm('iris_model');
\set ECHO none
\connect - office
\echo
\echo '=== How far it is from the rows: KL against the same fit with (almost) no noise. Iris is public'
\echo '    data, so for this one comparison a copy of it gets an absurd budget. ==='
\echo
\o /dev/null
CREATE TABLE iris_copy AS SELECT * FROM iris;
SELECT dpmix.protect('iris_copy', epsilon => 1e7, delta => 1e-5);
SELECT dpmix.set_bounds('iris_copy', 'sepal_length', 4, 8), dpmix.set_bounds('iris_copy', 'sepal_width', 2, 5),
       dpmix.set_bounds('iris_copy', 'petal_length', 0, 7), dpmix.set_bounds('iris_copy', 'petal_width', 0, 3),
       dpmix.set_categories('iris_copy', 'species', '{setosa,versicolor,virginica}');
SELECT dpmix.release_gmm('iris_fit', 'iris_copy', '{sepal_length,sepal_width,petal_length,petal_width}',
                         epsilon => 5e6, delta => 1e-6, label => 'species');
\o
SELECT round(dpmix.gmm_kl('iris_model', 'iris_fit')::numeric, 3) AS "KL(private || fit), nats";
\connect - ana
\echo
\echo '=== A table sampled from the model is post-processing: free ==='
\echo
\set ECHO queries
CREATE TABLE iris_like AS SELECT * FROM dpmix.sample('iris_model', NULL::iris, 5000);
SELECT species, count(*), round(avg(sepal_length)::numeric, 2) AS sepal_length,
       round(avg(petal_length)::numeric, 2) AS petal_length
FROM iris_like GROUP BY species ORDER BY species;
\set ECHO none

\echo
\echo '=== 5. A private synthetic table of the wage earners (DP-CDA), by region ==='
\echo
\set ECHO queries
CREATE TABLE synthetic AS
SELECT * FROM dpmix.cda(NULL::cps, columns => '{wage,education,experience,ethnicity}', label => 'region',
                        rows => 20000, epsilon => 2, delta => 1e-7, demix => 'per_class');
SELECT region, round(wage::numeric, 2) AS wage, education, experience, ethnicity
FROM synthetic LIMIT 3;
\set ECHO none
GRANT SELECT ON synthetic TO office;
\connect - office
\echo
\echo '=== Its class means, and the correlation of wage and education, beside the real ones ==='
\echo
SELECT region, s.rows, round(s.wage::numeric, 1) AS wage, round(r.wage::numeric, 1) AS "wage, real",
       round(s.education, 2) AS education, round(r.education, 2) AS "education, real",
       round(s.corr::numeric, 2) AS corr, round(r.corr::numeric, 2) AS "corr, real"
FROM (SELECT region, count(*) AS rows, avg(wage) AS wage, avg(education) AS education,
             corr(wage, education) AS corr FROM synthetic GROUP BY region) AS s
JOIN (SELECT region, avg(wage) AS wage, avg(education) AS education, corr(wage, education) AS corr
      FROM cps GROUP BY region) AS r USING (region)
ORDER BY region;

\echo
\echo '=== How alike the two tables are, exactly: for the owner alone (analysts pay for compare_private) ==='
\echo
SELECT measure, column_name, category, round(real_value::numeric, 3) AS "real",
       round(synthetic_value::numeric, 3) AS synthetic, round(difference::numeric, 3) AS difference
FROM dpmix.compare('cps', 'ana.synthetic', label => 'region', columns => '{wage,education,experience,ethnicity}')
WHERE measure IN ('accuracy', 'share', 'ks_distance', 'correlation_max_difference');

\connect - ana
\echo
\echo '=== 6. What cannot be asked, and what no longer fits ==='
\echo
\set ECHO queries
SELECT * FROM dpmix.query('SELECT id, wage FROM cps', epsilon => 0.1) AS t(id int, wage float8);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM cps WHERE wage::text LIKE ''%7''', epsilon => 0.1) AS t(n bigint);
SELECT * FROM dpmix.query('SELECT dp_avg(wage) FROM cps', epsilon => 6) AS t(wage float8);
\set ECHO none

\connect - office
\echo
\echo '=== 7. The ledger, as the owner reads it ==='
\echo
SELECT id, relation, role, kind, mechanism, epsilon, delta, round(cost, 4) AS cost FROM dpmix.ledger ORDER BY id;
SELECT relation, accountant, epsilon, delta, round(epsilon_spent::numeric, 3) AS epsilon_spent,
       round(epsilon_remaining::numeric, 3) AS epsilon_remaining, charges
FROM dpmix.budget ORDER BY relation::text;
