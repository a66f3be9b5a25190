-- Privacy units with several rows: what may be declared and asked, and that no unit counts for more than declared.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE FUNCTION unit_outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; detail text; hint text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
                            detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN format('%s %s%s%s', state, message, CASE WHEN detail = '' THEN ' (no detail)' END,
                  CASE WHEN hint = '' THEN ' (no hint)' END);
END $$;

CREATE TABLE unit_visits (person int, town text, kind text, cost int, paid float8);
INSERT INTO unit_visits
SELECT i % 700, 'town' || (i + i / 700) % 4, 'kind' || i % 3, (i * 31) % 50, i / 8.0 FROM generate_series(1, 2000) i;
SELECT dpmix.protect('unit_visits', 1e7, 0, privacy_unit => 'person', max_rows_per_unit => 6, accountant => 'basic');
SELECT dpmix.set_categories('unit_visits', 'town', '{town0,town1,town2,town3}');
SELECT dpmix.set_categories('unit_visits', 'kind', '{kind0,kind1}');
SELECT dpmix.set_bounds('unit_visits', 'cost', 0, 40);
SELECT dpmix.set_bounds('unit_visits', 'paid', 0, 200);

-- Where nobody has more rows than declared the answers are the plain ones.
SELECT n = 2000 AS n, s = (SELECT sum(least(cost, 40)) FROM unit_visits) AS s,
       abs(a - (SELECT avg(least(paid, 200)) FROM unit_visits)) < 1e-4 AS a
FROM dpmix.query('SELECT dp_count(*), dp_sum(cost), dp_avg(paid) FROM unit_visits', 1e5) t(n bigint, s float8, a float8);
SELECT count(*), bool_and(q.n = coalesce(e.n, 0) AND q.s = coalesce(e.s, 0) AND abs(q.a - coalesce(e.a, 100)) < 1e-3) AS all
FROM dpmix.query('SELECT kind, town, dp_count(*), dp_sum(cost), dp_avg(paid) FROM unit_visits WHERE cost > 7 GROUP BY town, kind', 1e5)
         q(kind text, town text, n bigint, s float8, a float8)
LEFT JOIN (SELECT kind, town, count(*) n, sum(least(cost, 40)) s, avg(least(paid, 200)) a FROM unit_visits
           WHERE cost > 7 GROUP BY 1, 2) e ON (e.kind, e.town) IS NOT DISTINCT FROM (q.kind, q.town);
-- With max_groups too, where its bounds hold: six rows in up to six groups are one in each.
SELECT bool_and(q.n = e.n) AS all
FROM dpmix.query('SELECT town, dp_count(*) FROM unit_visits GROUP BY town', 1e5, max_groups => 3) q(town text, n bigint)
JOIN (SELECT town, count(*) n FROM unit_visits GROUP BY town) e USING (town);

-- A unit with a thousand rows counts for six; rows of nobody for none; WHERE comes first.
INSERT INTO unit_visits SELECT 1000, 'town1', 'kind' || i % 2, 40, 1 FROM generate_series(1, 1000) i;
INSERT INTO unit_visits SELECT NULL, 'town2', 'kind1', 40, 1 FROM generate_series(1, 500) i;
INSERT INTO unit_visits SELECT 1000, 'nowhere', 'kind0', 5, 1 FROM generate_series(1, 1000) i;
SELECT n - 2000 AS more FROM dpmix.query('SELECT dp_count(*) FROM unit_visits', 1e5) t(n bigint);
SELECT n - (SELECT count(*) FROM unit_visits WHERE cost = 5 AND person < 1000) AS more
FROM dpmix.query('SELECT dp_count(*) FROM unit_visits WHERE cost = 5', 1e5) t(n bigint);
SELECT q.town, q.n - e.n AS more
FROM dpmix.query('SELECT town, dp_count(*) FROM unit_visits GROUP BY town', 1e5) q(town text, n bigint)
JOIN (SELECT town, count(*) n FROM unit_visits WHERE person < 1000 GROUP BY town) e USING (town);
SELECT q.town, q.n - e.n AS more
FROM dpmix.query('SELECT town, dp_count(*) FROM unit_visits GROUP BY town', 1e5, max_groups => 3) q(town text, n bigint)
JOIN (SELECT town, count(*) n FROM unit_visits WHERE person < 1000 GROUP BY town) e USING (town);
-- Units are counted too, whatever the bounds on their rows; what FILTER leaves out counts against the bounds all the
-- same.
SELECT p FROM dpmix.query('SELECT dp_count_distinct(person) FROM unit_visits', 1e5) t(p bigint);
SELECT bool_and(q.p = e.p) AS all FROM dpmix.query('SELECT town, dp_count_distinct(person) FROM unit_visits WHERE person < 1000 GROUP BY town',
                                                   1e5) q(town text, p bigint)
