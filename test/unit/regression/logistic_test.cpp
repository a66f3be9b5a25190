// Logistic regressions: weights in whole numbers, and coefficients where there is hardly any noise.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "core/base/error.hpp"
#include "tables/logistic_tables.hpp"

namespace dpmix::test {
namespace {

using Rows = std::vector<std::vector<double>>;

Design design_of_two() {
  Design design;
  design.terms = {number_term(0, 10), category_term(3), power_term(0, 2)};
  return design;
}

// Whose log-odds are linear in number, category and square.
Rows drawn_rows(std::size_t count) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  Rows rows;
  while (rows.size() < count) {
    const double x = 10 * uniform(random), g = static_cast<double>(random() % 3);
    const double score = -1 + .8 * x - .09 * x * x + (g == 1 ? 1.5 : g == 2 ? -1 : 0);
    rows.push_back({x, g, uniform(random) < 1 / (1 + std::exp(-score)) ? 1. : 0.});
  }
  return rows;
}

LogisticPlan plan_at(const Design& design, double epsilon,
                     ProtectedPart part = ProtectedPart::row) {
  const bool row = part == ProtectedPart::row;
  return plan_logistic({.norm2 = design.norm2(),
                        .epsilon = epsilon,
                        .delta = 1e-6,
                        .adjacency = row ? Adjacency::add_remove : Adjacency::label,
                        .part = part},
                       design.frame(1));
}

LogisticFit release(const Design& design, const Rows& rows, const LogisticPlan& plan,
                    std::uint8_t seed = 1) {
  RandomStream random(RandomStream::Key{seed});
  return logistic_release(random, totals_of(design, 1, rows), coded_rows(design, rows), plan);
}

// Maximum likelihood in the columns' units, by Newton's steps: estimates, then their deviations.
std::pair<Vector, Vector> exact_fit(const Rows& rows) {
  Vector b = Vector::Zero(5);
  Matrix information;
  for (int step = 0; step < 30; ++step) {
    Vector gradient = Vector::Zero(5);
    information = Matrix::Zero(5, 5);
    for (const std::vector<double>& r : rows) {
      Vector x(5);
      x << 1, r[0], r[1] == 1, r[1] == 2, r[0] * r[0];
      const double p = 1 / (1 + std::exp(-b.dot(x)));
      gradient += (r[2] - p) * x;
      information += p * (1 - p) * x * x.transpose();
    }
    b += information.ldlt().solve(gradient);
  }
  return {b, information.ldlt().solve(Matrix::Identity(5, 5)).diagonal().cwiseSqrt()};
}

TEST(LogisticWeights, AreProbabilities) {
  for (double score = -20; score < 20; score += .00317) {
    const LogisticWeights weights = logistic_weights(std::floor(score * 0x1p36));
    const double p = 1 / (1 + std::exp(-score));
    EXPECT_NEAR(static_cast<double>(weights.probability) * 0x1p-20, p, 3e-6);
    EXPECT_NEAR(static_cast<double>(weights.information) * 0x1p-20, 2 * std::sqrt(p * (1 - p)),
                2e-3);
    EXPECT_LE(weights.information * weights.information,
              4 * weights.probability * (LogisticWeights::one - weights.probability));
    EXPECT_LE(weights.information, LogisticWeights::one);
  }
  EXPECT_EQ(logistic_weights(0).probability, LogisticWeights::one / 2);
  EXPECT_EQ(logistic_weights(-0x1p52).probability, 0);
  EXPECT_EQ(logistic_weights(0x1p52).probability, LogisticWeights::one);
}

TEST(LogisticFit, IsMaximumLikelihoodWithoutNoise) {
  const Design design = design_of_two();
  const Rows rows = drawn_rows(20000);
  const auto [b, deviation] = exact_fit(rows);
  for (const ProtectedPart part : {ProtectedPart::row, ProtectedPart::target}) {
    Design kept = design;
    kept.keeps_missing_target = part == ProtectedPart::target;
    const LinearFit fit = release(kept, rows, plan_at(kept, 1e7, part)).result();
    ASSERT_TRUE(fit.has_intervals());
    const auto found = coefficients_of(fit, kept, RegressionKind::logistic);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto n = static_cast<Eigen::Index>(i);
      EXPECT_NEAR(found[i].estimate, b[n], .02 * deviation[n]) << i;
      EXPECT_NEAR(found[i].stddev, deviation[n], .01 * deviation[n]) << i;
      EXPECT_LE(std::fabs(found[i].estimate - b[n]), 3 * found[i].noise_stddev) << i;
    }
  }
}

