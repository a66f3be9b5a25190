#include "core/query/quantile_draw.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/next_double.hpp"
#include "core/noise/lattice_moments.hpp"
#include "core/random/exponential_choice.hpp"

namespace dpmix {
namespace {

constexpr std::int64_t kMostWhole = std::int64_t{1} << 20;
constexpr std::int64_t kFarthest = std::int64_t{1} << 62;

std::int64_t larger_part(const ExactShare& share) {
  return std::max(share.part, share.whole - share.part);
}

// How many deviations of the tree those of draws may have. Measured (bench/query/quantiles): a tree
// is less off than the noise of its sums where cells hold many rows.
constexpr double kWorth = 0.7;
// Cells far from all rows are as many as there are; a draw is among rows if these are so many
// times its scale away.
constexpr double kScalesAway = 10;

}  // namespace

ExactShare exact_share(double p) {
  // Convergents h/k; the doubles that make them may be rounded, the comparison with p is exact.
  std::int64_t h0 = 0, k0 = 1, h1 = 1, k1 = 0;
  ExactShare best{0, 1};
  for (double x = p;;) {
    const double whole = std::floor(x);
    if (!(whole <= static_cast<double>(kMostWhole))) return best;
    const auto term = static_cast<std::int64_t>(whole);
    const std::int64_t h = term * h1 + h0, k = term * k1 + k0;
    if (k > kMostWhole) return best;
    best = {std::clamp<std::int64_t>(h, 0, k), k};
    if (static_cast<double>(best.part) / static_cast<double>(best.whole) == p || x == whole) {
      return best;
    }
    h0 = h1, k0 = k1, h1 = h, k1 = k;
    x = 1 / (x - whole);
  }
}

std::vector<std::int64_t> quantile_scores(std::span<const Int128> counts, const ExactShare& share) {
  Int128 rows = 0;
  for (const Int128 count : counts) rows += count;
  // The target of p = 0 is the first row: the least value, whatever the number of rows.
  const Int128 target = share.part == 0 ? Int128{share.whole} : rows * share.part;
  std::vector<std::int64_t> scores;
  scores.reserve(2 * counts.size());
  Int128 before = 0;
  for (const Int128 count : counts) {
    const Int128 after = before + count * share.whole;
    // Where a cell ends at p N to the step, the next one is one step away: percentile_disc.
    const Int128 gap = std::max({before + 1 - target, target - after, Int128{0}});
    scores.push_back(-static_cast<std::int64_t>(std::min(gap, Int128{kFarthest})));
    before = after;
  }
  // If there are no rows, each cell is as far away as one row moves it at most.
  if (rows == 0) std::ranges::fill(scores, -larger_part(share));
  const Int128 any = rows * larger_part(share);
  scores.push_back(-static_cast<std::int64_t>(std::min(any, Int128{kFarthest})));
  return scores;
}

DrawShift draw_shift(const ExactShare& share, Adjacency adjacency, int rows, bool grouped) {
  const std::int64_t most = larger_part(share);
  if (adjacency == Adjacency::add_remove) return {2 * most * rows};
  if (!grouped) return {2 * share.whole * rows};
  if (rows > 1) return {4 * most * rows};
  return {2 * share.whole, next_up(static_cast<double>(most) / static_cast<double>(share.whole))};
}

double epsilon_of_draw(const DrawShift& shift, double range) {
  if (shift.pair == 0) return range;
  return std::max(range, next_up(2 * range * shift.pair));
}

int draw_quantile(RandomStream& random, std::span<const Int128> counts, const ExactShare& share,
                  const DrawShift& shift, double range) {
  const ExactRate rate{range, 1, static_cast<std::uint64_t>(shift.steps)};
  std::vector<std::int64_t> scores = quantile_scores(counts, share);
  scores.resize(2 * counts.size(), scores.back());  // as many of the last as there are cells
  const std::size_t drawn = exponential_choice(random, scores, rate);
  return drawn < counts.size() ? static_cast<int>(drawn) : -1;
}

double rank_deviation(const ExactShare& share, const DrawShift& shift, double range) {
  // The distribution is e^{-rate |rank|} on both sides.
  const double steps = static_cast<double>(shift.steps) / static_cast<double>(share.whole);
  return std::numbers::sqrt2 * steps / range;
}

double rank_deviation(const QuantileTree& tree, std::span<const NoiseLaw> laws, double p) {
  constexpr int kPlaces = 64;  // some of the cells stand for all
  const int cells = tree.shape().cells, places = std::min(cells, kPlaces);
  double sum = 0;
  for (int i = 0; i < places; ++i) {
    const auto cell = static_cast<int>((i + .5) / places * cells);
    for (const NoiseTerm& term : tree.weights(p, cell)) {
      const double each = variance(laws[static_cast<std::size_t>(term.law)]);
      sum += term.count * term.weight * term.weight * each;
    }
  }
  return std::sqrt(sum / places);
}

bool are_draws_worth(std::span<const QuantileRank> quantiles, double rows) {
  double draws = 0, trees = 0;
  for (const QuantileRank& each : quantiles) {
    draws += std::numbers::sqrt2 * each.draw_scale;
    trees += each.tree_deviation + rows / (4 * each.tree_cells);  // and the width of a cell
    const double outside = rows * std::min(each.share, 1 - each.share);
    const bool tail = each.share == 0 || each.share == 1;
    if (rows > 0 && !tail && outside < kScalesAway * each.draw_scale && quantiles.size() > 1) {
      return false;
    }
  }
  return draws <= kWorth * trees;
}

}  // namespace dpmix
