#include "core/release/query_plan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "unit/release/planned_query.hpp"

namespace dpmix {
namespace {

std::string refusal(const QueryRequest& request,
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

}  // namespace
}  // namespace dpmix
