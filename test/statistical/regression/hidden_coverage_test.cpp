// Where some coefficients of a logistic regression are hidden, the others' intervals still hold:
// the wage table with a term that is there twice, and with a category of a few rows of one outcome.
// Beside what the same rows say without noise, of the terms that can be told apart. A right release
// fails with probability at most 1e-9: its intervals hold in more runs than they say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "core/regression/intervals.hpp"
#include "tables/logistic_tables.hpp"
#include "tables/wage_regression.hpp"

namespace dpmix::test {
namespace {

constexpr std::size_t terms = 5, rare = 40;  // inputs before the target; rows of the rare category

struct Held {
  int runs = 0, given = 0, held = 0, hidden_alone = 0;
};

// Of coefficients before first_hidden, which are those of `exact`.
Held count_held(const WageRegression& wages, const std::vector<Coefficient>& exact,
                std::size_t first_hidden, double epsilon, int runs) {
  const MomentTotals totals = totals_of(wages.design, 1, wages.rows);
  const auto coded = coded_rows(wages.design, wages.rows);
  const LogisticPlan plan = plan_logistic(
      {.norm2 = wages.design.norm2(), .epsilon = epsilon, .delta = 1e-6}, wages.design.frame(1));
  RandomStream random({21});
  const double reach = normal_reach(.95);
  Held all;
  for (int run = 0; run < runs; ++run) {
    const LinearFit fit = logistic_release(random, totals, coded, plan).result();
    const auto noisy = coefficients_of(fit, wages.design, RegressionKind::logistic);
    ++all.runs;
    bool others = true;
    for (std::size_t i = 0; i < first_hidden; ++i) {
      if (std::isnan(noisy[i].stddev)) {
        others = false;
        continue;
      }
      ++all.given;
      all.held += std::fabs(noisy[i].estimate - exact[i].estimate) <= reach * noisy[i].noise_stddev;
    }
    all.hidden_alone += others && std::isnan(noisy.back().stddev) ? 1 : 0;
  }
  std::printf("epsilon %g: %d runs, %d given, %.4f hold, hidden alone %d\n", epsilon, all.runs,
              all.given, all.held / std::max(1., static_cast<double>(all.given)), all.hidden_alone);
  return all;
}

std::vector<Coefficient> exact_of(const WageRegression& wages) {
  const MomentTotals totals = totals_of(wages.design, 1, wages.rows);
  RandomStream random({22});
  const LogisticPlan plan = plan_logistic(
      {.norm2 = wages.design.norm2(), .epsilon = 1e7, .delta = 1e-6}, wages.design.frame(1));
  return coefficients_of(
      logistic_release(random, totals, coded_rows(wages.design, wages.rows), plan).result(),
      wages.design, RegressionKind::logistic);
}

void expect_held(const Held& found, bool alone) {
  if (alone) {
    EXPECT_GT(found.hidden_alone, found.runs * 8 / 10);
    EXPECT_GT(found.given, found.runs * 5);
  }
  // As if there were one interval a run; wider ones may hold always.
  if (found.given == 0) return;
  const double share = found.held / static_cast<double>(found.given);
  EXPECT_GT(share, .95 - 6.2 * .2179 / std::sqrt(std::max(1., found.given / 6.)));
}

TEST(HiddenCoverage, TermsThatAreThereTwice) {
  const WageRegression wages = high_wages();
  const std::vector<Coefficient> exact = exact_of(wages);
  WageRegression twice = wages;
  // The last column again: it and its copy are not told apart, and both are left out.
  twice.design.terms.push_back(category_term(2));
  for (std::vector<double>& row : twice.rows) row.insert(row.end() - 1, row[terms - 1]);
  for (const double epsilon : {1., 4., 16., 1e6}) {
    expect_held(count_held(twice, exact, exact.size() - 1, epsilon, 40), epsilon > 1e5);
  }
}

TEST(HiddenCoverage, RareRowsOfOneOutcome) {
  WageRegression wages = high_wages();
  wages.design.terms.push_back(category_term(2));
  std::size_t left = rare;
  for (std::vector<double>& row : wages.rows) {
    const bool is = left > 0 && row.back() == 0 && &row - wages.rows.data() >= 14000;
    if (is) --left;
    row.insert(row.end() - 1, is ? 1. : 0.);
  }
  // Its coefficient has no end; so the others are those of the rows without it.
  WageRegression without = high_wages();
  std::vector<std::vector<double>> kept;
  for (std::size_t r = 0; r < wages.rows.size(); ++r) {
    if (wages.rows[r][terms] == 0) kept.push_back(without.rows[r]);
  }
  ASSERT_EQ(kept.size() + rare, wages.rows.size());
  without.rows = kept;
  const std::vector<Coefficient> exact = exact_of(without);
  for (const double epsilon : {1., 4., 16., 1e6}) {
    expect_held(count_held(wages, exact, exact.size(), epsilon, 40), false);
  }
}

}  // namespace
}  // namespace dpmix::test
