// Would falsify docs/proofs/mixture_label_only.md: tables that differ in one label never differ by
// more than the share of mu in what is noised, and not at all in what is not; and what comes out is
// always a mixture.
#include "core/mixture/methods/label_only.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/mixture/divergence.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/methods/label_only_residual.hpp"
#include "core/mixture/methods/label_only_shares.hpp"
#include "core/mixture/methods/start.hpp"
#include "tables/mixture_distance.hpp"
#include "tables/mixture_tables.hpp"
#include "tables/mixture_valid.hpp"

namespace dpmix::test {
namespace {

GmmRequest label_request(const Table& table, double mu,
                         CovarianceShape shape = CovarianceShape::full) {
  return request_of(table, mu, Adjacency::label, shape);
}

void expect_equal(const PassStatistics& a, const PassStatistics& b) {
  ASSERT_EQ(a.index(), b.index());
  if (const auto* points = std::get_if<WeightedPoints>(&a)) {
    EXPECT_EQ(points->points, std::get<WeightedPoints>(b).points);
    EXPECT_EQ(points->weights, std::get<WeightedPoints>(b).weights);
  } else {
    EXPECT_EQ(std::get<MomentTotals>(a).to_text(), std::get<MomentTotals>(b).to_text());
  }
}

// Large enough that the sample is not all rows, so that every kind of pass is seen.
Table large_table(std::mt19937_64& random, int features) {
  Table table = simulated_table(random, 3, features, 4500);
  for (int i = 0; i < 40; ++i) {
    table.row.push_back(awkward_row(random, table));
    table.label.push_back(static_cast<int>(random() % 4) - 1);
  }
  return table;
}

TEST(LabelOnlyGmmSensitivity, NeighboursStayWithinTheStagesShare) {
  std::mt19937_64 random(41);
  constexpr double mu = .7;
  std::array<double, 3> nearest{};
  for (const int d : {1, 2, 3, 8}) {
    for (const CovarianceShape shape :
         {CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared}) {
      const Table table = large_table(random, d);
      LabelOnlyGmm mechanism(label_request(table, mu, shape));
      RandomStream stream(key_of(random()));
      double square = 0;
      std::size_t stage = 0;
      while (const auto pass = mechanism.next()) {
        const PassStatistics statistics = exact_statistics(table, *pass);
        if (mechanism.is_private()) {
          const double bound = mechanism.stage_mu();
          square += bound * bound;
          for (int trial = 0; trial < 200; ++trial) {
            // Sums are additive over rows, so the rest of the table cancels.
            Table one = table;
            one.row = {random() % 2 ? awkward_row(random, table)
                                    : table.row[random() % table.row.size()]};
            one.label = {static_cast<int>(random() % 4) - 1};
            Table other = one;
            other.label = {static_cast<int>(random() % 4) - 1};
            const PassStatistics a = exact_statistics(one, *pass),
                                 b = exact_statistics(other, *pass);
            const double far = pass->kind == PassKind::class_clusters
                                   ? distance(std::get<BinCounts>(a), std::get<BinCounts>(b),
                                              mechanism.cluster_noise())
                                   : distance(std::get<MomentTotals>(a), std::get<MomentTotals>(b),
                                              mechanism.moment_noise());
            ASSERT_LE(far, bound) << "d = " << d << ", stage " << stage;
            nearest[stage] = std::max(nearest[stage], far / bound);
          }
          ++stage;
        }
        mechanism.take(stream, statistics);
      }
      EXPECT_EQ(stage, 3u);
      EXPECT_LE(square, mu * mu * (1 + 1e-12));
    }
  }
  // Nor is the noise of any stage larger than it must be.
  for (const double most : nearest) EXPECT_GT(most, .99);
}

// What is free is the same bit for bit for any labels and any order of rows.
TEST(LabelOnlyGmmSensitivity, FreePassesKnowNoLabels) {
  std::mt19937_64 random(42);
  for (const int rows : {300, 4500}) {
    Table table = large_table(random, 2);
    table.row.resize(static_cast<std::size_t>(rows));
    table.label.resize(static_cast<std::size_t>(rows));
    Table other = table;
    for (int& label : other.label) label = static_cast<int>(random() % 4) - 1;
    std::vector<std::size_t> order(table.row.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i = 0; i < order.size(); ++i) other.row[i] = table.row[order[i]];
    // Two mechanisms get the same released numbers, and the free statistics of either table.
    LabelOnlyGmm mine(label_request(table, 1)), theirs(label_request(table, 1));
    RandomStream a(key_of(1)), b(key_of(1));
    int free = 0;
    while (const auto pass = mine.next()) {
      const auto same = theirs.next();
      ASSERT_TRUE(same);
      ASSERT_EQ(pass->kind, same->kind);
      ASSERT_EQ(pass->pack(), same->pack());
      const PassStatistics statistics = exact_statistics(table, *pass);
      if (mine.is_private()) {
        theirs.take(b, statistics);
      } else {
        const PassStatistics of_other = exact_statistics(other, *pass);
        expect_equal(statistics, of_other);
        theirs.take(b, of_other);
        ++free;
      }
      mine.take(a, statistics);
    }
    EXPECT_FALSE(theirs.next());
    EXPECT_EQ(free, rows == 300 ? 1 : 4);
    const GaussianMixture x = mine.fit(GmmObjective::balanced).mixture,
                          y = theirs.fit(GmmObjective::balanced).mixture;
    for (std::size_t k = 0; k < x.components.size(); ++k) {
      EXPECT_EQ(x.components[k].weight, y.components[k].weight);
      EXPECT_EQ(x.components[k].mean, y.components[k].mean);
      EXPECT_EQ(x.components[k].covariance, y.components[k].covariance);
    }
  }
}

// Whatever rows hold, a valid mixture and no error.
TEST(LabelOnlyGmm, AnyTableGivesAMixture) {
  std::mt19937_64 random(5);
  const auto try_all = [&](const Table& table, const char* what) {
    for (const CovarianceShape shape :
         {CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared}) {
      for (const double mu : {.01, .5, 20.}) {
        SCOPED_TRACE(what);
        const GmmRequest request = label_request(table, mu, shape);
        for (const auto objective : {GmmObjective::balanced, GmmObjective::forward_kl}) {
          expect_valid(release(request, table, random(), objective).mixture, table);
        }
      }
    }
  };
  Table table{3, 3, {0, -1e-6, 5}, {1, 1e-6, 1e9}, {}, {}};
  try_all(table, "no rows");
  table.row = {{.5, 0, 7}};
  table.label = {-1};
  try_all(table, "one row without a label");
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
  Table nothing{2, 2, {0, 0}, {1, 1}, {0, 1, 1}, {{NAN, 0}, {NAN, NAN}, {0, NAN}}};
  try_all(nothing, "missing everywhere");
  for (auto& row : nothing.row) row = {HUGE_VAL, -HUGE_VAL};
  try_all(nothing, "infinite everywhere");
  Table wide{40, 2, std::vector<double>(40, -1), std::vector<double>(40, 1), {}, {}};
  for (int i = 0; i < 20; ++i) {
    wide.row.push_back(awkward_row(random, wide));
    wide.label.push_back(i % 3 - 1);
  }
  try_all(wide, "more features than rows");
  Table many{1, 60, {0}, {10}, {}, {}};
  for (int i = 0; i < 30; ++i) many.row.push_back({i / 3.}), many.label.push_back(2 * i);
  try_all(many, "more classes than rows");
  Table single{1, 1, {0}, {10}, {}, {}};
  for (int i = 0; i < 100; ++i) single.row.push_back({i / 10.}), single.label.push_back(0);
  try_all(single, "one feature, one class");
}

TEST(LabelOnlyGmm, RefusesOtherNeighbours) {
  std::mt19937_64 random(5);
  const Table table = simulated_table(random, 2, 2, 100);
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    GmmRequest request = request_of(table, 1, adjacency);
    request.method = GmmMethod::label_only;
    EXPECT_THROW(start_gmm(request), Error);
  }
}

TEST(LabelOnlyGmm, FindsTheTruthWithoutNoise) {
  std::mt19937_64 random(9);
  for (const int d : {1, 3}) {
    for (const int rows : {1000, 6000}) {
      const Table table = simulated_table(random, 3, d, rows);
      const GmmFit fit = release(label_request(table, 1e4), table, 1);
      EXPECT_LT(gmm_kl(fit.mixture, plain_fit(table), {0, 1, 2}), 1e-3);
    }
  }
}

// Labels that are no Gaussians each, and rows without one: the counts say so.
TEST(LabelOnlyGmm, LabelsNeedNotBeClusters) {
  std::mt19937_64 random(10);
  std::normal_distribution<double> normal;
  Table ring{2, 2, {-10, -10}, {10, 10}, {}, {}};
  for (int i = 0; i < 4000; ++i) {
    const int k = static_cast<int>(random() % 2);
    const double angle = std::uniform_real_distribution<double>(0, 6.2832)(random);
    const double radius = (k == 0 ? 2 : 6) + .4 * normal(random);
    ring.label.push_back(k);
    ring.row.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  const GmmFit fit = release(label_request(ring, 1), ring, 3);
  EXPECT_LT(gmm_kl(fit.mixture, plain_fit(ring), {0, 1}), .1);

  Table partly = simulated_table(random, 3, 2, 3000), labelled = partly;
  labelled.label.clear(), labelled.row.clear();
  for (std::size_t i = 0; i < partly.row.size(); ++i) {
    if (i % 3 == 0) {
      partly.label[i] = -1;
    } else {
      labelled.label.push_back(partly.label[i]), labelled.row.push_back(partly.row[i]);
    }
  }
  const GmmFit of_part = release(label_request(partly, 1), partly, 4);
  EXPECT_LT(gmm_kl(of_part.mixture, plain_fit(labelled), {0, 1, 2}), .1);
  double rows = 0;
  for (const auto& c : of_part.mixture.components) rows += c.rows;
  EXPECT_NEAR(rows, 2000, 100);
}

TEST(LabelShares, NoiseIsNoLabel) {
  Eigen::MatrixXd counts(2, 3);
  Eigen::VectorXd rows(3);
  rows << 100, 100, 60;
  counts << 95, 8, 30, 3, 102, 31;
  const Eigen::MatrixXd share = label_shares(counts, 5, rows);
  EXPECT_GT(share(0, 0), .9);
  EXPECT_GT(share(1, 1), .9);
  EXPECT_NEAR(share(0, 2), .5, .15);  // mixed beyond the noise
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(share.col(j).sum(), 1, 1e-12);
  // Half of the rows have no label.
  EXPECT_NEAR(label_shares(counts / 2, 1, rows).sum(), 1.5, .2);
}

TEST(LabelResidual, NoiseIsWeighedAgainstTheExpectation) {
  ExpectedMoments expected;
  expected.clipped = Eigen::VectorXd::Constant(6, 100);
  expected.hidden = Eigen::VectorXd::Constant(6, 2);
  expected.surely_hidden = Eigen::VectorXd::Constant(6, 1);
  expected.variance = Eigen::VectorXd::Constant(6, 4);
  expected.size = Eigen::VectorXd::Constant(6, 100);
  const Eigen::VectorXd noise = Eigen::VectorXd::Constant(6, 12);
  const JoinedMoments near = join(expected, expected.clipped.array() + 4, noise);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(near.moments[i], 103, 1e-9);  // a quarter of the way, and what is hidden
    EXPECT_NEAR(near.variance[i], 3, 1e-9);
  }
  // Far beyond what the expectation allows: seen counts.
  const JoinedMoments far = join(expected, expected.clipped.array() + 50, noise);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(far.moments[i], 151, 1);
}

}  // namespace
}  // namespace dpmix::test
