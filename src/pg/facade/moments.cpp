#include "pg/facade/moments.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_oper.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

bool is_without_zone(Oid type) {
  return type == DATEOID || type == TIMESTAMPOID;
}

// What a side of no column is cast to; InvalidOid: it is compared as it is.
Oid time_beside(Oid column, Oid value) {
  if (is_without_zone(column) && value == TIMESTAMPTZOID) return TIMESTAMPOID;
  if (column == TIMESTAMPTZOID && is_without_zone(value)) return TIMESTAMPTZOID;
  return InvalidOid;
}

Node* cast_to(Node* value, Oid type) {
  return coerce_to_target_type(NULL, value, exprType(value), type, -1, COERCION_EXPLICIT,
                               COERCE_EXPLICIT_CAST, -1);
}

}  // namespace

OpExpr* in_column_time(const OpExpr* comparison) {
  if (comparison->opresulttype != BOOLOID || list_length(comparison->args) != 2) return NULL;
  Node* side[] = {(Node*)linitial(comparison->args), (Node*)lsecond(comparison->args)};
  const bool left = contain_var_clause(side[0]), right = contain_var_clause(side[1]);
  if (left == right) return NULL;
  const int value = left ? 1 : 0;
  const Oid type = time_beside(exprType(side[1 - value]), exprType(side[value]));
  if (!OidIsValid(type)) return NULL;
  side[value] = cast_to(side[value], type);
  List* name =
      list_make2(makeString(pstrdup("pg_catalog")), makeString(get_opname(comparison->opno)));
  const Oid op = OpernameGetOprid(name, exprType(side[0]), exprType(side[1]));
  if (side[value] == NULL || !OidIsValid(op)) return NULL;
  OpExpr* made = (OpExpr*)make_opclause(op, BOOLOID, false, (Expr*)side[0], (Expr*)side[1],
                                        InvalidOid, InvalidOid);
  set_opfuncid(made);
  return made;
}

}  // namespace dpmix::pg
