// Would falsify docs/proofs/group_tests.md: tests of groups that are alike find a difference no
// more often than they say, and intervals hold differences as often, of simulated people at
// epsilon 1. A right test fails with probability at most 1e-9; what forgets the noise is found out.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

#include "core/cube/group_test.hpp"
#include "core/cube/least_squares.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/cube_noise.hpp"

namespace dpmix::test {
namespace {

constexpr double kDeviations = 6.2;

// Noisy tables of all sets of two keys, or of one, as least squares makes them agree.
class Cube {
 public:
  Cube(std::vector<int> sizes, double sensitivity)
      : sizes_(std::move(sizes)),
        sets_(sizes_.size() == 2 ? std::vector<KeySet>{3, 1, 2, 0} : std::vector<KeySet>{1, 0}),
        workload_(sizes_, sets_),
        noise_(cube_noise(workload_)),
        random_({21}) {
    double squares = 0;
    for (const double precision : noise_.precision) squares += precision;
    scale_ = sensitivity * std::sqrt(squares) / gdp_mu(1, 1e-6);
  }

  std::vector<double> noise_of_cells() {
    CubeLeastSquares fit(workload_, noise_.precision);
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      std::vector<double> table(workload_.cells(sets_[set]));
      NoiseSampler sampler(
          {.family = Family::gaussian, .sensitivity = 1, .scale = scale_ * noise_.stretch[set]});
      for (double& cell : table) cell = static_cast<double>(sampler(random_));
      fit.add(set, table);
    }
    return fit.answer(0);
  }

  Matrix covariance() const {
    const std::vector<double> residuals = workload_.precisions(noise_.precision);
    const int outer = sizes_[0], inner = sizes_.size() == 2 ? sizes_[1] : 1;
    Matrix all(outer * inner, outer * inner);
    for (int a = 0; a < outer * inner; ++a) {
      for (int b = 0; b < outer * inner; ++b) {
        const int cell[] = {a / inner, a % inner}, other[] = {b / inner, b % inner};
        all(a, b) = workload_.covariance(sets_[0], std::span(cell, sizes_.size()),
                                         std::span(other, sizes_.size()), residuals);
      }
    }
    return all;
  }
  double variance() const { return scale_ * scale_ + 1.0 / 12; }

