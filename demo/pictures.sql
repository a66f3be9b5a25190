-- Pictures of what was released, as files that any browser opens: psql -v out=DIRECTORY. SVG documents
-- are texts, so that \o is all it takes.
\set ECHO none
\set out_budget :out '/budget.svg'
\set out_wages :out '/wages.svg'
\set out_petals :out '/petals.svg'
\set out_page :out '/index.html'
\connect - office
\o /dev/null
SELECT * FROM dpmix.query('SELECT dp_median(experience), dp_count(*) FROM cps', epsilon => 0.5) AS t(experience float8, people bigint);
\connect - ana
\echo
\echo '=== 8. Pictures: the wages with their 95% intervals, the mixture of petals, the budget by role ==='
\echo
\set ECHO queries
CREATE TABLE wages AS
SELECT * FROM dpmix.query($$
    SELECT region || ', ' || schooling, dp_avg(wage), dp_low(dp_avg(wage)), dp_high(dp_avg(wage))
    FROM cps GROUP BY region, schooling
$$, epsilon => 0.2, delta => 1e-7) AS t(people text, wage float8, low float8, high float8);
\pset format unaligned
\pset tuples_only on
SELECT dpmix.interval_svg(people, wage, low, high, 'Mean weekly wage, $' ORDER BY wage DESC) AS wages FROM wages \gset
SELECT dpmix.draw('iris_model', 'petal_length') AS petals \gset
\connect - office
SELECT dpmix.budget_svg('cps') AS budget \gset
\set ECHO none
\o :out_wages
\qecho :wages
\o :out_petals
\qecho :petals
\o :out_budget
\qecho :budget
\o
\echo 'SELECT dpmix.dashboard(''What was released about cps and iris'', ARRAY[wages, petals, budget]);'
\o :out_page
SELECT dpmix.dashboard('What was released about cps and iris', ARRAY[:'wages', :'petals', :'budget']);
\o
\pset tuples_only off
\pset format aligned
\echo
\echo 'Open' :out_page
