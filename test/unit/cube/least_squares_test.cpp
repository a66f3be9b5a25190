#include "core/cube/least_squares.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <optional>

#include "unit/cube/cubes.hpp"

namespace dpmix {
namespace {

struct Fit {
  CubeWorkload workload;
  std::vector<int> sizes;
  std::vector<double> precision;
  std::vector<std::vector<double>> table;  // noisy
  std::optional<CubeLeastSquares> answers = {};
};

constexpr int kKeys = 3;

Fit random_fit(std::mt19937_64& random, double size) {
  const CubeWorkload workload = random_workload(random, kKeys);
  std::vector<double> precision;
  std::vector<std::vector<double>> tables;
  std::uniform_real_distribution<double> share(.05, 1), value(-size, size);
  for (std::size_t i = 0; i < workload.sets(); ++i) {
    precision.push_back(share(random));
    std::vector<double>& table = tables.emplace_back(workload.cells(workload.set(i)));
    for (double& cell : table) cell = value(random);
  }
  return {workload, sizes_of(workload, kKeys), precision, tables};
}

void add_all(Fit& fit) {
  fit.answers.emplace(fit.workload, fit.precision);
  for (std::size_t i = 0; i < fit.table.size(); ++i) fit.answers->add(i, fit.table[i]);
}

// The pseudoinverse of all tables at once.
struct Dense {
  Eigen::MatrixXd covariance;  // of the table of all keys
  Eigen::VectorXd solution;

