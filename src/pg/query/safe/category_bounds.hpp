// Bounds by category: those of the rows that a query is about, as far as its text says of which
// categories they are.
//
// Rows are clamped to whatever bounds this says, so privacy does not rest on it
// (docs/proofs/category_bounds.md).
#pragma once

#include "pg/catalog/bounds_by.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// The column of the same table that bounds go by; NULL: they go by none, or it is not there as it
// was.
Var* deciding_column(const RowScope* scope, const Var* column, const ColumnDomain& domain);

// With the widest bounds of the categories that facts leave; as it is, where they leave others.
ColumnDomain met_by_categories(const RowScope* scope, const Var* column,
                               const ColumnDomain& domain);

}  // namespace dpmix::pg
