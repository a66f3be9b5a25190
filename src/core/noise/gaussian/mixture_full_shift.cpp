#include "core/noise/gaussian/mixture_full_shift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/normal_tail.hpp"
#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr double kLeastStep = 0x1p-24;

class SignedMixture {
 public:
  SignedMixture(const UnitMixture& law, double epsilon) : law_(law), magnitude_(law.components()) {
    const int K = law.components();
    const double weight = law.weight_epsilon();
    add(-K - 1, epsilon + law.log_weight(K), false);
    for (int j = -K; j <= K; ++j) {
      // w_j - e^epsilon w_{j+1}
      const double exponent = j == K ? -HUGE_VAL : j < 0 ? epsilon + weight : epsilon - weight;
      if (exponent == 0) continue;
      add(j, law.log_weight(j) + log_distance_from_one(exponent), exponent < 0);
    }
  }

  // log of the positive part over the negative part, at z: increases from -infinity to infinity.
  Approximate balance(double z) const {
    double peak[2] = {-HUGE_VAL, -HUGE_VAL}, sum[2] = {0, 0};
    for (const Term& t : terms_) peak[t.positive] = std::max(peak[t.positive], exponent(t, z));
    for (const Term& t : terms_) sum[t.positive] += std::exp(exponent(t, z) - peak[t.positive]);
    const double value = peak[1] + std::log(sum[1]) - peak[0] - std::log(sum[0]);
    return {value, kUnit * (20 * (std::fabs(peak[0]) + std::fabs(peak[1]) + magnitude_) + 800 +
                            4.0 * static_cast<double>(terms_.size()))};
  }

  // The integral from z to infinity of the terms of one sign.
  Approximate tail(double z, bool positive) const {
    Approximate total;
    for (const Term& t : terms_) {
      if (t.positive != positive) continue;
      const double x = (z - t.centre) / law_.scale();
      const double value = std::exp(t.log_coefficient + log_upper_tail(x));
      total.value += value;
      total.error += value * kUnit *
                     (8 * std::max(x, 0.0) * std::max(x, 0.0) + 64 + 8 * magnitude_ +
                      8 * std::fabs(t.log_coefficient));
    }
    total.error += total.value * kUnit * static_cast<double>(terms_.size());
    return total;
  }

 private:
  struct Term {
    int centre;
    double log_coefficient;
    bool positive;
  };

  void add(int centre, double log_coefficient, bool positive) {
    if (log_coefficient == -HUGE_VAL) return;
    terms_.push_back({centre, log_coefficient, positive});
    magnitude_ = std::max(magnitude_, std::fabs(log_coefficient));
  }

  // log |1 - e^x|
  static double log_distance_from_one(double x) {
    if (x > 0) return x + std::log(-std::expm1(-x));
    return std::log(-std::expm1(x));
  }

  double exponent(const Term& t, double z) const {
    const double x = (z - t.centre) / law_.scale();
    return t.log_coefficient - 0.5 * x * x;
  }

  const UnitMixture& law_;
  std::vector<Term> terms_;
  double magnitude_;
};

}  // namespace

HockeyStick hockey_stick_full_shift(const UnitMixture& law, double epsilon) {
  const SignedMixture g(law, epsilon);
  // Brackets the root between a proved negative and a proved positive place, as far as the double
  // resolves it. Beyond the reach no mass is left that a double could hold.
  const double reach = std::exp2(std::ceil(std::log2(law.components() + 2 + 40 * law.scale())));
  double below = -reach, above = reach;
  double low = below, high = above;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high || high - low < 1e-13 * law.scale()) break;
    poll();
    const Approximate balance = g.balance(middle);
    if (balance.high() < 0) below = middle;
    if (balance.low() > 0) above = middle;
    (balance.value < 0 ? low : high) = middle;
  }
  const Approximate gain = g.tail(above, true), loss = g.tail(above, false),
                    gain_below = g.tail(below, true);
  // Between the brackets the positive terms count in full, but no more than their excess over
  // the negative ones can be.
  const double undecided = std::max(0.0, gain_below.high() - gain.low());
  const double value = g.tail(high, true).value - g.tail(high, false).value;
  const double upper = gain.high() - std::max(0.0, loss.low()) + undecided + 1e-305;
  // Written so that a NaN, were there one, would count as 1.
  return {std::max(0.0, gain.low() - loss.high()), std::max(0.0, value),
          upper <= 1 ? std::max(0.0, upper) : 1};
}

