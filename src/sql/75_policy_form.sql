-- What a document says, entry by entry, and where it is no policy of this database.

-- NULL: it cannot be read.
CREATE FUNCTION dpmix_internal.policy_name(name text, schema text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parts text[];
BEGIN
    parts := parse_ident(policy_name.name);
    RETURN CASE cardinality(parts) WHEN 1 THEN format('%I.%I', nullif(policy_name.schema, ''), parts[1])
                                   WHEN 2 THEN format('%I.%I', parts[1], parts[2]) END;
EXCEPTION WHEN data_exception OR syntax_error THEN
    RETURN NULL;
END $$;
COMMENT ON FUNCTION dpmix_internal.policy_name(text, text) IS
    'a name of a policy, qualified; one without a schema is of this one';

-- kind: span or place, of blocks.
CREATE FUNCTION dpmix_internal.is_same_extent(kind text, one text, other text) RETURNS boolean
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    BEGIN
        RETURN one::numeric = other::numeric;
    EXCEPTION WHEN data_exception THEN
        RETURN CASE kind WHEN 'span' THEN one::interval = other::interval ELSE one::timestamptz = other::timestamptz END;
    END;
EXCEPTION WHEN data_exception THEN
    RETURN false;
END $$;
COMMENT ON FUNCTION dpmix_internal.is_same_extent(text, text, text) IS
    'whether two texts say the same width, or the same first value, of blocks';

CREATE FUNCTION dpmix_internal.policy_arguments(arguments jsonb, without text[] DEFAULT '{}') RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT coalesce(string_agg(format(', %I => %L', a.key, CASE jsonb_typeof(a.value)
               WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(a.value))::text
               WHEN 'object' THEN a.value::text ELSE a.value #>> '{}' END), '' ORDER BY a.key), '')
    FROM jsonb_each(policy_arguments.arguments) a WHERE a.key <> ALL (policy_arguments.without);
    END;
COMMENT ON FUNCTION dpmix_internal.policy_arguments(jsonb, text[]) IS 'arguments by name, as the end of a call has them';

-- What a policy states, in the form of dpmix_internal.policy_entry. A row of table says that the policy has the table,
-- one of declare without a name that there is such a document; false of protect, that there is to be no protection.
CREATE FUNCTION dpmix_internal.policy_stated(policy jsonb)
    RETURNS TABLE (relation text, function text, name text, arguments jsonb)
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT NULL, g.function, e.key, e.value
    FROM (VALUES ('create_population'), ('create_schedule'), ('set_schedule_active')) AS g(function)
    CROSS JOIN LATERAL jsonb_each(policy -> g.function) e
    UNION ALL
    SELECT NULL, 'declare_public', coalesce(dpmix_internal.policy_name(p.name, policy ->> 'schema'), p.name), '{}'
    FROM jsonb_array_elements_text(policy -> 'declare_public') AS p(name)
    UNION ALL
    SELECT coalesce(dpmix_internal.policy_name(t.key, policy ->> 'schema'), t.key), 'table', NULL, '{}'
    FROM jsonb_each(policy -> 'tables') t
    UNION ALL
    SELECT coalesce(dpmix_internal.policy_name(t.key, policy ->> 'schema'), t.key), f.key,
           CASE WHEN f.key = 'expose' THEN coalesce(dpmix_internal.policy_name(e.key, 'private'), e.key) ELSE e.key END,
           CASE WHEN f.key = 'protect' AND e.value ->> 'unit_through' IS NOT NULL
                THEN e.value || jsonb_build_object('unit_through', coalesce(dpmix_internal.policy_name(
                         e.value ->> 'unit_through', policy ->> 'schema'), e.value ->> 'unit_through'))
                ELSE e.value END
    FROM jsonb_each(policy -> 'tables') t
    CROSS JOIN LATERAL jsonb_each(t.value) f
    CROSS JOIN LATERAL (
        SELECT NULL AS key, coalesce(nullif(f.value, 'null'), 'false') AS value
        WHERE f.key IN ('protect', 'set_memory', 'comment')
        UNION ALL
        SELECT NULL, '{}' WHERE f.key = 'declare'
        UNION ALL
        SELECT n.key, n.value
        FROM jsonb_each(CASE WHEN f.key IN ('declare', 'set_time_quantum', 'expose', 'grant_access', 'comments')
                             THEN f.value ELSE '{}' END) n
        UNION ALL
        SELECT r.role, '{}'
        FROM jsonb_array_elements_text(CASE WHEN f.key = 'grant_audit' THEN f.value ELSE '[]' END) AS r(role)) e;
    END;
COMMENT ON FUNCTION dpmix_internal.policy_stated(jsonb) IS 'the entries of a policy, with names that have a schema';

-- What is no policy -------------------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.policy_misspelt(policy jsonb) RETURNS SETOF text
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH form(place, key, type) AS (
        VALUES ('top', 'schema', 'string'), ('top', 'tables', 'object'), ('top', 'create_population', 'object'),
               ('top', 'declare_public', 'array'), ('top', 'create_schedule', 'object'),
               ('top', 'set_schedule_active', 'object'), ('table', 'protect', 'object'), ('table', 'declare', 'object'),
               ('table', 'set_time_quantum', 'object'), ('table', 'set_memory', 'object'), ('table', 'expose', 'object'),
               ('table', 'grant_access', 'object'), ('table', 'grant_audit', 'array'), ('table', 'comment', 'string'),
               ('table', 'comments', 'object')),
    of_table AS (
        SELECT t.key AS relation, f.key, f.value
        FROM jsonb_each(CASE WHEN jsonb_typeof(policy -> 'tables') = 'object' THEN policy -> 'tables' ELSE '{}' END) t
        CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(t.value) = 'object' THEN t.value ELSE '{}' END) f),
    said AS (
        SELECT 'top' AS place, NULL AS relation, p.key, p.value FROM jsonb_each(policy) p
        UNION ALL SELECT 'table', o.relation, o.key, o.value FROM of_table o),
    call AS (  -- of functions whose other arguments have names
        SELECT concat_ws(' ', s.relation, s.key) AS what, s.key AS function, s.value AS arguments FROM said s
        WHERE s.key IN ('protect', 'set_memory')
        UNION ALL
        SELECT concat_ws(' ', s.relation, s.key, e.key), s.key, e.value FROM said s
        CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(s.value) = 'object' THEN s.value ELSE '{}' END) e
        WHERE s.key IN ('create_population', 'create_schedule', 'expose', 'grant_access'))
    SELECT format('%s is no key of %s', s.key, coalesce(s.relation, 'a policy')) FROM said s
    WHERE NOT EXISTS (SELECT FROM form f WHERE f.place = s.place AND f.key = s.key)
    UNION ALL
    SELECT format('%s is no %s', concat_ws(' ', s.relation, s.key), f.type) FROM said s
    JOIN form f ON f.place = s.place AND f.key = s.key
    WHERE jsonb_typeof(s.value) <> f.type AND NOT (s.key = 'protect' AND jsonb_typeof(s.value) = 'null')
    UNION ALL
    SELECT format('tables %s is no object', t.key)
    FROM jsonb_each(CASE WHEN jsonb_typeof(policy -> 'tables') = 'object' THEN policy -> 'tables' ELSE '{}' END) t
    WHERE jsonb_typeof(t.value) <> 'object'
    UNION ALL
    SELECT format('%s is protected no more, and has other entries', o.relation) FROM of_table o
    WHERE jsonb_typeof(o.value) = 'null' AND o.key = 'protect'
      AND EXISTS (SELECT FROM of_table x WHERE x.relation = o.relation AND x.key <> 'protect')
    UNION ALL
    SELECT format('%s is no object', c.what) FROM call c
    WHERE jsonb_typeof(c.arguments) <> 'object' AND c.function NOT IN ('protect', 'set_memory')
    UNION ALL
    SELECT format('%s has no argument %s', c.what, a.key) FROM call c
    CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(c.arguments) = 'object' THEN c.arguments ELSE '{}' END) a
    WHERE a.key IN ('relation', 'role', 'view', 'name', 'replace')
       OR NOT (c.function = 'create_schedule' AND a.key IN ('TimeZone', 'search_path', 'DateStyle'))
          AND NOT EXISTS (SELECT FROM pg_proc p
                          WHERE p.pronamespace = 'dpmix'::regnamespace AND p.proname = c.function
                            AND a.key = ANY (p.proargnames[1:p.pronargs]))
    UNION ALL
    SELECT format('%s is no name of a table%s', n.name, CASE WHEN policy ? 'schema' THEN '' ELSE ' with its schema' END)
    FROM (SELECT jsonb_object_keys(policy -> 'tables') AS name WHERE jsonb_typeof(policy -> 'tables') = 'object'
          UNION SELECT o.value ->> 'unit_through' FROM of_table o WHERE o.key = 'protect'
          UNION SELECT p.name FROM jsonb_array_elements_text(
                    CASE WHEN jsonb_typeof(policy -> 'declare_public') = 'array' THEN policy -> 'declare_public'
                         ELSE '[]' END) AS p(name)) n
    WHERE n.name IS NOT NULL AND dpmix_internal.policy_name(n.name, policy ->> 'schema') IS NULL
    UNION ALL
    SELECT format('%s is there twice', dpmix_internal.policy_name(o.relation, policy ->> 'schema')) FROM of_table o
    GROUP BY dpmix_internal.policy_name(o.relation, policy ->> 'schema') HAVING count(DISTINCT o.relation) > 1;
    END;
