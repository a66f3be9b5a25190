#include "core/query/plan.hpp"

#include <algorithm>

namespace dpmix {
namespace {

SearchedProblemOf problems_of(const QueryRequest& request, const Filter& filter,
                              std::span<const StatisticShift> statistics, Calibrator calibrate) {
  return [=, &request, &filter](Family family) {
    return searched_problem(request, filter.accounting(), statistics, calibrate, family);
  };
}

}  // namespace

QueryPlan plan_query(const QueryRequest& request, const Filter& filter,
                     std::span<const StatisticShift> statistics, std::span<StatisticNoise> noise,
                     Calibrator calibrate, Candidates* explanation,
                     std::optional<MoreAccurate>* other) {
  const SearchedProblemOf problems = problems_of(request, filter, statistics, calibrate);
  const FamilyChoice choice = request.mechanism ? take_family(problems(*request.mechanism), filter,
                                                              *request.mechanism, explanation)
                                                : choose_family(problems, filter, explanation);
  std::ranges::copy(choice.noise, noise.begin());
  if (other != nullptr) *other = choice.other;
  return choice.plan;
}

Spending price_query(const QueryRequest& request, const Filter& filter,
                     std::span<const StatisticShift> statistics, Calibrator calibrate) {
  const SearchedProblemOf problems = problems_of(request, filter, statistics, calibrate);
  const QueryPlan plan =
      request.mechanism ? price_family(problems(*request.mechanism), filter, *request.mechanism)
                        : choose_family(problems, filter, nullptr).plan;
  return charge_of(plan, filter);
}

Spending charge_of(const QueryPlan& plan, const Filter& filter) {
  return filter.charge_of(plan.epsilon, plan.delta,
                          plan.has_own ? std::optional(plan.own) : std::nullopt);
}

}  // namespace dpmix
