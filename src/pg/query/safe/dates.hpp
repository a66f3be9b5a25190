// Days of dates in row expressions: date + days, date - days, date - date.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

bool safe_date_function(const SafeCall* call, SafePart* made);

}  // namespace dpmix::pg
