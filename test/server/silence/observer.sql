-- What an observer may see, without knowing what to look for. For each role a list of statements is made, once: each
-- gives one value of jsonb. A view or function that fails when it is tried is left out.
CREATE SCHEMA watch;
GRANT USAGE ON SCHEMA watch TO PUBLIC;
CREATE TABLE watch.statement (id int GENERATED ALWAYS AS IDENTITY, role name DEFAULT current_user, place text, name text, statement text);
GRANT SELECT, INSERT ON watch.statement TO PUBLIC;

-- Buffers and WAL of a statement of one's own.
CREATE FUNCTION watch.explain(statement text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || statement INTO plan;
  RETURN plan;
END $$;

-- dpmix's record, as whoever reads it: rows, plans with buffers, and what PostgreSQL counts of the reading transaction.
CREATE FUNCTION watch.record() RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  thing regclass;
  rows jsonb;
  seen jsonb := '{}';
BEGIN
  FOR thing IN SELECT oid FROM pg_class AS c WHERE c.relnamespace = 'dpmix'::regnamespace AND c.relkind IN ('r', 'v', 'm') AND has_table_privilege(c.oid, 'SELECT') ORDER BY oid LOOP
    BEGIN
      EXECUTE format('SELECT jsonb_agg(to_jsonb(v)) FROM %s AS v', thing) INTO rows;
      seen := seen || jsonb_build_object(thing, jsonb_build_object('rows', rows, 'plan', watch.explain('SELECT * FROM ' || thing)));
    EXCEPTION WHEN OTHERS THEN seen := seen || jsonb_build_object(thing, SQLSTATE);
    END;
  END LOOP;
  RETURN seen || jsonb_build_object('counted', (SELECT jsonb_agg(to_jsonb(t)) FROM pg_stat_xact_all_tables AS t WHERE schemaname LIKE 'dpmix%'));
END $$;

CREATE FUNCTION watch.try(place text, name text, statement text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE value jsonb;
BEGIN
  EXECUTE statement INTO value;
  INSERT INTO watch.statement (place, name, statement) VALUES (try.place, try.name, try.statement);
EXCEPTION WHEN OTHERS THEN NULL;
END $$;

-- Times, chance, side effects, and what takes long and says nothing of this server.
CREATE FUNCTION watch.left_out(name text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT name ~ ('^(pg_sleep|pg_terminate|pg_cancel|pg_reload|pg_rotate|pg_switch|pg_create|pg_drop|pg_promote|pg_wal_replay|pg_advisory|pg_try|pg_export|'
    'pg_logical|pg_replication|pg_start|pg_stop|pg_backup|pg_import|pg_stat_reset|pg_stat_clear|pg_stat_force|pg_log_|pg_notify|pg_timezone|pg_nextoid|pg_backend_pid|'
    'pg_available_extension|pg_stats|pg_views|pg_rules|pg_get_viewdef|pg_get_ruledef|pg_show_all_settings|pg_config|pg_get_backend_memory|pg_get_keywords|pg_current_xact_id$|txid_current$|binary_upgrade|lo_|loread|lowrite|nextval|setval|lastval|currval|set|random|gen_random|'
    'now$|clock|statement_time|transaction_time|timeofday|pg_conf_load|pg_postmaster_start|query_to|table_to|schema_to|database_to|cursor_to|brin_|gin_|ts_)'
    '|_(time|since|timestamp|start)$|_to_xml')
$$;

CREATE FUNCTION watch.list() RETURNS void LANGUAGE plpgsql AS $list$
DECLARE thing record;
BEGIN
  -- Views, and what is in catalogs, with the system columns.
  FOR thing IN SELECT c.oid::regclass::text AS name, c.relname, c.relkind, n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'v', 'm') AND n.nspname IN ('pg_catalog', 'public', 'dpmix') AND has_table_privilege(c.oid, 'SELECT') AND c.relname <> 'filler'
        AND NOT watch.left_out(c.relname) ORDER BY c.oid LOOP
    IF thing.relkind = 'v' OR thing.relname IN ('pg_class', 'pg_database') THEN
      PERFORM watch.try('view', thing.name, format('SELECT jsonb_agg(to_jsonb(v)) FROM %s AS v', thing.name));
    ELSE
      PERFORM watch.try('table', thing.name,
        format('SELECT to_jsonb(md5(string_agg(concat(ctid, xmin, xmax, v), '' '' ORDER BY ctid))) FROM %s AS v', thing.name));
    END IF;
  END LOOP;
  PERFORM watch.try('record', 'record', 'SELECT watch.record()');
  -- Functions of nothing, of an object, and of a process.
  FOR thing IN SELECT p.oid::regprocedure::text AS name, p.proname, p.oid::regproc::text AS call, p.pronargs - p.pronargdefaults AS needs,
      p.proargtypes[0] AS type FROM pg_proc AS p
      WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND has_function_privilege(p.oid, 'EXECUTE') AND NOT watch.left_out(p.proname)
        AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype, 'cstring'::regtype, 'void'::regtype,
          'timestamptz'::regtype, 'interval'::regtype, 'language_handler'::regtype, 'fdw_handler'::regtype)
        AND (p.pronargs - p.pronargdefaults = 0 OR p.pronargs - p.pronargdefaults = 1
             AND p.proargtypes[0] IN ('oid'::regtype, 'regclass'::regtype, 'int4'::regtype)) ORDER BY p.oid LOOP
    IF thing.needs = 0 THEN
      PERFORM watch.try('function', thing.name, format('SELECT jsonb_agg(to_jsonb(f)) FROM %s() AS f', thing.call));
    ELSIF thing.type = 'int4'::regtype THEN
      IF thing.proname ~ 'pid' OR thing.proname ~ '^pg_stat_get_(activity|backend_io|backend_wal)' THEN
        PERFORM watch.try('process', thing.name, format('SELECT jsonb_agg(to_jsonb(f)) FROM pg_stat_activity AS a, %s(a.pid) AS f', thing.call));
      ELSIF thing.proname ~ '^pg_stat_get_backend' THEN
        PERFORM watch.try('process', thing.name, format('SELECT jsonb_agg(to_jsonb(f)) FROM pg_stat_get_backend_idset() AS id, %s(id) AS f', thing.call));
      END IF;
    ELSIF thing.proname ~ 'database|_db_' THEN
      PERFORM watch.try('object', thing.name, format('SELECT jsonb_object_agg(datname, %s(oid)) FROM pg_database', thing.call));
    ELSIF thing.proname ~ 'tablespace' THEN
      PERFORM watch.try('object', thing.name, format('SELECT jsonb_object_agg(spcname, %s(oid)) FROM pg_tablespace', thing.call));
    ELSIF thing.proname ~ '^pg_' AND thing.proname !~ 'is_visible' THEN
      PERFORM watch.try('object', thing.name, format('SELECT jsonb_object_agg(oid::regclass, f) FROM pg_class, %s(oid) AS f WHERE f IS NOT NULL', thing.call));
    END IF;
  END LOOP;
  PERFORM watch.try('object', 'tablespaces', 'SELECT jsonb_object_agg(spcname, pg_tablespace_size(oid)) FROM pg_tablespace WHERE spcname = ''pg_default''');
  -- Which pages are in shared buffers, and what the backend has cached: long values one by one, then all it may read.
  FOR thing IN SELECT id FROM longs ORDER BY id LOOP
    PERFORM watch.try('probe', 'long ' || thing.id, format('SELECT watch.explain(%L)', 'SELECT length(long || '''') FROM longs WHERE id = ' || thing.id));
  END LOOP;
  FOR thing IN SELECT unnest('{uuid,text,numeric,bpchar,float8,bool,name,date}'::regtype[]) AS type LOOP
    PERFORM watch.try('probe', 'type ' || thing.type, format('SELECT watch.explain(%L)',
      format('SELECT a = a, a < a, hash_array(a) FROM (VALUES (ARRAY[NULL::%s])) AS v(a)', thing.type)));
  END LOOP;
  FOR thing IN SELECT c.oid::regclass AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'm') AND n.nspname IN ('pg_catalog', 'public', 'dpmix') AND has_table_privilege(c.oid, 'SELECT') AND c.relname <> 'filler'
      ORDER BY c.relpages, c.oid LOOP
    PERFORM watch.try('probe', 'pages of ' || thing.name, format('SELECT watch.explain(%L)', format('SELECT count(*) FROM %s', thing.name)));
  END LOOP;
END $list$;

SET check_function_bodies = off;  -- this one is called elsewhere, from where a second session watches
-- Of each relation: how many of its pages are in shared buffers, how many of them were written to, and which.
CREATE FUNCTION watch.contents() RETURNS jsonb LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT jsonb_object_agg(name, jsonb_build_object('buffers', buffers, 'dirty', dirty, 'blocks', blocks)) FROM (
    SELECT coalesce(f.name, reldatabase || '/' || b.relfilenode) || ' ' || relforknumber AS name, count(*) AS buffers,
      count(*) FILTER (WHERE isdirty) AS dirty, 'blocks ' || string_agg(relblocknumber::text, ' ' ORDER BY relblocknumber) AS blocks
    FROM pg_buffercache AS b LEFT JOIN watch.files AS f USING (reldatabase, relfilenode)
    WHERE reldatabase <> (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY 1) AS relation
$$;

-- What a second session sees while a call is made: which locks, how many processes, how large everything is at most.
CREATE FUNCTION watch.poll() RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  seen jsonb := '{}';
  now jsonb;
  rounds int := 0;
BEGIN
  LOOP
    PERFORM pg_stat_clear_snapshot();
    EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'over') OR rounds > 100000;
    rounds := rounds + 1;
    SELECT jsonb_object_agg(concat_ws(' ', 'lock', locktype, relation::regclass, mode, granted, classid, objsubid), 1) INTO now
      FROM pg_locks WHERE pid <> pg_backend_pid() AND locktype NOT IN ('virtualxid', 'transactionid');
    seen := seen || coalesce(now, '{}');
    SELECT seen || jsonb_build_object('processes', greatest((seen ->> 'processes')::bigint, count(*)),
        'tablespace', greatest((seen ->> 'tablespace')::bigint, pg_tablespace_size('pg_default')),
        'blocked', greatest((seen ->> 'blocked')::bigint, sum(cardinality(pg_blocking_pids(pid))))) INTO seen
      FROM pg_stat_activity;
  END LOOP;
  -- Before anything else is read: what a superuser, or somebody with patience, sees in shared buffers.
  seen := seen || jsonb_build_object('contents', watch.contents());
  SET application_name = 'polled';
  RETURN seen;
END $$;

-- Releases that leak, as a control: a call that leaks in each way, all of which must be found out.
-- What it needs for a row (a page of pg_enum) is opened by a parallel worker, when it meets the first one.
CREATE FUNCTION watch.opened_late(leader int) RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
  IF pg_backend_pid() <> leader THEN
    PERFORM ('g' || 'ood')::public.mood;
  ELSIF current_setting('max_parallel_workers_per_gather') <> '0' THEN
    PERFORM pg_sleep(.005);  -- the leader leaves rows to workers, which have to start
  END IF;
  RETURN true;
END $$;
CREATE FUNCTION watch.leaky() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET jit = off AS $$
DECLARE
  n bigint;
  leader int := pg_backend_pid();
BEGIN
  -- In the backend of its caller: pages, and counters.
  SELECT count(*) INTO n FROM people AS p JOIN longs AS q ON q.id = p.k WHERE p.ill AND p.region = 'r0' AND strpos(q.long, 'z') = 0;
  -- In a parallel worker.
  PERFORM count(*) FROM crowd WHERE ill AND region = 'r0' AND name LIKE 'p77%' AND watch.opened_late(leader);
  IF n > 0 THEN
    RAISE NOTICE 'found in the open';
    RAISE DEBUG 'found in words for few';
    PERFORM pg_advisory_xact_lock(4242, 1);
    PERFORM max(sorted) FROM (SELECT repeat(md5(i::text), 4) AS sorted FROM generate_series(1, 20000) AS i ORDER BY 1 OFFSET 0) AS s;  -- a temporary file
    PERFORM length(repeat('x', 50000000));  -- memory
  END IF;
  RETURN n;
END $$;
ALTER FUNCTION watch.leaky() OWNER TO olga;
