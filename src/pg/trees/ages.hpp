// age(x) counts from today: written as age(today, x), so that today is computed once, beforehand,
// as other times of a statement are.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// NULL: it is another call.
FuncExpr* age_from_today(const FuncExpr* call);

}  // namespace dpmix::pg
