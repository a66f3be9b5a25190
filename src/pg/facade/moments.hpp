// Time windows: columns compared with now() and the like.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// PostgreSQL compares a date or a time stamp without time zone with one that has a zone by looking
// the zone up for each row, and no row may be asked such a thing. Where one side has no column, the
// same comparison with that side's value in the session's time zone, or in the column's type; NULL
// for other comparisons. Beside a change of the clocks both mean the same.
OpExpr* in_column_time(const OpExpr* comparison);

}  // namespace dpmix::pg
