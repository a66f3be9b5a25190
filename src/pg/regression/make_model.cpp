#include "pg/regression/make_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/regression/coordinate_fit.hpp"
#include "core/regression/coordinate_rows.hpp"
#include "core/regression/logistic_fit.hpp"
#include "core/regression/model.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/scan/state_of_scan.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/stats/moment_state.hpp"
#include "pg/units/rows_of_units.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
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
  const double* numbers = frame.data();
  const int count = (int)frame.size();
  postgres([&] { DPMIX_FAULT(scan == scans.moments ? "regression.moments" : "regression.pass"); });
  MomentTotals totals;
  for (int share = 0; share < shares_of(scans.units); share++) {
    std::optional<ClassMoments> moments;
    postgres([&] {
      moments = read_moment_state(state_of_scan(scan, scans.context, numbers, count,
                                                [&] { count_share(scans.units, share); }));
    });
    totals += moments->totals();
    postgres([&] { MemoryContextReset(scans.context); });
  }
  return totals;
}

// Blank when no row was seen.
const MomentTotals::Class* class_of(const MomentTotals& totals, int k) {
  return totals.classes.empty() ? nullptr : &totals.classes[(Size)k];
}

// Whether rows are held shows in how often the table is read. So it goes by how many rows
// PostgreSQL shows everyone that it has, and not by how many there are. Vectors that grow take up
// to three times what they have.
bool fit_in(Oid relation, int columns) {
  const auto row = (double)CoordinateRows::row_bytes(columns);
  return rows_in(relation) * row <= work_mem * 1024. / 3;
}

// Inside guard(). However many there are.
CoordinateRows held_rows(const RegressionScans& scans, int columns) {
  CoordinateRows held(columns);
  const auto receive = [&](const Datum* values, const bool* nulls) {
    if (nulls[0]) return;
    const double* z = (const double*)ARR_DATA_PTR(DatumGetArrayTypeP(values[0]));
    guard([&] { held.add(z); });
  };
  for (int share = 0; share < shares_of(scans.units); share++) {
    postgres([&] {
      DPMIX_FAULT("regression.rows");
      MemoryContext outer = MemoryContextSwitchTo(scans.context);
      run_scan(scans.rows, receive, (Datum)0, [&] { count_share(scans.units, share); });
      MemoryContextSwitchTo(outer);
      MemoryContextReset(scans.context);
    });
  }
  return held;
}

// Inside guard().
LinearFit coordinate_fit(const RegressionCall* call, const CoordinatePlan& plan,
                         const RegressionScans& scans, RandomStream& random) {
  const MomentTotals moments =
      totals_of_scan(scans, scans.moments, column_frame(design_of(call->terms)).pack());
  CoordinateFit fit(noisy_columns(random, class_of(moments, 0), plan), plan);
  const bool holds = scans.rows != NULL;
  CoordinateRows held = holds ? held_rows(scans, plan.columns) : CoordinateRows(plan.columns);
  while (!fit.done()) {
    const LogisticFrame frame = fit.frame();
    const int j = fit.coordinate();
    Int128 exact = 0;
    if (holds) {
      exact = held.slope(frame, j);
    } else {
      const MomentTotals totals = totals_of_scan(scans, scans.passes, frame.pack());
      const MomentTotals::Class* of = class_of(totals, slope_class(0));
      if (of != nullptr) exact = of->sums[(Size)j];
    }
    fit.step(noisy_number(random, plan, exact, plan.slope_sensitivity()));
  }
  return fit.result();
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

// What is summed for each class, three times: as workers send it, as it is added up and as it is
// read. And rows that are held, in vectors that grow.
static void need_sums(const RegressionCall* call) {
  const double columns = guard([&] { return design_of(call->terms).columns(); }) + 1;
  constexpr double kStates = 4, kStatistics = 3;  // moments, slopes, information
  need_memory(kStates * kStatistics * call->terms->columns->classes * sizeof(Int128) *
              (columns + 8) * (columns + 8));
  if (!call->coordinate) return;
  const double rows = most_rows_in(call->table->relation);
  need_own_memory(
      Min(work_mem * 1024., 3 * rows * (double)CoordinateRows::row_bytes((int)columns)));
}

RegressionScans plan_scans(const RegressionCall* call) {
  need_sums(call);
  const PlainNumbers coding = guard([&] { return plain_numbers(design_of(call->terms).pack()); });
  RegressionScans scans = {};
  scans.units = units_of_rows(call->table);
  const auto condition = [&] { return rows_that_count(call->table, scans.units, call->blocks); };
  const auto plan = [&](const char* aggregate) {
    return plan_scan(moments_sql(aggregate, call->table, call->terms, coding.number, coding.count),
                     call->table->relation, call->table->owner, FLOAT8ARRAYOID, condition());
  };
  scans.moments = plan("class_moments");
  if (call->kind == RegressionKind::logistic) scans.passes = plan("logistic_moments");
  const int columns = guard([&] { return design_of(call->terms).columns(); });
  if (call->coordinate && !has_shards(call->table->relation) &&
      fit_in(call->table->relation, columns)) {
    scans.rows = plan_scan(coded_rows_sql(call->table, call->terms, coding.number, coding.count),
                           call->table->relation, call->table->owner, InvalidOid, condition());
  }
  scans.context = AllocSetContextCreate(CurrentMemoryContext, "dpmix pass", ALLOCSET_DEFAULT_SIZES);
  return scans;
}

MadeRegression make_model(const RegressionCall* call, const CallPlan& plan,
                          const RegressionScans& scans) {
  MadeRegression made = {};
  made.rows = (double*)palloc(call->terms->columns->classes * sizeof(double));
  guard_with_random([&](RandomStream& random) {
    RegressionModel model = {design_of(call->terms), {}, call->kind, call->coordinate};
    const std::vector<LinearFit> fits =
        call->coordinate
            ? std::vector<LinearFit>{coordinate_fit(call, plan.coordinate, scans, random)}
            : fits_of(call, plan.newton, scans, random);
    for (const LinearFit& fit : fits) {
      made.rows[model.classes.size()] = fit.rows;
      model.add(fit);
      made.untold += fit.has_intervals() ? 0 : 1;
    }
    made.model = plain_numbers(model.pack());
  });
  return made;
}

}  // namespace dpmix::pg
