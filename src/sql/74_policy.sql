-- What owners said, as one document: docs/guide/policy.md. Its words are the names of the functions that say it, and of
-- their arguments. An entry is what one call states: by which function, of which table, of what (a column, a role, a
-- view; of what is no table's, its name), and its other arguments by name, without those at their default.

CREATE FUNCTION dpmix_internal.base_type(type oid) RETURNS oid
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH RECURSIVE below(type, base) AS (
        SELECT y.oid, y.typbasetype FROM pg_type y WHERE y.oid = base_type.type
        UNION ALL SELECT y.oid, y.typbasetype FROM below b JOIN pg_type y ON y.oid = b.base)
    SELECT b.type FROM below b WHERE b.base = 0;
    END;
COMMENT ON FUNCTION dpmix_internal.base_type(oid) IS 'the type below all domains';

-- A bound as dpmix.declare() reads it, to the microsecond.
CREATE FUNCTION dpmix_internal.stated_bound(type oid, bound float8) RETURNS jsonb
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT CASE WHEN type = 'date'::regtype AND bound = floor(bound) AND bound BETWEEN -2e6 AND 2e9
                    THEN to_jsonb((date '2000-01-01' + bound::int)::text)
                WHEN type = 'date'::regtype AND abs(bound) < 1e8
                    THEN to_jsonb((timestamp '2000-01-01' + bound * interval '1 day')::text)
                WHEN type = 'timestamp'::regtype AND bound BETWEEN -2e11 AND 9e12
                    THEN to_jsonb((timestamp '2000-01-01' + bound * interval '1 second')::text)
                WHEN type = 'timestamptz'::regtype AND bound BETWEEN -2e11 AND 9e12
                    THEN to_jsonb((timestamptz '2000-01-01 00:00+00' + bound * interval '1 second')::text)
                WHEN type = 'interval'::regtype AND abs(bound) < 9e12
                    THEN to_jsonb(justify_hours(bound * interval '1 second')::text)
                ELSE to_jsonb(bound) END;
    END;
COMMENT ON FUNCTION dpmix_internal.stated_bound(oid, float8) IS
    'a bound of dpmix.column_domain, as dpmix.declare() reads it';

-- A list is bounds where a column can have them, otherwise categories.
CREATE FUNCTION dpmix_internal.stated_domain(type oid, lower float8, upper float8, nan_is_middle boolean,
                                             categories text[], other boolean, by name, by_category text[],
                                             by_lower float8[], by_upper float8[]) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT CASE WHEN s.known AND categories IS NULL AND NOT nan_is_middle AND NOT s.text AND by IS NULL THEN s.bounds
                WHEN lower IS NULL AND NOT other AND (s.text OR s.listed) THEN s.list
                ELSE jsonb_strip_nulls(jsonb_build_object(
                    'by', by, 'bounds', CASE WHEN by IS NOT NULL THEN s.by_bounds WHEN lower IS NOT NULL THEN s.bounds END,
                    'categories', s.list,
                    'nan_is_middle', nullif(nan_is_middle, false), 'other', nullif(other, false))) END
    FROM (SELECT jsonb_build_array(dpmix_internal.stated_bound(y.oid, lower),
                                   dpmix_internal.stated_bound(y.oid, upper)) AS bounds,
                 (SELECT jsonb_object_agg(b.c, jsonb_build_array(b.l, b.u))
                  FROM ROWS FROM (unnest(by_category), unnest(by_lower), unnest(by_upper)) AS b(c, l, u)) AS by_bounds,
                 CASE WHEN y.oid = ANY (ARRAY['smallint', 'integer', 'bigint']::regtype[]::oid[])
                      THEN (SELECT jsonb_agg(c::bigint ORDER BY n) FROM unnest(categories) WITH ORDINALITY AS l(c, n))
                      ELSE to_jsonb(categories) END AS list,
                 y.oid = ANY (ARRAY['text', 'varchar', 'bpchar']::regtype[]::oid[]) AS text,
                 y.typtype = 'e' OR y.oid = ANY (ARRAY['uuid', 'boolean']::regtype[]::oid[]) AS listed,
                 y.oid = ANY (ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric', 'date',
                                    'timestamp', 'timestamptz', 'interval']::regtype[]::oid[]) AS known
          FROM pg_type y WHERE y.oid = dpmix_internal.base_type(type)) s;
    END;
