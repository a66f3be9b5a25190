// Queries of one row over a synthetic table, before any charge, with the rights of who asks.
//
// Whatever the relation runs, a view's functions or a policy's, it runs as whoever asked and could
// read it anyway; but not so that somebody else is charged for the comparison: no SET ROLE inside.
#pragma once

#include "pg/border/callable.hpp"

namespace dpmix::pg {

// targets: text built by dpmix, of columns of `r`; none of them may be NULL.
void query_synthetic(const char* targets, Oid synthetic, RowReceiver receive);

// Whether each of these columns holds a value in some row. True when there is no row.
const bool* columns_with_values(Oid synthetic, const char* const* names, int count);

}  // namespace dpmix::pg
