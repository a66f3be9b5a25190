#include "core/tree_model/edge_scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

namespace dpmix {
namespace {

constexpr double noise_share = .5;  // of the noise's mean, found by trials

// Whole, and never so large that sums overflow: released numbers are noisy. Total: 0 for NaN.
std::int64_t rounded(double x) {
  constexpr double most = 0x1p40;
  return std::isnan(x) ? 0 : std::llround(std::clamp(x, -most, most));
}

}  // namespace

std::int64_t edge_score(std::span<const std::int64_t> exact, std::span<const double> expected,
                        int classes, bool by_class, double stddev) {
  const std::size_t cells = exact.size() / static_cast<std::size_t>(classes);
  std::int64_t missed = 0;
  if (by_class) {
    for (std::size_t i = 0; i < exact.size(); ++i) {
      missed += std::abs(exact[i] - rounded(expected[i]));
    }
  } else {
    for (std::size_t i = 0; i < cells; ++i) {
      std::int64_t rows = 0;
      double model = 0;
      for (std::size_t j = i; j < exact.size(); j += cells) {
        rows += exact[j];
        model += expected[j];
      }
      missed += std::abs(rows - rounded(model));
    }
  }
  const double noisy = static_cast<double>(by_class ? exact.size() : cells) * stddev;
  return missed - rounded(noise_share * std::sqrt(2 / std::numbers::pi) * noisy);
}

}  // namespace dpmix