COMMENT ON FUNCTION dpmix_internal.stated_domain(oid, float8, float8, boolean, text[], boolean, name, text[], float8[],
                                                 float8[]) IS
    'what is declared of a column, in the terms of the document of dpmix.declare()';

CREATE VIEW dpmix_internal.owned_table AS
    SELECT t.id, t.relation, t.account, t.population, n.nspname AS schema_name,
           format('%I.%I', n.nspname, c.relname) AS name, t.active
    FROM dpmix_internal.seen_table t
    JOIN pg_catalog.pg_class c ON c.oid = t.relation::oid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE t.owned AND t.active
    UNION ALL  -- vacant names, for what was said of them stays
    SELECT v.id, 0::oid::regclass, v.account, v.population, v.schema_name, v.name, true
    FROM dpmix_internal.vacant_name v WHERE v.owned;
COMMENT ON VIEW dpmix_internal.owned_table IS
    'protected tables that the viewer owns; relation 0: the name is vacant, and waits for one';

CREATE VIEW dpmix_internal.stated_protection AS
    SELECT t.id, t.schema_name, t.name AS relation, jsonb_strip_nulls(jsonb_build_object(
               'epsilon', b.epsilon, 'delta', b.delta,
               'accountant', CASE WHEN t.population IS NULL THEN p.accountant END, 'population', t.population,
               'privacy_unit', p.privacy_unit,
               'max_rows_per_unit', CASE WHEN num_nonnulls(p.privacy_unit, p.unit_through) > 0
                                         THEN p.max_rows_per_unit END,
               'adjacency', p.adjacency, 'label', p.label,
               'unit_through', u.name, 'link', to_jsonb(p.link), 'target_key', to_jsonb(p.target_key),
               'guard_unit', nullif(p.guard_unit, false), 'strict', nullif(p.strict, false),
               'blocks', k.column_name, 'width', CASE WHEN t.population IS NULL THEN k.width END,
               'blocks_from', CASE WHEN t.population IS NULL THEN k.blocks_from END,
               'weak_budget', nullif(b.weak, false))) AS arguments
    FROM dpmix_internal.owned_table t
    CROSS JOIN LATERAL (SELECT * FROM dpmix.protected_table r WHERE r.id = t.id OFFSET 0) p
    LEFT JOIN LATERAL (SELECT h.epsilon, h.delta, h.weak FROM dpmix.budget_change h
                       WHERE h.table_id = t.account AND t.population IS NULL ORDER BY h.id DESC LIMIT 1) b ON true
    LEFT JOIN LATERAL (SELECT format('%I.%I', r.schema_name, r.table_name) AS name
                       FROM dpmix.protected_table r WHERE r.id = p.unit_through OFFSET 0) u ON true
    LEFT JOIN LATERAL (
        SELECT c.column_name,
               CASE WHEN c.width < 0 THEN (-c.width * interval '1 month')::text
                    WHEN c.in_order_of = 'date' THEN format('%s days', c.width)
                    WHEN c.in_order_of LIKE 'timestamp%' THEN justify_hours(c.width * interval '1 microsecond')::text
                    WHEN c.in_order_of IS NOT NULL THEN c.width::text END AS width,
               CASE WHEN c.in_order_of = 'date' THEN (date '2000-01-01' + c.first_value::int)::text
                    WHEN c.in_order_of LIKE 'timestamp%'
                    THEN (timestamp '2000-01-01' + c.first_value * interval '1 microsecond')::text
                    WHEN c.in_order_of IS NOT NULL THEN c.first_value::text END AS blocks_from
        FROM dpmix.block_column c WHERE c.table_id = t.id OFFSET 0) k ON true;
COMMENT ON VIEW dpmix_internal.stated_protection IS 'the arguments of dpmix.protect() for each table of the viewer';

CREATE FUNCTION dpmix_internal.stated_grant(epsilon numeric, share numeric, min_epsilon numeric,
                                            max_charges_per_minute integer) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT jsonb_strip_nulls(jsonb_build_object('epsilon', epsilon, 'share', share,
                                                'min_epsilon', nullif(min_epsilon, 0.0001)))
           || CASE WHEN max_charges_per_minute = 600 THEN '{}'
                   ELSE jsonb_build_object('max_charges_per_minute', max_charges_per_minute) END;
    END;
COMMENT ON FUNCTION dpmix_internal.stated_grant(numeric, numeric, numeric, integer) IS
    'the arguments of dpmix.grant_access(), without those at their default';

