-- The accountant gaussian: gdp, with nine tenths of delta for Gaussian noise.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;
\set SHOW_CONTEXT never
CREATE TABLE gaussian_people (age int, wage float8);
INSERT INTO gaussian_people SELECT i % 90, i % 4000 FROM generate_series(1, 1000) AS i;
SELECT dpmix.protect('gaussian_people', 1, 0, accountant => 'gaussian');
SELECT dpmix.protect('gaussian_people', 1, 1e-5, accountant => 'gaussian');
SELECT accountant, renyi_order FROM dpmix.protected_table WHERE table_name = 'gaussian_people' AND active;
-- What a budget of (1, 1e-5) admits of (.1, 1e-8): exact Gaussian-DP at all of delta admits 151.
SELECT a AS accountant, dpmix.charges_admitted(1, 1e-5, a, 'gaussian', .1, 1e-8) FROM unnest('{basic,renyi,gdp,gaussian}'::text[]) AS a;
SELECT a AS accountant, dpmix.charges_admitted(1, 1e-5, a, 'laplace', .1, 0) AS pure, dpmix.charges_admitted(1, 1e-5, a, 'optimal', .1, 1e-7) AS added FROM unnest('{gdp,gaussian}'::text[]) AS a;
-- The ledger admits so many, and its records say why.
CREATE FUNCTION gaussian_ask(n int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM * FROM dpmix.query('SELECT dp_count(*) FROM gaussian_people WHERE age <> $1', .1, 1e-8, 'gaussian', params => ARRAY[n::text]) AS t(n bigint);
    RETURN 'charged';
EXCEPTION WHEN SQLSTATE 'PV001' THEN RETURN 'refused'; END $$;
SELECT answer, count(*) FROM (SELECT gaussian_ask(i) AS answer FROM generate_series(1, 152) AS i) AS a GROUP BY 1 ORDER BY 1;
SELECT epsilon_spent <= 1 AND epsilon_spent > .99 AS all_spent, share_spent <= 1 AND share_spent > .99 AS share FROM dpmix.budget WHERE relation = 'gaussian_people'::regclass;
SELECT e.item, e.value, regexp_replace(e.meaning, '[0-9]{2}\.[0-9]+', '') AS meaning FROM (SELECT max(id) AS id FROM dpmix.charge WHERE relation LIKE '%gaussian_people') AS c,
    dpmix.explain_charge(c.id) AS e WHERE e.item IN ('accountant', 'admitted', 'limit of mu^2');
SELECT bool_and(e.meaning ~ ': matches the record') AS computed_again FROM dpmix.ledger AS l CROSS JOIN LATERAL dpmix.explain_charge(l.id) AS e WHERE l.accountant = 'gaussian' AND e.item = 'cost';
-- Charged: its terms stay, gdp is another accountant.
SELECT dpmix.unprotect('gaussian_people');
SELECT dpmix.protect('gaussian_people', 1, 1e-5, accountant => 'gdp');
SELECT dpmix.protect('gaussian_people', 1, 1e-5, accountant => 'gaussian');
SELECT gaussian_ask(0);
DROP TABLE gaussian_people;
DROP FUNCTION gaussian_ask(int);
-- Queries that find their groups take half of their delta from what is added, of which this accountant keeps a
-- twentieth.
CREATE TABLE gaussian_found (employer text);
CREATE FUNCTION gaussian_found(accountant text) RETURNS bigint LANGUAGE sql AS $$
    SELECT dpmix.protect('gaussian_found', 4, 1e-6, accountant => gaussian_found.accountant);
    SELECT DISTINCT calls_left FROM dpmix.preview('SELECT employer, dp_count(*) FROM gaussian_found GROUP BY employer', .1, 2e-8, 'gaussian', keys => 'discover') $$;
SELECT gaussian_found('basic');
SELECT dpmix.unprotect('gaussian_found');
SELECT gaussian_found('renyi');
SELECT dpmix.unprotect('gaussian_found');
SELECT gaussian_found('gaussian');
DROP FUNCTION gaussian_found(text);
DROP TABLE gaussian_found;
