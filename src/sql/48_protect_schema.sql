-- What the tables of a schema become, by their foreign keys, when people are the rows of one of them.

-- A foreign key names a row whose unit is that of the one that has it, if its target reaches the root without
-- coming back: such keys are the ways of a table. A way that names the unit itself is a column of its own.
CREATE FUNCTION dpmix_internal.ways(schema regnamespace, root regclass, unit name)
    RETURNS TABLE (source oid, target oid, link name[], key name[], names_unit boolean, defect text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH RECURSIVE tables AS MATERIALIZED (
        SELECT c.oid FROM pg_class c
        WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
          AND (c.relnamespace = ways.schema OR c.oid = ways.root)),
    named AS MATERIALIZED (
        SELECT DISTINCT k.conrelid AS source, k.confrelid AS target, n.link, n.key, n.same, n.equal
        FROM pg_constraint k
        JOIN tables s ON s.oid = k.conrelid
        JOIN tables t ON t.oid = k.confrelid
        CROSS JOIN LATERAL (
            SELECT array_agg(a.attname ORDER BY p.place) AS link, array_agg(b.attname ORDER BY p.place) AS key,
                   bool_and(a.atttypid = b.atttypid) AS same,
                   bool_and(a.atttypid = b.atttypid
                            OR a.atttypid = ANY (w.whole) AND b.atttypid = ANY (w.whole)) AS equal
            FROM unnest(k.conkey, k.confkey) WITH ORDINALITY AS p(ours, theirs, place)
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.ours
            JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = p.theirs
            CROSS JOIN (SELECT ARRAY['smallint'::regtype, 'integer'::regtype, 'bigint'::regtype]::oid[] AS whole) w) n
        WHERE k.contype = 'f' AND k.conparentid = 0 AND k.conrelid <> k.confrelid),
    -- Tables from which the root is reached when one table is left out.
    reached(without, relation) AS (
        SELECT t.oid, ways.root::oid FROM tables t WHERE t.oid <> ways.root
        UNION
        SELECT r.without, f.source FROM reached r JOIN named f ON f.target = r.relation WHERE f.source <> r.without)
    SELECT f.source, f.target, f.link, f.key, f.target = ways.root AND f.key = ARRAY[ways.unit] AND f.same,
           CASE WHEN NOT f.equal THEN 'the types of the foreign key''s columns differ'
                WHEN NOT (f.target = ways.root AND f.key = ARRAY[ways.unit] AND f.same)
                     AND (c.relkind = 'p' OR EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = f.target))
                THEN format('%s has partitions or children, and no link leads there', f.target::regclass) END
    FROM named f JOIN reached r ON r.without = f.source AND r.relation = f.target
    JOIN pg_class c ON c.oid = f.target
    WHERE f.source <> ways.root;
    END;
COMMENT ON FUNCTION dpmix_internal.ways(regnamespace, regclass, name) IS
    'foreign keys through which the tables of a schema reach the root, for dpmix.protect_schema()';

