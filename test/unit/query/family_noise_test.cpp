#include "core/query/family_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "core/accounting/renyi_of_multi_gaussian.hpp"
#include "core/accounting/renyi_profile.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/privacy_curve.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

using Exact = boost::multiprecision::cpp_bin_float_100;  // products of a few doubles are exact

// Every change that one row can make: to a value of the lattice or to missing, in one of three
// groups or in none (undeclared, or shut out by WHERE). The norms must be attained and never
// passed.
TEST(FamilyNoise, ShiftsAreTheLargestThatOneRowMakes) {
  constexpr int kGroups = 3, kNone = 3;
  for (const Lattice lattice : {kCountLattice, Lattice{0, 1, 0, 5}, Lattice{0, 1, -3, 5},
                                Lattice{0, 1, -4, 4}, Lattice{0, 1, 2, 5}, Lattice{0, 1, -6, -2}}) {
    struct Row {
      int group;
      std::int64_t value;
    };
    std::vector<Row> rows;
    for (int group = 0; group <= kNone; ++group) {
      rows.push_back({group, 0});  // missing
      const std::int64_t low = lattice == kCountLattice ? 1 : lattice.low;
      for (std::int64_t value = low; value <= lattice.high; ++value) rows.push_back({group, value});
    }
    for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      for (bool grouped : {false, true}) {
        double each = 0, l1 = 0, l2 = 0;
        int groups = 0;
        for (const Row& before : rows) {
          for (const Row& after : rows) {
            // A row that is absent counts nowhere, like one outside of all groups.
            if (adjacency == Adjacency::add_remove && after.group != kNone) continue;
            double change[kGroups + 1] = {};
            const auto cell = [&](int group) { return grouped || group == kNone ? group : 0; };
            change[cell(before.group)] -= static_cast<double>(before.value);
            change[cell(after.group)] += static_cast<double>(after.value);
            double norm1 = 0, norm2 = 0;
            int changed = 0;
            for (int group = 0; group < kGroups; ++group) {
              each = std::max(each, std::abs(change[group]));
              norm1 += std::abs(change[group]);
              norm2 += change[group] * change[group];
              changed += change[group] != 0;
            }
            l1 = std::max(l1, norm1);
            l2 = std::max(l2, std::sqrt(norm2));
            groups = std::max(groups, changed);
          }
        }
        const StatisticShift shift = statistic_shift(lattice, adjacency, grouped);
        EXPECT_EQ(shift.each, each);
        EXPECT_EQ(shift.l1, l1);
        EXPECT_GE(shift.l2, l2);
        EXPECT_LE(shift.l2, l2 * (1 + 1e-13));
        EXPECT_EQ(shift.groups, groups);
      }
    }
  }
}

TEST(FamilyNoise, GaussianStatisticsTogetherSpendMuAndNoMore) {
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    for (double epsilon : {1e-6, .1, 1.0, 30.0}) {
      const Planned made = planned({epsilon, 1e-6, Family::gaussian, adjacency, true});
      Exact spent = 0;
      for (std::size_t i = 0; i < made.noise.size(); ++i) {
        const Exact ratio = Exact(statistic_shift(kStatistics[i], adjacency, true).l2) /
                            Exact(made.noise[i].law.scale);
        spent += ratio * ratio;
        EXPECT_LE(gdp_delta(made.noise[i].epsilon, static_cast<double>(ratio)),
                  made.noise[i].delta);
        EXPECT_LT(made.noise[i].epsilon, epsilon);
      }
      const Exact mu =
          gdp_mu(Decimal::printed(epsilon).lower_double(), Decimal::printed(1e-6).lower_double());
      EXPECT_LE(spent, mu * mu);
      EXPECT_GE(spent, mu * mu * (1 - 1e-12));
      EXPECT_TRUE(made.plan.has_own);
      EXPECT_GE(made.plan.own.amount,
                static_cast<double>(choose_order(4, 1e-6) * spent / 2) * (1 - 1e-12));
    }
  }
}

