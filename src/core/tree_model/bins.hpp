// Private bins of a number: from the released distribution over many fine cells, from what is far
// from most rows, and from the values within full cells that many rows share.
//
//   CutColumn fine = cut_column(values, fine_cells);
//   CellDistribution rows = ... noisy counts of the fine cells, as a tree ...
//   Zoom zoom(fine, rows, noise);                      // looks into full cells, and at tails
//   rows = zoom.rows(rows, noisy counts, noise);
//   CutColumn column = bin_column(fine, rows, zoom.spikes(noisy counts, noise), bins, noise);
//
// All of it is post-processing.
#pragma once

#include <span>
#include <vector>

#include "core/query/quantile_tree.hpp"
#include "core/tree_model/column_cut.hpp"
#include "core/tree_model/tails.hpp"

namespace dpmix {

constexpr int fine_cells = 4096;
constexpr int most_bins = 32;

// A value that many rows share.
struct Spike {
  double value;
  double rows;  // noisy
};

// The fine cells that hold many rows, cut again.
class Zoom {
 public:
  // noise: the deviation of a fine count. columns: how many are looked into in the same pass, whose
  // tables together have at most MarginalTables::most_cells cells.
  Zoom(const CutColumn& fine, const CellDistribution& rows, double noise, int columns = 1);

  bool empty() const {
    return full_.empty() && tails_.size() == 0;
  }  // there is nothing to look into
  // Each part of a full cell has a code of its own, as has each shell of a tail; all else has code
  // 0.
  const ColumnCells& cells() const { return cells_; }
  // counts: of each code. Of each full cell the part with the most rows, if these stand out; its
  // value is the one with the fewest decimals. Ascending.
  std::vector<Spike> spikes(std::span<const double> counts, double noise) const;
  // Rows of the fine cells once these counts are known.
  CellDistribution rows(const CellDistribution& rows, std::span<const double> counts,
                        double noise) const;

 private:
  struct Full {
    int first, parts;  // codes
    double rows;
  };
  ColumnCells cells_;
  bool whole_;
  std::vector<Full> full_;
  Tails tails_;              // whose shells have the first codes
  std::vector<Spike> ends_;  // cells of one value: the bounds
  std::vector<double> low_;  // of each code, and where the next one begins
  std::vector<double> high_;
};

// Bins of about equal numbers of rows; a cell that has as many rows alone stays alone. Pieces of a
// bin and spikes, weighed by the same counts, become its cells. noise: of a fine count.
CutColumn bin_column(const CutColumn& fine, const CellDistribution& rows,
                     std::span<const Spike> spikes, int bins, double noise);

}  // namespace dpmix
