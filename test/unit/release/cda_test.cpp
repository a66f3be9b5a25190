#include "core/release/cda.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/accounting/loss_composition.hpp"
#include "core/accounting/profile.hpp"
#include "core/error.hpp"
#include "core/mechanism/gaussian_dp.hpp"

namespace dpmix {
namespace {

CdaRequest request() {
  return {.classes = 3,
          .features = 2,
          .rows = 1000,
          .epsilon = 1,
          .delta = 1e-6,
          .adjacency = Adjacency::add_remove,
          .accounting = {},
          .mix = 0,
          .demix = Demix::none};
}

RandomStream::Key key(std::uint8_t first) {
  RandomStream::Key key{};
  key[0] = first;
  return key;
}

template <class Change>
void expect_refused(Change change) {
  CdaRequest r = request();
  change(r);
  try {
    plan_cda(r);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
    EXPECT_FALSE(error.detail.empty());
    EXPECT_FALSE(error.hint.empty());
  }
}

TEST(CdaPlan, RefusesWhatNoReleaseCanKeep) {
  expect_refused([](CdaRequest& r) { r.rows = 0; });
  expect_refused([](CdaRequest& r) { r.rows = -5; });
  expect_refused([](CdaRequest& r) { r.rows = 1'000'000'001; });
  expect_refused([](CdaRequest& r) { r.rows = 2; });  // three classes
  expect_refused([](CdaRequest& r) { r.mix = 10'001; });
  expect_refused([](CdaRequest& r) { r.epsilon = -1; });
  expect_refused([](CdaRequest& r) { r.epsilon = std::nan(""); });
  expect_refused([](CdaRequest& r) { r.delta = 0; });
  expect_refused([](CdaRequest& r) { r.delta = 1; });
  expect_refused([](CdaRequest& r) { r.adjacency = Adjacency::label; });
}

TEST(CdaPlan, SplitsNoMoreThanWasAsked) {
  for (const double epsilon : {1e-3, .1, 1., 7.3, 100.}) {
    CdaRequest r = request();
    r.epsilon = epsilon;
    const CdaPlan plan = plan_cda(r);
    // What rows dominated by the Gaussian, but for the slack, guarantee at the rest of epsilon.
    const double rest = epsilon - plan.count_epsilon, slack = plan.rows.slack;
    EXPECT_LE(slack + (1 - slack) * gdp_delta(rest, plan.rows.mu), r.delta * (1 + 1e-12));
    EXPECT_GT(slack + (1 - slack) * gdp_delta(rest, plan.rows.mu), r.delta * (1 - 1e-6));
    EXPECT_LT(plan.count_epsilon, .04 * epsilon);
  }
}

TEST(CdaPlan, GivesEveryClassItsShareOfRows) {
  CdaRequest r = request();
  r.rows = 1001;
  const std::vector<std::int64_t> counts = {0, 3, 500};
  const std::vector<MixedClass> classes = plan_classes(plan_cda(r), counts);
  std::int64_t first = 0;
  for (const MixedClass& c : classes) {
    EXPECT_EQ(c.first, first);
    first += c.rows;
  }
  EXPECT_EQ(first, 1001);
  EXPECT_EQ(classes[0].rows, 334);
  EXPECT_EQ(classes[1].rows, 334);
  EXPECT_EQ(classes[2].rows, 333);
  EXPECT_EQ(classes[0].rate, 1);  // classes smaller than the mix join whole
  EXPECT_EQ(classes[1].rate, 1);
  EXPECT_NEAR(classes[2].rate, 4. / 500, 1e-12);
  EXPECT_LE(-std::expm1(-static_cast<long double>(classes[2].exponent)), classes[2].rate);
}

TEST(CdaPlan, NoNoisyCountCostsMoreThanTheCharge) {
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    for (const double order : {2.5, 8., 40.}) {
      CdaRequest r = request();
      r.adjacency = adjacency;
      r.accounting = {Accountant::renyi, order};
      r.mix = 8;
      const CdaPlan plan = plan_cda(r);
      const double generic = renyi_of_guarantee(order, r.epsilon, 0).amount;
      EXPECT_LT(plan.own.amount, order < 10 ? .4 * generic : 2 * generic);
      EXPECT_GE(plan.own.amount, renyi_of_gaussian(order, plan.rows.mu).amount);
      EXPECT_EQ(plan.own.added_delta, plan.rows.slack);
      EXPECT_LE(plan.own.added_delta, r.delta / 15);
      if (order != 8) continue;  // the rows do not depend on it
      const std::vector<std::int64_t> counts = {0, 30, 100'000};
      for (const MixedClass& c : plan_classes(plan, counts)) {
        EXPECT_TRUE(rows_keep(plan.rows, {c.rate, c.rows}, c.multiplier));
      }
    }
  }
}

TEST(CdaPlan, TheLeastDeltaGetsPlainNoise) {
  CdaRequest r = request();
  r.delta = std::numeric_limits<double>::denorm_min();
  const CdaPlan plan = plan_cda(r);
  const ClassLoad load{.01, 1000};
  const double z = row_noise(plan.rows, {&load, 1}).front();
  EXPECT_GE(z, std::sqrt(1000.) / plan.mu);
  EXPECT_LE(z, std::sqrt(1000.) / plan.mu * (1 + 1e-12));
}

TEST(CdaPlan, ChoosesTheMixByWhatFollows) {
  CdaRequest r = request();
  const std::vector<std::int64_t> counts = {10'000, 20'000, 0};
  for (const MixedClass& c : plan_classes(plan_cda(r), counts)) EXPECT_EQ(c.mix, 4);
  r.demix = Demix::per_class;
  std::vector<MixedClass> classes = plan_classes(plan_cda(r), counts);
  EXPECT_NEAR(classes[0].mix, .505 * plan_cda(r).mu * 10'000 / std::sqrt(334), 1);
  EXPECT_GT(classes[1].mix, classes[0].mix);
  EXPECT_EQ(classes[2].mix, 1);
  r.demix = Demix::tied;
  classes = plan_classes(plan_cda(r), counts);
  EXPECT_EQ(classes[0].mix, classes[2].mix);
}

TEST(CdaAccountant, StaysAboveTheTightNoiseAndNearIt) {
  // Poisson add_remove column of the PLD reference: 10 classes of 6000 records and 6000 rows.
  struct Cell {
    double epsilon;
    int mix;
    double sigma;
  };
  for (const Cell& cell :
       {Cell{1, 1, .534}, Cell{1, 4, .163}, Cell{1, 64, .0497}, Cell{1, 512, .0482},
        Cell{10, 1, .323}, Cell{10, 4, .0963}, Cell{10, 16, .0306}, Cell{10, 64, .0115},
        Cell{10, 512, .0066}, Cell{20, 4, .0804}, Cell{20, 128, .0061}}) {
    const double delta = 1e-5, slack = delta / 16;
    const RowTarget target = {Adjacency::add_remove, gdp_mu(cell.epsilon, delta - slack), slack};
    const std::array<ClassLoad, 1> load = {{{cell.mix / 6000., 6000}}};
    const double sigma = row_noise(target, load)[0] / cell.mix;
    EXPECT_GE(sigma, cell.sigma * .99) << cell.epsilon << " " << cell.mix;  // printed digits
    // Being below a Gaussian everywhere costs most where few records are mixed.
    EXPECT_LE(sigma, cell.sigma * (cell.mix <= 4 ? 1.07 : 1.02)) << cell.epsilon << " " << cell.mix;
  }
}

TEST(CdaAccountant, LighterClassesNeverGetLessThanTheyNeed) {
  const RowTarget target = {Adjacency::add_remove, .5, 1e-7};
  const std::vector<ClassLoad> loads = {{.01, 400}, {.0101, 401}, {1, 50}, {.1, 400}, {.01, 90}};
  const std::vector<double> z = row_noise(target, loads);
  for (std::size_t k = 0; k < loads.size(); ++k) {
    EXPECT_TRUE(rows_keep(target, loads[k], z[k])) << k;
    EXPECT_FALSE(rows_keep(target, loads[k], z[k] * .95)) << k;
  }
  EXPECT_EQ(z[0], z[1]);  // nearly the same load
  EXPECT_LT(z[4], z[0]);
}

TEST(CdaAccountant, ReplaceKeepsTheTargetInAllPairsOfClasses) {
  // A record that leaves class a and joins class b is seen in both; within a class, through half of
  // the noise's variance each.
  const double epsilon = 2, delta = 1e-6, slack = delta / 4;
  const RowTarget target = {Adjacency::replace, gdp_mu(epsilon, delta - slack), slack};
  const std::vector<ClassLoad> loads = {{1, 50}, {.1, 400}, {.01, 2000}};
  const std::vector<double> z = row_noise(target, loads);
  const RowTarget single = {Adjacency::add_remove, target.mu, slack};
  const std::vector<double> less = row_noise(single, loads);
  for (std::size_t a = 0; a < loads.size(); ++a) {
    EXPECT_GT(z[a], less[a]);
    for (std::size_t b = 0; b < loads.size(); ++b) {
      const double shift = a == b ? std::sqrt(2) : 1;
      LossComposition rows;
      rows.add(loss_of_subsampled_gaussian(loads[a].rate, shift / z[a], Direction::with_record,
                                           0x1p-11, 1e-15),
               loads[a].rows);
      rows.add(loss_of_subsampled_gaussian(loads[b].rate, shift / z[b], Direction::without_record,
                                           0x1p-11, 1e-15),
               loads[b].rows);
      EXPECT_LE(rows.epsilon(delta), epsilon * 1.005) << a << " " << b;  // this grid is coarser
    }
  }
}

TEST(CdaAccountant, ExtremeTargetsGetPlainGaussianNoiseAtMost) {
  for (const double mu : {1e-12, 1e-5, 1e4}) {
    for (const ClassLoad& load : {ClassLoad{1e-3, 1}, ClassLoad{.5, 1'000'000'000}}) {
      const double z = row_noise({Adjacency::add_remove, mu, 1e-9}, {&load, 1})[0];
      EXPECT_LE(z, std::sqrt(static_cast<double>(load.rows)) / mu * (1 + 1e-12));
      EXPECT_GT(z, 0);
    }
  }
}

TEST(CdaRecord, NormsNeverExceedTheSensitivity) {
  RandomStream random(key(1));
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<double, double>> bounds = {
      {0, 1}, {-1e308, 1e308}, {1e15, 1e15 + 1}, {-5e-324, 5e-324}, {.1, .3}, {-7, 1e-9}};
  for (const auto& [lower, upper] : bounds) {
    const Lattice lattice = feature_lattice(lower, upper);
    for (const double extreme : {-inf, inf, lower, upper, -1.7e308, 1.7e308, 0., -0.}) {
      EXPECT_LE(std::abs(lattice.place(extreme)), half_steps);
    }
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t bits = random.next64();  // any double but NaN
      double value;
      std::memcpy(&value, &bits, sizeof value);
      if (value != value) continue;
      EXPECT_LE(std::abs(lattice.place(value)), half_steps);
    }
  }
  for (const int d : {1, 2, 3, 7, 784, 1600}) {
    const auto norm = static_cast<long double>(record_norm(d));
    EXPECT_GE(norm * norm, static_cast<long double>(d) * half_steps * half_steps);
    EXPECT_LE(static_cast<double>(norm), half_steps * std::sqrt(d) * (1 + 1e-12));
  }
}

TEST(CdaRecord, BoundsAndMiddleComeBack) {
  const Lattice age = feature_lattice(0, 120);
  EXPECT_EQ(age.place(60), 0);
  EXPECT_EQ(age.place(120), half_steps);
  EXPECT_EQ(age.place(-3), -half_steps);
  EXPECT_NEAR(age.value_of(static_cast<double>(age.place(37))), 37, 120. / half_steps);
}

// Noise of 1e-9 steps rounds to none: what is left are the sums.
MixedClass silent(std::int64_t first, std::int64_t rows, int mix, double exponent) {
  return {first, rows, mix, exponent, -std::expm1(-exponent), 1e-15};
}

TEST(RowMixer, WholeClassesAndBlocksAddUp) {
  const double all = std::numeric_limits<double>::infinity();
  const std::vector<MixedClass> classes = {silent(0, 5, 2, all), silent(5, 4, 1, all)};
  RandomStream random(key(2));
  for (std::int64_t first = 0; first < 9; first += 3) {  // blocks across classes
    RowMixer mixer(classes, 2, first, 3);
    for (const std::int64_t x : {1, 10, 100}) {
      const std::array<std::int64_t, 2> record = {x, -half_steps};
      mixer.add(random, 0, record.data());
    }
    const std::array<std::int64_t, 2> record = {half_steps, 7};
    mixer.add(random, 1, record.data());
    for (std::int64_t t = first; t < first + 3; ++t) {
      std::array<double, 2> row;
      mixer.finish(random, t < 5 ? 0 : 1, t, row.data());
      EXPECT_EQ(row[0], t < 5 ? 111. / (2 * half_steps) : 1.);
      EXPECT_EQ(row[1], t < 5 ? -1.5 : 7. / half_steps);
    }
  }
}

TEST(RowMixer, RecordsJoinIndependentlyAtTheStatedRate) {
  // 40 rows in blocks of 1, 13 and 26; joins of one record are 40 coins of rate q.
  const double q = .3;
  const std::vector<MixedClass> classes = {silent(0, 40, 1, -std::log1p(-q))};
  RandomStream random(key(3));
  std::array<int, 40> joins{};
  int neighbours = 0;
  constexpr int records = 20'000;
  for (const auto& [first, rows] : {std::pair{0, 1}, {1, 13}, {14, 26}}) {
    for (int i = 0; i < records; ++i) {
      RowMixer mixer(classes, 1, first, rows);
      const std::int64_t one = half_steps;
      mixer.add(random, 0, &one);
      double before = 0;
      for (int t = first; t < first + rows; ++t) {
        double row;
        mixer.finish(random, 0, t, &row);
        ASSERT_TRUE(row == 0 || row == 1);
        joins[static_cast<std::size_t>(t)] += row == 1;
        neighbours += before == 1 && row == 1;
        before = row;
      }
    }
  }
  // 6.7 deviations: false alarm below 1e-9 for all cells together.
  const double deviation = std::sqrt(records * q * (1 - q));
  for (const int count : joins) EXPECT_NEAR(count, records * q, 6.7 * deviation);
  const double pairs = 37. * records;
  EXPECT_NEAR(neighbours, pairs * q * q, 6.7 * std::sqrt(pairs * q * q * 2));
}

}  // namespace
}  // namespace dpmix