CREATE FUNCTION dpmix_internal.stated_facade(f dpmix.facade) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT jsonb_strip_nulls(jsonb_build_object(
               'default_epsilon', f.default_epsilon, 'default_delta', f.default_delta,
               'max_epsilon_per_query', f.max_epsilon_per_query, 'comments', nullif(f.comments, false),
               'rows', nullif(f.rows, 'empty'), 'rows_from', CASE WHEN f.rows_name IS NOT NULL THEN format('%I.%I', f.rows_schema, f.rows_name) END,
               'intervals', CASE WHEN obj_description(f.view, 'pg_class') LIKE 'dpmix: %' THEN true END));
    END;
COMMENT ON FUNCTION dpmix_internal.stated_facade(dpmix.facade) IS 'the arguments of dpmix.expose()';

-- Of views nothing is on record but their names: whose they are is who has the view of that name.
CREATE VIEW dpmix_internal.owned_view AS
    SELECT c.oid, n.nspname AS schema_name, c.relname AS view_name, format('%I.%I', n.nspname, c.relname) AS name
    FROM (SELECT of_schema AS schema_name, of_view AS view_name FROM dpmix.facade WHERE of_view IS NOT NULL
          UNION SELECT schema_name, view_name FROM dpmix.view_column) v
    JOIN pg_catalog.pg_namespace n ON n.nspname = v.schema_name
    JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = v.view_name AND c.relkind = 'v'
    WHERE pg_catalog.pg_has_role(dpmix_internal.viewer(), c.relowner, 'USAGE');
COMMENT ON VIEW dpmix_internal.owned_view IS 'views of the viewer that have facades, or declared columns';

CREATE VIEW dpmix_internal.stated_access AS
    SELECT t.schema_name, t.name AS relation, 'grant_access' AS function, g.rolname::text AS name,
           dpmix_internal.stated_grant(g.epsilon, g.share, g.min_epsilon, g.max_charges_per_minute) AS arguments
    FROM dpmix_internal.owned_table t
    CROSS JOIN LATERAL (SELECT DISTINCT ON (k.rolname) k.* FROM dpmix_internal.known_grant k
                        WHERE k.table_id = t.id AND NOT k.confined ORDER BY k.rolname, k.role) g
    UNION ALL
    SELECT views.* FROM (  -- on views, by the terms of the tables below
    SELECT DISTINCT ON (v.schema_name, v.view_name, g.rolname)
           v.schema_name, format('%I.%I', v.schema_name, v.view_name), 'grant_access', g.rolname::text,
           dpmix_internal.stated_grant(g.epsilon, g.share, g.min_epsilon, g.max_charges_per_minute)
    FROM dpmix_internal.owned_table t
    CROSS JOIN LATERAL (SELECT * FROM dpmix.granted_view o WHERE o.table_id = t.id OFFSET 0) v
    JOIN pg_catalog.pg_namespace n ON n.nspname = v.schema_name
    JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = v.view_name AND c.relkind = 'v'
    JOIN dpmix_internal.known_grant g ON g.table_id = v.table_id AND g.role = v.role AND g.confined
    ORDER BY v.schema_name, v.view_name, g.rolname, t.id
    ) views
    UNION ALL
    SELECT DISTINCT t.schema_name, t.name, 'grant_audit', b.rolname::text, jsonb '{}'
    FROM dpmix_internal.owned_table t
    CROSS JOIN LATERAL (SELECT * FROM dpmix.auditor o WHERE o.table_id = t.id OFFSET 0) a
    JOIN dpmix_internal.bound_role b ON b.number = a.role
    UNION ALL
    SELECT t.schema_name, t.name, 'expose', format('%I.%I', n.nspname, c.relname), dpmix_internal.stated_facade(f)
    FROM dpmix_internal.owned_table t
    CROSS JOIN LATERAL (SELECT * FROM dpmix.facade o WHERE o.table_id = t.id OFFSET 0) f
    JOIN pg_catalog.pg_class c ON c.oid = f.view AND c.relname = f.view_name
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = f.schema_name
    UNION ALL
    SELECT w.schema_name, w.name, 'expose', format('%I.%I', n.nspname, c.relname), dpmix_internal.stated_facade(f)
    FROM dpmix_internal.owned_view w
    JOIN dpmix.facade f ON f.of_schema = w.schema_name AND f.of_view = w.view_name
    JOIN pg_catalog.pg_class c ON c.oid = f.view AND c.relname = f.view_name
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = f.schema_name;
COMMENT ON VIEW dpmix_internal.stated_access IS
    'who may ask, who may look, and through which facades, of tables of the viewer';

