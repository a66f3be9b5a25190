-- What the ledger and the catalog say, made for people to read.

-- Forecast ----------------------------------------------------------------------------------------

-- When a budget runs out. A gauge for those who see the budget; nothing is decided by it.

CREATE FUNCTION dpmix.forecast(
    INOUT relation regclass, IN past interval DEFAULT '30 days', IN at timestamptz DEFAULT NULL,
    OUT since timestamptz, OUT charges bigint, OUT share_spent float8, OUT share_per_day float8,
    OUT epsilon_per_day float8, OUT limited_by text, OUT charges_left bigint, OUT days_left float8,
    OUT runs_out_at timestamptz, OUT caution text)
    RETURNS record LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_forecast';
COMMENT ON FUNCTION dpmix.forecast(regclass, interval, timestamptz) IS
    E'when the budget of a table runs out if its charges go on as in the past span, by what its accountant admits. '
    'For those who see the table in dpmix.budget. Free; nothing is decided by it.\n'
    'past: the span, above 0, up to 100 years\n'
    'at: as of an earlier moment, for the owner; NULL: now\n'
    'since: where the span begins, not before the table was protected; for others than the owner at their own last '
    'charge before the span, else where the table was protected, as dpmix.audit shows them no other totals\n'
    'charges: made in the span\n'
    'share_spent: as in dpmix.budget\n'
    'share_per_day: what the span took each day of the sum that will end the budget, as a share of what that may come '
    'to\n'
    'epsilon_per_day: sum of epsilon as declared, a day\n'
    'limited_by: the sum that will end the budget, a column of dpmix.ledger; NULL without charges in the span\n'
    'charges_left: how many charges of the average size fit; NULL without charges in the span\n'
    'days_left: NULL where the budget does not run out at this pace\n'
    'runs_out_at: NULL there too, and beyond 1000 years\n'
    'caution: why not to rely on it; NULL: nothing known\n'
    'Errors: PV005 past out of range, or at in the future or before the table was protected; PV006 no such budget, or '
    'not yours to see; 42501 at for others than the owner.\n'
    'See also: docs/guide/ledger.md#when-the-budget-runs-out.';

-- Pictures ----------------------------------------------------------------------------------------

-- Pictures of what is known anyway, as SVG documents: nothing here reads a protected table.

CREATE FUNCTION dpmix.budget_svg(relation regclass) RETURNS text
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_budget_svg';
COMMENT ON FUNCTION dpmix.budget_svg(regclass) IS
    E'picture of a table''s privacy budget: the composed total over time (UTC), stacked by the role that was charged, '
    'below the budget and its changes. The owner sees all roles; others with access see their own, and the rest as '
    'one, at the times of their own charges, as in dpmix.audit. A standalone SVG document in ASCII of bounded size: '
    'six roles in colours, the rest together; at most 300 steps. Free.\n'
    'Errors: PV006 not protected, or no access; PV005 NULL.\n'
    'See also: docs/guide/pictures.md.';

CREATE FUNCTION dpmix_internal.interval_svg_add(state internal, label text, answer float8, low float8, high float8)
    RETURNS internal
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_add';
COMMENT ON FUNCTION dpmix_internal.interval_svg_add(internal, text, float8, float8, float8) IS
    'transition function of dpmix.interval_svg';
CREATE FUNCTION dpmix_internal.interval_svg_add(state internal, label text, answer float8, low float8, high float8,
                                                title text)
    RETURNS internal
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_add';
COMMENT ON FUNCTION dpmix_internal.interval_svg_add(internal, text, float8, float8, float8, text) IS
    'transition function of dpmix.interval_svg with a title';
CREATE FUNCTION dpmix_internal.interval_svg_draw(state internal) RETURNS text
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_draw';
COMMENT ON FUNCTION dpmix_internal.interval_svg_draw(internal) IS 'final function of dpmix.interval_svg';

-- No COMBINEFUNC: rows are drawn in the order they come in.
CREATE AGGREGATE dpmix.interval_svg(label text, answer float8, low float8, high float8) (
    SFUNC = dpmix_internal.interval_svg_add, STYPE = internal, SSPACE = 8192,
    FINALFUNC = dpmix_internal.interval_svg_draw, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.interval_svg(text, float8, float8, float8) IS
    E'picture of answers and their intervals, one row for each input row, in their order (ORDER BY within the call): '
    'a dot for the answer, a bar from low to high. A standalone SVG document in ASCII. The first 300 rows are drawn, '
    'the others counted. Draws what it is given and reads nothing else: free. No value raises.\n'
    'label: cut to what fits\n'
    'answer, low, high: NULL and NaN leave gaps, infinite ends are arrows\n'
    'See also: dpmix.query, docs/guide/pictures.md.';
CREATE AGGREGATE dpmix.interval_svg(label text, answer float8, low float8, high float8, title text) (
    SFUNC = dpmix_internal.interval_svg_add, STYPE = internal, SSPACE = 8192,
    FINALFUNC = dpmix_internal.interval_svg_draw, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.interval_svg(text, float8, float8, float8, text) IS
    E'the same under a title.\n'
    'title: of the rows the first that is not NULL';

-- Report ------------------------------------------------------------------------------------------

-- A page for the owner, of what the ledger and the catalog say of a table.

CREATE FUNCTION dpmix.report(relation regclass, newest integer DEFAULT 300, at timestamptz DEFAULT NULL)
    RETURNS text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_report';
COMMENT ON FUNCTION dpmix.report(regclass, integer, timestamptz) IS
    E'a static HTML page about a protected table, for its owner and superusers: the guarantee in words, what is left '
    'and how long it lasts, who used what, what was released at what cost, stored models, schedules, declarations, '
    'history of the budget. One file in ASCII, without scripts or links. Times are in the session''s time zone. Free; '
    'reads no row of the table. It holds the query texts of all roles.\n'
    'relation: a table that is protected, or was\n'
    'newest: how many releases are listed one by one, 0 to 10000; older ones are summed by month\n'
    'at: as of an earlier moment; NULL: now. Access, bounds and categories are always those of today\n'
    'Errors: PV005 newest out of range, or at in the future or before the table was protected; PV006 never protected; '
    '42501 not the owner.\n'
    'See also: dpmix.forecast, dpmix.budget_svg, docs/guide/report.md.';
