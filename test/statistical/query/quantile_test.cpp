// Quantiles from noisy trees: do their intervals cover, and is a tree worth its levels?
//
// Draws come from a fixed stream: a run that fails by chance has probability below 1e-9.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "core/noise/calibration.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/quantile_tree.hpp"
#include "statistical/goodness_of_fit.hpp"

namespace dpmix {
namespace {

using Cells = std::vector<std::int64_t>;

std::vector<Int128> noisy_levels(const TreeShape& shape, const Cells& cells,
                                 const NoiseSampler& noise, RandomStream& random) {
  std::vector<Int128> nodes(static_cast<std::size_t>(shape.all_nodes()));
  Int128* level = nodes.data();
  for (int l = 0; l < shape.levels; level += shape.nodes(l++)) sum_level(shape, l, cells, level);
  for (Int128& node : nodes) node += noise(random);
  return nodes;
}

int exact_cell(const Cells& cells, double p) {
  std::int64_t total = 0, below = 0;
  for (std::int64_t count : cells) total += count;
  for (int k = 0;; ++k) {
    below += cells[static_cast<std::size_t>(k)];
    if (static_cast<double>(below) >= std::max(p * static_cast<double>(total), 1.0)) return k;
  }
}

struct Table {
  std::string name;
  Cells cells;
};
std::vector<Table> tables(int size) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<Table> out = {{"uniform", Cells(static_cast<std::size_t>(size))},
                            {"log-normal", Cells(static_cast<std::size_t>(size))},
                            {"two points", Cells(static_cast<std::size_t>(size))},
                            {"few rows", Cells(static_cast<std::size_t>(size))}};
  const auto add = [&](int table, double at) {
    ++out[static_cast<std::size_t>(table)]
          .cells[static_cast<std::size_t>(std::clamp(at, 0.0, size - 1.0))];
  };
  for (int i = 0; i < 3000; ++i) {
    add(0, static_cast<double>(random() % static_cast<unsigned>(size)));
    add(1, std::exp(normal(random)) * size / 20);
    add(2, i % 10 < 3 ? size / 7 : size / 2);
    if (i < 20) add(3, static_cast<double>(random() % static_cast<unsigned>(size)));
  }
  return out;
}

const NoiseLaw kGaussian = {.family = Family::gaussian, .sensitivity = 1, .scale = 8.3};
const NoiseLaw kSmall = {.family = Family::gaussian, .sensitivity = 1, .scale = 0.6};
const NoiseLaw kGeometric = {.family = Family::laplace, .sensitivity = 1, .scale = 6};
const NoiseLaw kWide = {.family = Family::laplace, .sensitivity = 1, .scale = 3000};

// Each case covers with probability `level` at least, so the sum of cases is at least binomial.
TEST(Quantile, IntervalsCover) {
  const std::uint64_t draws = test::draws(60);
  const NoiseLaw steps = calibrate_on_lattice(Family::optimal, 0.4, 1e-6, 1, std::nullopt).law;
  const NoiseLaw mixture = {Family::multi_gaussian, 1, 3.1, 3, 0.5};
  RandomStream random({11});
  for (const NoiseLaw& law : {kGaussian, kSmall, kGeometric, steps, mixture}) {
    const NoiseSampler noise(law);
    for (double level : {0.5, 0.95}) {
      std::uint64_t covered = 0, tried = 0;
      for (int size : {65536, 4096, 100, 20}) {
        const TreeShape shape = tree_shape(size);
        const QuantileTree tree(shape,
                                std::vector<NoiseLaw>(static_cast<std::size_t>(shape.levels), law));
        for (double p : {0.0, 0.5, 0.9, 1.0}) {
          const QuantileReaches reaches = tree.reaches(p, level);
          for (const Table& table : tables(size)) {
            const int exact = exact_cell(table.cells, p);
            const std::uint64_t here = size == TreeShape::fine_cells ? draws / 10 : draws;
            for (std::uint64_t i = 0; i < here; ++i, ++tried) {
              const CellDistribution fit =
                  tree.fit(noisy_levels(shape, table.cells, noise, random));
              const CellRange range = quantile_range(shape, fit, p, reaches);
              covered += !range.empty && range.low <= exact && exact <= range.high;
            }
          }
        }
      }
      const double share = static_cast<double>(covered) / static_cast<double>(tried);
      std::printf("%s at %g: %.3f covered\n", std::string(name(law.family)).c_str(), level, share);
      EXPECT_TRUE(share >= level || test::binomial_p_value(tried, level, covered) > 1e-10)
          << name(law.family) << " " << level << " " << share;
    }
  }
}

// At one boundary, over no rows: passed with the share of its level, half of .25, and hardly less.
TEST(Quantile, ReachesArePassedAsOftenAsSaid) {
  RandomStream random({14});
  const TreeShape shape = tree_shape(256);
  constexpr std::uint64_t kDraws = 20000;
  constexpr std::array<std::size_t, 2> kCells = {95, 100};  // the last of a node, and one inside
  for (const NoiseLaw& law : {kGaussian, kSmall, kGeometric, kWide}) {
    const QuantileTree tree(shape, std::vector{law, law});
    const QuantileReaches reaches = tree.reaches(0.3, 0.5);
    const NoiseSampler noise(law);
    std::array<std::uint64_t, kCells.size()> above{}, below{};
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const CellDistribution fit = tree.fit(noisy_levels(shape, Cells(256), noise, random));
      for (std::size_t c = 0; c < kCells.size(); ++c) {
        const double off = fit.below[kCells[c]] - 0.3 * fit.total;
        above[c] += off > reaches[kCells[c]];
        below[c] += off < -reaches[kCells[c]];
      }
    }
    const double said = 0.125;
    for (const std::uint64_t passed : {above[0], above[1], below[0], below[1]}) {
      const double share = static_cast<double>(passed) / kDraws;
      EXPECT_TRUE(share <= said || test::binomial_p_value(kDraws, said, passed) > 1e-10) << share;
      EXPECT_GT(share, said * 0.82) << name(law.family) << " " << law.scale;
    }
  }
}

