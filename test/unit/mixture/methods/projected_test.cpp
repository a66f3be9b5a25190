// Would falsify docs/proofs/mixture_projected.md: neighbouring tables, through the frames of real
// runs, never differ by more than the stage's share of mu, in the projection and behind it; and
// what comes out is always a mixture of all features.
#include "core/mixture/methods/projected.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.hpp"
#include "core/mixture/divergence.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/one_shot_plan.hpp"
#include "core/mixture/methods/one_shot.hpp"
#include "core/mixture/methods/start.hpp"
#include "tables/mixture_distance.hpp"
#include "tables/mixture_tables.hpp"
#include "tables/mixture_valid.hpp"

namespace dpmix::test {
namespace {

GmmRequest projected_request(const Table& table, double mu, int dimensions,
                             Adjacency adjacency = Adjacency::add_remove,
                             CovarianceShape shape = CovarianceShape::full) {
  GmmRequest request = request_of(table, mu, adjacency, shape);
  request.dimensions = dimensions;
  return request;
}

// From the middle of the table along a direction that the pass looks at: as far as the box goes.
std::vector<double> axis_row(std::mt19937_64& random, const Table& table, const Pass& pass) {
  std::vector<double> x = table.row[random() % table.row.size()];
  const auto extreme = [&](std::size_t j, double sign) {
    x[j] = sign > 0 ? table.upper[j] : table.lower[j];
  };
  if (!pass.frame.projection) {
    const std::size_t j = random() % x.size();
    extreme(j, random() % 2 ? 1 : -1);
    return x;
  }
  const MomentFrame::Projection& p = *pass.frame.projection;
  const double* axis =
      &p.map[random() % static_cast<unsigned>(pass.frame.features) * p.centre.size()];
  const double sign = random() % 2 ? 1 : -1;
  for (std::size_t j = 0; j < x.size(); ++j) extreme(j, sign * axis[j]);
  return x;
}

// In any direction from the middle of the box.
std::vector<double> far_row(std::mt19937_64& random, const Table& table) {
  std::normal_distribution<double> normal;
  std::vector<double> x(table.lower.size());
  double norm = 0;
  for (double& v : x) v = normal(random), norm += v * v;
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = (table.lower[j] + table.upper[j]) / 2 +
           x[j] / std::sqrt(norm) * (table.upper[j] - table.lower[j]) / 2;
  }
  return x;
}

std::vector<double> any_row(std::mt19937_64& random, const Table& table, const Pass& pass) {
  switch (random() % 4) {
    case 0:
      return awkward_row(random, table);
    case 1:
      return axis_row(random, table, pass);
    default:
      return far_row(random, table);
  }
}

Table without_rows(Table table) {
  table.row.clear(), table.label.clear();
  return table;
}

std::unique_ptr<GmmMechanism> staged_inside(const GmmRequest& request) {
  return std::make_unique<StagedGmm>(request);
}

class ProjectedGmmSensitivity : public testing::TestWithParam<Adjacency> {};

TEST_P(ProjectedGmmSensitivity, NeighboursStayWithinTheStagesShare) {
  const Adjacency adjacency = GetParam();
  std::mt19937_64 random(32);
  constexpr double mu = .7;
  std::map<int, double> nearest;
  for (const auto& [d, p] : {std::pair{2, 1}, {4, 2}, {8, 3}}) {
    for (const CovarianceShape shape :
         {CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared}) {
      const Table table = simulated_table(random, 3, d, 600), empty = without_rows(table);
      ProjectedGmm projected(projected_request(table, mu, p, adjacency, shape), staged_inside);
      RandomStream stream(key_of(random()));
      double square = 0;
      for (int stage = 0; const auto pass = projected.next(); ++stage) {
        const auto& staged = dynamic_cast<const StagedGmm&>(projected.current());
        const bool of_all_rows =
            pass->kind == PassKind::row_moments || pass->kind == PassKind::row_distances;
        EXPECT_EQ(of_all_rows, !pass->frame.projection);
        EXPECT_EQ(pass->frame.inputs(), d);
        // Under label the first stages see what neighbours agree in.
        const double bound = of_all_rows && adjacency == Adjacency::label ? 0 : staged.stage_mu();
        square += bound * bound;
        const auto move = [&](const Table& one, const Table& other) {
          const PassStatistics a = exact_statistics(one, *pass), b = exact_statistics(other, *pass);
          if (const auto* counts = std::get_if<BinCounts>(&a)) {
            return distance(*counts, std::get<BinCounts>(b), staged.distance_noise());
          }
          return distance(std::get<MomentTotals>(a), std::get<MomentTotals>(b), staged.noise());
        };
        double farthest = 0;
        for (int trial = 0; trial < 300; ++trial) {
          Table one = empty, other = empty;
          const auto row = [&] { return any_row(random, table, *pass); };
          one.row = {row()};
          one.label = {static_cast<int>(random() % 3)};
          other.row = {adjacency == Adjacency::label ? one.row[0] : row()};
          other.label = {static_cast<int>(random() % 3)};
          if (adjacency == Adjacency::add_remove) other = empty;
          const double far = move(one, other);
          ASSERT_LE(far, bound) << "d = " << d << ", stage " << stage;
          farthest = std::max(farthest, far);
        }
        if (bound > 0) nearest[stage] = std::max(nearest[stage], farthest / bound);
        projected.take(stream, exact_statistics(table, *pass));
      }
      EXPECT_LE(square, mu * mu * (1 + 1e-12));
      EXPECT_GT(square, mu * mu * (1 - 1e-9));
    }
  }
  EXPECT_EQ(nearest.size(), (adjacency == Adjacency::label ? 1u : 2u) * StagedGmm::stages);
  // Nor is the noise of any stage larger than it must be; but replace is bounded by a row that goes
  // from one class to another, which the one class of all rows does not allow.
  for (const auto& [stage, most] : nearest) {
    EXPECT_GT(most, adjacency == Adjacency::replace && stage < StagedGmm::stages ? .96 : .99)
        << stage;
  }
}

INSTANTIATE_TEST_SUITE_P(Adjacencies, ProjectedGmmSensitivity,
                         testing::Values(Adjacency::add_remove, Adjacency::replace,
                                         Adjacency::label),
                         [](const auto& info) { return std::string(name(info.param)); });

// The one-shot bound of a diagonal covariance needs coordinates inside its box: it would fail if
// a projected row could leave the box before it is mapped.
TEST(ProjectedGmm, OneShotDiagonalStaysWithinItsBound) {
  std::mt19937_64 random(33);
  constexpr double mu = 1;
  const Table table = simulated_table(random, 2, 8, 800), empty = without_rows(table);
  GmmRequest request =
      projected_request(table, mu, 4, Adjacency::add_remove, CovarianceShape::diagonal);
  request.method = GmmMethod::one_shot;
  const auto mechanism = start_gmm(request);
  EXPECT_EQ(mechanism->method(), GmmMethod::one_shot);
  RandomStream stream(key_of(2));
  double most = 0;
  while (const auto pass = mechanism->next()) {
    if (pass->frame.projection) {
      const GmmPlan plan =
          plan_gmm(std::vector<double>(4, -1), std::vector<double>(4, 1), 2,
                   CovarianceShape::diagonal, Adjacency::add_remove, mu * std::sqrt(.5));
      for (int trial = 0; trial < 2000; ++trial) {
        Table one = empty;
        one.row = {any_row(random, table, *pass)};
        one.label = {trial % 2};
        const double far = distance(std::get<MomentTotals>(exact_statistics(one, *pass)),
                                    std::get<MomentTotals>(exact_statistics(empty, *pass)),
                                    {plan.noise, plan.noise});
        ASSERT_LE(far, mu * std::sqrt(.5));
        most = std::max(most, far);
      }
    }
    mechanism->take(stream, exact_statistics(table, *pass));
  }
  EXPECT_GT(most, .5);
  expect_valid(mechanism->fit(GmmObjective::balanced).mixture, table);
}

TEST(ProjectedGmm, SaysBeforehandWhatItWillAskFor) {
  std::mt19937_64 random(34);
  const Table table = simulated_table(random, 3, 5, 500);
  const auto mechanism = start_gmm(projected_request(table, 1, 2));
  const double deviation = mechanism->count_stddev();
  const std::vector<PassKind> kinds = mechanism->kinds();
  RandomStream stream(key_of(3));
  while (const auto pass = mechanism->next()) {
    EXPECT_TRUE(std::count(kinds.begin(), kinds.end(), pass->kind)) << static_cast<int>(pass->kind);
    EXPECT_NO_THROW(MomentFrame::unpack(pass->frame.pack()));
    mechanism->take(stream, exact_statistics(table, *pass));
  }
  EXPECT_EQ(mechanism->count_stddev(), deviation);
  EXPECT_EQ(mechanism->method(), GmmMethod::staged);
}

TEST(ProjectedGmm, RefusesDimensionsOutOfRange) {
  std::mt19937_64 random(35);
  const Table table = simulated_table(random, 2, 4, 100);
  for (const int p : {-1, 0, 4, 5, 1000}) {
    try {
      start_gmm(projected_request(table, 1, p));
      ADD_FAILURE() << p;
    } catch (const Error& error) {
      EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
      EXPECT_NE(error.detail.find("1 to 3"), std::string::npos) << error.detail;
    }
  }
  for (const int p : {1, 2, 3}) EXPECT_NO_THROW(start_gmm(projected_request(table, 1, p)));
}

// Whatever rows hold, a valid mixture and no error.
TEST(ProjectedGmm, AnyTableGivesAMixture) {
  std::mt19937_64 random(5);
  const auto try_all = [&](const Table& table, int p, const char* what) {
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      for (const CovarianceShape shape :
           {CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared}) {
        for (const double mu : {.01, .5, 20.}) {
          for (const GmmMethod method : {GmmMethod::staged, GmmMethod::one_shot}) {
            SCOPED_TRACE(what);
            GmmRequest request = projected_request(table, mu, p, adjacency, shape);
            request.method = method;
            const GmmFit fit = release(request, table, random());
            EXPECT_EQ(fit.mixture.features, table.features);
            EXPECT_EQ(fit.quality.size(), fit.mixture.components.size());
            expect_valid(fit.mixture, table);
          }
        }
      }
    }
  };
  Table table{3, 3, {0, -1e-6, 5}, {1, 1e-6, 1e9}, {}, {}};
  try_all(table, 2, "no rows");
  table.row = {{.5, 0, 7}};
  table.label = {1};
  try_all(table, 1, "one row");
  for (int i = 0; i < 500; ++i) table.row.push_back({.25, 1e-7, 100}), table.label.push_back(2);
  try_all(table, 2, "constant features");
  for (int i = 0; i < 500; ++i) {
    const double x = std::uniform_real_distribution<double>(0, 1)(random);
    table.row.push_back({x, 2e-6 * x - 1e-6, 1e9 * x}), table.label.push_back(0);
  }
  try_all(table, 1, "collinear features");
  for (int i = 0; i < 300; ++i)
    table.row.push_back({HUGE_VAL, -HUGE_VAL, NAN}), table.label.push_back(0);
  for (int i = 0; i < 300; ++i) table.row.push_back({1e300, -5, 2}), table.label.push_back(1);
  try_all(table, 2, "outside of the bounds and missing");
  Table wide{13, 2, std::vector<double>(13, -1), std::vector<double>(13, 1), {}, {}};
  for (int i = 0; i < 10; ++i) {
    wide.row.push_back(awkward_row(random, wide));
    wide.label.push_back(i % 2);
  }
  try_all(wide, 12, "more features than rows");
}

