// A NOTICE for each comparison of a number column with a constant that no value within the column's
// declared bounds satisfies: before the charge, as such an answer is likely about nobody. It
// depends on the query and on declarations alone.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// Raises the NOTICEs for a query that passed the validator.
void notice_outside_bounds(const RowScope* scope);

}  // namespace dpmix::pg
