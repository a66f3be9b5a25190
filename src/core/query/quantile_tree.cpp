#include "core/query/quantile_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/poll.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 22;  // of all groups and columns
constexpr Int128 kMostRows = Int128{1} << 52;               // that a double holds with all halves
// How many rows a group must have, in deviations of a level's noise, for fine cells to be worth a
// level more. Measured: docs/proofs/query_quantiles.md.
constexpr double kFineRows = 98304;
constexpr double kFineRowsGaussian = 65536;  // which grows by sqrt(4/3) then, not by 4/3
constexpr double kMostNoise = 0x1p40;        // with more, counts may be cut at kMostRows by chance

// Comparing G with 0 at the very quantile, at both ends of the range:
// docs/proofs/query_quantiles.md.
double excess(const CellDistribution& rows, double p, int k) {
  const double half = p == 0 ? -0.5 : p == 1 ? 0.5 : 0;
  return (rows.below[static_cast<std::size_t>(k)] - p * rows.total) + half;
}

// What the test at the nodes of a level has of the chance to be wrong: half goes to the cells,
// which decide where rows are many.
double share_of_level(const TreeShape& shape, int level) {
  if (shape.levels == 1) return 1;
  return level == shape.levels - 1 ? 0.5 : 0.5 / (shape.levels - 1);
}

int cells_of(const CellDistribution& rows) {
  return static_cast<int>(rows.below.size());
}

}  // namespace

int TreeShape::width(int level) const {
  int cells = 1;
  for (int l = level + 1; l < levels; ++l) cells *= branches[static_cast<std::size_t>(l)];
  return cells;
}

int TreeShape::nodes(int level) const {
  int count = 1;
  for (int l = 0; l <= level; ++l) count *= branches[static_cast<std::size_t>(l)];
  return count;
}

int TreeShape::all_nodes() const {
  int count = 0;
  for (int l = 0; l < levels; ++l) count += nodes(l);
  return count;
}

TreeShape tree_shape(int cells) {
  TreeShape shape;
  shape.cells = cells;
  shape.levels = cells <= 32 ? 1 : cells <= 512 ? 2 : cells <= 8192 ? 3 : 4;
  int left = cells;
  for (int l = 0; l < shape.levels; ++l) {
    int branch = 1;  // the least whose power of the levels left reaches the cells left
    const int deep = shape.levels - l;
    while (std::pow(branch, deep) < left) ++branch;
    shape.branches[static_cast<std::size_t>(l)] = branch;
    left = (left + branch - 1) / branch;
  }
  return shape;
}

bool are_fine_cells_worth(std::span<const NoiseLaw> plain_levels, double rows) {
  const auto small = [rows](const NoiseLaw& law) {
    const double each = law.family == Family::gaussian ? kFineRowsGaussian : kFineRows;
    return each * std::sqrt(variance(law)) <= rows;
  };
  return !plain_levels.empty() && std::ranges::all_of(plain_levels, small);
}

int most_cells(std::int64_t groups, int columns, int finest) {
  for (const int cells : {TreeShape::fine_cells, TreeShape::plain_cells, 256, 16}) {
    if (cells <= finest && groups <= kMostCells / cells / std::max(columns, 1)) return cells;
  }
  return 0;
}

void sum_level(const TreeShape& shape, int level, std::span<const std::int64_t> cells,
               Int128* nodes) {
  const auto width = static_cast<std::size_t>(shape.width(level));
  for (std::size_t i = 0; i < cells.size(); ++i) nodes[i / width] += cells[i];
}

QuantileTree::QuantileTree(const TreeShape& shape, std::span<const NoiseLaw> laws)
    : shape_(shape), laws_(laws.begin(), laws.end()) {
  // Relative to the last level, so that noise of any size has a weight; a law may have none.
  const auto size = [](const NoiseLaw& law) { return std::clamp(variance(law), 1e-100, 1e200); };
  const double unit = size(laws_.back());
  double subtree = 1;
  for (int l = shape.levels - 1; l >= 0; --l) {
    const auto level = static_cast<std::size_t>(l);
    const double own = size(laws_[level]) / unit;
    if (l == shape.levels - 1) {
      own_[level] = 1;
    } else {
      const double children = shape.branches[level + 1] * subtree;
      own_[level] = children / (own + children);
    }
    subtree = own_[level] * own;
  }
}

