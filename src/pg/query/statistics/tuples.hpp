// How many different tuples of expressions the rows of FROM can have, and how long the texts in
// them are together: at most, by the sizes of tables, which everybody sees.
//
// Where a row of one table may meet several of another, tuples of both are as many as the product.
// Texts of columns are no longer than their table, each as often as its row; what is computed, or
// stands in a row that many meet, is as long as the tree lets it be (longest_text).
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct Tuples {
  double count, text_bytes;
};
// with_unit: of these and a row's privacy unit. rows: of a table (scan/table_size.hpp).
Tuples tuples_of(const RowScope* scope, const List* expressions, bool with_unit,
                 double (*rows)(Oid));

// Whether a value is a column whose texts are no longer than its table, however many rows it meets.
bool is_stored_once(const RowScope* scope, const Expr* value);

}  // namespace dpmix::pg
