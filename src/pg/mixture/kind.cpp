#include "pg/mixture/kind.hpp"

#include <algorithm>

#include "core/accounting/decimal.hpp"
#include "core/mixture/methods/start.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/mixture/store.hpp"
#include "pg/release/asked_table.hpp"

namespace dpmix::pg {

// Epsilon and delta are the decimals that PostgreSQL prints: the noise is for the doubles below.
static double mu_at(const GmmCall& call, double epsilon) {
  return gdp_mu(Decimal::printed(epsilon).lower_double(),
                Decimal::printed(call.delta).lower_double());
}

static int dimensions_of(const GmmCall& call) {
  return call.dimensions.value_or(call.columns->features);
}

Cost GmmKind::cost_at(const GmmCall& call, double epsilon) {
  return cost_of_gaussian({call.table->accountant, call.table->order}, mu_at(call, epsilon));
}

GmmPlan GmmKind::plan(const GmmCall& call) {
  return guard([&] {
    GmmPlan plan = {};
    plan.mu = mu_at(call, call.epsilon);
    plan.own = cost_at(call, call.epsilon);
    const auto mechanism = start_gmm(request_of(&call, plan.mu));
    plan.method = mechanism->method();
    plan.count_stddev = mechanism->count_stddev();
    for (const PassKind kind : mechanism->kinds()) {
      PassKind* end = plan.kind + plan.kinds;
      if (std::find(plan.kind, end, kind) == end) plan.kind[plan.kinds++] = kind;
    }
    return plan;
  });
}

Terms GmmKind::terms(const GmmCall& call, const GmmPlan& plan) {
  return {.kind = "gmm",
          .name = call.name,
          .method = name(plan.method).data(),
          .columns = call.columns,
          .table = call.table,
          .source = source_of(call.table),
          .blocks = call.blocks,
          .epsilon = call.epsilon,
          .delta = call.delta,
          .own = plan.own,
          .mu = plan.mu,
          .counted = "rows of a component",
          .count_stddev = plan.count_stddev};
}

ModelRecord GmmKind::record(const GmmCall& call, const GmmPlan& plan, const MadeModel& made) {
  const StoredGmm gmm = gmm_of(call.name, call.columns, made.rows, made.numbers);
  const int sizes[] = {gmm.components, gmm.features, gmm.features};
  return {.rows = float8_array(gmm.rows, 1, sizes),
          .types = oid_array(gmm.types, gmm.features, REGTYPEOID),
          .count_stddev = plan.count_stddev,
          .dimensions = dimensions_of(call),
          .covariance = name((CovarianceShape)made.fact),
          .objective = name(call.objective),
          .weights = float8_array(gmm.weights, 1, sizes),
          .means = float8_array(gmm.means, 2, sizes),
          .covariances = float8_array(gmm.covariances, 3, sizes)};
}

Datum GmmKind::summary(FunctionCallInfo fcinfo, const GmmCall& call, const GmmPlan& plan,
                       const MadeModel& made) {
  return row_datum(fcinfo,
                   {call.name, call.table->relation, name(plan.method).data(), made.rows.count,
                    dimensions_of(call), call.epsilon, call.delta, plan.count_stddev,
                    float8_array(made.rows.number, made.rows.count), made.quality});
}

}  // namespace dpmix::pg
