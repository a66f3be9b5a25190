-- The total functions of row expressions: what PostgreSQL gives, NULL where it raises an error, for any values.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
SET extra_float_digits = 0;
CREATE TABLE total_values AS SELECT v FROM unnest('{0,-0,1,-1,2,-2,3,0.5,-0.5,1.5,2.5,-2.5,10,1e15,9007199254740993,1e22,1e300,-1e300,1.7976931348623157e308,
    -1.7976931348623157e308,2.2250738585072014e-308,5e-324,-5e-324,NaN,Infinity,-Infinity,NULL}'::float8[]) AS v;

-- PostgreSQL's own result, NULL and raised where it has none
CREATE FUNCTION own(expression text, a float8, b float8, OUT value float8, OUT raised boolean) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SELECT ' || expression INTO value USING a, b;
    raised := false;
EXCEPTION WHEN data_exception OR feature_not_supported THEN
    raised := true;
END $$;
-- An underflow raises there, and is 0 or next to it here
CREATE FUNCTION disagreements(total text, expression text) RETURNS TABLE (calls bigint, without_value bigint, disagreements bigint, examples text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($query$
        SELECT count(*), count(*) FILTER (WHERE raised),
               count(*) FILTER (WHERE wrong), string_agg(format('%%s, %%s: %%s', a, b, mine), '; ') FILTER (WHERE wrong)
        FROM (SELECT x.v AS a, y.v AS b, o.*, mine,
                     CASE WHEN o.raised THEN mine IS NOT NULL AND abs(mine) > 1e-300
                          ELSE mine IS DISTINCT FROM o.value AND NOT coalesce(abs(mine - o.value) <= 1e-14 * abs(o.value), false) END AS wrong
              FROM total_values AS x, total_values AS y, LATERAL own(%L, x.v, y.v) AS o, LATERAL (SELECT %s) AS t(mine)) AS compared
        $query$, expression, replace(replace(total, '$1', 'x.v'), '$2', 'y.v'));
END $$;
\pset format unaligned
\pset tuples_only on
SELECT total, d.* FROM (VALUES
    ('dpmix_internal.total_add($1, $2)', '$1 + $2'), ('dpmix_internal.total_subtract($1, $2)', '$1 - $2'), ('dpmix_internal.total_multiply($1, $2)', '$1 * $2'),
    ('dpmix_internal.total_divide($1, $2)', '$1 / $2'), ('dpmix_internal.total_power($1, $2)', '$1 ^ $2'),
    ('dpmix_internal.total_sqrt($1)', 'sqrt($1)'), ('dpmix_internal.total_cbrt($1)', 'cbrt($1)'), ('dpmix_internal.total_exp($1)', 'exp($1)'), ('dpmix_internal.total_ln($1)', 'ln($1)'),
    ('dpmix_internal.total_log10($1)', 'log($1)'), ('dpmix_internal.total_sign($1)', 'sign($1::numeric)'), ('dpmix_internal.total_round($1)', 'CASE WHEN abs($1) < 1e300 THEN round($1::numeric)::float8 ELSE $1 END')) AS f(total, own),
    LATERAL disagreements(total, own) AS d;

\echo -- Whole numbers: as integers are divided
SELECT count(*), count(*) FILTER (WHERE quotient IS DISTINCT FROM CASE WHEN b <> 0 THEN a / b END OR remainder IS DISTINCT FROM CASE WHEN b <> 0 THEN a % b END) AS disagreements
FROM (SELECT a, b, dpmix_internal.total_quotient(a, b) AS quotient, dpmix_internal.total_remainder(a, b) AS remainder
      FROM unnest('{0,1,-1,2,3,7,-7,10,-2147483648,2147483647,4503599627370497,9007199254740991,-9007199254740991}'::bigint[]) AS a,
           unnest('{0,1,-1,2,-3,5,7,-10,-2147483648,2147483647,3002399751580331,9007199254740991}'::bigint[]) AS b) AS divided;
SELECT bool_and(dpmix_internal.total_quotient(x.v, y.v) IS NULL = (y.v = 0 AND x.v <> 'NaN') OR abs(x.v / nullif(y.v, 0)) IS NULL) FROM total_values AS x, total_values AS y
WHERE abs(x.v) < 1e15 AND (abs(y.v) > 1e-15 OR y.v = 0);

\echo -- Decimals, bounds, logarithms to a base, days, lengths
SELECT dpmix_internal.total_round_digits(x, d), dpmix_internal.total_trunc_digits(x, d), round(x::numeric, d::int) = dpmix_internal.total_round_digits(x, d)::numeric,
       trunc(x::numeric, d::int) = dpmix_internal.total_trunc_digits(x, d)::numeric
FROM (VALUES (12.5, 0), (12.25, 1), (-12.25, 1), (1234.5678, 2), (1234.5678, -2), (-1250, -2), (1e300, 22), (1e300, -22), (0.0000001, 3)) AS v(x, d);
SELECT dpmix_internal.total_round_digits(v, 2) IS NULL = (v IS NULL) AND dpmix_internal.total_trunc_digits(v, -22) IS NULL = (v IS NULL) FROM total_values GROUP BY 1;
SELECT v, dpmix_internal.total_clamp(v, -1, 2) FROM unnest('{-3,-1,0,2,5,NaN,Infinity,-Infinity,NULL}'::float8[]) AS v;
-- The product of a pair: to the bit what its parts give, over all special values and random ones
SELECT count(*) > 400 AS many, bool_and(float8send(dpmix_internal.total_product(x, low, high, origin, step, y, -2, 7.5, 2.75, .1))
      IS NOT DISTINCT FROM float8send(dpmix_internal.total_multiply(
        dpmix_internal.total_divide(dpmix_internal.total_subtract(dpmix_internal.total_clamp(x, low, high), origin), step),
        dpmix_internal.total_divide(dpmix_internal.total_subtract(dpmix_internal.total_clamp(y, -2, 7.5), 2.75), .1)))) AS same
FROM (SELECT v FROM total_values UNION ALL SELECT sin(i) * 10 FROM generate_series(1, 50) i) a(x), (SELECT v FROM total_values UNION ALL SELECT cos(i) * 10 FROM generate_series(1, 50) i) b(y),
     (VALUES (-3::float8, 4::float8, .5::float8, .001::float8), (-1e308, 1e308, 0, 1e-300), (0, 1, .5, 0)) l(low, high, origin, step);
SELECT dpmix_internal.total_log_base(2, 8), dpmix_internal.total_log_base(10, 0), dpmix_internal.total_log_base(1, 5), dpmix_internal.total_log_base(-2, 5), dpmix_internal.total_log_base(0, 5), dpmix_internal.total_log_base(5, -1);
SELECT d, n, dpmix_internal.total_date_add(d, n) FROM (VALUES ('2000-01-31'::date, 30), ('2000-03-01', -1), ('5874897-12-31', 1), ('4713-01-01 BC', -38), ('4713-01-01 BC', -39), ('infinity', 1),
    ('-infinity', -1), ('2000-01-01', 0.5), ('2000-01-01', 'NaN'), ('2000-01-01', 'Infinity'), ('2000-01-01', 1e300), ('2000-01-01', NULL)) AS v(d, n);
SELECT length(dpmix_internal.short_text(repeat('x', n))) FROM unnest('{0,1,1048576,1048577}'::int[]) AS n;
CREATE TABLE total_texts (t text);
ALTER TABLE total_texts ALTER t SET STORAGE EXTERNAL;
INSERT INTO total_texts SELECT repeat('ä', n) FROM unnest('{3,262144,524288,524289}'::int[]) AS n;
SELECT length(dpmix_internal.short_text(t)), right(dpmix_internal.short_text(t), 1) FROM total_texts;
-- All may run in parallel workers and be evaluated once for constants
SELECT bool_and(provolatile = 'i' AND proparallel = 's' AND proisstrict), count(*) FROM pg_proc
WHERE pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND (proname LIKE 'total\_%' OR proname = 'short_text');
DROP FUNCTION own, disagreements;
DROP TABLE total_values, total_texts;