// Over no rows the middle of the bounds must be in the interval.
TEST(Quantile, IntervalsOfEmptyGroupsHoldTheMiddle) {
  RandomStream random({12});
  const TreeShape shape = tree_shape(256);
  const QuantileTree tree(shape, std::vector{kGaussian, kGaussian});
  const QuantileReaches reaches = tree.reaches(0.5, 0.5);
  const NoiseSampler noise(kGaussian);
  std::uint64_t held = 0;
  for (int i = 0; i < 4000; ++i) {
    const CellDistribution fit = tree.fit(noisy_levels(shape, Cells(256), noise, random));
    held += quantile_range(shape, fit, 0.5, reaches).maybe_empty;
  }
  EXPECT_GT(held, 4000 * 0.50 - 6 * std::sqrt(4000 * 0.25));
  EXPECT_LT(held, 4000 * 0.70);  // rounding errors of counts take something
}

// Rows between the answer and the exact quantile: root of the mean square, of one law's budget.
double rank_error(const TreeShape& shape, const NoiseLaw& law, const Table& table, double p,
                  RandomStream& random) {
  const QuantileTree tree(shape,
                          std::vector<NoiseLaw>(static_cast<std::size_t>(shape.levels), law));
  const NoiseSampler noise(law);
  double total = 0, squares = 0;
  for (std::int64_t count : table.cells) total += static_cast<double>(count);
  constexpr int kDraws = 60;
  for (int i = 0; i < kDraws; ++i) {
    const int cell =
        std::max(0, quantile_cell(tree.fit(noisy_levels(shape, table.cells, noise, random)), p));
    double below = 0;
    for (int k = 0; k < cell; ++k)
      below += static_cast<double>(table.cells[static_cast<std::size_t>(k)]);
    const double with = below + static_cast<double>(table.cells[static_cast<std::size_t>(cell)]);
    // The exact rank lies in the answer's cell, or is as far as the nearer end.
    const double off = std::max({0.0, below - p * total, p * total - with});
    squares += off * off;
  }
  return std::sqrt(squares / kDraws);
}

