#include "core/query/least_epsilon.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/noise/lattice_moments.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

constexpr Adjacency kAdjacency = Adjacency::add_remove;

double half_width(const QueryRequest& request, const std::vector<StatisticShift>& shifts,
                  std::size_t statistic) {
  return lattice_quantile(planned(request, shifts, Accountant::renyi, false).noise[statistic].law,
                          1, .95);
}

TEST(LeastEpsilon, KeepsTheErrorAndALittleLessDoesNot) {
  for (const double delta : {0.0, 1e-9}) {
    const RowRequest largest{100, delta, std::nullopt, kAdjacency, true};
    const std::vector<StatisticShift> shifts = largest.shifts(kStatistics);
    for (std::size_t statistic = 0; statistic < shifts.size(); ++statistic) {
      for (const double epsilon : {.01, .3, 5.0}) {
        QueryRequest request = largest.query();
        request.epsilon = epsilon;
        const double wanted = half_width(request, shifts, statistic);
        const std::optional<double> found =
            least_epsilon(largest.query(), filter_of(Accountant::renyi), shifts, statistic, wanted);
        ASSERT_TRUE(found) << statistic;
        request.epsilon = *found;
        EXPECT_LE(half_width(request, shifts, statistic), wanted) << epsilon;
        // The error grows in steps of the lattice: a count's may be kept with much less.
        EXPECT_LE(*found, epsilon * 1.002) << statistic;
        request.epsilon = *found * .99;
        EXPECT_GT(half_width(request, shifts, statistic), wanted) << epsilon << " " << statistic;
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.3e", *found);
        EXPECT_EQ(std::strtod(digits, nullptr), *found) << "has four digits";
      }
    }
  }
}

TEST(LeastEpsilon, IsNoMoreThanThereIs) {
  const RowRequest largest{.1, 0, std::nullopt, kAdjacency, false};
  const std::vector<StatisticShift> shifts = largest.shifts(kStatistics);
  const double there_is = half_width(largest.query(), shifts, 1);
  const Filter filter = filter_of(Accountant::renyi);
  EXPECT_FALSE(least_epsilon(largest.query(), filter, shifts, 1, there_is * .9));
  EXPECT_LE(least_epsilon(largest.query(), filter, shifts, 1, there_is).value(), .1);
  // Where the smallest epsilon cannot be shared, more is asked for.
  EXPECT_GT(least_epsilon(largest.query(), filter, shifts, 1, 1e18).value(), 1e-6);
  QueryRequest none = largest.query();
  none.epsilon = 0;
  EXPECT_THROW((void)least_epsilon(none, filter, shifts, 1, 1), Error);
}

}  // namespace
}  // namespace dpmix
