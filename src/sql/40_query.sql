-- Private queries. dpmix.query reads the names of the dp_* aggregates; they never run.

CREATE FUNCTION dpmix.query(
    query text, epsilon float8 = NULL, delta float8 = 0, mechanism text = 'auto',
    params text[] = '{}', keys text = 'auto', max_groups integer = NULL, all_blocks boolean = false,
    max_rows integer = NULL)
    RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_query';
COMMENT ON FUNCTION dpmix.query(text, float8, float8, text, text[], text, integer, boolean, integer) IS
    E'private answers to one SELECT over a protected table, a join, or sub-selects of what each person did. Charges '
    'epsilon and delta, the totals over all columns and groups, to each protected table in it, durably, before it reads '
    'a row. Without HAVING and LIMIT every group of public values comes back, empty ones too, in the order of their '
    'declarations; counts may be negative. Expressions over keys and answers cost nothing, and are NULL where they have no value. It needs a '
    'column definition list: SELECT * FROM dpmix.query(...) AS t(region text, n bigint).\n'
    'query: of tables, or of facades that the caller may select from, which stand for their tables; group keys and '
    'dp_count, dp_count_distinct, dp_sum, dp_avg, dp_var, dp_stddev, dp_covar, dp_corr, '
    'dp_regr_count, dp_regr_slope, dp_regr_intercept, dp_quantile, dp_median, dp_histogram, with WHERE, FILTER, GROUP '
    'BY, HAVING, ORDER BY and LIMIT; dp_low and dp_high of these are the ends of their noise intervals. Sub-selects in '
    'FROM, WITH, EXISTS, IN and expressions are free, each row of theirs being one privacy unit''s; in them are plain '
    'aggregates and window functions\n'
    'epsilon: required; 1e-6 to 1e7\n'
    'delta: 0 to 0.5, above 0 for mechanisms and keys that need one; not charged where only laplace or staircase '
    'noise is drawn\n'
    'mechanism: gaussian, multi_gaussian, quasi_gaussian, laplace, staircase, truncated_laplace, tulap, optimal; '
    'auto: the least expected error that costs no more than the Gaussian would, of the table''s budget, or of the cap '
    'of the caller''s role where that is the larger share; accurate: the least expected error, whatever it costs\n'
    'params: a text or NULL for each of $1, $2, ... of the query, which decides their types\n'
    'keys: auto: declared where the values of all keys are public, else discover, if there is a delta; declared: every '
    'group of public values; discover: any keys, and of their groups those that enough units are found in, in the '
    'order of the keys. This needs a delta, and takes a share of it and of epsilon but where the noisy number of units '
    'decides by itself\n'
    'max_groups: where a privacy unit may have several rows: how many groups one is taken to have rows in, 1 to '
    '1000000. Of each group an equal share of the unit''s rows counts in full, rounded up; less noise for each group, '
    'above all with a delta. NULL: no limit\n'
    'all_blocks: of a table with blocks of which WHERE says nothing, read and charge all blocks up to now\n'
    'max_rows: how many rows of a privacy unit count in full, 1 to 1000000, instead of the number that the owner '
    'declared (max_rows_per_unit): with more of them less is lost, and noise is larger. A NOTICE says that totals are '
    'bounded, and, of Gaussian noise, about how many units that concerns. NULL: the owner''s\n'
    'Errors: PV001 budget exhausted; PV002 query not allowed; PV003 bounds or categories missing; PV004 ledger '
    'unavailable; PV005 invalid parameter or column list; PV006 not protected, or no access.\n'
    'See also: dpmix.preview, dpmix.query_json, docs/guide/query.md, docs/guide/people.md, '
    'docs/guide/query_expressions.md, docs/guide/query_keys.md, docs/guide/query_quantiles.md, docs/proofs/query.md.';