TEST(FamilyNoise, LaplaceStatisticsTogetherSpendEpsilonAndNoMore) {
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    for (double epsilon : {.1, .3, 1.0, 7.7}) {
      const Planned made = planned({epsilon, 0, Family::laplace, adjacency, true});
      EXPECT_EQ(made.plan.delta, 0);
      EXPECT_EQ(made.plan.epsilon, epsilon);
      Exact spent = 0;
      for (std::size_t i = 0; i < made.noise.size(); ++i) {
        spent += Exact(statistic_shift(kStatistics[i], adjacency, true).l1) /
                 Exact(made.noise[i].law.scale);
      }
      EXPECT_LE(spent, Exact(Decimal::printed(epsilon).str()));  // the very decimal charged
      EXPECT_GE(spent, Exact(epsilon) * (1 - 1e-14));
    }
  }
}

// A pure release costs no delta, whatever delta was offered.
TEST(FamilyNoise, PureNoiseIsChargedWithoutDelta) {
  for (Family family : kFamilies) {
    const Planned made = planned({1, 1e-6, family, Adjacency::add_remove, false});
    EXPECT_EQ(made.plan.delta, is_pure(family) ? 0 : 1e-6) << name(family);
    EXPECT_EQ(made.plan.epsilon, 1);
  }
}

// The families that give each changed group of each statistic its own part: the parts are no more
// than the decimals charged, and each law is proved to keep its part at every shift that a group
// can make.
TEST(FamilyNoise, PartsAreCertifiedAndAddUp) {
  const double epsilon = 2.1, delta = 1e-5;
  for (Family family : kFamilies) {
    if (family == Family::gaussian || family == Family::laplace) continue;
    for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      const Planned made = planned({epsilon, delta, family, adjacency, true});
      const int groups = adjacency == Adjacency::replace ? 2 : 1;
      const int parts = groups * static_cast<int>(made.noise.size());
      const double part_epsilon = std::nextafter(epsilon / parts, 0);
      const double part_delta = is_pure(family) ? 0 : std::nextafter(delta / parts, 0);
      EXPECT_LE(Exact(part_epsilon) * parts, Exact(Decimal::printed(epsilon).str()));
      EXPECT_LE(Exact(part_delta) * parts, Exact(Decimal::printed(delta).str()));
      for (std::size_t i = 0; i < made.noise.size(); ++i) {
        const NoiseLaw& law = made.noise[i].law;
        const StatisticShift shift = statistic_shift(kStatistics[i], adjacency, true);
        EXPECT_EQ(law.sensitivity, family == Family::staircase ? shift.l1 / groups : shift.each);
        if (is_step(family)) {
          EXPECT_EQ(law.steps.sensitivity, law.sensitivity);
        }
        EXPECT_TRUE(certify(law, part_epsilon, part_delta))
            << name(family) << " " << name(adjacency) << " " << i;
        EXPECT_LE(made.noise[i].epsilon * 3, epsilon);
        EXPECT_LE(made.noise[i].delta * 3, is_pure(family) ? 0 : delta);
      }
    }
  }
}

// log of the weight that steps/law.hpp gives to k.
double log_weight(const StepLaw& law, int k) {
  const double l = std::floor(std::abs(k) / law.period), i = std::abs(k) - l * law.period;
  if (i <= law.half_width) return -law.fall * l;
  if (i >= law.period - law.half_width) return -law.fall * (l + 1);
  return -law.fall * (l + 1) + std::log(law.dip);
}

