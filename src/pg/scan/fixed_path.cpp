#include "pg/scan/fixed_path.hpp"

#include "pg/scan/base_layer.hpp"
#include "pg/scan/proved_plan.hpp"

extern "C" {
#include "tcop/tcopprot.h"
}

namespace dpmix::pg {
namespace {

int count_tables(const Query* query) {
  int tables = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_SUBQUERY) tables += count_tables(entry->subquery);
    if (entry->rtekind == RTE_RELATION) tables++;
  }
  return tables;
}

struct Holding {
  HeldTables* tables;
  const List* public_tables;
  int streamed;  // protected tables that are still to be left where they are
};

void hold_tables(Holding* holding, Query* query) {
  Index varno = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    varno++;
    if (entry->rtekind == RTE_SUBQUERY) hold_tables(holding, entry->subquery);
    if (entry->rtekind != RTE_RELATION) continue;
    const bool is_public = list_member_oid(holding->public_tables, entry->relid);
    if (!is_public && holding->streamed-- > 0) continue;
    hold_table(holding->tables, query, varno, !is_public);
  }
}

}  // namespace

FixedPath fixed_path(const Query* asked, const List* public_tables, int cursor_options) {
  const bool joined = count_tables(asked) > 1;
  const char* unproved = NULL;
  for (int streamed = 1; streamed >= (joined ? 0 : 1); streamed--) {
    Query* query = (Query*)copyObjectImpl(asked);
    HeldTables* held = joined ? hold_nothing() : NULL;
    Holding holding = {held, public_tables, streamed};
    if (joined) hold_tables(&holding, query);
    read_whole(query);
    PlannedStmt* plan = pg_plan_query(query, "", cursor_options, NULL);
    unproved = unproved_part(plan);
    if (unproved == NULL) return {plan, held};
  }
  refuse_unproved(unproved);
}

}  // namespace dpmix::pg
