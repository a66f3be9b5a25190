// What a function of times reads or keeps when it is first called with constants of its own: the
// file of a time zone, a pattern of to_char that it takes apart.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// Calls such a function once, with some moment. Does nothing for any other function.
void open_time(const FuncExpr* call);

}  // namespace dpmix::pg
