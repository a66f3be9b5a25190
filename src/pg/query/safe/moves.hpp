// Times that are moved by intervals of the row, and times made of seconds.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

// A time plus or minus an interval that is no constant. function: with the time first. at: which
// argument it is.
SafePart moved_by_row(const SafeCall* call, Oid function, Oid to, int at);

// to_timestamp(seconds).
SafePart time_of_seconds(const SafeCall* call);

}  // namespace dpmix::pg
