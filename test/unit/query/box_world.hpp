// The law of noise in a box, enumerated from its definition.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace dpmix::test {

struct BoxWorld {
  double rate;
  std::vector<int> steps;  // a of each statistic

  // Of n integers: all alike where they are symmetric, else half as much at both ends.
  static double share(std::int64_t z, std::int64_t n) {
    const std::int64_t size = std::abs(z);
    if (n % 2 == 1) return size <= (n - 1) / 2 ? 1.0 / static_cast<double>(n) : 0;
    return size > n / 2 ? 0 : (size == n / 2 ? .5 : 1) / static_cast<double>(n);
  }
  // P(r), r = 0, 1, ...
  std::vector<double> radii() const {
    std::vector<double> law;
    double sum = 0;
    for (int r = 0; r < 100 + 3 * (static_cast<double>(steps.size()) + 40) / rate; ++r) {
      law.push_back(std::pow(2 * r + 1, steps.size()) * std::exp(-rate * r));
      sum += law.back();
    }
    for (double& each : law) each /= sum;
    return law;
  }
  // P(z), given radii().
  double of(const std::vector<double>& law, const std::vector<std::int64_t>& z) const {
    double sum = 0;
    for (std::size_t r = 0; r < law.size(); ++r) {
      double part = law[r];
      for (std::size_t i = 0; i < z.size(); ++i) {
        part *= share(z[i], (2 * static_cast<std::int64_t>(r) + 1) * steps[i]);
      }
      sum += part;
    }
    return sum;
  }
};

}  // namespace dpmix::test
