-- When a budget runs out. A gauge for those who see the budget; nothing is decided by it.

CREATE FUNCTION dpmix.forecast(
    INOUT relation regclass, IN past interval DEFAULT '30 days', IN at timestamptz DEFAULT NULL,
    OUT since timestamptz, OUT charges bigint, OUT share_spent float8, OUT share_per_day float8,
    OUT epsilon_per_day float8, OUT limited_by text, OUT charges_left bigint, OUT days_left float8,
    OUT runs_out_at timestamptz, OUT caution text)
    RETURNS record LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_forecast';
COMMENT ON FUNCTION dpmix.forecast(regclass, interval, timestamptz) IS
    'when the budget of a table runs out if its charges go on as in the past span (above 0, up to 100 years), by what its accountant '
    'admits. For those who see the table in dpmix.budget; free. at: as of an earlier moment (NULL: now), for the owner. since: where the span begins, '
    'not before the table was protected, and for others than the owner at their own last charge before the span, else where the table was '
    'protected, as dpmix.audit shows them no other totals; charges: made in it; share_spent: as in dpmix.budget; share_per_day: what the span took each '
    'day of the sum that will end the budget, limited_by, a column of dpmix.ledger; epsilon_per_day: sum of epsilon as declared, a '
    'day; charges_left: how many charges of the average size fit; days_left, runs_out_at: NULL where the budget does not run out at '
    'this pace, runs_out_at also beyond 1000 years; caution: why not to rely on it (NULL: nothing known). Without charges in the span '
    'limited_by and charges_left are NULL too. PV005 parameter, PV006 no such budget, or not yours to see, 42501 at for others than '
    'the owner';
