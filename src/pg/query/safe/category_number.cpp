#include "pg/query/safe/category_number.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
}

#include "pg/query/read/sources.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {

Const* category_array(Oid type, Oid collation, const Datum* category, int count) {
  int16 length;
  bool by_value;
  char align;
  get_typlenbyvalalign(type, &length, &by_value, &align);
  int sizes[] = {count}, begin[] = {0};
  ArrayType* array =
      construct_md_array((Datum*)category, NULL, 1, sizes, begin, type, length, by_value, align);
  return constant(get_array_type(type), collation, PointerGetDatum(array));
}

Expr* category_number(const Expr* value, const Datum* category, int count) {
  const Oid type = exprType((const Node*)value), collation = exprCollation((const Node*)value);
  List* arguments =
      list_make2(category_array(type, collation, category, count), copyObjectImpl(value));
  const Oid function = dpmix_function("class_number", {ANYARRAYOID, ANYELEMENTOID});
  return (Expr*)makeFuncExpr(function, INT4OID, arguments, InvalidOid, collation,
                             COERCE_EXPLICIT_CALL);
}

DeclaredNumber declared_number(const RowScope* scope, Node* value, const char* aggregate) {
  const Expr* safe = safe_value(scope, value);
  const Oid type = exprType((const Node*)safe), collation = exprCollation((const Node*)safe);
  if (!IsA(safe, Var) || !may_be_key(type, collation)) {
    refuse_construct(psprintf("%s of an expression, or of this type or collation, is", aggregate),
                     "Count a plain column with declared categories, of a number, text, boolean, "
                     "date, time stamp, uuid or enum type.");
  }
  const ColumnDomain domain = categories_of(scope, (const Var*)safe);
  const Datum* category = category_values(domain, (const Var*)safe);
  return {category_number(safe, category, domain.categories), domain.categories};
}

}  // namespace dpmix::pg
