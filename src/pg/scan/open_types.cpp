#include "pg/scan/open_types.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kAll = TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_GT_OPR | TYPECACHE_CMP_PROC |
                     TYPECACHE_HASH_PROC | TYPECACHE_EQ_OPR_FINFO | TYPECACHE_CMP_PROC_FINFO |
                     TYPECACHE_HASH_PROC_FINFO | TYPECACHE_BTREE_OPFAMILY |
                     TYPECACHE_HASH_OPFAMILY | TYPECACHE_HASH_EXTENDED_PROC |
                     TYPECACHE_HASH_EXTENDED_PROC_FINFO | TYPECACHE_RANGE_INFO |
                     TYPECACHE_MULTIRANGE_INFO;

// Values that were added to an enum later have odd oids, and an order of their own: any two of them
// are compared, so that it is looked up.
void open_enum(Oid type) {
  CatCList* values = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
  Oid before = InvalidOid;
  for (int i = 0; i < values->n_members; i++) {
    const Oid value = ((Form_pg_enum)GETSTRUCT(&values->members[i]->tuple))->oid;
    (void)SearchSysCacheExists1(ENUMOID, ObjectIdGetDatum(value));
    if (OidIsValid(before)) {
      (void)OidFunctionCall2(F_ENUM_LT, ObjectIdGetDatum(before), ObjectIdGetDatum(value));
    }
    before = value;
  }
  ReleaseSysCacheList(values);
}

}  // namespace

void open_type(OpenedTypes* opened, Oid type) {
  if (!OidIsValid(type) || list_member_oid(opened->types, type)) return;
  opened->types = lappend_oid(opened->types, type);
  const TypeCacheEntry* known = lookup_type_cache(type, kAll);
  (void)get_opcode(known->eq_opr);  // which an entry that was known before did not need
  Oid output;
  bool varlena;
  getTypeOutputInfo(type, &output, &varlena);
  if (get_typtype(type) == TYPTYPE_ENUM) open_enum(type);
  open_collation(opened, get_typcollation(type));
  open_type(opened, get_element_type(type));
  open_type(opened, get_range_subtype(type));
  open_type(opened, get_multirange_range(type));
}

void open_collation(OpenedTypes* opened, Oid collation) {
  if (!OidIsValid(collation) || list_member_oid(opened->collations, collation)) return;
  opened->collations = lappend_oid(opened->collations, collation);
  (void)get_collation_isdeterministic(collation);
  (void)OidFunctionCall2Coll(F_TEXT_LT, collation, CStringGetTextDatum("a"),
                             CStringGetTextDatum("b"));
}

void open_hash_operator(Oid op) {
  Oid left, right;
  (void)get_op_hash_functions(op, &left, &right);
  (void)op_strict(op);
}

void open_sort_operator(Oid op, Oid collation) {
  SortSupportData sort = {};
  sort.ssup_cxt = CurrentMemoryContext;
  sort.ssup_collation = collation;
  PrepareSortSupportFromOrderingOp(op, &sort);
}

}  // namespace dpmix::pg
