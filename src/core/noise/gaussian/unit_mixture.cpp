#include "core/noise/gaussian/unit_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/normal_tail.hpp"

namespace dpmix {
namespace {

// e^-45: what a term is at most that adds less than kUnit to a sum of 2001.
constexpr double kNegligible = 2.8e-20;
constexpr int kChain = 8;

// sum over |k| <= components of e^{-rate |k|}
double total_weight(double rate, int components) {
  double total = 0;
  for (int k = components; k >= 1; --k) total += 2 * std::exp(-rate * k);
  return 1 + total;
}

// e^log_weight P(N > x), x >= 0, with its error.
Approximate weighted_tail(double log_weight, double magnitude, double x) {
  const bool direct = x < 30 && std::fabs(log_weight) < 600;
  const double value =
      direct ? std::exp(log_weight) * upper_tail(x) : std::exp(log_weight + log_upper_tail(x));
  return {value,
          value * kUnit * (8 * x * x + 48 + 8 * magnitude) + std::numeric_limits<double>::min()};
}

}  // namespace

UnitMixture::UnitMixture(double scale, int components, double weight_epsilon)
    : scale_(scale),
      precision_(1 / (scale * scale)),
      fall_(std::exp(-precision_)),
      past_zero_(std::exp(-2 * weight_epsilon)),
      components_(components),
      weight_epsilon_(weight_epsilon),
      log_total_(std::log(total_weight(weight_epsilon, components))),
      log_norm_(-log_total_ - std::log(scale) - 0.91893853320467274178) {}

double UnitMixture::log_weight(int k) const {
  return -weight_epsilon_ * std::abs(k) - log_total_;
}

template <class Visit>
UnitMixture::Peak UnitMixture::for_components_at(double z, Visit visit) const {
  // The exponent -weight_epsilon |k| - (z - k)^2 / 2 scale^2 is concave in k: its peak is z pulled
  // towards 0, and terms fall off on both sides.
  const double pulled = std::fabs(z) - weight_epsilon_ * scale_ * scale_;
  const int nearest =
      pulled > 0 ? static_cast<int>(std::min<double>(components_, std::nearbyint(pulled))) : 0;
  const int peak = z < 0 ? -nearest : nearest;
  const double d = z - peak;
  const double top = -weight_epsilon_ * nearest - 0.5 * d * d * precision_;
  visit(0, 1.0);
  // The ratio of a term to the one before falls by e^{-1/scale^2} from term to term, and past 0
  // once by e^{-2 weight_epsilon}. A chain of such products is begun anew every kChain terms.
  int farthest = 0;
  for (int side : {1, -1}) {
    double term = 1, ratio = 0;
    for (int j = 1; std::abs(peak + side * j) <= components_; ++j) {
      const int k = peak + side * j, before = k - side;
      if (j % kChain == 1) {
        const double from = z - before;
        if (j > 1) {
          term =
              std::exp(-weight_epsilon_ * std::abs(before) - 0.5 * from * from * precision_ - top);
        }
        ratio = std::exp((side * from - 0.5) * precision_ +
                         (std::abs(k) > std::abs(before) ? -weight_epsilon_ : weight_epsilon_));
      } else {
        ratio *= before == 0 ? fall_ * past_zero_ : fall_;
      }
      term *= ratio;
      if (term < kNegligible) break;
      visit(side * j, term);
      farthest = std::max(farthest, j);
    }
  }
  const double links = std::min(farthest, kChain);
  const double start = std::fabs(d) + 0.5 + (farthest > kChain ? farthest : 0);
  const double chain = links * (3 * start * precision_ + 4 * weight_epsilon_ + 10) +
                       links * links * (1.5 * precision_ + 4);
  return {peak, top, kUnit * (20 * std::fabs(top) + 400 + 2 * farthest + chain)};
}

UnitMixture::Point UnitMixture::at(double z) const {
  double sum = 0, moment = 0, absolute_moment = 0;
  const Peak peak = for_components_at(z, [&](int offset, double term) {
    sum += term;
    moment += offset * term;
    absolute_moment += std::abs(offset) * term;
  });
  return {
      {peak.top + std::log(sum), peak.error},
      {peak.k + moment / sum, 3 * peak.error * absolute_moment / sum + 4 * kUnit * components_}};
}

Approximate UnitMixture::second_moment(double z) const {
  double sum = 0, first = 0, second = 0;
  const Peak peak = for_components_at(z, [&](int offset, double term) {
    sum += term;
    first += offset * term;
    second += static_cast<double>(offset) * offset * term;
  });
  const double squared_peak = static_cast<double>(peak.k) * peak.k;
  const double value = squared_peak + 2 * peak.k * (first / sum) + second / sum;
  return {value,
          6 * peak.error * (squared_peak + second / sum) + 4 * kUnit * components_ * components_};
}

UnitMixture::Bulk UnitMixture::bulk() const {
  if (scale_ >= 4) return {};
  constexpr double kNothing = 52;  // e^-52 is below 2^-75
  int from = 1, to_end = 1;
  while (from < components_ &&
         (0.5 * from + 1) * from * precision_ - weight_epsilon_ * (from + 1) < kNothing) {
    ++from;
  }
  while (to_end < components_ &&
         weight_epsilon_ * to_end + 0.5 * to_end * to_end * precision_ < kNothing) {
    ++to_end;
  }
  const int units = components_ - to_end - from;
  if (units < 2) return {};
  const double rate = weight_epsilon_;
  const double sum = rate > 1e-200 ? std::expm1(-rate * units) / std::expm1(-rate) : units;
  return {from, units, sum * (1 + 0x1p-45)};
}

Approximate UnitMixture::mass(double a, double b, double log_factor, double log_floor) const {
  Approximate total;
  // Farther components have no share worth a look.
  const double reach = scale_ * std::sqrt(std::max(0.0, 2 * (log_factor - log_floor))) + 1;
  const auto within = [&](double k) {
    return static_cast<int>(std::clamp<double>(k, -components_ - 1, components_ + 1));
  };
  const int first = std::max(-components_, within(a - reach));
  const int last = std::min(components_, within(b + reach));
  for (int k = first; k <= last; ++k) {
    const double from = (a - k) / scale_, to = (b - k) / scale_;
    // Both tails on the side away from the centre, so that the smaller ones are subtracted.
    const double near = std::max({from, -to, 0.0});
    const double decay = weight_epsilon_ * std::abs(k);
    const double log_weight = log_factor - decay - log_total_;
    if (log_weight - 0.5 * near * near < log_floor) continue;
    // The sum of the weights has a relative error of components_ roundings.
    const double magnitude = std::fabs(log_factor) + decay + log_total_ + components_;
    if (from < 0 && to > 0) {
      const Approximate left = weighted_tail(log_weight, magnitude, -from),
                        right = weighted_tail(log_weight, magnitude, to);
      const double whole = std::exp(log_weight);
      total.value += whole - left.value - right.value;
      total.error += left.error + right.error + whole * kUnit * (8 + 8 * magnitude);
    } else {
      const Approximate outer = weighted_tail(log_weight, magnitude, from >= 0 ? to : -from),
                        inner = weighted_tail(log_weight, magnitude, from >= 0 ? from : -to);
      total.value += inner.value - outer.value;
      total.error += inner.error + outer.error;
    }
  }
  total.error += total.value * kUnit * (2 * components_ + 1);
  return total;
}

}  // namespace dpmix