// Errors of noisy coefficients are as large as they are said to be.
TEST(LogisticFit, NoiseIsAsLargeAsItSays) {
  Design design = design_of_two();
  const Rows rows = drawn_rows(20000);
  const Vector b = exact_fit(rows).first;
  for (const ProtectedPart part : {ProtectedPart::row, ProtectedPart::target}) {
    design.keeps_missing_target = part == ProtectedPart::target;
    const LogisticPlan plan = plan_at(design, 2, part);
    Vector squares = Vector::Zero(5);
    constexpr int runs = 60;
    for (int run = 0; run < runs; ++run) {
      const LinearFit fit =
          release(design, rows, plan, static_cast<std::uint8_t>(run + 1)).result();
      ASSERT_TRUE(fit.has_intervals());
      const auto noisy = coefficients_of(fit, design, RegressionKind::logistic);
      for (int i = 0; i < 5; ++i) {
        const Coefficient& c = noisy[static_cast<std::size_t>(i)];
        squares[i] += std::pow((c.estimate - b[i]) / c.noise_stddev, 2) / runs;
        EXPECT_GT(c.stddev, c.noise_stddev);
      }
    }
    for (int i = 0; i < 5; ++i) {  // a chi-squared of 60 degrees over 60
      EXPECT_GT(squares[i], .3);
      EXPECT_LT(squares[i], 2.3);
    }
  }
}

TEST(LogisticFit, NoIntervalsWhereNoiseHidesOrTermsAreCollinear) {
  const Design design = design_of_two();
  const Rows rows = drawn_rows(2000);
  EXPECT_FALSE(release(design, rows, plan_at(design, .1)).result().has_intervals());
  EXPECT_FALSE(release(design, {}, plan_at(design, 1)).result().has_intervals());
  EXPECT_TRUE(release(design, {}, plan_at(design, 1)).result().coefficients.allFinite());
  Design twice = design;
  twice.terms.insert(twice.terms.begin(), number_term(0, 10));
  twice.terms.back().base = 1;
  twice.keeps_missing_target = true;
  Rows doubled = rows;
  for (std::vector<double>& row : doubled) row.insert(row.begin(), row[0]);
  for (const ProtectedPart part : {ProtectedPart::row, ProtectedPart::target}) {
    const LinearFit fit = release(twice, doubled, plan_at(twice, 10, part)).result();
    EXPECT_TRUE(fit.coefficients.allFinite());
    if (part == ProtectedPart::target) {
      EXPECT_FALSE(fit.has_intervals());
    }
  }
}

// All rows on one side: coefficients stay finite, and nothing is said of their errors.
TEST(LogisticFit, SeparatedRows) {
  const Design design = design_of_two();
  Rows rows = drawn_rows(5000);
  for (std::vector<double>& row : rows) row[2] = row[0] > 5 ? 1 : 0;
  const LinearFit separated = release(design, rows, plan_at(design, 100)).result();
  EXPECT_TRUE(separated.coefficients.allFinite());
  for (std::vector<double>& row : rows) row[2] = 1;
  EXPECT_TRUE(release(design, rows, plan_at(design, 100)).result().coefficients.allFinite());
}

TEST(LogisticFrame, PacksAndRefuses) {
  const Design design = design_of_two();
  const LogisticFit fit = release(design, drawn_rows(1000), plan_at(design, 1));
  const LogisticFrame frame = frame_of({fit, fit}, 5);
  const LogisticFrame back = LogisticFrame::unpack(frame.pack());
  EXPECT_EQ(back.pack(), frame.pack());
  for (const double b : {.5, 0x1p27, std::numeric_limits<double>::quiet_NaN()}) {
    LogisticFrame bad = frame;
    bad.coefficients[3] = b;
    EXPECT_THROW(LogisticFrame::unpack(bad.pack()), Error);
  }
  std::vector<double> packed = frame.pack();
  packed.pop_back();
  EXPECT_THROW(LogisticFrame::unpack(packed), Error);
  EXPECT_THROW(plan_logistic({.norm2 = 1, .epsilon = 1, .delta = 0}, design.frame(1)), Error);
}

TEST(RegressionModel, PredictsLogOdds) {
  const Design design = design_of_two();
  const Rows rows = drawn_rows(3000);
  RegressionModel model{design, {}, RegressionKind::logistic};
  model.add(release(design, rows, plan_at(design, 10)).result());
  const RegressionModel back = RegressionModel::unpack(model.pack());
  EXPECT_EQ(back.kind, RegressionKind::logistic);
  const auto& c = back.classes[0].coefficients;
  for (const std::vector<double>& r : rows) {
    const double score = c[0].estimate + c[1].estimate * r[0] + (r[1] == 1 ? c[2].estimate : 0) +
                         (r[1] == 2 ? c[3].estimate : 0) + c[4].estimate * r[0] * r[0];
    EXPECT_NEAR(back.predict(0, r.data()), score, 1e-9);
  }
}

}  // namespace
}  // namespace dpmix::test
