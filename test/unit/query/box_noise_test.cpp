#include "core/query/box_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/query/box_world.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

// Every shift that a row can make, and every output: the largest ratio is e^rate, and is met.
TEST(BoxNoise, NoShiftTellsMoreThanTheRate) {
  for (const test::BoxWorld& world : {test::BoxWorld{.7, {1, 1}}, test::BoxWorld{.7, {1, 3}},
                                      test::BoxWorld{1.9, {2, 5}}, test::BoxWorld{.4, {4, 1, 2}}}) {
    const auto radii = world.radii();
    const std::size_t k = world.steps.size();
    constexpr std::int64_t kReach = 9;
    std::vector<std::int64_t> z(k), shifted(k);
    double most = 0;
    const auto count = static_cast<int>(std::pow(2 * kReach + 1, k));
    for (int number = 0; number < count; ++number) {
      int rest = number, shifts = 1;
      for (std::size_t i = 0; i < k; ++i, rest /= 2 * kReach + 1) {
        z[i] = rest % (2 * kReach + 1) - kReach;
        shifts *= 2 * world.steps[i] + 1;
      }
      const double here = world.of(radii, z);
      for (int shift = 0; shift < shifts; shift += number % 3 + 1) {
        int left = shift;
        for (std::size_t i = 0; i < k; ++i) {
          const int width = 2 * world.steps[i] + 1;
          shifted[i] = z[i] + left % width - world.steps[i];
          left /= width;
        }
        most = std::max(most, std::log(here / world.of(radii, shifted)));
      }
    }
    EXPECT_NEAR(most, world.rate, 1e-9);
  }
}

// One coordinate beyond its shift is seen.
TEST(BoxNoise, OneStepMoreTellsMore) {
  const test::BoxWorld world{.7, {1, 3}};
  const auto radii = world.radii();
  EXPECT_GT(std::log(world.of(radii, {0, 1}) / world.of(radii, {0, 5})), world.rate * 1.5);
}

std::vector<StatisticShift> together(Adjacency adjacency, bool grouped, int statistics) {
  std::vector<StatisticShift> shifts;
  for (int i = 0; i < statistics; ++i) {
    const Lattice lattice = kStatistics[static_cast<std::size_t>(i) % kStatistics.size()];
    shifts.push_back(statistic_shift(lattice, adjacency, grouped));
    shifts.back().together = true;
  }
  return shifts;
}
Planned laplace(double epsilon, const std::vector<StatisticShift>& shifts,
                Accountant accountant = Accountant::basic, bool accurate = false) {
  QueryRequest request{epsilon, 0, Family::laplace};
  request.accurate = accurate;
  return planned(request, shifts, accountant, false);
}
double error_of(const StatisticNoise& noise) {
  return lattice_moments(noise.law, 1).expected_abs;
}

// All of epsilon is spent by one row, and no more: each group it is in has its part.
TEST(BoxNoise, RatesAddUpToEpsilon) {
  for (const auto& [adjacency, grouped, pieces] :
       {std::tuple{Adjacency::add_remove, true, 1}, std::tuple{Adjacency::replace, true, 2},
        std::tuple{Adjacency::replace, false, 1}}) {
    for (const double epsilon : {1e-4, .3, 2.}) {
      const auto shifts = together(adjacency, grouped, 3);
      const Planned made = laplace(epsilon, shifts);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(is_in_box(made.noise[i]));
        EXPECT_EQ(made.noise[i].law.sensitivity, shifts[i].each);
        const double rate = made.noise[i].law.sensitivity / made.noise[i].law.scale;
        EXPECT_LE(rate * pieces, epsilon);
        EXPECT_GT(rate * pieces, epsilon * (1 - 1e-12));
      }
    }
  }
}

