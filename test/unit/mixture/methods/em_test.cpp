// Would falsify docs/proofs/mixture_em.md: neighbouring tables, through the very integers that each
// pass releases, never differ by more than its share of mu; and what comes out is always a mixture.
#include "core/mixture/methods/em.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.hpp"
#include "core/mixture/divergence.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/methods/start.hpp"
#include "tables/mixture_distance.hpp"
#include "tables/mixture_tables.hpp"
#include "tables/mixture_valid.hpp"

namespace dpmix::test {
namespace {

Table unlabelled(Table table) {
  table.classes = 1;
  std::fill(table.label.begin(), table.label.end(), 0);
  return table;
}

GmmRequest em_request(const Table& table, double mu, std::optional<int> components,
                      Adjacency adjacency = Adjacency::add_remove,
                      CovarianceShape shape = CovarianceShape::full,
                      GmmMethod method = GmmMethod::em) {
  GmmRequest request = request_of(table, mu, adjacency, shape);
  request.classes = 0;
  request.components = components;
  request.method = method;
  return request;
}

// Rows near a component of the pass, far along one feature, or both at once.
std::vector<double> near_row(std::mt19937_64& random, const Table& table,
                             const MomentFrame& frame) {
  std::vector<double> x = frame.classes[random() % frame.classes.size()].centre;
  const std::size_t i = random() % x.size();
  if (random() % 2) {
    x[i] = random() % 2 ? table.lower[i] : table.upper[i];
  } else {
    std::normal_distribution<double> normal;
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j] += (table.upper[j] - table.lower[j]) * normal(random) / 10;
    }
  }
  return x;
}

class EmGmmSensitivity : public testing::TestWithParam<std::pair<Adjacency, GmmMethod>> {};

TEST_P(EmGmmSensitivity, NeighboursStayWithinThePassesShare) {
  const auto [adjacency, method] = GetParam();
  std::mt19937_64 random(31);
  constexpr double mu = .7;
  std::vector<double> nearest;
  constexpr int trials = 150;
  for (const int d : {1, 2, 3, 8, 20}) {
    for (const CovarianceShape shape :
         {CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared}) {
      const Table table = unlabelled(simulated_table(random, 3, d, 600));
      EmGmm em(em_request(table, mu, 3, adjacency, shape, method));
      RandomStream stream(key_of(random()));
      double square = 0;
      std::size_t number = 0;
      for (; const auto pass = em.next(); ++number) {
        const double bound = em.pass_mu();
        square += bound * bound;
        // Sums are additive over rows, so the rest of the table cancels.
        const auto move = [&](const Table& one, const Table& other) {
          const PassStatistics a = exact_statistics(one, *pass), b = exact_statistics(other, *pass);
          if (pass->kind != PassKind::soft_moments) {
            return distance(std::get<BinCounts>(a), std::get<BinCounts>(b), em.bin_noise());
          }
          return distance(std::get<MomentTotals>(a), std::get<MomentTotals>(b), em.noise());
        };
        double farthest = 0;
        Table one = table, other;
        one.row.clear();
        for (int trial = 0; trial < trials; ++trial) {
          other = one;
          const auto row = [&] {
            return random() % 2 ? awkward_row(random, table) : near_row(random, table, pass->frame);
          };
          one.row = {row()};
          other.row = {row()};
          one.label = other.label = {0};
          if (adjacency == Adjacency::add_remove) other.row.clear(), other.label.clear();
          const double far = move(one, other);
          ASSERT_LE(far, bound) << "d = " << d << ", pass " << number;
          farthest = std::max(farthest, far);
        }
        nearest.resize(std::max(nearest.size(), number + 1));
        nearest[number] = std::max(nearest[number], farthest / bound);
        em.take(stream, exact_statistics(table, *pass));
      }
      EXPECT_LE(square, mu * mu * (1 + 1e-12));
      EXPECT_GE(square, mu * mu * (1 - 1e-12));
    }
  }
  // Nor is the noise of any pass larger than it must be.
  EXPECT_EQ(nearest.size(), method == GmmMethod::em ? 10u : 9u);
  for (const double most : nearest) EXPECT_GT(most, .99);
}

