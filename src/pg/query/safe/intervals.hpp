// Intervals in row expressions: differences of times, ages, and columns. What is summed of them is
// a number: extract(epoch FROM ...) and other fields.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

bool safe_interval_function(const SafeCall* call, SafePart* made);

}  // namespace dpmix::pg
