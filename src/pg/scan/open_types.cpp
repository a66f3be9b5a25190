#include "pg/scan/open_types.hpp"

#include "pg/border/compat.hpp"

extern "C" {
#include "catalog/pg_enum.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kAll = TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_GT_OPR | TYPECACHE_CMP_PROC |
                     TYPECACHE_HASH_PROC | TYPECACHE_EQ_OPR_FINFO | TYPECACHE_CMP_PROC_FINFO |
                     TYPECACHE_HASH_PROC_FINFO | TYPECACHE_BTREE_OPFAMILY |
                     TYPECACHE_HASH_OPFAMILY | TYPECACHE_HASH_EXTENDED_PROC |
                     TYPECACHE_HASH_EXTENDED_PROC_FINFO;

// Values that were added to an enum later have odd oids, and an order of their own to be looked up.
void open_enum(Oid type) {
  CatCList* values = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
  Oid even = InvalidOid, odd = InvalidOid;
  for (int i = 0; i < values->n_members; i++) {
    const Oid value = ((Form_pg_enum)GETSTRUCT(&values->members[i]->tuple))->oid;
    (void)SearchSysCacheExists1(ENUMOID, ObjectIdGetDatum(value));
    (value % 2 == 0 ? even : odd) = value;
  }
  ReleaseSysCacheList(values);
  if (!OidIsValid(even) || !OidIsValid(odd)) even = odd;
  if (!OidIsValid(odd)) return;
  FmgrInfo compare;
  fmgr_info(F_ENUM_LT, &compare);
  (void)FunctionCall2(&compare, ObjectIdGetDatum(even), ObjectIdGetDatum(odd));
}

void open_type(Oid type) {
  if (!OidIsValid(type)) return;
  (void)lookup_type_cache(type, kAll);
  Oid output;
  bool varlena;
  getTypeOutputInfo(type, &output, &varlena);
  if (get_typtype(type) == TYPTYPE_ENUM) open_enum(type);
  open_type(get_element_type(type));
}

void open_collation(Oid collation) {
  (void)OidFunctionCall2Coll(F_TEXT_LT, collation, CStringGetTextDatum("a"),
                             CStringGetTextDatum("b"));
}

bool open_node(Node* node, void* seen) {
  if (node == NULL) return false;
  if (IsA(node, Query)) return walk_query((Query*)node, open_node, seen);
  List** types = (List**)seen;
  switch (nodeTag(node)) {
    case T_Var:
    case T_Const:
    case T_Param:
    case T_FuncExpr:
    case T_OpExpr:
    case T_CaseExpr:
    case T_CoalesceExpr:
    case T_CoerceViaIO:
    case T_RelabelType:
    case T_ArrayExpr:
    case T_Aggref:
      if (!list_member_oid(*types, exprType(node))) {
        *types = lappend_oid(*types, exprType(node));
        open_type(exprType(node));
      }
      break;
    default:
      break;
  }
  switch (nodeTag(node)) {
    case T_Var:
    case T_FuncExpr:
    case T_OpExpr:
    case T_ScalarArrayOpExpr: {
      const Oid collation = IsA(node, Var) ? exprCollation(node) : exprInputCollation(node);
      if (OidIsValid(collation)) open_collation(collation);
      break;
    }
    default:
      break;
  }
  return walk_expression(node, open_node, seen);
}

}  // namespace

void open_types(Query* query) {
  List* types = NIL;
  (void)open_node((Node*)query, &types);
}

}  // namespace dpmix::pg