  explicit Dense(const Fit& fit) {
    Eigen::Index rows = 0, cells = 1;
    for (const int size : fit.sizes) cells *= size;
    Eigen::MatrixXd a(0, cells);
    Eigen::VectorXd b(0);
    for (std::size_t i = 0; i < fit.table.size(); ++i) {
      const double root = std::sqrt(fit.precision[i]);
      const Eigen::MatrixXd q = adding_up(fit.sizes, fit.workload.set(i));
      a.conservativeResize(rows + q.rows(), cells);
      b.conservativeResize(rows + q.rows());
      a.bottomRows(q.rows()) = root * q;
      for (Eigen::Index c = 0; c < q.rows(); ++c) {
        b(rows + c) = root * fit.table[i][static_cast<std::size_t>(c)];
      }
      rows += q.rows();
    }
    covariance = (a.transpose() * a).completeOrthogonalDecomposition().pseudoInverse();
    solution = covariance * a.transpose() * b;
  }
};

TEST(CubeLeastSquares, IsTheDenseLeastSquaresAnswer) {
  std::mt19937_64 random(21);
  for (int trial = 0; trial < 200; ++trial) {
    Fit fit = random_fit(random, 1000);
    add_all(fit);
    const Dense dense(fit);
    const std::vector<double> variances =
        fit.workload.variances(fit.workload.precisions(fit.precision));
    for (std::size_t i = 0; i < fit.workload.sets(); ++i) {
      const Eigen::MatrixXd q = adding_up(fit.sizes, fit.workload.set(i));
      const Eigen::VectorXd expected = q * dense.solution;
      const std::vector<double> answer = fit.answers->answer(i);
      const Eigen::VectorXd variance = (q * dense.covariance * q.transpose()).diagonal();
      ASSERT_EQ(answer.size(), static_cast<std::size_t>(q.rows()));
      for (Eigen::Index c = 0; c < q.rows(); ++c) {
        EXPECT_NEAR(answer[static_cast<std::size_t>(c)], expected(c), 1e-9 * 1000) << trial;
        EXPECT_LT(fit.answers->slack(i), 1e-6) << trial;
        EXPECT_NEAR(variances[i], variance(c), 1e-9 * variance(c) + 1e-12) << trial;
      }
    }
  }
}

// Any sum of cells of any table that some set tells: coarser groups, and filters on keys.
TEST(CubeLeastSquares, SumsOfCellsAreTheDenseAnswer) {
  std::mt19937_64 random(24);
  int seen = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Fit fit = random_fit(random, 1000);
    add_all(fit);
    const Dense dense(fit);
    const std::vector<double> residuals = fit.workload.precisions(fit.precision);
    for (KeySet set = 0; set < KeySet{1} << kKeys; ++set) {
      bool told = false;
      for (std::size_t i = 0; i < fit.workload.sets(); ++i) {
        told = told || (set & ~fit.workload.set(i)) == 0;
      }
      ASSERT_EQ(fit.workload.known(set).empty(), !told);
      if (!told) continue;
      Eigen::MatrixXd row = Eigen::MatrixXd::Ones(1, 1);  // which cells are added up
      std::vector<int> values;
      for (const int key : keys_of(set)) {
        Eigen::MatrixXd axis = Eigen::MatrixXd::Zero(1, fit.workload.size(key));
        for (Eigen::Index c = 0; c < axis.cols(); ++c) axis(0, c) = random() % 2 == 0;
        values.push_back(static_cast<int>(axis.sum()));
        Eigen::MatrixXd next(1, row.cols() * axis.cols());
        for (Eigen::Index i = 0; i < row.cols(); ++i) {
          next.block(0, i * axis.cols(), 1, axis.cols()) = row(0, i) * axis;
        }
        row = next;
      }
      const std::vector<double> marginal = fit.answers->marginal(set);
      ASSERT_EQ(marginal.size(), static_cast<std::size_t>(row.cols()));
      double sum = 0;
      for (std::size_t c = 0; c < marginal.size(); ++c) {
        sum += row(0, static_cast<Eigen::Index>(c)) * marginal[c];
      }
      const Eigen::MatrixXd q = row * adding_up(fit.sizes, set);
      const double variance = (q * dense.covariance * q.transpose())(0, 0);
      EXPECT_NEAR(sum, (q * dense.solution)(0), 1e-9 * 10000) << trial;
      EXPECT_NEAR(fit.workload.variance_of_sum(set, values, residuals), variance,
                  1e-9 * variance + 1e-12)
          << trial;
      ++seen;
    }
  }
  EXPECT_GT(seen, 1000);
}

// The values of a cell's keys, the first key slowest.
std::vector<int> cell_of(const CubeWorkload& workload, KeySet set, std::size_t place) {
  const std::vector<int> keys = keys_of(set);
  std::vector<int> values(keys.size());
  for (std::size_t k = keys.size(); k-- > 0;) {
    const auto size = static_cast<std::size_t>(workload.size(keys[k]));
    values[k] = static_cast<int>(place % size);
    place /= size;
  }
  return values;
}

TEST(CubeLeastSquares, CovariancesAreTheDenseOnes) {
  std::mt19937_64 random(25);
  for (int trial = 0; trial < 50; ++trial) {
    const Fit fit = random_fit(random, 1000);
    const Dense dense(fit);
    const std::vector<double> residuals = fit.workload.precisions(fit.precision);
    for (std::size_t i = 0; i < fit.workload.sets(); ++i) {
      const KeySet set = fit.workload.set(i);
      const Eigen::MatrixXd q = adding_up(fit.sizes, set);
      const Eigen::MatrixXd expected = q * dense.covariance * q.transpose();
      for (Eigen::Index a = 0; a < q.rows(); ++a) {
        for (Eigen::Index b = 0; b < q.rows(); ++b) {
          const double found = fit.workload.covariance(
              set, cell_of(fit.workload, set, static_cast<std::size_t>(a)),
              cell_of(fit.workload, set, static_cast<std::size_t>(b)), residuals);
          EXPECT_NEAR(found, expected(a, b), 1e-9 * expected(a, a) + 1e-12) << trial;
        }
      }
    }
  }
}

// The place in the table of fewer keys of a cell of more.
std::size_t place_in(const Fit& fit, KeySet fewer, KeySet more, std::size_t cell) {
  std::size_t place = 0, unit = 1;
  const std::vector<int> keys = keys_of(more);
  for (std::size_t k = keys.size(); k-- > 0;) {
    const auto size = static_cast<std::size_t>(fit.workload.size(keys[k]));
    if (fewer >> keys[k] & 1) {
      place += cell % size * unit;
      unit *= size;
    }
    cell /= size;
  }
  return place;
}

TEST(CubeLeastSquares, WholeAnswersAddUpExactly) {
  std::mt19937_64 random(22);
  int pairs = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Fit fit = random_fit(random, trial % 3 == 0 ? 3 : trial % 3 == 1 ? 1e6 : 1e17);
    add_all(fit);
    for (std::size_t i = 0; i < fit.workload.sets(); ++i) {
      const KeySet more = fit.workload.set(i);
      const std::vector<Int128> table = fit.answers->whole_answer(i);
      const std::vector<double> exact = fit.answers->answer(i);
      for (std::size_t c = 0; c < table.size(); ++c) {
        const double bound = std::ldexp(.5, std::popcount(more)) + fit.answers->slack(i);
        EXPECT_LE(std::abs(static_cast<double>(table[c]) - exact[c]), bound) << trial;
      }
      for (std::size_t j = 0; j < fit.workload.sets(); ++j) {
        const KeySet fewer = fit.workload.set(j);
        if ((fewer & ~more) != 0) continue;
        std::vector<Int128> sums(fit.workload.cells(fewer));
        for (std::size_t c = 0; c < table.size(); ++c) {
          sums[place_in(fit, fewer, more, c)] += table[c];
        }
        EXPECT_TRUE(sums == fit.answers->whole_answer(j)) << trial;
        pairs += i != j;
      }
    }
  }
  EXPECT_GT(pairs, 300);
}

