-- A page for the owner, of what the ledger and the catalog say of a table.

CREATE FUNCTION dpmix.report(relation regclass, newest integer DEFAULT 300, at timestamptz DEFAULT NULL)
    RETURNS text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_report';
COMMENT ON FUNCTION dpmix.report(regclass, integer, timestamptz) IS
    E'a static HTML page about a protected table, for its owner and superusers: the guarantee in words, what is left and how long it '
    'lasts, who used what, what was released at what cost, stored models, schedules, declarations, history of the budget. One file in '
    'ASCII, without scripts or links. Times are in the session''s time zone. Free; reads no row of the table. It holds the query texts of '
    'all roles.\n'
    'relation: a table that is protected, or was\n'
    'newest: how many releases are listed one by one, 0 to 10000; older ones are summed by month\n'
    'at: as of an earlier moment; NULL: now. Access, bounds and categories are always those of today\n'
    'Errors: PV005 newest out of range, or at in the future or before the table was protected; PV006 never protected; 42501 not the '
    'owner.\n'
    'See also: dpmix.forecast, dpmix.budget_svg, docs/guide/report.md.';
