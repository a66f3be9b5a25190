#include "core/mechanism/full_shift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/mechanism/normal_tail.hpp"
#include "core/poll.hpp"

namespace dpmix {
namespace {

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

bool proved_unimodal(const UnitMixture& law) {
  constexpr int kMostSteps = 4096;
  constexpr double kLeastStep = 0x1p-24;
  const double s = law.scale();
  // Near 0: the posterior variance is at most E(k^2 | z), which increases in z; while it is at most
  // s^2, the posterior mean grows no faster than z.
  const double most = s * s * (1 - 0x1p-50);
  double proved = 1;
  while (law.second_moment(proved).high() > most) {
    proved /= 2;
    if (proved < kLeastStep) return false;
  }
  // Then: on [a, b] the posterior mean is at most the one at b, and f decreases if that is <= a.
  // Up to 1 is enough: the mean at z + 1 is at most one more than at z.
  double step = proved;
  for (int steps = 0; proved < 1; ++steps) {
    if (steps == kMostSteps) return false;
    poll();
    const double next = proved + step;  // a multiple of 2^-24: next - k is exact
    if (law.at(next).mean.high() <= proved) {
      proved = next;
      step *= 2;
    } else if ((step /= 2) < kLeastStep) {
      return false;
    }
  }
  return true;
}

}  // namespace dpmix
