// A quantile drawn from the cells of a column: the exponential mechanism on exact counts.
//
// Enters: exact counts of rows by cell, the share p of the quantile, and how much of epsilon the
// draw may show. Leaves: one cell, near the quantile the more likely; no count, and not how many
// rows there are. P(cell) is proportional to e^{-rate gap}, gap the number of rows by which p N
// lies outside of the cell, in steps of 1/b for p = a/b. Exact: no double decides.
// Guaranteed: between neighbours the log ratios of one draw lie in an interval of the length
// `range`. Proof, and the sensitivities: docs/proofs/query_quantile_draws.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/adjacency.hpp"
#include "core/base/int128.hpp"
#include "core/query/quantile_tree.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

struct ExactShare {  // part / whole, 0 <= part <= whole <= 2^20
  std::int64_t part, whole;
};
// The fraction with the least whole that is this double, 0 <= p <= 1; where none is that small, the
// last convergent of its continued fraction that is, less than 2^-20 away.
ExactShare exact_share(double p);

// The score of each cell: 0 where it holds the quantile, less by 1 for each step that it is away;
// last that of the answer that there is no row. At most 0, at least -2^62.
std::vector<std::int64_t> quantile_scores(std::span<const Int128> counts, const ExactShare& share);

// How far neighbours move the scores of a statistic, in one group after the other.
struct DrawShift {
  std::int64_t steps;  // all log ratios of a draw lie within rate * steps
  // Where it is not 0 they may instead be two draws, in two groups, each within this part of that.
  double pair = 0;
};
// The shift between neighbours that differ in a unit of so many rows. The adjacency is not `label`.
DrawShift draw_shift(const ExactShare& share, Adjacency adjacency, int rows, bool grouped);
// What draws of this range guarantee in all groups: (epsilon, 0)-DP.
double epsilon_of_draw(const DrawShift& shift, double range);

// The cell; -1: there seem to be no rows, which is then as likely as all cells together, or more.
int draw_quantile(RandomStream& random, std::span<const Int128> counts, const ExactShare& share,
                  const DrawShift& shift, double range);

// Ranks by which a draw is off, about, where values are spread evenly: a standard deviation.
double rank_deviation(const ExactShare& share, const DrawShift& shift, double range);
// The same of a quantile that is read from a tree.
double rank_deviation(const QuantileTree& tree, std::span<const NoiseLaw> laws, double p);

struct QuantileRank {  // of one quantile
  double share;
  double draw_scale;      // of a draw: e^{-rank / scale}
  double tree_deviation;  // rank_deviation() of the tree
  int tree_cells;
};
// Whether draws are less off than trees, by public numbers alone. rows: of a group; 0: not known.
bool are_draws_worth(std::span<const QuantileRank> quantiles, double rows);

}  // namespace dpmix
