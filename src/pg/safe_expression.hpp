// Expressions over rows that no row can make fail: an analysed expression is checked against the
// lists of allow_list.hpp, and compiled to one of total functions.
//
// Nothing is on the list but what is known to be safe. Reads the system catalogs and the declared
// domains only: no row is looked at.
#pragma once

#include "pg/query_shape.hpp"

namespace dpmix::pg {

// WHERE: PV002 names what is not on the list.
Node* safe_condition(const RowScope* scope, Node* condition);

// A number to be summed: a float8 expression, NULL or NaN where it is missing, and its declared
// bounds. PV002: no number, or not on the list; PV003: bounds are not declared.
struct SafeNumber {
  Expr* value;
  bool integral;  // whole numbers only
  double lower, upper;
};
SafeNumber safe_number(const RowScope* scope, Node* number, const char* aggregate);

// A number whose bounds are of no interest: float8, NULL or NaN where it is missing. PV002 as
// above.
Expr* safe_float8(const RowScope* scope, Node* number, const char* aggregate);

// A value of any type of the list: what is counted, or a group key.
Expr* safe_value(const RowScope* scope, Node* value, const char* use);

// Whether values of a type can be NaN, which counts as missing.
bool has_nan(Oid type);

// The text of a safe value, for people.
const char* expression_text(const RowScope* scope, const Node* expression);

}  // namespace dpmix::pg
