-- Whether the other nodes of a Citus cluster suit releases.

CREATE FUNCTION dpmix_internal.cluster_nodes() RETURNS SETOF text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_node') IS NOT NULL THEN
        RETURN QUERY EXECUTE 'SELECT nodename::text FROM pg_catalog.pg_dist_node WHERE isactive '
                             'AND (SELECT groupid FROM pg_catalog.pg_dist_local_group) = 0';
    END IF;
END $$;
COMMENT ON FUNCTION dpmix_internal.cluster_nodes() IS
    'names of the nodes of a Citus cluster, to its coordinator; none elsewhere';

CREATE FUNCTION dpmix_internal.worker_access_lines() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(format('host %I %s %s scram-sha-256', current_database(), r.names, a.address), E'\n'
                      ORDER BY a.address) || format(E'\nhost %I all all reject', current_database())
      FROM (SELECT string_agg(format('%I', rolname), ',' ORDER BY rolname) AS names FROM pg_roles
             WHERE rolcanlogin
               AND (rolsuper OR oid IN (SELECT b.oid FROM dpmix.protected_table t
                                          JOIN dpmix_internal.bound_role b ON b.number = t.owner WHERE t.active))) r,
           (SELECT DISTINCT CASE WHEN name ~ '^[0-9.]+$' THEN name || '/32'
                                 WHEN name ~ ':' THEN name || '/128' ELSE name END AS address
              FROM dpmix_internal.cluster_nodes() n(name)) a
$$;
COMMENT ON FUNCTION dpmix_internal.worker_access_lines() IS
    'lines of pg_hba.conf by which a worker admits administrators and owners of protected tables, from nodes of the '
    'cluster; NULL without one';

CREATE FUNCTION dpmix_internal.run_on_workers(command text, as_role name)
    RETURNS TABLE (node text, success boolean, result text)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    before text := current_setting('role');
BEGIN
    -- Citus logs in there as the role that asks.
    PERFORM set_config('role', as_role, true);
    RETURN QUERY EXECUTE 'SELECT format(''%s:%s'', nodename, nodeport), success, result::text '
                         'FROM pg_catalog.run_command_on_workers($1)' USING command;
    PERFORM set_config('role', before, true);
END $$;
COMMENT ON FUNCTION dpmix_internal.run_on_workers(text, name) IS
    'what each worker of a Citus cluster answers to a role, and whether it does. For dpmix.check_cluster().';

CREATE FUNCTION dpmix_internal.roles_of_releases() RETURNS TABLE (name name, owns boolean)
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT rolname, bool_or(owns) FROM (
        SELECT m.rolname, false AS owns FROM dpmix.access a JOIN dpmix_internal.bound_role b ON b.number = a.role
          JOIN pg_roles m ON pg_has_role(m.oid, b.oid, 'MEMBER') WHERE m.rolcanlogin AND NOT m.rolsuper
        UNION ALL
        SELECT m.rolname, true FROM dpmix.protected_table t JOIN dpmix_internal.bound_role b ON b.number = t.owner
          JOIN pg_roles m ON m.oid = b.oid WHERE t.active) r
     GROUP BY 1
$$;
COMMENT ON FUNCTION dpmix_internal.roles_of_releases() IS
    'who has access to a protected table and can log in, or owns one';

CREATE FUNCTION dpmix.check_cluster()
    RETURNS TABLE (node text, finding text, remedy text)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    tried record;
    role record;
    here text := (SELECT extversion FROM pg_extension WHERE extname = 'dpmix');
    lines text;
    roles integer := 0;
