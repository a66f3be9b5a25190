// What the catalog says of a column's values: the labels of its enum type, the two values of a
// boolean, and what CHECK constraints of its table and its domains allow. All of it is public: no
// row is read.
#pragma once

#include "pg/owner/owned_column.hpp"

namespace dpmix::pg {

struct DefaultDomain {
  bool has_bounds;
  double lower, upper;
  int categories;  // 0: none
  const char** category;
  const char* source;  // where it is from; NULL: nothing was found
  const char* half;    // a constraint that gives only one of two bounds; NULL: none does
};

// The default domain of a column, in the current memory context. A constraint that cannot be read
// as bounds or a list of values says nothing.
DefaultDomain default_domain(Oid relation, const OwnedColumn* column);

}  // namespace dpmix::pg
