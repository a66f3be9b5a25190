// Expressions over rows that no row can make fail: an analysed expression is compiled to one of
// total functions, or refused (docs/guide/query_expressions.md is the list).
//
// Comparisons, texts, dates and columns keep PostgreSQL's own functions, where these are total
// (allow_list.hpp). Arithmetic over any of the number types becomes dpmix's own, in double
// precision: what has no value, such as a division by zero, is NULL. Then comparisons and CASE
// around it become those of float8, too. Nothing is on the list but what is known to be safe. Reads
// the system catalogs and the declared domains only: no row is looked at.
#pragma once

#include "core/input/value_interval.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// WHERE: PV002 names what is not on the list.
Node* safe_condition(const RowScope* scope, Node* condition);

// A number to be summed: a float8 expression, NULL or NaN where it is missing, and its bounds:
// those declared of a column; of an expression, what they let it be
// (core/input/value_interval.hpp), where columns stand for what their bounds make of them but in
// conditions. PV002: no number, or not on the list; PV003: bounds are not declared, or cannot be
// told.
struct SafeNumber {
  Expr* value;
  bool integral;  // whole numbers only
  double lower, upper;
  Expr* counted;  // missing exactly where value is: the column itself, or value
};
SafeNumber safe_number(const RowScope* scope, Node* number, const char* aggregate);

// The bounds of a computed value that is a number or in time, which may be one point; false where
// they cannot be told.
bool bounds_of(const RowScope* scope, Node* value, ValueInterval* bounds);
// The same for a number, with its value.
bool bounded_number(const RowScope* scope, Node* number, SafeNumber* made);

// A value of any type of the list, to be counted: the column itself where it is only cast. Computed
// numbers are of type float8, whatever their type is in the query.
Expr* safe_value(const RowScope* scope, Node* value);
// The same as dp_count() counts it: NaN of a column is a value where the owner says so.
Expr* safe_counted(const RowScope* scope, Node* value);
// The same as a group key: a column that is cast has its type in the query. bytes: of a text that
// is computed, the most that it has; of anything else 0.
Expr* safe_key(const RowScope* scope, Node* key, double* bytes);

// The text of a safe value, for people.
const char* expression_text(const RowScope* scope, const Node* expression);

}  // namespace dpmix::pg
