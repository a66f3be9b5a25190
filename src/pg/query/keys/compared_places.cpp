#include "pg/query/keys/compared_places.hpp"

#include <algorithm>
#include <utility>

#include "core/base/int128.hpp"
#include "pg/query/keys/moved_in_time.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/moments.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostConstants = 1000;  // constants in an IN that narrows

bool is_guard(const FuncExpr* call, const char* guard) {
  const char* name = get_func_name(call->funcid);
  return name != NULL && strcmp(name, guard) == 0 && is_dpmix_function(call->funcid);
}

// A field that rises with time.
bool is_rising_field(const FuncExpr* call) {
  const Node* field = (const Node*)linitial(call->args);
  if (!is_constant(field)) return false;
  const int unit = unit_of_time(field);
  return unit == DTK_YEAR || unit == DTK_ISOYEAR || unit == DTK_DECADE || unit == DTK_CENTURY ||
         unit == DTK_MILLENNIUM || unit == DTK_EPOCH;
}

// Days later by a constant.
bool is_days_later(const FuncExpr* call) {
  return is_guard(call, "total_date_add") && is_constant((Node*)lsecond(call->args));
}

bool is_any_guard(const FuncExpr* call) {
  return is_guard(call, "total_within") || is_guard(call, "total_epoch");
}

// What a call is computed of, in its order; NULL: not in order. zoned: but where a clock is set
// back.
Node* below_ordered(const FuncExpr* call, int* zoned) {
  const bool constant = is_constant((Node*)linitial(call->args));
  switch (call->funcid) {
    case F_DATE_PART_TEXT_TIMESTAMPTZ:
      ++*zoned;
      [[fallthrough]];
    case F_DATE_PART_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_DATE:
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
      return is_rising_field(call) ? (Node*)lsecond(call->args) : NULL;
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
    case F_TIMEZONE_TEXT_TIMESTAMP:
      ++*zoned;
      [[fallthrough]];
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
      return constant ? (Node*)lsecond(call->args) : NULL;
    case F_DATE_TIMESTAMPTZ:
    case F_TIMESTAMP_TIMESTAMPTZ:
    case F_TIMESTAMPTZ_DATE:
    case F_TIMESTAMPTZ_TIMESTAMP:
      ++*zoned;
      [[fallthrough]];
    case F_DATE_TIMESTAMP:
    case F_TIMESTAMP_DATE:
    case F_TO_TIMESTAMP_FLOAT8:
      return (Node*)linitial(call->args);
    default:
      if (is_conversion(call->funcid) || is_any_guard(call) || is_days_later(call)) {
        return (Node*)linitial(call->args);
      }
      *zoned += call->funcresulttype == TIMESTAMPTZOID;
      return moved_in_time((const Node*)call);
  }
}

struct Ordered {
  Var* column;  // the column under what keeps the order of its values; NULL: something else
  Places all;   // its values for which that is not NULL
  int zoned;    // how many functions fall where clocks are set back
};

// Where an expression is not NULL: between two values, around one in the middle of what all types
// hold; nowhere, as far as is known, if not there.
Places valued_places(Node* expression, Var* column, const Places& all) {
  KeyProbe* probe = probe_of((Expr*)expression, 1, &column);
  const auto has_value = [&](Int128 at) {
    const Datum value = value_at_place(column->vartype, static_cast<int64>(at));
    bool null;
    (void)evaluate_probe(probe, &value, NULL, &null);
    return !null;
  };
  // The last one on the way to an end.
  const auto last_towards = [&](Int128 within, Int128 end) {
    if (has_value(end)) return end;
    while (within + 1 < end || end + 1 < within) {
      const Int128 middle = within + (end - within) / 2;
      (has_value(middle) ? within : end) = middle;
    }
    return within;
  };
  const Int128 inner = std::clamp<int64>(0, all.first, all.last);
  Places valued = {1, 0};
  if (has_value(inner)) {
    valued = {static_cast<int64>(last_towards(inner, all.first)),
              static_cast<int64>(last_towards(inner, all.last))};
  }
  end_probe(probe);
  return valued;
}

Ordered ordered_column(const OrderedColumn& column, Node* expression) {
  Ordered found = {NULL, column.all, 0};
  bool guarded = false;
  Node* node = expression;
  while (node != NULL && !IsA(node, Var)) {
    if (IsA(node, RelabelType)) {
      node = (Node*)((RelabelType*)node)->arg;
    } else if (!IsA(node, FuncExpr)) {
      node = NULL;
    } else {
      const FuncExpr* call = (FuncExpr*)node;
      guarded = guarded || is_any_guard(call) || is_days_later(call);
      node = below_ordered(call, &found.zoned);
    }
  }
  Var* var = (Var*)node;
  const bool same =
      var != NULL && var->varno == (int)column.varno && var->varattno == column.column;
  if (!same || column.all.empty()) return found;
  if (guarded) found.all = valued_places(expression, var, column.all);
  if (!found.all.empty()) found.column = var;
  return found;
}