JOIN (SELECT town, count(DISTINCT person) p FROM unit_visits WHERE person < 1000 GROUP BY town) e USING (town);
SELECT n - f AS rest, n FROM dpmix.query($$SELECT dp_count(*), dp_count(*) FILTER (WHERE kind = 'kind0') FROM unit_visits
                                           WHERE person = 1000 AND cost = 40$$, 1e5) t(n bigint, f bigint) WHERE f BETWEEN 0 AND 6 \gset part_
SELECT :part_rest BETWEEN 0 AND 6 AND :part_n = 6 AS filtered;
-- In parallel too.
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT n - 2000 AS more FROM dpmix.query('SELECT dp_count(*) FROM unit_visits', 1e5) t(n bigint);
SELECT q.town, q.n - e.n AS more
FROM dpmix.query('SELECT town, dp_count(*) FROM unit_visits GROUP BY town', 1e5, max_groups => 3) q(town text, n bigint)
JOIN (SELECT town, count(*) n FROM unit_visits WHERE person < 1000 GROUP BY town) e USING (town);
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;

-- Noise is for six rows, over six groups at most, or for two in each of three.
SELECT max_groups, mechanism, statistic, round(sensitivity::numeric, 6) AS sensitivity
FROM unnest(ARRAY[NULL, 1, 3, 5]) max_groups, unnest(ARRAY['laplace', 'gaussian', 'tulap']) asked,
     dpmix.preview('SELECT town, dp_count(*), dp_sum(cost) FROM unit_visits GROUP BY town', 1, 1e-6, asked, details => true,
                   max_groups => max_groups)
ORDER BY 2, 3, 1;
SELECT jsonb_path_query_array(parameters, '$.statistics.cells') AS cells FROM dpmix.charge ORDER BY id DESC LIMIT 1;

-- Each statistic pays for itself: its variance, in units of what it is alone and with one row a unit. 1% of the call
-- tells how many units are weighed down, unless none can be.
SELECT asked, a.statistic, round(power(a.noise_stddev / a.sensitivity / (dpmix.calibrate('gaussian', 1, 1e-6)).scale, 2)::numeric, 2) AS variance
FROM unnest(ARRAY['dp_count(*)', 'dp_count(*), dp_avg(cost)', 'dp_count(*), dp_sum(cost) FILTER (WHERE cost > 3)', 'dp_count_distinct(person)']) asked,
     LATERAL dpmix.preview('SELECT ' || asked || ' FROM unit_visits', 1, 1e-6, 'gaussian', details => true) a;

-- What is refused, before a charge.
SELECT count(*) AS charges FROM dpmix.charge \gset
SELECT unit_outcome(format('SELECT * FROM dpmix.preview(%L, 1, max_groups => %s)', query, max_groups))
FROM (VALUES ('SELECT town, dp_count(*) FROM unit_visits GROUP BY town', 0),
             ('SELECT town, dp_count(*) FROM unit_visits GROUP BY town', -1),
             ('SELECT town, dp_count(*) FROM unit_visits GROUP BY town', 1000001),
             ('SELECT dp_count(*) FROM unit_visits', 2)) t(query, max_groups);
