#include "pg/category_number.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

#include "pg/allow_list.hpp"
#include "pg/query_refusal.hpp"
#include "pg/query_sources.hpp"
#include "pg/safe_expression.hpp"

namespace dpmix::pg {
namespace {

// The declared texts as values of the column's type.
Const* category_array(const ColumnDomain* domain, const Var* column) {
  Oid input, argument;
  getTypeInputInfo(column->vartype, &input, &argument);
  Datum* value = (Datum*)palloc(sizeof(Datum) * domain->categories);
  for (int i = 0; i < domain->categories; i++) {
    value[i] = OidInputFunctionCall(input, domain->category[i], argument, column->vartypmod);
  }
  int16 length;
  bool by_value;
  char align;
  get_typlenbyvalalign(column->vartype, &length, &by_value, &align);
  ArrayType* values =
      construct_array(value, domain->categories, column->vartype, length, by_value, align);
  return makeConst(get_array_type(column->vartype), -1, column->varcollid, -1,
                   PointerGetDatum(values), false, false);
}

}  // namespace

CategoryNumber category_number(const RowScope* scope, Node* value, const char* use) {
  Expr* safe = safe_value(scope, value, use);
  const Oid type = exprType((Node*)safe), collation = exprCollation((Node*)safe);
  if (!IsA(safe, Var) || !is_key_type(type) ||
      (OidIsValid(collation) && !is_total_comparison(F_TEXTEQ, collation))) {
    refuse_construct(psprintf("%s a value of this type or collation is", use),
                     "Count a plain column with declared categories, of a number, text, boolean, "
                     "date, time stamp, uuid or enum type.");
  }
  const Var* column = (const Var*)safe;
  const ColumnDomain domain = categories_of(scope, column);
  const Oid types[] = {ANYARRAYOID, ANYELEMENTOID};
  const Oid function =
      LookupFuncName(list_make2(makeString(pstrdup("dpmix")), makeString(pstrdup("class_number"))),
                     2, types, false);
  FuncExpr* number =
      makeFuncExpr(function, INT4OID, list_make2(category_array(&domain, column), safe), InvalidOid,
                   collation, COERCE_EXPLICIT_CALL);
  return {(Expr*)number, domain.categories};
}

}  // namespace dpmix::pg
