#include "core/accounting/renyi_of_multi_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/accounting/renyi_profile.hpp"
#include "core/base/next_double.hpp"
#include "core/base/outward.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/unit_mixture.hpp"

namespace dpmix {
namespace {

constexpr double kMostOrder = 2000;    // from there on the tails make it nearly the Gaussian's
constexpr double kMostWork = 400'000;  // values of f, over all shifts
constexpr double kPrecision = 1e-3;    // of log F, between the shifts
constexpr double kLeastShiftCell = 0x1p-12;

// Sums e^x without leaving the doubles.
class LogSum {
 public:
  void add(double x, double copies = 1) {
    if (x > top_) {
      sum_ *= std::exp(top_ - x);
      top_ = x;
    }
    sum_ += copies * std::exp(x - top_);
  }
  double value() const { return top_ + std::log(sum_); }

 private:
  double top_ = -1e300, sum_ = 0;
};

// (V - scale^2) / scale^4, rounded up, V a bound on the posterior variance of the component:
// 8 pi^2 sum x/(1-x)^2 over x = e^{-2 pi^2 scale^2 (2n - 1)}.
double excess_variance(double scale) {
  constexpr int kTerms = 200;
  const double rate = 2 * std::numbers::pi * std::numbers::pi * scale * scale;
  double sum = 0;
  for (int n = 1; n <= kTerms; ++n) {
    const double half = std::sinh(rate * (2 * n - 1) / 2);
    sum += 1 / (4 * half * half);
  }
  sum += 1 / (rate * rate * 2 * (2 * kTerms - 1));  // x/(1-x)^2 <= 1/log^2 x
  return 8 * std::numbers::pi * std::numbers::pi * sum * (1 + 1e-12);
}

// log F(t) at one shift, rounded up, by the trapezoidal rule. f^alpha f_t^(1-alpha) is analytic in
// a strip around the real line, where its integral is at most a factor larger: so the rule's
// relative error is bounded, and exponentially small in the strip's width over the step.
class OneShift {
 public:
  OneShift(const UnitMixture& law, double order, double excess)
      : law_(law), order_(order), precision_(1 / (law.scale() * law.scale())), bulk_(law.bulk()) {
    const double s = law.scale(), spread = (1 + s * s * excess) * (1 + 1e-12);
    const double strip = s / std::sqrt(spread * order) * (1 - 1e-12);
    // |f| is at least 1 - V strip^2 / 2 s^4 = 1 - 1 / 2 order of what it would be.
    const double log_factor =
        strip * strip * precision_ / 2 - (order - 1) * std::log1p(-0.5 / order) + 1e-9;
    // Takes the rule with the smallest step that needs no more values than allowed.
    for (double turns = 36; turns > 6 && step_ == 0; turns /= 2) {
      double step = std::exp2(std::floor(std::log2(2 * std::numbers::pi * strip / turns)));
      if (bulk_.units > 0) step = std::min(step, 1.0);
      if (most_values(step) * cost_of_value() > kMostWork / 16) continue;
      const double error =
          2 * std::exp(log_factor) / std::expm1(2 * std::numbers::pi * strip / step * (1 - 1e-12));
      if (error > 0.5) continue;
      step_ = step;
      log_error_ = -std::log1p(-error) * (1 + 1e-9);
    }
  }

  bool possible() const { return step_ > 0; }
  double work() const { return work_; }

  // shift: a multiple of kLeastShiftCell, in [0, 1].
  double operator()(double shift) {
    const double right = up_to_step(beyond() + (order_ - 1) * shift), left = -up_to_step(beyond());
    LogSum total;
    if (bulk_.units == 0) {
      add(total, left, right, shift, 1);
    } else {
      const int a = bulk_.from, b = bulk_.from + bulk_.units;
      add(total, left, -b - 1, shift, 1);
      add(total, -a - 2, -a - 1, shift, bulk_.sum);
      add(total, -a - 1, a, shift, 1);
      add(total, a, a + 1, shift, bulk_.sum);
      add(total, b, right, shift, 1);
    }
    if (!add_tails(total, left, right, shift)) return HUGE_VAL;
    const double log_constant = law_.log_norm() + std::log(step_);
    const double sum = total.value();
    return sum + log_constant + log_error_ +
           0x1p-50 * (64 + most_values(step_) + 4 * std::fabs(sum) + 4 * std::fabs(log_constant) +
                      2 * law_.components());
  }

 private:
  double beyond() const { return law_.components() + 2 + 9 * law_.scale(); }
  double up_to_step(double z) const { return step_ * std::ceil(z / step_); }

  double most_values(double step) const {
    return (2 * (beyond() - bulk_.units) + order_ + 4) / step + 8;
  }
  double cost_of_value() const {
    return 1 + std::min(2.0 * law_.components(), 19 * law_.scale()) / 20;
  }

