-- A table under the accountant gdp, end to end: what each kind of release is charged, the gauge, the end of the budget.
-- Costs are compared with figures computed apart from dpmix (the normal quantile and curve of scipy), to 1e-8 of them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;
\set SHOW_CONTEXT never
CREATE TABLE gdp_people (age int, wage float8, kind text);
INSERT INTO gdp_people SELECT i % 90, i % 4000, CASE i % 2 WHEN 0 THEN 'even' ELSE 'odd' END FROM generate_series(1, 1000) AS i;

-- Terms: a delta is needed, there is no order, and nothing but the name decides while nothing was charged. A filter
-- that the ledger has built for one accountant serves no other.
SELECT dpmix.protect('gdp_people', 4, 0, accountant => 'gdp');
SELECT dpmix.protect('gdp_people', 4, 1e-6, accountant => 'basic');
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM gdp_people', 5, 1e-7, 'gaussian') AS t(n bigint);
SELECT dpmix.unprotect('gdp_people');
SELECT dpmix.protect('gdp_people', 4, 1e-6, accountant => 'gdp');
SELECT accountant, renyi_order FROM dpmix.protected_table WHERE table_name = 'gdp_people' AND active;
SELECT dpmix.set_bounds('gdp_people', 'age', 0, 120), dpmix.set_bounds('gdp_people', 'wage', 0, 5000),
       dpmix.set_categories('gdp_people', 'kind', '{even,odd}');
SELECT dpmix.set_budget('gdp_people', 4, 0, 'pure');

-- One release of each kind.
SELECT count(*) FROM dpmix.query('SELECT dp_count(*), dp_avg(wage) FROM gdp_people', .1, 1e-9, 'gaussian') AS t(n bigint, w float8);
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM gdp_people', .1, mechanism => 'laplace') AS t(n bigint);
SELECT count(*) FROM dpmix.query('SELECT dp_sum(wage) FROM gdp_people', .1, mechanism => 'laplace') AS t(w float8);
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM gdp_people', .1, 1e-9, 'optimal') AS t(n bigint);
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM gdp_people', .1, 1e-9) AS t(n bigint);
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM gdp_people', .1) AS t(n bigint);
SELECT name FROM dpmix.release_gmm('gdp_mixture', 'gdp_people', '{age,wage}', .5, 1e-8, label => 'kind');
SET client_min_messages = error;  -- noise may hide all spread, which it warns of
SELECT count(*) FROM dpmix.cda(NULL::gdp_people, '{age,wage}', 100, .5, 1e-8, label => 'kind');
RESET client_min_messages;
SELECT c.kind, c.mechanism, c.epsilon, c.delta, abs(c.cost / e.cost::numeric - 1) < 1e-8 AS as_computed, c.cost_delta
FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM dpmix.charge WHERE relation LIKE '%gdp_people') AS c
JOIN (VALUES (1, 3.966639215532867e-4), (2, 1.5702348541448856e-2), (3, 1.4963632926385615e-2), (4, 1.5702348541448856e-2),
             (5, 3.966639215532867e-4), (6, 1.5702348541448856e-2), (7, 1.0278622734569835e-2), (8, 1.0420108510464878e-2)) AS e(n, cost) USING (n)
ORDER BY n;

-- The gauge: the least epsilon at which Gaussian noise of the summed mu^2 has delta/2; never above the sum of epsilon,
-- never falling.
SELECT abs(dpmix_internal.epsilon_spent('gdp', 4, 1e-6, NULL, 100, 0, 0.6656355927767736, 0) - 4) < 1e-6 AS all_spent,
       round(dpmix_internal.epsilon_spent('gdp', 4, 1e-6, NULL, 0.1, 0, 0.0004, 0), 6), dpmix_internal.epsilon_spent('gdp', 4, 1e-6, NULL, 0, 0, 0, 0);
WITH spent AS (
    SELECT n, dpmix_internal.epsilon_spent('gdp', 4, 1e-6, NULL, n * 0.1, 0, n * 0.0004, 0) AS epsilon FROM generate_series(0, 100, 5) n)
SELECT bool_and(epsilon <= n * 0.1), bool_and(epsilon >= before), max(epsilon) < 2 AS below_sum
FROM (SELECT n, epsilon, lag(epsilon, 1, 0) OVER (ORDER BY n) AS before FROM spent) s;
SELECT accountant, epsilon, delta, epsilon_spent < 1.5 AS below_sum, charges FROM dpmix.budget WHERE relation = 'gdp_people'::regclass;

-- A price before the charge: the share of mu^2, or of delta.
SELECT c.mechanism, c.verdict, abs(c.budget_share / e.share - 1) < 1e-6 AS as_computed
FROM dpmix.preview('SELECT dp_count(*) FROM gdp_people', .1, 1e-9, details => true) AS p,
     jsonb_to_recordset(p.candidates) AS c(mechanism text, budget_share float8, verdict text)
JOIN (VALUES ('gaussian', 3.966639215532867e-4 / .6656355927767736), ('laplace', 1.5702348541448856e-2 / .6656355927767736),
             ('optimal', 1.5702348541448856e-2 / .6656355927767736)) AS e(mechanism, share) USING (mechanism) ORDER BY 1;

-- More than the sum of epsilon would allow, and an end all the same: the whole of mu^2 is .66, what is charged here
-- .046 at a time.
CREATE FUNCTION gdp_ask(epsilon float8, delta float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
    PERFORM * FROM dpmix.query('SELECT dp_count(*) FROM gdp_people', epsilon, delta, 'gaussian') AS t(n bigint);
    RETURN 'charged';
EXCEPTION WHEN SQLSTATE 'PV001' THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN CASE WHEN hint LIKE 'The largest epsilon at which this call still fits%' THEN 'refused' ELSE hint END;
END $$;
SELECT answer, count(*) FROM (SELECT gdp_ask(1, 1e-7) AS answer FROM generate_series(1, 15)) AS a GROUP BY 1 ORDER BY 1;
SELECT sum(epsilon) > 4 AS beyond_the_sum, sum(cost) <= 0.6656355927767736 AS within, sum(cost) + 0.0457 > 0.6656 AS nearly_all
FROM dpmix.charge WHERE relation LIKE '%gdp_people';
SELECT epsilon_spent <= 4 AND epsilon_spent > 3.8 AS nearly_spent FROM dpmix.budget WHERE relation = 'gdp_people'::regclass;

-- Charged: its terms stay.
SELECT dpmix.unprotect('gdp_people');
SELECT dpmix.protect('gdp_people', 4, 1e-6);
SELECT dpmix.protect('gdp_people', 5, 1e-6, accountant => 'gdp');
SELECT gdp_ask(1, 1e-7);

DROP TABLE gdp_people;
DROP FUNCTION gdp_ask(float8, float8);
