#include "pg/scan/fixed_path.hpp"

#include "pg/process/shipped_tables.hpp"
#include "pg/scan/base_layer.hpp"
#include "pg/scan/proved_plan.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "optimizer/cost.h"
#include "tcop/tcopprot.h"
}

namespace dpmix::pg {
namespace {

struct Tables {
  int all, are_protected;
};

bool is_public(const List* public_tables, Oid relation) {
  return list_member_oid(public_tables, relation) || shipped_table(relation) != NULL;
}

void count_tables(const Query* query, const List* public_tables, Tables* tables) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_SUBQUERY) count_tables(entry->subquery, public_tables, tables);
    if (entry->rtekind != RTE_RELATION) continue;
    tables->all++;
    tables->are_protected += !is_public(public_tables, entry->relid);
  }
}

struct Holding {
  HeldTables* tables;
  const List* public_tables;
  bool streamed;  // the protected table is left where it is
};

void hold_tables(Holding* holding, Query* query) {
  Index varno = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    varno++;
    if (entry->rtekind == RTE_SUBQUERY) hold_tables(holding, entry->subquery);
    if (entry->rtekind != RTE_RELATION) continue;
    const bool open = is_public(holding->public_tables, entry->relid);
    if (!open && holding->streamed) continue;
    hold_table(holding->tables, query, varno, !open);
  }
}

// Of what is read beside a protected table that stays where it is.
HeldTables* hold_public(const List* public_tables, int cursor_options) {
  const bool workers =
      (cursor_options & CURSOR_OPT_PARALLEL_OK) != 0 && max_parallel_workers_per_gather > 0;
  return workers ? hold_for_workers(public_tables) : hold_nothing();
}

const char* unproved_anywhere(const PlannedStmt* plan, const List* plans_of_held) {
  const char* found = unproved_part(plan);
  ListCell* cell;
  foreach (cell, plans_of_held) {
    if (found == NULL) found = unproved_part(lfirst_node(PlannedStmt, cell));
  }
  return found;
}

}  // namespace

FixedPath fixed_path(const Query* asked, const List* public_tables, int cursor_options) {
  Tables tables = {};
  count_tables(asked, public_tables, &tables);
  const bool joined = tables.all > 1 || reads_shipped(asked);
  const char* unproved = NULL;
  // First as it is, if nothing but public rows could let its scan be left out; then held.
  for (int held = tables.are_protected > 1; held <= joined; held++) {
    Query* query = (Query*)copyObjectImpl(asked);
    const bool streamed = held == 0;
    Holding holding = {NULL, public_tables, streamed};
    if (joined) {
      holding.tables = streamed ? hold_public(public_tables, cursor_options) : hold_nothing();
      hold_tables(&holding, query);
    }
    read_whole(query);
    PlannedStmt* plan = pg_plan_query(query, "", cursor_options, NULL);
    unproved = unproved_anywhere(plan, plans_of(holding.tables));
    if (unproved == NULL) return {plan, holding.tables};
  }
  refuse_unproved(unproved);
}

}  // namespace dpmix::pg
