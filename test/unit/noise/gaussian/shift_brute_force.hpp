// The hockey-stick by brute force: a midpoint sum of (f(z) - e^epsilon f(z + shift))_+ over a fine
// grid, with nothing in common with the code under test.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dpmix::test {

// The midpoint sum on [-reach, reach].
template <class Density>
double midpoint_delta(const Density& density, double reach, double epsilon, double shift, int n) {
  const double h = 2 * reach / n;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double z = -reach + (i + 0.5) * h;
    sum += std::max(0.0, density(z) - std::exp(epsilon) * density(z + shift));
  }
  return sum * h;
}

struct BruteForce {
  double scale;
  int components;
  double weight_epsilon;

  double density(double z) const {
    double sum = 0, total = 0;
    for (int k = -components; k <= components; ++k) {
      const double weight = std::exp(-weight_epsilon * std::abs(k)), x = (z - k) / scale;
      total += weight;
      sum += weight * std::exp(-x * x / 2);
    }
    return sum / total / scale / std::sqrt(2 * std::numbers::pi);
  }
  double delta(double epsilon, double shift, int n = 40'000) const {
    return midpoint_delta([this](double z) { return density(z); }, components + 1 + 9 * scale,
                          epsilon, shift, n);
  }
};

struct QuasiBruteForce {
  double scale;
  double weight_epsilon;

  double density(double z) const {
    const double x = std::fabs(z) / scale, y = (std::fabs(z) - 1) / scale;
    const double total =
        1 + 2 * std::exp(-weight_epsilon) * 0.5 * std::erfc(-1 / scale / std::numbers::sqrt2);
    return (std::exp(-x * x / 2) + std::exp(-weight_epsilon - y * y / 2)) / total / scale /
           std::sqrt(2 * std::numbers::pi);
  }
  double delta(double epsilon, double shift, int n = 40'000) const {
    return midpoint_delta([this](double z) { return density(z); }, 2 + 9 * scale, epsilon, shift,
                          n);
  }
};

}  // namespace dpmix::test
