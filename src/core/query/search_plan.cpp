#include "core/query/search_plan.hpp"

#include <cmath>

#include "core/base/next_double.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

SearchKind search_of(const UnitCount& units, Family family) {
  if (units.groups == 0) return SearchKind::none;
  if (family == Family::gaussian) return SearchKind::threshold;
  const bool cut = is_step(family) && !is_pure(family);
  return cut && units.statistic >= 0 ? SearchKind::cut_off : SearchKind::coin;
}

}  // namespace

SearchedProblem searched_problem(const QueryRequest& request, const Accounting& accounting,
                                 std::span<const StatisticShift> statistics, Calibrator calibrate,
                                 Family family) {
  check_epsilon_delta(request.epsilon, request.delta);
  const double epsilon = Decimal::printed(request.epsilon).lower_double();
  const double delta = Decimal::printed(request.delta).lower_double();
  SearchedProblem made{{request.epsilon,
                        request.delta,
                        epsilon,
                        delta,
                        accounting,
                        calibrate,
                        {statistics.begin(), statistics.end()},
                        request.joint,
                        request.accurate,
                        request.epsilon / request.cap,
                        request.bounded_lists,
                        request.together},
                       {},
                       request.epsilon,
                       request.delta};
  const UnitCount& units = request.units;
  if (units.groups > 0 && made.problem.joint) made.problem.joint->sharing = {};
  const auto share = [&](const DiscoveryShares& shares) {
    made.search = shares.search;
    made.problem.asked_epsilon = made.problem.epsilon = shares.epsilon;
    made.problem.asked_delta = made.problem.delta = shares.delta;
  };
  switch (search_of(units, family)) {
    case SearchKind::none:
      return made;
    case SearchKind::coin:
      share(share_with_coins(epsilon, delta, static_cast<int>(statistics.size()), units.changed,
                             is_pure(family)));
      return made;
    case SearchKind::threshold:
      share(share_with_threshold(epsilon, delta, units.groups));
      if (units.statistic < 0) {  // moved by its l2, whatever the others do
        made.search.weight_bits = units.weight_bits;
        made.search.keys = units.groups;
        made.problem.shifts.push_back(units.weight_bits > 0 ? units.weighed : units.shift);
        if (made.problem.joint) made.problem.joint->squares += 1;
      }
      break;
    case SearchKind::cut_off:
      made.search.kind = SearchKind::cut_off;
      break;
  }
  made.search.groups = units.changed;
  made.search.statistic = units.statistic;
  return made;
}

QueryPlan with_search(const QueryPlan& statistics, const SearchedProblem& searched,
                      const Filter& filter) {
  const GroupSearch& search = searched.search;
  QueryPlan plan = statistics;
  plan.search = search;
  if (search.kind == SearchKind::none || search.kind == SearchKind::cut_off) return plan;
  plan.epsilon = searched.epsilon;
  plan.delta = searched.delta;
  const Accounting& table = filter.accounting();
  if (!table.counts_cost()) return plan;
  // The cheaper of the two profiles of the statistics, each with that of the search.
  const Problem& problem = searched.problem;
  const Cost found = cost_of_search(table, search);
  const Cost generic =
      found + cost_of_guarantee(table, problem.epsilon, is_pure(plan.family) ? 0 : problem.delta);
  const auto price = [&](const Cost& own) {
    return filter.price(filter.charge_of(plan.epsilon, plan.delta, own));
  };
  const Cost own = found + statistics.own;
  plan.own = statistics.has_own && price(own) <= price(generic) ? own : generic;
  plan.has_own = true;
  return plan;
}

void finish_search(QueryPlan& plan, Noise& noise) {
  GroupSearch& search = plan.search;
  if (search.kind == SearchKind::threshold) {
    const bool own = search.statistic < 0;
    const std::size_t number = own ? noise.size() - 1 : static_cast<std::size_t>(search.statistic);
    const double deviation = noise[number].law.scale;
    search.shown_from = search.weight_bits > 0 ? weighed_threshold(deviation, search.delta,
                                                                   search.keys, search.weight_bits)
                                               : threshold_of(deviation, search.each_delta);
    if (!own) return;
    search.deviation = deviation;
    noise.pop_back();
  } else if (search.kind == SearchKind::cut_off) {
    const double most = noise[static_cast<std::size_t>(search.statistic)].law.steps.cutoff;
    if (std::isinf(most)) {
      refuse_parameter("this epsilon and delta leave noise that is not cut off",
                       "Which groups come back is told by the most that noise can be.",
                       "Ask for a larger delta, or for mechanism gaussian.");
    }
    search.shown_from = most < 0x1p53 ? most + 1 : next_up(most);  // a whole number above it
  }
}

}  // namespace dpmix
