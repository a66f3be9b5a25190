-- What one may ask, and how: for everybody with access to a table.

-- A bound in the terms of the column: dates, times and intervals as such, where they are in the range of all.
CREATE FUNCTION dpmix_internal.bound_text(type oid, bound float8) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT CASE WHEN type = 'date'::regtype AND abs(bound) < 1e6 THEN (date '2000-01-01' + bound::int)::text
                WHEN type = 'timestamp'::regtype AND abs(bound) < 9e10 THEN (timestamp '2000-01-01' + bound * interval '1 second')::text
                WHEN type = 'timestamptz'::regtype AND abs(bound) < 9e10
                    THEN (timestamptz '2000-01-01 00:00+00' + bound * interval '1 second')::text
                WHEN type = 'interval'::regtype AND abs(bound) < 9e10 THEN justify_hours(bound * interval '1 second')::text
                ELSE bound::text END;
    END;
COMMENT ON FUNCTION dpmix_internal.bound_text(oid, float8) IS 'a bound of dpmix.column_domain, as people write it';

CREATE INDEX ON dpmix.facade (table_id, id);

CREATE VIEW dpmix_internal.described_table AS
    SELECT t.id, t.relation, t.owned, p.adjacency, p.privacy_unit, p.max_rows_per_unit, p.label, h.unit_through,
           f.view AS facade, f.default_epsilon, f.default_delta, f.max_epsilon_per_query
    FROM dpmix_internal.seen_table t
    CROSS JOIN LATERAL (SELECT * FROM dpmix.protected_table r WHERE r.id = t.id OFFSET 0) p
    LEFT JOIN LATERAL (
        SELECT c.oid::regclass AS view, f.default_epsilon, f.default_delta, f.max_epsilon_per_query
        FROM dpmix.facade f
        JOIN pg_catalog.pg_class c ON c.oid = f.view AND c.relname = f.view_name
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = f.schema_name
        WHERE f.table_id = t.id ORDER BY f.id LIMIT 1) f ON true
    LEFT JOIN LATERAL (
        SELECT format('found through %I.%I: %s is its %s', r.schema_name, r.table_name,
                      (SELECT string_agg(quote_ident(c), ', ') FROM unnest(p.link) c),
                      (SELECT string_agg(quote_ident(c), ', ') FROM unnest(p.target_key) c)) AS unit_through
        FROM dpmix.protected_table r WHERE r.id = p.unit_through OFFSET 0) h ON true
    WHERE t.active AND (t.owned OR t.held);
COMMENT ON VIEW dpmix_internal.described_table IS
    'protected tables that the viewer owns or has access to: their unit, how it is found, and their first facade';
CREATE FUNCTION dpmix_internal.described_tables() RETURNS SETOF dpmix_internal.described_table
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.described_tables() IS 'rows of dpmix_internal.described_table';

-- kind: how a column is asked about.
CREATE VIEW dpmix_internal.described_column AS
    SELECT t.id, t.relation, t.facade, a.attnum, a.attname AS column_name, a.atttypid AS type_id,
           a.atttypmod AS type_modifier, t.adjacency, t.label,
           a.attname = t.privacy_unit AS is_unit, d.lower, d.upper, coalesce(d.nan_is_middle, false) AS nan_is_middle, d.categories, d.other,
           d.by_column, (SELECT jsonb_object_agg(b.c, jsonb_build_array(b.l, b.u))
            FROM ROWS FROM (unnest(d.by_category), unnest(d.by_lower), unnest(d.by_upper)) AS b(c, l, u)
            WHERE d.by_column IS NOT NULL) AS bounds_by,
           justify_hours(d.quantum * interval '1 microsecond') AS time_quantum,
           array_remove(ARRAY[
               quote_ident(a.attname) || ' >= ' || quote_ident(d.at_least),
               quote_ident(a.attname) || ' = ' || (SELECT string_agg(quote_ident(s.name), ' + ' ORDER BY s.place)
                                                   FROM unnest(d.sum_of) WITH ORDINALITY AS s(name, place)),
               quote_ident(a.attname) || ' where ' || quote_ident(d.present_with)], NULL) AS rules,
           CASE WHEN a.atttypid >= 12000 AND y.typtype <> 'e' THEN 'foreign'
                WHEN a.atttypid = 'boolean'::regtype THEN 'boolean'
                WHEN a.atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'real'::regtype,
                                    'double precision'::regtype, 'numeric'::regtype) THEN 'number'
                WHEN a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) THEN 'time'
                WHEN y.typtype = 'e' OR a.atttypid IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'uuid'::regtype) THEN 'category'
                ELSE 'other' END AS kind
    FROM dpmix_internal.described_table t
    JOIN pg_catalog.pg_attribute a ON a.attrelid = t.relation::oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
    LEFT JOIN LATERAL (SELECT * FROM dpmix.column_domain o WHERE o.table_id = t.id AND o.column_name = a.attname
                       OFFSET 0) d ON d.attnum = a.attnum;
