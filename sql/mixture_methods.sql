-- Every method of release_gmm on one table, with almost no noise: what it finds is what is there.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
SET client_min_messages = notice;
CREATE SCHEMA methods;
SET search_path = methods;

-- Three groups, normal in every feature by quantiles; w is the sum of x and y, but for a little.
CREATE TABLE points AS
SELECT k AS kind, 20 + 30 * k + 2 * z AS x, 70 - 20 * k + (3 - k) * y AS y, 90 + 10 * k + 2 * z + (3 - k) * y + ((i * 7) % 11 - 5) / 100.0::float8 AS w
FROM generate_series(0, 2) AS k, generate_series(0, 1999) AS i,
     LATERAL (SELECT sqrt(-2 * ln((i % 40 + 0.5) / 40)) * cos(2 * pi() * (i / 40 + 0.5) / 50) AS z,
                     sqrt(-2 * ln((i % 40 + 0.5) / 40)) * sin(2 * pi() * (i / 40 + 0.5) / 50) AS y) AS normal;
CREATE TABLE labelled AS SELECT CASE WHEN kind = 0 AND w < 90 THEN NULL ELSE kind END AS kind, x, y, w FROM points;
SELECT dpmix.protect('points', 1e7, 1e-3), dpmix.protect('labelled', 1e7, 1e-3, adjacency => 'label', label => 'kind');
SELECT count(dpmix.set_bounds(t, c, 0, 200)) FROM unnest('{points,labelled}'::regclass[]) t, unnest('{x,y,w}'::name[]) c;
SELECT count(dpmix.set_categories(t, 'kind', '{0,1,2}')) FROM unnest('{points,labelled}'::regclass[]) t;

SELECT r.name, r.method, r.components, r.dimensions, ARRAY(SELECT round(c / 10) * 10 FROM unnest(r.row_counts) c ORDER BY 1) AS rows, r.quality
FROM (VALUES ('staged', 'points', '{x,y}', 'kind', NULL::int, 'full', NULL, NULL::int),
             ('diagonal', 'points', '{x,y}', 'kind', NULL, 'diagonal', NULL, NULL),
             ('one_shot', 'points', '{x,y}', 'kind', NULL, 'full', 'one_shot', NULL),
             ('em', 'points', '{x,y}', NULL, 3, 'full', NULL, NULL),
             ('em diagonal', 'points', '{x,y}', NULL, 3, 'diagonal', NULL, NULL),
             ('em chooses', 'points', '{x,y}', NULL, NULL, 'full', NULL, NULL),
             ('kmeans', 'points', '{x,y}', NULL, 3, 'full', 'kmeans', NULL),
             ('label_only', 'labelled', '{x,y}', 'kind', NULL, 'full', NULL, NULL),
             ('label_only diagonal', 'labelled', '{x,y}', 'kind', NULL, 'diagonal', NULL, NULL),
             ('picked', 'points', '{y,w}', 'kind', NULL, NULL, NULL, NULL),
             ('shared', 'points', '{x,y}', 'kind', NULL, 'shared', NULL, NULL),
             ('one_shot shared', 'points', '{x,y}', 'kind', NULL, 'shared', 'one_shot', NULL),
             ('em shared', 'points', '{x,y}', NULL, 3, 'shared', NULL, NULL),
             ('label_only shared', 'labelled', '{x,y}', 'kind', NULL, 'shared', NULL, NULL),
             ('staged in 2', 'points', '{x,y,w}', 'kind', NULL, 'full', NULL, 2),
             ('em in 2', 'points', '{x,y,w}', NULL, 3, 'full', NULL, 2),
             ('label_only in 2', 'labelled', '{x,y,w}', 'kind', NULL, 'full', NULL, 2))
         AS c (name, relation, features, label, components, covariance, method, dimensions),
     LATERAL dpmix.release_gmm(c.name, c.relation::regclass, c.features::name[], CASE c.method WHEN 'one_shot' THEN 2e6 ELSE 1e5 END, 1e-6, label => c.label::name, components => c.components,
                               covariance => c.covariance, method => c.method, dimensions => c.dimensions) r;

-- Means and variances, by component in the order of x; full covariances have what a diagonal one cannot.
CREATE VIEW fit AS SELECT kind, avg(x) AS x, avg(y) AS y, avg(w) AS w, var_pop(x) AS xx, var_pop(y) AS yy, var_pop(w) AS ww, covar_pop(y, w) AS yw FROM points GROUP BY kind;
SELECT r.name, count(*) AS components,
       bool_and(abs(m.mean[1] - f.x) < 0.2 AND abs(m.mean[2] - f.y) < 0.2) AS means,
       bool_and(m.covariance[1][1] BETWEEN 0.8 * f.xx AND 1.2 * f.xx AND m.covariance[2][2] BETWEEN 0.8 * f.yy AND 1.2 * f.yy) AS variances
