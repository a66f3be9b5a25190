#include "core/query/answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/noise/sampler.hpp"

namespace dpmix {
namespace {

constexpr Int128 kHuge = static_cast<Int128>(1) << 120;

TEST(Aggregates, CountsKeepTheirSignAndSaturate) {
  EXPECT_EQ(count_answer(0), 0);
  EXPECT_EQ(count_answer(-7), -7);
  EXPECT_EQ(count_answer(kHuge), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(count_answer(-kHuge), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(count_answer(std::numeric_limits<std::int64_t>::min()),
            std::numeric_limits<std::int64_t>::min());
}

TEST(Aggregates, SumsAreInTheUnitsOfTheColumn) {
  const Lattice whole = anchored_lattice(-5, 10, true);
  EXPECT_EQ(sum_answer(whole, 123), 123);
  EXPECT_EQ(sum_answer(whole, -4), -4);
  const Lattice fine = anchored_lattice(0, 1, false);
  EXPECT_DOUBLE_EQ(sum_answer(fine, static_cast<Int128>(3) * fine.high), 3);
}

TEST(Aggregates, MeansOfExactStatisticsAreMeans) {
  const Lattice lattice = centred_lattice(0, 100, true);
  Int128 total = 0;
  for (double value : {0.0, 10.0, 100.0, 1000.0}) total += lattice.place(value);
  EXPECT_DOUBLE_EQ(mean_answer(lattice, 0, 100, 4, total), (0 + 10 + 100 + 100) / 4.0);
}

TEST(Aggregates, AnEmptyGroupGivesTheMiddleOfTheBounds) {
  const Lattice lattice = centred_lattice(-2, 8, false);
  EXPECT_EQ(mean_answer(lattice, -2, 8, 0, 0), 3);
  EXPECT_EQ(mean_answer(lattice, -2, 8, -50, 0), 3);
}

TEST(Aggregates, MeansStayWithinTheBoundsWhateverTheNoiseDid) {
  for (double lower : {-1e300, -7.0, 1e-300}) {
    for (double upper : {3.0, 1e308}) {
      const Lattice lattice = centred_lattice(lower, upper, false);
      for (Int128 count : {-kHuge, Int128{-1}, Int128{0}, Int128{1}, Int128{3}, kHuge}) {
        for (Int128 sum : {-kHuge, Int128{-5}, Int128{0}, kHuge}) {
          const double mean = mean_answer(lattice, lower, upper, count, sum);
          EXPECT_GE(mean, lower);
          EXPECT_LE(mean, upper);  // neither holds for NaN
        }
      }
    }
  }
}

// The noise of the count must not be multiplied by the middle of the bounds.
TEST(Aggregates, ConstantColumnsAtTheMiddleAreExactUnderNoisyCounts) {
  const Lattice lattice = centred_lattice(1000, 1002, true);
  const Int128 total = Int128{50} * lattice.place(1001);
  for (Int128 count : {-3, 1, 40, 50, 66}) {
    EXPECT_EQ(mean_answer(lattice, 1000, 1002, count, total), 1001);
  }
}

const NoiseLaw kLaws[] = {
    {.family = Family::gaussian, .sensitivity = 1, .scale = 0.4},
    {.family = Family::gaussian, .sensitivity = 3, .scale = 6.3},
    {.family = Family::gaussian, .sensitivity = 1, .scale = 1e12},
    {Family::multi_gaussian, 5, 1.4, 3, 0.5},
    {Family::multi_gaussian, 1, 0.3, 10, 2},
    {.family = Family::laplace, .sensitivity = 3, .scale = 2.5},
    {.family = Family::laplace, .sensitivity = 1, .scale = 0.2},
};
constexpr double kLevels[] = {1e-9, 0.1, 0.5, 0.9, 0.95, 0.999, 1 - 1e-9};

std::string where(const NoiseLaw& law, double level) {
  return std::string(name(law.family)) + " " + std::to_string(law.scale) + " at " +
         std::to_string(level);
}

// P(noise = k) on the integers, from the definition of each law.
double mass(const NoiseLaw& law, double k) {
  if (law.family == Family::laplace) {
    const double q = std::exp(-1 / law.scale);
    return (1 - q) / (1 + q) * std::pow(q, std::fabs(k));
  }
  double total = 0, sum = 0;
  for (int j = -law.components; j <= law.components; ++j) {
    const double weight = std::exp(-law.weight_epsilon * std::abs(j));
    const double centre = std::fabs(k - j * law.sensitivity), unit = law.scale * std::sqrt(2.0);
    total += weight;
    // Half-way out of its centre both ends are in one tail: nothing cancels.
    sum += weight / 2 *
           (centre == 0 ? 2 * std::erf(0.5 / unit)
                        : std::erfc((centre - 0.5) / unit) - std::erfc((centre + 0.5) / unit));
  }
  return sum / total;
}

double tail_mass(const NoiseLaw& law, double beyond) {  // P(|noise| > beyond)
  double sum = 0;
  for (double k = beyond + 200; k > beyond; --k) sum += 2 * mass(law, k);
  return sum;
}

TEST(Intervals, TheReachIsTheLeastThatLeavesOutNoMore) {
  for (const NoiseLaw& law : kLaws) {
    if (law.scale > 100) continue;
    for (double level : kLevels) {
      for (int parts : {1, 2}) {
        const double reach = noise_reach(law, level, parts), out = (1 - level) / parts;
        EXPECT_LE(tail_mass(law, reach), out * (1 + 1e-10)) << where(law, level);
        if (reach == 0) continue;
        EXPECT_GT(tail_mass(law, reach - 1), out) << where(law, level);
      }
    }
  }
}

TEST(Intervals, LevelsAreBetweenZeroAndOne) {
  for (double level : {0.0, 1.0, -0.5, 1.5, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(noise_reach(kLaws[0], level, 1), Error) << level;
  }
  // Half of what the largest level leaves out is no double's distance from 1.
  const double most = std::nextafter(1.0, 0.0);
  EXPECT_GT(noise_reach(kLaws[1], most, 2), noise_reach(kLaws[1], most, 1));
  EXPECT_LT(noise_reach(kLaws[1], most, 2), 9 * kLaws[1].scale);
}

// By the sampler that releases use; a run that fails by chance has probability 1e-9 (6 sigma), and
// the stream is fixed.
TEST(Intervals, CoverWhatTheNoiseHidesAtTheLevelAsked) {
  constexpr int kDraws = 20'000;
  constexpr Int128 kCount = 1000, kTotal = -777;
  const Lattice sums = anchored_lattice(-3, 7, true);
  RandomStream random({7});
  for (const NoiseLaw& law : kLaws) {
    for (double level : {0.5, 0.9, 0.99}) {
      const NoiseSampler draw(law);
      const double reach = noise_reach(law, level, 1);
      int counts = 0, totals = 0;
      for (int i = 0; i < kDraws; ++i) {
        const NoiseInterval count = count_interval(kCount + draw(random), reach);
        const NoiseInterval total = sum_interval(sums, kTotal + draw(random), reach);
        counts += count.low <= 1000 && 1000 <= count.high;
        totals += total.low <= -777 && -777 <= total.high;
      }
      const double least = level - 6 * std::sqrt(level * (1 - level) / kDraws);
      EXPECT_GE(counts, least * kDraws) << where(law, level);
      EXPECT_GE(totals, least * kDraws) << where(law, level);
    }
  }
}

TEST(Intervals, HoldTheReleasedAnswer) {
  const Lattice sums = anchored_lattice(0, 0.7, false), means = centred_lattice(-2, 9, false);
  const auto expect_holds = [](const NoiseInterval& interval, double answer) {
    EXPECT_LE(interval.low, answer);
    EXPECT_GE(interval.high, answer);
  };
  const Int128 fine = (static_cast<Int128>(1) << 61) + 1;  // no double
  for (double reach : {0.0, 1.0, 37.0, 0x1p60, 0x1p90, 0x1p200}) {
    for (Int128 noisy :
         {-kHuge, -fine, Int128{-40}, Int128{-1}, Int128{0}, Int128{3}, fine, kHuge}) {
      expect_holds(count_interval(noisy, reach), static_cast<double>(count_answer(noisy)));
      expect_holds(sum_interval(sums, noisy, reach), sum_answer(sums, noisy));
      for (Int128 count : {-kHuge, Int128{-1}, Int128{0}, Int128{1}, Int128{25}, kHuge}) {
        expect_holds(mean_interval(means, -2, 9, count, reach, noisy, reach),
                     mean_answer(means, -2, 9, count, noisy));
      }
    }
  }
}

TEST(Intervals, AreAsWideAsTheNoise) {
  const NoiseInterval count = count_interval(-3, 5);
  EXPECT_EQ(count.low, -8);
  EXPECT_EQ(count.high, 2);
  const NoiseInterval sum = sum_interval({0, 0.25, 0, 8}, 10, 6);
  EXPECT_EQ(sum.low, 1);
  EXPECT_EQ(sum.high, 4);
  const NoiseInterval all = count_interval(0, 0x1p100);  // of bigint
  EXPECT_EQ(all.low, -0x1p63);
  EXPECT_EQ(all.high, 0x1p63);
}

// All that the averages of a box can be, by going through it.
TEST(Intervals, OfMeansAreTheExtremesOverTheBox) {
  const Lattice lattice = centred_lattice(-10, 20, true);
  for (int n = -6; n <= 6; ++n) {
    for (int a : {0, 1, 4}) {
      for (int s = -40; s <= 40; s += 5) {
        for (int b : {0, 1, 7, 50}) {
          double low = HUGE_VAL, high = -HUGE_VAL;
          for (int rows = std::max(1, n - a); rows <= std::max(1, n + a); ++rows) {
            for (int sum = s - b; sum <= s + b; ++sum) {
              const double mean = mean_answer(lattice, -10, 20, rows, sum);
              low = std::min(low, mean);
              high = std::max(high, mean);
            }
          }
          const NoiseInterval interval = mean_interval(lattice, -10, 20, n, a, s, b);
          EXPECT_EQ(interval.low, low) << n << " " << a << " " << s << " " << b;
          EXPECT_EQ(interval.high, high) << n << " " << a << " " << s << " " << b;
        }
      }
    }
  }
}

// The probability itself: a sum over all values of both noises.
TEST(Intervals, OfMeansCoverEveryTableAtTheLevelAsked) {
  const Lattice lattice = centred_lattice(0, 6, true);  // rows add -3..3
  const NoiseLaw count_laws[] = {{.family = Family::laplace, .sensitivity = 1, .scale = 1.5},
                                 {.family = Family::gaussian, .sensitivity = 1, .scale = 2},
                                 {Family::multi_gaussian, 1, 0.5, 4, 0.7}};
  const NoiseLaw sum_laws[] = {{.family = Family::laplace, .sensitivity = 3, .scale = 4.5},
                               {.family = Family::gaussian, .sensitivity = 3, .scale = 6},
                               {Family::multi_gaussian, 3, 0.9, 4, 0.7}};
  constexpr int kFar = 80;
  for (int law = 0; law < 3; ++law) {
    std::vector<double> of_count, of_sum;
    for (int k = -kFar; k <= kFar; ++k) {
      of_count.push_back(mass(count_laws[law], k));
      of_sum.push_back(mass(sum_laws[law], k));
    }
    for (double level : {0.3, 0.8, 0.95}) {
      const double a = noise_reach(count_laws[law], level, 2);
      const double b = noise_reach(sum_laws[law], level, 2);
      for (int rows : {0, 1, 2, 5, 30}) {
        for (int total : {-3 * rows, -rows, 0, 2 * rows, 3 * rows}) {
          const double exact = mean_answer(lattice, 0, 6, rows, total);
          double covered = 0;
          for (int k = -kFar; k <= kFar; ++k) {
            for (int l = -kFar; l <= kFar; ++l) {
              const NoiseInterval interval =
                  mean_interval(lattice, 0, 6, rows + k, a, total + l, b);
              if (interval.low <= exact && exact <= interval.high) {
                covered += of_count[k + kFar] * of_sum[l + kFar];
              }
            }
          }
          EXPECT_GE(covered, level) << where(sum_laws[law], level) << ": " << rows << ", " << total;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dpmix
