-- dpmix_papers, published mechanisms for comparison: marks, rights, limits. No noise value is printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE EXTENSION IF NOT EXISTS dpmix_papers;
GRANT USAGE ON SCHEMA dpmix_papers TO PUBLIC;
\set SHOW_CONTEXT never
CREATE ROLE published_owner;
CREATE ROLE published_analyst;
CREATE SCHEMA published AUTHORIZATION published_owner;
GRANT USAGE ON SCHEMA published TO PUBLIC;
SET search_path = published;
SET ROLE published_owner;

CREATE TABLE published.points (x float8, y float8, z integer, kind text, note text);
INSERT INTO published.points
SELECT sin(i) + CASE WHEN i % 3 = 0 THEN 4 ELSE 0 END, cos(i * i), i % 7, CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END, 'n'
FROM generate_series(1, 900) AS i;
-- Missing and undeclared ones are skipped, infinite ones clamped.
INSERT INTO published.points VALUES (NULL, 0, 0, 'a'), (0, 'NaN', 0, 'a'), (0, 0, 0, NULL), (0, 0, 0, 'other'), ('infinity', 0, 0, 'a');

-- Its owner, and a protected table with bounds and categories.
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind');
SELECT dpmix.protect('published.points', epsilon => 10, delta => 1e-4);
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind');
SELECT dpmix.set_bounds('published.points', 'x', -10, 10), dpmix.set_bounds('published.points', 'y', -10, 10),
       dpmix.set_bounds('published.points', 'z', 0, 10);
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind');
SELECT dpmix.set_categories('published.points', 'kind', '{a,b}');

SELECT component, label, array_length(mean, 1) AS d, array_dims(covariance), private, note
FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind');
SELECT method, bool_and(private) AS private, bool_and(note LIKE 'NOT PRIVATE%') AS marked, count(*) AS components,
       abs(sum(weight) - 1) < 1e-12 AS weights_sum_to_1,
       bool_and(covariance[1][2] = covariance[2][1] AND covariance[1][1] > 0
                AND covariance[1][1] * covariance[2][2] > covariance[1][2] ^ 2) AS covariances
FROM unnest('{published,record,iid_laplace,iid_gaussian,coloured_gaussian,r1smg}'::text[]) AS method,
     dpmix_papers.gmm('published.points', '{x,y,z}', 1, 1e-5, 'kind', method, CASE WHEN method = 'record' THEN 12 END)
GROUP BY method ORDER BY method;
SELECT DISTINCT method, note
FROM unnest('{record,iid_laplace,iid_gaussian,coloured_gaussian,r1smg}'::text[]) AS method,
     dpmix_papers.gmm('published.points', '{x,y,z}', 1, 1e-5, 'kind', method => method, clip => CASE WHEN method = 'record' THEN 12 END)
ORDER BY method;

-- Without noise to speak of, each is the plain fit of the complete rows.
WITH fit AS (
    SELECT kind AS label, count(*) / 901.0 AS weight, avg(least(x, 10)) AS x, avg(y) AS y, covar_samp(least(x, 10), y) AS xy
    FROM published.points WHERE kind IN ('a', 'b') AND x + y <> 'NaN' GROUP BY kind)
SELECT method, label, abs(r.weight - fit.weight) < 0.01 AS weight, abs(mean[1] - x) + abs(mean[2] - y) < 1e-2 AS means,
       abs(covariance[1][2] - xy) < 0.05 OR method = 'record' AS covariance
FROM unnest('{record,iid_laplace,iid_gaussian,coloured_gaussian}'::text[]) AS method,
     dpmix_papers.gmm('published.points', '{x,y}', 1e6, 1e-5, 'kind', method, CASE WHEN method = 'record' THEN 12 END) AS r JOIN fit USING (label)
ORDER BY method, label;
-- The published covariances are widened whatever epsilon is, by (d + 1) / gamma on average: (23) caps gamma.
SELECT avg(covariance[1][1] + covariance[2][2]) > 1.2 * (SELECT var_samp(x) + var_samp(y) FROM published.points WHERE kind = 'b') AS wider
FROM generate_series(1, 100) AS run, LATERAL dpmix_papers.gmm('published.points', '{x,y}', 1e6 + run, 1e-5, 'kind') WHERE label = 'b';

-- Nothing is charged or stored; what is stored elsewhere is not touched.
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation::text = 'published.points';
SELECT epsilon_spent FROM dpmix.budget WHERE relation = 'published.points'::regclass;

-- Parameters.
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 0, 1e-5, 'kind');
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 0, 'kind');
SELECT count(*) FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 0, 'kind', 'iid_laplace');
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1, 'kind');
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, NULL);
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind', 'staged');
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind', 'record');
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind', 'record', 0);
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind', clip => 3);
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind', 'r1smg');
SELECT * FROM dpmix_papers.gmm('published.points', '{x,nothing}', 1, 1e-5, 'kind');

