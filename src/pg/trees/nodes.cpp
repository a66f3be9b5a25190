#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"
#include "parser/parse_oper.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

#include "pg/border/compat.hpp"

namespace dpmix::pg {

Const* constant(Oid type, Oid collation, Datum value) {
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  return makeConst(type, -1, collation, length, value, false, by_value);
}

Const* float8_constant(double value) {
  return constant(FLOAT8OID, InvalidOid, Float8GetDatum(value));
}

bool is_constant(const Node* node) {
  return IsA(node, Const) && !((const Const*)node)->constisnull;
}

Datum constant_value(const Node* node) {
  return ((const Const*)node)->constvalue;
}

ArrayElements array_elements(const Node* constant) {
  ArrayType* array = DatumGetArrayTypeP(constant_value(constant));
  ArrayElements elements = {ARR_ELEMTYPE(array), 0, NULL, NULL};
  int16 length;
  bool by_value;
  char align;
  get_typlenbyvalalign(elements.type, &length, &by_value, &align);
  deconstruct_array(array, elements.type, length, by_value, align, &elements.value, &elements.null,
                    &elements.count);
  return elements;
}

bool has_nan(Oid type) {
  return type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

Datum nan_of(Oid type) {
  Oid input, argument;
  getTypeInputInfo(type, &input, &argument);
  return OidInputFunctionCall(input, pstrdup("NaN"), argument, -1);
}

Oid dpmix_function(const char* name, int arguments, const Oid* types) {
  return LookupFuncName(
      list_make2(makeString(pstrdup("dpmix_internal")), makeString(pstrdup(name))), arguments,
      types, false);
}

bool is_dpmix_function(Oid function) {
  const Oid schema = get_func_namespace(function);
  return OidIsValid(schema) && (schema == get_namespace_oid("dpmix_internal", true) ||
                                schema == get_namespace_oid("dpmix", true));
}

Expr* call_builtin(Oid function, Oid result, List* arguments) {
  return (Expr*)makeFuncExpr(function, result, arguments, InvalidOid, InvalidOid,
                             COERCE_EXPLICIT_CALL);
}

Expr* call_dpmix(const char* name, Oid result, List* arguments) {
  Oid types[FUNC_MAX_ARGS];
  for (int i = 0; i < list_length(arguments); i++) {
    types[i] = exprType((Node*)list_nth(arguments, i));
  }
  return call_builtin(dpmix_function(name, list_length(arguments), types), result, arguments);
}

Expr* call_to_float8(Expr* value) {
  return call_dpmix("to_float8", FLOAT8OID, list_make1(value));
}

Expr* comparison(Oid op, Expr* left, Expr* right) {
  OpExpr* made = (OpExpr*)make_opclause(op, BOOLOID, false, left, right, InvalidOid, InvalidOid);
  set_opfuncid(made);
  return (Expr*)made;
}

Oid order_operator(Oid type, int strategy) {
  const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  return get_opfamily_member(family, type, type, (int16)strategy);
}

Expr* case_when(Expr* condition, Expr* value, Expr* otherwise) {
  CaseExpr* made = makeNode(CaseExpr);
  const Node* typed = (const Node*)(value != nullptr ? value : otherwise);
  made->casetype = exprType(typed);
  made->casecollid = exprCollation(typed);
  const auto or_null = [=](Expr* branch) {
    return branch != nullptr ? branch : (Expr*)makeNullConst(made->casetype, -1, made->casecollid);
  };
  CaseWhen* when = makeNode(CaseWhen);
  when->expr = condition;
  when->result = or_null(value);
  made->args = list_make1(when);
  made->defresult = or_null(otherwise);
  when->location = made->location = -1;
  return (Expr*)made;
}

Expr* is_known(const Expr* value) {
  NullTest* test = makeNode(NullTest);
  test->arg = (Expr*)copyObjectImpl(value);
  test->nulltesttype = IS_NOT_NULL;
  test->location = -1;
  return (Expr*)test;
}

Expr* first_known(Expr* value, Expr* otherwise) {
  CoalesceExpr* made = makeNode(CoalesceExpr);
  made->coalescetype = exprType((Node*)value);
  made->coalescecollid = exprCollation((Node*)value);
  made->args = list_make2(value, otherwise);
  made->location = -1;
  return (Expr*)made;
}

void require_value(Query* query, const Expr* value) {
  query->jointree->quals = make_and_qual(query->jointree->quals, (Node*)is_known(value));
}

Aggref* aggregate_call(Oid function, Oid result, List* arguments) {
  Aggref* node = makeNode(Aggref);
  node->aggfnoid = function;
  node->aggtype = result;
  node->aggstar = arguments == NIL;
  node->aggkind = AGGKIND_NORMAL;
  node->aggsplit = AGGSPLIT_SIMPLE;
  node->aggno = node->aggtransno = -1;
  node->location = -1;
  int number = 1;
  ListCell* cell;
  foreach (cell, arguments) {
    Expr* argument = (Expr*)lfirst(cell);
    node->aggargtypes = lappend_oid(node->aggargtypes, exprType((Node*)argument));
    node->args = lappend(node->args, makeTargetEntry(argument, number++, NULL, false));
  }
  return node;
}

SortGroupClause* sort_clause(Oid type, Index reference) {
  SortGroupClause* clause = makeNode(SortGroupClause);
  clause->tleSortGroupRef = reference;
  get_sort_group_operators(type, true, true, false, &clause->sortop, &clause->eqop, NULL,
                           &clause->hashable);
  return clause;
}

bool is_statement_parameter(const Node* node) {
  return IsA(node, Param) && ((const Param*)node)->paramkind == PARAM_EXTERN;
}

Param* parameter_for(const Node* value, int number) {
  Param* made = makeNode(Param);
  made->paramkind = PARAM_EXTERN;
  made->paramid = number;
  made->paramtype = exprType(value);
  made->paramtypmod = exprTypmod(value);
  made->paramcollid = exprCollation(value);
  made->location = -1;
  return made;
}

int add_once(List** list, const Node* node) {
  int place = 1;
  ListCell* cell;
  foreach (cell, *list) {
    if (equal(lfirst(cell), node)) return place;
    place++;
  }
  *list = lappend(*list, copyObjectImpl(node));
  return place;
}

namespace {

bool collect_columns(Node* node, void* arg) {
  if (node == NULL) return false;
  List** columns = (List**)arg;
  if (IsA(node, Var)) *columns = list_append_unique(*columns, node);
  return walk_expression(node, collect_columns, arg);
}

}  // namespace

Var* column_beside(const Var* of, AttrNumber column, Oid type, int32 typmod, Oid collation) {
  Var* made = (Var*)copyObjectImpl(of);
  made->varattno = column;
  made->vartype = type;
  made->vartypmod = typmod;
  made->varcollid = collation;
  made->varnosyn = 0;
  made->varattnosyn = 0;
  return made;
}

List* columns_of(Node* node) {
  List* columns = NIL;
  (void)collect_columns(node, &columns);
  return columns;
}

}  // namespace dpmix::pg
