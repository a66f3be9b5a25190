// Black-box audits of whole logistic regressions on neighbours that differ in a row of the highest
// leverage, judged by the stored coefficients alone. Would falsify docs/proofs/regression.md: no
// proved epsilon lies above the declared one, and the same audit refutes the claim with a quarter
// of the noise. (Of all that is spent the last pass shows, .3 of mu^2: with half it would not have
// to.)
//
// Declared is a point of the mu-GDP curve with a large delta: there few runs prove most. A right
// release fails any one of these with probability at most 1e-9.
#include <gtest/gtest.h>

#include <cstdio>

#include "statistical/discriminant.hpp"
#include "tables/logistic_tables.hpp"

namespace dpmix::test {
namespace {

constexpr double epsilon = 1, delta = .1, confidence = 1 - 1e-10;

using Rows = std::vector<std::vector<double>>;

struct Neighbours {
  const char* name;
  Adjacency adjacency;
  bool rises;
  Rows one, other;  // the unit that differs: here, and there
};

// The rest of the table has x near 0, so that a row at 1 or -1 is clipped, and as far from its
// target as a row can be: the targets rise steeply, or are almost all 1.
Rows table(bool rises) {
  Rows rows;
  for (int i = 0; i < 600; ++i) {
    const double x = (i % 30 - 14.5) / 50;
    const bool rare = i * 7 % 30 < (rises ? 4 : 1);
    rows.push_back({x, rare == (x > 0 || !rises) ? 0. : 1.});
  }
  return rows;
}

LogisticPlan with_noise(LogisticPlan plan, double share) {
  MomentNoise& lattice = plan.moments.lattice;
  for (double* stddev : {&lattice.count, &lattice.sum, &lattice.square, &lattice.product,
                         &plan.moments.lattice_target_square, &plan.moments.lattice_target_sum,
                         &plan.moments.lattice_target_product}) {
    *stddev *= share;
  }
  for (LogisticNoise& noise : plan.pass) {
    for (double* stddev : {&noise.slope, &noise.square, &noise.product}) *stddev *= share;
  }
  return plan;
}

class LogisticAudit : public testing::TestWithParam<std::size_t> {};

TEST_P(LogisticAudit, FindsTooLittleNoiseAndNothingElse) {
  const std::vector<Neighbours> pairs{
      {"one more at the corner", Adjacency::add_remove, true, {{1, 0}}, {}},
      {"from corner to corner", Adjacency::replace, false, {{1, 0}}, {{-1, 0}}},
      {"another target", Adjacency::label, true, {{1, 0}}, {{1, 1}}},
      {"three more at the corner", Adjacency::add_remove, true, {{1, 0}, {1, 0}, {1, 0}}, {}},
  };
  const Neighbours& pair = pairs[GetParam()];
  const bool label = pair.adjacency == Adjacency::label;
  Design design;
  design.terms = {number_term(-1, 1)};
  design.keeps_missing_target = label;
  const LogisticPlan plan =
      plan_logistic({.norm2 = design.norm2(),
                     .epsilon = epsilon,
                     .delta = delta,
                     .adjacency = pair.adjacency,
                     .part = label ? ProtectedPart::target : ProtectedPart::row,
                     .rows_per_unit = static_cast<int>(pair.one.size())},
                    design.frame(1));
  RandomStream random({8});
  const auto audit = [&](const LogisticPlan& noise, std::uint64_t runs) {
    const auto release = [&](const Rows& unit) {
      Rows rows = table(pair.rises);
      rows.insert(rows.end(), unit.begin(), unit.end());
      const MomentTotals moments = totals_of(design, 1, rows);
      return [&, moments, coded = coded_rows(design, rows)] {
        const LinearFit fit = logistic_release(random, moments, coded, noise).result();
        return Shown(Eigen::Vector3d(fit.coefficients[0], fit.coefficients[1], fit.rows));
      };
    };
    return audit_numbers(
        release(pair.one), release(pair.other),
        {.epsilon = epsilon, .delta = delta, .confidence = confidence, .runs = runs});
  };
  const AuditClaim claim{.epsilon = epsilon, .delta = delta, .confidence = confidence};
  const AuditResult honest = audit(plan, 8'000), broken = audit(with_noise(plan, .25), 8'000);
  std::printf("%-11s %-24s declared %g: %.3f; with a quarter of the noise: %.3f\n",
              name(pair.adjacency).data(), pair.name, epsilon, honest.epsilon, broken.epsilon);
  EXPECT_FALSE(honest.refutes(claim));
  EXPECT_TRUE(broken.refutes(claim));
}

INSTANTIATE_TEST_SUITE_P(Neighbours, LogisticAudit, testing::Range<std::size_t>(0, 4),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace dpmix::test
