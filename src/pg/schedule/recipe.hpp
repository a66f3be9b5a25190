// The recipe of a schedule: the call of a release, as its maker wrote it.
#pragma once

#include "core/release/kinds.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// Told by the function's first argument: a model has a name; synthetic rows are of the type of
// their table; other rows are of types of their own, about a relation. A query names its tables.
enum class RecipeForm { query, model, table_rows, rows };

struct Recipe {
  const ReleaseKind* kind;
  RecipeForm form;
  FuncExpr* call;                   // all arguments in their places, as constants
  char** argument;                  // their names
  const RangeTblFunction* columns;  // a query's column definition list; NULL: there is none
};

// Analyses the text under the search_path that is set. PV005: it is not one call of a release, with
// nothing around it.
Recipe* read_recipe(const char* text);

// NULL: there is none of that name, or it is NULL.
const Const* argument_of(const Recipe* recipe, const char* name);
const char* text_of(const Recipe* recipe, const char* name);  // NULL likewise
// Changes an argument in place: the recipe's call is its own copy.
void replace_text(Recipe* recipe, const char* name, const char* text);

// The table whose rows are released; InvalidOid: of a query, or of a source alone.
Oid relation_of(const Recipe* recipe);

// The columns that the recipe's function returns.
int result_columns(const Recipe* recipe, char*** name, Oid** type);

// The name of a table that an argument has; PV005 for what is none.
RangeVar* table_name(const char* argument, const char* text);

}  // namespace dpmix::pg