SELECT unit_outcome(statement) FROM unnest(ARRAY[
    $$SELECT dpmix.release_gmm('m', 'unit_visits', '{paid}', 1, 1e-6)$$,
    $$SELECT * FROM dpmix.preview($p$SELECT dpmix.release_gmm('m', 'unit_visits', '{paid}', 1, 1e-6)$p$)$$,
    $$SELECT * FROM dpmix.cda(NULL::unit_visits, '{paid}', 10, 1, 1e-6, label => 'kind')$$,
    $$SELECT * FROM dpmix.preview($p$SELECT * FROM dpmix.cda(NULL::unit_visits, '{paid}', 10, 1, 1e-6, label => 'kind')$p$)$$,
    $$SELECT * FROM dpmix.compare_private('unit_visits', 'unit_visits', 1, 1e-6)$$,
    $$SELECT * FROM dpmix.preview($p$SELECT * FROM dpmix.compare_private('unit_visits', 'unit_visits', 1, 1e-6)$p$)$$]) statement;
SELECT count(*) - :charges AS charged FROM dpmix.charge;

-- Noise that goes by cells is for rows that are drawn. Which rows and groups are kept is chance, whatever the order of
-- rows: each of four rows as often as another, and of four groups one by its share of the rows.
CREATE TABLE unit_draws (person int, town text NOT NULL);
INSERT INTO unit_draws SELECT i % 20000, 'town' || i / 20000 FROM generate_series(0, 79999) i;
SELECT dpmix.protect('unit_draws', 1e7, .1, privacy_unit => 'person', accountant => 'basic');
SELECT dpmix.set_categories('unit_draws', 'town', '{town0,town1,town2,town3}');
SELECT sum(n), max(abs(n - 5000)) < 450 AS fair  -- seven deviations
FROM dpmix.query('SELECT town, dp_count(*) FROM unit_draws GROUP BY town', 1e5, mechanism => 'staircase') t(town text, n bigint);
-- Other noise is for weighed rows: of each person a quarter in each of four groups, or half of its norm.
SELECT bool_and(n = 5000) FROM dpmix.query('SELECT town, dp_count(*) FROM unit_draws GROUP BY town', 1e5) t(town text, n bigint);
SELECT bool_and(abs(n - 10000) < 20) FROM dpmix.query('SELECT town, dp_count(*) FROM unit_draws GROUP BY town', 1e4, 1e-6,
                                                       mechanism => 'gaussian') t(town text, n bigint);
CREATE TABLE unit_groups (person int, town text NOT NULL);
INSERT INTO unit_groups SELECT i % 20000, CASE WHEN i < 60000 THEN 'town0' ELSE 'town1' END FROM generate_series(0, 79999) i;
SELECT dpmix.protect('unit_groups', 1e7, 0, privacy_unit => 'person', max_rows_per_unit => 2, accountant => 'basic');
SELECT dpmix.set_categories('unit_groups', 'town', '{town0,town1}');
SELECT town, abs(n - CASE town WHEN 'town0' THEN 30000 ELSE 5000 END) < 900 AS fair
FROM dpmix.query('SELECT town, dp_count(*) FROM unit_groups GROUP BY town', 1e5, mechanism => 'staircase', max_groups => 1)
         t(town text, n bigint);

-- A unit that was a row and is one no more: each call looks.
CREATE TABLE unit_people (id uuid CONSTRAINT unit_people_key PRIMARY KEY, x int);
INSERT INTO unit_people SELECT md5(i::text)::uuid, i FROM generate_series(1, 100) i;
SELECT dpmix.protect('unit_people', 1e7, 0, privacy_unit => 'id', accountant => 'basic');
SELECT dpmix.set_bounds('unit_people', 'x', 0, 100);
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM unit_people', 1e6) t(n bigint);
ALTER TABLE unit_people DROP CONSTRAINT unit_people_key;
INSERT INTO unit_people SELECT md5('1')::uuid, 1 FROM generate_series(1, 50) i;
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM unit_people', 1e6) t(n bigint);
SELECT unit_outcome($$SELECT * FROM dpmix.preview($p$SELECT dpmix.release_gmm('m', 'unit_people', '{x}', 1, 1e-6)$p$)$$);
ALTER TABLE unit_people ALTER id TYPE uuid[] USING ARRAY[id];
SELECT unit_outcome($$SELECT * FROM dpmix.preview('SELECT dp_count(*) FROM unit_people', 1)$$);
ALTER TABLE unit_people RENAME id TO who;
SELECT unit_outcome($$SELECT * FROM dpmix.preview('SELECT dp_count(*) FROM unit_people', 1)$$);

