// A year of daily totals from real draws, at the noise and the price that blocks pay.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/counter/factorisation.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/contribution.hpp"

namespace dpmix::test {
namespace {

constexpr int kDays = 365;
constexpr double kMu = .25;         // that a block pays
constexpr double kSensitivity = 1;  // of a count

// In 64ths: sum of squared weights times (64 / deviation)^2 is kMu^2.
double deviation_of(const CounterFactorisation& counter) {
  return kCounterUnits * kSensitivity * std::sqrt(counter.life()) / kMu;
}

// A release of all days: measurements in counts, of blocks of these values.
struct Measuring {
  const CounterFactorisation& counter;
  NoiseSampler noise;
  RandomStream random;

  std::vector<double> operator()(const std::vector<std::int64_t>& value) {
    std::vector<double> measured(value.size());
    for (std::size_t t = 0; t < value.size(); ++t) {
      Int128 sum = 0;
      for (std::size_t b = 0; b <= t; ++b) {
        sum += static_cast<Int128>(counter.weight(static_cast<int>(t - b))) * value[b];
      }
      measured[t] = static_cast<double>(sum + noise(random)) / kCounterUnits;
    }
    return measured;
  }
};

Measuring measuring(const CounterFactorisation& counter, std::uint8_t seed) {
  const NoiseLaw law{.family = Family::gaussian,
                     .sensitivity = kCounterUnits * kSensitivity,
                     .scale = deviation_of(counter)};
  return {counter, NoiseSampler(law), RandomStream({seed, 71})};
}

std::vector<std::int64_t> days(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> value(kDays);
  for (std::int64_t& each : value) each = static_cast<std::int64_t>(random() % 1000);
  return value;
}

TEST(CounterTotals, WorstDeviationOfAYear) {
  const CounterFactorisation counter(kDays);
  Measuring measure = measuring(counter, 1);
  constexpr int kRuns = 4000;  // a deviation is found to 1.1%
  const std::vector<std::int64_t> value = days(1);
  std::vector<double> squares(kDays + 1);
  for (int run = 0; run < kRuns; ++run) {
    const std::vector<double> measured = measure(value);
    double truth = 0;
    for (int t = 1; t <= kDays; ++t) {
      truth += static_cast<double>(value[static_cast<std::size_t>(t - 1)]);
      const double error = counter.estimate(measured, 0, t) - truth;
      squares[static_cast<std::size_t>(t)] += error * error / kRuns;
    }
  }
  // In units of what a total costs that is released once, at the price of a block.
  const double unit = kSensitivity / kMu;
  EXPECT_NEAR(std::sqrt(squares[kDays]) / unit, 2.95, .03 * 2.95);
  double mean = 0;
  for (int t = 1; t <= kDays; ++t) {
    const double deviation = std::sqrt(squares[static_cast<std::size_t>(t)]) / unit;
    EXPECT_LE(deviation, 2.95 * 1.06) << t;  // five times its own deviation
    mean += squares[static_cast<std::size_t>(t)] / kDays;
  }
  EXPECT_NEAR(std::sqrt(mean) / unit, 2.783, .02 * 2.783);
}

// Totals and windows, with the reach that dpmix.counter() adds on either side.
TEST(CounterTotals, IntervalsCoverAtTheirLevel) {
  const CounterFactorisation counter(kDays);
  Measuring measure = measuring(counter, 2);
  const struct {
    int from, to;
  } windows[] = {{0, 1}, {0, 30}, {0, kDays}, {100, 101}, {100, 130}, {334, kDays}};
  constexpr int kRuns = 10000;
  int inside[std::size(windows)] = {};
  const std::vector<std::int64_t> value = days(2);
  for (int run = 0; run < kRuns; ++run) {
    const std::vector<double> measured = measure(value);
    for (std::size_t w = 0; w < std::size(windows); ++w) {
      const auto [from, to] = windows[w];
      double truth = 0;
      for (int t = from; t < to; ++t) truth += static_cast<double>(value[std::size_t(t)]);
      const double reach = counter.reach_95(from, to, deviation_of(counter)) / kCounterUnits;
      inside[w] += std::abs(counter.estimate(measured, from, to) - truth) <= reach;
    }
  }
  for (std::size_t w = 0; w < std::size(windows); ++w) {
    const double covered = inside[w] / double(kRuns);  // deviation .0022
    EXPECT_GE(covered, .95 - .011) << windows[w].from << ' ' << windows[w].to;
    EXPECT_LE(covered, .95 + .013) << windows[w].from << ' ' << windows[w].to;
  }
}

// What a unit can do in its block: other rows at every step, within the bounds that the shift is
// made of. Over all steps it moves the measurements no further than the block paid for.
TEST(CounterTotals, NeighboursOfABlockStayWithinWhatItPaid) {
  const CounterFactorisation counter(kDays);
  const Lattice lattice{0, 1, -3, 8};
  std::mt19937_64 random(3);
  double largest = 0;
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    for (int trial = 0; trial < 3000; ++trial) {
      const int most = 1 + int(random() % 4), groups = 1 + int(random() % 3);
      const Contribution unit = contribution_of(most, std::nullopt);
      const double shift = shift_of(lattice, adjacency, unit, {groups, 1}).l2;
      // With what is kept of the unit's rows: sums of groups.
      const auto rows = [&](bool there) {
        std::vector<std::int64_t> sum(static_cast<std::size_t>(groups));
        const int count = there ? trial % 3 == 0 ? most : int(random() % (most + 1)) : 0;
        const std::size_t one = random() % sum.size();
        for (int i = 0; i < count; ++i) {
          const std::size_t group = trial % 2 == 0 ? one : random() % sum.size();
          sum[group] += trial % 5 == 0 ? (trial % 10 == 0 ? 8 : -3) : int(random() % 12) - 3;
        }
        return sum;
      };
      const int entered = int(random() % kDays);
      double squares = 0;  // of mu, in units of 1 / deviation
      for (int step = entered; step < kDays; ++step) {
        const auto here = rows(true), there = rows(adjacency == Adjacency::replace);
        double moved = 0;
        for (std::size_t g = 0; g < here.size(); ++g) {
          const double by = double(here[g] - there[g]);
          moved += by * by;
        }
        const auto weight = double(counter.weight(step - entered));
        EXPECT_LE(std::sqrt(moved), shift);
        squares += weight * weight * moved;
      }
      const double paid = kCounterUnits * shift * std::sqrt(counter.life());
      EXPECT_LE(std::sqrt(squares), paid * (1 + 1e-12));
      largest = std::max(largest, std::sqrt(squares) / paid);
    }
  }
  EXPECT_GE(largest, .5);  // the trials come near
}

}  // namespace
}  // namespace dpmix::test
