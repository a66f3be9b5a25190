#include "pg/query/layers/layer.hpp"

#include "pg/border/guard.hpp"
#include "pg/query/layers/clauses.hpp"
#include "pg/query/layers/columns.hpp"
#include "pg/query/layers/from_items.hpp"
#include "pg/query/layers/parts.hpp"
#include "pg/query/layers/read_conditions.hpp"
#include "pg/query/layers/row_bounds.hpp"
#include "pg/query/layers/set_operations.hpp"
#include "pg/query/layers/sorting.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace dpmix::pg {
namespace {

// Who has no row is in no group.
void note_grouped(LayerQuery* level) {
  const Query* query = level->query;
  const int others = list_length(without_unit(level, query->groupClause));
  if (!query->hasAggs || others == list_length(query->groupClause)) return;
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    const bool may_lack = item->is_private && item->below == NULL && item->table->samples_units &&
                          !bms_is_member((int)item->varno, level->join.missing);
    if (may_lack) level->all->grouped = bms_add_member(level->all->grouped, item->place);
  }
}

void make_rows(LayerQuery* level, LayerAs as) {
  take_from(level);
  note_reads(level);
  count_rows(level);
  check_groups(level, as);
  make_columns(level, as);
  make_clauses(level);
  if (as == LayerAs::rows) note_grouped(level);
}

void give_rows(LayerQuery* level) {
  Layer* layer = level->layer;
  const Query* query = level->query;
  const bool aggregates = query->hasAggs || query->groupClause != NIL;
  layer->most = level->most;
  layer->one = level->one;
  if (has_one_row(level)) {
    layer->most = 1;
    layer->one = true;
  }
  if (query->limitCount != NULL) layer->most = Min(layer->most, limit_of(query));
  level->single = (query->hasAggs && query->groupClause == NIL) ||
                  (query->limitCount != NULL && limit_of(query) <= 1);
  // There is a row, of no rows, too.
  if (query->hasAggs && query->groupClause == NIL) level->required = NULL;
  layer->multiplies = level->multiplies && !aggregates;
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    if (item->below != NULL) {
      layer->tables = list_concat_unique_ptr(layer->tables, item->layer->tables);
    } else if (item->is_private) {
      layer->tables = list_append_unique_ptr(layer->tables, (void*)item->table);
    }
  }
  if (layer->most > kMostRowsOfUnit) {
    refuse(ErrorCode::query_not_allowed, "one privacy unit has too many rows in this query",
           psprintf("The product of max_rows_per_unit of its tables is above " INT64_FORMAT ".",
                    kMostRowsOfUnit),
           "Aggregate the rows of a person before they are joined.");
  }
}

}  // namespace

const LayerQuery* make_layer(LayerTables* all, const Query* query, const LayerQuery* around,
                             int depth, LayerAs as) {
  check_stack_depth();
  check_clauses(query, as);
  LayerQuery* level = (LayerQuery*)palloc0(sizeof(LayerQuery));
  level->query = query;
  level->bytes = around != NULL ? around->bytes : (RowBytes*)palloc0(sizeof(RowBytes));
  level->outer = level->around = around;
  level->more = layer_part;
  level->values = (List**)palloc0(sizeof(List*));
  level->all = all;
  level->depth = depth;
  level->layer = (Layer*)palloc0(sizeof(Layer));
  if (query->setOperations != NULL) {
    make_union(level);
    return level;
  }
  make_rows(level, as);
  give_rows(level);
  return level;
}

}  // namespace dpmix::pg