COMMENT ON VIEW dpmix_internal.described_column IS 'columns of dpmix.columns, and of what kind each is';
CREATE FUNCTION dpmix_internal.described_columns() RETURNS SETOF dpmix_internal.described_column
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 100 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.described_columns() IS 'rows of dpmix_internal.described_column';

-- The bound that stands for min(x) or max(x): a whole number within the bounds, where the column has no others.
CREATE FUNCTION dpmix_internal.declared_bound(relation oid, attnum smallint, most boolean) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c record;
BEGIN
    IF NOT coalesce(nullif(current_setting('dpmix.bounds_for_min_max', true), ''), 'off')::boolean THEN
        RAISE EXCEPTION 'min and max are not allowed on a protected table'
            USING ERRCODE = 'PV002', DETAIL = 'The statement was prepared under dpmix.bounds_for_min_max, which is off now.',
                  HINT = 'SET dpmix.bounds_for_min_max = on, or prepare it again.';
    END IF;
    SELECT d.column_name, d.type_id, d.kind, CASE WHEN declared_bound.most THEN d.upper ELSE d.lower END AS bound,
           CASE d.type_id WHEN 'smallint'::regtype THEN 32767 WHEN 'integer'::regtype THEN 2147483647
                          WHEN 'bigint'::regtype THEN 9223372036854775807 END AS farthest
    INTO c FROM (
        SELECT d.relation::oid, d.attnum, d.column_name, d.type_id, d.kind, d.lower, d.upper
        FROM dpmix_internal.described_columns() d
        UNION ALL  -- of a view, whose columns of texts have lengths
        SELECT declared_bound.relation, v.place, v.column_name, v.type,
               CASE WHEN v.type IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype) THEN 'category' END, v.lower, v.upper
        FROM pg_class w CROSS JOIN LATERAL dpmix_internal.view_columns(w.oid::regclass) v
        WHERE w.oid = declared_bound.relation AND w.relkind = 'v') d
    WHERE d.relation = declared_bound.relation AND d.attnum = declared_bound.attnum;
    IF c.column_name IS NULL THEN
        RAISE EXCEPTION 'no bounds of table % are yours to see', relation::regclass
            USING ERRCODE = 'PV006', DETAIL = 'You have no access to it, or it is not protected.',
                  HINT = 'Its owner gives access with dpmix.grant_access().';
    ELSIF c.bound IS NULL OR c.kind = 'category' THEN
        RAISE EXCEPTION 'no bounds are declared for the values of column "%" of %', c.column_name, relation::regclass
            USING ERRCODE = 'PV003', DETAIL = 'min(x) and max(x) alone are answered with declared bounds.',
                  HINT = 'dpmix.describe() shows what is declared; the owner declares bounds with dpmix.set_bounds().';
    ELSIF c.farthest IS NOT NULL THEN
        RETURN greatest(least(CASE WHEN declared_bound.most THEN floor(c.bound) ELSE ceil(c.bound) END::numeric, c.farthest),
                        -c.farthest)::bigint;
    END IF;
    RETURN dpmix_internal.bound_text(c.type_id, c.bound);
END $$;
COMMENT ON FUNCTION dpmix_internal.declared_bound(oid, smallint, boolean) IS
    'min(x) or max(x) of a facade, under dpmix.bounds_for_min_max: a declared bound in the terms of its column. PV003: '
    'there is none; PV006: no access';

