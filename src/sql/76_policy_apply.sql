-- A policy becomes true: the steps, what they change, and what must be allowed.

-- place, depth: the order of the steps. settings: those of a schedule.
CREATE FUNCTION dpmix_internal.policy_steps(stated jsonb, present jsonb, of_schema text, prune boolean, reason text)
    RETURNS TABLE (place integer, depth integer, relation text, statement text, settings jsonb)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH RECURSIVE want AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(stated) AS e(relation text, function text, name text, arguments jsonb)),
    have AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(present)
            AS e(schemas text[], relation text, function text, name text, arguments jsonb)),
    -- What is stated, beside what is so: NULL where there is nothing.
    pair AS MATERIALIZED (
        SELECT w.relation, w.function, w.name, w.arguments AS want, h.arguments AS have,
               -- What is stated in the same words needs no call.
               w.arguments IS DISTINCT FROM coalesce(h.arguments, CASE WHEN w.function = 'set_memory'
                                                                       THEN '{}'::jsonb END) AS differs,
               EXISTS (SELECT FROM have p WHERE p.relation = w.relation AND p.function = 'protect') AS protected
        FROM want w LEFT JOIN have h
          ON jsonb_build_array(h.relation, h.function, h.name) = jsonb_build_array(w.relation, w.function, w.name)),
    chain(relation, depth) AS (
        SELECT w.relation, 0 FROM want w
        WHERE w.function = 'protect' AND (w.arguments ->> 'unit_through' IS NULL OR NOT EXISTS (
            SELECT FROM want t WHERE t.function = 'protect' AND t.relation = w.arguments ->> 'unit_through'))
        UNION ALL
        SELECT w.relation, c.depth + 1 FROM chain c
        JOIN want w ON w.function = 'protect' AND w.arguments ->> 'unit_through' = c.relation),
    budget AS (
        SELECT p.*, coalesce(p.want -> 'epsilon', p.have -> 'epsilon') #>> '{}' AS epsilon,
               coalesce(p.want -> 'delta', p.have -> 'delta') #>> '{}' AS delta,
               coalesce(p.want ->> 'weak_budget', 'false')::boolean AS weak
        FROM pair p
        WHERE p.have IS NOT NULL AND p.function IN ('protect', 'create_population')
          AND num_nonnulls(p.want ->> 'population', p.have ->> 'population') = 0
          AND jsonb_typeof(p.want) = 'object'),
    scheduled AS (
        SELECT p.name, p.want, p.have,
               p.have IS NOT NULL AND coalesce(
                   coalesce(p.want - '{period,start,grant_to,periods}'::text[], '{}')
                       IS DISTINCT FROM (
                           SELECT coalesce(jsonb_object_agg(k.key, p.have -> k.key), '{}')
                           FROM jsonb_object_keys(p.want - '{period,start,grant_to,periods}'::text[]) AS k(key))
                   OR (p.want ->> 'period')::interval IS DISTINCT FROM (p.have ->> 'period')::interval
                   OR (p.want ->> 'start')::timestamptz <> (p.have ->> 'start')::timestamptz
                   OR NOT coalesce(p.want -> 'grant_to', '[]') <@ coalesce(p.have -> 'grant_to', '[]'), false) AS again,
               (SELECT a.arguments FROM want a WHERE a.function = 'set_schedule_active' AND a.name = p.name) AS active,
               EXISTS (SELECT FROM have a WHERE a.function = 'set_schedule_active' AND a.name = p.name) AS paused
        FROM pair p WHERE p.function = 'create_schedule')
    SELECT 1, 0, p.relation, format('SELECT FROM dpmix.create_population(%L%s)', p.name,
                                    dpmix_internal.policy_arguments(p.want)), NULL::jsonb
    FROM pair p WHERE p.function = 'create_population' AND p.have IS NULL
    UNION ALL
    SELECT 1, 1, b.relation, format('SELECT FROM dpmix.set_budget(epsilon => %L, delta => %L, reason => %L, weak_budget => %L, %s)',
                                    b.epsilon, b.delta, reason, b.weak,
                                    CASE WHEN b.relation IS NULL THEN format('population => %L', b.name)
                                         ELSE format('relation => %L', b.relation) END), NULL
    FROM budget b
    WHERE b.epsilon::numeric <> (b.have ->> 'epsilon')::numeric OR b.delta::numeric <> (b.have ->> 'delta')::numeric
       OR b.weak <> coalesce(b.have ->> 'weak_budget', 'false')::boolean
    UNION ALL
    SELECT 2, coalesce(c.depth, 1000000), p.relation, CASE
        WHEN p.have IS NULL
        THEN format('SELECT FROM dpmix.protect(%L%s)', p.relation, dpmix_internal.policy_arguments(p.want))
        WHEN p.want ->> 'population' IS NOT NULL AND p.have ->> 'population' IS NULL
        THEN format('SELECT FROM dpmix.join_population(%L, %L)', p.relation, p.want ->> 'population') END, NULL
    FROM pair p LEFT JOIN (SELECT relation, max(depth) AS depth FROM chain GROUP BY 1) c ON c.relation = p.relation
    WHERE p.function = 'protect' AND jsonb_typeof(p.want) = 'object'
    UNION ALL
    SELECT 2, -1, p.relation, format('SELECT FROM dpmix.unprotect(%L)', p.relation), NULL
    FROM pair p WHERE p.function = 'protect' AND p.want = 'false' AND p.have IS NOT NULL
    UNION ALL
    SELECT 3, 0, p.relation, format('SELECT FROM dpmix.set_max_rows_per_unit(%L, %L)', p.relation,
                                    coalesce(p.want ->> 'max_rows_per_unit', '1')), NULL
    FROM pair p
    WHERE p.function = 'protect' AND p.have ? 'max_rows_per_unit' AND jsonb_typeof(p.want) = 'object'
      AND coalesce(p.want ->> 'max_rows_per_unit', '1') <> p.have ->> 'max_rows_per_unit'
    UNION ALL
    SELECT 4, 0, p.name, format('SELECT FROM dpmix.declare_public(%L)', p.name), NULL
    FROM pair p WHERE p.function = 'declare_public' AND p.have IS NULL
    UNION ALL
    SELECT 5, 0, p.relation,
           format('SELECT FROM dpmix.declare(%L, %L)', p.relation,
                  coalesce(jsonb_object_agg(p.name, p.want) FILTER (WHERE p.name IS NOT NULL), '{}')), NULL
    FROM pair p WHERE p.function = 'declare' AND (p.name IS NOT NULL AND p.differs OR NOT p.protected AND NOT EXISTS (
        SELECT FROM pg_class v WHERE v.oid = to_regclass(p.relation) AND v.relkind = 'v'))
    GROUP BY p.relation
    UNION ALL
    SELECT 6, 0, p.relation, format('SELECT FROM dpmix.set_time_quantum(%L, %L, %L)', p.relation, p.name,
                                    p.want #>> '{}'), NULL
    FROM pair p WHERE p.function = 'set_time_quantum' AND p.differs
    UNION ALL
    SELECT 6, 1, p.relation, format('SELECT FROM dpmix.set_memory(%L%s)', p.relation,
                                    dpmix_internal.policy_arguments(p.want)), NULL
    FROM pair p WHERE p.function = 'set_memory' AND p.differs
    UNION ALL
    SELECT 7, 0, p.relation, format('SELECT FROM dpmix.expose(%L, view => %L%s)', p.relation, p.name,
                                    dpmix_internal.policy_arguments(p.want)), NULL
    FROM pair p WHERE p.function = 'expose' AND p.differs
    UNION ALL
    SELECT 8, 0, p.relation, format('SELECT FROM dpmix.grant_access(%L, %L%s)', p.relation, quote_ident(p.name),
                                    dpmix_internal.policy_arguments(p.want)), NULL
    FROM pair p WHERE p.function = 'grant_access' AND p.differs
    UNION ALL
    SELECT 8, 1, p.relation, format('SELECT FROM dpmix.grant_audit(%L, %L)', p.relation, quote_ident(p.name)), NULL
    FROM pair p WHERE p.function = 'grant_audit' AND p.have IS NULL
    UNION ALL
    SELECT 9, 0, p.relation, format('COMMENT ON TABLE %s IS %L', p.relation, p.want #>> '{}'), NULL
    FROM pair p WHERE p.function = 'comment' AND p.differs
    UNION ALL
    SELECT 9, 1, p.relation, format('COMMENT ON COLUMN %s.%I IS %L', p.relation, p.name, p.want #>> '{}'), NULL
    FROM pair p WHERE p.function = 'comments' AND p.differs
    UNION ALL  -- what is absent: of tables that the policy has, and public tables and schedules
    SELECT 10, 0, h.relation, CASE h.function
               WHEN 'grant_access' THEN format('SELECT FROM dpmix.revoke_access(%L, %L)', h.relation, quote_ident(h.name))
               WHEN 'grant_audit' THEN format('SELECT FROM dpmix.revoke_audit(%L, %L)', h.relation, quote_ident(h.name))
               WHEN 'expose' THEN format('SELECT FROM dpmix.hide(%L)', h.name)
               WHEN 'declare_public' THEN format('SELECT FROM dpmix.undeclare_public(%L)', h.name)
               WHEN 'create_schedule' THEN format('SELECT FROM dpmix.drop_schedule(%L)', h.name) END, NULL
    FROM have h
    WHERE prune AND h.function IN ('grant_access', 'grant_audit', 'expose', 'declare_public', 'create_schedule')
      AND CASE WHEN h.relation IS NULL THEN of_schema IS NULL OR of_schema = ANY (h.schemas)
               ELSE EXISTS (SELECT FROM want w WHERE w.relation = h.relation AND (
                       w.function = 'protect' AND jsonb_typeof(w.arguments) = 'object'
                       -- A view is not protected itself.
                       OR w.function = 'table' AND NOT EXISTS (
                           SELECT FROM have p WHERE p.relation = h.relation AND p.function = 'protect'))) END
      AND NOT EXISTS (SELECT FROM want w WHERE jsonb_build_array(w.relation, w.function, w.name)
                                             = jsonb_build_array(h.relation, h.function, h.name))
    UNION ALL
    SELECT 11, 0, NULL, format('SELECT FROM dpmix.drop_schedule(%L)', s.name), NULL FROM scheduled s WHERE s.again
    UNION ALL
    SELECT 11, 1, s.name, format('SELECT FROM dpmix.create_schedule(%L%s)', s.name,
                                 dpmix_internal.policy_arguments(s.want, '{TimeZone,search_path,DateStyle}')),
           jsonb_strip_nulls(jsonb_build_object('TimeZone', s.want -> 'TimeZone', 'search_path', s.want -> 'search_path',
                                                'DateStyle', s.want -> 'DateStyle'))
    FROM scheduled s WHERE s.have IS NULL OR s.again
    UNION ALL
    SELECT 11, 2, s.name, format('SELECT FROM dpmix.set_schedule_active(%L, %L)', s.name,
                                 coalesce(s.active, 'false') #>> '{}'), NULL
    FROM scheduled s
    WHERE s.active = 'true' AND s.paused AND NOT s.again
       OR (s.have IS NULL OR s.again) AND coalesce(s.active, CASE WHEN s.paused THEN jsonb 'false' END) = 'false'
       OR s.have IS NOT NULL AND NOT s.again AND s.active = 'false' AND NOT s.paused
    UNION ALL  -- of a schedule that is not stated otherwise
    SELECT 11, 3, p.name, format('SELECT FROM dpmix.set_schedule_active(%L, %L)', p.name, p.want #>> '{}'), NULL
    FROM pair p
    WHERE p.function = 'set_schedule_active' AND (p.want = 'false') <> (p.have IS NOT NULL)
      AND NOT EXISTS (SELECT FROM scheduled s WHERE s.name = p.name);
    END;
COMMENT ON FUNCTION dpmix_internal.policy_steps(jsonb, jsonb, text, boolean, text) IS
    'the calls that make a policy true';

-- NULL: nothing. key: of the argument that changes; NULL: all of the entry. began: the table has its first protection
-- here. recorded: the budget of its record, while it was not protected. rows: of the table, as ANALYZE counted.
CREATE FUNCTION dpmix_internal.policy_needs(function text, key text, was jsonb, is_now jsonb, began boolean,
                                            recorded jsonb, rows float8)
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT CASE
        WHEN function = 'protect' AND is_now IS NULL AND key IS NULL THEN 'protection'
        -- Charges go on where they ended: under no larger budget. Above epsilon 20, or with a delta at which somebody's
        -- rows may come out, a budget protects nobody.
        WHEN function IN ('protect', 'create_population') AND was IS NULL AND key IS NULL
             THEN CASE WHEN (is_now ->> 'epsilon')::numeric > least((recorded ->> 'epsilon')::numeric, 20)
                         OR (is_now ->> 'delta')::float8 > least((recorded ->> 'delta')::float8, 1 / rows) THEN 'budget' END
        WHEN function IN ('protect', 'create_population') AND key IN ('epsilon', 'delta')
             THEN CASE WHEN (is_now #>> '{}')::numeric > (was #>> '{}')::numeric THEN 'budget' END
        WHEN function = 'protect' AND key = 'population' THEN 'budget'
        WHEN function IN ('grant_access', 'grant_audit') AND key IS NULL
             THEN CASE WHEN was IS NULL AND NOT began THEN 'grants' END
        WHEN function = 'grant_access' AND key = 'min_epsilon'
             THEN CASE WHEN (is_now #>> '{}')::numeric < (was #>> '{}')::numeric THEN 'grants' END
        WHEN function = 'grant_access'
             THEN CASE WHEN coalesce((is_now #>> '{}')::numeric, 'Infinity') > coalesce((was #>> '{}')::numeric, 'Infinity')
                       THEN 'grants' END
        WHEN function = 'expose' AND key IS NULL THEN CASE WHEN was IS NULL AND NOT began THEN 'facades' END
        WHEN function = 'expose' AND key = 'max_epsilon_per_query'
             THEN CASE WHEN coalesce((is_now #>> '{}')::numeric, 'Infinity') > coalesce((was #>> '{}')::numeric, 'Infinity')
                       THEN 'facades' END
        WHEN function = 'expose' AND (key = 'rows' AND is_now = '"synthetic"' OR key = 'rows_from' AND is_now IS NOT NULL) THEN 'facades'
        WHEN function = 'expose' AND key = 'comments' AND is_now = 'true' THEN 'facades'
        WHEN function = 'set_memory' AND is_now @? '$ ? (@ == "table" || @.scope == "table")'
             THEN CASE WHEN NOT began THEN 'memory' END
        WHEN function = 'declare_public' AND was IS NULL THEN 'public'
        WHEN function = 'create_schedule' AND key IS NOT NULL THEN 'schedules'
        WHEN function = 'set_schedule_active' AND is_now IS NULL THEN 'schedules'
    END;
    END;
COMMENT ON FUNCTION dpmix_internal.policy_needs(text, text, jsonb, jsonb, boolean, jsonb, float8) IS
    'which word of allow a change needs';

-- By what PostgreSQL noted of views: of facades, which name no table, nothing.
CREATE FUNCTION dpmix_internal.tables_of_view(view oid) RETURNS SETOF text
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH RECURSIVE below(oid) AS (
        SELECT tables_of_view.view
        UNION
        SELECT d.refobjid FROM below b JOIN pg_rewrite r ON r.ev_class = b.oid
        JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass)
    SELECT format('%I.%I', n.nspname, c.relname)
    FROM below b JOIN pg_class c ON c.oid = b.oid AND c.relkind <> 'v' JOIN pg_namespace n ON n.oid = c.relnamespace;
    END;
COMMENT ON FUNCTION dpmix_internal.tables_of_view(oid) IS 'the tables that a view reads, through other views too';

CREATE FUNCTION dpmix_internal.policy_changes(present jsonb, later jsonb)
    RETURNS TABLE (action text, object text, what text, from_value text, to_value text, needs text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH was AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(present) AS e(relation text, function text, name text, arguments jsonb)),
    now AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(later) AS e(relation text, function text, name text, arguments jsonb)),
    pair AS (
        SELECT coalesce(w.relation, n.relation) AS relation, coalesce(w.function, n.function) AS function,
               coalesce(w.name, n.name) AS name, w.arguments AS was, n.arguments AS is_now
        FROM (SELECT *, jsonb_build_array(relation, function, name) AS id FROM was WHERE function <> 'record') w
        FULL JOIN (SELECT *, jsonb_build_array(relation, function, name) AS id FROM now WHERE function <> 'record') n
            USING (id)
        WHERE w.arguments IS DISTINCT FROM n.arguments),
    change AS (
        SELECT p.relation, p.function, p.name, NULL AS key, p.was, p.is_now FROM pair p
        WHERE num_nulls(p.was, p.is_now) > 0 OR jsonb_typeof(p.was) <> 'object' OR jsonb_typeof(p.is_now) <> 'object'
           OR p.function = 'declare'
        UNION ALL
        SELECT p.relation, p.function, p.name, k.key, nullif((d.rest || p.was) -> k.key, 'null'),
               nullif((d.rest || p.is_now) -> k.key, 'null')
        FROM pair p CROSS JOIN LATERAL jsonb_object_keys(p.was || p.is_now) AS k(key)
        CROSS JOIN LATERAL (SELECT CASE p.function  -- what is left out
            WHEN 'grant_access' THEN jsonb '{"min_epsilon": 0.0001, "max_charges_per_minute": 600}'
            WHEN 'set_memory' THEN jsonb '{"scope": "grant"}' ELSE '{}' END AS rest) d
        WHERE jsonb_typeof(p.was) = 'object' AND jsonb_typeof(p.is_now) = 'object' AND p.function <> 'declare'
          AND (d.rest || p.was) -> k.key IS DISTINCT FROM (d.rest || p.is_now) -> k.key)
    SELECT CASE WHEN c.key IS NOT NULL OR num_nulls(c.was, c.is_now) = 0 THEN 'change'
                WHEN c.was IS NULL THEN 'add' ELSE 'remove' END,
           coalesce(c.relation, c.name),
           concat_ws(' ', c.function, CASE WHEN c.relation IS NOT NULL THEN c.name END) || coalesce(': ' || c.key, ''),
           nullif(c.was #>> '{}', '{}'), nullif(c.is_now #>> '{}', '{}'),
           dpmix_internal.policy_needs(c.function, c.key, c.was, c.is_now, f.began, f.recorded, f.rows)
    FROM change c
    CROSS JOIN LATERAL (
        SELECT (SELECT w.arguments FROM was w WHERE w.relation = c.relation AND w.function = 'record') AS recorded,
               (SELECT nullif(greatest(t.reltuples, 0), 0) FROM pg_class t WHERE t.oid = to_regclass(c.relation)) AS rows,
               g.tables <> '{}'
               AND NOT EXISTS (SELECT FROM was w WHERE w.relation = ANY (g.tables) AND w.function IN ('protect', 'record'))
               -- Who gets access to a new table of a population may spend the budget that is there.
               AND NOT (c.function IN ('grant_access', 'grant_audit') AND EXISTS (
                   SELECT FROM now n JOIN was q ON q.function = 'create_population' AND q.name = n.arguments ->> 'population'
                   WHERE n.relation = ANY (g.tables) AND n.function = 'protect')) AS began
        FROM (SELECT CASE WHEN v.oid IS NULL THEN ARRAY[c.relation] ELSE ARRAY(
                         SELECT b.name FROM dpmix_internal.tables_of_view(v.oid) AS b(name)
                         WHERE EXISTS (SELECT FROM now n WHERE n.relation = b.name AND n.function = 'protect')) END
              FROM (SELECT) x
              LEFT JOIN pg_class v ON v.oid = to_regclass(c.relation) AND v.relkind = 'v') AS g(tables)) f
    WHERE c.function <> 'set_schedule_active'  -- it goes along with its schedule
       OR EXISTS (SELECT FROM now n WHERE n.function = 'create_schedule' AND n.name = c.name)
    ORDER BY array_position('{create_population,protect,declare_public,declare,set_time_quantum,set_memory,expose,'
                            'grant_access}', c.function), c.relation, c.function, c.name, c.key;
    END;
COMMENT ON FUNCTION dpmix_internal.policy_changes(jsonb, jsonb) IS
    'what differs between two states of dpmix_internal.policy_entry';

CREATE FUNCTION dpmix_internal.policy_present() RETURNS jsonb
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT coalesce(jsonb_agg(to_jsonb(e)), '[]') FROM dpmix_internal.policy_entries() e;
    END;
COMMENT ON FUNCTION dpmix_internal.policy_present() IS 'what is so now: dpmix_internal.policy_entry';

CREATE FUNCTION dpmix_internal.run_policy_step(statement text, settings jsonb, session jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
BEGIN
    IF settings IS NOT NULL THEN  -- a schedule keeps those of its session
        settings := session || settings;
        PERFORM set_config('TimeZone', settings ->> 'TimeZone', true),
                set_config('DateStyle', settings ->> 'DateStyle', true),
                set_config('search_path', settings ->> 'search_path', true);
    END IF;
    EXECUTE statement;
END $$;
COMMENT ON FUNCTION dpmix_internal.run_policy_step(text, jsonb, jsonb) IS 'runs a step of dpmix_internal.policy_steps';

CREATE FUNCTION dpmix_internal.refuse_policy(message text, lines text[], hint text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF cardinality(lines) > 0 THEN
        RAISE EXCEPTION '%', message USING ERRCODE = 'PV005', DETAIL = array_to_string(lines, E'\n'), HINT = hint;
    END IF;
END $$;
COMMENT ON FUNCTION dpmix_internal.refuse_policy(text, text[], text) IS 'PV005, unless there is nothing to say';

CREATE FUNCTION dpmix_internal.applied_policy(policy jsonb, dry_run boolean, prune boolean, reason text, allow text[],
                                              session jsonb)
    RETURNS TABLE (action text, object text, what text, from_value text, to_value text, needs text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC'
    SET intervalstyle = 'postgres' SET jit = off AS $$  -- documents are small, whatever is estimated
DECLARE
    words CONSTANT text[] := '{budget,grants,facades,memory,public,schedules,protection}';
    given text := nullif(btrim(reason, E' \t\n'), '');
    present jsonb;
    later jsonb;
    stated jsonb;
    step record;
    steps jsonb;
    loosened text[];
    lacking text[];
    kept text;
BEGIN
    IF num_nulls(policy, dry_run, prune, allow) > 0 OR jsonb_typeof(policy) <> 'object' THEN
        RAISE EXCEPTION 'a policy is a JSON object'
            USING ERRCODE = 'PV005', DETAIL = 'It is something else, or an argument of dpmix.apply() is NULL.',
                  HINT = 'dpmix.policy() makes one.';
    END IF;
    PERFORM dpmix_internal.refuse_policy('allow has words that mean nothing',
        ARRAY(SELECT w FROM unnest(allow) w WHERE w <> ALL (words) OR w IS NULL),
        'Valid are ' || array_to_string(words, ', ') || '.');
    PERFORM dpmix_internal.refuse_policy('the policy cannot be read',
        ARRAY(SELECT m FROM dpmix_internal.policy_misspelt(policy) m ORDER BY 1),
        'Its keys are names of functions and of their arguments, as in what dpmix.policy() returns.');
    stated := coalesce((SELECT jsonb_agg(to_jsonb(s)) FROM dpmix_internal.policy_stated(policy) s), '[]');
    present := dpmix_internal.policy_present();
    PERFORM dpmix_internal.refuse_policy('the policy speaks of what is not in this database',
        ARRAY(SELECT dpmix_internal.policy_missing(stated)), 'Create them, or leave them out; names are case-sensitive.');
    PERFORM dpmix_internal.refuse_policy('the policy changes what never changes',
        ARRAY(SELECT dpmix_internal.policy_fixed(stated, present)),
        'Charges count under these terms. Correct the policy. A table that was never charged can be unprotected, and '
        'protected with other terms.');
    steps := (SELECT jsonb_agg(to_jsonb(s) ORDER BY s.place, s.depth, s.relation, s.statement)
              FROM dpmix_internal.policy_steps(stated, present, policy ->> 'schema', prune,
                                               coalesce(given, 'dpmix.apply()')) s
              WHERE s.statement IS NOT NULL);
    PERFORM dpmix_internal.refuse_policy('the policy changes what is said of vacant names',
        ARRAY(SELECT DISTINCT s.relation FROM jsonb_to_recordset(steps) AS s(relation text)
              JOIN dpmix_internal.vacant_names() v ON v.owned AND v.name = s.relation ORDER BY 1),
        'Their tables left them. All that is said stays for the next table of the name: apply the policy when it is '
        'there, or leave these entries as dpmix.policy() returns them.');
    BEGIN
        FOR step IN SELECT * FROM jsonb_to_recordset(steps) AS s(statement text, settings jsonb) LOOP
            PERFORM dpmix_internal.run_policy_step(step.statement, step.settings, session);
        END LOOP;
        later := dpmix_internal.policy_present();
        IF dry_run THEN
            RAISE EXCEPTION 'a dry run' USING ERRCODE = 'PVDRY';
        END IF;
    EXCEPTION WHEN SQLSTATE 'PVDRY' THEN
        NULL;
    END;
    loosened := ARRAY(
        SELECT format('%s, %s %s: needs %s', c.object, c.what,
                      CASE c.action WHEN 'add' THEN 'is new' WHEN 'remove' THEN 'ends'
                           ELSE format('from %s to %s', coalesce(c.from_value, 'none'), coalesce(c.to_value, 'none'))
                      END, c.needs)
        FROM dpmix_internal.policy_changes(present, later) c WHERE c.needs IS NOT NULL);
    lacking := ARRAY(SELECT DISTINCT c.needs FROM dpmix_internal.policy_changes(present, later) c
                     WHERE c.needs IS NOT NULL AND c.needs <> ALL (allow) ORDER BY 1);
    IF NOT dry_run THEN
        IF cardinality(lacking) > 0 OR given IS NULL THEN
            PERFORM dpmix_internal.refuse_policy('the policy loosens what protects people', loosened,
                format('If it is meant: dpmix.apply(..., reason => ''why'', allow => ''{%s}'').',
                       array_to_string(allow || lacking, ',')));
        END IF;
        IF cardinality(loosened) > 0 THEN
            RAISE LOG 'dpmix.apply() by % loosened a policy, because: %', current_user, given
                USING DETAIL = array_to_string(loosened, E'\n');
        END IF;
    END IF;
    IF prune THEN
        SELECT string_agg(p.relation, ', ' ORDER BY p.relation) INTO kept
        FROM jsonb_to_recordset(later) AS p(schemas text[], relation text, function text)
        WHERE p.function = 'protect' AND (policy ->> 'schema' IS NULL OR policy ->> 'schema' = ANY (p.schemas))
          AND p.relation NOT IN (SELECT w.relation FROM jsonb_to_recordset(stated) AS w(relation text, function text)
                                 WHERE w.relation IS NOT NULL);
        IF kept IS NOT NULL THEN
            RAISE NOTICE 'protected, and not in the policy: %', kept
                USING DETAIL = 'They stay as they are: protections are never pruned.',
                      HINT = 'Add them, or call dpmix.unprotect().';
        END IF;
    END IF;
    RETURN QUERY SELECT c.* FROM dpmix_internal.policy_changes(present, later) c;
END $$;
COMMENT ON FUNCTION dpmix_internal.applied_policy(jsonb, boolean, boolean, text, text[], jsonb) IS
    'dpmix.apply(), with settings of the session';

CREATE FUNCTION dpmix.apply(policy jsonb, dry_run boolean DEFAULT false, prune boolean DEFAULT false,
                            reason text DEFAULT NULL, allow text[] DEFAULT '{}')
    RETURNS TABLE (action text, object text, what text, from_value text, to_value text, needs text)
    LANGUAGE sql VOLATILE PARALLEL UNSAFE
    BEGIN ATOMIC
    SELECT * FROM dpmix_internal.applied_policy(policy, dry_run, prune, reason, allow, jsonb_build_object(
        'search_path', current_setting('search_path'), 'TimeZone', current_setting('TimeZone'),
        'DateStyle', current_setting('DateStyle')));
    END;
COMMENT ON FUNCTION dpmix.apply(jsonb, boolean, boolean, text, text[]) IS
    E'makes the catalog say what a policy says, in one transaction, by the functions that owners call, with the caller''s '
    'rights and with their errors. Returns what changed. Applied again, it changes nothing. What the policy does not '
    'mention is left alone.\n'
    'policy: as dpmix.policy() returns it. A table without a schema in its name is of the policy''s schema; times without a '
    'zone are in UTC. "protect": null ends a protection\n'
    'dry_run: returns what would change, and changes nothing. What the functions would refuse is an error here, too\n'
    'prune: takes back what the policy does not have: grants, auditors and facades of its tables, and public tables and '
    'schedules of its schema. It never ends a protection, as a NOTICE says\n'
    'reason: why protection is loosened; required where it is. It stays in dpmix.budget_history if a budget changes, '
    'and in the server''s log\n'
    'allow: what may be loosened. budget: epsilon or delta rises, a table joins a population, or a new budget protects '
    'nobody (epsilon above 20, or delta above one over the rows that ANALYZE counted); grants: a role gets access '
    'to a table that was protected before, or whose population was there, or its audit, or a higher cap, a lower floor or a faster pace; facades: a '
    'further one, a higher limit, comments; memory: answers are shared; public: a table is declared public; schedules: one '
    'is replaced or resumed; protection: one ends. A table that was never protected gets all that its entry says\n'
    'action: add, change or remove\n'
    'object: the table, population or schedule\n'
    'what: the function, for which column, role or view, and the argument that changes\n'
    'from_value, to_value: before and after; NULL: none, or the default\n'
    'needs: the word of allow that the change needs; NULL: none\n'
    'Errors: PV005 for a document that is no policy, for tables and roles that are not there (all are named), for a change '
    'of what never changes (unit, adjacency, accountant, links, blocks, guard), and for what is loosened without allow and '
    'reason; those of the functions.\n'
    'See also: dpmix.policy, docs/guide/policy.md.';
