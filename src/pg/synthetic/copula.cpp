// dpmix.synthesize by ranks: single columns are released as those of a tree model, then a mixture
// of the normal scores that they give each row.
#include "pg/synthetic/copula.hpp"

#include <string>

#include "core/copula/model.hpp"
#include "core/copula/plan.hpp"
#include "core/copula/sampler.hpp"
#include "core/mixture/methods/start.hpp"
#include "core/release/mechanism.hpp"
#include "core/tree_model/release.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/texts.hpp"
#include "pg/mixture/make_model.hpp"
#include "pg/mixture/passes.hpp"
#include "pg/release/asked_table.hpp"
#include "pg/release/parameters.hpp"
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

const char* parameters_json(const CopulaCall& call, const CopulaPrice& price) {
  StringInfoData json;
  initStringInfo(&json);
  appendStringInfo(&json, "{\"method\": \"copula\", \"mu\": %.9g, \"statistics\": [", price.mu);
  if (price.columns.binned > 0) {
    append_statistic(&json, "fine count", 1, price.columns.fine_stddev);
    append_statistic(&json, "count in a full cell", 1, price.columns.zoom_stddev);
  }
  append_statistic(&json, "count", 1, price.columns.single_stddev);
  append_statistic(&json, "count of scores", 1, price.score_count_stddev);
  appendStringInfo(&json, "], \"rows\": " INT64_FORMAT ", ", call.wanted);
  append_columns_json(&json, call.columns, room_for_columns(&json, call.table));
  appendStringInfoChar(&json, '}');
  return json.data;
}

// Inside guard(): scans and noise in turns; then all of it is post-processing.
CopulaModel make_model(RandomStream& random, const CopulaCall& call, TreePasses* columns,
                       GmmPasses* scores, std::string* quality) {
  const CopulaPlan plan = plan_of(call, call.epsilon);
  TreeRelease release(plan.columns, call.columns->classes, column_values(call.table, call.columns),
                      Bins::private_);
  run_passes(random, release,
             [&](const MarginalTables& tables) { return run_pass(columns, tables); });
  const CodeScores seen = scores_of(release.model());
  const auto mixture = start_gmm(plan.scores);
  run_passes(random, *mixture, [&](const Pass& pass) { return run_pass(scores, pass, &seen); });
  const GmmFit fit = mixture->fit(GmmObjective::balanced);
  *quality = quality_of(fit, call.columns);
  return copula_of(release.model(), fit.mixture);
}

struct CopulaScans {
  TreePasses* columns;
  GmmPasses* scores;
};

struct CopulaHalf {
  static CopulaScans plan_scans(const CopulaCall& call, const CopulaPrice&) {
    const ReadRows rows = read_rows_of(call.table, false);
    return {plan_passes(call.table, rows, call.blocks, call.columns),
            plan_passes(call.table, rows, call.blocks, call.columns, kKinds, lengthof(kKinds),
                        SeenRow::scores)};
  }
  static const char* parameters(const CopulaCall& call, const CopulaPrice& price) {
    return parameters_json(call, price);
  }
  static Cost cost_at(const CopulaCall& call, double epsilon) { return plan_of(call, epsilon).own; }
  static const char* make(const Charged&, const CopulaCall& call, const CopulaPrice&,
                          const CopulaScans& scans) {
    const char* quality = NULL;
    guard_with_random([&](RandomStream& random) {
      std::string note;
      const CopulaModel model = make_model(random, call, scans.columns, scans.scores, &note);
      quality = c_string_of(note);
      CopulaSampler sampler(model);
      put_drawn_rows(random, call.rows, sampler, call.wanted);
    });
    return quality;
  }
};

}  // namespace

// Refuses columns with too many values for tables of one column.
CopulaPrice CopulaKind::plan(const CopulaCall& call) {
  return guard([&] {
    const CopulaPlan plan = plan_of(call, call.epsilon);
    (void)TreeRelease(plan.columns, call.columns->classes, column_values(call.table, call.columns),
                      Bins::private_);
    return CopulaPrice{plan.mu, start_gmm(plan.scores)->count_stddev(), plan.columns, plan.own};
  });
}

// A mixture, of scores.
Terms CopulaKind::terms(const CopulaCall& call, const CopulaPrice& price) {
  return {.kind = "gmm",
          .table = call.table,
          .source = source_of(call.table),
          .blocks = call.blocks,
          .epsilon = call.epsilon,
          .delta = call.delta,
          .own = price.own,
          .mu = price.mu,
          .counted = "rows with a value of a column",
          .count_stddev = price.columns.single_stddev};
}

const char* put_copula_rows(const InProcess& process, const CopulaCall& call) {
  const CopulaPrice price = CopulaKind::plan(call);
  return make_charged<CopulaHalf>(process, CopulaKind::terms(call, price), call, price);
}

}  // namespace dpmix::pg
