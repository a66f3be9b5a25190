#include "pg/regression/make_model.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "core/base/normal_reach.hpp"
#include "core/regression/coordinate_fit.hpp"
#include "core/regression/coordinate_rows.hpp"
#include "core/regression/logistic_fit.hpp"
#include "core/regression/told.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_places.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/regression/parameters.hpp"
#include "pg/scan/state_of_scan.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/stats/moment_state.hpp"
#include "pg/units/rows_of_units.hpp"
#include "pg/units/sampled_units.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
}

namespace dpmix::pg {
namespace {

struct RegressionScans {
  SilentScan *moments, *passes;  // passes: of a logistic regression, else NULL
  SilentScan* rows;              // to be held; NULL: they are scanned in each pass
  ReadRows read;                 // besides: of sampled units, rows are drawn anew in each scan
  MemoryContext context;         // of the scan that runs: what it allocates goes when it is over
};

// Inside guard(): the exact sums of one scan.
MomentTotals totals_of_scan(const RegressionScans& scans, const SilentScan* scan,
                            const std::vector<double>& frame) {
  const double* numbers = frame.data();
  const int count = (int)frame.size();
  postgres([&] { DPMIX_FAULT(scan == scans.moments ? "regression.moments" : "regression.pass"); });
  MomentTotals totals;
  for (int share = 0; share < shares_of(scans.read); share++) {
    std::optional<ClassMoments> moments;
    postgres([&] {
      moments = read_moment_state(state_of_scan(scan, scans.context, numbers, count,
                                                [&] { begin_share(scans.read, share); }));
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
// to three times what they have. Of made rows nobody shows how many there are.
bool holds_rows(const RegressionCall* call, int columns) {
  const ProtectedTable* table = call->table;
  if (!call->coordinate || table->made != NULL || has_shards(table->relation)) return false;
  const auto row = (double)CoordinateRows::row_bytes(columns);
  return rows_in(table->relation) * row <= work_mem * 1024. / 3;
}

// Inside guard(). However many there are.
CoordinateRows held_rows(const RegressionScans& scans, int columns) {
  CoordinateRows held(columns);
  const auto receive = [&](const Datum* values, const bool* nulls) {
    if (nulls[0]) return;
    const double* z = (const double*)ARR_DATA_PTR(DatumGetArrayTypeP(values[0]));
    guard([&] { held.add(z); });
  };
  for (int share = 0; share < shares_of(scans.read); share++) {
    postgres([&] {
      DPMIX_FAULT("regression.rows");
      MemoryContext outer = MemoryContextSwitchTo(scans.context);
      run_scan(scans.rows, receive, (Datum)0, [&] { begin_share(scans.read, share); });
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

// What is summed for each class, three times: as workers send it, as it is added up and as it is
// read. And rows that are held, in vectors that grow.
void need_sums(const RegressionCall* call) {
  const double columns = guard([&] { return design_of(call->terms).columns(); }) + 1;
  constexpr double kStates = 4, kStatistics = 3;  // moments, slopes, information
  const double sums =
      kStatistics * call->terms->columns->classes * sizeof(Int128) * (columns + 8) * (columns + 8);
  need_memory(kStates * sums);
  need_own_memory(bytes_of_states(shards_of(call->table->relation), 1, sums));
  if (!holds_rows(call, (int)columns - 1)) return;
  const double rows = most_rows_in(call->table->relation);
  need_own_memory(
      Min(work_mem * 1024., 3 * rows * (double)CoordinateRows::row_bytes((int)columns)));
}

// Whatever planning a scan refuses is refused here.
RegressionScans scans_of(const RegressionCall* call) {
  need_sums(call);
  const PlainNumbers coding = guard([&] { return plain_numbers(design_of(call->terms).pack()); });
  RegressionScans scans = {};
  scans.read = read_rows_of(call->table, true);
  const auto plan = [&](const char* sql, Oid parameter) {
    return plan_scan_of(call->table, scans.read, call->blocks, sql, parameter);
  };
  const auto plan_moments = [&](const char* aggregate) {
    return plan(moments_sql(aggregate, call->table, call->terms, coding.number, coding.count),
                FLOAT8ARRAYOID);
  };
  scans.moments = plan_moments("class_moments");
  if (call->kind == RegressionKind::logistic) scans.passes = plan_moments("logistic_moments");
  if (holds_rows(call, guard([&] { return design_of(call->terms).columns(); }))) {
    scans.rows =
        plan(coded_rows_sql(call->table, call->terms, coding.number, coding.count), InvalidOid);
  }
  scans.context = AllocSetContextCreate(CurrentMemoryContext, "dpmix pass", ALLOCSET_DEFAULT_SIZES);
  return scans;
}

// At 95%, of these very rows: intervals without an end, and coefficients without intervals.
struct Untold {
  int open, none, coefficients;
};

// Inside guard().
Untold untold_of(const RegressionModel& model) {
  Untold untold = {};
  for (Size k = 0; k < model.classes.size(); k++) {
    for (const ToldCoefficient& c : told_coefficients(model, k, normal_reach(.95))) {
      untold.coefficients++;
      untold.none += std::isnan(c.noise_low) ? 1 : 0;
      untold.open += std::isinf(c.noise_low) ? 1 : 0;
    }
  }
  return untold;
}

const char* quality_note(const RegressionCall& call, const Untold& untold) {
  if (call.coordinate) return "coordinate descent gives no intervals";
  const char* advice = "Ask for fewer terms, or more epsilon";
  if (untold.none > 0) {
    const char* why =
        "terms are nearly collinear, or the noise hides what tells them apart: there are no "
        "intervals";
    if (untold.none == untold.coefficients) return psprintf("%s. %s", why, advice);
    return psprintf("%d of %d coefficients: %s. %s", untold.none, untold.coefficients, why, advice);
  }
  if (untold.open > 0) {
    return psprintf("the noise leaves open %d of %d coefficients: their intervals have no ends. %s",
                    untold.open, untold.coefficients, advice);
  }
  return rows_per_unit(call.table) == 1 ? "coefficients have intervals"
                                        : "coefficients have intervals; low and high allow for "
                                          "rows of a unit that are alike";
}

struct RegressionHalf {
  static RegressionScans plan_scans(const RegressionCall& call, const CallPlan&) {
    return scans_of(&call);
  }
  static const char* parameters(const RegressionCall& call, const CallPlan& plan) {
    return parameters_json(call, plan);
  }
  static Cost cost_at(const RegressionCall& call, double epsilon) {
    return own_cost(&call, epsilon);
  }
  static MadeModel make(const Charged& charged, const RegressionCall& call, const CallPlan& plan,
                        const RegressionScans& scans) {
    MadeModel made = {};
    made.charge = charged.id();
    guard_with_random([&](RandomStream& random) {
      RegressionModel model = {design_of(call.terms), {}, call.kind, call.coordinate};
      const std::vector<LinearFit> fits =
          call.coordinate
              ? std::vector<LinearFit>{coordinate_fit(&call, plan.coordinate, scans, random)}
              : fits_of(&call, plan.newton, scans, random);
      std::vector<double> rows;
      for (const LinearFit& fit : fits) {
        rows.push_back(fit.rows);
        model.add(fit);
      }
      made.rows = plain_numbers(rows);
      made.numbers = plain_numbers(model.pack());
      const Untold untold = untold_of(model);
      postgres([&] { made.quality = quality_note(call, untold); });
    });
    return made;
  }
};

}  // namespace

MadeModel make_regression(const InProcess& process, const RegressionCall& call,
                          const CallPlan& plan) {
  return make_charged<RegressionHalf>(process, RegressionsKind::terms(call, plan), call, plan);
}

}  // namespace dpmix::pg
