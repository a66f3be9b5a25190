// What is true of every row that counts: the conditions that AND joins at the top of WHERE, and
// those in ON of inner joins.
//
// They narrow what is public: a value that no row can have needs no group, and values lie closer
// together than declared bounds say. All of it is told from the text, its parameters and
// declarations, before the charge. Were it wrong, answers would be: privacy does not rest on it
// (docs/proofs/query.md).
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// Safe conditions, of WHERE and of inner joins.
List* facts_of(const QueryShape* shape);
// What ON says is true of the rows in which a table is present, and not filled up with NULLs.
List* facts_where_present(const List* from, Index varno);
bool may_be_missing(const List* from, Index varno);
// The facts without those about a column that puts rows into blocks.
List* facts_for_ever(const RowScope* scope, const List* facts);
// What AND joins at the top of a condition.
List* joined_by_and(Node* condition);

// The btree strategy of an operator in whose order no setting has a say; 0: it has none.
int order_strategy(Oid op);
bool is_comparison(Oid op);  // by such a strategy, or <>

// A column under casts that keep its value, or NULL.
Var* compared_column(Node* node);

// The bounds of a column of numbers, dates (in days) or timestamps (in seconds), met with the
// constants that facts compare it with. As they were, where nothing is left. open: without the ends
// that facts exclude.
struct Bounds {
  double lower, upper;
};
Bounds bounds_met(const List* facts, const Var* column, const Bounds& declared, bool open,
                  bool nan_counts);

// The digits behind the point that a numeric's type has.
int scale_of_numeric(int32 typmod);

// Whether any number between bounds (or NaN, if that counts) lets all facts be true that compare a
// column with constants.
bool have_number(const List* facts, const Var* column, const Bounds& bounds, bool nan_counts);

}  // namespace dpmix::pg
