#include "core/survival/model.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.hpp"

namespace dpmix::test {
namespace {

SurvivalModel some() {
  SurvivalModel model;
  model.until = 6;
  for (const double count : {3.0, -2.0}) {
    model.groups.push_back({.bins = 2, .kinds = 1, .cell = std::vector(6, count), .stddev = 1.5});
  }
  return model;
}

TEST(SurvivalModel, IsPackedAndBack) {
  const SurvivalModel model = some(), back = SurvivalModel::unpack(model.pack());
  ASSERT_EQ(back.groups.size(), 2u);
  EXPECT_EQ(back.groups[1].cell, model.groups[1].cell);
  EXPECT_EQ(back.groups[1].stddev, 1.5);
  EXPECT_EQ(back.until, 6);
  EXPECT_FALSE(back.groups[0].one_time);
  EXPECT_EQ(back.time(0), 3);
  EXPECT_EQ(back.time(1), 6);
  SurvivalModel whole = some();
  for (SurvivalTable& group : whole.groups) group.one_time = true;
  EXPECT_EQ(SurvivalModel::unpack(whole.pack()).time(1), 3);
}

TEST(SurvivalModel, RefusesWhatIsNone) {
  const std::vector<double> good = some().pack();
  EXPECT_NO_THROW((void)SurvivalModel::unpack(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW((void)SurvivalModel::unpack(std::span(good).first(size)), Error);
  }
  std::vector<double> longer = good;
  longer.push_back(0);
  EXPECT_THROW((void)SurvivalModel::unpack(longer), Error);
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e300, -1.0}) {
      if (i >= 7 && !std::isnan(bad)) continue;  // counts are any
      if (i < 3 && i > 0 && bad == 1e300) continue;
      std::vector<double> damaged = good;
      damaged[i] = bad;
      EXPECT_THROW((void)SurvivalModel::unpack(damaged), Error) << i << " " << bad;
    }
  }
}

}  // namespace
}  // namespace dpmix::test