// Under `replace` one row changes one group by up to r, or two by up to a each; the staircase is
// calibrated to half of l1, and its pure guarantee has to cover both.
TEST(FamilyNoise, StaircaseCoversEveryChangeOfOneRow) {
  const double epsilon = 1.5;
  for (const Lattice lattice : {Lattice{0, 1, 0, 4}, Lattice{0, 1, -4, 4}, Lattice{0, 1, -2, 5}}) {
    const Planned made =
        planned({epsilon, 0, Family::staircase, Adjacency::replace, true}, {lattice});
    const StepLaw& law = made.noise[0].law.steps;
    const auto loss = [&](int shift) {
      double most = 0;
      for (int k = -200; k <= 200; ++k) {
        most = std::max(most, std::abs(log_weight(law, k) - log_weight(law, k + shift)));
      }
      return most;
    };
    const int low = static_cast<int>(lattice.low), high = static_cast<int>(lattice.high);
    double largest = 0;
    for (int x = std::min(low, 0); x <= std::max(high, 0); ++x) {
      for (int y = std::min(low, 0); y <= std::max(high, 0); ++y) {
        largest = std::max({largest, loss(std::abs(x - y)), loss(std::abs(x)) + loss(std::abs(y))});
      }
    }
    EXPECT_LE(largest, epsilon * (1 + 1e-14));
    EXPECT_GE(largest, epsilon * (1 - 1e-9));
  }
}

// Under `replace` two groups change by d1 + d2 <= l1 steps; the profile is charged for l1 in one.
TEST(FamilyNoise, LaplaceProfileCoversChangesSplitOverGroups) {
  const double epsilon = 1.5, order = choose_order(4, 1e-6);
  const Lattice lattice{0, 1, 0, 4};
  const Planned made = planned({epsilon, 0, Family::laplace, Adjacency::replace, true}, {lattice});
  const double rate = 1 / made.noise[0].law.scale;
  const auto divergence = [&](int shift) {  // of order `order`, by summation
    const double q = std::exp(-rate), normal = (1 - q) / (1 + q);
    double sum = 0;
    for (int k = -2000; k <= 2000; ++k) {
      sum += normal * std::exp(-rate * (order * std::abs(k) + (1 - order) * std::abs(k - shift)));
    }
    return std::log(sum) / (order - 1);
  };
  const int l1 = static_cast<int>(statistic_shift(lattice, Adjacency::replace, true).l1);
  ASSERT_EQ(l1, 8);
  for (int first = 0; first <= l1; ++first) {
    EXPECT_LE(divergence(first) + divergence(l1 - first), made.plan.own.amount * (1 + 1e-9));
  }
  EXPECT_GE(divergence(l1), made.plan.own.amount * (1 - 1e-6));
}

// Several small guarantees cost less than the one they add up to, and never less than the noise
// really gives away: the staircase's divergence, summed.
TEST(FamilyNoise, PartsCostLessThanTheirSumButEnough) {
  const double epsilon = 1.5, delta = 1e-7, order = choose_order(4, 1e-6);
  for (Family family : kFamilies) {
    if (family == Family::gaussian) continue;
    for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      const Planned made = planned({epsilon, delta, family, adjacency, true});
      ASSERT_TRUE(made.plan.has_own);
      EXPECT_LT(made.plan.own.amount, renyi_of_guarantee(order, epsilon, 0).amount);
      if (family == Family::multi_gaussian) continue;  // has a curve of its own: see below
      EXPECT_LE(made.plan.own.added_delta, is_pure(family) ? 0 : delta);
      EXPECT_GE(made.plan.own.added_delta, is_pure(family) ? 0 : delta * (1 - 1e-15));
    }
  }
  const Lattice lattice{0, 1, -3, 3};
  const std::vector<Lattice> statistics = {lattice, lattice};
  const Planned made =
      planned({epsilon, 0, Family::staircase, Adjacency::replace, true}, statistics);
  const auto divergence = [&](int shift) {
    double sum = 0, normal = 0;
    for (int k = -2000; k <= 2000; ++k) {
      const double p = log_weight(made.noise[0].law.steps, k);
      const double q = log_weight(made.noise[0].law.steps, k + shift);
      normal += std::exp(p);
      sum += std::exp(order * p + (1 - order) * q);
    }
    return std::log(sum / normal) / (order - 1);
  };
  double most = 0;
  for (int x = -3; x <= 3; ++x) {
    for (int y = -3; y <= 3; ++y) {
      most = std::max({most, divergence(x - y), divergence(x) + divergence(y)});
    }
  }
  EXPECT_LE(2 * most, made.plan.own.amount);
  EXPECT_GE(2 * most, made.plan.own.amount / 2);
}

