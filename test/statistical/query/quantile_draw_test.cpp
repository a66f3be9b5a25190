// Drawn quantiles: draws against their law, enumerated, and an audit of what they claim.
//
// A right sampler fails any one of these with probability at most 1e-9; keys are fixed.
#include "core/query/quantile_draw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "statistical/goodness_of_fit.hpp"
#include "statistical/privacy_audit.hpp"

namespace dpmix {
namespace {

using Cells = std::vector<Int128>;

std::vector<double> law(const Cells& cells, double p, double rate_of_row) {
  double rows = 0, before = 0, sum = 0;
  for (const Int128 count : cells) rows += static_cast<double>(count);
  const double target = p == 0 ? 1 : p * rows;
  const double step = 1 / static_cast<double>(exact_share(p).whole);
  std::vector<double> made;
  for (const Int128 count : cells) {
    const double after = before + static_cast<double>(count);
    const double gap =
        rows == 0 ? std::max(p, 1 - p) : std::max({before + step - target, target - after, 0.0});
    made.push_back(std::exp(-rate_of_row * gap));
    sum += made.back();
    before = after;
  }
  // That there is no row, as many times as there are cells: counted with the middle cell.
  const double none =
      static_cast<double>(cells.size()) * std::exp(-rate_of_row * std::max(p, 1 - p) * rows);
  made[cells.size() / 2] += none;
  sum += none;
  for (double& each : made) each /= sum;
  return made;
}

struct Case {
  Cells cells;
  double p, range;
};
const Case kCases[] = {
    {{3, 0, 0, 5, 1, 0, 2}, .5, 1},      {{3, 0, 0, 5, 1, 0, 2}, .9, .3},
    {{10, 10, 10, 10, 10, 10}, .25, .7}, {{0, 0, 7, 0, 0, 4}, 0, 2},
    {{0, 0, 7, 0, 0, 4, 0}, 1, 2},       {{0, 0, 0, 0}, .5, 1},
    {{1, 40, 0, 0, 41, 1}, 1 / 3., 4},
};

TEST(QuantileDrawFrequency, IsTheLaw) {
  for (const Case& c : kCases) {
    const ExactShare share = exact_share(c.p);
    const DrawShift shift = draw_shift(share, Adjacency::add_remove, 1, false);
    const double rate =
        c.range * static_cast<double>(share.whole) / static_cast<double>(shift.steps);
    const std::uint64_t trials = test::draws(500'000);
    RandomStream random({21});
    std::vector<std::uint64_t> count(c.cells.size());
    for (std::uint64_t i = 0; i < trials; ++i) {
      const int cell = draw_quantile(random, c.cells, share, shift, c.range);
      ++count[cell < 0 ? count.size() / 2 : static_cast<std::size_t>(cell)];
    }
    EXPECT_GT(test::chi_square_p_value(trials, law(c.cells, c.p, rate), count), 1e-9)
        << &c - kCases;
    if (&c - kCases < 3) {  // it would notice a rate that is 3% off
      EXPECT_LT(test::chi_square_p_value(trials, law(c.cells, c.p, 1.03 * rate), count), 1e-9)
          << &c - kCases;
    }
  }
}

// Neighbours that move scores the most: a row comes on the other side of cells without rows.
test::AuditResult audit(double p, double range, const test::AuditClaim& claim) {
  Cells table = {0, 0, 10, 0, 0, 0, 0, 0};
  if (p == .5) table = {40, 0, 0, 0, 0, 0, 0, 40};
  if (p < .5) std::ranges::reverse(table);
  Cells more = table;
  ++(p < .5 ? more.front() : more.back());
  const ExactShare share = exact_share(p);
  const DrawShift shift = draw_shift(share, Adjacency::add_remove, 1, false);
  RandomStream random({22});
  const auto score = [&](const Cells& cells) {
    return static_cast<double>(draw_quantile(random, cells, share, shift, range));
  };
  return test::audit_scores([&] { return score(table); }, [&] { return score(more); }, claim);
}

TEST(QuantileDrawAudit, ShowsNoMoreThanItsRange) {
  for (const double p : {.1, .5, .9}) {
    const test::AuditClaim claim{.epsilon = 1, .delta = 0, .confidence = 1 - 1e-9, .runs = 100'000};
    EXPECT_FALSE(audit(p, 1, claim).refutes(claim)) << p;
    // Drawn as if a row moved the scores of a quantile far less than it does.
    EXPECT_TRUE(audit(p, 8, claim).refutes(claim)) << p;
  }
}

}  // namespace
}  // namespace dpmix
