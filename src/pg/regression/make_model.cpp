#include "pg/regression/make_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/regression/logistic_fit.hpp"
#include "core/regression/model.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/scan/state_of_scan.hpp"
#include "pg/stats/moment_state.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace dpmix::pg {
namespace {

// Inside guard().
PlainNumbers plain_numbers(const std::vector<double>& made) {
  const Size bytes = made.size() * sizeof(double);
  const double* from = made.data();
  PlainNumbers numbers = {NULL, (int)made.size()};
  postgres([&] {
    numbers.number = (double*)palloc(Max(bytes, 1));
    memcpy(numbers.number, from, bytes);
  });
  return numbers;
}

// Inside guard(): the exact sums of one scan.
MomentTotals totals_of_scan(const RegressionScans& scans, const SilentScan* scan,
                            const std::vector<double>& frame) {
  std::optional<ClassMoments> moments;
  const double* numbers = frame.data();
  const int count = (int)frame.size();
  postgres([&] {
    DPMIX_FAULT(scan == scans.moments ? "regression.moments" : "regression.pass");
    moments = read_moment_state(state_of_scan(scan, scans.context, numbers, count));
  });
  MomentTotals totals = moments->totals();
  postgres([&] { MemoryContextReset(scans.context); });
  return totals;
}

// Blank when no row was seen.
const MomentTotals::Class* class_of(const MomentTotals& totals, int k) {
  return totals.classes.empty() ? nullptr : &totals.classes[(Size)k];
}

// Inside guard().
std::vector<LinearFit> fits_of(const RegressionCall* call, const LogisticPlan& plan,
                               const RegressionScans& scans, RandomStream& random) {
  const Design design = design_of(call->terms);
  const int classes = call->terms->columns->classes, features = design.columns() + 1;
  const MomentTotals moments = totals_of_scan(scans, scans.moments, design.frame(classes).pack());
  const auto gram = [&](int k) {
    return noisy_gram(random, class_of(moments, k), features, plan.moments);
  };
  std::vector<LinearFit> fits;
  if (call->kind == RegressionKind::linear) {
    for (int k = 0; k < classes; k++) fits.push_back(fit_linear(gram(k), plan.moments));
    return fits;
  }
  std::vector<LogisticFit> logistic;
  for (int k = 0; k < classes; k++) logistic.emplace_back(gram(k), plan);
  for (const LogisticNoise& noise : plan.pass) {
    const MomentTotals totals =
        totals_of_scan(scans, scans.passes, frame_of(logistic, features).pack());
    for (int k = 0; k < classes; k++) {
      logistic[(Size)k].step(
          noisy_slope(random, class_of(totals, slope_class(k)), features, noise),
          noisy_information(random, class_of(totals, information_class(k, classes)), features,
                            noise),
          noise);
    }
  }
  for (const LogisticFit& fit : logistic) fits.push_back(fit.result());
  return fits;
}

}  // namespace

RegressionScans plan_scans(const RegressionCall* call) {
  const PlainNumbers coding = guard([&] { return plain_numbers(design_of(call->terms).pack()); });
  const auto plan = [&](const char* aggregate) {
    return plan_scan(moments_sql(aggregate, call->table, call->terms, coding.number, coding.count),
                     call->table->relation, call->table->owner, FLOAT8ARRAYOID,
                     scan_condition(call->table, call->blocks));
  };
  RegressionScans scans = {};
  scans.moments = plan("class_moments");
  if (call->kind == RegressionKind::logistic) scans.passes = plan("logistic_moments");
  scans.context = AllocSetContextCreate(CurrentMemoryContext, "dpmix pass", ALLOCSET_DEFAULT_SIZES);
  return scans;
}

MadeRegression make_model(const RegressionCall* call, const LogisticPlan& plan,
                          const RegressionScans& scans) {
  MadeRegression made = {};
  made.rows = (double*)palloc(call->terms->columns->classes * sizeof(double));
  guard_with_random([&](RandomStream& random) {
    RegressionModel model = {design_of(call->terms), {}, call->kind};
    for (const LinearFit& fit : fits_of(call, plan, scans, random)) {
      made.rows[model.classes.size()] = fit.rows;
      model.add(fit);
      const std::vector<Coefficient>& all = model.classes.back().coefficients;
      const auto hidden = std::count_if(all.begin(), all.end(),
                                        [](const Coefficient& c) { return std::isnan(c.stddev); });
      const bool none = (Size)hidden == all.size();
      made.ridged += none ? 1 : 0;
      made.hidden += none ? 0 : (int)hidden;
    }
    made.model = plain_numbers(model.pack());
  });
  return made;
}

}  // namespace dpmix::pg