CREATE VIEW dpmix.columns AS
    SELECT c.relation, c.facade, c.column_name, pg_catalog.format_type(c.type_id, c.type_modifier) AS type,
           dpmix_internal.bound_text(c.type_id, c.lower) AS lower, dpmix_internal.bound_text(c.type_id, c.upper) AS upper,
           c.by_column, c.bounds_by, c.nan_is_middle, c.categories, c.other, c.time_quantum, coalesce(c.is_unit, false) AS is_privacy_unit,
           nullif(c.rules, '{}') AS rules,
           CASE WHEN c.adjacency = 'label' OR c.categories IS NOT NULL OR c.is_unit OR (c.lower IS NOT NULL AND c.kind <> 'category') THEN NULL
                WHEN c.kind IN ('number', 'time') THEN 'bounds' WHEN c.kind = 'category' THEN 'categories' END AS not_declared,
           CASE WHEN c.adjacency = 'label' AND c.column_name = c.label THEN 'the private label: dpmix.release_gmm, dpmix.cda'
                WHEN c.adjacency = 'label' THEN 'public: a feature for dpmix.release_gmm'
                WHEN c.is_unit THEN format('dp_count_distinct(%I) counts privacy units', c.column_name)
                WHEN c.categories IS NOT NULL THEN format('GROUP BY %I; WHERE %1$I = %L', c.column_name, c.categories[1])
                WHEN c.kind = 'boolean' THEN format('GROUP BY %I; dp_avg(%1$I::int)', c.column_name)
                WHEN c.kind = 'number' AND c.lower IS NOT NULL
                    THEN format('dp_avg(%I), dp_sum(%1$I), dp_median(%1$I); GROUP BY width_bucket(%1$I, %s, %s, 10)', c.column_name, c.lower, c.upper)
                WHEN c.kind = 'number'
                    THEN format('dp_avg(least(greatest(%I, 0), 100)), with bounds of your own; dp_count_distinct(%1$I)', c.column_name)
                WHEN c.kind = 'time' AND c.lower IS NOT NULL THEN
                    format('GROUP BY date_trunc(''month'', %I%s); WHERE %1$I >= now() - interval ''30 days''', c.column_name,
                           CASE WHEN c.type_id = 'date'::regtype THEN '::timestamp' END)
                WHEN c.kind = 'time' THEN format('WHERE %I >= now() - interval ''30 days''; dp_count_distinct(%1$I)', c.column_name)
                WHEN c.type_id = 'interval'::regtype AND c.lower IS NOT NULL THEN format('dp_avg(extract(epoch FROM %I))', c.column_name)
                WHEN c.type_id = 'time'::regtype
                    THEN format('WHERE %I < ''12:00''; GROUP BY extract(hour FROM %1$I)', c.column_name)
                WHEN c.kind = 'category' THEN format('GROUP BY %I with a delta; dp_count_distinct(%1$I)', c.column_name)
                                              || CASE WHEN c.lower IS NOT NULL THEN format('; dp_avg(length(%I))', c.column_name) ELSE '' END
                WHEN c.kind = 'foreign' THEN 'not in queries, which take built-in and enum types'
                ELSE format('dp_count(%I)', c.column_name) END AS ask
    FROM dpmix_internal.described_columns() c
    ORDER BY c.relation::text, c.attnum;
COMMENT ON VIEW dpmix.columns IS
    E'the columns of each protected table that the current user owns or has access to: what is declared about them, '
    'what is not yet, and how to ask all the same. Nothing in it depends on rows.\n'
    'See also: dpmix.describe, docs/guide/query.md.';