CREATE FUNCTION dpmix.query_json(
    query text, epsilon float8 = NULL, delta float8 = 0, mechanism text = 'auto',
    params text[] = '{}', keys text = 'auto', max_groups integer = NULL, all_blocks boolean = false,
    json_params jsonb = NULL, max_rows integer = NULL)
    RETURNS SETOF json
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_query_json';
COMMENT ON FUNCTION dpmix.query_json(text, float8, float8, text, text[], text, integer, boolean, jsonb, integer) IS
    E'the answers of dpmix.query(), charged alike, as one JSON object for each row: the names of the query''s columns '
    'are its keys, in their order, and no column definition list is needed. Numbers are JSON numbers, but NaN and '
    'infinities are strings; arrays are arrays, dates and the rest text, as to_jsonb writes them. Of a row too long '
    'for one object (1 GB) only what has a fixed length of at most 8 bytes comes back, the rest as null. Other '
    'arguments as for dpmix.query().\n'
    'json_params: the values of $1, $2, ... as a JSON array, instead of params\n'
    'Errors: as dpmix.query(); PV005 also when two columns have one name, or json_params is no array.';

CREATE FUNCTION dpmix.preview(
    call text, epsilon float8 = NULL, delta float8 = 0, mechanism text = 'auto',
    params text[] = '{}', keys text = 'auto', max_groups integer = NULL, all_blocks boolean = false,
    group_rows bigint = NULL, details boolean = false, max_rows integer = NULL)
    RETURNS TABLE (output_column text, statistic text, mechanism text, sensitivity float8,
                   epsilon float8, delta float8, noise_stddev float8, expected_error float8,
                   interval_95 float8, candidates jsonb, charge_cost float8, charge_delta float8,
                   charge_share float8, calls_left bigint, memory text, limited_by text, mu float8)
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_preview';
COMMENT ON FUNCTION dpmix.preview(text, float8, float8, text, text[], text, integer, boolean, bigint, boolean,
    integer) IS
    E'what a release would add as noise and take from the budget, as EXPLAIN of a statement: SELECT * FROM '
    'dpmix.preview($$ SELECT dpmix.release_tree(''model'', ''visits'', ''{age,sex}'', 1, 1e-6) $$). One row for each '
    'noisy statistic of a query or cube, one row for every other release. Free; reads no row of a protected table, '
    'stores nothing; needs access.\n'
    'call: one SELECT of one function that makes a release (dpmix.query(), dpmix.release_gmm(), dpmix.release_tree(), '
    'dpmix.release_regression(), dpmix.release_cube(), dpmix.cda(), dpmix.synthesize() or dpmix.compare_private()), in '
    'FROM or selected, with arguments that are constants or what PostgreSQL''s own immutable functions make of such; '
    'named ones and defaults as in the call itself. It is read, not run. EXPLAIN of that statement says the same in '
    'words. Or the text of a query alone, for dpmix.query(): then the further arguments are those of that function\n'
    'group_rows: of a query. 1 to 10^12: adds a row, "groups of ... rows", for each column that is made of several '
    'statistics, such as an average or a ratio: its interval_95 is half the width of what it can be where all noise '
    'under it stays within its 95%, in a group of so many rows whose values lie in the middle of their bounds on '
    'average; NULL: none\n'
    'details: adds candidates, and gives all digits of numbers; without it noise, errors and shares have six\n'
    'output_column: of a query, all columns that use the statistic, also within expressions, and HAVING and ORDER BY '
    'where these do; else NULL\n'
    'statistic: what is counted or summed; with GROUPING SETS, ROLLUP or CUBE a row for each grouping set, whose noise '
    'is that of answers that add up; groups found: the share that finding groups takes. Of a model, of synthetic rows '
    'and of a comparison: the number of rows that noise_stddev is about\n'
    'mechanism: family of the noise; exponential: a quantile that is drawn; of groups found threshold, cut_off or '
    'partition_selection; of dpmix.cda() poisson_mixing. Which pairs a tree measures is drawn by the exponential mechanism\n'
    'sensitivity: the change that the noise is calibrated to, in the units of the column: of one number, but for '
    'laplace of all together in L1 (of one, where statistics are drawn together), for gaussian in L2 (of grouping sets, of all of them, each by its share); '
    'staircase divides a change into pieces. NULL where a row stands for a whole release\n'
    'epsilon, delta: of a query, what that statistic alone guarantees; a call of its own for it, at these, adds the '
    'same noise, or less where laplace draws several statistics together, which guarantee it together. Else what would '
    'be charged\n'
    'noise_stddev: of the noise, in the units of the column; of a drawn quantile of its rank, in rows, about. Of a '
    'mixture at most that in the number of rows of a component; 0: the number is public\n'
    'expected_error: mean absolute error; NULL where the output is a ratio, whose error depends on the private count, '
    'and where no column is the statistic itself\n'
    'interval_95: half the width of the 95% interval of the noise, from its exact law; what clamping to the bounds '
    'does is not in it, nor what rows of a privacy unit beyond max_rows would add. NULL as expected_error\n'
    'candidates: of a query, with details an array, for each mechanism that could answer: expected_error of this '
    'row''s statistic (null where nothing was calibrated), the epsilon and delta charged, budget_share, the part of '
    'the table''s budget that this is, and verdict: chosen, or why not\n'
    'memory: of a query. hit: dpmix.query() would answer from memory, free; derived: so it would, from the tables of '
    'cubes and queries that were paid for; upgrade: memory has less precise answers, and only the difference is '
    'charged; miss: all of it is. Where anyone''s charges answer everybody, a NOTICE says what the first sight of '
    'others'' charges counts against the cap of the caller''s grant\n'
    'charge_cost, charge_delta: of the whole call, after memory, what the accountant adds up: the Renyi divergence at '
    'the table''s order, or mu^2 under gdp and gaussian, and the delta beside it; under basic epsilon and delta\n'
    'charge_share: of the whole call. Under basic the part of the total epsilon that it takes; its delta, which may '
    'end the budget first, is not in it. Under the others the larger part of the two sums, charge_cost and '
    'charge_delta, of what each may come to: above 1 where only the plain sums of epsilon and delta admit the call, '
    'infinite where the budget has no room for such costs. calls_left goes by all sums\n'
    'calls_left: how many such calls, one after the other and nothing else, would be admitted to the caller now, by '
    'the newest sums of the ledger, the budget as the caller''s transaction sees it and the cap of its grant; 0 when '
    'not even one, at most 2^63 - 1, also for what is free\n'
    'limited_by: what ends these calls first: budget, the table''s, or cap, the epsilon or the share of the budget that '
    'the caller''s role may charge; NULL where they are free\n'
    'mu: of a model, of synthetic rows and of a comparison: all of it together is mu-GDP. Rows of dpmix.cda() reveal '
    'no more than Gaussian noise that is mu-GDP, but for delta / 16. With accountant basic and adjacency add_remove '
    'that holds only at two epsilons, just below and above the call''s own, and elsewhere rows may reveal more; counts '
    'and rows together are (epsilon, delta)-private all the same\n'
    'Errors: PV005 a call of something else, or an argument that is no constant; as the function that is called, or as '
    'dpmix.query().\n'
    'See also: docs/guide/query.md, docs/guide/choosing.md.';

