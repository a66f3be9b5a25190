#include "core/query/shared_noise.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "core/noise/gaussian/gdp.hpp"
#include "core/query/shared_draws.hpp"
#include "core/query/upgrade.hpp"
#include "unit/query/joint_world.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

using Matrix = std::vector<std::vector<long double>>;

// Of the noise of all statistics that are drawn, as shared_draws() makes it; identity elsewhere.
Matrix covariance(const std::vector<StatisticNoise>& noise) {
  const std::size_t count = noise.size();
  Matrix made(count, std::vector<long double>(count, 0));
  for (std::size_t i = 0; i < count; ++i) {
    const long double scale = noise[i].law.scale;
    made[i][i] = scale == 0 ? 1 : scale * scale;
  }
  for (const SharedDraws& shared : shared_draws(noise)) {
    const auto rows = static_cast<std::size_t>(shared.rows());
    for (const auto& part : shared.parts()) {
      const auto values = static_cast<std::size_t>(part.values);
      EXPECT_EQ(part.deviation, noise[values].law.scale);
      made[rows][values] = made[values][rows] =
          static_cast<long double>(part.coefficient) * part.deviation;
    }
  }
  return made;
}

// change' covariance^-1 change: mu^2 of Gaussian noise, by elimination.
double spent(Matrix a, std::vector<double> change, const std::vector<StatisticNoise>& noise) {
  for (std::size_t i = 0; i < change.size(); ++i) {
    if (noise[i].law.scale == 0) change[i] = 0;  // not released
  }
  const std::vector<long double> b(change.begin(), change.end());
  std::vector<long double> x = b;
  const std::size_t count = x.size();
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_GT(a[i][i], 0);
    for (std::size_t r = i + 1; r < count; ++r) {
      const long double by = a[r][i] / a[i][i];
      for (std::size_t c = i; c < count; ++c) a[r][c] -= by * a[i][c];
      x[r] -= by * x[i];
    }
  }
  long double sum = 0;
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t c = i + 1; c < count; ++c) x[i] -= a[i][c] * x[c];
    x[i] /= a[i][i];
    sum += x[i] * b[i];
  }
  return static_cast<double>(sum);
}

double worst(const World& world, Adjacency adjacency, const std::vector<StatisticNoise>& noise) {
  const Matrix of = covariance(noise);
  return world.worst(adjacency, [&](const auto& change) { return spent(of, change, noise); });
}

struct Asked {
  std::vector<StatisticShift> shifts;
  std::vector<Sharing> sharing;
  JointPrice joint;
};
Asked asked(const World& world, Adjacency adjacency) {
  Asked made = {{}, std::vector<Sharing>(world.statistics.size()), {world.joint(adjacency)}};
  for (const JointStatistic& statistic : world.statistics) {
    made.shifts.push_back(statistic_shift(statistic.lattice, adjacency, world.groups > 1));
  }
  find_sharing(world.statistics, adjacency, made.sharing);
  made.joint.sharing = made.sharing;
  return made;
}

World shared_world(std::mt19937_64& random) {
  for (;;) {
    World world = random_world(random, Adjacency::add_remove);
    for (const Sharing& sharing : asked(world, Adjacency::add_remove).sharing) {
      if (sharing.rows >= 0) return world;
    }
  }
}

TEST(SharedNoise, SpendsMuAndNoMore) {
  std::mt19937_64 random(41);
  const double mu = gdp_mu(1, 1e-6);
  double most = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const World world = shared_world(random);
    const Asked of = asked(world, Adjacency::add_remove);
    QueryRequest request{1, 1e-6, Family::gaussian};
    request.joint = of.joint;
    const Planned made = planned(request, of.shifts);
    const double of_mu = std::sqrt(worst(world, Adjacency::add_remove, made.noise)) / mu;
    ASSERT_LE(of_mu, 1) << trial;
    most = std::max(most, of_mu);
  }
  EXPECT_GT(most, .999999);
}

