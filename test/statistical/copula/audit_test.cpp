// Black-box audits of whole releases of copulas: thousands of them on two neighbours, judged by the
// model alone. Would falsify docs/proofs/copula.md: no proved epsilon lies above the declared one,
// and the same audit refutes the claim as soon as there is a part of the noise.
//
// Declared is a point of the mu-GDP curve with a large delta: there few runs prove most. A right
// release fails any one of these with probability at most 1e-9. DPMIX_SOAK=1 runs more of them.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "statistical/discriminant.hpp"
#include "tables/copula_releases.hpp"
#include "tables/tree_models.hpp"

namespace dpmix::test {
namespace {

constexpr double epsilon = 1, delta = .1, confidence = 1 - 1e-10;

struct Neighbours {
  const char* name;
  TreeCase of;
  std::vector<TreeRow> others;      // in both tables
  std::vector<TreeRow> one, other;  // of the unit: here, and there
};

CopulaPlan with_noise(CopulaPlan plan, double share) {
  for (double* stddev :
       {&plan.columns.fine_stddev, &plan.columns.zoom_stddev, &plan.columns.single_stddev}) {
    *stddev *= share;
  }
  plan.scores.mu /= share;
  return plan;
}

// Rows by class, by code and class, and correlations.
Shown shown(const CopulaModel& model) {
  std::vector<double> all = model.columns.tables.classes;
  for (std::size_t i = 0; i < model.columns.columns.size(); ++i) {
    const std::vector<double>& rows = model.columns.tables.columns[i];
    all.insert(all.end(), rows.begin(), rows.end());
  }
  double sum = 0;
  for (const double x : model.columns.tables.classes) sum += x;
  all.push_back(sum);
  for (std::size_t k = 0; k < model.correlation.size(); ++k) {
    const Matrix& correlation = model.correlation[k];
    for (Eigen::Index a = 0; a < correlation.rows(); ++a) {
      for (Eigen::Index b = 0; b < a; ++b) {
        const double r = correlation(a, b);
        all.insert(all.end(), {r, r * model.columns.tables.classes[k]});
      }
    }
  }
  return Eigen::Map<Shown>(all.data(), std::ssize(all));
}

// Of two columns of two values that do not merge: always as many codes.
const ColumnValues two = {
    .lower = 0, .upper = 1, .whole = true, .missing = false, .nullable = false};

TreeCase case_of(int classes, Adjacency adjacency = Adjacency::add_remove) {
  TreeCase of;
  of.classes = classes;
  of.columns = {two, two};
  of.epsilon = epsilon;
  of.delta = delta;
  of.adjacency = adjacency;
  return of;
}

std::vector<TreeRow> even(int classes, int each) {
  std::vector<TreeRow> rows;
  for (int k = 0; k < classes; ++k) {
    each_codes(std::vector<int>{2, 2}, [&](const std::vector<int>& codes) {
      rows.insert(rows.end(), at(each), {k, std::vector<double>(codes.begin(), codes.end())});
    });
  }
  return rows;
}

std::vector<Neighbours> worst_cases() {
  constexpr auto replace = Adjacency::replace, label = Adjacency::label;
  return {
      {"one more among many", case_of(1), even(1, 200), {{0, {1, 1}}}, {}},
      {"one more in a small class", case_of(2), even(2, 30), {{1, {1, 1}}}, {}},
      {"other values", case_of(1, replace), even(1, 200), {{0, {1, 1}}}, {{0, {0, 0}}}},
      {"another class", case_of(2, replace), even(2, 100), {{0, {1, 1}}}, {{1, {0, 0}}}},
      {"another label", case_of(2, label), even(2, 100), {{0, {1, 1}}}, {{1, {1, 1}}}},
  };
}

class CopulaAudit : public testing::TestWithParam<std::size_t> {};

TEST_P(CopulaAudit, FindsTooLittleNoiseAndNothingElse) {
  const Neighbours pair = worst_cases()[GetParam()];
  const std::uint64_t runs = std::getenv("DPMIX_SOAK") != nullptr ? 60'000 : 6'000;
  const AuditClaim claim{
      .epsilon = epsilon, .delta = delta, .confidence = confidence, .runs = runs};
  const auto table = [&](const std::vector<TreeRow>& unit) {
    std::vector<TreeRow> rows = pair.others;
    rows.insert(rows.end(), unit.begin(), unit.end());
    return rows;
  };
  const std::vector<TreeRow> one = table(pair.one), other = table(pair.other);
  RandomStream random({43});
  const auto audit = [&](const CopulaPlan& plan) {
    const auto run = [&](const std::vector<TreeRow>& rows) {
      return shown(released_copula(random, pair.of, plan, rows));
    };
    return audit_numbers([&] { return run(one); }, [&] { return run(other); }, claim);
  };
  constexpr double too_little = .3;
  const CopulaPlan plan = copula_plan(pair.of);
  const AuditResult honest = audit(plan), broken = audit(with_noise(plan, too_little));
  std::printf("%-11s %-28s declared %g: %.3f; with %.1f of the noise: %.3f\n",
              name(pair.of.adjacency).data(), pair.name, epsilon, honest.epsilon, too_little,
              broken.epsilon);
  EXPECT_FALSE(honest.refutes(claim));
  EXPECT_TRUE(broken.refutes(claim));
}

INSTANTIATE_TEST_SUITE_P(Neighbours, CopulaAudit, testing::Range<std::size_t>(0, 5),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace dpmix::test
