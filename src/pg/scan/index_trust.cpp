#include "pg/scan/index_trust.hpp"

#include "pg/border/compat.hpp"

extern "C" {
#include "optimizer/plancat.h"
}

namespace dpmix::pg {
namespace {

bool trusted = true;
get_relation_info_hook_type next_hook = NULL;

void on_relation(PlannerInfo* root, Oid relation, bool inherited, RelOptInfo* table) {
  if (next_hook != NULL) next_hook(root, relation, inherited, table);
  if (trusted) return;
  ListCell* cell;
  foreach (cell, table->indexlist) lfirst_node(IndexOptInfo, cell)->unique = false;
  forget_not_null(table);
}

}  // namespace

void index_trust_init() {
  next_hook = get_relation_info_hook;
  get_relation_info_hook = on_relation;
}

bool set_index_trust(bool on) {
  const bool before = trusted;
  trusted = on;
  return before;
}

}  // namespace dpmix::pg
