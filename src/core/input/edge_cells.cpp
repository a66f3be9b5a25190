#include "core/input/edge_cells.hpp"

#include <algorithm>
#include <string>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {

void check_edges(std::span<const double> edges) {
  const bool ascending =
      std::ranges::adjacent_find(edges, [](double a, double b) { return !(a < b); }) == edges.end();
  if (edges.size() >= 2 && edges.size() <= kMostEdges && ascending) return;
  refuse_parameter(
      "invalid edges of a histogram",
      std::to_string(edges.size()) + (ascending ? " edges were given."
                                                : " edges were given, not each above the "
                                                  "one before."),
      "Pass 2 to 1000 edges in strictly ascending order; the first may be -Infinity, the "
      "last Infinity.");
}

}  // namespace dpmix
