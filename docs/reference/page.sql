-- Makes the text of docs/reference.md; page.sh feeds it pg_temp.template and .made.
--
-- A COMMENT is read line by line. `Errors: ...` and `See also: ...` have places of their own. A line that
-- begins with names of arguments, as in `epsilon, delta: ...`, describes these, one that begins with
-- names of result columns those; where a name is both, lines after a result column's are of the result.
-- All else is description. `dpmix.name` and `docs/page.md` become links.

SET quote_all_identifiers = off;
SET IntervalStyle = postgres;  -- defaults of arguments
LOAD 'dpmix';  -- its settings

-- What is documented ------------------------------------------------------------------------------

CREATE TEMP VIEW member AS
    SELECT classid, objid FROM pg_depend
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
      AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpmix');

-- Of schema dpmix, which holds what users call and read, and tables that they have no rights to.
CREATE TEMP TABLE object AS
    SELECT 'routine' AS class, p.oid, p.proname::text AS name, obj_description(p.oid, 'pg_proc') AS comment, true AS public
    FROM pg_proc p JOIN pg_temp.member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
    WHERE p.pronamespace = 'dpmix'::regnamespace
UNION ALL
    SELECT 'relation', c.oid, c.relname, obj_description(c.oid, 'pg_class'), has_table_privilege('public', c.oid, 'SELECT')
    FROM pg_class c JOIN pg_temp.member m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
    WHERE c.relkind IN ('r', 'p', 'v', 'm') AND c.relnamespace = 'dpmix'::regnamespace
UNION ALL
    SELECT 'type', t.oid, t.typname, obj_description(t.oid, 'pg_type'), has_type_privilege('public', t.oid, 'USAGE')
    FROM pg_type t JOIN pg_temp.member m ON m.classid = 'pg_type'::regclass AND m.objid = t.oid
    WHERE t.typnamespace = 'dpmix'::regnamespace AND t.typcategory <> 'A' AND (t.typrelid = 0 OR (SELECT c.relkind = 'c' FROM pg_class c WHERE c.oid = t.typrelid));

-- One entry for all routines of a name, in the piece that makes the first of them.
CREATE TEMP TABLE entry AS
    SELECT o.class, o.name, min(m.number) AS number, (array_agg(m.piece ORDER BY m.number))[1] AS piece,
           (array_agg(m.section ORDER BY m.number))[1] AS section
    FROM pg_temp.object o LEFT JOIN pg_temp.made m ON m.name = o.name
    WHERE o.public
    GROUP BY o.class, o.name;

-- `<!-- objects: 50_mixture, 80_report/Forecast -->`: those of a piece of src/sql, or of one section of it.
CREATE FUNCTION pg_temp.places(line text) RETURNS text[] LANGUAGE sql AS $$
    SELECT regexp_split_to_array(substring(line FROM '^<!-- objects: (.*) -->$'), ', ')
$$;

DO $$
DECLARE
    astray text := (
        SELECT string_agg(format('dpmix.%s (%s)', name, coalesce(section, 'no CREATE in src/sql')), ', ')
        FROM pg_temp.entry e
        WHERE 1 <> (SELECT count(*) FROM pg_temp.template t, unnest(pg_temp.places(t.line)) p WHERE p IN (e.piece, e.section)));
    empty text := (
        SELECT string_agg(p, ', ') FROM pg_temp.template t, unnest(pg_temp.places(t.line)) p
        WHERE NOT EXISTS (SELECT FROM pg_temp.entry e WHERE p IN (e.piece, e.section)));
BEGIN
    IF astray IS NOT NULL THEN RAISE EXCEPTION 'docs/reference/page.md.in gives not one place to %', astray; END IF;
    IF empty IS NOT NULL THEN RAISE EXCEPTION 'docs/reference/page.md.in names what makes nothing public: %', empty; END IF;
END $$;

-- Texts -------------------------------------------------------------------------------------------

CREATE FUNCTION pg_temp.entry_link(name text, parentheses text) RETURNS text LANGUAGE sql AS $$
    SELECT '[dpmix.' || name || coalesce(parentheses, '') || '](#dpmix' || name || ')'  -- the anchor of `### dpmix.name`
$$;

CREATE FUNCTION pg_temp.markdown(said text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(coalesce(pg_temp.entry_link(e.name, substring(part FROM '^dpmix\.[a-z_0-9]+(\(\))'))
                               || regexp_replace(part, '^dpmix\.[a-z_0-9]+(\(\))?', ''), part), '' ORDER BY n)
    FROM regexp_split_to_table(
             regexp_replace(regexp_replace(said, '([][\\`*<|$])', '\\\1', 'g'),
                            '\mdocs/(guide/)?([a-z_/0-9]+\.md)(#[a-z-]+)?', '[\2](\1\2\3)', 'g'),
             '(?=\mdpmix\.[a-z])') WITH ORDINALITY AS parts(part, n)
    LEFT JOIN (SELECT DISTINCT name FROM pg_temp.entry) e ON e.name = substring(part FROM '^dpmix\.([a-z_0-9]+)')
$$;

CREATE FUNCTION pg_temp.type_name(type oid) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace(replace(format_type(type, NULL), 'double precision', 'float8'),
                           'timestamp with time zone', 'timestamptz'), 'timestamp without time zone', 'timestamp')
