#include "pg/query/blocks/narrowing.hpp"

#include <algorithm>

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/keys/compared_places.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

struct Column {
  const QuerySource* source;
  const BlockColumn* blocks;
  Places all;         // what any block holds, up to now
  ListedValues list;  // where categories are blocks
};

// What a condition leaves, in order and apart; or nothing is known.
struct Narrowed {
  bool known;
  int count;
  BlockRange* range;
};

Narrowed nothing_known() {
  return {false, 0, NULL};
}

Narrowed blocks_of(const Column& column, const Places* places, int count) {
  Narrowed narrowed = {true, 0, (BlockRange*)palloc(sizeof(BlockRange) * Max(count, 1))};
  for (int i = 0; i < count; i++) {
    const Places within = {Max(places[i].first, column.all.first),
                           Min(places[i].last, column.all.last)};
    if (within.empty()) continue;
    narrowed.range[narrowed.count++] = {column.blocks->grid.block_of(within.first),
                                        column.blocks->grid.block_of(within.last)};
  }
  std::sort(narrowed.range, narrowed.range + narrowed.count,
            [](const BlockRange& a, const BlockRange& b) { return a.first < b.first; });
  int kept = 0;
  for (int i = 0; i < narrowed.count; i++) {
    BlockRange* last = kept > 0 ? &narrowed.range[kept - 1] : NULL;
    if (last != NULL && narrowed.range[i].first <= last->last + 1) {
      last->last = Max(last->last, narrowed.range[i].last);
    } else {
      narrowed.range[kept++] = narrowed.range[i];
    }
  }
  narrowed.count = kept;
  return narrowed;
}

// Of categories: whatever looks at the column alone is asked of each of them.
Narrowed by_category(const Column& column, Node* condition) {
  if (contain_mutable_functions(condition)) return nothing_known();
  Var* var = NULL;
  ListCell* cell;
  foreach (cell, pull_var_clause(condition, 0)) {
    Var* found = (Var*)lfirst(cell);
    if (found->varno != (int)column.source->varno || found->varattno != column.blocks->column) {
      return nothing_known();
    }
    var = found;
  }
  if (var == NULL) return nothing_known();
  const ListedValues& list = column.list;
  bool* named = (bool*)palloc0(Max(list.count, 1));
  KeyProbe* probe = probe_of((Expr*)condition, 1, &var);
  for (int i = 0; i < list.count; i++) {
    bool null;
    named[i] = DatumGetBool(evaluate_probe(probe, &list.value[i], NULL, &null)) && !null;
  }
  end_probe(probe);
  const BlocksRead read = blocks_where(named, list.count);
  return {true, read.count, read.range};
}

Narrowed by_condition(const Column& column, Node* condition) {
  if (is_constant(condition) && !DatumGetBool(constant_value(condition))) {
    return blocks_of(column, NULL, 0);
  }
  if (column.blocks->listed) return by_category(column, condition);
  const PlacesLeft left =
      places_left({column.source->varno, column.blocks->column, column.all}, condition);
  return left.known ? blocks_of(column, left.range, left.count) : nothing_known();
}

// What both leave.
Narrowed intersection(const Narrowed& a, const Narrowed& b) {
  Narrowed both = {true, 0, (BlockRange*)palloc(sizeof(BlockRange) * (a.count + b.count + 1))};
  for (int i = 0, j = 0; i < a.count && j < b.count;) {
    const BlockRange common = {Max(a.range[i].first, b.range[j].first),
                               Min(a.range[i].last, b.range[j].last)};
    if (common.first <= common.last) both.range[both.count++] = common;
    if (a.range[i].last < b.range[j].last) {
      i++;
    } else {
      j++;
    }
  }
  return both;
}

[[noreturn]] void refuse_unnarrowed(const RowScope* scope, const QuerySource* source) {
  const char* column = get_attname(source->relation, source->table->blocks.column, false);
  refuse(
      ErrorCode::domain_missing,
      psprintf("the query does not say which blocks of %s it reads", source->table->name),
      psprintf("Each block of column \"%s\" has a budget of its own, and pays for the queries "
               "that read it.",
               column),
      psprintf("Add a condition on it to WHERE, as in %s; or ask all blocks: all_blocks => true.",
               source->table->blocks.listed
                   ? psprintf("%s = '...'", quote_identifier(column))
                   : psprintf("%s >= ... AND %s < ...", quote_identifier(column),
                              quote_identifier(column))));
}

// Of one table.
BlocksRead blocks_read(const RowScope* scope, const QuerySource* source, bool all) {
  const BlockColumn* blocks = &source->table->blocks;
  const Column column = {source, blocks, places_of_blocks(*blocks),
                         blocks->listed ? listed_values(source->table) : ListedValues{}};
  Narrowed read = blocks_of(column, &column.all, 1);
  bool known = all;
  ListCell* cell;
  foreach (cell, conditions_of(scope->query)) {
    const Narrowed narrowed = by_condition(column, (Node*)lfirst(cell));
    if (!narrowed.known) continue;
    known = true;
    read = intersection(read, narrowed);
  }
  if (!known) refuse_unnarrowed(scope, source);
  BlocksRead within = {read.count, read.range};
  join_nearest(&within);
  return within;
}

}  // namespace

List* conditions_of(const Query* query) {
  return joined_by_and(query->jointree->quals);
}

BlocksRead all_blocks_of(const ProtectedTable* table) {
  const BlockColumn* blocks = &table->blocks;
  const Column column = {NULL, blocks, places_of_blocks(*blocks),
                         blocks->listed ? listed_values(table) : ListedValues{}};
  const Narrowed all = blocks_of(column, &column.all, 1);
  BlocksRead read = {all.count, all.range};
  join_nearest(&read);
  return read;
}

BlocksRead* narrow_to_blocks(const RowScope* scope, bool all, QueryShape* shape) {
  const QuerySources* sources = scope->sources;
  BlocksRead* read = (BlocksRead*)palloc0(sizeof(BlocksRead) * sources->count);
  for (int i = 0; i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    if (source->table == NULL || !has_blocks(source->table->blocks)) continue;
    read[i] = blocks_read(scope, source, all);
    shape->where =
        make_and_qual(shape->where, (Node*)within_blocks(source->table, source->varno, read[i]));
  }
  return read;
}

}  // namespace dpmix::pg
