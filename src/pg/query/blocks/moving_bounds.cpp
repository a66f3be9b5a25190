#include "pg/query/blocks/moving_bounds.hpp"

#include <algorithm>

#include "pg/border/compat.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/query/blocks/narrowing.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

struct Bound {  // column, strategy, what the probe makes of the moment
  int strategy;
  Oid type;
  KeyProbe* probe;
};

struct Reading {
  const Query* query;
  int parameter;
  const QuerySource* source;
  MovingBounds* bounds;
};

}  // namespace

struct MovingBounds {
  const BlockColumn* blocks;
  bool uniform;
  int count;
  Bound* bound;
};

namespace {

bool is_length_of_time(const Node* node) {
  if (!is_constant(node) || exprType(node) != INTERVALOID) return false;
  const Interval* interval = DatumGetIntervalP(constant_value(node));
  return interval->month == 0 && interval->day == 0;
}

// Longer units end so seldom that no horizon shows it.
bool is_unit(const Node* node) {
  if (!is_constant(node) || exprType(node) != TEXTOID) return false;
  const char* unit = TextDatumGetCString(constant_value(node));
  for (const char* known :
       {"second", "minute", "hour", "day", "week", "month", "quarter", "year"}) {
    if (pg_strcasecmp(unit, known) == 0) return true;
  }
  return false;
}

bool moves(const Reading& reading, Node* node);

bool moves_by_call(const Reading& reading, Oid function, List* arguments) {
  Node* first = (Node*)linitial(arguments);
  Node* second = list_length(arguments) > 1 ? (Node*)lsecond(arguments) : NULL;
  bool& uniform = reading.bounds->uniform;
  switch (function) {
    case F_TIMESTAMPTZ_PL_INTERVAL:
    case F_TIMESTAMPTZ_MI_INTERVAL:
    case F_TIMESTAMP_PL_INTERVAL:
    case F_TIMESTAMP_MI_INTERVAL:
      uniform = uniform && is_length_of_time(second);
      return is_constant(second) && moves(reading, first);
    case F_DATE_PLI:
    case F_DATE_MII:
    case F_DATE_PL_INTERVAL:
    case F_DATE_MI_INTERVAL:
      uniform = false;
      return is_constant(second) && moves(reading, first);
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
      uniform = false;
      return is_unit(first) && moves(reading, second);
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
      uniform = false;
      return is_unit(first) && is_constant((Node*)lthird(arguments)) && moves(reading, second);
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
      uniform = false;
      return is_constant(first) && moves(reading, second);
    case F_DATE_TIMESTAMPTZ:
    case F_DATE_TIMESTAMP:
    case F_TIMESTAMP_DATE:
    case F_TIMESTAMP_TIMESTAMPTZ:
      uniform = false;
      return moves(reading, first);
    default:
      return false;
  }
}

// Whether an expression goes with the moment, at a bounded distance.
bool moves(const Reading& reading, Node* node) {
  switch (nodeTag(node)) {
    case T_Param:
      return ((Param*)node)->paramid == reading.parameter;
    case T_RelabelType:
      return moves(reading, (Node*)((RelabelType*)node)->arg);
    case T_FuncExpr:
      return moves_by_call(reading, ((FuncExpr*)node)->funcid, ((FuncExpr*)node)->args);
    case T_OpExpr:
      return moves_by_call(reading, get_opcode(((OpExpr*)node)->opno), ((OpExpr*)node)->args);
    default:
      return false;
  }
}

bool is_block_column(const Reading& reading, const Node* node) {
  while (IsA(node, RelabelType)) node = (const Node*)((const RelabelType*)node)->arg;
  if (!IsA(node, Var)) return false;
  const Var* var = (const Var*)node;
  return var->varno == (int)reading.source->varno &&
         var->varattno == reading.source->table->blocks.column;
}

bool mentions_block_column(Node* node, void* reading) {
  if (node == NULL) return false;
  if (is_block_column(*(const Reading*)reading, node)) return true;
  return walk_expression(node, mentions_block_column, reading);
}

Var* moment_column() {
  Var* var = makeNode(Var);
  var->varno = 1;
  var->varattno = 1;
  var->vartype = TIMESTAMPTZOID;
  var->vartypmod = -1;
  return var;
}

Node* moment_as_column(Node* node, void* column) {
  if (node == NULL) return NULL;
  if (IsA(node, Param)) return (Node*)column;
  return mutate_expression(node, moment_as_column, column);
}

// False: the condition is none that is known.
bool add_bound(const Reading& reading, Node* condition) {
  if (!IsA(condition, OpExpr) || list_length(((OpExpr*)condition)->args) != 2) return false;
  const OpExpr* compared = (const OpExpr*)condition;
  Node *left = (Node*)linitial(compared->args), *right = (Node*)lsecond(compared->args);
  Oid op = compared->opno;
  if (!is_block_column(reading, left)) {
    std::swap(left, right);
    op = get_commutator(op);
  }
  if (!is_block_column(reading, left) || !OidIsValid(op)) return false;
  const int strategy = order_strategy(op);
  const Oid type = exprType(right);
  if (strategy == 0 || !follows_clock(type) || !moves(reading, right)) return false;
  Var* moment = moment_column();
  KeyProbe* probe = probe_of((Expr*)moment_as_column(right, moment), 1, &moment);
  reading.bounds->bound[reading.bounds->count++] = {strategy, type, probe};
  return true;
}

// A bound in the units of the block column, rounded down; days are microseconds where the column is
// a time.
struct Place {
  Int128 whole;
  bool exact;
};

Place place_of(Datum value, Oid type, Oid column) {
  constexpr int64 day = USECS_PER_DAY;
  if (type == column) {
    return {type == DATEOID ? DatumGetDateADT(value) : DatumGetTimestamp(value), true};
  }
  if (type == DATEOID) return {static_cast<Int128>(DatumGetDateADT(value)) * day, true};
  const int64 time = DatumGetTimestamp(value), rest = ((time % day) + day) % day;
  return {(static_cast<Int128>(time) - rest) / day, rest == 0};
}

void narrow(Int128* first, Int128* last, const Place& place, int strategy) {
  const Int128 above = place.whole + 1, least = place.exact ? place.whole : above;
  const bool lower = strategy != BTLessStrategyNumber && strategy != BTLessEqualStrategyNumber;
  const bool upper =
      strategy != BTGreaterStrategyNumber && strategy != BTGreaterEqualStrategyNumber;
  if (lower) *first = std::max(*first, strategy == BTGreaterStrategyNumber ? above : least);
  if (upper) {
    *last = std::min(*last, strategy == BTLessStrategyNumber ? least - 1 : place.whole);
  }
}

}  // namespace

