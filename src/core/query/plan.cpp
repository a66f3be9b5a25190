#include "core/query/plan.hpp"

#include <algorithm>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

struct Planning {
  Problem problem;  // of the statistics
  GroupSearch search;
};

Planning planning_of(const QueryRequest& request, const Filter& filter,
                     std::span<const StatisticShift> statistics, Calibrator calibrate) {
  check_epsilon_delta(request.epsilon, request.delta);
  const double epsilon = Decimal::printed(request.epsilon).lower_double();
  const double delta = Decimal::printed(request.delta).lower_double();
  Planning made{{request.epsilon,
                 request.delta,
                 epsilon,
                 delta,
                 filter.accounting(),
                 calibrate,
                 {statistics.begin(), statistics.end()}},
                {}};
  if (request.coins == 0) return made;
  const bool pure = request.mechanism && is_pure(*request.mechanism);
  const DiscoveryShares shares =
      share_with_search(epsilon, delta, static_cast<int>(statistics.size()), request.coins, pure);
  made.search = shares.search;
  made.problem.asked_epsilon = made.problem.epsilon = shares.epsilon;
  made.problem.asked_delta = made.problem.delta = shares.delta;
  return made;
}

// The plan of the call, from that of its statistics.
QueryPlan completed(const QueryPlan& statistics, const Planning& planning,
                    const QueryRequest& request, const Filter& filter) {
  if (request.coins == 0) return statistics;
  if (!is_pure(statistics.family) || request.mechanism) {
    return with_search(statistics, planning.problem, filter, planning.search, request.epsilon,
                       request.delta);
  }
  // The delta that the statistics turned out not to take helps to find groups.
  const DiscoveryShares shares =
      share_with_search(Decimal::printed(request.epsilon).lower_double(),
                        Decimal::printed(request.delta).lower_double(),
                        planning.problem.statistics(), request.coins, true);
  return with_search(statistics, planning.problem, filter, shares.search, request.epsilon,
                     request.delta);
}

}  // namespace

QueryPlan plan_query(const QueryRequest& request, const Filter& filter,
                     std::span<const StatisticShift> statistics, std::span<StatisticNoise> noise,
                     Calibrator calibrate, Candidates* explanation) {
  const Planning planning = planning_of(request, filter, statistics, calibrate);
  const Choice choice = request.mechanism
                            ? take_family(planning.problem, filter, *request.mechanism, explanation)
                            : choose_family(planning.problem, filter, explanation);
  std::ranges::copy(choice.noise, noise.begin());
  return completed(choice.plan, planning, request, filter);
}

Spending price_query(const QueryRequest& request, const Filter& filter,
                     std::span<const StatisticShift> statistics, Calibrator calibrate) {
  const Planning planning = planning_of(request, filter, statistics, calibrate);
  const QueryPlan plan = request.mechanism
                             ? price_family(planning.problem, filter, *request.mechanism)
                             : choose_family(planning.problem, filter, nullptr).plan;
  return charge_of(completed(plan, planning, request, filter), filter);
}

QueryPlan with_search(const QueryPlan& statistics, const Problem& problem, const Filter& filter,
                      const GroupSearch& search, double epsilon, double delta) {
  QueryPlan plan = statistics;
  plan.epsilon = epsilon;
  plan.delta = delta;
  plan.search = search;
  const Accounting& table = filter.accounting();
  if (!table.counts_cost()) return plan;
  // The cheaper of the two profiles of the statistics, each with that of the search.
  const Cost found = cost_of_search(table, search);
  const Cost generic =
      found + cost_of_guarantee(table, problem.epsilon, is_pure(plan.family) ? 0 : problem.delta);
  const auto price = [&](const Cost& own) {
    return filter.price(filter.charge_of(epsilon, delta, own));
  };
  const Cost own = found + statistics.own;
  plan.own = statistics.has_own && price(own) <= price(generic) ? own : generic;
  plan.has_own = true;
  return plan;
}

Spending charge_of(const QueryPlan& plan, const Filter& filter) {
  return filter.charge_of(plan.epsilon, plan.delta,
                          plan.has_own ? std::optional(plan.own) : std::nullopt);
}

}  // namespace dpmix
