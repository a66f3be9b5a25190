-- What a scan makes of each row of a model: a class number and one array. Nothing here can raise on
-- a value.

CREATE FUNCTION dpmix.class_number(categories anyarray, value anyelement) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_number';
COMMENT ON FUNCTION dpmix.class_number(anyarray, anyelement) IS
    E'position of value in the array, counted from 0, the first of equal ones; NULL when it is not there or NULL. Takes as long for a '
    'thousand categories as for ten.\n'
    'Errors: PV005 a type without a hash function.';

CREATE FUNCTION dpmix.row_vector(VARIADIC features "any") RETURNS float8[]
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_row_vector';
COMMENT ON FUNCTION dpmix.row_vector("any") IS
    E'1 to 100 float8 values as an array, several times faster than ARRAY[...]; NULL when one of them is NULL.\n'
    'Errors: PV005 an argument of another type.';