// Tables without noise come back as they are, whatever the precisions.
TEST(CubeLeastSquares, ExactTablesStay) {
  std::mt19937_64 random(23);
  for (int trial = 0; trial < 50; ++trial) {
    Fit fit = random_fit(random, 1);
    Eigen::VectorXd finest(static_cast<Eigen::Index>(fit.workload.cells(7)));
    for (double& cell : finest) cell = static_cast<double>(random() % 1000);
    for (std::size_t i = 0; i < fit.workload.sets(); ++i) {
      const Eigen::VectorXd table = adding_up(fit.sizes, fit.workload.set(i)) * finest;
      fit.table[i].assign(table.begin(), table.end());
    }
    add_all(fit);
    for (std::size_t i = 0; i < fit.workload.sets(); ++i) {
      const std::vector<Int128> whole = fit.answers->whole_answer(i);
      for (std::size_t c = 0; c < whole.size(); ++c) {
        EXPECT_EQ(static_cast<double>(whole[c]), fit.table[i][c]);
      }
    }
  }
}

// What roundings do is within the slack, for tables of which doubles know the last places alone.
TEST(CubeLeastSquares, RoundingsAreWithinTheSlack) {
  using Wide = boost::multiprecision::cpp_bin_float_50;
  std::mt19937_64 random(24);
  const std::vector<int> sizes = {3, 2, 4};
  const std::vector<KeySet> sets = {7, 3, 4, 0};
  for (int trial = 0; trial < 20; ++trial) {
    const CubeWorkload workload(sizes, sets);
    const std::vector<double> precision = {.4, .3, .2, .1};
    CubeLeastSquares small(workload, precision), large(workload, precision);
    Eigen::VectorXd finest(24);
    for (double& cell : finest) cell = std::ldexp(static_cast<double>(random() % 1024), 40);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const Eigen::VectorXd exact = adding_up(sizes, sets[i]) * finest;
      std::vector<double> noise(workload.cells(sets[i])), both;
      for (std::size_t c = 0; c < noise.size(); ++c) {
        noise[c] = static_cast<double>(random() % 2001) - 1000;
        both.push_back(exact(static_cast<Eigen::Index>(c)) + noise[c]);
      }
      small.add(i, noise);
      large.add(i, both);
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const Eigen::VectorXd exact = adding_up(sizes, sets[i]) * finest;
      const std::vector<double> one = small.answer(i), other = large.answer(i);
      for (std::size_t c = 0; c < one.size(); ++c) {
        const Wide off = Wide(other[c]) - exact(static_cast<Eigen::Index>(c)) - one[c];
        EXPECT_LE(abs(off), large.slack(i) + small.slack(i)) << trial;
      }
    }
  }
}

}  // namespace
}  // namespace dpmix
