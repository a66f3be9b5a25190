#include "pg/scan/private_statistics.hpp"

#include "pg/border/compat.hpp"

extern "C" {
#include "optimizer/plancat.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
}

namespace dpmix::pg {
namespace {

bool hidden = false;

get_relation_stats_hook_type next_relation_stats = NULL;
get_index_stats_hook_type next_index_stats = NULL;
get_attavgwidth_hook_type next_width = NULL;
get_relation_info_hook_type next_relation_info = NULL;

bool no_relation_stats(PlannerInfo* root, RangeTblEntry* entry, AttrNumber column,
                       VariableStatData* data) {
  if (!hidden) {
    return next_relation_stats != NULL && next_relation_stats(root, entry, column, data);
  }
  data->statsTuple = NULL;
  return true;
}

bool no_index_stats(PlannerInfo* root, Oid index, AttrNumber column, VariableStatData* data) {
  if (!hidden) {
    return next_index_stats != NULL && next_index_stats(root, index, column, data);
  }
  data->statsTuple = NULL;
  return true;
}

int32 width_of_type(Oid relation, AttrNumber column) {
  if (!hidden) return next_width != NULL ? next_width(relation, column) : 0;
  Oid type;
  int32 typmod;
  Oid collation;
  get_atttypetypmodcoll(relation, column, &type, &typmod, &collation);
  return get_typavgwidth(type, typmod);
}

void no_indexes(PlannerInfo* root, Oid relation, bool inherited, RelOptInfo* table) {
  if (next_relation_info != NULL) next_relation_info(root, relation, inherited, table);
  if (!hidden) return;
  table->indexlist = NIL;
  table->statlist = NIL;
  forget_not_null(table);
}

}  // namespace

void private_statistics_init() {
  next_relation_stats = get_relation_stats_hook;
  get_relation_stats_hook = no_relation_stats;
  next_index_stats = get_index_stats_hook;
  get_index_stats_hook = no_index_stats;
  next_width = get_attavgwidth_hook;
  get_attavgwidth_hook = width_of_type;
  next_relation_info = get_relation_info_hook;
  get_relation_info_hook = no_indexes;
}

bool hide_statistics(bool on) {
  const bool before = hidden;
  hidden = on;
  return before;
}

}  // namespace dpmix::pg
