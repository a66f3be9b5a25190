// A row's value as its number among public categories: what groups and counts of distinct
// categories scan.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// An integer, 0 .. count - 1: the place of a safe value among categories of its type, the first of
// equal ones; NULL for NULL and any other value. Total; takes as long for a thousand categories as
// for ten.
Expr* category_number(const Expr* value, const Datum* category, int count);

// That array: its subscripts begin at 0, as numbers do.
Const* category_array(Oid type, Oid collation, const Datum* category, int count);

struct DeclaredNumber {
  Expr* expression;
  int categories;
};
// Among the declared categories of a column. PV002: not on the list, or of a type that has no
// categories; PV003: they are not declared.
DeclaredNumber declared_number(const RowScope* scope, Node* value, const char* aggregate);

}  // namespace dpmix::pg
