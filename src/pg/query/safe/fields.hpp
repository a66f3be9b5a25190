// extract and date_part in row expressions.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

bool safe_field_function(const SafeCall* call, SafePart* made);

}  // namespace dpmix::pg
