// dpmix.synthesize by ranks: single columns are released as those of a tree model, then a mixture
// of the normal scores that they give each row. The order of a release (docs/architecture.md) is
// release_copula() at the end: price, plan the scans, charge, then pass by pass scan and noise.
#include "pg/copula/copula.hpp"

#include <string>

#include "core/copula/model.hpp"
#include "core/copula/plan.hpp"
#include "core/copula/sampler.hpp"
#include "core/mixture/methods/start.hpp"
#include "core/tree_model/release.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/texts.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/parameters.hpp"
#include "pg/ledger/release_preview.hpp"
#include "pg/mixture/passes.hpp"
#include "pg/tree_model/columns.hpp"
#include "pg/tree_model/passes.hpp"
#include "pg/tree_model/sample.hpp"

namespace dpmix::pg {
namespace {

constexpr PassKind kKinds[] = {PassKind::class_moments, PassKind::class_distances};

// Inside guard().
CopulaPlan plan_of(const CopulaCall& call, double epsilon) {
  TreeRequest request = {.epsilon = epsilon,
                         .delta = call.delta,
                         .adjacency = call.table->adjacency,
                         .accounting = {call.table->accountant, call.table->order}};
  count_levels(column_values(call.table, call.columns), Bins::private_, &request);
  return plan_copula(request, call.columns->classes);
}

// What is known of the mechanism before the charge, in plain memory.
struct Price {
  double mu, count_stddev, score_count_stddev;
  TreePlan columns;
  Cost own;
};

// Refuses columns with too many values for tables of one column.
Price price_of(const CopulaCall& call) {
  return guard([&] {
    const CopulaPlan plan = plan_of(call, call.epsilon);
    (void)TreeRelease(plan.columns, call.columns->classes, column_values(call.table, call.columns),
                      Bins::private_);
    return Price{plan.mu, plan.columns.single_stddev, start_gmm(plan.scores)->count_stddev(),
                 plan.columns, plan.own};
  });
}

// A mixture, of scores: without parameters, as for a preview.
ChargeRequest charge_request(const CopulaCall& call, const Price& price) {
  return {.table = call.table,
          .kind = "gmm",
          .mechanism = "gaussian",
          .epsilon = call.epsilon,
          .delta = call.delta,
          .own = &price.own,
          .parameters = NULL,
          .blocks = call.blocks.range,
          .block_count = call.blocks.count};
}

const char* parameters_json(const CopulaCall& call, const Price& price) {
  StringInfoData json;
  initStringInfo(&json);
  appendStringInfo(&json, "{\"method\": \"copula\", \"mu\": %.9g, \"statistics\": [", price.mu);
  if (price.columns.binned > 0) {
    append_statistic(&json, "fine count", 1, price.columns.fine_stddev);
    append_statistic(&json, "count in a full cell", 1, price.columns.zoom_stddev);
  }
  append_statistic(&json, "count", 1, price.columns.single_stddev);
  append_statistic(&json, "count of scores", 1, price.score_count_stddev);
  appendStringInfo(&json, "], \"rows\": " INT64_FORMAT ", ", call.rows);
  append_columns_json(&json, call.columns, (int)kParameterBytes - json.len - 1);
  appendStringInfoChar(&json, '}');
  return json.data;
}

// Inside guard(): scans and noise in turns; then all of it is post-processing.
CopulaModel make_model(RandomStream& random, const CopulaCall& call, TreePasses* columns,
                       GmmPasses* scores, std::string* quality) {
  const CopulaPlan plan = plan_of(call, call.epsilon);
  TreeRelease release(plan.columns, call.columns->classes, column_values(call.table, call.columns),
                      Bins::private_);
  while (const MarginalTables* tables = release.next()) {
    release.take(random, run_pass(columns, *tables));
  }
  const CodeScores seen = scores_of(release.model());
  const auto mixture = start_gmm(plan.scores);
  while (const auto pass = mixture->next()) mixture->take(random, run_pass(scores, *pass, &seen));
  const GmmFit fit = mixture->fit(GmmObjective::balanced);
  std::vector<std::string> labels;
  if (call.columns->label != NULL) {
    labels.assign(call.columns->category, call.columns->category + call.columns->classes);
  }
  *quality = quality_note(fit, labels);
  return copula_of(release.model(), fit.mixture);
}

}  // namespace

const char* release_copula(const CopulaCall& call, RowBuilder* rows) {
  const Price price = price_of(call);
  TreePasses* columns = plan_passes(call.table, call.blocks, call.columns);
  GmmPasses* scores =
      plan_passes(call.table, call.blocks, call.columns, kKinds, lengthof(kKinds), SeenRow::scores);
  const auto charge_at = [&](const Filter& filter, double epsilon) {
    return filter.charge_of(epsilon, call.delta, plan_of(call, epsilon).own);
  };
  const Repricing repricing = {call.epsilon, call.delta, charge_at};
  ChargeRequest request = charge_request(call, price);
  request.parameters = parameters_json(call, price);
  request.repricing = &repricing;
  (void)charge(request);
  const char* quality = NULL;
  guard_with_random([&](RandomStream& random) {
    std::string note;
    const CopulaModel model = make_model(random, call, columns, scores, &note);
    quality = c_string_of(note);
    CopulaSampler sampler(model);
    put_drawn_rows(random, rows, sampler, call.rows);
  });
  return quality;
}

Datum preview_copula(FunctionCallInfo fcinfo, const CopulaCall& call) {
  const Price price = price_of(call);
  return return_preview(fcinfo, charge_request(call, price), price.mu, price.count_stddev);
}

}  // namespace dpmix::pg
