// Would falsify docs/proofs/regression.md: neighbouring tables, through the very integers that are
// released, never differ by more than mu deviations of their noise; and what is released exactly
// under adjacency label is the same in both.
#include <algorithm>

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include "core/base/error.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "tables/regression_tables.hpp"

namespace dpmix::test {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>,
                                           boost::multiprecision::et_off>;

constexpr double epsilon = 1, delta = 1e-6;

RegressionPlan plan_for(const Design& design, Adjacency adjacency, ProtectedPart part, int classes,
                        int rows_per_unit = 1) {
  return plan_regression({.norm2 = design.norm2(),
                          .epsilon = epsilon,
                          .delta = delta,
                          .adjacency = adjacency,
                          .part = part,
                          .rows_per_unit = rows_per_unit},
                         design.frame(classes));
}

Wide wide(Int128 value) {
  const auto high = static_cast<std::int64_t>(value >> 64);
  return Wide(high) * Wide(18446744073709551616.) + Wide(static_cast<std::uint64_t>(value));
}

// The distance in the metric in which the released noise is isotropic.
Wide distance(const MomentTotals& a, const MomentTotals& b, const RegressionPlan& plan) {
  Wide sum = 0;
  const auto add = [&](Int128 difference, double sigma) {
    if (sigma == 0) {
      EXPECT_EQ(difference, 0) << "released exactly, but differs";
      return;
    }
    const Wide z = wide(difference) / Wide(sigma);
    sum += z * z;
  };
  for (std::size_t k = 0; k < a.classes.size(); ++k) {
    const std::size_t d = a.classes[k].sums.size();
    add(a.classes[k].count - b.classes[k].count, plan.lattice.count);
    std::size_t at = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const bool y = i + 1 == d;
      add(a.classes[k].sums[i] - b.classes[k].sums[i],
          y ? plan.lattice_target_sum : plan.lattice.sum);
      for (std::size_t j = i; j < d; ++j, ++at) {
        const double sigma = y            ? plan.lattice_target_square
                             : j + 1 == d ? plan.lattice_target_product
                             : i == j     ? plan.lattice.square
                                          : plan.lattice.product;
        add(a.classes[k].products[at] - b.classes[k].products[at], sigma);
      }
    }
  }
  return sqrt(sum);
}

std::vector<Design> designs() {
  std::vector<Design> all{mixed_design()};
  Design one;
  one.terms = {number_term(0, 1)};
  all.push_back(one);
  Design many;
  for (int i = 0; i < 40; ++i) many.terms.push_back(number_term(-1, i + 1.));
  many.terms.push_back(category_term(9));
  all.push_back(many);
  return all;
}

// The same corner, or its opposite: where two rows are farthest apart.
std::vector<double> corner_row(const Design& design, bool low, bool target_low) {
  std::vector<double> row;
  for (const DesignTerm& term : design.terms) {
    if (term.kind == TermKind::number) row.push_back(low ? term.lower : term.upper);
    if (term.kind == TermKind::category) row.push_back(0);
  }
  row.push_back(target_low ? design.target_lower : design.target_upper);
  return row;
}

struct Neighbouring {
  Adjacency adjacency;
  int rows_per_unit;
};

class RegressionSensitivity : public testing::TestWithParam<Neighbouring> {};

// At most so many rows, of any classes: of all there can be, equal ones move sums farthest.
MomentTotals drawn_unit(std::mt19937_64& random, const Design& design, int most) {
  std::vector<std::vector<double>> rows;
  std::vector<int> label;
  const bool corner = random() % 2 == 0;
  const std::vector<double> same = corner_row(design, random() % 2 == 0, random() % 2 == 0);
  const int k = static_cast<int>(random() % 2);
  const auto count = corner || most == 1 ? most : static_cast<int>(random() % (most + 1u));
  for (int i = 0; i < count; ++i) {
    rows.push_back(corner ? same : awkward_row(random, design));
    label.push_back(corner ? k : static_cast<int>(random() % 2));
  }
  return totals_of(design, 2, rows, label);
}

TEST_P(RegressionSensitivity, NeighboursStayWithinMu) {
  const auto [adjacency, rows_per_unit] = GetParam();
  std::mt19937_64 random(3);
  const Wide mu = gdp_mu(epsilon, delta);
  Wide farthest = 0;
  for (const Design& design : designs()) {
    const RegressionPlan plan = plan_for(design, adjacency, ProtectedPart::row, 2, rows_per_unit);
    const MomentTotals none = totals_of(design, 2, {});
    for (int trial = 0; trial < 600; ++trial) {
      // Sums are additive over rows, so the rest of the table cancels.
      const auto unit = [&] { return drawn_unit(random, design, rows_per_unit); };
      const Wide far = distance(unit(), adjacency == Adjacency::add_remove ? none : unit(), plan);
      ASSERT_LE(far, mu) << "trial " << trial;
      farthest = std::max(farthest, far);
    }
  }
  EXPECT_GT(farthest, Wide(.999) * mu);  // and the noise is not larger than it must be
}

