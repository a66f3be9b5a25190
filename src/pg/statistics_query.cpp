#include "pg/statistics_query.hpp"

#include "core/release/query_plan.hpp"

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
#include "pg/stats_agg.hpp"

namespace dpmix::pg {
namespace {

bool is_integral(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID;
}
bool has_nan(Oid type) {
  return type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

int add_statistic(QueryStatistics* list, StatisticKind kind, AttrNumber column,
                  const Lattice& lattice, const ColumnDomain* domain, const char* text) {
  for (int i = 0; i < list->count; i++) {
    const QueryStatistic* known = &list->statistic[i];
    if (known->kind == kind && known->column == column && known->lattice == lattice) return i;
  }
  QueryStatistic* added = &list->statistic[list->count];
  added->kind = kind;
  added->column = column;
  added->lattice = lattice;
  added->lower = domain != NULL ? domain->lower : 0;
  added->upper = domain != NULL ? domain->upper : 0;
  added->text = text;
  return list->count++;
}

int add_sum(QueryStatistics* list, const ProtectedTable* table, AttrNumber column, bool centred) {
  const Oid type = get_atttype(table->relation, column);
  const char* name = get_attname(table->relation, column, false);
  if (!is_integral(type) && !has_nan(type)) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                    errmsg("column \"%s\" is not a number", name),
                    errdetail("Its type is %s.", format_type_be(type)),
                    errhint("Sums and averages take smallint, integer, bigint, real, double "
                            "precision and numeric columns.")));
  }
  const ColumnDomain domain = require_bounds(table, column);
  const Lattice lattice = guard([&] {
    return centred ? centred_lattice(domain.lower, domain.upper, is_integral(type))
                   : anchored_lattice(domain.lower, domain.upper, is_integral(type));
  });
  return add_statistic(list, StatisticKind::sum, column, lattice, &domain,
                       psprintf(centred ? "centred sum(%s)" : "sum(%s)", quote_identifier(name)));
}

int add_count(QueryStatistics* list, const ProtectedTable* table, AttrNumber column) {
  if (column == InvalidAttrNumber) {
    return add_statistic(list, StatisticKind::rows, column, kCountLattice, NULL, "count(*)");
  }
  const char* name = get_attname(table->relation, column, false);
  return add_statistic(list, StatisticKind::values, column, kCountLattice, NULL,
                       psprintf("count(%s)", quote_identifier(name)));
}

// Trees -------------------------------------------------------------------------------------------

Var* column_var(const ProtectedTable* table, AttrNumber column) {
  Oid type, collation;
  int32 typmod;
  get_atttypetypmodcoll(table->relation, column, &type, &typmod, &collation);
  return makeVar(1, column, type, typmod, collation, 0);
}

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

