// Cells far from most rows of a column, in shells that are the wider the farther they are: where a
// pass counts their rows, few noisy counts say what is there, in place of the noise of thousands of
// cells.
//
// Enters: released rows of fine cells, then noisy counts of shells. Leaves: shells, and the same
// rows with what is far corrected. All of it is post-processing.
#pragma once

#include <span>
#include <vector>

#include "core/query/quantile_tree.hpp"

namespace dpmix {

struct CellSpan {
  int from, to;  // cells
};

struct Tails {
  // From the lowest cells up, and from the highest down; each next to the one before.
  std::vector<CellSpan> low, high;
  std::size_t size() const { return low.size() + high.size(); }
};

// below: rows before each cell, and those of all. noise: of a fine count. near: cells that are no
// tail. None where most rows cannot be told from noise.
Tails find_tails(std::span<const double> below, double noise, CellSpan near);

// The rows below each cell, once the shells' are counted: low's, then high's. What a shell shows
// within its noise counts as nearer to the others.
std::vector<double> with_tails(std::span<const double> below, const Tails& tails,
                               std::span<const double> counts, double noise);

}  // namespace dpmix
