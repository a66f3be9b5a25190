#include "core/cube/renumbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/cube/least_squares.hpp"
#include "unit/cube/cubes.hpp"

namespace dpmix {
namespace {

constexpr int kKeys = 4;

// Of keys of its own.
struct Release {
  std::vector<int> number;  // of each of them, among all keys
  std::vector<int> sizes;
  std::vector<KeySet> sets;
  std::vector<double> stretch;
  double deviation;  // of its law
};

Release random_release(std::mt19937_64& random, const std::vector<int>& sizes) {
  std::uniform_real_distribution<double> stretch(.7, 5), log_deviation(-1, 3);
  Release made{{}, {}, {}, {}, std::exp(log_deviation(random))};
  std::vector<int> all(sizes.size());
  std::iota(all.begin(), all.end(), 0);
  std::ranges::shuffle(all, random);
  all.resize(1 + random() % (all.size() - 1));
  made.number = all;
  for (const int key : all) made.sizes.push_back(sizes[static_cast<std::size_t>(key)]);
  const KeySet most = (KeySet{1} << all.size()) - 1;
  for (KeySet set = 0; set <= most; ++set) {
    if (set == most || random() % 3 == 0) made.sets.push_back(set);
  }
  for (std::size_t i = 0; i < made.sets.size(); ++i) made.stretch.push_back(stretch(random));
  return made;
}

// A release's table of a set from that of all keys of all releases, cell by cell.
Eigen::MatrixXd measured(const Release& release, KeySet set, const std::vector<int>& sizes) {
  const std::vector<int> keys = keys_of(set);
  Eigen::Index rows = 1, cells = 1;
  for (const int key : keys) rows *= release.sizes[static_cast<std::size_t>(key)];
  for (const int size : sizes) cells *= size;
  Eigen::MatrixXd made = Eigen::MatrixXd::Zero(rows, cells);
  for (Eigen::Index cell = 0; cell < cells; ++cell) {
    std::vector<int> value(sizes.size());
    Eigen::Index rest = cell;
    for (std::size_t k = sizes.size(); k-- > 0;) {
      value[k] = static_cast<int>(rest % sizes[k]);
      rest /= sizes[k];
    }
    Eigen::Index row = 0;
    for (const int key : keys) {
      const auto k = static_cast<std::size_t>(key);
      row = row * release.sizes[k] + value[static_cast<std::size_t>(release.number[k])];
    }
    made(row, cell) = 1;
  }
  return made;
}

std::vector<double> renumbered_table(const Release& release, KeySet set,
                                     std::span<const double> table) {
  std::vector<int> size, number;
  for (const int key : keys_of(set)) {
    size.push_back(release.sizes[static_cast<std::size_t>(key)]);
    number.push_back(release.number[static_cast<std::size_t>(key)]);
  }
  return reordered(table, size, number);
}

// Releases of keys in any order, the same sets again and again, each under a law of its own: sums
// of cells and their variances are those of the pseudoinverse of all tables at once.
TEST(CubeRenumbering, SeveralReleasesAreTheDenseLeastSquares) {
  std::mt19937_64 random(51);
  std::uniform_real_distribution<double> value(-1000, 1000);
  int seen = 0, repeated = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<int> sizes;
    for (int k = 0; k < kKeys; ++k) sizes.push_back(1 + static_cast<int>(random() % 3));
    std::vector<KeySet> sets;
    std::vector<double> stretch;  // to the first release's law
    std::vector<std::vector<double>> tables;
    Eigen::Index cells = 1;
    for (const int size : sizes) cells *= size;
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(cells, cells);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(cells);
    double first = 0;
    const int releases = 2 + trial % 4;
    for (int r = 0; r < releases; ++r) {
      const Release release = random_release(random, sizes);
      if (r == 0) first = release.deviation;
      for (std::size_t i = 0; i < release.sets.size(); ++i) {
        const Eigen::MatrixXd q = measured(release, release.sets[i], sizes);
        Eigen::VectorXd table(q.rows());
        for (double& cell : table) cell = std::nearbyint(value(random));
        const double deviation = release.deviation * release.stretch[i];
        normal += q.transpose() * q / (deviation * deviation);
        right += q.transpose() * table / (deviation * deviation);
        const KeySet set = renumbered(release.sets[i], release.number);
        repeated += std::ranges::find(sets, set) != sets.end();
        sets.push_back(set);
        stretch.push_back(release.deviation / first * release.stretch[i]);
        tables.push_back(renumbered_table(release, release.sets[i],
                                          {table.data(), static_cast<std::size_t>(table.size())}));
      }
    }
    const CubeWorkload workload(sizes, sets);
    std::vector<double> precision;
    for (const double each : stretch) precision.push_back(1 / (each * each));
    CubeLeastSquares fit(workload, precision);
    for (std::size_t i = 0; i < sets.size(); ++i) fit.add(i, tables[i]);
    const Eigen::MatrixXd covariance = normal.completeOrthogonalDecomposition().pseudoInverse();
    const Eigen::VectorXd solution = covariance * right;
    const std::vector<double> residuals = workload.precisions(precision);
    for (KeySet keys = 0; keys < KeySet{1} << kKeys; ++keys) {
      if (workload.known(keys).empty()) continue;
      const Eigen::MatrixXd q = adding_up(sizes, keys);
      const std::vector<double> marginal = fit.marginal(keys);
      ASSERT_EQ(marginal.size(), static_cast<std::size_t>(q.rows()));
      const std::vector<int> one(keys_of(keys).size(), 1);
      const double declared = first * first * workload.variance_of_sum(keys, one, residuals);
      for (Eigen::Index c = 0; c < q.rows(); ++c) {
        const double variance = (q.row(c) * covariance * q.row(c).transpose())(0, 0);
        EXPECT_NEAR(marginal[static_cast<std::size_t>(c)], (q.row(c) * solution)(0), 1e-9 * 10000)
            << trial;
        EXPECT_NEAR(declared, variance, 1e-9 * variance) << trial;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 5000);
  EXPECT_GT(repeated, 200);
}

// A sum that two groups of tables know is known at least as well as by both precisions together.
TEST(CubeRenumbering, PrecisionsAddUpAtLeast) {
  std::mt19937_64 random(52);
  std::uniform_real_distribution<double> precision(.01, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const CubeWorkload one = random_workload(random, 3);
    const std::vector<int> sizes = sizes_of(one, 3);
    std::vector<KeySet> first, second, both;
    for (std::size_t i = 0; i < one.sets(); ++i) first.push_back(one.set(i));
    for (KeySet set = 0; set < 8; ++set) {
      if (random() % 2 == 0) second.push_back(set);
    }
    if (second.empty()) second.push_back(7);
    both = first;
    both.insert(both.end(), second.begin(), second.end());
    std::vector<double> all(both.size());
    for (double& each : all) each = precision(random);
    const std::span<const double> every(all);
    const CubeWorkload other(sizes, second), together(sizes, both);
    for (KeySet keys = 0; keys < 8; ++keys) {
      if (one.known(keys).empty() || other.known(keys).empty()) continue;
      std::vector<int> values;
      for (const int key : keys_of(keys)) {
        values.push_back(1 + static_cast<int>(random() % static_cast<unsigned>(one.size(key))));
      }
      const auto known = [&](const CubeWorkload& by, std::span<const double> tables) {
        return 1 / by.variance_of_sum(keys, values, by.precisions(tables));
      };
      EXPECT_GE(known(together, every) * (1 + 1e-12),
                known(one, every.first(first.size())) + known(other, every.subspan(first.size())));
    }
  }
}

TEST(CubeRenumbering, CellsKeepTheirValues) {
  const std::vector<int> size = {2, 3}, number = {5, 1}, ascending = {1, 5};
  const std::vector<double> table = {11, 12, 13, 21, 22, 23};
  EXPECT_EQ(reordered(table, size, number), (std::vector<double>{11, 21, 12, 22, 13, 23}));
  EXPECT_EQ(reordered(table, size, ascending), table);
  EXPECT_EQ(reordered(std::vector<double>{7}, {}, {}), std::vector<double>{7});
  EXPECT_EQ(renumbered(5, std::vector<int>{3, 0, 1}), KeySet{8 | 2});
}

}  // namespace
}  // namespace dpmix
