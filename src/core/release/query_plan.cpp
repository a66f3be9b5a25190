#include "core/release/query_plan.hpp"

#include <algorithm>

namespace dpmix {

QueryPlan plan_query(const QueryRequest& request, const Filter& filter,
                     std::span<const Lattice> statistics, std::span<StatisticNoise> noise,
                     Calibrator calibrate, Candidates* explanation) {
  check_epsilon_delta(request.epsilon, request.delta);
  Problem problem{request.epsilon,
                  request.delta,
                  Decimal::printed(request.epsilon).lower_double(),
                  Decimal::printed(request.delta).lower_double(),
                  filter.accounting(),
                  calibrate,
                  {}};
  for (const Lattice& lattice : statistics) {
    problem.shifts.push_back(statistic_shift(lattice, request.adjacency, request.grouped));
  }
  const Choice choice = request.mechanism
                            ? take_family(problem, filter, *request.mechanism, explanation)
                            : choose_family(problem, filter, explanation);
  std::ranges::copy(choice.noise, noise.begin());
  return choice.plan;
}

}  // namespace dpmix
