// A query planned against a table of budget (4, 1e-6), with everything the plan says.
#pragma once

#include <optional>
#include <vector>

#include "core/noise/lattice_moments.hpp"
#include "core/query/plan.hpp"

namespace dpmix {

// A count, a sum and a centred sum.
inline const std::vector<Lattice> kStatistics = {kCountLattice, anchored_lattice(-3, 10, true),
                                                 centred_lattice(0, 100, false)};

inline double order_of(Accountant accountant) {
  return accountant == Accountant::renyi ? choose_order(4, 1e-6) : 0;
}

inline Filter filter_of(Accountant accountant) {
  return Filter(accountant, Decimal::printed(4), Decimal::printed(1e-6), order_of(accountant));
}

// A query of a table whose privacy unit is a row.
struct RowRequest {
  double epsilon, delta;
  std::optional<Family> mechanism;
  Adjacency adjacency;
  bool grouped;

  QueryRequest query() const { return {epsilon, delta, mechanism}; }
  std::vector<StatisticShift> shifts(const std::vector<Lattice>& statistics) const {
    std::vector<StatisticShift> made;
    for (const Lattice& lattice : statistics) {
      made.push_back(statistic_shift(lattice, adjacency, grouped));
    }
    return made;
  }
};

struct Planned {
  QueryPlan plan;
  std::vector<StatisticNoise> noise;
  Candidates candidates;
  std::vector<double> errors;
  std::optional<MoreAccurate> other = std::nullopt;
  double price;

  double error(int candidate, std::size_t statistic) const {
    return errors[static_cast<std::size_t>(candidate) * noise.size() + statistic];
  }
};

inline Planned planned(const QueryRequest& request, const std::vector<StatisticShift>& statistics,
                       Accountant accountant = Accountant::renyi, bool explain = true) {
  const Filter filter = filter_of(accountant);
  Planned made;
  made.noise.resize(statistics.size());
  made.errors.resize(kFamilies.size() * statistics.size());
  made.candidates.error = made.errors;
  made.plan = plan_query(request, filter, statistics, made.noise, calibrate_on_lattice,
                         explain ? &made.candidates : nullptr, &made.other);
  made.price = filter.price(
      filter.charge_of(made.plan.epsilon, made.plan.delta,
                       made.plan.has_own ? std::optional(made.plan.own) : std::nullopt));
  return made;
}

inline Planned planned(const RowRequest& request,
                       const std::vector<Lattice>& statistics = kStatistics,
                       Accountant accountant = Accountant::renyi, bool explain = true) {
  return planned(request.query(), request.shifts(statistics), accountant, explain);
}

// The sum over the statistics of expected absolute error over sensitivity.
inline double relative_error(const Planned& made, const RowRequest& request,
                             const std::vector<Lattice>& statistics) {
  double sum = 0;
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    sum += lattice_moments(made.noise[i].law, 1).expected_abs /
           statistic_shift(statistics[i], request.adjacency, request.grouped).each;
  }
  return sum;
}

}  // namespace dpmix
