// What moves all times alike: constant intervals and time zones.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// What is moved by a constant interval of days and times, or put into a constant time zone; or
// NULL. Neither makes a later time an earlier one but at changes of the clocks.
Node* moved_in_time(const Node* node);

}  // namespace dpmix::pg
