#include "pg/query/preview/groups.hpp"

#include <cmath>
#include <cstdlib>

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/supposed_group.hpp"
#include "pg/query/answer/value_errors.hpp"
#include "pg/query/check/grouping_sets.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr double kLevel = 0.95;
constexpr int kMostValues = 6;  // values in one column: 64 corners

struct Use {  // what one column uses of released values
  const PricedQuery* priced;
  int count;
  int value[kMostValues];
  bool known;  // the noise of each follows from the number of rows
};

bool find_values(Node* node, void* arg) {
  if (node == NULL) return false;
  Use* use = (Use*)arg;
  const QueryShape* shape = use->priced->shape;
  if (IsA(node, Var) && ((const Var*)node)->varattno > shape->keys) {
    const int value = ((const Var*)node)->varattno - shape->keys - 1;
    for (int i = 0; i < use->count; i++) {
      if (use->value[i] == value) return false;
    }
    const ReleasedValue* released = &shape->value[value];
    use->known = use->known && use->count < kMostValues && released->end == ReleasedEnd::answer &&
                 use->priced->statistics->parts[released->aggregate].cells < 0;
    if (!use->known) return true;
    use->value[use->count++] = value;
  }
  return walk_expression(node, find_values, arg);
}

bool is_number_type(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID ||
         type == FLOAT8OID || type == NUMERICOID;
}

// Columns that are a statistic themselves have their interval with it.
bool is_shown(const PricedQuery* priced, const Expr* expression, Use* use) {
  *use = {priced, 0, {}, true};
  (void)find_values((Node*)expression, use);
  if (!use->known || use->count == 0 || !is_number_type(exprType((const Node*)expression))) {
    return false;
  }
  const ReleasedValue* first = &priced->shape->value[use->value[0]];
  return !IsA(expression, Var) || priced->statistics->parts[first->aggregate].divides();
}

Datum value_of(Oid type, double number) {
  return type == INT8OID ? Int64GetDatum((int64)number) : Float8GetDatum(number);
}

// The range of an expression over released values that lie in these intervals: at their ends.
bool find_range(const Expr* expression, const Use& use, const NoiseInterval* interval,
                NoiseInterval* range) {
  const QueryShape* shape = use.priced->shape;
  TupleTableSlot* slot = MakeSingleTupleTableSlot(released_type(shape), &TTSOpsVirtual);
  ExprContext* context = CreateStandaloneExprContext();
  ExprState* state = ExecInitExpr((Expr*)expression, NULL);
  const Oid type = exprType((const Node*)expression);
  Oid output;
  bool varlena, all = true;
  getTypeOutputInfo(type, &output, &varlena);
  for (int corner = 0; all && corner < 1 << use.count; corner++) {
    ExecClearTuple(slot);
    memset(slot->tts_isnull, 1, sizeof(bool) * (shape->keys + shape->values));
    for (int i = 0; i < use.count; i++) {
      const int column = shape->keys + use.value[i];
      slot->tts_isnull[column] = false;
      slot->tts_values[column] = value_of(shape->value[use.value[i]].type,
                                          corner >> i & 1 ? interval[i].high : interval[i].low);
    }
    ExecStoreVirtualTuple(slot);
    context->ecxt_scantuple = slot;
    bool null = true;
    double made = 0;
    (void)without_value_errors([&] {
      const Datum result = ExecEvalExpr(state, context, &null);
      if (null) return;
      const char* text = OidOutputFunctionCall(output, result);
      made = DatumGetFloat8(DirectFunctionCall1(float8in, CStringGetDatum(text)));
    });
    all = !null;
    range->low = corner == 0 ? made : Min(range->low, made);
    range->high = corner == 0 ? made : Max(range->high, made);
  }
  ExecDropSingleTupleTableSlot(slot);
  FreeExprContext(context, true);
  return all;
}

void preview_groups_of(const PricedQuery* priced, int set, int64 group_rows, const Outlook& outlook,
                       const char* memory, const PreviewRows& out) {
  const Int128* cells = supposed_group(priced->statistics, group_rows).noisy;
  const ReleasedColumns* released = priced->shape->released;
  const char* text = psprintf("groups of " INT64_FORMAT " rows", group_rows);
  if (priced->shape->sets != NULL) {
    text = psprintf("%s %s", text, set_text(&priced->scope, priced->shape, set));
  }
  for (int c = 0; c < released->columns; c++) {
    const Expr* expression = released->column[c].expression;
    Use use;
    if (!is_shown(priced, expression, &use)) continue;
    NoiseInterval interval[kMostValues], range = {};
    for (int i = 0; i < use.count; i++) {
      const int aggregate = priced->shape->value[use.value[i]].aggregate;
      const AnswerSource source =
          answer_source(priced->shape, priced->statistics, priced->noise, aggregate);
      const double level = 1 - (1 - kLevel) / use.count;  // all of them together
      const EndReach reach =
          guard([&] { return interval_reach(source, priced->groups, set, level); });
      interval[i] = answer_interval(source, reach, cells);
    }
    const bool known = find_range(expression, use, interval, &range);
    Previewed row = {.output = released->column[c].name,
                     .statistic = text,
                     .mechanism = mechanism_of(priced->plan).data(),
                     .memory = memory};
    if (known) row.half_width = (range.high - range.low) / 2;
    add_previewed(out, row, outlook);
  }
}

}  // namespace

void preview_groups(const PricedQuery* priced, int64 group_rows, const Outlook& outlook,
                    const char* memory, const PreviewRows& out) {
  for (int set = 0; set < sets_of(priced->groups); set++) {
    preview_groups_of(priced, set, group_rows, outlook, memory, out);
  }
}

}  // namespace dpmix::pg
