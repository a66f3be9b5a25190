#include "core/tree_model/plan.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "core/accounting/gdp_profile.hpp"
#include "core/base/error.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "tables/tree_releases.hpp"

namespace dpmix {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

// mu^2 of a choice whose log ratios lie in an interval of this length: of randomised response of
// half of it, by its quantile.
Wide choice(const Wide& range) {
  const Wide half_mu =
      sqrt(Wide(2)) * (range < 1 ? boost::math::erf_inv(Wide(tanh(range / 4)))
                                 : boost::math::erfc_inv(Wide(2 / (1 + exp(range / 2)))));
  return 4 * half_mu * half_mu;
}

// delta(epsilon) of mu-GDP.
Wide delta_of(const Wide& mu, const Wide& epsilon) {
  const auto tail = [](const Wide& x) { return boost::math::erfc(Wide(x / sqrt(Wide(2)))) / 2; };
  return tail(epsilon / mu - mu / 2) - exp(epsilon) * tail(epsilon / mu + mu / 2);
}

struct Sums {
  Wide tables, draws;
};

// What a release can show at most, from the plan's numbers alone: how often each is used, and how
// far a unit moves the counts.
Sums shown(const TreePlan& plan, const TreeRequest& request) {
  const Wide rows = request.rows_per_unit;
  const bool two = request.adjacency != Adjacency::add_remove;
  const Wide square = rows * rows * (two ? 2 : 1);
  Sums sums = {0, 0};
  const auto add = [&](int times, double stddev) {
    if (times > 0) sums.tables += times * square / (Wide(stddev) * stddev);
  };
  add(request.fine_levels, plan.fine_stddev);
  add(request.binned, plan.zoom_stddev);
  add(request.columns, plan.single_stddev);
  add(plan.edges, plan.edge_stddev);
  add(plan.chords, plan.chord_stddev);
  if (plan.edges + plan.chords > 0) {
    const Wide rate = Wide(plan.draw_rate.rate) * plan.draw_rate.times / plan.draw_rate.divisor;
    sums.draws = (plan.edges + plan.chords) * choice(2 * rate * rows * (two ? 2 : 1));
  }
  return sums;
}

std::vector<TreeRequest> requests() {
  std::vector<TreeRequest> requests;
  for (const double epsilon : {1e-6, .01, .5, 1., 3.7, 20., 1e4, 1e7}) {
    for (const double delta : {1e-300, 1e-12, 1e-6, .1}) {
      for (const int columns : {1, 2, 3, 14, 100}) {
        for (const int binned : {0, 1, columns}) {
          for (const Adjacency adjacency :
               {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
            for (const int rows : {1, 3, 1'000'000}) {
              TreeRequest request;
              request.columns = columns;
              request.binned = std::min(binned, columns);
              request.fine_levels = 3 * request.binned;
              request.epsilon = epsilon;
              request.delta = delta;
              request.adjacency = adjacency;
              request.rows_per_unit = rows;
              request.accounting = {Accountant::gdp, 0};
              requests.push_back(request);
            }
          }
        }
      }
    }
  }
  return requests;
}

TEST(TreePlan, SpendsNoMoreThanItsMuAndHardlyLess) {
  for (const TreeRequest& request : requests()) {
    const TreePlan plan = plan_tree(request);
    const Sums sums = shown(plan, request);
    const Wide budget = Wide(plan.mu) * plan.mu;
    ASSERT_LE(sums.tables + sums.draws, budget);
    ASSERT_GE(sums.tables + sums.draws, budget * (1 - 1e-8));
    ASSERT_GE(Wide(plan.own.amount), sums.tables + sums.draws);  // charged: all of it
    ASSERT_LE(Wide(plan.own.amount), budget * (1 + 1e-7));
    ASSERT_EQ(plan.own.added_delta, 0);
  }
}

TEST(TreePlan, MuIsThatOfTheGuarantee) {
  for (const double epsilon : {.1, 1., 5.}) {
    for (const double delta : {1e-9, 1e-6, 1e-2}) {
      TreeRequest request;
      request.columns = 5;
      request.epsilon = epsilon;
      request.delta = delta;
      const Wide mu = plan_tree(request).mu;
      EXPECT_LE(delta_of(mu, epsilon), Wide(delta) * (1 + 1e-15));  // decimals are read downwards
      EXPECT_GE(delta_of(mu * 1.0001, epsilon), Wide(delta));
    }
  }
}

TEST(TreePlan, RenyiAddsTheSameReleasesUp) {
  for (const double order : {1.5, 7., 200.}) {
    for (TreeRequest request : requests()) {
      if (request.epsilon < .01 || request.epsilon > 20) continue;
      request.accounting = {Accountant::renyi, order};
      const TreePlan plan = plan_tree(request);
      const Sums sums = shown(plan, request);
      // Range e at order a: sup over t of log(p^a q^(1-a) + ...)/(a-1), at most a e^2/8, at least
      // its value at the middle.
      const int draws = plan.edges + plan.chords;
      const Wide range = draws == 0 ? Wide(0) : Wide(plan.draw_rate.rate);
      const Wide p = 1 / (1 + exp(-range / 2)), a = order;
      const Wide middle =
          log(pow(p, a) * pow(1 - p, 1 - a) + pow(1 - p, a) * pow(p, 1 - a)) / (a - 1);
      const Wide gaussian = a * sums.tables / 2;
      ASSERT_GE(Wide(plan.own.amount), gaussian + draws * middle * (1 - 1e-30));
      ASSERT_LE(Wide(plan.own.amount), (gaussian + draws * a * range * range / 8) * (1 + 1e-8));
    }
  }
}

// Where a release counts its columns again it measures no chords, or no pairs.
TEST(TreePlan, ColumnsAgainTakeThePlaceOfPairs) {
  const auto square = [](int tables, double stddev) {
    return tables == 0 ? Wide(0) : tables / (Wide(stddev) * stddev);
  };
  for (const TreeRequest& request : requests()) {
    const TreePlan plan = plan_tree(request);
    const Wide chords = square(plan.chords, plan.chord_stddev),
               pairs = square(plan.edges, plan.edge_stddev) + chords;
    for (const auto& [stddev, before] :
         {std::pair{plan.for_chords_stddev, chords}, {plan.for_pairs_stddev, pairs}}) {
      if (before == 0) {
        ASSERT_EQ(stddev, 0);
        continue;
      }
      ASSERT_LE(square(request.columns, stddev), before);
      ASSERT_GE(square(request.columns, stddev), before * (1 - 1e-8));
    }
  }
}

TEST(TreePlan, TheFirstArmAloneUnderBasic) {
  TreeRequest request;
  request.columns = 4;
  request.epsilon = 1;
  request.delta = 1e-6;
  EXPECT_EQ(plan_tree(request).own, Cost{});
}

TEST(TreePlan, LeavesOutWhatTheTableHasNot) {
  TreeRequest request;
  request.epsilon = 1;
  request.delta = 1e-6;
  request.columns = 1;
  const TreePlan one = plan_tree(request);
  EXPECT_EQ(one.edges, 0);
  EXPECT_EQ(one.chords, 0);
  EXPECT_NEAR(one.single_stddev, 1 / one.mu, 1e-9);
  request.columns = 2;
  EXPECT_EQ(plan_tree(request).chords, 0);
  request.columns = 9;
  EXPECT_EQ(plan_tree(request).edges, 8);
  EXPECT_EQ(plan_tree(request).chords, 4);
}

TEST(TreePlan, RefusesWhatIsOutOfRange) {
  const auto refused = [](auto change) {
    TreeRequest request;
    request.columns = 3;
    request.binned = 2;
    request.fine_levels = 6;
    request.epsilon = 1;
    request.delta = 1e-6;
    EXPECT_NO_THROW(plan_tree(request));
    change(request);
    EXPECT_THROW(plan_tree(request), Error);
  };
  refused([](TreeRequest& r) { r.epsilon = 0; });
  refused([](TreeRequest& r) { r.epsilon = std::nan(""); });
  refused([](TreeRequest& r) { r.epsilon = 1e8; });
  refused([](TreeRequest& r) { r.delta = 0; });
  refused([](TreeRequest& r) { r.delta = 5e-324; });
  refused([](TreeRequest& r) { r.delta = .6; });
  refused([](TreeRequest& r) { r.columns = 0; });
  refused([](TreeRequest& r) { r.rows_per_unit = 0; });
  refused([](TreeRequest& r) { r.binned = 4; });
  refused([](TreeRequest& r) { r.binned = -1; });
  refused([](TreeRequest& r) { r.fine_levels = 1; });
  refused([](TreeRequest& r) { r.fine_levels = 7; });
}

}  // namespace
}  // namespace dpmix