CellDistribution QuantileTree::fit(std::span<const Int128> nodes) const {
  CellDistribution rows;
  rows.magnitude = 0;
  std::vector<double> z;
  z.reserve(nodes.size());
  for (const Int128 noisy : nodes) {
    z.push_back(static_cast<double>(std::clamp(noisy, -kMostRows, kMostRows)));
    rows.magnitude += std::abs(z.back());
  }
  // Up: each node from its own count and its children. S + own * (y - S) is S where they agree.
  std::size_t here = nodes.size() - static_cast<std::size_t>(shape_.nodes(shape_.levels - 1));
  std::vector<std::vector<double>> left(TreeShape::max_levels);  // of a node, over its children
  for (int l = shape_.levels - 2; l >= 0; --l) {
    const auto level = static_cast<std::size_t>(l);
    const auto children = static_cast<std::size_t>(shape_.branches[level + 1]);
    const auto count = static_cast<std::size_t>(shape_.nodes(l));
    double* const parent = z.data() + here - count;
    left[level].resize(count);
    for (std::size_t v = 0; v < count; ++v) {
      const double* const child = z.data() + here + v * children;
      const double sum = std::accumulate(child, child + children, 0.0);
      parent[v] = sum + own_[level] * (parent[v] - sum);
      left[level][v] = parent[v] - sum;
    }
    here -= count;
  }
  // Down: what a node has over its children is shared by them alike.
  std::vector<double> share(static_cast<std::size_t>(shape_.nodes(0)), 0.0);
  for (int l = 0; l < shape_.levels - 1; ++l) {
    const auto level = static_cast<std::size_t>(l);
    const auto children = static_cast<std::size_t>(shape_.branches[level + 1]);
    std::vector<double> below;
    below.reserve(share.size() * children);
    for (std::size_t v = 0; v < share.size(); ++v) {
      below.insert(below.end(), children,
                   (left[level][v] + share[v]) / static_cast<double>(children));
    }
    share = std::move(below);
  }
  const double* const leaf = z.data() + z.size() - share.size();
  double sum = 0;
  rows.below.reserve(static_cast<std::size_t>(shape_.cells));
  for (std::size_t i = 0; i < share.size(); ++i) {
    sum += leaf[i] + share[i];
    if (i < static_cast<std::size_t>(shape_.cells)) rows.below.push_back(sum);
  }
  rows.total = sum;
  return rows;
}

void QuantileTree::add_subtrees(int level, double weight, double count,
                                std::vector<NoiseTerm>& terms) const {
  for (int l = level; l < shape_.levels; ++l) {
    const auto i = static_cast<std::size_t>(l);
    terms.push_back({l, weight * own_[i], count});
    weight *= 1 - own_[i];
    if (l + 1 < shape_.levels) count *= shape_.branches[i + 1];
  }
}

std::vector<NoiseTerm> QuantileTree::weights(double p, int k) const {
  std::vector<NoiseTerm> terms;
  if (k < 0) {
    add_subtrees(0, 1, shape_.branches[0], terms);
    return terms;
  }
  std::array<int, TreeShape::max_levels> place{};  // on the path to cell k: the child's number
  // Estimates of a node's children weigh 1 - p before the path, -p after it, `path` on it.
  std::array<double, TreeShape::max_levels> path{}, mean{};
  double on_path = 1 - p;
  for (int l = shape_.levels - 1; l >= 0; --l) {
    const auto i = static_cast<std::size_t>(l);
    place[i] = k % shape_.branches[i];
    k /= shape_.branches[i];
    path[i] = on_path;
    const int after = shape_.branches[i] - 1 - place[i];
    mean[i] = on_path = ((1 - p) * place[i] + path[i] - p * after) / shape_.branches[i];
  }
  double passed = 0;  // what the node above passes on to each child
  for (int l = 0; l < shape_.levels; ++l) {
    const auto i = static_cast<std::size_t>(l);
    const double all = passed - (l == 0 ? 0 : mean[i]);
    add_subtrees(l, 1 - p + all, place[i], terms);
    add_subtrees(l, -p + all, shape_.branches[i] - 1 - place[i], terms);
    const double here = path[i] + all;
    terms.push_back({l, here * own_[i], 1});
    passed = here * (1 - own_[i]);
  }
  return terms;
}

