// What the owner declared about columns of a protected table.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

struct ColumnDomain {  // in the caller's memory
  bool has_bounds;
  double lower, upper;
  int categories;   // 0: none declared
  char** category;  // text forms, as declared
};

// Of a live column; empty when the owner stated nothing.
ColumnDomain column_domain(const ProtectedTable* table, AttrNumber column);
// The same, or PV003 with a hint that names set_bounds / set_categories.
ColumnDomain require_bounds(const ProtectedTable* table, AttrNumber column);
ColumnDomain require_categories(const ProtectedTable* table, AttrNumber column);

}  // namespace dpmix::pg
