// Lists the noisy statistics behind a query's aggregates.
#pragma once

#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

// PV003: a sum over what has no bounds, or distinct values of what has no categories.
// PV002: not a number. finest: cells that a column of a quantile is cut into at most. drawn:
// quantiles are drawn, not read from trees. The caller sees to it that there is room for all cells.
QueryStatistics* list_statistics(const RowScope* scope, const QueryShape* shape, int64 groups,
                                 int finest, bool drawn = false);

// Whether a number is missing in the same rows as what it is converted from.
bool same_values(const Expr* value, const Expr* converted);

}  // namespace dpmix::pg
