#include "core/survival/log_rank.hpp"

#include <gtest/gtest.h>

#include "tables/patients.hpp"

namespace dpmix::test {
namespace {

// Mantel's statistic of two groups by hand, at whole times before `until`.
double by_hand(const std::vector<Patient>& one, const std::vector<Patient>& other, double until) {
  double difference = 0, variance = 0;
  for (double time = 0; time < until; ++time) {
    double risk[2] = {}, events[2] = {};
    for (int group = 0; group < 2; ++group) {
      for (const Patient& patient : group == 0 ? one : other) {
        risk[group] += patient.time >= time;
        events[group] += patient.time == time && patient.kind > 0;
      }
    }
    const double people = risk[0] + risk[1], all = events[0] + events[1];
    difference += events[0] - all * risk[0] / people;
    if (people > 1) {
      variance += all * (people - all) / (people - 1) * risk[0] * risk[1] / people / people;
    }
  }
  return difference * difference / variance;
}

TEST(LogRank, IsMantels) {
  std::mt19937_64 random(6);
  Hospital other;
  other.rates = {.1, .02};
  for (int round = 0; round < 50; ++round) {
    std::vector<Patient> first = Hospital{}.patients(random, 60),
                         second = other.patients(random, 90);
    std::vector<SurvivalTable> tables;
    for (std::vector<Patient>* patients : {&first, &second}) {
      for (Patient& patient : *patients) patient.time = std::floor(patient.time);
      tables.push_back(counted(*patients, 20, 2, 20));
      tables.back().one_time = true;
    }
    const std::optional<LogRank> test = log_rank(tables);
    ASSERT_TRUE(test.has_value());
    EXPECT_EQ(test->degrees, 1);
    EXPECT_NEAR(test->statistic, by_hand(first, second, test->bins), 1e-6);
    EXPECT_NEAR(test->p_value, std::erfc(std::sqrt(test->statistic / 2)), 1e-6);
    // The order of groups is of no matter.
    std::swap(tables[0], tables[1]);
    EXPECT_NEAR(log_rank(tables)->statistic, test->statistic, 1e-6);
  }
}

TEST(LogRank, SaysNothingWhereThereIsNothing) {
  const SurvivalTable one = {.bins = 2, .cell = {5, 5, 5, 5, 20, 0}, .stddev = .1};
  SurvivalTable hidden = one;
  hidden.stddev = 50;
  EXPECT_FALSE(log_rank(std::vector{one}).has_value());
  EXPECT_FALSE(log_rank(std::vector{one, hidden}).has_value());
  EXPECT_EQ(log_rank(std::vector{one, one, one})->degrees, 2);
  EXPECT_NEAR(log_rank(std::vector{one, one, one})->p_value, 1, 1e-9);
  // Fewer than no events: no covariance.
  SurvivalTable negative = one;
  negative.cell[1] = negative.cell[3] = -4;
  EXPECT_FALSE(log_rank(std::vector{negative, negative}).has_value());
}

}  // namespace
}  // namespace dpmix::test
