#include "pg/facade/calls.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/answer_names.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

Const* text_constant(const char* text) {
  const Oid collation = get_typcollation(TEXTOID);
  if (text == NULL) return makeNullConst(TEXTOID, -1, collation);
  return constant(TEXTOID, collation, CStringGetTextDatum(text));
}

Const* oids_constant(const List* oids) {
  Datum* values = (Datum*)palloc(sizeof(Datum) * (list_length(oids) + 1));
  for (int i = 0; i < list_length(oids); i++) values[i] = ObjectIdGetDatum(list_nth_oid(oids, i));
  ArrayType* array =
      construct_array(values, list_length(oids), OIDOID, sizeof(Oid), true, TYPALIGN_INT);
  return constant(OIDARRAYOID, InvalidOid, PointerGetDatum(array));
}

constexpr const char* word_of(AnswerMode mode) {
  return mode == AnswerMode::aggregates ? "aggregates"
         : mode == AnswerMode::values   ? "values"
                                        : "filtered values";
}

FuncExpr* call_of(const PrivateText& text, AnswerMode mode, bool widths) {
  List* arguments = list_make5(text_constant(text.text), text_constant(text.question),
                               oids_constant(text.facades), text_constant(word_of(mode)),
                               constant(INT4OID, InvalidOid, Int32GetDatum(text.real)));
  arguments = lappend(arguments, constant(BOOLOID, InvalidOid, BoolGetDatum(widths)));
  constexpr Oid kTypes[] = {TEXTOID, TEXTOID, OIDARRAYOID, TEXTOID, INT4OID, BOOLOID, ANYOID};
  const Oid function = dpmix_function("answer", text.parameters == NIL ? 6 : 7, kTypes);
  FuncExpr* call = makeFuncExpr(function, RECORDOID, list_concat(arguments, text.parameters),
                                InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
  call->funcretset = true;
  return call;
}

struct Columns {
  List *names, *types, *typmods, *collations;
};

Columns columns_like(const List* expressions) {
  Columns out = {};
  const ListCell* cell;
  foreach (cell, expressions) {
    const Node* like = (const Node*)lfirst(cell);
    out.names = lappend(out.names, makeString(psprintf("c%d", list_length(out.names) + 1)));
    out.types = lappend_oid(out.types, exprType(like));
    out.typmods = lappend_int(out.typmods, exprTypmod(like));
    out.collations = lappend_oid(out.collations, exprCollation(like));
  }
  return out;
}

Query* query_of(FuncExpr* call, const Columns& columns) {
  RangeTblFunction* function = makeNode(RangeTblFunction);
  function->funcexpr = (Node*)call;
  function->funccolcount = list_length(columns.names);
  function->funccolnames = columns.names;
  function->funccoltypes = columns.types;
  function->funccoltypmods = columns.typmods;
  function->funccolcollations = columns.collations;
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_FUNCTION;
  entry->functions = list_make1(function);
  entry->eref = makeAlias("answer", columns.names);
  entry->inFromCl = true;
  Query* query = makeNode(Query);
  query->commandType = CMD_SELECT;
  query->canSetTag = true;
  query->hasSubLinks = checkExprHasSubLink((Node*)call->args);
  query->rtable = list_make1(entry);
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  query->jointree = makeFromExpr(list_make1(reference), NULL);
  for (int i = 0; i < list_length(columns.names); i++) {
    Var* column = makeVar(1, (AttrNumber)(i + 1), list_nth_oid(columns.types, i),
                          list_nth_int(columns.typmods, i), list_nth_oid(columns.collations, i), 0);
    query->targetList =
        lappend(query->targetList, makeTargetEntry((Expr*)column, (AttrNumber)(i + 1),
                                                   strVal(list_nth(columns.names, i)), false));
  }
  return query;
}

struct Reference {   // one to an answer, from a query within an argument
  const char* name;  // NULL: a reference to any; then it is moved
  int depth;         // how many queries the one at hand is below the argument
};

bool visit_references(Node* node, void* arg) {
  if (node == NULL) return false;
  Reference* reference = (Reference*)arg;
  if (IsA(node, Query)) {
    reference->depth++;
    const bool found = walk_with_entries((Query*)node, visit_references, arg);
    reference->depth--;
    return found;
  }
  if (!IsA(node, RangeTblEntry)) return walk_expression(node, visit_references, arg);
  RangeTblEntry* entry = (RangeTblEntry*)node;
  if (!names_answer(entry)) return false;
  if (reference->name != NULL) return strcmp(entry->ctename, reference->name) == 0;
  entry->ctelevelsup = (Index)(reference->depth + 1);
  return false;
}

bool reads_answer_of(Node* arguments, const char* name) {
  Reference reference = {name, 0};
  return visit_references(arguments, &reference);
}

// The arguments of a call stand in a query of WITH; answers are in WITH of the statement.
void move_references(Node* arguments) {
  Reference reference = {NULL, 0};
  (void)visit_references(arguments, &reference);
}

bool is_name_taken(const Query* statement, const char* name) {
  const ListCell* cell;
  foreach (cell, statement->cteList) {
    if (strcmp(lfirst_node(CommonTableExpr, cell)->ctename, name) == 0) return true;
  }
  return false;
}

CommonTableExpr* add_common(StatementAnswers* answers, FuncExpr* call, const Columns& columns) {
  CommonTableExpr* common = makeNode(CommonTableExpr);
  for (int i = list_length(answers->calls);; i++) {
    common->ctename = psprintf("%s %d", kAnswerName, i);
    if (!is_name_taken(answers->statement, common->ctename)) break;
  }
  common->ctematerialized = CTEMaterializeAlways;
  common->ctequery = (Node*)query_of(call, columns);
  common->location = -1;
  common->ctecolnames = columns.names;
  common->ctecoltypes = columns.types;
  common->ctecoltypmods = columns.typmods;
  common->ctecolcollations = columns.collations;
  // First: those after it may read it. But after those that it reads.
  List* all = answers->statement->cteList;
  int place = 0;
  for (int i = 0; i < list_length(all); i++) {
    const char* name = list_nth_node(CommonTableExpr, all, i)->ctename;
    if (reads_answer_of((Node*)call->args, name)) place = i + 1;
  }
  answers->statement->cteList = list_insert_nth(all, place, common);
  return common;
}

// An answer to the same question is there already; NULL: none.
CommonTableExpr* known_common(const StatementAnswers* answers, const FuncExpr* call,
                              const Columns& columns) {
  const ListCell *made, *known;
  forboth(made, answers->commons, known, answers->calls) {
    CommonTableExpr* common = lfirst_node(CommonTableExpr, made);
    if (equal(lfirst(known), call) && equal(common->ctecoltypes, columns.types) &&
        equal(common->ctecoltypmods, columns.typmods)) {
      return common;
    }
  }
  return NULL;
}

}  // namespace

