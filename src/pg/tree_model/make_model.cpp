#include "pg/tree_model/make_model.hpp"

#include "core/release/mechanism.hpp"
#include "pg/border/entropy.hpp"
#include "pg/release/parameters.hpp"
#include "pg/rows/rules.hpp"
#include "pg/tree_model/columns.hpp"
#include "pg/tree_model/passes.hpp"
#include "pg/units/rows_of_units.hpp"

namespace dpmix::pg {
namespace {

constexpr int kRulesBytes = 200;

// What later tables look at depends on what earlier ones release. Known now: how far a neighbour
// moves a count of each, and with how much noise.
const char* parameters_json(const TreeCall& call, const TreePlan& plan) {
  const int rows = rows_per_unit(call.table);
  StringInfoData json;
  initStringInfo(&json);
  appendStringInfo(&json,
                   "{\"mu\": %.9g, \"columns\": %d, \"binned\": %d, \"fine_levels\": %d, "
                   "\"edges\": %d, \"chords\": %d, \"statistics\": [",
                   plan.mu, plan.columns, plan.binned, plan.fine_levels, plan.edges, plan.chords);
  if (plan.fine_stddev > 0) {
    append_statistic(&json, "fine count", rows, plan.fine_stddev);
    append_statistic(&json, "count in a full cell", rows, plan.zoom_stddev);
  }
  append_statistic(&json, "count", rows, plan.single_stddev);
  if (plan.edges > 0) append_statistic(&json, "count of an edge", rows, plan.edge_stddev);
  if (plan.chords > 0) append_statistic(&json, "count of a chord", rows, plan.chord_stddev);
  appendStringInfoString(&json, "], ");
  if (call.columns->rules != NULL) {
    appendStringInfoString(&json, "\"rules\": ");
    append_rules_json(&json, call.columns->rules, kRulesBytes);
    appendStringInfoString(&json, ", ");
  }
  if (call.rows > 0) appendStringInfo(&json, "\"rows\": " INT64_FORMAT ", ", call.rows);
  append_columns_json(&json, call.columns, room_for_columns(&json, call.table));
  appendStringInfoChar(&json, '}');
  return json.data;
}

// Public numbers and released ones.
const char* quality_note(const TreeCall& call, const TreePlan& plan, double rows, int left_out) {
  const int classes = call.columns->classes;
  // A class's count of one value, and the rows of an average class.
  const double share = plan.single_stddev * classes / Max(rows, 1.);
  const char* note = "single columns and what most rows share can be seen";
  if (share > 1) {
    note =
        "the noise of a single count exceeds the rows of an average class: ask for fewer "
        "columns or classes, or more epsilon";
  } else if (share > .1) {
    note = psprintf(
        "a single count has noise of %.0f%% of the rows of an average class: only what "
        "many rows share can be seen",
        100 * share);
  }
  if (left_out == 0) return note;
  const int features = call.columns->features;
  return psprintf("%s; %d of %d pairs of columns have too many values to be looked at", note,
                  left_out, features * (features - 1) / 2);
}

struct TreeHalf {
  static TreePasses* plan_scans(const TreeCall& call, const TreePlan&) {
    return plan_passes(call.table, read_rows_of(call.table, true), call.blocks, call.columns);
  }
  static const char* parameters(const TreeCall& call, const TreePlan& plan) {
    return parameters_json(call, plan);
  }
  static Cost cost_at(const TreeCall& call, double epsilon) {
    return tree_plan(&call, epsilon).own;
  }
  static MadeModel make(const Charged& charged, const TreeCall& call, const TreePlan& plan,
                        TreePasses* passes) {
    MadeModel made = {};
    made.charge = charged.id();
    guard_with_random([&](RandomStream& random) {
      TreeRelease release(plan, call.columns->classes, column_values(call.table, call.columns),
                          call.bins);
      run_passes(random, release,
                 [&](const MarginalTables& tables) { return run_pass(passes, tables); });
      TreeModel model = release.model();
      model.rules = rules_of(call.columns);
      made.numbers = plain_numbers(model.pack());
      made.rows = plain_numbers(model.tables.classes);
      made.fact = (int)model.tables.pairs.size();
      const double rows = release.rows();
      const int left_out = release.pairs_left_out();
      postgres([&] { made.quality = pstrdup(quality_note(call, plan, rows, left_out)); });
    });
    return made;
  }
};

}  // namespace

MadeModel make_tree(const InProcess& process, const TreeCall& call, const TreePlan& plan) {
  return make_charged<TreeHalf>(process, TreeKind::terms(call, plan), call, plan);
}

}  // namespace dpmix::pg
