// Black-box audits of whole regressions: thousands of them on two neighbours that differ in a
// unit's rows of the highest leverage, judged by the stored coefficients alone. Would falsify
// docs/proofs/regression.md: no proved epsilon lies above the declared one, and the same audit
// refutes the claim as soon as there is half of the noise, or a quarter where a neighbour moves
// half as far as two can.
//
// Declared is a point of the mu-GDP curve with a large delta: there few runs prove most. A right
// release fails any one of these with probability at most 1e-9.
#include <gtest/gtest.h>

#include <cstdio>

#include "core/regression/linear_fit.hpp"
#include "core/regression/model.hpp"
#include "statistical/discriminant.hpp"
#include "tables/regression_tables.hpp"

namespace dpmix::test {
namespace {

constexpr double epsilon = 1, delta = .1, confidence = 1 - 1e-10;

using Row = std::vector<double>;

struct Neighbours {
  const char* name;
  Adjacency adjacency;
  ProtectedPart part;
  Design design;
  int classes;
  std::vector<Row> one, other;  // the unit that differs: here, and there
  int one_class = 0, other_class = 0;
  double too_little = .5;  // of the noise: a share that must be found out
  int rows_per_unit = 1;
};

Design line() {
  Design design;
  design.terms = {number_term(-1, 1)};
  design.target_lower = -1;
  return design;
}

Design plane() {
  Design design;
  design.terms = {number_term(0, 10), power_term(0, 2), category_term(3)};
  return design;
}

Design labelled() {
  Design design = line();
  design.keeps_missing_target = true;
  return design;
}

std::vector<Neighbours> worst_cases() {
  constexpr auto add = Adjacency::add_remove, replace = Adjacency::replace;
  constexpr auto row = ProtectedPart::row, target = ProtectedPart::target;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      {"one more at the corner", add, row, line(), 1, {{1, 1}}, {}},
      {"one more against the line", add, row, line(), 1, {{1, -1}}, {}},
      {"one more at a rare category", add, row, plane(), 1, {{10, 2, 1}}, {}},
      {"one more in its class", add, row, line(), 2, {{1, 1}}, {}, 1},
      {"from corner to corner", replace, row, line(), 1, {{1, 1}}, {{-1, 1}}},
      {"from class to class", replace, row, line(), 2, {{1, 1}}, {{1, 1}}, 0, 1},
      {"another target", Adjacency::label, target, labelled(), 1, {{1, 1}}, {{1, -1}}},
      {"a target that is missing",
       Adjacency::label,
       target,
       labelled(),
       1,
       {{1, 1}},
       {{1, nan}},
       0,
       0,
       .25},
      {"three more at the corner", add, row, line(), 1, {{1, 1}, {1, 1}, {1, 1}}, {}, 0, 0, .5, 3},
      {"three from corner to corner",
       replace,
       row,
       line(),
       1,
       {{1, 1}, {1, 1}, {1, 1}},
       {{-1, 1}, {-1, 1}, {-1, 1}},
       0,
       0,
       .5,
       3},
  };
}

// Few rows, spread so that no ridge is needed and one row more weighs most.
MomentTotals table(const Neighbours& pair, const std::vector<Row>& unit, int k) {
  std::vector<Row> rows;
  std::vector<int> label;
  for (int i = 0; i < 400 * pair.classes; ++i) {
    const double u = (i / pair.classes % 20) / 19.;
    Row row;
    for (const DesignTerm& t : pair.design.terms) {
      if (t.kind == TermKind::number) row.push_back(t.lower + u * (t.upper - t.lower));
      if (t.kind == TermKind::category) row.push_back(i % t.categories);
    }
    row.push_back(pair.design.target_lower +
                  (i % 7) / 6. * (pair.design.target_upper - pair.design.target_lower));
    rows.push_back(row);
    label.push_back(i % pair.classes);
  }
  rows.insert(rows.end(), unit.begin(), unit.end());
  label.insert(label.end(), unit.size(), k);
  return totals_of(pair.design, pair.classes, rows, label);
}

RegressionPlan with_noise(RegressionPlan plan, double share) {
  for (double* stddev :
       {&plan.lattice.count, &plan.lattice.sum, &plan.lattice.square, &plan.lattice.product,
        &plan.lattice_target_square, &plan.lattice_target_sum, &plan.lattice_target_product}) {
    *stddev *= share;
  }
  return plan;
}

// Coefficients, residual and rows of each class: and the sums that these determine, in which the
// row's share stands out.
Shown shown(const RegressionModel& model) {
  std::vector<double> all;
  for (const RegressionModel::Class& c : model.classes) {
    all.insert(all.end(), {c.rows, c.variance, c.variance * c.rows});
    for (const double b : c.coded) all.insert(all.end(), {b, b * c.rows});
    for (const Coefficient& b : c.coefficients) {
      all.insert(all.end(), {std::isnan(b.noise_stddev) ? -1 : b.noise_stddev,
                             std::isnan(b.stddev) ? -1 : 1 / (b.stddev * b.stddev)});
    }
  }
  return Eigen::Map<Shown>(all.data(), std::ssize(all));
}

class RegressionAudit : public testing::TestWithParam<std::size_t> {};

TEST_P(RegressionAudit, FindsTooLittleNoiseAndNothingElse) {
  const Neighbours pair = worst_cases()[GetParam()];
  const AuditClaim claim{
      .epsilon = epsilon, .delta = delta, .confidence = confidence, .runs = 24'000};
  const RegressionPlan plan = plan_regression({.norm2 = pair.design.norm2(),
                                               .epsilon = epsilon,
                                               .delta = delta,
                                               .adjacency = pair.adjacency,
                                               .part = pair.part,
                                               .rows_per_unit = pair.rows_per_unit},
                                              pair.design.frame(pair.classes));
  const MomentTotals one = table(pair, pair.one, pair.one_class),
                     other = table(pair, pair.other, pair.other_class);
  RandomStream random({8});
  const auto audit = [&](const RegressionPlan& noise) {
    const auto run = [&](const MomentTotals& totals) {
      RegressionModel model{pair.design, {}};
      for (const MomentTotals::Class& c : totals.classes) {
        model.add(fit_linear(noisy_gram(random, &c, pair.design.columns() + 1, noise), noise));
      }
      return shown(model);
    };
    return audit_numbers([&] { return run(one); }, [&] { return run(other); }, claim);
  };
  const AuditResult honest = audit(plan), broken = audit(with_noise(plan, pair.too_little));
  std::printf("%-11s %-28s declared %g: %.3f; with %.2f of the noise: %.3f\n",
              name(pair.adjacency).data(), pair.name, epsilon, honest.epsilon, pair.too_little,
              broken.epsilon);
  EXPECT_FALSE(honest.refutes(claim));
  EXPECT_TRUE(broken.refutes(claim));
}

INSTANTIATE_TEST_SUITE_P(Neighbours, RegressionAudit, testing::Range<std::size_t>(0, 10),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace dpmix::test
