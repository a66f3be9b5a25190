// Days of dates in row expressions: date + days, date - days, date - date, timestamp::date. What
// takes intervals, or asks the time zone, is not on the list.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

bool safe_date_function(const SafeCall* call, SafePart* made);

}  // namespace dpmix::pg
