#include "core/copula/plan.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "core/base/error.hpp"
#include "core/stats/code_scores.hpp"

namespace dpmix {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

TreeRequest request_of(double epsilon, double delta, int columns, int binned,
                       Adjacency adjacency = Adjacency::add_remove) {
  TreeRequest request;
  request.columns = columns;
  request.binned = binned;
  request.fine_levels = 3 * binned;
  request.epsilon = epsilon;
  request.delta = delta;
  request.adjacency = adjacency;
  request.accounting = {Accountant::gdp, 0};
  return request;
}

TEST(CopulaPlan, ColumnsAndScoresTogetherSpendNoMoreThanMu) {
  for (const double epsilon : {1e-3, .5, 1., 3.7, 20., 1e4}) {
    for (const double delta : {1e-12, 1e-6, .1}) {
      for (const int columns : {1, 2, 14, 100}) {
        for (const int binned : {0, 1, columns}) {
          for (const Adjacency adjacency :
               {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
            const TreeRequest request = request_of(epsilon, delta, columns, binned, adjacency);
            const CopulaPlan plan = plan_copula(request, 3);
            const Wide square = adjacency == Adjacency::add_remove ? 1 : 2;
            Wide spent = Wide(plan.scores.mu) * plan.scores.mu;
            const auto add = [&](int tables, double stddev) {
              if (tables > 0) spent += tables * square / (Wide(stddev) * stddev);
            };
            add(request.fine_levels, plan.columns.fine_stddev);
            add(binned, plan.columns.zoom_stddev);
            add(columns, plan.columns.single_stddev);
            const Wide budget = Wide(plan.mu) * plan.mu;
            ASSERT_LE(spent, budget);
            ASSERT_GE(spent, budget * (1 - 1e-8));
            ASSERT_GE(Wide(plan.own.amount), spent);
            ASSERT_LE(Wide(plan.own.amount), budget * (1 + 1e-9));
            ASSERT_EQ(plan.columns.edges + plan.columns.chords, 0);
            ASSERT_EQ(plan.mu, plan_tree(request).mu);
          }
        }
      }
    }
  }
}

// The scores of a row depend on its label, so a label that changes changes all of the row.
TEST(CopulaPlan, ALabelThatChangesIsARowThatChanges) {
  for (const Adjacency adjacency : {Adjacency::replace, Adjacency::label}) {
    EXPECT_EQ(plan_copula(request_of(1, 1e-6, 3, 1, adjacency), 2).scores.adjacency,
              Adjacency::replace);
  }
  EXPECT_EQ(plan_copula(request_of(1, 1e-6, 3, 1), 2).scores.adjacency, Adjacency::add_remove);
}

TEST(CopulaPlan, ScoresHaveBoundsOfTheirOwn) {
  const GmmRequest scores = plan_copula(request_of(1, 1e-6, 3, 1), 2).scores;
  EXPECT_EQ(scores.lower, std::vector<double>(3, -CodeScores::most));
  EXPECT_EQ(scores.upper, std::vector<double>(3, CodeScores::most));
}

TEST(CopulaPlan, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(plan_copula(request_of(0, 1e-6, 3, 1), 2), Error);
  EXPECT_THROW(plan_copula(request_of(1, 0, 3, 1), 2), Error);
  EXPECT_THROW(plan_copula(request_of(1, 1e-6, 0, 0), 2), Error);
  EXPECT_THROW(plan_copula(request_of(1, 1e-6, 100, 0), 1000), Error);  // too many products
  EXPECT_THROW(plan_columns(request_of(1, 1e-6, 3, 1), 1e9), Error);
  EXPECT_THROW(plan_columns(request_of(1, 1e-6, 3, 1), 0), Error);
}

}  // namespace
}  // namespace dpmix
