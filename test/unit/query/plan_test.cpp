#include "core/query/plan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

std::string refusal(const RowRequest& request,
                    const std::vector<Lattice>& statistics = kStatistics) {
  try {
    planned(request, statistics);
  } catch (const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
    EXPECT_FALSE(error.detail.empty());
    EXPECT_FALSE(error.hint.empty());
    return error.message;
  }
  return "";
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
  for (Family family : kFamilies) {
    EXPECT_EQ(refusal({1, 0, family, adjacency, false}),
              is_pure(family) ? "" : "mechanism " + std::string(name(family)) + " needs a delta");
  }
  // A step law's sensitivity is at most 2^53 lattice steps.
  const std::vector<Lattice> wide = {centred_lattice(-0x1p52, 0x1p52 - 1, true)};
  EXPECT_EQ(refusal({1, 1e-6, Family::tulap, Adjacency::replace, false}, wide),
            "bounds too wide for mechanism tulap");
  EXPECT_EQ(refusal({1, 1e-6, std::nullopt, Adjacency::replace, false}, wide), "");
  // Three statistics cannot share 1e-6 where each needs its own part; a joint release can.
  EXPECT_NE(refusal({1e-6, 0, std::nullopt, adjacency, false}), "");
  EXPECT_NE(refusal({1e-6, 1e-6, Family::multi_gaussian, adjacency, false}), "");
  EXPECT_EQ(refusal({1e-6, 1e-6, std::nullopt, adjacency, false}), "");
  EXPECT_EQ(refusal({1e7, 1e-300, std::nullopt, adjacency, true}), "");
  EXPECT_EQ(refusal({1e7, .5, std::nullopt, Adjacency::replace, true}), "");
}

// What a hint searches by: the charge of another epsilon, without its noise.
TEST(QueryPlan, PriceIsTheChargeOfThePlan) {
  for (const Accountant accountant : {Accountant::basic, Accountant::renyi, Accountant::gdp}) {
    const Filter filter = filter_of(accountant);
    for (const bool grouped : {false, true}) {
      for (const double epsilon : {.07, 3.0}) {
        std::vector<std::optional<Family>> mechanisms(kFamilies.begin(), kFamilies.end());
        mechanisms.push_back(std::nullopt);
        for (const auto& mechanism : mechanisms) {
          const RowRequest request{epsilon, 1e-8, mechanism, Adjacency::replace, grouped};
          const Planned made = planned(request, kStatistics, accountant, false);
          const Spending charge = price_query(request.query(), filter, request.shifts(kStatistics));
          const Spending expected = charge_of(made.plan, filter);
          EXPECT_EQ(charge.epsilon, expected.epsilon);
          EXPECT_EQ(charge.delta, expected.delta);
          EXPECT_EQ(charge.amount, expected.amount);
          EXPECT_EQ(charge.added_delta, expected.added_delta);
        }
      }
    }
  }
}

// A larger epsilon never fits where a smaller one does not, whatever was spent before: the largest
// that fits is found by bisection. multi_gaussian has too slow a price for this test.
TEST(QueryPlan, WhatFitsIsAnInterval) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform;
  int boundaries = 0;
  for (const Accountant accountant : {Accountant::basic, Accountant::renyi, Accountant::gdp}) {
    const Filter filter = filter_of(accountant);
    for (int trial = 0; trial < 4; ++trial) {
      Spending spent = filter.charge_of(3.9 * uniform(random), 2e-7 * uniform(random), {});
      for (const double delta : {0.0, 1e-9, 1e-7}) {
        for (const Family family : kFamilies) {
          if (family == Family::multi_gaussian || (delta == 0 && !is_pure(family))) continue;
          bool fitted = true;
          for (double epsilon = 1e-4; epsilon < 40; epsilon *= 1.45) {
            const RowRequest request{epsilon, delta, family, Adjacency::add_remove, false};
            const bool fits = filter.admits(
                spent, price_query(request.query(), filter, request.shifts(kStatistics)));
            ASSERT_TRUE(fitted || !fits) << name(family) << " " << epsilon << " " << delta;
            boundaries += fitted && !fits;
            fitted = fits;
          }
        }
      }
    }
  }
  EXPECT_GT(boundaries, 50);
}

}  // namespace
}  // namespace dpmix