COMMENT ON COLUMN dpmix.columns.relation IS 'the protected table';
COMMENT ON COLUMN dpmix.columns.facade IS 'its first facade; NULL: there is none';
COMMENT ON COLUMN dpmix.columns.column_name IS 'the column';
COMMENT ON COLUMN dpmix.columns.type IS 'its type';
COMMENT ON COLUMN dpmix.columns.lower IS 'declared lower bound, in the terms of the column, of a text column of its length in characters; NULL: none';
COMMENT ON COLUMN dpmix.columns.upper IS 'declared upper bound';
COMMENT ON COLUMN dpmix.columns.rules IS 'what holds between this column and others, by dpmix.declare: synthetic rows of trees keep it; NULL: nothing';
COMMENT ON COLUMN dpmix.columns.by_column IS 'another column, some categories of which have bounds of their own (dpmix.declare); NULL: none has';
COMMENT ON COLUMN dpmix.columns.bounds_by IS 'these, by category; lower and upper are the widest';
COMMENT ON COLUMN dpmix.columns.nan_is_middle IS
    'whether aggregates of queries take NaN for the middle of the bounds (dpmix.set_bounds); otherwise it is missing';
COMMENT ON COLUMN dpmix.columns.categories IS 'declared public values, in their order; NULL: none';
COMMENT ON COLUMN dpmix.columns.other IS
    'what the group of all other values is shown as (dpmix.set_categories); NULL: they are in no group';
COMMENT ON COLUMN dpmix.columns.time_quantum IS
    'to what constants that are compared with it are rounded down (dpmix.set_time_quantum); NULL: they are not';
COMMENT ON COLUMN dpmix.columns.is_privacy_unit IS 'whether it says whose row it is';
COMMENT ON COLUMN dpmix.columns.not_declared IS
    'bounds or categories, where they are of use and the owner did not declare them; NULL: nothing is missing';
COMMENT ON COLUMN dpmix.columns.ask IS 'what may stand in a query all the same';
GRANT SELECT ON dpmix.columns TO PUBLIC;

