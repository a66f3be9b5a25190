// Which cell between public edges a value is in: the cells of a histogram.
//
// Enters: edges, strictly ascending, of which the first may be -infinity and the last infinity.
// Leaves: i where edge i <= value < edge i+1, by comparison alone, or no cell.
// docs/proofs/query_quantiles.md.
#pragma once

#include <cstddef>
#include <span>

namespace dpmix {

constexpr std::size_t kMostEdges = 1000;

// Error PV005 unless there are 2 to kMostEdges, strictly ascending, none of them NaN.
void check_edges(std::span<const double> edges);

// 0..edges-2, or -1: below the first edge or not below the last. value is not NaN.
inline int edge_cell(std::span<const double> edges, double value) {
  std::size_t cell = 0, size = edges.size();  // edges[cell] <= value, unless cell is 0
  while (size > 1) {
    const std::size_t half = size / 2;
    cell = edges[cell + half] <= value ? cell + half : cell;
    size -= half;
  }
  const bool inside = edges[0] <= value && cell + 1 < edges.size();
  return inside ? static_cast<int>(cell) : -1;
}

}  // namespace dpmix