INSTANTIATE_TEST_SUITE_P(Neighbours, RegressionSensitivity,
                         testing::Values(Neighbouring{Adjacency::add_remove, 1},
                                         Neighbouring{Adjacency::replace, 1},
                                         Neighbouring{Adjacency::add_remove, 5},
                                         Neighbouring{Adjacency::replace, 5}),
                         [](const auto& info) {
                           return std::string(name(info.param.adjacency)) + "_" +
                                  std::to_string(info.param.rows_per_unit);
                         });

TEST(RegressionSensitivityOfTargets, StayWithinMu) {
  std::mt19937_64 random(4);
  const Wide mu = gdp_mu(epsilon, delta);
  Wide farthest = 0;
  for (Design design : designs()) {
    design.keeps_missing_target = true;
    const RegressionPlan plan = plan_for(design, Adjacency::label, ProtectedPart::target, 1);
    for (int trial = 0; trial < 600; ++trial) {
      std::vector<double> row = random() % 2 == 0
                                    ? corner_row(design, random() % 2 == 0, random() % 2 == 0)
                                    : awkward_row(random, design);
      const MomentTotals one = totals_of(design, 1, {row});
      row.back() = awkward_number(random, design.target_lower, design.target_upper);
      const Wide far = distance(one, totals_of(design, 1, {row}), plan);
      ASSERT_LE(far, mu) << "trial " << trial;
      farthest = std::max(farthest, far);
    }
  }
  // Two opposite targets move products alone, a target in the middle the square: not both.
  EXPECT_GT(farthest, Wide(.97) * mu);
}

// In exact arithmetic: the weights of a row in the corner of the ball add up to mu^2 and no more.
TEST(RegressionPlan, SpendsMuInExactArithmetic) {
  for (const Design& design : designs()) {
    for (const auto& [adjacency, rows] :
         {Neighbouring{Adjacency::add_remove, 1}, Neighbouring{Adjacency::replace, 1},
          Neighbouring{Adjacency::replace, 1000000}}) {
      const RegressionPlan plan = plan_for(design, adjacency, ProtectedPart::row, 3, rows);
      const Wide r2 = Wide(1048576.) * Wide(1048576.);
      const auto weight = [](double sigma) { return 1 / (Wide(sigma) * Wide(sigma)); };
      // A square counts once, a product of two coordinates twice by its symmetry.
      ASSERT_GE(weight(plan.lattice.square) * (1 + Wide(1e-9)), weight(plan.lattice.product) / 2);
      Wide row = weight(plan.lattice.count) + weight(plan.lattice.sum) * r2 +
                 std::max(weight(plan.lattice.square), weight(plan.lattice.product) / 2) * r2 * r2;
      if (adjacency == Adjacency::replace) row *= 2;
      row *= Wide(rows) * rows;
      EXPECT_LE(row, Wide(plan.mu) * plan.mu);
      EXPECT_GT(row, Wide(plan.mu) * plan.mu * (1 - Wide(1e-6)));
      EXPECT_EQ(plan.lattice_target_sum, plan.lattice.sum);
      EXPECT_EQ(plan.lattice_target_product, plan.lattice.product);
      EXPECT_EQ(plan.lattice_target_square, plan.lattice.square);
    }
    const RegressionPlan plan = plan_for(design, Adjacency::label, ProtectedPart::target, 1);
    const Wide step = plan.step;
    const Wide moved = 4 * (1 + Wide(design.norm2()));
    const auto square = [](const Wide& x) { return x * x; };
    const Wide products = moved / square(Wide(plan.lattice_target_product) * step * step);
    const Wide squares = 1 / square(Wide(plan.lattice_target_square) * step * step);
    EXPECT_LE(products + squares, square(Wide(plan.mu)));
    EXPECT_GT(products + squares, square(Wide(plan.mu)) * (1 - Wide(1e-9)));
    EXPECT_LE(moved / square(Wide(plan.lattice_target_sum) * step), products * (1 + Wide(1e-9)));
  }
}

TEST(RegressionPlan, Refuses) {
  const Design design = mixed_design();
  const MomentFrame frame = design.frame(1);
  EXPECT_THROW(plan_regression({.norm2 = 1, .epsilon = 0, .delta = 1e-6}, frame), Error);
  EXPECT_THROW(plan_regression({.norm2 = 1, .epsilon = 1, .delta = 0}, frame), Error);
  EXPECT_THROW(
      plan_regression({.norm2 = 1, .epsilon = 1, .delta = 1e-6, .rows_per_unit = 0}, frame), Error);
}

}  // namespace
}  // namespace dpmix::test
