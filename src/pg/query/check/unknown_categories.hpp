// A NOTICE for each constant that is compared with a column and is none of its declared categories:
// before the charge, as it is likely a mistake. It depends on the query and declarations alone.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// Raises the NOTICEs for a query that passed the validator.
void notice_unknown_categories(const RowScope* scope);

}  // namespace dpmix::pg
