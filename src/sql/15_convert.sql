-- Total conversions to float8: defined for every value, unlike casts. Dates are days and timestamps
-- seconds since 2000-01-01, as in dpmix.column_domain; infinite values become +-Infinity.

CREATE FUNCTION dpmix.to_float8(boolean) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_bool_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpmix.to_float8(boolean) IS '0 or 1';

CREATE FUNCTION dpmix.to_float8(date) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_date_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpmix.to_float8(date) IS 'days since 2000-01-01; never raises';

CREATE FUNCTION dpmix.to_float8(timestamp) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_timestamp_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpmix.to_float8(timestamp) IS 'seconds since 2000-01-01; never raises';

CREATE FUNCTION dpmix.to_float8(timestamptz) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_timestamp_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpmix.to_float8(timestamptz) IS 'seconds since 2000-01-01 00:00 UTC; never raises';
