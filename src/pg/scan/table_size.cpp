#include "pg/scan/table_size.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "optimizer/plancat.h"
#include "utils/rel.h"
}

namespace dpmix::pg {

double rows_in(Oid relation) {
  double rows = 0;
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    Relation part = table_open(lfirst_oid(cell), NoLock);
    if (part->rd_rel->relkind == RELKIND_RELATION) {
      BlockNumber pages;
      double here, visible;
      estimate_rel_size(part, NULL, &pages, &here, &visible);
      rows += here;
    }
    table_close(part, NoLock);
  }
  return rows;
}

}  // namespace dpmix::pg
