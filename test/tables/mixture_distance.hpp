// How far neighbours move what a pass releases, in deviations of each number's own noise: what a
// sensitivity search compares with the share of mu.
#pragma once

#include <cmath>
#include <vector>

#include "core/mixture/fit/moments.hpp"
#include "core/stats/bin_counts.hpp"

namespace dpmix::test {

// What gets no noise is not released, and does not count.
inline double distance(const MomentTotals& a, const MomentTotals& b,
                       const std::vector<MomentNoise>& noises) {
  double sum = 0;
  const auto add = [&](Int128 difference, double sigma) {
    if (sigma > 0) sum += std::pow(static_cast<double>(difference) / sigma, 2);
  };
  for (std::size_t k = 0; k < a.classes.size(); ++k) {
    const MomentNoise& noise = noises[k];
    const MomentTotals::Class &x = a.classes[k], &y = b.classes[k];
    add(x.count - y.count, noise.count);
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.sums.size(); ++i) {
      add(x.sums[i] - y.sums[i], noise.sum);
      for (std::size_t j = i; j < x.sums.size(); ++j, ++at) {
        add(x.products[at] - y.products[at], i == j ? noise.square : noise.product);
      }
    }
  }
  return std::sqrt(sum);
}

inline double distance(const BinCounts& a, const BinCounts& b, double noise) {
  double sum = 0;
  for (std::size_t i = 0; i < a.counts.size(); ++i) {
    sum += std::pow(static_cast<double>(a.counts[i] - b.counts[i]), 2);
  }
  return std::sqrt(sum) / noise;
}

}  // namespace dpmix::test
