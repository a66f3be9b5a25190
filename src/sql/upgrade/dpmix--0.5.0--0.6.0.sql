-- 0.5.0 to 0.6.0. After it a database has the very objects that CREATE EXTENSION makes
-- (test/server/install/upgrade.test.sh).

-- Exact counts of rows by cell of one number, in the state of 11_count_stats.sql.

CREATE FUNCTION dpmix.cell_counts_add(state dpmix.count_state, x float8, cut float8[]) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_cell_counts_add';
COMMENT ON FUNCTION dpmix.cell_counts_add(dpmix.count_state, float8, float8[]) IS 'transition function of dpmix.cell_counts';
CREATE AGGREGATE dpmix.cell_counts(x float8, cut float8[]) (
    SFUNC = dpmix.cell_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    COMBINEFUNC = dpmix.count_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.cell_counts(float8, float8[]) IS
    'exact number of rows in each cell of x, one class. cut = {lower, limit, cells}: 1 to 2^20 cells of equal width from lower to limit, '
    'each with its lower end and without its upper one, up to the rounding of (x - lower) * cells / (limit - lower), which is monotone. '
    'What lies beyond is in the outermost cells; NULL and NaN are in none. PV005: invalid or varying cut';

CREATE FUNCTION dpmix.edge_counts_add(state dpmix.count_state, x float8, edges float8[]) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_edge_counts_add';
COMMENT ON FUNCTION dpmix.edge_counts_add(dpmix.count_state, float8, float8[]) IS 'transition function of dpmix.edge_counts';
CREATE AGGREGATE dpmix.edge_counts(x float8, edges float8[]) (
    SFUNC = dpmix.edge_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    COMBINEFUNC = dpmix.count_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.edge_counts(float8, float8[]) IS
    'exact number of rows with edges[i] <= x < edges[i+1], for each i, one class. edges: 2 to 1000 in strictly ascending order; the first '
    'may be -Infinity, the last Infinity. What lies beyond them, NULL and NaN are in no cell. PV005: invalid or varying edges';

-- Exact statistics behind variances and counts of distinct categories. Noise-free, over rows that the
-- caller may read anyway: EXECUTE stays with PUBLIC.

CREATE TYPE dpmix.squares_state;
CREATE FUNCTION dpmix.squares_state_in(cstring) RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_in';
CREATE FUNCTION dpmix.squares_state_out(dpmix.squares_state) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_out';
CREATE FUNCTION dpmix.squares_state_recv(internal) RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_recv';
CREATE FUNCTION dpmix.squares_state_send(dpmix.squares_state) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_send';
CREATE TYPE dpmix.squares_state (
    INPUT = dpmix.squares_state_in, OUTPUT = dpmix.squares_state_out,
    RECEIVE = dpmix.squares_state_recv, SEND = dpmix.squares_state_send,
    INTERNALLENGTH = 88, ALIGNMENT = double, STORAGE = plain
);
COMMENT ON TYPE dpmix.squares_state IS
    'exact count, sum and sum of squares: (squares,count,total,origin,step,low,high), low = -high; total in steps, squares in steps of '
    'their own lattice. Invalid states are refused on input';
COMMENT ON FUNCTION dpmix.squares_state_in(cstring) IS 'text input of dpmix.squares_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.squares_state_out(dpmix.squares_state) IS 'text output, exact of dpmix.squares_state';
COMMENT ON FUNCTION dpmix.squares_state_recv(internal) IS 'binary input of dpmix.squares_state. An error when it is not a state that rows can make';
COMMENT ON FUNCTION dpmix.squares_state_send(dpmix.squares_state) IS 'binary output, exact of dpmix.squares_state';

CREATE FUNCTION dpmix.squares_state_add(state dpmix.squares_state, x float8, origin float8, step float8, low float8, high float8)
    RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_add';  -- skips NULLs itself
COMMENT ON FUNCTION dpmix.squares_state_add(dpmix.squares_state, float8, float8, float8, float8, float8) IS
    'transition function of dpmix.lattice_squares';
CREATE FUNCTION dpmix.squares_state_combine(dpmix.squares_state, dpmix.squares_state) RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_combine';
COMMENT ON FUNCTION dpmix.squares_state_combine(dpmix.squares_state, dpmix.squares_state) IS
    'adds two states of the same lattice. PV005 when lattices differ; an error when a state is corrupt';

CREATE AGGREGATE dpmix.lattice_squares(x float8, origin float8, step float8, low float8, high float8) (
    SFUNC = dpmix.squares_state_add, STYPE = dpmix.squares_state, INITCOND = '(0,0,0,0,0,0,0)',
    COMBINEFUNC = dpmix.squares_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.lattice_squares(float8, float8, float8, float8, float8) IS
    'exact count and sum of k = round((x - origin) / step), clamped to [low, high], and sum of 2 k^2 - high^2, divided by the least power '
    'of two that leaves at most 2^30, each rounded to an integer. NULL and NaN are missing, infinities are clamped. Equal for any '
    'order of rows. PV005 unless the lattice is one constant: step > 0, low = -high, integers up to 2^53';

CREATE FUNCTION dpmix.rows(dpmix.squares_state) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_rows';
COMMENT ON FUNCTION dpmix.rows(dpmix.squares_state) IS 'number of values that were not missing';
CREATE FUNCTION dpmix.total(dpmix.squares_state) RETURNS numeric
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_total';
COMMENT ON FUNCTION dpmix.total(dpmix.squares_state) IS 'exact sum, in lattice steps from the origin';
CREATE FUNCTION dpmix.squares(dpmix.squares_state) RETURNS numeric
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_squares';
COMMENT ON FUNCTION dpmix.squares(dpmix.squares_state) IS
    'exact sum of squares, in steps of their lattice above the half of the largest square';

-- Which categories occur --------------------------------------------------------------------------

CREATE FUNCTION dpmix.numbers_seen_add(seen bytea, number integer, size integer) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_numbers_seen_add';
COMMENT ON FUNCTION dpmix.numbers_seen_add(bytea, integer, integer) IS 'transition function of dpmix.numbers_seen';
CREATE FUNCTION dpmix.numbers_seen_combine(bytea, bytea) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_numbers_seen_combine';
COMMENT ON FUNCTION dpmix.numbers_seen_combine(bytea, bytea) IS 'union of two sets of dpmix.numbers_seen';

CREATE AGGREGATE dpmix.numbers_seen(number integer, size integer) (
    SFUNC = dpmix.numbers_seen_add, STYPE = bytea, INITCOND = '',
    COMBINEFUNC = dpmix.numbers_seen_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.numbers_seen(integer, integer) IS
    'which of the numbers 0 .. size - 1 occur, one bit for each; bit_count() of it is how many. NULL and other numbers are missing. '
    'Equal for any order of rows, but for zero bytes at the end. PV005: a size out of 1 .. 2^24';

-- How the rows of a privacy unit are chosen when it has more than a release may use.

CREATE FUNCTION dpmix.row_draw() RETURNS bigint
    LANGUAGE C VOLATILE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_row_draw';
COMMENT ON FUNCTION dpmix.row_draw() IS
    '64 random bits as a number, from a cryptographic stream whose key is fresh and secret in every process and every run of a query; '
    'private queries choose the rows of a privacy unit by it';

-- Arithmetic over rows that cannot raise: what expressions in dpmix.query are compiled to. NULL where
-- PostgreSQL's own operator raises an error: division by zero, what has no root or logarithm, results
-- beyond the range of float8. What is too close to 0 is 0.

CREATE FUNCTION dpmix.total_add(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_add';
COMMENT ON FUNCTION dpmix.total_add(float8, float8) IS 'a + b; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix.total_subtract(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_subtract';
COMMENT ON FUNCTION dpmix.total_subtract(float8, float8) IS 'a - b; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix.total_multiply(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_multiply';
COMMENT ON FUNCTION dpmix.total_multiply(float8, float8) IS 'a * b; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix.total_divide(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_divide';
COMMENT ON FUNCTION dpmix.total_divide(float8, float8) IS 'a / b; NULL when b is 0; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix.total_quotient(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_quotient';
COMMENT ON FUNCTION dpmix.total_quotient(float8, float8) IS
    'a / b towards 0, as SQL divides integers; NULL when b is 0; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix.total_remainder(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_remainder';
COMMENT ON FUNCTION dpmix.total_remainder(float8, float8) IS
    'what total_quotient leaves, with the sign of a; NULL when b is 0; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix.total_power(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_power';
COMMENT ON FUNCTION dpmix.total_power(float8, float8) IS
    'a to the power b; NULL for 0 to a negative power, and a negative number to one that is not whole; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix.total_log_base(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_log_base';
COMMENT ON FUNCTION dpmix.total_log_base(float8, float8) IS
    'the logarithm of b to base a; NULL where there is none; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix.total_round_digits(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_round_digits';
COMMENT ON FUNCTION dpmix.total_round_digits(float8, float8) IS 'a at b decimals (-22 to 22), half away from 0; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix.total_trunc_digits(a float8, b float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_trunc_digits';
COMMENT ON FUNCTION dpmix.total_trunc_digits(float8, float8) IS 'a at b decimals (-22 to 22), towards 0; NULL beyond the range. Never raises';

CREATE FUNCTION dpmix.total_sqrt(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_sqrt';
COMMENT ON FUNCTION dpmix.total_sqrt(float8) IS 'the square root; NULL below 0. Never raises';

CREATE FUNCTION dpmix.total_cbrt(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_cbrt';
COMMENT ON FUNCTION dpmix.total_cbrt(float8) IS 'the cube root. Never raises';

CREATE FUNCTION dpmix.total_exp(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_exp';
COMMENT ON FUNCTION dpmix.total_exp(float8) IS 'e to the power x; NULL where that is beyond the range. Never raises';

CREATE FUNCTION dpmix.total_ln(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_ln';
COMMENT ON FUNCTION dpmix.total_ln(float8) IS 'the natural logarithm; NULL at 0 and below. Never raises';

CREATE FUNCTION dpmix.total_log10(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_log10';
COMMENT ON FUNCTION dpmix.total_log10(float8) IS 'the logarithm to base 10; NULL at 0 and below. Never raises';

CREATE FUNCTION dpmix.total_round(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_round';
COMMENT ON FUNCTION dpmix.total_round(float8) IS
    'to whole numbers, half away from 0, as numeric is rounded; the built-in round of float8 goes to even. Never raises';

CREATE FUNCTION dpmix.total_sign(x float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_sign';
COMMENT ON FUNCTION dpmix.total_sign(float8) IS '-1, 0 or 1; NaN stays, as for numeric (the built-in sign of float8 makes it 0). Never raises';

CREATE FUNCTION dpmix.total_clamp(x float8, lower float8, upper float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_clamp';
COMMENT ON FUNCTION dpmix.total_clamp(float8, float8, float8) IS 'x within lower and upper; NaN stays. Never raises';

CREATE FUNCTION dpmix.total_date_add(day date, days float8) RETURNS date
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_total_date_add';
COMMENT ON FUNCTION dpmix.total_date_add(date, float8) IS
    'the date so many days later; NULL out of the range of date or for days that are no whole number; infinity stays. Never raises';

CREATE FUNCTION dpmix.short_text(value text) RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_short_text';
COMMENT ON FUNCTION dpmix.short_text(text) IS
    'the text itself, NULL above 4 MB: what texts of expressions are made from, so that no step needs more than a value may have';

COMMENT ON FUNCTION dpmix.protect(regclass, float8, float8, name, integer, text, name, text) IS
    'puts a table under a privacy budget: epsilon 1e-6 to 1e7, delta 0 to below .5 (above 0 unless the accountant is '
    'basic); privacy_unit: the column that says whose row it is (NULL: each row is a unit), of which a query uses max_rows_per_unit rows, 1 to '
    '1000000, chosen at random; adjacency add_remove, replace or label; accountant renyi, gdp (more answers with Gaussian noise, that is '
    'with a delta; fewer without) or basic (sums of epsilon and delta). Earlier charges under the same '
    'name resume. PV005: invalid parameter, protected already, shares rows with a protected table';

-- Tables whose content is public, by their owner's word: what a private query may join a protected
-- table with. A row is recognised by oid and name together, as in dpmix.protected_table; it goes when
-- the table is dropped.
CREATE TABLE dpmix.public_table (
    relation    oid  NOT NULL,
    schema_name name NOT NULL,
    table_name  name NOT NULL,
    role        name NOT NULL,
    at          timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    PRIMARY KEY (schema_name, table_name)
);
COMMENT ON TABLE dpmix.public_table IS 'tables declared public by their owners';

DO $$
BEGIN
    PERFORM pg_catalog.pg_extension_config_dump('dpmix.public_table'::regclass, '');
END $$;

CREATE FUNCTION dpmix.declare_public(relation regclass)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_declare_public';
COMMENT ON FUNCTION dpmix.declare_public(regclass) IS
    'owner or superuser: states that everything in a table is public, now and later, so that private queries may '
    'join it; who joins it still needs SELECT on it. Ordinary and partitioned tables without row-level security. '
    'PV005: no such table, or it shares rows with a protected table';

CREATE FUNCTION dpmix.undeclare_public(relation regclass)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_undeclare_public';
COMMENT ON FUNCTION dpmix.undeclare_public(regclass) IS
    'owner or superuser: takes dpmix.declare_public() back, for queries from now on. PV006: not declared public';

CREATE VIEW dpmix.public_tables AS
    SELECT p.relation::regclass AS relation, p.role, p.at
    FROM dpmix.public_table p
    JOIN pg_catalog.pg_class c ON c.oid = p.relation AND c.relname = p.table_name
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name;
COMMENT ON VIEW dpmix.public_tables IS 'tables that private queries may join a protected table with';
COMMENT ON COLUMN dpmix.public_tables.relation IS 'the table';
COMMENT ON COLUMN dpmix.public_tables.role IS 'current_user who declared it public';
COMMENT ON COLUMN dpmix.public_tables.at IS 'server''s clock when it was declared';
GRANT SELECT ON dpmix.public_tables TO PUBLIC;

COMMENT ON FUNCTION dpmix.query(text, float8, float8, text, text[], text, integer) IS
    'Private answers to one SELECT of group keys and dp_count, dp_count_distinct, dp_sum, dp_avg, dp_var, dp_stddev, dp_quantile, '
    'dp_median, dp_histogram over a protected table, joined or not, with WHERE, FILTER, GROUP BY, HAVING, ORDER BY and LIMIT; dp_low and '
    'dp_high of these are the ends of their noise intervals. Expressions over keys and answers are free, and NULL where they have no '
    'value. Charges epsilon (1e-6 to 1e7) and delta (0 to 0.5), the totals over all columns and groups, before it reads a row, to each '
    'protected table that it reads. Without HAVING and LIMIT every group of public values comes back, in the order of their declarations '
    '(keys declared), or those with enough units in the order of their keys (discover: needs a delta); counts may be negative. mechanism: '
    'auto, gaussian, multi_gaussian, quasi_gaussian, laplace, staircase, truncated_laplace, tulap, optimal. params: one text for each $n. '
    'max_groups: where a privacy unit may have several rows, in how many groups they count at most, 1 to 1000000. '
    'PV001 budget exhausted, PV002 query not allowed, PV003 bounds or categories missing, PV004 ledger unavailable, '
    'PV005 invalid parameter or column list, PV006 not protected or no access';
COMMENT ON FUNCTION dpmix.preview(text, float8, float8, text, text[], text, integer) IS
    'The noise that dpmix.query would add, one row for each noisy statistic, in the units of the column; free, reads no row, '
    'needs access. epsilon, delta: what that statistic alone guarantees; a call of its own for it, at these, adds the same noise. '
    'expected_error: mean absolute error; interval_95: half '
    'width of the 95% interval of the noise, exact; what clamping to the bounds does to an answer is not in it; both NULL where '
    'the output is a ratio. candidates: the mechanisms that could answer, each with the expected_error of this statistic, the '
    'epsilon and delta charged, the share of the budget (budget_share), and why it was chosen or not (verdict). Of the whole call, '
    'the same in each row: charge_cost and charge_delta, what the accountant adds up (basic: epsilon and delta); charge_share, the '
    'part of the whole budget that this is; calls_left, how many such calls and nothing else would still be admitted to the '
    'caller now, by the budget and the cap of its grant. Errors as dpmix.query';
COMMENT ON AGGREGATE dpmix.dp_avg(float8) IS
    'noisy average of x, each clamped to the declared bounds, without NULL and NaN; always within the bounds, their middle for an empty group; '
    'only in the text of dpmix.query, else PV002';
COMMENT ON AGGREGATE dpmix.dp_avg(bigint) IS
    'noisy average of x, each clamped to the declared bounds, without NULL and NaN; always within the bounds, their middle for an empty group; '
    'only in the text of dpmix.query, else PV002';
COMMENT ON AGGREGATE dpmix.dp_avg(numeric) IS
    'noisy average of x, each clamped to the declared bounds, without NULL and NaN; always within the bounds, their middle for an empty group; '
    'only in the text of dpmix.query, else PV002';

-- Spread and distinct categories in private queries: names for parse analysis, as in 40_query.sql.

CREATE AGGREGATE dpmix.dp_var(float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_var(bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_var(numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_var(float8) IS
    'noisy population variance (var_pop) of x, each clamped to the declared bounds, without NULL and NaN; between 0 and a quarter of the '
    'squared range of the bounds, half of that for an empty group; only in the text of dpmix.query, else PV002';
COMMENT ON AGGREGATE dpmix.dp_var(bigint) IS
    'noisy population variance (var_pop) of x, each clamped to the declared bounds, without NULL and NaN; between 0 and a quarter of the '
    'squared range of the bounds, half of that for an empty group; only in the text of dpmix.query, else PV002';
COMMENT ON AGGREGATE dpmix.dp_var(numeric) IS
    'noisy population variance (var_pop) of x, each clamped to the declared bounds, without NULL and NaN; between 0 and a quarter of the '
    'squared range of the bounds, half of that for an empty group; only in the text of dpmix.query, else PV002';

CREATE AGGREGATE dpmix.dp_stddev(float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_stddev(bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
CREATE AGGREGATE dpmix.dp_stddev(numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_stddev(float8) IS
    'noisy population standard deviation (stddev_pop) of x, the root of dp_var(x), in the units of x; only in the text of dpmix.query, else PV002';
COMMENT ON AGGREGATE dpmix.dp_stddev(bigint) IS
    'noisy population standard deviation (stddev_pop) of x, the root of dp_var(x), in the units of x; only in the text of dpmix.query, else PV002';
COMMENT ON AGGREGATE dpmix.dp_stddev(numeric) IS
    'noisy population standard deviation (stddev_pop) of x, the root of dp_var(x), in the units of x; only in the text of dpmix.query, else PV002';

CREATE AGGREGATE dpmix.dp_count_distinct("any") (
    SFUNC = dpmix.outside_query, STYPE = bigint, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_count_distinct("any") IS
    'noisy number of declared categories of x that occur; other values and NULL are none of them; where x is the privacy unit, the number of '
    'units that have a row; may be negative; only in the text of dpmix.query, else PV002';

-- Quantiles and histograms of private queries: names that dpmix.query reads, as in 40_query.sql. Outside of it they raise PV002, also
-- over no rows at all.

CREATE FUNCTION dpmix.outside_query(float8, float8, float8) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(float8, float8, float8) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(float8, bigint, float8) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(float8, bigint, float8) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(float8, numeric, float8) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(float8, numeric, float8) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(bigint[]) RETURNS bigint[]
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(bigint[]) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(bigint[], float8, float8[]) RETURNS bigint[]
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(bigint[], float8, float8[]) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(bigint[], bigint, float8[]) RETURNS bigint[]
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(bigint[], bigint, float8[]) IS 'raises PV002';
CREATE FUNCTION dpmix.outside_query(bigint[], numeric, float8[]) RETURNS bigint[]
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.outside_query(bigint[], numeric, float8[]) IS 'raises PV002';

CREATE AGGREGATE dpmix.dp_quantile(x float8, p float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_quantile(float8, float8) IS
    'noisy quantile of x, each clamped to the declared bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096; of whole numbers each has its own, if there are no more). p: a '
    'constant from 0 to 1. Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does; only in '
    'the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_quantile(x bigint, p float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_quantile(bigint, float8) IS
    'noisy quantile of x, each clamped to the declared bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096; of whole numbers each has its own, if there are no more). p: a '
    'constant from 0 to 1. Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does; only in '
    'the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_quantile(x numeric, p float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_quantile(numeric, float8) IS
    'noisy quantile of x, each clamped to the declared bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096; of whole numbers each has its own, if there are no more). p: a '
    'constant from 0 to 1. Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does; only in '
    'the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_median(x float8) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_median(float8) IS 'noisy median of x: dp_quantile(x, 0.5); only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_median(x bigint) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_median(bigint) IS 'noisy median of x: dp_quantile(x, 0.5); only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_median(x numeric) (
    SFUNC = dpmix.outside_query, STYPE = float8, FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_median(numeric) IS 'noisy median of x: dp_quantile(x, 0.5); only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_histogram(x float8, edges float8[]) (
    SFUNC = dpmix.outside_query, STYPE = bigint[], FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_histogram(float8, float8[]) IS
    'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. edges: a constant, 2 to 1000 in '
    'strictly ascending order; the first may be -Infinity, the last Infinity. What lies beyond them, NULL and NaN are in no cell. x needs no '
    'bounds. Numbers may be negative; only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_histogram(x bigint, edges float8[]) (
    SFUNC = dpmix.outside_query, STYPE = bigint[], FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_histogram(bigint, float8[]) IS
    'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. edges: a constant, 2 to 1000 in '
    'strictly ascending order; the first may be -Infinity, the last Infinity. What lies beyond them, NULL and NaN are in no cell. x needs no '
    'bounds. Numbers may be negative; only in the text of dpmix.query, else PV002';
CREATE AGGREGATE dpmix.dp_histogram(x numeric, edges float8[]) (
    SFUNC = dpmix.outside_query, STYPE = bigint[], FINALFUNC = dpmix.outside_query);
COMMENT ON AGGREGATE dpmix.dp_histogram(numeric, float8[]) IS
    'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. edges: a constant, 2 to 1000 in '
    'strictly ascending order; the first may be -Infinity, the last Infinity. What lies beyond them, NULL and NaN are in no cell. x needs no '
    'bounds. Numbers may be negative; only in the text of dpmix.query, else PV002';

CREATE FUNCTION dpmix.dp_low(answer bigint[], level float8 = 0.95) RETURNS float8[]
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_high(answer bigint[], level float8 = 0.95) RETURNS float8[]
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.dp_low(bigint[], float8) IS
    'lower ends of the noise intervals of the numbers of dp_histogram, each by itself at the level; only in the text of dpmix.query, else PV002';
COMMENT ON FUNCTION dpmix.dp_high(bigint[], float8) IS
    'upper ends of the noise intervals of the numbers of dp_histogram, each by itself at the level; only in the text of dpmix.query, else PV002';

-- The answers of dpmix.query as JSON, for callers that cannot state the columns.

CREATE FUNCTION dpmix.query_json(
    query text, epsilon float8, delta float8 = 0, mechanism text = 'auto',
    params text[] = '{}', keys text = 'declared', max_groups integer = NULL)
    RETURNS SETOF jsonb
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_query_json';
COMMENT ON FUNCTION dpmix.query_json(text, float8, float8, text, text[], text, integer) IS
    'The answers of dpmix.query, charged alike, as one JSON object for each row: the names of the query''s columns are its keys, '
    'and no column definition list is needed. Numbers are JSON numbers, but NaN and infinities are strings; arrays are arrays, '
    'dates and the rest text, as to_jsonb writes them. Errors as dpmix.query; PV005 also when two columns have one name';

COMMENT ON COLUMN dpmix.cda_progress.rows_written IS
    'synthetic rows written so far, told by batches; 0 while records are read, and with demixing while rows wait for it';