// Against noise that is not shared, at the same mu.
TEST(SharedNoise, MakesNoStatisticWorse) {
  std::mt19937_64 random(42);
  int less = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const World world = shared_world(random);
    const Asked of = asked(world, Adjacency::add_remove);
    QueryRequest request{1, 1e-6, Family::gaussian};
    request.joint = JointPrice{of.joint.squares};
    const Planned apart = planned(request, of.shifts);
    request.joint = of.joint;
    const Planned shared = planned(request, of.shifts);
    EXPECT_EQ(shared.plan.own.amount, apart.plan.own.amount);
    for (std::size_t i = 0; i < of.shifts.size(); ++i) {
      ASSERT_LE(shared.noise[i].law.scale, apart.noise[i].law.scale * (1 + 1e-12));
      ASSERT_LE(shared.noise[i].epsilon, 1);
      const bool in_column = of.sharing[i].rows >= 0;
      if (in_column) {
        ASSERT_LT(shared.noise[i].law.scale, apart.noise[i].law.scale * .99);
      }
      less += in_column;
    }
  }
  EXPECT_GT(less, 600);
}

// Deviations in units of those of one statistic alone.
std::vector<double> deviations(const std::vector<JointStatistic>& statistics) {
  World world = {statistics, {}, {}, 1, 1};
  const Asked of = asked(world, Adjacency::add_remove);
  std::vector<double> l2, made;
  for (const StatisticShift& shift : of.shifts) l2.push_back(shift.l2);
  for (const NoiseShare& share : noise_shares(l2, of.joint)) made.push_back(share.deviation);
  return made;
}

TEST(SharedNoise, ACountOfRowsIsFreeBesideACountOfValues) {
  constexpr Lattice kIndex = {0, 1, -8, 8};
  const auto rows = JointStatistic{RowPart::presence, -1, 0, kCountLattice, 1};
  const auto values = [](int column) {
    return JointStatistic{RowPart::value, column, 0, kCountLattice, 1};
  };
  const auto sum = [](int column) {
    return JointStatistic{RowPart::lattice, column, 0, kIndex, 8};
  };
  const auto expect = [](const std::vector<double>& made, const std::vector<double>& squares) {
    ASSERT_EQ(made.size(), squares.size());
    for (std::size_t i = 0; i < made.size(); ++i) EXPECT_NEAR(made[i] * made[i], squares[i], 1e-9);
  };
  expect(deviations({rows, values(0)}), {2, 1});
  expect(deviations({rows, values(0), sum(0)}), {3, 2, 2});
  expect(deviations({values(0), sum(0), sum(0), rows}), {3, 3, 3, 4});
  // Of two columns each makes a count of rows: their mean has less noise than before, 3 for 5.
  expect(deviations({rows, values(0), sum(0), values(1), sum(1)}), {3, 4, 4, 4, 4});
  // Others have what they had.
  expect(deviations({rows, values(0), sum(0), sum(1)}), {4, 8. / 3, 8. / 3, 4});
  expect(deviations({values(0), sum(0)}), {2, 2});
  expect(deviations({rows, sum(0)}), {2, 2});
}

TEST(SharedNoise, IsNotTakenWhereRowsAreReplaced) {
  std::mt19937_64 random(43);
  for (int trial = 0; trial < 100; ++trial) {
    const World world = random_world(random, Adjacency::replace);
    for (const Sharing& sharing : asked(world, Adjacency::replace).sharing) {
      ASSERT_EQ(sharing.rows, -1);
    }
  }
}

