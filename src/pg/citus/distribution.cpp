#include "pg/citus/distribution.hpp"

#include "pg/border/guard.hpp"
#include "pg/citus/catalog.hpp"
#include "pg/citus/shard_places.hpp"
#include "pg/trees/own_code.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "parser/parse_func.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

Datum attribute(HeapTuple tuple, TupleDesc columns, const char* name, bool* null) {
  for (int i = 0; i < columns->natts; i++) {
    if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), name) == 0) {
      return heap_getattr(tuple, i + 1, columns, null);
    }
  }
  *null = true;  // another Citus than dpmix knows
  return (Datum)0;
}

// What Citus calls streaming: whoever copies rows, it is not Citus.
constexpr char kOneCopy = 's';

// The key is kept as PostgreSQL keeps expressions: a Var of the relation.
AttrNumber hash_column(Datum key) {
  const Node* node = (const Node*)stringToNode(TextDatumGetCString(key));
  return node != NULL && IsA(node, Var) ? ((const Var*)node)->varattno : InvalidAttrNumber;
}

Distribution read_distribution(HeapTuple tuple, TupleDesc columns) {
  Distribution found;
  bool null;
  const char method = DatumGetChar(attribute(tuple, columns, "partmethod", &null));
  found.placement = Placement::other;
  if (null) return found;
  const char copies = DatumGetChar(attribute(tuple, columns, "repmodel", &null));
  found.copied = null || copies != kOneCopy;
  const Datum together = attribute(tuple, columns, "colocationid", &null);
  if (!null) found.together = DatumGetInt32(together);
  if (method == 'n') found.placement = Placement::whole;
  if (method == 'h') {
    const Datum key = attribute(tuple, columns, "partkey", &null);
    if (!null) found.column = hash_column(key);
    if (found.column > 0) found.placement = Placement::shards;
  }
  return found;
}

// 0: the coordinator, and any server that is in no cluster.
int32 node_group() {
  const Oid catalog = citus_table("pg_dist_local_group");
  if (!OidIsValid(catalog)) return 0;
  Relation table = table_open(catalog, AccessShareLock);
  SysScanDesc scan = systable_beginscan(table, InvalidOid, false, NULL, 0, NULL);
  HeapTuple tuple = systable_getnext(scan);
  bool null = true;
  Datum group = (Datum)0;
  if (HeapTupleIsValid(tuple)) group = attribute(tuple, RelationGetDescr(table), "groupid", &null);
  systable_endscan(scan);
  table_close(table, AccessShareLock);
  return null ? 0 : DatumGetInt32(group);
}

Oid citus_function(const char* name, int arguments, const Oid* types) {
  return LookupFuncName(list_make2(makeString(pstrdup("pg_catalog")), makeString(pstrdup(name))),
                        arguments, types, true);
}

// Calls a function of Citus's own, of pg_catalog, where only superusers make any: elsewhere a
// release calls none but PostgreSQL's and dpmix's.
template <class Call>
Datum call_citus(Call call) {
  const bool own_code_only = set_own_code_only(false);
  Datum result = (Datum)0;
  PG_TRY();
  { result = call(); }
  PG_FINALLY();
  { (void)set_own_code_only(own_code_only); }
  PG_END_TRY();
  return result;
}

bool is_shard(Oid relation) {
  const Oid types[] = {REGCLASSOID};
  const Oid function = citus_function("relation_is_a_known_shard", lengthof(types), types);
  if (!OidIsValid(function)) return false;
  return DatumGetBool(
      call_citus([&] { return OidFunctionCall1(function, ObjectIdGetDatum(relation)); }));
}

}  // namespace

Distribution distribution_of(Oid relation) {
  Distribution found;
  const Oid catalog = citus_table("pg_dist_partition");
  if (!OidIsValid(catalog)) return found;
  Relation table = table_open(catalog, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
  SysScanDesc scan = systable_beginscan(table, citus_table("pg_dist_partition_logical_relid_index"),
                                        true, NULL, 1, &key);
  HeapTuple tuple = systable_getnext(scan);
  if (HeapTupleIsValid(tuple)) found = read_distribution(tuple, RelationGetDescr(table));
  systable_endscan(scan);
  table_close(table, AccessShareLock);
  return found;
}

const char* undistributable_kind(Oid relation) {
  if (!OidIsValid(citus_table("pg_dist_partition"))) return NULL;
  if (is_shard(relation)) return "is a shard of a distributed table, whose rows have one budget";
  const Distribution placed = distribution_of(relation);
  const Placement placement = placed.placement;
  if (placement == Placement::here) return NULL;
  if (placement == Placement::other) return "is distributed, but not by hash";
  if (node_group() != 0) return "has its ledger on the coordinator of this Citus cluster";
  if (!placed.copied && has_shards_here(relation)) {
    return "has shards on the coordinator, which no release reads by a fixed path";
  }
  return NULL;
}

const char* copied_kind(Oid relation) {
  if (!distribution_of(relation).copied) return NULL;
  return "is kept by Citus in several copies, of which it reads another when one fails in between, "
         "without forgetting what it has read";
}

void refuse_distributed_transaction() {
  const Oid function = citus_function("get_current_transaction_id", 0, NULL);
  bool null = true;
  if (OidIsValid(function)) {
    const Datum id = call_citus([&] { return OidFunctionCall0(function); });
    const Datum number =
        GetAttributeByName(DatumGetHeapTupleHeader(id), "transaction_number", &null);
    if (!null && DatumGetInt64(number) == 0) return;
  }
  refuse(ErrorCode::query_not_allowed, "this transaction takes place on several nodes",
         "What it has set on other nodes would be in force where the owner's rows are read.",
         "Ask in a transaction that has read and written no distributed table.");
}

void refuse_distributed(Oid relation, const char* what) {
  if (!is_distributed(relation)) return;
  refuse(ErrorCode::query_not_allowed, psprintf("%s needs a table that is not distributed", what),
         "Each of its rows mixes a few records, drawn from all of a class. Of these a shard would "
         "send its few as they are; shards that mix their own records alone need noise that grows "
         "with the root of their number.",
         "Use dpmix.synthesize with method => 'tree', 'mixture' or 'copula', of which exact sums "
         "are all that leaves a shard.");
}

}  // namespace dpmix::pg
