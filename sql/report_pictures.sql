-- Pictures: what they say, and to whom.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;
LOAD 'dpmix';
\set SHOW_CONTEXT never
CREATE ROLE pictures_owner; CREATE ROLE pictures_ana; CREATE ROLE pictures_bob; CREATE ROLE pictures_stranger;
CREATE ROLE "pictures_<&>""'_\x01"; CREATE ROLE pictures_team;
GRANT pictures_team TO pictures_ana;
CREATE SCHEMA pictures_test AUTHORIZATION pictures_owner;
GRANT USAGE ON SCHEMA pictures_test TO PUBLIC;
SET ROLE pictures_owner;
CREATE TABLE pictures_test."t <&> ""x""" (x int);
SELECT dpmix.protect('pictures_test."t <&> ""x"""', 8, 1e-6);
SELECT dpmix.grant_access('pictures_test."t <&> ""x"""', r) FROM unnest('{pictures_ana,pictures_bob}'::regrole[]) r;
RESET ROLE;

CREATE FUNCTION pg_temp.budget() RETURNS text LANGUAGE sql AS $$ SELECT dpmix.budget_svg('pictures_test."t <&> ""x"""') $$;
CREATE FUNCTION pg_temp.described(svg text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace((xpath('/s:svg/s:desc/text()', svg::xml, '{{s,http://www.w3.org/2000/svg}}'))[1]::text, chr(949), 'eps'), chr(948), 'delta') $$;
-- Charges as a superuser can write them, rolled back in the end: so many by each role, in turn, an hour apart from 2100
-- on.
CREATE FUNCTION pg_temp.charge(charges int, roles name[], epsilon numeric = 0.01, step interval = '1 hour',
                               first timestamptz = '2100-01-01 00:00+00') RETURNS void LANGUAGE sql AS $$
    INSERT INTO dpmix.role_number (role_oid, role_name, cluster)
    SELECT r.oid, r.rolname, dpmix_internal.cluster() FROM pg_roles r WHERE r.rolname = ANY (roles);
    INSERT INTO dpmix.charge (table_id, relation, role, granted_to, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters, role_number,
                              granted_number)
    SELECT t.id, 'x', r, r, first + i * step, 'query', 'gaussian', epsilon, 1e-9, epsilon * epsilon / 4, 1e-9, '{}', b.number, b.number
    FROM generate_series(1, charges) i
    CROSS JOIN LATERAL (SELECT roles[1 + i % cardinality(roles)] AS r) r
    LEFT JOIN LATERAL (SELECT min(n.number) AS number FROM dpmix_internal.bound_role n WHERE n.rolname = r) b ON true
    CROSS JOIN dpmix.protected_table t
    WHERE t.relation = 'pictures_test."t <&> ""x"""'::regclass $$;

-- No charge: an empty picture.
SELECT xml_is_well_formed_document(svg), pg_temp.described(svg), svg ~ '[^\x20-\x7e\n]' AS beyond_ascii FROM pg_temp.budget() svg;
-- Who may see one.
SET ROLE pictures_stranger;
SELECT pg_temp.budget();
SET ROLE pictures_ana;
SELECT xml_is_well_formed_document(pg_temp.budget());
RESET ROLE;
SELECT dpmix.budget_svg(NULL);
SELECT dpmix.budget_svg('pg_class');

-- The total is that of dpmix.budget, and the charges are counted by role; the newest budget is the budget.
BEGIN;
SELECT pg_temp.charge(90, ARRAY['pictures_ana', 'pictures_bob', E'pictures_<&>"''_\\x01']);
SET LOCAL ROLE pictures_owner;
SELECT dpmix.set_budget('pictures_test."t <&> ""x"""', 5, 1e-6, 'less');
CREATE TEMP TABLE told ON COMMIT DROP AS SELECT svg, pg_temp.described(svg) AS said FROM pg_temp.budget() svg;
SELECT xml_is_well_formed_document(svg), abs(substring(said FROM '[0-9.]+(?= of 5 spent)')::numeric / b.epsilon_spent - 1) < 0.01 AS total,
       said ~ '90 charges' AS charges, b.charges, said ~ 'pictures_ana: 30 charges' AS ana, said ~ 'pictures_bob: 30 charges of together eps 0.3,' AS bob,
       said ~ 'pictures_&lt;&amp;&gt;["&].*x01: 30 charges' AS odd
