// What a recipe may say: the arguments of the SQL function that makes the release, by name.
#pragma once

#include "core/release/kinds.hpp"
#include "pg/border/callable.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// By the function's first argument: a model has a name; synthetic rows are of the type of their
// table; other rows are of types of their own, and tell of a relation. A query names its tables.
enum class RecipeForm { query, model, table_rows, rows };

struct Key {
  const char* name;
  Oid type;
  bool required;
};
struct Keys {
  RecipeForm form;
  int count;
  Key* key;  // besides relation, and into, in the function's order
};
Keys keys_of(const ReleaseKind* kind);

// A call of that function. value: of an argument; NULL: its default.
FuncExpr* release_call(const ReleaseKind* kind, Callable<Const*(const char* name)> value);

// Of the function that makes the rows: what it returns.
int result_columns(const ReleaseKind* kind, char*** name, Oid** type);

}  // namespace dpmix::pg