  struct Value {
    double exponent;    // of f^alpha f_t^(1 - alpha), but for log_norm; rounded up
    Approximate there;  // posterior mean at z + shift
  };
  Value at(double z, double shift) {
    poll();
    work_ += cost_of_value();
    const UnitMixture::Point here = law_.at(z), there = law_.at(z + shift);
    const double gain = order_ * here.log_density.high();
    const double loss = (order_ - 1) * there.log_density.low();
    return {gain - loss + 0x1p-50 * (std::fabs(gain) + std::fabs(loss)), there.mean};
  }

  // The values at from, from + step, ..., below `to`.
  void add(LogSum& total, double from, double to, double shift, double copies) {
    const auto n = static_cast<long>((to - from) / step_);
    for (long i = 0; i < n; ++i) {
      total.add(at(from + static_cast<double>(i) * step_, shift).exponent, copies);
    }
  }

  // Adds what lies from `right` on and below `left`, where the exponent lies below its tangent.
  // False: no bound.
  bool add_tails(LogSum& total, double left, double right, double shift) {
    const Value last = at(right, shift), first = at(left, shift);
    const double falls =
        (right - law_.components() - (order_ - 1) * shift) * precision_ * (1 - 0x1p-40);
    const double means = order_ * law_.components() + (order_ - 1) * first.there.high();
    const double rises = (-left - means + (order_ - 1) * shift) * precision_ -
                         0x1p-48 * order_ * (law_.components() - left) * precision_;
    if (!(falls > 0 && rises > 0)) return false;
    // The sum of a geometric sequence, its first term included.
    total.add(last.exponent - std::log(-std::expm1(-falls * step_)) + 0x1p-40);
    total.add(first.exponent - std::log(-std::expm1(-rises * step_)) + 0x1p-40);
    return true;
  }

  const UnitMixture& law_;
  double order_, precision_;
  UnitMixture::Bulk bulk_;
  double step_ = 0, log_error_ = 0, work_ = 0;
};

// The largest log F over the shifts in [0, 1]; at most `most`, that of the Gaussian, whose log F(t)
// is t^2 most. Between two shifts at distance h it is at most the larger of theirs
// - log cos(kappa h / 2), as F'' >= -kappa^2 F.
double largest_log(const UnitMixture& law, double order, double most) {
  const double excess = excess_variance(law.scale());
  const double kappa = std::sqrt((order - 1) * excess) * (1 + 1e-12);
  double width = 1;
  while (width * kappa > 2) width /= 2;
  OneShift one(law, order, excess);
  if (width < kLeastShiftCell || !one.possible()) return most;
  double best = 0;
  const auto at = [&](double shift) {
    const double gaussian = most * shift * shift * (1 + 0x1p-50);
    if (gaussian < 0.9 * best || one.work() > kMostWork) return gaussian;
    const double found = std::min(one(shift), gaussian);
    best = std::max(best, found);
    return found;
  };
  struct Cell {
    double from, width, left, right;
  };
  std::vector<Cell> cells;
  double right = at(1);
  for (double t = 1; t > 0; t -= width) {
    const double left = t == width ? 0 : at(t - width);
    cells.push_back({t - width, width, left, right});
    right = left;
  }
  double bound = 0;
  while (!cells.empty()) {
    const Cell cell = cells.back();
    cells.pop_back();
    const double high =
        std::max(cell.left, cell.right) - std::log(std::cos(kappa * cell.width / 2)) + 0x1p-50;
    if (high <= best * (1 + kPrecision) || cell.width <= kLeastShiftCell ||
        one.work() > kMostWork) {
      bound = std::max(bound, high);
      continue;
    }
    const double half = cell.width / 2, middle = at(cell.from + half);
    cells.push_back({cell.from, half, cell.left, middle});
    cells.push_back({cell.from + half, half, middle, cell.right});
  }
  return std::min(bound, most);
}

}  // namespace

Cost renyi_of_multi_gaussian(double order, const NoiseLaw& law) {
  check_parameter(order > 1 && std::isfinite(order), "Renyi order", order, "finite and above 1");
  check_law(law);
  // F decreases in the scale.
  const double scale = next_down(law.scale / law.sensitivity);
  const Cost gaussian = renyi_of_gaussian(order, next_up(1 / scale));
  if (order > kMostOrder) return gaussian;
  const UnitMixture unit(scale, law.components, law.weight_epsilon);
  const double most = gaussian.amount * (order - 1) * (1 + 0x1p-50);
  const long double rho = largest_log(unit, order, most) / (static_cast<long double>(order) - 1);
  return {std::min(gaussian.amount, outward::up(rho)), 0};
}

}  // namespace dpmix
