#include "core/survival/bands.hpp"

#include <gtest/gtest.h>

#include "core/survival/curve.hpp"
#include "core/survival/drawn_curve.hpp"
#include "core/survival/noise_variance.hpp"
#include "tables/patients.hpp"

namespace dpmix::test {
namespace {

SurvivalTable noisy(std::mt19937_64& random, SurvivalTable table, double stddev) {
  std::normal_distribution<double> normal(0, stddev);
  for (double& count : table.cell) count += std::round(normal(random));
  table.stddev = stddev;
  return table;
}

// Of a linear function exactly, of a quotient by hand.
TEST(SurvivalNoise, MovesAreDerivatives) {
  const SurvivalTable table = {.bins = 1, .cell = {7, 20, 50, 23}, .stddev = 3};
  const auto variances = noise_variances(table, [](const SurvivalTable& of) {
    return std::vector<double>{2 * of.cell[0] - of.cell[3],
                               log_survival(of, Order::events_first, 1)[0]};
  });
  EXPECT_NEAR(variances[0], 9 * 5, 1e-6);
  // ln (1 - d / Y): of d -1 / Y + d / Y (Y - d)..., of all others d / (Y (Y - d)).
  const double others = 20.0 / (100 * 80), own = others - 1.0 / 80;
  EXPECT_NEAR(variances[1], 9 * (3 * others * others + own * own), 1e-9);
}

TEST(SurvivalBands, AreInOrder) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    const int bins = 1 + static_cast<int>(random() % 30);
    const SurvivalTable exact =
        counted(Hospital{}.patients(random, 20 << random() % 10), bins, 2, 20);
    const SurvivalTable table = noisy(random, exact, .5 * static_cast<double>(1 + random() % 10));
    for (const bool rises : {false, true}) {
      const Band band = rises ? incidence_band(table, 2, .9) : survival_band(table, .9);
      ASSERT_EQ(band.size(), static_cast<std::size_t>(told_bins(table)));
      const std::vector<double> curve = drawn_curve(band, rises);
      const double way = rises ? 1 : -1;
      for (std::size_t i = 0; i < band.size(); ++i) {
        const BandPoint& point = band[i];
        EXPECT_LE(0, point.all.low);
        EXPECT_LE(point.all.low, point.noise.low);
        EXPECT_LE(point.noise.high, point.all.high);
        EXPECT_LE(point.all.high, 1);
        EXPECT_LE(point.noise.low, curve[i] + 1e-12);
        EXPECT_GE(point.noise.high, curve[i] - 1e-12);
        if (i == 0) continue;
        EXPECT_LE(0, way * (curve[i] - curve[i - 1]) + 1e-15);
        EXPECT_LE(0, way * (point.all.low - band[i - 1].all.low) + 1e-15);
        EXPECT_LE(0, way * (point.all.high - band[i - 1].all.high) + 1e-15);
      }
    }
    for (const BandPoint& point : mean_time_intervals(table, 20.0 / bins, .9)) {
      EXPECT_LE(point.all.low, point.noise.low);
      EXPECT_LE(point.noise.high, point.all.high);
    }
  }
}

// Without noise what is left of the inner band is what nobody knows of a bin: of one time, nothing.
TEST(SurvivalBands, AreAsWideAsWhatIsUnknown) {
  std::mt19937_64 random(5);
  SurvivalTable table = counted(Hospital{}.patients(random, 4000), 10, 2, 20);
  const Band band = survival_band(table, .95);
  const std::vector<double> low = log_survival(table, Order::censored_first, 10),
                            high = log_survival(table, Order::events_first, 10);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(band[i].noise.low, std::exp(low[i]), 1e-6);
    EXPECT_NEAR(band[i].noise.high, std::exp(high[i]), 1e-6);
  }
  table.one_time = true;
  const Band known = survival_band(table, .95);
  EXPECT_NEAR(known.back().noise.low, known.back().noise.high, 1e-6);
  // Greenwood's formula, and 2.8 deviations (ten bins); a bit more below, as for few events.
  double greenwood = 0;
  for (int bin = 0; bin < 10; ++bin) {
    const double people = at_risk(table).people[static_cast<std::size_t>(bin)];
    greenwood += table.events(bin) / people / (people - table.events(bin));
  }
  const double reach = std::log(known.back().all.high / known.back().estimate);
  EXPECT_NEAR(reach / (2.807 * std::sqrt(greenwood)), 1, .15);
  EXPECT_GT(known.back().estimate / known.back().all.low, 1 + reach);
}

// Nobody has had an event: the population may have some.
TEST(SurvivalBands, OfNoEventAreNotOfNoWidth) {
  const SurvivalTable table = {.bins = 2, .cell = {0, 0, 0, 0, 300, 0}, .stddev = 1e-6};
  const Band band = survival_band(table, .95);
  ASSERT_EQ(band.size(), 2u);
  EXPECT_NEAR(band[1].noise.low, 1, 1e-6);
  EXPECT_LT(band[1].all.low, 1 - 4.0 / 300);
  EXPECT_GT(band[1].all.low, 1 - 8.0 / 300);
  EXPECT_LT(mean_time_intervals(table, 1, .95)[1].all.low, 2 - 3.0 / 300);
}

TEST(SurvivalBands, OfNothingAreEmpty) {
  const SurvivalTable table = {.bins = 3, .cell = std::vector<double>(8), .stddev = 1};
  EXPECT_TRUE(survival_band(table, .95).empty());
  EXPECT_TRUE(incidence_band(table, 1, .95).empty());
  EXPECT_TRUE(mean_time_intervals(table, 1, .95).empty());
  EXPECT_TRUE(drawn_curve({}).empty());
}

}  // namespace
}  // namespace dpmix::test