// Almost no noise: means and covariances along the leading axes are those of the rows, and what is
// left outside of them is there too.
TEST(ProjectedGmm, FindsTheTruthWithoutNoise) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  const Table plane = simulated_table(random, 3, 2, 6000);
  Table table{6, 3, std::vector<double>(6, -25), std::vector<double>(6, 25), plane.label, {}};
  for (const auto& y : plane.row) {  // orthogonal axes (1, 1, 1, 1, 0, 0)/2, (0, 0, 1, -1, 1, 1)/2
    std::vector<double> x = {y[0] / 2,          y[0] / 2, (y[0] + y[1]) / 2,
                             (y[0] - y[1]) / 2, y[1] / 2, y[1] / 2};
    for (double& v : x) v += .3 * normal(random);
    table.row.push_back(x);
  }
  const GmmFit fit = release(projected_request(table, 1e4, 2), table, 1);
  EXPECT_LT(gmm_kl(fit.mixture, plain_fit(table), {0, 1, 2}), .02);
  for (const ComponentQuality quality : fit.quality) EXPECT_EQ(quality, ComponentQuality::usable);
  // Under label, features cost nothing, whatever mu is.
  ProjectedGmm labelled(projected_request(table, .1, 2, Adjacency::label), staged_inside);
  RandomStream stream(key_of(7));
  while (const auto pass = labelled.next()) {
    if (pass->frame.projection) {
      const MomentFrame::Projection& p = *pass->frame.projection;
      // The axes are in the plane of the rows.
      for (int i = 0; i < 2; ++i) {
        const double* v = &p.map[static_cast<std::size_t>(i) * 6];
        const double one = (v[0] + v[1] + v[2] + v[3]) / 2, two = (v[2] - v[3] + v[4] + v[5]) / 2;
        double all = 0;
        for (int j = 0; j < 6; ++j) all += v[j] * v[j];
        EXPECT_NEAR((one * one + two * two) / all, 1, 1e-3);
      }
      break;
    }
    labelled.take(stream, exact_statistics(table, *pass));
  }
}

}  // namespace
}  // namespace dpmix::test
