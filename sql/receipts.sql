-- Receipts: what a charge leaves for outsiders, the chain of them on each budget, and what verifying them finds.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA receipts;
SET search_path = receipts, public;
CREATE TABLE visits AS SELECT i % 2 = 0 AS ill, i % 90 AS age FROM generate_series(1, 500) i;
CREATE TABLE stays AS SELECT i AS days FROM generate_series(1, 300) i;
SELECT dpmix.protect('visits', 10, 1e-6, adjacency => 'add_remove');
SELECT dpmix.protect('stays', 10, 1e-6, adjacency => 'replace', accountant => 'basic');
SELECT dpmix.set_bounds('visits', 'age', 0, 100);
SELECT dpmix.set_bounds('stays', 'days', 0, 400);
CREATE TEMP TABLE asked (n int, of text, id bigint);
CREATE FUNCTION pg_temp.ask(number int, about text, query text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT FROM dpmix.query(%L, 0.5) AS q(a %s)', query, CASE WHEN query ~ 'avg' THEN 'float8' ELSE 'bigint' END);
    INSERT INTO asked SELECT number, about, max(id) FROM dpmix.charge;
END $$;
SELECT pg_temp.ask(1, 'visits', 'SELECT dp_count(*) FROM receipts.visits');
SELECT pg_temp.ask(2, 'stays', 'SELECT dp_avg(days) FROM receipts.stays');
SELECT pg_temp.ask(3, 'visits', 'SELECT dp_avg(age) FROM receipts.visits');
SELECT pg_temp.ask(4, 'visits', 'SELECT dp_count(*) FILTER (WHERE ill) FROM receipts.visits');

-- Lines in a fixed order; what differs from run to run is hidden.
CREATE FUNCTION pg_temp.lines(receipt text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT regexp_replace(regexp_replace(x, '^(ledger|charge|account|at|previous|statement|version)=(?!none).*', '\1=...'),
                          '^(renyi_order|cost|cost_delta|noise)=[0-9].*', '\1=number') FROM string_to_table(receipt, e'\n') x $$;
SELECT pg_temp.lines(r.receipt) FROM asked, dpmix.receipt(id) r WHERE n = 1;
SELECT pg_temp.lines(r.receipt) FROM asked, dpmix.receipt(id) r WHERE n = 2;
SELECT pg_temp.lines(r.receipt) FROM asked, dpmix.receipt(id) r WHERE n = 3;

-- Each budget has a chain of its own.
SELECT a.n, r.receipt ~ (e'\nprevious=' || encode(sha256(convert_to(b.receipt || e'\n', 'UTF8')), 'hex') || e'\n') AS follows
  FROM asked a JOIN asked p ON p.of = a.of AND p.n < a.n AND NOT EXISTS (SELECT FROM asked x WHERE x.of = a.of AND x.n > p.n AND x.n < a.n),
       dpmix.receipt(a.id) r, dpmix.receipt(p.id) b ORDER BY 1;
-- What was asked opens with the salt, and is in no receipt.
SELECT n, r.receipt ~ (e'\nstatement=' || encode(sha256(r.salt || convert_to(l.parameters::text, 'UTF8')), 'hex') || e'\n') AS opens,
       r.receipt ~* 'visits|stays|age|ill' AS tells
  FROM asked a, dpmix.receipt(a.id) r JOIN LATERAL dpmix.charges(id => a.id) l ON true ORDER BY 1;
SELECT count(DISTINCT r.salt) AS salts FROM asked, dpmix.receipt(id) r;
SELECT v.account, v.charges, v.head_charge = (SELECT max(id) FROM asked WHERE of = split_part(v.account, '.', 2)) AS newest,
       v.head = encode(sha256(convert_to(r.receipt || e'\n', 'UTF8')), 'hex') AS is_hash, v.problems
  FROM dpmix.verify_receipts() v, dpmix.receipt(v.head_charge) r WHERE v.account ~ '^receipts' ORDER BY 1;

-- Tampering with one row is found, whatever is changed.
CREATE FUNCTION pg_temp.found(change text) RETURNS TABLE (problem text) LANGUAGE plpgsql AS $$
BEGIN
    BEGIN
        ALTER TABLE dpmix.charge DISABLE TRIGGER USER;
        EXECUTE replace(change, '$3', (SELECT id::text FROM asked WHERE n = 3));
        problem := (SELECT coalesce(nullif(array_to_string(v.problems, '; '), ''), 'nothing') FROM dpmix.verify_receipts('receipts.visits') v);
        problem := replace(replace(problem, (SELECT id::text FROM asked WHERE n = 3), '3'), (SELECT id::text FROM asked WHERE n = 4), '4');
        RAISE EXCEPTION USING ERRCODE = 'UTEST', MESSAGE = problem;
    EXCEPTION WHEN SQLSTATE 'UTEST' THEN RETURN NEXT;
    END;
END $$;
SELECT c.n, f.problem FROM (VALUES
    (1, $c$UPDATE dpmix.charge SET epsilon = .1 WHERE id = $3$c$),
    (2, $c$UPDATE dpmix.charge SET delta = 1e-9 WHERE id = $3$c$),
    (3, $c$UPDATE dpmix.charge SET cost = cost / 2 WHERE id = $3$c$),
    (4, $c$UPDATE dpmix.charge SET kind = 'cube' WHERE id = $3$c$),
    (5, $c$UPDATE dpmix.charge SET at = at - interval '1 day' WHERE id = $3$c$),
    (6, $c$UPDATE dpmix.charge SET blocks = '{[0,1)}' WHERE id = $3$c$),
    (7, $c$UPDATE dpmix.charge SET parameters = jsonb_set(parameters, '{query}', '"SELECT dp_count(*) FROM receipts.visits"') WHERE id = $3$c$),
    (8, $c$UPDATE dpmix.charge SET salt = sha256(salt) WHERE id = $3$c$),
    (9, $c$UPDATE dpmix.charge SET receipt = replace(receipt, 'noise=', 'noise=9') WHERE id = $3$c$),
    (10, $c$UPDATE dpmix.charge SET epsilon = .1, receipt = replace(receipt, 'epsilon=0.5', 'epsilon=0.1') WHERE id = $3$c$),
    (11, $c$UPDATE dpmix.charge SET receipt = NULL WHERE id = $3$c$),
    (12, $c$DELETE FROM dpmix.charge WHERE id = $3$c$),
    (13, $c$UPDATE dpmix.charge SET receipt = 'no lines' WHERE id = $3$c$),
    (14, $c$UPDATE dpmix.charge SET receipt = regexp_replace(receipt, 'at=.*', 'at=never') WHERE id = $3$c$),
    (15, $c$UPDATE dpmix.charge SET receipt = receipt || e'\nblocks=some\nencoding=none' WHERE id = $3$c$),
    (16, $c$SELECT$c$)) AS c(n, change), pg_temp.found(c.change) f ORDER BY 1;
-- The newest one taken away leaves a chain that agrees: its head is another.
SELECT (SELECT head FROM dpmix.verify_receipts('visits')) AS head \gset
BEGIN;
ALTER TABLE dpmix.charge DISABLE TRIGGER USER;
DELETE FROM dpmix.charge WHERE id = (SELECT id FROM asked WHERE n = 4);
SELECT charges, head = :'head' AS same_head, problems FROM dpmix.verify_receipts('visits');
ROLLBACK;

-- Of blocks: which of them paid, as the record has them.
CREATE TABLE days AS SELECT date '2026-01-01' + i % 20 AS day FROM generate_series(1, 400) i;
SELECT dpmix.protect('days', 10, 1e-6, blocks => 'day', blocks_from => '2026-01-01');
SELECT pg_temp.ask(8, 'days', $$SELECT dp_count(*) FROM receipts.days WHERE day IN ('2026-01-03', '2026-01-04', '2026-01-09')$$);
SELECT pg_temp.ask(9, 'days', $$SELECT dp_count(*) FROM receipts.days WHERE day >= '2026-01-03' AND day < '2026-01-06'$$);
SELECT n, substring(r.receipt FROM e'\nblocks=([^\n]*)') AS blocks FROM asked, dpmix.receipt(id) r WHERE of = 'days' ORDER BY 1;
SELECT charges, problems FROM dpmix.verify_receipts('days');

-- A table that joins a population begins the population's chain; its own stays as it was.
SELECT dpmix.create_population('receipts of people', 10, 1e-6, unit_type => 'int');
CREATE TABLE people AS SELECT i AS id, i % 90 AS age FROM generate_series(1, 200) i;
SELECT dpmix.protect('people', 10, 1e-6, privacy_unit => 'id', adjacency => 'add_remove');
SELECT pg_temp.ask(5, 'people', 'SELECT dp_count(*) FROM receipts.people');
SELECT dpmix.join_population('people', 'receipts of people');
SELECT pg_temp.ask(6, 'people', 'SELECT dp_count(*) FROM receipts.people');
SELECT pg_temp.ask(7, 'people', 'SELECT dp_count(*) FROM receipts.people');
SELECT n, r.receipt ~ 'previous=none' AS first FROM asked, dpmix.receipt(id) r WHERE of = 'people' ORDER BY 1;
SELECT account, charges, problems FROM dpmix.verify_receipts('people');

-- Who does not see a charge sees no receipt; who audits no table verifies none.
CREATE ROLE receipts_stranger;
SET ROLE receipts_stranger;
DO $$ BEGIN PERFORM dpmix.receipt(1); EXCEPTION WHEN SQLSTATE 'PV006' THEN RAISE WARNING 'PV006'; END $$;
SELECT count(*) FROM dpmix.verify_receipts();
RESET ROLE;
DROP ROLE receipts_stranger;
DROP SCHEMA receipts CASCADE;
