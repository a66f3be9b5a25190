-- What one does with stored mixtures. No noise value is printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE ROLE use_owner;
CREATE ROLE use_maker;
CREATE ROLE use_analyst;
CREATE ROLE use_stranger;
CREATE SCHEMA use AUTHORIZATION use_owner;
GRANT USAGE ON SCHEMA use TO PUBLIC;
SET search_path = use;
SET TimeZone = 'UTC';
SET ROLE use_owner;
CREATE TABLE use.people (age integer, born date, seen timestamp, login timestamptz, member boolean, kind text);
INSERT INTO use.people
SELECT 20 + i % 50 + k * 30, date '1960-01-01' + i * 9, timestamp '2020-01-01' + i * interval '1 hour',
       timestamptz '2020-01-01' + i * interval '1 hour', i % 3 = 0, (ARRAY['young', 'old'])[k + 1]
FROM generate_series(1, 1000) AS i, generate_series(0, 1) AS k;
SELECT dpmix.protect('use.people', epsilon => 1e7, delta => 1e-4);
SELECT dpmix.set_bounds('use.people', 'age', 0, 120), dpmix.set_bounds('use.people', 'born', date '1900-01-01', date '2020-01-01'),
       dpmix.set_bounds('use.people', 'seen', timestamptz '2019-01-01', timestamptz '2022-01-01'),
       dpmix.set_bounds('use.people', 'login', timestamptz '2019-01-01', timestamptz '2022-01-01'),
       dpmix.set_categories('use.people', 'kind', '{young,old,absent}'), dpmix.grant_access('use.people', 'use_maker');
SELECT components FROM dpmix.release_gmm('use all', 'use.people', '{age,born,seen,login,member}', 1e5, 1e-6, label => 'kind');
SELECT components FROM dpmix.release_gmm('use one', 'use.people', '{age}', 1e5, 1e-6, label => 'kind', covariance => 'diagonal', objective => 'forward_kl');
SET ROLE use_maker;
SELECT components FROM dpmix.release_gmm('use noisy', 'use.people', '{age}', 1, 1e-6, label => 'kind');

-- Models made otherwise, as other methods leave them.
RESET ROLE;
CREATE FUNCTION use.store(name text, like_it text, label name, labels text[], weights float8[], means float8[], covariances float8[], types regtype[]) RETURNS void LANGUAGE sql
BEGIN ATOMIC
INSERT INTO dpmix.release (name, table_id, kind, maker, charge_id, method, epsilon, delta, features, lower, upper, label, labels, weights, means, covariances, row_counts, feature_types)
SELECT store.name, table_id, kind, maker, charge_id, method, epsilon, delta, features, lower, upper, store.label, store.labels, store.weights, store.means, store.covariances, store.weights, types
FROM dpmix.release r WHERE r.name = like_it;
END;
SELECT use.store('use plain', 'use one', NULL, NULL, '{0.25,0.75}', '{{30},{70}}', '{{{100}},{{4}}}', '{integer}');
SELECT use.store('use split', 'use one', NULL, NULL, '{0.25,0.25,0.5}', '{{30},{70},{70}}', '{{{100}},{{4}},{{4}}}', '{integer}');
SELECT use.store('use moved', 'use one', NULL, NULL, '{1}', '{{33}}', '{{{100}}}', '{integer}');
SELECT use.store('use single', 'use one', NULL, NULL, '{1}', '{{30}}', '{{{100}}}', '{integer}');
SELECT use.store('use "<&>"', 'use one', 'kind', ARRAY['<young> & "wild"', repeat('o', 300)], '{0.5,0.5}', '{{30},{70}}', '{{{100}},{{1e-8}}}', '{integer}');
SET ROLE use_owner;

-- The list.
SELECT name, relation, kind, method, maker, epsilon, delta, adjacency, features, feature_types, label, labels, components, covariance, objective, dimensions, cardinality(rows_estimated) AS counts, count_stddev < 1 AS precise, CASE WHEN epsilon > 1 THEN quality LIKE '%absent%' END AS absent_is_distrusted
FROM dpmix.releases WHERE name IN ('use all', 'use one', 'use plain', 'use noisy') ORDER BY name;

-- Densities, by the formula.
SELECT abs(exp(dpmix.gmm_log_density('use plain', p)) - (0.25 * exp(-power(x - 30, 2) / 200) / 10 + 0.75 * exp(-power(x - 70, 2) / 8) / 2) / sqrt(2 * pi())) < 1e-15 AS density,
       abs((dpmix.gmm_posterior('use plain', p))[1] - 0.25 * exp(-power(x - 30, 2) / 200) / 10 / sqrt(2 * pi()) / exp(dpmix.gmm_log_density('use plain', p))) < 1e-12 AS posterior,
       (SELECT abs(sum(k) - 1) < 1e-12 FROM unnest(dpmix.gmm_posterior('use plain', p)) k) AS sums_to_1,
       dpmix.classify('use plain', p)
