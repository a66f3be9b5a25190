#include "pg/query/check/released_functions.hpp"

extern "C" {
#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

#include "pg/trees/allow_list.hpp"
#include "pg/trees/construct_names.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

bool calls_others(Oid function, void* culprit) {
  if (is_own_immutable(function)) return false;
  *(Oid*)culprit = function;
  return true;
}

Oid operator_of(const Node* node) {
  switch (nodeTag(node)) {
    case T_OpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr:
      return ((const OpExpr*)node)->opno;
    case T_ScalarArrayOpExpr:
      return ((const ScalarArrayOpExpr*)node)->opno;
    default:
      return InvalidOid;
  }
}

[[noreturn]] void refuse_call(const Node* node, Oid function) {
  if (IsA(node, CoerceViaIO)) {
    refuse_construct(psprintf("a cast of released values from %s to %s is",
                              format_type_be(exprType((Node*)((const CoerceViaIO*)node)->arg)),
                              format_type_be(exprType(node))),
                     kOuterQuery);
  }
  const Oid op = operator_of(node);
  const char* kind = OidIsValid(op) ? "operator" : "function";
  const char* name = OidIsValid(op) ? get_opname(op) : get_func_name(function);
  if (name == NULL) name = "?";
  refuse_construct(
      function >= FirstUnpinnedObjectId
          ? psprintf("the user-defined %s %s over released values is", kind, name)
          : psprintf("the %s %s, which depends on more than released values, is", kind, name),
      kOuterQuery);
}

// text || value is stable for the sake of types whose text depends on settings. Most do not.
bool joins_plain_texts(const Node* node, Oid function) {
  if (!IsA(node, OpExpr) || (function != F_TEXTANYCAT && function != F_ANYTEXTCAT)) return false;
  ListCell* cell;
  foreach (cell, ((const OpExpr*)node)->args) {
    Oid output;
    bool varlena;
    getTypeOutputInfo(exprType((Node*)lfirst(cell)), &output, &varlena);
    if (!is_own_immutable(output)) return false;
  }
  return true;
}

void check_functions(Node* node) {
  Oid culprit = InvalidOid;
  if (check_functions_in_node(node, calls_others, &culprit) && !joins_plain_texts(node, culprit)) {
    refuse_call(node, culprit);
  }
  const Oid op = operator_of(node);
  if (op >= FirstUnpinnedObjectId) refuse_call(node, op);
}

void check_type(const Node* node) {
  const Oid type = exprType(node);
  const Oid element = get_element_type(type);
  if (is_own_type(OidIsValid(element) ? element : type)) return;
  refuse_construct("a released value of a user-defined type or domain is",
                   "Use built-in and enum types.");
}

[[noreturn]] void refuse_collation() {
  refuse_construct("comparing texts of different collations is",
                   "Say which one is meant: add COLLATE \"C\", or another collation.");
}

// PostgreSQL finds out as it compares.
void check_collation(const Node* node, const List* arguments) {
  if (OidIsValid(exprInputCollation(node))) return;
  ListCell* cell;
  foreach (cell, arguments) {
    if (type_is_collatable(exprType((Node*)lfirst(cell)))) refuse_collation();
  }
}

}  // namespace

void check_released(Node* node) {
  switch (nodeTag(node)) {
    case T_List:
    case T_CaseWhen:
      return;  // they have no type
    case T_FuncExpr:
      check_collation(node, ((FuncExpr*)node)->args);
      break;
    case T_OpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr:
      check_collation(node, ((OpExpr*)node)->args);
      break;
    case T_ScalarArrayOpExpr:
      check_collation(node, ((ScalarArrayOpExpr*)node)->args);
      break;
    case T_MinMaxExpr:
      check_collation(node, ((MinMaxExpr*)node)->args);
      break;
    case T_NullTest:
      if (((NullTest*)node)->argisrow) {
        refuse_construct("a test of a row value is", "Test single values.");
      }
      break;
    case T_Const:
    case T_NamedArgExpr:
    case T_BoolExpr:
    case T_BooleanTest:
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
      refuse_construct("a column that is neither a group key nor inside of a dp_* aggregate is",
                       "Group by it, or aggregate it.");
    case T_SQLValueFunction:
      refuse_construct("CURRENT_DATE, CURRENT_USER and the like are", kOuterQuery);
    case T_CoerceToDomain:
      refuse_construct("a cast to a user-defined type or domain is",
                       "Use built-in and enum types.");
    case T_RowExpr:
    case T_RowCompareExpr:
    case T_FieldSelect:
      refuse_construct("a row value is", "Use its single values.");
    default:
      refuse_construct(expression_name(node), kOuterQuery);
  }
  check_type(node);
  check_functions(node);
}

void check_released_order(const SortGroupClause* clause, const Node* value) {
  if (clause->sortop >= FirstUnpinnedObjectId) {
    refuse_construct("ORDER BY a user-defined operator is", kOuterQuery);
  }
  if (!OidIsValid(exprCollation(value)) && type_is_collatable(exprType(value))) refuse_collation();
}

}  // namespace dpmix::pg
