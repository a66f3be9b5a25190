-- A page for the owner, of what the ledger and the catalog say of a table.

CREATE FUNCTION dpmix.report(relation regclass, newest integer DEFAULT 300, at timestamptz DEFAULT NULL)
    RETURNS text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_report';
COMMENT ON FUNCTION dpmix.report(regclass, integer, timestamptz) IS
    'owner or superuser: a static HTML page (ASCII, self-contained, no script) about a protected table: the guarantee in words, what is '
    'left and how long it lasts, who used what, the newest releases (0 to 10000) with what was asked and older ones by month, stored '
    'models, declarations, history of the budget. at: as of an earlier moment (NULL: now); access and declarations are always '
    'today''s. Times are in the session''s time zone. Reads no row of the table; free. It has the analysts'' query texts in it. '
    'PV005 parameter, PV006 never protected';