COMMENT ON FUNCTION dpmix_internal.policy_misspelt(jsonb) IS 'what of a document is no policy, in words';

CREATE FUNCTION dpmix_internal.policy_missing(stated jsonb) RETURNS SETOF text
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH entry AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(stated) AS e(relation text, function text, name text, arguments jsonb))
    SELECT 'table ' || t.name
    FROM (SELECT e.relation AS name FROM entry e
          UNION SELECT e.arguments ->> 'unit_through' FROM entry e WHERE e.function = 'protect'
          UNION SELECT e.name FROM entry e WHERE e.function = 'declare_public'
          OFFSET 0) t  -- to_regclass() fails on what is no name
    WHERE t.name IS NOT NULL AND to_regclass(t.name) IS NULL
      AND NOT EXISTS (SELECT FROM dpmix_internal.vacant_names() v WHERE v.owned AND v.name = t.name)
    UNION ALL
    SELECT 'role ' || quote_ident(r.name)
    FROM (SELECT e.name FROM entry e WHERE e.function IN ('grant_access', 'grant_audit')
          UNION SELECT jsonb_array_elements_text(e.arguments -> 'grant_to') FROM entry e
                WHERE e.function = 'create_schedule' AND jsonb_typeof(e.arguments -> 'grant_to') = 'array') r
    WHERE NOT EXISTS (SELECT FROM pg_roles o WHERE o.rolname = r.name)
    ORDER BY 1;
    END;
