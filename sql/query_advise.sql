-- advise: the price of a wanted accuracy, free.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
LOAD 'dpmix';
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE TABLE advised (region text, kind int, wage float8);
INSERT INTO advised SELECT (ARRAY['n', 's'])[1 + i % 2], i % 3, i % 101 FROM generate_series(1, 500) AS i;
SELECT dpmix.protect('advised', 4, 1e-6);
SELECT count(*) FROM dpmix.declare('advised', '{"wage": [0, 100], "region": ["n", "s"], "kind": {"categories": [0, 1, 2]}}');
-- A count with Laplace noise: half the width of its interval is ln(20) / epsilon, as whole numbers
SELECT abs(epsilon / 0.0298 - 1) < .01 AS epsilon, delta_needed, mechanism, interval_95 <= 100 AS kept, calls_left > 1 AS many, limited_by FROM dpmix.advise('SELECT dp_count(*) FROM advised', 100);
-- What it says is what preview says there, and a little less epsilon would not do
CREATE TEMP TABLE asked (query text, error float8, group_rows bigint, delta float8, output_column name);
INSERT INTO asked VALUES ('SELECT dp_count(*) FROM advised', 25, NULL, 0, NULL), ('SELECT dp_count(*) FROM advised', 25, NULL, 1e-8, NULL),
    ('SELECT region, dp_avg(wage) AS w FROM advised GROUP BY region', 5, 200, 1e-8, NULL), ('SELECT region, dp_avg(wage) AS w, dp_sum(wage) AS s FROM advised GROUP BY region', 1000, 200, 0, 's'),
    ('SELECT dp_sum(wage) / dp_count(*) AS ratio FROM advised', 3, 500, 0, 'ratio'), ('SELECT region, kind, dp_count(*) AS n FROM advised GROUP BY CUBE (region, kind)', 30, NULL, 1e-8, NULL);
CREATE TEMP TABLE advice AS SELECT q.*, a.epsilon AS advised, a.delta_needed, a.mechanism, a.interval_95, a.calls_left, a.charge_share, a.advice FROM asked q, LATERAL dpmix.advise(q.query, q.error, q.group_rows, q.delta, q.output_column) a;
SELECT query, mechanism IN ('gaussian', 'laplace', 'staircase', 'optimal') AS mechanism, delta_needed IN (0, delta) AS delta, interval_95 <= error AS kept,
       (SELECT max(p.interval_95) = a.interval_95 AND max(p.calls_left) = a.calls_left AND max(p.charge_share) = a.charge_share FROM dpmix.preview(query, advised, a.delta, a.mechanism, group_rows => group_rows) p
        WHERE a.output_column IS NULL OR p.output_column LIKE '%' || a.output_column || '%') AS as_previewed,
       (SELECT max(p.interval_95) > error * .99 FROM dpmix.preview(query, advised * .98, a.delta, a.mechanism, group_rows => group_rows, details => true) p
        WHERE a.output_column IS NULL OR p.output_column LIKE '%' || a.output_column || '%') AS least,
       advice LIKE format('With epsilon => %s,%% is within %s of the answer without noise in 95%%%% of calls. You can ask this %s times.', advised, error::numeric, calls_left) AS advice
FROM advice a ORDER BY query, delta;
-- With a delta a count can be asked more often
SELECT (SELECT calls_left FROM advice WHERE query LIKE 'SELECT dp_count%' AND delta > 0) > (SELECT calls_left FROM advice WHERE query LIKE 'SELECT dp_count%' AND delta = 0) AS more;
-- More than the budget, and once
SELECT calls_left, limited_by, advice FROM dpmix.advise('SELECT dp_count(*) AS n FROM advised', .01, delta => 0);
SELECT calls_left, limited_by, right(advice, 28) FROM dpmix.advise('SELECT dp_sum(wage) AS n FROM advised', 40);
-- Refused
SELECT * FROM dpmix.advise('SELECT region, dp_avg(wage) FROM advised GROUP BY region', 1);
SELECT * FROM dpmix.advise('SELECT dp_count(*) AS n FROM advised', 1, output_column => 'm');
SELECT * FROM dpmix.advise('SELECT dp_count(*) FROM advised', 0);
SELECT * FROM dpmix.advise('SELECT dp_count(*) FROM advised', NULL);
SELECT * FROM dpmix.advise('SELECT dp_count(*) FROM advised', 'NaN');
SELECT * FROM dpmix.advise(NULL, 1);
SELECT * FROM dpmix.advise('SELECT count(*) FROM advised', 1);
SELECT * FROM dpmix.advise('SELECT region, kind, dp_count(*) AS n FROM advised GROUP BY CUBE (region, kind)', 30);
SELECT * FROM dpmix.advise('SELECT region, dp_avg(wage) FROM advised GROUP BY region', 1, 0);
-- Free; needs access
SELECT count(*) FROM dpmix.ledger WHERE relation = 'public.advised';
CREATE ROLE advised_ana;
SET ROLE advised_ana;
SELECT * FROM dpmix.advise('SELECT dp_count(*) FROM advised', 100);
RESET ROLE;
SELECT dpmix.grant_access('advised', 'advised_ana', epsilon => .1);
SET ROLE advised_ana;
SELECT calls_left, limited_by FROM dpmix.advise('SELECT dp_count(*) FROM public.advised', 100);
RESET ROLE;
DROP TABLE advised, asked, advice;
DROP ROLE advised_ana;