-- Aggregates --------------------------------------------------------------------------------------

-- They exist so that parse analysis gives a query's columns their types. Outside of dpmix.query they
-- raise PV002, also over no rows at all.

CREATE FUNCTION dpmix_internal.outside_query(bigint) RETURNS bigint
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix_internal.outside_query(float8) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix_internal.outside_query(bigint[]) RETURNS bigint[]
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix_internal.outside_query(bigint, "any") RETURNS bigint
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix_internal.outside_query(float8, "any") RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix_internal.outside_query(bigint, "any", "any") RETURNS bigint
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix_internal.outside_query(float8, "any", "any") RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix_internal.outside_query(float8, "any", float8) RETURNS float8
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix_internal.outside_query(bigint[], "any", float8[]) RETURNS bigint[]
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix_internal.outside_query(bigint) IS 'raises PV002';
COMMENT ON FUNCTION dpmix_internal.outside_query(float8) IS 'raises PV002';
COMMENT ON FUNCTION dpmix_internal.outside_query(bigint[]) IS 'raises PV002';
COMMENT ON FUNCTION dpmix_internal.outside_query(bigint, "any") IS 'raises PV002';
COMMENT ON FUNCTION dpmix_internal.outside_query(float8, "any") IS 'raises PV002';
COMMENT ON FUNCTION dpmix_internal.outside_query(bigint, "any", "any") IS 'raises PV002';
COMMENT ON FUNCTION dpmix_internal.outside_query(float8, "any", "any") IS 'raises PV002';
COMMENT ON FUNCTION dpmix_internal.outside_query(float8, "any", float8) IS 'raises PV002';
COMMENT ON FUNCTION dpmix_internal.outside_query(bigint[], "any", float8[]) IS 'raises PV002';

