-- Everything that CREATE EXTENSION dpmix leaves in a database, one line each, without oids: for
-- comparing two databases. Read by upgrade.test.sh.
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET search_path = pg_catalog;
SET extra_float_digits = 1;

-- Types that come along with a table, a view or another type are members, too, in later versions of PostgreSQL.
CREATE TEMP VIEW member AS
    SELECT d.classid, d.objid, i.type, i.identity
    FROM pg_depend d, pg_identify_object(d.classid, d.objid, 0) i
    WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
      AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpmix')
      AND NOT (d.classid = 'pg_type'::regclass AND EXISTS (
          SELECT FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
          WHERE t.oid = d.objid AND (c.relkind <> 'c' OR EXISTS (SELECT FROM pg_type e WHERE e.typarray = t.oid))));
CREATE FUNCTION pg_temp.rights(acl aclitem[]) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce((SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(acl) a), 'default') $$;

CREATE TEMP VIEW line(kind, identity, detail) AS
    SELECT 'member', m.type || ' ' || m.identity,
           coalesce(obj_description(m.objid, m.classid::regclass::name), 'no comment')
    FROM member m
UNION ALL
    SELECT 'rights at installation', m.identity || coalesce('.' || a.attname, ''),
           concat_ws(' ', p.privtype, pg_temp.rights(p.initprivs))
    FROM pg_init_privs p JOIN member m ON m.classid = p.classoid AND m.objid = p.objoid
    LEFT JOIN pg_attribute a ON a.attrelid = p.objoid AND a.attnum = p.objsubid AND p.objsubid > 0
                            AND p.classoid = 'pg_class'::regclass
UNION ALL
    SELECT 'extension', e.extname, concat_ws(' ', e.extversion, e.extrelocatable, e.extnamespace::regnamespace,
           e.extowner::regrole)
    FROM pg_extension e WHERE e.extname = 'dpmix'
UNION ALL
    SELECT 'dumped', c::regclass::text, condition
    FROM pg_extension e, unnest(e.extconfig, e.extcondition) u(c, condition) WHERE e.extname = 'dpmix'
UNION ALL
    SELECT 'schema', n.nspname, concat_ws(' ', n.nspowner::regrole, pg_temp.rights(n.nspacl))
    FROM pg_namespace n WHERE n.nspname IN ('dpmix', 'dpmix_internal')
UNION ALL  -- signature, volatility, parallel, cost, symbol, ...
    SELECT 'function', m.identity,
           concat_ws(' ', p.proowner::regrole, pg_temp.rights(p.proacl), p.prokind, p.prosupport,
                     p.provariadic::regtype, CASE WHEN p.prokind <> 'a' THEN pg_get_functiondef(p.oid) END)
    FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
UNION ALL
    SELECT 'aggregate', m.identity, concat_ws(' ', pg_get_function_result(p.oid), p.proparallel, p.proisstrict, to_jsonb(a) - 'aggfnoid')
    FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
    JOIN (SELECT aggfnoid, aggkind, aggnumdirectargs, aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn,
                 aggmtransfn, aggminvtransfn, aggmfinalfn, aggfinalextra, aggmfinalextra, aggfinalmodify,
                 aggmfinalmodify, aggsortop::regoperator, aggtranstype::regtype, aggtransspace,
                 aggmtranstype::regtype, aggmtransspace, agginitval, aggminitval FROM pg_aggregate) a ON a.aggfnoid = p.oid
UNION ALL
    SELECT 'type', m.identity,
           concat_ws(' ', t.typowner::regrole, pg_temp.rights(t.typacl),
                     to_jsonb(t) - '{oid,typname,typnamespace,typowner,typrelid,typarray,typelem,typbasetype,typcollation,typacl}'::text[],
                     t.typarray::regtype, t.typelem::regtype, t.typbasetype::regtype, t.typcollation::regcollation)
    FROM member m JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid
