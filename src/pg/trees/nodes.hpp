// Nodes that dpmix puts into a query: constants, calls, conditions, aggregates, and what groups and
// sorts.
//
// Enters: analysed expressions, which are shared unless it says otherwise. Leaves: nodes as parse
// analysis makes them, ready for the planner. Nothing here decides on what may stand in a query.
#pragma once

#include <initializer_list>

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

Const* constant(Oid type, Oid collation, Datum value);  // not NULL
Const* float8_constant(double value);
bool is_constant(const Node* node);  // and not NULL
Datum constant_value(const Node* node);

struct ArrayElements {
  Oid type;
  int count;
  Datum* value;
  bool* null;
};
ArrayElements array_elements(const Node* constant);  // constant: an array

// Whether values of a type can be NaN, which counts as missing; and NaN of such a type.
bool has_nan(Oid type);
Datum nan_of(Oid type);

// dpmix_internal.name with arguments of these types.
Oid dpmix_function(const char* name, int arguments, const Oid* types);
inline Oid dpmix_function(const char* name, std::initializer_list<Oid> types) {
  return dpmix_function(name, (int)types.size(), types.begin());
}
// Whether a function or aggregate is dpmix's own, of schema dpmix or dpmix_internal.
bool is_dpmix_function(Oid function);

Expr* call_builtin(Oid function, Oid result, List* arguments);
Expr* call_dpmix(const char* name, Oid result, List* arguments);  // dpmix_internal.name
Expr* call_to_float8(Expr* value);

// A comparison by an operator that gives a boolean, for a type without collation.
Expr* comparison(Oid op, Expr* left, Expr* right);
// The operator of a btree strategy among values of a type.
Oid order_operator(Oid type, int strategy);

// CASE WHEN condition THEN value ELSE otherwise END: each is computed nowhere else. One of the two
// may be nullptr, a NULL of the other's type.
Expr* case_when(Expr* condition, Expr* value, Expr* otherwise = nullptr);

// value IS NOT NULL, of a copy of it.
Expr* is_known(const Expr* value);
// coalesce(value, otherwise)
Expr* first_known(Expr* value, Expr* otherwise);
// WHERE ... AND that.
void require_value(Query* query, const Expr* value);

// No arguments: as count(*).
Aggref* aggregate_call(Oid function, Oid result, List* arguments);

// GROUP BY, ORDER BY or DISTINCT of the target with this reference, in its type's default order.
SortGroupClause* sort_clause(Oid type, Index reference);

// $n of a statement.
bool is_statement_parameter(const Node* node);
// $number in the place of a value.
Param* parameter_for(const Node* value, int number);
// The place, from 1, of an equal node in a list; of a copy of it at the end, where there is none.
int add_once(List** list, const Node* node);

// Another column of the entry of FROM that a column, or a whole row, is of: of an outer join's side
// that may be missing, it is missing with it.
Var* column_beside(const Var* of, AttrNumber column, Oid type, int32 typmod, Oid collation);

// The columns (Var) of an expression or list of them, each once.
List* columns_of(Node* node);

}  // namespace dpmix::pg
