#include "pg/schedule/keys.hpp"

#include "pg/preview/call.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "utils/catcache.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {
namespace {

struct Function {
  Oid oid, result;
  int arguments, defaults;  // those that have any come last
  Oid* type;
  char** name;
  char* mode;  // NULL: all are taken
};

// The one of that name that makes rows or a model; another tells that a row type is no name.
Function function_named(const char* name) {
  Function found = {};
  const Oid schema = get_namespace_oid("dpmix", false);
  CatCList* all = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
  for (int i = 0; i < all->n_members; i++) {
    HeapTuple tuple = &all->members[i]->tuple;
    const Form_pg_proc form = (Form_pg_proc)GETSTRUCT(tuple);
    if (form->pronamespace != schema) continue;
    Function function = {};
    function.oid = form->oid;
    function.result = form->prorettype;
    function.arguments = get_func_arg_info(tuple, &function.type, &function.name, &function.mode);
    function.defaults = form->pronargdefaults;
    if (strcmp(function.name[0], "row_type") != 0 || function.type[0] == ANYELEMENTOID) {
      found = function;
    }
  }
  ReleaseSysCacheList(all);
  if (found.arguments == 0) elog(ERROR, "there is no function dpmix.%s", name);
  return found;
}

bool is_taken(const Function& function, int i) {
  return function.mode == NULL || function.mode[i] == PROARGMODE_IN;
}

RecipeForm form_of(const Function& function) {
  const char* first = function.name[0];
  return strcmp(first, "name") == 0       ? RecipeForm::model
         : strcmp(first, "row_type") == 0 ? RecipeForm::table_rows
         : strcmp(first, "relation") == 0 ? RecipeForm::rows
                                          : RecipeForm::query;
}

bool is_own(const char* name) {  // of the schedule's, not of the recipe's
  return strcmp(name, "name") == 0 || strcmp(name, "row_type") == 0 ||
         strcmp(name, "relation") == 0;
}

}  // namespace

Keys keys_of(const ReleaseKind* kind) {
  const Function function = function_named(kind->release.data());
  int taken = 0;
  for (int i = 0; i < function.arguments; i++) taken += is_taken(function, i);
  Keys keys = {form_of(function), 0, (Key*)palloc(sizeof(Key) * taken)};
  const bool query = keys.form == RecipeForm::query;
  // A model's table has a default, for it may have a source instead; so SQL gives one to what comes
  // after it, as far as delta, which has none for us.
  bool stated = keys.form == RecipeForm::model;
  for (int i = 0, n = 0; i < function.arguments; i++) {
    if (!is_taken(function, i)) continue;
    const bool defaults = n++ >= taken - function.defaults;
    const char* name = function.name[i];
    const bool has_default = defaults && !stated;
    stated = stated && strcmp(name, "delta") != 0;
    // The rows of a query have room for all that it answers; its table is that of its first period.
    if (is_own(name) || (query && strcmp(name, "max_rows") == 0)) continue;
    const bool price = strcmp(name, "epsilon") == 0;  // a schedule goes by no default of a session
    const bool required = !has_default || price;
    keys.key[keys.count++] = {name, function.type[i], required};
  }
  return keys;
}

FuncExpr* release_call(const ReleaseKind* kind, Callable<Const*(const char* name)> value) {
  const Function function = function_named(kind->release.data());
  FuncExpr* call = makeFuncExpr(function.oid, function.result, NIL, InvalidOid, InvalidOid,
                                COERCE_EXPLICIT_CALL);
  for (int i = 0, n = 0; i < function.arguments; i++) {
    if (!is_taken(function, i)) continue;
    const int place = n++;
    Const* known = value(function.name[i]);
    if (known == NULL) continue;
    NamedArgExpr* argument = makeNode(NamedArgExpr);
    argument->arg = (Expr*)known;
    argument->name = function.name[i];
    argument->argnumber = place;
    argument->location = -1;
    call->args = lappend(call->args, argument);
    // Rows are of the type of their table.
    if (function.type[i] == ANYELEMENTOID) call->funcresulttype = known->consttype;
  }
  if (complete_call(call) != 0) elog(ERROR, "a default is no constant");
  return call;
}

int result_columns(const ReleaseKind* kind, char*** name, Oid** type) {
  const Function function = function_named(kind->release.data());
  *name = (char**)palloc(sizeof(char*) * function.arguments);
  *type = (Oid*)palloc(sizeof(Oid) * function.arguments);
  int count = 0;
  for (int i = 0; i < function.arguments; i++) {
    if (is_taken(function, i)) continue;
    (*name)[count] = function.name[i];
    (*type)[count++] = function.type[i];
  }
  return count;
}

}  // namespace dpmix::pg