CREATE FUNCTION dpmix_internal.described(relation regclass)
    RETURNS TABLE (section text, item text, value text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH t AS MATERIALIZED (
        SELECT * FROM dpmix_internal.described_tables() d WHERE d.relation = described.relation OR d.facade = described.relation LIMIT 1),
    c AS MATERIALIZED (
        SELECT c.* FROM dpmix_internal.described_columns() c JOIN t ON t.id = c.id ORDER BY c.attnum),
    b AS MATERIALIZED (SELECT u.* FROM dpmix.budget u JOIN t ON u.relation = t.relation),
    asked AS (
        SELECT t.relation, coalesce(t.default_epsilon, 0.5) AS epsilon,
               (SELECT column_name FROM c WHERE categories IS NOT NULL OR kind = 'boolean' ORDER BY attnum LIMIT 1) AS key,
               (SELECT column_name FROM c WHERE kind = 'number' AND lower IS NOT NULL AND is_unit IS NOT TRUE ORDER BY attnum LIMIT 1) AS number,
               (SELECT column_name FROM c WHERE kind IN ('category', 'number') AND categories IS NULL AND is_unit IS NOT TRUE
                ORDER BY kind, attnum LIMIT 1) AS loose
        FROM t),
    query(n, title, text) AS (
        SELECT 1, 'how many', format('SELECT dp_count(*) AS rows FROM %s', relation) FROM asked
        UNION ALL
        SELECT 2, CASE WHEN number IS NULL THEN 'by group' ELSE 'average by group' END,
               format('SELECT %sdp_count(*) AS rows%s FROM %s%s', quote_ident(key) || ', ', ', dp_avg(' || quote_ident(number) || ') AS average', relation, ' GROUP BY ' || quote_ident(key))
        FROM asked WHERE key IS NOT NULL OR number IS NOT NULL
        UNION ALL
        SELECT 3, 'a column of which nothing is declared', format('SELECT dp_count_distinct(%I) AS different FROM %s', loose, relation)
        FROM asked WHERE loose IS NOT NULL
        UNION ALL
        SELECT 4, 'the middle and its interval', format('SELECT dp_median(%I) AS median, dp_low(dp_median(%1$I)) AS low, dp_high(dp_median(%1$I)) AS high FROM %s', number, relation)
        FROM asked WHERE number IS NOT NULL
        UNION ALL
        SELECT 5, 'how many, with an interval', format('SELECT dp_count(*) AS rows, dp_low(dp_count(*)) AS low, dp_high(dp_count(*)) AS high FROM %s', relation) FROM asked)
    SELECT s.section, s.item, s.value FROM (
        SELECT 1 AS place, 0 AS n, 'budget' AS section, 'epsilon' AS item,
               format('%s, of which %s is spent (accountant %s)', b.epsilon, trim_scale(round(b.epsilon_spent, 6)), b.accountant) AS value
        FROM b
        UNION ALL SELECT 1, 1, 'budget', 'delta', b.delta::text FROM b
        UNION ALL SELECT 1, 2, 'budget', 'share spent', round(b.share_spent::numeric, 4)::text FROM b
        UNION ALL
        SELECT 1, 3, 'budget', CASE WHEN n.from_value IS NULL THEN 'no block' ELSE 'block of now' END,
               CASE WHEN n.from_value IS NULL
                    THEN format('%s is spent of what is in no block and always read; it never renews', round(n.share_spent::numeric, 4))
                    ELSE format('%s to %s (UTC), of which %s is spent; the next block has a budget of its own', n.from_value,
                                coalesce(n.to_value, 'ever'), round(n.share_spent::numeric, 4)) END
        FROM b CROSS JOIN LATERAL dpmix_internal.block_of_now(b.relation) n
        UNION ALL
        SELECT 2, 0, 'protection', 'privacy unit',
               coalesce(coalesce('column ' || quote_ident(t.privacy_unit), t.unit_through)
                        || format('; at most %s of its rows count in full, and totals and their intervals are bounded by that',
                                  t.max_rows_per_unit), 'a row') FROM t
        UNION ALL SELECT 2, 1, 'protection', 'neighbours', t.adjacency FROM t
        UNION ALL
        SELECT 3, row_number() OVER (ORDER BY r.role NULLS FIRST), 'access', coalesce(quote_ident(r.role), 'owner'),
               concat_ws(', ', CASE WHEN num_nonnulls(r.epsilon_cap, r.share_cap) = 0 THEN 'no cap of its own'
                              WHEN r.epsilon_cap IS NOT NULL THEN format('epsilon %s of %s left', r.cap_remaining, r.epsilon_cap) END,
                         CASE WHEN r.share_cap IS NOT NULL THEN format('at most %s of the budget', r.share_cap) END || coalesce(format(', of which %s is taken', round(r.share_spent::numeric, 4)), ' of each block'),
                         format('%s charges so far', r.charges))
        FROM dpmix.role_budget r JOIN t ON r.relation = t.relation WHERE r.active
        UNION ALL
        SELECT 4, 0, 'plain SQL', t.facade::text,
               concat_ws(', ', coalesce(format('epsilon %s', t.default_epsilon), 'SET dpmix.epsilon first'), 'delta ' || t.default_delta,
                         'at most epsilon ' || t.max_epsilon_per_query || ' for a query')
        FROM t WHERE t.facade IS NOT NULL
        UNION ALL
        SELECT 5, v.attnum, 'column', quote_ident(v.column_name), concat_ws('; ', w.type, CASE WHEN v.kind = 'category' THEN 'length ' ELSE '' END || w.lower || ' to ' || w.upper, 'by ' || quote_ident(w.by_column) || ': ' || w.bounds_by, CASE WHEN w.nan_is_middle THEN 'NaN is the middle' END, w.categories::text, 'keeps ' || array_to_string(w.rules, ', '),
                   CASE WHEN w.other IS NOT NULL THEN format('other values are shown as %L', w.other) WHEN w.categories IS NOT NULL AND v.kind = 'category' THEN 'other values are in no group' END,
                   'constants rounded down to ' || w.time_quantum, 'not declared: ' || w.not_declared, w.ask)
        FROM c v JOIN dpmix.columns w ON w.relation = v.relation AND w.column_name = v.column_name
        UNION ALL
        SELECT 6, q.n, 'query', q.title, format('SELECT * FROM dpmix.query_json(%L, epsilon => %s);', q.text, asked.epsilon)
        FROM (SELECT * FROM query ORDER BY n LIMIT 3) q, asked, t WHERE t.adjacency <> 'label' AND t.unit_through IS NULL) s
    ORDER BY s.place, s.n;
    END;
COMMENT ON FUNCTION dpmix_internal.described(regclass) IS 'what dpmix.describe() returns; no rows without access';

CREATE FUNCTION dpmix_internal.view_terms(view regclass)
    RETURNS TABLE (tables text[], adjacency text, most_rows int, facade regclass, default_epsilon float8,
                   default_delta float8, max_epsilon_per_query float8)
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'dpmix_view_terms';
COMMENT ON FUNCTION dpmix_internal.view_terms(regclass) IS
    'of a view over protected tables, or a facade of one: these, how its rows differ between neighbours, how many a '
    'person may have, and its first facade; no rows: it is no such view';
CREATE FUNCTION dpmix_internal.view_columns(view regclass)
    RETURNS TABLE (place int, column_name text, type oid, is_unit boolean, lower float8, upper float8, categories text[],
                   of_relation regclass, of_column name)
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'dpmix_view_columns';
COMMENT ON FUNCTION dpmix_internal.view_columns(regclass) IS
    'what is known of the columns of such a view: declared of the tables under it or of itself, or by rule of what it '
    'computes; and which column of a table each is, if it is one';
CREATE FUNCTION dpmix_internal.described_view(view regclass)
    RETURNS TABLE (section text, item text, value text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT s.section, s.item, s.value FROM (
        SELECT 1 AS place, 0 AS n, 'protection' AS section, 'tables' AS item, array_to_string(t.tables, ', ') AS value
        FROM dpmix_internal.view_terms(view) t
        UNION ALL SELECT 1, 1, 'protection', 'rows of a person', CASE WHEN t.most_rows = 1 THEN 'one' ELSE format('at most %s count in full', t.most_rows) END
        FROM dpmix_internal.view_terms(view) t
        UNION ALL SELECT 1, 2, 'protection', 'neighbours', t.adjacency FROM dpmix_internal.view_terms(view) t
        UNION ALL
        SELECT 1, 3, 'plain SQL', t.facade::text,
               concat_ws(', ', coalesce(format('epsilon %s', t.default_epsilon), 'SET dpmix.epsilon first'), 'delta ' || t.default_delta,
                         'at most epsilon ' || t.max_epsilon_per_query || ' for a query')
        FROM dpmix_internal.view_terms(view) t WHERE t.facade IS NOT NULL
        UNION ALL SELECT 2, c.place, 'column', quote_ident(c.column_name),
               concat_ws('; ', format_type(c.type, NULL), CASE WHEN c.is_unit THEN 'the privacy unit' END,
                         CASE WHEN c.type IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype) THEN 'length ' ELSE '' END
                         || dpmix_internal.bound_text(c.type, c.lower) || ' to ' || dpmix_internal.bound_text(c.type, c.upper),
                         c.categories::text)
        FROM dpmix_internal.view_columns(view) c) s
    ORDER BY s.place, s.n;
    END;
COMMENT ON FUNCTION dpmix_internal.described_view(regclass) IS 'what dpmix.describe() returns of a view over protected tables; no rows: it is no such view';

CREATE FUNCTION dpmix.describe(relation regclass)
    RETURNS TABLE (section text, item text, value text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM dpmix_internal.described(describe.relation);
    IF NOT FOUND THEN
        RETURN QUERY SELECT * FROM dpmix_internal.described_view(describe.relation);
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not protected, or you have no access to it', describe.relation
            USING ERRCODE = 'PV006', DETAIL = 'Access is given table by table, and follows role membership.',
                  HINT = 'Its owner gives access with dpmix.grant_access(); dpmix.budget lists the tables that you may ask.';
    END IF;
END $$;
COMMENT ON FUNCTION dpmix.describe(regclass) IS
    E'all that one may know of a protected table before asking: its budget, what it protects, grants, defaults of plain '
    'SQL, columns, and three queries ready to run. Free; for its owner and roles with access; nothing in it depends on '
    'rows.\n'
    'relation: the table, or a facade of it; or a view over protected tables or its facade, which has protection, plain '
    'SQL and columns, with the bounds and values that its SELECT makes and those that its owner declared. A view needs '
    'access to it, or to each of its tables\n'
    'section, item, value: budget, protection, access, plain SQL, column and query, in this order\n'
    'Errors: PV006 not protected, or no access.\n'
    'See also: dpmix.columns, dpmix.preview, docs/guide/query.md.';
