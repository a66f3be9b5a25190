#include "pg/query/blocks/narrowing.hpp"

#include <algorithm>

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/keys/compared_places.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/construct_names.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostLevels = 32;  // the most queries within each other

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

// What a condition leaves of categories: whatever looks at the column alone is asked of each.
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

[[noreturn]] void refuse_unnarrowed(const ProtectedTable* table) {
  const char* column = get_attname(table->relation, table->blocks.column, false);
  refuse(
      ErrorCode::domain_missing,
      psprintf("the query does not say which blocks of %s it reads", table->name),
      psprintf("Each block of column \"%s\" has a budget of its own, and pays for the queries "
               "that read it.",
               column),
      psprintf("Add a condition on it to WHERE, as in %s; or ask all blocks: all_blocks => true.",
               table->blocks.listed ? psprintf("%s = '...'", quote_identifier(column))
                                    : psprintf("%s >= ... AND %s < ...", quote_identifier(column),
                                               quote_identifier(column))));
}

Column column_of(const QuerySource* source) {
  const BlockColumn* blocks = &source->table->blocks;
  return {source, blocks, places_of_blocks(*blocks),
          blocks->listed ? listed_values(source->table) : ListedValues{}};
}

// Whether a condition is about the rows of its query alone, and not also about those of a query
// around it.
bool is_about_level(Node* condition) {
  if (checkExprHasSubLink(condition)) return false;
  for (int up = 1; up <= kMostLevels; up++) {
    if (contain_vars_of_level(condition, up)) return false;
  }
  return true;
}

// The blocks that are read of one table; not known: all of its blocks up to now.
Narrowed blocks_read(const Query* query, const QuerySource* source) {
  const Column column = column_of(source);
  Narrowed read = blocks_of(column, &column.all, 1);
  read.known = false;
  ListCell* cell;
  foreach (cell, conditions_of(query)) {
    if (!is_about_level((Node*)lfirst(cell))) continue;
    const Narrowed narrowed = by_condition(column, (Node*)lfirst(cell));
    if (narrowed.known) read = intersection(read, narrowed);
  }
  return read;
}

BlocksRead few_ranges(const Narrowed& narrowed) {
  BlocksRead read = {narrowed.count, narrowed.range};
  join_nearest(&read);
  return read;
}

struct References {
  const ProtectedTable* table;
  bool any, known;  // whether there are any; whether all are known
  BlocksRead read;  // the blocks that any of them reads
};

bool narrow_levels(Node* node, void* arg) {
  if (node == NULL) return false;
  if (!IsA(node, Query)) return walk_expression(node, narrow_levels, arg);
  References* all = (References*)arg;
  const Query* query = (const Query*)node;
  Index varno = 0;
  const ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    varno++;
    if (!is_table(entry) || entry->relid != all->table->relation) continue;
    const QuerySource source = {varno, entry->relid, all->table, all->table->owner, NULL};
    const Narrowed narrowed = blocks_read(query, &source);
    all->known = all->known && narrowed.known;
    all->read = joined_blocks(all->read, few_ranges(narrowed));
    all->any = true;
  }
  return walk_query((Query*)query, narrow_levels, arg);
}

}  // namespace

List* conditions_of(const Query* query) {
  return joined_by_and(query->jointree->quals);
}

BlocksRead narrow_references(const ProtectedTable* table, const Query* text,
                             UnknownBlocks unknown) {
  References all = {table, false, true, {}};
  (void)narrow_levels((Node*)text, &all);
  if (all.any && (all.known || unknown == UnknownBlocks::all)) return all.read;
  if (unknown == UnknownBlocks::refused) refuse_unnarrowed(table);
  const QuerySource source = {1, table->relation, table, table->owner, NULL};
  const Column column = column_of(&source);
  return few_ranges(blocks_of(column, &column.all, 1));
}

BlocksRead* narrow_to_blocks(const RowScope* scope, bool all, QueryShape* shape) {
  const QuerySources* sources = scope->sources;
  BlocksRead* read = (BlocksRead*)palloc0(sizeof(BlocksRead) * sources->count);
  for (int i = 0; i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    if (source->table == NULL || !has_blocks(source->table->blocks)) continue;
    const Narrowed narrowed = blocks_read(scope->query, source);
    if (!narrowed.known && !all) refuse_unnarrowed(source->table);
    read[i] = few_ranges(narrowed);
    shape->where =
        make_and_qual(shape->where, (Node*)within_blocks(source->table, source->varno, read[i]));
  }
  return read;
}

}  // namespace dpmix::pg
