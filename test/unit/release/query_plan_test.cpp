#include "core/release/query_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/mechanism/calibration.hpp"
#include "core/mechanism/gaussian_dp.hpp"
#include "core/mechanism/privacy_curve.hpp"

namespace dpmix {
namespace {

using Exact = boost::multiprecision::cpp_bin_float_100;  // products of a few doubles are exact

const std::vector<Lattice> kStatistics = {kCountLattice, anchored_lattice(-3, 10, true),
                                          centred_lattice(0, 100, false)};

Filter filter_of(Accountant accountant, double order) {
  return Filter(accountant, Decimal::printed(4), Decimal::printed(1e-6), order);
}

struct Planned {
  QueryPlan plan;
  std::vector<StatisticNoise> noise;
};

Planned planned(const QueryRequest& request, const std::vector<Lattice>& statistics = kStatistics,
                Accountant accountant = Accountant::renyi) {
  const double order = accountant == Accountant::renyi ? choose_order(4, 1e-6) : 0;
  Planned made;
  made.noise.resize(statistics.size());
  made.plan = plan_query(request, filter_of(accountant, order), order, statistics, made.noise);
  return made;
}

std::string refusal(const QueryRequest& request) {
  try {
    planned(request);
  } catch (const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
    EXPECT_FALSE(error.detail.empty());
    EXPECT_FALSE(error.hint.empty());
    return error.message;
  }
  return "";
}

// Every change that one row can make: to a value of the lattice or to missing, in one of three
// groups or in none (undeclared, or shut out by WHERE). The norms must be attained and never
// passed.
TEST(QueryPlan, ShiftsAreTheLargestThatOneRowMakes) {
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

TEST(QueryPlan, GaussianStatisticsTogetherSpendMuAndNoMore) {
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    for (double epsilon : {1e-6, .1, 1.0, 30.0}) {
      const auto [plan, noise] = planned({epsilon, 1e-6, Family::gaussian, adjacency, true});
      Exact spent = 0;
      for (std::size_t i = 0; i < noise.size(); ++i) {
        const Exact ratio =
            Exact(statistic_shift(kStatistics[i], adjacency, true).l2) / Exact(noise[i].law.scale);
        spent += ratio * ratio;
        EXPECT_LE(gdp_delta(noise[i].epsilon, static_cast<double>(ratio)), noise[i].delta);
        EXPECT_LT(noise[i].epsilon, epsilon);
      }
      const Exact mu =
          gdp_mu(Decimal::printed(epsilon).lower_double(), Decimal::printed(1e-6).lower_double());
      EXPECT_LE(spent, mu * mu);
      EXPECT_GE(spent, mu * mu * (1 - 1e-12));
      EXPECT_TRUE(plan.has_own);
      EXPECT_GE(plan.own.rho, static_cast<double>(choose_order(4, 1e-6) * spent / 2) * (1 - 1e-12));
    }
  }
}

TEST(QueryPlan, LaplaceStatisticsTogetherSpendEpsilonAndNoMore) {
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    for (double epsilon : {.1, .3, 1.0, 7.7}) {
      const auto [plan, noise] = planned({epsilon, 0, std::nullopt, adjacency, true});
      EXPECT_EQ(plan.family, Family::laplace);
      EXPECT_EQ(plan.delta, 0);
      EXPECT_EQ(plan.epsilon, epsilon);
      Exact spent = 0;
      for (std::size_t i = 0; i < noise.size(); ++i) {
        spent +=
            Exact(statistic_shift(kStatistics[i], adjacency, true).l1) / Exact(noise[i].law.scale);
      }
      EXPECT_LE(spent, Exact(Decimal::printed(epsilon).str()));  // the very decimal charged
      EXPECT_GE(spent, Exact(epsilon) * (1 - 1e-14));
    }
  }
}

// A pure release costs no delta, whatever delta was offered.
TEST(QueryPlan, PureNoiseIsChargedWithoutDelta) {
  EXPECT_EQ(planned({1, 1e-6, Family::laplace, Adjacency::add_remove, false}).plan.delta, 0);
  EXPECT_EQ(planned({1, 1e-6, Family::gaussian, Adjacency::add_remove, false}).plan.delta, 1e-6);
}

TEST(QueryPlan, MixturePartsAreCertifiedAndAddUp) {
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    const double epsilon = 2.1, delta = 1e-5;
    const auto [plan, noise] = planned({epsilon, delta, Family::multi_gaussian, adjacency, true});
    const int groups = adjacency == Adjacency::replace ? 2 : 1;
    const int parts = groups * static_cast<int>(noise.size());
    const double part_epsilon = std::nextafter(epsilon / parts, 0);
    const double part_delta = std::nextafter(delta / parts, 0);
    EXPECT_LE(Exact(part_epsilon) * parts, Exact(Decimal::printed(epsilon).str()));
    EXPECT_LE(Exact(part_delta) * parts, Exact(Decimal::printed(delta).str()));
    for (std::size_t i = 0; i < noise.size(); ++i) {
      EXPECT_EQ(noise[i].law.sensitivity, statistic_shift(kStatistics[i], adjacency, true).each);
      EXPECT_TRUE(certify(noise[i].law, part_epsilon, part_delta));
    }
    EXPECT_FALSE(plan.has_own);
  }
}

