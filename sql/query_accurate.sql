-- What auto minimises, mechanism => 'accurate', and which limit binds: the table's budget or the cap of a role.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE accurate_pay (id int PRIMARY KEY, wage float8);
INSERT INTO accurate_pay SELECT i, i % 100 FROM generate_series(1, 1000) AS i;
SELECT dpmix.protect('accurate_pay', epsilon => 10, delta => 1e-6);
SELECT dpmix.set_bounds('accurate_pay', 'wage', 0, 100);
CREATE ROLE regress_accurate_free; CREATE ROLE regress_accurate_capped;
SELECT dpmix.grant_access('accurate_pay', 'regress_accurate_free'), dpmix.grant_access('accurate_pay', 'regress_accurate_capped', epsilon => 1);
CREATE FUNCTION shown(asked text, query text, delta float8 = 1e-8) RETURNS TABLE (mechanism text, error numeric, is_least boolean, less_off text, limited_by text)
LANGUAGE sql AS $$
    SELECT p.mechanism, round(p.expected_error::numeric, 2), p.expected_error <= (SELECT min((c ->> 'expected_error')::float8) FROM jsonb_array_elements(candidates) AS c) * (1 + 1e-6),
           (SELECT c ->> 'mechanism' FROM jsonb_array_elements(candidates) AS c WHERE c ->> 'verdict' LIKE 'the least error%' AND (c ->> 'budget_share')::float8 > charge_share), p.limited_by
    FROM dpmix.preview(query, 0.1, delta, asked, details => true) AS p $$;
GRANT EXECUTE ON FUNCTION shown TO PUBLIC;

-- No cap: auto spares the budget and says what would be less off; accurate takes that.
SET SESSION AUTHORIZATION regress_accurate_free;
SELECT asked, delta, s.* FROM (VALUES (1e-8::float8), (0)) AS d(delta), unnest('{auto,accurate}'::text[]) AS asked, shown(asked, 'SELECT dp_count(*) FROM accurate_pay', delta) AS s ORDER BY 2 DESC, 1;
-- A cap that binds: nothing is spared for calls that the role will never make.
SET SESSION AUTHORIZATION regress_accurate_capped;
SELECT asked, s.* FROM unnest('{accurate,auto}'::text[]) AS asked, shown(asked, 'SELECT dp_count(*) FROM accurate_pay') AS s ORDER BY 1;
SELECT limited_by, calls_left FROM dpmix.preview('SELECT dp_count(*) FROM accurate_pay', 0.1, 1e-8);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM accurate_pay WHERE id < 0', 0.1, 1e-8, 'accurate') AS t(n bigint) WHERE abs(n) > 1000;
SELECT limited_by, calls_left FROM dpmix.preview('SELECT dp_count(*) FROM accurate_pay', 0.1, 1e-8);
RESET SESSION AUTHORIZATION;
SELECT limited_by FROM dpmix.preview('SELECT dp_count(*) FROM accurate_pay', 0.1, 1e-8);
SELECT mechanism, epsilon, delta FROM dpmix.ledger WHERE relation LIKE '%accurate_pay' ORDER BY id DESC LIMIT 1;
SELECT dpmix.charges_admitted(1, 1e-6, 'renyi', 'accurate', 0.01, 1e-9) < dpmix.charges_admitted(1, 1e-6, 'renyi', 'auto', 0.01, 1e-9) AS fewer;
DROP FUNCTION shown;
DROP TABLE accurate_pay;
DROP ROLE regress_accurate_free; DROP ROLE regress_accurate_capped;