 private:
  std::vector<int> sizes_;
  std::vector<KeySet> sets_;
  CubeWorkload workload_;
  CubeNoise noise_;
  RandomStream random_;
  double scale_;
};

struct Found {  // shares of runs
  double differences, held;
};

void tell(const char* what, int people, const Found& found, int runs) {
  std::printf("%s, %6d people: %.4f find a difference, %.4f intervals hold it, +-%.4f\n", what,
              people, found.differences, found.held, std::sqrt(.05 * .95 / runs));
}

// People of each group, an outcome of each: shares are those of all groups, but for the first
// one's.
Found of_outcomes(int people, std::vector<double> parts, std::vector<double> shares, double more,
                  int runs, bool believes_noise = true) {
  const int groups = static_cast<int>(parts.size()), outcomes = static_cast<int>(shares.size());
  std::mt19937_64 random(22);
  Cube cube({groups, outcomes}, 1);
  const Matrix noise = cube.covariance() * (believes_noise ? cube.variance() : 1e-6);
  std::discrete_distribution<int> group(parts.begin(), parts.end()),
      outcome(shares.begin(), shares.end());
  std::vector<double> other = shares;
  other.front() -= more;
  other.back() += more;
  std::discrete_distribution<int> first(other.begin(), other.end());
  Found sums = {};
  for (int run = 0; run < runs; ++run) {
    OutcomeCounts counts{Matrix::Zero(groups, outcomes), noise};
    for (int i = 0; i < people; ++i) {
      const int g = group(random);
      counts.count(g, g == 0 ? first(random) : outcome(random)) += 1;
    }
    const std::vector<double> drawn = cube.noise_of_cells();
    for (int g = 0; g < groups; ++g) {
      for (int c = 0; c < outcomes; ++c)
        counts.count(g, c) += drawn[static_cast<std::size_t>(g * outcomes + c)];
    }
    sums.differences += test_of_outcomes(counts).p_value <= .05;
    if (groups == 2 && outcomes == 2) {
      const GroupDifference found = difference_of_shares(counts, .95);
      sums.held += found.low <= more && more <= found.high;
    }
  }
  const Found found{sums.differences / runs, sums.held / runs};
  tell("outcomes", people, found, runs);
  return found;
}

// Values of each group: beta-like between -1 and 1, of another spread in each.
Found of_means(int people, std::vector<double> parts, double more, int runs,
               bool believes_noise = true) {
  const int groups = static_cast<int>(parts.size());
  std::mt19937_64 random(23);
  Cube cube({groups}, 1);
  std::discrete_distribution<int> group(parts.begin(), parts.end());
  Found sums = {};
  const double steps = 1 << 20;  // of sums; three statistics share the guarantee
  const double stddev = std::sqrt(3 * cube.variance());
  for (int run = 0; run < runs; ++run) {
    Vector size = Vector::Zero(groups), sum = size, squares = size;
    for (int i = 0; i < people; ++i) {
      const int g = group(random);
      const double spread = .1 + .5 * g / groups;
      const double value = std::clamp(
          (g == 0 ? more : 0) + spread * (std::generate_canonical<double, 53>(random) +
                                          std::generate_canonical<double, 53>(random) - 1),
          -1.0, 1.0);
      size[g] += 1;
      sum[g] += std::round(value * steps) / steps;
      squares[g] += value * value;
    }
    for (Vector* numbers : {&size, &sum, &squares}) {
      const std::vector<double> drawn = cube.noise_of_cells();
      const double share = std::sqrt(3.0) * (numbers == &squares ? .5 : 1);
      for (int g = 0; g < groups; ++g) (*numbers)[g] += share * drawn[static_cast<std::size_t>(g)];
    }
    const double believed = believes_noise ? stddev : 1e-3;
    const GroupMoments moments{size,     sum,      squares,     cube.covariance(),
                               believed, believed, believed / 2};
    sums.differences += test_of_means(moments).p_value <= .05;
    if (groups == 2) {
      const GroupDifference found = difference_of_means(moments, .95);
      sums.held += found.low <= more && more <= found.high;
    }
  }
  const Found found{sums.differences / runs, sums.held / runs};
  tell("means", people, found, runs);
  return found;
}

double most(int runs) {
  return .05 + kDeviations * std::sqrt(.05 * .95 / runs);
}

TEST(GroupTests, FindNoDifferenceWhereThereIsNone) {
  const int runs = 500;
  for (const int people : {100, 300, 1000, 10000}) {
    EXPECT_LT(of_outcomes(people, {.5, .5}, {.7, .3}, 0, runs).differences, most(runs));
    EXPECT_LT(of_outcomes(people, {.2, .8}, {.95, .05}, 0, runs).differences, most(runs));
    EXPECT_LT(of_outcomes(people, {.2, .3, .5}, {.4, .3, .2, .1}, 0, runs).differences, most(runs));
    EXPECT_LT(of_means(people, {.5, .5}, 0, runs).differences, most(runs));
    EXPECT_LT(of_means(people, {.1, .2, .3, .4}, 0, runs).differences, most(runs));
  }
}

TEST(GroupTests, IntervalsHoldTheDifference) {
  const int runs = 100;
  for (const int people : {100, 1000}) {
    EXPECT_GT(of_outcomes(people, {.5, .5}, {.7, .3}, .2, runs).held, 1 - most(runs));
    EXPECT_GT(of_means(people, {.3, .7}, .1, runs).held, 1 - most(runs));
  }
}

// They find what is there; and tests that forget the noise are found out.
TEST(GroupTests, Controls) {
  EXPECT_GT(of_outcomes(1000, {.5, .5}, {.7, .3}, .2, 300).differences, .9);
  EXPECT_GT(of_means(1000, {.5, .5}, .2, 300).differences, .9);
  EXPECT_GT(of_outcomes(300, {.5, .5}, {.7, .3}, 0, 500, false).differences, most(500));
  EXPECT_GT(of_means(300, {.5, .5}, 0, 500, false).differences, most(500));
}

}  // namespace
}  // namespace dpmix::test