QuantileReaches QuantileTree::reaches(double p, double level) const {
  return {*this, laws_, p, level};
}

QuantileReaches::QuantileReaches(const QuantileTree& tree, std::span<const NoiseLaw> laws, double p,
                                 double level)
    : tree_(tree), p_(p), reach_(static_cast<std::size_t>(tree.shape().cells), -1) {
  check_level(level);
  const auto wild = [](const NoiseLaw& law) { return variance(law) > kMostNoise * kMostNoise; };
  if (std::ranges::any_of(laws, wild)) return;
  const TreeShape& shape = tree.shape();
  std::vector<double> tails;
  for (int l = 0; l < shape.levels; ++l) {
    tails.push_back((1 - level) / 2 * share_of_level(shape, l));
  }
  tails.push_back(1 - level);  // over no rows nothing but the total can be wrong
  noise_.emplace(laws, shape.all_nodes(), tails);
}

double QuantileReaches::computed(std::size_t cell) const {
  if (!noise_) return std::numeric_limits<double>::infinity();
  poll();
  const TreeShape& shape = tree_.shape();
  const int k = static_cast<int>(cell);
  if (k + 1 == shape.cells) {
    return noise_->reach(tree_.weights(p_, -1), static_cast<std::size_t>(shape.levels));
  }
  int l = 0;
  while ((k + 1) % shape.width(l) != 0) ++l;
  return noise_->reach(tree_.weights(p_, k), static_cast<std::size_t>(l));
}

double QuantileReaches::operator[](std::size_t cell) const {
  double& reach = reach_[cell];
  if (reach < 0) reach = computed(cell);
  return reach;
}

int quantile_cell(const CellDistribution& rows, double p) {
  if (!(rows.total > 0)) return -1;
  const int cells = cells_of(rows);
  // The isotonic regression of the excess crosses 0 where its sum is least.
  int best = 0;
  double sum = 0, least = 0;
  for (int k = 0; k + 1 < cells; ++k) {
    sum += excess(rows, p, k);
    if (sum < least) {
      least = sum;
      best = k + 1;
    }
  }
  while (best + 1 < cells && excess(rows, p, best) < 0) ++best;  // a sum that lost a small term
  return best;
}

CellRange quantile_range(const TreeShape& shape, const CellDistribution& rows, double p,
                         const QuantileReaches& reaches) {
  // Covers the roundings of the fit; where no noise is drawn there are none.
  const double rounding = 0x1p-33 * (rows.magnitude + 1);
  const auto reach = [&](int k) {
    const double noise = reaches[static_cast<std::size_t>(k)];
    return noise == 0 ? 0 : noise + rounding;
  };
  const auto above = [&](int k) { return excess(rows, p, k) + reach(k) < 0; };
  const auto within = [&](int k) { return excess(rows, p, k) - reach(k) >= 0; };
  const double most = reach(shape.cells - 1);
  CellRange range = {0, 0, rows.total <= most, rows.total <= 0 && most == 0};
  // The first child of the node found so far whose end the quantile may not be above; that it is
  // not above the end of the last one is known.
  for (int l = 0, end = shape.cells; l < shape.levels; ++l) {
    const int width = shape.width(l);
    while (range.low + width < end && above(range.low + width - 1)) range.low += width;
    end = std::min(end, range.low + width);
  }
  // The last one that the quantile may not lie before.
  for (int l = 0, end = shape.cells; l < shape.levels; ++l) {
    const int width = shape.width(l), begin = range.high;
    range.high = begin + (end - 1 - begin) / width * width;
    while (range.high > begin && within(range.high - 1)) range.high -= width;
    end = std::min(end, range.high + width);
  }
  const int answer = quantile_cell(rows, p);
  if (answer < 0) return range;
  range.low = std::min(range.low, answer);
  range.high = std::max(range.high, answer);
  return range;
}

}  // namespace dpmix