FROM unnest('{0,30,60,65,70,120}'::float8[]) AS x, LATERAL (SELECT x AS age) AS p;
SELECT kind, count(*) FILTER (WHERE dpmix.classify('use one', p) = kind) > 700 AS mostly_right FROM use.people AS p GROUP BY kind ORDER BY kind;
SELECT count(*) FILTER (WHERE dpmix.classify('use all', p) = kind) > 1400 AS mostly_right FROM use.people AS p;
SELECT dpmix.gmm_log_density('use plain', p) AS log_density, dpmix.gmm_posterior('use plain', p) AS posterior, dpmix.classify('use plain', p) AS class
FROM (VALUES (NULL::float8), ('NaN'), ('Infinity'), ('-Infinity')) AS p(age);
SELECT dpmix.gmm_log_density(NULL, p) IS NULL AS no_name, dpmix.gmm_posterior('use plain', NULL::use.people) IS NULL AS no_row FROM (SELECT 1 AS age) AS p;
SELECT dpmix.gmm_log_density('use plain', p) FROM (SELECT 1 AS height) AS p;
SELECT dpmix.gmm_posterior('use plain', p) FROM (SELECT date '2020-01-01' AS age) AS p;
SELECT dpmix.classify('use nothing', p) FROM use.people AS p LIMIT 1;
-- Rows as they come: by the names of their columns, of any type of their kind, one type after the other.
SELECT count(DISTINCT dpmix.classify('use all', r)) AS same
FROM (SELECT * FROM use.people ORDER BY age LIMIT 1) AS p, generate_series(1, 2) AS i,
     LATERAL (SELECT p.member, p.login::timestamp, p.seen::timestamptz, p.born::timestamp, p.age::numeric) AS other,
     LATERAL (SELECT CASE WHEN i = 1 THEN p::record ELSE other::record END) AS t(r);
SELECT dpmix.classify('use plain', NULL::use.people) AS no_row, dpmix.classify(NULL, p) AS no_name FROM use.people AS p LIMIT 1;
SELECT dpmix.classify('use plain', p) FROM (SELECT 1 AS aged) AS p;
SELECT dpmix.classify('use plain', p) FROM (SELECT 'old' AS age) AS p;
SELECT dpmix.classify('use all', p) FROM (SELECT age, age AS born, seen, login, member FROM use.people LIMIT 1) AS p;

-- Correlations, and one feature by the others.
SELECT label, count(*), count(*) FILTER (WHERE correlation BETWEEN -1 AND 1) AS valid FROM dpmix.gmm_correlation('use all') GROUP BY label ORDER BY label;
SELECT feature, other FROM dpmix.gmm_correlation('use all') WHERE label = 'old' AND correlation > .9 ORDER BY feature, other;
SELECT label, array_agg(term) AS terms FROM dpmix.gmm_regression('use all', 'age') GROUP BY label ORDER BY label;
SELECT term, estimate FROM dpmix.gmm_regression('use plain', 'age');
SELECT count(*) FROM dpmix.gmm_correlation('use plain');
SELECT dpmix.gmm_regression('use plain', 'born');
SELECT dpmix.gmm_regression('use plain', NULL);
SELECT dpmix.gmm_correlation('use nothing');

