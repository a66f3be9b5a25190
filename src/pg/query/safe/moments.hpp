// Dates and times in row expressions as numbers, so that their bounds can be told.
//
// A date counts days, a timestamp seconds since 2000-01-01 (in UTC where it has a zone), a time
// seconds since midnight, an interval seconds as extract(epoch FROM ...) counts them. Bounds go out
// to whole microseconds. Only the error of answers rests on them.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

// No clock is changed by more than a day.
constexpr double kClockSlack = 86400;  // seconds

// The number of a constant in time, not NULL: infinite ones are infinite.
double number_in_time(const Const* constant);
// What is known of a constant interval.
IntervalShape shape_of(const Const* interval);

// The unit that a constant names, as PostgreSQL reads it (DTK_MONTH, ...); of anything else a
// number that is no unit.
int unit_of_time(const Node* name);

// The moment within its type that is next to a number, within the bounds that it is an end of.
Const* first_moment(Oid type, double number);
Const* last_moment(Oid type, double number);

// at where it is in the range, else the nearest moment of it.
Expr* clamped_moment(Expr* at, const ValueInterval& range);

// at, NULL where it is finite and not from first to last (in units of its type).
Expr* moment_within(Expr* at, int64 first, int64 last);

// The bounds of a function that rises with a moment, from the moments at the ends of the range. So
// far as changes of the clocks or months of several lengths make it fall, it falls less than slack
// (in the result's own numbers).
using OfMoment = Callable<Expr*(Expr* at)>;
ValueInterval image_of(const OfMoment& function, Oid type, const ValueInterval& range,
                       double slack = 0);

// The times that the session's clock shows between two moments.
ValueInterval on_local_clock(const ValueInterval& range);

// PV005 where a function raises whatever the moment is: its constants are wrong.
void check_constants(const SafeCall* call, const OfMoment& function, Oid type);

// Bytes that a row's values of a call take until the row is done.
void take_small_values(const SafeCall* call);

}  // namespace dpmix::pg
