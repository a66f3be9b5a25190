#include "pg/query/keys/bins.hpp"

#include <cmath>
#include <optional>

#include "pg/query/keys/probe.hpp"
#include "pg/query/keys/steps.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostDigits = 15;

// What a function cuts, and the distance between the multiples at which it does.
struct Cut {
  Node* operand;  // NULL: none
  double step;
  bool tenths;  // step is one over a whole number, in which multiples are counted
};

List* arguments_of(Node* node, Oid* function) {
  if (IsA(node, OpExpr)) {
    *function = get_opcode(((OpExpr*)node)->opno);
    return ((OpExpr*)node)->args;
  }
  if (!IsA(node, FuncExpr)) return NIL;
  *function = ((FuncExpr*)node)->funcid;
  return ((FuncExpr*)node)->args;
}

std::optional<double> number_in(const List* arguments, int n) {
  if (list_length(arguments) <= n) return std::nullopt;
  const Node* node = (const Node*)list_nth(arguments, n);
  if (!is_constant(node) || !is_number(exprType(node))) return std::nullopt;
  return float8_of((const Const*)node);
}

Cut cut_by(Oid function, const List* arguments) {
  Node* operand = (Node*)linitial(arguments);
  const auto operation = row_operation(function);
  if (!operation || !is_number(exprType(operand))) return {};
  const auto second = number_in(arguments, 1);
  switch (*operation) {
    case RowOperation::floor:
    case RowOperation::ceiling:
    case RowOperation::round:
    case RowOperation::round_even:
    case RowOperation::truncate:
      return {operand, 1, false};
    case RowOperation::quotient:
      return second && *second > 0 ? Cut{operand, *second, false} : Cut{};
    case RowOperation::round_digits:
    case RowOperation::trunc_digits:
      if (!second || std::fabs(*second) > kMostDigits) return {};
      return {operand, std::pow(10, std::fabs(*second)), *second > 0};
    default:
      return {};
  }
}

// The innermost function that cuts all that comes from columns.
Cut innermost_cut(Node* node) {
  if (IsA(node, RelabelType)) return innermost_cut((Node*)((RelabelType*)node)->arg);
  Oid function = InvalidOid;
  List* arguments = arguments_of(node, &function);
  Node* inner = NULL;
  int inner_count = 0;
  ListCell* cell;
  foreach (cell, arguments) {
    Node* argument = (Node*)lfirst(cell);
    if (columns_of(argument) == NIL) continue;
    inner = argument;
    inner_count++;
  }
  if (inner_count != 1) return {};
  const Cut below = innermost_cut(inner);
  if (below.operand != NULL) return below;
  const Cut here = cut_by(function, arguments);
  return here.operand == inner ? here : Cut{};
}

double multiple_of(const Cut& cut, double number) {
  return cut.tenths ? number / cut.step : number * cut.step;
}

// Facts leave nothing between the bounds of one of its columns.
bool has_column_of_none(const RowScope* scope, Node* operand) {
  const ListCell* cell;
  foreach (cell, columns_of(operand)) {
    const Var* column = lfirst_node(Var, cell);
    const ProtectedTable* table = source_of(scope, column)->table;
    if (table == NULL || !is_number(column->vartype)) continue;
    const ColumnDomain bounds = domain_of(scope, column);
    if (!bounds.has_bounds) continue;
    if (!have_number(scope->facts, column, {bounds.lower, bounds.upper}, false)) return true;
  }
  return false;
}

// The operand as it is in the safe expression of the key.
Expr* safe_operand(const RowScope* scope, Node* operand) {
  return as_float8(safe_value(scope, operand));
}

}  // namespace

int find_bins(const RowScope* scope, const QueryKey* asked, KeyColumn* key, Datum** value) {
  if (!is_number(asked->type) || key->type != FLOAT8OID) return 0;
  const Cut cut = innermost_cut((Node*)asked->expression);
  RowScope open = *scope;
  open.open_ends = true;
  SafeNumber bounds;
  if (cut.operand == NULL || !bounded_number(&open, cut.operand, &bounds)) return 0;
  key->none = has_column_of_none(scope, cut.operand);
  const double unit = cut.tenths ? 1 / cut.step : cut.step;
  const double first = std::ceil(bounds.lower / unit), last = std::floor(bounds.upper / unit);
  if (!(last - first < kMaxGroups - 2)) return 0;
  Var* place = makeVar(kPlace, 1, FLOAT8OID, -1, InvalidOid, 0);
  Expr* image = steps_over(key->expression, safe_operand(scope, cut.operand), place);
  const List* left = columns_of((Node*)image);
  if (list_length(left) != 1 || !equal(linitial(left), place)) return 0;
  KeyProbe* probe = probe_of(image, 1, &place);
  *value = (Datum*)palloc(sizeof(Datum) * ((Size)Max(last - first + 1, 0) + 2));
  int count = 0;
  const auto take_at = [&](double at) {
    const Datum cut_value = Float8GetDatum(at);
    bool null;
    const Datum bin = evaluate_probe(probe, &cut_value, NULL, &null);
    if (null || !std::isfinite(DatumGetFloat8(bin))) return;
    (*value)[count++] = Float8GetDatum(DatumGetFloat8(bin) + 0.0);  // -0 is 0
  };
  take_at(bounds.lower);
  for (double number = first; number <= last; number++) {
    CHECK_FOR_INTERRUPTS();
    take_at(multiple_of(cut, number));
  }
  take_at(bounds.upper);
  end_probe(probe);
  return count;
}

}  // namespace dpmix::pg
