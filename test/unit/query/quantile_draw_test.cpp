// Scores of drawn quantiles: where they are 0, and how far neighbours move them.
#include "core/query/quantile_draw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/noise/gaussian/gdp.hpp"
#include "core/query/draw_plan.hpp"
#include "core/query/plan.hpp"

namespace dpmix {
namespace {

using Cells = std::vector<Int128>;

constexpr double kShares[] = {0, .1, .25, 1 / 3., .5, .7, .95, 1};

int percentile_disc(const Cells& cells, const ExactShare& share) {
  const Int128 rows = std::accumulate(cells.begin(), cells.end(), Int128{0});
  Int128 below = 0;
  for (std::size_t i = 0;; ++i) {
    below += cells[i];
    if (below * share.whole >= rows * share.part && below >= 1) return static_cast<int>(i);
  }
}

// All tables of so many cells with at most so many rows in each.
void every_table(int cells, int most, const std::function<void(const Cells&)>& visit) {
  Cells table(static_cast<std::size_t>(cells));
  for (;;) {
    visit(table);
    std::size_t i = 0;
    while (i < table.size() && table[i] == most) table[i++] = 0;
    if (i == table.size()) return;
    ++table[i];
  }
}

struct Moves {
  std::int64_t least, most;
  std::int64_t range() const { return most - least; }
};

Moves moves(const Cells& a, const Cells& b, const ExactShare& share) {
  const std::vector<std::int64_t> x = quantile_scores(a, share), y = quantile_scores(b, share);
  Moves made{x[0] - y[0], x[0] - y[0]};
  for (std::size_t i = 0; i < x.size(); ++i) {
    made.least = std::min(made.least, x[i] - y[i]);
    made.most = std::max(made.most, x[i] - y[i]);
  }
  return made;
}

std::vector<double> law(const Cells& cells, const ExactShare& share, double rate) {
  const std::vector<std::int64_t> scores = quantile_scores(cells, share);
  std::vector<double> made;
  double sum = 0;
  for (const std::int64_t score : scores) {
    made.push_back(std::exp(rate * static_cast<double>(score)));
    sum += made.back();
  }
  for (double& each : made) each /= sum;
  return made;
}

TEST(QuantileDraw, SharesAreTheSimplestFractions) {
  const auto is = [](double p, std::int64_t part, std::int64_t whole) {
    const ExactShare share = exact_share(p);
    return share.part == part && share.whole == whole;
  };
  EXPECT_TRUE(is(0, 0, 1) && is(1, 1, 1) && is(.5, 1, 2) && is(.1, 1, 10) && is(.95, 19, 20));
  EXPECT_TRUE(is(1 / 3., 1, 3) && is(.999, 999, 1000) && is(.12345, 2469, 20000));
  EXPECT_TRUE(is(1e-300, 0, 1) && is(1 - 0x1p-53, 1, 1));
  for (const double p : {.3183098861837907, .9999993, 1e-7, 0x1p-20 + 0x1p-45, .5 + 1e-9}) {
    const ExactShare share = exact_share(p);
    EXPECT_TRUE(0 <= share.part && share.part <= share.whole && share.whole <= 1 << 20);
    EXPECT_LT(std::abs(static_cast<double>(share.part) / static_cast<double>(share.whole) - p),
              0x1p-20);
  }
}

TEST(QuantileDraw, OnlyTheCellOfPercentileDiscHasTheBestScore) {
  every_table(4, 3, [](const Cells& table) {
    if (std::ranges::all_of(table, [](Int128 count) { return count == 0; })) return;
    for (const double p : kShares) {
      const ExactShare share = exact_share(p);
      const std::vector<std::int64_t> scores = quantile_scores(table, share);
      const int exact = percentile_disc(table, share);
      for (int i = 0; i < 5; ++i) {
        const std::int64_t score = scores[static_cast<std::size_t>(i)];
        EXPECT_TRUE(i == exact ? score == 0 : score < 0) << p << " " << i;
      }
    }
  });
}

TEST(QuantileDraw, ScoresAreTotal) {
  const Cells many = {0, Int128{1} << 62, 1, Int128{1} << 62, 0};
  for (const double p : kShares) {
    for (const std::int64_t score : quantile_scores(many, exact_share(p))) {
      EXPECT_TRUE(score <= 0 && score >= -(std::int64_t{1} << 62));
    }
    // No row at all: no cell is likelier than another, and the answer for no row is.
    const ExactShare share = exact_share(p);
    const std::int64_t most = std::max(share.part, share.whole - share.part);
    EXPECT_EQ(quantile_scores(Cells(5), share),
              (std::vector<std::int64_t>{-most, -most, -most, -most, -most, 0}));
  }
}

// Exhaustively: a row that comes, and one that moves from one cell to another of its group.
TEST(QuantileDraw, NeighboursMoveScoresByNoMoreThanTheirSteps) {
  for (const double p : kShares) {
    const ExactShare share = exact_share(p);
    const DrawShift coming = draw_shift(share, Adjacency::add_remove, 1, true);
    const DrawShift replaced = draw_shift(share, Adjacency::replace, 1, false);
    const DrawShift grouped = draw_shift(share, Adjacency::replace, 1, true);
    std::int64_t most_coming = 0, most_replaced = 0;
    every_table(4, 2, [&](const Cells& table) {
      for (std::size_t i = 0; i < table.size(); ++i) {
        Cells more = table;
        ++more[i];
        const std::int64_t moved = moves(table, more, share).range();
        most_coming = std::max(most_coming, moved);
        // Of two groups, or where WHERE lets it come: each a part of the range.
        EXPECT_LE(static_cast<double>(moved),
                  grouped.pair * static_cast<double>(grouped.steps) * (1 + 1e-12));
        EXPECT_LE(moved, replaced.steps);
        for (std::size_t j = 0; j < table.size(); ++j) {
          Cells other = table;
          ++other[j];
          most_replaced = std::max(most_replaced, moves(more, other, share).range());
        }
      }
    });
    EXPECT_LE(most_coming, coming.steps) << p;
    EXPECT_LE(most_replaced, replaced.steps) << p;
    EXPECT_LE(most_replaced, grouped.steps) << p;
    // No fewer steps would do, where rows are many enough for p. Of p = 0 the target is one row,
    // which no row moves.
    if (p > .1 && p < .95) {
      EXPECT_EQ(most_coming, coming.steps) << p;
      EXPECT_EQ(most_replaced, replaced.steps) << p;
    }
  }
}

// Random units of up to four rows, in up to three groups: together within their steps.
TEST(QuantileDraw, UnitsMoveAllGroupsTogetherByNoMoreThanTheirSteps) {
  RandomStream random({3});
  constexpr int kGroups = 3, kCells = 6;
  const auto add = [&](std::vector<Cells>& groups, int rows, int in) {
    for (int i = 0; i < rows; ++i) {
      ++groups[random.below(static_cast<std::uint64_t>(in))][random.below(kCells)];
    }
  };
  const auto range = [](const std::vector<Cells>& a, const std::vector<Cells>& b,
                        const ExactShare& share) {
    std::int64_t sum = 0;
    for (int g = 0; g < kGroups; ++g) {
      sum += moves(a[static_cast<std::size_t>(g)], b[static_cast<std::size_t>(g)], share).range();
    }
    return sum;
  };
  for (int i = 0; i < 20000; ++i) {
    const ExactShare share = exact_share(kShares[random.below(std::size(kShares))]);
    const int rows = 1 + static_cast<int>(random.below(4));
    const int in = random.bit() ? kGroups : 1;
    std::vector<Cells> all(kGroups, Cells(kCells));
    add(all, static_cast<int>(random.below(12)), in);
    std::vector<Cells> before = all, after = all;
    add(before, rows, in);
    EXPECT_LE(range(all, before, share),
              draw_shift(share, Adjacency::add_remove, rows, in > 1).steps);
    add(after, static_cast<int>(random.below(static_cast<std::uint64_t>(rows) + 1)), in);
    if (rows > 1 || in == 1) {
      EXPECT_LE(range(before, after, share),
                draw_shift(share, Adjacency::replace, rows, in > 1).steps);
    }
  }
}

// The very probabilities of all small tables and their neighbours.
TEST(QuantileDraw, LogRatiosLieInAnIntervalOfTheRange) {
  constexpr double kRange = 1.3;
  for (const double p : {0., .25, .5, .7}) {
    const ExactShare share = exact_share(p);
    const DrawShift shift = draw_shift(share, Adjacency::add_remove, 1, false);
    double widest = 0;
    every_table(4, 2, [&](const Cells& table) {
      for (std::size_t i = 0; i < table.size(); ++i) {
        Cells more = table;
        ++more[i];
        const double rate = kRange / static_cast<double>(shift.steps);
        const std::vector<double> a = law(table, share, rate), b = law(more, share, rate);
        double least = 1e9, most = -1e9;
        for (std::size_t k = 0; k < a.size(); ++k) {
          least = std::min(least, std::log(a[k] / b[k]));
          most = std::max(most, std::log(a[k] / b[k]));
        }
        widest = std::max(widest, most - least);
      }
    });
    EXPECT_LE(widest, kRange * (1 + 1e-12));
    if (p == 0) continue;
    EXPECT_GE(widest, kRange * (1 - 1e-9));
  }
}

Filter filter(Accountant accountant) {
  return {accountant, Decimal::printed(4), Decimal::printed(1e-6), choose_order(4, 1e-6)};
}

double cost(const Accounting& table, std::span<const DrawShift> draws, double range) {
  double sum = 0;
  for (const DrawShift& draw : draws) {
    const double one = cost_of_bounded_range(table, range).amount;
    const double two =
        draw.pair > 0 ? 2 * cost_of_bounded_range(table, range * draw.pair).amount : 0;
    sum += std::max(one, two);
  }
  return sum;
}

const std::vector<std::vector<DrawShift>> kDraws = {
    {{2}}, {{2}, {18}, {6}}, {{4, .5}}, {{20, .95}, {4, .5}}, std::vector<DrawShift>(40, {2})};

TEST(DrawPlan, WithoutADeltaRangesAddUpToEpsilon) {
  for (const auto& draws : kDraws) {
    for (const Accountant accountant : {Accountant::basic, Accountant::renyi, Accountant::gdp}) {
      for (const double epsilon : {1e-6, .1, 1., 30.}) {
        const DrawPlan made = plan_draws({epsilon, 0, std::nullopt}, filter(accountant), draws);
        double sum = 0;
        for (const DrawShift& draw : draws) sum += epsilon_of_draw(draw, made.range);
        EXPECT_LE(sum, epsilon);
        EXPECT_GE(sum, epsilon * (1 - 1e-9));
        EXPECT_EQ(made.plan.delta, 0);
        EXPECT_EQ(made.plan.epsilon, epsilon);
        EXPECT_EQ(mechanism_of(made.plan), "exponential");
        EXPECT_EQ(made.plan.has_own, accountant != Accountant::basic);
      }
    }
  }
}

TEST(DrawPlan, WithADeltaDrawsAreWithinGaussianNoiseOfTheGuarantee) {
  const Accounting gdp{Accountant::gdp, 0};
  for (const auto& draws : kDraws) {
    for (const double epsilon : {.1, 1., 8.}) {
      const double mu = gdp_mu(epsilon, 1e-6);
      for (const Accountant accountant : {Accountant::basic, Accountant::renyi, Accountant::gdp}) {
        for (const bool accurate : {false, true}) {
          QueryRequest request{epsilon, 1e-6, std::nullopt};
          request.accurate = accurate;
          const Filter of = filter(accountant);
          const DrawPlan made = plan_draws(request, of, draws);
          double sum = 0;
          for (const DrawShift& draw : draws) sum += epsilon_of_draw(draw, made.range);
          EXPECT_TRUE(sum <= epsilon || cost(gdp, draws, made.range) <= mu * mu);
          EXPECT_EQ(made.plan.delta, sum <= epsilon ? 0 : 1e-6);
          if (!of.accounting().counts_cost()) continue;
          EXPECT_NEAR(made.plan.own.amount, cost(of.accounting(), draws, made.range),
                      1e-9 * made.plan.own.amount);
          const double limit = cost_of_gaussian(of.accounting(), mu).amount;
          if (accurate) continue;
          EXPECT_LE(made.plan.own.amount, limit);
          if (accountant != Accountant::gdp) continue;
          EXPECT_GE(made.plan.own.amount, limit * (1 - 1e-6));
        }
      }
    }
  }
}

// Beside other statistics: what both parts are together, whatever the shares.
TEST(DrawPlan, DrawsBesideNoiseShareWhatIsAsked) {
  const Accounting gdp{Accountant::gdp, 0};
  for (const auto& draws : kDraws) {
    for (const double epsilon : {.1, 1., 8.}) {
      for (const double squares : {1., 2.5, 30.}) {
        for (const double delta : {0., 1e-6}) {
          for (const Accountant accountant :
               {Accountant::basic, Accountant::renyi, Accountant::gdp}) {
            const Filter of = filter(accountant);
            const QueryRequest request{epsilon, delta, std::nullopt};
            const SharedPlan made = plan_draws_beside(request, of, draws, squares);
            const double count = static_cast<double>(draws.size());
            double sum = 0;
            for (const DrawShift& draw : draws) sum += epsilon_of_draw(draw, made.range);
            EXPECT_EQ(made.noise.delta, delta);
            if (delta == 0 || accountant == Accountant::basic) {
              EXPECT_FALSE(made.noise.mechanism);
              EXPECT_LE(sum + made.noise.epsilon, epsilon);
              EXPECT_NEAR(sum, epsilon * count / (count + squares), 1e-9 * epsilon);
              EXPECT_NEAR(made.noise.epsilon, epsilon * squares / (count + squares),
                          1e-9 * epsilon);
            } else {
              EXPECT_EQ(made.noise.mechanism, Family::gaussian);
              const double mu = gdp_mu(epsilon, delta), left = gdp_mu(made.noise.epsilon, delta);
              const double drawn = cost(gdp, draws, made.range);
              EXPECT_LE(left * left + drawn, mu * mu);
              EXPECT_NEAR(left * left, mu * mu * squares / (count + squares), 1e-6 * mu * mu);
              EXPECT_NEAR(drawn, mu * mu * count / (count + squares), 1e-6 * mu * mu);
            }
            const std::vector<StatisticShift> shifts(3, {1, 1, 1, 1, 1});
            std::vector<StatisticNoise> noise(3);
            QueryRequest rest = made.noise;
            if (!rest.mechanism) rest.mechanism = Family::laplace;  // calibrated at once
            const QueryPlan plan = with_draws(request, plan_query(rest, of, shifts, noise),
                                              of.accounting(), draws, made.range);
            EXPECT_EQ(plan.epsilon, epsilon);
            EXPECT_TRUE(mechanism_of(plan).ends_with("+exponential"));
            if (!of.accounting().counts_cost()) continue;
            EXPECT_GE(plan.own.amount, cost(of.accounting(), draws, made.range));
            if (delta == 0) continue;
            EXPECT_LE(plan.own.amount,
                      cost_of_gaussian(of.accounting(), gdp_mu(epsilon, delta)).amount);
          }
        }
      }
    }
  }
}

// What is asked of one quantile is far less with draws; of a dozen not.
TEST(DrawPlan, ATreeIsWorthItForManyQuantiles) {
  const auto worth = [](double scale, double rows) {
    return are_draws_worth(std::vector<QuantileRank>{{.5, scale, 110, 4096}}, rows);
  };
  EXPECT_TRUE(worth(10, 0));
  EXPECT_FALSE(worth(80, 0));
  EXPECT_TRUE(worth(80, 1e6));  // a cell of the tree has 244 rows
  const std::vector<QuantileRank> three = {
      {.1, 30, 110, 4096}, {.5, 30, 110, 4096}, {.9, 30, 110, 4096}};
  EXPECT_TRUE(are_draws_worth(three, 0));
  EXPECT_TRUE(are_draws_worth(three, 1e6));
  EXPECT_FALSE(are_draws_worth(three, 1000));  // 100 rows outside
}

}  // namespace
}  // namespace dpmix
