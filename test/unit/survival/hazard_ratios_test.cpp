#include "core/survival/hazard_ratios.hpp"

#include <gtest/gtest.h>

#include "tables/patients.hpp"

namespace dpmix::test {
namespace {

// The score of two groups of people at whole times before `until` (Breslow's ties), by hand.
double score_by_hand(const std::vector<Patient>& one, const std::vector<Patient>& other,
                     double log_ratio, double until) {
  double sum = 0;
  for (double time = 0; time < until; ++time) {
    double risk[2] = {}, events[2] = {};
    for (int group = 0; group < 2; ++group) {
      for (const Patient& patient : group == 0 ? one : other) {
        risk[group] += patient.time >= time;
        events[group] += patient.time == time && patient.kind > 0;
      }
    }
    const double weighed = risk[1] * std::exp(log_ratio);
    sum += events[1] - (events[0] + events[1]) * weighed / (risk[0] + weighed);
  }
  return sum;
}

TEST(HazardRatios, SolveCoxScore) {
  std::mt19937_64 random(7);
  Hospital other;
  other.rates = {.1, .02};
  for (int round = 0; round < 20; ++round) {
    std::vector<Patient> first = Hospital{}.patients(random, 80),
                         second = other.patients(random, 90);
    std::vector<SurvivalTable> tables;
    int told = 20;
    for (std::vector<Patient>* patients : {&first, &second}) {
      for (Patient& patient : *patients) patient.time = std::floor(patient.time);
      tables.push_back(counted(*patients, 20, 2, 20));
      tables.back().one_time = true;
      told = std::min(told, told_bins(tables.back()));
    }
    const auto ratios = hazard_ratios(tables);
    ASSERT_TRUE(ratios.has_value());
    ASSERT_EQ(ratios->size(), 1u);
    EXPECT_NEAR(score_by_hand(first, second, (*ratios)[0].estimate, told), 0, 1e-6);
    // The other way round.
    std::swap(tables[0], tables[1]);
    const auto swapped = hazard_ratios(tables);
    EXPECT_NEAR((*swapped)[0].estimate, -(*ratios)[0].estimate, 1e-6);
    EXPECT_NEAR((*swapped)[0].stddev, (*ratios)[0].stddev, 1e-6);
  }
}

// A hazard that is constant in bins, without chance: however wide they are, it is the ratio.
TEST(HazardRatios, AreThatOfConstantHazards) {
  for (const int bins : {2, 20}) {
    std::vector<SurvivalTable> tables;
    for (const double rate : {.05, .15, .03}) {
      SurvivalTable table;
      table.bins = bins;
      table.stddev = 1e-6;
      double left = 1e6;
      for (int bin = 0; bin < bins; ++bin) {
        const double stay = left * std::exp(-rate * 20 / bins);
        table.cell.insert(table.cell.end(), {0, left - stay});
        left = stay;
      }
      table.cell.insert(table.cell.end(), {left, 0});
      tables.push_back(table);
    }
    const auto ratios = hazard_ratios(tables);
    ASSERT_TRUE(ratios.has_value());
    EXPECT_NEAR((*ratios)[0].estimate, std::log(3.0), 1e-7);
    EXPECT_NEAR((*ratios)[1].estimate, std::log(.6), 1e-7);
  }
}

TEST(HazardRatios, SayNothingWhereNoiseHidesThem) {
  const SurvivalTable one = {.bins = 2, .cell = {5, 5, 5, 5, 60, 0}, .stddev = .1};
  SurvivalTable noisy = one, none = one, negative = one;
  noisy.stddev = 8;
  none.cell = {10, 0, 10, 0, 60, 0};
  negative.cell[1] = negative.cell[3] = -9;
  EXPECT_TRUE(hazard_ratios(std::vector{one, one}).has_value());
  EXPECT_NEAR((*hazard_ratios(std::vector{one, one}))[0].estimate, 0, 1e-12);
  EXPECT_FALSE(hazard_ratios(std::vector{one}).has_value());
  EXPECT_FALSE(hazard_ratios(std::vector{noisy, noisy}).has_value());
  EXPECT_FALSE(hazard_ratios(std::vector{none, none}).has_value());
  EXPECT_FALSE(hazard_ratios(std::vector{one, none}).has_value());
  EXPECT_FALSE(hazard_ratios(std::vector{negative, negative}).has_value());
}

}  // namespace
}  // namespace dpmix::test
