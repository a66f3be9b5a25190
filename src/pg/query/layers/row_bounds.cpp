#include "pg/query/layers/row_bounds.hpp"

#include "pg/query/safe/facts.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/bitmapset.h"
}

namespace dpmix::pg {
namespace {

// Whether conditions leave the row of a constant number, where rows are numbered for each unit.
bool is_at_one_number(const LayerQuery* level, const LayerItem* item) {
  ListCell* cell;
  foreach (cell, level->join.conditions) {
    const JoinCondition* condition = (const JoinCondition*)lfirst(cell);
    if (!bms_is_member((int)item->varno, condition->holds)) continue;
    if (order_strategy(condition->clause->opno) != BTEqualStrategyNumber) continue;
    const Var* column = bare_column((const Node*)linitial(condition->clause->args));
    if (column == NULL || column->varlevelsup > 0 || (Index)column->varno != item->varno) continue;
    const LayerColumn* made = layer_column(level, column);
    if (made != NULL && made->numbers && IsA(lsecond(condition->clause->args), Const)) return true;
  }
  return false;
}

// Those of which each row so far meets one at most, added.
Bitmapset* with_single(const LayerQuery* level, Bitmapset* known) {
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < level->items; i++) {
      const LayerItem* item = &level->item[i];
      if (bms_is_member((int)item->varno, known)) continue;
      const bool one = (item->is_private && (item->one || is_at_one_number(level, item))) ||
                       (item->single && known != NULL && bms_is_subset(item->reads, known)) ||
                       (item->place >= 0 && known != NULL &&
                        is_one_row(&level->join, item->varno, item->relation, known));
      if (!one) continue;
      known = bms_add_member(known, (int)item->varno);
      more = true;
    }
  }
  return known;
}

// The next item with several rows of a unit: the one whose rows find most of the others by a key,
// as details find what they belong to. NULL: none is left.
const LayerItem* next_many(const LayerQuery* level, const Bitmapset* known) {
  const LayerItem* best = NULL;
  int most = -1;
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    if (bms_is_member((int)item->varno, known) || !item->is_private) continue;
    const Bitmapset* found = with_single(level, bms_add_member(bms_copy(known), (int)item->varno));
    if (bms_num_members(found) <= most) continue;
    best = item;
    most = bms_num_members(found);
  }
  return best;
}

void find_required(LayerQuery* level) {
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    if (!item->is_private || bms_is_member((int)item->varno, level->join.missing)) continue;
    if (item->below != NULL) {
      level->required = bms_add_members(level->required, item->below->required);
    } else {
      level->required = bms_add_member(level->required, item->place);
    }
  }
}

}  // namespace

void count_rows(LayerQuery* level) {
  level->most = 1;
  level->one = true;
  Bitmapset* known = with_single(level, NULL);
  while (const LayerItem* item = next_many(level, known)) {
    known = with_single(level, bms_add_member(known, (int)item->varno));
    level->multiplies = level->multiplies || !level->one;
    level->most = Min(level->most * item->most, kMostRowsOfUnit + 1);
    level->one = false;
  }
  if (known == NULL) level->most = kMostRowsOfUnit;  // these are public rows alone
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    if (item->layer != NULL) level->multiplies = level->multiplies || item->layer->multiplies;
    if (bms_is_member((int)item->varno, known)) continue;
    level->multiplies = true;  // a public one
    level->one = false;
  }
  find_required(level);
}

}  // namespace dpmix::pg
