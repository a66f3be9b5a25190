#include "core/query/quantile_tree.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "core/base/error.hpp"
#include "core/noise/calibration.hpp"
#include "core/noise/sampler.hpp"

namespace dpmix {
namespace {

NoiseLaw gaussian(double scale) {
  return {.family = Family::gaussian, .sensitivity = 1, .scale = scale};
}
std::vector<NoiseLaw> laws(const TreeShape& shape, double scale, double growth = 1) {
  std::vector<NoiseLaw> out;
  for (int l = 0; l < shape.levels; ++l) out.push_back(gaussian(scale * std::pow(growth, l)));
  return out;
}

std::vector<Int128> levels_of(const TreeShape& shape, const std::vector<std::int64_t>& cells) {
  std::vector<Int128> nodes(static_cast<std::size_t>(shape.all_nodes()));
  Int128* level = nodes.data();
  for (int l = 0; l < shape.levels; level += shape.nodes(l++)) sum_level(shape, l, cells, level);
  return nodes;
}

TEST(QuantileTree, ShapesHoldTheirCells) {
  EXPECT_EQ(tree_shape(4096).branches, (std::array{16, 16, 16, 1}));
  EXPECT_EQ(tree_shape(256).branches, (std::array{16, 16, 1, 1}));
  EXPECT_EQ(tree_shape(101).branches, (std::array{11, 10, 1, 1}));
  EXPECT_EQ(tree_shape(1).all_nodes(), 1);
  for (int cells = 1; cells <= 5000; ++cells) {
    const TreeShape shape = tree_shape(cells);
    ASSERT_GE(shape.nodes(shape.levels - 1), cells);
    ASSERT_LE(shape.nodes(shape.levels - 1), cells * 1.35 + 1) << cells;
  }
  EXPECT_EQ(tree_shape(65536).branches, (std::array{16, 16, 16, 16}));
  EXPECT_EQ(tree_shape(8192).levels, 3);
  for (int cells = 8193; cells <= 65536; cells += 37) {
    const TreeShape shape = tree_shape(cells);
    ASSERT_EQ(shape.levels, 4);
    ASSERT_GE(shape.nodes(3), cells);
    ASSERT_LE(shape.nodes(3), cells * 1.15) << cells;
  }
}

// All cells of all groups and columns together are at most 2^22.
TEST(QuantileTree, ManyGroupsHaveFewCells) {
  constexpr int kPlain = TreeShape::plain_cells, kFine = TreeShape::fine_cells;
  EXPECT_EQ(most_cells(1, 1, kPlain), 4096);
  EXPECT_EQ(most_cells(1024, 1, kPlain), 4096);
  EXPECT_EQ(most_cells(1025, 1, kPlain), 256);
  EXPECT_EQ(most_cells(100000, 2, kPlain), 16);
  EXPECT_EQ(most_cells(100000, 3, kPlain), 0);
  EXPECT_EQ(most_cells(64, 1, kFine), 65536);
  EXPECT_EQ(most_cells(32, 2, kFine), 65536);
  EXPECT_EQ(most_cells(65, 1, kFine), 4096);
  EXPECT_EQ(most_cells(33, 2, kFine), 4096);
  EXPECT_EQ(most_cells(1025, 1, kFine), 256);
  for (std::int64_t groups = 1; groups <= 300000; groups += 1 + groups / 9) {
    for (const int columns : {1, 2, 3, 7}) {
      for (const int finest : {kPlain, kFine}) {
        const int cells = most_cells(groups, columns, finest);
        ASSERT_LE(cells, finest);
        ASSERT_LE(groups * columns * cells, std::int64_t{1} << 22);
        if (cells < kPlain) {
          ASSERT_EQ(cells, most_cells(groups, columns, kPlain));
        }
      }
    }
  }
}

TEST(QuantileTree, FineCellsAreForManyRows) {
  const TreeShape plain = tree_shape(TreeShape::plain_cells);
  EXPECT_TRUE(are_fine_cells_worth(laws(plain, 4), 270000));
  EXPECT_FALSE(are_fine_cells_worth(laws(plain, 4), 260000));
  EXPECT_FALSE(are_fine_cells_worth(laws(plain, 2, 3), 270000));  // by the noisiest level
  EXPECT_FALSE(are_fine_cells_worth(laws(plain, .1), 0));         // nobody knows how many
  // A column alone at epsilon 1: a deviation of 4.24.
  const NoiseLaw law = calibrate_on_lattice(Family::laplace, 1. / 3, 0, 1, std::nullopt).law;
  EXPECT_TRUE(are_fine_cells_worth(std::vector(3, law), 420000));
  EXPECT_FALSE(are_fine_cells_worth(std::vector(3, law), 410000));
  EXPECT_FALSE(are_fine_cells_worth({}, 1e9));
}

// All tables of up to three rows over nine cells and what one row more or another row makes.
TEST(QuantileTree, OneRowMovesOneCellOfEachLevel) {
  for (const TreeShape& shape : {TreeShape{9, 2, {3, 3, 1, 1}}, TreeShape{9, 4, {2, 2, 2, 2}}}) {
    const auto nodes = [&](const std::vector<int>& rows) {
      std::vector<std::int64_t> cells(9);
      for (int row : rows) ++cells[static_cast<std::size_t>(row)];
      return levels_of(shape, cells);
    };
    const auto changed = [&](const std::vector<Int128>& a, const std::vector<Int128>& b, int most) {
      std::size_t at = 0;
      for (int l = 0; l < shape.levels; ++l) {
        int cells = 0;
        for (int v = 0; v < shape.nodes(l); ++v, ++at) {
          const Int128 by = a[at] > b[at] ? a[at] - b[at] : b[at] - a[at];
          ASSERT_LE(by, 1);
          cells += by != 0;
        }
        ASSERT_LE(cells, most);
      }
    };
    for (int i = 0; i < 9; ++i) {
      for (int j = 0; j < 9; ++j) {
        for (int k = 0; k < 9; ++k) {
          changed(nodes({i, j}), nodes({i, j, k}), 1);
          changed(nodes({i, j}), nodes({i, k}), 2);
        }
      }
    }
    if (shape.levels == 2) {
      EXPECT_EQ(nodes({0, 1, 8}), (std::vector<Int128>{2, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1}));
    }
  }
}

int percentile_disc(std::vector<int> rows, double p) {
  std::ranges::sort(rows);
  const double rank = std::ceil(p * static_cast<double>(rows.size()));
  return rows[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

TEST(QuantileTree, ExactStatisticsGivePercentileDisc) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 400; ++trial) {
    const TreeShape shape = tree_shape(std::vector{1, 7, 33, 101, 600, 9000}[trial % 6]);
    const QuantileTree tree(shape, laws(shape, 0.01, 1.3));
    std::vector<int> rows;
    std::vector<std::int64_t> cells(static_cast<std::size_t>(shape.cells));
    const int count = 1 + static_cast<int>(random() % 30);
    const int spread = 1 + static_cast<int>(random() % static_cast<unsigned>(shape.cells));
    for (int i = 0; i < count; ++i) {
      rows.push_back(static_cast<int>(random() % static_cast<unsigned>(spread)));
      ++cells[static_cast<std::size_t>(rows.back())];
    }
    const std::vector<Int128> nodes = levels_of(shape, cells);
    const CellDistribution fit = tree.fit(nodes);
    EXPECT_EQ(fit.total, count);
    for (double p : {0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0}) {
      ASSERT_EQ(quantile_cell(fit, p), percentile_disc(rows, p)) << p << " of " << count;
      const CellRange range = quantile_range(shape, fit, p, tree.reaches(p, 0.95));
      EXPECT_EQ(range.low, percentile_disc(rows, p));
      EXPECT_EQ(range.high, range.low);
      EXPECT_FALSE(range.maybe_empty);
    }
  }
}

// The node-by-node matrix of a tree's counts over its leaves.
Eigen::MatrixXd incidence(const TreeShape& shape) {
  const int leaves = shape.nodes(shape.levels - 1);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(shape.all_nodes(), leaves);
  int row = 0;
  for (int l = 0; l < shape.levels; ++l) {
    const int width = leaves / shape.nodes(l);
    for (int v = 0; v < shape.nodes(l); ++v, ++row) a.row(row).segment(v * width, width).setOnes();
  }
  return a;
}

const TreeShape kSmall[] = {
    {6, 1, {6, 1, 1, 1}}, {11, 2, {3, 4, 1, 1}}, {24, 3, {2, 3, 4, 1}}, {35, 4, {2, 3, 2, 3}}};

TEST(QuantileTree, TheEstimateIsLeastSquares) {
  std::mt19937_64 random(5);
  for (const TreeShape& shape : kSmall) {
    for (double growth : {1.0, 0.5, 2.0}) {
      const std::vector<NoiseLaw> noise = laws(shape, 20, growth);
      const Eigen::MatrixXd a = incidence(shape);
      Eigen::VectorXd weight(a.rows()), y(a.rows());
      std::vector<Int128> nodes;
      int row = 0;
      for (int l = 0; l < shape.levels; ++l) {
        for (int v = 0; v < shape.nodes(l); ++v, ++row) {
          weight[row] = 1 / variance(noise[static_cast<std::size_t>(l)]);
          nodes.push_back(static_cast<int>(random() % 400) - 100);
          y[row] = static_cast<double>(nodes.back());
        }
      }
      const Eigen::VectorXd x = (a.transpose() * weight.asDiagonal() * a)
                                    .ldlt()
                                    .solve(a.transpose() * weight.asDiagonal() * y);
      const CellDistribution fit = QuantileTree(shape, noise).fit(nodes);
      double below = 0;
      for (int k = 0; k < shape.cells; ++k) {
        below += x[k];
        EXPECT_NEAR(fit.below[static_cast<std::size_t>(k)], below, 1e-8);
      }
      EXPECT_NEAR(fit.total, x.sum(), 1e-8);
    }
  }
}

// What a unit in one node moves in F(k) - p N is its weight; the terms must hold all of them.
TEST(QuantileWeights, AreThoseOfUnitVectors) {
  for (const TreeShape& shape : kSmall) {
    const QuantileTree tree(shape, laws(shape, 3, 1.7));
    for (double p : {0.0, 0.3, 1.0}) {
      for (int k = -1; k < shape.cells; ++k) {
        std::vector<std::vector<double>> found(TreeShape::max_levels), said(TreeShape::max_levels);
        std::size_t at = 0;
        for (int l = 0; l < shape.levels; ++l) {
          for (int v = 0; v < shape.nodes(l); ++v, ++at) {
            std::vector<Int128> unit(static_cast<std::size_t>(shape.all_nodes()));
            unit[at] = 1;
            const CellDistribution fit = tree.fit(unit);
            found[static_cast<std::size_t>(l)].push_back(
                k < 0 ? fit.total : fit.below[static_cast<std::size_t>(k)] - p * fit.total);
          }
        }
        for (const NoiseTerm& term : tree.weights(p, k)) {
          for (int i = 0; i < term.count; ++i) {
            said[static_cast<std::size_t>(term.law)].push_back(term.weight);
          }
        }
        for (std::size_t l = 0; l < said.size(); ++l) {
          std::ranges::sort(found[l]);
          std::ranges::sort(said[l]);
          ASSERT_EQ(found[l].size(), said[l].size());
          for (std::size_t i = 0; i < said[l].size(); ++i) {
            EXPECT_NEAR(found[l][i], said[l][i], 1e-12) << l << " " << k;
          }
        }
      }
    }
  }
}

TEST(QuantileTree, IntervalsHoldTheAnswer) {
  RandomStream random({9});
  std::mt19937_64 choice(6);
  for (int cells : {1, 20, 300, 600, 9000}) {
    const TreeShape shape = tree_shape(cells);
    for (double scale : {0.3, 4.0, 1e3, 1e13}) {
      const QuantileTree tree(shape, laws(shape, scale));
      const NoiseSampler noise(gaussian(scale));
      const double p = std::vector{0.0, 0.5, 0.93, 1.0}[choice() % 4];
      const QuantileReaches reaches = tree.reaches(p, 0.5);
      for (int trial = 0; trial < 100; ++trial) {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(cells));
        for (auto& count : counts) count = trial % 2 == 0 ? 0 : static_cast<int>(choice() % 9);
        std::vector<Int128> nodes = levels_of(shape, counts);
        for (Int128& node : nodes) node += noise(random);
        const CellDistribution fit = tree.fit(nodes);
        const int answer = quantile_cell(fit, p);
        const CellRange range = quantile_range(shape, fit, p, reaches);
        ASSERT_LE(range.low, range.high);
        if (answer < 0) {
          EXPECT_TRUE(range.maybe_empty);
        } else {
          EXPECT_LE(range.low, answer);
          EXPECT_GE(range.high, answer);
        }
      }
    }
  }
  const TreeShape shape = tree_shape(8);
  EXPECT_THROW(QuantileTree(shape, laws(shape, 1)).reaches(0.5, 1), Error);
}

TEST(QuantileTree, LawsWithoutNoiseAreWeighedToo) {
  const NoiseLaw none = calibrate_on_lattice(Family::staircase, 1e5, 0, 1, std::nullopt).law;
  const TreeShape shape = tree_shape(100);
  for (const NoiseLaw& other : {none, gaussian(3)}) {
    const QuantileTree tree(shape, std::vector{none, other});
    std::vector<std::int64_t> cells(100);
    cells[70] = 5;
    const CellDistribution fit = tree.fit(levels_of(shape, cells));
    EXPECT_EQ(fit.total, 5);
    EXPECT_EQ(quantile_cell(fit, 0.5), 70);
    EXPECT_GE(quantile_range(shape, fit, 0.5, tree.reaches(0.5, 0.95)).high, 70);
  }
}

TEST(QuantileTree, HugeNoiseStaysInsideTheCells) {
  const TreeShape shape = tree_shape(100);
  const QuantileTree tree(shape, laws(shape, 1e300));
  std::vector<Int128> nodes(static_cast<std::size_t>(shape.all_nodes()), static_cast<Int128>(1)
                                                                             << 126);
  const CellDistribution fit = tree.fit(nodes);
  const int cell = quantile_cell(fit, 0.5);
  EXPECT_GE(cell, 0);
  EXPECT_LT(cell, 100);
  const CellRange range = quantile_range(shape, fit, 0.5, tree.reaches(0.5, 0.95));
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 99);
}

}  // namespace
}  // namespace dpmix