$$;

CREATE FUNCTION pg_temp.arguments(routine oid, modes text, OUT n bigint, OUT name text, OUT shown text)
    RETURNS SETOF record LANGUAGE sql AS $$
    SELECT a.n, nullif(p.proargnames[a.n], ''),
           concat_ws(' ', CASE coalesce(p.proargmodes[a.n], 'i') WHEN 'v' THEN 'VARIADIC' WHEN 'b' THEN 'INOUT' END,
                     nullif(p.proargnames[a.n], ''), pg_temp.type_name(a.type),
                     'DEFAULT ' || regexp_replace(pg_get_function_arg_default(p.oid, a.n::integer), '::[a-z_. ]+(\[\])?$', ''))
    FROM pg_proc p, unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY AS a(type, n)
    WHERE p.oid = routine AND strpos(modes, coalesce(p.proargmodes[a.n], 'i')::text) > 0
$$;

-- On one line where that is short, else one item a line.
CREATE FUNCTION pg_temp.listed(items text[], short boolean) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN short OR items = '{}' THEN '(' || array_to_string(items, ', ') || ')'
                ELSE E'(\n    ' || array_to_string(items, E',\n    ') || E'\n)' END
$$;

CREATE FUNCTION pg_temp.synopsis(routine oid) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN length(head || pg_temp.listed(inputs, true) || pg_temp.listed(outputs, true)) < 95
                THEN head || pg_temp.listed(inputs, true) || returns || CASE WHEN outputs = '{}' THEN '' ELSE pg_temp.listed(outputs, true) END
                WHEN outputs = '{}' THEN head || pg_temp.listed(inputs, false) || returns
                ELSE head || pg_temp.listed(inputs, length(head || pg_temp.listed(inputs, true)) < 95) || returns
                     || pg_temp.listed(outputs, false) END
    FROM pg_proc p
    CROSS JOIN LATERAL (
        SELECT CASE WHEN p.prokind = 'a' AND p.pronargs = 0 THEN '{*}'
                    ELSE ARRAY(SELECT a.shown FROM pg_temp.arguments(routine, 'ibv') a ORDER BY a.n) END AS inputs,
               ARRAY(SELECT a.shown FROM pg_temp.arguments(routine, 'ot') a ORDER BY a.n) AS outputs) AS shown
    CROSS JOIN LATERAL (
        SELECT CASE p.prokind WHEN 'a' THEN 'AGGREGATE ' WHEN 'p' THEN 'CALL ' ELSE '' END || 'dpmix.' || p.proname AS head,
               CASE WHEN p.prokind = 'p' THEN ''
                    WHEN outputs <> '{}' THEN ' RETURNS ' || CASE WHEN p.proretset THEN 'TABLE ' ELSE '' END
                    ELSE ' RETURNS ' || CASE WHEN p.proretset THEN 'SETOF ' ELSE '' END || pg_temp.type_name(p.prorettype) END AS returns) AS made
    WHERE p.oid = routine
$$;

-- columns: of a relation or composite type, told before errors.
CREATE FUNCTION pg_temp.page(comment text, inputs text[], outputs text[], columns text DEFAULT NULL) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    line text;
    names text[];
    place text;
    before text := 'Description';
    page text := '';
BEGIN
    FOREACH line IN ARRAY regexp_split_to_array(comment, '\n+') LOOP
        names := regexp_split_to_array(substring(line FROM '^([a-z_0-9]+(?:, [a-z_0-9]+)*): '), ', ');
        place := CASE WHEN line ~ '^Errors: ' THEN 'Errors'
                      WHEN line ~ '^See also: ' THEN 'See also'
                      WHEN names <@ outputs AND (before = 'Result' OR NOT names <@ inputs) THEN 'Result'
                      WHEN names <@ inputs THEN 'Arguments'
                      ELSE 'Description' END;
        IF place IN ('Errors', 'See also') AND columns IS NOT NULL THEN
            page := page || E'\n' || columns;
            columns := NULL;
        END IF;
        IF place <> before THEN
            page := page || E'\n' || CASE WHEN place = 'Description' THEN '' ELSE '**' || place || E'**\n\n' END;
        ELSIF place = 'Description' AND page <> '' THEN
            page := page || E'\n';
        END IF;
        before := place;
        line := CASE place WHEN 'Description' THEN pg_temp.markdown(line)
                           WHEN 'Errors' THEN pg_temp.markdown(substr(line, 9))
                           WHEN 'See also' THEN pg_temp.markdown(substr(line, 11))
                           ELSE '- `' || array_to_string(names, '`, `') || '`: '
                                || pg_temp.markdown(regexp_replace(line, '^[a-z_0-9, ]+: ', '')) END;
        page := page || line || E'\n';
    END LOOP;
    RETURN page || coalesce(E'\n' || columns, '');
