// Would falsify docs/proofs/survival.md: bands hold curves as often as they say, of simulated
// patients at epsilon 1, and tests of no difference find one no more often. A right release fails
// with probability at most 1e-9; bands without the noise in them are found out.
#include <gtest/gtest.h>

#include <cstdio>

#include "core/base/normal_reach.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/sampler.hpp"
#include "core/survival/bands.hpp"
#include "core/survival/hazard_ratios.hpp"
#include "core/survival/log_rank.hpp"
#include "tables/patients.hpp"

namespace dpmix::test {
namespace {

constexpr double kUntil = 20, kDeviations = 6.2;

// Noise as a query draws it.
class Noise {
 public:
  explicit Noise(double sensitivity)
      : scale_(sensitivity / gdp_mu(1, 1e-6)),
        sampler_({.family = Family::gaussian, .sensitivity = sensitivity, .scale = scale_}),
        random_({11}) {}

  SurvivalTable on(SurvivalTable table) {
    for (double& count : table.cell) count += static_cast<double>(sampler_(random_));
    table.stddev = std::sqrt(scale_ * scale_ + 1.0 / 12);
    return table;
  }

 private:
  double scale_;
  NoiseSampler sampler_;
  RandomStream random_;
};

bool holds(const Ends& ends, double value) {
  return ends.low <= value && value <= ends.high;
}

struct Held {  // shares of releases
  double survival, survival_noise, incidence, incidence_noise, mean, mean_noise, told;

