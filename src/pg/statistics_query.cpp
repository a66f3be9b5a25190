#include "pg/statistics_query.hpp"

extern "C" {
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parse_func.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

#include "pg/compat.hpp"
#include "pg/guard.hpp"
#include "pg/safe_expression.hpp"
#include "pg/query_sources.hpp"
#include "pg/stats_agg.hpp"
#include "pg/unit_sampling.hpp"

namespace dpmix::pg {
namespace {

Const* constant(Oid type, Oid collation, Datum value) {
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  return makeConst(type, -1, collation, length, value, false, by_value);
}

Const* float8_constant(double value) {
  return constant(FLOAT8OID, InvalidOid, Float8GetDatum(value));
}

Oid own_function(const char* name, int arguments, const Oid* types) {
  return LookupFuncName(list_make2(makeString(pstrdup("dpmix")), makeString(pstrdup(name))),
                        arguments, types, false);
}

Aggref* aggregate(Oid function, Oid result, List* arguments) {
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

Aggref* sum_aggregate(Expr* value, const Lattice& lattice) {
  const Oid types[] = {FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID};
  const Oid function = own_function("lattice_sum", lengthof(types), types);
  return aggregate(
      function, get_func_rettype(function),
      list_make5(value, float8_constant(lattice.origin), float8_constant(lattice.step),
                 float8_constant((double)lattice.low), float8_constant((double)lattice.high)));
}

// count(x), where a NaN counts as missing just as it does in sums: what an average divides by.
Aggref* value_count(Expr* value) {
  const Oid type = exprType((Node*)value);
  if (!has_nan(type)) return aggregate(F_COUNT_ANY, INT8OID, list_make1(value));
  Oid input, argument;
  getTypeInputInfo(type, &input, &argument);
  const Datum nan = OidInputFunctionCall(input, pstrdup("NaN"), argument, -1);
  const Oid equal = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
  OpExpr* differs =
      (OpExpr*)make_opclause(get_negator(equal), BOOLOID, false, value,
                             (Expr*)constant(type, InvalidOid, nan), InvalidOid, InvalidOid);
  set_opfuncid(differs);
  Aggref* count = aggregate(F_COUNT_, INT8OID, NIL);
  count->aggfilter = (Expr*)differs;  // neither NULL nor false passes
  return count;
}

// key = ANY (declared categories), so that undeclared values do not even make groups.
Node* declared_only(const KeyColumn* key) {
  const Oid equal = lookup_type_cache(key->type, TYPECACHE_EQ_OPR)->eq_opr;
  Oid operand, other;
  op_input_types(equal, &operand, &other);
  // varchar has text's operators; an enum is compared as itself.
  if (IsPolymorphicType(operand)) operand = key->type;
  Expr* left = (Expr*)copyObjectImpl(key->expression);
  if (operand != key->type) {
    left = (Expr*)makeRelabelType(left, operand, -1, key->collation, COERCE_IMPLICIT_CAST);
  }
  int16 length;
  bool by_value;
  char align;
  get_typlenbyvalalign(operand, &length, &by_value, &align);
  ArrayType* values =
      construct_array(key->value, key->categories, operand, length, by_value, align);
  ScalarArrayOpExpr* node = makeNode(ScalarArrayOpExpr);
  node->opno = equal;
  node->useOr = true;
  node->inputcollid = key->collation;
  node->args =
      list_make2(left, constant(get_array_type(operand), key->collation, PointerGetDatum(values)));
  node->location = -1;
  set_sa_opfuncid(node);
  return (Node*)node;
}

Aggref* exact_aggregate(const QueryStatistic* statistic) {
  Expr* value = (Expr*)copyObjectImpl(statistic->value);
  switch (statistic->kind) {
    case StatisticKind::rows:
      return aggregate(F_COUNT_, INT8OID, NIL);
    case StatisticKind::values:
      return value_count(value);
    case StatisticKind::sum:
      return sum_aggregate(value, statistic->lattice);
  }
  elog(ERROR, "statistic %s is of no known kind", statistic->text);
}

}  // namespace

Query* statistics_query(const RowScope* scope, const QueryShape* shape,
                        const DeclaredGroups* groups, const QueryStatistics* statistics,
                        const Contribution& unit) {
  Query* made = (Query*)copyObjectImpl(scope->query);
  made->targetList = made->groupClause = made->sortClause = NIL;
  made->havingQual = made->limitOffset = made->limitCount = NULL;  // of released rows
  made->limitOption = LIMIT_OPTION_COUNT;
  made->hasAggs = true;
  made->jointree->quals = (Node*)copyObjectImpl(shape->where);
  AttrNumber number = 1;
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn* key = &groups->key[k];
    TargetEntry* entry =
        makeTargetEntry((Expr*)copyObjectImpl(key->expression), number++, NULL, false);
    entry->ressortgroupref = shape->key[k].clause->tleSortGroupRef;
    made->targetList = lappend(made->targetList, entry);
    made->groupClause = lappend(made->groupClause, copyObjectImpl(shape->key[k].clause));
    made->jointree->quals = make_and_qual(made->jointree->quals, declared_only(key));
  }
  for (int i = 0; i < statistics->count; i++) {
    Expr* exact = (Expr*)exact_aggregate(&statistics->statistic[i]);
    made->targetList = lappend(made->targetList, makeTargetEntry(exact, number++, NULL, false));
  }
  for (int i = 0; i < scope->sources->count; i++) {
    const QuerySource* source = &scope->sources->source[i];
    RangeTblEntry* entry = (RangeTblEntry*)list_nth(made->rtable, source->varno - 1);
    check_as_user(made, entry, source->table->owner);
  }
  const ProtectedTable* table = scope->sources->first;
  return table->samples_units ? sample_units(made, unit_column(scope), unit) : made;
}

void read_exact(const QueryStatistic* statistic, Datum value, bool null, Int128* cells) {
  if (null) return;
  if (statistic->kind == StatisticKind::sum) {
    cells[0] = read_sum_state(value).total;
  } else {
    cells[0] = DatumGetInt64(value);
  }
}

}  // namespace dpmix::pg
