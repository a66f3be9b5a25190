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
  return {true, 1, places};
}

PlacesLeft by_list(const OrderedColumn& column, const ScalarArrayOpExpr* node) {
  Node *left = (Node*)linitial(node->args), *right = (Node*)lsecond(node->args);
  Var* var = ordered_column(column, left);
  const bool listed = node->useOr && var != NULL && is_constant(right) &&
                      order_strategy(node->opno) == BTEqualStrategyNumber;
  if (!listed) return nothing_known();
  const ArrayElements listing = array_elements(right);
  if (listing.count > kMostConstants) return nothing_known();
  PlacesLeft left_over = {true, 0, (Places*)palloc(sizeof(Places) * Max(listing.count, 1))};
  for (int i = 0; i < listing.count; i++) {
    if (listing.null[i]) continue;
    Const* element = constant(listing.type, InvalidOid, listing.value[i]);
    left_over.range[left_over.count++] =
        Comparison(column, var, (Expr*)left, element).places(BTEqualStrategyNumber);
  }
  return left_over;
}

}  // namespace

PlacesLeft places_left(const OrderedColumn& column, Node* condition) {
  if (is_constant(condition) && !DatumGetBool(constant_value(condition))) return {true, 0, NULL};
  if (IsA(condition, OpExpr)) return by_comparison(column, (OpExpr*)condition);
  if (IsA(condition, ScalarArrayOpExpr)) return by_list(column, (ScalarArrayOpExpr*)condition);
  return nothing_known();
}

Places places_met(const OrderedColumn& column, const List* conditions) {
  Places met = column.all;
  const ListCell* cell;
  foreach (cell, conditions) {
    const PlacesLeft left = places_left(column, (Node*)lfirst(cell));
    if (!left.known) continue;
    Places hull = {PG_INT64_MAX, PG_INT64_MIN};
    for (int i = 0; i < left.count; i++) {
      if (left.range[i].empty()) continue;
      hull = {Min(hull.first, left.range[i].first), Max(hull.last, left.range[i].last)};
    }
    met = {Max(met.first, hull.first), Min(met.last, hull.last)};
  }
  return met;
}

}  // namespace dpmix::pg