-- Rows that the algorithm cannot take: a class of too few, a constant feature, too many.
SELECT dpmix.set_categories('published.points', 'kind', '{a,b,other}');
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind');
SELECT count(*) FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind', 'iid_gaussian');
SELECT dpmix.set_categories('published.points', 'kind', '{a}');
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind');
SELECT dpmix.set_categories('published.points', 'kind', '{a,b}');
UPDATE published.points SET z = 3;
SELECT * FROM dpmix_papers.gmm('published.points', '{x,z}', 1, 1e-5, 'kind');
UPDATE published.points SET z = 3 * (x > 0)::int;
INSERT INTO published.points SELECT 0, 0, 0, 'a' FROM generate_series(1, 99099);
SELECT count(*) FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind', 'iid_gaussian');
INSERT INTO published.points VALUES (0, 0, 0, 'a');
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind', 'iid_gaussian');
DELETE FROM published.points WHERE x = 0;

CREATE FUNCTION published.refused(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    EXECUTE call;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN concat_ws(' / ', SQLSTATE, SQLERRM, nullif(detail, ''));
END $$;

-- A refusal quotes whole characters, however long the text (an invalid one makes convert_to fail).
CREATE FUNCTION published.quoted(call text, method text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    EXECUTE 'SELECT * FROM ' || call USING method;
    RETURN 'accepted';
EXCEPTION WHEN SQLSTATE 'PV005' THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN count(*) FROM regexp_matches(convert_from(convert_to(detail, 'UTF8'), 'UTF8'), chr(233), 'g');
END $$;
SELECT published.quoted(call, 'a' || repeat(chr(233), 600))
FROM unnest(ARRAY[$$dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind', $1)$$,
                  $$dpmix.release_gmm('no', 'published.points', '{x,y}', 1, 1e-5, label => 'kind', method => $1)$$,
                  $$dpmix.preview('SELECT dp_count(*) FROM published.points', 1, 0, $1)$$]) AS call;

-- Access to noisy answers is not enough.
SELECT dpmix.grant_access('published.points', 'published_analyst');
SET ROLE published_analyst;
SELECT * FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind');
RESET ROLE;
SELECT count(*) AS for_a_superuser FROM dpmix_papers.gmm('published.points', '{x,y}', 1, 1e-5, 'kind');

-- The published scale of the quasi-Gaussian: valid; the least where its sigma_1 is the larger, more
-- than that elsewhere.
SELECT epsilon, delta, dpmix.delta_of('quasi_gaussian', epsilon, published) <= delta * (1 + 1e-6) AS valid,
       abs(published / least.scale - 1) < 0.001 AS least, published > 1.05 * least.scale AS more
FROM (VALUES (0.5, 1e-5), (1, 0.01), (3, 0.2), (5, 0.1)) cell(epsilon, delta),
     LATERAL (SELECT dpmix_papers.quasi_gaussian_scale(epsilon, delta, 2) / 2 AS published OFFSET 0) p,
     LATERAL (SELECT * FROM dpmix.calibrate('quasi_gaussian', epsilon, delta)) least;

SELECT bad, published.refused(format('SELECT dpmix_papers.quasi_gaussian_scale(%s)', bad)) FROM (VALUES
    ('1, 0'), ('0, 1e-6'), ('1, NULL'), ('1, 1e-6, 0'), ('1, 1e-6, ''Infinity''')) b(bad);

-- Arrays that are no rows are refused, whoever makes them.
SELECT published.refused(format('SELECT * FROM dpmix_papers.fit(%s, 1, 1e-5, ''iid_gaussian'')', bad)) AS fit FROM unnest(ARRAY[
    $$NULL, '{}', '{0}', '{1}', 2$$, $$'{}', '{}', '{}', '{}', 2$$, $$'{1,NULL}', '{0,1}', '{0}', '{1}', 2$$, $$'{1,2}', '{0}', '{0}', '{1}', 2$$,
    $$'{1,3}', '{0,1}', '{0}', '{1}', 2$$, $$'{0}', '{0}', '{0}', '{1}', 2$$, $$'{1}', '{2}', '{0}', '{1}', 2$$, $$'{1}', '{NaN}', '{0}', '{1}', 2$$,
    $$'{1}', '{1}', '{1}', '{1}', 2$$, $$'{1}', '{1}', '{-infinity}', '{1}', 2$$, $$'{1}', '{1}', '{0,1}', '{1}', 2$$, $$'{1}', '{1}', '{0}', '{1}', 0$$,
    $$'{1}', '{1}', '{0}', '{1}', 1001$$, $$array_fill(1, ARRAY[100001]), array_fill(0::float8, ARRAY[100001]), '{0}', '{1}', 2$$]) AS bad;

-- What it has is its own: nothing of it is in schema dpmix, and it goes alone.
SELECT p.oid::regprocedure, p.provolatile, obj_description(p.oid) IS NOT NULL AS described FROM pg_proc p
WHERE p.pronamespace = 'dpmix_papers'::regnamespace ORDER BY p.oid::regprocedure::text COLLATE "C";
SELECT count(*) FROM pg_proc WHERE pronamespace = 'dpmix'::regnamespace AND proname ~ 'published';
DROP EXTENSION dpmix_papers;
SELECT count(*) AS protected FROM dpmix.budget WHERE relation = 'published.points'::regclass;

DROP SCHEMA published CASCADE;
DROP ROLE published_owner, published_analyst;