CREATE VIEW dpmix_internal.stated_columns AS
    SELECT t.schema_name, t.name AS relation, e.function, a.attname::text AS name, e.arguments
    FROM dpmix_internal.owned_table t
    CROSS JOIN LATERAL (
        SELECT a.attrelid, a.attname, a.attnum, a.atttypid FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = t.relation::oid AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 0, o.column_name, o.attnum, to_regtype(p.column_types ->> o.column_name::text)
        FROM dpmix.column_domain o JOIN dpmix.protected_table p ON p.id = o.table_id
        WHERE t.relation::oid = 0 AND o.table_id = t.id
        OFFSET 0) a
    LEFT JOIN LATERAL (SELECT * FROM dpmix.column_domain o WHERE o.table_id = t.id AND o.column_name = a.attname
                       OFFSET 0) d ON d.attnum = a.attnum
    CROSS JOIN LATERAL (
        SELECT 'declare' AS function,
               CASE WHEN num_nonnulls(d.at_least, d.sum_of, d.present_with) = 0 THEN s.domain
                    ELSE CASE WHEN num_nonnulls(d.lower, d.categories) = 0 THEN '{}'
                              WHEN jsonb_typeof(s.domain) = 'object' THEN s.domain
                              ELSE jsonb_build_object(CASE WHEN d.lower IS NULL THEN 'categories' ELSE 'bounds' END,
                                                      s.domain) END
                         || jsonb_strip_nulls(jsonb_build_object('at_least', d.at_least, 'sum_of', to_jsonb(d.sum_of),
                                                                 'present_with', d.present_with)) END AS arguments
        FROM (SELECT dpmix_internal.stated_domain(a.atttypid, d.lower, d.upper, d.nan_is_middle, d.categories,
                                                  d.other IS NOT NULL, d.by_column, d.by_category, d.by_lower,
                                                  d.by_upper) AS domain) s
        WHERE num_nonnulls(d.lower, d.categories, d.at_least, d.sum_of, d.present_with) > 0
        UNION ALL
        SELECT 'set_time_quantum', to_jsonb(justify_hours(d.quantum * interval '1 microsecond')::text)
        WHERE d.quantum IS NOT NULL
        UNION ALL
        SELECT 'comments', to_jsonb(col_description(a.attrelid, a.attnum))
        WHERE col_description(a.attrelid, a.attnum) IS NOT NULL) e
    UNION ALL
    SELECT w.schema_name, w.name, 'declare', v.column_name::text,
           dpmix_internal.stated_domain(a.atttypid, v.lower, v.upper, false, v.categories, v.other IS NOT NULL, NULL, NULL,
                                        NULL, NULL)
    FROM dpmix_internal.owned_view w
    JOIN dpmix.view_column v ON v.schema_name = w.schema_name AND v.view_name = w.view_name
    JOIN pg_catalog.pg_attribute a ON a.attrelid = w.oid AND a.attname = v.column_name AND a.attnum > 0;
COMMENT ON VIEW dpmix_internal.stated_columns IS 'what is stated of columns, and their comments, of tables of the viewer';

CREATE VIEW dpmix_internal.stated_schedule AS
    SELECT ARRAY(SELECT r.schema_name FROM dpmix.protected_table r WHERE r.id = ANY (s.table_ids)) AS schemas,
           s.name, s.active, jsonb_build_object(
               'call', s.call, 'period', s.period::text, 'start', s.start::text,
               'TimeZone', s.time_zone, 'search_path', s.search_path, 'DateStyle', s.date_style)
           || jsonb_strip_nulls(jsonb_build_object(
               'result_table', CASE WHEN s.result_table IS NOT NULL
                                    THEN format('%I.%I', s.result_schema, s.result_table) END,
               'grant_to', g.roles, 'latest', v.name)) AS arguments
    FROM dpmix.schedule s
    LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = s.result_schema
    LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = s.result_table
    LEFT JOIN LATERAL (
        SELECT jsonb_agg(r.rolname ORDER BY r.rolname) AS roles
        FROM aclexplode(c.relacl) a JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
        WHERE a.privilege_type = 'SELECT' AND a.grantee <> c.relowner) g ON true
    LEFT JOIN LATERAL (  -- as create_schedule() writes it
        SELECT format('%I.%I', vn.nspname, w.relname) AS name
        FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite y ON y.oid = d.objid
        JOIN pg_catalog.pg_class w ON w.oid = y.ev_class AND w.relkind = 'v' AND w.relowner = c.relowner
        JOIN pg_catalog.pg_namespace vn ON vn.oid = w.relnamespace
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
          AND pg_get_viewdef(w.oid) ~ 'WHERE \(\w*\.?due = \( SELECT max\(r\.due\) AS max'
        ORDER BY w.oid LIMIT 1) v ON true
    WHERE s.owner = ANY (ARRAY(SELECT b.number FROM dpmix_internal.bound_role b WHERE b.oid = dpmix_internal.viewer()));
