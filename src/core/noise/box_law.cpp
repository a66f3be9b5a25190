#include "core/noise/box_law.hpp"

#include <array>
#include <cmath>

namespace dpmix {
namespace {

// The sum over s >= 0 of e^{-rate s} times a product of factors alpha + 2s, each with 1 - e^-rate:
// up to that factor once more. As a sum over j of weights of the binomials (s over j), all of which
// are positive: s (s over j) = (j + 1)(s over j+1) + j (s over j).
class Sum {
 public:
  explicit Sum(double rate) : q_(std::exp(-rate)), rest_(-std::expm1(-rate)) { weight_[0] = 1; }

  void times(double alpha) {
    for (int j = ++factors_; j >= 0; --j) {
      const double above = j > 0 ? 2 * j * weight_[index(j - 1)] : 0;
      weight_[index(j)] = rest_ * (alpha + 2 * j) * weight_[index(j)] + above;
    }
  }
  double value() const {
    double sum = 0;
    for (int j = factors_; j >= 0; --j) sum = sum * q_ + weight_[index(j)];
    return sum;
  }

 private:
  static std::size_t index(int j) { return static_cast<std::size_t>(j); }

  double q_, rest_;
  int factors_ = 0;
  std::array<double, kMostTogether + 3> weight_ = {};
};

// Sum of (2r + 1)^power e^{-rate r} times rest^power.
double power_sum(double rate, int power) {
  Sum sum(rate);
  for (int i = 0; i < power; ++i) sum.times(1);
  return sum.value();
}

double mean_of_width(const BoxLaw& law, int power) {  // of (2r + 1)^power
  const double rest = -std::expm1(-law.rate);
  return power_sum(law.rate, law.together + power) / power_sum(law.rate, law.together) /
         std::pow(rest, power);
}

bool is_odd(double a) {
  return std::fmod(a, 2) == 1;
}

}  // namespace

double box_tail(const BoxLaw& law, double y) {
  if (y <= 0) return 1;
  // The least r with 2r + 1 > y.
  const double first = y < 1 ? 0 : std::floor((y - 1) / 2) + 1;
  Sum sum(law.rate);
  sum.times(2 * first + 1 - y);
  for (int i = 1; i < law.together; ++i) sum.times(2 * first + 1);
  return std::exp(-law.rate * first) * sum.value() / power_sum(law.rate, law.together);
}

// Given r, of n = a (2r + 1) integers: (n^2 - 1) / 4n where they are symmetric, n / 4 elsewhere.
double box_expected_abs(const BoxLaw& law, double a) {
  return a * mean_of_width(law, 1) / 4 - (is_odd(a) ? mean_of_width(law, -1) / (4 * a) : 0);
}

double box_variance(const BoxLaw& law, double a) {
  return (a * a * mean_of_width(law, 2) + (is_odd(a) ? -1 : 2)) / 12;
}

}  // namespace dpmix
