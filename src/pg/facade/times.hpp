// Times that PostgreSQL's own aggregates take, as numbers of the private ones, and back: averages
// and sums of intervals and times of day, quantiles of dates, times and intervals.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// Days since 2000-01-01 of a date, seconds since 1970-01-01 of a timestamp, since midnight of a
// time, of an interval; NULL: it is of another type.
Expr* number_of_time(Expr* time);
// What such a float8 stands for; of an interval, days and hours. NULL: of another type.
Expr* time_of_number(Expr* number, Oid type);

}  // namespace dpmix::pg
