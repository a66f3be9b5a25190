#include "pg/query/keys/compared_places.hpp"

#include <algorithm>
#include <utility>

#include "core/base/int128.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostConstants = 1000;  // of an IN that narrows

// The column, under what keeps the order of its values.
Var* ordered_column(const OrderedColumn& column, Node* node) {
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
  return var->varno == (int)column.varno && var->varattno == column.column ? var : NULL;
}

// An expression of the column, compared with a constant.
class Comparison {
 public:
  Comparison(const OrderedColumn& column, Var* var, Expr* left, Const* right)
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

PlacesLeft nothing_known() {
  return {false, 0, NULL};
}

// Of ranges that may be empty, overlap, or go beyond all.
PlacesLeft in_order(const Places& all, Places* range, int count) {
  int kept = 0;
  for (int i = 0; i < count; i++) {
    const Places within = {Max(range[i].first, all.first), Min(range[i].last, all.last)};
    if (!within.empty()) range[kept++] = within;
  }
  std::sort(range, range + kept,
            [](const Places& a, const Places& b) { return a.first < b.first; });
  PlacesLeft left = {true, 0, range};
  for (int i = 0; i < kept; i++) {
    Places* last = left.count > 0 ? &range[left.count - 1] : NULL;
    if (last != NULL && (last->last == PG_INT64_MAX || range[i].first <= last->last + 1)) {
      last->last = Max(last->last, range[i].last);
    } else {
      range[left.count++] = range[i];
    }
  }
  return left;
}

PlacesLeft by_comparison(const OrderedColumn& column, const OpExpr* node) {
  if (list_length(node->args) != 2) return nothing_known();
  Node *left = (Node*)linitial(node->args), *right = (Node*)lsecond(node->args);
  Oid op = node->opno;
  if (IsA(left, Const)) {
    std::swap(left, right);
    op = get_commutator(op);
  }
  Var* var = ordered_column(column, left);
  if (var == NULL || !IsA(right, Const) || !OidIsValid(op)) return nothing_known();
  const int strategy = order_strategy(op);
  if (strategy == 0) return nothing_known();
  if (((Const*)right)->constisnull) return {true, 0, NULL};
  Places* places = (Places*)palloc(sizeof(Places));
  *places = Comparison(column, var, (Expr*)left, (Const*)right).places(strategy);
  return in_order(column.all, places, 1);
}

PlacesLeft by_list(const OrderedColumn& column, const ScalarArrayOpExpr* node) {
  Node *left = (Node*)linitial(node->args), *right = (Node*)lsecond(node->args);
  Var* var = ordered_column(column, left);
  const bool listed = node->useOr && var != NULL && is_constant(right) &&
                      order_strategy(node->opno) == BTEqualStrategyNumber;
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
  return in_order(column.all, places, found);
}

PlacesLeft by_either(const OrderedColumn& column, const BoolExpr* either) {
  Places* all = (Places*)palloc(sizeof(Places) * kMostConstants);
  int count = 0;
  const ListCell* cell;
  foreach (cell, either->args) {
    List* parts = joined_by_and((Node*)lfirst(cell));
    const PlacesLeft one = places_met(column, parts);
    if (!one.known || count + one.count > kMostConstants) return nothing_known();
    std::copy_n(one.range, one.count, all + count);
    count += one.count;
  }
  return in_order(column.all, all, count);
}

PlacesLeft intersection(const PlacesLeft& a, const PlacesLeft& b) {
  PlacesLeft both = {true, 0, (Places*)palloc(sizeof(Places) * (a.count + b.count + 1))};
  for (int i = 0, j = 0; i < a.count && j < b.count;) {
    const Places common = {Max(a.range[i].first, b.range[j].first),
                           Min(a.range[i].last, b.range[j].last)};
    if (!common.empty()) both.range[both.count++] = common;
    if (a.range[i].last < b.range[j].last) {
      i++;
    } else {
      j++;
    }
  }
  return both;
}

}  // namespace

PlacesLeft places_left(const OrderedColumn& column, Node* condition) {
  if (is_constant(condition) && !DatumGetBool(constant_value(condition))) return {true, 0, NULL};
  if (IsA(condition, OpExpr)) return by_comparison(column, (OpExpr*)condition);
  if (IsA(condition, ScalarArrayOpExpr)) return by_list(column, (ScalarArrayOpExpr*)condition);
  if (is_orclause(condition)) return by_either(column, (BoolExpr*)condition);
  return nothing_known();
}

PlacesLeft places_met(const OrderedColumn& column, const List* conditions) {
  Places* all = (Places*)palloc(sizeof(Places));
  *all = column.all;
  PlacesLeft met = {false, column.all.empty() ? 0 : 1, all};
  const ListCell* cell;
  foreach (cell, conditions) {
    const PlacesLeft left = places_left(column, (Node*)lfirst(cell));
    if (!left.known) continue;
    met = intersection(met, left);  // which makes it known
  }
  return met;
}

}  // namespace dpmix::pg
