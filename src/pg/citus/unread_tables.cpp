#include "pg/citus/unread_tables.hpp"

#include "pg/border/compat.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "nodes/bitmapset.h"
#include "nodes/nodeFuncs.h"
}

namespace dpmix::pg {
namespace {

bool find_read(Node* node, void* arg) {
  if (node == NULL || IsA(node, Query)) return false;
  Bitmapset** found = (Bitmapset**)arg;
  if (IsA(node, RangeTblRef)) *found = bms_add_member(*found, ((RangeTblRef*)node)->rtindex);
  return walk_expression(node, find_read, arg);
}

// An entry of no rows in its place: columns go by the numbers of entries.
void take_from(Query* query, List** taken) {
  if (query->commandType != CMD_SELECT) return;
  Bitmapset* read = NULL;
  (void)find_read((Node*)query->jointree, &read);
  int number = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (bms_is_member(++number, read) || entry->rtekind != RTE_RELATION) continue;
    if (!is_distributed(entry->relid)) continue;
    *taken = lappend(*taken, with_rights(query, entry));
    RangeTblEntry* nothing = makeNode(RangeTblEntry);
    nothing->rtekind = RTE_RESULT;
    nothing->eref = entry->eref;
    lfirst(cell) = nothing;
  }
}

bool take(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, Query)) {
    take_from((Query*)node, (List**)arg);
    return walk_query((Query*)node, take, arg);
  }
  return walk_expression(node, take, arg);
}

bool find_table(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, RangeTblEntry)) {
    const RangeTblEntry* entry = (const RangeTblEntry*)node;
    return entry->rtekind == RTE_RELATION && is_distributed(entry->relid);
  }
  if (IsA(node, Query)) return walk_with_entries((Query*)node, find_table, arg);
  return walk_expression(node, find_table, arg);
}

}  // namespace

bool reads_tables_of_citus(Query* statement) {
  return find_table((Node*)statement, NULL);
}

List* take_unread_tables(Query* statement) {
  List* taken = NIL;
  (void)take((Node*)statement, &taken);
  return taken;
}

void put_unread_tables(List* taken, PlannedStmt* plan) {
  const ListCell* cell;
  foreach (cell, taken) add_with_rights(plan, (List*)lfirst(cell));
}

}  // namespace dpmix::pg
