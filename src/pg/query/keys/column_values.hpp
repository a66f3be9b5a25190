// The public values of a column: categories, whole numbers or days between bounds, false and true,
// what conditions name; of a public table, what its rows say.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct Values {
  int count;  // 0: they are not public
  Datum* value;
};

Values column_values(const RowScope* scope, const Var* column);
// Categories, or what conditions name.
Values declared_values(const RowScope* scope, const Var* column);

// Whole numbers between two as a type; none where they are too many, or beyond it.
Values whole_numbers(Oid type, double lower, double upper);
bool takes_whole(Oid type, double lower, double upper);
// One below 2^53, so that it is itself.
Datum whole_number(Oid type, double number);

}  // namespace dpmix::pg
