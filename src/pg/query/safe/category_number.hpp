// A row's value as its number among public categories: what groups and counts of distinct
// categories scan.
#pragma once

#include "pg/query/read/shape.hpp"
#include "pg/trees/category.hpp"

namespace dpmix::pg {

struct DeclaredNumber {
  Expr* expression;
  int categories;
};
// The number among a column's declared categories; its type may be a key. PV003: there are none.
DeclaredNumber declared_number(const RowScope* scope, const Var* column);

}  // namespace dpmix::pg
