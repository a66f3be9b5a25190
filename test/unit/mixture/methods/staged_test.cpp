// Would falsify docs/proofs/mixture_staged.md: neighbouring tables, through the very integers that
// each stage releases, never differ by more than its share of mu; and what comes out is always a
// mixture.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/base/error.hpp"
#include "core/mixture/divergence.hpp"
#include "core/mixture/fit/clip.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/pool.hpp"
#include "core/mixture/methods/staged.hpp"
#include "core/mixture/methods/staged_shares.hpp"
#include "core/mixture/methods/start.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "tables/mixture_distance.hpp"
#include "tables/mixture_tables.hpp"
#include "tables/mixture_valid.hpp"
#include "tables/shape_tables.hpp"

namespace dpmix::test {
namespace {

// nullopt: picked on the way.
constexpr std::optional<CovarianceShape> kShapes[] = {
    CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared, std::nullopt};

// What neighbours let the stage's own statistics differ by.
double moved(const Table& one, const Table& other, const Pass& pass, const StagedGmm& staged) {
  const PassStatistics a = exact_statistics(one, pass), b = exact_statistics(other, pass);
  if (pass.kind == PassKind::class_distances) {
    return distance(std::get<BinCounts>(a), std::get<BinCounts>(b), staged.distance_noise());
  }
  return distance(std::get<MomentTotals>(a), std::get<MomentTotals>(b), staged.noise());
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
  std::vector<double> nearest;
  for (const int d : {1, 2, 3, 8, 20}) {
    for (const auto shape : kShapes) {
      Table table = simulated_table(random, 3, d, 600);
      StagedGmm staged(request_of(table, mu, adjacency, shape));
      RandomStream stream(key_of(random()));
      double square = 0;
      for (int stage = 0; const auto pass = staged.next(); ++stage) {
        const double bound = staged.stage_mu();
        square += bound * bound;
        double farthest = 0;
        for (int trial = 0; trial < 200; ++trial) {
          Table one = table, other = table;
          const auto row = [&] {
            return random() % 2 ? awkward_row(random, table) : axis_row(random, table, pass->frame);
          };
          one.row = {row()};
          one.label = {static_cast<int>(random() % 3)};
          other.row = {adjacency == Adjacency::label ? one.row[0] : row()};
          other.label = {static_cast<int>(random() % 3)};
          if (adjacency == Adjacency::add_remove) other.row.clear(), other.label.clear();
          // Sums are additive over rows, so the rest of the table cancels.
          const double far = moved(one, other, *pass, staged);
          ASSERT_LE(far, bound) << "d = " << d << ", stage " << stage;
          farthest = std::max(farthest, far);
        }
        nearest.resize(std::max(nearest.size(), static_cast<std::size_t>(stage) + 1));
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

// The same in whole tables of random and awkward rows, so that additivity is not taken for granted:
// a class with hundreds of rows, with a few, with none but the one that differs.
TEST_P(StagedGmmSensitivity, WholeTablesStayWithinTheStagesShare) {
  const Adjacency adjacency = GetParam();
  std::mt19937_64 random(77);
  for (const int d : {1, 3, 6}) {
    Table table = simulated_table(random, 2, d, 200);
    table.classes = 4;
    for (int n = 0; n < 40; ++n) {
      table.row.push_back(awkward_row(random, table));
      table.label.push_back(static_cast<int>(random() % 3));
    }
    StagedGmm staged(request_of(table, .7, adjacency));
    RandomStream stream(key_of(random()));
    while (const auto pass = staged.next()) {
      for (int trial = 0; trial < 40; ++trial) {
        Table one = table, other = table;
        const std::size_t at = random() % table.row.size();
        const auto i = static_cast<std::ptrdiff_t>(at);
        if (trial % 4 == 0) one.label[at] = 3;
        other.label[at] = static_cast<int>(random() % 4);
        if (adjacency == Adjacency::replace) {
          other.row[at] =
              trial % 2 ? awkward_row(random, table) : axis_row(random, table, pass->frame);
        }
        if (adjacency == Adjacency::add_remove) {
          other.row.erase(other.row.begin() + i), other.label.erase(other.label.begin() + i);
        }
        ASSERT_LE(moved(one, other, *pass, staged), staged.stage_mu());
      }
      staged.take(stream, exact_statistics(table, *pass));
    }
  }
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
      for (const auto shape : kShapes) {
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

// Numbers at the ends of what a request may hold.
TEST(StagedGmm, ExtremeRequestsGiveAMixture) {
  std::mt19937_64 random(6);
  const auto try_all = [&](const Table& table, const char* what) {
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      for (const auto shape : kShapes) {
        for (const double mu : {1e-7, 1e-3, 1., 1e4}) {
          SCOPED_TRACE(std::string(what) + ", mu = " + std::to_string(mu));
          const GmmRequest request = request_of(table, mu, adjacency, shape);
          EXPECT_TRUE(std::isnormal(start_gmm(request)->count_stddev()));
          for (const auto objective : {GmmObjective::balanced, GmmObjective::forward_kl}) {
            expect_valid(release(request, table, random(), objective).mixture, table);
          }
        }
      }
    }
  };
  const Table many = simulated_table(random, 50, 2, 3000);
  try_all(many, "50 classes");
  Table some = many;
  some.row.resize(60), some.label.resize(60);
  try_all(some, "50 classes, 60 rows");
  const auto box = [&](double low, double high) {
    Table table{2, 2, {low, -1}, {high, 1}, {}, {}};
    for (int n = 0; n < 50; ++n) {
      table.row.push_back(awkward_row(random, table));
      table.label.push_back(n % 2);
    }
    return table;
  };
  try_all(box(-1e100, 1e100), "bounds 1e100 wide");
  try_all(box(0, 1e-100), "bounds 1e-100 wide");
  try_all(box(1e9, std::nextafter(1e9, 2e9)), "bounds one number wide");
  try_all(box(-1e119, 1e-119), "bounds 1e119 wide and off the centre");
  for (const auto& [low, high] : {std::pair{0., 5e-324}, {-1e-320, 1e-320}, {-1e300, 1e300}}) {
    try {
      start_gmm(request_of(box(low, high), 1));
      ADD_FAILURE() << low << ".." << high;
    } catch (const Error& error) {
      EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
    }
  }
}

// The deviation that is told before the charge is that of the rows that come out.
TEST(StagedGmm, CountNoiseIsKnownBeforehand) {
  std::mt19937_64 random(12);
  const Table table = simulated_table(random, 2, 2, 300);
  std::vector<int> count(2);
  for (const int label : table.label) ++count[static_cast<std::size_t>(label)];
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    const GmmRequest request = request_of(table, 1.5, adjacency);
    const double expected = start_gmm(request)->count_stddev();
    double square = 0;
    constexpr int runs = 400;
    for (int n = 0; n < runs; ++n) {
      const GmmFit fit = release(request, table, random());
      for (std::size_t k = 0; k < 2; ++k) {
        square += std::pow(fit.mixture.components[k].rows - count[k], 2) / (2 * runs);
      }
    }
    // Of 800 squares: within a tenth, four deviations; the seed is fixed.
    EXPECT_NEAR(std::sqrt(square) / expected, 1, .1) << name(adjacency);
  }
}

// Shares are public numbers that add up to what may be spent, whatever is asked.
TEST(GmmSchedule, SpendsAllOfMu) {
  for (const int d : {1, 2, 3, 10, 30, 100}) {
    for (const CovarianceShape shape :
         {CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared}) {
      for (const Adjacency adjacency :
           {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
        const GmmSchedule schedule = gmm_schedule(d, shape, adjacency);
        double total = 0;
        for (const double share : schedule.shares) {
          EXPECT_GT(share, .01);
          total += share;
        }
        EXPECT_NEAR(total, 1, 1e-14);
        // A shape that is picked after the first stage finds that one's share spent.
        EXPECT_EQ(schedule.shares[0], gmm_schedule(d, CovarianceShape::full, adjacency).shares[0]);
        EXPECT_GT(schedule.box_count, 0);
        EXPECT_LT(schedule.box_count, 1);
      }
    }
  }
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
  for (const bool diagonal : {false, true}) {
    for (const int d : {1, 3, 30}) {
      double count = 0;
      for (const double r : {.5, 2., 7.}) {
        const MomentWeights w = moment_weights(d, r, diagonal);
        const double a = w.count * w.count, b = w.sum * w.sum * r * r,
                     c = w.square * w.square * std::pow(r, 4);
        EXPECT_NEAR(a + b + c, 1, 1e-12);
        const double products = diagonal ? d / 4. : d * (d + 1) / 8.;
        const auto cost = [&](double x, double y, double z) {
          return (.5 + d / 4.) / x + d / 2. * r * r / y + products * std::pow(r, 4) / z;
        };
        EXPECT_NEAR(cost(a, b, c), w.cost, 1e-9 * w.cost);
        EXPECT_GT(cost(a, b - 1e-3 * b, c + 1e-3 * b), w.cost);
        EXPECT_GT(cost(a, b + 1e-3 * b, c - 1e-3 * b), w.cost);
        if (count > 0) {
          EXPECT_EQ(w.count, count);
        }
        count = w.count;
      }
      // Of all radii that a release may choose, none costs much more for its count's fixed share.
      for (const Clip& clip : clips(d, diagonal)) {
        const double r = clip.radius, products = diagonal ? d / 4. : d * (d + 1) / 8.;
        const double least = std::pow(
            std::sqrt(.5 + d / 4.) + std::sqrt(d / 2.) * r + std::sqrt(products) * r * r, 2);
        EXPECT_LE(least, clip.weights.cost * (1 + 1e-12));
        EXPECT_GE((r < radius_of(d, .85) ? 1.8 : 1.3) * least, clip.weights.cost);
      }
    }
  }
}

// The eigenvectors of a diagonal matrix come in the order of its values, which no diagonal frame
// could follow.
TEST(GmmPool, DiagonalStaysDiagonal) {
  Eigen::MatrixXd axes = Eigen::Vector3d(5, 1, 3).asDiagonal();
  Eigen::MatrixXd a = Eigen::Vector3d(.2, 1.5, .7).asDiagonal();
  Eigen::MatrixXd b = Eigen::Vector3d(1, .1, -.2).asDiagonal();
  std::vector<NoisyCovariance> classes = {{axes, a, .2}, {axes, b, .4}};
  pool(classes, true);
  for (const NoisyCovariance& c : classes) {
    EXPECT_TRUE(c.covariance.isDiagonal(0));
    EXPECT_TRUE(c.covariance.allFinite());
  }
}

TEST(StagedGmm, DiagonalFindsTheTruthWithoutNoise) {
  std::mt19937_64 random(9);
  const Table table = simulated_table(random, 3, 6, 20000);
  GaussianMixture plain = plain_fit(table);
  for (GaussianMixture::Component& c : plain.components) {
    for (std::size_t i = 0; i < 36; ++i) {
      if (i % 7 != 0) c.covariance[i] = 0;
    }
  }
  const GmmFit fit =
      release(request_of(table, 1e4, Adjacency::add_remove, CovarianceShape::diagonal), table, 1);
  EXPECT_LT(gmm_kl(fit.mixture, plain, {0, 1, 2}), 1e-3);
}

// All classes have the same, near what rows have within classes; whichever method measured it.
TEST(SharedCovariance, IsThatOfAllRowsWithinClasses) {
  std::mt19937_64 random(10);
  const Table table = simulated_table(random, 3, 4, 20000);
  const GaussianMixture plain = plain_fit(table);
  Matrix within = Matrix::Zero(4, 4);
  for (const auto& c : plain.components) {
    within += c.weight * Eigen::Map<const Matrix>(c.covariance.data(), 4, 4);
  }
  for (const GmmMethod method : {GmmMethod::staged, GmmMethod::one_shot}) {
    GmmRequest request = request_of(table, 1e4, Adjacency::add_remove, CovarianceShape::shared);
    request.method = method;
    const GmmFit fit = release(request, table, 1);
    EXPECT_EQ(fit.shape, CovarianceShape::shared);
    for (const auto& c : fit.mixture.components) {
      EXPECT_EQ(c.covariance, fit.mixture.components[0].covariance);
      const Matrix found = Eigen::Map<const Matrix>(c.covariance.data(), 4, 4);
      EXPECT_LT((found - within).norm(), .1 * within.norm());
    }
  }
}

// Whatever is picked: full where noise is small, what it costs is known before.
TEST(StagedGmm, PicksAShapeWithinTheSameBudget) {
  std::mt19937_64 random(14);
  const Table table = simulated_table(random, 3, 6, 2000);
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    std::set<CovarianceShape> picked;
    for (const double mu : {.02, .2, .5, 3., 1e3}) {
      StagedGmm staged(request_of(table, mu, adjacency, std::nullopt));
      const double told = staged.count_stddev();
      RandomStream stream(key_of(random()));
      double square = 0;
      while (const auto pass = staged.next()) {
        square += std::pow(staged.stage_mu(), 2);
        staged.take(stream, exact_statistics(table, *pass));
      }
      EXPECT_LE(square, mu * mu * (1 + 1e-12));
      EXPECT_GT(square, mu * mu * (1 - 1e-9));
      EXPECT_EQ(staged.count_stddev(), told);
      const GmmFit fit = staged.fit(GmmObjective::balanced);
      picked.insert(fit.shape);
      for (const CovarianceShape shape : {CovarianceShape::full, CovarianceShape::diagonal}) {
        EXPECT_GE(told, .999 * start_gmm(request_of(table, mu, adjacency, shape))->count_stddev());
      }
      if (mu > 100) {
        EXPECT_EQ(fit.shape, CovarianceShape::full);
      } else if (mu < .1) {
        EXPECT_EQ(fit.shape, CovarianceShape::diagonal);
      }
    }
    EXPECT_GE(picked.size(), 2u);
  }
}

// Far more noise than covariances: the note says so although counts and means are known.
TEST(StagedGmm, QualityTellsWhereNoiseHidesCovariances) {
  std::mt19937_64 random(15);
  const Table table = satellite_like(random);
  const auto note = [&](double epsilon, CovarianceShape shape) {
    const double mu = gdp_mu(epsilon, 1e-5);
    return quality_note(release(request_of(table, mu, Adjacency::add_remove, shape), table, 2), {});
  };
  EXPECT_NE(note(1, CovarianceShape::full).find("covariance mostly noise (up to "),
            std::string::npos);
  EXPECT_EQ(note(100, CovarianceShape::full), "all components usable");
  EXPECT_EQ(note(4, CovarianceShape::diagonal), "all components usable");
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
