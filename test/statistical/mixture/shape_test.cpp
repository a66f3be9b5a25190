// Tables of many features (tables/shape_tables.hpp): the shape that is picked loses little beside
// the best fixed one, and a model does not get worse when it may spend more.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/noise/gaussian/gdp.hpp"
#include "tables/shape_tables.hpp"

namespace dpmix::test {
namespace {

// The median log likelihood of a table's rows over releases. Seeds are fixed.
double likelihood(const Table& table, double grain, double epsilon,
                  std::optional<CovarianceShape> shape, int releases = 7) {
  std::vector<double> all;
  for (int n = 0; n < releases; ++n) {
    const GmmRequest request =
        request_of(table, gdp_mu(epsilon, 1e-5), Adjacency::add_remove, shape);
    const auto seed = static_cast<std::uint64_t>(n) + 100;
    all.push_back(worth_of(release(request, table, seed).mixture, table, grain).log_likelihood);
  }
  std::nth_element(all.begin(), all.begin() + releases / 2, all.end());
  return all[static_cast<std::size_t>(releases / 2)];
}

TEST(GmmShape, PickedOneLosesLittle) {
  constexpr double margin = 2;  // nats a row
  std::mt19937_64 random(515);  // not the tables that constants were chosen on
  struct Named {
    const char* name;
    Table table;
    double grain = 0;  // as worth_of
  };
  const std::vector<Named> tables = {{"satellite", satellite_like(random), 1},
                                     {"letters", letter_like(random), 1},
                                     {"alike", alike(random)},
                                     {"independent", independent(random)},
                                     {"iris", iris()},
                                     {"workers", workers()}};
  for (const auto& [name, table, grain] : tables) {
    for (const double epsilon : {.5, 1., 2., 4.}) {
      double best = -HUGE_VAL;
      for (const auto shape :
           {CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared}) {
        best = std::max(best, likelihood(table, grain, epsilon, shape));
      }
      const double picked = likelihood(table, grain, epsilon, std::nullopt);
      EXPECT_GE(picked, best - margin) << name << ", epsilon " << epsilon;
    }
  }
}

// What noise takes from small eigenvalues must not be mistaken for narrow rows: it was, most of all
// where it was about as large as they are, so that more budget made worse models.
TEST(GmmShape, MoreBudgetIsNoWorse) {
  std::mt19937_64 random(20262);
  struct Case {
    Table table;
    double grain;  // as worth_of
  };
  const Case satellite{satellite_like(random), 1}, letters{letter_like(random), 0};
  for (const auto& [table, grain] : {satellite, letters}) {
    for (const std::optional<CovarianceShape> shape :
         {std::optional(CovarianceShape::full), std::optional(CovarianceShape::shared),
          std::optional<CovarianceShape>()}) {
      double most = -HUGE_VAL;
      for (const double epsilon : {.5, 1., 1.5, 2., 2.5, 4.}) {
        const double found = likelihood(table, grain, epsilon, shape);
        EXPECT_GE(found, most - .6) << table.classes << " classes, epsilon " << epsilon;
        most = std::max(most, found);
      }
    }
  }
}

}  // namespace
}  // namespace dpmix::test
