#include "pg/regression/kind.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/release/asked_table.hpp"

namespace dpmix::pg {

CallPlan RegressionsKind::plan(const RegressionCall& call) {
  return guard([&] { return plan_of(&call, call.epsilon); });
}

Terms RegressionsKind::terms(const RegressionCall& call, const CallPlan& plan) {
  return {.kind = "regression",
          .mechanism = call.coordinate ? name(call.settings.family).data() : "gaussian",
          .name = call.name,
          .method = kind_name(call.kind),
          .columns = call.terms->columns,
          .table = call.table,
          .source = source_of(call.table),
          .blocks = call.blocks,
          .epsilon = call.epsilon,
          .delta = call.delta,
          .own = plan.own,
          .mu = plan.mu,
          .counted = call.terms->columns->label != NULL ? "rows of a class" : "rows",
          .count_stddev = plan.count_stddev};
}

// What was asked: the target; of each term its name, its SQL and its categories.
static PlainTexts term_texts(const RegressionTerms* terms) {
  PlainTexts texts = {NULL, 1 + 2 * terms->count};
  for (int i = 0; i < terms->count; i++) texts.count += terms->term[i].coding.categories;
  const char** text = texts.text = (const char**)palloc(texts.count * sizeof(char*));
  *text++ = terms->target.name;
  for (int i = 0; i < terms->count; i++) {
    const RegressionTerm& term = terms->term[i];
    *text++ = term.name;
    *text++ = term.sql != NULL ? term.sql : "";
    for (int k = 0; k < term.coding.categories; k++) *text++ = term.category[k];
  }
  return texts;
}

ModelRecord RegressionsKind::record(const RegressionCall& call, const CallPlan& plan,
                                    const MadeModel& made) {
  ModelRecord record = packed_record(call.terms->columns, made, term_texts(call.terms));
  record.count_stddev = plan.count_stddev;
  return record;
}

Datum RegressionsKind::summary(FunctionCallInfo fcinfo, const RegressionCall& call,
                               const CallPlan& plan, const MadeModel& made) {
  const int coefficients = guard([&] { return design_of(call.terms).columns() + 1; });
  return row_datum(
      fcinfo, {call.name, call.table->relation, kind_name(call.kind), coefficients, call.epsilon,
               call.delta, plan.count_stddev, sum_of(made.rows), made.quality});
}

}  // namespace dpmix::pg
