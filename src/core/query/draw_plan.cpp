#include "core/query/draw_plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/next_double.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/gdp.hpp"

namespace dpmix {
namespace {

constexpr Accounting kGdp{Accountant::gdp, 0};

double epsilon_of(std::span<const DrawShift> draws, double range) {
  double sum = 0;
  for (const DrawShift& draw : draws) {
    const double one = epsilon_of_draw(draw, range);
    sum = sum == 0 ? one : next_up(sum + one);
  }
  return sum;
}

// Neighbours change one group, or two: in each draw the dearer of both.
Cost cost_of(const Accounting& table, std::span<const DrawShift> draws, double range) {
  Cost sum;
  for (const DrawShift& draw : draws) {
    Cost one = cost_of_bounded_range(table, range);
    if (draw.pair > 0) {
      const Cost each = cost_of_bounded_range(table, next_up(range * draw.pair));
      const Cost both = each + each;
      if (both.amount > one.amount) one = both;
    }
    sum = sum + one;
  }
  return sum;
}

// The largest range up to `most` that passes, about: what fails never does.
template <class Passes>
double largest(double most, const Passes& passes) {
  if (passes(most)) return most;
  double low = 0, high = most;
  for (int i = 0; i < 80 && high - low > 1e-12 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (passes(middle) ? low : high) = middle;
  }
  return low;
}

// Whether statistics with noise have Gaussian noise, of which draws take a part of mu^2.
bool shares_mu(const QueryRequest& request, const Accounting& table) {
  return request.delta >= kLeastDelta && table.counts_cost() && !request.accurate;
}

// The largest epsilon up to that of the request whose Gaussian noise has at most this mu: noise of
// a mu just below it has a larger delta there.
double epsilon_within(double mu, const QueryRequest& request) {
  constexpr double kBelow = 1 - 1e-8;  // far more than delta is rounded by
  const double delta = Decimal::printed(request.delta).lower_double();
  return largest(request.epsilon,
                 [&](double tried) { return gdp_delta(tried, kBelow * mu) >= delta; });
}

}  // namespace

DrawPlan plan_draws(const QueryRequest& request, const Filter& filter,
                    std::span<const DrawShift> draws) {
  check_epsilon_delta(request.epsilon, request.delta);
  const double epsilon = Decimal::printed(request.epsilon).lower_double();
  const double delta = Decimal::printed(request.delta).lower_double();
  double range =
      largest(epsilon, [&](double tried) { return epsilon_of(draws, tried) <= epsilon; });
  if (delta >= kLeastDelta) {
    const double mu = gdp_mu(epsilon, delta);
    const double telling = next_down(mu * mu);
    // No draw of a range above this is within mu, whose epsilon at delta is the one asked.
    const double most = 64 * std::max(epsilon, 1.0);
    range = std::max(range, largest(most, [&](double tried) {
                       return cost_of(kGdp, draws, tried).amount <= telling;
                     }));
    const Accounting& table = filter.accounting();
    if (table.counts_cost() && !request.accurate) {
      const double limit = cost_of_gaussian(table, mu).amount;
      range = largest(range,
                      [&](double tried) { return cost_of(table, draws, tried).amount <= limit; });
    }
  }
  return {price_draws(request, filter.accounting(), draws, range), range};
}

SharedPlan plan_draws_beside(const QueryRequest& request, const Filter& filter,
                             std::span<const DrawShift> draws, double squares) {
  check_epsilon_delta(request.epsilon, request.delta);
  const double epsilon = Decimal::printed(request.epsilon).lower_double();
  const double delta = Decimal::printed(request.delta).lower_double();
  const auto count = static_cast<double>(draws.size());
  SharedPlan made{request, 0};
  if (!shares_mu(request, filter.accounting())) {
    const double share = epsilon * (count / (count + squares));
    made.range = largest(share, [&](double tried) { return epsilon_of(draws, tried) <= share; });
    // Both parts together are no more than epsilon, as doubles and as the decimals they print.
    made.noise.epsilon = next_down(epsilon - next_up(share)) * (1 - 1e-12);
    return made;
  }
  const double mu = gdp_mu(epsilon, delta);
  made.noise.mechanism = Family::gaussian;
  made.noise.epsilon = epsilon_within(mu * std::sqrt(squares / (count + squares)), request);
  const double left = next_down(mu * mu * (count / (count + squares)));
  made.range = largest(64 * std::max(epsilon, 1.0),
                       [&](double tried) { return cost_of(kGdp, draws, tried).amount <= left; });
  return made;
}

QueryPlan with_draws(const QueryRequest& request, const QueryPlan& noise, const Accounting& table,
                     std::span<const DrawShift> draws, double range) {
  QueryPlan plan = noise;
  plan.epsilon = request.epsilon;
  plan.drawn = Drawn::some;
  if (!table.counts_cost()) return plan;
  plan.own = noise.own + cost_of(table, draws, range);
  return plan;
}

QueryPlan price_draws(const QueryRequest& request, const Accounting& table,
                      std::span<const DrawShift> draws, double range) {
  const bool pure = epsilon_of(draws, range) <= Decimal::printed(request.epsilon).lower_double();
  QueryPlan plan{Family::laplace, request.epsilon, pure ? 0 : request.delta, false, {}};
  plan.drawn = Drawn::all;
  if (!table.counts_cost()) return plan;
  plan.has_own = true;
  plan.own = cost_of(table, draws, range);
  return plan;
}

}  // namespace dpmix
