// A row's declared category as a number: what counts of distinct categories scan.
#pragma once

#include "pg/query_shape.hpp"

namespace dpmix::pg {

struct CategoryNumber {
  Expr* expression;  // safe: integer, 0 .. categories - 1; NULL for a NULL or undeclared value
  int categories;    // as declared; of equal ones only the first is met
};

// PV002: not on the list, or of a type that has no categories; PV003: categories are not declared.
CategoryNumber category_number(const RowScope* scope, Node* value, const char* use);

}  // namespace dpmix::pg
