-- The ledger's arithmetic and its views, without a charge: charging itself is tested in test/server.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;
LOAD 'dpmix';
\set SHOW_CONTEXT never
SHOW dpmix.ledger_idle_timeout;

-- 40 charges of .1 are 4, in decimals; a budget is spent to the last digit.
SELECT dpmix.epsilon_spent('basic', 4, 0, NULL, sum(0.1), 0, 0, 0) FROM generate_series(1, 40);
SELECT dpmix.epsilon_spent('basic', 4, 0, NULL, 0, 0, 0, 0);
-- Renyi: never more than the sum of epsilon, growing with every charge, less than the sum in the end.
WITH spent AS (
    SELECT n, dpmix.epsilon_spent('renyi', 4, 1e-6, 10, n * 0.1, 0, n * 0.05, 0) AS epsilon FROM generate_series(0, 60) n)
SELECT bool_and(epsilon <= n * 0.1), bool_and(epsilon >= before), max(epsilon) < 6 AS below_sum
FROM (SELECT n, epsilon, lag(epsilon, 1, 0) OVER (ORDER BY n) AS before FROM spent) s;
SELECT dpmix.epsilon_spent(NULL, 4, 0, NULL, 0, 0, 0, 0) IS NULL;
SELECT dpmix.epsilon_spent('renyi', 4, 0, 10, 0, 0, 0, 0);

-- Who sees what.
CREATE ROLE ledger_owner; CREATE ROLE ledger_analyst; CREATE ROLE ledger_team; CREATE ROLE ledger_stranger;
GRANT ledger_team TO ledger_analyst;
CREATE SCHEMA ledger_test AUTHORIZATION ledger_owner;
SET ROLE ledger_owner;
CREATE TABLE ledger_test.people (x int);
SELECT dpmix.protect('ledger_test.people', 1, 1e-6);
SELECT dpmix.grant_access('ledger_test.people', 'ledger_team');
SELECT * FROM dpmix.budget;
SET ROLE ledger_analyst;
SELECT epsilon_remaining FROM dpmix.budget;
SET ROLE ledger_stranger;
SELECT epsilon_remaining FROM dpmix.budget;
SELECT count(*) FROM dpmix.ledger;
INSERT INTO dpmix.charge (table_id) VALUES (1);
SELECT dpmix.follow_drop();
RESET ROLE;
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'dpmix.ledger'::regclass AND attnum > 0 ORDER BY attnum;

DROP SCHEMA ledger_test CASCADE;
DROP ROLE ledger_owner, ledger_analyst, ledger_team, ledger_stranger;
