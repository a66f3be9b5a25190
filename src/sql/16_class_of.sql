-- From a label to the number of its class.

CREATE FUNCTION dpmix.class_of(value anyelement, categories anyarray) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_of';
COMMENT ON FUNCTION dpmix.class_of(anyelement, anyarray) IS
    'number of the first of the categories that is equal to the value, counted from 0; NULL when none is. In a time that does not grow '
    'with their number, where they are constant. An error when the type cannot be hashed';
