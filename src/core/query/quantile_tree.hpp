// Quantiles from noisy counts by cell, at several widths of cells.
//
// Enters: noisy counts of a tree over the cells of a CellCut: level by level, from wide nodes to
// the cells themselves, each level with its own noise. Leaves: the distribution function that fits
// all levels best (weighted least squares), the cell of a quantile, and the cells between which the
// exact quantile lies. Post-processing: nothing here reads data, but for sum_level, which adds up
// exact counts before noise. Proof, and the formulas: docs/proofs/query_quantiles.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/int128.hpp"
#include "core/query/noise_sum.hpp"

namespace dpmix {

struct TreeShape {
  static constexpr int max_levels = 4;

  // What a column is cut into at most: always, and where rows are known to be many for their noise.
  static constexpr int plain_cells = 4096, fine_cells = 65536;

  int cells = 1;   // that values can be in
  int levels = 1;  // without a root: the first has `branches[0]` nodes
  std::array<int, max_levels> branches = {1, 1, 1, 1};  // children of a node of the level above

  int width(int level) const;  // cells of a node
  int nodes(int level) const;  // of a level, 0..levels-1; the last: cells or a few more
  int all_nodes() const;
};
// One level up to 32 cells, two up to 512, three up to 8192, else four: near the least error under
// any mechanism.
TreeShape tree_shape(int cells);

// Whether fine cells are worth one level more, which makes all levels noisier: by the released
// noise that the levels of trees of plain cells would get, and a public number of rows of a group.
// Never where there are none.
bool are_fine_cells_worth(std::span<const NoiseLaw> plain_levels, double rows);
// How many cells a column of each of `groups` groups, `columns` in all, is cut into at most:
// `finest` (plain_cells or fine_cells), 4096, 256 or 16, so that all together are at most 2^22; 0:
// there are too many groups.
int most_cells(std::int64_t groups, int columns, int finest);

// The nodes of one level from exact counts of the cells: added to what is in nodes.
void sum_level(const TreeShape& shape, int level, std::span<const std::int64_t> cells,
               Int128* nodes);

// F: rows at or below the end of each cell, estimated; total: all rows.
struct CellDistribution {
  std::vector<double> below;
  double total;
  double magnitude;  // of all noisy counts together: roundings are in proportion to it
};

class QuantileReaches;

class QuantileTree {
 public:
  // laws: of the released noise of each level, in rows.
  QuantileTree(const TreeShape& shape, std::span<const NoiseLaw> laws);

  CellDistribution fit(std::span<const Int128> nodes) const;  // noisy, level after level

  // What the noise of each level weighs in F(k) - p * total, for boundary k and quantile p. k = -1:
  // in the total.
  std::vector<NoiseTerm> weights(double p, int k) const;
  // What quantile_range() asks for. Error PV005 unless 0 < level < 1.
  QuantileReaches reaches(double p, double level) const;

  const TreeShape& shape() const { return shape_; }

 private:
  void add_subtrees(int level, double weight, double count, std::vector<NoiseTerm>& terms) const;

  TreeShape shape_;
  std::vector<NoiseLaw> laws_;
  std::array<double, TreeShape::max_levels> own_{};  // kappa: the weight of a node's own count
};

// The reach of the noise of F(k) - p * total, for each cell but the last, and in its place that of
// the total. Passed, on one side, with a share of (1 - level) / 2: that of the widest nodes that
// end with the cell; that of the total with 1 - level. Each is computed when it is first asked for:
// an interval needs a few dozen of them.
class QuantileReaches {
 public:
  QuantileReaches(const QuantileTree& tree, std::span<const NoiseLaw> laws, double p, double level);

  double operator[](std::size_t cell) const;
  std::size_t size() const { return reach_.size(); }

 private:
  double computed(std::size_t cell) const;

  QuantileTree tree_;
  double p_;
  std::optional<NoiseSum> noise_;      // none: the noise is so wild that every reach is infinite
  mutable std::vector<double> reach_;  // or below 0: not yet known
};

// The cell of the quantile, or -1 where there seem to be no rows: the middle of the bounds.
int quantile_cell(const CellDistribution& rows, double p);

struct CellRange {
  int low, high;     // cells
  bool maybe_empty;  // there may be no rows: then the middle of the bounds belongs to the interval
  bool empty;        // there are none: nothing else does
};
// Holds the exact quantile's cell with the level of the reaches, and quantile_cell always: looks
// for its ends as in the tree, from wide nodes to cells.
CellRange quantile_range(const TreeShape& shape, const CellDistribution& rows, double p,
                         const QuantileReaches& reaches);

}  // namespace dpmix
