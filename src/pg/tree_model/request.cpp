#include "pg/tree_model/request.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/release/asked_table.hpp"
#include "pg/release/stored.hpp"
#include "pg/rows/rules.hpp"
#include "pg/tree_model/columns.hpp"
#include "pg/units/rows_of_units.hpp"

namespace dpmix::pg {
namespace {

enum Argument { kName, kRelation, kColumns, kEpsilon, kDelta, kLabel, kBins, kSource, kBlocks };

}  // namespace

TreeCall tree_call(FunctionCallInfo fcinfo) {
  require_argument(fcinfo, kName);
  require_stated(fcinfo, kColumns, "columns => '{age,sex}'");
  TreeCall call = {};
  call.name = release_name_argument(fcinfo, kName);
  const Guarantee guarantee = gaussian_guarantee(fcinfo, kEpsilon);
  call.epsilon = guarantee.epsilon;
  call.delta = guarantee.delta;
  call.bins = word_argument(fcinfo, kBins, "private", bins_of, "private or equal");
  call.table = asked_table(fcinfo, kRelation, kSource);
  require_sampled_units(call.table);
  call.blocks = blocks_argument(fcinfo, kBlocks, call.table);
  const char* label = name_argument(fcinfo, kLabel);
  require_label(call.table, label);
  call.columns =
      model_columns(call.table, PG_GETARG_ARRAYTYPE_P(kColumns), MarginalTables::most_columns,
                    label, FeatureKinds::numbers_and_categories);
  call.columns->rules = rules_among(call.table, call.columns);
  return call;
}

TreePlan tree_plan(const TreeCall* call, double epsilon) {
  TreeRequest request = {.epsilon = epsilon,
                         .delta = call->delta,
                         .adjacency = call->table->adjacency,
                         .rows_per_unit = rows_per_unit(call->table),
                         .accounting = {call->table->accountant, call->table->order}};
  count_levels(column_values(call->table, call->columns), call->bins, &request);
  return plan_tree(request);
}

TreePlan checked_plan(const TreeCall* call) {
  return guard([&] {
    const TreePlan plan = tree_plan(call, call->epsilon);
    (void)TreeRelease(plan, call->columns->classes, column_values(call->table, call->columns),
                      call->bins);
    return plan;
  });
}

}  // namespace dpmix::pg
