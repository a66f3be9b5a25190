#include "core/release/query_plan.hpp"

#include <algorithm>

namespace dpmix {

namespace {

Problem problem_of(const QueryRequest& request, const Filter& filter,
                   std::span<const StatisticShift> statistics, Calibrator calibrate) {
  check_epsilon_delta(request.epsilon, request.delta);
  return {request.epsilon,
          request.delta,
          Decimal::printed(request.epsilon).lower_double(),
          Decimal::printed(request.delta).lower_double(),
          filter.accounting(),
          calibrate,
          {statistics.begin(), statistics.end()}};
}

}  // namespace

QueryPlan plan_query(const QueryRequest& request, const Filter& filter,
                     std::span<const StatisticShift> statistics, std::span<StatisticNoise> noise,
                     Calibrator calibrate, Candidates* explanation) {
  const Problem problem = problem_of(request, filter, statistics, calibrate);
  const Choice choice = request.mechanism
                            ? take_family(problem, filter, *request.mechanism, explanation)
                            : choose_family(problem, filter, explanation);
  std::ranges::copy(choice.noise, noise.begin());
  return choice.plan;
}

Spending price_query(const QueryRequest& request, const Filter& filter,
                     std::span<const StatisticShift> statistics, Calibrator calibrate) {
  const Problem problem = problem_of(request, filter, statistics, calibrate);
  return charge_of(request.mechanism ? price_family(problem, filter, *request.mechanism)
                                     : choose_family(problem, filter, nullptr).plan,
                   filter);
}

Spending charge_of(const QueryPlan& plan, const Filter& filter) {
  return filter.charge_of(plan.epsilon, plan.delta,
                          plan.has_own ? std::optional(plan.own) : std::nullopt);
}

}  // namespace dpmix
