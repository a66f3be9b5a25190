// dpmix.release_tree: a private tree model of a table. The order of a release
// (docs/architecture.md) is dpmix_release_tree() at the end: validate, price, plan the scan, take
// the name, charge, then pass by pass scan and noise, model. dpmix.preview_tree stops after the
// price.
#include "pg/tree_model/release_tree.hpp"

#include <vector>

#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/texts.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/parameters.hpp"
#include "pg/ledger/release_preview.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/tree_model/columns.hpp"
#include "pg/tree_model/passes.hpp"
#include "pg/tree_model/store.hpp"
#include "pg/units/rows_of_units.hpp"

extern "C" {
#include "libpq/pqformat.h"
PG_FUNCTION_INFO_V1(dpmix_release_tree);
PG_FUNCTION_INFO_V1(dpmix_preview_tree);
}

namespace dpmix::pg {
namespace {

constexpr char kMethod[] = "marginals";

// Without parameters and name, as for a preview.
ChargeRequest charge_request(const TreeCall* call, const TreePlan* plan) {
  return {.table = call->table,
          .kind = "tree",
          .mechanism = "gaussian",
          .epsilon = call->epsilon,
          .delta = call->delta,
          .own = &plan->own,
          .parameters = NULL,
          .blocks = call->blocks.range,
          .block_count = call->blocks.count};
}

// What later tables look at depends on what earlier ones release. Known now: how far a neighbour
// moves a count of each, and with how much noise.
const char* parameters_json(const TreeCall* call, const TreePlan& plan) {
  const int rows = rows_per_unit(call->table);
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
  if (call->rows > 0) appendStringInfo(&json, "\"rows\": " INT64_FORMAT ", ", call->rows);
  append_columns_json(&json, call->columns, (int)kParameterBytes - json.len - 1);
  appendStringInfoChar(&json, '}');
  return json.data;
}

// Public numbers and released ones.
const char* quality_note(const TreeCall* call, const TreePlan& plan, double rows, int left_out) {
  const int classes = call->columns->classes;
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
  const int features = call->columns->features;
  return psprintf("%s; %d of %d pairs of columns have too many values to be looked at", note,
                  left_out, features * (features - 1) / 2);
}

ReleasedTree make_model(const TreeCall* call, const TreePlan& plan, TreePasses* passes) {
  ReleasedTree model = {};
  guard_with_random([&](RandomStream& random) {
    TreeRelease release(plan, call->columns->classes, column_values(call->table, call->columns),
                        call->bins);
    while (const MarginalTables* tables = release.next()) {
      release.take(random, run_pass(passes, *tables));
    }
    const TreeModel made = release.model();
    const std::vector<double> packed = made.pack();
    const double* numbers = packed.data();
    const double* rows = made.tables.classes.data();
    const double all = release.rows();
    const int left_out = release.pairs_left_out();
    const int edges = (int)made.tables.pairs.size();
    postgres([&] {
      model.count = (int)packed.size();
      model.edges = edges;
      model.numbers = (double*)palloc(packed.size() * sizeof(double));
      memcpy(model.numbers, numbers, packed.size() * sizeof(double));
      model.rows = (double*)palloc(call->columns->classes * sizeof(double));
      memcpy(model.rows, rows, call->columns->classes * sizeof(double));
      model.quality = pstrdup(quality_note(call, plan, all, left_out));
    });
  });
  return model;
}

}  // namespace

ReleasedTree release_tree(const TreeCall& call, const TreePlan& plan) {
  TreePasses* passes = plan_passes(call.table, call.blocks, call.columns);
  const auto charge_at = [&](const Filter& filter, double epsilon) {
    return filter.charge_of(epsilon, call.delta, tree_plan(&call, epsilon).own);
  };
  const Repricing repricing = {call.epsilon, call.delta, charge_at};
  ChargeRequest request = charge_request(&call, &plan);
  request.parameters = parameters_json(&call, plan);
  request.release = call.name;
  request.repricing = &repricing;
  const int64 charge_id = charge(request);
  DPMIX_FAULT("tree.charged");
  ReleasedTree model = make_model(&call, plan, passes);
  model.charge_id = charge_id;
  return model;
}

Datum preview_tree(FunctionCallInfo fcinfo, const TreeCall& call) {
  const TreePlan plan = checked_plan(&call);
  return return_preview(fcinfo, charge_request(&call, &plan), plan.mu, plan.single_stddev);
}

namespace {

// In the process.
Datum release(const TreeCall& call, const TreePlan& plan) {
  const ReleasedTree model = release_tree(call, plan);
  StringInfoData bytes;
  initStringInfo(&bytes);
  pq_sendint64(&bytes, model.charge_id);
  appendBinaryStringInfo(&bytes, model.quality, (int)strlen(model.quality) + 1);
  pq_sendint32(&bytes, model.edges);
  pq_sendint32(&bytes, model.count);
  appendBinaryStringInfo(&bytes, (const char*)model.rows,
                         call.columns->classes * (int)sizeof(double));
  appendBinaryStringInfo(&bytes, (const char*)model.numbers, model.count * (int)sizeof(double));
  return return_bytes(bytes);
}

double* get_numbers(StringInfo in, int count) {
  const Size size = (Size)count * sizeof(double);
  double* numbers = (double*)palloc(size);
  memcpy(numbers, pq_getmsgbytes(in, (int)size), size);
  return numbers;
}

// In the caller, whose the model is: it takes the name, and stores what the process has made.
Datum store(FunctionCallInfo fcinfo, const TreeCall& call, const TreePlan& plan) {
  require_primary();
  const ModelColumns* columns = call.columns;
  reserve_release(call.name, "tree", call.table, kMethod, call.epsilon, call.delta, columns);
  StringInfoData bytes = release_bytes(fcinfo);
  const int64 charge_id = pq_getmsgint64(&bytes);
  const char* quality = pstrdup(pq_getmsgrawstring(&bytes));
  const int edges = (int)pq_getmsgint(&bytes, 4), count = (int)pq_getmsgint(&bytes, 4);
  const double* rows = get_numbers(&bytes, columns->classes);
  const double* numbers = get_numbers(&bytes, count);
  store_tree(call.name, columns, name(call.table->adjacency).data(), numbers, count, rows,
             plan.single_stddev, quality, charge_id);
  DPMIX_FAULT("tree.stored");
  double all = 0;
  for (int k = 0; k < columns->classes; k++) all += rows[k];
  return row_datum(fcinfo, {call.name, call.table->relation, columns->features, edges, call.epsilon,
                            call.delta, plan.single_stddev, all, quality});
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_release_tree(PG_FUNCTION_ARGS) {
  const TreeCall call = tree_call(fcinfo);
  const TreePlan plan = checked_plan(&call);
  return in_release_process() ? release(call, plan) : store(fcinfo, call, plan);
}

Datum dpmix_preview_tree(PG_FUNCTION_ARGS) {
  return preview_tree(fcinfo, tree_call(fcinfo));
}