END $$;

CREATE FUNCTION pg_temp.columns(relation oid) RETURNS text LANGUAGE sql AS $$
    SELECT E'| column | type | |\n| --- | --- | --- |\n'
        || string_agg(format(E'| `%s` | %s | %s |\n', a.attname, pg_temp.type_name(a.atttypid),
                             pg_temp.markdown(coalesce(col_description(relation, a.attnum), ''))), '' ORDER BY a.attnum)
    FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped
$$;

CREATE FUNCTION pg_temp.names(routines oid[], modes text) RETURNS text[] LANGUAGE sql AS $$
    SELECT ARRAY(SELECT DISTINCT a.name FROM unnest(routines) r, pg_temp.arguments(r, modes) a WHERE a.name IS NOT NULL)
$$;

-- Overloads that say the same share a synopsis.
CREATE FUNCTION pg_temp.entry_page(entry_class text, entry_name text) RETURNS text LANGUAGE sql AS $$
    SELECT '### dpmix.' || entry_name || E'\n\n' || string_agg(E'```sql\n' || synopsis || E'\n```\n\n' || body, E'\n' ORDER BY first)
    FROM (
        SELECT min(o.oid) AS first, string_agg(pg_temp.synopsis(o.oid), E'\n' ORDER BY o.oid) AS synopsis,
               pg_temp.page(o.comment, pg_temp.names(array_agg(o.oid), 'ibv'), pg_temp.names(array_agg(o.oid), 'otb')) AS body
        FROM pg_temp.object o
        WHERE entry_class = 'routine' AND o.class = 'routine' AND o.name = entry_name AND o.public
        GROUP BY o.comment
    UNION ALL
        SELECT o.oid, CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END || ' dpmix.' || o.name,
               pg_temp.page(o.comment, '{}', '{}', pg_temp.columns(o.oid))
        FROM pg_temp.object o JOIN pg_class c ON c.oid = o.oid
        WHERE entry_class = 'relation' AND o.class = 'relation' AND o.name = entry_name
    UNION ALL
        SELECT o.oid, 'TYPE dpmix.' || o.name, pg_temp.page(o.comment, '{}', '{}', pg_temp.columns(t.typrelid))
        FROM pg_temp.object o JOIN pg_type t ON t.oid = o.oid
        WHERE entry_class = 'type' AND o.class = 'type' AND o.name = entry_name
    ) AS described
$$;

CREATE FUNCTION pg_temp.entries(places text[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(pg_temp.entry_link(name, ''), E' ·\n' ORDER BY place, number) || E'\n\n'
        || string_agg(pg_temp.entry_page(class, name), E'\n' ORDER BY place, number)
    FROM pg_temp.entry JOIN unnest(places) WITH ORDINALITY AS wanted(name_of_place, place) ON name_of_place IN (piece, section)
$$;

CREATE FUNCTION pg_temp.settings() RETURNS text LANGUAGE sql AS $$
    SELECT E'| setting | default | range | who may set it | |\n| --- | --- | --- | --- | --- |\n'
        || string_agg(format(E'| `%s` | %s | %s | %s | %s |\n', s.name, concat_ws(' ', nullif(s.boot_val, ''), s.unit),
                             coalesce(s.min_val || ' to ' || s.max_val, array_to_string(s.enumvals, ', '), ''),
                             CASE s.context WHEN 'user' THEN 'everyone' WHEN 'superuser' THEN 'superusers'
                                  ELSE 'the configuration (' || s.context || ')' END,
                             pg_temp.markdown(concat_ws(' ', s.short_desc, s.extra_desc))), '' ORDER BY s.name COLLATE "C")
    FROM pg_settings s WHERE s.name LIKE 'dpmix.%'
$$;

CREATE FUNCTION pg_temp.tables() RETURNS text LANGUAGE sql AS $$
    SELECT E'| table | |\n| --- | --- |\n' || string_agg(format(E'| `dpmix.%s` | %s |\n', name, pg_temp.markdown(comment)), '' ORDER BY oid)
    FROM pg_temp.object WHERE class = 'relation' AND NOT public
$$;

SELECT rtrim(text, E'\n') FROM (
    SELECT number, CASE WHEN line ~ '^<!-- objects: ' THEN pg_temp.entries(pg_temp.places(line))
                        WHEN line = '<!-- settings -->' THEN pg_temp.settings()
                        WHEN line = '<!-- tables -->' THEN pg_temp.tables()
                        ELSE line END AS text
    FROM pg_temp.template) AS made
ORDER BY number;
