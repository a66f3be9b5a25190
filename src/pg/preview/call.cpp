#include "pg/preview/call.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/read/constants.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "lib/stringinfo.h"
#include "optimizer/clauses.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "parser/parsetree.h"
#include "utils/fmgrprotos.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {
namespace {

// A cursor position of PostgreSQL's is about this text, not about the statement that calls us.
void point_into_call(void* text) {
  const int position = geterrposition();
  if (position <= 0) return;
  errposition(0);
  internalerrposition(position);
  internalerrquery((const char*)text);
}

// "dpmix.query(), dpmix.release_gmm() ... or dpmix.compare_private()"
const char* release_functions() {
  StringInfoData list;
  initStringInfo(&list);
  const char* last = NULL;
  for (const ReleaseKind& kind : release_kinds()) {
    if (kind.release.empty()) continue;
    if (last != NULL) appendStringInfo(&list, "%sdpmix.%s()", list.len > 0 ? ", " : "", last);
    last = kind.release.data();
  }
  return psprintf("%s or dpmix.%s()", list.data, last);
}

[[noreturn]] void refuse_call(const char* detail) {
  refuse_argument(
      "the text is not one call of a release", detail,
      psprintf("Write one SELECT of %s, as in SELECT dpmix.release_tree('model', 'visits', "
               "'{age,sex}', 1, 1e-6).",
               release_functions()));
}

// The function that a statement without a table calls first; NULL: it is none, or over tables.
const FuncCall* written_call(const SelectStmt* select) {
  const Node* node = NULL;
  if (select->op != SETOP_NONE || select->valuesLists != NIL) return NULL;
  if (list_length(select->fromClause) == 1 && IsA(linitial(select->fromClause), RangeFunction)) {
    const List* functions = linitial_node(RangeFunction, select->fromClause)->functions;
    if (list_length(functions) == 1) node = (const Node*)linitial(linitial_node(List, functions));
  } else if (select->fromClause == NIL && select->targetList != NIL) {
    node = linitial_node(ResTarget, select->targetList)->val;
    if (node != NULL && IsA(node, A_Indirection)) node = ((const A_Indirection*)node)->arg;
  }
  return node != NULL && IsA(node, FuncCall) ? (const FuncCall*)node : NULL;
}

bool has_aggregate(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, FuncCall) &&
      strncmp(strVal(llast(((const FuncCall*)node)->funcname)), "dp_", 3) == 0) {
    return true;
  }
  return walk_raw_expression(node, has_aggregate, arg);
}

// A query that lacks a table says so itself.
bool is_call(const List* statements) {
  if (list_length(statements) != 1) return false;
  const Node* statement = linitial_node(RawStmt, statements)->stmt;
  if (!IsA(statement, SelectStmt)) return false;
  const SelectStmt* select = (const SelectStmt*)statement;
  return written_call(select) != NULL && !has_aggregate((Node*)select->targetList, NULL);
}

const ReleaseKind* kind_of(Oid function) {
  const Oid extension = getExtensionOfObject(ProcedureRelationId, function);
  if (!OidIsValid(extension) || extension != get_extension_oid("dpmix", true)) return NULL;
  const char* name = get_func_name(function);
  for (const ReleaseKind& kind : release_kinds()) {
    if (!kind.release.empty() && kind.release == name) return &kind;
  }
  return NULL;
}

bool is_release(Oid function, void*) {
  return kind_of(function) != NULL;
}

bool count_releases(Node* node, void* count) {
  if (node == NULL) return false;
  if (IsA(node, Query)) return walk_query((Query*)node, count_releases, count);
  if (check_functions_in_node(node, is_release, NULL)) ++*(int*)count;
  return walk_expression(node, count_releases, count);
}

// The function in FROM, or that whose result, or a part of it, is all that is selected.
Node* called(const Query* query) {
  const List* from = query->commandType == CMD_SELECT ? query->jointree->fromlist : NIL;
  if (list_length(from) == 1 && IsA(linitial(from), RangeTblRef)) {
    const RangeTblEntry* entry = rt_fetch(linitial_node(RangeTblRef, from)->rtindex, query->rtable);
    if (entry->rtekind != RTE_FUNCTION || list_length(entry->functions) != 1) return NULL;
    return linitial_node(RangeTblFunction, entry->functions)->funcexpr;
  }
  if (from != NIL || list_length(query->targetList) != 1) return NULL;
  Node* node = (Node*)linitial_node(TargetEntry, query->targetList)->expr;
  return IsA(node, FieldSelect) ? (Node*)((FieldSelect*)node)->arg : node;
}

void require_right_to(Oid function) {
  if (DatumGetBool(DirectFunctionCall2(has_function_privilege_id, ObjectIdGetDatum(function),
                                       CStringGetTextDatum("EXECUTE")))) {
    return;
  }
  aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, get_func_name(function));
}

ReleaseCall call_of(const Query* query) {
  const WrittenCall written = release_in(query);
  if (written.kind == NULL) {
    refuse_call(written.call == NULL
                    ? "The text selects something else, or more than that."
                    : psprintf("%s() is none of these.", get_func_name(written.call->funcid)));
  }
  require_right_to(written.call->funcid);
  FuncExpr* call = (FuncExpr*)copyObjectImpl(written.call);
  if (const int unknown = complete_call(call)) {
    refuse_argument(
        psprintf("argument %d of dpmix.%s() is not a constant", unknown,
                 get_func_name(call->funcid)),
        "What PostgreSQL's own immutable functions make of constants is evaluated, and nothing "
        "else.",
        "Write a constant. Where a value is not known yet, build the text with format().");
  }
  return {written.kind, call, query};
}

}  // namespace

WrittenCall release_in(const Query* query) {
  Node* node = called(query);
  if (node == NULL || !IsA(node, FuncExpr)) return {};
  const FuncExpr* call = (const FuncExpr*)node;
  const ReleaseKind* kind = kind_of(call->funcid);
  if (kind == NULL) return {NULL, call};
  int releases = 0;
  (void)count_releases((Node*)query, &releases);
  return releases == 1 ? WrittenCall{kind, call} : WrittenCall{};
}

int complete_call(FuncExpr* call) {
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(call->funcid));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "function %u is gone", call->funcid);
  call->args = expand_function_arguments(call->args, false, call->funcresulttype, tuple);
  ReleaseSysCache(tuple);
  double bytes = 0;
  ListCell* cell;
  foreach (cell, call->args) {
    lfirst(cell) = evaluate_constants((Node*)lfirst(cell), &bytes);
    if (!IsA(lfirst(cell), Const)) return foreach_current_index(cell) + 1;
  }
  return 0;
}

ReleaseCall read_call(const char* text) {
  ErrorContextCallback context;
  context.callback = point_into_call;
  context.arg = (void*)text;
  context.previous = error_context_stack;
  error_context_stack = &context;
  List* statements = raw_parser(text, RAW_PARSE_DEFAULT);
  ReleaseCall call = {};
  if (is_call(statements)) {
    call =
        call_of(parse_analyze_fixedparams(linitial_node(RawStmt, statements), text, NULL, 0, NULL));
  }
  error_context_stack = context.previous;
  return call;
}

}  // namespace dpmix::pg
