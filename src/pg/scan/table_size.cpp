#include "pg/scan/table_size.hpp"

#include "pg/process/shipped_tables.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "optimizer/plancat.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
}

namespace dpmix::pg {

namespace {

struct Rows {
  double estimated, most;
};

Rows rows_of(Oid relation) {
  constexpr double kUncertain = 1.1, kFew = 1000;
  Rows rows = {};
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    Relation part = table_open(lfirst_oid(cell), NoLock);
    if (part->rd_rel->relkind == RELKIND_RELATION) {
      BlockNumber pages;
      double here, visible;
      estimate_rel_size(part, NULL, &pages, &here, &visible);
      const double room = (double)RelationGetNumberOfBlocks(part) * MaxHeapTuplesPerPage;
      rows.estimated += here;
      rows.most += part->rd_rel->reltuples > 0 ? Min(kUncertain * here + kFew, room) : room;
    }
    table_close(part, NoLock);
  }
  return rows;
}

}  // namespace

double rows_in(Oid relation) {
  if (const ShippedTable* table = shipped_table(relation)) return table->rows;
  return rows_of(relation).estimated;
}

double most_rows_in(Oid relation) {
  if (const ShippedTable* table = shipped_table(relation)) return table->most_rows;
  return rows_of(relation).most;
}

}  // namespace dpmix::pg