// Under `replace` two groups change by d1 + d2 <= l1 steps; the profile is charged for l1 in one.
TEST(QueryPlan, LaplaceProfileCoversChangesSplitOverGroups) {
  const double epsilon = 1.5, order = choose_order(4, 1e-6);
  const Lattice lattice{0, 1, 0, 4};
  const auto [plan, noise] =
      planned({epsilon, 0, Family::laplace, Adjacency::replace, true}, {lattice});
  const double rate = 1 / noise[0].law.scale;
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
    EXPECT_LE(divergence(first) + divergence(l1 - first), plan.own.rho * (1 + 1e-9));
  }
  EXPECT_GE(divergence(l1), plan.own.rho * (1 - 1e-6));
}

double relative_error(const Planned& made, const std::vector<Lattice>& statistics) {
  double sum = 0;
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    sum += lattice_moments(made.noise[i].law, 1).expected_abs /
           static_cast<double>(sensitivity_add_remove(statistics[i]));
  }
  return sum;
}

TEST(QueryPlan, AutoIsTheLeastErrorAmongThoseNoDearerThanGaussian) {
  const std::vector<Family> families = {Family::gaussian, Family::multi_gaussian, Family::laplace};
  std::vector<bool> chosen(3);
  for (Accountant accountant : {Accountant::basic, Accountant::renyi}) {
    const double order = accountant == Accountant::renyi ? choose_order(4, 1e-6) : 0;
    const Filter filter = filter_of(accountant, order);
    const auto price = [&](const Planned& made) {
      return filter.price(
          filter.charge_of(made.plan.epsilon, made.plan.delta,
                           made.plan.has_own ? std::optional(made.plan.own) : std::nullopt));
    };
    for (double epsilon : {.5, 6.0}) {
      for (double delta : {1e-9, 1e-2}) {
        for (std::size_t count : {1, 3}) {
          const std::vector<Lattice> statistics(count, kCountLattice);
          QueryRequest request{epsilon, delta, std::nullopt, Adjacency::add_remove, true};
          const Planned automatic = planned(request, statistics, accountant);
          request.mechanism = Family::gaussian;
          const double limit = price(planned(request, statistics, accountant));
          EXPECT_LE(price(automatic), limit * (1 + 1e-9));
          for (Family family : families) {
            request.mechanism = family;
            const Planned other = planned(request, statistics, accountant);
            if (price(other) > limit * (1 + 1e-9)) continue;
            EXPECT_LE(relative_error(automatic, statistics),
                      relative_error(other, statistics) * (1 + 1e-9))
                << name(family) << " " << epsilon << " " << delta;
          }
          chosen[static_cast<std::size_t>(automatic.plan.family)] = true;
        }
      }
    }
  }
  EXPECT_TRUE(chosen[0] && chosen[1] && chosen[2]);  // the grid tells them apart
}

TEST(QueryPlan, RefusesWhatNoMechanismCanDo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Adjacency adjacency = Adjacency::add_remove;
  for (double epsilon : {0.0, -1.0, 9e-7, 2e7, nan}) {
    EXPECT_NE(refusal({epsilon, 1e-6, std::nullopt, adjacency, false}), "") << epsilon;
  }
  for (double delta : {-1e-9, .51, 1.0, nan}) {
    EXPECT_NE(refusal({1, delta, std::nullopt, adjacency, false}), "") << delta;
  }
  EXPECT_EQ(refusal({1, 0, Family::gaussian, adjacency, false}),
            "mechanism gaussian needs a delta");
  EXPECT_EQ(refusal({1, 0, Family::multi_gaussian, adjacency, false}),
            "mechanism multi_gaussian needs a delta");
  // Three statistics cannot share 1e-6 where each needs its own part; a joint release can.
  EXPECT_NE(refusal({1e-6, 0, std::nullopt, adjacency, false}), "");
  EXPECT_NE(refusal({1e-6, 1e-6, Family::multi_gaussian, adjacency, false}), "");
  EXPECT_EQ(refusal({1e-6, 1e-6, std::nullopt, adjacency, false}), "");
  EXPECT_EQ(refusal({1e7, 1e-300, std::nullopt, adjacency, true}), "");
  EXPECT_EQ(refusal({1e7, .5, std::nullopt, Adjacency::replace, true}), "");
}

}  // namespace
}  // namespace dpmix