COMMENT ON FUNCTION dpmix_internal.policy_missing(jsonb) IS 'tables and roles of a policy that are not in this database';

-- What stays as it is while there is a protection, and where a policy says something else.
CREATE FUNCTION dpmix_internal.policy_fixed(stated jsonb, present jsonb) RETURNS SETOF text
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH want AS (SELECT * FROM jsonb_to_recordset(stated) AS e(relation text, function text, name text, arguments jsonb)),
    have AS (SELECT * FROM jsonb_to_recordset(present) AS e(relation text, function text, name text, arguments jsonb)),
    pair AS (
        SELECT w.relation, w.arguments AS want, h.arguments AS have,
               coalesce(h.arguments ->> 'width', '') ~ '^[0-9]+$' AS numbered,
               (SELECT q.arguments ->> 'accountant' FROM have q
                WHERE q.function = 'create_population' AND q.name = h.arguments ->> 'population') AS shared
        FROM want w JOIN have h ON h.relation = w.relation AND h.function = 'protect'
        WHERE w.function = 'protect' AND jsonb_typeof(w.arguments) = 'object'),
    term AS (
        SELECT p.relation, t.*
        FROM pair p CROSS JOIN LATERAL (VALUES
            ('accountant', coalesce(p.want ->> 'accountant', p.shared, 'renyi'),
             coalesce(p.shared, p.have ->> 'accountant')),
            ('population', p.want ->> 'population',
             coalesce(p.have ->> 'population', p.want ->> 'population')),
            ('privacy_unit', p.want ->> 'privacy_unit', p.have ->> 'privacy_unit'),
            ('adjacency', coalesce(p.want ->> 'adjacency', 'add_remove'), p.have ->> 'adjacency'),
            ('label', p.want ->> 'label', p.have ->> 'label'),
            ('strict', coalesce(p.want ->> 'strict', 'false'), coalesce(p.have ->> 'strict', 'false')),
            ('guard_unit', coalesce(p.want ->> 'guard_unit', 'false'), coalesce(p.have ->> 'guard_unit', 'false')),
            ('unit_through', p.want ->> 'unit_through', p.have ->> 'unit_through'),
            ('link', p.want ->> 'link', p.have ->> 'link'),
            ('target_key', coalesce(p.want ->> 'target_key', p.have ->> 'target_key'), p.have ->> 'target_key'),
            ('blocks', p.want ->> 'blocks', p.have ->> 'blocks'),
            ('width', coalesce(p.want ->> 'width', CASE WHEN p.have ? 'width' AND p.numbered THEN '1'
                                                        WHEN p.have ? 'width' THEN '1 day' END),
             p.have ->> 'width'),
            ('blocks_from', coalesce(p.want ->> 'blocks_from', CASE WHEN p.have ? 'blocks_from' AND p.numbered THEN '0'
                                                                    WHEN p.have ? 'blocks_from' THEN '2000-01-01' END),
             p.have ->> 'blocks_from')) AS t(term, want, have))
    SELECT format('%s of %s: it is %s, and the policy says %s', t.term, t.relation, coalesce(t.have, 'none'),
                  coalesce(t.want, 'none'))
    FROM term t
    WHERE t.want IS DISTINCT FROM t.have
      AND NOT (t.term = 'width' AND coalesce(dpmix_internal.is_same_extent('span', t.want, t.have), false))
      AND NOT (t.term = 'blocks_from' AND coalesce(dpmix_internal.is_same_extent('place', t.want, t.have), false))
    UNION ALL
    SELECT format('%s of population %s: it is %s, and the policy says %s', t.term, w.name, t.have, t.want)
    FROM want w JOIN have h ON h.function = 'create_population' AND h.name = w.name
    CROSS JOIN LATERAL (VALUES
        ('accountant', coalesce(w.arguments ->> 'accountant', 'renyi'), h.arguments ->> 'accountant'),
        ('unit_type', coalesce(to_regtype(w.arguments ->> 'unit_type')::text, h.arguments ->> 'unit_type'),
         h.arguments ->> 'unit_type'),
        ('width', coalesce(w.arguments ->> 'width', 'none'), coalesce(h.arguments ->> 'width', 'none')),
        ('blocks_from', coalesce(w.arguments ->> 'blocks_from', '2000-01-01'),
         coalesce(h.arguments ->> 'blocks_from', w.arguments ->> 'blocks_from', '2000-01-01'))) AS t(term, want, have)
    WHERE w.function = 'create_population' AND t.want <> t.have
      AND NOT (t.term = 'width' AND coalesce(dpmix_internal.is_same_extent('span', t.want, t.have), false))
      AND NOT (t.term = 'blocks_from' AND coalesce(dpmix_internal.is_same_extent('place', t.want, t.have), false));
    END;
COMMENT ON FUNCTION dpmix_internal.policy_fixed(jsonb, jsonb) IS 'where a policy contradicts what never changes, in words';
