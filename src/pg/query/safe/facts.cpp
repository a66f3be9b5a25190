#include "pg/query/safe/facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pg/query/read/sources.hpp"
#include "pg/query/safe/moments.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"

namespace dpmix::pg {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void add_facts_of(Node* from, List** facts) {
  if (!IsA(from, JoinExpr)) return;
  const JoinExpr* join = (const JoinExpr*)from;
  add_facts_of(join->larg, facts);
  if (join->jointype != JOIN_INNER) return;  // the right side may be missing
  add_facts_of(join->rarg, facts);
  *facts = list_concat(*facts, joined_by_and(join->quals));
}

struct Presence {  // that of a table in a part of FROM
  bool here, may_be_missing;
  List* facts;  // that are true where it is not missing
};

Presence presence_in(const Node* from, Index varno) {
  if (IsA(from, RangeTblRef)) {
    return {(Index)((const RangeTblRef*)from)->rtindex == varno, false, NIL};
  }
  const JoinExpr* join = (const JoinExpr*)from;
  const bool inner = join->jointype == JOIN_INNER;
  Presence side = presence_in(join->rarg, varno);
  if (side.here) {
    side.may_be_missing = side.may_be_missing || !inner;
  } else {
    side = presence_in(join->larg, varno);
    if (!inner) return side;
  }
  if (side.here) side.facts = list_concat(side.facts, joined_by_and(join->quals));
  return side;
}

Presence presence_of(const List* from, Index varno) {
  const ListCell* cell;
  foreach (cell, from) {
    const Presence found = presence_in((const Node*)lfirst(cell), varno);
    if (found.here) return found;
  }
  return {};
}

// What a fact leaves of a column, and whether NaN, the greatest of all, passes.
struct Left {
  double lower = -infinity, upper = infinity;
  bool nan = true;
};

// The constant as a number in what a column of this type counts in: days, or seconds.
double number_at(const Node* node, Oid column) {
  const Const* value = (const Const*)node;
  if (!is_in_time(value->consttype)) return float8_of(value);
  const double number = number_in_time(value);
  if (value->consttype == DATEOID && column == TIMESTAMPOID) return number * SECS_PER_DAY;
  if (value->consttype == TIMESTAMPOID && column == DATEOID) return number / SECS_PER_DAY;
  return number;
}

// Whether a constant of one type is a number beside a column of the other, on no clock.
bool count_alike(Oid constant, Oid column) {
  const auto is_local = [](Oid type) { return type == DATEOID || type == TIMESTAMPOID; };
  if (is_number(constant)) return is_number(column);
  return is_local(constant) ? is_local(column)
                            : constant == TIMESTAMPTZOID && column == TIMESTAMPTZOID;
}

// A double near a constant of more digits must not cut it off.
double outwards(double value, Oid type, double towards) {
  return type == NUMERICOID || type == INT8OID ? std::nextafter(value, towards) : value;
}

// How the ends of what is left are read.
struct Ends {
  bool whole;   // the column has whole numbers alone
  bool open;    // without an end that is excluded, where the column has double precision or less
  bool scaled;  // or where it is a numeric of so many digits behind the point
  int scale;
};

Left left_by(int strategy, double value, Oid type, const Ends& ends) {
  Left left;
  const bool below = strategy == BTLessStrategyNumber || strategy == BTLessEqualStrategyNumber,
             above =
                 strategy == BTGreaterStrategyNumber || strategy == BTGreaterEqualStrategyNumber;
  const bool strict = strategy == BTLessStrategyNumber || strategy == BTGreaterStrategyNumber;
  if (!above) {
    left.upper = outwards(value, type, infinity);
    if (ends.whole) left.upper = strict ? std::ceil(left.upper) - 1 : std::floor(left.upper);
    if (ends.open && strict) left.upper = std::nextafter(left.upper, -infinity);
    left.nan = false;
  }
  if (!below) {
    left.lower = outwards(value, type, -infinity);
    if (ends.whole) left.lower = strict ? std::floor(left.lower) + 1 : std::ceil(left.lower);
    if (ends.open && strict) left.lower = std::nextafter(left.lower, infinity);
  }
  return left;
}

// Multiples of a unit: the last one up to a number, and whether it is that number.
struct Multiple {
  Datum count, unit;
  bool exact;
  double moved(int by) const {
    const Datum at = DirectFunctionCall2(numeric_add, count, DirectFunctionCall1(int4_numeric, by));
    const Datum number = DirectFunctionCall2(numeric_mul, at, unit);
    return DatumGetFloat8(DirectFunctionCall1(numeric_float8, number));
  }
};

Multiple multiple_below(Datum number, int scale) {
  const Datum unit = DirectFunctionCall3(numeric_in, CStringGetDatum(psprintf("1e%d", -scale)),
                                         ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
  const Datum count =
      DirectFunctionCall1(numeric_floor, DirectFunctionCall2(numeric_div, number, unit));
  const Datum again = DirectFunctionCall2(numeric_mul, count, unit);
  return {count, unit, DatumGetBool(DirectFunctionCall2(numeric_eq, again, number))};
}

// Values of a numeric column lie at multiples of a unit.
Left left_at_scale(int strategy, Datum number, int scale) {
  const Multiple below = multiple_below(number, scale);
  const bool strict = strategy == BTLessStrategyNumber || strategy == BTGreaterStrategyNumber;
  Left left;
  if (strategy != BTGreaterStrategyNumber && strategy != BTGreaterEqualStrategyNumber) {
    left.upper = below.moved(strict && below.exact ? -1 : 0);
    left.nan = false;
  }
  if (strategy != BTLessStrategyNumber && strategy != BTLessEqualStrategyNumber) {
    left.lower = below.moved(strict || !below.exact ? 1 : 0);
  }
  return left;
}

// What a comparison with a finite constant leaves of a column of a type.
Left left_by_constant(int strategy, const Node* node, Oid column, const Ends& ends) {
  const Oid type = exprType(node);
  if (ends.scaled && type == NUMERICOID) {
    return left_at_scale(strategy, constant_value(node), ends.scale);
  }
  return left_by(strategy, number_at(node, column), type, ends);
}

bool is_about_blocks(const RowScope* scope, Node* fact) {
  const ListCell* cell;
  foreach (cell, columns_of(fact)) {
    const Var* column = lfirst_node(Var, cell);
    const ProtectedTable* table = source_of(scope, column)->table;
    if (table != NULL && table->blocks.column == column->varattno) return true;
  }
  return false;
}

bool is_same_column(Node* node, const Var* column) {
  const Var* var = compared_column(node);
  return var != NULL && var->varno == column->varno && var->varattno == column->varattno;
}

bool is_finite_number(const Node* node, Oid column) {
  return is_constant(node) && count_alike(exprType(node), column) &&
         std::isfinite(number_at(node, column));
}

Left left_by_comparison(const OpExpr* fact, const Var* column, const Ends& ends) {
  if (list_length(fact->args) != 2) return {};
  Node *left = (Node*)linitial(fact->args), *right = (Node*)lsecond(fact->args);
  Oid op = fact->opno;
  if (is_constant(left)) {
    std::swap(left, right);
    op = get_commutator(op);
  }
  if (!OidIsValid(op) || !is_same_column(left, column) ||
      !is_finite_number(right, column->vartype)) {
    return {};
  }
  const int strategy = order_strategy(op);
  if (strategy == 0) return {};
  return left_by_constant(strategy, right, column->vartype, ends);
}

Left left_by_list(const ScalarArrayOpExpr* fact, const Var* column, const Ends& ends) {
  Node *left = (Node*)linitial(fact->args), *right = (Node*)lsecond(fact->args);
  if (!fact->useOr || !is_constant(right) || !is_same_column(left, column) ||
      order_strategy(fact->opno) != BTEqualStrategyNumber) {
    return {};
  }
  const ArrayElements listed = array_elements(right);
  Left all = {infinity, -infinity, false};
  for (int i = 0; i < listed.count; i++) {
    if (listed.null[i]) continue;
    const Node* element = (const Node*)constant(listed.type, InvalidOid, listed.value[i]);
    if (!is_finite_number(element, column->vartype)) return {};
    const Left one = left_by_constant(BTEqualStrategyNumber, element, column->vartype, ends);
    all.lower = std::min(all.lower, one.lower);
    all.upper = std::max(all.upper, one.upper);
  }
  return all;
}

Left left_of(Node* fact, const Var* column, const Ends& ends) {
  if (IsA(fact, OpExpr)) return left_by_comparison((OpExpr*)fact, column, ends);
  if (IsA(fact, ScalarArrayOpExpr)) return left_by_list((ScalarArrayOpExpr*)fact, column, ends);
  return {};
}

Left met_by(const List* facts, const Var* column, const Bounds& declared, bool open) {
  const bool whole = is_integer(column->vartype) || column->vartype == DATEOID;
  // A numeric value beside an end can be that end as a double.
  const bool floats = column->vartype == FLOAT8OID || column->vartype == FLOAT4OID;
  const bool scaled = column->vartype == NUMERICOID && column->vartypmod >= (int32)VARHDRSZ;
  const Ends ends = {whole, open && floats, open && scaled,
                     scaled ? scale_of_numeric(column->vartypmod) : 0};
  Left met = {declared.lower, declared.upper, true};
  const ListCell* cell;
  foreach (cell, facts) {
    const Left left = left_of((Node*)lfirst(cell), column, ends);
    met = {std::max(met.lower, left.lower), std::min(met.upper, left.upper), met.nan && left.nan};
  }
  met.nan = met.nan && has_nan(column->vartype);
  return met;
}

}  // namespace

bool is_comparison(Oid op) {
  return comparison_strategy(op) != 0 && op_volatile(op) == PROVOLATILE_IMMUTABLE;
}

int order_strategy(Oid op) {
  const int strategy = is_comparison(op) ? comparison_strategy(op) : 0;
  return strategy <= BTMaxStrategyNumber ? strategy : 0;  // <> has none
}

// BETWEEN is an AND within the AND, and NOT before an OR makes one.
List* joined_by_and(Node* condition) {
  List* joined = NIL;
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)condition)) {
    Node* one = (Node*)lfirst(cell);
    if (is_notclause(one) && is_orclause(linitial(((BoolExpr*)one)->args))) {
      const ListCell* part;
      foreach (part, ((BoolExpr*)linitial(((BoolExpr*)one)->args))->args) {
        joined = lappend(joined, make_notclause((Expr*)lfirst(part)));
      }
      continue;
    }
    joined = is_andclause(one) ? list_concat(joined, joined_by_and(one)) : lappend(joined, one);
  }
  return joined;
}

