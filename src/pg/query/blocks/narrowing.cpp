#include "pg/query/blocks/narrowing.hpp"

#include <algorithm>

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostConstants = 1000;  // of an IN that narrows

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

// The block column, under what keeps the order of its values.
Var* ordered_column(const Column& column, Node* node) {
  for (;;) {
    if (IsA(node, RelabelType)) {
      node = (Node*)((RelabelType*)node)->arg;
      continue;
    }
    if (!IsA(node, FuncExpr)) break;
    const FuncExpr* call = (const FuncExpr*)node;
    switch (call->funcid) {
      case F_DATE_TRUNC_TEXT_TIMESTAMP:
        if (!is_constant((Node*)linitial(call->args))) return NULL;
        node = (Node*)lsecond(call->args);
        continue;
      case F_DATE_TIMESTAMP:
      case F_TIMESTAMP_DATE:
        node = (Node*)linitial(call->args);
        continue;
      default:
        if (!is_widening_cast(call->funcid)) return NULL;
        node = (Node*)linitial(call->args);
        continue;
    }
  }
  if (!IsA(node, Var)) return NULL;
  Var* var = (Var*)node;
  const bool same =
      var->varno == (int)column.source->varno && var->varattno == column.blocks->column;
  return same ? var : NULL;
}

// An expression of the block column, compared with a constant.
class Comparison {
 public:
  Comparison(const Column& column, Var* var, Expr* left, Const* right)
      : type_(var->vartype), var_(var), left_(left), right_(right), all_(column.all) {}

  // The values that the operator of this strategy lets through, as they are in order.
  Places places(int strategy) const {
    switch (strategy) {
      case BTLessStrategyNumber:
        return {all_.first, first_where(BTGreaterEqualStrategyNumber, -1)};
      case BTLessEqualStrategyNumber:
        return {all_.first, first_where(BTGreaterStrategyNumber, -1)};
      case BTGreaterEqualStrategyNumber:
      case BTGreaterStrategyNumber:
        return {first_where(strategy, 0), all_.last};
      default:
        return {first_where(BTGreaterEqualStrategyNumber, 0),
                first_where(BTGreaterStrategyNumber, -1)};
    }
  }

 private:
  // The first value for which left op right, moved; behind the last one where there is none. The
  // operator is one that, once true, stays so.
  int64 first_where(int strategy, int move) const {
    const Oid left = exprType((Node*)left_), right = right_->consttype;
    const Oid family = get_opclass_family(GetDefaultOpClass(left, BTREE_AM_OID));
    const Oid op = get_opfamily_member(family, left, right, (int16)strategy);
    if (!OidIsValid(op)) return move < 0 ? all_.last : all_.first;
    Expr* condition = comparison(op, (Expr*)copyObjectImpl(left_), (Expr*)copyObjectImpl(right_));
    Var* columns[] = {var_};
    KeyProbe* probe = probe_of(condition, 1, columns);
    // Of 128 bits: one past the last may be no int64.
    Int128 from = all_.first, to = static_cast<Int128>(all_.last) + 1;
    while (from < to) {
      const auto middle = static_cast<int64>(from + (to - from) / 2);
      const Datum value = value_at_place(type_, middle);
      bool null;
      const bool holds = DatumGetBool(evaluate_probe(probe, &value, NULL, &null)) && !null;
      if (holds) {
        to = middle;
      } else {
        from = static_cast<Int128>(middle) + 1;
      }
    }
    end_probe(probe);
    const Int128 found = from + move;
    return static_cast<int64>(std::min<Int128>(found, PG_INT64_MAX));
  }

  Oid type_;
  Var* var_;
  Expr* left_;
  Const* right_;
  Places all_;
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

Narrowed by_comparison(const Column& column, const OpExpr* node) {
  if (list_length(node->args) != 2) return nothing_known();
  Node *left = (Node*)linitial(node->args), *right = (Node*)lsecond(node->args);
  Oid op = node->opno;
  if (IsA(left, Const)) {
    std::swap(left, right);
    op = get_commutator(op);
  }
  Var* var = ordered_column(column, left);
  if (var == NULL || !IsA(right, Const) || !OidIsValid(op)) return nothing_known();
  const int strategy = strategy_of(op);
  if (strategy == 0) return nothing_known();
  if (((Const*)right)->constisnull) return blocks_of(column, NULL, 0);
  const Places places = Comparison(column, var, (Expr*)left, (Const*)right).places(strategy);
  return blocks_of(column, &places, 1);
}

Narrowed by_list(const Column& column, const ScalarArrayOpExpr* node) {
  Node *left = (Node*)linitial(node->args), *right = (Node*)lsecond(node->args);
  Var* var = ordered_column(column, left);
  const bool listed = node->useOr && var != NULL && is_constant(right) &&
                      strategy_of(node->opno) == BTEqualStrategyNumber;
  if (!listed) return nothing_known();
  const ArrayElements listing = array_elements(right);
  if (listing.count > kMostConstants) return nothing_known();
  Places* places = (Places*)palloc(sizeof(Places) * Max(listing.count, 1));
  int found = 0;
  for (int i = 0; i < listing.count; i++) {
    if (listing.null[i]) continue;
    Const* element = constant(listing.type, InvalidOid, listing.value[i]);
    places[found++] = Comparison(column, var, (Expr*)left, element).places(BTEqualStrategyNumber);
  }
  return blocks_of(column, places, found);
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
  if (IsA(condition, OpExpr)) return by_comparison(column, (OpExpr*)condition);
  if (IsA(condition, ScalarArrayOpExpr)) return by_list(column, (ScalarArrayOpExpr*)condition);
  return nothing_known();
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

// BETWEEN is an AND within the AND.
List* joined_by_and(Node* node) {
  List* joined = NIL;
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)node)) {
    Node* one = (Node*)lfirst(cell);
    joined = is_andclause(one) ? list_concat(joined, joined_by_and(one)) : lappend(joined, one);
  }
  return joined;
}

}  // namespace

int strategy_of(Oid op) {
  const int strategy = comparison_strategy(op);
  const bool ordered = strategy != 0 && strategy <= BTMaxStrategyNumber;  // <> is not
  return ordered && op_volatile(op) == PROVOLATILE_IMMUTABLE ? strategy : 0;
}

List* conditions_of(const Query* query) {
  return joined_by_and(query->jointree->quals);
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
