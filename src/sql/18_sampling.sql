-- How the rows of a privacy unit are chosen when it has more than a release may use.

CREATE FUNCTION dpmix.row_draw() RETURNS bigint
    LANGUAGE C VOLATILE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_row_draw';
COMMENT ON FUNCTION dpmix.row_draw() IS
    '64 random bits as a number, from a cryptographic stream whose key is fresh and secret in every process and every run of a query; '
    'private queries choose the rows of a privacy unit by it';
