#include "pg/catalog/unique_key.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "utils/fmgroids.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

#include "pg/border/guard.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/citus/distribution.hpp"

namespace dpmix::pg {
bool is_older_than_snapshot(HeapTuple tuple) {
  const TransactionId made = HeapTupleHeaderGetXmin(tuple->t_data);
  if (!TransactionIdIsNormal(made)) return true;  // frozen
  return !TransactionIdIsCurrentTransactionId(made) &&
         !XidInMVCCSnapshot(made, GetActiveSnapshot());
}

namespace {

bool is_btree(Oid index) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(index));
  if (!HeapTupleIsValid(tuple)) return false;
  const bool btree = ((Form_pg_class)GETSTRUCT(tuple))->relam == BTREE_AM_OID;
  ReleaseSysCache(tuple);
  return btree;
}

// Immediate, of plain columns, over all rows.
bool is_plain_and_unique(HeapTuple tuple) {
  const FormData_pg_index* index = (Form_pg_index)GETSTRUCT(tuple);
  return is_btree(index->indexrelid) && index->indisunique && !index->indisexclusion &&
         index->indimmediate && index->indisvalid && index->indisready && index->indislive &&
         heap_attisnull(tuple, Anum_pg_index_indpred, NULL) &&
         heap_attisnull(tuple, Anum_pg_index_indexprs, NULL);
}

UniqueKey* key_of(HeapTuple tuple) {
  const FormData_pg_index* index = (Form_pg_index)GETSTRUCT(tuple);
  bool null;
  const Datum classes = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indclass, &null);
  const oidvector* opclass = (const oidvector*)DatumGetPointer(classes);
  UniqueKey* key = (UniqueKey*)palloc0(sizeof(UniqueKey));
  key->primary = index->indisprimary;
  key->columns = index->indnkeyatts;
  for (int i = 0; i < key->columns; i++) {
    key->column[i] = index->indkey.values[i];
    key->family[i] = get_opclass_family(opclass->values[i]);
    if (key->family[i] >= FirstUnpinnedObjectId || key->column[i] <= 0) return NULL;
  }
  return key;
}

bool is_plain_and_older(HeapTuple tuple) {
  return is_plain_and_unique(tuple) && is_older_than_snapshot(tuple);
}

// Its indexes say something of all its rows. A partitioned table's have the columns that part it.
bool is_covered(Relation table) {
  const Oid relation = RelationGetRelid(table);
  return !is_distributed(relation) &&  // shards enforce their own indexes
         (table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE ||
          (table->rd_rel->relkind == RELKIND_RELATION &&
           find_inheritance_children(relation, NoLock) == NIL));
}

// Of a temporary table nobody else could take a row away that this transaction still sees.
bool has_strange_rows(Relation table) {
  return table->rd_rel->relpersistence != RELPERSISTENCE_TEMP &&
         is_written_here(RelationGetRelid(table));
}

// shown: those that hold for every row of the active snapshot.
List* keys_of(Oid relation, bool shown) {
  Relation table = table_open(relation, AccessShareLock);
  List* keys = NIL;
  if (is_covered(table) &&
      !(shown && (has_strange_rows(table) || !table_parts(relation, is_older_than_snapshot)))) {
    ListCell* cell;
    foreach (cell, RelationGetIndexList(table)) {
      const Oid index = lfirst_oid(cell);
      if (!index_parts(index, shown ? is_plain_and_older : is_plain_and_unique)) continue;
      HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
      UniqueKey* key = HeapTupleIsValid(tuple) ? key_of(tuple) : NULL;
      if (key != NULL) keys = lappend(keys, key);
      if (HeapTupleIsValid(tuple)) ReleaseSysCache(tuple);
    }
  }
  table_close(table, NoLock);
  return keys;
}

}  // namespace

bool is_written_here(Oid relation) {
  bool written = false;
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    Relation part = table_open(lfirst_oid(cell), NoLock);
    written = written || CheckRelationLockedByMe(part, RowExclusiveLock, false);
    table_close(part, NoLock);
  }
  return written;
}

bool index_parts(Oid index, bool (*holds)(HeapTuple)) {
  ListCell* cell;
  foreach (cell, find_all_inheritors(index, AccessShareLock, NULL)) {
    HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
    const bool held = HeapTupleIsValid(tuple) && holds(tuple);
    if (HeapTupleIsValid(tuple)) ReleaseSysCache(tuple);
    if (!held) return false;
  }
  return true;
}

bool table_parts(Oid relation, bool (*holds)(HeapTuple)) {
  bool all = true;
  Relation inherits = table_open(InheritsRelationId, AccessShareLock);
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    ScanKeyData key;
    ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(lfirst_oid(cell)));
    SysScanDesc scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
    while (HeapTuple tuple = systable_getnext(scan)) all = all && holds(tuple);
    systable_endscan(scan);
  }
  table_close(inherits, AccessShareLock);
  return all;
}

List* unique_keys(Oid relation) {
  return keys_of(relation, true);
}

List* declared_unique_keys(Oid relation) {
  return keys_of(relation, false);
}

namespace {

bool is_own_or_older(HeapTuple tuple) {
  return TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data)) ||
         is_older_than_snapshot(tuple);
}

}  // namespace

void require_parts_in_snapshot(Oid relation) {
  if (is_distributed(relation)) return;  // what it has here says nothing of its rows
  const bool parts = get_rel_relkind(relation) == RELKIND_PARTITIONED_TABLE;
  if (parts ? table_parts(relation, is_own_or_older)
            : find_inheritance_children(relation, NoLock) == NIL) {
    return;
  }
  refuse(ErrorCode::ledger_unavailable,
         psprintf("table %s got a partition or child while this release was being checked",
                  qualified_name(relation)),
         "What its unique indexes say of its rows may not be true of the rows of that one.",
         "Ask again; in a new transaction, where this one keeps its snapshot.");
}

}  // namespace dpmix::pg
