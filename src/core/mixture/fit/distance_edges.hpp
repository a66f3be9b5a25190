// Bins of distance by which a mechanism finds how wide the rows around a centre are: from a
// thousandth of the box to its diagonal, each some factor wider than the one before.
//
// Lengths in units of the box (half widths of 1). Public numbers alone.
#pragma once

#include <cmath>
#include <vector>

namespace dpmix {

struct GmmDistances {
  static constexpr int bins = 19;

  int features;

  // The farthest that a row can be from a centre, both in the box.
  double farthest() const { return 2 * std::sqrt(features); }
  // Where a bin ends; the last at the box's diagonal.
  double end(int bin) const {
    constexpr double inner = 2e-3;
    return inner * std::pow(farthest() / inner, bin / (bins - 1.));
  }
  // The ends as the aggregate wants them: squared, in lattice steps.
  std::vector<double> edges(double step) const {
    std::vector<double> edges;
    for (int i = 0; i < bins - 1; ++i) {
      const double edge = end(i) / step;
      edges.push_back(std::floor(edge * edge));
    }
    return edges;
  }
};

}  // namespace dpmix
