-- States of several databases, merged: those of all rows together, bit for bit; what does not fit is refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA merge_test;
SET search_path = merge_test, public;

-- What a statement is refused with
CREATE FUNCTION refusal(statement text, OUT code text, OUT message text, OUT detail text, OUT hint text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
        detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END $$;

-- Of nothing, and of NULL: the state of no rows
SELECT dpmix.merge(NULL::dpmix.exact_state) AS state, dpmix.numbers(dpmix.merge(NULL::dpmix.exact_state)), dpmix.merge(NULL::bigint) AS rows;
SELECT dpmix.merge(s) AS no_rows FROM (VALUES (NULL::dpmix.exact_state)) t(s) WHERE false;

-- Parts of a table: some hold no row, one is cut off in the middle of a class
CREATE TABLE data AS
    SELECT i, (hash_numeric_extended(i, 0) % 3)::int + 2 AS class,  -- 0..4: the last is no class
           CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN 'NaN' WHEN i % 83 = 0 THEN 'Infinity'
                WHEN i % 79 = 0 THEN '-Infinity' ELSE hash_numeric_extended(i, 1) / 1e17 END::float8 AS x,
           CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN '{1,NULL}' WHEN i % 83 = 0 THEN '{NaN,1}' WHEN i % 79 = 0 THEN '{-Infinity,1}'
                ELSE ARRAY[hash_numeric_extended(i, 2) / 1e17, hash_numeric_extended(i, 3) / 1e17]::float8[] END AS v
      FROM generate_series(1, 6000) i;
CREATE FUNCTION parts(where_ text) RETURNS TABLE (part int, sum dpmix.exact_state, squares dpmix.exact_state, moments dpmix.exact_state, soft dpmix.exact_state,
        distances dpmix.exact_state, clusters dpmix.exact_state, grid dpmix.exact_state, cells dpmix.exact_state, bins dpmix.exact_state, sample dpmix.exact_state,
        seen dpmix.exact_state, rows bigint)
LANGUAGE plpgsql AS $$
DECLARE
    frame text := '1,4,2,1,1024, -90,-90, 90,90' || repeat(', 60,10,10,.02,.03', 4);
    mixture text := frame || ', 0, 0,0,0,0, 1,2,1,1';
BEGIN
    RETURN QUERY EXECUTE format($q$
        SELECT p, dpmix_internal.lattice_sum(x, -1.5, 50 / 2.0 ^ 30, -1073741824, 1073741824), dpmix_internal.lattice_squares(x, .5, .5, -180, 180),
               dpmix_internal.class_moments(class, v, ARRAY[%1$s]), dpmix_internal.soft_moments(v, ARRAY[%2$s]), dpmix_internal.class_distances(class, v, ARRAY[%1$s, 100, 10000]),
               dpmix_internal.class_clusters(class, v, ARRAY[%2$s, 4]), dpmix_internal.cells(v, ARRAY[%1$s, 2, 8]), dpmix_internal.cell_counts(x, '{-90,90,64}'),
               dpmix_internal.edge_counts(x, '{-Infinity,-50,0,12.5}'), dpmix_internal.feature_sample(v, ARRAY[%3$s, 50, 9]), dpmix_internal.numbers_seen(i %% 70, 64), count(*) FILTER (WHERE x <> 'NaN')
          FROM generate_series(0, 6) p LEFT JOIN data ON %4$s GROUP BY p$q$, frame, mixture, '1,1,2,1,1024, -90,-90, 90,90, 60,10,10,.02,.03', where_);
END $$;
CREATE TABLE parts AS SELECT * FROM parts('p = CASE WHEN i < 5500 THEN i % 5 ELSE i * i % 3 END');  -- 5 and 6 hold nothing
CREATE TABLE whole AS SELECT * FROM parts('p = 0');
DELETE FROM whole WHERE part > 0;
INSERT INTO parts (part) VALUES (7);  -- NULL everywhere
CREATE TABLE merged (plan text, sum dpmix.exact_state, squares dpmix.exact_state, moments dpmix.exact_state, soft dpmix.exact_state, distances dpmix.exact_state,
    clusters dpmix.exact_state, grid dpmix.exact_state, cells dpmix.exact_state, bins dpmix.exact_state, sample dpmix.exact_state, seen dpmix.exact_state, rows bigint);
INSERT INTO merged SELECT 'whole', sum, squares, moments, soft, distances, clusters, grid, cells, bins, sample, seen, rows FROM whole;
\set merge 'dpmix.merge(sum), dpmix.merge(squares), dpmix.merge(moments), dpmix.merge(soft), dpmix.merge(distances), dpmix.merge(clusters), dpmix.merge(grid), dpmix.merge(cells), dpmix.merge(bins), dpmix.merge(sample), dpmix.merge(seen), dpmix.merge(rows)'
INSERT INTO merged SELECT 'as they come', :merge FROM parts;
INSERT INTO merged SELECT 'backwards', :merge FROM (SELECT * FROM parts ORDER BY part DESC) t;
INSERT INTO merged SELECT 'merged parts', :merge FROM (
    SELECT dpmix.merge(sum) AS sum, dpmix.merge(squares) AS squares, dpmix.merge(moments) AS moments, dpmix.merge(soft) AS soft, dpmix.merge(distances) AS distances,
           dpmix.merge(clusters) AS clusters, dpmix.merge(grid) AS grid, dpmix.merge(cells) AS cells, dpmix.merge(bins) AS bins, dpmix.merge(sample) AS sample,
           dpmix.merge(seen) AS seen, dpmix.merge(rows) AS rows FROM parts GROUP BY part / 3) t;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
EXPLAIN (COSTS OFF) SELECT :merge FROM parts;
CREATE TABLE parallel (sum, squares, moments, soft, distances, clusters, grid, cells, bins, sample, seen, rows) AS SELECT :merge FROM parts;
INSERT INTO merged SELECT 'parallel', * FROM parallel;
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 0;
SELECT count(DISTINCT plan) AS plans, count(DISTINCT sum::text) AS sum, count(DISTINCT squares::text) AS squares, count(DISTINCT moments::text) AS moments,
       count(DISTINCT soft::text) AS soft, count(DISTINCT distances::text) AS distances, count(DISTINCT clusters::text) AS clusters, count(DISTINCT grid::text) AS grid,
       count(DISTINCT cells::text) AS cells, count(DISTINCT bins::text) AS bins, count(DISTINCT sample::text) AS sample, count(DISTINCT seen::text) AS seen,
       count(DISTINCT rows) AS rows FROM merged;
SELECT (dpmix.numbers(sum))[1] = rows AS rows, (dpmix.numbers(squares))[1] = rows AS squares, cardinality(dpmix.numbers(moments)) AS classes, (dpmix.numbers(seen))[1] AS seen, rows > 5000 AS many
  FROM merged WHERE plan = 'parallel';

-- As a window function, whose results must not share one state; the states in the table are left alone
SELECT bool_and((dpmix.numbers(s))[1] = i * (i + 1) / 2) AS sums, bool_and(dpmix.numbers(c)::bigint[] = ARRAY[ARRAY[i, 3 * i]]::bigint[]) AS counts
  FROM (SELECT i, dpmix.merge(format('sum(%s,0,0,1,0,9)', i)::dpmix.exact_state) OVER w AS s, dpmix.merge('counts(1,2,ab){1,3}'::dpmix.exact_state) OVER w AS c
          FROM generate_series(1, 50) i WINDOW w AS (ORDER BY i)) t;
SELECT bool_and(p.sum::text = q.sum::text AND p.moments::text = q.moments::text AND p.sample::text = q.sample::text AND p.cells::text = q.cells::text) AS alone
  FROM parts p JOIN parts('p = CASE WHEN i < 5500 THEN i % 5 ELSE i * i % 3 END') q USING (part);

-- Other bounds, frames, cuts, edges, samples: refused, whichever comes first. No rows, no lattice: fits any.
CREATE TABLE unlike (kind text, a text, b text);
INSERT INTO unlike VALUES
    ('sum', '(1,1,0,1,0,9)', '(1,1,0,1,0,8)'), ('sum', '(1,1,0,1,0,9)', '(1,1,0,2,0,9)'), ('sum', '(1,1,0,1,0,9)', '(1,1,1,1,0,9)'),
    ('squares', '(-30,1,1,0,1,-9,9)', '(-30,1,1,0,2,-9,9)'), ('counts', '(1,2,ab){1,3}', '(1,2,ac){1,3}'), ('counts', '(1,2,ab){1,3}', '(1,3,ab){1,3,0}');
UPDATE unlike SET a = kind || a, b = kind || b;
INSERT INTO unlike VALUES
    ('moments', dpmix_internal.class_moments_add('moments()', 0, '{3,4}', '{1,1,2,1,5,-9,-9,9,9,5,0,0,1,1}')::text,
                dpmix_internal.class_moments_add('moments()', 0, '{3,4}', '{1,1,2,1,5,-9,-9,9,9,6,0,0,1,1}')::text),
    ('sample', dpmix_internal.feature_sample_add('sample()', '{1}', '{1,1,1,1,8,-10,10,8,0,1,4,7}')::text,
               dpmix_internal.feature_sample_add('sample()', '{1}', '{1,1,1,1,8,-10,10,8,0,1,4,8}')::text),
    ('two', 'sum(1,1,0,1,-9,9)', 'squares(-30,1,1,0,1,-9,9)'), ('two', 'counts(1,2,ab){1,3}', 'set(01)');
SELECT kind, code, message FROM unlike, LATERAL (VALUES (a, b), (b, a)) o(first, second),
    refusal(format('SELECT dpmix.merge(s::dpmix.exact_state) FROM unnest(ARRAY[%L, %L]) s', first, second)) ORDER BY 1, 2, 3;
SELECT kind, empty, message FROM unlike, LATERAL (VALUES ('()'),
    (kind || CASE kind WHEN 'sum' THEN '(0,0,0,0,0,0)' WHEN 'squares' THEN '(0,0,0,0,0,0,0)' ELSE '()' END)) e(empty),
    refusal(format('SELECT dpmix.merge(s::dpmix.exact_state) FROM unnest(ARRAY[%L, %L, %L]) s', empty, a, a)) WHERE kind <> 'two' ORDER BY 1, 2, 3;

-- Beyond what rows can make: refused, never wrapped around
SELECT state, code, message FROM (VALUES
    ('sum(4611686018427387904,0,0,1,0,9)'), ('squares(0,4611686018427387904,0,0,1,-9,9)'),
    ('counts(1,2,ab){4611686018427387904,0}'), ('counts(1,2,ab){9223372036854775807,0}')) t(state),
    refusal(format('SELECT dpmix.merge(s::dpmix.exact_state) FROM unnest(ARRAY[%L, %1$L, %1$L]) s', state));
SELECT code, message FROM refusal('SELECT dpmix.merge(n) FROM unnest(ARRAY[9223372036854775807, 1]) n');
SELECT code, message, detail FROM refusal($$SELECT dpmix.merge('sum(1,10,0,1,0,9)'::dpmix.exact_state)$$);

DROP SCHEMA merge_test CASCADE;
