#include "core/synthetic/cda_epsilon.hpp"

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "unit/synthetic/row_noise_totals.hpp"

namespace dpmix::test {
namespace {

MixedRows rows_of(std::int64_t class_rows, std::int64_t mix, std::int64_t rows, double scale,
                  Adjacency adjacency = Adjacency::add_remove,
                  CdaSampler sampler = CdaSampler::poisson) {
  return {class_rows, mix, rows, 1, scale, adjacency, sampler};
}

double by_losses(const MixedRows& rows, double delta) {
  return cda_epsilon(rows, delta, CdaAccountant::pld);
}

// A few seconds with sanitizers for some of them; DPMIX_SOAK=1 looks at all.
TEST(CdaEpsilon, AgreesWithAnIndependentAccountantAndIsNeverBelowIt) {
  const std::size_t every = std::getenv("DPMIX_SOAK") == nullptr ? 13 : 1;
  for (std::size_t i = 0; i < std::size(kCdaTotals); i += every) {
    const CdaTotal& total = kCdaTotals[i];
    const double epsilon = by_losses(total.rows, total.below);
    const std::string where = std::to_string(i) + ": " + std::to_string(epsilon / total.epsilon);
    EXPECT_GE(epsilon, total.epsilon * (1 - 1e-12)) << where;
    // The two bounds on delta are within a thousandth: nothing of the .005.
    EXPECT_LE(epsilon, total.epsilon * 1.005) << where;
  }
}

TEST(CdaEpsilon, NoiseThatIsEnough) {
  EXPECT_LE(by_losses(rows_of(6000, 4, 6000, .0965), 1e-5), 10);
  EXPECT_LE(by_losses(rows_of(6000, 64, 6000, .0116), 1e-5), 10);
  EXPECT_LE(by_losses(rows_of(6000, 512, 6000, .00663), 1e-5), 10);
  // Half the noise of sampling without replacement.
  EXPECT_GT(by_losses(rows_of(6000, 4, 6000, .0965, Adjacency::add_remove,
                              CdaSampler::without_replacement),
                      1e-5),
            40);
  if (std::getenv("DPMIX_SOAK") == nullptr) return;
  EXPECT_LE(by_losses(rows_of(6000, 4, 6000, .164), 1e-5), 1);
}

TEST(CdaEpsilon, RowsOfWholeClassesAreGaussianNoise) {
  // Every record joins: 100 means of all, shift 1/(400 * .03).
  const double mu = 10 / (400 * .03);
  const auto near = [](double epsilon, double mu) {
    EXPECT_LE(gdp_delta(epsilon, mu), 1e-6);
    EXPECT_GE(gdp_delta(epsilon * (1 - 1e-9), mu), 1e-6 * (1 - 1e-6));
  };
  near(by_losses(rows_of(300, 400, 100, .03), 1e-6), mu);
  near(by_losses(rows_of(400, 400, 100, .03, Adjacency::replace), 1e-6), 2 * mu);
  near(by_losses(rows_of(1, 400, 100, .03, Adjacency::label), 1e-6), mu * std::sqrt(2.0));
}

TEST(CdaEpsilon, GrowsWithWhatIsShown) {
  for (const CdaSampler sampler : {CdaSampler::poisson, CdaSampler::without_replacement}) {
    for (const Adjacency adjacency :
         {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
      const MixedRows rows = rows_of(100, 30, 5, .1, adjacency, sampler);
      const double epsilon = by_losses(rows, 1e-5);
      const auto grows = [&](auto change) {
        MixedRows more = rows;
        change(more);
        EXPECT_GT(by_losses(more, 1e-5), epsilon);
      };
      grows([](MixedRows& more) { more.rows = 10; });
      grows([](MixedRows& more) { more.class_rows = 60; });
      grows([](MixedRows& more) { more.clip = 1.3; });
      grows([](MixedRows& more) { more.scale = .08; });
      EXPECT_GT(by_losses(rows, 1e-6), epsilon);
      EXPECT_GT(cda_epsilon(rows, 1e-5, CdaAccountant::rdp), epsilon);
      // Units of the features do not matter.
      MixedRows scaled = rows;
      scaled.clip *= 0x1p20;
      scaled.scale *= 0x1p20;
      EXPECT_EQ(by_losses(scaled, 1e-5), epsilon);
    }
  }
}

TEST(CdaEpsilon, ManyOrFewRowsAndMuchOrLittleNoise) {
  const auto sane = [](double epsilon) {
    EXPECT_GE(epsilon, 0);
    EXPECT_LT(epsilon, 1e13);
  };
  sane(by_losses(rows_of(std::int64_t{1} << 53, 1, 1 << 30, .05), 1e-20));
  sane(by_losses(rows_of(2, 1, 1 << 30, 1 / 29.9, Adjacency::replace), 1e-20));
  sane(by_losses(
      rows_of(2, 1, 1 << 30, 1 / 29.9, Adjacency::replace, CdaSampler::without_replacement), .5));
  sane(by_losses(rows_of(1000, 7, 1, 1e100, Adjacency::replace), 1e-20));
  EXPECT_EQ(by_losses(rows_of(1000, 7, 1, 1000), .1), 0);
}

// Values of the formula by a sum in 400 decimal digits.
TEST(CdaEpsilon, PublishedTheorem) {
  const auto published = [](std::int64_t records, std::int64_t mix, double scale, double delta) {
    return cda_epsilon(rows_of(records, mix, records, scale), delta, CdaAccountant::published);
  };
  EXPECT_NEAR(published(60000, 1, .961, 1e-5), 9.956560002691237, 1e-9);
  EXPECT_NEAR(published(60000, 4, .266, 1e-5), 9.951364470427814, 1e-9);
  EXPECT_NEAR(published(60000, 512, .0119, 1e-5), 10.004934939359797, 1e-9);
  EXPECT_NEAR(published(60000, 64, .102, 1e-5), 0.9995764883732715, 1e-9);
  // Over the whole table it claims 10 for rows of a class of 600 that cost more than 100.
  const double claimed =
      cda_epsilon(rows_of(60000, 64, 60000, .0237), 1e-5, CdaAccountant::published);
  EXPECT_LT(claimed, 10);
  EXPECT_GT(by_losses(rows_of(600, 64, 6000, .0237, Adjacency::add_remove,
                              CdaSampler::without_replacement),
                      1e-5),
            100);
}

// An epsilon far below one row's losses asks for no finer grid than these can have.
TEST(CdaEpsilon, LittleEpsilonOfLargeLosses) {
  const MixedRows rows = rows_of(7373094, 210, 31, 0.0040295995587648001);
  const double bound = cda_epsilon(rows, 0.076234301443567506, CdaAccountant::rdp);
  const double epsilon = by_losses(rows, 0.076234301443567506);
  EXPECT_GE(epsilon, 0);
  EXPECT_LE(epsilon, bound);
}

// However little noise: it ends, and says more for less.
TEST(CdaEpsilon, PublishedTheoremWithoutNoiseToSpeakOf) {
  double before = 0;
  for (const double scale : {1e-1, 1e-2, 1e-3, 1e-6, 1e-12, 1e-20, 1e-40, 1e-150}) {
    const double here = cda_epsilon(rows_of(1000, 4, 1000, scale), 1e-5, CdaAccountant::published);
    EXPECT_GT(here, before) << scale;
    EXPECT_LT(here, HUGE_VAL) << scale;
    before = here;
  }
}

TEST(CdaEpsilon, RefusesWhatIsOutOfRange) {
  const MixedRows good = rows_of(6000, 4, 6000, .1);
  const auto refused = [&](auto change, double delta = 1e-5) {
    MixedRows bad = good;
    change(bad);
    for (const CdaAccountant accountant :
         {CdaAccountant::pld, CdaAccountant::rdp, CdaAccountant::published}) {
      EXPECT_THROW(cda_epsilon(bad, delta, accountant), Error);
    }
  };
  const auto same = [](MixedRows&) {};
  refused([](MixedRows& bad) { bad.class_rows = 0; });
  refused([](MixedRows& bad) { bad.class_rows = (std::int64_t{1} << 53) + 1; });
  refused([](MixedRows& bad) { bad.mix = 0; });
  refused([](MixedRows& bad) { bad.rows = 0; });
  refused([](MixedRows& bad) { bad.rows = (1 << 30) + 1; });
  refused([](MixedRows& bad) { bad.clip = 0; });
  refused([](MixedRows& bad) { bad.clip = std::nan(""); });
  refused([](MixedRows& bad) { bad.scale = -1; });
  refused([](MixedRows& bad) { bad.scale = HUGE_VAL; });
  refused([](MixedRows& bad) {
    bad.sampler = CdaSampler::without_replacement;
    bad.mix = 6000;
  });
  refused(same, 0);
  refused(same, .6);
  refused(same, std::nan(""));
  MixedRows loud = good;
  loud.scale = .008;
  EXPECT_THROW(by_losses(loud, 1e-5), Error);
  EXPECT_GT(cda_epsilon(loud, 1e-5, CdaAccountant::rdp), 100);
}

}  // namespace
}  // namespace dpmix::test
