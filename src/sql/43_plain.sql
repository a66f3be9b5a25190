-- Plain SQL over facades: what the planner puts in place of aggregates over them.

-- Parallel unsafe: a statement with an answer runs in one process. Called on NULL: parameters may be.
CREATE FUNCTION dpmix_internal.answer(
    query text, question text, facades oid[], mode text, question_parameters integer, VARIADIC params "any")
    RETURNS SETOF record
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_answer';
CREATE FUNCTION dpmix_internal.answer(
    query text, question text, facades oid[], mode text, question_parameters integer)
    RETURNS SETOF record
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_answer';
COMMENT ON FUNCTION dpmix_internal.answer(text, text, oid[], text, integer) IS
    'dpmix_internal.answer() without parameters';
COMMENT ON FUNCTION dpmix_internal.answer(text, text, oid[], text, integer, "any") IS
    'dpmix.query() with typed parameters, at the price that settings and facades say: the private part of an ordinary '
    'SELECT over a facade';
