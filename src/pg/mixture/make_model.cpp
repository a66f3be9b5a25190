#include "pg/mixture/make_model.hpp"

#include <vector>

#include "core/mixture/fit/one_shot_plan.hpp"
#include "core/mixture/methods/start.hpp"
#include "core/release/mechanism.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/texts.hpp"
#include "pg/mixture/passes.hpp"
#include "pg/mixture/store.hpp"
#include "pg/release/parameters.hpp"

namespace dpmix::pg {
namespace {

// Appends, for each kind of sum, how far a neighbour moves one number of it, and the deviation of
// its noise, where the bounds of every feature are -1 and 1. All of them together are mu-GDP.
void append_one_shot(StringInfo json, const GmmCall& call, const GmmPlan& plan) {
  const MomentNoise noise = guard([&] {
    const GmmRequest r = request_of(&call, plan.mu);
    const CovarianceShape shape = r.shape.value_or(CovarianceShape::full);
    return plan_gmm(r.lower, r.upper, r.classes, shape, r.adjacency, r.mu).box_noise();
  });
  const bool replace = call.table->adjacency == Adjacency::replace;
  append_statistic(json, "count", 1, noise.count);
  append_statistic(json, "sum", replace ? 2 : 1, noise.sum);
  append_statistic(json, "square", 1, noise.square);
  if (call.covariance != CovarianceShape::diagonal && call.columns->features > 1) {
    append_statistic(json, "product", replace ? 2 : 1, noise.product);
  }
}

// What later passes look at, and with how much noise, depends on what earlier ones release. Known
// now: all of it together is mu-GDP, and the noise in a component's number of rows.
void append_noise(StringInfo json, const GmmCall& call, const GmmPlan& plan) {
  appendStringInfo(json, "\"mu\": %.9g, \"count_stddev\": %.9g, ", plan.mu, plan.count_stddev);
  if (plan.method == GmmMethod::one_shot) {
    appendStringInfoString(json, "\"unit\": \"half bounds\", \"statistics\": [");
    append_one_shot(json, call, plan);
  } else {
    appendStringInfoString(json, "\"statistics\": [");
    append_statistic(json, "count", 1, plan.count_stddev);
  }
  appendStringInfoString(json, "], ");
}

const char* parameters_json(const GmmCall& call, const GmmPlan& plan) {
  StringInfoData json;
  initStringInfo(&json);
  const ModelColumns* columns = call.columns;
  const int components = columns->label != NULL ? columns->classes : call.components.value_or(0);
  appendStringInfo(&json, "{\"method\": \"%s\", \"components\": %s, ", name(plan.method).data(),
                   components > 0 ? psprintf("%d", components) : "null");
  appendStringInfo(&json, "\"covariance\": \"%s\", \"objective\": \"%s\", ",
                   call.covariance ? name(*call.covariance) : "auto", name(call.objective));
  if (call.dimensions) appendStringInfo(&json, "\"dimensions\": %d, ", *call.dimensions);
  append_noise(&json, call, plan);
  if (call.rows > 0) appendStringInfo(&json, "\"rows\": " INT64_FORMAT ", ", call.rows);
  append_columns_json(&json, call.columns, room_for_columns(&json, call.table));
  appendStringInfoChar(&json, '}');
  return json.data;
}

struct GmmHalf {
  static GmmPasses* plan_scans(const GmmCall& call, const GmmPlan& plan) {
    return plan_passes(call.table, read_rows_of(call.table, false), call.blocks, call.columns,
                       plan.kind, plan.kinds);
  }
  static const char* parameters(const GmmCall& call, const GmmPlan& plan) {
    return parameters_json(call, plan);
  }
  static Cost cost_at(const GmmCall& call, double epsilon) {
    return GmmKind::cost_at(call, epsilon);
  }
  static MadeModel make(const Charged& charged, const GmmCall& call, const GmmPlan& plan,
                        GmmPasses* passes) {
    MadeModel made = {};
    made.charge = charged.id();
    guard_with_random([&](RandomStream& random) {
      const auto mechanism = start_gmm(request_of(&call, plan.mu));
      run_passes(random, *mechanism, [&](const Pass& pass) { return run_pass(passes, pass); });
      const GmmFit fit = mechanism->fit(call.objective);
      std::vector<double> rows;
      for (const auto& component : fit.mixture.components) rows.push_back(component.rows);
      made.rows = plain_numbers(rows);
      made.numbers = plain_numbers(packed_gmm(fit.mixture));
      made.fact = (int)fit.shape;
      made.quality = c_string_of(quality_of(fit, call.columns));
    });
    return made;
  }
};

}  // namespace

std::string quality_of(const GmmFit& fit, const ModelColumns* columns) {
  std::vector<std::string> labels;
  if (columns->label != NULL)
    labels.assign(columns->category, columns->category + columns->classes);
  return quality_note(fit, labels);
}

MadeModel make_gmm(const InProcess& process, const GmmCall& call, const GmmPlan& plan) {
  return make_charged<GmmHalf>(process, GmmKind::terms(call, plan), call, plan);
}

}  // namespace dpmix::pg