CREATE AGGREGATE dpmix.dp_count(*) (
    SFUNC = dpmix_internal.outside_query, STYPE = bigint, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_count(*) IS
    E'noisy number of rows; may be negative.\n'
    'Errors: PV002 outside of the text of dpmix.query().';
CREATE AGGREGATE dpmix.dp_count("any") (
    SFUNC = dpmix_internal.outside_query, STYPE = bigint, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_count("any") IS
    E'noisy number of rows where x is neither NULL nor NaN; may be negative.\n'
    'Errors: PV002 outside of the text of dpmix.query().';

CREATE AGGREGATE dpmix.dp_sum("any") (
    SFUNC = dpmix_internal.outside_query, STYPE = float8, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_sum("any") IS
    E'noisy sum of x, each clamped to its bounds, in its units. NULL and NaN add nothing. x: a column with declared '
    'bounds, or an expression whose bounds follow from those of its columns.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
CREATE AGGREGATE dpmix.dp_avg("any") (
    SFUNC = dpmix_internal.outside_query, STYPE = float8, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_avg("any") IS
    E'noisy average of x, each clamped to its bounds, without NULL and NaN: the middle of the bounds plus a noisy '
    'centred sum over a noisy count. Always within the bounds, their middle for an empty group. x as for '
    'dpmix.dp_sum.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';

CREATE AGGREGATE dpmix.dp_var("any") (
    SFUNC = dpmix_internal.outside_query, STYPE = float8, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_var("any") IS
    E'noisy population variance (var_pop) of x, each clamped to its bounds, without NULL and NaN, from a noisy count, '
    'centred sum and sum of centred squares. Between 0 and a quarter of the squared range of the bounds, half of that '
    'for an empty group; never NULL. x as for dpmix.dp_sum. dpmix.dp_avg of the same x beside it costs nothing more.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';

CREATE AGGREGATE dpmix.dp_stddev("any") (
    SFUNC = dpmix_internal.outside_query, STYPE = float8, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_stddev("any") IS
    E'noisy population standard deviation (stddev_pop) of x, in its units: the root of dpmix.dp_var.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';

CREATE AGGREGATE dpmix.dp_covar("any", "any") (
    SFUNC = dpmix_internal.outside_query, STYPE = float8, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_covar("any", "any") IS
    E'dp_covar(x, y): noisy population covariance (covar_pop) of two numbers, each clamped to its bounds, over the rows '
    'where neither is NULL or NaN: from their noisy number, centred sums and centred products. 0 for an empty group; '
    'never NULL. x and y as for dpmix.dp_sum.\n'
    'Errors: PV002 outside of the text of dpmix.query(), or no number; PV003 no bounds.\n'
    'See also: dpmix.dp_corr, docs/proofs/query_regression.md.';
CREATE AGGREGATE dpmix.dp_corr("any", "any") (
    SFUNC = dpmix_internal.outside_query, STYPE = float8, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_corr("any", "any") IS
    E'dp_corr(x, y): noisy correlation (corr) of two numbers, as dpmix.dp_covar, with the noisy sums of their centred '
    'squares. Between -1 and 1; 0 where a noisy variance is not above 0. The line of the same x and y beside it costs '
    'nothing more.\n'
    'Errors: PV002 outside of the text of dpmix.query(), or no number; PV003 no bounds.\n'
    'See also: dpmix.dp_regr_slope, docs/proofs/query_regression.md.';
CREATE AGGREGATE dpmix.dp_regr_slope("any", "any") (
    SFUNC = dpmix_internal.outside_query, STYPE = float8, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_regr_slope("any", "any") IS
    E'dp_regr_slope(y, x): noisy slope (regr_slope) of the least-squares line of y over x, as dpmix.dp_covar, with the '
    'noisy sum of the centred squares of x: five statistics, which the intercept shares. 0 where the noisy variance of '
    'x is not above 0; there the ends of its interval may be infinite.\n'
    'Errors: PV002 outside of the text of dpmix.query(), or no number; PV003 no bounds.\n'
    'See also: dpmix.dp_regr_intercept, docs/proofs/query_regression.md.';
CREATE AGGREGATE dpmix.dp_regr_intercept("any", "any") (
    SFUNC = dpmix_internal.outside_query, STYPE = float8, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_regr_intercept("any", "any") IS
    E'dp_regr_intercept(y, x): noisy value at x = 0 (regr_intercept) of the line of dpmix.dp_regr_slope.\n'
    'Errors: PV002 outside of the text of dpmix.query(), or no number; PV003 no bounds.\n'
    'See also: dpmix.dp_regr_slope, docs/proofs/query_regression.md.';
CREATE AGGREGATE dpmix.dp_regr_count("any", "any") (
    SFUNC = dpmix_internal.outside_query, STYPE = bigint, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_regr_count("any", "any") IS
    E'dp_regr_count(y, x): noisy number of rows (regr_count) where neither y nor x is NULL or NaN; may be negative. It '
    'costs nothing beside dpmix.dp_covar and the like of the same columns.\n'
    'Errors: PV002 outside of the text of dpmix.query(), or no number; PV003 no bounds.\n'
    'See also: dpmix.dp_covar.';

CREATE AGGREGATE dpmix.dp_count_distinct("any") (
    SFUNC = dpmix_internal.outside_query, STYPE = bigint, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_count_distinct("any") IS
    E'noisy number of different values of x, a column or an expression, without NULL and NaN; of a column with '
    'declared categories, how many of these occur. Where x is the privacy unit, the number of units that have a row. '
    'One row moves it by at most 1. May be negative.\n'
    'Errors: PV002 outside of the text of dpmix.query(), a type without hashes, or values that are not declared over a '
    'distributed table; PV005 tables too large for dpmix.scan_memory.';

CREATE AGGREGATE dpmix.dp_quantile(x "any", p float8) (
    SFUNC = dpmix_internal.outside_query, STYPE = float8, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_quantile("any", float8) IS
    E'noisy quantile of x, each clamped to its bounds, without NULL and NaN: the least value that at least p of the '
    'rows do not exceed, as percentile_disc, to a cell of the bounds (one of 4096, or of 65536 where rows are many; fewer '
    'for many groups; of whole numbers each has its own, if there are no more). Always within the bounds, their middle '
    'for an empty group. Quantiles of one column cost what one does.\n'
    'x: as for dpmix.dp_sum\n'
    'p: a constant from 0 to 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds; PV005 p out of range.\n'
    'See also: docs/guide/query_quantiles.md.';
CREATE AGGREGATE dpmix.dp_median(x "any") (
    SFUNC = dpmix_internal.outside_query, STYPE = float8, FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_median("any") IS
    E'noisy median of x: dpmix.dp_quantile of 0.5.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
CREATE AGGREGATE dpmix.dp_histogram(x "any", edges float8[]) (
    SFUNC = dpmix_internal.outside_query, STYPE = bigint[], FINALFUNC = dpmix_internal.outside_query);
COMMENT ON AGGREGATE dpmix.dp_histogram("any", float8[]) IS
    E'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. What '
    'lies beyond them, NULL and NaN are in no cell. Numbers may be negative.\n'
    'x: a number; it needs no bounds\n'
    'edges: a constant, 2 to 1000 in strictly ascending order; the first may be -Infinity, the last Infinity\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 edges.\n'
    'See also: docs/guide/query_quantiles.md.';

-- Rows of privacy units ---------------------------------------------------------------------------

-- What a private query's scan asks about its rows. Nobody else has a first argument for them.

CREATE FUNCTION dpmix_internal.share_counted(units internal, share integer) RETURNS integer
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_share_counted';
COMMENT ON FUNCTION dpmix_internal.share_counted(internal, integer) IS
    'the same share, when the rows of its privacy units have been counted; to be asked of 0, 1, 2, ... in this order';

CREATE FUNCTION dpmix_internal.row_kept(units internal, share integer, VARIADIC unit_and_keys "any") RETURNS boolean
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_row_kept';
COMMENT ON FUNCTION dpmix_internal.row_kept(internal, integer, "any") IS
    'whether a row is one of those of its privacy unit that count: they are chosen at random, by bits from a '
    'cryptographic stream whose key is fresh and secret in every scan. To be asked once about each row; of a unit of '
    'another share it is false';

CREATE FUNCTION dpmix_internal.unit_counted(units internal, list integer, VARIADIC unit_and_keys "any") RETURNS boolean
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_unit_counted';
COMMENT ON FUNCTION dpmix_internal.unit_counted(internal, integer, "any") IS
    'whether a row that is kept is the first one of its privacy unit in its group that this is asked about, for this '
    'list: what counts units';

CREATE FUNCTION dpmix_internal.row_weight(units internal, list integer, share integer, passes boolean,
                                          VARIADIC unit_and_keys "any") RETURNS integer
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_row_weight';
COMMENT ON FUNCTION dpmix_internal.row_weight(internal, integer, integer, boolean, "any") IS
    'how much a row counts for this list, which it is in if it passes: a part of a power of two, so that the rows of its '
    'privacy unit keep a norm together. To be asked once about each row and list; of a unit of another share it is NULL';

CREATE FUNCTION dpmix_internal.value_first(memory internal, list integer, VARIADIC keys_and_value "any") RETURNS boolean
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_value_first';
COMMENT ON FUNCTION dpmix_internal.value_first(internal, integer, "any") IS
    'whether a value is the first of its kind in its group that this is asked about, for this list: what counts '
    'different values';

CREATE FUNCTION dpmix_internal.key_in_share(share bigint[], VARIADIC keys "any") RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_key_in_share';
COMMENT ON FUNCTION dpmix_internal.key_in_share(bigint[], "any") IS
    'whether a hash of the keys, by the seed that the array begins with, is in a share: as many as the array says '
    'next, of which its last number is this one';

CREATE FUNCTION dpmix_internal.key_in_share(memory internal, VARIADIC keys "any") RETURNS boolean
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_key_in_share';
COMMENT ON FUNCTION dpmix_internal.key_in_share(internal, "any") IS
    'the same where the scan has a memory of its own, which knows the share at work';

-- Rows of privacy units that are held together ----------------------------------------------------

CREATE FUNCTION dpmix_internal.held_units(held internal) RETURNS SETOF integer
    LANGUAGE C STABLE STRICT PARALLEL UNSAFE ROWS 100000 AS 'MODULE_PATHNAME', 'dpmix_held_units';
COMMENT ON FUNCTION dpmix_internal.held_units(internal) IS
    'the numbers of the privacy units whose rows a release holds';

CREATE FUNCTION dpmix_internal.rows_of_unit_size(internal) RETURNS internal
    LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'dpmix_rows_of_unit_size';
COMMENT ON FUNCTION dpmix_internal.rows_of_unit_size(internal) IS
    'how many rows dpmix_internal.rows_of_unit gives, for the planner: by what is public of the table';
CREATE FUNCTION dpmix_internal.rows_of_unit(held internal, place integer, unit integer) RETURNS SETOF record
    LANGUAGE C STABLE STRICT PARALLEL UNSAFE SUPPORT dpmix_internal.rows_of_unit_size
    AS 'MODULE_PATHNAME', 'dpmix_rows_of_unit';
COMMENT ON FUNCTION dpmix_internal.rows_of_unit(internal, integer, integer) IS
    'the rows that one privacy unit has in a table that a release holds; of a public table all rows';

CREATE FUNCTION dpmix_internal.groups_of_units(held internal) RETURNS SETOF record
    LANGUAGE C STABLE STRICT PARALLEL UNSAFE ROWS 100000 AS 'MODULE_PATHNAME', 'dpmix_groups_of_units';
COMMENT ON FUNCTION dpmix_internal.groups_of_units(internal) IS
    'what a release made of the rows of each privacy unit as it read them: the unit''s number, then each value';

-- Rows of public tables that are held together -----------------------------------------------------

CREATE FUNCTION dpmix_internal.held_rows_size(internal) RETURNS internal
    LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'dpmix_held_rows_size';
COMMENT ON FUNCTION dpmix_internal.held_rows_size(internal) IS
    'how many rows dpmix_internal.held_rows gives, for the planner: its second argument';
CREATE FUNCTION dpmix_internal.held_rows(number integer, rows double precision) RETURNS SETOF record
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT dpmix_internal.held_rows_size
    AS 'MODULE_PATHNAME', 'dpmix_held_rows';
COMMENT ON FUNCTION dpmix_internal.held_rows(integer, double precision) IS
    'the rows of a public table that a release holds, in each process that joins them';

-- Ends of the interval around an answer -----------------------------------------------------------

-- Volatile, so that nothing evaluates them early; called on NULL, so that nothing skips them: outside
-- of dpmix.query they raise PV002.

CREATE FUNCTION dpmix.dp_low(answer "any", level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_high(answer "any", level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.dp_low("any", float8) IS
    E'lower end of the noise interval of a dp_* aggregate, in its units, as in dp_low(dp_count(*), 0.9): the answer '
    'without noise lies between dp_low and dp_high with probability at least level, over the exact law of the noise, '
    'for each answer by itself. The interval always holds the noisy answer itself. What clamping to the bounds moved, '
    'and rounding to the lattice (at most 2^-31 of the larger bound a row), is not in it. Where privacy units have more '
    'rows than count in full (max_rows_per_unit, max_rows), the interval is of the bounded total, not of all rows. Of a '
    'count, and of a sum of values from 0 up, dp_low is a low end of the plain total, too; dp_high is no high end of '
    'it. Costs nothing beyond the aggregate. Ends of counts may be negative; those of averages stay within the bounds.\n'
    'answer: one of the aggregates\n'
    'level: a constant or $n, above 0, below 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
COMMENT ON FUNCTION dpmix.dp_high("any", float8) IS
    E'upper end of the noise interval of a dp_* aggregate, in its units: see dpmix.dp_low. Costs nothing beyond the '
    'aggregate.\n'
    'answer: one of the aggregates\n'
    'level: a constant or $n, above 0, below 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';

CREATE FUNCTION dpmix.dp_low(answer bigint[], level float8 = 0.95) RETURNS float8[]
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_high(answer bigint[], level float8 = 0.95) RETURNS float8[]
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.dp_low(bigint[], float8) IS
    E'lower ends of the noise intervals of the numbers of dpmix.dp_histogram, each by itself at the level.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
COMMENT ON FUNCTION dpmix.dp_high(bigint[], float8) IS
    E'upper ends of the noise intervals of the numbers of dpmix.dp_histogram, each by itself at the level.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