-- place: in which order tables are protected, targets first. ways: the keys that it may belong to somebody by.
CREATE FUNCTION dpmix_internal.walked(schema regnamespace, root regclass, unit name)
    RETURNS TABLE (relation regclass, becomes text, through regclass, place integer, reason text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    WITH RECURSIVE way AS MATERIALIZED (
        SELECT w.*, w.names_unit = bool_or(w.names_unit) OVER (PARTITION BY w.source) AS chosen
        FROM dpmix_internal.ways(walked.schema, walked.root, walked.unit) w),
    choice AS MATERIALIZED (
        SELECT w.source, count(*) FILTER (WHERE w.chosen) AS ways, bool_or(w.names_unit) AS names_unit,
               min(w.target) FILTER (WHERE w.chosen) AS target, min(w.defect) FILTER (WHERE w.chosen) AS defect,
               string_agg(format('(%s)', array_to_string(w.link, ', ')), ', ' ORDER BY w.link)
                   FILTER (WHERE NOT w.chosen) AS others
        FROM way w GROUP BY w.source),
    decided(relation, place) AS (
        SELECT walked.root::oid, 0
        UNION
        SELECT c.source, d.place + 1 FROM choice c JOIN decided d ON d.relation = c.target
        WHERE c.ways = 1 AND c.defect IS NULL),
    outward(relation) AS (
        SELECT k.confrelid FROM pg_constraint k
        WHERE k.contype = 'f' AND (k.conrelid = walked.root OR k.conrelid IN (SELECT c.source FROM choice c))
        UNION
        SELECT k.confrelid FROM outward o JOIN pg_constraint k ON k.conrelid = o.relation WHERE k.contype = 'f')
    SELECT t.oid::regclass,
           CASE WHEN t.oid = walked.root OR d.place IS NOT NULL AND c.names_unit THEN 'own column'
                WHEN d.place IS NOT NULL THEN 'link'
                WHEN c.source IS NOT NULL THEN 'undecided'
                WHEN o.relation IS NOT NULL THEN 'public candidate'
                ELSE 'not reached' END,
           CASE WHEN d.place IS NOT NULL AND NOT c.names_unit THEN c.target::regclass END, d.place,
           CASE WHEN d.place IS NOT NULL
                THEN 'somebody else whom ' || c.others || ' leads to is not protected by it'
                WHEN c.ways > 1 THEN format('%s foreign keys lead to somebody: choose whose its rows are', c.ways)
                WHEN c.defect IS NOT NULL THEN c.defect
                WHEN c.source IS NOT NULL THEN format('%s is undecided', c.target::regclass)
                WHEN o.relation IS NOT NULL THEN 'public only if nothing in it is about one person'
                ELSE 'no foreign key leads from it to somebody' END
    FROM pg_class t
    LEFT JOIN choice c ON c.source = t.oid
    LEFT JOIN decided d ON d.relation = t.oid
    LEFT JOIN outward o ON o.relation = t.oid
    WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition AND t.relpersistence <> 't'
      AND (t.relnamespace = walked.schema OR t.oid = walked.root);
    END;
COMMENT ON FUNCTION dpmix_internal.walked(regnamespace, regclass, name) IS
    'what the tables of a schema become, for dpmix.protect_schema()';

CREATE FUNCTION dpmix_internal.protect_statement(relation oid, population name, max_rows_per_unit integer,
                                                 adjacency text, unit name, target oid, link name[], key name[])
    RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT format('SELECT dpmix.protect(%L, population => %L, %s%s%s);', relation::regclass, population,
                  CASE WHEN unit IS NOT NULL THEN format('privacy_unit => %L', unit)
                       ELSE format('unit_through => %L, link => %L, target_key => %L', target::regclass, link, key) END,
                  CASE WHEN unit IS NULL OR NOT EXISTS (
                           SELECT FROM pg_index i
                           JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                           WHERE i.indrelid = protect_statement.relation AND a.attname = protect_statement.unit
                             AND a.attnotnull AND i.indnkeyatts = 1 AND i.indisunique AND i.indisvalid
                             AND i.indimmediate AND i.indpred IS NULL)
                       THEN format(', max_rows_per_unit => %s', max_rows_per_unit) END,
                  CASE WHEN adjacency <> 'add_remove' THEN format(', adjacency => %L', adjacency) END);
    END;
COMMENT ON FUNCTION dpmix_internal.protect_statement(oid, name, integer, text, name, oid, name[], name[]) IS
    'the call of dpmix.protect() for a table, by a column where unit is not NULL';

CREATE FUNCTION dpmix.protect_schema(schema regnamespace, root regclass, privacy_unit name, population name,
                                     max_rows_per_unit integer, epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL,
                                     accountant text DEFAULT NULL, adjacency text DEFAULT 'add_remove',
                                     apply boolean DEFAULT false)
    RETURNS TABLE (relation regclass, becomes text, through regclass, reason text, statement text)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    known boolean;
BEGIN
    IF num_nulls(schema, root, privacy_unit, population, max_rows_per_unit, adjacency, apply) > 0 THEN
        RAISE EXCEPTION 'an argument of dpmix.protect_schema() is NULL'
            USING ERRCODE = 'PV005',
                  DETAIL = 'Only epsilon, delta and accountant may be, where the population is there.',
                  HINT = 'Name the schema, the table whose rows are the people, its column, and a population.';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = root AND a.attname = protect_schema.privacy_unit
                   AND a.attnum > 0 AND NOT a.attisdropped) THEN
        RAISE EXCEPTION '% has no column "%"', root, privacy_unit
            USING ERRCODE = 'PV005', DETAIL = 'The root is the table whose rows are the people.',
                  HINT = 'Name the column that other tables refer to.';
    END IF;
    known := EXISTS (SELECT FROM dpmix.populations p WHERE p.name = protect_schema.population);
    IF known <> (num_nonnulls(epsilon, delta) = 0) OR num_nonnulls(epsilon, delta) = 1 THEN
        RAISE EXCEPTION 'epsilon and delta belong to a new population'
            USING ERRCODE = 'PV005',
                  DETAIL = format('There is %s population %L.', CASE WHEN known THEN 'a' ELSE 'no' END, population),
                  HINT = CASE WHEN known THEN 'Leave them out: it has a budget.'
                              ELSE 'State both: they are the budget.' END;
    END IF;
    IF NOT known THEN
        becomes := 'population';
        SELECT format('SELECT dpmix.create_population(%L, %s%s);', population,
                      string_agg(CASE WHEN abs(n) < 'Infinity' THEN n::text ELSE quote_literal(n) END, ', '
                                 ORDER BY place),
                      ', ' || quote_literal(accountant))
        INTO statement FROM unnest(ARRAY[epsilon, delta]) WITH ORDINALITY AS b(n, place);
        IF apply THEN EXECUTE statement; END IF;
        RETURN NEXT;
    END IF;
    FOR relation, becomes, through, reason, statement IN
        SELECT t.relation, t.becomes, t.through,
               CASE WHEN p.relation IS NOT NULL THEN 'it is protected already'
                    WHEN d.relation IS NOT NULL THEN 'it is declared public already' ELSE t.reason END,
               CASE WHEN p.relation IS NOT NULL OR d.relation IS NOT NULL THEN NULL
                    WHEN t.relation = root
                    THEN dpmix_internal.protect_statement(root, population, max_rows_per_unit, adjacency, privacy_unit,
                                                          NULL, NULL, NULL)
                    WHEN t.becomes = 'public candidate' THEN format('SELECT dpmix.declare_public(%L);', t.relation)
                    ELSE s.statements END
        FROM dpmix_internal.walked(schema, root, privacy_unit) t
        LEFT JOIN (
            SELECT w.source,
                   string_agg(dpmix_internal.protect_statement(
                                  w.source, population, max_rows_per_unit, adjacency,
                                  CASE WHEN w.names_unit THEN w.link[1] END, w.target, w.link, w.key),
                              E'\n' ORDER BY w.link, w.target::regclass::text) AS statements
            FROM (SELECT *, bool_or(names_unit) OVER (PARTITION BY source) AS any_names
                  FROM dpmix_internal.ways(schema, root, privacy_unit)) w
            WHERE w.names_unit = w.any_names GROUP BY w.source) s ON s.source = t.relation
        LEFT JOIN (SELECT DISTINCT e.relation FROM dpmix_internal.described_tables() e) p ON p.relation = t.relation
        LEFT JOIN dpmix.public_tables d ON d.relation = t.relation
        ORDER BY t.place, CASE t.becomes WHEN 'undecided' THEN 1 WHEN 'public candidate' THEN 2 ELSE 3 END,
                 t.relation::text
    LOOP
        IF apply AND becomes IN ('own column', 'link') AND statement IS NOT NULL THEN EXECUTE statement; END IF;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION dpmix.protect_schema(regnamespace, regclass, name, name, integer, float8, float8, text, text,
                                         boolean) IS
    E'says what each table of a schema becomes where the rows of one table are the people, by its foreign keys, and by '
    'which statement; with apply it runs those of the population and of the tables that are decided, in one '
    'transaction. It reads no row.\n'
    'schema: whose tables are looked at\n'
    'root: the table whose rows are the people\n'
    'privacy_unit: its column that names them\n'
    'population: as for dpmix.protect(); it is made where it is not there\n'
    'max_rows_per_unit: of each table but those where a unique index shows one; change it table by table with '
    'dpmix.set_max_rows_per_unit()\n'
    'epsilon, delta, accountant: of a new population, as for dpmix.create_population(); NULL where it is there\n'
    'adjacency: as for dpmix.protect()\n'
    'apply: whether statements are run\n'
    'relation: the table; NULL: the population\n'
    'becomes: population; own column: one foreign key names the person; link: one leads to a table that says whose '
    'row it is; undecided: several do, or the one cannot be used, and statement has all that there are; public '
    'candidate: protected tables refer to it, straight or through others, and it refers to nobody: nothing makes it '
    'public but your own word; not reached\n'
    'through: where the link leads\n'
    'reason: why, or what is to be thought of; NULL: nothing\n'
    'statement: what makes it so; NULL: nothing is to be done\n'
    'Errors: those of dpmix.protect(); PV005 no such column, or a budget that is missing or there already.\n'
    'See also: dpmix.protect, dpmix.declare_public, docs/guide/populations.md.';
