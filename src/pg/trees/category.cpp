#include "pg/trees/category.hpp"

#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
}

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

}  // namespace dpmix::pg
