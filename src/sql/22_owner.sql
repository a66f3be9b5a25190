-- What a table's owner declares. Everyone may call these; they ask for ownership themselves.

CREATE FUNCTION dpmix.protect(relation regclass, epsilon float8, delta float8,
                              privacy_unit name DEFAULT NULL, max_rows_per_unit integer DEFAULT 1,
                              adjacency text DEFAULT 'add_remove', label name DEFAULT NULL,
                              accountant text DEFAULT 'renyi')
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_protect';
COMMENT ON FUNCTION dpmix.protect(regclass, float8, float8, name, integer, text, name, text) IS
    'puts a table under a privacy budget: epsilon 1e-6 to 1e7, delta 0 to below .5 (above 0 unless the accountant is '
    'basic); privacy_unit: the column that says whose row it is (NULL: each row is a unit), of which a query uses max_rows_per_unit rows, 1 to '
    '1000000, chosen at random; adjacency add_remove, replace or label; accountant renyi, gdp (more answers with Gaussian noise, that is '
    'with a delta; fewer without) or basic (sums of epsilon and delta). Earlier charges under the same '
    'name resume. PV005: invalid parameter, protected already, shares rows with a protected table';

CREATE FUNCTION dpmix.unprotect(relation regclass)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_unprotect';
COMMENT ON FUNCTION dpmix.unprotect(regclass) IS
    'ends releases about a table; its charges stay on record and resume with the next protect(). '
    'PV006: not protected';

CREATE FUNCTION dpmix.set_budget(relation regclass, epsilon float8, delta float8, reason text)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_budget';
COMMENT ON FUNCTION dpmix.set_budget(regclass, float8, float8, text) IS
    'changes the total budget of a table, on record with its reason; the guarantee is that of the '
    'largest budget ever set. Ranges as for protect(). PV005, PV006';

CREATE FUNCTION dpmix.set_bounds(relation regclass, column_name name, lower float8, upper float8)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_bounds';
COMMENT ON FUNCTION dpmix.set_bounds(regclass, name, float8, float8) IS
    'states public bounds of a column, to which values are clamped: finite, lower < upper; dates in '
    'days, timestamps in seconds since 2000-01-01. PV005, PV006';

CREATE FUNCTION dpmix.set_bounds(relation regclass, column_name name, lower date, upper date)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_bounds_date';
COMMENT ON FUNCTION dpmix.set_bounds(regclass, name, date, date) IS
    'states public bounds of a date or timestamp column: finite, lower < upper. PV005, PV006';

CREATE FUNCTION dpmix.set_bounds(relation regclass, column_name name, lower timestamptz,
                                 upper timestamptz)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_bounds_timestamptz';
COMMENT ON FUNCTION dpmix.set_bounds(regclass, name, timestamptz, timestamptz) IS
    'states public bounds of a date or timestamp column, in the session''s time zone where the column '
    'has none: finite, lower < upper. PV005, PV006';

CREATE FUNCTION dpmix.set_categories(relation regclass, column_name name, categories text[])
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_categories';
COMMENT ON FUNCTION dpmix.set_categories(regclass, name, text[]) IS
    'states the public values of a column by which rows may be grouped: 1 to 10000 values of the '
    'column''s type, distinct, none NULL; other values join no group. PV005, PV006';

CREATE FUNCTION dpmix.grant_access(relation regclass, role regrole, epsilon float8 DEFAULT NULL)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_grant_access';
COMMENT ON FUNCTION dpmix.grant_access(regclass, regrole, float8) IS
    'lets a role and its members spend the budget of a table; epsilon (1e-6 to 1e7, NULL: none) caps '
    'the sum of epsilon charged through this grant. PV005, PV006';

CREATE FUNCTION dpmix.revoke_access(relation regclass, role regrole)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_revoke_access';
COMMENT ON FUNCTION dpmix.revoke_access(regclass, regrole) IS
    'takes back what grant_access() gave; what was charged stays charged. PV005, PV006';

CREATE FUNCTION dpmix.adopt_ledger(reason text)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_adopt_ledger';
COMMENT ON FUNCTION dpmix.adopt_ledger(text) IS
    'database owner or superuser: continues the ledger in this restored, copied or promoted database, '
    'on record with its reason. The other copy must charge no more: both together would overspend. PV005';
