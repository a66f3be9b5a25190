-- Pictures of what is known anyway, as SVG documents: nothing here reads a protected table.

CREATE FUNCTION dpmix.budget_svg(relation regclass) RETURNS text
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_budget_svg';
COMMENT ON FUNCTION dpmix.budget_svg(regclass) IS
    E'picture of a table''s privacy budget: the composed total over time (UTC), stacked by the role that was charged, below the budget and '
    'its changes. The owner sees all roles; others with access see their own, and the rest as one, at the times of their own charges, as '
    'in dpmix.audit. A standalone SVG document in ASCII of bounded size: six roles in colours, the rest together; at most 300 steps. '
    'Free.\n'
    'Errors: PV006 not protected, or no access; PV005 NULL.\n'
    'See also: docs/guide/pictures.md.';

-- A row for each group of a query ------------------------------------------------------------------

CREATE FUNCTION dpmix.interval_svg_add(state internal, label text, answer float8, low float8, high float8)
    RETURNS internal
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_add';
COMMENT ON FUNCTION dpmix.interval_svg_add(internal, text, float8, float8, float8) IS
    'transition function of dpmix.interval_svg';
CREATE FUNCTION dpmix.interval_svg_add(state internal, label text, answer float8, low float8, high float8, title text)
    RETURNS internal
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_add';
COMMENT ON FUNCTION dpmix.interval_svg_add(internal, text, float8, float8, float8, text) IS
    'transition function of dpmix.interval_svg with a title';
CREATE FUNCTION dpmix.interval_svg_draw(state internal) RETURNS text
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_draw';
COMMENT ON FUNCTION dpmix.interval_svg_draw(internal) IS 'final function of dpmix.interval_svg';

-- No COMBINEFUNC: rows are drawn in the order they come in.
CREATE AGGREGATE dpmix.interval_svg(label text, answer float8, low float8, high float8) (
    SFUNC = dpmix.interval_svg_add, STYPE = internal, SSPACE = 8192, FINALFUNC = dpmix.interval_svg_draw, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.interval_svg(text, float8, float8, float8) IS
    E'picture of answers and their intervals, one row for each input row, in their order (ORDER BY within the call): a dot for the answer, '
    'a bar from low to high. A standalone SVG document in ASCII. The first 300 rows are drawn, the others counted. Draws what it is given '
    'and reads nothing else: free. No value raises.\n'
    'label: cut to what fits\n'
    'answer, low, high: NULL and NaN leave gaps, infinite ends are arrows\n'
    'See also: dpmix.query, docs/guide/pictures.md.';
CREATE AGGREGATE dpmix.interval_svg(label text, answer float8, low float8, high float8, title text) (
    SFUNC = dpmix.interval_svg_add, STYPE = internal, SSPACE = 8192, FINALFUNC = dpmix.interval_svg_draw, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.interval_svg(text, float8, float8, float8, text) IS
    E'the same under a title.\n'
    'title: of the rows the first that is not NULL';
