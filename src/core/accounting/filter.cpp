#include "core/accounting/filter.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "core/accounting/gdp_profile.hpp"
#include "core/accounting/renyi_profile.hpp"
#include "core/accounting/three_digits.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

double ratio(const Decimal& part, const Decimal& whole) {
  if (part == Decimal()) return 0;
  if (whole == Decimal()) return std::numeric_limits<double>::infinity();
  return part.approximate() / whole.approximate();
}

}  // namespace

Spending operator+(Spending a, const Spending& b) {
  a.epsilon += b.epsilon;
  a.delta += b.delta;
  a.amount += b.amount;
  a.added_delta += b.added_delta;
  return a;
}

Spending operator*(Spending one, std::uint64_t times) {
  one.epsilon *= times;
  one.delta *= times;
  one.amount *= times;
  one.added_delta *= times;
  return one;
}

double choose_order(double epsilon, double delta) {
  check_parameter(epsilon > 0 && std::isfinite(epsilon), "epsilon", epsilon, "above 0 and finite");
  check_parameter(delta > 0 && delta < 1, "delta", delta, "between 0 and 1, both excluded");
  // -B(alpha)/alpha at alpha = 1 + e^t. Any order is sound, so plain floating point will do.
  const auto cost = [epsilon, log_delta = std::log(delta / 2)](double t) {
    const double above_one = std::exp(t), log_order = std::log1p(above_one);
    return -(epsilon + log_order - t + (log_delta + log_order) / above_one) / (1 + above_one);
  };
  // One maximum is expected; the grid makes sure of the right one.
  constexpr double step = .25;
  double best = -20;
  for (int i = -80; i <= 120; ++i) {
    if (cost(i * step) < cost(best)) best = i * step;
  }
  constexpr int bits = std::numeric_limits<double>::digits / 2;
  return 1 + std::exp(
                 boost::math::tools::brent_find_minima(cost, best - step, best + step, bits).first);
}

Filter::Filter(Accountant accountant, Decimal epsilon, Decimal delta, double order)
    : accounting_{accountant, order}, epsilon_(std::move(epsilon)), delta_(std::move(delta)) {
  check_parameter(epsilon_ > Decimal(), "epsilon", epsilon_.approximate(), "above 0");
  check_parameter(delta_ < Decimal::printed(1), "delta", delta_.approximate(),
                  "0 or more, below 1");
  if (!accounting_.counts_cost()) return;
  check_parameter(delta_ > Decimal(), "delta", delta_.approximate(),
                  "above 0 for this accountant (basic allows 0)");
  const unsigned parts = parts_of_delta(accountant);
  Decimal most = delta_;
  most *= parts - 2;
  conversion_delta_ = (most / parts).lower_double();
  added_share_ = delta_ / parts;
  amount_total_ =
      Decimal::round_down(accountant == Accountant::renyi
                              ? renyi_of_budget(order, epsilon_.lower_double(), conversion_delta_)
                              : gdp_of_budget(epsilon_.lower_double(), conversion_delta_));
}

Spending Filter::limits() const {
  if (!accounting_.counts_cost()) return {epsilon_, delta_, {}, {}};
  return {epsilon_, added_share_, amount_total_, added_share_};
}

bool Filter::admits(const Spending& spent, const Spending& charge) const {
  const Spending total = spent + charge, most = limits();
  return (total.epsilon <= most.epsilon && total.delta <= most.delta) ||
         (accounting_.counts_cost() && total.amount <= most.amount &&
          total.added_delta <= most.added_delta);
}

Spending Filter::charge_of(double epsilon, double delta, std::optional<Cost> own) const {
  Spending declared{Decimal::printed(epsilon), Decimal::printed(delta), {}, {}};
  if (!accounting_.counts_cost()) return declared;
  Spending generic = declared;
  generic.amount = Decimal::round_up(cost_of_guarantee(accounting_, epsilon, delta).amount);
  generic.added_delta = declared.delta;
  if (!own || (!own->lasting && !std::isfinite(own->amount))) return generic;
  Spending particular = std::move(declared);
  particular.amount = Decimal::round_up(std::fmin(own->amount, 1e300));
  particular.added_delta = Decimal::round_up(own->added_delta);
  return !own->lasting && price(generic) < price(particular) ? generic : particular;
}

double Filter::epsilon_spent(const Spending& spent) const {
  const double declared = spent.epsilon.approximate();
  if (!accounting_.counts_cost()) return declared;
  const double amount = spent.amount.upper_double();
  return std::min(declared, accounting_.accountant == Accountant::renyi
                                ? epsilon_of_renyi(accounting_.order, amount, conversion_delta_)
                                : epsilon_of_gdp(amount, conversion_delta_));
}

Filter Filter::part(const Decimal& share) const {
  Filter part = *this;
  for (Decimal* most : {&part.epsilon_, &part.delta_, &part.amount_total_, &part.added_share_}) {
    *most *= share;
  }
  return part;
}

std::vector<ArmUse> Filter::arms(const Spending& spent) const {
  const bool two_arms = accounting_.counts_cost();
  std::vector<ArmUse> arms = {{{{"epsilon", ratio(spent.epsilon, epsilon_)},
                                {"delta", ratio(spent.delta, two_arms ? added_share_ : delta_)}}}};
  if (two_arms) {
    arms.push_back({{{"cost", ratio(spent.amount, amount_total_)},
                     {"cost_delta", ratio(spent.added_delta, added_share_)}}});
  }
  return arms;
}

double Filter::share_spent(const Spending& spent) const {
  double least = std::numeric_limits<double>::infinity();
  for (const ArmUse& arm : arms(spent))
    least = std::min(least, std::max(arm[0].share, arm[1].share));
  return least;
}

double Filter::largest_epsilon(const Spending& spent, double delta) const {
  return largest_of_three_digits(
      [&](double epsilon) { return !admits(spent, charge_of(epsilon, delta, std::nullopt)); });
}

double Filter::price(const Spending& charge) const {
  if (!accounting_.counts_cost()) return ratio(charge.epsilon, epsilon_);
  return std::max(ratio(charge.amount, amount_total_), ratio(charge.added_delta, added_share_));
}

}  // namespace dpmix
