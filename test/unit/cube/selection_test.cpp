#include "core/cube/selection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/cube/least_squares.hpp"
#include "unit/cube/cubes.hpp"

namespace dpmix {
namespace {

constexpr int kKeys = 3;

struct Chosen {
  CubeSelection selection;
  Eigen::MatrixXd rows;  // of each sum: which cells of the selection's table it has
};

// Of each key one list for each value, some of them empty, or a single list of some values.
Chosen random_selection(std::mt19937_64& random, const CubeWorkload& workload, KeySet keys) {
  Chosen made{{keys, {}}, Eigen::MatrixXd::Ones(1, 1)};
  for (const int key : keys_of(keys)) {
    const int size = workload.size(key);
    const bool grouped = random() % 2 == 0;
    std::vector<std::vector<int>> lists(grouped ? static_cast<std::size_t>(size) : 1);
    Eigen::MatrixXd axis = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(lists.size()), size);
    for (int value = 0; value < size; ++value) {
      if (random() % 3 == 0) continue;
      const int list = grouped ? value : 0;
      lists[static_cast<std::size_t>(list)].push_back(value);
      axis(list, value) = 1;
    }
    made.selection.lists.push_back(lists);
    Eigen::MatrixXd next(made.rows.rows() * axis.rows(), made.rows.cols() * axis.cols());
    for (Eigen::Index r = 0; r < made.rows.rows(); ++r) {
      for (Eigen::Index c = 0; c < made.rows.cols(); ++c) {
        next.block(r * axis.rows(), c * axis.cols(), axis.rows(), axis.cols()) =
            made.rows(r, c) * axis;
      }
    }
    made.rows = next;
  }
  return made;
}

// Sums of the least-squares table beside sums of the solution of all measurements at once, and
// their variance beside its covariance.
TEST(CubeSelection, SumsAndVariancesAreThoseOfTheDenseLeastSquares) {
  std::mt19937_64 random(41);
  std::uniform_real_distribution<double> share(.05, 1), value(-1000, 1000);
  int seen = 0, exact = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const CubeWorkload workload = random_workload(random, kKeys);
    const std::vector<int> sizes = sizes_of(workload, kKeys);
    std::vector<double> precision;
    for (std::size_t i = 0; i < workload.sets(); ++i) precision.push_back(share(random));
    CubeLeastSquares fit(workload, precision);
    Eigen::Index cells = 1;
    for (const int size : sizes) cells *= size;
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(cells, cells);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(cells);
    for (std::size_t i = 0; i < workload.sets(); ++i) {
      std::vector<double> table(workload.cells(workload.set(i)));
      for (double& cell : table) cell = std::nearbyint(value(random));
      fit.add(i, table);
      const Eigen::MatrixXd q = adding_up(sizes, workload.set(i));
      normal += precision[i] * q.transpose() * q;
      right +=
          precision[i] * q.transpose() *
          Eigen::Map<const Eigen::VectorXd>(table.data(), static_cast<Eigen::Index>(table.size()));
    }
    const Eigen::MatrixXd covariance = normal.completeOrthogonalDecomposition().pseudoInverse();
    const Eigen::VectorXd solution = covariance * right;
    const std::vector<double> residuals = workload.precisions(precision);
    for (KeySet keys = 0; keys < KeySet{1} << kKeys; ++keys) {
      if (workload.known(keys).empty()) continue;
      const Chosen chosen = random_selection(random, workload, keys);
      const Eigen::MatrixXd q = chosen.rows * adding_up(sizes, keys);
      const Eigen::VectorXd expected = q * solution;
      const auto sums = selected_sums(workload, chosen.selection, fit.marginal(keys));
      ASSERT_EQ(sums.size(), static_cast<std::size_t>(q.rows()));
      const double variance = workload.variance_of_sum(keys, chosen.selection.lengths(), residuals);
      for (Eigen::Index i = 0; i < q.rows(); ++i) {
        EXPECT_NEAR(sums[static_cast<std::size_t>(i)], expected(i), 1e-9 * 10000) << trial;
        const bool none = q.row(i).isZero();
        EXPECT_NEAR((q.row(i) * covariance * q.row(i).transpose())(0, 0), none ? 0 : variance,
                    1e-9 * variance + 1e-12)
            << trial;
        if (none) {
          EXPECT_EQ(sums[static_cast<std::size_t>(i)], 0);
        }
        exact += none;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 1000);
  EXPECT_GT(exact, 50);
}

// Whole numbers: what a filter admits and what it does not add up to the coarser group.
TEST(CubeSelection, WholeSumsAddUpExactly) {
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> value(-1e6, 1e6);
  for (int trial = 0; trial < 200; ++trial) {
    const CubeWorkload workload = random_workload(random, kKeys);
    std::vector<double> precision(workload.sets(), .5);
    CubeLeastSquares fit(workload, precision);
    for (std::size_t i = 0; i < workload.sets(); ++i) {
      std::vector<double> table(workload.cells(workload.set(i)));
      for (double& cell : table) cell = std::nearbyint(value(random));
      fit.add(i, table);
    }
    const KeySet keys = workload.set(0);
    if (keys == 0) continue;
    const std::vector<Int128> table = fit.whole_marginal(keys);
    CubeSelection in{keys, {}}, out{keys, {}};
    const std::vector<int> names = keys_of(keys);
    for (const int key : names) {
      std::vector<std::vector<int>> lists(1), others(1);
      for (int v = 0; v < workload.size(key); ++v) {
        const bool split = key == names[0];
        if (!split || v % 2 == 0) lists[0].push_back(v);
        if (!split || v % 2 == 1) others[0].push_back(v);
      }
      in.lists.push_back(lists);
      out.lists.push_back(others);
    }
    const auto a = selected_sums(workload, in, table), b = selected_sums(workload, out, table);
    ASSERT_EQ(a.size(), 1U);
    EXPECT_TRUE(a[0] + b[0] == fit.whole_marginal(0)[0]) << trial;
  }
}

}  // namespace
}  // namespace dpmix