  double least() const {
    return std::min({survival, survival_noise, incidence, incidence_noise, mean, mean_noise});
  }
};

struct Trial {
  int patients, bins, kinds, runs;
  double sensitivity = 1;
  bool believes_noise = true;  // false: the control
};

Held held(const Trial& trial) {
  std::mt19937_64 random(12);
  Noise noise(trial.sensitivity);
  Hospital hospital;
  if (trial.kinds == 1) hospital.rates = {.08};
  Held sums = {};
  for (int run = 0; run < trial.runs; ++run) {
    const auto patients = hospital.patients(random, trial.patients);
    const ExactCurves exact(patients, trial.bins, trial.kinds, kUntil);
    SurvivalTable table = noise.on(counted(patients, trial.bins, trial.kinds, kUntil));
    if (!trial.believes_noise) table.stddev = 1e-3;
    const double width = kUntil / trial.bins;
    const Band survival = survival_band(table, .95), incidence = incidence_band(table, 1, .95),
               mean = mean_time_intervals(table, width, .95);
    bool all[4] = {true, true, true, true};
    for (std::size_t i = 0; i < survival.size(); ++i) {
      const double end = width * static_cast<double>(i + 1);
      all[0] &= holds(survival[i].all, hospital.survival(end));
      all[1] &= holds(survival[i].noise, exact.survival[i]);
      all[2] &= holds(incidence[i].all, hospital.incidence(1, end));
      all[3] &= holds(incidence[i].noise, exact.incidence[0][i]);
    }
    sums.survival += all[0];
    sums.survival_noise += all[1];
    sums.incidence += all[2];
    sums.incidence_noise += all[3];
    // At half of the time, or where the curve ends.
    const std::size_t last = std::min(mean.size(), (survival.size() + 1) / 2);
    const double end = width * static_cast<double>(last);
    sums.mean += last == 0 || holds(mean[last - 1].all, hospital.mean_time(end));
    sums.mean_noise += last == 0 || holds(mean[last - 1].noise, exact.mean_time[last - 1]);
    sums.told += static_cast<double>(survival.size()) / trial.bins;
  }
  for (double* sum : {&sums.survival, &sums.survival_noise, &sums.incidence, &sums.incidence_noise,
                      &sums.mean, &sums.mean_noise, &sums.told}) {
    *sum /= trial.runs;
  }
  std::printf(
      "%5d patients, %2d bins, %d kinds%s: survival %.4f (noise alone %.4f), incidence %.4f "
      "(%.4f), "
      "mean %.4f (%.4f), told %.2f, +-%.4f\n",
      trial.patients, trial.bins, trial.kinds, trial.believes_noise ? "" : ", no noise in bands",
      sums.survival, sums.survival_noise, sums.incidence, sums.incidence_noise, sums.mean,
      sums.mean_noise, sums.told, std::sqrt(.95 * .05 / trial.runs));
  return sums;
}

double least_share(int runs) {
  return .95 - kDeviations * std::sqrt(.95 * .05 / runs);
}

TEST(SurvivalCoverage, OfBandsAtEpsilonOne) {
  for (const Trial& trial :
       {Trial{200, 20, 1, 3000}, Trial{1000, 20, 1, 3000}, Trial{10000, 20, 1, 1000},
        Trial{200, 5, 2, 4000}, Trial{1000, 20, 2, 2000}, Trial{1000, 60, 1, 300},
        Trial{1000, 20, 1, 1000, std::sqrt(2.0)}}) {
    EXPECT_GT(held(trial).least(), least_share(trial.runs)) << trial.patients << " " << trial.bins;
  }
}

// What would be seen of bands that forget the noise. Of more patients the room for other errors in
// bands of the population hides it.
TEST(SurvivalCoverage, WithoutTheNoiseIsFoundOut) {
  for (const int patients : {200, 1000}) {
    const Held found = held({patients, 20, 1, 1000, 1, false});
    if (patients == 200) {
      EXPECT_LT(found.survival, least_share(1000));
    }
    EXPECT_LT(found.survival_noise, least_share(1000));
    EXPECT_LT(found.incidence_noise, least_share(1000));
  }
}

// Two groups that survive alike and are censored otherwise.
double found_differences(int patients, int runs, bool believes_noise) {
  std::mt19937_64 random(13);
  Noise noise(1);
  Hospital one, other;
  one.rates = other.rates = {.08};
  other.first = 2;
  double tests = 0, found = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<SurvivalTable> tables;
    for (const Hospital* hospital : {&one, &other}) {
      tables.push_back(noise.on(counted(hospital->patients(random, patients / 2), 20, 1, kUntil)));
      if (!believes_noise) tables.back().stddev = 1e-3;
    }
    const std::optional<LogRank> test = log_rank(tables);
    tests += test.has_value();
    found += test.has_value() && test->p_value <= .05;
  }
  std::printf("%5d patients alike%s: %.4f of %.0f tests find a difference\n", patients,
              believes_noise ? "" : ", no noise in the test", found / tests, tests);
  return found / tests;
}

TEST(SurvivalCoverage, FalseAlarmsOfTheLogRankTest) {
  for (const int patients : {1000, 10000}) {
    const int runs = patients > 5000 ? 1000 : 3000;
    EXPECT_LT(found_differences(patients, runs, true),
              .055 + kDeviations * std::sqrt(.055 * .945 / runs));
  }
  EXPECT_GT(found_differences(1000, 1000, false),
            .055 + kDeviations * std::sqrt(.055 * .945 / 1000));
}

// Shares of intervals that hold a ratio of 1.5 between two groups.
double held_ratios(int patients, int runs, bool believes_noise) {
  std::mt19937_64 random(14);
  Noise noise(1);
  Hospital hospitals[2];
  hospitals[0].rates = {.08};
  hospitals[1].rates = {.12};
  double told = 0, held = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<SurvivalTable> tables;
    for (const Hospital& hospital : hospitals) {
      tables.push_back(noise.on(counted(hospital.patients(random, patients / 2), 20, 1, kUntil)));
      if (!believes_noise) tables.back().stddev = 1e-3;
    }
    const auto ratios = hazard_ratios(tables);
    if (!ratios) continue;
    ++told;
    const LogRatio& ratio = ratios->front();
    held += std::fabs(ratio.estimate - std::log(1.5)) <= normal_reach(.95) * ratio.stddev;
  }
  std::printf("%5d patients%s: %.4f of %.0f hazard ratios hold, +-%.4f\n", patients,
              believes_noise ? "" : ", no noise in intervals", held / told, told,
              std::sqrt(.95 * .05 / runs));
  return held / told;
}

// Intervals are normal ones, to the first order: .01 is left to that.
TEST(SurvivalCoverage, OfHazardRatios) {
  for (const int patients : {500, 1000, 10000}) {
    const int runs = patients > 5000 ? 600 : 2000;
    EXPECT_GT(held_ratios(patients, runs, true), least_share(runs) - .01) << patients;
  }
  EXPECT_LT(held_ratios(1000, 1000, false), least_share(1000) - .01);
}

}  // namespace
}  // namespace dpmix::test