// What is drawn of any draws costs what is said, and no more than draws that share nothing.
TEST(SharedNoise, PriceCoversAnyDraws) {
  std::mt19937_64 random(44);
  int met = 0, shared = 0, cheaper = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const World world = shared_world(random);
    const Asked of = asked(world, Adjacency::add_remove);
    std::vector<Draw> draws;
    std::vector<double> deviation;
    for (std::size_t i = 0; i < of.shifts.size(); ++i) {
      const double times = std::array{0., .5, 1., 1.5, 3.}[random() % 5] *
                           (of.sharing[i].rows < 0 && random() % 2 == 0 ? 1.7 : 1);
      deviation.push_back(times * of.shifts[i].l2);
      draws.push_back({of.shifts[i].l2, deviation.back()});
    }
    const DrawsPrice price = price_of_draws(draws, of.joint);
    const DrawsPrice apart = price_of_draws(draws, {of.joint.squares});
    std::vector<StatisticNoise> noise;
    for (std::size_t i = 0; i < draws.size(); ++i) {
      noise.push_back({{.scale = deviation[i]}, 0, 0, 1, of.sharing[i].rows, price.weight[i]});
      shared += price.weight[i] > 0;
    }
    const double mu = mu_of_draws(of.shifts, deviation, of.joint);
    const double worst_row = worst(world, Adjacency::add_remove, noise);
    ASSERT_LE(worst_row, mu * mu) << trial;
    ASSERT_LE(price.squares, apart.squares);
    met += worst_row > mu * mu * (1 - 1e-9);
    cheaper += price.squares < apart.squares * .99;
  }
  EXPECT_GT(met, 500);
  EXPECT_GT(shared, 300);
  EXPECT_GT(cheaper, 100);
}

// A ladder costs what its last request alone would have cost, with shared noise as without.
TEST(SharedNoise, UpgradesAddUp) {
  std::mt19937_64 random(45);
  const Accounting table = filter_of(Accountant::gdp).accounting();
  for (int trial = 0; trial < 100; ++trial) {
    const World world = shared_world(random);
    const Asked of = asked(world, Adjacency::add_remove);
    std::vector<double> stored(of.shifts.size(), 0);
    double sum = 0, last = 0;
    for (const double epsilon : {.1, .15, .3, .31, .6, 1.}) {
      QueryRequest request{epsilon, 1e-6, Family::gaussian};
      request.joint = of.joint;
      const Planned full = planned(request, of.shifts, Accountant::gdp, false);
      const auto upgrade = plan_upgrade(full.plan, table, of.shifts, full.noise, stored, of.joint);
      ASSERT_TRUE(upgrade);
      std::vector<StatisticNoise> drawn = full.noise;
      for (std::size_t i = 0; i < stored.size(); ++i) {
        drawn[i].law.scale = upgrade->deviation[i];
        drawn[i].weight = upgrade->weight[i];
        ASSERT_NEAR(drawn[i].weight, full.noise[i].weight, 1e-6);
        stored[i] += precision_of(upgrade->deviation[i]);
      }
      ASSERT_LE(worst(world, Adjacency::add_remove, drawn), upgrade->plan.own.amount);
      sum += upgrade->plan.own.amount;
      last = full.plan.own.amount;
    }
    ASSERT_NEAR(sum / last, 1, 1e-10) << trial;
  }
}

// Deviations and correlation; the law itself: Samplers.IntegersOfSharedNormals.
TEST(SharedNoise, DrawsAreRoundedOnce) {
  RandomStream random({7});
  const SharedDraws draws(0, 5, {{1, 3, 3}});  // rest 4
  constexpr int kDraws = 200000;
  double rows = 0, values = 0, both = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<Int128> drawn = draws(random);
    const auto v = static_cast<double>(drawn[0]), n = static_cast<double>(drawn[1]);
    rows += n * n;
    values += v * v;
    both += n * v;
  }
  EXPECT_NEAR(rows / kDraws, 25 + 1. / 12, .7);
  EXPECT_NEAR(values / kDraws, 9 + 1. / 12, .3);
  EXPECT_NEAR(both / kDraws, 9, .4);
}

TEST(SharedNoise, NothingIsSharedBesideASearchOfGroups) {
  const std::vector<Sharing> sharing = {{}, {0, 1}, {0, 1}};
  QueryRequest request{1, 1e-6, Family::gaussian};
  request.joint = JointPrice{3, sharing};
  request.units = {1, 1, 0, statistic_shift(kCountLattice, Adjacency::add_remove, true)};
  const std::vector<StatisticShift> shifts(
      3, statistic_shift(kCountLattice, Adjacency::add_remove, true));
  for (const StatisticNoise& noise : planned(request, shifts).noise) EXPECT_EQ(noise.weight, 0);
}

}  // namespace
}  // namespace dpmix