BEGIN
    IF current_setting('is_superuser') <> 'on' THEN
        RAISE EXCEPTION 'only superusers may check a cluster'
            USING ERRCODE = '42501', DETAIL = 'Other nodes are asked as each role with access.';
    END IF;
    lines := dpmix_internal.worker_access_lines();
    IF lines IS NULL THEN
        RAISE EXCEPTION 'this server is the coordinator of no Citus cluster'
            USING ERRCODE = 'PV005', DETAIL = 'It knows of no other nodes.', HINT = 'Call it on the coordinator.';
    END IF;
    FOR tried IN SELECT * FROM dpmix_internal.run_on_workers(
        'SELECT coalesce((SELECT extversion FROM pg_catalog.pg_extension WHERE extname = ''dpmix''), ''none'')',
        current_user)
    LOOP
        CONTINUE WHEN tried.success AND tried.result = here;
        node := tried.node;
        finding := CASE WHEN tried.success THEN format('dpmix %s, where the coordinator has %s', tried.result, here)
                        ELSE format('does not answer: %s', tried.result) END;
        remedy := CASE WHEN tried.success THEN 'Install the same version, then ALTER EXTENSION dpmix UPDATE; there.'
                       ELSE 'Let the coordinator log in there as an administrator.' END;
        RETURN NEXT;
    END LOOP;
    FOR tried IN SELECT * FROM dpmix_internal.run_on_workers(
        'SELECT string_agg(name || '' = '' || setting, '', '' ORDER BY name) FROM pg_catalog.pg_settings '
        'WHERE name = ''log_statement'' AND setting = ''all'' '
        'OR name IN (''log_min_duration_statement'', ''log_min_duration_sample'', ''auto_explain.log_min_duration'') '
        'AND setting <> ''-1'' '
        'OR name IN (''log_duration'', ''log_executor_stats'', ''log_statement_stats'') AND setting = ''on'' '
        'OR name ~ ''preload_libraries$'' AND setting ~ ''auto_explain|pg_stat_statements''', current_user)
    LOOP
        CONTINUE WHEN NOT tried.success OR coalesce(tried.result, '') = '';
        node := tried.node;
        finding := format('keeps record of statements over shards: %s', tried.result);
        remedy := 'Whoever reads its logs and statistics learns what was asked, and how long shards took. Keep them '
                  'from analysts, or reset these settings there.';
        RETURN NEXT;
    END LOOP;
    FOR role IN SELECT r.name, r.owns FROM dpmix_internal.roles_of_releases() r ORDER BY r.name
    LOOP
        roles := roles + 1;
        BEGIN
            FOR tried IN SELECT * FROM dpmix_internal.run_on_workers('SELECT 1', role.name) LOOP
                CONTINUE WHEN tried.success = role.owns;
                node := tried.node;
                finding := CASE WHEN role.owns THEN format('owner %I cannot log in: %s', role.name, tried.result)
                                ELSE format('role %I can log in', role.name) END;
                remedy := format(E'%s pg_hba.conf there:\n%s',
                                 CASE WHEN role.owns
                                      THEN 'Scans of its tables run there as this role, or fail after their charge.'
                                      ELSE 'It has a budget here, and none there.' END, lines);
                RETURN NEXT;
            END LOOP;
        EXCEPTION WHEN insufficient_privilege THEN
            node := NULL;
            finding := format('whether role %I can log in was not tried: %s', role.name, SQLERRM);
            remedy := format(E'pg_hba.conf of each worker:\n%s', lines);
            RETURN NEXT;
        END;
    END LOOP;
    RAISE NOTICE 'logins of % roles were tried, as the coordinator reaches workers', roles
        USING HINT = 'From where else they can be reached, their pg_hba.conf says.';
END $$;
COMMENT ON FUNCTION dpmix.check_cluster() IS
    E'what on the workers of a Citus cluster does not suit releases: roles with access that a worker lets in, owners '
    'that it does not, another version of dpmix, logs and statistics of statements. It logs in to each worker, from '
    'here, as each role that has access to a protected table, and as each owner of one. Charges nothing. No row: '
    'nothing was found. For superusers, on the coordinator.\n'
    'node: host and port of a worker; NULL: all of them\n'
    'finding: what does not suit\n'
    'remedy: what to do; for logins, the lines of pg_hba.conf to write\n'
    'Errors: PV005 no Citus cluster; 42501 not a superuser.\n'
    'See also: docs/guide/scale.md, docs/threat_model.md.';
