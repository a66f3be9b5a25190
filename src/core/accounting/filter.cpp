#include "core/accounting/filter.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "core/accounting/check_parameter.hpp"

namespace dpmix {
namespace {

double ratio(const Decimal& part, const Decimal& whole) {
  if (part == Decimal()) return 0;
  if (whole == Decimal()) return std::numeric_limits<double>::infinity();
  return part.approximate() / whole.approximate();
}

// The i-th number of three significant digits, from 1e-6 to 9.99e7.
constexpr int kPerDecade = 900, kThreeDigitNumbers = 14 * kPerDecade;
Decimal three_digits(int i) {
  return Decimal::parse(std::to_string(100 + i % kPerDecade) + "e" +
                        std::to_string(i / kPerDecade - 8));
}

}  // namespace

std::string_view name(Accountant accountant) {
  return accountant == Accountant::basic ? "basic" : "renyi";
}

std::optional<Accountant> accountant_of(std::string_view text) {
  for (const Accountant accountant : {Accountant::basic, Accountant::renyi}) {
    if (text == name(accountant)) return accountant;
  }
  return std::nullopt;
}

Spending operator+(Spending a, const Spending& b) {
  a.epsilon += b.epsilon;
  a.delta += b.delta;
  a.rho += b.rho;
  a.added_delta += b.added_delta;
  return a;
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
    : accountant_(accountant),
      epsilon_(std::move(epsilon)),
      delta_(std::move(delta)),
      order_(order) {
  check_parameter(epsilon_ > Decimal(), "epsilon", epsilon_.approximate(), "above 0");
  check_parameter(delta_ < Decimal::printed(1), "delta", delta_.approximate(),
                  "0 or more, below 1");
  if (accountant_ == Accountant::basic) return;
  check_parameter(delta_ > Decimal(), "delta", delta_.approximate(),
                  "above 0 for the accountant renyi (basic allows 0)");
  conversion_delta_ = (delta_ / 2).lower_double();
  added_share_ = delta_ / 4;
  rho_total_ =
      Decimal::round_down(renyi_of_budget(order_, epsilon_.lower_double(), conversion_delta_));
}

bool Filter::admits(const Spending& spent, const Spending& charge) const {
  const Spending total = spent + charge;
  if (accountant_ == Accountant::basic) {
    return total.epsilon <= epsilon_ && total.delta <= delta_;
  }
  return (total.epsilon <= epsilon_ && total.delta <= added_share_) ||
         (total.rho <= rho_total_ && total.added_delta <= added_share_);
}

Spending Filter::charge_of(double epsilon, double delta, std::optional<RenyiCost> own) const {
  Spending declared{Decimal::printed(epsilon), Decimal::printed(delta), {}, {}};
  if (accountant_ == Accountant::basic) return declared;
  Spending generic = declared;
  generic.rho = Decimal::round_up(renyi_of_guarantee(order_, epsilon, delta).rho);
  generic.added_delta = declared.delta;
  if (!own || !std::isfinite(own->rho)) return generic;
  Spending particular = std::move(declared);
  particular.rho = Decimal::round_up(own->rho);
  particular.added_delta = Decimal::round_up(own->added_delta);
  return price(generic) < price(particular) ? generic : particular;
}

double Filter::epsilon_spent(const Spending& spent) const {
  const double declared = spent.epsilon.approximate();
  if (accountant_ == Accountant::basic) return declared;
  return std::min(declared, epsilon_of_renyi(order_, spent.rho.upper_double(), conversion_delta_));
}

double Filter::share_spent(const Spending& spent) const {
  const bool one_arm = accountant_ == Accountant::basic;
  const double declared =
      std::max(ratio(spent.epsilon, epsilon_), ratio(spent.delta, one_arm ? delta_ : added_share_));
  return one_arm ? declared : std::min(declared, price(spent));
}

double Filter::largest_epsilon(const Spending& spent, double delta) const {
  const auto fits = [&](int i) {
    return admits(spent, charge_of(three_digits(i).approximate(), delta, std::nullopt));
  };
  if (!fits(0)) return 0;
  int most = 0, too_much = kThreeDigitNumbers;
  while (too_much - most > 1) {
    const int middle = most + (too_much - most) / 2;
    (fits(middle) ? most : too_much) = middle;
  }
  return three_digits(most).approximate();
}

double Filter::price(const Spending& charge) const {
  if (accountant_ == Accountant::basic) return ratio(charge.epsilon, epsilon_);
  return std::max(ratio(charge.rho, rho_total_), ratio(charge.added_delta, added_share_));
}

}  // namespace dpmix
