// Black-box audits of whole releases of tree models: thousands of them on two neighbours, judged by
// the stored model alone. Would falsify docs/proofs/tree_model.md: no proved epsilon lies above the
// declared one, and the same audit refutes the claim as soon as there is less noise: half of it, or
// a quarter where much of what is released is lost on the way to the model.
//
// Declared is a point of the mu-GDP curve with a large delta: there few runs prove most. A right
// release fails any one of these with probability at most 1e-9. DPMIX_SOAK=1 runs more of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/accounting/gdp_profile.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "statistical/discriminant.hpp"
#include "tables/tree_models.hpp"
#include "tables/tree_releases.hpp"

namespace dpmix::test {
namespace {

constexpr double epsilon = 1, delta = .1, confidence = 1 - 1e-10;

struct Neighbours {
  const char* name;
  TreeCase of;
  std::vector<TreeRow> others;      // in both tables
  std::vector<TreeRow> one, other;  // of the unit: here, and there
  double too_little = .5;           // of the noise: a share that must be found out
  std::uint64_t runs = 24'000;
};

TreePlan with_noise(TreePlan plan, double share) {
  for (double* stddev :
       {&plan.fine_stddev, &plan.zoom_stddev, &plan.single_stddev, &plan.edge_stddev,
        &plan.chord_stddev, &plan.for_chords_stddev, &plan.for_pairs_stddev}) {
    *stddev *= share;
  }
  plan.draw_rate.rate /= share;
  return plan;
}

// What the model says of the rows of the unit: how many there are like them, in classes, in single
// columns, in pairs; which pairs are joined; and how columns are cut.
Shown shown(const TreeModel& model, const Neighbours& pair) {
  std::vector<double> all;
  const TreeTables& tables = model.tables;
  const auto columns = static_cast<int>(model.columns.size());
  double rows = 0;
  for (const double x : tables.classes) rows += x;
  all.push_back(rows);
  const ColumnGraph graph = model.graph();
  for (const auto* unit : {&pair.one, &pair.other}) {
    if (unit->empty()) continue;
    const TreeRow& row = unit->front();
    all.push_back(tables.classes[at(row.k)]);
    std::vector<int> codes;
    for (int i = 0; i < columns; ++i) {
      const CutColumn& column = model.columns[at(i)];
      const int cell = column.cells.cell(row.x[at(i)]), code = column.cells.code[at(cell)];
      codes.push_back(code);
      double weight = 0;
      for (std::size_t c = 0; c < column.weight.size(); ++c) {
        if (column.cells.code[c] == code) weight += column.weight[c];
      }
      const double here = tables.columns[at(i)][at(row.k * tables.codes[at(i)] + code)];
      all.insert(all.end(), {here, here * column.weight[at(cell)] / std::max(weight, 1e-12)});
      if (column.ordered()) all.insert(all.end(), {column.low(cell), column.high(cell)});
    }
    for (int a = 0; a < columns; ++a) {
      for (int b = a + 1; b < columns; ++b) {
        const int na = tables.codes[at(a)], nb = tables.codes[at(b)];
        const std::vector<double> of =
            graph.joined(a, b) ? tables.pair(a, b) : rows_through(tables, a, b, -1);
        all.push_back(of[at((row.k * na + codes[at(a)]) * nb + codes[at(b)])]);
      }
    }
  }
  for (int a = 0; a < columns; ++a) {
    all.push_back(tables.codes[at(a)]);
    for (int b = a + 1; b < columns; ++b) all.push_back(graph.joined(a, b) ? 1 : 0);
  }
  return Eigen::Map<Shown>(all.data(), std::ssize(all));
}

// As many rows of each class and each combination of values.
std::vector<TreeRow> even(int classes, const std::vector<int>& sizes, int each) {
  std::vector<TreeRow> rows;
  for (int k = 0; k < classes; ++k) {
    each_codes(sizes, [&](const std::vector<int>& codes) {
      rows.insert(rows.end(), at(each), {k, std::vector<double>(codes.begin(), codes.end())});
    });
  }
  return rows;
}

const ColumnValues two = {.categories = 2, .missing = false, .nullable = false};
const ColumnValues number = {.lower = 0, .upper = 100, .missing = false, .nullable = false};

TreeCase case_of(int classes, std::vector<ColumnValues> columns,
                 Adjacency adjacency = Adjacency::add_remove, int rows_per_unit = 1) {
  TreeCase of;
  of.classes = classes;
  of.columns = std::move(columns);
  of.epsilon = epsilon;
  of.delta = delta;
  of.adjacency = adjacency;
  of.rows_per_unit = rows_per_unit;
  return of;
}

// 0 and 1 go together as 0 and 2 do; the unit's row is one of those that 0 and 1 have in common,
// and not one of those of 0 and 2.
std::vector<TreeRow> two_like_edges() {
  std::vector<TreeRow> rows;
  for (int i = 0; i < 448; ++i) {
    const int a = i % 2, same = i % 8 < 6 ? a : 1 - a, like = i / 8 % 8 < 6 ? a : 1 - a;
    rows.push_back({0, {double(a), double(same), double(like)}});
  }
  return rows;
}

std::vector<TreeRow> numbers(int count) {
  std::vector<TreeRow> rows;
  for (int i = 0; i < count; ++i) rows.push_back({0, {100. * i / count}});
  return rows;
}

std::vector<Neighbours> worst_cases() {
  constexpr auto replace = Adjacency::replace, label = Adjacency::label;
  const auto crowd = even(1, {2, 2}, 200);
  auto full = numbers(300);
  full.insert(full.end(), 300, {0, {37.5}});
  return {
      {"one more among many", case_of(1, {two, two}), crowd, {{0, {1, 1}}}, {}},
      {"one more, a single column", case_of(1, {two}), even(1, {2}, 300), {{0, {1}}}, {}},
      {"one alone in its class", case_of(2, {two, two}), crowd, {{1, {1, 1}}}, {}, .35},
      {"one more in a small class", case_of(2, {two, two}), even(2, {2, 2}, 20), {{1, {1, 1}}}, {}},
      {"one more among few", case_of(2, {two, two}), even(2, {2, 2}, 1), {{1, {1, 1}}}, {}, .35},
      {"one who changes the edge",
       case_of(1, {two, two, two}),
       two_like_edges(),
       {{0, {0, 0, 1}}},
       {}},
      {"one more in private bins", case_of(1, {number}), numbers(12), {{0, {99.5}}}, {}, .2, 6000},
      {"one more in a full cell", case_of(1, {number}), full, {{0, {37.5}}}, {}, .2, 4000},
      {"other values", case_of(1, {two, two}, replace), crowd, {{0, {1, 1}}}, {{0, {0, 0}}}},
      {"another class",
       case_of(2, {two, two}, replace),
       even(2, {2, 2}, 100),
       {{0, {1, 1}}},
       {{1, {1, 1}}}},
      {"another label",
       case_of(2, {two, two}, label),
       even(2, {2, 2}, 100),
       {{0, {1, 1}}},
       {{1, {1, 1}}}},
      {"three rows",
       case_of(1, {two, two}, Adjacency::add_remove, 3),
       crowd,
       std::vector<TreeRow>(3, {0, {1, 1}}),
       {}},
      {"three rows of other values", case_of(1, {two, two}, replace, 3), crowd,
       std::vector<TreeRow>(3, {0, {1, 1}}), std::vector<TreeRow>(3, {0, {0, 0}})},
  };
}

class TreeAudit : public testing::TestWithParam<std::size_t> {};

TEST_P(TreeAudit, FindsTooLittleNoiseAndNothingElse) {
  const Neighbours pair = worst_cases()[GetParam()];
  const bool soak = std::getenv("DPMIX_SOAK") != nullptr;
  const AuditClaim claim{.epsilon = epsilon,
                         .delta = delta,
                         .confidence = confidence,
                         .runs = soak ? 10 * pair.runs : pair.runs};
  const auto table = [&](const std::vector<TreeRow>& unit) {
    std::vector<TreeRow> rows = pair.others;
    rows.insert(rows.end(), unit.begin(), unit.end());
    return rows;
  };
  const std::vector<TreeRow> one = table(pair.one), other = table(pair.other);
  RandomStream random({6});
  const auto audit = [&](const TreePlan& plan) {
    const auto run = [&](const std::vector<TreeRow>& rows) {
      return shown(released(random, pair.of, plan, rows).model(), pair);
    };
    return audit_numbers([&] { return run(one); }, [&] { return run(other); }, claim);
  };
  const AuditResult honest = audit(pair.of.plan());
  const AuditResult broken = audit(with_noise(pair.of.plan(), pair.too_little));
  std::printf("%-11s %-28s declared %g: %.3f; with %.2f of the noise: %.3f\n",
              name(pair.of.adjacency).data(), pair.name, epsilon, honest.epsilon, pair.too_little,
              broken.epsilon);
  EXPECT_FALSE(honest.refutes(claim));
  EXPECT_TRUE(broken.refutes(claim));
}

INSTANTIATE_TEST_SUITE_P(Neighbours, TreeAudit, testing::Range<std::size_t>(0, 13),
                         [](const auto& info) { return std::to_string(info.param); });

// The draw of an edge alone. A unit of two rows changes so that no single column does, and the
// scores of two candidates move by all that they may, against each other. That is randomised
// response of half the range, the worst that the range allows: its distance at epsilon 0 is
// reached, and twice the rate passes it.
TEST(TreeAuditOfDraws, AUnitMovesADrawByItsRangeAndNoMore) {
  TreeCase of = case_of(1, {two, two, two}, Adjacency::replace, 2);
  const std::vector<TreeRow> base = two_like_edges();
  std::vector<TreeRow> one = base, other = base;
  one.insert(one.end(), {{0, {0, 0, 1}}, {0, {1, 1, 0}}});
  other.insert(other.end(), {{0, {0, 1, 0}}, {0, {1, 0, 1}}});
  constexpr double range = 1.5;
  TreePlan plan = of.plan();
  plan.single_stddev = plan.edge_stddev = 1e-3;  // no noise: nothing else differs
  plan.chords = 0;
  plan.edges = 1;
  RandomStream random({7});
  const double mu = std::sqrt(cost_of_bounded_range({Accountant::gdp, 0}, range).amount);
  const AuditClaim claim{
      .epsilon = 0, .delta = gdp_delta(0, mu), .confidence = confidence, .runs = 30'000};
  const auto audit = [&](double times) {
    plan.draw_rate.rate = times * range;
    EXPECT_EQ(plan.draw_rate.divisor, 8U);
    const auto joined = [&](const std::vector<TreeRow>& rows) {
      return released(random, of, plan, rows).model().graph().joined(0, 1);
    };
    return audit_event([&] { return joined(one); }, [&] { return joined(other); }, claim);
  };
  EXPECT_FALSE(audit(1).refutes(claim));
  EXPECT_TRUE(audit(1.25).refutes(claim));
}

}  // namespace
}  // namespace dpmix::test
