#include "core/query/normal_intervals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/input/square_lattice.hpp"
#include "core/stats/lattice_squares.hpp"

namespace dpmix {
namespace {

constexpr Int128 kHuge = static_cast<Int128>(1) << 120;

StatisticNoise noise_of(double deviation, int draws = 1) {
  return {{.family = Family::gaussian, .sensitivity = 1, .scale = deviation}, 1, 1e-6, draws};
}

struct Case {
  Lattice lattice;
  double lower, upper;
  std::vector<double> rows;
};

SpreadCells cells_of(const Case& of) {
  LatticeSquares state;
  state.sum.lattice = of.lattice;
  for (const double x : of.rows) state.add(x);
  return {state.sum.count, state.sum.total, state.squares};
}

// Rows in the middle, at an end, at both, and none; few and many.
std::vector<Case> some_cases() {
  std::vector<Case> made;
  std::mt19937_64 random(41);
  for (const bool integral : {true, false}) {
    const double lower = -10, upper = 40;
    const Lattice lattice = centred_lattice(lower, upper, integral);
    for (const int count : {0, 1, 30, 400, 20'000}) {
      for (const auto& [low, high] :
           {std::pair{10.0, 20.0}, {38.0, 40.0}, {-10.0, 40.0}, {40.0, 40.0}}) {
        Case of = {lattice, lower, upper, {}};
        for (int i = 0; i < count; ++i) {
          of.rows.push_back(std::floor(std::uniform_real_distribution(low, high + 1e-9)(random)));
        }
        made.push_back(of);
        if (count == 0) break;
      }
    }
  }
  return made;
}

struct Coverage {
  double mean = 0, variance = 0, stddev = 0, width = 0, box_width = 0;
};

Coverage coverage(const Case& of, double relative, double level, int draws, unsigned seed) {
  constexpr int kDraws = 600;
  const SpreadCells exact = cells_of(of);
  const double steps = static_cast<double>(of.lattice.high);
  const double squares = static_cast<double>(square_placer(of.lattice.high).most());
  const StatisticNoise noise[] = {noise_of(relative, draws), noise_of(relative * steps, draws),
                                  noise_of(relative * squares, draws)};
  const NormalReach mean = normal_reach(noise[0], noise[1], nullptr, level),
                    both = normal_reach(noise[0], noise[1], &noise[2], level);
  const double box[] = {noise_reach(noise[0].law, level, 2), noise_reach(noise[1].law, level, 2)};
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const double m = mean_answer(of.lattice, of.lower, of.upper, exact.count, exact.sum),
               v = variance_answer(of.lattice, exact), d = stddev_answer(of.lattice, exact);
  Coverage found;
  for (int i = 0; i < kDraws; ++i) {
    const auto drawn = [&](Int128 number, double deviation) {
      return number + static_cast<Int128>(std::nearbyint(normal(random) * deviation));
    };
    const SpreadCells noisy = {drawn(exact.count, relative), drawn(exact.sum, relative * steps),
                               drawn(exact.squares, relative * squares)};
    const auto holds = [](const NoiseInterval& interval, double answer) {
      return interval.low <= answer && answer <= interval.high ? 1.0 / kDraws : 0;
    };
    const NoiseInterval of_mean = normal_mean_interval(of.lattice, of.lower, of.upper, noisy.count,
                                                       noisy.sum, mean),
                        of_variance = normal_variance_interval(of.lattice, noisy, both),
                        of_stddev = normal_stddev_interval(of.lattice, noisy, both);
    EXPECT_TRUE(
        holds(of_mean, mean_answer(of.lattice, of.lower, of.upper, noisy.count, noisy.sum)));
    EXPECT_TRUE(holds(of_variance, variance_answer(of.lattice, noisy)));
    EXPECT_TRUE(holds(of_stddev, stddev_answer(of.lattice, noisy)));
    found.mean += holds(of_mean, m);
    found.variance += holds(of_variance, v);
    found.stddev += holds(of_stddev, d);
    const NoiseInterval wide =
        mean_interval(of.lattice, of.lower, of.upper, noisy.count, box[0], noisy.sum, box[1]);
    found.width += of_mean.high - of_mean.low;
    found.box_width += wide.high - wide.low;
  }
  return found;
}

TEST(NormalIntervals, CoverAtTheLevelAskedAndNotMuchMore) {
  unsigned seed = 1;
  for (const Case& of : some_cases()) {
    for (const double level : {.5, .8, .95}) {
      const Coverage found = coverage(of, 8, level, 1, ++seed);
      // Six deviations of the number of draws that hold.
      const double least = level - 6 * std::sqrt(level * (1 - level) / 600);
      EXPECT_GE(found.mean, least) << of.rows.size() << " " << level;
      EXPECT_GE(found.variance, least) << of.rows.size() << " " << level;
      EXPECT_GE(found.stddev, least) << of.rows.size() << " " << level;
      if (of.rows.size() < 20'000 || of.rows[0] == of.rows[1]) continue;
      const double most = 1 - .7 * (1 - level) + 6 * std::sqrt(level * (1 - level) / 600);
      EXPECT_LE(found.mean, most) << level;
      EXPECT_LE(found.variance, most) << level;
      EXPECT_LT(found.width, .87 * found.box_width) << level;
    }
  }
}

TEST(NormalIntervals, OfCombinedAnswersHoldTheLevelOfTheirPlace) {
  const std::vector<Case> cases = some_cases();
  const Coverage found = coverage(cases.back(), 8, .8, 3, 77);
  EXPECT_GE(found.mean, ladder_level(.8, 3) - .04);
  EXPECT_GE(found.variance, ladder_level(.8, 3) - .04);
}

TEST(NormalIntervals, AreKnownOfNormalNoiseOnly) {
  const StatisticNoise laplace{{.family = Family::laplace, .sensitivity = 1, .scale = 2}, 1, 0, 1};
  EXPECT_TRUE(normal_reach(noise_of(1), noise_of(2), nullptr, .9).known());
  EXPECT_FALSE(normal_reach(noise_of(1), laplace, nullptr, .9).known());
  const StatisticNoise one = noise_of(1);
  EXPECT_FALSE(normal_reach(laplace, one, &one, .9).known());
}

TEST(NormalIntervals, AreWithinTheBoundsWhateverTheNoiseDid) {
  for (const auto& [lower, upper] : {std::pair{0.0, 6.0}, {-1e300, 1e308}, {0.0, 1e-310}}) {
    const Lattice lattice = centred_lattice(lower, upper, false);
    const StatisticNoise noise = noise_of(3), wide = noise_of(0x1p40);
    const NormalReach mean = normal_reach(noise, wide, nullptr, .9),
                      both = normal_reach(noise, wide, &wide, .9);
    const double most =
        std::min(reach_of(lattice) * reach_of(lattice), std::numeric_limits<double>::max());
    for (const Int128 count : {-kHuge, Int128{-3}, Int128{0}, Int128{3}, kHuge}) {
      for (const Int128 sum : {-kHuge, Int128{-5}, Int128{0}, kHuge}) {
        for (const Int128 squares : {-kHuge, Int128{-5}, Int128{0}, kHuge}) {
          const NoiseInterval m = normal_mean_interval(lattice, lower, upper, count, sum, mean);
          EXPECT_TRUE(lower <= m.low && m.low <= m.high && m.high <= upper);
          const NoiseInterval v = normal_variance_interval(lattice, {count, sum, squares}, both);
          EXPECT_TRUE(0 <= v.low && v.low <= v.high && v.high <= most);
          const NoiseInterval d = normal_stddev_interval(lattice, {count, sum, squares}, both);
          EXPECT_TRUE(0 <= d.low && d.low <= d.high && d.high <= reach_of(lattice));
        }
      }
    }
  }
}

}  // namespace
}  // namespace dpmix