// The figures of docs/proofs/box.md.
TEST(BoxNoise, IsLessThanAPartForEach) {
  for (const auto& [statistics, factor] : {std::pair{2, .75}, {3, 2 / 3.}, {4, .625}, {8, .5625}}) {
    std::vector<StatisticShift> shifts = together(Adjacency::add_remove, true, statistics);
    const Planned box = laplace(.1, shifts);
    for (StatisticShift& shift : shifts) shift.together = false;
    const Planned parts = laplace(.1, shifts);
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      EXPECT_NEAR(error_of(box.noise[i]) / error_of(parts.noise[i]), factor, .01) << statistics;
    }
  }
}

// Never more noise than before, in all.
TEST(BoxNoise, IsTakenWhereItIsLess) {
  for (const double epsilon : {1e-5, .1, 1., 3., 8., 20., 60.}) {
    for (int statistics = 2; statistics < 8; ++statistics) {
      for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
        std::vector<StatisticShift> shifts = together(adjacency, true, statistics);
        const Planned box = laplace(epsilon, shifts);
        for (StatisticShift& shift : shifts) shift.together = false;
        const Planned parts = laplace(epsilon, shifts);
        double with = 0, without = 0;
        for (std::size_t i = 0; i < shifts.size(); ++i) {
          with += error_of(box.noise[i]) / shifts[i].each;
          without += error_of(parts.noise[i]) / shifts[i].each;
        }
        EXPECT_LE(with, without * (1 + 1e-9)) << epsilon << " " << statistics;
      }
    }
  }
}

// What has several cells in a group keeps a part of its own.
TEST(BoxNoise, OthersKeepAPart) {
  std::vector<StatisticShift> shifts = together(Adjacency::add_remove, true, 4);
  shifts[1].together = false;
  const Planned made = laplace(1, shifts);
  EXPECT_FALSE(is_in_box(made.noise[1]));
  EXPECT_NEAR(made.noise[1].law.scale, shifts[1].l1 * 2, 1e-6 * shifts[1].l1);
  for (const std::size_t i : {0, 2, 3}) {
    EXPECT_EQ(made.noise[i].law.components, 3);
    EXPECT_NEAR(made.noise[i].law.scale, shifts[i].each * 2, 1e-6 * shifts[i].each);
  }
  // One alone is geometric noise, as ever.
  shifts[2].together = shifts[3].together = false;
  EXPECT_FALSE(is_in_box(laplace(1, shifts).noise[0]));
}

// Where costs count, k parts of epsilon cost a k-th: it is for those who ask for accuracy, and
// costs what one integer does that moves by one step.
TEST(BoxNoise, CostsWhatOneReleaseDoes) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    const auto shifts = together(Adjacency::add_remove, true, 3);
    const Planned made = laplace(.5, shifts, accountant, true);
    const Cost one = cost_of_geometric(filter_of(accountant).accounting(), .5);
    ASSERT_TRUE(made.plan.has_own);
    EXPECT_EQ(made.plan.own.amount, one.amount);
    EXPECT_EQ(made.plan.epsilon, .5);
    EXPECT_EQ(made.plan.delta, 0);
    const Planned parts = laplace(.5, shifts, accountant);
    EXPECT_FALSE(is_in_box(parts.noise[0]));
    EXPECT_LT(parts.plan.own.amount, .7 * one.amount);
  }
}

// A table that counts costs pays for what another table's plan draws, and not for parts.
TEST(BoxNoise, AnotherTablePaysForWhatIsDrawn) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    const auto shifts = together(Adjacency::add_remove, true, 4);
    QueryRequest request{.5, 0, Family::laplace};
    request.together = true;
    const Planned made = planned(request, shifts, accountant, false);
    EXPECT_TRUE(is_in_box(made.noise[0]));
    EXPECT_EQ(made.plan.own.amount,
              cost_of_geometric(filter_of(accountant).accounting(), .5).amount);
    EXPECT_EQ(made.noise[0].law.scale, laplace(.5, shifts).noise[0].law.scale);
    request.together = false;
    EXPECT_FALSE(is_in_box(planned(request, shifts, Accountant::basic, false).noise[0]));
  }
}

}  // namespace
}  // namespace dpmix
