// Would falsify docs/proofs/gmm_staged.md: neighbouring tables, through the very integers that each
// stage releases, never differ by more than its share of mu; and what comes out is always a
// mixture.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>

#include "core/release/gmm_clip.hpp"
#include "core/release/gmm_pool.hpp"
#include "core/release/gmm_staged.hpp"
#include "gmm_tables.hpp"
#include "gmm_valid.hpp"

namespace dpmix::test {
namespace {

// In deviations of each number's own noise.
double distance(const MomentTotals& a, const MomentTotals& b, const StagedGmm& staged,
                int features) {
  double sum = 0;
  const auto add = [&](Int128 difference, double sigma) {
    if (sigma > 0) sum += std::pow(static_cast<double>(difference) / sigma, 2);
  };
  const auto d = static_cast<std::size_t>(features);
  for (std::size_t k = 0; k < a.classes.size(); ++k) {
    const MomentNoise& noise = staged.noise()[k];
    add(a.classes[k].count - b.classes[k].count, noise.count);
    std::size_t at = 0;
    for (std::size_t i = 0; i < d; ++i) {
      add(a.classes[k].sums[i] - b.classes[k].sums[i], noise.sum);
      for (std::size_t j = i; j < d; ++j, ++at) {
        add(a.classes[k].products[at] - b.classes[k].products[at],
            i == j ? noise.square : noise.product);
      }
    }
  }
  return std::sqrt(sum);
}

double distance(const BinCounts& a, const BinCounts& b, const StagedGmm& staged) {
  double sum = 0;
  for (std::size_t i = 0; i < a.counts.size(); ++i) {
    sum += std::pow(static_cast<double>(a.counts[i] - b.counts[i]), 2);
  }
  return std::sqrt(sum) / staged.distance_noise();
}

// Along one feature from where the stage sees a class: the farthest of all where only squares
// count.
std::vector<double> axis_row(std::mt19937_64& random, const Table& table,
                             const MomentFrame& frame) {
  std::vector<double> x = frame.classes[random() % frame.classes.size()].centre;
  const std::size_t i = random() % x.size();
  x[i] = random() % 2 ? table.lower[i] : table.upper[i];
  return x;
}

class StagedGmmSensitivity : public testing::TestWithParam<Adjacency> {};

TEST_P(StagedGmmSensitivity, NeighboursStayWithinTheStagesShare) {
  const Adjacency adjacency = GetParam();
  std::mt19937_64 random(31);
  constexpr double mu = .7;
  std::array<double, StagedGmm::stages> nearest{};
  for (const int d : {1, 2, 3, 8, 20}) {
    for (const CovarianceShape shape : {CovarianceShape::full, CovarianceShape::diagonal}) {
      Table table = simulated_table(random, 3, d, 600);
      StagedGmm staged(request_of(table, mu, adjacency, shape));
      RandomStream stream(key_of(random()));
      double square = 0;
      for (int stage = 0; const auto pass = staged.next(); ++stage) {
        const double bound = staged.stage_mu();
        square += bound * bound;
        // Sums are additive over rows, so the rest of the table cancels.
        const auto move = [&](const Table& one, const Table& other) {
          const PassStatistics a = exact_statistics(one, *pass), b = exact_statistics(other, *pass);
          if (pass->kind == PassKind::class_distances) {
            return distance(std::get<BinCounts>(a), std::get<BinCounts>(b), staged);
          }
          return distance(std::get<MomentTotals>(a), std::get<MomentTotals>(b), staged, d);
        };
        double farthest = 0;
        for (int trial = 0; trial < 300; ++trial) {
          Table one = table, other = table;
          const auto row = [&] {
            return random() % 2 ? awkward_row(random, table) : axis_row(random, table, pass->frame);
          };
          one.row = {row()};
          one.label = {static_cast<int>(random() % 3)};
          other.row = {adjacency == Adjacency::label ? one.row[0] : row()};
          other.label = {static_cast<int>(random() % 3)};
          if (adjacency == Adjacency::add_remove) other.row.clear(), other.label.clear();
          const double far = move(one, other);
          ASSERT_LE(far, bound) << "d = " << d << ", stage " << stage;
          farthest = std::max(farthest, far);
        }
        auto& most = nearest[static_cast<std::size_t>(stage)];
        most = std::max(most, farthest / bound);
        staged.take(stream, exact_statistics(table, *pass));
      }
      EXPECT_LE(square, mu * mu * (1 + 1e-12));
    }
  }
  // Nor is the noise of any stage larger than it must be.
  for (const double most : nearest) EXPECT_GT(most, .99);
}

INSTANTIATE_TEST_SUITE_P(Adjacencies, StagedGmmSensitivity,
                         testing::Values(Adjacency::add_remove, Adjacency::replace,
                                         Adjacency::label),
                         [](const auto& info) { return std::string(name(info.param)); });

// Whatever rows hold, a valid mixture and no error.
TEST(StagedGmm, AnyTableGivesAMixture) {
  std::mt19937_64 random(5);
  const auto try_all = [&](Table table, const char* what) {
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      for (const CovarianceShape shape : {CovarianceShape::full, CovarianceShape::diagonal}) {
        for (const double mu : {.01, .5, 20.}) {
          SCOPED_TRACE(what);
          const GmmRequest request = request_of(table, mu, adjacency, shape);
          for (const auto objective : {GmmObjective::balanced, GmmObjective::forward_kl}) {
            expect_valid(release(request, table, random(), objective).mixture, table);
          }
        }
      }
    }
  };
  Table table{3, 3, {0, -1e-6, 5}, {1, 1e-6, 1e9}, {}, {}};
  try_all(table, "no rows");
  table.row = {{.5, 0, 7}};
  table.label = {1};
  try_all(table, "one row");
  for (int i = 0; i < 500; ++i) table.row.push_back({.25, 1e-7, 100}), table.label.push_back(2);
  try_all(table, "constant features");
  for (int i = 0; i < 500; ++i) {
    const double x = std::uniform_real_distribution<double>(0, 1)(random);
    table.row.push_back({x, 2e-6 * x - 1e-6, 1e9 * x}), table.label.push_back(0);
  }
  try_all(table, "collinear features");
  for (int i = 0; i < 300; ++i)
    table.row.push_back({HUGE_VAL, -HUGE_VAL, NAN}), table.label.push_back(0);
  for (int i = 0; i < 300; ++i) table.row.push_back({1e300, -5, 2}), table.label.push_back(1);
  try_all(table, "outside of the bounds and missing");
  Table wide{40, 2, std::vector<double>(40, -1), std::vector<double>(40, 1), {}, {}};
  for (int i = 0; i < 20; ++i) {
    wide.row.push_back(awkward_row(random, wide));
    wide.label.push_back(i % 2);
  }
  try_all(wide, "more features than rows");
  Table single{1, 1, {0}, {10}, {}, {}};
  for (int i = 0; i < 100; ++i) single.row.push_back({i / 10.}), single.label.push_back(0);
  try_all(single, "one feature, one class");
}

// Almost no noise: the plain fit, but for what clipping to a ball leaves of tails.
TEST(StagedGmm, FindsTheTruthWithoutNoise) {
  std::mt19937_64 random(9);
  for (const int d : {1, 3, 8}) {
    const Table table = simulated_table(random, 3, d, 20000);
    const GmmFit fit = release(request_of(table, 1e4), table, 1);
    EXPECT_LT(gmm_kl(fit.mixture, plain_fit(table), {0, 1, 2}), 1e-4);
  }
}

// Features of very unlike widths, in no order: a diagonal frame must not confuse them.
TEST(StagedGmm, FindsDiagonalTruthWithoutNoise) {
  std::mt19937_64 random(10);
  std::normal_distribution<double> normal;
  const std::vector<double> width = {3, .1, 1, .3, 2};
  Table table{5, 2, std::vector<double>(5, -20), std::vector<double>(5, 20), {}, {}};
  for (int n = 0; n < 10000; ++n) {
    std::vector<double> x;
    for (std::size_t i = 0; i < 5; ++i) {
      x.push_back(n % 2 ? 5 + width[i] * normal(random) : width[4 - i] * normal(random) - 5);
    }
    table.row.push_back(x);
    table.label.push_back(n % 2);
  }
  const GmmFit fit =
      release(request_of(table, 1e4, Adjacency::add_remove, CovarianceShape::diagonal), table, 1);
  EXPECT_LT(gmm_kl(fit.mixture, plain_fit(table), {0, 1}), .005);
}

// Against the radial integral.
TEST(GmmClip, MomentsOfClippedNormals) {
  for (const int d : {1, 2, 3, 10, 100}) {
    for (const double share : {.1, .5, .8, .99}) {
      const double r = radius_of(d, share);
      double mass = 0, variance = 0, slope = 0, total = 0;
      constexpr int steps = 200000;
      const double top = std::sqrt(d) + 12, h = top / steps;
      for (int i = 0; i < steps; ++i) {
        const double x = (i + .5) * h;
        const double density =
            std::exp((d - 1) * std::log(x) - x * x / 2 - (d - 1) * std::log(std::sqrt(d)) + d / 2.);
        total += density;
        if (x <= r) mass += density;
        variance += density * std::min(x * x, r * r) / d;
        slope += density * (x <= r ? 1 : r / x * (d - 1) / d);
      }
      EXPECT_NEAR(mass / total, share, 1e-4);
      EXPECT_NEAR(clipped_variance(d, r), variance / total, 1e-4);
      EXPECT_NEAR(clipped_slope(d, r), slope / total, 1e-4);
    }
  }
}

TEST(GmmClip, WeightsAreNormalisedAndBest) {
  for (const int d : {1, 3, 30}) {
    for (const double r : {.5, 2., 7.}) {
      const MomentWeights w = moment_weights(d, r);
      const double a = w.count * w.count, b = w.sum * w.sum * r * r,
                   c = w.square * w.square * std::pow(r, 4);
      EXPECT_NEAR(a + b + c, 1, 1e-12);
      const auto cost = [&](double x, double y, double z) {
        return (.5 + d / 4.) / x + d / 2. * r * r / y + d * (d + 1) / 8. * std::pow(r, 4) / z;
      };
      EXPECT_NEAR(cost(a, b, c), w.cost, 1e-9 * w.cost);
      EXPECT_GT(cost(a + 1e-3, b - 1e-3, c), w.cost);
      EXPECT_GT(cost(a - 1e-3, b, c + 1e-3), w.cost);
    }
  }
}

TEST(GmmPool, NoiseDecidesHowFar) {
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(2, 2);
  Eigen::MatrixXd a = unit, b = unit;
  a(0, 0) = 3, b(0, 0) = .5, b(1, 0) = b(0, 1) = .2;
  std::vector<NoisyCovariance> sure = {{unit, a, 1e-6}, {unit, b, 1e-6}};
  pool(sure);
  EXPECT_TRUE(sure[0].covariance.isApprox(a, 1e-3));
  EXPECT_TRUE(sure[1].covariance.isApprox(b, 1e-3));
  std::vector<NoisyCovariance> vague = {{unit, a, 50}, {unit, b, 50}};
  pool(vague);
  EXPECT_TRUE(vague[0].covariance.isApprox(vague[1].covariance, .05));
  EXPECT_LT(vague[0].noise, 50);
  std::vector<NoisyCovariance> alone = {{unit, a, 50}};
  pool(alone);
  EXPECT_EQ(alone[0].covariance, a);
}

}  // namespace
}  // namespace dpmix::test