FROM told, dpmix.budget b;
-- What the roles added is the total.
SELECT abs(sum(m[1]::numeric) / max(b.epsilon_spent) - 1) < 0.02 FROM told, dpmix.budget b, regexp_matches(said, 'added ([0-9.]+) to', 'g') m;
-- Nothing of the session gets in.
SET LOCAL TimeZone = 'Asia/Kolkata'; SET LOCAL DateStyle = 'german'; SET LOCAL extra_float_digits = -15; SET LOCAL search_path = pg_temp;
SELECT count(DISTINCT regexp_replace(svg, 'd="[^"]*"', '', 'g')) FROM (SELECT svg FROM told UNION ALL SELECT pg_temp.budget()) s;
SET LOCAL search_path = pg_catalog, public;
-- Others see their own, and the total where they were charged, as in dpmix.audit.
SET LOCAL ROLE pictures_ana;
SELECT xml_is_well_formed_document(svg), said ~ 'pictures_ana: 30 charges' AS own, said ~ 'others: 60 charges' AS others, svg ~ 'bob|x01' AS other_names,
       abs(substring(said FROM '[0-9.]+(?= of 5 spent)')::numeric / b.epsilon_spent - 1) < 0.01 AS total
FROM pg_temp.budget() svg, pg_temp.described(svg) said, dpmix.budget b;
SET LOCAL ROLE pictures_stranger;
SAVEPOINT refused;
SELECT pg_temp.budget();
ROLLBACK TO refused;
-- Revoked: dpmix.ledger shows what one charged, but no total.
SET LOCAL ROLE pictures_owner;
SELECT dpmix.revoke_access('pictures_test."t <&> ""x"""', 'pictures_ana');
SET LOCAL ROLE pictures_ana;
SELECT pg_temp.budget();
ROLLBACK;

-- Each step is as high as dpmix.audit says, for the owner after every charge, for others after every charge of theirs;
-- and then now.
CREATE FUNCTION pg_temp.heights(svg text) RETURNS TABLE (n bigint, total float8) LANGUAGE sql AS $$
    SELECT n, 8 * 1.06 * (1 - m[1]::float8 / 220)
    FROM unnest(xpath('//s:path[s:title="composed total"]/@d', svg::xml, '{{s,http://www.w3.org/2000/svg}}')) d,
         regexp_matches(d::text, 'V([0-9.]+)', 'g') WITH ORDINALITY r(m, n) $$;
CREATE FUNCTION pg_temp.audit() RETURNS TABLE (steps bigint, charges bigint, equal boolean) LANGUAGE sql AS $$
    SELECT count(*), (SELECT count(*) FROM dpmix.audit), bool_and(abs(h.total - coalesce(a.total_epsilon, b.epsilon_spent)) < 0.003)
    FROM pg_temp.heights(pg_temp.budget()) h CROSS JOIN dpmix.budget b
    LEFT JOIN (SELECT total_epsilon, row_number() OVER (ORDER BY id) AS n FROM dpmix.audit) a USING (n) $$;
BEGIN;
SELECT pg_temp.charge(14, '{pictures_ana,pictures_bob,pictures_bob}', 0.2);
SET LOCAL ROLE pictures_owner;
SELECT * FROM pg_temp.audit();
SET LOCAL ROLE pictures_ana;
SELECT * FROM pg_temp.audit();
ROLLBACK;