-- Units of other types, and a partitioned table.
CREATE TYPE unit_team AS ENUM ('red', 'blue', 'none');
CREATE TABLE unit_types (name text, team unit_team, born date, address inet, x int) PARTITION BY LIST (x);
CREATE TABLE unit_types_odd PARTITION OF unit_types FOR VALUES IN (1);
CREATE TABLE unit_types_even PARTITION OF unit_types DEFAULT;
INSERT INTO unit_types SELECT 'n' || i % 10, CASE WHEN i % 3 > 0 THEN 'red' ELSE 'blue' END::unit_team, date '2000-01-01' + i % 20,
       ('10.0.0.' || i % 30)::inet, i % 2 FROM generate_series(1, 600) i;
DO $$
DECLARE unit name;
BEGIN
    FOREACH unit IN ARRAY ARRAY['name', 'team', 'born', 'address'] LOOP
        EXECUTE format('CREATE TABLE unit_of_%s AS TABLE unit_types', unit);
        PERFORM dpmix.protect(format('unit_of_%s', unit)::regclass, 1e7, 0, privacy_unit => unit, max_rows_per_unit => 3,
                              accountant => 'basic');
    END LOOP;
END $$;
SELECT n.n, a.n, b.n, t.n FROM dpmix.query('SELECT dp_count(*) FROM unit_of_name', 1e6) n(n bigint),
    dpmix.query('SELECT dp_count(*) FROM unit_of_address', 1e6) a(n bigint),
    dpmix.query('SELECT dp_count(*) FROM unit_of_born', 1e6) b(n bigint),
    dpmix.query('SELECT dp_count(*) FROM unit_of_team', 1e6) t(n bigint);
SELECT dpmix.protect('unit_types', 1e7, 0, privacy_unit => 'name', max_rows_per_unit => 3, accountant => 'basic');
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM unit_types', 1e6) t(n bigint);

-- Neighbours ---------------------------------------------------------------------------------------
-- Units with many rows come, go and change. The others keep within the bounds, so that answers move by what is kept of
-- that one, or by its weighed rows: never by more than the previewed norms, and over all trials up to them. Weighed
-- answers were rounded, and noise is not quite nothing.
CREATE TABLE unit_cases (number int PRIMARY KEY, adjacency text, most int, max_groups int);
INSERT INTO unit_cases VALUES (1, 'add_remove', 6, NULL), (2, 'add_remove', 6, 2), (3, 'add_remove', 5, 3), (4, 'add_remove', 4, 1),
    (5, 'replace', 6, NULL), (6, 'replace', 5, 3), (7, 'replace', 6, 1), (8, 'replace', 1, NULL), (9, 'add_remove', 1, NULL);
DO $$
DECLARE c unit_cases; sought text;
BEGIN
    FOR c IN SELECT * FROM unit_cases LOOP
        sought := format('unit_sought_%s', c.number);
        EXECUTE format('CREATE TABLE %I (person int, town text, cost int)', sought);
        EXECUTE format('INSERT INTO %I SELECT i, ''town'' || i %% 5, 1000 * (i %% 9) FROM generate_series(1, 60) i', sought);
        PERFORM dpmix.protect(sought::regclass, 1e7, 1e-3, privacy_unit => 'person', max_rows_per_unit => c.most,
                              adjacency => c.adjacency, accountant => 'basic'),
                dpmix.set_categories(sought::regclass, 'town', '{town0,town1,town2,town3,town4}'),
                dpmix.set_bounds(sought::regclass, 'cost', -4000, 8000);
    END LOOP;
END $$;
CREATE TABLE unit_answers (number int, trial int, mechanism text, town text, n float8, s float8, m float8, p float8);
DO $$
DECLARE
    c unit_cases;
    sought text;
