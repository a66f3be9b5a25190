// EXISTS over rows that one value of the row around it is compared with, as a comparison of that
// value with a list: EXISTS (SELECT FROM codes WHERE codes.id = x AND kind = 'a') is true exactly
// where x = ANY (ARRAY(SELECT codes.id FROM codes WHERE kind = 'a')) is.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// Its sub-select refers to nothing around it any more. NULL: the query of EXISTS has groups or
// limits, or refers to the row in more than one comparison with what it reads.
ScalarArrayOpExpr* list_of_matches(const SubLink* exists);

// x op ANY (SELECT y), of a sub-select y, or op ALL. NULL: there is no type of such lists.
ScalarArrayOpExpr* over_list(const OpExpr* test, const SubLink* link, bool any);

}  // namespace dpmix::pg
