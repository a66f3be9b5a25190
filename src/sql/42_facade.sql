-- Facades: views that stand for protected tables, or for views over these, so that any client can ask with an ordinary
-- SELECT. A facade has the columns of what it stands for and an empty body that raises when it runs; the planner
-- replaces it.

-- A row names its view by oid and by qualified name, as dpmix.protected_table does its table.
CREATE TABLE dpmix.facade (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- in the view's body
    view        oid    NOT NULL,
    schema_name name   NOT NULL,
    view_name   name   NOT NULL,
    table_id    bigint,  -- NULL: of the view of_schema.of_view
    default_epsilon       float8,  -- of a query that states none; NULL: it has to
    default_delta         float8,
    max_epsilon_per_query float8,  -- NULL: any
    comments    boolean NOT NULL,  -- what is declared about columns is in the comments of the view's
    rows        text    NOT NULL CHECK (rows IN ('empty', 'refuse', 'synthetic')),  -- what a look at its columns gets
    rows_schema name,              -- of the table of synthetic rows
    rows_name   name,
    of_schema   name,
    of_view     name,
    CHECK (num_nonnulls(table_id, of_view) = 1 AND (of_schema IS NULL) = (of_view IS NULL)),
    CHECK ((rows = 'synthetic') = (rows_name IS NOT NULL) AND (rows_schema IS NULL) = (rows_name IS NULL)),
    UNIQUE (schema_name, view_name)
);
COMMENT ON TABLE dpmix.facade IS 'views that stand for protected tables, or views over them, in plain SQL';

SELECT pg_catalog.pg_extension_config_dump('dpmix.facade'::regclass, '');
SELECT pg_catalog.pg_extension_config_dump(pg_catalog.pg_get_serial_sequence('dpmix.facade', 'id')::regclass, '');

CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON dpmix.facade
    FOR EACH ROW EXECUTE FUNCTION dpmix_internal.announce_change();
ALTER TABLE dpmix.facade ENABLE ALWAYS TRIGGER announce;

-- What the owner of a view declares of the columns that it computes. It belongs to the view's name, and holds while the
-- column has this type.
CREATE TABLE dpmix.view_column (
    schema_name name   NOT NULL,
    view_name   name   NOT NULL,
    column_name name   NOT NULL,
    column_type text   NOT NULL,
    lower       float8,   -- as in dpmix.column_domain
    upper       float8,
    categories  text[],
    other       text,
    PRIMARY KEY (schema_name, view_name, column_name),
    CHECK (num_nonnulls(lower, categories) = 1 AND (lower IS NULL) = (upper IS NULL)),
    CHECK (other IS NULL OR categories IS NOT NULL)
);
COMMENT ON TABLE dpmix.view_column IS
    'bounds and categories of columns that views over protected tables compute: they are put into the views'' texts';
SELECT pg_catalog.pg_extension_config_dump('dpmix.view_column'::regclass, '');
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON dpmix.view_column
    FOR EACH ROW EXECUTE FUNCTION dpmix_internal.announce_change();
ALTER TABLE dpmix.view_column ENABLE ALWAYS TRIGGER announce;

-- Never STRICT: a NULL would then make it an empty table.
CREATE FUNCTION dpmix_internal.facade_guard(facade bigint) RETURNS SETOF record
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_facade_guard';
COMMENT ON FUNCTION dpmix_internal.facade_guard(bigint) IS
    'body of a facade: raises whenever it runs, so that no row comes where the planner did not replace it';

CREATE FUNCTION dpmix.expose(relation regclass, view text DEFAULT NULL, default_epsilon float8 DEFAULT NULL,
                             default_delta float8 DEFAULT NULL, max_epsilon_per_query float8 DEFAULT NULL,
                             replace boolean DEFAULT false, comments boolean DEFAULT false,
                             intervals boolean DEFAULT false, rows text DEFAULT 'empty',
                             rows_from regclass DEFAULT NULL)
    RETURNS regclass LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_expose';
COMMENT ON FUNCTION dpmix.expose(regclass, text, float8, float8, float8, boolean, boolean, boolean, text, regclass) IS
    E'makes a facade of a protected table and returns it: a view with the table''s columns that analysts query with '
    'ordinary SELECTs, also with sub-selects of what each person did, and of which no row ever comes. It belongs to '
    'the table''s owner. Roles with access get SELECT on it, as they do from later calls of dpmix.grant_access(), and '
    'dpmix.revoke_access() takes it; the right to spend remains dpmix.grant_access()''s alone.\n'
    'Of a view over protected tables it makes a facade of the view: an aggregate of it is what dpmix.query() answers of the '
    'view, charged to the tables below. It stands for the view that has the name, and roles with a grant on the view get '
    'SELECT.\n'
    'The facade follows the table: new and renamed columns, its owner, its own name. A column that was dropped or '
    'has another type stays, marked by a comment, and is an error when it is used. Called for a facade of the same '
    'table that is there, it adds missing columns and states all of its settings anew. Only the table''s owner and '
    'superusers may call it.\n'
    'relation: a protected table that takes queries; or a view over protected tables with a privacy_unit or a link, without '
    'security_invoker, of the caller, whose owner has the rights of the tables'' owners\n'
    'view: name of the facade, with or without a schema; without one it is in schema private, which is made if need '
    'be; NULL: the table''s own name. The schema belongs to the table''s owner or to a superuser\n'
    'default_epsilon, default_delta: what a query costs that states nothing; epsilon 1e-6 to 1e7, delta 0 to 0.5; '
    'NULL: it has to state it\n'
    'max_epsilon_per_query: no query of the facade asks for more, 1e-6 to 1e7; NULL: any\n'
    'replace: drops the facade and makes it again, without the columns that the table has no longer; not while '
    'views of others hang on it\n'
    'comments: what is declared about columns, and how many rows of a privacy unit count, becomes their comments, which '
    'everyone reads who may connect\n'
    'intervals: the view''s comment says how to ask for error bars\n'
    'rows: empty: a client''s SELECT that only picks columns of the facade (SELECT * ... LIMIT 1, head()) gets them, '
    'and no rows; refuse: it is refused, as is whatever else asks for rows; synthetic: as empty, and readers who SET '
    'dpmix.rows = ''synthetic'' get made-up rows of rows_from, where a client''s whole statement is SELECT of columns and '
    'expressions FROM the facade [WHERE] [ORDER BY] [LIMIT]. Their last column is dpmix_synthetic\n'
    'rows_from: for synthetic, a table that is declared public and belongs to the protected table''s owner, with rows of '
    'dpmix.synthesize(); the columns that it lacks are NULL\n'
    'Errors: PV005 a value out of range, a table that takes no queries, a view that is none of these, a schema of another role''s, or something '
    'else under that name; PV006 not protected; 42501 not the owner, or no right to make the schema; 2BP01 others'' '
    'views hang on it.\n'
    'See also: dpmix.hide, dpmix.grant_access, docs/guide/plain_sql.md, docs/guide/people.md, docs/proofs/facade.md.';

CREATE FUNCTION dpmix.hide(view regclass) RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_hide';
COMMENT ON FUNCTION dpmix.hide(regclass) IS
    E'drops a facade, as DROP VIEW does: not while others'' views hang on it. For its owner and superusers, also '
    'when its table is gone.\n'
    'Errors: PV005 no facade; 2BP01 others'' views hang on it; 42501 not the owner.\n'
    'See also: dpmix.expose.';