UNION ALL  -- of tables, views and composite types; dropped ones keep their place
    SELECT 'column', r.relation::regclass || '.' || a.attnum || ' ' || a.attname,
           concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation, a.attnotnull,
                     a.attidentity, a.attgenerated, a.attstorage, a.attcompression, a.attstattarget,
                     pg_temp.rights(a.attacl), pg_get_expr(d.adbin, d.adrelid),
                     col_description(a.attrelid, a.attnum))
    FROM (SELECT m.objid AS relation FROM member m WHERE m.classid = 'pg_class'::regclass
          UNION SELECT t.typrelid FROM member m JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid
          WHERE t.typtype = 'c') r
    JOIN pg_attribute a ON a.attrelid = r.relation AND a.attnum > 0
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL
    SELECT 'relation', m.identity,
           concat_ws(' ', c.relkind, c.relowner::regrole, pg_temp.rights(c.relacl), c.relpersistence, c.relrowsecurity,
                     c.relforcerowsecurity, c.relreplident, c.reloptions, CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) END)
    FROM member m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
UNION ALL
    SELECT 'sequence', m.identity,
           concat_ws(' ', s.seqtypid::regtype, to_jsonb(s) - '{seqrelid,seqtypid}'::text[],
                     pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid), d.deptype)
    FROM member m JOIN pg_sequence s ON m.classid = 'pg_class'::regclass AND s.seqrelid = m.objid
    LEFT JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.seqrelid AND d.deptype IN ('a', 'i')
UNION ALL
    SELECT 'constraint', o.conrelid::regclass || ' ' || o.conname,
           concat_ws(' ', pg_get_constraintdef(o.oid), o.convalidated, obj_description(o.oid, 'pg_constraint'))
    FROM member m JOIN pg_constraint o ON m.classid = 'pg_class'::regclass AND o.conrelid = m.objid
UNION ALL
    SELECT 'index', i.indexrelid::regclass::text,
           concat_ws(' ', pg_get_indexdef(i.indexrelid), i.indisvalid, obj_description(i.indexrelid, 'pg_class'))
    FROM member m JOIN pg_index i ON m.classid = 'pg_class'::regclass AND i.indrelid = m.objid
UNION ALL
    SELECT 'trigger', t.tgrelid::regclass || ' ' || CASE WHEN t.tgisinternal THEN 'internal' ELSE t.tgname END,
           concat_ws(' ', t.tgenabled, t.tgfoid::regprocedure, t.tgtype,
                     CASE WHEN NOT t.tgisinternal THEN pg_get_triggerdef(t.oid) END, obj_description(t.oid, 'pg_trigger'))
    FROM member m JOIN pg_trigger t ON m.classid = 'pg_class'::regclass AND t.tgrelid = m.objid
UNION ALL
    SELECT 'rule', r.ev_class::regclass || ' ' || r.rulename, concat_ws(' ', r.ev_enabled, pg_get_ruledef(r.oid))
    FROM member m JOIN pg_rewrite r ON m.classid = 'pg_class'::regclass AND r.ev_class = m.objid
UNION ALL
    SELECT 'policy', p.polrelid::regclass || ' ' || p.polname, pg_get_expr(p.polqual, p.polrelid)
    FROM member m JOIN pg_policy p ON m.classid = 'pg_class'::regclass AND p.polrelid = m.objid
UNION ALL
    SELECT 'event trigger', e.evtname,
           concat_ws(' ', e.evtevent, e.evtowner::regrole, e.evtfoid::regprocedure, e.evtenabled, e.evttags)
    FROM member m JOIN pg_event_trigger e ON m.classid = 'pg_event_trigger'::regclass AND e.oid = m.objid
UNION ALL  -- what stands in the schemas and belongs to no extension
    SELECT 'stray', pg_describe_object(c.classid, c.objid, 0), ''
    FROM pg_depend c
    WHERE c.refclassid = 'pg_namespace'::regclass AND c.refobjid IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace)
      AND c.classid <> 'pg_extension'::regclass
      AND NOT EXISTS (SELECT FROM member m WHERE m.classid = c.classid AND m.objid = c.objid)
      AND NOT EXISTS (SELECT FROM pg_depend o WHERE o.classid = c.classid AND o.objid = c.objid AND o.deptype IN ('a', 'i'));

SELECT kind || ' | ' || identity || ' | ' || replace(coalesce(detail, ''), E'\n', ' ') FROM line ORDER BY 1;