Expr* call(Oid function, Oid result, Expr* argument) {
  return (Expr*)makeFuncExpr(function, result, list_make1(argument), InvalidOid, InvalidOid,
                             COERCE_EXPLICIT_CALL);
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

// Every number as float8, by a function that cannot fail on a row.
Expr* as_float8(Var* var) {
  const Oid numeric = NUMERICOID;
  switch (var->vartype) {
    case INT2OID:
      return call(F_FLOAT8_INT2, FLOAT8OID, (Expr*)var);
    case INT4OID:
      return call(F_FLOAT8_INT4, FLOAT8OID, (Expr*)var);
    case INT8OID:
      return call(F_FLOAT8_INT8, FLOAT8OID, (Expr*)var);
    case FLOAT4OID:
      return call(F_FLOAT8_FLOAT4, FLOAT8OID, (Expr*)var);
    case NUMERICOID:
      return call(own_function("to_float8", 1, &numeric), FLOAT8OID, (Expr*)var);
    default:
      return (Expr*)var;
  }
}

Aggref* sum_aggregate(Var* var, const Lattice& lattice) {
  const Oid types[] = {FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID};
  const Oid function = own_function("lattice_sum", lengthof(types), types);
  return aggregate(
      function, get_func_rettype(function),
      list_make5(as_float8(var), float8_constant(lattice.origin), float8_constant(lattice.step),
                 float8_constant((double)lattice.low), float8_constant((double)lattice.high)));
}

// count(x), where a NaN counts as missing just as it does in sums: what an average divides by.
Aggref* value_count(Var* var) {
  if (!has_nan(var->vartype)) return aggregate(F_COUNT_ANY, INT8OID, list_make1(var));
  Oid input, argument;
  getTypeInputInfo(var->vartype, &input, &argument);
  const Datum nan = OidInputFunctionCall(input, pstrdup("NaN"), argument, -1);
  const Oid equal = lookup_type_cache(var->vartype, TYPECACHE_EQ_OPR)->eq_opr;
  OpExpr* differs = (OpExpr*)make_opclause(get_negator(equal), BOOLOID, false, (Expr*)var,
                                           (Expr*)constant(var->vartype, InvalidOid, nan),
                                           InvalidOid, InvalidOid);
  set_opfuncid(differs);
  Aggref* count = aggregate(F_COUNT_, INT8OID, NIL);
  count->aggfilter = (Expr*)differs;  // neither NULL nor false passes
  return count;
}

// key = ANY (declared categories), so that undeclared values do not even make groups.
Node* declared_only(const KeyColumn* key, Var* var) {
  const Oid equal = lookup_type_cache(key->type, TYPECACHE_EQ_OPR)->eq_opr;
  Oid operand, other;
  op_input_types(equal, &operand, &other);
  // varchar has text's operators; an enum is compared as itself.
  if (IsPolymorphicType(operand)) operand = key->type;
  Expr* left = (Expr*)var;
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

}  // namespace

QueryStatistics* query_statistics(const QueryShape* shape, const ProtectedTable* table) {
  QueryStatistics* list = (QueryStatistics*)palloc0(sizeof(QueryStatistics));
  list->statistic = (QueryStatistic*)palloc0(sizeof(QueryStatistic) * 2 * shape->items);
  list->first = (int*)palloc(sizeof(int) * shape->items);
  list->second = (int*)palloc(sizeof(int) * shape->items);
  for (int i = 0; i < shape->items; i++) {
    const QueryItem* item = &shape->item[i];
    list->first[i] = list->second[i] = -1;
    switch (item->kind) {
      case ItemKind::key:
        break;
      case ItemKind::count_rows:
      case ItemKind::count_values:
        list->first[i] = add_count(list, table, item->column);
        break;
      case ItemKind::sum:
        list->first[i] = add_sum(list, table, item->column, false);
        break;
      case ItemKind::mean:
        list->first[i] = add_count(list, table, item->column);
        list->second[i] = add_sum(list, table, item->column, true);
        break;
    }
  }
  return list;
}

Query* statistics_query(const Query* query, const QueryShape* shape, const ProtectedTable* table,
                        const DeclaredGroups* groups, const QueryStatistics* statistics) {
  Query* made = (Query*)copyObjectImpl(query);
  made->targetList = made->groupClause = NIL;
  made->hasAggs = true;
  AttrNumber number = 1;
  for (int k = 0; k < shape->keys; k++) {
    Var* var = column_var(table, shape->key[k].column);
    TargetEntry* entry = makeTargetEntry((Expr*)var, number++, NULL, false);
    entry->ressortgroupref = shape->key[k].clause->tleSortGroupRef;
    made->targetList = lappend(made->targetList, entry);
    made->groupClause = lappend(made->groupClause, copyObjectImpl(shape->key[k].clause));
    made->jointree->quals = make_and_qual(
        made->jointree->quals, declared_only(&groups->key[k], (Var*)copyObjectImpl(var)));
  }
  for (int i = 0; i < statistics->count; i++) {
    const QueryStatistic* statistic = &statistics->statistic[i];
    Aggref* exact = NULL;
    switch (statistic->kind) {
      case StatisticKind::rows:
        exact = aggregate(F_COUNT_, INT8OID, NIL);
        break;
      case StatisticKind::values:
        exact = value_count(column_var(table, statistic->column));
        break;
      case StatisticKind::sum:
        exact = sum_aggregate(column_var(table, statistic->column), statistic->lattice);
        break;
    }
    made->targetList =
        lappend(made->targetList, makeTargetEntry((Expr*)exact, number++, NULL, false));
  }
  check_as_user(made, linitial_node(RangeTblEntry, made->rtable), table->owner);
  return made;
}

Int128 exact_value(const QueryStatistic* statistic, Datum value, bool null) {
  if (null) return 0;
  if (statistic->kind == StatisticKind::sum) return read_sum_state(value).total;
  return DatumGetInt64(value);
}

}  // namespace dpmix::pg