MovingBounds* moving_bounds(const Query* query, int parameter, const QuerySource* source) {
  const BlockColumn* blocks = &source->table->blocks;
  if (!follows_clock(blocks->type)) return NULL;
  if (column_domain(source->table, blocks->column).quantum != 0) return NULL;  // they are rounded
  List* conditions = conditions_of(query);
  MovingBounds* bounds = (MovingBounds*)palloc(sizeof(MovingBounds));
  *bounds = {blocks, true, 0, (Bound*)palloc(sizeof(Bound) * (list_length(conditions) + 1))};
  Reading reading = {query, parameter, source, bounds};
  ListCell* cell;
  foreach (cell, conditions) {
    Node* condition = (Node*)lfirst(cell);
    if (add_bound(reading, condition)) continue;
    // One that leaves nothing at some time would name the first block at that time.
    if (mentions_block_column(condition, &reading) || columns_of(condition) == NIL) return NULL;
  }
  return bounds->count > 0 ? bounds : NULL;
}

Places places_at(const MovingBounds* bounds, TimestampTz moment, TimestampTz later) {
  const BlockColumn& blocks = *bounds->blocks;
  Int128 first = Max(blocks.grid.first, least_place(blocks.type)),
         last = Min(place_of_time(blocks.type, later), largest_place(blocks.type));
  const Datum value = TimestampTzGetDatum(moment);
  for (int i = 0; i < bounds->count; i++) {
    const Bound& bound = bounds->bound[i];
    bool null;
    const Datum found = evaluate_probe(bound.probe, &value, NULL, &null);
    if (null) return {0, -1};
    narrow(&first, &last, place_of(found, bound.type, blocks.type), bound.strategy);
  }
  if (first > last) return {0, -1};
  return {static_cast<int64>(first), static_cast<int64>(last)};
}

bool are_uniform(const MovingBounds* bounds) {
  return bounds->uniform;
}

}  // namespace dpmix::pg
