-- 0.1.0 to 0.2.0. After it a database has the very objects that CREATE EXTENSION makes
-- (test/server/upgrade.test.sh).

-- Intervals around the answers of dpmix.query.
COMMENT ON FUNCTION dpmix.query(text, float8, float8, text, text[], text, integer) IS
    'Private answers to one SELECT of group keys and dp_count(*), dp_count(x), dp_sum(x), dp_avg(x) over one protected table, '
    'with WHERE and GROUP BY; dp_low and dp_high of these are the ends of their noise intervals. Charges epsilon (1e-6 to 1e7) '
    'and delta (0 to 0.5), the totals over all columns and groups, before it reads a row. Every declared group comes back, in the order of the declarations; counts may be negative. '
    'mechanism: auto, gaussian, multi_gaussian, laplace. params: one text for each $n. '
    'PV001 budget exhausted, PV002 query not allowed, PV003 bounds or categories missing, PV004 ledger unavailable, '
    'PV005 invalid parameter or column list, PV006 not protected or no access';

-- Ends of the interval around an answer. Volatile, so that nothing evaluates them early; called
-- on NULL, so that nothing skips them: outside of dpmix.query they raise PV002.

CREATE FUNCTION dpmix.dp_low(answer bigint, level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_low(answer float8, level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_high(answer bigint, level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
CREATE FUNCTION dpmix.dp_high(answer float8, level float8 = 0.95) RETURNS float8
    LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_outside_query';
COMMENT ON FUNCTION dpmix.dp_low(bigint, float8) IS
    'lower end of the noise interval of a dp_* aggregate, in its units: the answer without noise lies in dp_low .. dp_high with '
    'probability at least level (a constant between 0 and 1), for each answer by itself. What clamping to the bounds moved is '
    'not in it. Costs nothing beyond the aggregate; only in the text of dpmix.query, else PV002; PV005 level out of range';
COMMENT ON FUNCTION dpmix.dp_low(float8, float8) IS
    'lower end of the noise interval of a dp_* aggregate, in its units: the answer without noise lies in dp_low .. dp_high with '
    'probability at least level (a constant between 0 and 1), for each answer by itself. What clamping to the bounds moved is '
    'not in it. Costs nothing beyond the aggregate; only in the text of dpmix.query, else PV002; PV005 level out of range';
COMMENT ON FUNCTION dpmix.dp_high(bigint, float8) IS
    'upper end of the noise interval of a dp_* aggregate, in its units: the answer without noise lies in dp_low .. dp_high with '
    'probability at least level (a constant between 0 and 1), for each answer by itself. What clamping to the bounds moved is '
    'not in it. Costs nothing beyond the aggregate; only in the text of dpmix.query, else PV002; PV005 level out of range';
COMMENT ON FUNCTION dpmix.dp_high(float8, float8) IS
    'upper end of the noise interval of a dp_* aggregate, in its units: the answer without noise lies in dp_low .. dp_high with '
    'probability at least level (a constant between 0 and 1), for each answer by itself. What clamping to the bounds moved is '
    'not in it. Costs nothing beyond the aggregate; only in the text of dpmix.query, else PV002; PV005 level out of range';
