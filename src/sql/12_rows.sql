-- What scans make of a row. Nothing here can raise on a value.

-- Numbers -----------------------------------------------------------------------------------------

-- Total conversions to float8: defined for every value, unlike casts. Dates are days and timestamps
-- seconds since 2000-01-01, as in dpmix.column_domain; infinite values become +-Infinity.

CREATE FUNCTION dpmix_internal.to_float8(numeric) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_to_float8';
COMMENT ON FUNCTION dpmix_internal.to_float8(numeric) IS
    'nearest float8; beyond its range: infinity (the cast raises an error). Never raises';

CREATE FUNCTION dpmix_internal.to_float8(boolean) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_bool_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpmix_internal.to_float8(boolean) IS '0 or 1';

CREATE FUNCTION dpmix_internal.to_float8(date) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_date_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpmix_internal.to_float8(date) IS 'days since 2000-01-01; never raises';

CREATE FUNCTION dpmix_internal.to_float8(timestamp) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_timestamp_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpmix_internal.to_float8(timestamp) IS 'seconds since 2000-01-01; never raises';

CREATE FUNCTION dpmix_internal.to_float8(timestamptz) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_timestamp_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpmix_internal.to_float8(timestamptz) IS 'seconds since 2000-01-01 00:00 UTC; never raises';

-- A class number and one array --------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.class_number(categories anyarray, value anyelement) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_number';
COMMENT ON FUNCTION dpmix_internal.class_number(anyarray, anyelement) IS
    E'position of value in the array, counted from 0, the first of equal ones; NULL when it is not there or NULL. '
    'Takes as long for a thousand categories as for ten.\n'
    'Errors: PV005 a type without a hash function.';

CREATE FUNCTION dpmix_internal.row_vector(VARIADIC features "any") RETURNS float8[]
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_row_vector';
COMMENT ON FUNCTION dpmix_internal.row_vector("any") IS
    E'1 to 100 float8 values as an array, several times faster than ARRAY[...]; NULL when one of them is NULL.\n'
    'Errors: PV005 an argument of another type.';

CREATE FUNCTION dpmix_internal.measured_row(x float8[], rules float8[]) RETURNS float8[]
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_measured_row';
COMMENT ON FUNCTION dpmix_internal.measured_row(float8[], float8[]) IS
    E'what a release measures of a row whose columns have rules (dpmix.declare): of a number that is at least another, '
    'by how much; of a sum nothing. Missing values are NaN. Never raises on a value; NULL when one of them is NULL.\n'
    'rules: the number of columns; then of each: whether it is a number, whether whole, its bounds, the column that it '
    'is at least (-1: none), the one that it is present with, parts of 1 that a sum is rounded to, the number of columns '
    'that it is the sum of, and these\n'
    'Errors: PV005 not such rules, or as many numbers as they have columns.';

-- Rows as they lie ------------------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.whole(anyelement) RETURNS anyelement
    LANGUAGE C STRICT VOLATILE PARALLEL SAFE COST 0.1 AS 'MODULE_PATHNAME', 'dpmix_whole';
COMMENT ON FUNCTION dpmix_internal.whole(anyelement) IS
    'The same value, with what of it is stored out of line fetched; private queries call it for every row of a table, so '
    'that the pages they read do not tell which rows match';

-- Arithmetic --------------------------------------------------------------------------------------

-- What expressions in dpmix.query are compiled to. NULL where PostgreSQL's own operator raises an error:
-- division by zero, what has no root or logarithm, results beyond the range of float8. What is too close
-- to 0 is 0.

