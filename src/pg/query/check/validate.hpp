// Which queries may run over protected tables: pure checking of an analysed Query tree.
//
// Enters: a tree as parse analysis made it, its tables opened. Leaves: its shape; or PV002, which
// names the construct and what to write instead. Nothing is on the list but what is known to be
// safe: FROM by from_clause.hpp and joined_rows.hpp, expressions over rows by expression.hpp,
// dp_* aggregates by aggregates.hpp, and what is made of released values by
// released_columns.hpp.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

QueryShape* validate(const RowScope* scope);

}  // namespace dpmix::pg
