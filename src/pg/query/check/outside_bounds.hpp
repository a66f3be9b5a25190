// A NOTICE for each comparison of a number column with a constant that no value within the column's
// declared bounds satisfies: before the charge, as such an answer is likely about nobody. Of the
// query and of declarations alone.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// Of a query that passed the validator.
void notice_outside_bounds(const RowScope* scope);

}  // namespace dpmix::pg