COMMENT ON VIEW dpmix_internal.stated_schedule IS
    'the arguments of dpmix.create_schedule() for each schedule of the viewer itself';

-- schemas: of which tables an entry speaks. function record: no entry, but the budget of what is not protected now.
CREATE VIEW dpmix_internal.policy_entry AS
    SELECT ARRAY(SELECT t.schema_name FROM dpmix_internal.owned_table t WHERE t.account = q.id) AS schemas,
           NULL::text AS relation, 'create_population' AS function, q.name::text AS name,
           jsonb_strip_nulls(jsonb_build_object('epsilon', b.epsilon, 'delta', b.delta, 'accountant', q.accountant,
                                                'unit_type', q.unit_type::text,
                                                'weak_budget', nullif(b.weak, false),
                                                'width', dpmix_internal.width_text(q.width), 'blocks_from',
                                                (timestamp '2000-01-01' + q.first_value * interval '1 microsecond')::text)) AS arguments
    FROM dpmix.population q
    CROSS JOIN LATERAL (SELECT h.epsilon, h.delta, h.weak FROM dpmix.budget_change h WHERE h.table_id = q.id
                        ORDER BY h.id DESC LIMIT 1) b
    WHERE q.id = ANY (ARRAY(
        SELECT o.id FROM dpmix.population o
        WHERE o.owner = ANY (ARRAY(SELECT x.number FROM dpmix_internal.own_number x))
        UNION ALL SELECT t.account FROM dpmix_internal.owned_table t
        UNION ALL SELECT o.id FROM dpmix.population o WHERE dpmix_internal.viewer_is_superuser()))
    UNION ALL
    SELECT ARRAY[p.schema_name], p.relation, 'protect', NULL, p.arguments FROM dpmix_internal.stated_protection p
    UNION ALL
    SELECT ARRAY[c.schema_name], c.relation, c.function, c.name, c.arguments FROM dpmix_internal.stated_columns c
    UNION ALL
    SELECT ARRAY[t.schema_name], t.name, 'set_memory', NULL, jsonb_strip_nulls(jsonb_build_object(
               'keep', justify_hours(m.keep_seconds * interval '1 second')::text, 'scope', nullif(m.scope, 'grant')))
    FROM dpmix_internal.owned_table t
    CROSS JOIN LATERAL (SELECT * FROM dpmix.memory_terms r WHERE r.table_id = t.id OFFSET 0) m
    WHERE m.keep_seconds IS NOT NULL OR m.scope <> 'grant'
    UNION ALL
    SELECT ARRAY[a.schema_name], a.relation, a.function, a.name, a.arguments FROM dpmix_internal.stated_access a
    UNION ALL
    SELECT ARRAY[t.schema_name], t.name, 'comment', NULL, to_jsonb(obj_description(t.relation::oid, 'pg_class'))
    FROM dpmix_internal.owned_table t WHERE obj_description(t.relation::oid, 'pg_class') IS NOT NULL
    UNION ALL
    SELECT ARRAY[n.nspname], NULL, 'declare_public', format('%I.%I', n.nspname, c.relname), jsonb '{}'
    FROM dpmix.public_table p
    JOIN pg_catalog.pg_class c ON c.oid = p.relation AND c.relname = p.table_name
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name
    WHERE pg_catalog.pg_has_role(dpmix_internal.viewer(), c.relowner, 'USAGE')
    UNION ALL
    SELECT s.schemas, NULL, 'create_schedule', s.name, s.arguments FROM dpmix_internal.stated_schedule s
    UNION ALL
    SELECT s.schemas, NULL, 'set_schedule_active', s.name, jsonb 'false'
    FROM dpmix_internal.stated_schedule s WHERE NOT s.active
    UNION ALL
    SELECT ARRAY[p.schema_name], format('%I.%I', p.schema_name, p.table_name), 'record', NULL,
           jsonb_build_object('epsilon', b.epsilon, 'delta', b.delta)
    FROM dpmix.protected_table p
    CROSS JOIN LATERAL (SELECT h.epsilon, h.delta FROM dpmix.budget_change h WHERE h.table_id = coalesce(p.account, p.id)
                        ORDER BY h.id DESC LIMIT 1) b
    WHERE NOT p.active AND NOT p.waiting
      AND (p.owner = ANY (ARRAY(SELECT x.number FROM dpmix_internal.own_number x))
           OR dpmix_internal.viewer_is_superuser());