INSTANTIATE_TEST_SUITE_P(All, EmGmmSensitivity,
                         testing::Values(std::pair{Adjacency::add_remove, GmmMethod::em},
                                         std::pair{Adjacency::replace, GmmMethod::em},
                                         std::pair{Adjacency::add_remove, GmmMethod::kmeans},
                                         std::pair{Adjacency::replace, GmmMethod::kmeans}),
                         [](const auto& info) {
                           return std::string(name(info.param.first)) + "_" +
                                  std::string(name(info.param.second));
                         });

// Whatever rows hold, a valid mixture and no error.
void try_all(const Table& table, const char* what, std::mt19937_64& random) {
  SCOPED_TRACE(what);
  for (const GmmMethod method : {GmmMethod::em, GmmMethod::kmeans}) {
    for (const CovarianceShape shape :
         {CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared}) {
      for (const double mu : {.01, 20.}) {
        for (const auto components : {std::optional<int>(7), std::optional<int>(), {1}}) {
          if (!components && shape == CovarianceShape::diagonal) continue;
          const auto adjacency = random() % 2 ? Adjacency::replace : Adjacency::add_remove;
          const GmmRequest request = em_request(table, mu, components, adjacency, shape, method);
          const auto objective = random() % 2 ? GmmObjective::balanced : GmmObjective::forward_kl;
          const GmmFit fit = release(request, table, random(), objective);
          expect_valid(fit.mixture, table);
          EXPECT_EQ(fit.quality.size(), fit.mixture.components.size());
          if (components) {
            EXPECT_EQ(fit.mixture.components.size(), static_cast<std::size_t>(*components));
          }
        }
      }
    }
  }
}

Table narrow_table() {
  return {3, 1, {0, -1e-6, 5}, {1, 1e-6, 1e9}, {}, {}};
}

void add(Table& table, int copies, std::vector<double> row) {
  for (int i = 0; i < copies; ++i) table.row.push_back(row), table.label.push_back(0);
}

TEST(EmGmm, NoRowsOneRowMissingRows) {
  std::mt19937_64 random(5);
  Table table = narrow_table();
  try_all(table, "no rows", random);
  add(table, 1, {.5, 0, 7});
  try_all(table, "one row", random);
  add(table, 300, {HUGE_VAL, -HUGE_VAL, NAN});
  try_all(table, "missing", random);
}

TEST(EmGmm, ConstantCollinearAndOutside) {
  std::mt19937_64 random(6);
  Table table = narrow_table();
  add(table, 500, {.25, 1e-7, 100});
  try_all(table, "constant features", random);
  for (int i = 0; i < 500; ++i) {
    const double x = std::uniform_real_distribution<double>(0, 1)(random);
    add(table, 1, {x, 2e-6 * x - 1e-6, 1e9 * x});
  }
  add(table, 300, {1e300, -5, 2});
  try_all(table, "collinear features and rows outside of the bounds", random);
}

TEST(EmGmm, MoreFeaturesThanRowsAndOneFeature) {
  std::mt19937_64 random(7);
  Table wide{20, 1, std::vector<double>(20, -1), std::vector<double>(20, 1), {}, {}};
  for (int i = 0; i < 10; ++i) add(wide, 1, awkward_row(random, wide));
  try_all(wide, "more features than rows", random);
  Table single{1, 1, {0}, {10}, {}, {}};
  for (int i = 0; i < 100; ++i) add(single, 1, {i / 10.});
  try_all(single, "one feature", random);
}

