-- Schema evil, full of traps: whoever reads a body with this schema before pg_catalog finds them in place of
-- PostgreSQL's operators, functions, types and relations. Each says so in the server's log, where no rollback takes it
-- back.
SET client_min_messages = error;
SET check_function_bodies = off;
CREATE FUNCTION evil.spring(what pg_catalog.text) RETURNS boolean LANGUAGE plpgsql
    AS $$ BEGIN RAISE LOG 'sprung by %: %', current_user, what; RETURN true; END $$;

DO $$
DECLARE
    types regtype[] := '{float8,float4,numeric,int2,int4,int8,bool,text,varchar,name,oid,regclass,regrole,regtype,timestamptz,interval,jsonb,"char",text[],float8[],int8[],name[],oid[],bool[]}';
    o record;
    laid integer := 0;
BEGIN
    -- For each pair of types, of the type that the operator has between any of them. Which operators: those that bodies
    -- use.
    FOR o IN
        SELECT op, l, r, concat_ws(', ', l, r) AS arguments, result, 'op ' || result AS name FROM (
        SELECT op, l, r, coalesce((SELECT oprresult::regtype FROM pg_operator WHERE oprname = op AND oprleft = l AND oprright = r AND oprresult <> 0),
                                  CASE WHEN op ~ '[<>=~!@&?]' AND op !~ '->' THEN 'bool'::regtype WHEN op = '->>' THEN 'text' ELSE l END) AS result
        FROM unnest('{=,<>,<,>,<=,>=,+,-,*,/,%,^,||,@>,<@,&&,->,->>,?,~,!~,~~,!~~}'::text[]) op, unnest(types) l, unnest(types) r
        UNION ALL SELECT '-', NULL, t, t FROM unnest(types) t) pair
    LOOP
        IF to_regprocedure(format('evil.%I(%s)', o.name, o.arguments)) IS NULL THEN
            EXECUTE format('CREATE FUNCTION evil.%I(%s) RETURNS %s LANGUAGE plpgsql AS $f$BEGIN PERFORM evil.spring(%L); RETURN NULL; END$f$',
                           o.name, o.arguments, o.result, 'an operator of ' || o.arguments);
        END IF;
        EXECUTE format('CREATE OPERATOR evil.%s (%s RIGHTARG = %s, FUNCTION = evil.%I)', o.op, 'LEFTARG = ' || o.l || ',', o.r, o.name);
    END LOOP;

    -- Every function of PostgreSQL that plpgsql can be, under its name and with its arguments; aggregates are functions
    -- here.
    FOR o IN
        SELECT proname, pg_get_function_identity_arguments(oid) AS arguments, pg_get_function_result(oid) AS result, proretset, provolatile,
               proargmodes IS NOT NULL AS has_out
        FROM pg_proc p
        WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind IN ('f', 'a', 'w') AND proname = ANY (string_to_array(current_setting('trap.names'), ' '))
          AND NOT EXISTS (SELECT FROM unnest(proargtypes || prorettype) t WHERE t IN ('internal'::regtype, 'cstring'::regtype, '"any"'::regtype))
    LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION evil.%I(%s) RETURNS %s LANGUAGE plpgsql AS $f$BEGIN PERFORM evil.spring(''function %s''); %s; END$f$',
                           o.proname, regexp_replace(o.arguments, 'ORDER BY', ','), o.result, o.proname,
                           CASE WHEN o.proretset OR o.has_out THEN 'RETURN' ELSE 'RETURN NULL' END);
            laid := laid + 1;
        EXCEPTION WHEN OTHERS THEN NULL;  -- of a kind that no language but C makes
        END;
    END LOOP;
    -- VARIADIC "any" is C's alone; what takes so many arguments as such wins over it.
    FOR o IN SELECT f, n FROM unnest('{format,concat,concat_ws,jsonb_build_object,num_nulls}'::text[]) f, generate_series(2, 6) n LOOP
        EXECUTE format('CREATE FUNCTION evil.%I(%s) RETURNS text LANGUAGE plpgsql AS $f$BEGIN PERFORM evil.spring(''function %s''); RETURN NULL; END$f$',
                       o.f, 'text' || repeat(', anyelement', o.n - 1), o.f);
    END LOOP;
    IF laid < 100 THEN RAISE EXCEPTION 'only % functions could be laid', laid; END IF;

    -- Types whose checks call out, and relations.
    FOR o IN SELECT unnest('{float8,text,name,int8,oid,jsonb,regclass,regtype,regrole,timestamptz,regnamespace}'::name[]) AS t LOOP
        EXECUTE format('CREATE DOMAIN evil.%1$I AS pg_catalog.%1$I CHECK (evil.spring(%2$L))', o.t, 'type ' || o.t);
    END LOOP;
    FOR o IN SELECT relname, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_class c JOIN pg_attribute ON attrelid = c.oid
        WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') AND relname !~ '^pg_statistic' AND attnum > 0 AND atttypid <> 'anyarray'::regtype GROUP BY relname
    LOOP
        EXECUTE format('CREATE VIEW evil.%1$I AS SELECT %2$s FROM pg_catalog.%1$I WHERE evil.spring(%3$L)', o.relname, o.columns, 'relation ' || o.relname);
    END LOOP;
END $$;
GRANT SELECT ON ALL TABLES IN SCHEMA evil TO PUBLIC;

-- A type of one's own, with casts of one's own to and from all that it may be printed as and read from.
CREATE TYPE evil.mood AS ENUM ('sad', 'merry');
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY '{text,varchar,bpchar,name,json,jsonb,float8,numeric,int4,int8,bool,xml,bytea}'::text[] LOOP
        EXECUTE format('CREATE FUNCTION evil.printed_%1$s(evil.mood) RETURNS pg_catalog.%1$s LANGUAGE plpgsql AS $f$BEGIN PERFORM evil.spring(''a cast to %1$s''); RETURN NULL; END$f$', t);
        EXECUTE format('CREATE FUNCTION evil.taken(pg_catalog.%1$s) RETURNS evil.mood LANGUAGE plpgsql AS $f$BEGIN PERFORM evil.spring(''a cast from %1$s''); RETURN ''sad''; END$f$', t);
        EXECUTE format('CREATE CAST (evil.mood AS pg_catalog.%1$s) WITH FUNCTION evil.printed_%1$s', t);
        EXECUTE format('CREATE CAST (pg_catalog.%1$s AS evil.mood) WITH FUNCTION evil.taken(pg_catalog.%1$s)', t);
    END LOOP;
END $$;
