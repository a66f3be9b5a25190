#include "pg/scan/stored_tables.hpp"

#include "pg/border/guard.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

void require_all_stored(Oid relation) {
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    const Oid part = lfirst_oid(cell);
    if (get_rel_relkind(part) != RELKIND_FOREIGN_TABLE) continue;
    refuse(ErrorCode::query_not_allowed, psprintf("%s is a foreign table", get_rel_name(part)),
           "It is a child or partition of a table that is read here; its server would see what a "
           "release asks.",
           "The table's owner detaches it.");
  }
}

}  // namespace

void require_stored(const Query* query) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_SUBQUERY) require_stored(entry->subquery);
    if (entry->rtekind == RTE_RELATION) require_all_stored(entry->relid);
  }
}

}  // namespace dpmix::pg
