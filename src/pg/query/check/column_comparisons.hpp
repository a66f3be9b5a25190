// Where a query compares a column of the rows with constants: what notices about constants look at.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct ColumnComparison {
  const Var* column;
  Oid op, collation;  // they compare the column with a value, in this order
  bool any;           // whether it is enough that it holds of one value
  Oid type;           // the type of the values, which are not NULL
  int count;
  Datum* value;
};

// Calls look for each comparison by PostgreSQL's own operators in WHERE, joins, FILTER, HAVING and
// what is selected.
void look_at_comparisons(const RowScope* scope,
                         void (*look)(const RowScope* scope, const ColumnComparison& comparison));

}  // namespace dpmix::pg