int keys_of_answer(const StatementAnswers* answers, const RangeTblEntry* entry) {
  const ListCell *made, *keys;
  forboth(made, answers->commons, keys, answers->keys) {
    const auto* common = lfirst_node(CommonTableExpr, made);
    if (strcmp(common->ctename, entry->ctename) == 0) return lfirst_int(keys);
  }
  return -1;
}

int key_columns_of_answer(const StatementAnswers* answers, const CommonTableExpr* common) {
  const ListCell *made, *columns;
  forboth(made, answers->commons, columns, answers->key_columns) {
    if (equal(lfirst(made), common)) return lfirst_int(columns);
  }
  return -1;
}

RangeTblEntry* answer_entry(StatementAnswers* answers, const PrivateText& text, AnswerMode mode,
                            const AnswerShape& shape, int depth) {
  FuncExpr* call = call_of(text, mode, answers->widths);
  move_references((Node*)call->args);
  answers->tables = list_concat_unique_oid(answers->tables, text.tables);
  const Columns like = columns_like(shape.columns);
  CommonTableExpr* common = known_common(answers, call, like);
  if (common == NULL) {
    common = add_common(answers, call, like);
    answers->calls = lappend(answers->calls, call);
    answers->commons = lappend(answers->commons, common);
    answers->key_columns = lappend_int(answers->key_columns, shape.key_columns);
    answers->keys = lappend_int(answers->keys, shape.keys);
  }
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_CTE;
  entry->ctename = common->ctename;
  entry->ctelevelsup = (Index)depth;
  entry->coltypes = common->ctecoltypes;
  entry->coltypmods = common->ctecoltypmods;
  entry->colcollations = common->ctecolcollations;
  entry->eref = makeAlias("answer", common->ctecolnames);
  entry->inFromCl = true;
  return entry;
}

}  // namespace dpmix::pg
