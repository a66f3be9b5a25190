#include "pg/tree_model/kind.hpp"

#include "pg/border/result_rows.hpp"
#include "pg/release/asked_table.hpp"

namespace dpmix::pg {

Terms TreeKind::terms(const TreeCall& call, const TreePlan& plan) {
  return {.kind = "tree",
          .name = call.name,
          .method = "marginals",
          .columns = call.columns,
          .table = call.table,
          .source = source_of(call.table),
          .blocks = call.blocks,
          .epsilon = call.epsilon,
          .delta = call.delta,
          .own = plan.own,
          .mu = plan.mu,
          .counted = "rows with a value of a column",
          .count_stddev = plan.single_stddev};
}

// The categories of all columns, one after the other.
static PlainTexts category_texts(const ModelColumns* columns) {
  PlainTexts texts = {};
  for (int i = 0; i < columns->features; i++) texts.count += columns->categories[i];
  const char** text = texts.text = (const char**)palloc(Max(texts.count, 1) * sizeof(char*));
  for (int i = 0; i < columns->features; i++) {
    for (int k = 0; k < columns->categories[i]; k++) *text++ = columns->category_texts[i][k];
  }
  return texts;
}

ModelRecord TreeKind::record(const TreeCall& call, const TreePlan& plan, const MadeModel& made) {
  ModelRecord record = packed_record(call.columns, made, category_texts(call.columns));
  record.count_stddev = plan.single_stddev;
  return record;
}

Datum TreeKind::summary(FunctionCallInfo fcinfo, const TreeCall& call, const TreePlan& plan,
                        const MadeModel& made) {
  return row_datum(
      fcinfo, {call.name, call.table->relation, call.columns->features, made.fact, call.epsilon,
               call.delta, plan.single_stddev, sum_of(made.rows), made.quality});
}

}  // namespace dpmix::pg
