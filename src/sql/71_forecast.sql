-- When a budget runs out. A gauge for those who see the budget; nothing is decided by it.

CREATE FUNCTION dpmix.forecast(
    INOUT relation regclass, IN past interval DEFAULT '30 days', IN at timestamptz DEFAULT NULL,
    OUT since timestamptz, OUT charges bigint, OUT share_spent float8, OUT share_per_day float8,
    OUT epsilon_per_day float8, OUT limited_by text, OUT charges_left bigint, OUT days_left float8,
    OUT runs_out_at timestamptz, OUT caution text)
    RETURNS record LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_forecast';
COMMENT ON FUNCTION dpmix.forecast(regclass, interval, timestamptz) IS
    E'when the budget of a table runs out if its charges go on as in the past span, by what its accountant admits. For those who see the '
    'table in dpmix.budget. Free; nothing is decided by it.\n'
    'past: the span, above 0, up to 100 years\n'
    'at: as of an earlier moment, for the owner; NULL: now\n'
    'since: where the span begins, not before the table was protected; for others than the owner at their own last charge before the '
    'span, else where the table was protected, as dpmix.audit shows them no other totals\n'
    'charges: made in the span\n'
    'share_spent: as in dpmix.budget\n'
    'share_per_day: what the span took each day of the sum that will end the budget, as a share of what that may come to\n'
    'epsilon_per_day: sum of epsilon as declared, a day\n'
    'limited_by: the sum that will end the budget, a column of dpmix.ledger; NULL without charges in the span\n'
    'charges_left: how many charges of the average size fit; NULL without charges in the span\n'
    'days_left: NULL where the budget does not run out at this pace\n'
    'runs_out_at: NULL there too, and beyond 1000 years\n'
    'caution: why not to rely on it; NULL: nothing known\n'
    'Errors: PV005 past out of range, or at in the future or before the table was protected; PV006 no such budget, or not yours to see; '
    '42501 at for others than the owner.\n'
    'See also: docs/guide/ledger.md#when-the-budget-runs-out.';
