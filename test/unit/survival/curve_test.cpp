// Curves of binned counts against those of the very times.
#include "core/survival/curve.hpp"

#include <gtest/gtest.h>

#include "tables/patients.hpp"

namespace dpmix::test {
namespace {

// Freireich et al. 1963, 6-MP: weeks of remission; +: censored.
const std::vector<Patient> kTreated = {{6, 1},  {6, 1},  {6, 1},  {6, 0},  {7, 1},  {9, 0},
                                       {10, 1}, {10, 0}, {11, 0}, {13, 1}, {16, 1}, {17, 0},
                                       {19, 0}, {20, 0}, {22, 1}, {23, 1}, {25, 0}, {32, 0},
                                       {32, 0}, {34, 0}, {35, 0}};

TEST(SurvivalCurve, IsTheTextbooks) {
  SurvivalTable table = counted(kTreated, 36, 1, 36);
  table.one_time = true;
  const std::vector<double> curve = log_survival(table, Order::half, told_bins(table));
  ASSERT_EQ(curve.size(), 35u);  // nobody is left at 36
  const std::vector<std::pair<std::size_t, double>> known = {{5, 1},      {6, .8571},  {7, .8067},
                                                             {10, .7529}, {13, .6902}, {16, .6275},
                                                             {22, .5378}, {34, .4482}};
  for (const auto& [week, share] : known) EXPECT_NEAR(std::exp(curve[week]), share, 5e-5) << week;
}

// Ties at whole times, where the one order of a bin is that of Kaplan and Meier.
TEST(SurvivalCurve, OfOneTimeABinIsExact) {
  std::mt19937_64 random(1);
  const Hospital hospital;
  for (int round = 0; round < 200; ++round) {
    std::vector<Patient> patients = hospital.patients(random, 1 + static_cast<int>(random() % 80));
    for (Patient& patient : patients) patient.time = std::floor(patient.time);
    SurvivalTable table = counted(patients, 25, 2, 25);
    table.one_time = true;
    const ExactCurves exact(patients, 25, 2, 25, true);
    const int told = told_bins(table);
    for (const Order order : {Order::events_first, Order::half, Order::censored_first}) {
      const std::vector<double> curve = log_survival(table, order, told),
                                one = incidence(table, 1, order, told),
                                other = incidence(table, 2, order, told);
      for (std::size_t i = 0; i < curve.size(); ++i) {
        EXPECT_NEAR(std::exp(curve[i]), exact.survival[i], 1e-12);
        EXPECT_NEAR(one[i], exact.incidence[0][i], 1e-12);
        EXPECT_NEAR(other[i], exact.incidence[1][i], 1e-12);
      }
    }
  }
}

// Whatever the order within bins: claim 1 of docs/proofs/survival.md. Half of the people leave at
// the begin or the end of a bin, by what became of them, so that bounds are reached.
TEST(SurvivalCurve, BoundsHoldTheCurveOfTheTimes) {
  std::mt19937_64 random(2);
  double nearest = 1;
  for (int round = 0; round < 600; ++round) {
    const int bins = 1 + static_cast<int>(random() % 12);
    std::vector<Patient> patients =
        Hospital{}.patients(random, 5 + static_cast<int>(random() % 60));
    const double width = 20.0 / bins, early = round % 2 == 0 ? .01 : .98;
    for (Patient& patient : patients) {
      if (round % 3 == 0) continue;
      const double begin = std::floor(patient.time / width) * width;
      patient.time = begin + width * (patient.kind == 0 ? early : .99 - early);
    }
    const SurvivalTable table = counted(patients, bins, 2, 20);
    const ExactCurves exact(patients, bins, 2, 20);
    const int told = told_bins(table);
    const auto expect_between = [&](const std::vector<double>& low, const std::vector<double>& high,
                                    const std::vector<double>& of) {
      for (std::size_t i = 0; i < low.size(); ++i) {
        EXPECT_LE(low[i], of[i] + 1e-12);
        EXPECT_GE(high[i], of[i] - 1e-12);
      }
    };
    std::vector<double> logs;
    for (const double share : exact.survival) logs.push_back(std::log(share));
    const std::vector<double> low = log_survival(table, Order::censored_first, told);
    expect_between(low, log_survival(table, Order::events_first, told), logs);
    for (const int kind : {1, 2}) {
      expect_between(incidence(table, kind, Order::events_first, told),
                     incidence(table, kind, Order::censored_first, told),
                     exact.incidence[static_cast<std::size_t>(kind) - 1]);
    }
    expect_between(mean_time(table, Order::censored_first, width, told),
                   mean_time(table, Order::events_first, width, told), exact.mean_time);
    for (std::size_t i = 0; i < low.size(); ++i) {
      if (low[i] < -.05) nearest = std::min(nearest, (logs[i] - low[i]) / -low[i]);
    }
  }
  EXPECT_LT(nearest, 1e-9);  // it is reached
}

TEST(SurvivalCurve, EventsAndSurvivorsAreAll) {
  std::mt19937_64 random(3);
  const SurvivalTable table = counted(Hospital{}.patients(random, 500), 10, 2, 20);
  const std::vector<double> left = log_survival(table, Order::half, 10),
                            one = incidence(table, 1, Order::half, 10),
                            other = incidence(table, 2, Order::half, 10);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(std::exp(left[i]) + one[i] + other[i], 1, 1e-12);
}

TEST(SurvivalCurve, EndsWhereNoiseHidesWhoIsLeft) {
  SurvivalTable table;
  table.bins = 4;
  table.stddev = 1;
  table.cell = {0, 10, 0, 10, 0, 10, 3, 3, 2, 0};  // at risk 38, 28, 18, 8, 2
  EXPECT_EQ(told_bins(table), 3);                  // 3 deviations of the last two cells are 4.2
  table.stddev = .4;
  EXPECT_EQ(told_bins(table), 4);
  table.cell[8] = 1.6;
  EXPECT_EQ(told_bins(table), 3);
  table.stddev = 4;
  EXPECT_EQ(told_bins(table), 0);  // of 38 at the begin 3 deviations of ten cells
  const AtRisk risk = at_risk(table);
  EXPECT_DOUBLE_EQ(risk.people[2], 17.6);
  EXPECT_DOUBLE_EQ(risk.stddev[2], 4 * std::sqrt(6.0));
  table = {.bins = 2, .cell = {0, 5, -100, 100, 60, 0}, .stddev = .5};
  EXPECT_EQ(told_bins(table), 1);  // a factor of the second bin is 0 or less
}

}  // namespace
}  // namespace dpmix::test