TEST(EmGmm, TheOrderOfRowsIsOfNoConsequence) {
  std::mt19937_64 random(8);
  Table table = unlabelled(simulated_table(random, 3, 2, 500));
  for (const GmmMethod method : {GmmMethod::em, GmmMethod::kmeans}) {
    const GmmRequest request =
        em_request(table, 1, std::nullopt, Adjacency::replace, CovarianceShape::full, method);
    const GaussianMixture one = release(request, table, 3).mixture;
    std::shuffle(table.row.begin(), table.row.end(), random);
    const GaussianMixture other = release(request, table, 3).mixture;
    ASSERT_EQ(one.components.size(), other.components.size());
    for (std::size_t k = 0; k < one.components.size(); ++k) {
      EXPECT_EQ(one.components[k].mean, other.components[k].mean);
      EXPECT_EQ(one.components[k].covariance, other.components[k].covariance);
      EXPECT_EQ(one.components[k].weight, other.components[k].weight);
    }
  }
}

// Almost no noise, components far apart: the plain fit of each, in some order.
TEST(EmGmm, FindsTheTruthWithoutNoise) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  Table table{2, 3, {-10, -10}, {10, 10}, {}, {}};
  const double centre[3][2] = {{-6, -5}, {5, -4}, {0, 6}};
  for (int n = 0; n < 6000; ++n) {
    const int k = n % 6 < 3 ? 0 : n % 6 < 5 ? 1 : 2;
    const double z = normal(random);
    table.row.push_back({centre[k][0] + z, centre[k][1] + z / 2 + normal(random)});
    table.label.push_back(k);
  }
  const GaussianMixture fit = plain_fit(table);
  table = unlabelled(table);
  for (const GmmMethod method : {GmmMethod::em, GmmMethod::kmeans}) {
    for (const auto components : {std::optional<int>(3), std::optional<int>()}) {
      const GaussianMixture found =
          release(em_request(table, 1e3, components, Adjacency::add_remove, CovarianceShape::full,
                             method),
                  table, 1)
              .mixture;
      ASSERT_EQ(found.components.size(), 3u);
      std::vector<int> match;
      for (const auto& c : found.components) match.push_back(c.mean[1] > 1 ? 2 : c.mean[0] > 0);
      EXPECT_LT(gmm_kl(found, fit, match), 1e-3);
    }
  }
}

TEST(EmGmm, WhatDoesNotFitIsRefusedBeforeAnyRow) {
  const Table table = narrow_table();
  EXPECT_THROW(start_gmm(em_request(table, 1, 0)), Error);
  EXPECT_THROW(start_gmm(em_request(table, 1, 101)), Error);
  EXPECT_THROW(start_gmm(em_request(table, 1, 3, Adjacency::label)), Error);
  GmmRequest unlabelled = request_of(table, 1, Adjacency::label);
  unlabelled.classes = 0;
  EXPECT_THROW(start_gmm(unlabelled), Error);
  GmmRequest labelled = em_request(table, 1, 3);
  labelled.classes = 2;
  EXPECT_THROW(start_gmm(labelled), Error);
  EXPECT_NO_THROW(start_gmm(em_request(table, 1, 100)));
}

TEST(EmGmm, NoiseBeyondWhatCanBeDrawnIsRefusedBeforeAnyRow) {
  const Table table = narrow_table();
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    for (const GmmMethod method : {GmmMethod::em, GmmMethod::kmeans}) {
      int refused = 0;
      for (double mu = 1e-9; mu < 1e-5; mu *= 1.2) {
        GmmRequest request = em_request(table, mu, 3, adjacency);
        request.method = method;
        std::unique_ptr<GmmMechanism> mechanism;
        try {
          mechanism = start_gmm(request);
        } catch (const Error& error) {
          EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
          ++refused;
          continue;
        }
        RandomStream random(key_of(1));
        ASSERT_NO_THROW(run(*mechanism, random, table)) << mu;
      }
      EXPECT_GT(refused, 0);
    }
  }
}

}  // namespace
}  // namespace dpmix::test
