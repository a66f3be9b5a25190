#include "pg/schedule/recipe.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/texts.hpp"
#include "pg/preview/call.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "funcapi.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"
}

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse_recipe(const char* detail, const char* hint) {
  refuse_argument("what is scheduled is one call of a release, and nothing around it", detail,
                  hint);
}

// All columns of the only entry of FROM, in its order, by their own names.
bool selects_all(const Query* query) {
  const RangeTblEntry* entry = rt_fetch(1, query->rtable);
  if (entry->funcordinality) return false;
  const RangeTblFunction* function = linitial_node(RangeTblFunction, entry->functions);
  if (entry->alias != NULL && entry->alias->colnames != NIL && function->funccolnames == NIL) {
    return false;
  }
  int n = 0;
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* target = lfirst_node(TargetEntry, cell);
    const Var* column = (const Var*)target->expr;
    if (target->resjunk || !IsA(column, Var) || column->varno != 1) return false;
    if (column->varattno != ++n) return false;
    if (strcmp(target->resname, strVal(list_nth(entry->eref->colnames, n - 1))) != 0) return false;
  }
  return n == list_length(entry->eref->colnames);
}

// Rows are stored as they are released, so that nothing is made of them here.
bool is_bare(const Query* query) {
  if (query->jointree->quals != NULL || query->groupClause != NIL || query->groupingSets != NIL ||
      query->havingQual != NULL || query->distinctClause != NIL || query->sortClause != NIL ||
      query->limitOffset != NULL || query->limitCount != NULL || query->cteList != NIL ||
      query->rowMarks != NIL || query->hasAggs || query->hasWindowFuncs) {
    return false;
  }
  if (query->jointree->fromlist != NIL) return selects_all(query);
  return IsA(linitial_node(TargetEntry, query->targetList)->expr, FuncExpr);
}

const RangeTblFunction* columns_of(const Query* query) {
  if (query->jointree->fromlist == NIL) return NULL;
  const RangeTblFunction* function =
      linitial_node(RangeTblFunction, rt_fetch(1, query->rtable)->functions);
  return function->funccolnames != NIL ? function : NULL;
}

struct Signature {
  int arguments;
  Oid* type;
  char** name;
  char* mode;  // NULL: all are taken
};

Signature signature_of(Oid function) {
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "function %u is gone", function);
  Signature signature = {};
  signature.arguments = get_func_arg_info(tuple, &signature.type, &signature.name, &signature.mode);
  ReleaseSysCache(tuple);
  return signature;
}

bool is_taken(const Signature& signature, int i) {
  return signature.mode == NULL || signature.mode[i] == PROARGMODE_IN;
}

RecipeForm form_of(const char* first) {
  return strcmp(first, "name") == 0       ? RecipeForm::model
         : strcmp(first, "row_type") == 0 ? RecipeForm::table_rows
         : strcmp(first, "relation") == 0 ? RecipeForm::rows
                                          : RecipeForm::query;
}

int place_of(const Recipe* recipe, const char* name) {
  for (int i = 0; i < list_length(recipe->call->args); i++) {
    if (strcmp(recipe->argument[i], name) == 0) return i;
  }
  return -1;
}

}  // namespace

Recipe* read_recipe(const char* text) {
  const ReleaseCall read = read_call(text);
  if (read.call == NULL) {
    refuse_recipe("The text is a query, which says nothing of epsilon.",
                  "Write SELECT dpmix.query($q$SELECT ...$q$, epsilon => 0.1).");
  }
  if (!is_bare(read.statement)) {
    refuse_recipe("What a release makes is stored as it is, under its own names.",
                  psprintf("Write SELECT %sdpmix.%s(...).",
                           read.kind->word == "query" ? "" : "* FROM ", read.kind->release.data()));
  }
  Recipe* recipe = (Recipe*)palloc0(sizeof(Recipe));
  recipe->kind = read.kind;
  recipe->call = read.call;
  recipe->columns = columns_of(read.statement);
  const Signature signature = signature_of(read.call->funcid);
  recipe->argument = (char**)palloc(sizeof(char*) * signature.arguments);
  for (int i = 0, n = 0; i < signature.arguments; i++) {
    if (is_taken(signature, i)) recipe->argument[n++] = signature.name[i];
  }
  recipe->form = form_of(recipe->argument[0]);
  return recipe;
}

const Const* argument_of(const Recipe* recipe, const char* name) {
  const int place = place_of(recipe, name);
  if (place < 0) return NULL;
  const Const* value = list_nth_node(Const, recipe->call->args, place);
  return value->constisnull ? NULL : value;
}

const char* text_of(const Recipe* recipe, const char* name) {
  const Const* value = argument_of(recipe, name);
  return value != NULL ? TextDatumGetCString(value->constvalue) : NULL;
}

void replace_text(Recipe* recipe, const char* name, const char* text) {
  Const* value = list_nth_node(Const, recipe->call->args, place_of(recipe, name));
  value->constvalue = CStringGetTextDatum(text);
}

Oid relation_of(const Recipe* recipe) {
  if (recipe->form == RecipeForm::table_rows) {
    return get_typ_typrelid(linitial_node(Const, recipe->call->args)->consttype);
  }
  const Const* relation = argument_of(recipe, "relation");
  return relation != NULL ? DatumGetObjectId(relation->constvalue) : InvalidOid;
}

int result_columns(const Recipe* recipe, char*** name, Oid** type) {
  const Signature signature = signature_of(recipe->call->funcid);
  *name = (char**)palloc(sizeof(char*) * signature.arguments);
  *type = (Oid*)palloc(sizeof(Oid) * signature.arguments);
  int count = 0;
  for (int i = 0; i < signature.arguments; i++) {
    if (is_taken(signature, i)) continue;
    (*name)[count] = signature.name[i];
    (*type)[count++] = signature.type[i];
  }
  return count;
}

RangeVar* table_name(const char* argument, const char* text) {
  List* parts;
  if (!SplitIdentifierString(pstrdup(text), '.', &parts) || list_length(parts) < 1 ||
      list_length(parts) > 3) {
    refuse_argument(psprintf("%s is no name of a table", argument),
                    psprintf("It is \"%s\".", quoted_prefix(text)),
                    "Write it as in SQL: table, or schema.table.");
  }
  List* names = NIL;
  ListCell* part;
  foreach (part, parts) names = lappend(names, makeString((char*)lfirst(part)));
  return makeRangeVarFromNameList(names);
}

}  // namespace dpmix::pg