List* facts_of(const QueryShape* shape) {
  List* facts = joined_by_and(shape->where);
  ListCell* cell;
  foreach (cell, shape->from) add_facts_of((Node*)lfirst(cell), &facts);
  return facts;
}

List* facts_where_present(const List* from, Index varno) {
  return presence_of(from, varno).facts;
}

bool may_be_missing(const List* from, Index varno) {
  return presence_of(from, varno).may_be_missing;
}

List* facts_for_ever(const RowScope* scope, const List* facts) {
  List* left = NIL;
  const ListCell* cell;
  foreach (cell, facts) {
    if (!is_about_blocks(scope, (Node*)lfirst(cell))) left = lappend(left, lfirst(cell));
  }
  return left;
}

Var* compared_column(Node* node) {
  for (;;) {
    if (IsA(node, RelabelType)) {
      node = (Node*)((RelabelType*)node)->arg;
      continue;
    }
    if (!IsA(node, FuncExpr)) return IsA(node, Var) ? (Var*)node : NULL;
    const FuncExpr* cast = (const FuncExpr*)node;
    if (!is_conversion(cast->funcid)) return NULL;
    node = (Node*)linitial(cast->args);
  }
}

int scale_of_numeric(int32 typmod) {
  return (((typmod - (int32)VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
}

bool have_number(const List* facts, const Var* column, const Bounds& bounds, bool nan_counts) {
  const Left met = met_by(facts, column, bounds, true);
  return (nan_counts && met.nan) || met.lower <= met.upper;
}

Bounds bounds_met(const List* facts, const Var* column, const Bounds& declared, bool open,
                  bool nan_counts) {
  const Left met = met_by(facts, column, declared, open);
  // NaN stands for the middle of the declared bounds.
  if ((nan_counts && met.nan) || !(met.lower <= met.upper)) return declared;
  return {met.lower, met.upper};
}

}  // namespace dpmix::pg
