// Would falsify docs/proofs/regression_coordinate.md: neighbouring tables, through the very
// integers that are released, never differ by more than the sensitivity that the noise goes by, and
// come close to it.
#include <algorithm>

#include <gtest/gtest.h>

#include "tables/coordinate_tables.hpp"

namespace dpmix::test {
namespace {

struct Neighbouring {
  const char* name;
  Adjacency adjacency;
  ProtectedPart part;
  int rows_per_unit = 1;
};

class CoordinateSensitivity : public testing::TestWithParam<Neighbouring> {};

double apart(Int128 a, Int128 b) {
  return std::fabs(to_double(a - b));
}

TEST_P(CoordinateSensitivity, IsReachedAndNeverExceeded) {
  const auto [name, adjacency, part, most] = GetParam();
  Design design = mixed_design();
  design.target_lower = 0;
  design.target_upper = 1;
  const bool target = part == ProtectedPart::target;
  design.keeps_missing_target = target;
  const CoordinatePlan plan = plan_coordinate({.norm2 = design.norm2(),
                                               .epsilon = 2,
                                               .delta = 1e-6,
                                               .adjacency = adjacency,
                                               .part = part,
                                               .rows_per_unit = most},
                                              design.columns(), {.passes = 2});
  EXPECT_EQ(plan.unit.sensitivity, most);
  std::mt19937_64 draws(5);
  RandomStream random({5});
  constexpr double steps = 0x1p16;
  const double sides = plan.twice ? 2 : 1;
  double count = 0, sum = 0, square = 0, slope = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::vector<double>> rows;
    for (int i = 0; i < 5; ++i) rows.push_back(awkward_row(draws, design));
    // Far apart: rows at the bounds, with targets that scores speak against.
    std::vector<double> one = awkward_row(draws, design, false), other = one;
    if (!target) other = awkward_row(draws, design, trial % 3 > 0);
    one.back() = trial % 2;
    other.back() = target ? 1 - trial % 2 : static_cast<double>(draws() % 2);
    auto a = rows, b = rows;
    a.insert(a.end(), static_cast<std::size_t>(most), one);
    if (adjacency != Adjacency::add_remove) {
      b.insert(b.end(), static_cast<std::size_t>(most), other);
    }
    const auto first = coded_rows(design, a), second = coded_rows(design, b);
    if (first.empty() || second.empty()) continue;
    const auto of_a = column_totals(design, first).classes[0],
               of_b = column_totals(design, second).classes[0];
    count = std::max(count, apart(of_a.count, of_b.count));
    std::size_t at = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(design.columns()); ++j) {
      sum = std::max(sum, apart(of_a.sums[j], of_b.sums[j]) / steps / sides);
      square = std::max(square, apart(of_a.products[at], of_b.products[at]) / steps / steps);
      at += static_cast<std::size_t>(design.columns()) + 1 - j;
    }
    // Any state of the fit is public: here, one that is far off.
    CoordinateFit fit(
        {6,
         std::vector<double>(static_cast<std::size_t>(design.columns()),
                             6. * static_cast<double>(draws() % 3) - 6.),
         std::vector<double>(static_cast<std::size_t>(design.columns()), draws() % 2 ? 6. : .1)},
        plan);
    CoordinateRows held_a = held_rows(design, first), held_b = held_rows(design, second);
    while (!fit.done()) {
      const LogisticFrame frame = fit.frame();
      const int j = fit.coordinate();
      slope = std::max(
          slope, apart(held_a.slope(frame, j), held_b.slope(frame, j)) / plan.slope_sensitivity());
      fit.step((draws() % 2 ? 1 : -1) * 0x1p30);
    }
  }
  if (target) {
    EXPECT_EQ(std::max({count, sum, square}), 0) << "released exactly, but differs";
  } else {
    EXPECT_EQ(count, most);
    EXPECT_EQ(sum, most);
    EXPECT_EQ(square, most);
  }
  EXPECT_LE(slope, most);
  EXPECT_GE(slope, .98 * most);
}

INSTANTIATE_TEST_SUITE_P(
    Neighbours, CoordinateSensitivity,
    testing::Values(Neighbouring{"add_remove", Adjacency::add_remove, ProtectedPart::row},
                    Neighbouring{"replace", Adjacency::replace, ProtectedPart::row},
                    Neighbouring{"label", Adjacency::label, ProtectedPart::target},
                    Neighbouring{"add_remove_5", Adjacency::add_remove, ProtectedPart::row, 5},
                    Neighbouring{"replace_5", Adjacency::replace, ProtectedPart::row, 5}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dpmix::test
