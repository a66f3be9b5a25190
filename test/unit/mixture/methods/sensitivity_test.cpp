// Would falsify docs/proofs/mixture_one_shot.md: neighbouring tables, through the very integers
// that are released, never differ by more than mu noise deviations.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/mixture/fit/one_shot_plan.hpp"
#include "tables/mixture_tables.hpp"

namespace dpmix::test {
namespace {

// |exact(D) - exact(D')| in the metric in which the released noise is isotropic: each difference in
// standard deviations of its own noise. The mechanism is mu-GDP if and only if this stays <= mu.
double distance(const MomentTotals& a, const MomentTotals& b, const GmmPlan& plan) {
  double sum = 0;
  const auto add = [&](Int128 difference, double sigma) {
    const double z = static_cast<double>(difference) / sigma;
    sum += z * z;
  };
  const auto d = static_cast<std::size_t>(plan.frame.features);
  for (std::size_t k = 0; k < a.classes.size(); ++k) {
    add(a.classes[k].count - b.classes[k].count, plan.noise.count);
    std::size_t at = 0;
    for (std::size_t i = 0; i < d; ++i) {
      add(a.classes[k].sums[i] - b.classes[k].sums[i], plan.noise.sum);
      for (std::size_t j = i; j < d; ++j, ++at) {
        const Int128 difference = a.classes[k].products[at] - b.classes[k].products[at];
        if (i == j) add(difference, plan.noise.square);
        if (i != j && plan.shape == CovarianceShape::full) add(difference, plan.noise.product);
      }
    }
  }
  return std::sqrt(sum);
}

class GmmSensitivity : public testing::TestWithParam<Adjacency> {};

TEST_P(GmmSensitivity, NeighboursStayWithinMu) {
  const Adjacency adjacency = GetParam();
  std::mt19937_64 random(17);
  constexpr double mu = .5;
  double farthest = 0;
  for (const int d : {1, 2, 3, 4, 5, 9, 16, 31, 100}) {
    for (const CovarianceShape shape :
         {CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared}) {
      Table table{d, 2, {}, {}, {}, {}};
      for (int i = 0; i < d; ++i) {
        const double low = std::uniform_real_distribution<double>(-3, 3)(random);
        const double width = std::pow(10., static_cast<double>(random() % 13) - 6);
        table.lower.push_back(low);
        table.upper.push_back(low + width);
      }
      const GmmPlan plan = plan_gmm(table.lower, table.upper, 2, shape, adjacency, mu);
      const auto one = [&](const std::vector<double>& x, int k) {
        Table single = table;
        single.row = {x};
        single.label = {k};
        return exact_moments(single, plan.frame);
      };
      const MomentTotals none = exact_moments(table, plan.frame);
      for (int trial = 0; trial < 400; ++trial) {
        // Sums are additive over rows, so the rest of the table cancels.
        const MomentTotals row = one(awkward_row(random, table), static_cast<int>(random() % 2));
        const MomentTotals other =
            adjacency == Adjacency::add_remove
                ? none
                : one(awkward_row(random, table), static_cast<int>(random() % 2));
        const double far = distance(row, other, plan);
        ASSERT_LE(far, mu) << "d = " << d << ", trial " << trial;
        farthest = std::max(farthest, far);
      }
    }
  }
  EXPECT_GT(farthest, .999 * mu);  // and the noise is not larger than it must be
}

INSTANTIATE_TEST_SUITE_P(Adjacencies, GmmSensitivity,
                         testing::Values(Adjacency::add_remove, Adjacency::replace),
                         [](const auto& info) { return std::string(name(info.param)); });

// What the diagonal sensitivity rests on: no coordinate leaves its share of the radius.
TEST(GmmSensitivity, CoordinatesStayInTheBox) {
  std::mt19937_64 random(23);
  for (int trial = 0; trial < 2000; ++trial) {
    const int d = 1 + static_cast<int>(random() % 100);
    Table table{d, 1, {}, {}, {}, {}};
    for (int i = 0; i < d; ++i) {
      const double low = std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random),
                                    static_cast<int>(random() % 40) - 20);
      table.lower.push_back(low);
      table.upper.push_back(low + std::ldexp(1 + static_cast<double>(random() % 1000) / 1000,
                                             static_cast<int>(random() % 40) - 20));
    }
    const GmmPlan plan =
        plan_gmm(table.lower, table.upper, 1, CovarianceShape::diagonal, Adjacency::add_remove, 1);
    std::vector<double> memory(FramePlacer::memory_size(plan.frame));
    const FramePlacer placer(plan.frame, memory.data());
    std::vector<std::int32_t> q(FramePlacer::max_row);
    const auto resolution = static_cast<double>(plan.frame.resolution);
    const double most = resolution / std::sqrt(d) * (1 + 0x1p-48);
    for (int n = 0; n < 5; ++n) {
      if (!placer.place(0, awkward_row(random, table).data(), q.data())) continue;
      for (const std::int32_t v : q) ASSERT_LE(std::abs(v), most) << "d = " << d;
    }
  }
}

}  // namespace
}  // namespace dpmix::test
