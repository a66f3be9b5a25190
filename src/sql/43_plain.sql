-- Plain SQL over facades: what the planner puts in place of aggregates over them.

-- Parallel unsafe: a statement with an answer runs in one process. Called on NULL: parameters may be.
CREATE FUNCTION dpmix_internal.answer(
    query text, question text, facades oid[], mode text, question_parameters integer, widths boolean,
    VARIADIC params "any")
    RETURNS SETOF record
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_answer';
CREATE FUNCTION dpmix_internal.answer(
    query text, question text, facades oid[], mode text, question_parameters integer, widths boolean)
    RETURNS SETOF record
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_answer';
COMMENT ON FUNCTION dpmix_internal.answer(text, text, oid[], text, integer, boolean) IS
    'dpmix_internal.answer() without parameters';
COMMENT ON FUNCTION dpmix_internal.answer(text, text, oid[], text, integer, boolean, "any") IS
    'dpmix.query() with typed parameters, at the price that settings and facades say: the private part of an ordinary '
    'SELECT over a facade';

-- What is above the aggregates: an expression, made by the planner alone and shown by EXPLAIN as SQL.
CREATE TYPE dpmix_internal.expression;
CREATE FUNCTION dpmix_internal.expression_in(cstring) RETURNS dpmix_internal.expression
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_expression_in';
CREATE FUNCTION dpmix_internal.expression_out(dpmix_internal.expression) RETURNS cstring
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_expression_out';
CREATE TYPE dpmix_internal.expression (
    INPUT = dpmix_internal.expression_in, OUTPUT = dpmix_internal.expression_out, STORAGE = extended);
COMMENT ON TYPE dpmix_internal.expression IS 'an expression over $1, $2, ..., which only the planner makes';
COMMENT ON FUNCTION dpmix_internal.expression_in(cstring) IS 'raises: nobody writes an expression';
COMMENT ON FUNCTION dpmix_internal.expression_out(dpmix_internal.expression) IS
    'an expression as SQL, over $1, $2, ...';

-- Parallel unsafe: it runs in a subtransaction. Called on NULL: values may be.
CREATE FUNCTION dpmix_internal.value_or_null(
    expression dpmix_internal.expression, type anyelement, VARIADIC arguments "any")
    RETURNS anyelement
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_value_or_null';
COMMENT ON FUNCTION dpmix_internal.value_or_null(dpmix_internal.expression, anyelement, "any") IS
    'an expression over $1, $2, ...: NULL where it has no value, such as a division by zero';

-- Error bars --------------------------------------------------------------------------------------

-- dpmix.low and dpmix.high are replaced as dp_low and dp_high are.
CREATE FUNCTION dpmix.low(answer "any", level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_plain';
CREATE FUNCTION dpmix.high(answer "any", level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_plain';
COMMENT ON FUNCTION dpmix.low("any", float8) IS
    E'in a SELECT over a facade the low end of the interval around an aggregate, or around what +, -, *, /, round, '
    'sqrt and casts make of aggregates and constants, as in dpmix.low(100.0 * count(*) FILTER (WHERE ill) / count(*)): '
    'the answer without noise lies between dpmix.low and dpmix.high with probability at least level, each by itself. '
    'The interval always holds the noisy answer. Of a ratio whose divisor is within its noise of 0 it is every '
    'number. Costs nothing.\n'
    'answer: what is answered\n'
    'level: a constant, above 0, below 1\n'
    'Errors: PV002 outside of a SELECT over a facade, and of other expressions; PV005 level out of range.\n'
    'See also: dpmix.dp_low, docs/guide/plain_sql.md, docs/proofs/query_ratios.md.';
COMMENT ON FUNCTION dpmix.high("any", float8) IS
    E'in a SELECT over a facade the high end of the interval around what is answered: see dpmix.low.\n'
    'answer: what is answered\n'
    'level: a constant, above 0, below 1\n'
    'Errors: PV002 outside of a SELECT over a facade, and of other expressions; PV005 level out of range.\n'
    'See also: dpmix.low.';

CREATE FUNCTION dpmix_internal.is_uncertain(width float8, share float8, usual float8) RETURNS boolean
    LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_is_uncertain';
COMMENT ON FUNCTION dpmix_internal.is_uncertain(float8, float8, float8) IS
    'whether a cell of an answer is not shown: the width of its interval, as a share of its size, is above share, or '
    'where that is NULL above dpmix.suppress, or where that is not set above what is usual';

CREATE FUNCTION dpmix.shown(answer "any", otherwise text, share float8 = NULL) RETURNS text
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_plain';
COMMENT ON FUNCTION dpmix.shown("any", text, float8) IS
    E'in a SELECT over a facade an aggregate as a text, or another text where it is too uncertain to be shown, as in '
    'dpmix.shown(count(*), ''too few''): where its 95% interval is wider than a share of its size. Costs nothing.\n'
    'answer: the aggregate\n'
    'otherwise: the text instead\n'
    'share: of the size; NULL: dpmix.suppress, or 0.5 where that is not set\n'
    'Errors: PV002 outside of a SELECT over a facade, and of anything but an aggregate.\n'
    'See also: dpmix.low, docs/guide/plain_sql.md.';