BEGIN
    FOR c IN SELECT * FROM unit_cases LOOP
        sought := format('unit_sought_%s', c.number);
        FOR trial IN 0..50 LOOP
            EXECUTE format('DELETE FROM %I WHERE person = 1000', sought);
            EXECUTE format(
                'INSERT INTO %I SELECT 1000, ''town'' || CASE WHEN $1 %% 3 = 0 THEN floor(random() * 7) ELSE $1 %% 5 END, '
                '    CASE WHEN $1 %% 2 = 0 THEN -4000 WHEN $1 %% 5 > 0 THEN 8000 WHEN random() < .8 THEN 1000 * floor(random() * 14 - 4) END '
                'FROM generate_series(1, CASE WHEN $1 %% 7 = 0 THEN 2 ELSE 60 END) WHERE $1 %% 11 > 0', sought) USING trial;
            COMMIT;
            INSERT INTO unit_answers
            SELECT c.number, trial, m.mechanism, t.* FROM unnest('{laplace,gaussian,staircase}'::text[]) m(mechanism), dpmix.query(
                format('SELECT town, dp_count(*), dp_sum(cost), dp_count(cost), dp_count_distinct(person) FROM %I '
                       'WHERE cost IS NULL OR cost < 9000 GROUP BY town', sought), CASE m.mechanism WHEN 'gaussian' THEN 1.2e5 ELSE 3e4 END,
                CASE m.mechanism WHEN 'gaussian' THEN 1e-6 ELSE 0 END, m.mechanism, max_groups => c.max_groups)
                AS t(town text, n bigint, s float8, m bigint, p bigint);
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
CREATE FUNCTION unit_search(c unit_cases)
    RETURNS TABLE (mechanism text, statistic text, each float8, l1 float8, l2 float8, cells bigint) LANGUAGE sql AS $$
    WITH moved AS (
        SELECT b.trial, b.mechanism, a.trial AS other, v.name, v.d
        FROM unit_answers b JOIN unit_answers a ON a.number = b.number AND a.town = b.town AND a.mechanism = b.mechanism AND
                 CASE c.adjacency WHEN 'add_remove' THEN a.trial = 0 ELSE a.trial < b.trial END,
             LATERAL (VALUES ('count(*)', a.n - b.n), ('sum(cost)', a.s - b.s), ('count(cost)', a.m - b.m),
                             ('units(person)', a.p - b.p)) v(name, d)
        WHERE b.number = c.number),
    norms AS (SELECT mechanism, name, max(abs(d)) AS each, sum(abs(d)) AS l1, sqrt(sum(d * d)) AS l2, count(*) FILTER (WHERE d <> 0) AS cells
              FROM moved GROUP BY mechanism, name, trial, other)
    SELECT mechanism, name, max(norms.each), max(norms.l1), max(norms.l2), max(norms.cells) FROM norms GROUP BY mechanism, name;
$$;
SELECT c.adjacency, c.most, c.max_groups, f.mechanism, f.statistic,
       CASE f.mechanism WHEN 'staircase' THEN f.each <= e.sensitivity AND f.l1 <= l.sensitivity AND f.cells <= p.cells
                        WHEN 'laplace' THEN f.l1 <= l.sensitivity * 1.01 + 5 ELSE f.l2 <= g.sensitivity * 1.04 + sqrt(5) END AS within,
       CASE f.mechanism WHEN 'staircase' THEN f.each / e.sensitivity > .85 AND f.l1 / l.sensitivity > .35
                        WHEN 'laplace' THEN f.l1 / l.sensitivity > .35 ELSE f.l2 / g.sensitivity > .55 END AS near
FROM unit_cases c, LATERAL unit_search(c) f,
     LATERAL (SELECT format('SELECT town, dp_count(*), dp_sum(cost), dp_count(cost), dp_count_distinct(person) FROM unit_sought_%s GROUP BY town', c.number)) q(text),
     LATERAL dpmix.preview(q.text, 1, 1e-6, 'tulap', max_groups => c.max_groups, details => true) e,
     LATERAL dpmix.preview(q.text, 1, 1e-6, 'laplace', max_groups => c.max_groups, details => true) l,
     LATERAL dpmix.preview(q.text, 1, 1e-6, 'gaussian', max_groups => c.max_groups, details => true) g,
     LATERAL (SELECT CASE c.adjacency WHEN 'replace' THEN 2 ELSE 1 END * least(coalesce(c.max_groups, c.most), c.most) AS cells) p
WHERE e.statistic = f.statistic AND l.statistic = f.statistic AND g.statistic = f.statistic
ORDER BY c.number, f.mechanism, f.statistic;