COMMENT ON VIEW dpmix_internal.policy_entry IS
    'what the viewer stated of what it owns, a row for each call that would state it';
CREATE FUNCTION dpmix_internal.policy_entries() RETURNS SETOF dpmix_internal.policy_entry
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 100 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.policy_entries() IS 'rows of dpmix_internal.policy_entry';

-- Names of tables of the schema itself go without it.
CREATE FUNCTION dpmix_internal.policy_document(schema name) RETURNS jsonb
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH entry AS MATERIALIZED (
        SELECT CASE WHEN starts_with(e.relation, s.prefix) THEN substr(e.relation, s.cut) ELSE e.relation END AS relation,
               e.function,
               CASE WHEN e.function = 'declare_public' AND starts_with(e.name, s.prefix) THEN substr(e.name, s.cut)
                    ELSE e.name END AS name,
               CASE WHEN e.function = 'protect' AND starts_with(e.arguments ->> 'unit_through', s.prefix)
                    THEN e.arguments || jsonb_build_object('unit_through', substr(e.arguments ->> 'unit_through', s.cut))
                    ELSE e.arguments END AS arguments
        FROM dpmix_internal.policy_entries() e
        CROSS JOIN (SELECT quote_ident(policy_document.schema) || '.' AS prefix,
                           length(quote_ident(policy_document.schema)) + 2 AS cut) s
        WHERE e.function <> 'record' AND (policy_document.schema IS NULL OR policy_document.schema = ANY (e.schemas))),
    said AS (
        SELECT e.relation, e.function,
               CASE WHEN e.function IN ('declare_public', 'grant_audit') THEN jsonb_agg(e.name ORDER BY e.name)
                    WHEN bool_and(e.name IS NULL) THEN (array_agg(e.arguments))[1]
                    ELSE jsonb_object_agg(e.name, e.arguments) FILTER (WHERE e.name IS NOT NULL) END AS stated
        FROM entry e GROUP BY 1, 2),
    tables AS (SELECT jsonb_object_agg(t.relation, t.stated) AS stated
               FROM (SELECT s.relation, jsonb_object_agg(s.function, s.stated) AS stated FROM said s
                     WHERE s.relation IS NOT NULL GROUP BY 1) t)
    SELECT jsonb_strip_nulls(jsonb_build_object('schema', policy_document.schema))
           || coalesce((SELECT jsonb_object_agg(s.function, s.stated) FROM said s WHERE s.relation IS NULL), '{}')
           || CASE WHEN t.stated IS NULL THEN '{}' ELSE jsonb_build_object('tables', t.stated) END
    FROM tables t;
    END;
COMMENT ON FUNCTION dpmix_internal.policy_document(name) IS
    'what dpmix.policy() returns; of a session with settings of its own';

CREATE FUNCTION dpmix.policy(schema regnamespace DEFAULT NULL) RETURNS jsonb
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC'
    SET intervalstyle = 'postgres' SET jit = off
    BEGIN ATOMIC
    SELECT dpmix_internal.policy_document((SELECT n.nspname FROM pg_namespace n WHERE n.oid = policy.schema));
    END;
COMMENT ON FUNCTION dpmix.policy(regnamespace) IS
    E'all that the caller declared as an owner, as one document for dpmix.apply() and for git. It is read from the catalog: '
    'nothing is charged, and no row is read. The same policy is always the same text. Its keys are the names of functions '
    'and of their arguments. Under tables, for each table: protect, declare, set_time_quantum, set_memory, expose, '
    'grant_access and grant_audit, and its comments; for each view over them: declare, expose and grant_access. Beside tables: create_population, declare_public, create_schedule (of '
    'the caller itself) and set_schedule_active. Times are in UTC. Charges, releases and running totals are no policy.\n'
    'schema: whose tables; their names are then without it. NULL: all tables that the caller owns\n'
    'See also: dpmix.apply, docs/guide/policy.md.';
