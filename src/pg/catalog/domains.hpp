// What the owner declared about columns of a protected table.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// Bounds that the rows of some categories have, of another column of the table.
struct BoundsBy {
  const char* column;
  int categories;
  char** category;  // text forms, as declared
  double *lower, *upper;
};

struct ColumnDomain {  // in the caller's memory
  bool has_bounds;
  double lower, upper;
  int categories;      // 0: none declared
  char** category;     // text forms, as declared
  int64 quantum;       // microseconds, to which constants in time are rounded; 0: none
  bool nan_is_middle;  // NaN: the middle of the bounds, where queries aggregate; otherwise missing
  const char* other;   // what values that are no category show as; NULL: they are in no group
  bool below, above;   // of a public column: -Infinity, Infinity beyond these bounds
  const BoundsBy* by = NULL;  // within these bounds; NULL: all rows have the same
};

// The domain of a live column; empty when the owner stated nothing.
ColumnDomain column_domain(const ProtectedTable* table, AttrNumber column);
// The same, or PV003 with a hint that names set_bounds / set_categories.
ColumnDomain require_bounds(const ProtectedTable* table, AttrNumber column);
ColumnDomain require_categories(const ProtectedTable* table, AttrNumber column);

// Whether reading a text as a value of the type runs PostgreSQL's own functions alone: of a domain,
// or a type made of domains, it would run its CHECK.
bool has_trusted_text(Oid type);

}  // namespace dpmix::pg
