#include "pg/catalog/tree_locks.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/locks.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "storage/lock.h"
}

namespace dpmix::pg {
namespace {

constexpr LOCKMODE kDeclare = AccessExclusiveLock, kJoin = ShareLock;
constexpr int64 kAllTrees = 0;  // identities of protected tables begin at 1

// Whatever is related to a table, over however many steps up and down; least oid first.
Statement tree = {
    "WITH RECURSIVE tree(relation) AS (SELECT $1 UNION SELECT near.relation FROM tree, LATERAL ("
    "  SELECT inhparent FROM pg_inherits WHERE inhrelid = tree.relation UNION ALL "
    "  SELECT inhrelid FROM pg_inherits WHERE inhparent = tree.relation) near(relation)) "
    "SELECT array_agg(relation ORDER BY relation) FROM tree"};

struct Tree {
  Oid* relation;
  int count;
};

Tree tree_of(Oid relation) {
  Tree found = {};
  (void)read_rows(tree, {relation});
  found.relation = ResultRow{}.oids(1, &found.count);
  return found;
}

bool same(const Tree& a, const Tree& b) {
  return a.count == b.count && memcmp(a.relation, b.relation, sizeof(Oid) * a.count) == 0;
}

LOCKTAG tag_of(Oid relation) {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, MyDatabaseId, catalog_table("protected_table"), relation, 1);
  return tag;
}

void mark(Oid relation, LOCKMODE mode) {
  const LOCKTAG tag = tag_of(relation);
  (void)LockAcquire(&tag, mode, false, false);
}

// Waits for those whose marks conflict with this mode.
void wait_for_marks(const Tree& in, LOCKMODE mode) {
  for (int i = 0; i < in.count; i++) {
    const LOCKTAG tag = tag_of(in.relation[i]);
    (void)LockAcquire(&tag, mode, false, false);
    (void)LockRelease(&tag, mode, false);
  }
}

// The tables that this transaction gave a parent, and the parents.
List* joined_tables() {
  List* ends = NIL;
  Relation edges = table_open(InheritsRelationId, AccessShareLock);
  SysScanDesc scan = systable_beginscan(edges, InvalidOid, false, NULL, 0, NULL);
  for (HeapTuple edge; HeapTupleIsValid(edge = systable_getnext(scan));) {
    if (!TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(edge->t_data))) continue;
    const FormData_pg_inherits* row = (const FormData_pg_inherits*)GETSTRUCT(edge);
    ends = list_append_unique_oid(ends, row->inhrelid);
    ends = list_append_unique_oid(ends, row->inhparent);
  }
  systable_endscan(scan);
  table_close(edges, AccessShareLock);
  return ends;
}

void mark_joined(const List* ends) {
  const ListCell* cell;
  foreach (cell, ends) mark(lfirst_oid(cell), kJoin);
}

}  // namespace

void lock_tree_of(Oid relation) {
  (void)lock_protection(kAllTrees, kJoin, true);
  mark_joined(joined_tables());  // tables may have been made as parts of others, too
  for (Tree found = tree_of(relation);;) {
    mark(found.relation[0], kDeclare);
    wait_for_marks(found, kDeclare);
    const Tree now = tree_of(relation);
    if (same(found, now)) return;
    found = now;
  }
}

void lock_joined_trees() {
  (void)lock_protection(kAllTrees, kJoin, true);
  const List* ends = joined_tables();
  mark_joined(ends);
  const ListCell* cell;
  foreach (cell, ends) wait_for_marks(tree_of(lfirst_oid(cell)), kJoin);
}

void lock_all_trees() {
  (void)lock_protection(kAllTrees, AccessExclusiveLock, true);
}

}  // namespace dpmix::pg