TEST(Quantile, TreesBeatFlatHistograms) {
  RandomStream random({13});
  const TreeShape tree = tree_shape(4096);
  TreeShape flat;
  flat.cells = 4096;
  flat.branches = {4096, 1, 1, 1};
  const auto check = [&](NoiseLaw one, double times) {
    NoiseLaw third = one;
    third.scale *= times;
    for (const Table& table : tables(4096)) {
      if (table.name == "few rows" || table.name == "two points") continue;
      for (double p : {0.25, 0.5, 0.9}) {
        const double with = rank_error(tree, third, table, p, random);
        const double without = rank_error(flat, one, table, p, random);
        std::printf("%s scale %g, %s, p %g: tree %.1f rows, flat %.1f\n",
                    std::string(name(one.family)).c_str(), one.scale, table.name.c_str(), p, with,
                    without);
        EXPECT_LT(with * 1.5, without) << table.name << " " << p;
      }
    }
  };
  for (double scale : {1.0, 5.0, 20.0}) {
    check({.family = Family::gaussian, .sensitivity = 1, .scale = scale}, std::sqrt(3.0));
    check({.family = Family::laplace, .sensitivity = 1, .scale = scale}, 3);
  }
}

// Of a median, in plain cells: the answer is the middle of a cell, so that without noise a quarter
// of the cell is left on average.
double median_error(const std::vector<double>& sorted, int cells, const NoiseLaw& law, int draws,
                    RandomStream& random) {
  const TreeShape shape = tree_shape(cells);
  const double width = 1.0 / TreeShape::plain_cells;
  Cells counts(static_cast<std::size_t>(cells));
  for (double x : sorted) ++counts[static_cast<std::size_t>(x * cells)];
  const QuantileTree tree(shape,
                          std::vector<NoiseLaw>(static_cast<std::size_t>(shape.levels), law));
  const NoiseSampler noise(law);
  double error = 0;
  for (int i = 0; i < draws; ++i) {
    const int cell = quantile_cell(tree.fit(noisy_levels(shape, counts, noise, random)), 0.5);
    error += std::abs((cell + 0.5) / cells - sorted[(sorted.size() - 1) / 2]);
  }
  return error / draws / width;
}

// At the least number of rows for which there are fine cells, of one budget, they are worth it. The
// control is a fifth of the rows and less, for which they would be worse.
TEST(Quantile, FineCellsAreWorthTheirNoise) {
  RandomStream random({15});
  std::mt19937_64 stream(7);
  std::lognormal_distribution<double> wage(-2.2, 0.6);
  const auto rows = [&](int count) {
    std::vector<double> out;
    while (std::ssize(out) < count) {
      const double x = wage(stream);
      if (x < 1) out.push_back(x);
    }
    std::ranges::sort(out);
    return out;
  };
  // Of several tables: in some the median is the middle of a plain cell.
  const auto ratio = [&](int count, Family family, double scale) {
    const NoiseLaw plain = {.family = family, .sensitivity = 1, .scale = scale};
    NoiseLaw fine = plain;
    fine.scale *= family == Family::gaussian ? std::sqrt(4. / 3) : 4. / 3;
    const int tables = count > 100000 ? 4 : 16;
    double with = 0, without = 0;
    for (int i = 0; i < tables; ++i) {
      const std::vector<double> sorted = rows(count);
      with += median_error(sorted, TreeShape::fine_cells, fine, 20, random) / tables;
      without += median_error(sorted, TreeShape::plain_cells, plain, 20, random) / tables;
    }
    std::printf("%s scale %g, %d rows: %.3f of a plain cell, plain %.3f\n",
                std::string(name(family)).c_str(), scale, count, with, without);
    return with / without;
  };
  // A column alone at epsilon 1: Gaussian of deviation 7.3 with delta 1e-6, geometric of 4.2.
  const std::pair<Family, double> laws[] = {{Family::gaussian, 7.3}, {Family::laplace, 2.97}};
  for (const auto& [family, scale] : laws) {
    const NoiseLaw law = {.family = family, .sensitivity = 1, .scale = scale};
    const auto worth = [&](int count) { return are_fine_cells_worth(std::vector(3, law), count); };
    ASSERT_TRUE(worth(500000));
    ASSERT_FALSE(worth(30000));
    EXPECT_LT(ratio(500000, family, scale), 0.5);
  }
  EXPECT_GT(ratio(30000, Family::laplace, 15), 1.1);
}

}  // namespace
}  // namespace dpmix