-- Whatever dpmix.audit, dpmix.ledger and dpmix.budget do not show of others changes no byte: who they are, when they
-- were charged.
CREATE TEMP TABLE seen (world int, what text);
GRANT ALL ON seen TO PUBLIC;
CREATE FUNCTION pg_temp.see(world int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO seen
    SELECT world, pg_temp.budget() UNION ALL
    SELECT world, (SELECT json_agg(row_to_json(b)) FROM dpmix.budget b)::text UNION ALL
    SELECT world, (SELECT json_agg(to_jsonb(a) - 'id' ORDER BY a.id) FROM dpmix.audit a)::text $$;
CREATE PROCEDURE pg_temp.world(world int, others name[], later interval) LANGUAGE plpgsql AS $$
DECLARE
    kept text[];
BEGIN
    BEGIN
        PERFORM pg_temp.charge(5, '{pictures_ana}');
        PERFORM pg_temp.charge(7, others, 0.02, later, '2100-02-01 00:00+00');
        PERFORM pg_temp.charge(5, '{pictures_ana}', 0.03, '1 day', '2100-03-01 00:00+00');
        PERFORM pg_temp.charge(7, others, 0.02, later, '2100-03-03 00:00+00');
        SET LOCAL ROLE pictures_ana;
        PERFORM pg_temp.see(world);
        RESET ROLE;
        kept := ARRAY(SELECT s.what FROM seen s WHERE s.world = world.world);
        RAISE EXCEPTION USING ERRCODE = 'ZZ000';
    EXCEPTION WHEN SQLSTATE 'ZZ000' THEN
        INSERT INTO seen SELECT world, unnest(kept);
    END;
END $$;
CALL pg_temp.world(1, '{pictures_bob}', '1 hour');
CALL pg_temp.world(2, '{pictures_owner,pictures_stranger,pictures_bob}', '1 second');
SELECT count(*), count(DISTINCT what) FROM seen;

-- Ten thousand charges by thirty roles: small, the largest roles by name.
BEGIN;
SELECT pg_temp.charge(10000, ARRAY(SELECT 'pictures_many' || i % 7 * i FROM generate_series(1, 30) i), 0.0001, '7 minutes');
SET LOCAL ROLE pictures_owner;
SELECT xml_is_well_formed_document(svg), length(svg) < 60000 AS small, svg ~ '10000 charges' AS counted, svg ~ '[0-9]+ more roles' AS lumped FROM pg_temp.budget() svg;
ROLLBACK;

-- Intervals ---------------------------------------------------------------------------------------
CREATE TABLE pictures_test.released (region text, people bigint, wage float8, low float8, high float8, n numeric);
INSERT INTO pictures_test.released VALUES
    ('south', 1200, 510.5, 480, 540, 1), ('<west> & "more"', -3, 617, 590, 640, 2), (NULL, NULL, 'NaN', '-Infinity', 'Infinity', NULL),
    ('midwest', 9223372036854775807, 'Infinity', NULL, 3, 'NaN'), ('', 0, NULL, NULL, NULL, 3);
CREATE FUNCTION pg_temp.rows(svg text) RETURNS text[] LANGUAGE sql AS $$
    SELECT xpath('//s:g/s:title/text()', svg::xml, '{{s,http://www.w3.org/2000/svg}}')::text[] $$;
SELECT pg_temp.rows(dpmix.interval_svg(region, wage, low, high ORDER BY wage)) FROM pictures_test.released;
-- Counts, numerics, constants, other names for texts, a title.
SELECT xml_is_well_formed_document(dpmix.interval_svg(region::varchar(20), people, low, high, 'people <&>')),
       xml_is_well_formed_document(dpmix.interval_svg(region::name, n, 0, 1)), xml_is_well_formed_document(dpmix.interval_svg('x', 1, NULL, NULL))
FROM pictures_test.released;
SELECT dpmix.interval_svg(region, wage, low, high, 'wages') ~ '>wages</text>' FROM pictures_test.released;
-- Straight from a query.
SET ROLE pictures_owner;
CREATE TABLE pictures_test.people (region text, wage float8);
INSERT INTO pictures_test.people SELECT (ARRAY['north', 'south', 'west'])[1 + i % 3], i FROM generate_series(1, 300) i;
SELECT dpmix.protect('pictures_test.people', 8, 1e-6), dpmix.set_bounds('pictures_test.people', 'wage', 0, 300),
       dpmix.set_categories('pictures_test.people', 'region', '{north,south,west}');
SET client_min_messages = warning;  -- of what means little, noise decides
SELECT array_length(pg_temp.rows(dpmix.interval_svg(region, wage, low, high ORDER BY wage)), 1),
       xml_is_well_formed_document(dpmix.interval_svg(region, people, NULL, NULL, 'people'))
FROM dpmix.query('SELECT region, dp_avg(wage), dp_low(dp_avg(wage)), dp_high(dp_avg(wage)), dp_count(*) FROM pictures_test.people GROUP BY region',
                 epsilon => 1) AS t(region text, wage float8, low float8, high float8, people bigint);
RESET client_min_messages;
SELECT pg_temp.described(dpmix.budget_svg('pictures_test.people'));
RESET ROLE;

-- Groups of groups, none at all, and more than fit.
SELECT wage > 600 AS more, array_length(pg_temp.rows(dpmix.interval_svg(region, wage, low, high)), 1) FROM pictures_test.released GROUP BY 1 ORDER BY 1;
SELECT xml_is_well_formed_document(svg), svg ~ 'no rows' FROM (SELECT dpmix.interval_svg('x', 1, 0, 2) AS svg WHERE false) s;
SELECT length(svg) < 200000 AS small, array_length(pg_temp.rows(svg), 1), svg ~ 'and 19700 more rows, not drawn' AS counted
FROM (SELECT dpmix.interval_svg(repeat(i || '<', CASE i WHEN 1 THEN 10000000 ELSE 100 END), i, i - 1, i + 1) AS svg FROM generate_series(1, 20000) i) s;
-- Moving frames keep what the frame before had.
SELECT array_agg(n) FROM (SELECT array_length(pg_temp.rows(dpmix.interval_svg('x', i, 0, 9) OVER (ORDER BY i)), 1) AS n FROM generate_series(1, 4) i) s;

SELECT array_agg(n) FROM (SELECT array_length(pg_temp.rows(dpmix.interval_svg('x', i, 0, 9) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)), 1) AS n FROM generate_series(1, 6) i) s;
SELECT array_agg(n) FROM (SELECT array_length(pg_temp.rows(dpmix.interval_svg('x', i, 0, 9) FILTER (WHERE i % 2 = 0) OVER (ORDER BY i)), 1) AS n FROM generate_series(1, 6) i) s;
SELECT array_agg(array_length(pg_temp.rows(s), 1)) FROM (SELECT dpmix.interval_svg(DISTINCT 'x', i % 7, 0, 9) AS s FROM generate_series(1, 20) i GROUP BY GROUPING SETS ((), (i % 2))) q;
-- Whatever the numbers are, no coordinate is NaN or infinite.
SELECT count(*), bool_and(xml_is_well_formed_document(s)) AS well_formed, bool_or(regexp_replace(s, '<(title|text|desc)[^>]*>[^<]*', '', 'g') ~* 'nan|inf') AS beyond
FROM (SELECT dpmix.interval_svg('x', a, b, c) AS s FROM unnest('{nan,inf,-inf,1.7e308,-1.7e308,5e-324,0}'::float8[]) a, unnest('{nan,inf,-inf,1.7e308,-1.7e308,5e-324,0}'::float8[]) b,
      unnest('{nan,inf,-inf,1.7e308,-1.7e308,5e-324,0}'::float8[]) c GROUP BY a, b, c) q;
-- A state is made by its transition function alone.
SET ROLE pictures_owner;
CREATE AGGREGATE pictures_test.forged(text, float8, float8, float8) (SFUNC = dpmix_internal.interval_svg_add, STYPE = internal, FINALFUNC = dpmix_internal.interval_svg_draw);
RESET ROLE;

DROP TABLE pictures_test.released;
SET ROLE pictures_owner;
SELECT dpmix.unprotect('pictures_test."t <&> ""x"""');
SELECT pg_temp.described(pg_temp.budget());
SET ROLE pictures_ana;
SELECT pg_temp.budget();
RESET ROLE;
SET client_min_messages = error;
DROP SCHEMA pictures_test CASCADE;
DROP ROLE pictures_owner, pictures_ana, pictures_bob, pictures_stranger, pictures_team, "pictures_<&>""'_\x01";
