#include "pg/query/keys/coverage.hpp"

#include <limits>

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/columns.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

int labels_of(Oid type) {
  CatCList* list = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
  const int count = list->n_members;
  ReleaseSysCacheList(list);
  return count;
}

// The column that a value is, where NaN is none of its values; NULL: it is something else.
const Var* column_without_nan(const Expr* value) {
  const Expr* number = with_nan(value);
  if (number != NULL && IsA(number, FuncExpr)) {  // a conversion
    number = (const Expr*)linitial(((const FuncExpr*)number)->args);
  }
  if (number != NULL) return IsA(number, Var) ? (const Var*)number : NULL;
  return IsA(value, Var) && !has_nan(((const Var*)value)->vartype) ? (const Var*)value : NULL;
}

}  // namespace

bool never_missing(const RowScope* scope, const Expr* value) {
  const Var* column = column_without_nan(value);
  if (column == NULL || list_length(scope->query->rtable) != 1) return false;
  Relation table = table_open(source_of(scope, column)->relation, NoLock);  // locked by analysis
  // A partition has its table's constraints; a plain child may have dropped them.
  const bool certain =
      (table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE || !table->rd_rel->relhassubclass) &&
      has_no_nulls(RelationGetDescr(table), column->varattno);
  table_close(table, NoLock);
  return certain;
}

bool has_no_others(const RowScope* scope, const Var* column) {
  if (column->vartype == BOOLOID) return true;
  const ProtectedTable* table = source_of(scope, column)->table;
  if (table == NULL) return true;
  const ColumnDomain domain = column_domain(table, column->varattno);
  if (get_typtype(column->vartype) == TYPTYPE_ENUM) {
    return domain.categories == labels_of(column->vartype);
  }
  if (!is_integer(column->vartype) || !domain.has_bounds) return false;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Bounds met = bounds_met(scope->facts, column, {-infinity, infinity}, false, false);
  return met.lower >= domain.lower && met.upper <= domain.upper;
}

Coverage coverage_of(const RowScope* scope, const KeyColumn* key) {
  if (!IsA(key->expression, Var)) return Coverage::some;
  const int values = key->type == BOOLOID                     ? 2
                     : get_typtype(key->type) == TYPTYPE_ENUM ? labels_of(key->type)
                                                              : 0;
  if (values == 0 || key->declared < values) return Coverage::some;
  return never_missing(scope, key->expression) ? Coverage::all : Coverage::but_null;
}

}  // namespace dpmix::pg
