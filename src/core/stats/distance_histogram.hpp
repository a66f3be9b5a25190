// Per class: how many rows lie how far from the class's centre.
//
// Enters: integer vectors q as FramePlacer makes them, and the squared distances at which bins end.
// Leaves: exact counts, mergeable, equal for any order of rows: each row is in one bin of one
// class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dpmix {

// edges: ascending; bin i holds edges[i-1] < sum q_i^2 <= edges[i], the last one all that is left.
struct DistanceHistogram {
  int classes = 0;
  std::vector<std::int64_t> edges;
  std::vector<std::int64_t> counts;  // class by class, bins() each

  DistanceHistogram(int classes, std::vector<std::int64_t> edges);
  std::size_t bins() const { return edges.size() + 1; }
  void add(int k, const std::int32_t* q, std::size_t features);
  std::int64_t count(int k, std::size_t bin) const {
    return counts[static_cast<std::size_t>(k) * bins() + bin];
  }
};

}  // namespace dpmix
