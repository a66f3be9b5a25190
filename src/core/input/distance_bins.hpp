// How far a placed row lies from the centre of its class, as the number of a bin.
//
// Enters: public edges, as squared distances in lattice steps, ascending; integer vectors q as
// FramePlacer makes them. Bin i holds edges[i-1] < sum q_i^2 <= edges[i], the last one all that is
// left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/input/moment_frame.hpp"

namespace dpmix {

// What a pass over distances carries: a frame, then the edges.
struct DistanceBins {
  static constexpr std::size_t max_edges = 1000;

  MomentFrame frame;
  std::vector<double> edges;

  int bins() const { return static_cast<int>(edges.size()) + 1; }
  // Error PV005 unless the edges are 1 to max_edges finite whole numbers >= 0, strictly ascending.
  static DistanceBins unpack(std::span<const double> packed);
};

inline int distance_bin(std::span<const double> edges, const std::int32_t* q,
                        std::size_t features) {
  std::int64_t square = 0;  // at most resolution^2 = 2^40, so a double holds it
  for (std::size_t i = 0; i < features; ++i) square += std::int64_t{q[i]} * q[i];
  const auto edge = std::lower_bound(edges.begin(), edges.end(), static_cast<double>(square));
  return static_cast<int>(edge - edges.begin());
}

}  // namespace dpmix