// Where delta is dear the mixture is charged by its own curve, without delta, for every cell that
// changes; the scales differ by roundings only, and each is at least the one charged for.
TEST(FamilyNoise, TheMixtureIsChargedByItsCurveWhereThatIsLess) {
  const double order = choose_order(4, 1e-6);
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    const Planned made = planned({2, 4e-5, Family::multi_gaussian, adjacency, true});
    ASSERT_TRUE(made.plan.has_own);
    EXPECT_EQ(made.plan.own.added_delta, 0);
    double sum = 0;
    for (const StatisticNoise& noise : made.noise) {
      sum += (adjacency == Adjacency::replace ? 2 : 1) *
             renyi_of_multi_gaussian(order, noise.law).amount;
    }
    EXPECT_GE(made.plan.own.amount, sum * (1 - 1e-9));
    EXPECT_LE(made.plan.own.amount, sum * (1 + 1e-6));
    const Filter filter = filter_of(Accountant::renyi);
    EXPECT_LT(made.price, filter.price(filter.charge_of(2, 4e-5, std::nullopt)));
  }
}

// On a `gdp` table: the release is no easier to tell apart than its charge says. Of Gaussian noise
// and of the mixture by its shifts over its deviations; of geometric noise by the curves of all
// changes of one or two groups.
TEST(FamilyNoise, GdpChargesCoverTheNoise) {
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    for (Family family : {Family::gaussian, Family::multi_gaussian}) {
      const Planned made =
          planned({2, 4e-5, family, adjacency, true}, kStatistics, Accountant::gdp);
      double spent = 0;
      for (std::size_t i = 0; i < made.noise.size(); ++i) {
        const StatisticShift shift = statistic_shift(kStatistics[i], adjacency, true);
        spent += std::pow(shift.l2 / made.noise[i].law.scale, 2);
      }
      EXPECT_EQ(made.plan.own.added_delta, 0) << name(family);
      EXPECT_LE(spent, made.plan.own.amount * (1 + 1e-12)) << name(family);
    }
  }
  const Lattice lattice{0, 1, 0, 4};
  const Planned made =
      planned({1.5, 0, Family::laplace, Adjacency::replace, true}, {lattice}, Accountant::gdp);
  const double ratio = std::exp(-1 / made.noise[0].law.scale);
  const auto quantile = [](double tail) {
    double low = 0, high = 10;
    for (int i = 0; i < 100; ++i) {
      const double middle = (low + high) / 2;
      (std::erfc(middle / std::sqrt(2)) / 2 > tail ? low : high) = middle;
    }
    return low;
  };
  // The largest mu over the tests "reject from t on" of one cell that moves by `shift`.
  const auto least_mu = [&](int shift) {
    double most = 0;
    for (int t = 1; t <= shift; ++t) {
      most = std::max(most, quantile(std::pow(ratio, t) / (1 + ratio)) +
                                quantile(std::pow(ratio, shift + 1 - t) / (1 + ratio)));
    }
    return most;
  };
  const int l1 = static_cast<int>(statistic_shift(lattice, Adjacency::replace, true).l1);
  for (int first = 0; first <= l1; ++first) {
    EXPECT_LE(std::pow(least_mu(first), 2) + std::pow(least_mu(l1 - first), 2),
              made.plan.own.amount * (1 + 1e-9));
  }
  EXPECT_GE(std::pow(least_mu(l1), 2), made.plan.own.amount * .99);
}

}  // namespace
}  // namespace dpmix