FROM unnest('{staged,diagonal,one_shot,em,em diagonal,em chooses,kmeans}'::text[]) AS r (name),
     LATERAL (SELECT row_number() OVER (ORDER BY mean[1]) - 1 AS kind, * FROM dpmix.gmm(r.name)) AS m JOIN fit f USING (kind)
GROUP BY r.name ORDER BY r.name;
-- A shared covariance is the same in all components: that of rows within their kinds.
SELECT r.name, count(DISTINCT m.covariance) AS different, bool_and(m.covariance[1][1] BETWEEN 0.8 * f.xx AND 1.2 * f.xx
       AND m.covariance[2][2] BETWEEN 0.8 * f.yy AND 1.2 * f.yy) AS variances
FROM unnest('{shared,one_shot shared,em shared}'::text[]) AS r (name), LATERAL dpmix.gmm(r.name) AS m,
     (SELECT sum(n * xx) / sum(n) AS xx, sum(n * yy) / sum(n) AS yy FROM (SELECT count(*) AS n, var_pop(x) AS xx, var_pop(y) AS yy FROM points GROUP BY kind) AS k) AS f
GROUP BY r.name ORDER BY r.name;
SELECT count(DISTINCT covariance) AS different FROM dpmix.gmm('label_only shared');
-- What is picked is told; the ledger, which is written before, has what was asked for.
SELECT r.name, r.covariance, l.parameters ->> 'covariance' AS asked FROM dpmix.releases r JOIN dpmix.ledger l ON l.release = r.name
WHERE r.name IN ('picked', 'shared') ORDER BY r.name;
-- Those in two dimensions have the third feature back, with its own variance and covariances.
SELECT r.name, bool_and(abs(m.mean[3] - f.w) < 0.5) AS means,
       bool_and(m.covariance[3][3] BETWEEN 0.7 * f.ww AND 1.3 * f.ww AND m.covariance[2][3] BETWEEN 0.7 * f.yw AND 1.3 * f.yw) AS covariances
FROM unnest('{staged in 2,em in 2}'::text[]) AS r (name),
     LATERAL (SELECT row_number() OVER (ORDER BY mean[1]) - 1 AS kind, * FROM dpmix.gmm(r.name)) AS m JOIN fit f USING (kind)
GROUP BY r.name ORDER BY r.name;
-- Labels that are missing belong to no class, whose rows have the others' mean.
SELECT m.label, abs(m.mean[1] - f.x) < 0.3 AND abs(m.mean[2] - f.y) < 0.3 AS means
FROM dpmix.gmm('label_only') m JOIN (SELECT kind::text AS label, avg(x) AS x, avg(y) AS y FROM labelled WHERE kind IS NOT NULL GROUP BY kind) f USING (label) ORDER BY 1;

-- Without a label there is none to sample, and components are told by their numbers.
SELECT count(*), count(kind), bool_and(x BETWEEN 0 AND 200) FROM dpmix.sample('em', NULL::points, 100);
SELECT count(DISTINCT dpmix.classify('em', p)) AS told_apart
FROM generate_series(0, 2) k, LATERAL (SELECT 20 + 30 * k AS x, 70 - 20 * k AS y) AS p;
SELECT name, adjacency, label, labels, covariance, dimensions, cardinality(rows_estimated) AS counts FROM dpmix.releases
WHERE relation IN ('points'::regclass, 'labelled'::regclass) ORDER BY name COLLATE "C";

-- What is refused, before any charge.
CREATE TEMP TABLE before AS SELECT count(*) FROM dpmix.ledger;
SELECT dpmix.release_gmm('m', 'points', '{x,y}', 1, 1e-6, components => 0);
SELECT dpmix.release_gmm('m', 'points', '{x,y}', 1, 1e-6, components => 101);
SELECT dpmix.release_gmm('m', 'points', '{x,y}', 1, 1e-6, label => 'kind', components => 2);
SELECT dpmix.release_gmm('m', 'points', '{x,y}', 1, 1e-6, dimensions => 2);
SELECT dpmix.release_gmm('m', 'points', '{x,y}', 1, 1e-6, dimensions => 0);
SELECT dpmix.release_gmm('m', 'labelled', '{x,y}', 1, 1e-6);
SELECT dpmix.set_bounds('labelled', 'kind', 0, 2);
SELECT dpmix.release_gmm('m', 'labelled', '{x,kind}', 1, 1e-6, label => 'kind');
SELECT (SELECT count(*) FROM dpmix.ledger) = count AS nothing_charged FROM before;

SELECT count(dpmix.drop_release(name)) AS dropped FROM dpmix.releases WHERE relation IN ('points'::regclass, 'labelled'::regclass);
SET client_min_messages = warning;
DROP SCHEMA methods CASCADE;
