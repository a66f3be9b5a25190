-- The ledger's arithmetic and its views, without a charge: charging itself is tested in test/server.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;
LOAD 'dpmix';
\set SHOW_CONTEXT never
SHOW dpmix.ledger_idle_timeout;

-- 40 charges of .1 are 4, in decimals; a budget is spent to the last digit.
SELECT dpmix_internal.epsilon_spent('basic', 4, 0, NULL, sum(0.1), 0, 0, 0) FROM generate_series(1, 40);
SELECT dpmix_internal.epsilon_spent('basic', 4, 0, NULL, 0, 0, 0, 0);
-- Renyi: never more than the sum of epsilon, growing with every charge, less than the sum in the end.
WITH spent AS (
    SELECT n, dpmix_internal.epsilon_spent('renyi', 4, 1e-6, 10, n * 0.1, 0, n * 0.05, 0) AS epsilon FROM generate_series(0, 60) n)
SELECT bool_and(epsilon <= n * 0.1), bool_and(epsilon >= before), max(epsilon) < 6 AS below_sum
FROM (SELECT n, epsilon, lag(epsilon, 1, 0) OVER (ORDER BY n) AS before FROM spent) s;
SELECT dpmix_internal.epsilon_spent(NULL, 4, 0, NULL, 0, 0, 0, 0) IS NULL;
SELECT dpmix_internal.epsilon_spent('renyi', 4, 0, 10, 0, 0, 0, 0);

-- What the filter has left: the rule that is least used counts, and 1 is the end.
SELECT dpmix_internal.share_spent('basic', 4, 1e-6, NULL, 1, 5e-7, 0, 0), dpmix_internal.share_spent('basic', 4, 0, NULL, 1, 1e-9, 0, 0),
       dpmix_internal.share_spent('renyi', 4, 1e-6, 10, 3, 0, 0, 0) AS of_no_cost, dpmix_internal.share_spent('renyi', 4, 1e-6, 10, 1, 0, 99, 0) AS of_guarantees;
WITH spent AS (
    SELECT n, dpmix_internal.share_spent('renyi', 4, 1e-6, 10, n * 0.1, 0, n * 0.05, n * 1e-9) AS share FROM generate_series(0, 60) n)
SELECT bool_and(share >= before), max(share) > 1 AS beyond, min(n) FILTER (WHERE share > 1) > 40 AS after_more_than_basic
FROM (SELECT n, share, lag(share, 1, 0) OVER (ORDER BY n) AS before FROM spent) s;
SELECT dpmix_internal.share_spent(NULL, 4, 0, NULL, 0, 0, 0, 0) IS NULL;

-- Who sees what.
CREATE ROLE ledger_owner; CREATE ROLE ledger_analyst; CREATE ROLE ledger_team; CREATE ROLE ledger_stranger;
GRANT ledger_team TO ledger_analyst;
CREATE SCHEMA ledger_test AUTHORIZATION ledger_owner;
SET ROLE ledger_owner;
CREATE TABLE ledger_test.people (x int);
SELECT dpmix.protect('ledger_test.people', 1, 1e-6);
SELECT dpmix.grant_access('ledger_test.people', 'ledger_team');
SELECT dpmix.grant_access('ledger_test.people', 'ledger_stranger', .5);
SELECT dpmix.revoke_access('ledger_test.people', 'ledger_stranger');
SELECT dpmix.set_budget('ledger_test.people', 2, 1e-6, 'it was little');
SELECT * FROM dpmix.budget;
SELECT * FROM dpmix.role_budget;
SELECT relation, epsilon, delta, reason, role FROM dpmix.budget_history ORDER BY id;
SELECT count(*) FROM dpmix.ledger_adoptions;
SET ROLE ledger_analyst;
SELECT epsilon_remaining FROM dpmix.budget;
SELECT relation, role, epsilon_cap FROM dpmix.role_budget;
SELECT reason FROM dpmix.budget_history ORDER BY id;
SET ROLE ledger_stranger;
SELECT epsilon_remaining FROM dpmix.budget;
SELECT count(*) FROM dpmix.role_budget;
SELECT count(*) FROM dpmix.budget_history;
SELECT count(*) FROM dpmix.ledger;
SELECT count(*) FROM dpmix.audit;
SELECT * FROM dpmix.explain_charge(0);
SELECT * FROM dpmix.explain_charge(NULL);
INSERT INTO dpmix.charge (table_id) VALUES (1);
SELECT dpmix_internal.follow_drop();
RESET ROLE;
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'dpmix.ledger'::regclass AND attnum > 0 ORDER BY attnum;
SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute a WHERE attrelid = 'dpmix.audit'::regclass AND attnum > 0
    AND NOT EXISTS (SELECT FROM pg_attribute l WHERE l.attrelid = 'dpmix.ledger'::regclass AND l.attname = a.attname);

DROP SCHEMA ledger_test CASCADE;
DROP ROLE ledger_owner, ledger_analyst, ledger_team, ledger_stranger;
