#include "pg/released_query.hpp"

extern "C" {
#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/bitmapset.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

#include "pg/allow_list.hpp"
#include "pg/compat.hpp"
#include "pg/guard.hpp"

namespace dpmix::pg {
namespace {

constexpr const char* kOuterQuery =
    "Put it into the outer query: SELECT ... FROM dpmix.query(...) AS t(...).";

[[noreturn]] void refuse(const char* construct, const char* instead) {
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                  errmsg("%s not allowed on a protected table", construct),
                  errdetail("To group keys and dp_* aggregates a private query applies operators "
                            "and functions of PostgreSQL's own whose result depends on their "
                            "arguments alone."),
                  errhint("%s", instead)));
  pg_unreachable();
}

bool calls_others(Oid function, void* culprit) {
  if (is_own_immutable(function)) return false;
  *(Oid*)culprit = function;
  return true;
}

[[noreturn]] void refuse_call(const Node* node, Oid function) {
  const bool own = function < FirstUnpinnedObjectId;
  if (IsA(node, CoerceViaIO)) {
    refuse(psprintf("a cast of released values from %s to %s is",
                    format_type_be(exprType((Node*)((const CoerceViaIO*)node)->arg)),
                    format_type_be(exprType(node))),
           kOuterQuery);
  }
  const Oid op = IsA(node, OpExpr) || IsA(node, DistinctExpr) || IsA(node, NullIfExpr)
                     ? ((const OpExpr*)node)->opno
                 : IsA(node, ScalarArrayOpExpr) ? ((const ScalarArrayOpExpr*)node)->opno
                                                : InvalidOid;
  const char* name = OidIsValid(op) ? get_opname(op) : get_func_name(function);
  refuse(psprintf("the %s%s %s over released values%s is", own ? "" : "user-defined ",
                  OidIsValid(op) ? "operator" : "function", name != NULL ? name : "?",
                  own ? ", which depends on more than its arguments," : ""),
         kOuterQuery);
}

void check_functions(Node* node) {
  Oid culprit = InvalidOid;
  if (check_functions_in_node(node, calls_others, &culprit)) refuse_call(node, culprit);
}

void check_type(const Node* node) {
  const Oid type = exprType(node);
  const Oid element = get_element_type(type);
  if (!is_own_type(OidIsValid(element) ? element : type)) {
    refuse("a released value of a user-defined type or domain is", "Use built-in and enum types.");
  }
}

// PostgreSQL finds out when it compares, which is after the charge.
[[noreturn]] void refuse_collation() {
  refuse("comparing texts of different collations is",
         "Say which one is meant: add COLLATE \"C\", or another collation.");
}

void check_collation(Oid collation, const List* arguments) {
  if (OidIsValid(collation)) return;
  ListCell* cell;
  foreach (cell, arguments) {
    if (type_is_collatable(exprType((Node*)lfirst(cell)))) refuse_collation();
  }
}

void check_node(Node* node) {
  switch (nodeTag(node)) {
    case T_List:
    case T_CaseWhen:
      return;  // of no type
    case T_FuncExpr:
      check_collation(exprInputCollation(node), ((FuncExpr*)node)->args);
      break;
    case T_OpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr:
      check_collation(exprInputCollation(node), ((OpExpr*)node)->args);
      break;
    case T_ScalarArrayOpExpr:
      check_collation(exprInputCollation(node), ((ScalarArrayOpExpr*)node)->args);
      break;
    case T_MinMaxExpr:
      check_collation(exprInputCollation(node), ((MinMaxExpr*)node)->args);
      break;
    case T_NullTest:
      if (((NullTest*)node)->argisrow) refuse("a test of a row value is", "Test single values.");
      break;
    case T_Const:
    case T_BoolExpr:
    case T_BooleanTest:
    case T_NamedArgExpr:
    case T_RelabelType:
    case T_CollateExpr:
    case T_CoerceViaIO:
    case T_ArrayCoerceExpr:
    case T_ArrayExpr:
    case T_SubscriptingRef:
    case T_CaseExpr:
    case T_CaseTestExpr:
    case T_CoalesceExpr:
      break;
    case T_Var:
      refuse("a column that is neither a group key nor inside of a dp_* aggregate is",
             "Group by it, or aggregate it.");
    case T_SQLValueFunction:
      refuse("CURRENT_DATE, CURRENT_USER and the like are", kOuterQuery);
    case T_CoerceToDomain:
    case T_CoerceToDomainValue:
      refuse("a cast to a user-defined type or domain is", "Use built-in and enum types.");
    case T_RowExpr:
    case T_RowCompareExpr:
    case T_FieldSelect:
      refuse("a row value is", "Use its single values.");
    default:
      refuse("this kind of expression over released values is", kOuterQuery);
  }
  check_type(node);
  check_functions(node);
}

struct Reading {
  ReleasedColumnOf column_of;
  void* arg;
};

Node* over_released_row(Node* node, void* arg) {
  if (node == NULL) return NULL;
  const Reading* reading = (const Reading*)arg;
  if (!IsA(node, List) && !IsA(node, CaseWhen)) {
    const AttrNumber column = reading->column_of(node, reading->arg);
    if (column != InvalidAttrNumber) {
      return (Node*)makeVar(1, column, exprType(node), exprTypmod(node), exprCollation(node), 0);
    }
  }
  check_node(node);
  return mutate_expression(node, over_released_row, arg);
}

// Ready to be evaluated: named and default arguments in place, simple functions inlined.
Expr* released_expression(Node* node, const Reading* reading) {
  if (node == NULL) return NULL;
  return expression_planner((Expr*)over_released_row(node, (void*)reading));
}

void add_order(ReleasedQuery* made, const SortGroupClause* clause, const TargetEntry* entry) {
  if (clause->sortop >= FirstUnpinnedObjectId) {
    refuse("ORDER BY a user-defined operator is", kOuterQuery);
  }
  ReleasedOrder* order = &made->order[made->orders++];
  order->less = clause->sortop;
  order->nulls_first = clause->nulls_first;
  order->collation = exprCollation((Node*)entry->expr);
  if (!OidIsValid(order->collation) && type_is_collatable(exprType((Node*)entry->expr))) {
    refuse_collation();
  }
}

// Outputs first, then what ORDER BY alone asks for; group keys that nothing shows are no part of it.
void add_outputs(ReleasedQuery* made, const Query* query, const Reading* reading) {
  made->output =
      (ReleasedOutput*)palloc0(sizeof(ReleasedOutput) * list_length(query->targetList));
  made->order = (ReleasedOrder*)palloc0(sizeof(ReleasedOrder) * list_length(query->sortClause));
  int* place = (int*)palloc0(sizeof(int) * (list_length(query->targetList) + 1));  // by resno
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->resjunk) continue;
    place[entry->resno] = made->outputs;
    made->output[made->outputs++] = {entry->resname,
                                     released_expression((Node*)entry->expr, reading)};
  }
  foreach (cell, query->sortClause) {
    const SortGroupClause* clause = lfirst_node(SortGroupClause, cell);
    const TargetEntry* entry =
        get_sortgroupclause_tle((SortGroupClause*)clause, query->targetList);
    if (entry->resjunk) {
      place[entry->resno] = made->outputs + made->hidden++;
      made->output[place[entry->resno]] = {NULL,
                                           released_expression((Node*)entry->expr, reading)};
    }
    add_order(made, clause, entry);
    made->order[made->orders - 1].output = place[entry->resno];
  }
}

