-- The answers of dpmix.query as JSON, for callers that cannot state the columns.

CREATE FUNCTION dpmix.query_json(
    query text, epsilon float8, delta float8 = 0, mechanism text = 'auto',
    params text[] = '{}', keys text = 'declared', max_groups integer = NULL)
    RETURNS SETOF jsonb
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_query_json';
COMMENT ON FUNCTION dpmix.query_json(text, float8, float8, text, text[], text, integer) IS
    E'the answers of dpmix.query(), charged alike, as one JSON object for each row: the names of the query''s columns are its keys, '
    'and no column definition list is needed. Numbers are JSON numbers, but NaN and infinities are strings; arrays are arrays, dates '
    'and the rest text, as to_jsonb writes them. Of a row too long for one object (256 MB) only what has a fixed length of at most 8 '
    'bytes comes back, the rest as null. Arguments as for dpmix.query().\n'
    'Errors: as dpmix.query(); PV005 also when two columns have one name.';