CREATE FUNCTION dpmix_internal.total_add(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_add';
COMMENT ON FUNCTION dpmix_internal.total_add(float8, float8) IS 'a + b; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix_internal.total_subtract(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_subtract';
COMMENT ON FUNCTION dpmix_internal.total_subtract(float8, float8) IS 'a - b; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix_internal.total_multiply(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_multiply';
COMMENT ON FUNCTION dpmix_internal.total_multiply(float8, float8) IS 'a * b; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix_internal.total_divide(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_divide';
COMMENT ON FUNCTION dpmix_internal.total_divide(float8, float8) IS
    'a / b; NULL when b is 0; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix_internal.total_quotient(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_quotient';
COMMENT ON FUNCTION dpmix_internal.total_quotient(float8, float8) IS
    'a / b towards 0, as SQL divides integers; NULL when b is 0; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix_internal.total_remainder(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_remainder';
COMMENT ON FUNCTION dpmix_internal.total_remainder(float8, float8) IS
    'what total_quotient leaves, with the sign of a; NULL when b is 0; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix_internal.total_power(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_power';
COMMENT ON FUNCTION dpmix_internal.total_power(float8, float8) IS
    'a to the power b; NULL for 0 to a negative power, and a negative number to one that is not whole; NULL beyond '
    'the range. Never raises';

CREATE FUNCTION dpmix_internal.total_log_base(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_log_base';
COMMENT ON FUNCTION dpmix_internal.total_log_base(float8, float8) IS
    'the logarithm of b to base a; NULL where there is none; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix_internal.total_round_digits(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_round_digits';
COMMENT ON FUNCTION dpmix_internal.total_round_digits(float8, float8) IS
    'a at b decimals (-22 to 22), half away from 0; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix_internal.total_trunc_digits(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_trunc_digits';
COMMENT ON FUNCTION dpmix_internal.total_trunc_digits(float8, float8) IS
    'a at b decimals (-22 to 22), towards 0; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix_internal.total_sqrt(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_sqrt';
COMMENT ON FUNCTION dpmix_internal.total_sqrt(float8) IS 'the square root; NULL below 0. Never raises';

CREATE FUNCTION dpmix_internal.total_cbrt(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_cbrt';
COMMENT ON FUNCTION dpmix_internal.total_cbrt(float8) IS 'the cube root. Never raises';

CREATE FUNCTION dpmix_internal.total_exp(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_exp';
COMMENT ON FUNCTION dpmix_internal.total_exp(float8) IS
    'e to the power x; NULL where that is beyond the range. Never raises';

CREATE FUNCTION dpmix_internal.total_ln(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_ln';
COMMENT ON FUNCTION dpmix_internal.total_ln(float8) IS 'the natural logarithm; NULL at 0 and below. Never raises';

CREATE FUNCTION dpmix_internal.total_log10(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_log10';
COMMENT ON FUNCTION dpmix_internal.total_log10(float8) IS 'the logarithm to base 10; NULL at 0 and below. Never raises';

CREATE FUNCTION dpmix_internal.total_round(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_round';
COMMENT ON FUNCTION dpmix_internal.total_round(float8) IS
    'to whole numbers, half away from 0, as numeric is rounded; the built-in round of float8 goes to even. Never '
    'raises';

CREATE FUNCTION dpmix_internal.total_sign(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_sign';
COMMENT ON FUNCTION dpmix_internal.total_sign(float8) IS
    '-1, 0 or 1; NaN stays, as for numeric (the built-in sign of float8 makes it 0). Never raises';

CREATE FUNCTION dpmix_internal.total_clamp(x float8, lower float8, upper float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_clamp';
COMMENT ON FUNCTION dpmix_internal.total_clamp(float8, float8, float8) IS
    'x within lower and upper; NaN stays. Never raises';

CREATE FUNCTION dpmix_internal.total_product(x float8, x_lower float8, x_upper float8, x_origin float8, x_step float8,
                                             y float8, y_lower float8, y_upper float8, y_origin float8, y_step float8)
    RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_product';
COMMENT ON FUNCTION dpmix_internal.total_product(float8, float8, float8, float8, float8, float8, float8, float8, float8,
                                                 float8) IS
    'the product of how many steps x and y, each within its bounds, are from their origins: the same as total_multiply '
    'of what total_divide, total_subtract and total_clamp give. Never raises';

CREATE FUNCTION dpmix_internal.placed_number(x float8, category integer, lower float8[], upper float8[],
                                             origin float8[], reach float8[]) RETURNS float8
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_placed_number';
COMMENT ON FUNCTION dpmix_internal.placed_number(float8, integer, float8[], float8[], float8[], float8[]) IS
    'x within the bounds of a category, counted from 0, as a distance from its origin, in parts of its reach; the last '
    'ones are those of NULL. NULL and NaN stay. Never raises';

CREATE FUNCTION dpmix_internal.answer_of(key bigint, keys bigint[], answers float8[]) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_answer_of';
COMMENT ON FUNCTION dpmix_internal.answer_of(bigint, bigint[], float8[]) IS
    'the answer at the place of a key in a list that is in order; NULL: it is not there, or its answer is NaN. Never '
    'raises';

CREATE FUNCTION dpmix_internal.total_without_nan(x float8, instead float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_without_nan';
COMMENT ON FUNCTION dpmix_internal.total_without_nan(float8, float8) IS
    'x, or what is given instead where it is NaN. Never raises';

CREATE FUNCTION dpmix_internal.total_date_add(day date, days float8) RETURNS date
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_date_add';
COMMENT ON FUNCTION dpmix_internal.total_date_add(date, float8) IS
    'the date so many days later; NULL out of the range of date or for days that are no whole number; infinity stays. '
    'Never raises';

CREATE FUNCTION dpmix_internal.total_within(at date, first date, last date) RETURNS date
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_within_date';
COMMENT ON FUNCTION dpmix_internal.total_within(date, date, date) IS
    'the time itself between first and last or where it is infinite; otherwise NULL. Never raises';

CREATE FUNCTION dpmix_internal.total_within(at timestamp, first timestamp, last timestamp) RETURNS timestamp
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_within_time';
COMMENT ON FUNCTION dpmix_internal.total_within(timestamp, timestamp, timestamp) IS
    'the time itself between first and last or where it is infinite; otherwise NULL. Never raises';

CREATE FUNCTION dpmix_internal.total_within(at timestamptz, first timestamptz, last timestamptz) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_within_time';
COMMENT ON FUNCTION dpmix_internal.total_within(timestamptz, timestamptz, timestamptz) IS
    'the time itself between first and last or where it is infinite; otherwise NULL. Never raises';

CREATE FUNCTION dpmix_internal.total_finite(at timestamp) RETURNS timestamp
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_finite_time';
COMMENT ON FUNCTION dpmix_internal.total_finite(timestamp) IS 'the time itself; NULL where it is infinite. Never raises';

CREATE FUNCTION dpmix_internal.total_finite(at timestamptz) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_finite_time';
COMMENT ON FUNCTION dpmix_internal.total_finite(timestamptz) IS 'the time itself; NULL where it is infinite. Never raises';

CREATE FUNCTION dpmix_internal.total_clamp(at date, first date, last date) RETURNS date
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_clamp_date';
COMMENT ON FUNCTION dpmix_internal.total_clamp(date, date, date) IS 'at within first and last. Never raises';

CREATE FUNCTION dpmix_internal.total_clamp(at timestamp, first timestamp, last timestamp) RETURNS timestamp
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_clamp_time';
COMMENT ON FUNCTION dpmix_internal.total_clamp(timestamp, timestamp, timestamp) IS 'at within first and last. Never raises';

CREATE FUNCTION dpmix_internal.total_clamp(at timestamptz, first timestamptz, last timestamptz) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_clamp_time';
COMMENT ON FUNCTION dpmix_internal.total_clamp(timestamptz, timestamptz, timestamptz) IS 'at within first and last. Never raises';

CREATE FUNCTION dpmix_internal.total_time_between(later timestamp, earlier timestamp) RETURNS interval
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_time_between';
COMMENT ON FUNCTION dpmix_internal.total_time_between(timestamp, timestamp) IS
    'later - earlier; NULL where that has no value: beyond what an interval holds, or of infinite times. Never raises';

CREATE FUNCTION dpmix_internal.total_time_between(later timestamptz, earlier timestamptz) RETURNS interval
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_time_between';
COMMENT ON FUNCTION dpmix_internal.total_time_between(timestamptz, timestamptz) IS
    'later - earlier; NULL where that has no value: beyond what an interval holds, or of infinite times. Never raises';

CREATE FUNCTION dpmix_internal.total_movable(at date, by interval) RETURNS date
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_movable_date';
COMMENT ON FUNCTION dpmix_internal.total_movable(date, interval) IS
    'at; NULL where at plus or minus the interval could have no value, as close to the ends of timestamp. Never raises';

CREATE FUNCTION dpmix_internal.total_movable(at timestamp, by interval) RETURNS timestamp
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_movable_time';
COMMENT ON FUNCTION dpmix_internal.total_movable(timestamp, interval) IS
    'at; NULL where at plus or minus the interval could have no value, as close to the ends of the type. Never raises';

CREATE FUNCTION dpmix_internal.total_movable(at timestamptz, by interval) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_movable_time';
COMMENT ON FUNCTION dpmix_internal.total_movable(timestamptz, interval) IS
    'at; NULL where at plus or minus the interval could have no value, as close to the ends of the type. Never raises';

CREATE FUNCTION dpmix_internal.total_finite(value interval) RETURNS interval
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_finite_interval';
COMMENT ON FUNCTION dpmix_internal.total_finite(interval) IS 'the interval itself; NULL where it is infinite. Never raises';

CREATE FUNCTION dpmix_internal.total_justifiable(value interval) RETURNS interval
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_justifiable';
COMMENT ON FUNCTION dpmix_internal.total_justifiable(interval) IS
    'the interval itself; NULL where justify_interval could exceed what an interval holds. Never raises';

CREATE FUNCTION dpmix_internal.total_epoch(seconds float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_epoch';
COMMENT ON FUNCTION dpmix_internal.total_epoch(float8) IS
    'seconds; NULL where to_timestamp of them has no value, as of NaN. Never raises';

CREATE FUNCTION dpmix_internal.short_text(value text) RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_short_text';
COMMENT ON FUNCTION dpmix_internal.short_text(text) IS
    'the text itself, NULL above 1 MB: what texts of expressions are made from, so that what a row may need is known '
    'before it is read';

CREATE FUNCTION dpmix_internal.comparable_text(value text) RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_comparable_text';
COMMENT ON FUNCTION dpmix_internal.comparable_text(text) IS
    'the text as it is stored, NULL above 1 MB: what is compared where texts may be longer';

CREATE FUNCTION dpmix_internal.key_text(value text, bytes int) RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_key_text';
COMMENT ON FUNCTION dpmix_internal.key_text(text, int) IS
    'the text itself, NULL above so many bytes: what is kept of a computed text for each group that is found, so that '
    'what groups may need is known before a row is read';