// What a clock is set back by is less, and so is what lies between two changes more than a step. Of
// dates it is whole days.
constexpr int64 kClockReach = 25 * USECS_PER_HOUR, kClockStep = 15 * USECS_PER_MINUTE;

// An expression of the column, compared with a constant.
class Comparison {
 public:
  Comparison(const Ordered& column, Expr* left, Const* right)
      : type_(column.column->vartype),
        column_(column),
        left_(left),
        right_(right),
        all_(column.all) {}

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
  // operator is one that, once true, stays so, but where a clock is set back: there the first value
  // for which it holds, or, moved, the last one for which it does not.
  int64 first_where(int strategy, int move) const {
    const Oid left = exprType((Node*)left_), right = right_->consttype;
    const Oid family = get_opclass_family(GetDefaultOpClass(left, BTREE_AM_OID));
    const Oid op = get_opfamily_member(family, left, right, (int16)strategy);
    if (!OidIsValid(op)) return move < 0 ? all_.last : all_.first;
    Expr* condition = comparison(op, (Expr*)copyObjectImpl(left_), (Expr*)copyObjectImpl(right_));
    Var* columns[] = {column_.column};
    KeyProbe* probe = probe_of(condition, 1, columns);
    // 128 bits, as one past the last may be no int64.
    Int128 from = first_between(probe, all_.first, static_cast<Int128>(all_.last) + 1);
    if (column_.zoned > 0) from = move < 0 ? last_change(probe, from) : first_change(probe, from);
    end_probe(probe);
    const Int128 found = from + move;
    return static_cast<int64>(std::min<Int128>(found, PG_INT64_MAX));
  }

  bool holds(KeyProbe* probe, int64 at) const {
    const Datum value = value_at_place(type_, at);
    bool null;
    return DatumGetBool(evaluate_probe(probe, &value, NULL, &null)) && !null;
  }

  // The first value for which the condition holds, if it stays true from there on; `to` where it
  // holds for none before.
  Int128 first_between(KeyProbe* probe, Int128 from, Int128 to) const {
    while (from < to) {
      const auto middle = static_cast<int64>(from + (to - from) / 2);
      if (holds(probe, middle)) {
        to = middle;
      } else {
        from = static_cast<Int128>(middle) + 1;
      }
    }
    return from;
  }

  Int128 reach() const { return column_.zoned * (type_ == DATEOID ? 2 : kClockReach); }
  Int128 step() const { return type_ == DATEOID ? 1 : kClockStep; }

  Int128 first_change(KeyProbe* probe, Int128 near) const {
    const Int128 first = all_.first;
    for (Int128 at = std::max(first, near - reach()); at < near; at += step()) {
      if (!holds(probe, static_cast<int64>(at))) continue;
      return first_between(probe, std::max(first, at - step()), at);
    }
    return near;
  }

  Int128 last_change(KeyProbe* probe, Int128 near) const {
    const Int128 last = all_.last;
    for (Int128 at = std::min(last, near + reach()); at >= near; at -= step()) {
      if (holds(probe, static_cast<int64>(at))) continue;
      return first_between(probe, at + 1, std::min(last + 1, at + step()));
    }
    return near;
  }

  Oid type_;
  Ordered column_;
  Expr* left_;
  Const* right_;
  Places all_;
};

PlacesLeft nothing_known() {
  return {false, 0, NULL};
}

// The places in ranges that may be empty, overlap, or go beyond all: in order and apart.
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
  const Ordered found = ordered_column(column, left);
  if (found.column == NULL || !IsA(right, Const) || !OidIsValid(op)) return nothing_known();
  const int strategy = order_strategy(op);
  if (strategy == 0) return nothing_known();
  if (((Const*)right)->constisnull) return {true, 0, NULL};
  Places* places = (Places*)palloc(sizeof(Places));
  *places = Comparison(found, (Expr*)left, (Const*)right).places(strategy);
  return in_order(found.all, places, 1);
}

PlacesLeft by_list(const OrderedColumn& column, const ScalarArrayOpExpr* node) {
  Node *left = (Node*)linitial(node->args), *right = (Node*)lsecond(node->args);
  const Ordered of = ordered_column(column, left);
  const bool listed = node->useOr && of.column != NULL && is_constant(right) &&
                      order_strategy(node->opno) == BTEqualStrategyNumber;
  if (!listed) return nothing_known();
  const ArrayElements listing = array_elements(right);
  if (listing.count > kMostConstants) return nothing_known();
  Places* places = (Places*)palloc(sizeof(Places) * Max(listing.count, 1));
  int found = 0;
  for (int i = 0; i < listing.count; i++) {
    if (listing.null[i]) continue;
    Const* element = constant(listing.type, InvalidOid, listing.value[i]);
    places[found++] = Comparison(of, (Expr*)left, element).places(BTEqualStrategyNumber);
  }
  return in_order(of.all, places, found);
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