int64 row_count(const Node* node, const char* clause, int64 otherwise) {
  if (node == NULL) return otherwise;
  if (!IsA(node, Const)) {
    refuse(psprintf("%s of something other than a constant is", clause),
           "Write a number, or pass it as $1 with params.");
  }
  if (((const Const*)node)->constisnull) return otherwise;
  const int64 rows = DatumGetInt64(((const Const*)node)->constvalue);
  if (rows < 0) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("%s must not be negative", clause),
                    errdetail("It is " INT64_FORMAT ".", rows),
                    errhint("Give a number of rows, 0 or more, or leave it out.")));
  }
  return rows;
}

}  // namespace

ReleasedQuery* released_query(const Query* query, ReleasedColumnOf column_of, void* arg) {
  const Reading reading = {column_of, arg};
  ReleasedQuery* made = (ReleasedQuery*)palloc0(sizeof(ReleasedQuery));
  add_outputs(made, query, &reading);
  made->having = released_expression(query->havingQual, &reading);
  made->offset = row_count(query->limitOffset, "OFFSET", 0);
  made->limit = row_count(query->limitCount, "LIMIT", kNoLimit);
  made->with_ties = query->limitOption == LIMIT_OPTION_WITH_TIES;
  return made;
}

bool uses_released(const Expr* expression, AttrNumber column) {
  Bitmapset* used = NULL;
  pull_varattnos((Node*)expression, 1, &used);
  return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, used);
}

}  // namespace dpmix::pg
