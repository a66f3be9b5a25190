-- For tests: each statistics aggregate with arguments over the rows of `rows_of`, of the very types that its shard form
-- wants.
CREATE TABLE forms (aggregate text, arguments text);
INSERT INTO forms
SELECT aggregate, replace(arguments, 'F', '1,3,2,0,1048576, 0,0, 100,99.7, 1.4142135623730951,50,49.3,0.02,0.001,0,0.021, '
         '1.1,33.3,66.6,0.02,0,0.003,0.02, 1.7,66.7,33.1,0.02,0,0,0.02')
  FROM (VALUES
    ('lattice_sum', 'x, 50.1::float8, 0.1::float8, -700::float8, 700::float8'),
    ('lattice_squares', 'x, 50.1::float8, 0.1::float8, -700::float8, 700::float8'),
    ('lattice_sum', 'x, 50.1::float8, 0.1::float8, -700::float8, 700::float8, class'),
    ('lattice_squares', 'x, 50.1::float8, 0.1::float8, -700::float8, 700::float8, class'),
    ('edge_counts', 'x, ''{-Infinity,0.1,33.3,Infinity}''::float8[], class'),
    ('numbers_seen', 'class, 50'),
    ('cell_counts', 'x, ''{0.1,99.7,33}''::float8[]'),
    ('edge_counts', 'x, ''{-Infinity,0.1,33.3,Infinity}''::float8[]'),
    ('class_moments', 'class, v, ''{F}''::float8[]'),
    ('class_distances', 'class, v, ''{F, 549755,1230912,2756032}''::float8[]'),
    ('marginal_counts', 'class, v, ''{3,2, 0,2,0,50.1,0,1,2,3, 0,1,33.3,0,1,1, 4, 0,-1,1, 1,-1,0, 0,1,1, 1,0,0}''::float8[]'),
    ('class_clusters', 'class, v, ''{F, 0, 0,-0.3,0.1, 1,1.1,0.7, 3}''::float8[]'),
    ('soft_moments', 'v, ''{F, 0, 0,-0.3,0.1, 1,1.1,0.7}''::float8[]'),
    ('logistic_moments', 'class, v, ''{F, 65536,-100, 0,1, -3000,0}''::float8[]'),
    ('cells', 'v, ''{F, 2,8}''::float8[]'),
    ('pair_counts', 'v, ''{2,1,1, 0,100,4, 0,100,3}''::float8[]'),
    ('feature_sample', 'v, ''{F, 64,7}''::float8[]')) f(aggregate, arguments);

-- Numbers of every kind, by a seed: missing, not a number, infinite, beyond all bounds.
CREATE FUNCTION rows_of(seed int, size int) RETURNS TABLE (id bigint, class int, x float8, v float8[]) LANGUAGE sql AS $$
  SELECT i, abs(hashint8extended(i, seed) % 4)::int,
         CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN 'NaN' WHEN i % 83 = 0 THEN 'Infinity' WHEN i % 79 = 0 THEN '-Infinity'
              ELSE hashint8extended(i, seed + 1) / 1.2e17 + 50 END,
         CASE WHEN i % 101 = 0 THEN NULL WHEN i % 103 = 0 THEN '{1,NULL}' WHEN i % 107 = 0 THEN '{NaN,1}' WHEN i % 109 = 0 THEN '{-Infinity,Infinity}'
              ELSE ARRAY[hashint8extended(i, seed + 2) / 1.2e17 + 50, hashint8extended(i, seed + 3) / 1.2e17 + 50]::float8[] END
    FROM generate_series(1, size) i
$$;

-- The states of an aggregate by class, and of all rows (NULL), as text.
CREATE FUNCTION states_of(relation regclass, aggregate text) RETURNS TABLE (class int, state text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT class, (%1$s)::text FROM %2$s GROUP BY 1 UNION ALL SELECT NULL, (%1$s)::text FROM %2$s', aggregate, relation);
END $$;
CREATE FUNCTION plain_form(forms) RETURNS text LANGUAGE sql AS $$ SELECT format('dpmix_internal.%s(%s)', $1.aggregate, $1.arguments) $$;
CREATE FUNCTION shard_form(forms) RETURNS text LANGUAGE sql AS $$
  SELECT format('dpmix_internal.joined_states(dpmix_internal.array_agg(%s, %L::text))', $1.arguments, $1.aggregate) $$;
