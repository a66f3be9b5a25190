#include "core/stats/distance_histogram.hpp"

#include <algorithm>

namespace dpmix {

DistanceHistogram::DistanceHistogram(int classes, std::vector<std::int64_t> ends)
    : classes(classes), edges(std::move(ends)) {
  counts.assign(static_cast<std::size_t>(classes) * bins(), 0);
}

void DistanceHistogram::add(int k, const std::int32_t* q, std::size_t features) {
  std::int64_t square = 0;  // at most resolution^2 = 2^40
  for (std::size_t i = 0; i < features; ++i) square += std::int64_t{q[i]} * q[i];
  const auto bin = std::lower_bound(edges.begin(), edges.end(), square) - edges.begin();
  ++counts[static_cast<std::size_t>(k) * bins() + static_cast<std::size_t>(bin)];
}

}  // namespace dpmix
