#include "core/noise/steps/moments.hpp"

#include <algorithm>
#include <cmath>

#include "core/noise/steps/shape.hpp"

namespace dpmix {
namespace {

// S_p = sum_{t < count} t^p e^{-fall t}, p = 0, 1, 2.
struct PowerSums {
  double s0 = 0, s1 = 0, s2 = 0;

  // sum of (t + offset)^p
  PowerSums moved(double offset) const {
    return {s0, s1 + offset * s0, s2 + offset * (2 * s1 + offset * s0)};
  }
  PowerSums& operator+=(const PowerSums& other) {
    s0 += other.s0;
    s1 += other.s1;
    s2 += other.s2;
    return *this;
  }
  PowerSums operator*(double factor) const { return {s0 * factor, s1 * factor, s2 * factor}; }
};

// The sums of e^{-fall t}, t e^{-fall t} and t^2 e^{-fall t} over 0 <= t < count, by doubling: all
// terms are positive, where the closed form would cancel.
PowerSums falling_powers(double fall, Int128 count) {
  PowerSums sum{};
  int bits = 0;
  while (bits < 127 && (count >> bits) > 0) ++bits;
  for (Int128 done = 0; bits-- > 0;) {
    const auto offset = static_cast<double>(done);
    sum += sum.moved(offset) * std::exp(-fall * offset);
    done *= 2;
    if ((count >> bits) & 1) {
      const auto t = static_cast<double>(done);
      const double term = std::exp(-fall * t);
      sum += {term, term * t, term * t * t};
      ++done;
    }
  }
  return sum;
}

PowerSums falling_powers_to_infinity(double fall) {
  const double q = std::exp(-fall), p = -std::expm1(-fall);
  return {1 / p, q / p / p, q * (1 + q) / p / p / p};
}

// sum_{x = first..last} x^p
PowerSums plain_powers(double first, double last) {
  const double n = last - first + 1, centre = first + (last - first) / 2;
  return PowerSums{n, 0, n * (n - 1) / 12 * (n + 1)}.moved(centre);
}

// Sums of w(y) y^p over y >= 1.
PowerSums weighted_powers(const StepLaw& law) {
  const StepShape<double> shape(law);
  PowerSums sum{};
  // from..to in the first period, and `levels` says at which periods it is repeated.
  const auto add = [&](Int128 from, Int128 to, const PowerSums& levels) {
    while (from <= to) {
      const auto run = shape.run(from);
      const Int128 last = std::min(to, run.last);
      const PowerSums x =
          plain_powers(static_cast<double>(from), static_cast<double>(last)) * shape.weight(run);
      const double m = law.period;  // (t m + x)^p
      sum += {x.s0 * levels.s0, x.s1 * levels.s0 + m * levels.s1 * x.s0,
              x.s2 * levels.s0 + m * levels.s1 * 2 * x.s1 + m * m * levels.s2 * x.s0};
      from = last + 1;
    }
  };
  const Int128 period = shape.period();
  if (!shape.is_cut()) {
    add(1, period, falling_powers_to_infinity(law.fall));
    return sum;
  }
  const Int128 whole = (shape.cutoff() - 1) / period;
  add(1, period, falling_powers(law.fall, whole));
  add(whole * period + 1, shape.cutoff() - 1, {1, 0, 0});
  const double y = law.cutoff;
  sum += PowerSums{1, y, y * y} * shape.weight(shape.cell(shape.cutoff()));
  return sum;
}

}  // namespace

double step_expected_abs(const StepLaw& law) {
  check_step_law(law);
  const PowerSums sums = weighted_powers(law);
  return (1 - law.atom) * 2 * sums.s1 / (1 + 2 * sums.s0);
}

double step_variance(const StepLaw& law) {
  check_step_law(law);
  const PowerSums sums = weighted_powers(law);
  return (1 - law.atom) * 2 * sums.s2 / (1 + 2 * sums.s0);
}

double step_tail(const StepLaw& law, double k) {
  check_step_law(law);
  if (k < 0) return 1;
  if (k >= law.cutoff || k >= 0x1p100) return 0;
  const StepShape<Quad> shape(law);
  const Quad beyond = 2 * shape.mass(static_cast<Int128>(std::floor(k)) + 1, shape.cutoff());
  return ((1 - Quad(law.atom)) * beyond / shape.total()).convert_to<double>();
}

}  // namespace dpmix
