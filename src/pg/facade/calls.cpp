#include "pg/facade/calls.hpp"

#include "pg/border/postgres.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
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

FuncExpr* call_of(const PrivateText& text, AnswerMode mode) {
  List* arguments = list_make5(text_constant(text.text), text_constant(text.question),
                               oids_constant(text.facades), text_constant(word_of(mode)),
                               constant(INT4OID, InvalidOid, Int32GetDatum(text.real)));
  constexpr Oid kTypes[] = {TEXTOID, TEXTOID, OIDARRAYOID, TEXTOID, INT4OID, ANYOID};
  const Oid function = dpmix_function("answer", text.parameters == NIL ? 5 : 6, kTypes);
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
    common->ctename = psprintf("private answer %d", i);
    if (!is_name_taken(answers->statement, common->ctename)) break;
  }
  common->ctematerialized = CTEMaterializeAlways;
  common->ctequery = (Node*)query_of(call, columns);
  common->location = -1;
  common->ctecolnames = columns.names;
  common->ctecoltypes = columns.types;
  common->ctecoltypmods = columns.typmods;
  common->ctecolcollations = columns.collations;
  // First: those after it may read it.
  answers->statement->cteList = lcons(common, answers->statement->cteList);
  return common;
}

// An answer to the same question is there already; NULL: none.
CommonTableExpr* known_common(const StatementAnswers* answers, const FuncExpr* call,
                              const Columns& columns) {
  const int made = list_length(answers->calls);
  for (int i = 0; i < made; i++) {
    CommonTableExpr* common = list_nth_node(CommonTableExpr, answers->statement->cteList, i);
    if (equal(list_nth(answers->calls, made - 1 - i), call) &&
        equal(common->ctecoltypes, columns.types) &&
        equal(common->ctecoltypmods, columns.typmods)) {
      return common;
    }
  }
  return NULL;
}

}  // namespace

RangeTblEntry* answer_entry(StatementAnswers* answers, const PrivateText& text, AnswerMode mode,
                            const List* columns, int depth) {
  FuncExpr* call = call_of(text, mode);
  answers->tables = list_concat_unique_oid(answers->tables, text.tables);
  const Columns like = columns_like(columns);
  CommonTableExpr* common = known_common(answers, call, like);
  if (common == NULL) {
    common = add_common(answers, call, like);
    answers->calls = lappend(answers->calls, call);
  }
  common->cterefcount++;
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
