#include "core/synthetic/cda.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/accounting/losses/loss_composition.hpp"
#include "core/accounting/renyi_profile.hpp"
#include "core/base/error.hpp"
#include "core/input/record_code.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/synthetic/class_mixing.hpp"
#include "core/synthetic/row_noise.hpp"

namespace dpmix {
namespace {

CdaRequest request() {
  return {.classes = 3,
          .norm = half_steps,
          .rows = 1000,
          .epsilon = 1,
          .delta = 1e-6,
          .adjacency = Adjacency::add_remove,
          .accounting = {},
          .mix = 0,
          .demix = Demix::none,
          .class_rows = ClassRows::balanced};
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
}

TEST(CdaPlan, FewerRowsThanClassesAreForProportionalOnes) {
  CdaRequest r = request();
  r.rows = 2;
  r.class_rows = ClassRows::proportional;
  const std::vector<std::int64_t> counts = {5, 0, 7};
  const std::vector<MixedClass> classes = plan_classes(plan_cda(r), counts);
  EXPECT_EQ(classes[0].rows, 1);
  EXPECT_EQ(classes[1].rows, 0);
  EXPECT_EQ(classes[2].rows, 1);
  EXPECT_EQ(classes[2].first, 1);
}

TEST(CdaPlan, SplitsNoMoreThanWasAsked) {
  constexpr Adjacency replace = Adjacency::replace;
  for (const auto& [adjacency, number, changed] : {std::tuple{Adjacency::add_remove, 3, 1},
                                                   {replace, 3, 2},
                                                   {replace, 1, 1},
                                                   {Adjacency::label, 3, 2}}) {
    for (const double epsilon : {1e-3, .1, 1., 7.3, 100.}) {
      CdaRequest r = request();
      r.classes = number;
      r.adjacency = adjacency;
      r.epsilon = epsilon;
      const CdaPlan plan = plan_cda(r);
      EXPECT_LE(plan.mu, gdp_mu(epsilon, r.delta));
      EXPECT_GT(plan.mu, .97 * gdp_mu(epsilon, r.delta));
      if (epsilon < 1) continue;  // smaller ones need finer grids
      // The counts and Gaussian noise of that mu, composed by their privacy losses.
      const double step = std::exp2(std::floor(std::log2(plan.mu / 400)));
      LossComposition both;
      both.add(loss_of_geometric(plan.count_rate, 1, step), changed);
      both.add(loss_of_subsampled_gaussian(1, plan.mu, Direction::with_record, step, 1e-20), 1);
      const double delta = both.delta(epsilon) + plan.rows.slack;
      EXPECT_LE(delta, r.delta * 1.002) << epsilon;  // the grid only adds
      EXPECT_GT(delta, r.delta * .998) << epsilon;
    }
  }
}

// Under `basic` the rows may depend on whether the noisy count came out low or high: at worst they
// show most where it shows most.
TEST(CdaPlan, BasicKeepsEpsilonWhateverTheCounts) {
  for (const double epsilon : {4.}) {
    CdaRequest r = request();
    r.epsilon = epsilon;
    const CdaPlan plan = plan_cda(r);
    ASSERT_TRUE(plan.rows.only);
    const double more = 1 / (1 + std::exp(-plan.count_rate));
    for (const Direction direction : {Direction::with_record, Direction::without_record}) {
      double low = 0, high = 0;
      for (const int mix : {4, 40}) {
        CdaPlan mixed = plan;
        mixed.asked.mix = mix;
        mixed.asked.classes = 3;
        const std::vector<std::int64_t> counts = {70, 500, 3000};
        for (const MixedClass& c : plan_classes(mixed, counts)) {
          LossComposition rows;
          rows.add(loss_of_subsampled_gaussian(c.rate, r.norm / c.sigma, direction, 0x1p-11, 1e-15),
                   c.rows);
          low = std::max(low, rows.delta(epsilon - plan.count_rate));
          high = std::max(high, rows.delta(epsilon + plan.count_rate));
        }
      }
      EXPECT_LE(more * low + (1 - more) * high, r.delta * 1.01) << epsilon;  // a coarser grid
      EXPECT_GT(more * low + (1 - more) * high, r.delta * .7) << epsilon;
    }
  }
}

TEST(CdaPlan, GivesEveryClassItsShareOfRows) {
  CdaRequest r = request();
  r.mix = 4;
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

// Under `gdp`: counts and rows, each at its own price, and the rows' slack; together less than any
// release of the guarantee, and more than the rows alone.
TEST(CdaPlan, GdpChargesCountsRowsAndSlack) {
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
    CdaRequest r = request();
    r.adjacency = adjacency;
    r.accounting = {Accountant::gdp, 0};
    const CdaPlan plan = plan_cda(r);
    const int changed = adjacency == Adjacency::add_remove ? 1 : 2;
    // Randomised response of a small epsilon: mu^2 is pi/2 epsilon^2.
    const double counts = changed * M_PI / 2 * std::pow(plan.count_epsilon / changed, 2);
    EXPECT_GE(plan.own.amount, plan.mu * plan.mu + counts * .99);
    EXPECT_LE(plan.own.amount, plan.mu * plan.mu + counts * 1.01);
    EXPECT_EQ(plan.own.added_delta, plan.rows.slack);
    EXPECT_LT(plan.own.amount, cost_of_guarantee(r.accounting, r.epsilon, 0).amount);
  }
}

TEST(CdaPlan, NoNoisyCountCostsMoreThanTheCharge) {
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
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
      if (order != 8 || adjacency == Adjacency::label) continue;  // the rows do not depend on it
      const std::vector<std::int64_t> counts = {0, 30, 100'000};
      for (const MixedClass& c : plan_classes(plan, counts)) {
        EXPECT_TRUE(rows_keep(plan.rows, {c.rate, c.rows}, c.sigma / r.norm));
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
  // Raw rows: noise of about .2 half widths, in every class that has enough records.
  std::vector<MixedClass> classes = plan_classes(plan_cda(r), counts);
  EXPECT_NEAR(classes[0].noise(), .2, .03);
  EXPECT_NEAR(classes[1].noise(), .2, .03);
  EXPECT_EQ(classes[2].mix, 1);
  r.demix = Demix::per_class;
  classes = plan_classes(plan_cda(r), counts);
  EXPECT_NEAR(classes[0].mix, .505 * plan_cda(r).mu * 10'000 / std::sqrt(334),
              1);  // as the average
  EXPECT_EQ(classes[1].mix, classes[0].mix);
  EXPECT_EQ(classes[2].mix, 1);
  EXPECT_EQ(classes[2].rate, 1);
  r.demix = Demix::tied;
  classes = plan_classes(plan_cda(r), counts);
  EXPECT_EQ(classes[0].mix, classes[1].mix);
  EXPECT_EQ(classes[2].mix, 1);  // nobody is there
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
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    const RowTarget target = {adjacency, .5, 1e-7};
    const std::vector<ClassLoad> loads = {{.01, 400}, {.01001, 400}, {1, 50},
                                          {.1, 400},  {.01, 90},     {.02, 0}};
    const std::vector<double> z = row_noise(target, loads);
    for (std::size_t k = 0; k < loads.size(); ++k) {
      if (loads[k].rows == 0) continue;
      EXPECT_TRUE(rows_keep(target, loads[k], z[k])) << k;
      EXPECT_FALSE(rows_keep(target, loads[k], z[k] * .97)) << k;
    }
    EXPECT_NEAR(z[0], z[1], .01 * z[0]);  // nearly the same load
    EXPECT_LT(z[4], z[0]);
    EXPECT_EQ(z[5], 0);  // no rows, no noise
  }
}

// Many loads share searches; none gets less than it needs, nor much more, and what they get depends
// on nothing but them.
TEST(CdaAccountant, ManyClassesAreEachNearTheLeast) {
  const RowTarget target = {Adjacency::add_remove, .8, 1e-7};
  std::vector<ClassLoad> loads;
  for (int k = 0; k < 40; ++k) {
    const double count = 60 * std::pow(1.04, k);
    loads.push_back({8 / count, 50 + static_cast<std::int64_t>(count / 3)});  // proportional
  }
  const std::vector<double> z = row_noise(target, loads);
  for (std::size_t k = 0; k < loads.size(); k += 13) {
    EXPECT_TRUE(rows_keep(target, loads[k], z[k])) << k;
    EXPECT_FALSE(rows_keep(target, loads[k], z[k] * .97)) << k;
  }
  std::vector<ClassLoad> backwards(loads.rbegin(), loads.rend());
  std::vector<double> again = row_noise(target, backwards);
  std::ranges::reverse(again);
  EXPECT_EQ(again, z);
}

// Where epsilon and delta are all that is to be kept: the figures of the PLD reference for 10
// classes of 6000 records and rows, delta 1e-5, up to half a percent.
TEST(CdaAccountant, ReachesTheLeastNoiseForEpsilonAndDelta) {
  struct Cell {
    double epsilon;
    int mix;
    double least, most;
  };
  for (const Cell& cell :
       {Cell{10, 4, .0962, .0965}, Cell{10, 64, .01145, .0116}, Cell{1, 4, .1625, .164}}) {
    const double delta = 1e-5;
    RowTarget target = {Adjacency::add_remove, gdp_mu(cell.epsilon, delta), delta / 16};
    target.only = {{{cell.epsilon, delta}, {cell.epsilon, delta}}};
    const std::array<ClassLoad, 1> load = {{{cell.mix / 6000., 6000}}};
    const double sigma = row_noise(target, load)[0] / cell.mix;
    EXPECT_GE(sigma, cell.least) << cell.epsilon << " " << cell.mix;
    EXPECT_LE(sigma, cell.most) << cell.epsilon << " " << cell.mix;
  }
}

// A label that moves a record from class a to class b: seen by one class's rows as one more, by the
// other's as one less.
TEST(CdaAccountant, LabelKeepsTheTargetInAllPairsOfClasses) {
  const double epsilon = 2, delta = 1e-6, slack = delta / 16;
  const RowTarget target = {Adjacency::label, gdp_mu(epsilon, delta - slack), slack};
  const std::vector<ClassLoad> loads = {{1, 50}, {.1, 400}, {.01, 2000}};
  const std::vector<double> z = row_noise(target, loads);
  RowTarget other = target;
  other.adjacency = Adjacency::replace;
  const std::vector<double> more = row_noise(other, loads);
  for (std::size_t a = 0; a < loads.size(); ++a) {
    EXPECT_LT(z[a], more[a]);
    for (std::size_t b = 0; b < loads.size(); ++b) {
      if (a == b) continue;
      LossComposition rows;
      rows.add(loss_of_subsampled_gaussian(loads[a].rate, 1 / z[a], Direction::with_record, 0x1p-11,
                                           1e-15),
               loads[a].rows);
      rows.add(loss_of_subsampled_gaussian(loads[b].rate, 1 / z[b], Direction::without_record,
                                           0x1p-11, 1e-15),
               loads[b].rows);
      const double reached = rows.epsilon(delta);
      EXPECT_LE(reached, epsilon * 1.005) << a << " " << b;  // this grid is coarser
      EXPECT_GT(reached, epsilon * .9) << a << " " << b;
    }
  }
}

// A record that leaves class a and joins class b is seen in both; within a class two opposite
// records take turns.
TEST(CdaAccountant, ReplaceKeepsTheTargetInAllPairsOfClasses) {
  const double epsilon = 2, delta = 1e-6, slack = delta / 4;
  const RowTarget target = {Adjacency::replace, gdp_mu(epsilon, delta - slack), slack};
  const std::vector<ClassLoad> loads = {{1, 50}, {.1, 400}, {.01, 2000}};
  const std::vector<double> z = row_noise(target, loads);
  const RowTarget single = {Adjacency::add_remove, target.mu, slack};
  const std::vector<double> less = row_noise(single, loads);
  const double step = 0x1p-11, tail = 1e-15;
  for (std::size_t a = 0; a < loads.size(); ++a) {
    EXPECT_GT(z[a], less[a]);
    for (std::size_t b = 0; b < loads.size(); ++b) {
      LossComposition rows;
      if (a == b) {
        rows.add(loss_of_replaced_gaussian(loads[a].rate, 1 / z[a], step, tail), loads[a].rows);
      } else {
        rows.add(loss_of_subsampled_gaussian(loads[a].rate, 1 / z[a], Direction::with_record, step,
                                             tail),
                 loads[a].rows);
        rows.add(loss_of_subsampled_gaussian(loads[b].rate, 1 / z[b], Direction::without_record,
                                             step, tail),
                 loads[b].rows);
      }
      const double reached = rows.epsilon(delta);
      EXPECT_LE(reached, epsilon * 1.005) << a << " " << b;  // this grid is coarser
      EXPECT_GT(reached, a == b ? epsilon * .9 : 0) << a;
    }
  }
}

// Among them those of which one class alone decides, in class or across classes: each has its own
// bound, and the noise is the larger of the two.
TEST(CdaAccountant, ReplaceTakesTheLargerOfTheNoiseWithinAndAcrossClasses) {
  const RowTarget target = {Adjacency::replace, .8, 1e-7}, label = {Adjacency::label, .8, 1e-7};
  for (const ClassLoad& load : {ClassLoad{.002, 500}, ClassLoad{.06, 500}, ClassLoad{.3, 500}}) {
    const double z = row_noise(target, {&load, 1})[0], across = row_noise(label, {&load, 1})[0];
    const auto within = [&](double multiplier) {
      LossComposition rows;
      rows.add(loss_of_replaced_gaussian(load.rate, 1 / multiplier, 0x1p-11, 1e-16), load.rows);
      return rows.dominated(target.mu, target.slack);
    };
    EXPECT_GE(z, across * .997) << load.rate;
    EXPECT_TRUE(within(z * 1.005)) << load.rate;
    EXPECT_TRUE(!within(z * .97) || z < across * 1.005) << load.rate;
    EXPECT_EQ(z > across * 1.05, load.rate > .01) << load.rate;
  }
}

// A class that is alone: no record changes its class, so that bound is not asked for.
TEST(CdaAccountant, OneClassNeedsTheNoiseWithinIt) {
  RowTarget both = {Adjacency::replace, .8, 1e-7}, alone = both;
  alone.one_class = true;
  for (const ClassLoad& load : {ClassLoad{.002, 500}, ClassLoad{.06, 500}, ClassLoad{.3, 500}}) {
    const double z = row_noise(alone, {&load, 1})[0], most = row_noise(both, {&load, 1})[0];
    const auto within = [&](double multiplier) {
      LossComposition rows;
      rows.add(loss_of_replaced_gaussian(load.rate, 1 / multiplier, 0x1p-11, 1e-16), load.rows);
      return rows.dominated(alone.mu, alone.slack);
    };
    EXPECT_LE(z, most * 1.003) << load.rate;
    EXPECT_EQ(z < most * .93, load.rate < .01) << load.rate << " " << z / most;
    EXPECT_TRUE(within(z * 1.005)) << load.rate;
    EXPECT_FALSE(within(z * .97)) << load.rate;
  }
}

TEST(CdaPlan, OneClassUnderReplaceChangesOneCount) {
  CdaRequest r = request();
  r.adjacency = Adjacency::replace;
  const CdaPlan three = plan_cda(r);
  r.classes = 1;
  const CdaPlan one = plan_cda(r);
  EXPECT_FALSE(three.rows.one_class);
  EXPECT_TRUE(one.rows.one_class);
  EXPECT_TRUE(one.rows.only);  // under basic
  EXPECT_NEAR(one.count_rate, std::sqrt(2.) * three.count_rate, 1e-9);
  r.adjacency = Adjacency::label;
  EXPECT_FALSE(plan_cda(r).rows.one_class);
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

}  // namespace
}  // namespace dpmix
