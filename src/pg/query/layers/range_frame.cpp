#include "pg/query/layers/range_frame.hpp"

#include <cmath>

#include "pg/query/layers/sorting.hpp"
#include "pg/query/safe/moments.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/nbtree.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kOffsets = FRAMEOPTION_START_OFFSET | FRAMEOPTION_END_OFFSET;

[[noreturn]] void refuse_offset() {
  refuse_construct(
      "a RANGE frame with such an offset is",
      "Order by a whole number, a float8, a date or a time stamp, and write a constant "
      "that is not below 0: 7, or interval '7 days'; up to 500 years.");
}

// What numbers are near by: whole ones by whole ones.
Oid offset_type(Oid ordered) {
  switch (ordered) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
      return INT8OID;
    case FLOAT8OID:
      return FLOAT8OID;
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return INTERVALOID;
    default:
      refuse_offset();
  }
}

// -1: it is none.
int64 whole_number(const Const* offset) {
  switch (offset->consttype) {
    case INT2OID:
      return DatumGetInt16(offset->constvalue);
    case INT4OID:
      return DatumGetInt32(offset->constvalue);
    case INT8OID:
      return DatumGetInt64(offset->constvalue);
    default:
      return -1;
  }
}

double number_of(const Const* offset) {
  switch (offset->consttype) {
    case FLOAT8OID:
      return DatumGetFloat8(offset->constvalue);
    case NUMERICOID:
      return DatumGetFloat8(DirectFunctionCall1(numeric_float8, offset->constvalue));
    default:
      return (double)whole_number(offset);
  }
}

// All its parts together are at most 1 500 years.
bool is_moderate(const Interval* interval) {
  constexpr int kYears = 500;
  return interval->month >= 0 && interval->month <= 12 * kYears && interval->day >= 0 &&
         interval->day <= 366 * kYears && interval->time >= 0 &&
         interval->time <= 366LL * kYears * USECS_PER_DAY;
}

Node* offset_of(Node* asked, Oid type) {
  if (asked == NULL) return NULL;
  const Node* node = eval_const_expressions(NULL, asked);
  if (!is_constant(node)) refuse_offset();
  const Const* offset = (const Const*)node;
  if (type == INTERVALOID) {
    if (offset->consttype != type || !is_moderate(DatumGetIntervalP(offset->constvalue))) {
      refuse_offset();
    }
    return (Node*)copyObjectImpl(offset);
  }
  if (type == INT8OID) {
    const int64 number = whole_number(offset);
    if (number < 0) refuse_offset();
    return (Node*)constant(INT8OID, InvalidOid, Int64GetDatum(number));
  }
  const double number = number_of(offset);
  if (!(number >= 0 && std::isfinite(number))) refuse_offset();
  return (Node*)float8_constant(number);
}

// Moments so that an offset leads to others: beyond, they are as good as the ends.
Node* between_ends(const Node* moment) {
  const double day = exprType(moment) == DATEOID ? 1 : SECS_PER_DAY;
  const auto end = [&](int year) { return (date2j(year, 1, 1) - POSTGRES_EPOCH_JDATE) * day; };
  return (Node*)clamped_moment((Expr*)copyObjectImpl(moment), {end(-3000), end(280000)});
}

}  // namespace

bool has_range_offset(const WindowClause* window) {
  return (window->frameOptions & kOffsets) != 0 && (window->frameOptions & FRAMEOPTION_RANGE) != 0;
}

void make_range_frame(Query* made, WindowClause* window) {
  SortGroupClause* order = linitial_node(SortGroupClause, window->orderClause);
  const Node* key = get_sortgroupclause_expr(order, made->targetList);
  const Oid ordered = exprType(key), type = offset_type(ordered);
  window->startOffset = offset_of(window->startOffset, type);
  window->endOffset = offset_of(window->endOffset, type);
  if (type == INTERVALOID) order->tleSortGroupRef = sorted_target(made, between_ends(key));
  bool down = false;
  (void)get_equality_op_for_ordering_op(order->sortop, &down);
  const Oid family = lookup_type_cache(ordered, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  const Oid in_range = get_opfamily_proc(family, ordered, type, BTINRANGE_PROC);
  if (!OidIsValid(in_range)) refuse_offset();
  if (window->startOffset != NULL) window->startInRangeFunc = in_range;
  if (window->endOffset != NULL) window->endInRangeFunc = in_range;
  window->inRangeColl = InvalidOid;
  window->inRangeAsc = !down;
  window->inRangeNullsFirst = order->nulls_first;
}

void drop_frame(WindowClause* window) {
  window->frameOptions = FRAMEOPTION_DEFAULTS;
  window->startOffset = window->endOffset = NULL;
  window->startInRangeFunc = window->endInRangeFunc = InvalidOid;
}

}  // namespace dpmix::pg
