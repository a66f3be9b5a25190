// Black-box audits of whole coordinate descents on neighbours that differ in a row of the highest
// leverage, judged by the stored coefficients alone. Would falsify
// docs/proofs/regression_coordinate.md: no proved epsilon lies above the declared one, and the same
// audit refutes the claim with a quarter of the noise.
//
// Declared is a point with a large delta: there few runs prove most. One pass, for every number of
// it shows. A right release fails any one of these with probability at most 1e-9.
#include <gtest/gtest.h>

#include <cstdio>

#include "statistical/discriminant.hpp"
#include "tables/coordinate_tables.hpp"

namespace dpmix::test {
namespace {

constexpr double epsilon = 1, delta = .1, confidence = 1 - 1e-10;

using Rows = std::vector<std::vector<double>>;

struct Neighbours {
  Family family;
  Adjacency adjacency;
  Rows one, other;  // the unit that differs: here, and there
};

// Targets are almost all 1, and x is near 0: the row that differs is at 1 or -1, and its target
// as unlikely as can be.
Rows table() {
  Rows rows;
  for (int i = 0; i < 200; ++i) rows.push_back({(i % 30 - 14.5) / 50, i % 40 == 0 ? 0. : 1.});
  return rows;
}

class CoordinateAudit : public testing::TestWithParam<std::size_t> {};

TEST_P(CoordinateAudit, FindsTooLittleNoiseAndNothingElse) {
  const Rows none, corner{{1, 0}}, opposite{{-1, 0}}, flipped{{1, 1}},
      corners{{1, 0}, {1, 0}, {1, 0}};
  const std::vector<Neighbours> pairs{
      {Family::gaussian, Adjacency::add_remove, corner, none},
      {Family::gaussian, Adjacency::replace, corner, opposite},
      {Family::gaussian, Adjacency::label, corner, flipped},
      {Family::multi_gaussian, Adjacency::label, corner, flipped},
      {Family::quasi_gaussian, Adjacency::label, corner, flipped},
      {Family::gaussian, Adjacency::add_remove, corners, none},
      {Family::multi_gaussian, Adjacency::add_remove, corners, none},
  };
  const Neighbours& pair = pairs[GetParam()];
  const bool label = pair.adjacency == Adjacency::label;
  Design design;
  design.terms = {number_term(-1, 1)};
  design.keeps_missing_target = label;
  const CoordinatePlan plan =
      plan_coordinate({.norm2 = design.norm2(),
                       .epsilon = epsilon,
                       .delta = delta,
                       .adjacency = pair.adjacency,
                       .part = label ? ProtectedPart::target : ProtectedPart::row,
                       .rows_per_unit = static_cast<int>(pair.one.size())},
                      design.columns(), {.family = pair.family, .passes = 1});
  RandomStream random({9});
  const auto audit = [&](double share, std::uint64_t runs) {
    const auto release = [&](const Rows& unit) {
      Rows rows = table();
      rows.insert(rows.end(), unit.begin(), unit.end());
      const auto coded = coded_rows(design, rows);
      return [&, share, moments = column_totals(design, coded), held = held_rows(design, coded)] {
        const LinearFit fit = coordinate_release(random, moments, held, plan, share).result();
        return Shown(Eigen::Vector3d(fit.coefficients[0], fit.coefficients[1], fit.rows));
      };
    };
    return audit_numbers(
        release(pair.one), release(pair.other),
        {.epsilon = epsilon, .delta = delta, .confidence = confidence, .runs = runs});
  };
  const AuditClaim claim{.epsilon = epsilon, .delta = delta, .confidence = confidence};
  const AuditResult honest = audit(1, 8'000), broken = audit(.25, 8'000);
  std::printf("%-14s %-11s declared %g: %.3f; with a quarter of the noise: %.3f\n",
              name(pair.family).data(), name(pair.adjacency).data(), epsilon, honest.epsilon,
              broken.epsilon);
  EXPECT_FALSE(honest.refutes(claim));
  EXPECT_TRUE(broken.refutes(claim));
}

INSTANTIATE_TEST_SUITE_P(Neighbours, CoordinateAudit, testing::Range<std::size_t>(0, 7),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace dpmix::test