-- Loaded once per query and name; read again by the next.
SELECT name, dpmix.classify(name, p) IN ('1', '2', 'young', 'old') AS known
FROM (VALUES ('use plain'), ('use one'), ('use one'), ('use plain'), ('use single')) v(name), (SELECT 69 AS age) AS p;
CREATE FUNCTION use.twice(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE first text; second text; p record;
BEGIN
    SELECT 69 AS age INTO p;
    FOR i IN 1..2 LOOP
        BEGIN
            first := second;
            second := dpmix.classify('use plain', p);
        EXCEPTION WHEN OTHERS THEN
            second := SQLSTATE;
        END;
        IF i = 1 THEN EXECUTE statement; END IF;
    END LOOP;
    RETURN first || ', then ' || second;
END $$;
BEGIN;
SELECT use.twice('SELECT 1');
SELECT use.twice('SELECT dpmix.drop_release(''use plain'')');
ROLLBACK;
BEGIN;
SELECT use.twice('SET LOCAL ROLE use_stranger');
ROLLBACK;
BEGIN;
SELECT dpmix.grant_access('use.people', 'use_analyst');
SET LOCAL ROLE use_analyst;
PREPARE again AS SELECT dpmix.classify('use plain', p) FROM (SELECT 69 AS age) AS p;
EXECUTE again;
SET LOCAL ROLE use_owner;
SELECT dpmix.revoke_access('use.people', 'use_analyst');
SET LOCAL ROLE use_analyst;
EXECUTE again;
ROLLBACK;

-- Beside and within parallel workers.
CREATE TABLE use.points AS SELECT (i % 120)::float8 AS age FROM generate_series(1, 20000) AS i;
SELECT count(*) FILTER (WHERE c = '2') AS serial FROM (SELECT dpmix.classify('use plain', p) AS c FROM use.points AS p) AS t;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT count(*) FILTER (WHERE dpmix.classify('use plain', p) = '2') FROM use.points AS p;
SELECT count(*) FILTER (WHERE dpmix.classify('use plain', p) = '2') AS parallel FROM use.points AS p;
SET ROLE use_stranger;
SELECT count(*) FILTER (WHERE dpmix.classify('use plain', c) = '2') FROM pg_class AS c;
SET ROLE use_owner;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- Divergences.
SELECT abs(dpmix.gmm_kl('use moved', 'use single') - 0.045) < 0.001 AS of_a_shift, dpmix.gmm_kl('use plain', 'use split') < 1e-9 AS of_a_split,
       dpmix.gmm_kl('use one', 'use one') < 1e-9 AS closed_form, dpmix.gmm_kl('use single', 'use one') > 0.1 AS with_and_without_labels,
       dpmix.gmm_kl('use moved', 'use single') = (dpmix.gmm_kl_estimate('use moved', 'use single')).kl AS the_estimate;
SELECT abs(kl - 0.045) < 2.5 * error_bound_95 AS within, error_bound_95 BETWEEN 1e-5 AND 1e-2 AS bound FROM dpmix.gmm_kl_estimate('use moved', 'use single', 2000);
SELECT dpmix.gmm_kl('use one', 'use all');
SELECT dpmix.gmm_kl_estimate('use one', 'use all');
SELECT dpmix.gmm_kl_estimate('use one', 'use one', 999);
SELECT dpmix.gmm_kl_estimate('use one', 'use one', NULL);

-- One feature.
SELECT component, label, count(*), abs(sum(density) * (max(x) - min(x)) / 199 - (SELECT g.weight FROM dpmix.gmm('use plain') g WHERE g.component = m.component)) < 0.01 AS weight,
       min(x) >= 0 AND max(x) <= 120 AS within_bounds
FROM dpmix.gmm_marginal('use plain', 'age') AS m GROUP BY component, label ORDER BY component;
SELECT label, component, x, abs(density - 0.25 * 0.0398942280401) < 1e-10 AS peak FROM dpmix.gmm_marginal('use plain', 'age', at => '{30}') WHERE component = 1;
SELECT count(*), count(DISTINCT label), bool_and(timestamp '2000-01-01' + x * interval '1 day' BETWEEN '1900-01-01' AND '2020-01-01') AS dates FROM dpmix.gmm_marginal('use all', 'born', 10);
SELECT count(*) FROM dpmix.gmm_marginal('use plain', 'age', at => '{}');
SELECT count(*) FROM dpmix.gmm_marginal('use plain', 'born');
SELECT count(*) FROM dpmix.gmm_marginal('use plain', 'age', 1);
SELECT count(*) FROM dpmix.gmm_marginal('use plain', 'age', 100001);
SELECT count(*) FROM dpmix.gmm_marginal('use plain', 'age', NULL);
SELECT count(*) FROM dpmix.gmm_marginal('use plain', 'age', at => '{1,NaN}');
SELECT count(*) FROM dpmix.gmm_marginal('use plain', NULL);

-- Pictures.
SELECT feature, svg LIKE E'<svg xmlns=%</svg>\n' AS document, svg ~ '^[\n -~]*$' AS ascii, svg ~ 'young' AS names FROM unnest('{age,born,seen,login,member}'::name[]) AS feature, dpmix.draw('use all', feature) AS svg;
SELECT dpmix.draw('use all', 'born') ~ '>19[0-9]{2}<' AS years,
       dpmix.draw('use all', 'member') ~ '>false<' AS false, dpmix.draw('use plain', 'age') ~ 'component 2' AS numbers;
SELECT svg ~ '&#60;young&#62; &#38; &#34;wild&#34;' AS escaped, svg ~ 'Cut off at the top: o' AS note FROM dpmix.draw('use "<&>"', 'age') AS svg;
SELECT dpmix.draw('use plain', 'born');

-- Rows of other types, of the same kind.
CREATE TYPE use.kinds AS (age numeric, born timestamp, seen date, login timestamp(0), member boolean);
SELECT count(*), bool_and(age BETWEEN 0 AND 120) AS age, bool_and(born = date_trunc('day', born) AND born BETWEEN '1900-01-01' AND '2020-01-01') AS born,
       abs(avg(born::date - date '2000-01-01') - (SELECT sum(weight * mean[2]) FROM dpmix.gmm('use all'))) < 900 AS about_then,
       bool_and(seen BETWEEN '2019-01-01' AND '2022-01-01') AS seen, bool_and(login = date_trunc('second', login) AND login BETWEEN '2019-01-01' AND '2022-01-01') AS login
FROM dpmix.sample('use all', NULL::use.kinds, 2000);
CREATE TYPE use.swapped AS (age integer, born timestamptz, seen timestamptz, login date, member boolean, kind text);
SELECT count(*), bool_and(born = date_trunc('day', born) AND seen BETWEEN '2019-01-01' AND '2022-01-01' AND kind IN ('young', 'old', 'absent')) AS all_of_it FROM dpmix.sample('use all', NULL::use.swapped, 2000);
CREATE TYPE use.days AS (age integer, born integer, seen timestamp, login timestamptz, member boolean);
SELECT count(*) FROM dpmix.sample('use all', NULL::use.days, 10);
CREATE TYPE use.truth AS (age boolean);
SELECT count(*) FROM dpmix.sample('use one', NULL::use.truth, 10);
CREATE TYPE use.number AS (age integer, born date, seen timestamp, login timestamptz, member integer);
SELECT count(*) FROM dpmix.sample('use all', NULL::use.number, 10);
CREATE DOMAIN use.newer AS timestamp CHECK (VALUE >= '1950-01-01');
CREATE TYPE use.narrow AS (age integer, born use.newer, seen timestamp, login timestamptz, member boolean);
SELECT count(*) FROM dpmix.sample('use all', NULL::use.narrow, 10);
CREATE TYPE use.only AS (age float8);
SELECT count(*), abs(avg(age) - 60) < 2 AS mean FROM dpmix.sample('use plain', NULL::use.only, 5000);
SELECT count(*), count(kind) AS kinds FROM dpmix.sample('use plain', NULL::use.people, 10);
SELECT component, label, weight, mean, covariance FROM dpmix.gmm('use plain');

-- Rights: the maker keeps its own, a stranger has nothing.
SELECT dpmix.revoke_access('use.people', 'use_maker');
SET ROLE use_maker;
SELECT name FROM dpmix.releases WHERE name LIKE 'use %';
SELECT dpmix.classify('use noisy', p) IS NOT NULL AS own FROM (SELECT 1 AS age) AS p;
SELECT dpmix.classify('use plain', p) FROM (SELECT 1 AS age) AS p;
SET ROLE use_analyst;
SELECT count(*) FROM dpmix.releases WHERE name LIKE 'use %';
SET ROLE use_owner;
SELECT dpmix.grant_access('use.people', 'use_analyst');
SET ROLE use_analyst;
SELECT count(*) FROM dpmix.releases WHERE name LIKE 'use %';
SELECT dpmix.classify('use plain', p) FROM (SELECT 70 AS age) AS p;
SET ROLE use_stranger;
SELECT count(*) FROM dpmix.releases WHERE name LIKE 'use %';
SELECT dpmix.gmm_log_density('use plain', p) FROM (SELECT 1 AS age) AS p;
SELECT dpmix.gmm_posterior('use plain', p) FROM (SELECT 1 AS age) AS p;
SELECT dpmix.classify('use plain', p) FROM (SELECT 1 AS age) AS p;
SELECT dpmix.gmm_kl_estimate('use plain', 'use plain');
SELECT count(*) FROM dpmix.gmm_marginal('use plain', 'age');
SELECT dpmix.draw('use plain', 'age');
SELECT dpmix.gmm_correlation('use plain');
SELECT dpmix.gmm_regression('use plain', 'age');
SET ROLE use_owner;
SELECT dpmix.unprotect('use.people');
SET ROLE use_analyst;
SELECT dpmix.classify('use plain', p) FROM (SELECT 70 AS age) AS p;

RESET ROLE;
DROP SCHEMA use CASCADE;
SELECT name, relation FROM dpmix.releases WHERE name LIKE 'use %' ORDER BY name;
SELECT count(dpmix.drop_release(name)) FROM dpmix.release WHERE name LIKE 'use %';
DROP ROLE use_owner, use_maker, use_analyst, use_stranger;
