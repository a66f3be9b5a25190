// Distances of small tables and naive Bayes, by hand, exact and out of noise.
#include "core/comparison/pair_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tables/compared_tables.hpp"

namespace dpmix::test {
namespace {

PairComparison compare(const ComparedTable& real, const ComparedTable& synthetic) {
  return compare_pairs(real.columns, exact_pairs(exact_pairs(real, {}), real.columns),
                       exact_pairs(exact_pairs(synthetic, {}), real.columns), {}, .5, .25);
}

const Measure& find(const PairComparison& compared, MeasureKind kind, int column = -1,
                    int other = -1) {
  for (const Measure& m : compared.measures) {
    if (m.kind == kind && (column < 0 || (m.column == column && m.other == other))) return m;
  }
  ADD_FAILURE() << "no " << name(kind) << " of " << column << " and " << other;
  static const Measure none{};
  return none;
}

// A number of [0, 4] in two bins, a boolean, a category of two, and a label of two.
ComparedTable small(std::vector<ComparedRow> rows) {
  return {{{0, 0}, {4, 1}, {0, 1}, {2}, 2, 2}, std::move(rows)};
}

TEST(PairTables, DistancesByHand) {
  const ComparedTable real =
      small({{{1, 0}, {0}, 0}, {{1, 1}, {1}, 0}, {{3, 1}, {1}, 1}, {{NAN, NAN}, {-1}, -1}});
  // One row of two moves its number to the other bin; nothing is missing.
  const ComparedTable other = small({{{3, 0}, {0}, 0}, {{1, 1}, {1}, 1}});
  const PairComparison compared = compare(real, other);
  // Numbers: (2, 1, 1)/4 and (1, 1, 0)/2. Booleans: (1, 2, 1)/4 and (1, 1, 0)/2; as the category.
  // Labels: (2, 1, 1)/4 and (1, 1, 0)/2.
  for (int column = 0; column < 4; ++column) {
    EXPECT_DOUBLE_EQ(find(compared, MeasureKind::marginal_tv, column, -1).difference, .25);
  }
  EXPECT_DOUBLE_EQ(find(compared, MeasureKind::marginal_tv_mean).difference, .25);
  // Number and boolean: low and false 1/4 and 0, low and true 1/4 and 1/2, high and true 1/4 and
  // 0, high and false 0 and 1/2, both missing 1/4 and 0: (1 + 1 + 1 + 2 + 1)/8.
  EXPECT_DOUBLE_EQ(find(compared, MeasureKind::pair_tv, 0, 1).difference, .75);
  EXPECT_DOUBLE_EQ(find(compared, MeasureKind::pair_tv, 0, 2).difference, .75);
  // Boolean and category say the same.
  EXPECT_DOUBLE_EQ(find(compared, MeasureKind::pair_tv, 1, 2).difference, .25);
  // Number and label: low in the first class 1/2 and 0, high in the first 0 and 1/2, low in the
  // second 0 and 1/2, high in the second 1/4 and 0, missing 1/4 and 0.
  EXPECT_DOUBLE_EQ(find(compared, MeasureKind::pair_tv, 0, 3).difference, 1);
  EXPECT_DOUBLE_EQ(find(compared, MeasureKind::pair_tv, 1, 3).difference, .5);
  EXPECT_DOUBLE_EQ(find(compared, MeasureKind::pair_tv_mean).difference,
                   (.75 + .75 + 1 + .25 + .5 + .5) / 6);
  const Measure& worst = find(compared, MeasureKind::pair_tv_worst);
  EXPECT_EQ(worst.column, 0);
  EXPECT_EQ(worst.other, 3);
  EXPECT_DOUBLE_EQ(worst.difference, 1);
  const Measure& bayes = find(compared, MeasureKind::naive_bayes_accuracy);
  EXPECT_EQ(bayes.real, .5);
  EXPECT_EQ(bayes.synthetic, .25);
  EXPECT_EQ(compared.measures.size(), 4 + 1 + 6 + 1 + 1 + 1u);
  for (const double bound : compared.bounds) EXPECT_EQ(bound, 0);
}

TEST(PairTables, OfNothingIsNothingAndATableIsLikeItself) {
  std::mt19937_64 random(8);
  ComparedTable table = mixed_table(random, 200);
  table.columns.bins = 10;
  for (const Measure& m : compare(table, table).measures) {
    if (m.kind == MeasureKind::naive_bayes_accuracy) continue;
    EXPECT_EQ(m.difference, 0) << name(m.kind);
  }
  ComparedTable none{table.columns, {}};
  for (const Measure& m : compare(table, none).measures) {
    if (m.kind == MeasureKind::naive_bayes_accuracy) continue;
    EXPECT_TRUE(std::isnan(m.difference)) << name(m.kind);
    EXPECT_EQ(m.column == -1, m.kind != MeasureKind::marginal_tv && m.kind != MeasureKind::pair_tv);
  }
  EXPECT_TRUE(learn_pairs(none).empty());
  table.columns.bins = 0;
  EXPECT_TRUE(compare(table, table).measures.empty());
  EXPECT_FALSE(has_pair_classifier(table.columns));
}

TEST(PairTables, NaiveBayesByHand) {
  const ComparedTable table =
      small({{{1, 0}, {0}, 0}, {{1, 1}, {1}, 0}, {{3, 1}, {1}, 1}, {{3, 1}, {1}, -1}});
  const auto score = [](double of, double among) {
    return std::round(1000 * std::log(of / among));
  };
  // Two rows of the first class, one of the second: 3/5, 2/5. Cells: one more row each.
  EXPECT_EQ(learn_pairs(table),
            (std::vector<double>{score(3, 5), score(2, 5),                            //
                                 score(3, 5), score(1, 4), score(1, 5), score(2, 4),  // number
                                 score(1, 5), score(1, 4),                            //
                                 score(2, 5), score(1, 4), score(2, 5), score(2, 4),  // boolean
                                 score(1, 5), score(1, 4),                            //
                                 score(2, 5), score(1, 4), score(2, 5), score(2, 4),  // category
                                 score(1, 5), score(1, 4)}));
  // Against the products themselves, on other rows.
  std::mt19937_64 random(9);
  ComparedTable learnt = mixed_table(random, 500), tested = mixed_table(random, 500);
  learnt.columns.bins = tested.columns.bins = 10;
  for (std::size_t n = 0; n < 500; n += 7) tested.row[n].number[n % 2] = NAN;
  const BinCounts counts = exact_pairs(tested, learn_pairs(learnt));
  const auto columns = paired_columns(learnt.columns);
  const auto cell = [&](const ComparedRow& row, int column) {
    const double x = marginal_value(learnt.columns, row, column);
    if (std::isnan(x)) return -1;
    if (column > 1) return static_cast<int>(x);
    const auto at = static_cast<std::size_t>(column);
    const double low = learnt.columns.lower[at], high = learnt.columns.upper[at];
    return std::clamp(static_cast<int>((x - low) / (high - low) * 10), 0, 9);
  };
  int right = 0;
  for (const ComparedRow& row : tested.row) {
    std::vector<double> log_share(3);
    for (int k = 0; k < 3; ++k) {
      double of_class = 0;
      for (const ComparedRow& r : learnt.row) of_class += r.label == k ? 1 : 0;
      log_share[static_cast<std::size_t>(k)] = std::log((of_class + 1) / 503);
      for (const int column : {0, 1, 2, 3}) {
        double same = 1;
        for (const ComparedRow& r : learnt.row) {
          same += r.label == k && cell(r, column) == cell(row, column) ? 1 : 0;
        }
        const int size = std::array{11, 11, 3, 4}[static_cast<std::size_t>(column)];
        log_share[static_cast<std::size_t>(k)] += std::log(same / (of_class + size));
      }
    }
    right += std::max_element(log_share.begin(), log_share.end()) - log_share.begin() == row.label;
  }
  const auto bins = pair_shape(learnt.columns).bins();
  EXPECT_NEAR(static_cast<double>(counts.count(0, static_cast<int>(bins))), right, 2);  // ties
  EXPECT_EQ(counts.count(0, static_cast<int>(bins)) + counts.count(0, static_cast<int>(bins) + 1),
            500);
  EXPECT_GT(right, 300);
}

TEST(PairTables, ColumnsThatWouldMakeTooManyCountsAreLeftOut) {
  ComparedColumns columns{{}, {}, {}, {900, 900, 3, 1000}, 1000, 10};
  EXPECT_EQ(paired_columns(columns), (std::vector<int>{0, 2, 4}));  // 1001 * 901 and little more
  EXPECT_LE(pair_shape(columns).bins() + 2, PairShape::max_bins);
  columns.classes = 0;
  EXPECT_EQ(paired_columns(columns), (std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(has_pair_classifier(columns));
}

// The mean distance from noisy counts: of equal tables it is mostly taken off, of tables that are
// apart hardly anything is.
TEST(PairTables, WhatNoiseAloneMakesIsTakenOff) {
  std::mt19937_64 random(10);
  ComparedTable real = mixed_table(random, 20000), other = mixed_table(random, 20000);
  for (ComparedRow& row : other.row) row.number[0] += row.number[2];
  real.columns.bins = other.columns.bins = 10;
  const PairStatistics truth = exact_pairs(exact_pairs(real, {}), real.columns);
  for (const ComparedTable* synthetic : {&real, &other}) {
    const PairStatistics theirs = exact_pairs(exact_pairs(*synthetic, {}), real.columns);
    const PairNoise noise{60, false, 1};
    PairStatistics noisy = truth;
    noisy.right = 15000;
    noisy.wrong = 5000;
    std::normal_distribution<double> normal(0, noise.cell);
    for (double& count : noisy.cells) count += normal(random);
    const double exact =
        find(compare_pairs(real.columns, truth, theirs, {}, 0, 0), MeasureKind::pair_tv_mean)
            .difference;
    const PairComparison seen = compare_pairs(real.columns, noisy, theirs, noise, 0, 0);
    const double floor = find(seen, MeasureKind::pair_tv_noise).difference;
    EXPECT_GT(floor, .02);
    EXPECT_NEAR(find(seen, MeasureKind::pair_tv_mean).difference, exact, floor / 2);
    for (std::size_t i = 0; i < seen.measures.size(); ++i) {
      const MeasureKind kind = seen.measures[i].kind;
      const bool of_noise =
          kind == MeasureKind::marginal_tv_noise || kind == MeasureKind::pair_tv_noise;
      EXPECT_EQ(std::isnan(seen.bounds[i]), of_noise);
    }
  }
}

}  // namespace
}  // namespace dpmix::test