namespace {

// Settles the cells [a, b] that cover [from, to], in steps that adapt. Places are multiples of
// 2^-24, so that place - k is exact.
template <class Settled>
bool settle(double from, double to, Settled settled) {
  constexpr int kMostSteps = 4096;
  double a = from, step = std::min(from > 0 ? std::exp2(std::floor(std::log2(from))) : 1, 1.0);
  for (int steps = 0; a < to; ++steps) {
    if (steps == kMostSteps) return false;
    poll();
    const double b = a + step;
    if (settled(a, b)) {
      a = b;
      step *= 2;
    } else if ((step /= 2) < kLeastStep) {
      return false;
    }
  }
  return true;
}

// f decreases on [0, this]. The posterior variance is at most E(k^2 | z), which increases in z;
// while it is at most scale^2, the posterior mean grows no faster than z. 0: no proof.
double decreases_up_to(const UnitMixture& law) {
  const double most = law.scale() * law.scale() * (1 - 0x1p-50);
  double proved = 1;
  while (law.second_moment(proved).high() > most) {
    proved /= 2;
    if (proved < kLeastStep) return 0;
  }
  return proved;
}

// Whether f is proved to decrease on [a, b]: the posterior mean, at most the one at b, is <= a.
bool decreases(const UnitMixture& law, double a, double b) {
  return law.at(b).mean.high() <= a;
}

// f(x - shift) <= e^epsilon f(x) for x in [a, b] and every shift in [0, 1], when the posterior mean
// exceeds z by at most `rise` anywhere above 0.
bool no_gain(const UnitMixture& law, double epsilon, double rise, double a, double b) {
  const double precision = (1 + 0x1p-50) / (law.scale() * law.scale());
  const double from = std::max(0.0, a - 1);
  const Approximate start = law.at(from).log_density;
  const auto [here, mean] = law.at(a);
  const double highest = start.high() + rise * precision * std::max(1.0, b - from);
  const double lowest = here.low() - precision * (b - a) * std::max(0.0, b - mean.low());
  return highest - lowest + 0x1p-48 * (std::fabs(highest) + std::fabs(lowest)) <= epsilon;
}

bool no_shift_gains_at_humps(const UnitMixture& law, double epsilon) {
  constexpr int kMostUnits = 64;
  const double start = decreases_up_to(law);
  const double rise = epsilon * law.scale() * law.scale() / 8;
  if (start == 0) return false;
  if (!settle(start, 1, [&](double a, double b) { return law.at(b).mean.high() - a <= rise; })) {
    return false;
  }
  for (int unit = 0; unit < kMostUnits; ++unit) {
    const double from = std::max<double>(start, unit);
    if (settle(from, unit + 1, [&](double a, double b) { return decreases(law, a, b); })) {
      return true;  // and so it does beyond
    }
    if (!settle(from, unit + 1, [&](double a, double b) {
          return decreases(law, a, b) || no_gain(law, epsilon, rise, a, b);
        })) {
      return false;
    }
  }
  return false;
}

}  // namespace

bool proved_unimodal(const UnitMixture& law) {
  const double start = decreases_up_to(law);
  // Up to 1 is enough: the mean at z + 1 is at most one more than at z.
  return start > 0 && settle(start, 1, [&](double a, double b) { return decreases(law, a, b); });
}

bool full_shift_is_worst(const UnitMixture& law, double epsilon) {
  return proved_unimodal(law) || no_shift_gains_at_humps(law, epsilon);
}

}  // namespace dpmix
