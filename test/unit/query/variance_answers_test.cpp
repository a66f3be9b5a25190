#include "core/query/variance_answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/stats/lattice_squares.hpp"

namespace dpmix {
namespace {

constexpr Int128 kHuge = static_cast<Int128>(1) << 120;

SpreadCells cells_of(const std::vector<double>& values, const Lattice& lattice) {
  LatticeSquares state;
  state.sum.lattice = lattice;
  for (const double x : values) state.add(x);
  return {state.sum.count, state.sum.total, state.squares};
}

double plain_variance(const std::vector<double>& values) {
  double mean = 0, variance = 0;
  for (const double x : values) mean += x / static_cast<double>(values.size());
  for (const double x : values) variance += (x - mean) * (x - mean);
  return variance / static_cast<double>(values.size());
}

TEST(Spread, OfExactStatisticsIsThePopulations) {
  std::mt19937_64 random(11);
  for (const auto& [lower, upper] :
       {std::pair{0.0, 10.0}, {-1e-3, 5e-3}, {900.0, 1'000'000.0}, {-4e9, 3e9 + 1}, {1e15, 4e15}}) {
    for (const bool integral : {false, true}) {
      std::vector<double> values;
      for (int i = 0; i < 500; ++i) {
        const double x = std::uniform_real_distribution(lower, upper)(random);
        values.push_back(integral ? std::ceil(x) : x);
        values.back() = std::min(values.back(), upper);
      }
      const Lattice lattice = centred_lattice(lower, upper, integral);
      const SpreadCells cells = cells_of(values, lattice);
      const double exact = plain_variance(values), reach = upper / 2 - lower / 2;
      EXPECT_NEAR(variance_answer(lattice, cells), exact, 2e-9 * reach * reach);
      EXPECT_DOUBLE_EQ(stddev_answer(lattice, cells), std::sqrt(variance_answer(lattice, cells)));
    }
  }
}

TEST(Spread, IsBetweenNothingAndTheLargestAndNeverNaN) {
  const Lattice ends = centred_lattice(0, 6, true);
  EXPECT_EQ(variance_answer(ends, cells_of({0, 6, 0, 6}, ends)), 9);  // all that bounds allow
  EXPECT_NEAR(variance_answer(ends, cells_of({4}, ends)), 0, 1e-14);
  EXPECT_EQ(variance_answer(ends, {0, 0, 0}), 4.5);  // an empty group
  EXPECT_DOUBLE_EQ(stddev_answer(ends, {-7, 0, 0}), std::sqrt(4.5));
  for (const auto& [lower, upper] : {std::pair{0.0, 6.0}, {-1e300, 1e308}, {0.0, 1e-310}}) {
    const Lattice lattice = centred_lattice(lower, upper, false);
    const double reach = static_cast<double>(lattice.high) * lattice.step;
    const double most = std::min(reach * reach, std::numeric_limits<double>::max());
    for (const Int128 count : {-kHuge, Int128{0}, Int128{3}, kHuge}) {
      for (const Int128 sum : {-kHuge, Int128{-5}, Int128{0}, kHuge}) {
        for (const Int128 squares : {-kHuge, Int128{-5}, Int128{0}, kHuge}) {
          const SpreadCells noisy = {count, sum, squares};
          const double variance = variance_answer(lattice, noisy);
          EXPECT_GE(variance, 0);
          EXPECT_LE(variance, most);  // neither holds for NaN
          EXPECT_LE(stddev_answer(lattice, noisy), reach);
          for (const double width : {0.0, 1.0, 0x1p40, 0x1p200}) {
            const SpreadReach by = {width, width, width};
            const NoiseInterval of = variance_interval(lattice, noisy, by);
            EXPECT_TRUE(0 <= of.low && of.low <= variance && variance <= of.high &&
                        of.high <= most);
            const NoiseInterval root = stddev_interval(lattice, noisy, by);
            EXPECT_LE(root.low, stddev_answer(lattice, noisy));
            EXPECT_GE(root.high, stddev_answer(lattice, noisy));
          }
        }
      }
    }
  }
}

// All that the variances of a box can be, by going through it: nothing outside, and no wider than
// what is reached, but for rows that are no whole number where the parabola has its top.
TEST(Spread, IntervalsAreTheExtremesOverTheBox) {
  const Lattice lattice = centred_lattice(0, 6, true);  // rows add k in -3..3 and 2k^2 - 9
  int inner = 0;
  for (const int n : {-3, 1, 4, 9, 20}) {
    for (const int a : {0, 1, 6}) {
      for (int s = -40; s <= 40; s += 8) {
        for (const int b : {0, 3, 11}) {
          for (int q = -120; q <= 120; q += 24) {
            for (const int c : {0, 5, 30}) {
              double low = HUGE_VAL, high = -HUGE_VAL, gap = 0, last = -1;
              for (int rows = std::max(1, n - a); rows <= std::max(1, n + a); ++rows) {
                double most = -HUGE_VAL;
                for (int sum = s - b; sum <= s + b; ++sum) {
                  for (const int squares : {q - c, q, q + c}) {
                    const double v = variance_answer(lattice, {rows, sum, squares});
                    low = std::min(low, v);
                    most = std::max(most, v);
                  }
                }
                high = std::max(high, most);
                if (last >= 0) gap = std::max(gap, std::abs(most - last));
                last = most;
              }
              const NoiseInterval interval = variance_interval(
                  lattice, {n, s, q},
                  {static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)});
              EXPECT_LE(interval.low, low);
              EXPECT_GE(interval.high, high);
              EXPECT_NEAR(interval.low, low, 1e-9)
                  << n << " " << a << " " << s << " " << b << " " << q;
              EXPECT_LE(interval.high, high + gap + 1e-9);
              inner += interval.high > high + 1e-9;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(inner, 0);  // tops between whole numbers were met
  EXPECT_LT(inner, 300);
}

// What the doubles are at random points of random boxes, roundings included.
TEST(Spread, IntervalsHoldEveryPointOfWideBoxes) {
  std::mt19937_64 random(17);
  for (int trial = 0; trial < 20'000; ++trial) {
    const Lattice lattice = centred_lattice(-7.3, 1.9, trial % 2 == 0);
    const auto draw = [&](double size) {
      return std::uniform_real_distribution<double>(-size, size)(random);
    };
    const double n = std::exp(draw(12)), a = std::exp(draw(8));
    const SpreadReach reach = {a, a * 0x1p30, a * 0x1p30};
    const SpreadCells noisy = {static_cast<Int128>(n), static_cast<Int128>(draw(n) * 0x1p30),
                               static_cast<Int128>(draw(n) * 0x1p30)};
    const NoiseInterval of = variance_interval(lattice, noisy, reach);
    const NoiseInterval root = stddev_interval(lattice, noisy, reach);
    for (int point = 0; point < 8; ++point) {
      const auto near = [&](Int128 centre, double by) {  // ends are met too
        const double at = std::clamp(draw(1.5), -1.0, 1.0) * std::floor(by);
        return centre + static_cast<Int128>(at);
      };
      const SpreadCells inside = {near(noisy.count, reach.count), near(noisy.sum, reach.sum),
                                  near(noisy.squares, reach.squares)};
      const double variance = variance_answer(lattice, inside),
                   stddev = stddev_answer(lattice, inside);
      EXPECT_TRUE(of.low <= variance && variance <= of.high) << trial;
      EXPECT_TRUE(root.low <= stddev && stddev <= root.high) << trial;
    }
  }
}

// The probability itself: a sum over all values of the three noises.
TEST(Spread, IntervalsCoverEveryTableAtTheLevelAsked) {
  const Lattice lattice = centred_lattice(0, 2, true);  // rows add k in -1..1 and 2k^2 - 1
  const NoiseLaw law{.family = Family::laplace, .sensitivity = 1, .scale = 0.9};
  const double q = std::exp(-1 / law.scale);
  constexpr int kFar = 14;
  std::vector<double> mass;
  for (int k = -kFar; k <= kFar; ++k) mass.push_back((1 - q) / (1 + q) * std::pow(q, std::abs(k)));
  const std::vector<double> tables[] = {
      {}, {0}, {0, 2}, {1, 1, 1, 1, 1, 0}, {2, 2, 2, 2, 0, 0, 1, 1, 1}};
  for (const double level : {0.3, 0.9}) {
    const double reach = noise_reach(law, level, 3);
    for (const std::vector<double>& table : tables) {
      const SpreadCells exact = cells_of(table, lattice);
      const double variance = variance_answer(lattice, exact);
      double covered = 0;
      for (int i = -kFar; i <= kFar; ++i) {
        for (int j = -kFar; j <= kFar; ++j) {
          for (int k = -kFar; k <= kFar; ++k) {
            const SpreadCells noisy = {exact.count + i, exact.sum + j, exact.squares + k};
            const NoiseInterval of = variance_interval(lattice, noisy, {reach, reach, reach});
            if (of.low <= variance && variance <= of.high) {
              covered += mass[i + kFar] * mass[j + kFar] * mass[k + kFar];
            }
          }
        }
      }
      EXPECT_GE(covered, level) << table.size();
    }
  }
}

}  // namespace
}  // namespace dpmix
